/* SPDX-License-Identifier: BSD-2-Clause */
/* The encoder's first half: the pixels of one tile to quantized coefficients. */
#ifndef XC_SRC_PIXELS_FORWARD_H
#define XC_SRC_PIXELS_FORWARD_H

#include "geometry/geometry.h"
#include "src/core/layout.h"
#include "src/pixels/kernels.h"

/* Coefficients before quantization, for encoding one picture at several qualities. Each tile is
 * made at its first use. Initially zero except for `wanted`. */
typedef struct xc_coefficient_cache {
	int wanted;          /* 0: they do not fit */
	float *coefficients; /* blocks in the order of tiles */
	uint8_t *made;       /* by tile */
	uint32_t tile_mcus_wide, tile_mcus_high;
	uint64_t blocks; /* likewise */
} xc_coefficient_cache;

/* Allocates room and drops coefficients of other tiles. Without memory nothing is cached. */
void xc_coefficient_cache_prepare(xc_context *context, xc_coefficient_cache *cache,
                                  const xc_geometry *geometry);
void xc_coefficient_cache_free(xc_context *context, xc_coefficient_cache *cache);

/* What all tiles of a picture share. */
typedef struct xc_forward {
	const xc_pixels *pixels; /* the rows from `first` on, which is even */
	uint32_t first;
	const xc_geometry *geometry;
	const xc_kernels *kernels;
	xc_transform transform;
	float tables[2][64];  /* luma, chroma; see quant/tables.h */
	const float *colours; /* matrix from Y, Cb and Cr to the components; NULL: they are the same */
	const xc_coefficient_cache *cache; /* NULL: none */
} xc_forward;

/* Samples that a lapped transform reaches on each side of a tile, and rows of a block. */
enum { XC_REACH = 4, XC_BLOCK_ROWS = 8 };

/* One thread's scratch. */
typedef struct xc_forward_scratch {
	/* The samples of a row of MCUs. A lapped transform has two rows, which take turns, each with
	 * XC_REACH more samples of chroma, or the pixels under them, on either side. */
	float *planes[XC_MAX_COMPONENTS];
	size_t stride;    /* in samples */
	uint8_t *rows[2]; /* pixels, or samples of planes, repeated past the edge of the picture */
	void *memory;
	size_t dirty; /* bytes to be cleared before the first tile */
} xc_forward_scratch;

xc_status xc_forward_scratch_init(xc_context *context, xc_forward_scratch *scratch,
                                  const xc_forward *forward);
void xc_forward_scratch_free(xc_context *context, xc_forward_scratch *scratch);

/* coefficients: [tile->blocks][64] of int16_t (8-bit pictures) or int32_t. */
void xc_forward_tile(const xc_forward *forward, xc_forward_scratch *scratch, const xc_tile *tile,
                     void *coefficients);

#endif
