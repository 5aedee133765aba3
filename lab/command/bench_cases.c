/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/command/bench.h"

#include "lab/command/arrays.h"
#include "lab/command/common.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HUGE_PAGE = 1 << 21 };

/* A run shorter than this is repeated, so that the clocks can resolve it. */
static const double shortest = 2e-4;

/* All arrays lie alike in memory, on huge pages where there are any. */
static void *allocate(size_t samples, size_t size)
{
	const size_t min = HUGE_PAGE / size;

	if (samples > SIZE_MAX / size)
		return NULL;
	return xct_allocate((samples > min ? samples : min) * size);
}

int xc_bench_start(xc_bench_group *group, const xc_cli_size *size, int threads, int kind)
{
	*group = (xc_bench_group){.size = *size, .threads = threads, .kind = kind};
	group->context = xct_context_new();
	/* A lapped transform may add 8 rows and columns. */
	group->samples = size->slices * (size->rows + 8) * (size->cols + 8);
	return group->context ? 0 : -1;
}

void xc_bench_drop(xc_bench_group *group)
{
	for (size_t i = 0; i < group->count; i++) {
		xct_plan_free(group->cases[i].plan);
		xct_poisson_free(group->cases[i].poisson);
		xct_release(group->cases[i].fields);
		free(group->cases[i].wall);
	}
	group->count = 0;
}

void xc_bench_free(xc_bench_group *group)
{
	xc_bench_drop(group);
	for (int p = 0; p <= XCT_FLOAT16; p++)
		xct_release(group->inputs[p]);
	xct_release(group->output);
	free(group->cases);
	xct_context_free(group->context);
	*group = (xc_bench_group){.cases = NULL};
}

/* From -1 to 1, or, in 16 bits, from -127 to 127; the same in every precision. */
static void fill(void *samples, size_t count, xct_precision precision)
{
	uint64_t state = 1;

	for (size_t i = 0; i < count; i++) {
		const long double value = (float)(2 * xc_cli_random(&state) - 1);

		xc_sample_put(samples, precision, i, precision == XCT_INT16 ? truncl(127 * value) : value);
	}
}

static int make_arrays(xc_bench_group *group, xct_precision precision)
{
	const size_t size = xc_precision_bytes(precision);

	if (group->output_size < size) {
		xct_release(group->output);
		group->output = allocate(group->samples, size);
		group->output_size = size;
	}
	if (!group->inputs[precision]) {
		group->inputs[precision] = allocate(group->samples, size);
		if (group->inputs[precision])
			fill(group->inputs[precision], group->samples, precision);
	}
	return group->output && group->inputs[precision] ? 0 : -1;
}

/* The kind that an algorithm is timed in: the group's, if it does that, or else its own. */
static xct_descriptor descriptor(const xc_bench_group *group, const xct_algorithm *algorithm,
                                 xct_direction direction, xct_precision precision)
{
	const int kind = group->kind >= 0 && algorithm->kinds & 1u << group->kind ? group->kind : -1;
	xct_descriptor d = xc_cli_descriptor(algorithm, kind, direction, precision, &group->size);

	d.threads = group->threads;
	return d;
}

/* NULL when memory is out.  The case counts once the group's count does. */
static xc_bench_case *new_case(xc_bench_group *group)
{
	if (group->count == group->room) {
		const size_t room = group->room ? 2 * group->room : 16;
		xc_bench_case *const c = realloc(group->cases, room * sizeof *c);
		if (!c)
			return NULL;
		group->cases = c;
		group->room = room;
	}
	return &group->cases[group->count];
}

/* Returns 1 when it was added, 0 when it is not possible, -1 when memory is out. */
static int add(xc_bench_group *group, const xct_algorithm *algorithm, xct_direction direction,
               xct_precision precision)
{
	xc_cli_size bands = group->size;
	xct_descriptor d;
	xc_bench_case *c;

	if (algorithm) {
		d = descriptor(group, algorithm, direction, precision);
		if (xc_cli_bands(group->context, &d, &bands))
			return 0;
	}
	if (make_arrays(group, precision) || !(c = new_case(group)))
		return -1;
	*c = (xc_bench_case){.algorithm = algorithm,
	                     .title = "copy",
	                     .direction = direction,
	                     .precision = precision,
	                     .in = group->size,
	                     .out = bands,
	                     .input = group->inputs[precision],
	                     .error = NAN};
	if (direction == XCT_INVERSE) {
		c->in = bands;
		c->out = group->size;
	}
	c->bytes = (double)(xc_cli_samples(&c->in) + xc_cli_samples(&c->out)) *
	           (double)xc_precision_bytes(precision);
	const double start = xc_cli_seconds();
	if (algorithm && xct_plan_new(group->context, &d, &c->plan) != XCT_OK)
		return -1;
	c->planned = algorithm ? xc_cli_seconds() - start : 0;
	group->count++;
	return 1;
}

int xc_bench_add_poisson(xc_bench_group *group, xct_precision precision, int device)
{
	const size_t samples = xc_cli_samples(&group->size), bytes = xc_precision_bytes(precision);
	xct_poisson_descriptor d;
	xc_bench_case *c;
	uint64_t state = 1;

	xct_poisson_default(&d);
	d.rows = group->size.rows;
	d.columns = group->size.cols;
	d.precision = precision;
	d.threads = group->threads;
	d.device = device;
	if (make_arrays(group, precision) || !(c = new_case(group)))
		return -1;
	*c = (xc_bench_case){.title = device < 0 ? "poisson" : "poisson, GPU",
	                     .precision = precision,
	                     .in = group->size,
	                     .out = {3, d.rows, d.columns},
	                     .input = group->inputs[precision],
	                     .fields = allocate(3 * samples, bytes),
	                     .bytes = 4 * (double)samples * (double)bytes,
	                     .error = NAN};
	group->count++;
	xc_data_set density = {.rows = d.rows,
	                       .cols = d.columns,
	                       .precision = precision,
	                       .samples = group->inputs[precision]};
	memset(density.samples, 0, samples * bytes);
	xc_cli_draw_cells(&density, &state);
	const double start = xc_cli_seconds();
	const xct_status status = xct_poisson_new(group->context, &d, &c->poisson);
	c->planned = xc_cli_seconds() - start;
	return c->fields && status == XCT_OK ? 1 : -1;
}

int xc_bench_add(xc_bench_group *group, const xct_algorithm *algorithm, xct_precision precision)
{
	int forward = add(group, algorithm, XCT_FORWARD, precision);
	int inverse = forward > 0 && algorithm ? add(group, algorithm, XCT_INVERSE, precision) : 0;

	return forward < 0 || inverse < 0 ? -1 : forward + inverse;
}

static xc_cli_clock run(const xc_bench_group *group, const xc_bench_case *c)
{
	xc_cli_clock start = xc_cli_clock_now(), time;

	for (int i = 0; i < c->repeats; i++) {
		uint8_t *const fields = c->fields;
		const size_t array = (size_t)c->bytes / 4;
		if (c->plan)
			xct_execute(c->plan, c->input, group->output);
		else if (c->poisson)
			xct_poisson_execute(c->poisson, c->input, fields, fields + array, fields + 2 * array);
		else
			memcpy(group->output, c->input, (size_t)c->bytes / 2);
	}
	time = xc_cli_clock_since(start);
	time.wall /= c->repeats;
	time.cpu /= c->repeats;
	return time;
}

/* The run that does not count decides how many follow. */
static int first_run(const xc_bench_group *group, xc_bench_case *c, int runs, double seconds)
{
	c->repeats = 1;
	double time = run(group, c).wall;
	if (time < shortest) {
		time = run(group, c).wall; /* warm: a fairer guess */
		c->repeats = time < shortest ? 1 + (int)(shortest / (time + 1e-8)) : 1;
	}
	time *= c->repeats;
	c->runs = time * runs > seconds ? (int)(seconds / time) : runs;
	if (c->runs < 1)
		c->runs = 1;
	c->wall = calloc((size_t)c->runs, sizeof *c->wall);
	return c->wall ? 0 : -1;
}

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void xc_bench_sum_up(xc_bench_case *c)
{
	const size_t n = (size_t)c->runs;

	qsort(c->wall, n, sizeof *c->wall, compare);
	c->median = (c->wall[(n - 1) / 2] + c->wall[n / 2]) / 2;
	for (size_t i = 0; i < n; i++)
		c->mean += c->wall[i] / c->runs;
	for (size_t i = 0; i < n; i++)
		c->deviation += (c->wall[i] - c->mean) * (c->wall[i] - c->mean) / c->runs;
	c->deviation = sqrt(c->deviation);
	c->min = c->wall[0];
	c->cpu /= c->runs;
}

int xc_bench_measure(xc_bench_group *group, int runs, double seconds)
{
	for (size_t i = 0; i < group->count; i++)
		if (first_run(group, &group->cases[i], runs, seconds))
			return -1;
	for (int r = 0; r < runs; r++)
		for (size_t i = 0; i < group->count; i++) {
			xc_bench_case *c = &group->cases[i];

			if (r < c->runs) {
				xc_cli_clock time = run(group, c);

				c->wall[r] = time.wall;
				c->cpu += time.cpu;
			}
		}
	for (size_t i = 0; i < group->count; i++)
		xc_bench_sum_up(&group->cases[i]);
	return 0;
}

const char *xc_bench_name(const xc_bench_case *c)
{
	return c->algorithm ? c->algorithm->name : c->title;
}

const xc_bench_case *xc_bench_find(const xc_bench_group *group, const char *name,
                                   xct_direction direction)
{
	for (size_t i = 0; i < group->count; i++)
		if (!strcmp(xc_bench_name(&group->cases[i]), name) &&
		    group->cases[i].direction == direction)
			return &group->cases[i];
	return NULL;
}

/* How exact a transform is: the largest error over the largest coefficient.  What
 * it is compared with:
 *
 *   - blockwise DCTs: cpu-naive, the definition, in long double;
 *   - whole frames up to 65536 samples, sides up to 16384: cpu-definition-lines in long double;
 *   - larger frames: cpu-fft-n in double (of 32 bits) or long double (of 64);
 *   - lapped, sine and other transforms: themselves in long double (large sine ones in
 *     double when 32 bits are checked), which finds rounding errors only.  That
 *     they are right is for the tests. */

enum { DEFINITION_MAX = 65536, DEFINITION_LINE = 1 << 14 };

/* The algorithm to compare with, and its precision; NULL: none. */
static const xct_algorithm *choose(const xc_bench_case *c, int kind, xct_precision *precision)
{
	const size_t samples = xc_cli_samples(&c->in);
	const unsigned dct2 = 1u << XCT_DCT2, of_group = kind < 0 ? dct2 : 1u << kind;
	const int as_group = (c->algorithm->kinds & of_group) != 0;
	const xct_algorithm *reference = c->algorithm;

	*precision = XCT_LONG_DOUBLE;
	if (c->algorithm->kinds == 1u << XCT_BLOCK_DCT)
		reference = xct_algorithm_find("cpu-naive");
	if (xc_cli_is_banded(c->algorithm))
		return c->algorithm->bands & 8 && reference->precisions & XCT_LONG_DOUBLE ? reference
		                                                                          : NULL;
	if (as_group && samples <= DEFINITION_MAX && c->in.cols <= DEFINITION_LINE &&
	    c->in.rows <= DEFINITION_LINE)
		return xct_algorithm_find("cpu-definition-lines");
	if (c->precision == XCT_LONG_DOUBLE)
		return NULL;
	if (c->precision == XCT_FLOAT32 && samples > DEFINITION_MAX)
		*precision = XCT_FLOAT64;
	if (!as_group || of_group != dct2)
		return reference;
	return xct_algorithm_find(c->in.slices == 1 ? "cpu-fft-n" : "cpu-fft3d");
}

/* The largest error over the largest value that is wanted; not a number if all are 0. */
static double error_between(const void *found, xct_precision precision, const void *wanted,
                            xct_precision wanted_precision, size_t count)
{
	long double worst = 0, largest = 0;

	for (size_t i = 0; i < count; i++) {
		const long double value = xc_sample_get(wanted, wanted_precision, i);
		const long double error = fabsl(xc_sample_get(found, precision, i) - value);

		if (error > worst || error != error)
			worst = error; /* NaN stays */
		largest = fmaxl(largest, fabsl(value));
	}
	return largest > 0 ? (double)(worst / largest) : NAN;
}

/* The case has been run. */
double xc_bench_error_of(const xc_bench_group *group, const xc_bench_case *c,
                         const xct_algorithm *reference, xct_precision precision, int *same)
{
	const size_t in = xc_cli_samples(&c->in), out = xc_cli_samples(&c->out);
	const size_t bytes = xc_precision_bytes(precision);
	void *input = malloc(in * bytes), *wanted = malloc(out * bytes);
	const xct_descriptor d = descriptor(group, reference, c->direction, precision);
	xct_plan *plan = NULL;
	double error = NAN;

	if (input && wanted && xct_plan_new(group->context, &d, &plan) == XCT_OK) {
		for (size_t i = 0; i < in; i++)
			xc_sample_put(input, precision, i, xc_sample_get(c->input, c->precision, i));
		xct_execute(plan, input, wanted);
		*same = precision == c->precision && !memcmp(group->output, wanted, out * bytes);
		error = error_between(group->output, c->precision, wanted, precision, out);
	}
	xct_plan_free(plan);
	free(wanted);
	free(input);
	return error;
}

void xc_bench_check(xc_bench_group *group)
{
	for (xc_bench_case *c = group->cases; c < group->cases + group->count; c++) {
		xct_precision precision;
		const int checked = c->algorithm && !xc_cli_is_yardstick(c->algorithm);
		const xct_algorithm *reference = checked ? choose(c, group->kind, &precision) : NULL;
		if (!reference)
			continue;
		xct_execute(c->plan, c->input, group->output);
		c->error = xc_bench_error_of(group, c, reference, precision, &c->same);
	}
}
