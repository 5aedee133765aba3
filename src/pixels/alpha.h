/* SPDX-License-Identifier: BSD-2-Clause */
/* The alpha samples of a rectangle of pixels: uint8_t or uint16_t, row by row. */
#ifndef XC_SRC_PIXELS_ALPHA_H
#define XC_SRC_PIXELS_ALPHA_H

#include "src/core/layout.h"

/* Copies alpha out of pixels of a layout with alpha; `from` is the first pixel. */
void xc_alpha_gather(const xc_pixels *pixels, const uint8_t *from, uint32_t width, uint32_t height,
                     void *samples);
/* Copies alpha into pixels; `to` is the first one. */
void xc_alpha_scatter(const xc_pixels *pixels, uint8_t *to, uint32_t width, uint32_t height,
                      const void *samples);
/* 1: all samples are the largest. */
int xc_alpha_opaque(const void *samples, size_t count, uint32_t depth);

#endif
