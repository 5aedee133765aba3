/* SPDX-License-Identifier: BSD-2-Clause */
/* The crop: the rectangle of tiles that the pixels of a region depend on. It is decoded as if it were a
 * picture, with margins so wide that what is wrong at its edges does not reach the region. */
#ifndef XC_SRC_DECODE_CROP_H
#define XC_SRC_DECODE_CROP_H

#include "src/container/container.h"

/* A rectangle of tiles. */
typedef struct xc_tile_span {
	uint32_t x, y, wide, high;
} xc_tile_span;

typedef struct xc_crop {
	xc_tile_span span;
	xc_geometry picture;
	uint32_t left, top; /* the region's first pixel in it; reduced pixels if it is reduced */
} xc_crop;

/* Chooses the crop of a region that xc_region_check() has accepted, at 1/scale of the size. */
void xc_crop_make(const xc_container *container, const xc_rectangle *region, uint32_t scale,
                  xc_crop *crop);

#endif
