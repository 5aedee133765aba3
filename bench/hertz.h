/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef XC_BENCH_HERTZ_H
#define XC_BENCH_HERTZ_H

/* How fast the processor runs now, in cycles a second.  Measures a loop of dependent
 * additions, each of which takes one cycle.  Takes about half a millisecond. */
double xc_bench_hertz(void);

#endif
