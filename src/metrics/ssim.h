/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef XC_SRC_METRICS_SSIM_H
#define XC_SRC_METRICS_SSIM_H

#include "src/core/context.h"

/* Mean SSIM of the luma of two pictures of equal size; see ssim.c. */
xc_status xc_ssim(xc_context *context, const xc_picture *a, const xc_picture *b, uint32_t depth,
                  double *ssim);

#endif
