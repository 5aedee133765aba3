/* SPDX-License-Identifier: BSD-2-Clause */
/* A file being taken apart. */
#ifndef XC_SRC_CONTAINER_PARSER_H
#define XC_SRC_CONTAINER_PARSER_H

#include "src/container/container.h"

/* A chunk of the file: its payload, and what is needed to check it. */
typedef struct xc_chunk {
	char type[5];
	const uint8_t *start, *payload;
	uint64_t length;    /* of the payload, as the chunk says */
	uint64_t available; /* bytes of the payload that the file has */
	uint64_t whole;     /* bytes with type, length and CRC */
} xc_chunk;

enum {
	XC_SEEN_HEAD = 1,
	XC_SEEN_QNTZ = 2,
	XC_SEEN_COLR = 4,
	XC_SEEN_HUFF = 8,
	XC_SEEN_RANS = 16,
	XC_SEEN_DONE = 32
};

typedef struct xc_file_parser {
	xc_context *context;
	const uint8_t *file;
	uint64_t size, offset;
	int truncated; /* accepted */
	int one_piece; /* `pieces` keeps only the last piece, as a file that is read in order wants it */
	xc_container *out;
	uint64_t indices, room; /* pieces whose INDX has come; those that `pieces` has room for */
	uint64_t indexed;       /* their segments */
	xc_status failed;       /* of allocating them */
	unsigned seen;          /* chunks, as bits: */
} xc_file_parser;

static inline uint32_t xc_get_u16(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8;
}

static inline uint32_t xc_get_u32(const uint8_t *p)
{
	return xc_get_u16(p) | xc_get_u16(p + 2) << 16;
}

#define XC_OFFSET(p) ((unsigned long long)(p)->offset)

/* "the file ends too early (in INDX, at byte 300)" */
xc_status xc_fail_truncated(xc_file_parser *parser, const char *where);
/* "damaged chunk type (at byte 300)" */
xc_status xc_fail_corrupt(xc_file_parser *parser, const char *what);

enum { XC_LENGTH_BYTES = 9 }; /* of a chunk's length, at most */
#define XC_TOO_MANY_BYTES "%llu byte%s too many after the end"

/* Reads type and length of the chunk at `at`, of which there are `left` bytes, and sets `available`
 * and nothing after it. */
xc_status xc_chunk_begin(xc_file_parser *parser, const uint8_t *at, uint64_t left, xc_chunk *chunk);
/* The same of `size` bytes, at least 4: the bytes of both, 0 if the length does not end there. */
size_t xc_chunk_take_apart(const uint8_t *at, size_t size, xc_chunk *chunk);
/* Checks the CRC of a chunk that is there as a whole. */
xc_status xc_chunk_check(xc_file_parser *parser, const xc_chunk *chunk);

/* Reads the magic number and HEAD, which must lie within `size` bytes, and goes on to what
 * follows. */
xc_status xc_parse_start(xc_file_parser *parser, const uint8_t *start, size_t size);
enum { XC_START_BYTES = 64 }; /* that hold both, if the length of HEAD takes one byte */
/* Takes a whole chunk after HEAD; of DATA no more than its start. */
xc_status xc_parse_chunk(xc_file_parser *parser, const xc_chunk *chunk);
/* Once the tables and the first piece have come: sets the codes that are built in. */
xc_status xc_parse_tables_end(xc_file_parser *parser);

/* Once all chunks have come: the pieces have all segments, or the file is cut off, and they have
 * enough. */
xc_status xc_check_pieces(xc_file_parser *parser);

#endif
