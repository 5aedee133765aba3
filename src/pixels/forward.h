/* SPDX-License-Identifier: BSD-2-Clause */
/* The encoder's first half: the pixels of one tile to quantized coefficients. */
#ifndef XC_SRC_PIXELS_FORWARD_H
#define XC_SRC_PIXELS_FORWARD_H

#include "geometry/geometry.h"
#include "src/core/layout.h"
#include "src/pixels/kernels.h"

/* Coefficients before quantization, which serve one picture at several qualities. Tiles are made
 * when they are first wanted. All zero, but for `wanted`, at first. */
typedef struct xc_coefficient_cache {
	int wanted;          /* 0: they are too large */
	float *coefficients; /* blocks in the order of tiles */
	uint8_t *made;       /* by tile */
	uint32_t tile_mcus_wide, tile_mcus_high;
} xc_coefficient_cache;

/* Makes room for the coefficients of a picture, or forgets those of other tiles. Where there is not
 * enough memory nothing will be kept. */
void xc_coefficient_cache_prepare(xc_context *context, xc_coefficient_cache *cache,
                                  const xc_geometry *geometry);
void xc_coefficient_cache_free(xc_context *context, xc_coefficient_cache *cache);

/* The plan of turning a picture's pixels into coefficients: what all its tiles share. */
typedef struct xc_forward {
	const xc_pixels *pixels; /* planes: the rows from `first`, an even one, on that are needed */
	uint32_t first;
	const xc_geometry *geometry;
	const xc_kernels *kernels;
	xc_transform transform;
	float tables[2][64];  /* luma, chroma; see quant/tables.h */
	const float *colours; /* matrix from Y, Cb and Cr to the components; NULL: they are the same */
	const xc_coefficient_cache *cache; /* NULL: each tile is transformed when it is wanted */
} xc_forward;

/* Samples on each side of a tile that a lapped transform reaches, and rows of a block. */
enum { XC_REACH = 4, XC_BLOCK_ROWS = 8 };

/* One thread's scratch. */
typedef struct xc_forward_scratch {
	/* The samples of one row of MCUs. For a lapped transform there are two, which take turns, and
	 * each has XC_REACH samples of chroma, or as many pixels as they stand for, more on either side
	 * of the tile. */
	float *planes[XC_MAX_COMPONENTS];
	size_t stride;    /* in samples */
	uint8_t *rows[2]; /* pixels, or samples of planes, continued past the picture's edge */
	void *memory;
	size_t dirty; /* bytes of it that are to be cleared before the first tile */
} xc_forward_scratch;

xc_status xc_forward_scratch_init(xc_context *context, xc_forward_scratch *scratch,
                                  const xc_forward *forward);
void xc_forward_scratch_free(xc_context *context, xc_forward_scratch *scratch);

/* coefficients: [tile->blocks][64] of int16_t (8-bit pictures) or int32_t. */
void xc_forward_tile(const xc_forward *forward, xc_forward_scratch *scratch, const xc_tile *tile,
                     void *coefficients);

#endif
