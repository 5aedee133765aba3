/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The inner loop of the 8-band transforms: one strip of 8 rows, tile by tile, first down the
 * columns and then along the rows of a tile while it is in registers.  There is one table of
 * functions for each SIMD level and precision; frame.c drives them.
 */
#ifndef XC_LAB_CPU_BAND_RUN_H
#define XC_LAB_CPU_BAND_RUN_H

#include <stddef.h>

typedef enum xc_band_transform {
	XC_BAND_NAIVE,
	XC_BAND_DEFINITION,
	XC_BAND_SEPARABLE,
	XC_BAND_AAN,
	XC_BAND_FLMAD,
	XC_BAND_FEIG2D,
	XC_BAND_LOT,
	XC_BAND_TDLT,
	XC_BAND_GENLOT,
	XC_BAND_TRANSFORMS
} xc_band_transform;

/* Strides and widths in samples. */
typedef struct xc_band_strip {
	const void *in; /* tiles * (tile width) samples of 8 rows */
	void *out;      /* as many; does not overlap in */
	ptrdiff_t in_stride, out_stride;
	/* Lapped transforms: for each half-block shift, 4 rows from the strips above and 4 columns from
	 * the tiles to the left.  Both are read and replaced for the next strip and tile. */
	void *line;            /* at the first tile's first column */
	ptrdiff_t line_stride; /* a multiple of the tile width */
	void *carry;           /* 4 * (tile width) samples for each shift */
	const void *scale;     /* 8x8 factors, NULL where the transform has none */
	size_t tiles;
	/* 1: write past the caches; out is then aligned to 16 bytes, out_stride is a
	 * multiple of 32, and there are vectors. */
	int stream;
} xc_band_strip;

typedef void (*xc_band_function)(const xc_band_strip *strip);

typedef struct xc_band_kernels {
	/* [XC_FORWARD] and [XC_INVERSE] */
	xc_band_function run[XC_BAND_TRANSFORMS][2];
	size_t lanes;
} xc_band_kernels;

/* Samples a tile is wide: a vector, but no less than a block; the two-dimensional
 * algorithm has a block in every lane. */
static inline size_t xc_band_tile(const xc_band_kernels *kernels, xc_band_transform transform)
{
	if (transform == XC_BAND_FEIG2D)
		return 8 * kernels->lanes;
	return kernels->lanes > 8 ? kernels->lanes : 8;
}

/* Half-block shifts: each makes the basis functions 8 samples longer. */
static inline size_t xc_band_shifts(xc_band_transform transform)
{
	if (transform == XC_BAND_GENLOT)
		return 2;
	return transform == XC_BAND_LOT || transform == XC_BAND_TDLT ? 1 : 0;
}

extern const xc_band_kernels xc_band_scalar_f32, xc_band_scalar_f64, xc_band_scalar_f80;
extern const xc_band_kernels xc_band_base_f32, xc_band_base_f64;
extern const xc_band_kernels xc_band_avx2_f32, xc_band_avx2_f64;
extern const xc_band_kernels xc_band_avx512_f32, xc_band_avx512_f64;

#endif
