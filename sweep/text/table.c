/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/report.h"
#include "sweep/results.h"
#include "sweep/text/report.h"

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
	{"PSNR RGB", 9, 3, METRIC(XC_SWEEP_PSNR_RGB)},
	{"PSNR luma", 10, 3, METRIC(XC_SWEEP_PSNR_Y)},
	{"SSIM luma", 10, 5, METRIC(XC_SWEEP_SSIM_Y)},
	{"MS-SSIM", 8, 5, METRIC(XC_SWEEP_MS_SSIM_Y)},
	{"encode", 7, -1, AT(encode_speed)},
	{"decode", 7, -1, AT(decode_speed)},
	{"largest", 8, 0, AT(max_abs_diff)},
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

enum { NAME_WIDTH = 20, DELTA_WIDTH = 12 };

static const struct {
	xc_sweep_metric metric;
	const char *heading;
} deltas[] = {{XC_SWEEP_PSNR_RGB, "PSNR RGB"},
              {XC_SWEEP_PSNR_Y, "PSNR luma"},
              {XC_SWEEP_PSNR_YCBCR, "PSNR 6:1:1"},
              {XC_SWEEP_SSIM_Y, "SSIM luma"},
              {XC_SWEEP_MS_SSIM_Y, "MS-SSIM"}};

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
	        rate ? "per cent" : "dB", NAME_WIDTH, "picture");
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
	fprintf(csv, ",%.0f,%u,", p->max_abs_diff, picture->peak);
	put_field(csv, run->configs[p->config].version, to_terminal);
	put_number(csv, 1e-6 * pixels / p->encode_seconds, 3);
	put_number(csv, 1e-6 * pixels / p->decode_seconds, 3);
	putc('\n', csv);
}

void xc_sweep_csv(FILE *to, const xc_sweep_run *run, int to_terminal)
{
	fputs("picture,width,height,quality,bytes,bpp,psnr_rgb,psnr_y,ssim_y,config,psnr_ycbcr,psnr_r,"
	      "psnr_g,psnr_b,ms_ssim_y,max_abs_diff,peak,version,encode_mpixels,decode_mpixels\n",
	      to);
	for (size_t i = 0; i < run->results.point_count; i++)
		put_point(to, run, &run->points[i], to_terminal);
}
