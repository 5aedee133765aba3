/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays of any precision, and plans that are made and executed at once, for the tests of libxct. */
#ifndef XC_XCT_TESTS_ARRAYS_H
#define XC_XCT_TESTS_ARRAYS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xct.h>

#include "lab/samples.h"
#include "tests/support/check.h"

static inline long double tolerance(xct_precision precision)
{
	return precision == XCT_FLOAT32 ? 1e-6L : precision == XCT_FLOAT64 ? 1e-14L : 1e-17L;
}

/* From -1 to 1, exact in every precision. */
static inline long double sample(uint64_t *state)
{
	return (long double)((float)(int64_t)(check_random(state) >> 40) / (1 << 23) - 1);
}

static inline void *allocate(size_t count, xct_precision precision)
{
	void *const memory = calloc(count ? count : 1, xc_precision_bytes(precision));

	if (!memory)
		exit(99);
	return memory;
}

static inline size_t samples_of(const xct_descriptor *d)
{
	size_t samples = 1;

	for (int i = 0; i < d->dimensions; i++)
		samples *= d->size[i];
	return samples;
}

/* Plans and executes; NULL after a failure that was reported. */
static inline void *transformed(xct_context *context, const xct_descriptor *d, const void *in,
                                size_t room)
{
	void *const out = allocate(room, d->precision);
	xct_plan *plan;

	if (xct_plan_new(context, d, &plan) != XCT_OK || xct_execute(plan, in, out) != XCT_OK) {
		CHECK(0, "kind %d: %s", (int)d->kind, xct_context_message(context));
		xct_plan_free(plan);
		free(out);
		return NULL;
	}
	xct_plan_free(plan);
	return out;
}

static inline long double error_of(const void *found, xct_precision precision,
                                   const long double *wanted, size_t count)
{
	long double worst = 0, largest = 0;

	for (size_t i = 0; i < count; i++) {
		const long double error = fabsl(xc_sample_get(found, precision, i) - wanted[i]);
		worst = error > worst || error != error ? error : worst;
		largest = fmaxl(largest, fabsl(wanted[i]));
	}
	return worst / (largest > 0 ? largest : 1);
}

#endif
