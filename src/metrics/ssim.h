/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef XC_SRC_METRICS_SSIM_H
#define XC_SRC_METRICS_SSIM_H

#include "src/metrics/luma.h"

/* Means over all places of the window. */
typedef struct xc_ssim_means {
	double index;
	double contrast; /* of the index without its luminance term: contrast times structure */
} xc_ssim_means;

/* SSIM of two lumas of equal size, depth and peak; see ssim.c. */
xc_status xc_ssim(xc_context *context, const xc_luma_plane *a, const xc_luma_plane *b,
                  xc_ssim_means *means);

#endif
