/* SPDX-License-Identifier: BSD-2-Clause */
/* The 8-band transforms: axes, inner loops and plans.  For C and for CUDA. */
#ifndef XC_LAB_CPU_BAND_BAND_H
#define XC_LAB_CPU_BAND_BAND_H

#include <stddef.h>
#include <stdint.h>

#include "lab/registry.h"
#include "lab/samples.h"

/* One axis of a frame for the 8-band transforms: a run of blocks of 8 inputs.  The transform's
 * half-block shifts are read before the first block; then block i of the outputs is complete when
 * block i of the inputs has been read.  Beyond its ends the input continues by a rule.  For C and
 * for CUDA. */

#ifndef XC_DEVICE
#define XC_DEVICE
#endif

typedef enum xc_band_edge {
	XC_EDGE_REPEAT, /* the last sample again */
	XC_EDGE_ZERO,
	XC_EDGE_MIRROR,      /* samples mirrored about the padded frame's edge */
	XC_EDGE_MIRROR_BANDS /* coefficients of the mirrored frame: blocks mirrored,
	                      * odd frequencies negated */
} xc_band_edge;

/* Positions and sizes in samples. */
typedef struct xc_band_axis {
	ptrdiff_t in_size, out_size;   /* of the arrays */
	ptrdiff_t padded;              /* in_size in whole blocks */
	ptrdiff_t in_first, out_first; /* where block 0 is read and written */
	ptrdiff_t blocks;
	xc_band_edge edge;
} xc_band_axis;

/* Where the sample at a position beyond the edges comes from: its place in the
 * array and a factor of 1, -1 or 0. */
typedef struct xc_band_source {
	ptrdiff_t at;
	int sign;
} xc_band_source;

static inline XC_DEVICE ptrdiff_t xc_band_clamp(ptrdiff_t x, ptrdiff_t low, ptrdiff_t high)
{
	return x < low ? low : x > high ? high : x;
}

/* Several blocks are read at a time, so positions further out than a rule needs occur.  Their
 * results are never stored, but the samples must be readable. */
static inline XC_DEVICE xc_band_source xc_band_locate(const xc_band_axis *axis, ptrdiff_t position)
{
	xc_band_source source = {position, 1};
	const int outside = position < 0 || position >= axis->padded;

	if (axis->edge == XC_EDGE_ZERO) {
		source.sign = !outside;
	} else if (axis->edge == XC_EDGE_MIRROR && outside) {
		source.at = (position < 0 ? 0 : 2 * axis->padded) - 1 - position;
	} else if (axis->edge == XC_EDGE_MIRROR_BANDS && outside) {
		const ptrdiff_t band = position & 7, block = (position - band) / 8;
		const ptrdiff_t mirrored = (position < 0 ? 0 : 2 * (axis->padded / 8)) - 1 - block;
		source.at = 8 * xc_band_clamp(mirrored, 0, axis->padded / 8 - 1) + band;
		source.sign = band & 1 ? -1 : 1;
	}
	source.at = xc_band_clamp(source.at, 0, axis->in_size - 1);
	return source;
}

/* The inner loop of the 8-band transforms: one strip of 8 rows, tile by tile, first down the
 * columns and then along the rows of a tile while it is in registers.  There is one table of
 * functions for each SIMD level and precision; frame.c drives them. */

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
	int rounds;            /* 1: coefficients of blocks become whole numbers */
	size_t tiles;
	/* 1: write past the caches; out is then aligned to 16 bytes, out_stride is a
	 * multiple of 32, and there are vectors. */
	int stream;
} xc_band_strip;

typedef void (*xc_band_function)(const xc_band_strip *strip);

typedef struct xc_band_kernels {
	/* [XCT_FORWARD] and [XCT_INVERSE] */
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

/* Half-block shifts: each makes the basis functions 8 samples longer.  A shift hands the upper half
 * of a block on to its right or lower neighbour. */
static inline XC_DEVICE size_t xc_band_shifts(xc_band_transform transform)
{
	if (transform == XC_BAND_GENLOT)
		return 2;
	return transform == XC_BAND_LOT || transform == XC_BAND_TDLT ? 1 : 0;
}

/* Whether coefficients have factors, after the forward transform and before the inverse. */
static inline XC_DEVICE int xc_band_scaled(xc_band_transform transform)
{
	return transform == XC_BAND_AAN || transform == XC_BAND_FLMAD || transform == XC_BAND_FEIG2D ||
	       transform == XC_BAND_TDLT;
}

extern const xc_band_kernels xc_band_scalar_f32, xc_band_scalar_f64, xc_band_scalar_f80;
extern const xc_band_kernels xc_band_base_f32, xc_band_base_f64;
extern const xc_band_kernels xc_band_avx2_f32, xc_band_avx2_f64;
extern const xc_band_kernels xc_band_avx512_f32, xc_band_avx512_f64;

/* Sizes, axes and factors of the 8-band transforms, shared by processor and GPU. */

/* xc_algorithm.details */
typedef struct xc_band_details {
	xc_band_transform transform;
	int stored_edges; /* the 2006 work's rule instead of the symmetric one */
	int plain;        /* without vectors, whatever the processor has */
} xc_band_details;

/* An axis of n samples of the spatial array. */
xc_band_axis xc_band_make_axis(const xc_band_details *details, xct_direction direction, size_t n);
/* Writes the factors of 64 coefficients that the one-dimensional kernels leave out, times `more` unless
 * that is NULL; returns 0 if all are 1. */
int xc_band_make_scale(xc_band_transform transform, const long double *more,
                       xct_precision precision, void *scale);

/* What the blocks of an array take; XC_BAND_TRANSFORMS stands for the DCT in integers. */
void xc_band_count_of(xc_band_transform transform, const xc_transform_size *size,
                      xct_operations *operations);
void xc_band_count(const xc_plan *plan, xct_operations *operations);

int xc_band_size_same(xct_direction direction, const xc_transform_size *in, xc_transform_size *out);
int xc_band_size_stored(xct_direction direction, const xc_transform_size *in,
                        xc_transform_size *out);

/* frame.c: the engine of all of them but cpu-short. */
extern const xc_engine xc_band_f32, xc_band_f64, xc_band_f80;
/* wide.c: more bands. */
extern const xc_engine xc_wide_f32, xc_wide_f64, xc_wide_f80;
/* block_fftw.c: 8x8 DCTs by FFTW. */
typedef enum xc_block_fftw_way {
	XC_BLOCK_FFTW_SIMPLE,  /* one plan, run on each block */
	XC_BLOCK_FFTW_ADVANCED /* one plan for all blocks */
} xc_block_fftw_way;
extern const xc_engine xc_block_fftw_f32, xc_block_fftw_f64, xc_block_fftw_f80;

/* cpu-short, the DCT in 16-bit integers. */

/* Transforms `blocks` blocks that lie side by side; strides are in samples. */
typedef void xc_short_function(const int16_t *in, ptrdiff_t in_stride, int16_t *out,
                               ptrdiff_t out_stride, size_t blocks, xct_direction direction);

/* Compiled for each SIMD level. */
xc_short_function xc_short_base, xc_short_avx2, xc_short_avx512;

/* plan.c: cpu-short. */
extern const xc_engine xc_short;

#endif
