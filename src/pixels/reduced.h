/* SPDX-License-Identifier: BSD-2-Clause */
/* Coefficients to the pixels of a picture of reduced size, whose samples are means of those of the
 * whole picture's planes (doc/reduced.md). The planes are never made: a mean along one direction is
 * a weighted sum of the coefficients of a block and, for a lapped transform, of its neighbours.
 * Means across are added up as blocks arrive, for each vertical frequency; means down are made of
 * these, line by line. */
#ifndef XC_SRC_PIXELS_REDUCED_H
#define XC_SRC_PIXELS_REDUCED_H

#include "src/pixels/inverse.h"

#define XC_V float
#include "transform/mean8.h"

typedef struct xc_reduced_component {
	xc_mean_side across, down;
	uint32_t blocks_wide, blocks_high;
	size_t stride; /* of rows of means */
	float *rows;   /* [ring][8][stride] means across, for each frequency down */
} xc_reduced_component;

typedef struct xc_reduced {
	xc_inverse output; /* output of rows of samples; the caller sets all but `geometry` */
	const xc_geometry *geometry;
	uint32_t scale;
	int packed[2];          /* luma, chroma: only the DCs are given, side by side */
	uint32_t width, height; /* of the reduced picture */
	uint32_t ring;          /* rows of blocks in memory, for each component */
	xc_geometry flat;
	xc_reduced_component component[XC_MAX_COMPONENTS];
	float *lines; /* [workers][components] a row of samples for each */
} xc_reduced;

/* The reduced size of a side of n pixels. */
static inline uint32_t xc_reduced_size(uint32_t n, uint32_t scale)
{
	return n / scale + (n % scale != 0);
}

/* Set before: output (picture's depth, kernels, transform, colours, tables), geometry and scale.
 * tile_rows: the tile rows of a batch. The caller calls xc_reduced_free(), also after a failure. */
xc_status xc_reduced_init(xc_context *context, xc_reduced *reduced, uint32_t tile_rows,
                          uint32_t workers);
void xc_reduced_free(xc_context *context, xc_reduced *reduced);

/* 1: only the DCs of the component are needed. */
static inline int xc_reduced_flat(const xc_reduced *reduced, int component)
{
	const xc_reduced_component *c = &reduced->component[component];
	return c->across.flat && c->down.flat;
}

/* Takes a tile. The tiles of a row must come from left to right; rows may come in any order. */
void xc_reduced_tile(xc_reduced *reduced, const xc_tile *tile, const void *coefficients);
/* The number of rows of pixels that are complete after `tile_rows` tile rows. */
uint32_t xc_reduced_rows(const xc_reduced *reduced, uint32_t tile_rows);
/* Writes row y of pixels. */
void xc_reduced_line(xc_reduced *reduced, uint32_t y, int worker);

#endif
