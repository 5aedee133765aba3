/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of a sweep's report: text in markup, base64 (the vectors of RFC 4648), means, the choice of files of
 * equal size and of the part that is shown, drawings of nothing, output that fails. */
#include "sweep/html.h"
#include "sweep/report/html_parts.h"
#include "sweep/results.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>

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
	make_points();
	RUN(markup, base64, means, equal_sizes, equal_sizes_in_tenths, crops, nothing_measured,
	    output_that_fails);
	return check_done();
}
