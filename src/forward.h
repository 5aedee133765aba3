/* SPDX-License-Identifier: BSD-2-Clause */
/* The encoder's left side: pixels of one tile to quantized coefficients. */
#ifndef XC_FORWARD_H
#define XC_FORWARD_H

#include "src/geometry.h"
#include "src/kernels.h"
#include "src/picture.h"

/* What all tiles of a picture share. */
typedef struct xc_forward {
	const xc_picture *picture;
	const xc_geometry *geometry;
	const xc_kernels *kernels;
	float tables[2][64]; /* luma, chroma; see quant/tables.h */
} xc_forward;

/* One thread's scratch. */
typedef struct xc_forward_scratch {
	float *planes[XC_MAX_COMPONENTS]; /* the samples of one row of MCUs */
	size_t stride;
	uint8_t *rows[2]; /* pixels continued past the picture's edge */
	void *memory;
} xc_forward_scratch;

xc_status xc_forward_scratch_init(xc_context *context, xc_forward_scratch *scratch,
                                  const xc_forward *forward);
void xc_forward_scratch_free(xc_context *context, xc_forward_scratch *scratch);

/* coefficients: [tile->blocks][64] of int16_t (8-bit pictures) or int32_t. */
void xc_forward_tile(const xc_forward *forward, xc_forward_scratch *scratch, const xc_tile *tile,
                     void *coefficients);

#endif
