/* SPDX-License-Identifier: BSD-2-Clause */
/* How the measures of a sweep are called. */
#ifndef XC_SWEEP_MEASURES_H
#define XC_SWEEP_MEASURES_H

#include "sweep/results.h"

typedef struct xc_sweep_measure {
	const char *key;   /* "psnr_rgb" */
	const char *title; /* "PSNR, RGB" */
	const char *unit;  /* "dB", or "" */
	int digits;        /* after the point, that tell anything */
} xc_sweep_measure;

/* By xc_sweep_metric. */
extern const xc_sweep_measure xc_sweep_measures[XC_SWEEP_METRICS];

#endif
