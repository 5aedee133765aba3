/* SPDX-License-Identifier: BSD-2-Clause */
/* What makes numbers of measured times. */
#ifndef XC_BENCH_TIMING_H
#define XC_BENCH_TIMING_H

/* How fast the processor runs now, in cycles a second.  Measures a loop of dependent
 * additions, each of which takes one cycle.  Takes about half a millisecond. */
double xc_bench_hertz(void);

/* Sorts n values and returns their median. */
double xc_bench_median(double *values, int n);

#endif
