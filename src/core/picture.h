/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef XC_SRC_CORE_PICTURE_H
#define XC_SRC_CORE_PICTURE_H

#include "src/core/context.h"

/* Checks that width, height, channels and depth are possible and within the limits. */
xc_status xc_picture_check(xc_context *context, const xc_picture *picture);
/* Checks that, and that data and stride can be used. */
xc_status xc_picture_check_data(xc_context *context, const xc_picture *picture);
/* xc_picture_allocate() within a call. */
xc_status xc_picture_make(xc_context *context, xc_picture *picture);
/* Bytes of one pixel. */
size_t xc_picture_pixel_bytes(const xc_picture *picture);

#endif
