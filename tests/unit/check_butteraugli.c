/* SPDX-License-Identifier: BSD-2-Clause */
/* xc_butteraugli() against what butteraugli_main of libjxl (August 2026) prints for pictures that
 * are made here, and against itself. */
#include "src/core/context.h"
#include "src/metrics/metrics.h"
#include "tests/support/memory_checks.h"

#include <math.h>

/* A slope, squares and noise of integers. damage: 0, or the steps to which samples are rounded. */
static xc_picture make(uint32_t width, uint32_t height, uint32_t channels, uint32_t depth,
                       uint32_t damage)
{
	xc_picture p = {width, height, channels, depth, (size_t)width * channels * depth / 8, NULL};
	uint32_t noise = 1;

	p.data = calloc(height, p.stride);
	for (uint32_t i = 0; i < width * height * channels; i++) {
		const uint32_t c = i % channels, x = i / channels % width, y = i / channels / width;
		noise = noise * 1664525 + 1013904223;
		uint32_t v = (x * (3 + c) + y * 2 + (x / 7 + y / 5) % 2 * 60 + (noise >> 27)) % 256;
		if (damage && c < 3)
			v = v / damage * damage + damage / 2;
		if (depth == 8)
			((uint8_t *)p.data)[i] = (uint8_t)v;
		else
			((uint16_t *)p.data)[i] = (uint16_t)(v * 256 + x);
	}
	return p;
}

#define NEAR(a, b) (fabs((a) - (b)) <= 0.0005 * (b))

static const struct {
	uint32_t width, height, channels, depth, damage;
	double norm3, max; /* 0: too small for the program */
} cases[] = {
	{61, 45, 3, 8, 12, 6.471648, 13.849108},
	{61, 45, 3, 8, 100, 6.727336, 11.855911},
	{37, 90, 3, 16, 20, 0.796680, 1.257261},
	{33, 29, 4, 8, 30, 1.104751, 1.862744},
	{30, 31, 2, 8, 30, 1.960606, 2.966592},
	{8, 8, 3, 8, 20, 0.665400, 0.830578},
	{14, 15, 3, 8, 20, 0.734088, 1.116198},
	{300, 17, 3, 8, 40, 16.921992, 32.476925},
	{7, 5, 3, 8, 40, 0, 0},
	{1, 1, 3, 8, 40, 0, 0},
};

static void as_the_program(void)
{
	OWN_CONTEXT context = xc_test_context();

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		OWN_PICTURE a = make(cases[i].width, cases[i].height, cases[i].channels, cases[i].depth, 0);
		OWN_PICTURE b = make(cases[i].width, cases[i].height, cases[i].channels, cases[i].depth,
		                     cases[i].damage);
		double first[2] = {0, 0}, got[2];
		for (xc_cpu cpu = XC_CPU_SCALAR; cpu < XC_CPU_LEVELS; cpu++) {
			context->cpu = xc_cpu_usable(cpu) ? cpu : XC_CPU_SCALAR;
			REQUIRE_OK(context, xc_butteraugli(context, &a, &b, 0, &got[0], &got[1]));
			if (first[0] == 0)
				memcpy(first, got, sizeof got);
			CHECK(memcmp(first, got, sizeof got) == 0, "%zu: %s differs", i, xc_cpu_name(cpu));
		}
		CHECK(cases[i].max > 0 ? NEAR(got[0], cases[i].norm3) && NEAR(got[1], cases[i].max)
		                       : got[0] > 0.5 && got[0] <= got[1] && got[1] < 50,
		      "%zu: %.6f %.6f", i, got[0], got[1]);
		REQUIRE_OK(context, xc_butteraugli(context, &b, &b, 0, &got[0], &got[1]));
		CHECK(got[0] == 0 && got[1] == 0, "%zu: %g %g for equal pictures", i, got[0], got[1]);
	}
}

/* Grey is the same as three equal channels, 8 bits the same as 16, an opaque alpha as none. */
static void layouts(void)
{
	OWN_CONTEXT context = xc_test_context();
	OWN_PICTURE a = make(20, 18, 1, 8, 0);
	OWN_PICTURE b = make(20, 18, 1, 8, 30);
	OWN_PICTURE other = make(20, 18, 4, 16, 0);
	uint16_t *to = other.data;
	double one[2], two[2];

	for (uint32_t i = 0; i < 20 * 18 * 4; i++)
		to[i] = i % 4 == 3 ? 65535 : (uint16_t)(((const uint8_t *)a.data)[i / 4] * 257);
	REQUIRE_OK(context, xc_butteraugli(context, &a, &b, 0, &one[0], &one[1]));
	REQUIRE_OK(context, xc_butteraugli(context, &other, &b, 0, &two[0], &two[1]));
	CHECK(one[0] == two[0] && one[1] == two[1], "%g %g, %g %g", one[0], one[1], two[0], two[1]);
	xc_test_limits(context, 1000, 100000, 0);
	CHECK(xc_butteraugli(context, &a, &b, 0, &one[0], &one[1]) == XC_ERR_LIMIT && one[0] == 0,
	      "the limit of memory");
	b.width--;
	CHECK(xc_butteraugli(context, &a, &b, 0, &one[0], &one[1]) == XC_ERR_ARGUMENT, "another size");
}

/* Wide pictures are compared in strips. Distances about a bar of wrong samples do not depend on where
 * it is: `at`, a multiple of the period of the pattern, within a strip or at the edge of one. */
static void bar_in(xc_context *context, uint32_t at, double got[2])
{
	enum { WIDTH = 2304, HEIGHT = 40, PERIOD = 64 };
	OWN_PICTURE a = make(WIDTH, HEIGHT, 3, 8, 0);
	OWN_PICTURE b = make(WIDTH, HEIGHT, 3, 8, 0);

	for (uint32_t i = 0; i < WIDTH * HEIGHT * 3; i++) {
		const uint32_t x = i / 3 % WIDTH;
		const uint8_t v = ((uint8_t *)a.data)[i - (x - x % PERIOD) * 3];
		((uint8_t *)a.data)[i] = v;
		((uint8_t *)b.data)[i] = x + 9 >= at && x < at + 7 ? v ^ 33 : v;
	}
	REQUIRE_OK(context, xc_butteraugli(context, &a, &b, 0, &got[0], &got[1]));
}

static void strips(void)
{
	OWN_CONTEXT context = xc_test_context();
	double inside[2], edge[2];

	bar_in(context, 512, inside);
	for (uint32_t at = 1024 - 64; at <= 1024 + 64; at += 64) {
		bar_in(context, at, edge);
		CHECK(edge[0] == inside[0] && edge[1] == inside[1] && inside[1] > 0.5,
		      "%u: %.9f %.9f, not %.9f %.9f", at, edge[0], edge[1], inside[0], inside[1]);
	}
}

int main(void)
{
	RUN(as_the_program, layouts, strips);
	return check_done();
}
