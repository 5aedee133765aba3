/* SPDX-License-Identifier: BSD-2-Clause */
/* Which points of a picture are shown beside each other: those of equal size. */
#ifndef XC_SWEEP_PAIRS_H
#define XC_SWEEP_PAIRS_H

#include "sweep/results.h"

enum { XC_SWEEP_SIZES = 3 };

/* Chooses up to three sizes, from small to large, and for each of them one point a configuration:
 * point[size * config_count + config], NULL where that configuration has none for this picture.  Returns how many
 * sizes there are.  point has room for XC_SWEEP_SIZES * config_count.
 *
 * The sizes lie at the rates of `aims` in pairs.c, as far as the range of rates that all configurations share
 * allows.  Near each of them the size is taken at which the points of the configurations differ least. */
size_t xc_sweep_pairs(const xc_sweep_results *results, uint32_t picture,
                      const xc_sweep_point **point);

#endif
