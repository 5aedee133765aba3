/* SPDX-License-Identifier: BSD-2-Clause */
/* Clocks in seconds, for the command, the benchmarks and the tools. */
#ifndef XC_CLI_BASE_CLOCK_H
#define XC_CLI_BASE_CLOCK_H

#include <time.h>

static inline double xc_cli_seconds_of(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Seconds since some fixed moment. */
static inline double xc_cli_seconds(void)
{
	return xc_cli_seconds_of(CLOCK_MONOTONIC);
}

/* Wall time, and processor time of all threads of the process. */
typedef struct xc_cli_clock {
	double wall, cpu;
} xc_cli_clock;

static inline xc_cli_clock xc_cli_clock_now(void)
{
	return (xc_cli_clock){xc_cli_seconds(), xc_cli_seconds_of(CLOCK_PROCESS_CPUTIME_ID)};
}

static inline xc_cli_clock xc_cli_clock_since(xc_cli_clock start)
{
	const xc_cli_clock now = xc_cli_clock_now();

	return (xc_cli_clock){now.wall - start.wall, now.cpu - start.cpu};
}

#endif
