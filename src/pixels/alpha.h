/* SPDX-License-Identifier: BSD-2-Clause */
/* The alpha samples of a rectangle of pixels: uint8_t or uint16_t, row by row. */
#ifndef XC_SRC_PIXELS_ALPHA_H
#define XC_SRC_PIXELS_ALPHA_H

#include "src/core/picture.h"

/* Takes them out of the pixels: `from` is the first one.  shape: of the picture, whose data and height are not used. */
void xc_alpha_gather(const xc_picture *shape, const uint8_t *from, uint32_t width, uint32_t height,
                     void *samples);
/* Puts them there; `gap` samples of each row are left out after those that are put. */
void xc_alpha_scatter(const xc_picture *shape, uint8_t *to, uint32_t width, uint32_t height,
                      const void *samples, size_t gap);
/* 1: all are as large as can be. */
int xc_alpha_opaque(const void *samples, size_t count, uint32_t depth);

#endif
