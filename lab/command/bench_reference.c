/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How exact a transform is: the largest error over the largest coefficient.  What
 * it is compared with:
 *
 *   - blockwise DCTs: cpu-naive, the definition, in long double;
 *   - whole frames up to 65536 samples: cpu-dmm in long double, which is the
 *     definition too;
 *   - larger frames: cpu-fft-n in double (of 32 bits) or long double (of 64);
 *   - lapped and sine transforms: themselves in long double (large sine ones in
 *     double when 32 bits are checked), which finds rounding errors only.  That
 *     they are right is for the tests.
 */
#include "lab/command/bench_cases.h"
#include "lab/samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEFINITION_MAX = 65536 };

/* The algorithm to compare with, and its precision; NULL: none. */
static const xc_algorithm *choose(const xc_bench_case *c, xc_precision *precision)
{
	const size_t samples = xc_transform_samples(&c->in);
	const int sine = !strncmp(c->algorithm->name, "cpu-id", 6);
	const xc_algorithm *reference = c->algorithm;

	*precision = XC_PRECISION_80;
	if (c->algorithm->kind == XC_KIND_BLOCK_DCT)
		reference = xc_algorithm_find("cpu-naive");
	if (c->algorithm->kind != XC_KIND_FRAME)
		return reference && (reference->precisions & XC_PRECISION_80) ? reference : NULL;
	if (!sine && samples <= DEFINITION_MAX && c->in.slices == 1)
		return xc_algorithm_find("cpu-dmm");
	if (c->precision == XC_PRECISION_80)
		return NULL;
	if (c->precision == XC_PRECISION_32 && samples > DEFINITION_MAX)
		*precision = XC_PRECISION_64;
	return sine ? reference : xc_algorithm_find(c->in.slices == 1 ? "cpu-fft-n" : "cpu-fft3d");
}

static double error_of(const xc_bench_group *group, const xc_bench_case *c)
{
	const size_t in = xc_transform_samples(&c->in), out = xc_transform_samples(&c->out);
	long double worst = 0, largest = 0;
	xc_precision precision;
	const xc_algorithm *reference = choose(c, &precision);
	const size_t bytes = xc_precision_bytes(precision);
	void *input = reference ? malloc(in * bytes) : NULL;
	void *wanted = reference ? malloc(out * bytes) : NULL;
	xc_plan *plan = NULL;

	if (input && wanted)
		plan = xc_plan_new(reference, c->direction, precision, &group->size, group->threads);
	if (plan) {
		for (size_t i = 0; i < in; i++)
			xc_sample_put(input, precision, i, xc_sample_get(c->input, c->precision, i));
		xc_plan_execute(plan, input, wanted);
		xc_plan_execute(c->plan, c->input, group->output);
		for (size_t i = 0; i < out; i++) {
			long double value = xc_sample_get(wanted, precision, i);
			long double error = fabsl(xc_sample_get(group->output, c->precision, i) - value);

			if (!(error <= worst))
				worst = error; /* NaN comes here too, and stays */
			largest = fmaxl(largest, fabsl(value));
		}
	}
	xc_plan_free(plan);
	free(wanted);
	free(input);
	return plan && largest > 0 ? (double)(worst / largest) : NAN;
}

void xc_bench_check(xc_bench_group *group)
{
	for (size_t i = 0; i < group->count; i++)
		if (group->cases[i].algorithm && strcmp(xc_bench_name(&group->cases[i]), "fftw-real-fft"))
			group->cases[i].error = error_of(group, &group->cases[i]);
}
