/* SPDX-License-Identifier: BSD-2-Clause */
/* What src/target/target.c and the files of this folder measure with: pieces of rows whose pictures
 * get the same channels and depth, the luma of a picture and of its halves, SSIM, and PSNR. */
#ifndef XC_SRC_METRICS_METRICS_H
#define XC_SRC_METRICS_METRICS_H

#include "src/core/context.h"

enum { XC_SPAN = 160 }; /* pixels, at most */

/* Red, green, blue and alpha of a piece of a row. */
typedef struct xc_span {
	uint16_t sample[4][XC_SPAN];
} xc_span;

/* Loads n pixels from (x, y) on, as samples of `depth` bits: the picture's own depth, or 16 for a
 * picture of 8. Grey becomes equal red, green and blue; a missing alpha becomes opaque. */
void xc_span_load(const xc_picture *picture, uint32_t x, uint32_t y, uint32_t n, uint32_t depth,
                  xc_span *span);

/* The largest sample of a depth. */
static inline uint32_t xc_span_peak(uint32_t depth)
{
	return depth == 16 ? 65535 : 255;
}

/* The luma of xc_comparison.psnr_y, rounded to an integer. */
void xc_span_luma(const xc_span *span, uint32_t n, uint16_t *luma);

/* The Cb and Cr that belong to it, rounded likewise; grey is half of the range. */
void xc_span_chroma(const xc_span *span, uint32_t n, uint32_t depth, uint16_t *cb, uint16_t *cr);

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

/* Means over all places of the window. */
typedef struct xc_ssim_means {
	double index;
	double contrast; /* of the index without its luminance term: contrast times structure */
} xc_ssim_means;

/* SSIM of two lumas of equal size, depth and peak; see ssim.c. */
xc_status xc_ssim(xc_context *context, const xc_luma_plane *a, const xc_luma_plane *b,
                  xc_ssim_means *means);

enum { XC_SSIMULACRA2_MIN = 8 }; /* pixels a side, below which there is no SSIMULACRA2 */

/* SSIMULACRA2 of two checked pictures of equal size, b against a; see ssimulacra2.c. peak 0: that of
 * the depth. */
xc_status xc_ssimulacra2_of(xc_context *context, const xc_picture *a, const xc_picture *b,
                            uint32_t peak, double *score);

/* Checks two pictures, which must have one size, and the largest sample that a caller gave, 0 to
 * 65535. Those that are measured for them come into `open`, until xc_metrics_close(): themselves or, if
 * they are thin, copies whose rows are their columns. Metrics are the same for both. After a failure
 * nothing is open. */
xc_status xc_metrics_open(xc_context *context, const xc_picture *a, const xc_picture *b,
                          uint32_t peak, xc_picture open[2]);
void xc_metrics_close(xc_context *context, const xc_picture *a, xc_picture open[2]);

/* Only psnr_rgb of xc_compare_all(), for two pictures of equal size, in a fraction of the time. */
double xc_psnr_rgb(const xc_picture *a, const xc_picture *b, uint32_t peak);

#endif
