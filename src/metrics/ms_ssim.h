/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef XC_SRC_METRICS_MS_SSIM_H
#define XC_SRC_METRICS_MS_SSIM_H

#include "src/core/context.h"

/* What xc_ms_ssim() returns, of two checked pictures of equal size. *ssim: their SSIM, which is a
 * part of it. */
xc_status xc_ms_ssim_luma(xc_context *context, const xc_picture *a, const xc_picture *b,
                          uint32_t depth, uint32_t peak, double *ssim, double *ms_ssim);

#endif
