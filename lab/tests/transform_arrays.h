/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays of any precision, SIMD levels and plans, for the tests of the registry. */
#ifndef XC_LAB_TESTS_TRANSFORM_ARRAYS_H
#define XC_LAB_TESTS_TRANSFORM_ARRAYS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/core/cpu.h"
#include "src/core/pool.h"
#include "tests/support/check.h"
#include "lab/registry.h"
#include "lab/samples.h"

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

UNUSED static void *make(xct_precision precision, size_t count)
{
	void *array = calloc(count, xc_precision_bytes(precision));

	if (!array) {
		fprintf(stderr, "out of memory\n");
		exit(99);
	}
	return array;
}

/* Numbers of 11 bits, which every precision holds. */
UNUSED static void *make_random(xct_precision precision, size_t count)
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

UNUSED static long double largest_difference(const void *a, const void *b, xct_precision precision,
                                             size_t count)
{
	if (precision == XCT_FLOAT32) {
		const float *const x = a, *const y = b;
		float largest = 0;
		LARGEST_DIFFERENCE(fabsf(x[i] - y[i]));
	}
	if (precision == XCT_FLOAT64) {
		const double *const x = a, *const y = b;
		double largest = 0;
		LARGEST_DIFFERENCE(fabs(x[i] - y[i]));
	}
	long double largest = 0;
	LARGEST_DIFFERENCE(fabsl(xc_sample_get(a, precision, i) - xc_sample_get(b, precision, i)));
}

/* The same over the largest value that is wanted. */
UNUSED static long double relative_error(const void *wanted, const void *found,
                                         xct_precision precision, size_t count)
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

UNUSED static xc_plan *plan_of(const xc_algorithm *algorithm, xct_direction direction,
                               xct_precision precision, const xc_transform_size *size, int threads)
{
	/* DCT2, where there are several kinds. */
	const unsigned kinds = algorithm->is.kinds;
	const xct_kind kind = (xct_kind)(kinds & 1u << XCT_DCT2 ? XCT_DCT2 : __builtin_ctz(kinds));
	xc_plan wanted = {
		.algorithm = algorithm,
		.kind = kind,
		.direction = direction,
		.precision = precision,
		.size = *size,
		.threads = threads,
		.device = algorithm->is.gpu ? 0 : XCT_CPU,
	};

	static xc_pool pool;
	static int pooled;
	if (!pooled)
		pooled = !xc_pool_init(&pool);
	wanted.pool = &pool;
	wanted.weighs = kind == XCT_BLOCK_DCT_QUANTIZED;
	for (int i = 0; i < 64; i++)
		wanted.factors[i] = direction == XCT_FORWARD ? 1 / (long double)xct_quantizers()[i]
		                                             : xct_quantizers()[i];
	return xc_plan_new(&wanted);
}

/* Returns 0, or -1 when there is no such plan. */
UNUSED static int run(const xc_algorithm *algorithm, xct_direction direction,
                      xct_precision precision, const xc_transform_size *size, int threads,
                      const void *in, void *out)
{
	xc_plan *plan = plan_of(algorithm, direction, precision, size, threads);

	if (!plan)
		return -1;
	xc_plan_execute(plan, in, out);
	xc_plan_free(plan);
	return 0;
}

/* The same in the precision `work`, for arrays of another one. */
UNUSED static int run_as(xct_precision work, const xc_algorithm *algorithm, xct_direction direction,
                         xct_precision precision, const xc_transform_size *size, const void *in,
                         void *out)
{
	xc_transform_size bands;

	if (algorithm->output_size(XCT_FORWARD, size, &bands))
		return -1;
	const size_t ends[2] = {xc_transform_samples(size), xc_transform_samples(&bands)};
	const size_t from = ends[direction == XCT_INVERSE], to = ends[direction == XCT_FORWARD];
	OWNED void *source = make(work, from), *target = make(work, to);
	for (size_t i = 0; i < from; i++)
		xc_sample_put(source, work, i, xc_sample_get(in, precision, i));
	if (run(algorithm, direction, work, size, 1, source, target))
		return -1;
	for (size_t i = 0; i < to; i++)
		xc_sample_put(out, precision, i, xc_sample_get(target, work, i));
	return 0;
}

/* A transform of whole arrays.  Axes of one sample, which all kinds leave alone but DCT1, which has none,
 * are left out. */
UNUSED static xct_descriptor frame_descriptor(const char *algorithm, xct_kind kind,
                                              xct_direction direction, xct_precision precision,
                                              const xc_transform_size *size)
{
	const size_t sides[3] = {size->slices, size->rows, size->cols};
	xct_descriptor d;

	xct_descriptor_default(&d);
	d.algorithm = algorithm;
	d.kind = kind;
	d.direction = direction;
	d.precision = precision;
	d.device = strncmp(algorithm, "gpu", 3) ? XCT_CPU : 0;
	for (int i = 0; i < 3; i++)
		if (sides[i] > 1)
			d.size[d.dimensions++] = sides[i];
	return d;
}

/* What the kind's definition gives, in long double. */
UNUSED static long double *by_definition(xct_context *context, xct_kind kind,
                                         xct_direction direction, xct_precision precision,
                                         const xc_transform_size *size, const void *in)
{
	const xct_descriptor d = frame_descriptor("cpu-definition-lines", kind, direction,
	                                          XCT_LONG_DOUBLE, size);
	const size_t count = xc_transform_samples(size);
	long double *const values = make(XCT_LONG_DOUBLE, count);
	xct_plan *plan;

	for (size_t i = 0; i < count; i++)
		values[i] = xc_sample_get(in, precision, i);
	CHECK(xct_plan_new(context, &d, &plan) == XCT_OK && xct_execute(plan, values, values) == XCT_OK,
	      "%s", xct_context_message(context));
	xct_plan_free(plan);
	return values;
}

/* relative_error() of values in another precision. */
UNUSED static long double error_to(const long double *wanted, const void *found,
                                   xct_precision precision, size_t count)
{
	OWNED long double *values = make(XCT_LONG_DOUBLE, count);

	for (size_t i = 0; i < count; i++)
		values[i] = xc_sample_get(found, precision, i);
	return relative_error(wanted, values, XCT_LONG_DOUBLE, count);
}

UNUSED static xc_transform_size bands_of(const xc_algorithm *algorithm,
                                         const xc_transform_size *size)
{
	xc_transform_size bands = {0, 0, 0};
	CHECK(!algorithm->output_size(XCT_FORWARD, size, &bands), "%zux%zu", size->rows, size->cols);
	return bands;
}

#endif
