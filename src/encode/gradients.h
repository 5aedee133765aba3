/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef XC_SRC_ENCODE_GRADIENTS_H
#define XC_SRC_ENCODE_GRADIENTS_H

#include <xcodec.h>

#include "transform/colour_matrix.h"
#include "src/core/layout.h"

/* Sums the gradients of a sample of the picture's pixels, which has 3 or 4 channels. */
void xc_gradients_sample(const xc_pixels *pixels, xc_gradients *gradients);

#endif
