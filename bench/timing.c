/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/timing.h"

#include "cli/base/clock.h"

#include <stdint.h>
#include <stdlib.h>

/* Hides the sum and the step from the compiler.  With a constant step in the instruction,
 * newer processors would do without the addition. */
#define ADD \
	__asm__ volatile("" : "+r"(sum), "+r"(step)); \
	sum += step;
#define ADD4 ADD ADD ADD ADD
#define ADD16 ADD4 ADD4 ADD4 ADD4

double xc_bench_hertz(void)
{
	enum { ADDITIONS = 1 << 18, TRIES = 8 };
	uint64_t sum = 0, step = 1;
	double least = 0;
	/* The least time of a few: an interruption only ever makes one longer. */
	for (int i = 0; i < TRIES; i++) {
		const double start = xc_cli_seconds();
		for (int n = 0; n < ADDITIONS; n += 16) {
			ADD16
		}
		const double seconds = xc_cli_seconds() - start;
		least = i == 0 || seconds < least ? seconds : least;
	}
	return least > 0 ? ADDITIONS / least : 0;
}

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

double xc_bench_median(double *values, int n)
{
	qsort(values, (size_t)n, sizeof *values, ascending);
	return (values[(n - 1) / 2] + values[n / 2]) / 2;
}
