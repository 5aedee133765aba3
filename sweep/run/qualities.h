/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef XC_SWEEP_RUN_QUALITIES_H
#define XC_SWEEP_RUN_QUALITIES_H

#include "sweep/bd.h"

/* Numbers of quality, rising. */
typedef struct xc_sweep_qualities {
	int count;
	double value[XC_SWEEP_CURVE_POINTS];
} xc_sweep_qualities;

/* Parses "75", "10:90:5", "30,50,75:95:10": numbers and ranges FROM:TO or FROM:TO:STEP, where the step is 1 if it
 * is left out.  xcodec: they are whole and from 1 to 100, as xcodec's own; else they have at most
 * six digits before and six after the point.  Returns NULL, or what was wanted. */
const char *xc_sweep_qualities_parse(const char *text, int xcodec, xc_sweep_qualities *list);

#endif
