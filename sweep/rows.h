/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of a table of results: the points of one picture, or their mean over the set. */
#ifndef XC_SWEEP_ROWS_H
#define XC_SWEEP_ROWS_H

#include "sweep/results.h"

enum { XC_SWEEP_MEAN = -1 }; /* in place of a picture's index */

typedef struct xc_sweep_row {
	uint32_t config;
	double quality;
	double bytes, bits_per_pixel;
	double metric[XC_SWEEP_METRICS];
	double encode_speed, decode_speed; /* 10^6 pixels a second; NAN: not measured */
	double max_abs_diff;
} xc_sweep_row;

/* Returns the rows of a picture or of XC_SWEEP_MEAN, by configuration and quality; the caller frees them.  A
 * quality has a mean where every picture has it: then bytes, bits a pixel and measures are arithmetic means, the
 * largest difference is that of all, and speeds all pixels by all seconds.  NULL: out of memory. */
xc_sweep_row *xc_sweep_rows(const xc_sweep_results *results, long picture, size_t *count);

#endif
