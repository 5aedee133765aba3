/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The arithmetic counts that the kernels' header comments state, by running the
 * kernels on a type whose operations count themselves.  The type is a structure,
 * so an operation that went past the counters would not compile.
 */
#include <math.h>
#include <string.h>

#include "tests/support/check.h"

typedef struct counted {
	double value;
} counted;

typedef struct counts {
	unsigned additions, multiplications, multiply_adds, halvings;
} counts;

static counts done;

static counted add(counted a, counted b)
{
	done.additions++;
	return (counted){a.value + b.value};
}

static counted subtract(counted a, counted b)
{
	done.additions++;
	return (counted){a.value - b.value};
}

static counted multiply(counted a, double k)
{
	done.multiplications++;
	return (counted){a.value * k};
}

static counted multiply_add(counted a, double k, counted c)
{
	done.multiply_adds++;
	return (counted){a.value * k + c.value};
}

static counted halve(counted a)
{
	done.halvings++;
	return (counted){a.value / 2};
}

#define XC_V counted
#define XC_REAL double
#define XC_ADD(a, b) add(a, b)
#define XC_SUB(a, b) subtract(a, b)
#define XC_MUL(a, k) multiply(a, k)
#define XC_HALVE(a) halve(a)
#define XC_MADD(a, k, c) multiply_add(a, k, c)
#include "lab/kernels/dct8.h"
#include "lab/kernels/lapped8.h"

static const long double ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
static const long double aan_scales[8] = XC_DCT8_AAN_SCALES;
static const long double flmad_scales[8] = XC_DCT8_FLMAD_SCALES;

typedef void (*kernel)(counted *x);

static void fill(counted *x, int n)
{
	uint64_t seed = 3;
	for (int i = 0; i < n; i++)
		x[i].value = (double)(check_random(&seed) % 512) - 256;
}

static void expect(const char *what, counts wanted)
{
	CHECK(!memcmp(&done, &wanted, sizeof done),
	      "%s: %u additions, %u multiplications, %u multiply-adds, %u halvings", what,
	      done.additions, done.multiplications, done.multiply_adds, done.halvings);
	done = (counts){0, 0, 0, 0};
}

/* Counts, and that a kernel and its inverse are what they are called. */
static void expect_dct8(const char *name, kernel forward, kernel inverse,
                        const long double scale[8], counts wanted, counts wanted_back)
{
	counted x[8], y[8];

	fill(x, 8);
	memcpy(y, x, sizeof y);
	forward(y);
	expect(name, wanted);
	for (int k = 0; k < 8; k++) {
		double sum = 0;
		for (int n = 0; n < 8; n++)
			sum += x[n].value * cos((2 * n + 1) * k * acos(-1) / 16);
		const double dct = sum * sqrt(k ? 0.25 : 0.125);
		const double found = y[k].value * (double)scale[k];
		CHECK(fabs(dct - found) < 1e-11, "%s %d: %g, %g", name, k, found, dct);
		y[k].value = dct * (double)scale[k];
	}
	inverse(y);
	expect(name, wanted_back);
	for (int n = 0; n < 8; n++)
		CHECK(fabs(x[n].value - y[n].value) < 1e-11, "%s inverse %d", name, n);
}

static void dct_of_8_points(void)
{
	const counts direct = {56, 72, 0, 0}, matrix = {0, 8, 56, 0};
	const counts evenodd = {14, 8, 14, 0}, aan = {29, 5, 0, 0}, flmad = {16, 0, 10, 0};

	expect_dct8("direct", xc_dct8_direct_forward, xc_dct8_direct_inverse, ones, direct, direct);
	expect_dct8("matrix", xc_dct8_matrix_forward, xc_dct8_matrix_inverse, ones, matrix, matrix);
	expect_dct8("evenodd", xc_dct8_evenodd_forward, xc_dct8_evenodd_inverse, ones, evenodd,
	            evenodd);
	expect_dct8("aan", xc_dct8_aan_forward, xc_dct8_aan_inverse, aan_scales, aan, aan);
	expect_dct8("flmad", xc_dct8_flmad_forward, xc_dct8_flmad_inverse, flmad_scales, flmad, flmad);
}

static void dct_of_8x8_points(void)
{
	const counts wanted = {462, 54, 0, 6};
	counted x[64], y[64];

	fill(x, 64);
	memcpy(y, x, sizeof y);
	xc_dct8x8_feig_forward(y);
	expect("feig forward", wanted);
	for (int i = 0; i < 64; i++)
		y[i].value *= (double)(aan_scales[i / 8] * aan_scales[i % 8]);
	double before = 0, after = 0;
	for (int i = 0; i < 64; i++) {
		before += x[i].value * x[i].value;
		after += y[i].value * y[i].value;
		y[i].value *= (double)(aan_scales[i / 8] * aan_scales[i % 8]);
	}
	CHECK(fabs(after / before - 1) < 1e-13, "energy %g of %g", after, before);
	xc_dct8x8_feig_inverse(y);
	expect("feig inverse", wanted);
	for (int i = 0; i < 64; i++)
		CHECK(fabs(x[i].value - y[i].value) < 1e-11, "feig at %d", i);
}

static void lapped_transforms(void)
{
	static const struct {
		const char *name;
		kernel run;
		counts wanted;
	} steps[] = {
		{"lot block", xc_flot8_forward_block, {16, 4, 18, 0}},
		{"lot edge", xc_flot8_forward_edge, {8, 6, 6, 0}},
		{"lot edge back", xc_flot8_inverse_edge, {8, 6, 6, 0}},
		{"lot block back", xc_flot8_inverse_block, {24, 8, 10, 0}},
		{"tdlt filter", xc_tdlt8_pre_filter, {12, 4, 12, 0}},
		{"tdlt filter back", xc_tdlt8_post_filter, {12, 4, 12, 0}},
		{"genlot block", xc_genlot8_forward_block, {24, 8, 22, 0}},
		{"genlot edge", xc_genlot8_forward_edge, {16, 4, 12, 0}},
		{"genlot end", xc_genlot8_forward_end, {8, 4, 12, 0}},
		{"genlot end back", xc_genlot8_inverse_end, {8, 4, 12, 0}},
		{"genlot edge back", xc_genlot8_inverse_edge, {16, 4, 12, 0}},
		{"genlot block back", xc_genlot8_inverse_block, {24, 8, 22, 0}},
	};
	counted x[8];

	fill(x, 8);
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		steps[i].run(x);
		expect(steps[i].name, steps[i].wanted);
	}
}

int main(void)
{
	RUN(dct_of_8_points, dct_of_8x8_points, lapped_transforms);
	return check_done();
}
