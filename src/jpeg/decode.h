/* SPDX-License-Identifier: BSD-2-Clause */
/* What src/jpeg/decode.c keeps of a file and of the picture that it decodes. For that file alone. */
#ifndef XC_SRC_JPEG_DECODE_H
#define XC_SRC_JPEG_DECODE_H

#include "src/jpeg/kept.h"

typedef struct file_reader {
	xc_context *context;
	xc_file_parser parser; /* `file` and `offset`: the next chunk */
	xc_jpeg_info *info;
	const uint8_t *hash;
	uint8_t *out;         /* NULL: only what the file says is wanted */
	uint64_t at;          /* bytes that were written */
	xc_kept *kept;        /* NULL: its picture is not wanted */
	xc_container *shape;  /* NULL: nor its shape */
	xc_container *listed; /* NULL: nor a list of its segments */
	int lenient; /* the file may be cut off in its segments or after them, and have bytes after its end: */
	uint64_t extra;
	xc_segment_info *segments; /* NULL: not wanted; else of these, the first at segments[0] */
	uint64_t first_segment, segment_count;
	int pictures;
	xc_jpeg *jpeg;
	const uint8_t *inside; /* the segments that PICT itself has; NULL: they are in pieces */
	size_t inside_size;
} file_reader;

typedef struct piece_segments {
	xc_chunk chunk; /* DATA */
	const uint8_t
		*index; /* entries: sizes of `width` bytes, and checks; NULL: PICT's CRC has been checked */
	unsigned width;
	int damaged; /* set atomically; the file may have less of the chunk */
} piece_segments;

/* A worker's: what the piece's tiles are coded by, and memory. */
typedef struct worker_codes {
	uint32_t piece; /* + 1 */
	xc_jpeg_decode_codes codes;
} worker_codes;

typedef struct work {
	file_reader *reader;
	xc_jpeg_plan plan;
	xc_jpeg_writer *writer;
	xc_jpeg_coding coding;
	const xc_jpeg_level *level;
	size_t scratch_each, blocks_each;
	uint8_t *scratch;
	int16_t *blocks;
	worker_codes *codes;
	piece_segments *pieces;
	uint32_t *written; /* flags of bands */
	/* Where shapes and tiles of each piece end in DATA, and their CRCs. */
	uint64_t *ends;
	uint32_t *crcs;
	/* Set atomically: what is wrong, and where in the file, or 0; the tile + 1, or 0, and how many. */
	const char *wrong;
	uint64_t wrong_at;
	uint64_t damaged, tiles_damaged;
} work;

#endif
