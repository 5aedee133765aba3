/* SPDX-License-Identifier: BSD-2-Clause */
/* Multi-scale SSIM of Wang, Simoncelli and Bovik ("Multi-scale structural similarity for image
 * quality assessment", Asilomar Conference on Signals, Systems and Computers, 2003). As in the
 * authors' program, each scale contributes the mean of its contrast and structure terms, the
 * coarsest the mean of the whole index, and the next scale has means of 2 x 2 samples. */
#include "src/metrics/ms_ssim.h"

#include <math.h>

#include "src/metrics/luma.h"
#include "src/metrics/ssim.h"

enum { SCALES = 5 };

/* The paper's, finest scale first; they add up to 1. */
static const double weights[SCALES] = {0.0448, 0.2856, 0.3001, 0.2363, 0.1333};

/* Replaces the luma by its half. */
static xc_status halve(xc_context *context, xc_luma_plane *luma)
{
	xc_luma_plane half;
	xc_status status = xc_luma_halve(context, luma, &half);

	xc_luma_free(context, luma);
	*luma = half;
	return status;
}

xc_status xc_ms_ssim_luma(xc_context *context, const xc_picture *a, const xc_picture *b,
                          uint32_t depth, uint32_t peak, double *ssim, double *ms_ssim)
{
	xc_luma_plane luma[2] = {xc_luma_of(a, depth, peak), xc_luma_of(b, depth, peak)};
	xc_status status = XC_OK;
	double product = 1;

	for (int scale = 0; scale < SCALES && !status; scale++) {
		xc_ssim_means means;
		if (scale)
			status = halve(context, &luma[0]);
		if (scale && !status)
			status = halve(context, &luma[1]);
		if (!status)
			status = xc_ssim(context, &luma[0], &luma[1], &means);
		if (status)
			break;
		if (!scale)
			*ssim = means.index;
		double mean = scale == SCALES - 1 ? means.index : means.contrast;
		product *= pow(fmax(mean, 0), weights[scale]);
	}
	xc_luma_free(context, &luma[0]);
	xc_luma_free(context, &luma[1]);
	*ms_ssim = status ? 0 : product;
	return status;
}
