/* SPDX-License-Identifier: BSD-2-Clause */
/* The luma of a picture, of its own size or halved, for SSIM on several scales. */
#ifndef XC_SRC_METRICS_LUMA_H
#define XC_SRC_METRICS_LUMA_H

#include "src/core/context.h"

typedef struct xc_luma_plane {
	uint32_t width, height;
	uint32_t depth, peak;      /* of the samples: bits, and the largest value */
	const xc_picture *picture; /* of full size; not looked at if there is a plane */
	float *plane;              /* of a halved one, row by row; NULL: the picture's luma */
} xc_luma_plane;

/* peak 0: that of the depth. */
xc_luma_plane xc_luma_of(const xc_picture *picture, uint32_t depth, uint32_t peak);

/* Loads n samples (at most XC_SPAN) from (x, y) on. */
void xc_luma_load(const xc_luma_plane *luma, uint32_t x, uint32_t y, uint32_t n, float *to);

/* Makes *half, whose samples are means of 2 x 2 of `luma`. An odd last column or row counts twice.
 * A float holds the exact means of up to four halvings: 16 bits and twice 4 more. */
xc_status xc_luma_halve(xc_context *context, const xc_luma_plane *luma, xc_luma_plane *half);
void xc_luma_free(xc_context *context, xc_luma_plane *luma);

#endif
