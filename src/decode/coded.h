/* SPDX-License-Identifier: BSD-2-Clause */
/* A coded picture opened for reading: any segment can be decoded to coefficients. */
#ifndef XC_SRC_DECODE_CODED_H
#define XC_SRC_DECODE_CODED_H

#include "entropy/ac_prediction.h"
#include "src/container/container.h"
#include "src/container/segment.h"
#include "src/jpeg/kept.h"

/* The place of a segment, in bytes after xc_coded.data, and its check value. */
typedef struct xc_coded_segment {
	uint64_t start;
	uint32_t size;
	uint16_t check;
} xc_coded_segment;

typedef struct xc_coded {
	void *cached;                 /* owns the tables */
	xc_decode_tables *tables;     /* [luma, chroma]; of Huffman codes */
	xc_rans_tables *rans;         /* NULL: there are Huffman codes */
	xc_dc_only_table *dc_only[2]; /* [luma, chroma]; NULL: all coefficients are decoded */
	xc_coded_segment *segments;   /* of the tiles from `first` on: all, or those in memory */
	uint64_t first;
	const uint8_t *data;     /* of these segments */
	uint64_t available;      /* bytes of it */
	const uint8_t *data_end; /* no byte after it is read */
	const xc_entropy_level *level;
	const xc_rans_level *rans_level;
	int predicts_ac;                   /* see xc_header_predicts_ac() */
	xc_ac_prediction ac_prediction[2]; /* of luma and of chroma */
	int depth16; /* 16 bits a sample: coefficients are int32_t, else int16_t */
	uint64_t jpeg_segments;
	xc_kept kept;           /* coefficients, if the container has a JPEG */
	xc_container container; /* the last, because most of it need not be cleared */
} xc_coded;

/* Opens a file, whose bytes must stay.  The caller calls xc_coded_close(), also after a failure. */
xc_status xc_coded_open(xc_context *context, const void *file, size_t size, xc_coded *coded);
/* The steps of xc_coded_open(): parse the container alone, make the tables, list the segments.
 * truncated: the file may end inside its segments. xc_coded_close() must follow any of them. */
xc_status xc_coded_read(xc_context *context, const void *file, size_t size, int truncated,
                        xc_coded *coded);
xc_status xc_coded_tables(xc_context *context, xc_coded *coded);
xc_status xc_coded_index(xc_context *context, xc_coded *coded);
/* From now on only the DCs of luma (0) or chroma (1) are decoded, which is faster. They lie side by
 * side where the coefficients would begin. Only for Huffman codes. */
xc_status xc_coded_dc_only(xc_context *context, xc_coded *coded, int chroma);
void xc_coded_close(xc_context *context, xc_coded *coded);

/* xc_coded_read() of a file with a JPEG, and its coefficients for tiles from row y of pixels on. They
 * take the place of xc_coded_tables() and xc_coded_index(). */
xc_status xc_coded_read_jpeg(xc_context *context, const void *file, size_t size, xc_coded *coded);
xc_status xc_coded_take_jpeg(xc_context *context, xc_coded *coded, uint32_t y, uint32_t height,
                             int keep_going);

/* The index of a tile's segment of colour in coded->segments; its alpha is the next one. */
static inline uint64_t xc_coded_index_of(const xc_coded *coded, uint64_t tile)
{
	return (tile - coded->first) * coded->container.layers;
}

/* 1: the file has all bytes of the segment and its check value holds; sets *crc. */
int xc_coded_intact(const xc_coded *coded, uint64_t segment_index, uint32_t *crc);

/* One thread's room for the coefficients of a few segments: few enough to stay in the second-level
 * cache until they are transformed, and enough to decode several at once. */
enum { XC_CODED_MIN_RUN = 4, XC_CODED_RUN = 16, XC_CODED_RUN_BYTES = 1 << 19 };
typedef struct xc_coded_scratch {
	char *memory;
	size_t bytes;      /* of one segment */
	uint64_t segments; /* how many fit: a run at most */
	int intact[XC_CODED_RUN];
} xc_coded_scratch;

/* The number of segments of a run. */
uint64_t xc_coded_run(const xc_coded *coded);
/* Allocates room for `segments` segments, but at most a run. */
xc_status xc_coded_scratch_init(xc_context *context, xc_coded_scratch *scratch,
                                const xc_coded *coded, uint64_t segments);
void xc_coded_scratch_free(xc_context *context, xc_coded_scratch *scratch);

/* Decodes the colour of tiles first ... first + count - 1, at most scratch->segments. Sets
 * crcs[xc_coded_index_of()] of each, and scratch->intact[i] to 0 if segment first + i is damaged;
 * its coefficients are then zero. */
void xc_coded_decode(const xc_coded *coded, xc_coded_scratch *scratch, uint64_t first,
                     uint64_t count, uint32_t *crcs);
/* The coefficients of segment first + i, in sixteenths of a step and transposed order:
 * [tile->blocks][64] of int16_t or int32_t. */
static inline void *xc_coded_coefficients(const xc_coded_scratch *scratch, uint64_t i)
{
	return scratch->memory + i * scratch->bytes;
}

/* Adds the AC prediction, if the file has it, to the coefficients of a tile. */
void xc_coded_add_ac_prediction(const xc_coded *coded, const xc_tile *tile, void *coefficients);

/* The quantized value of coefficient i. */
static inline int32_t xc_coded_value(const xc_coded *coded, const void *coefficients, size_t i)
{
	return xc_quantized_value(xc_coefficient(coefficients, i, coded->depth16));
}

/* Describes a file of `file_bytes` bytes. */
void xc_describe(const xc_coded *coded, uint64_t file_bytes, xc_info *info);

/* Calls `visit` for all segments in order until it does not return XC_OK, which becomes the result.
 * It may change the coefficients. A damaged segment ends the visits with xc_fail_segment(). Damage
 * of alpha, or that only the CRC of DATA shows, is found after the last visit. */
typedef xc_status (*xc_coded_visitor)(void *user, const xc_tile *tile, void *coefficients);
xc_status xc_coded_visit(xc_context *context, const xc_coded *coded, xc_coded_visitor visit,
                         void *user);

/* 1: the CRCs of all DATA chunks match those of the segments, or the file lacks some. */
int xc_coded_data_intact(const xc_container *container, const uint32_t *crcs);

/* Fails: "segment 3 is damaged (pixels 320,0 to 639,31)". layer: 1 for alpha. */
xc_status xc_fail_segment(xc_context *context, const xc_geometry *geometry, uint64_t tile,
                          uint32_t layer);

#endif
