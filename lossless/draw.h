/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Drawings: a pixel is coded as a whole, as one of its neighbours' colours or of those that followed
 * the same neighbours before, or else by a palette, or by its channels' residues. For lossless/
 * alone; doc/format.md has the model.
 */
#ifndef XC_LOSSLESS_DRAW_H
#define XC_LOSSLESS_DRAW_H

#include "lossless/lossless.h"
#include "lossless/tables.h"

enum {
	XC_DRAW_CONTEXTS = 4096,
	XC_DRAW_CLUSTERS = 128, /* of contexts: those share frequencies */
	XC_DRAW_SYMBOLS = 10,
	XC_DRAW_LEVELS = 8, /* of residues */
	XC_DRAW_KINDS = 3,  /* of residues: of a first channel, of the other colours, of alpha */
	XC_DRAW_RESIDUES = XC_DRAW_KINDS * XC_DRAW_LEVELS,
	/* Sets of frequencies: of clusters, of residues, of the palette, of flat groups. */
	XC_DRAW_PALETTE_SET = XC_DRAW_CLUSTERS + XC_DRAW_RESIDUES,
	XC_DRAW_FLAT_SET,
	XC_DRAW_SETS = XC_DRAW_FLAT_SET + 4,
	XC_DRAW_COLOURS = 0xffff, /* the most of a palette */
	XC_DRAW_SQUARE = 32,      /* width and height of squares that may be known beforehand */
	XC_DRAW_SQUARES = (XC_LOSSLESS_SIDE / XC_DRAW_SQUARE) * (XC_LOSSLESS_SIDE / XC_DRAW_SQUARE)
};

/* Squares beside each other in n pixels. */
static inline uint32_t xc_draw_squares(uint32_t n)
{
	return (n + XC_DRAW_SQUARE - 1) / XC_DRAW_SQUARE;
}

extern const uint8_t xc_draw_cluster[XC_DRAW_CONTEXTS];
extern const xc_shape_index xc_draw_shapes[XC_DRAW_SETS];

/* What the coder's first pass finds: squares are busy where 45 % of pixels have no candidate. */
typedef struct xc_draw_found {
	uint32_t pixels, escapes; /* pixels with a symbol of their own; of these without a candidate */
	uint32_t busy_count, quiet_pixels,
		quiet_escapes; /* the last two of squares that are not busy */
	uint8_t busy[XC_DRAW_SQUARES];
} xc_draw_found;

/* 1: the pixels of a shape fit into 32 bits, so that it can be a drawing. */
int xc_draw_fits(const xc_lossless_shape *shape);

#endif
