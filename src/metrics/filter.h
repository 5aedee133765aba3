/* SPDX-License-Identifier: BSD-2-Clause */
/* The inner loops of SSIM, once for each SIMD level; src/metrics/ssim.c calls them. All give the
 * same bits, because each operation is rounded once, in the same order. */
#ifndef XC_SRC_METRICS_FILTER_H
#define XC_SRC_METRICS_FILTER_H

#include "src/metrics/metrics.h"

enum {
	XC_SSIM_WINDOW = 11,
	XC_SSIM_STRIP = XC_SPAN - 16, /* places in a strip, at most */
	XC_SSIM_INPUT = XC_SSIM_STRIP + XC_SSIM_WINDOW - 1
};

_Static_assert((int)XC_SSIM_INPUT <= (int)XC_SPAN, "a strip's input is loaded as one span");

/* The means of a, b, a^2 + b^2 and a b at each place. */
enum { XC_SSIM_MEAN_A, XC_SSIM_MEAN_B, XC_SSIM_SQUARES, XC_SSIM_PRODUCT, XC_SSIM_MOMENTS };

typedef double xc_ssim_moments[XC_SSIM_MOMENTS][XC_SSIM_STRIP];

typedef struct xc_ssim_work {
	const xc_luma_plane *luma[2];
	/* The window; a shorter one is filled up with zeros. */
	double across[XC_SSIM_WINDOW], down[XC_SSIM_WINDOW];
	uint32_t across_size, down_size;
	uint32_t places; /* of this strip; loops go on to whole vectors */
	double c1, c2;
	double input[XC_SSIM_MOMENTS][XC_SSIM_INPUT];
	xc_ssim_moments ring[XC_SSIM_WINDOW];
	double index[XC_SSIM_STRIP], contrast[XC_SSIM_STRIP];
} xc_ssim_work;

typedef struct xc_ssim_filters {
	/* The horizontal pass over the input. */
	void (*across)(const xc_ssim_work *work, xc_ssim_moments to);
	/* The vertical pass over the rows of the ring from `first` on; sets index and contrast. */
	void (*down)(xc_ssim_work *work, uint32_t first);
} xc_ssim_filters;

extern const xc_ssim_filters xc_ssim_filters_scalar, xc_ssim_filters_sse2, xc_ssim_filters_neon,
	xc_ssim_filters_avx2, xc_ssim_filters_avx512;

#endif
