/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples as lossless tiles have them, interleaved as in an xc_picture, from pixels of any packed
 * layout and to them. */
#ifndef XC_SRC_PIXELS_SAMPLES_H
#define XC_SRC_PIXELS_SAMPLES_H

#include "src/core/layout.h"

/* 1: pixels lie like that already, with the upper row first. */
static inline int xc_samples_are_plain(const xc_pixels *p)
{
	return p->layout <= XC_LAYOUT_RGBA && p->stride[0] > 0;
}

/* Copies a rectangle of pixels, of which `from` is the first, to rows without padding. */
void xc_samples_gather(const xc_pixels *pixels, const uint8_t *from, uint32_t width,
                       uint32_t height, void *samples);
/* Copies samples of `channels` channels to a rectangle of pixels, of which `to` is the first. Grey
 * gives R, G and B; these give Y as in BT.601; missing alpha is opaque. stride: bytes of a row of
 * samples. */
void xc_samples_scatter(const void *samples, size_t stride, uint32_t channels,
                        const xc_pixels *pixels, uint8_t *to, uint32_t width, uint32_t height);
/* Replaces width x height pixels by the means of squares of `scale` pixels, fewer at the edges,
 * rounded half up. All rows are without padding. */
void xc_samples_reduce(void *samples, uint32_t channels, uint32_t depth, uint32_t width,
                       uint32_t height, uint32_t scale);

#endif
