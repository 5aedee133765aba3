/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints a table of BD-rates of the points on standard input; bench/README.md describes it. */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/bd.h"

enum { NAME = 128, MAX_NAMES = 512, MAX_COLUMNS = 8 };

enum { PSNR_Y, PSNR_RGB, SSIM, MS_SSIM, SS2, BUTTERAUGLI, MEASURES };
static const char *const measure_names[] = {"psnr_y",  "psnr_rgb", "ssim",
                                            "ms_ssim", "ss2",      "butteraugli"};

typedef struct names {
	int count;
	char name[MAX_NAMES][NAME];
} names;

typedef struct point {
	int codec, picture;
	double rate, quality[MEASURES];
} point;

/* A measure, whose rate is 0 per cent, and the qualities that count; where low is not below high,
 * those of the table's rates do. */
typedef struct column {
	int measure, anchor;
	double low, high;
} column;

typedef struct table {
	names codecs, pictures;
	point *points;
	size_t count;
	column columns[MAX_COLUMNS];
	int column_count;
	double min, max; /* bits a pixel */
	int each;        /* print a row a picture, too */
} table;

_Noreturn static void die(const char *what, const char *why)
{
	fprintf(stderr, "bd: %s: %s\n", what, why);
	exit(1);
}

/* Returns the name's number, which is new for a new name. */
static int number_of(names *n, const char *name)
{
	int i = 0;

	while (i < n->count && strcmp(n->name[i], name))
		i++;
	if (i == MAX_NAMES)
		die(name, "too many names");
	if (i == n->count)
		snprintf(n->name[n->count++], NAME, "%s", name);
	return i;
}

/* All measures on scales that rise and on which equal steps are about equally visible. */
static double quality_of(int measure, const char *text)
{
	char *end;
	const double value = strtod(text, &end);

	if (end == text || *end)
		return NAN;
	if (measure == BUTTERAUGLI)
		return -10 * log10(value);
	return measure == SSIM || measure == MS_SSIM ? xc_sweep_ssim_decibels(value) : value;
}

/* Lines are "CODEC PICTURE RATE" and the measures; one that is no number is not there. */
static void read_points(table *t, FILE *file)
{
	char codec[NAME], picture[NAME], rate[32], text[MEASURES][32];

	while (fscanf(file, "%127s %127s %31s %31s %31s %31s %31s %31s %31s", codec, picture, rate,
	              text[0], text[1], text[2], text[3], text[4], text[5]) == 3 + MEASURES) {
		if ((t->count & (t->count - 1)) == 0) {
			t->points = realloc(t->points, (t->count ? 2 * t->count : 1) * sizeof *t->points);
			if (!t->points)
				die("points", "out of memory");
		}
		point *p = &t->points[t->count++];
		p->codec = number_of(&t->codecs, codec);
		p->picture = number_of(&t->pictures, picture);
		p->rate = strtod(rate, NULL);
		for (int m = 0; m < MEASURES; m++)
			p->quality[m] = quality_of(m, text[m]);
	}
	if (!feof(file))
		die("standard input", "a line is not of nine words");
}

static int by_rate(const void *a, const void *b)
{
	const double x = ((const point *)a)->rate, y = ((const point *)b)->rate;
	return (x > y) - (x < y);
}

/* The points must be sorted by rate. */
static xc_sweep_curve curve_of(const table *t, int codec, int picture, int measure)
{
	xc_sweep_curve curve = {.count = 0};

	for (size_t i = 0; i < t->count; i++)
		if (t->points[i].codec == codec && t->points[i].picture == picture)
			xc_sweep_curve_add(&curve, t->points[i].rate, t->points[i].quality[measure]);
	return curve;
}

static xc_sweep_delta delta(const table *t, int codec, int picture, const column *c)
{
	const xc_sweep_curve anchor = curve_of(t, c->anchor, picture, c->measure);
	const xc_sweep_curve curve = curve_of(t, codec, picture, c->measure);

	if (curve.count < 2)
		return (xc_sweep_delta){NAN, NAN, -1};
	if (c->low < c->high)
		return xc_sweep_compare_between(&anchor, &curve, c->low, c->high);
	return xc_sweep_compare(&anchor, &curve, t->min, t->max);
}

/* The mean over pictures: "~" where some picture's points leave out a tenth of
 * the range or more. */
static void print_mean(const table *t, int codec, const column *c)
{
	double sum = 0, covered = 1;
	int pictures = 0, measured = 0;

	for (int i = 0; i < t->pictures.count; i++) {
		const xc_sweep_delta d = delta(t, codec, i, c);
		measured += d.covered >= 0;
		if (isnan(d.percent))
			continue;
		sum += d.percent;
		covered = fmin(covered, d.covered);
		pictures++;
	}
	if (!measured)
		printf(" - |");
	else if (!pictures)
		printf(" no overlap |");
	else
		printf(" %s%.2f", covered < 0.9 ? "~" : "", sum / pictures);
	if (pictures && pictures < t->pictures.count)
		printf(" (%d of %d pictures)", pictures, t->pictures.count);
	if (pictures)
		printf(" |");
}

static void print_codec(const table *t, int codec)
{
	printf("| %s |", t->codecs.name[codec]);
	for (int c = 0; c < t->column_count; c++)
		print_mean(t, codec, &t->columns[c]);
	printf("\n");
	for (int i = 0; t->each && i < t->pictures.count; i++) {
		printf("| %s, %s |", t->codecs.name[codec], t->pictures.name[i]);
		for (int c = 0; c < t->column_count; c++) {
			const double percent = delta(t, codec, i, &t->columns[c]).percent;
			isnan(percent) ? printf(" - |") : printf(" %.2f |", percent);
		}
		printf("\n");
	}
}

static void print_table(const table *t)
{
	printf("%d pictures, %g to %g bits a pixel\n\n| BD-rate, %% |", t->pictures.count, t->min,
	       t->max);
	for (const column *c = t->columns; c < t->columns + t->column_count; c++) {
		printf(" %s", measure_names[c->measure]);
		if (c->low < c->high)
			printf(" %g to %g", c->low, c->high);
		printf(", to %s |", t->codecs.name[c->anchor]);
	}
	printf("\n| --- |");
	for (int c = 0; c < t->column_count; c++)
		printf(" --- |");
	printf("\n");
	for (int i = 0; i < t->codecs.count; i++)
		print_codec(t, i);
}

/* "MEASURE:ANCHOR" or "MEASURE:ANCHOR:LOW-HIGH", with qualities above 0 */
static void add_column(table *t, char *text)
{
	char *colon = strchr(text, ':'), *range = colon ? strchr(colon + 1, ':') : NULL;
	column c = {0, 0, 0, 0};
	const size_t n = colon ? (size_t)(colon - text) : 0;

	while (c.measure < MEASURES &&
	       (strlen(measure_names[c.measure]) != n || strncmp(measure_names[c.measure], text, n)))
		c.measure++;
	if (c.measure == MEASURES || t->column_count == MAX_COLUMNS)
		die(text, "no such measure, or too many");
	if (range && sscanf(range, ":%lf-%lf", &c.low, &c.high) != 2)
		die(text, "no such range");
	if (range)
		*range = 0;
	while (c.anchor < t->codecs.count && strcmp(t->codecs.name[c.anchor], colon + 1))
		c.anchor++;
	if (c.anchor == t->codecs.count)
		die(colon + 1, "the anchor has no points");
	t->columns[t->column_count++] = c;
}

static int usage(FILE *f)
{
	fputs("usage: bd [-e] [-l LEAST] [-m MOST] MEASURE:ANCHOR[:LOW-HIGH]... <POINTS\n", f);
	return f == stdout ? 0 : 2;
}

int main(int argc, char **argv)
{
	static table t = {.min = 0.2, .max = 2};
	int option;

	while ((option = getopt(argc, argv, "el:m:h")) != -1) {
		switch (option) {
		case 'e':
			t.each = 1;
			break;
		case 'l':
			t.min = atof(optarg);
			break;
		case 'm':
			t.max = atof(optarg);
			break;
		case 'h':
			return usage(stdout);
		default:
			return usage(stderr);
		}
	}
	if (optind == argc || !(t.min > 0 && t.min < t.max))
		return usage(stderr);
	read_points(&t, stdin);
	if (t.count)
		qsort(t.points, t.count, sizeof *t.points, by_rate);
	for (int i = optind; i < argc; i++)
		add_column(&t, argv[i]);
	print_table(&t);
	free(t.points);
	return 0;
}
