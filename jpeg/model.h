/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What coefficients of JPEGs are coded by: contexts, and the symbols of numbers. jpeg/code.h tells
 * who codes.
 *
 * A block is coded as a class of how far its inner coefficients go (those neither in the first row
 * nor in the first column), these in falling zigzag order, how far the first row and the first
 * column go, these in falling order, and DC. What is expected of a magnitude is a weighted sum of
 * magnitudes in the blocks to the left and above and of those that the block has already. The first
 * row, the first column and DC are predicted besides: samples should go on across the borders of
 * blocks. doc/format.md, section 12, has all of it.
 */
#ifndef XC_JPEG_MODEL_H
#define XC_JPEG_MODEL_H

#include <stdint.h>

#include "lossless/tables.h"

enum {
	XC_JPEG_INNER = 49,
	XC_JPEG_WEIGHTS = 9,
	XC_JPEG_MAGNITUDE = 120, /* larger ones count as this for what is expected */
	XC_JPEG_LEVELS = 24,     /* two an octave of what is expected */
	XC_JPEG_LEVEL_FIRST = 2 * 127 + 4,
	XC_JPEG_LEVEL_RAW = 12, /* from here on every other level has a raw bit more */
	XC_JPEG_PREDICTED = 10, /* bits after the point of a prediction */
	/* Shapes: classes by the sum of the neighbours', 32 for luma and for chroma; last coefficients
	 * of the first row and column, 12 by what is expected for each of 6 groups of classes, luma
	 * and chroma; inner coefficients by level, 2 positions, 4 distances to the first one; those of
	 * first row and column by level, for the first one and others, by 6 ratios of the prediction
	 * to what is expected; DC by level. */
	XC_JPEG_LAST_SHAPE = 64,
	XC_JPEG_INNER_SHAPE = XC_JPEG_LAST_SHAPE + 2 * 6 * 12,
	XC_JPEG_EDGE_SHAPE = XC_JPEG_INNER_SHAPE + 2 * 4 * XC_JPEG_LEVELS,
	XC_JPEG_DC_SHAPE = XC_JPEG_EDGE_SHAPE + 6 * 2 * XC_JPEG_LEVELS,
	XC_JPEG_SHAPES = XC_JPEG_DC_SHAPE + XC_JPEG_LEVELS,
	XC_JPEG_ESCAPE = 15,
	XC_JPEG_ESCAPE_BITS = 15 /* a number as it is */
};

/* Rows of blocks of a bundle, a lane each, by the blocks of a segment. A lane has two states in the file, 8 bytes, which are
 * much for a thumbnail; so it gets 32 blocks or more. Fewer states would save 1 % of 4 KB, but take longer. */
#define XC_JPEG_BUNDLE(blocks) \
	(16U >> (((blocks) < 512) + ((blocks) < 256) + ((blocks) < 128) + ((blocks) < 64)))

/* By zigzag order: the constant, the weight of a magnitude in the neighbours, of those beside it in
 * them (one row, one column before), and of six in the block itself (xc_jpeg_near). In 1/128. The first
 * row is DC's: jpeg/coder.c. */
extern const uint8_t xc_jpeg_weights[2][64][XC_JPEG_WEIGHTS];

void xc_jpeg_builtin_shapes(xc_shape_index shapes[XC_JPEG_SHAPES]);

/* Inner coefficients in zigzag order; where a row and column are in it; and of each coefficient the
 * eight that count for what is expected: two in the neighbours, six in the block. 64: none. */
extern const uint8_t xc_jpeg_inner[XC_JPEG_INNER];
extern const uint8_t xc_jpeg_zigzag[64];
typedef uint8_t xc_jpeg_near[8];
extern const xc_jpeg_near xc_jpeg_nears[64];

/* Weights of a prediction: of the seven frequencies across the border, as pairs (1, 3), (5, 7),
 * (2, 4), (6, none), for each frequency along it. [0]: across the left border, [1]: the upper one. */
typedef int32_t xc_jpeg_across[2][8][4];

#endif
