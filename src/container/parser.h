/* SPDX-License-Identifier: BSD-2-Clause */
/* A file being taken apart: what read.c and read_pieces.c share. */
#ifndef XC_SRC_CONTAINER_PARSER_H
#define XC_SRC_CONTAINER_PARSER_H

#include "src/container/container.h"

/* A chunk of the file: its payload, and what is needed to check it. */
typedef struct xc_chunk {
	char type[5];
	const uint8_t *start, *payload;
	uint64_t length; /* of the payload, as the chunk says */
	uint64_t there;  /* bytes of the payload that the file has */
	uint64_t whole;  /* bytes with type, length and CRC */
} xc_chunk;

typedef struct xc_file_parser {
	xc_context *context;
	const uint8_t *file;
	uint64_t size, offset;
	int truncated; /* accepted */
	xc_container *out;
	uint64_t indices, room; /* pieces whose INDX has come; those that `pieces` has room for */
	uint64_t indexed;       /* their segments */
	xc_status failed;       /* of allocating them */
	int seen_quant, seen_codes, seen_frequencies, seen_alpha, seen_done;
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

/* One chunk of a piece. */
xc_status xc_parse_index(xc_file_parser *parser, const xc_chunk *chunk);
xc_status xc_parse_data(xc_file_parser *parser, const xc_chunk *chunk);
/* Once all chunks have come: the pieces have all segments, or the file is cut off, and they have
 * enough. */
xc_status xc_check_pieces(xc_file_parser *parser);

#endif
