/* SPDX-License-Identifier: BSD-2-Clause */
/* The last step of the decoder: rows of samples to rows of pixels. */
#ifndef XC_SRC_PIXELS_INVERSE_OUTPUT_H
#define XC_SRC_PIXELS_INVERSE_OUTPUT_H

#include "src/pixels/inverse.h"

/* The chroma of a row of pixels: near is the row that lies on it. far is the next nearest one,
 * which counts only where chroma has half the height. */
typedef struct xc_chroma_lines {
	xc_chroma_rows near, far;
} xc_chroma_lines;

/* Writes n pixels from (x, y) on; luma and chroma are at the samples of column x. */
void xc_inverse_output(const xc_inverse *inverse, uint32_t x, uint32_t y, uint32_t n,
                       const float *luma, const xc_chroma_lines *chroma);

/* The far row of chroma of row y of pixels, for chroma of half the height. */
uint32_t xc_inverse_far_row(const xc_inverse *inverse, uint32_t y);

/* Continues a row of halved chroma by one sample past the picture's left edge, if `left`, the
 * column of pixels at `row`, is 0, and past its right edge if to_end is set. */
void xc_inverse_extend(const xc_inverse *inverse, float *row, uint32_t left, int to_end);

/* Rounds n samples, which lie around zero, in each of `count` rows and holds them to their range,
 * if the plan says so. */
void xc_inverse_to_integers(const xc_inverse *inverse, float *rows, size_t stride, size_t count,
                            size_t n);

#endif
