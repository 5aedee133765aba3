/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays of any precision, SIMD levels and plans, for the tests of the registry. */
#ifndef XC_LAB_TESTS_TRANSFORM_ARRAYS_H
#define XC_LAB_TESTS_TRANSFORM_ARRAYS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/core/cpu.h"
#include "tests/support/check.h"
#include "lab/registry.h"

#define UNUSED __attribute__((unused))

/* Marks pointers whose memory is freed when their block is left. */
#define OWNED __attribute__((cleanup(free_owned)))

UNUSED static void free_owned(const void *pointer)
{
	void *memory;

	memcpy(&memory, pointer, sizeof memory);
	free(memory);
}

UNUSED static const char *const levels[] = {"scalar", "sse2", "neon", "avx2", "avx512"};
enum { LEVELS = sizeof levels / sizeof *levels };

/* Selects the level for what runs from now on.  Returns whether this machine has it. */
UNUSED static int use_level(const char *level)
{
	xc_cpu cpu;

	setenv("XC_CPU", level, 1);
	return xc_cpu_by_name(level, &cpu) && xc_cpu_usable(cpu);
}

UNUSED static void *make(xc_precision precision, size_t count)
{
	void *array = calloc(count, xc_precision_bytes(precision));

	if (!array) {
		fprintf(stderr, "out of memory\n");
		exit(99);
	}
	return array;
}

/* Numbers of 11 bits, which every precision holds. */
UNUSED static void *make_random(xc_precision precision, size_t count)
{
	static uint64_t seed = 1;
	void *array = make(precision, count);

	for (size_t i = 0; i < count; i++)
		xc_sample_put(array, precision, i, (long double)(check_random(&seed) % 2048) - 1024);
	return array;
}

/* Not a number if one of the differences is none.  Floats and doubles are many, and long doubles
 * slow. */
#define LARGEST_DIFFERENCE(difference) \
	for (size_t i = 0; i < count; i++) { \
		const __typeof__(difference) d = difference; \
		if (!(d <= largest)) { \
			if (d != d) \
				return (long double)NAN; \
			largest = d; \
		} \
	} \
	return (long double)largest

UNUSED static long double largest_difference(const void *a, const void *b, xc_precision precision,
                                             size_t count)
{
	if (precision == XC_PRECISION_32) {
		const float *const x = a, *const y = b;
		float largest = 0;
		LARGEST_DIFFERENCE(fabsf(x[i] - y[i]));
	}
	if (precision == XC_PRECISION_64) {
		const double *const x = a, *const y = b;
		double largest = 0;
		LARGEST_DIFFERENCE(fabs(x[i] - y[i]));
	}
	long double largest = 0;
	LARGEST_DIFFERENCE(fabsl(xc_sample_get(a, precision, i) - xc_sample_get(b, precision, i)));
}

/* The same over the largest value that is wanted. */
UNUSED static long double relative_error(const void *wanted, const void *found,
                                         xc_precision precision, size_t count)
{
	long double largest = 0;

	for (size_t i = 0; i < count; i++)
		largest = fmaxl(largest, fabsl(xc_sample_get(wanted, precision, i)));
	return largest_difference(wanted, found, precision, count) / (largest ? largest : 1);
}

UNUSED static size_t area(const xc_transform_size *size)
{
	return size->rows * size->cols;
}

/* Returns 0, or -1 when there is no such plan. */
UNUSED static int run(const xc_algorithm *algorithm, xc_direction direction, xc_precision precision,
                      const xc_transform_size *size, int threads, const void *in, void *out)
{
	xc_plan *plan = xc_plan_new(algorithm, direction, precision, size, threads);

	if (!plan)
		return -1;
	xc_plan_execute(plan, in, out);
	xc_plan_free(plan);
	return 0;
}

UNUSED static xc_transform_size bands_of(const xc_algorithm *algorithm,
                                         const xc_transform_size *size)
{
	xc_transform_size bands = {0, 0, 0};
	CHECK(!algorithm->output_size(XC_FORWARD, size, &bands), "%zux%zu", size->rows, size->cols);
	return bands;
}

UNUSED static int is_banded(const xc_algorithm *algorithm)
{
	return algorithm->kind != XC_KIND_FRAME;
}

#endif
