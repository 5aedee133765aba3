/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/report.h"
#include "sweep/bd.h"
#include "sweep/results.h"
#include "sweep/text/report.h"

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
	const double value = row->metric[metric];
	return metric == XC_SWEEP_SSIM_Y || metric == XC_SWEEP_MS_SSIM_Y ? xc_sweep_ssim_decibels(value)
	                                                                 : value;
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
	fprintf(to, "\n%s (dB) over bits a pixel, %s\n", xc_sweep_measures[metric].title, shown);
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
