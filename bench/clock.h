/* SPDX-License-Identifier: BSD-2-Clause */
/* Time, and how fast the processor runs now. */
#ifndef XC_BENCH_CLOCK_H
#define XC_BENCH_CLOCK_H

/* Seconds since some time. */
double xc_bench_now(void);

/* Cycles a second, by a loop of additions each of which waits for the one before, which
 * takes one cycle on the processors there are.  Takes about half a millisecond. */
double xc_bench_hertz(void);

#endif
