/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The inner loops between pixels and coefficients: a table of functions for each SIMD level.
 * src/pixels/forward.c, inverse.c and reduced.c call them. All levels give the same bits.
 *
 * Pixels are interleaved samples of one of twelve kinds. Planes are rows of float, where luma is
 * less mid-grey and chroma is centred on zero. Coefficients are blocks of 64 in transposed order
 * (horizontal frequency * 8 + vertical frequency). Strides count samples.
 */
#ifndef XC_SRC_PIXELS_KERNELS_H
#define XC_SRC_PIXELS_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include <xcodec_pixels.h>

#include "transform/colour_gains.h"
#include "src/core/cpu.h"

/* Kernels read and write whole vectors: rows of pixels that they read and rows of planes must be
 * valid for this many samples past the last one. */
enum { XC_SLACK = 32 };

/* Six layouts of 8 bits, then the same of 16. */
enum { XC_PIXEL_LAYOUTS = 6, XC_PIXEL_KINDS = 2 * XC_PIXEL_LAYOUTS };

/* The index of a kind of pixels. X is a kind of alpha: nothing here reads alpha, and it becomes all
 * ones. Planes are rows of grey. */
static inline unsigned xc_pixel_kind(xc_layout layout, unsigned depth)
{
	const unsigned i = layout <= XC_LAYOUT_BGRA   ? (unsigned)layout
	                   : layout == XC_LAYOUT_RGBX ? XC_LAYOUT_RGBA
	                   : layout == XC_LAYOUT_BGRX ? XC_LAYOUT_BGRA
	                                              : XC_LAYOUT_GREY;

	return i + (depth == 16 ? XC_PIXEL_LAYOUTS : 0);
}

typedef struct xc_chroma_rows {
	const float *cb, *cr;
} xc_chroma_rows;

/* The steps of a transform. */
typedef struct xc_transform_kernels {
	/* The edge steps of a lapped transform (transform/lapped8.h) between two rows of blocks, in
	 * place: on the 4 rows that begin with `above` and the 4 that begin with `below`. columns is a
	 * multiple of 8. NULL for the DCT, as are the next three. */
	void (*forward_rows)(float *above, float *below, size_t stride, size_t columns);
	void (*inverse_rows)(float *above, float *below, size_t stride, size_t columns);
	/* The same at `edges` edges in 8 rows; `samples` is 4 before the first edge. */
	void (*forward_sides)(float *samples, size_t stride, size_t edges);
	void (*inverse_sides)(float *samples, size_t stride, size_t edges);
	/* The transform of `blocks` blocks side by side (for a lapped one the block steps) with
	 * quantization; `plane` is their first sample. See quant/tables.h for the table. */
	void (*forward16)(const float *plane, size_t stride, const float table[64], size_t blocks,
	                  int16_t *out);
	void (*forward32)(const float *plane, size_t stride, const float table[64], size_t blocks,
	                  int32_t *out);
	/* The same without quantization, which quantize16() and quantize32() do. */
	void (*forward_exact)(const float *plane, size_t stride, size_t blocks, float *out);
	void (*inverse16)(const int16_t *in, const float table[64], size_t blocks, float *plane,
	                  size_t stride);
	void (*inverse32)(const int32_t *in, const float table[64], size_t blocks, float *plane,
	                  size_t stride);
} xc_transform_kernels;

/* Blocks of the transform reach beyond themselves. */
static inline int xc_transform_laps(xc_transform transform)
{
	return transform == XC_TRANSFORM_LOT || transform == XC_TRANSFORM_TDLT;
}

/* [k][i]: the weight of coefficient k in mean i of a side of a block; zero if none. */
typedef float xc_mean_weights[8][16];

typedef struct xc_kernels {
	/* n pixels to luma alone; grey pixels are luma. */
	void (*luma[XC_PIXEL_KINDS])(const void *pixels, size_t n, float *y);
	/* n pixels of one row; NULL for grey pixels, as are the next two. */
	void (*forward_444[XC_PIXEL_KINDS])(const void *pixels, size_t n, float *y, float *cb,
	                                    float *cr);
	/* n pixels, n even, to n luma and n/2 chroma samples. */
	void (*forward_422[XC_PIXEL_KINDS])(const void *pixels, size_t n, float *y, float *cb,
	                                    float *cr);
	/* Two rows of n pixels, n even, to two rows of luma and one of n/2 chroma. */
	void (*forward_420[XC_PIXEL_KINDS])(const void *row0, const void *row1, size_t n, float *y0,
	                                    float *y1, float *cb, float *cr);

	/* Multiplies n samples of three rows by `matrix`, into three rows that may be the same. */
	void (*mix)(const float *const from[3], size_t n, const float matrix[9], float *const to[3]);

	const xc_transform_kernels *transform[4]; /* by xc_transform */

	/* Quantizes `blocks` blocks of forward_exact(). */
	void (*quantize16)(const float *in, const float table[64], size_t blocks, int16_t *out);
	void (*quantize32)(const float *in, const float table[64], size_t blocks, int32_t *out);

	/* n pixels from planes, rounded and held to the depth's range; alpha becomes the largest value.
	 * Chroma has full width here ... */
	void (*output_444[XC_PIXEL_KINDS])(const float *y, const float *cb, const float *cr, size_t n,
	                                   const xc_colour_gains *gains, void *pixels);
	/* ... half the width here, where the horizontal half of the triangle filter needs one sample
	 * before the first and one after the last (n may be odd) ... */
	void (*output_422[XC_PIXEL_KINDS])(const float *y, const float *cb, const float *cr, size_t n,
	                                   const xc_colour_gains *gains, void *pixels);
	/* ... and half the width and height here, with both halves of the filter: on the rows of chroma
	 * nearer to the row of pixels and on those farther from it. */
	void (*output_420[XC_PIXEL_KINDS])(const float *y, const xc_chroma_rows *near,
	                                   const xc_chroma_rows *far, size_t n,
	                                   const xc_colour_gains *gains, void *pixels);
	/* Adds the contributions of `count` blocks side by side to means across: block i adds to
	 * columns i * hop to i * hop + span - 1 of `to`, whose row v is that of vertical frequency v.
	 * Adds zeros to up to 15 columns after them. depth16: coefficients are int32_t. */
	void (*reduce_across)(const void *blocks, size_t count, int depth16, const float table[64],
	                      const xc_mean_weights weights, uint32_t hop, uint32_t span, float *to,
	                      size_t stride);
	/* Adds the contributions of n columns of 8 frequencies to mean `mean` down. */
	void (*reduce_down)(const float *rows, size_t stride, const xc_mean_weights weights,
	                    uint32_t mean, size_t n, float *to);
	/* Pixels without colour, from luma. */
	void (*output_grey[XC_PIXEL_KINDS])(const float *y, size_t n, void *pixels);

	/* n pairs of 8-bit samples to two rows, centred on zero, and back. */
	void (*forward_pairs)(const void *pairs, size_t n, float *a, float *b);
	void (*output_pairs)(const float *a, const float *b, size_t n, void *pairs);

	/* For arrays, [0] of 8 bits, [1] of 16: n pixels of 2 to 4 samples to as many planes; n samples
	 * to floats (xc_sample_float()), each with its own mean and deviation; floats to binary16. */
	void (*split[2])(const void *pixels, size_t n, uint32_t channels, void *const to[4]);
	void (*floats[2])(const void *samples, size_t n, float largest, const float *means,
	                  const float *deviations, float *to);
	void (*halves)(const float *from, size_t n, uint16_t *to);
} xc_kernels;

/* The table of a usable level. */
const xc_kernels *xc_kernels_get(xc_cpu cpu);

extern const xc_kernels xc_kernels_scalar, xc_kernels_sse2, xc_kernels_avx2, xc_kernels_avx512,
	xc_kernels_neon;

/* The edge of a plane where rows or columns begin, and the edge where they end. */
typedef enum xc_plane_end { XC_PLANE_FIRST, XC_PLANE_LAST } xc_plane_end;

/* The edge step of a lapped transform at an edge of the plane, in place, on 4 samples of each of
 * `lines` lines. samples: the first one; they are `step` apart, the lines `line_step`. inverse: 1
 * for the decoder. The TDLT has no such step. */
void xc_lapped_end(xc_transform transform, int inverse, xc_plane_end end, float *samples,
                   size_t step, size_t lines, size_t line_step);

#endif
