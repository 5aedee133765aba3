/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plan of turning a picture's coefficients into pixels: what all its tiles share.
 *
 * Neighbouring tiles need some of each other's samples: for the filter that brings halved
 * chroma to full size, and for the edge steps of a lapped transform.  A group is a few tile
 * rows that one thread decodes in sequence, each from left to right.  Groups can be decoded in
 * any order.  The rows that wait for the next group are put aside in the plan, and
 * xc_inverse_edge() writes their pixels when both groups are done.
 */
#ifndef XC_SRC_PIXELS_INVERSE_PLAN_H
#define XC_SRC_PIXELS_INVERSE_PLAN_H

#include "geometry/geometry.h"
#include "src/core/arena.h"
#include "src/core/layout.h"
#include "src/pixels/groups.h"
#include "src/pixels/kernels.h"

typedef struct xc_inverse {
	const xc_pixels *pixels; /* whose rows from first_row on are to be filled */
	uint32_t first_row;
	const xc_geometry *geometry;
	const xc_kernels *kernels;
	xc_transform transform;
	xc_groups groups;
	float tables[2][64]; /* luma, chroma; see quant/tables.h */
	int integers;        /* round samples and hold them to their range: jpeg_rounding in xcodec.h */
	const float *colours; /* matrix from the components to Y, Cb and Cr; NULL: they are the same */
	xc_colour_gains gains;
	uint32_t slots; /* edges that have rows put aside at a time; 0: all */
	float **edges;  /* [slots][components] these rows, which edges take in turn; NULL: none */
	xc_arena arena; /* holds these rows */
} xc_inverse;

enum { XC_MARGIN = 32 }; /* samples before the first of each row of samples */

/* The fewest tile rows that a group should have when so many threads decode: segments are decoded
 * two at a time, so more of them in a narrow picture, if it is high enough; and a lapped transform
 * with chroma of half the height needs two rows of MCUs. */
uint32_t xc_inverse_min_group(const xc_geometry *geometry, xc_transform transform, int threads);

/* Groups of at least so many rows for so many threads when all pixels are wanted at once; for one thread one
 * group, so that nothing waits at edges. */
xc_groups xc_inverse_groups(const xc_geometry *geometry, uint32_t min, int threads);

/* Sets the gains and allocates the edges; the members before `gains` must be set.  The caller
 * calls xc_inverse_free(), also after a failure. */
xc_status xc_inverse_init(xc_context *context, xc_inverse *inverse);
void xc_inverse_free(xc_context *context, xc_inverse *inverse);

/* How many edges between groups have rows that were put aside. */
uint32_t xc_inverse_edges(const xc_inverse *inverse);

/* Row `row` of component c of those put aside around the edge between groups `edge` and
 * `edge` + 1, which lies before row xc_inverse_aside(). */
float *xc_inverse_edge_row(const xc_inverse *inverse, uint32_t edge, int c, size_t row);

/* Pixels that one sample of component c stands for, across and down. */
static inline uint32_t xc_inverse_across(const xc_inverse *inv, int c)
{
	return c ? (uint32_t)inv->geometry->h : 1;
}

static inline uint32_t xc_inverse_down(const xc_inverse *inv, int c)
{
	return c ? (uint32_t)inv->geometry->v : 1;
}

/* Samples in a row of component c, to the end of the last MCU. */
static inline size_t xc_inverse_width(const xc_inverse *inv, int c)
{
	return (size_t)inv->geometry->mcus_wide * 8 * (c ? 1 : (size_t)inv->geometry->h);
}

/* Rows of pixels in a tile row. */
static inline uint32_t xc_inverse_tile_height(const xc_geometry *g)
{
	return g->tile_mcus_high * 8 * (uint32_t)g->v;
}

/* Samples on each side of an edge between blocks that its edge step changes. */
static inline uint32_t xc_inverse_lap(const xc_inverse *inv)
{
	return xc_transform_laps(inv->transform) ? 4 : 0;
}

/* Rows at the end of a tile row that wait for the next one: those that its edge step changes
 * and, with chroma of half the height, one more of chroma and the luma that goes with it. */
static inline uint32_t xc_inverse_aside(const xc_inverse *inv, int c)
{
	const uint32_t lap = xc_inverse_lap(inv);
	return inv->geometry->v == 1 ? lap : c ? lap + 1 : 2 * lap + 1;
}

/* Samples from one row to the next, for rows of so many samples. */
static inline size_t xc_inverse_stride(size_t samples)
{
	return (samples + XC_SLACK + XC_MARGIN + 15) / 16 * 16;
}

#endif
