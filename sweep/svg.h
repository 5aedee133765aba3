/* SPDX-License-Identifier: BSD-2-Clause */
/* Curves of rate and distortion as a drawing for papers and pages. */
#ifndef XC_SWEEP_SVG_H
#define XC_SWEEP_SVG_H

#include "sweep/results.h"

#include <stdio.h>

/* Draws the curves of all configurations over the logarithm of bits a pixel, as one <svg> element that stands
 * alone or inside a page.  picture: an index, or -1 for the mean of the set (sweep/mean.h).  Points whose
 * measure is infinite or missing are left out.  Returns 0, or -1 with errno. */
int xc_sweep_svg(FILE *out, const xc_sweep_results *results, xc_sweep_metric metric, long picture);

#endif
