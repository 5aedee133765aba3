/* SPDX-License-Identifier: BSD-2-Clause */
/* The decoder's second half: the coefficients of one tile to pixels. */
#ifndef XC_SRC_PIXELS_INVERSE_H
#define XC_SRC_PIXELS_INVERSE_H

#include "src/pixels/inverse_plan.h"

/* One thread's planes. */
typedef struct xc_inverse_scratch {
	float *planes[XC_MAX_COMPONENTS]; /* the tile's first sample */
	size_t stride;                    /* in samples */
	float *above[XC_MAX_COMPONENTS];  /* the last rows of the tile row before, in whole */
	void *memory;
	size_t dirty; /* bytes of it that are to be cleared before the first tile */
} xc_inverse_scratch;

xc_status xc_inverse_scratch_init(xc_context *context, xc_inverse_scratch *scratch,
                                  const xc_inverse *inverse);
void xc_inverse_scratch_free(xc_context *context, xc_inverse_scratch *scratch);
/* Clears it, once; so each thread does that for its own. */
void xc_inverse_scratch_begin(xc_inverse_scratch *scratch);

/* Writes the pixels of a tile that are complete and puts the other samples aside.
 * coefficients: [tile->blocks][64] of int16_t (8-bit pictures) or int32_t.  The tiles of a
 * group must come in order, with the same scratch. */
void xc_inverse_tile(const xc_inverse *inverse, xc_inverse_scratch *scratch, const xc_tile *tile,
                     const void *coefficients);

/* A thread that begins amid a group of one row needs the end of the tile before, the *lead*: so many
 * columns of MCUs, 0 if tiles do not depend on that one.  xc_inverse_lead_of() makes a tile of them, and
 * xc_inverse_lead() takes its coefficients, before xc_inverse_tile() takes those of the next tile. */
uint32_t xc_inverse_lead_mcus(const xc_geometry *geometry, xc_transform transform);
xc_tile xc_inverse_lead_of(const xc_inverse *inverse, const xc_tile *before);
void xc_inverse_lead(const xc_inverse *inverse, xc_inverse_scratch *scratch, const xc_tile *lead,
                     const void *coefficients);

/* Writes the rows of pixels around edge `edge` between groups, below xc_inverse_edges(), which
 * were put aside because the work of two threads meets there.  Both groups must be done. */
void xc_inverse_edge(const xc_inverse *inverse, uint32_t edge);

/* The window, which moves along each tile row, is the samples of a tile while it is decoded, with a
 * margin of the tile before it and the last rows of the tile row above. */
typedef struct xc_inverse_window {
	const xc_inverse *inv;
	xc_inverse_scratch *s;
	const xc_tile *tile;
	const char *coefficients;
	int top, bottom, last; /* the tile lies at this edge of the picture; last: the right one */
	int group_first, group_last; /* its tile row is the first, the last of the group */
} xc_inverse_window;

/* A sample of component c; row and column count from the tile's first one. */
static inline float *xc_inverse_sample(const xc_inverse_window *w, int c, ptrdiff_t row,
                                       ptrdiff_t column)
{
	return w->s->planes[c] + row * (ptrdiff_t)w->s->stride + column;
}

/* Makes samples of row b of the blocks of component c.  With a lapped transform the rows next
 * to the one before are complete then, except for the last columns; at the picture's lower edge
 * all rows are. */
void xc_inverse_block_row(const xc_inverse_window *window, int c, uint32_t b);

#endif
