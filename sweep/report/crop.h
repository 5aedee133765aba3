/* SPDX-License-Identifier: BSD-2-Clause */
/* Which part of a large picture is shown: where its errors are seen most. */
#ifndef XC_SWEEP_REPORT_CROP_H
#define XC_SWEEP_REPORT_CROP_H

#include <xcodec.h>

typedef struct xc_sweep_crop {
	uint32_t x, y, width, height;
} xc_sweep_crop;

/* Marks for each cell of 16x16 pixels how visible errors are there. */
typedef struct xc_sweep_cells {
	uint32_t wide, high;
	double *mark;
} xc_sweep_cells;

/* 0, or -1: out of memory.  The caller frees cells->mark. */
int xc_sweep_cells_start(xc_sweep_cells *cells, const xc_picture *original);
/* Adds the errors of a decoded picture of the same size: squared, by the activity around them that hides them. */
void xc_sweep_cells_add(xc_sweep_cells *cells, const xc_picture *original,
                        const xc_picture *decoded);
/* The part of at most side x side pixels with the highest marks.  It begins at a multiple of 8, where
 * blocks do. */
xc_sweep_crop xc_sweep_cells_best(const xc_sweep_cells *cells, const xc_picture *original,
                                  uint32_t side);

/* Sample `channel` of a pixel in 8 bits.  Grey counts as equal R, G and B. */
static inline int xc_sweep_sample(const xc_picture *p, uint32_t x, uint32_t y, uint32_t channel)
{
	const uint8_t *row = (const uint8_t *)p->data + y * p->stride;
	const size_t at = (size_t)x * p->channels + (p->channels < 3 ? 0 : channel);

	return p->depth == 8
	           ? row[at]
	           : (int)((((const uint16_t *)(const void *)row)[at] * 255u + 32767) / 65535);
}

#endif
