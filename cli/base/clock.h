/* SPDX-License-Identifier: BSD-2-Clause */
/* Clocks in seconds, for the command, the benchmarks and the tools. */
#ifndef XC_CLI_BASE_CLOCK_H
#define XC_CLI_BASE_CLOCK_H

#include "src/core/clock.h"

/* Seconds since some fixed moment. */
static inline double xc_cli_seconds(void)
{
	return xc_seconds(CLOCK_MONOTONIC);
}

/* Wall time, and processor time of all threads of the process. */
typedef struct xc_cli_clock {
	double wall, cpu;
} xc_cli_clock;

static inline xc_cli_clock xc_cli_clock_now(void)
{
	return (xc_cli_clock){xc_cli_seconds(), xc_seconds(CLOCK_PROCESS_CPUTIME_ID)};
}

static inline xc_cli_clock xc_cli_clock_since(xc_cli_clock start)
{
	const xc_cli_clock now = xc_cli_clock_now();

	return (xc_cli_clock){now.wall - start.wall, now.cpu - start.cpu};
}

#endif
