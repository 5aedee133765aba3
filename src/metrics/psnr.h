/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef XC_SRC_METRICS_PSNR_H
#define XC_SRC_METRICS_PSNR_H

#include <xcodec.h>

/* psnr_rgb of xc_compare_all() alone, of two pictures of equal size, in a fraction of its time. */
double xc_psnr_rgb(const xc_picture *a, const xc_picture *b, uint32_t peak);

#endif
