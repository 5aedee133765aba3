/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/report.h"
#include "sweep/results.h"
#include "sweep/text/report.h"
#include "cli/base/json.h"
#include "sweep/bd.h"

/* ------------------------------------------------------------- a picture's rows */

typedef struct column {
	const char *heading;
	int width, digits; /* -1 digits: a speed, three of them */
	size_t offset;     /* in xc_sweep_row */
} column;

#define AT(field) offsetof(xc_sweep_row, field)
#define METRIC(which) (AT(metric) + (which) * sizeof(double))

/* The more wanted, the further left; those to the speeds fill 79 columns. */
static const column columns[] = {
	{"quality", 7, -2, AT(quality)},
	{"bytes", 10, 0, AT(bytes)},
	{"bits/pixel", 11, 4, AT(bits_per_pixel)},
	{"SSIMULACRA2", 12, 3, METRIC(XC_SWEEP_SSIMULACRA2)},
	{"SSIM", 8, 5, METRIC(XC_SWEEP_SSIM_Y)},
	{"MS-SSIM", 8, 5, METRIC(XC_SWEEP_MS_SSIM_Y)},
	{"PSNR RGB", 9, 3, METRIC(XC_SWEEP_PSNR_RGB)},
	{"encode", 7, -1, AT(encode_speed)},
	{"decode", 7, -1, AT(decode_speed)},
	{"Butteraugli", 12, 4, METRIC(XC_SWEEP_BUTTERAUGLI)},
	{"largest", 8, 0, AT(max_abs_diff)},
	{"PSNR luma", 10, 3, METRIC(XC_SWEEP_PSNR_Y)},
	{"PSNR 6:1:1", 11, 3, METRIC(XC_SWEEP_PSNR_YCBCR)},
	{"red", 8, 3, METRIC(XC_SWEEP_PSNR_R)},
	{"green", 8, 3, METRIC(XC_SWEEP_PSNR_G)},
	{"blue", 8, 3, METRIC(XC_SWEEP_PSNR_B)},
};

enum { COLUMNS = sizeof columns / sizeof *columns };

/* How many columns fit. */
static int count_columns(int width)
{
	int count = 0;

	for (int used = 0; count < COLUMNS; count++)
		if ((used += columns[count].width) > width && count)
			break;
	return count;
}

/* An infinite PSNR is shown as printf's own "inf". */
static void print_number(FILE *to, const column *c, double value)
{
	const int digits = c->digits != -1 ? c->digits : value < 9.995 ? 2 : value < 99.95 ? 1 : 0;

	if (isnan(value))
		fprintf(to, "%*s", c->width, "-");
	else if (digits == -2)
		fprintf(to, "%*.6g", c->width, value);
	else
		fprintf(to, "%*.*f", c->width, digits, value);
}

static void print_row(FILE *to, const xc_sweep_row *row, int count)
{
	for (int i = 0; i < count; i++)
		print_number(to, &columns[i], *(const double *)((const char *)row + columns[i].offset));
	putc('\n', to);
}

static void print_title(FILE *to, const xc_sweep_results *r, long picture)
{
	char shown[XC_CLI_SHOWN];

	if (picture == XC_SWEEP_MEAN) {
		fprintf(to, "Mean of %zu picture%s\n", r->picture_count, xc_s(r->picture_count));
		return;
	}
	const xc_sweep_picture *p = &r->pictures[picture];
	xc_cli_escape(shown, sizeof shown, p->name);
	fprintf(to, "%s: %u x %u, %s, %u bits a sample, peak %u\n", shown, p->width, p->height,
	        xc_cli_name(XC_CLI_CHANNELS, p->channels), p->depth, p->peak);
}

/* With several configurations each begins with its name. */
static void print_rows(FILE *to, const xc_sweep_results *r, const xc_sweep_row *rows, size_t n,
                       int count)
{
	char shown[256];

	for (size_t i = 0; i < n; i++) {
		if (r->config_count > 1 && (!i || rows[i].config != rows[i - 1].config)) {
			const xc_sweep_config *c = &r->configs[rows[i].config];
			xc_cli_escape(shown, sizeof shown, c->name);
			fprintf(to, "%s", shown);
			xc_cli_escape(shown, sizeof shown, c->version ? c->version : "");
			fprintf(to, c->version ? " (%s)\n" : "%s\n", shown);
		}
		print_row(to, &rows[i], count);
	}
}

int xc_sweep_table(FILE *to, const xc_sweep_results *results, long picture, int width)
{
	const int count = count_columns(width);
	size_t n;
	xc_sweep_row *rows = xc_sweep_rows(results, picture, &n);

	if (!rows)
		return -1;
	print_title(to, results, picture);
	for (int i = 0; i < count; i++)
		fprintf(to, "%*s", columns[i].width, columns[i].heading);
	putc('\n', to);
	print_rows(to, results, rows, n, count);
	free(rows);
	return 0;
}

/* ----------------------------------------------------------------------- deltas */

enum { NAME_WIDTH = 14, DELTA_WIDTH = 11 };

static const struct {
	xc_sweep_metric metric;
	const char *heading;
} deltas[] = {{XC_SWEEP_SSIMULACRA2, "SSIMULACRA2"}, {XC_SWEEP_SSIM_Y, "SSIM luma"},
              {XC_SWEEP_MS_SSIM_Y, "MS-SSIM"},       {XC_SWEEP_PSNR_RGB, "PSNR RGB"},
              {XC_SWEEP_PSNR_Y, "PSNR luma"},        {XC_SWEEP_PSNR_YCBCR, "PSNR 6:1:1"}};

enum { DELTAS = sizeof deltas / sizeof *deltas };

/* "~": the mean is over those pictures alone that overlap. */
static void print_delta(FILE *to, const xc_sweep_bd *d, int rate, int partial)
{
	char text[DELTA_WIDTH + 1];
	const double value = rate ? d->rate : d->quality;

	if (isnan(value))
		snprintf(text, sizeof text, "no overlap");
	else
		snprintf(text, sizeof text, "%s%+.2f", partial ? "~" : "", value);
	fprintf(to, "%*s", DELTA_WIDTH, text);
}

static void print_delta_row(FILE *to, const xc_sweep_results *r, const xc_sweep_bd_table *bd,
                            size_t picture, size_t config, int rate)
{
	const int mean = picture == r->picture_count;
	char shown[XC_CLI_SHOWN] = "mean";

	if (!mean)
		xc_cli_escape(shown, sizeof shown, r->pictures[picture].name);
	fprintf(to, "%-*.*s", NAME_WIDTH, NAME_WIDTH - 1, shown);
	for (int i = 0; i < DELTAS; i++) {
		const xc_sweep_bd *d = xc_sweep_bd_at(bd, deltas[i].metric, picture, 0, config);
		print_delta(to, d, rate, mean && d->pictures < r->picture_count);
	}
	putc('\n', to);
}

static void print_delta_table(FILE *to, const xc_sweep_results *r, const xc_sweep_bd_table *bd,
                              size_t config, int rate)
{
	char name[256], anchor[256];
	const size_t rows = r->picture_count + (r->picture_count > 1);

	xc_cli_escape(name, sizeof name, r->configs[config].name);
	xc_cli_escape(anchor, sizeof anchor, r->configs[0].name);
	fprintf(to, "\n%s of '%s' against '%s', %s\n%-*s", rate ? "BD-rate" : "BD-PSNR", name, anchor,
	        rate ? "per cent" : "dB, of SSIMULACRA2 points", NAME_WIDTH, "picture");
	for (int i = 0; i < DELTAS; i++)
		fprintf(to, "%*s", DELTA_WIDTH, deltas[i].heading);
	putc('\n', to);
	for (size_t i = 0; i < rows; i++)
		print_delta_row(to, r, bd, i, config, rate);
}

void xc_sweep_deltas(FILE *to, const xc_sweep_results *results, const xc_sweep_bd_table *bd)
{
	for (size_t config = 1; config < results->config_count; config++)
		for (int rate = 1; rate >= 0; rate--)
			print_delta_table(to, results, bd, config, rate);
}

/* ------------------------------------------------------------------------- CSV */

/* A spreadsheet would run a text that begins like a formula, so an apostrophe comes first. */
static void put_field(FILE *csv, const char *text, int to_terminal)
{
	char shown[XC_CLI_SHOWN] = "";
	const int runs = *text && strchr("=+-@\t\r", *text);

	if (to_terminal) {
		xc_cli_escape(shown, sizeof shown, text);
		text = shown;
	}
	const int quoted = strpbrk(text, ",\"\r\n") != NULL;
	fputs(quoted ? "\"" : "", csv);
	fputs(runs ? "'" : "", csv);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', csv);
		putc(*text, csv);
	}
	fputs(quoted ? "\"" : "", csv);
}

/* After a comma; a measure that there is not leaves the field empty, an infinite PSNR is "inf". */
static void put_number(FILE *csv, double value, int digits)
{
	putc(',', csv);
	if (!isnan(value))
		fprintf(csv, "%.*f", digits, value);
}

/* The first columns are those of version 0.1; times come last. */
static void put_point(FILE *csv, const xc_sweep_run *run, const xc_sweep_point *p, int to_terminal)
{
	static const xc_sweep_metric more[] = {XC_SWEEP_PSNR_YCBCR, XC_SWEEP_PSNR_R, XC_SWEEP_PSNR_G,
	                                       XC_SWEEP_PSNR_B};
	const xc_sweep_picture *picture = &run->pictures[p->picture];
	const double pixels = (double)picture->width * picture->height;

	put_field(csv, xc_cli_input_name(run->plan->paths[p->picture]), to_terminal);
	fprintf(csv, ",%u,%u,%.10g,%llu", picture->width, picture->height, p->quality,
	        (unsigned long long)p->bytes);
	put_number(csv, 8 * (double)p->bytes / pixels, 6);
	put_number(csv, p->metric[XC_SWEEP_PSNR_RGB], 6);
	put_number(csv, p->metric[XC_SWEEP_PSNR_Y], 6);
	put_number(csv, p->metric[XC_SWEEP_SSIM_Y], 8);
	putc(',', csv);
	put_field(csv, run->configs[p->config].name, to_terminal);
	for (size_t i = 0; i < sizeof more / sizeof *more; i++)
		put_number(csv, p->metric[more[i]], 6);
	put_number(csv, p->metric[XC_SWEEP_MS_SSIM_Y], 8);
	put_number(csv, p->metric[XC_SWEEP_SSIMULACRA2], 6);
	put_number(csv, p->metric[XC_SWEEP_BUTTERAUGLI], 6);
	fprintf(csv, ",%.0f,%u,", p->max_abs_diff, picture->peak);
	put_field(csv, run->configs[p->config].version, to_terminal);
	put_number(csv, 1e-6 * pixels / p->encode_seconds, 3);
	put_number(csv, 1e-6 * pixels / p->decode_seconds, 3);
	putc('\n', csv);
}

void xc_sweep_csv(FILE *to, const xc_sweep_run *run, int to_terminal)
{
	fputs("picture,width,height,quality,bytes,bpp,psnr_rgb,psnr_y,ssim_y,config,psnr_ycbcr,psnr_r,"
	      "psnr_g,psnr_b,ms_ssim_y,ssimulacra2,butteraugli_3norm,max_abs_diff,peak,version,"
	      "encode_mpixels,decode_mpixels\n",
	      to);
	for (size_t i = 0; i < run->results.point_count; i++)
		put_point(to, run, &run->points[i], to_terminal);
}

/* -------------------------------------------------------------------------------------- JSON */

static void put_pictures(xc_cli_json *json, const xc_sweep_run *run)
{
	xc_cli_json_array(json, "pictures");
	for (size_t i = 0; i < run->results.picture_count; i++) {
		const xc_sweep_picture *p = &run->pictures[i];
		xc_cli_json_inline_object(json, NULL);
		xc_cli_json_text(json, "name", p->name);
		xc_cli_json_text(json, "path", xc_cli_input_name(run->plan->paths[i]));
		xc_cli_json_integer(json, "width", p->width);
		xc_cli_json_integer(json, "height", p->height);
		xc_cli_json_integer(json, "channels", p->channels);
		xc_cli_json_integer(json, "depth", p->depth);
		xc_cli_json_integer(json, "peak", p->peak);
		xc_cli_json_integer(json, "bytes", run->sources[i].bytes);
		xc_cli_json_end_object(json);
	}
	xc_cli_json_end_array(json);
}

static void put_configs(xc_cli_json *json, const xc_sweep_run *run)
{
	xc_cli_json_array(json, "configs");
	for (size_t i = 0; i < run->results.config_count; i++) {
		xc_cli_json_inline_object(json, NULL);
		xc_cli_json_text(json, "name", run->configs[i].name);
		xc_cli_json_text(json, "options", run->configs[i].options);
		xc_cli_json_text(json, "version", run->configs[i].version);
		xc_cli_json_boolean(json, "foreign", run->plan->setups.setup[i].is_foreign);
		xc_cli_json_end_object(json);
	}
	xc_cli_json_end_array(json);
}

static void put_row(xc_cli_json *json, const xc_sweep_row *row)
{
	xc_cli_json_integer(json, "config", row->config);
	xc_cli_json_number(json, "quality", row->quality);
	xc_cli_json_number(json, "bytes", row->bytes);
	xc_cli_json_number(json, "bpp", row->bits_per_pixel);
	for (int m = 0; m < XC_SWEEP_METRICS; m++)
		xc_cli_json_number(json, xc_sweep_measures[m].key, row->metric[m]);
	xc_cli_json_number(json, "max_abs_diff", row->max_abs_diff);
	xc_cli_json_number(json, "encode_mpixels", row->encode_speed);
	xc_cli_json_number(json, "decode_mpixels", row->decode_speed);
}

/* The points of a picture, or the means; 0, or -1: out of memory. */
static int put_rows(xc_cli_json *json, const xc_sweep_results *results, long picture)
{
	size_t count;
	xc_sweep_row *rows = xc_sweep_rows(results, picture, &count);

	for (size_t i = 0; rows && i < count; i++) {
		xc_cli_json_inline_object(json, NULL);
		if (picture != XC_SWEEP_MEAN)
			xc_cli_json_integer(json, "picture", (uint64_t)picture);
		put_row(json, &rows[i]);
		xc_cli_json_end_object(json);
	}
	free(rows);
	return rows ? 0 : -1;
}

/* picture: picture_count for the mean. */
static void put_delta(xc_cli_json *json, const xc_sweep_bd_table *bd, size_t picture, int metric,
                      size_t anchor, size_t config)
{
	const xc_sweep_bd *d = xc_sweep_bd_at(bd, (xc_sweep_metric)metric, picture, anchor, config);

	xc_cli_json_inline_object(json, NULL);
	if (picture < bd->picture_count)
		xc_cli_json_integer(json, "picture", picture);
	else
		xc_cli_json_null(json, "picture");
	xc_cli_json_text(json, "metric", xc_sweep_measures[metric].key);
	xc_cli_json_integer(json, "anchor", anchor);
	xc_cli_json_integer(json, "config", config);
	xc_cli_json_number(json, "rate", d->rate);
	xc_cli_json_number(json, "decibels", d->quality);
	xc_cli_json_integer(json, "pictures", d->pictures);
	xc_cli_json_end_object(json);
}

static void put_deltas(xc_cli_json *json, const xc_sweep_bd_table *bd)
{
	const size_t pairs = bd->config_count * bd->config_count;

	xc_cli_json_array(json, "bd");
	for (size_t picture = 0; picture <= bd->picture_count; picture++)
		for (int m = 0; m < XC_SWEEP_METRICS; m++)
			for (size_t i = 0; i < pairs; i++)
				if (i / bd->config_count != i % bd->config_count)
					put_delta(json, bd, picture, m, i / bd->config_count, i % bd->config_count);
	xc_cli_json_end_array(json);
}

int xc_sweep_json(FILE *to, const xc_sweep_run *run, const xc_sweep_bd_table *bd)
{
	const xc_sweep_results *results = &run->results;
	xc_cli_json json;
	int failed = 0;

	xc_cli_json_start(&json, to);
	xc_cli_json_object(&json, NULL);
	xc_cli_json_text(&json, "version", xc_version_string());
	xc_cli_json_integer(&json, "jobs", (uint64_t)run->jobs);
	put_pictures(&json, run);
	put_configs(&json, run);
	xc_cli_json_array(&json, "points");
	for (size_t i = 0; i < results->picture_count; i++)
		failed |= put_rows(&json, results, (long)i);
	xc_cli_json_end_array(&json);
	xc_cli_json_array(&json, "means");
	failed |= put_rows(&json, results, XC_SWEEP_MEAN);
	xc_cli_json_end_array(&json);
	put_deltas(&json, bd);
	xc_cli_json_end_object(&json);
	return failed;
}

/* Characters of the drawing, its axes not counted; those of Unicode (braille) have
 * 2 by 4 dots each. */
enum { HEIGHT = 18, MAX_WIDTH = 100, MARGIN = 8, NUMBER = 16, DOTS_ACROSS = 2, DOTS_DOWN = 4 };

typedef struct canvas {
	int unicode, width;                    /* in characters */
	unsigned char dots[HEIGHT][MAX_WIDTH]; /* bits as in Unicode's braille patterns */
	char letter[HEIGHT][MAX_WIDTH];        /* of a configuration, where one of its points is */
	double left, right, bottom, top;       /* the range of values, of rates as logarithms */
} canvas;

typedef struct point {
	double x, y; /* in dots, from the upper left corner */
} point;

/* SSIM and MS-SSIM in dB, because they crowd below 1. */
static double value_of(const xc_sweep_row *row, xc_sweep_metric metric)
{
	return xc_sweep_on_scale(metric, row->metric[metric]);
}

/* ---------------------------------------------------------------------- drawing */

static point point_of(const canvas *c, double rate, double value)
{
	const double across = c->unicode ? DOTS_ACROSS : 1, down = c->unicode ? DOTS_DOWN : 1;
	return (point){(log(rate) - c->left) / (c->right - c->left) * (c->width * across - 1),
	               (c->top - value) / (c->top - c->bottom) * (HEIGHT * down - 1)};
}

static void put_dot(canvas *c, point p)
{
	/* The upper six dots go down the columns, the lowest two came later. */
	static const unsigned char bits[DOTS_DOWN][DOTS_ACROSS] = {{0x01, 0x08},
	                                                           {0x02, 0x10},
	                                                           {0x04, 0x20},
	                                                           {0x40, 0x80}};
	const int x = (int)lround(p.x), y = (int)lround(p.y);

	if (c->unicode)
		c->dots[y / DOTS_DOWN][x / DOTS_ACROSS] |= bits[y % DOTS_DOWN][x % DOTS_ACROSS];
	else
		c->dots[y][x] = 1;
}

static void put_line(canvas *c, point from, point to)
{
	const int steps = (int)ceil(fmax(fabs(to.x - from.x), fabs(to.y - from.y))) + 1;

	for (int i = 0; i <= steps; i++)
		put_dot(c, (point){from.x + (to.x - from.x) * i / steps,
		                   from.y + (to.y - from.y) * i / steps});
}

static void put_letter(canvas *c, point p, char letter)
{
	const int across = c->unicode ? DOTS_ACROSS : 1, down = c->unicode ? DOTS_DOWN : 1;
	c->letter[lround(p.y) / down][lround(p.x) / across] = letter;
}

static char letter_of(uint32_t config)
{
	return (char)('a' + config % 26);
}

static void draw(canvas *c, const xc_sweep_row *rows, size_t count, xc_sweep_metric metric)
{
	point last = {0, 0};

	for (size_t i = 0, drawn = 0; i < count; i++) {
		const double value = value_of(&rows[i], metric);
		if (i && rows[i].config != rows[i - 1].config)
			drawn = 0;
		if (!isfinite(value))
			continue;
		const point here = point_of(c, rows[i].bits_per_pixel, value);
		if (drawn++)
			put_line(c, last, here);
		put_letter(c, here, letter_of(rows[i].config));
		last = here;
	}
}

/* ------------------------------------------------------------------------- axes */

/* Sets the range of the values; 0 if there is nothing to draw. */
static int set_range(canvas *c, const xc_sweep_row *rows, size_t count, xc_sweep_metric metric)
{
	c->left = c->bottom = INFINITY;
	c->right = c->top = -INFINITY;
	for (size_t i = 0; i < count; i++) {
		const double value = value_of(&rows[i], metric), rate = log(rows[i].bits_per_pixel);
		if (!isfinite(value))
			continue;
		c->left = fmin(c->left, rate);
		c->right = fmax(c->right, rate);
		c->bottom = fmin(c->bottom, value);
		c->top = fmax(c->top, value);
	}
	return c->left < c->right && c->bottom < c->top;
}

/* 1, 2 or 5 times a power of ten: the least of which at most `max` fit into a span. */
static double nice_step(double span, int max)
{
	const double ten = pow(10, floor(log10(span / max)));
	const double times = span / max / ten;
	return ten * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}

/* The label of a line: the value that a multiple of the step has there, or blanks. */
static void label(const canvas *c, int line, double step, char text[NUMBER])
{
	const double height = (c->top - c->bottom) / (HEIGHT - 1);
	const double value = c->top - line * height, nearest = step * round(value / step);

	*text = '\0';
	if (fabs(nearest - value) <= height / 2)
		snprintf(text, NUMBER, "%.4g", nearest);
}

static void put_cell(FILE *to, const canvas *c, int y, int x)
{
	const unsigned dots = c->dots[y][x];

	if (c->letter[y][x])
		putc(c->letter[y][x], to);
	else if (!dots)
		putc(' ', to);
	else if (c->unicode)
		fprintf(to, "\xe2%c%c", (int)(0xa0 | dots >> 6), (int)(0x80 | (dots & 0x3f)));
	else
		putc('.', to);
}

/* Numbers 1, 2 and 5 times powers of ten under the places of their rates, as far
 * as they have room. */
static void put_rates(FILE *to, const canvas *c)
{
	char line[2 * MAX_WIDTH] = "", text[NUMBER];
	int used = 0;

	for (int i = -9; i < 12; i++) {
		static const double times[] = {1, 2, 5};
		const double rate = times[((i % 3) + 3) % 3] * pow(10, floor(i / 3.0));
		const double at = (log(rate) - c->left) / (c->right - c->left) * (c->width - 1);
		const int n = snprintf(text, sizeof text, "%.4g", rate);
		if (at < used || at + n > c->width)
			continue;
		used += snprintf(line + used, sizeof line - (size_t)used, "%*s%s", (int)at - used, "",
		                 text);
		used += snprintf(line + used, sizeof line - (size_t)used, " ");
	}
	fprintf(to, "%*s%s\n", MARGIN + 1, "", line);
}

static void put_canvas(FILE *to, const canvas *c)
{
	const double step = nice_step(c->top - c->bottom, 8);
	const char *side = c->unicode ? "\xe2\x94\x82" : "|",
			   *corner = c->unicode ? "\xe2\x94\x94" : "+";
	const char *floor_line = c->unicode ? "\xe2\x94\x80" : "-";
	char text[NUMBER];

	for (int y = 0; y < HEIGHT; y++) {
		label(c, y, step, text);
		fprintf(to, "%*s %s", MARGIN - 1, text, side);
		int last = c->width;
		while (last && !c->dots[y][last - 1] && !c->letter[y][last - 1])
			last--;
		for (int x = 0; x < last; x++)
			put_cell(to, c, y, x);
		putc('\n', to);
	}
	fprintf(to, "%*s%s", MARGIN, "", corner);
	for (int x = 0; x < c->width; x++)
		fputs(floor_line, to);
	putc('\n', to);
	put_rates(to, c);
}

static void put_title(FILE *to, const xc_sweep_results *r, xc_sweep_metric metric, long picture)
{
	char shown[XC_CLI_SHOWN] = "the mean of all pictures";

	if (picture != XC_SWEEP_MEAN)
		xc_cli_escape(shown, sizeof shown, r->pictures[picture].name);
	fprintf(to, "\n%s (%s) over bits a pixel, %s\n", xc_sweep_measures[metric].title,
	        xc_sweep_measures[metric].scale, shown);
}

static void put_legend(FILE *to, const xc_sweep_results *r)
{
	char shown[256];

	for (uint32_t i = 0; i < r->config_count; i++) {
		xc_cli_escape(shown, sizeof shown, r->configs[i].name);
		fprintf(to, "%*s%c  %s\n", MARGIN + 1, "", letter_of(i), shown);
	}
}

int xc_sweep_plot(FILE *to, const xc_sweep_results *results, xc_sweep_metric metric, long picture,
                  int width, int unicode)
{
	const int room = width - MARGIN - 1;
	canvas c = {.unicode = unicode, .width = room < 20 ? 20 : room < MAX_WIDTH ? room : MAX_WIDTH};
	size_t count;
	xc_sweep_row *rows = xc_sweep_rows(results, picture, &count);

	if (!rows)
		return -1;
	if (set_range(&c, rows, count, metric)) {
		draw(&c, rows, count, metric);
		put_title(to, results, metric, picture);
		put_canvas(to, &c);
		put_legend(to, results);
	}
	free(rows);
	return 0;
}
