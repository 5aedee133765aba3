/* SPDX-License-Identifier: BSD-2-Clause */
/* A sweep's numbers: Bjontegaard's deltas against published ones and some worked out by hand. Parts
 * of its report: text in markup, base64 (the vectors of RFC 4648), means, the choice of files of
 * equal size and of the part that is shown, drawings of nothing, output that fails. */
#include <math.h>
#include <stdlib.h>

#include "sweep/bd.h"
#include "sweep/report/html_parts.h"
#include "sweep/results.h"
#include "tests/support/check.h"

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

/* Lines through two points. The second begins at 32 dB, so 32 to 40 dB count: its logarithm is
 * more by log 2 + (q - 30) / 10 log 2, on average by 1.6 log 2. From rate 0.5 * 8^0.2 on to 1
 * it has less quality: at rate 2^x that is (40 + 5 x) - (30 + 10 (x + 1) / 3), on average over
 * x from -0.4 to 0. */
static void lines(void)
{
	const xc_sweep_curve a = line(0.25, 30, 1, 40), b = line(0.5 * pow(8, 0.2), 32, 4, 40);
	const xc_sweep_delta d = xc_sweep_compare(&a, &b, 0, INFINITY);

	CHECK(fabs(d.percent - 100 * (pow(2, 1.6) - 1)) < 1e-9, "%.9f", d.percent);
	CHECK(fabs(d.quality + 10 - 10.0 / 3 - 0.2 * 5 / 3) < 1e-9, "%.9f", d.quality);
	const xc_sweep_delta part = xc_sweep_compare(&a, &b, 0.5, 1);
	CHECK(fabs(part.covered - 0.4) < 1e-9, "%.9f", part.covered);
	/* From 30 to 36 both have 32 to 36, where the second takes 1.4 log 2 more on average. */
	const xc_sweep_delta between = xc_sweep_compare_between(&a, &b, 30, 36);
	CHECK(fabs(between.covered - 2.0 / 3) < 1e-9, "%.9f", between.covered);
	CHECK(fabs(between.percent - 100 * (pow(2, 1.4) - 1)) < 1e-9, "%.9f", between.percent);
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
			points[i].metric[m] = xc_sweep_measures[m].is_ssim       ? 1 - pow(10, -db / 10)
			                      : xc_sweep_measures[m].is_distance ? pow(10, -db / 20)
			                                                         : db;
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

/* Parts of a sweep's report: text in markup, base64 (the vectors of RFC 4648), axes, means,
 * the choice of files of equal size and of the part that is shown, drawings of nothing,
 * output that fails. */

/* What a function writes into memory. */
static char written[4096];

static FILE *start_writing(void)
{
	memset(written, 0, sizeof written);
	return fmemopen(written, sizeof written, "w");
}

static void markup(void)
{
	static const char *const cases[][2] = {
		{"<a href=\"x\">&'", "&lt;a href=&quot;x&quot;&gt;&amp;&#39;"},
		{"gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f"},
		{"\xc0\x80", "\xef\xbf\xbd\xef\xbf\xbd"},                 /* overlong */
		{"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* a surrogate */
		{"a\xe2\x82", "a\xef\xbf\xbd\xef\xbf\xbd"},               /* cut off */
		{"\x01\x7f\n", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xef\xbf\xbe\xef\xbf\xbf", "\xef\xbf\xbd\xef\xbf\xbd"}, /* no characters of XML */
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		FILE *out = start_writing();
		xc_sweep_put_text(out, cases[i][0]);
		fclose(out);
		CHECK(!strcmp(written, cases[i][1]), "case %zu: %s", i, written);
	}
}

static void base64(void)
{
	static const char *const cases[][2] = {{"", ""},
	                                       {"f", "Zg=="},
	                                       {"fo", "Zm8="},
	                                       {"foo", "Zm9v"},
	                                       {"foob", "Zm9vYg=="},
	                                       {"fooba", "Zm9vYmE="},
	                                       {"foobar", "Zm9vYmFy"},
	                                       {"\xff\xfe\xfb\xff", "//77/w=="}};

	for (size_t i = 0; i < COUNT(cases); i++) {
		FILE *out = start_writing();
		xc_sweep_put_base64(out, cases[i][0], strlen(cases[i][0]));
		fclose(out);
		CHECK(!strcmp(written, cases[i][1]), "%s: %s", cases[i][0], written);
	}
}

/* --------------------------------------------------------------------- a sweep */

/* Two pictures; files of q * (100, 130) bytes for every tenth quality. */
enum { PICTURES = 2, CONFIGS = 2, QUALITIES = 9, POINTS = PICTURES * CONFIGS * QUALITIES };
static const xc_sweep_picture pictures[PICTURES] = {{"a", 256, 128, 3, 8, 255},
                                                    {"b", 64, 512, 3, 8, 255}};
static const xc_sweep_config configs[CONFIGS] = {{"x", "", NULL}, {"y", "", NULL}};
static xc_sweep_point points[POINTS];
static const xc_sweep_results results = {pictures, configs, points, PICTURES, CONFIGS, POINTS};

static uint64_t bytes_of(uint32_t config, double quality)
{
	return (uint64_t)(quality * (config ? 130 : 100));
}

static void make_points(void)
{
	for (uint32_t i = 0; i < POINTS; i++) {
		xc_sweep_point *p = &points[i];

		*p = (xc_sweep_point){.picture = i / (CONFIGS * QUALITIES),
		                      .config = i / QUALITIES % CONFIGS,
		                      .quality = 10 * (i % QUALITIES + 1),
		                      .encode_seconds = 1,
		                      .decode_seconds = NAN};
		p->bytes = bytes_of(p->config, p->quality);
		for (int k = 0; k < XC_SWEEP_METRICS; k++)
			p->metric[k] = 20 + p->quality / 5 + p->picture;
	}
}

static void means(void)
{
	size_t count;
	xc_sweep_row *rows = xc_sweep_rows(&results, XC_SWEEP_MEAN, &count);

	REQUIRE(rows && count == CONFIGS * QUALITIES, "%zu rows", count);
	CHECK(rows[0].bytes == 1000 && rows[0].metric[0] == 22.5, "%g, %g", rows[0].bytes,
	      rows[0].metric[0]);
	CHECK(fabs(rows[0].encode_speed - 32768e-6) < 1e-12, "%g", rows[0].encode_speed);
	CHECK(isnan(rows[0].decode_speed), "%g", rows[0].decode_speed);
	free(rows);

	const xc_sweep_results less = {pictures, configs, points, PICTURES, CONFIGS, POINTS - 1};
	rows = xc_sweep_rows(&less, XC_SWEEP_MEAN, &count);
	CHECK(rows && count == CONFIGS * QUALITIES - 1, "%zu rows", count);
	free(rows);
}

static int trials;

static int code(void *user, xc_sweep_point *point, xc_picture *decoded)
{
	(void)user;
	trials++;
	point->bytes = bytes_of(point->config, point->quality);
	return decoded ? -1 : 0;
}

/* Qualities between the measured ones bring the sizes within one of their steps. */
static void equal_sizes(void)
{
	const xc_sweep_viewer viewer = {.code = code};
	xc_sweep_point chosen[XC_SWEEP_SIZES * CONFIGS];
	size_t sizes;

	trials = 0;
	REQUIRE(xc_sweep_pairs(&results, 1, &viewer, chosen, &sizes) == 0, "failed");
	REQUIRE(sizes == 3, "%zu sizes", sizes);
	CHECK(trials <= 3 * CONFIGS * 5, "%d trials", trials);
	for (size_t i = 0; i < sizes; i++) {
		const xc_sweep_point *x = &chosen[i * CONFIGS], *y = x + 1;

		CHECK(x->config == 0 && y->config == 1 && x->picture == 1, "places");
		CHECK(fabs((double)x->bytes - (double)y->bytes) <= 65, "%d and %d", (int)x->bytes,
		      (int)y->bytes);
	}
	/* 0.25, 0.5 and 1 bit a pixel would be 1024, 2048 and 4096 bytes; y has no file below 1300. */
	CHECK(chosen[0].bytes == 1300 && chosen[2].bytes == 2000 && chosen[4].bytes == 4100,
	      "%d, %d, %d", (int)chosen[0].bytes, (int)chosen[2].bytes, (int)chosen[4].bytes);
}

/* Qualities of a digit after the point are tried in tenths. */
static void equal_sizes_in_tenths(void)
{
	const xc_sweep_viewer viewer = {.code = code};
	xc_sweep_point chosen[XC_SWEEP_SIZES * CONFIGS];
	size_t sizes;

	for (int i = 0; i < POINTS; i++)
		points[i].quality /= 4, points[i].bytes /= 4;
	REQUIRE(xc_sweep_pairs(&results, 1, &viewer, chosen, &sizes) == 0, "failed");
	for (size_t i = 0; i < sizes; i++) {
		const xc_sweep_point *x = &chosen[i * CONFIGS], *y = x + 1;

		CHECK(fabs((double)x->bytes - (double)y->bytes) <= 13, "%d and %d", (int)x->bytes,
		      (int)y->bytes);
	}
	make_points();
}

/* The part with errors is found, and where everything is equal it is inside the picture. */
static void crops(void)
{
	enum { WIDTH = 100, HEIGHT = 70 };
	static uint8_t original[HEIGHT][WIDTH], decoded[HEIGHT][WIDTH];
	const xc_picture a = {WIDTH, HEIGHT, 1, 8, WIDTH, original},
					 b = {WIDTH, HEIGHT, 1, 8, WIDTH, decoded};
	xc_sweep_cells cells;

	for (int y = 40; y < 50; y++)
		memset(decoded[y] + 60, 9, 10);
	REQUIRE(xc_sweep_cells_start(&cells, &a) == 0, "no memory");
	xc_sweep_cells_add(&cells, &a, &b);
	for (uint32_t side = 1; side < 130; side++) {
		const xc_sweep_crop c = xc_sweep_cells_best(&cells, &a, side);

		CHECK(c.x + c.width <= WIDTH && c.y + c.height <= HEIGHT && c.width && c.height,
		      "%u: %u, %u", side, c.x, c.y);
		CHECK(side < 32 || (c.x <= 60 && c.x + c.width >= 70 && c.y <= 40 && c.y + c.height >= 50),
		      "%u: %u, %u, %u, %u", side, c.x, c.y, c.width, c.height);
	}
	free(cells.mark);
}

static int write_html(FILE *out, const xc_sweep_results *what)
{
	return xc_sweep_html(out, what, NULL, NULL);
}

static void nothing_measured(void)
{
	const xc_sweep_results empty = {0}, no_points = {pictures, configs, NULL, PICTURES, CONFIGS, 0};
	FILE *out = fopen("/dev/null", "w");

	REQUIRE(out, "no /dev/null");
	CHECK(write_html(out, &empty) == 0 && write_html(out, &no_points) == 0, "html");
	fclose(out);
}

static void output_that_fails(void)
{
	FILE *out = fopen("/dev/full", "w");

	if (!out)
		SKIP("no /dev/full");
	setvbuf(out, NULL, _IONBF, 0);
	CHECK(write_html(out, &results) == -1, "written");
	fclose(out);
}

int main(void)
{
	RUN(spreadsheet_of_jct_vc, shifted, lines, no_overlap, points_left_out, table);
	make_points();
	RUN(markup, base64, means, equal_sizes, equal_sizes_in_tenths, crops, nothing_measured,
	    output_that_fails);
	return check_done();
}
