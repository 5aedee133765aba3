/* SPDX-License-Identifier: BSD-2-Clause */
/* Bjontegaard's deltas against published numbers and numbers worked out by hand. */
#include "sweep/bd_table.h"

#include "sweep/bd.h"
#include "tests/support/check.h"

#include <math.h>

typedef struct curve {
	double rate[4], quality[4];
} curve;

static xc_sweep_curve made(const curve *c)
{
	xc_sweep_curve made = {.count = 0};
	for (int i = 3; i >= 0; i--)
		xc_sweep_curve_add(&made, c->rate[i], c->quality[i]);
	return made;
}

static xc_sweep_delta compared(const curve *anchor, const curve *c)
{
	const xc_sweep_curve a = made(anchor), b = made(c);
	return xc_sweep_compare(&a, &b, 0, INFINITY);
}

/* Two sequences of JCTVC-E137 (Geneva, 2011), in kbit/s and dB of luma, with the BD-rates of its
 * spreadsheet, as the tests of VMAF quote them (python/test/bd_rate_calculator_test.py, 2024). */
static void spreadsheet_of_jct_vc(void)
{
	static const curve anchors[] = {{{108048.8736, 61279.976, 33905.6656, 18883.6928},
	                                 {43.6471, 40.3953, 37.247, 34.2911}},
	                                {{40433.8848, 7622.7456, 2394.488, 1017.6184},
	                                 {37.5761, 35.3756, 33.8977, 32.0603}}};
	static const curve tests[] = {{{108061.2784, 61299.9936, 33928.7472, 18910.912},
	                               {43.6768, 40.4232, 37.2761, 34.3147}},
	                              {{40370.12, 7587.0024, 2390.0944, 1017.0984},
	                               {37.5982, 35.4025, 33.9194, 32.0822}}};
	static const double percent[] = {-0.465215420752807, -1.8779823450567612};
	for (size_t i = 0; i < COUNT(percent); i++) {
		const xc_sweep_delta d = compared(&anchors[i], &tests[i]);
		CHECK(fabs(d.percent - percent[i]) < 0.001, "%.6f", d.percent);
	}
}

/* 20 % fewer bits everywhere; then 1 dB more. */
static void shifted(void)
{
	const curve anchor = {{2, 1, 0.5, 0.2}, {40, 36, 33, 30}};
	curve fewer = anchor, better = anchor;
	for (int i = 0; i < 4; i++) {
		fewer.rate[i] *= 0.8;
		better.quality[i] += 1;
	}
	CHECK(fabs(compared(&anchor, &fewer).percent + 20) < 1e-9, "%g",
	      compared(&anchor, &fewer).percent);
	CHECK(fabs(compared(&anchor, &better).quality - 1) < 1e-9, "%g",
	      compared(&anchor, &better).quality);
	CHECK(fabs(compared(&anchor, &anchor).percent) < 1e-9, "%g",
	      compared(&anchor, &anchor).percent);
}

static xc_sweep_curve line(double rate0, double quality0, double rate1, double quality1)
{
	xc_sweep_curve c = {.count = 0};
	xc_sweep_curve_add(&c, rate0, quality0);
	xc_sweep_curve_add(&c, rate1, quality1);
	return c;
}

/* Lines through two points.  The second begins at 32 dB, so 32 to 40 dB count: its logarithm is more
 * by log 2 + (q - 30) / 10 log 2, on average by 1.6 log 2.  From rate 0.5 * 8^0.2 on to 1 it has less
 * quality: at rate 2^x that is (40 + 5 x) - (30 + 10 (x + 1) / 3), on average over x from -0.4 to 0. */
static void lines(void)
{
	const xc_sweep_curve a = line(0.25, 30, 1, 40), b = line(0.5 * pow(8, 0.2), 32, 4, 40);
	const xc_sweep_delta d = xc_sweep_compare(&a, &b, 0, INFINITY);
	CHECK(fabs(d.percent - 100 * (pow(2, 1.6) - 1)) < 1e-9, "%.9f", d.percent);
	CHECK(fabs(d.quality + 10 - 10.0 / 3 - 0.2 * 5 / 3) < 1e-9, "%.9f", d.quality);
	const xc_sweep_delta part = xc_sweep_compare(&a, &b, 0.5, 1);
	CHECK(fabs(part.covered - 0.4) < 1e-9, "%.9f", part.covered);
}

static void no_overlap(void)
{
	const xc_sweep_curve a = line(0.25, 30, 1, 40), above = line(0.25, 41, 1, 45);
	const xc_sweep_curve beyond = line(2, 30, 3, 40), none = {.count = 1};
	xc_sweep_delta d = xc_sweep_compare(&a, &above, 0, INFINITY);
	CHECK(isnan(d.percent) && d.quality > 4, "%g, %g", d.percent, d.quality);
	d = xc_sweep_compare(&a, &beyond, 0, INFINITY);
	CHECK(isnan(d.quality) && d.percent > 100, "%g, %g", d.percent, d.quality);
	d = xc_sweep_compare(&a, &none, 0, INFINITY);
	CHECK(isnan(d.quality) && isnan(d.percent), "%g, %g", d.percent, d.quality);
}

/* Points that do not rise, or are no numbers, do not count. */
static void points_left_out(void)
{
	xc_sweep_curve c = line(0.25, 30, 1, 40);
	xc_sweep_curve_add(&c, 2, 40);
	xc_sweep_curve_add(&c, 1, 41);
	xc_sweep_curve_add(&c, 2, INFINITY);
	xc_sweep_curve_add(&c, 2, NAN);
	xc_sweep_curve_add(&c, 0, 50);
	CHECK(c.count == 2, "%d", c.count);
	for (int i = 0; i < 1000; i++)
		xc_sweep_curve_add(&c, 2 + i, 50 + i);
	CHECK(c.count == XC_SWEEP_CURVE_POINTS, "%d", c.count);
}

/* Two pictures, of which the second has no overlap, and a codec with falling numbers of quality. */
static void table(void)
{
	const xc_sweep_picture pictures[2] = {{.name = "a"}, {.name = "b"}};
	const xc_sweep_config configs[2] = {{.name = "x"}, {.name = "y"}};
	xc_sweep_point points[8];
	xc_sweep_bd_table t;
	for (uint32_t i = 0; i < 8; i++) {
		const uint32_t picture = i / 4, config = i / 2 % 2, second = i % 2 != config;
		const double db = 30 + 10.0 * second + 100.0 * (picture && config);
		points[i] = (xc_sweep_point){.picture = picture, .config = config, .quality = i % 2};
		points[i].bytes = (second ? 4000 : 1000) * (config + 1);
		for (int m = 0; m < XC_SWEEP_METRICS; m++)
			points[i].metric[m] = m < XC_SWEEP_SSIM_Y ? db : 1 - pow(10, -db / 10);
	}
	const xc_sweep_results results = {pictures, configs, points, 2, 2, 8};
	REQUIRE(xc_sweep_bd_table_make(&t, &results) == 0, "no memory");
	for (int m = 0; m < XC_SWEEP_METRICS; m++) {
		const xc_sweep_bd *one = xc_sweep_bd_at(&t, (xc_sweep_metric)m, 0, 0, 1);
		const xc_sweep_bd *other = xc_sweep_bd_at(&t, (xc_sweep_metric)m, 1, 0, 1);
		const xc_sweep_bd *mean = xc_sweep_bd_at(&t, (xc_sweep_metric)m, 2, 1, 0);
		CHECK(fabs(one->rate - 100) < 1e-3 && one->pictures == 1, "%d: %g", m, one->rate);
		CHECK(isnan(other->rate) && other->pictures == 0, "%d: %g", m, other->rate);
		CHECK(fabs(mean->rate + 50) < 1e-3 && mean->pictures == 1, "%d: %g", m, mean->rate);
	}
	xc_sweep_bd_table_free(&t);
}

int main(void)
{
	RUN(spreadsheet_of_jct_vc, shifted, lines, no_overlap, points_left_out, table);
	return check_done();
}
