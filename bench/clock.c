/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/clock.h"

#include <stdint.h>
#include <time.h>

double xc_bench_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The compiler is not to know the sum, nor what is added: newer processors do without an
 * addition whose operand stands in the instruction. */
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
	/* The least of a few: an interruption only ever makes one longer. */
	for (int i = 0; i < TRIES; i++) {
		const double start = xc_bench_now();
		for (int n = 0; n < ADDITIONS; n += 16) {
			ADD16
		}
		const double seconds = xc_bench_now() - start;
		least = i == 0 || seconds < least ? seconds : least;
	}
	return least > 0 ? ADDITIONS / least : 0;
}
