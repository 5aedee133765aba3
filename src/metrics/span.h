/* SPDX-License-Identifier: BSD-2-Clause */
/* Pieces of rows, for xc_compare(): both pictures get the same channels and depth. */
#ifndef XC_SRC_METRICS_SPAN_H
#define XC_SRC_METRICS_SPAN_H

#include <xcodec.h>

enum { XC_SPAN = 160 }; /* pixels, at most */

/* Red, green, blue and alpha of a piece of a row. */
typedef struct xc_span {
	uint16_t sample[4][XC_SPAN];
} xc_span;

/* Loads n pixels from (x, y) on, as samples of `depth` bits: the picture's own depth, or 16 for a
 * picture of 8. Grey becomes equal red, green and blue; a missing alpha becomes opaque. */
void xc_span_load(const xc_picture *picture, uint32_t x, uint32_t y, uint32_t n, uint32_t depth,
                  xc_span *span);

/* The largest sample of a depth. */
static inline uint32_t xc_span_peak(uint32_t depth)
{
	return depth == 16 ? 65535 : 255;
}

/* The luma of xc_comparison.psnr_y, rounded to an integer. */
void xc_span_luma(const xc_span *span, uint32_t n, uint16_t *luma);

/* Cb and Cr of samples of that depth, likewise; grey is half of the range. */
void xc_span_chroma(const xc_span *span, uint32_t n, uint32_t depth, uint16_t *cb, uint16_t *cr);

#endif
