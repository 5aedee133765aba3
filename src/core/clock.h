/* SPDX-License-Identifier: BSD-2-Clause */
/* Time. */
#ifndef XC_SRC_CORE_CLOCK_H
#define XC_SRC_CORE_CLOCK_H

#include <time.h>

/* The time of a clock, such as CLOCK_MONOTONIC, in seconds; 0 if the system lacks it. */
static inline double xc_seconds(clockid_t clock)
{
	struct timespec t;
	return clock_gettime(clock, &t) ? 0 : (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
