/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The decoder's left side: coefficients of one tile to pixels.
 *
 * Halved chroma is brought to full size by a filter that needs one more sample on
 * each side.  Horizontally, tiles of a band come from left to right, and what is
 * written lags behind by XC_LAG pixels, which are carried over to the next tile.
 * Vertically, the first and the last row of a band are put aside and done when all
 * bands are there (xc_inverse_edge), so that bands can be decoded in any order.
 *
 * Lapped transforms do the same with more samples; see src/inverse_lapped.c.
 */
#ifndef XC_INVERSE_H
#define XC_INVERSE_H

#include "src/arena.h"
#include "src/geometry.h"
#include "src/kernels.h"
#include "src/picture.h"

/* What all bands of a picture share. */
typedef struct xc_inverse {
	const xc_picture *picture; /* to be filled */
	const xc_geometry *geometry;
	const xc_kernels *kernels;
	xc_transform transform;
	uint32_t group;      /* bands that follow each other in one thread */
	float tables[2][64]; /* luma, chroma; see quant/tables.h */
	int integers;        /* round samples and hold them to their range; see xcodec.h */
	size_t edge_stride;  /* of rows put aside, in samples */
	float **edges;       /* for each group's end rows put aside; NULL: not needed */
	xc_arena arena;      /* where they are */
} xc_inverse;

/* Rows put aside for each band with a transform that is not lapped. */
enum {
	XC_EDGE_FIRST_Y, XC_EDGE_FIRST_CB, XC_EDGE_FIRST_CR,
	XC_EDGE_LAST_Y, XC_EDGE_LAST_CB, XC_EDGE_LAST_CR,
	XC_EDGE_ROWS
};

enum {
	XC_LAG = 16,   /* pixels; even, and a cache line of samples */
	XC_MARGIN = 16 /* samples before the first of each row; at least XC_LAG / 2 + 1 */
};

/* One thread's planes: the samples of one tile, behind XC_MARGIN of the one before. */
typedef struct xc_inverse_scratch {
	float *planes[XC_MAX_COMPONENTS]; /* of the tile's first sample */
	size_t stride;
	float *above[XC_MAX_COMPONENTS]; /* lapped: the last rows of the band before */
	void *memory;
} xc_inverse_scratch;

/* Allocates the edges; freed by xc_inverse_free(), also after a failure. */
xc_status xc_inverse_init(xc_context *context, xc_inverse *inverse);
void xc_inverse_free(xc_context *context, xc_inverse *inverse);

xc_status xc_inverse_scratch_init(xc_context *context, xc_inverse_scratch *scratch,
                                  const xc_inverse *inverse);
void xc_inverse_scratch_free(xc_context *context, xc_inverse_scratch *scratch);

/* Writes the pixels of a tile, less the lag, and puts rows aside.  The tiles of a band
 * must come in order, with the same scratch. */
void xc_inverse_tile(const xc_inverse *inverse, xc_inverse_scratch *scratch, const xc_tile *tile,
                     const void *coefficients);

/* How many xc_inverse_edge() there are: what could not be written at the ends of groups. */
uint32_t xc_inverse_edges(const xc_inverse *inverse);
/* When all tiles are done. */
void xc_inverse_edge(const xc_inverse *inverse, uint32_t edge);

/* The same for the lapped transforms. */
xc_status xc_lapped_init(xc_context *context, xc_inverse *inverse);
xc_status xc_lapped_scratch_init(xc_context *context, xc_inverse_scratch *scratch,
                                 const xc_inverse *inverse);
void xc_lapped_tile(const xc_inverse *inverse, xc_inverse_scratch *scratch, const xc_tile *tile,
                    const void *coefficients);
void xc_lapped_edge(const xc_inverse *inverse, uint32_t edge);

/* What both share: n pixels of the picture from (x, y) on ... */
static inline void *xc_inverse_pixel(const xc_inverse *inv, uint32_t x, uint32_t y)
{
	return (uint8_t *)inv->picture->data + (size_t)y * inv->picture->stride +
	       x * xc_picture_pixel_bytes(inv->picture);
}

static inline unsigned xc_inverse_layout(const xc_inverse *inv)
{
	return xc_layout_index(inv->picture->channels, inv->picture->depth);
}

/* Rounds samples, which lie around zero, and holds them to their range. */
void xc_inverse_to_integers(const xc_inverse *inverse, float *row, size_t n);

#endif
