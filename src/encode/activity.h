/* SPDX-License-Identifier: BSD-2-Clause */
/* What a bit is worth, block by block. Errors hide where a picture is busy: SSIM divides them by
 * the variance around them (Wang et al. 2004), and eyes mask likewise. So decisions about a busy
 * block save more bits than those about a smooth one. All arithmetic is of integers. */
#ifndef XC_SRC_ENCODE_ACTIVITY_H
#define XC_SRC_ENCODE_ACTIVITY_H

#include <stddef.h>
#include <stdint.h>

#include <xcodec.h>

#include "quant/activity.h"

/* Sets up for luma with these steps, row by row, of samples up to `peak`. */
void xc_activity_init(xc_activity *activity, xc_tune tune, const uint32_t steps[64], uint32_t peak);

/* Sets the factors of n blocks of luma: coefficients in sixteenths of a step, in transposed order,
 * of 16 bits or 32 (deep). */
void xc_activity_factors(const xc_activity *activity, const void *blocks, size_t n, int depth16,
                         uint16_t *factors);

#endif
