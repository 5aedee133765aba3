/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The decoder's left side: coefficients of one band (a row of tiles) to pixels.
 *
 * Where chroma was halved vertically, the first and the last row of a band need
 * chroma of the neighbouring bands.  Those rows are put aside (xc_band_edge) and
 * done when all bands are there, so that bands can be decoded in any order.
 */
#ifndef XC_INVERSE_H
#define XC_INVERSE_H

#include "src/geometry.h"
#include "src/kernels.h"
#include "src/picture.h"

/* What all bands of a picture share. */
typedef struct xc_inverse {
	const xc_picture *picture; /* to be filled */
	const xc_geometry *geometry;
	const xc_kernels *kernels;
	float tables[2][64]; /* luma, chroma; see quant/tables.h */
	size_t luma_stride, chroma_stride; /* of rows of planes, in samples */
	float *edges; /* [bands][XC_EDGE_ROWS] rows of luma_stride; NULL: not needed */
} xc_inverse;

/* Rows put aside for each band. */
enum {
	XC_EDGE_FIRST_Y, XC_EDGE_FIRST_CB, XC_EDGE_FIRST_CR,
	XC_EDGE_LAST_Y, XC_EDGE_LAST_CB, XC_EDGE_LAST_CR,
	XC_EDGE_ROWS
};

/* One thread's planes: all samples of one band. */
typedef struct xc_inverse_scratch {
	float *planes[XC_MAX_COMPONENTS]; /* of the first sample; a margin lies before it */
	float *blended[2];
	void *memory;
} xc_inverse_scratch;

/* Samples before the first and after the last of each row of planes. */
enum { XC_MARGIN = 16 };

/* Sets strides and allocates the edges; freed by xc_inverse_free(), also after a
 * failure. */
xc_status xc_inverse_init(xc_context *context, xc_inverse *inverse);
void xc_inverse_free(xc_context *context, xc_inverse *inverse);

xc_status xc_inverse_scratch_init(xc_context *context, xc_inverse_scratch *scratch,
                                  const xc_inverse *inverse);
void xc_inverse_scratch_free(xc_context *context, xc_inverse_scratch *scratch);

/* Puts a tile's samples into the planes. */
void xc_inverse_tile(const xc_inverse *inverse, xc_inverse_scratch *scratch, const xc_tile *tile,
                     const void *coefficients);

/* Writes the rows of band `band` that need no neighbour, and puts the others aside. */
void xc_inverse_band(const xc_inverse *inverse, xc_inverse_scratch *scratch, uint32_t band);

/* Writes the last row of band `band` and the first of the next one. */
void xc_inverse_edge(const xc_inverse *inverse, xc_inverse_scratch *scratch, uint32_t band);

#endif
