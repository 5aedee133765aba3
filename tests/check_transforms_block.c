/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The blockwise and lapped transforms of the registry, at every SIMD level and in
 * every precision: against their definitions, back again, and what else the theory
 * says of them.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/band_reference.h"
#include "tests/check.h"
#include "transform/registry.h"

static const char *const levels[] = { "scalar", "sse2", "neon", "avx2", "avx512" };
enum { LEVELS = sizeof levels / sizeof *levels };

/* Also tells whether this machine has the level. */
static int use_level(const char *level)
{
	setenv("XC_CPU", level, 1);
#if defined __x86_64__
	if (!strcmp(level, "avx2"))
		return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
	if (!strcmp(level, "avx512"))
		return __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vl");
	return strcmp(level, "neon") != 0;
#else
	return !strcmp(level, "neon") || !strcmp(level, "scalar");
#endif
}

/* ------------------------------------------------- arrays of any type */

static long double get(const void *array, xc_precision precision, size_t i)
{
	switch (precision) {
	case XC_PRECISION_16:
		return ((const int16_t *)array)[i];
	case XC_PRECISION_32:
		return (long double)((const float *)array)[i];
	case XC_PRECISION_64:
		return (long double)((const double *)array)[i];
	default:
		return ((const long double *)array)[i];
	}
}

static void put(void *array, xc_precision precision, size_t i, long double x)
{
	switch (precision) {
	case XC_PRECISION_16:
		((int16_t *)array)[i] = (int16_t)lrintl(x);
		break;
	case XC_PRECISION_32:
		((float *)array)[i] = (float)x;
		break;
	case XC_PRECISION_64:
		((double *)array)[i] = (double)x;
		break;
	default:
		((long double *)array)[i] = x;
	}
}

static void *make(xc_precision precision, size_t count)
{
	void *array = calloc(count, xc_precision_bytes(precision));
	if (!array) {
		fprintf(stderr, "out of memory\n");
		exit(99);
	}
	return array;
}

/* Numbers of 11 bits, which every precision holds. */
static void *make_random(xc_precision precision, size_t count)
{
	static uint64_t seed = 1;
	void *array = make(precision, count);
	for (size_t i = 0; i < count; i++)
		put(array, precision, i, (long double)(check_random(&seed) % 2048) - 1024);
	return array;
}

static long double largest_difference(const void *a, const void *b, xc_precision precision,
                                      size_t count)
{
	long double largest = 0;
	for (size_t i = 0; i < count; i++) {
		const long double d = fabsl(get(a, precision, i) - get(b, precision, i));
		if (!(d <= largest))
			largest = d; /* not a number, too */
	}
	return largest;
}

/* ------------------------------------------------------------ running */

static size_t area(const xc_transform_size *size)
{
	return size->rows * size->cols;
}

/* 0, or -1 when there is no such plan. */
static int run(const xc_algorithm *algorithm, xc_direction direction, xc_precision precision,
               const xc_transform_size *size, int threads, const void *in, void *out)
{
	xc_plan *plan = xc_plan_new(algorithm, direction, precision, size, threads);
	if (!plan)
		return -1;
	xc_plan_execute(plan, in, out);
	xc_plan_free(plan);
	return 0;
}

static xc_transform_size bands_of(const xc_algorithm *algorithm, const xc_transform_size *size)
{
	xc_transform_size bands = { 0, 0, 0 };
	CHECK(!algorithm->output_size(XC_FORWARD, size, &bands), "%zux%zu", size->rows, size->cols);
	return bands;
}

static int is_banded(const xc_algorithm *algorithm)
{
	return algorithm->kind != XC_KIND_FRAME;
}

/* Whether the algorithm has kernels for the levels at all. */
static int is_plain(const xc_algorithm *algorithm, xc_precision precision)
{
	return !strcmp(algorithm->name, "cpu-naive") || !strncmp(algorithm->name, "cpu-fftw", 8) ||
	       precision == XC_PRECISION_80;
}

static void definition_of(const xc_algorithm *algorithm, reference *r)
{
	if (!strcmp(algorithm->name, "cpu-tdlt"))
		reference_tdlt(r);
	else if (!strcmp(algorithm->name, "cpu-genlot"))
		reference_genlot(r);
	else if (!strncmp(algorithm->name, "cpu-flot", 8))
		reference_lot(r, !strstr(algorithm->name, "symmetric"));
	else
		reference_dct(r);
}

/* Relative to the largest coefficient. */
static long double tolerance(xc_precision precision)
{
	switch (precision) {
	case XC_PRECISION_32:
		return 2e-6L;
	case XC_PRECISION_64:
		return 1e-14L;
	default:
		return 32 * LDBL_EPSILON;
	}
}

/* -------------------------------------------------------- definitions */

static void check_size(const xc_algorithm *algorithm, xc_precision precision, size_t rows,
                       size_t cols)
{
	const xc_transform_size size = { 1, rows, cols };
	const xc_transform_size bands = bands_of(algorithm, &size);
	const size_t count = area(&bands);
	void *in = make_random(precision, area(&size)), *back = make(precision, area(&size));
	void *out = make(precision, count);
	long double *samples = make(XC_PRECISION_80, area(&size));
	long double *wanted = make(XC_PRECISION_80, count);
	long double largest = 0, error = 0, before = 0, after = 0;
	reference r;

	definition_of(algorithm, &r);
	for (size_t i = 0; i < area(&size); i++)
		samples[i] = get(in, precision, i);
	CHECK(!reference_forward(&r, samples, rows, cols, wanted), "out of memory");
	CHECK(!run(algorithm, XC_FORWARD, precision, &size, 3, in, out), "no plan");
	CHECK(!run(algorithm, XC_INVERSE, precision, &size, 3, out, back), "no inverse plan");
	for (size_t i = 0; i < count; i++) {
		const long double x = get(out, precision, i);
		largest = fmaxl(largest, fabsl(wanted[i]));
		if (!(fabsl(x - wanted[i]) <= error))
			error = fabsl(x - wanted[i]);
		after += x * x;
	}
	for (size_t i = 0; i < area(&size); i++)
		before += samples[i] * samples[i];
	const long double returned = largest_difference(in, back, precision, area(&size));
	const long double limit = tolerance(precision) * largest;
	CHECK(error <= limit, "%s %zux%zu: forward error %Lg of %Lg allowed", algorithm->name, rows,
	      cols, error, limit);
	CHECK(returned <= limit, "%s %zux%zu: inverse error %Lg of %Lg allowed", algorithm->name,
	      rows, cols, returned, limit);
	if (rows % 8 == 0 && cols % 8 == 0)
		CHECK(fabsl(after / before - 1) <= 1e-6L, "%s %zux%zu: energy %Lg of %Lg",
		      algorithm->name, rows, cols, after, before);
	free(in);
	free(back);
	free(out);
	free(samples);
	free(wanted);
}

static void definitions(const xc_algorithm *algorithm, xc_precision precision)
{
	/* one block; rows and columns of any number; an odd and an even number of
	 * blocks for vectors of two; more than one tile of the widest */
	static const size_t sizes[][2] = { { 8, 8 },   { 1, 1 },   { 13, 7 },  { 16, 24 },
		                           { 24, 16 }, { 31, 33 }, { 8, 272 }, { 72, 40 },
		                           { 40, 187 } };
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		check_size(algorithm, precision, sizes[i][0], sizes[i][1]);
}

static void all_definitions(const char *level)
{
	static const struct {
		xc_precision precision;
		const char *name;
	} precisions[] = { { XC_PRECISION_32, "32" }, { XC_PRECISION_64, "64" },
		           { XC_PRECISION_80, "80" } };
	for (const xc_algorithm *const *a = xc_algorithms(); *a; a++) {
		for (int p = 0; p < 3; p++) {
			const xc_precision precision = precisions[p].precision;
			if (!is_banded(*a) || !((*a)->precisions & (unsigned)precision) ||
			    (is_plain(*a, precision) && strcmp(level, "scalar") != 0))
				continue;
			check_begin("%s equals its definition in %s bits, %s", (*a)->name,
			            precisions[p].name, level);
			definitions(*a, precision);
			check_end();
		}
	}
}

/* -------------------------------------------------------- every size */

static void every_size(const xc_algorithm *algorithm, xc_precision precision)
{
	enum { LARGEST = 40 };
	void *in = make_random(precision, LARGEST * LARGEST);
	void *out = make(precision, (LARGEST + 16) * (LARGEST + 16));
	void *back = make(precision, LARGEST * LARGEST);
	for (size_t rows = 1; rows <= LARGEST; rows++) {
		for (size_t cols = 1; cols <= LARGEST; cols++) {
			const xc_transform_size size = { 1, rows, cols };
			/* largest coefficient at least: 1024 */
			const long double limit = 8192 * tolerance(precision);
			if (run(algorithm, XC_FORWARD, precision, &size, 1, in, out) ||
			    run(algorithm, XC_INVERSE, precision, &size, 1, out, back)) {
				CHECK(0, "%zux%zu: no plan", rows, cols);
				continue;
			}
			const long double error = largest_difference(in, back, precision, rows * cols);
			CHECK(error <= limit, "%s %zux%zu: %Lg", algorithm->name, rows, cols, error);
		}
	}
	free(in);
	free(out);
	free(back);
}

static void every_size_of_lapped(const char *level)
{
	for (const xc_algorithm *const *a = xc_algorithms(); *a; a++) {
		if ((*a)->kind != XC_KIND_LAPPED || (*a)->threaded)
			continue;
		check_begin("%s reconstructs every size from 1x1 to 40x40, %s", (*a)->name, level);
		every_size(*a, XC_PRECISION_32);
		every_size(*a, XC_PRECISION_64);
		check_end();
	}
}

/* ----------------------------------------- large arrays, and threads */

/* An array that starts `offset` bytes after a cache line does, and its memory. */
static void *make_at(xc_precision precision, size_t count, size_t offset, void **memory)
{
	const size_t bytes = count * xc_precision_bytes(precision) + offset;
	*memory = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
	if (!*memory) {
		fprintf(stderr, "out of memory\n");
		exit(99);
	}
	memset(*memory, 0, bytes);
	return (char *)*memory + offset;
}

/* Arrays that are written past the caches equal the scalar level's, wherever
 * their rows start in a cache line. */
static void large(const xc_algorithm *algorithm, xc_precision precision, size_t rows, size_t cols,
                  size_t offset, const char *level)
{
	const xc_transform_size size = { 1, rows, cols };
	const xc_transform_size bands = bands_of(algorithm, &size);
	void *in = make_random(precision, area(&size));
	void *plain = make(precision, area(&bands));
	void *out_memory, *back_memory;
	void *out = make_at(precision, area(&bands), offset, &out_memory);
	void *back = make_at(precision, area(&size), offset, &back_memory);
	const long double limit = 8192 * tolerance(precision);
	setenv("XC_CPU", "scalar", 1);
	CHECK(!run(algorithm, XC_FORWARD, precision, &size, 1, in, plain), "no plan");
	setenv("XC_CPU", level, 1);
	CHECK(!run(algorithm, XC_FORWARD, precision, &size, 2, in, out), "no plan");
	CHECK(!run(algorithm, XC_INVERSE, precision, &size, 2, out, back), "no plan");
	const long double forward = largest_difference(plain, out, precision, area(&bands));
	const long double inverse = largest_difference(in, back, precision, area(&size));
	CHECK(forward <= limit, "%zux%zu + %zu: %Lg", rows, cols, offset, forward);
	CHECK(inverse <= limit, "%zux%zu + %zu: %Lg", rows, cols, offset, inverse);
	free(in);
	free(plain);
	free(out_memory);
	free(back_memory);
}

static void large_arrays(const char *level)
{
	static const char *const names[] = { "cpu-aan", "cpu-feig2d", "cpu-flot",
		                             "cpu-flot-symmetric", "cpu-genlot" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const xc_algorithm *a = xc_algorithm_find(names[i]);
		check_begin("%s of arrays larger than a cache, %s", names[i], level);
		REQUIRE(a, "missing");
		/* rows of whole lines, of odd half lines, and of neither */
		large(a, XC_PRECISION_32, 1024, 2048, 0, level);
		large(a, XC_PRECISION_32, 1000, 2104, 32, level);
		large(a, XC_PRECISION_32, 1000, 2104, 16, level);
		large(a, XC_PRECISION_32, 1024, 2063, 48, level);
		large(a, XC_PRECISION_64, 1000, 1080, 32, level);
		large(a, XC_PRECISION_64, 1001, 1080, 48, level);
		check_end();
	}
}

static void threads_make_no_difference(void)
{
	const xc_transform_size size = { 1, 203, 164 };
	int found = 0;
	for (const xc_algorithm *const *a = xc_algorithms(); *a; a++) {
		if (!is_banded(*a) || !(*a)->threaded)
			continue;
		found = 1;
		const xc_transform_size bands = bands_of(*a, &size);
		const size_t bytes = area(&bands) * sizeof(float);
		void *in = make_random(XC_PRECISION_32, area(&size));
		void *one = make(XC_PRECISION_32, area(&bands));
		void *many = make(XC_PRECISION_32, area(&bands));
		void *back = make(XC_PRECISION_32, area(&bands));
		void *again = make(XC_PRECISION_32, area(&bands));
		run(*a, XC_FORWARD, XC_PRECISION_32, &size, 1, in, one);
		run(*a, XC_INVERSE, XC_PRECISION_32, &size, 1, one, back);
		for (int threads = 2; threads < 40; threads += 7) {
			run(*a, XC_FORWARD, XC_PRECISION_32, &size, threads, in, many);
			run(*a, XC_INVERSE, XC_PRECISION_32, &size, threads, many, again);
			CHECK(!memcmp(one, many, bytes), "%s, %d threads", (*a)->name, threads);
			CHECK(!memcmp(back, again, area(&size) * sizeof(float)),
			      "%s inverse, %d threads", (*a)->name, threads);
		}
		free(in);
		free(one);
		free(many);
		free(back);
		free(again);
	}
	if (!found)
		SKIP("built without OpenMP");
}

/* ------------------------------------------------------------- theory */

/* The basis functions by transforming impulses, from a place without edges. */
static void measure(const xc_algorithm *algorithm, reference *r)
{
	const xc_transform_size size = { 1, 8, 72 };
	double *in = make(XC_PRECISION_64, area(&size)), *out = make(XC_PRECISION_64, area(&size));
	*r = (reference){ .length = 24, .first = -8 };
	for (size_t n = 0; n < 24; n++) {
		for (size_t i = 0; i < area(&size); i++)
			in[i] = i % 72 == 24 + n;
		CHECK(!run(algorithm, XC_FORWARD, XC_PRECISION_64, &size, 1, in, out), "no plan");
		/* constant columns have a DC of sqrt(8) */
		for (size_t k = 0; k < 8; k++)
			r->basis[k][n] = (long double)out[32 + k] / sqrtl(8);
	}
	free(in);
	free(out);
}

static void coding_gains(void)
{
	static const struct {
		const char *name;
		double gain;
	} wanted[] = { { "cpu-aan", 8.826 }, { "cpu-flmad", 8.826 }, { "cpu-feig2d", 8.826 },
		       { "cpu-flot-symmetric", 9.20 }, { "cpu-tdlt", 9.26 }, { "cpu-genlot", 9.379 } };
	setenv("XC_CPU", "scalar", 1);
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		const xc_algorithm *a = xc_algorithm_find(wanted[i].name);
		REQUIRE(a, "%s is missing", wanted[i].name);
		reference r;
		measure(a, &r);
		const double gain = reference_gain(&r, 0.95);
		CHECK(fabs(gain - wanted[i].gain) < 0.01, "%s: %.4f dB instead of %.3f",
		      wanted[i].name, gain, wanted[i].gain);
	}
}

/* Even coefficients have symmetric basis functions, odd ones antisymmetric, and
 * only the first sees a constant. */
static void linear_phase(void)
{
	static const char *const names[] = { "cpu-flot-symmetric", "cpu-tdlt", "cpu-genlot" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		reference r;
		measure(xc_algorithm_find(names[i]), &r);
		for (int k = 0; k < 8; k++) {
			long double sum = 0;
			for (int n = 0; n < 24; n++) {
				const long double mirrored = r.basis[k][23 - n] * (k % 2 ? -1 : 1);
				CHECK(fabsl(r.basis[k][n] - mirrored) < 1e-14L, "%s: band %d at %d",
				      names[i], k, n);
				sum += r.basis[k][n];
			}
			CHECK(fabsl(sum - (k ? 0 : sqrtl(8))) < 1e-14L, "%s: band %d sums to %Lg",
			      names[i], k, sum);
		}
	}
}

/* A flat frame has nothing but DC up to its very edges. */
static void flat_frames_stay_flat(void)
{
	static const char *const names[] = { "cpu-aan", "cpu-flot-symmetric", "cpu-tdlt",
		                             "cpu-genlot" };
	const xc_transform_size size = { 1, 24, 40 };
	double *in = make(XC_PRECISION_64, area(&size)), *out = make(XC_PRECISION_64, area(&size));
	for (size_t i = 0; i < area(&size); i++)
		in[i] = 100;
	for (size_t a = 0; a < sizeof names / sizeof *names; a++) {
		run(xc_algorithm_find(names[a]), XC_FORWARD, XC_PRECISION_64, &size, 1, in, out);
		for (size_t i = 0; i < area(&size); i++) {
			const double wanted = i / 40 % 8 || i % 8 ? 0 : 800;
			CHECK(fabs(out[i] - wanted) < 1e-10, "%s: %g at %zu", names[a], out[i], i);
		}
	}
	free(in);
	free(out);
}

/* ------------------------------------------------------------ 16 bits */

static void short_blocks(const char *level)
{
	const xc_algorithm *a = xc_algorithm_find("cpu-short");
	const xc_transform_size size = { 1, 83, 107 };
	const xc_transform_size bands = bands_of(a, &size);
	int16_t *in = make_random(XC_PRECISION_16, area(&size));
	int16_t *out = make(XC_PRECISION_16, area(&bands)), *back = make(XC_PRECISION_16, area(&size));
	long double *samples = make(XC_PRECISION_80, area(&size));
	long double *wanted = make(XC_PRECISION_80, area(&bands));
	reference r;
	reference_dct(&r);
	/* 9 bits, 11 bits, 13 bits */
	for (int scale = 0; scale < 3; scale++) {
		for (size_t i = 0; i < area(&size); i++)
			samples[i] = in[i] = (int16_t)(scale == 0 ? in[i] / 4 : scale == 1 ? in[i] * 4
			                                                                : in[i] * 4);
		CHECK(!reference_forward(&r, samples, size.rows, size.cols, wanted), "out of memory");
		CHECK(!run(a, XC_FORWARD, XC_PRECISION_16, &size, 1, in, out), "no plan");
		CHECK(!run(a, XC_INVERSE, XC_PRECISION_16, &size, 1, out, back), "no plan");
		long double error = 0;
		for (size_t i = 0; i < area(&bands); i++)
			error = fmaxl(error, fabsl(out[i] - wanted[i]));
		CHECK(error < (scale == 0 ? 1 : scale == 1 ? 2 : 5), "scale %d: off by %Lg", scale, error);
		const long double returned =
			largest_difference(in, back, XC_PRECISION_16, area(&size));
		CHECK(returned <= (scale == 2 ? 2 : 1), "scale %d: back to within %Lg", scale, returned);
	}
	(void)level;
	free(in);
	free(out);
	free(back);
	free(samples);
	free(wanted);
}

/* Extreme coefficients, which no picture has, saturate. */
static void short_extremes(void)
{
	const xc_transform_size size = { 1, 8, 8 };
	int16_t in[64], out[64];
	uint64_t seed = 7;
	for (int run_number = 0; run_number < 100; run_number++) {
		for (int i = 0; i < 64; i++)
			in[i] = check_random(&seed) & 1 ? INT16_MAX : INT16_MIN;
		if (run_number == 0)
			for (int i = 0; i < 64; i++)
				in[i] = INT16_MAX;
		const xc_algorithm *a = xc_algorithm_find("cpu-short");
		CHECK(!run(a, XC_FORWARD, XC_PRECISION_16, &size, 1, in, out), "no plan");
		if (run_number == 0)
			CHECK(out[0] == INT16_MAX && out[1] == 0, "%d %d", out[0], out[1]);
		CHECK(!run(a, XC_INVERSE, XC_PRECISION_16, &size, 1, in, out), "no plan");
	}
}

/* ----------------------------------------------------------- interface */

static void impossible_plans(void)
{
	static const xc_transform_size bad[] = { { 1, 0, 8 }, { 1, 8, 0 }, { 2, 8, 8 },
		                                 { 1, (size_t)-1, 8 }, { 1, 8, (size_t)-1 },
		                                 { 1, (size_t)1 << 40, (size_t)1 << 40 } };
	for (const xc_algorithm *const *a = xc_algorithms(); *a; a++) {
		if (!is_banded(*a))
			continue;
		const xc_precision p = (*a)->precisions & XC_PRECISION_16 ? XC_PRECISION_16
		                                                         : XC_PRECISION_32;
		for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
			CHECK(!xc_plan_new(*a, XC_FORWARD, p, &bad[i], 1), "%s, size %zu", (*a)->name, i);
		const xc_transform_size good = { 1, 9, 9 }, odd = { 1, 16, 9 };
		xc_transform_size out;
		CHECK(!xc_plan_new(*a, XC_FORWARD, p, &good, 0), "%s without threads", (*a)->name);
		CHECK(!xc_plan_new(*a, XC_FORWARD, (xc_precision)0, &good, 1), "%s", (*a)->name);
		CHECK((*a)->output_size(XC_INVERSE, &odd, &out), "%s takes 16x9 bands", (*a)->name);
		CHECK(xc_algorithm_find((*a)->name) == *a, "%s is not found", (*a)->name);
		CHECK((*a)->summary && (*a)->source && (*a)->scaling, "%s has no text", (*a)->name);
	}
	CHECK(!xc_algorithm_find("cpu-nothing"), "found");
	xc_plan_free(NULL);
}

int main(void)
{
	for (int i = 0; i < LEVELS; i++) {
		if (!use_level(levels[i])) {
			check_begin("transforms at level %s", levels[i]);
			check_skip("this processor has no %s", levels[i]);
			check_end();
			continue;
		}
		all_definitions(levels[i]);
		every_size_of_lapped(levels[i]);
		if (strcmp(levels[i], "scalar") != 0)
			large_arrays(levels[i]);
		check_begin("cpu-short, %s", levels[i]);
		short_blocks(levels[i]);
		short_extremes();
		check_end();
	}
	unsetenv("XC_CPU");
	RUN(threads_make_no_difference);
	RUN(coding_gains);
	RUN(linear_phase);
	RUN(flat_frames_stay_flat);
	RUN(impossible_plans);
	return check_done();
}
