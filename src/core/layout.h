/* SPDX-License-Identifier: BSD-2-Clause */
/* Pixels of any layout: where their samples lie. */
#ifndef XC_SRC_CORE_LAYOUT_H
#define XC_SRC_CORE_LAYOUT_H

#include <xcodec_pixels.h>

#include "src/core/picture.h"

/* The properties of a layout. */
typedef struct xc_layout_parts {
	uint8_t channels;   /* of the picture */
	uint8_t planes;     /* in memory */
	uint8_t h, v;       /* pixels per sample of chroma, across and down; packed: 1 */
	uint8_t samples[2]; /* samples side by side in the first plane, and in the others */
} xc_layout_parts;
const xc_layout_parts *xc_layout_get(xc_layout layout);

static inline int xc_layout_is_planar(xc_layout layout)
{
	return xc_layout_get(layout)->planes > 1;
}

static inline int xc_layout_is_bgr(xc_layout l)
{
	return l == XC_LAYOUT_BGR || l == XC_LAYOUT_BGRA || l == XC_LAYOUT_BGRX;
}

/* The layout of an xc_picture of `channels` channels. */
static inline xc_layout xc_layout_of(uint32_t channels)
{
	return (xc_layout)(channels - 1);
}

/* A picture's pixels. */
xc_pixels xc_pixels_of(const xc_picture *picture);
/* Sets *picture to these pixels. Returns 0 if an xc_picture cannot have such a layout or stride. */
int xc_pixels_are_picture(const xc_pixels *pixels, xc_picture *picture);
/* Checks all members; pixels may be NULL. */
xc_status xc_pixels_check(xc_context *context, const xc_pixels *pixels);

/* Fails if a GPU was chosen by name: GPUs take xc_pictures alone. */
xc_status xc_layout_check_device(xc_context *context);

/* Bytes of the samples that lie side by side in a plane, and how many such groups a row has. */
static inline size_t xc_pixels_step(const xc_pixels *p, int plane)
{
	return xc_layout_get(p->layout)->samples[plane != 0] * (size_t)(p->depth / 8);
}
size_t xc_pixels_columns(const xc_pixels *pixels, int plane);
/* The number of rows of a plane whose first pixels lie above row y of the picture. */
uint32_t xc_pixels_rows(const xc_pixels *pixels, int plane, uint32_t y);

/* The first row of a plane not above row y; plane[] points to that of row `first`. */
static inline uint8_t *xc_pixels_row(const xc_pixels *p, int plane, uint32_t first, uint32_t y)
{
	const uint32_t v = plane ? xc_layout_get(p->layout)->v : 1;
	const ptrdiff_t rows = (ptrdiff_t)((y + v - 1) / v) - (ptrdiff_t)((first + v - 1) / v);
	return (uint8_t *)p->plane[plane] + rows * p->stride[plane];
}

/* Copies `count` rows from row y on between pixels of one layout; plane[] points to row to_first,
 * or from_first. Copies the columns of `to`, which begin at column x of `from`. */
void xc_pixels_copy(const xc_pixels *to, uint32_t to_first, const xc_pixels *from,
                    uint32_t from_first, uint32_t x, uint32_t y, uint32_t count);

#endif
