/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the theory says of the blockwise and lapped transforms: coding gains, linear
 * phase, flat frames; the transform in 16-bit integers; what is no plan.
 */
#include "tests/support/band_reference.h"
#include "lab/tests/transform_arrays.h"

/* ------------------------------------------------------------- theory */

/* The basis functions by transforming impulses, from a place without edges. */
static void measure(const xc_algorithm *algorithm, reference *r)
{
	const xc_transform_size size = {1, 8, 72};

	OWNED double *in = make(XC_PRECISION_64, area(&size)),
				 *out = make(XC_PRECISION_64, area(&size));
	*r = (reference){.length = 24, .first = -8};
	for (size_t n = 0; n < 24; n++) {
		for (size_t i = 0; i < area(&size); i++)
			in[i] = i % 72 == 24 + n;
		CHECK(!run(algorithm, XC_FORWARD, XC_PRECISION_64, &size, 1, in, out), "no plan");
		/* constant columns have a DC of sqrt(8) */
		for (size_t k = 0; k < 8; k++)
			r->basis[k][n] = (long double)out[32 + k] / sqrtl(8);
	}
}

static void coding_gains(void)
{
	static const struct {
		const char *name;
		double gain;
	} wanted[] = {
		{"cpu-aan", 8.83},           {"cpu-flmad", 8.83}, {"cpu-feig2d", 8.83},
		{"cpu-flot-symmetric", 9.2}, {"cpu-tdlt", 9.26},  {"cpu-genlot", 9.379},
	};

	setenv("XC_CPU", "scalar", 1);
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		const xc_algorithm *a = xc_algorithm_find(wanted[i].name);
		REQUIRE(a, "%s is missing", wanted[i].name);
		reference r;
		measure(a, &r);
		const double gain = reference_gain(&r, 0.95);
		CHECK(fabs(gain - wanted[i].gain) < 0.01, "%s: %.4f dB instead of %.3f", wanted[i].name,
		      gain, wanted[i].gain);
	}
}

/* Even coefficients have symmetric basis functions, odd ones antisymmetric, and
 * only the first sees a constant. */
static void linear_phase(void)
{
	static const char *const names[] = {"cpu-flot-symmetric", "cpu-tdlt", "cpu-genlot"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		reference r;
		measure(xc_algorithm_find(names[i]), &r);
		for (int k = 0; k < 8; k++) {
			long double sum = 0;
			for (int n = 0; n < 24; n++) {
				const long double mirrored = r.basis[k][23 - n] * (k % 2 ? -1 : 1);
				CHECK(fabsl(r.basis[k][n] - mirrored) < 1e-14L, "%s: band %d at %d", names[i], k,
				      n);
				sum += r.basis[k][n];
			}
			CHECK(fabsl(sum - (k ? 0 : sqrtl(8))) < 1e-14L, "%s: band %d sums to %Lg", names[i], k,
			      sum);
		}
	}
}

/* A flat frame has nothing but DC up to its very edges. */
static void flat_frames_stay_flat(void)
{
	static const char *const names[] = {"cpu-aan", "cpu-flot-symmetric", "cpu-tdlt", "cpu-genlot"};
	const xc_transform_size size = {1, 24, 40};

	OWNED double *in = make(XC_PRECISION_64, area(&size)),
				 *out = make(XC_PRECISION_64, area(&size));
	for (size_t i = 0; i < area(&size); i++)
		in[i] = 100;
	for (size_t a = 0; a < sizeof names / sizeof *names; a++) {
		run(xc_algorithm_find(names[a]), XC_FORWARD, XC_PRECISION_64, &size, 1, in, out);
		for (size_t i = 0; i < area(&size); i++) {
			const double wanted = i / 40 % 8 || i % 8 ? 0 : 800;
			CHECK(fabs(out[i] - wanted) < 1e-10, "%s: %g at %zu", names[a], out[i], i);
		}
	}
}

/* ------------------------------------------------------------ 16 bits */

static void short_blocks(void)
{
	const xc_algorithm *a = xc_algorithm_find("cpu-short");
	const xc_transform_size size = {1, 83, 107};
	const xc_transform_size bands = bands_of(a, &size);

	OWNED int16_t *in = make_random(XC_PRECISION_16, area(&size));
	OWNED int16_t *out = make(XC_PRECISION_16, area(&bands));
	OWNED int16_t *back = make(XC_PRECISION_16, area(&size));
	OWNED long double *samples = make(XC_PRECISION_80, area(&size));
	OWNED long double *wanted = make(XC_PRECISION_80, area(&bands));
	reference r;
	reference_dct(&r);
	/* 9 bits, 11 bits, 13 bits */
	static const int allowed[3] = {1, 2, 8}, allowed_back[3] = {1, 1, 4};
	for (int scale = 0; scale < 3; scale++) {
		for (size_t i = 0; i < area(&size); i++) {
			in[i] = (int16_t)(scale ? in[i] * 4 : in[i] / 4);
			samples[i] = in[i];
		}
		CHECK(!reference_forward(&r, samples, size.rows, size.cols, wanted), "no memory");
		CHECK(!run(a, XC_FORWARD, XC_PRECISION_16, &size, 1, in, out), "no plan");
		CHECK(!run(a, XC_INVERSE, XC_PRECISION_16, &size, 1, out, back), "no plan");
		long double error = 0;
		for (size_t i = 0; i < area(&bands); i++)
			error = fmaxl(error, fabsl(out[i] - wanted[i]));
		CHECK(error < allowed[scale], "scale %d: off by %Lg", scale, error);
		const long double returned = largest_difference(in, back, XC_PRECISION_16, area(&size));
		CHECK(returned <= allowed_back[scale], "scale %d: back to within %Lg", scale, returned);
	}
}

/* Extreme coefficients, which no picture has, saturate. */
static void short_extremes(void)
{
	const xc_transform_size size = {1, 8, 8};
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
	enum { HIGH = 5 * sizeof(size_t) }; /* a bit whose square is too large for a size */
	static const xc_transform_size bad[] = {{1, 0, 8},
	                                        {1, 8, 0},
	                                        {2, 8, 8},
	                                        {1, (size_t)-1, 8},
	                                        {1, 8, (size_t)-1},
	                                        {1, (size_t)1 << HIGH, (size_t)1 << HIGH}};

	for (const xc_algorithm *const *a = xc_cpu_algorithms; *a; a++) {
		if (!is_banded(*a))
			continue;
		const xc_precision p = (*a)->precisions & XC_PRECISION_16 ? XC_PRECISION_16
		                                                          : XC_PRECISION_32;
		for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
			CHECK(!xc_plan_new(*a, XC_FORWARD, p, &bad[i], 1), "%s, size %zu", (*a)->name, i);
		const xc_transform_size good = {1, 9, 9}, odd = {1, 16, 9};
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
		check_begin("cpu-short, %s", levels[i]);
		if (use_level(levels[i])) {
			short_blocks();
			short_extremes();
		} else {
			check_skip("this processor has no %s", levels[i]);
		}
		check_end();
	}
	unsetenv("XC_CPU");
	RUN(coding_gains);
	RUN(linear_phase);
	RUN(flat_frames_stay_flat);
	RUN(impossible_plans);
	return check_done();
}
