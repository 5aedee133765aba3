/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The decoder's second half: the coefficients of tiles to pixels.
 *
 * Neighbouring tiles need some of each other's samples: for the filter that brings halved chroma to
 * full size, and for the edge steps of a lapped transform. A *row band* is a few tile rows that are
 * decoded in sequence with one scratch, each from left to right. Bands can be decoded in any order.
 * The rows that wait for the neighbouring band are put aside, and xc_inverse_edge() writes their
 * pixels when both bands are done.
 */
#ifndef XC_SRC_PIXELS_INVERSE_H
#define XC_SRC_PIXELS_INVERSE_H

#include "geometry/geometry.h"
#include "src/core/arena.h"
#include "src/core/layout.h"
#include "src/pixels/kernels.h"

/* What all tiles of a picture share. */
typedef struct xc_inverse {
	const xc_pixels *pixels; /* the output, from row first_row on */
	uint32_t first_row;
	const xc_geometry *geometry;
	const xc_kernels *kernels;
	xc_transform transform;
	int integers;       /* round samples and hold them to their range: jpeg_rounding in xcodec.h */
	uint32_t band_rows; /* tile rows of the largest band */
	uint32_t slots;     /* edges between bands that have rows put aside at a time */
	const float *colours; /* matrix from the components to Y, Cb and Cr; NULL: they are the same */
	float tables[2][64];  /* luma, chroma; see quant/tables.h */
	xc_colour_gains gains;
	float **edges;  /* [slots][components] these rows; edge i uses slot i % slots; NULL: none */
	xc_arena arena; /* holds these rows */
} xc_inverse;

/* Tile rows `first` to `end` - 1.  Edge i is the one above band i. */
typedef struct xc_row_band {
	uint32_t first, end, index;
} xc_row_band;

enum { XC_MARGIN = 32 }; /* samples before each row of samples */

/* Sets the gains and allocates the edges. The members before `gains` must be set; slots becomes 0
 * if nothing waits at edges. The caller calls xc_inverse_free(), also after a failure. */
xc_status xc_inverse_init(xc_context *context, xc_inverse *inverse);
void xc_inverse_free(xc_context *context, xc_inverse *inverse);

/* One thread's planes. */
typedef struct xc_inverse_scratch {
	float *planes[XC_MAX_COMPONENTS]; /* the first sample of the tile */
	size_t stride;                    /* in samples */
	float *above[XC_MAX_COMPONENTS];  /* the last rows of the tile row above, in full width */
	void *memory;
	size_t dirty; /* bytes to be cleared before the first tile */
} xc_inverse_scratch;

xc_status xc_inverse_scratch_init(xc_context *context, xc_inverse_scratch *scratch,
                                  const xc_inverse *inverse);
void xc_inverse_scratch_free(xc_context *context, xc_inverse_scratch *scratch);

/* Writes the pixels of a tile that are complete and puts the other samples aside. coefficients:
 * [tile->blocks][64] of int16_t (8-bit pictures) or int32_t. The tiles of a band must come in
 * order, with the same scratch. */
void xc_inverse_tile(const xc_inverse *inverse, xc_inverse_scratch *scratch,
                     const xc_row_band *band, const xc_tile *tile, const void *coefficients);

/* The number of rows of pixels that are complete after `tile_rows` tile rows. */
uint32_t xc_inverse_rows(const xc_inverse *inverse, uint32_t tile_rows);

/* A thread that begins in the middle of a tile row needs the *halo*, the end of the tile before.
 * xc_inverse_halo_mcus(): its columns of MCUs, 0 if tiles do not depend on it. xc_inverse_halo_of()
 * describes them as a tile. xc_inverse_halo() takes their coefficients, before xc_inverse_tile()
 * takes the next tile. */
uint32_t xc_inverse_halo_mcus(const xc_geometry *geometry, xc_transform transform);
xc_tile xc_inverse_halo_of(const xc_inverse *inverse, const xc_tile *before);
void xc_inverse_halo(const xc_inverse *inverse, xc_inverse_scratch *scratch, const xc_tile *halo,
                     const void *coefficients);

/* Writes the rows put aside at `edge`, above tile row `row`. Both bands must be done. */
void xc_inverse_edge(const xc_inverse *inverse, uint32_t edge, uint32_t row);

/* The chroma of a row of pixels: `near` is the row of chroma that covers it, `far` the next nearest
 * one, which is used only if chroma has half the height. */
typedef struct xc_chroma_lines {
	xc_chroma_rows near, far;
} xc_chroma_lines;

/* Writes n pixels from (x, y) on; luma and chroma are at the samples of column x. */
void xc_inverse_output(const xc_inverse *inverse, uint32_t x, uint32_t y, uint32_t n,
                       const float *luma, const xc_chroma_lines *chroma);

/* The far row of chroma of row y of pixels, for chroma of half the height. */
uint32_t xc_inverse_far_row(const xc_inverse *inverse, uint32_t y);

/* Repeats the end of a row of halved chroma by one sample: past the left edge of the picture if
 * `left`, the column of pixels at `row`, is 0, and past the right edge if to_end is set. */
void xc_inverse_extend(const xc_inverse *inverse, float *row, uint32_t left, int to_end);

/* Pixels that one sample of component c stands for, across and down. */
static inline uint32_t xc_inverse_across(const xc_inverse *inv, int c)
{
	return c ? (uint32_t)inv->geometry->h : 1;
}

static inline uint32_t xc_inverse_down(const xc_inverse *inv, int c)
{
	return c ? (uint32_t)inv->geometry->v : 1;
}

/* Rows of pixels in a tile row. */
static inline uint32_t xc_inverse_tile_height(const xc_geometry *g)
{
	return g->tile_mcus_high * 8 * (uint32_t)g->v;
}

#endif
