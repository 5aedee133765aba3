/* SPDX-License-Identifier: BSD-2-Clause */
/* Clocks in seconds, for the command, the benchmarks and the tools. */
#ifndef XC_CLI_BASE_CLOCK_H
#define XC_CLI_BASE_CLOCK_H

#include <sys/resource.h>

#include "src/core/clock.h"

/* Seconds since some fixed moment. */
static inline double xc_cli_seconds(void)
{
	return xc_seconds(CLOCK_MONOTONIC);
}

/* Wall time, and processor time of all threads of the process; user and system time apart, which
 * systems measure less finely. */
typedef struct xc_cli_clock {
	double wall, cpu, user, system;
} xc_cli_clock;

static inline xc_cli_clock xc_cli_clock_now(void)
{
	xc_cli_clock now = {0, 0, 0, 0};
	struct rusage used;

	if (!getrusage(RUSAGE_SELF, &used)) {
		now.user = (double)used.ru_utime.tv_sec + 1e-6 * (double)used.ru_utime.tv_usec;
		now.system = (double)used.ru_stime.tv_sec + 1e-6 * (double)used.ru_stime.tv_usec;
	}
	now.cpu = xc_seconds(CLOCK_PROCESS_CPUTIME_ID);
	now.wall = xc_cli_seconds();
	return now;
}

static inline xc_cli_clock xc_cli_clock_since(xc_cli_clock start)
{
	const double wall = xc_cli_seconds();
	const xc_cli_clock now = xc_cli_clock_now();

	return (xc_cli_clock){wall - start.wall, now.cpu - start.cpu, now.user - start.user,
	                      now.system - start.system};
}

#endif
