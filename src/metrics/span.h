/* SPDX-License-Identifier: BSD-2-Clause */
/* A piece of a row of either picture on one scale, for xc_compare(). */
#ifndef XC_SRC_METRICS_SPAN_H
#define XC_SRC_METRICS_SPAN_H

#include <xcodec.h>

enum { XC_SPAN = 160 }; /* pixels that are looked at together */

/* A piece of a row: red, green, blue, alpha. */
typedef struct xc_span {
	uint16_t sample[4][XC_SPAN];
} xc_span;

/* Loads n pixels (at most XC_SPAN) from (x, y) on, as samples of `depth` bits: the
 * picture's own depth, or 16 for a picture of 8.  Grey becomes equal R, G and B, a
 * missing alpha opaque. */
void xc_span_load(const xc_picture *picture, uint32_t x, uint32_t y, uint32_t n, uint32_t depth,
                  xc_span *span);

/* The luma of xc_comparison.psnr_y, rounded to an integer. */
void xc_span_luma(const xc_span *span, uint32_t n, uint16_t *luma);

#endif
