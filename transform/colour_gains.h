/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef XC_TRANSFORM_COLOUR_GAINS_H
#define XC_TRANSFORM_COLOUR_GAINS_H

/* The factors of chroma in R, G and B (ITU-T T.871), times the weight of the up-sampling filter: 1,
 * 1/4 or 1/16, powers of two, so that nothing rounds differently. */
typedef struct xc_colour_gains {
	float r_cr, g_cb, g_cr, b_cb;
} xc_colour_gains;

static inline xc_colour_gains xc_colour_gains_make(float weight)
{
	const xc_colour_gains gains = {1.402f * weight, -0.344136286201022f * weight,
	                               -0.714136286201022f * weight, 1.772f * weight};
	return gains;
}

#endif
