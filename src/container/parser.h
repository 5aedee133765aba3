/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of parsing a file, for src/container/read.c, which has all bytes in memory, and
 * src/decode/feed.c, which reads chunk by chunk. */
#ifndef XC_SRC_CONTAINER_PARSER_H
#define XC_SRC_CONTAINER_PARSER_H

#include "src/container/container.h"

/* A chunk of the file. */
typedef struct xc_chunk {
	char type[5];
	const uint8_t *start, *payload;
	uint64_t length;    /* of the payload, as the chunk says */
	uint64_t available; /* payload bytes that the file has */
	uint64_t whole;     /* bytes including type, length and CRC */
} xc_chunk;

enum {
	XC_SEEN_HEAD = 1,
	XC_SEEN_QNTZ = 2,
	XC_SEEN_COLR = 4,
	XC_SEEN_HUFF = 8,
	XC_SEEN_RANS = 16,
	XC_SEEN_PLTE = 32,
	XC_SEEN_NEAR = 64,
	XC_SEEN_DONE = 128
};

typedef struct xc_file_parser {
	xc_context *context;
	const uint8_t *file;
	uint64_t size, offset;
	int truncated; /* the file may be cut off */
	int one_piece; /* `pieces` has only the last piece, because the file is read in order */
	xc_container *out;
	uint64_t indices, room; /* INDX chunks read; capacity of `pieces` */
	uint64_t indexed;       /* segments in these INDX chunks */
	xc_status failed;       /* the failure to allocate `pieces` */
	unsigned seen;          /* bits XC_SEEN_* */
} xc_file_parser;

static inline uint32_t xc_get_u16(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8;
}

static inline uint32_t xc_get_u32(const uint8_t *p)
{
	return xc_get_u16(p) | xc_get_u16(p + 2) << 16;
}

#define XC_NEWER "a newer release may read it" /* of what is not known */
#define XC_OFFSET(p) ((unsigned long long)(p)->offset)

/* "the file ends too early (in INDX, at byte 300)" */
xc_status xc_fail_truncated(xc_file_parser *parser, const char *where);
/* "damaged chunk type (at byte 300)" */
xc_status xc_fail_corrupt(xc_file_parser *parser, const char *what);
/* "damaged INDX chunk (at byte 300)": its CRC is wrong. */
xc_status xc_fail_damaged_chunk(xc_file_parser *parser, const char *type);

enum { XC_LENGTH_BYTES = 9 }; /* of a chunk's length, at most */
#define XC_TOO_MANY_BYTES "%llu byte%s too many after the end"

/* Reads type and length of the chunk at `at`, where `left` bytes are readable. Members from
 * `available` on are 0. */
xc_status xc_chunk_begin(xc_file_parser *parser, const uint8_t *at, uint64_t left, xc_chunk *chunk);
/* The same without checks, for `size` bytes, at least 4. Returns the bytes of type and length, 0 if
 * the length does not end there. */
size_t xc_chunk_take_apart(const uint8_t *at, size_t size, xc_chunk *chunk);
/* Checks the CRC of a complete chunk. */
xc_status xc_chunk_check(xc_file_parser *parser, const xc_chunk *chunk);

/* Reads the magic number and checks the version. */
xc_status xc_parse_magic(xc_file_parser *parser, const uint8_t *start, uint64_t size);
/* "chunk ABCD (at byte 300) is not known: a newer release may read it" */
xc_status xc_fail_unknown_chunk(xc_file_parser *parser, const char *type);
/* 1: a chunk of `bytes` bytes of fields, HEAD, ARRY or JPEG, may have this payload. */
static inline int xc_head_has(const xc_chunk *chunk, uint64_t bytes)
{
	return chunk->length >= bytes && chunk->length <= XC_MAX_HEAD_BYTES;
}

/* Reads the magic number and HEAD, which must lie within `size` bytes, and passes them.
 * XC_HEADER_BYTES are enough for both. */
xc_status xc_parse_start(xc_file_parser *parser, const uint8_t *start, size_t size);
/* Parses a complete chunk after HEAD. DATA needs only its type and length. */
xc_status xc_parse_chunk(xc_file_parser *parser, const xc_chunk *chunk);
/* Call after the tables and the first piece: checks for missing ones, sets built-in codes. */
xc_status xc_parse_tables_end(xc_file_parser *parser);

/* Call after the last chunk: checks that the pieces have all segments, or enough of them. */
xc_status xc_check_pieces(xc_file_parser *parser);

#endif
