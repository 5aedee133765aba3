/* SPDX-License-Identifier: BSD-2-Clause */
/* What is shown of a picture beside each other: files of equal size. */
#ifndef XC_SWEEP_REPORT_PAIRS_H
#define XC_SWEEP_REPORT_PAIRS_H

#include "sweep/html.h"

enum { XC_SWEEP_SIZES = 3 };

/* Chooses up to three sizes, from small to large, and for each of them one point a configuration:
 * point[size * config_count + config], of 0 bytes where that configuration has none for this picture.  point has room
 * for XC_SWEEP_SIZES * config_count, and *sizes tells how many there are.  Returns 0, or -1 with errno.
 *
 * The sizes lie at the rates of `aims` in pairs.c, as far as the range of rates that all configurations share allows.
 * The first configuration comes as near to them as it can, the others as near to the first one.  Qualities between the
 * measured ones are tried, with as many digits after the point as those have. */
int xc_sweep_pairs(const xc_sweep_results *results, uint32_t picture, const xc_sweep_viewer *viewer,
                   xc_sweep_point *point, size_t *sizes);

#endif
