/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The inner loops left of the coefficients, one table of functions for each SIMD
 * level.  All levels give the same bits.
 *
 * Pixels are interleaved samples of one of eight layouts; planes are rows of
 * float, luma less mid-grey on the encoder's side and chroma centred on zero;
 * coefficients are blocks of 64 in transposed order (horizontal frequency * 8 +
 * vertical frequency).
 */
#ifndef XC_SRC_PIXELS_KERNELS_H
#define XC_SRC_PIXELS_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "transform/colour_gains.h"
#include "src/core/cpu.h"

/* Kernels read and write whole vectors: rows of pixels handed to `forward` and
 * rows of planes must be valid for this many samples past the last one. */
enum { XC_SLACK = 32 };

enum { XC_LAYOUTS = 8 };

/* Index of a layout: channels 1 to 4, depth 8 or 16. */
static inline unsigned xc_layout_index(unsigned channels, unsigned depth)
{
	return channels - 1 + (depth == 16 ? 4 : 0);
}

typedef struct xc_chroma_rows {
	const float *cb, *cr;
} xc_chroma_rows;

/* The steps of a lapped transform (transform/lapped8.h) on planes, in place. */
typedef struct xc_lapped_kernels {
	/* Edge steps over the edge between two rows of blocks: the 4 rows that begin with
	 * `above` and the 4 that begin with `below`; columns: a multiple of 8. */
	void (*forward_rows)(float *above, float *below, size_t stride, size_t columns);
	void (*inverse_rows)(float *above, float *below, size_t stride, size_t columns);
	/* Edge steps over `edges` edges between blocks side by side, in 8 rows; `samples` is 4
	 * before the first edge. */
	void (*forward_sides)(float *samples, size_t stride, size_t edges);
	void (*inverse_sides)(float *samples, size_t stride, size_t edges);
	/* Block steps with quantization, as fdct16 and its relatives. */
	void (*forward16)(const float *plane, size_t stride, const float table[64], size_t blocks,
	                  int16_t *out);
	void (*forward32)(const float *plane, size_t stride, const float table[64], size_t blocks,
	                  int32_t *out);
	void (*inverse16)(const int16_t *in, const float table[64], size_t blocks, float *plane,
	                  size_t stride);
	void (*inverse32)(const int32_t *in, const float table[64], size_t blocks, float *plane,
	                  size_t stride);
} xc_lapped_kernels;

typedef struct xc_kernels {
	/* n pixels to luma alone (grey layouts: the grey itself). */
	void (*luma[XC_LAYOUTS])(const void *pixels, size_t n, float *y);
	/* n pixels of one row; NULL for the grey layouts. */
	void (*forward_444[XC_LAYOUTS])(const void *pixels, size_t n, float *y, float *cb, float *cr);
	/* n pixels, n even, to n luma and n/2 chroma samples. */
	void (*forward_422[XC_LAYOUTS])(const void *pixels, size_t n, float *y, float *cb, float *cr);
	/* Two rows of n pixels, n even, to two rows of luma and one of n/2 chroma. */
	void (*forward_420[XC_LAYOUTS])(const void *row0, const void *row1, size_t n, float *y0,
	                                float *y1, float *cb, float *cr);

	/* `blocks` blocks side by side, whose first sample is *plane. */
	void (*fdct16)(const float *plane, size_t stride, const float table[64], size_t blocks,
	               int16_t *out);
	void (*fdct32)(const float *plane, size_t stride, const float table[64], size_t blocks,
	               int32_t *out);
	void (*idct16)(const int16_t *in, const float table[64], size_t blocks, float *plane,
	               size_t stride);
	void (*idct32)(const int32_t *in, const float table[64], size_t blocks, float *plane,
	               size_t stride);

	const xc_lapped_kernels *lapped[3]; /* by xc_transform; NULL for the DCT */

	/* n pixels from planes, rounded and held to the depth's range; alpha comes out
	 * as the largest value.  Chroma at full width ... */
	void (*output_444[XC_LAYOUTS])(const float *y, const float *cb, const float *cr, size_t n,
	                               const xc_colour_gains *gains, void *pixels);
	/* ... at half width, with the horizontal half of the triangle filter (one sample
	 * before the first and one after the last must be there; n may be odd) ... */
	void (*output_422[XC_LAYOUTS])(const float *y, const float *cb, const float *cr, size_t n,
	                               const xc_colour_gains *gains, void *pixels);
	/* ... and at half width and height, with both halves: the rows of chroma that are
	 * nearer to the row of pixels, and those that are farther. */
	void (*output_420[XC_LAYOUTS])(const float *y, const xc_chroma_rows *near,
	                               const xc_chroma_rows *far, size_t n,
	                               const xc_colour_gains *gains, void *pixels);
	/* The grey layouts. */
	void (*output_grey[XC_LAYOUTS])(const float *y, size_t n, void *pixels);
} xc_kernels;

/* The table of a usable level. */
const xc_kernels *xc_kernels_get(xc_cpu cpu);

extern const xc_kernels xc_kernels_scalar, xc_kernels_sse2, xc_kernels_avx2, xc_kernels_avx512,
	xc_kernels_neon;

#endif
