/* SPDX-License-Identifier: BSD-2-Clause */
/* Brings a file that is read by functions into memory in steps: the chunks before the segments,
 * then the segments of a batch at a time, for src/decode/decoder.c. */
#ifndef XC_SRC_DECODE_FEED_H
#define XC_SRC_DECODE_FEED_H

#include "src/container/parser.h"
#include "src/decode/coded.h"
#include "src/decode/crop.h"

/* The bytes of a file in order, from a caller's functions. */

/* Bytes that are read at once where little is wanted. */
enum { XC_INPUT_BUFFER = 4096 };

typedef struct xc_input {
	xc_source source;
	uint64_t offset; /* of the next byte */
	size_t at, end;  /* of the buffer: bytes not taken yet */
	int failed;      /* reading failed, which looks like the end of the file otherwise */
	uint8_t buffer[XC_INPUT_BUFFER];
} xc_input;

/* Memory of a chunk that is still needed. */
typedef struct xc_held_chunk xc_held_chunk;

/* What ends with a tile row. */
typedef struct xc_row_end {
	int piece;             /* a piece ends here */
	int checked;           /* the file has its CRC */
	uint32_t check, begin; /* this CRC; the CRC of the next piece before its segments */
} xc_row_end;

typedef struct xc_feed {
	xc_context *context;
	xc_coded *coded;
	xc_file_parser parser;
	xc_held_chunk *held;
	uint8_t *index;         /* the INDX chunk of the piece */
	xc_index_reader next;   /* the next segment of the piece */
	uint64_t segments_left; /* segments of the piece not read yet */
	uint64_t left;          /* their bytes */
	int in_piece;           /* a piece is being read */
	uint32_t row;           /* of tiles, the next one */
	int ended;              /* the file is cut off, which is accepted */
	uint64_t known;         /* metadata before this offset were read ahead */
	uint32_t crc;           /* of the piece, up to the segments that were decoded */
	xc_row_end *ends;       /* [rows] of the rows of tiles that are loaded */
	uint8_t *bytes;         /* of their segments */
	size_t room, used;
	xc_input input; /* the last, because its buffer need not be cleared */
} xc_feed;

/* Allocates *file and reads all of it, if it holds a JPEG and can be read from anywhere; else NULL. */
xc_status xc_feed_whole(xc_context *context, const xc_source *source, uint8_t **file);

/* Reads the file up to its first segment. keep_going as in xc_decode_options. The caller calls
 * xc_feed_close(), also after a failure. */
xc_status xc_feed_open(xc_context *context, xc_feed *feed, const xc_source *source, int keep_going,
                       xc_coded *coded);
void xc_feed_close(xc_feed *feed);
/* Allocates room for `rows` tile rows. */
xc_status xc_feed_rows(xc_feed *feed, uint32_t rows);
/* Loads the segments of `span`, no row of which was passed, into coded->segments. */
xc_status xc_feed_load(xc_feed *feed, const xc_tile_span *span);
/* Checks pieces against the CRCs of the segments of loaded tile rows. 0: one is wrong. */
int xc_feed_intact(xc_feed *feed, uint32_t rows, const uint32_t *crcs);
/* Reads to the end of the file and checks it. */
xc_status xc_feed_finish(xc_feed *feed);

#endif
