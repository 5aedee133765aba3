/* SPDX-License-Identifier: BSD-2-Clause */
/* The encoder's left side: pixels of one tile to quantized coefficients. */
#ifndef XC_SRC_PIXELS_FORWARD_H
#define XC_SRC_PIXELS_FORWARD_H

#include "geometry/geometry.h"
#include "src/pixels/kernels.h"
#include "src/core/picture.h"

/* What all tiles of a picture share. */
typedef struct xc_forward {
	const xc_picture *picture;
	const xc_geometry *geometry;
	const xc_kernels *kernels;
	xc_transform transform;
	float tables[2][64]; /* luma, chroma; see quant/tables.h */
} xc_forward;

/* One thread's scratch. */
typedef struct xc_forward_scratch {
	/* The samples of one row of MCUs; for a lapped transform of two, which take turns, and
	 * with what lies beside the tile. */
	float *planes[XC_MAX_COMPONENTS];
	size_t stride;
	uint8_t *rows[2]; /* pixels continued past the picture's edge */
	void *memory;
} xc_forward_scratch;

xc_status xc_forward_scratch_init(xc_context *context, xc_forward_scratch *scratch,
                                  const xc_forward *forward);
void xc_forward_scratch_free(xc_context *context, xc_forward_scratch *scratch);

/* Samples on each side of a tile that a lapped transform reaches, and rows of a block. */
enum { XC_REACH = 4, XC_BLOCK_ROWS = 8 };

/* Fills `planes` with rows y ... y + rows - 1 of the picture, a multiple of v, from pixel
 * x on: `width` pixels; past the right and lower edge the last pixel and row go on. */
void xc_forward_colour(const xc_forward *forward, xc_forward_scratch *scratch, uint32_t x,
                       uint32_t width, uint32_t y, uint32_t rows, float *const planes[]);

/* coefficients: [tile->blocks][64] of int16_t (8-bit pictures) or int32_t. */
void xc_forward_tile(const xc_forward *forward, xc_forward_scratch *scratch, const xc_tile *tile,
                     void *coefficients);

/* The same for the lapped transforms.  A tile needs the samples within XC_REACH of its
 * sides; they are made anew from the picture, so tiles can be done in any order. */
void xc_forward_tile_lapped(const xc_forward *forward, xc_forward_scratch *scratch,
                            const xc_tile *tile, void *coefficients);

#endif
