/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The decoder's left side: coefficients of one tile to pixels.
 *
 * Neighbouring tiles need some of each other's samples: for the filter that brings halved
 * chroma to full size, and for the edge steps of a lapped transform.  Tiles of a band come
 * from left to right, and a few bands after each other make a group, whose tiles come one
 * after the other; groups can be decoded in any order, and what lies between them is written
 * when all are there (xc_inverse_edge).
 */
#ifndef XC_SRC_PIXELS_INVERSE_H
#define XC_SRC_PIXELS_INVERSE_H

#include "src/core/arena.h"
#include "geometry/geometry.h"
#include "src/pixels/kernels.h"
#include "src/core/picture.h"

/* What all bands of a picture share. */
typedef struct xc_inverse {
	const xc_picture *picture; /* to be filled */
	const xc_geometry *geometry;
	const xc_kernels *kernels;
	xc_transform transform;
	uint32_t group;      /* bands that follow each other in one thread */
	float tables[2][64]; /* luma, chroma; see quant/tables.h */
	int integers;        /* round samples and hold them to their range; see xcodec.h */
	xc_colour_gains gains;
	float **edges;  /* rows put aside between groups; NULL: not needed */
	xc_arena arena; /* where they are */
} xc_inverse;

/* One thread's planes: the samples of one tile, behind some of the one before. */
typedef struct xc_inverse_scratch {
	float *planes[XC_MAX_COMPONENTS]; /* of the tile's first sample */
	size_t stride;
	float *above[XC_MAX_COMPONENTS]; /* the last rows of the band before */
	void *memory;
} xc_inverse_scratch;

/* Bands, rows of tiles, that one of so many threads takes up at once.  What passes from one
 * to the next costs least inside such a group, most with a lapped transform, but each
 * thread should have many of them.  Segments are decoded two at a time, so the bands of a
 * narrow picture go together; and a lapped transform with chroma of half the height needs
 * two rows of MCUs. */
uint32_t xc_inverse_group(const xc_geometry *geometry, xc_transform transform, int threads);

/* Sets the gains and allocates the edges, when all before them is set; freed by
 * xc_inverse_free(), also after a failure. */
xc_status xc_inverse_init(xc_context *context, xc_inverse *inverse);
void xc_inverse_free(xc_context *context, xc_inverse *inverse);

xc_status xc_inverse_scratch_init(xc_context *context, xc_inverse_scratch *scratch,
                                  const xc_inverse *inverse);
void xc_inverse_scratch_free(xc_context *context, xc_inverse_scratch *scratch);

/* Writes the pixels of a tile that are complete, puts aside the others.  The tiles of a
 * group must come in order, with the same scratch. */
void xc_inverse_tile(const xc_inverse *inverse, xc_inverse_scratch *scratch, const xc_tile *tile,
                     const void *coefficients);

/* How many xc_inverse_edge() there are: what could not be written at the ends of groups. */
uint32_t xc_inverse_edges(const xc_inverse *inverse);
/* When all tiles are done. */
void xc_inverse_edge(const xc_inverse *inverse, uint32_t edge);

/* Where the chroma of a row of pixels is.  far: the row on the other side, only where there
 * are half as many rows as of luma. */
typedef struct xc_chroma_lines {
	xc_chroma_rows near, far;
} xc_chroma_lines;

/* n pixels from (x, y) on. */
void xc_inverse_output(const xc_inverse *inverse, uint32_t x, uint32_t y, uint32_t n,
                       const float *luma, const xc_chroma_lines *chroma);

/* The row of chroma where the triangle filter looks besides row y / 2. */
uint32_t xc_inverse_far_row(const xc_inverse *inverse, uint32_t y);

/* Continues a row of halved chroma past the picture's edges by one sample; row: that of
 * column `left`; to_end: it reaches the right edge. */
void xc_inverse_extend(const xc_inverse *inverse, float *row, uint32_t left, int to_end);

/* Rounds samples, which lie around zero, and holds them to their range. */
void xc_inverse_to_integers(const xc_inverse *inverse, float *row, size_t n);

#endif
