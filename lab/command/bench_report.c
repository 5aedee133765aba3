/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/command/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *xc_bench_direction(xct_direction direction)
{
	return direction == XCT_FORWARD ? "forward" : "inverse";
}

const char *xc_bench_size_name(const xc_cli_size *size, char name[XC_BENCH_SIZE_NAME])
{
	if (size->slices > 1)
		snprintf(name, XC_BENCH_SIZE_NAME, "%zu x %zu x %zu", size->cols, size->rows, size->slices);
	else
		snprintf(name, XC_BENCH_SIZE_NAME, "%zu x %zu", size->cols, size->rows);
	return name;
}

/* What a case is compared with: FFTW's transform of the same kind. */
static const xc_bench_case *fftw_of(const xc_bench_group *group, const xc_bench_case *c)
{
	if (!c->algorithm)
		return NULL;
	return xc_bench_find(group,
	                     xc_cli_is_banded(c->algorithm) ? "cpu-fftw-advanced" : "cpu-fftw-frame",
	                     c->direction);
}

/* How many times as long as `other`; not a number, which is null in JSON, when
 * there is no other. */
static double ratio(const xc_bench_case *c, const xc_bench_case *other)
{
	return c && other && other->median > 0 ? c->median / other->median : NAN;
}

void xc_bench_report_start(xc_bench_report *report, int as_json, int threads)
{
	*report = (xc_bench_report){.as_json = as_json};
	if (!as_json)
		return;
	xc_cli_json_start(&report->json, stdout);
	xc_cli_json_object(&report->json, NULL);
	xc_cli_json_integer(&report->json, "threads", (uint64_t)threads);
	xc_cli_json_array(&report->json, "results");
}

void xc_bench_report_end(xc_bench_report *report)
{
	free(report->kept);
	if (!report->as_json)
		return;
	xc_cli_json_end_array(&report->json);
	xc_cli_json_end_object(&report->json);
}

void xc_bench_json_case(xc_cli_json *json, const char *table, const xc_bench_group *group,
                        const xc_bench_case *c)
{
	xc_cli_json_inline_object(json, NULL);
	xc_cli_json_text(json, "table", table);
	xc_cli_json_text(json, "algorithm", xc_bench_name(c));
	xc_cli_json_text(json, "direction", xc_bench_direction(c->direction));
	xc_cli_json_integer(json, "slices", group->size.slices);
	xc_cli_json_integer(json, "rows", group->size.rows);
	xc_cli_json_integer(json, "columns", group->size.cols);
	xc_cli_json_integer(json, "bits", (uint64_t)xc_precision_bits(c->precision));
}

static void json_case(xc_cli_json *json, const xc_bench_group *group, const xc_bench_case *c)
{
	xc_cli_json_integer(json, "runs", (uint64_t)c->runs);
	xc_cli_json_integer(json, "threads", (uint64_t)group->threads);
	xc_cli_json_number(json, "wall_mean", c->mean);
	xc_cli_json_number(json, "wall_median", c->median);
	xc_cli_json_number(json, "wall_least", c->min);
	xc_cli_json_number(json, "wall_deviation", c->deviation);
	xc_cli_json_number(json, "cpu_mean", c->cpu);
	xc_cli_json_number(json, "plan", c->planned);
	xc_cli_json_number(json, "bytes", c->bytes);
	xc_cli_json_number(json, "to_copy", ratio(c, xc_bench_find(group, "copy", XCT_FORWARD)));
	xc_cli_json_number(json, "to_fftw", ratio(c, fftw_of(group, c)));
	xc_cli_json_number(json, "error", c->error);
	xc_cli_json_end_object(json);
}

/* Returns whether the report is JSON; then the group is in it. */
static int json_group(xc_bench_report *report, const char *table, const xc_bench_group *group)
{
	for (size_t i = 0; report->as_json && i < group->count; i++) {
		xc_bench_json_case(&report->json, table, group, &group->cases[i]);
		json_case(&report->json, group, &group->cases[i]);
	}
	return report->as_json;
}

void xc_bench_print_ratio(double value, int width)
{
	if (value > 0)
		printf(" %*.2f", width, value);
	else
		printf(" %*s", width, "-");
}

void xc_bench_print_error(double error)
{
	if (error >= 0)
		printf("  %.1e\n", error);
	else
		printf("  -\n");
}

static void print_case(const xc_bench_group *group, const xc_bench_case *c)
{
	printf("%-25s %-7s %5d %10.4f %9.4f %10.4f %10.4f %9.3f %7.2f", xc_bench_name(c),
	       c->algorithm ? xc_bench_direction(c->direction) : "", c->runs, 1e3 * c->mean,
	       1e3 * c->deviation, 1e3 * c->median, 1e3 * c->cpu, 1e3 * c->planned,
	       1e-9 * c->bytes / c->median);
	xc_bench_print_ratio(ratio(c, xc_bench_find(group, "copy", XCT_FORWARD)), 7);
	xc_bench_print_ratio(ratio(c, fftw_of(group, c)), 7);
	xc_bench_print_error(c->error);
}

/* A title above each table, and a blank line between tables. */
static void print_title(xc_bench_report *report, const char *title)
{
	printf("%s%s\n", report->tables++ ? "\n" : "", title);
}

/* Each size has headings of its own. */
static void report_cases(xc_bench_report *report, const char *table, const xc_bench_group *group)
{
	char title[160], size[XC_BENCH_SIZE_NAME];

	if (json_group(report, table, group))
		return;
	snprintf(title, sizeof title,
	         "%s, %d thread%s; milliseconds, times the copy's, times "
	         "FFTW's",
	         xc_bench_size_name(&group->size, size), group->threads, group->threads > 1 ? "s" : "");
	print_title(report, title);
	printf("%-25s %-7s %5s %10s %9s %10s %10s %9s %7s %7s %7s  %s\n", "algorithm", "", "runs",
	       "mean", "deviation", "median", "CPU mean", "plan", "GB/s", "/copy", "/FFTW", "error");
	for (size_t i = 0; i < group->count; i++)
		print_case(group, &group->cases[i]);
	fflush(stdout);
}

void xc_bench_report_arrays(xc_bench_report *report, const xc_bench_group *group, int first)
{
	(void)first;
	report_cases(report, "arrays", group);
}

void xc_bench_report_poisson(xc_bench_report *report, const xc_bench_group *group, int first)
{
	(void)first;
	report_cases(report, "poisson", group);
}

void xc_bench_keep(xc_bench_report *report, const xc_bench_group *group)
{
	struct xc_bench_kept *const kept = realloc(report->kept,
	                                           (report->keeps + group->count) * sizeof *kept);

	if (!kept)
		return;
	report->kept = kept;
	for (const xc_bench_case *c = group->cases; c < group->cases + group->count; c++)
		if (c->algorithm)
			report->kept[report->keeps++] = (struct xc_bench_kept){c->algorithm, c->direction,
			                                                       c->precision, group->size,
			                                                       c->median};
}

double xc_bench_kept_time(const xc_bench_report *report, const xct_algorithm *algorithm,
                          const xc_bench_group *group, const xc_bench_case *c)
{
	double shortest = NAN;

	for (size_t i = 0; i < report->keeps; i++) {
		const struct xc_bench_kept *const k = &report->kept[i];
		if (k->algorithm == algorithm && k->direction == c->direction &&
		    k->precision == c->precision && k->size.slices == group->size.slices &&
		    k->size.rows == group->size.rows && k->size.cols == group->size.cols)
			shortest = fmin(shortest, k->median);
	}
	return shortest;
}

static void print_median(const xc_bench_case *c, double scale)
{
	if (c)
		printf(" %10.2f", scale * c->median);
	else
		printf(" %10s", "-");
}

void xc_bench_report_lines(xc_bench_report *report, const xc_bench_group *group, int first)
{
	static const char *const ways[] = {"cpu-fft-4n", "cpu-fft-2n-mirrored", "cpu-fft-2n-padded",
	                                   "cpu-fft-n",  "cpu-fftw-frame",      "fftw-real-fft"};
	enum { WAYS = sizeof ways / sizeof *ways };

	if (json_group(report, "lines", group))
		return;
	if (first) {
		print_title(report, "One line of N by one real FFT; microseconds (median)");
		printf("%-8s %-7s %10s %10s %10s %10s %10s %10s\n", "N", "", "4N", "2N mirror", "2N padded",
		       "N", "FFTW DCT", "FFT alone");
	}
	for (int d = 0; d < 2; d++) {
		printf("%-8zu %-7s", group->size.cols, xc_bench_direction((xct_direction)d));
		for (int i = 0; i < WAYS; i++)
			print_median(xc_bench_find(group, ways[i], (xct_direction)d), 1e6);
		putchar('\n');
	}
	fflush(stdout);
}

void xc_bench_report_fusion(xc_bench_report *report, const xc_bench_group *group, int first)
{
	char size[XC_BENCH_SIZE_NAME];

	if (json_group(report, "fusion", group))
		return;
	if (first) {
		print_title(report, "Row-column against multi-dimensional; milliseconds (median)");
		printf("%-13s %-7s %10s %10s %10s %10s %12s %12s\n", "size", "", "FFTW DCT", "row-column",
		       "multi-dim.", "FFT alone", "row-c/multi", "multi/FFT");
	}
	xc_bench_size_name(&group->size, size);
	for (int d = 0; d < 2; d++) {
		const xct_direction way = (xct_direction)d;
		const xc_bench_case *rowcol = xc_bench_find(group, "cpu-fft-n", way);
		const xc_bench_case *multi = xc_bench_find(group, "cpu-fft2d", way);
		const xc_bench_case *fft = xc_bench_find(group, "fftw-real-fft", way);

		printf("%-13s %-7s", size, xc_bench_direction(way));
		print_median(xc_bench_find(group, "cpu-fftw-frame", way), 1e3);
		print_median(rowcol, 1e3);
		print_median(multi, 1e3);
		print_median(fft, 1e3);
		xc_bench_print_ratio(ratio(rowcol, multi), 12);
		xc_bench_print_ratio(ratio(multi, fft), 12);
		putchar('\n');
	}
	fflush(stdout);
}

/* The fastest of one thread that does the same as `c`, as the works have it: 8x8 DCTs, lapped transforms
 * and whole arrays each among themselves. */
static double fastest(const xc_bench_group *group, const xc_bench_case *c)
{
	double best = NAN;

	for (const xc_bench_case *o = group->cases; o < group->cases + group->count; o++)
		if (o->algorithm && !xc_cli_is_yardstick(o->algorithm) && o->direction == c->direction &&
		    xc_cli_is_banded(o->algorithm) == xc_cli_is_banded(c->algorithm) &&
		    xc_cli_is_lapped(o->algorithm) == xc_cli_is_lapped(c->algorithm) &&
		    !(o->median >= best))
			best = o->median;
	return best;
}

void xc_bench_report_threads(xc_bench_report *report, const xc_bench_group *groups, size_t count)
{
	char size[XC_BENCH_SIZE_NAME];

	if (report->as_json)
		return; /* each case says its threads */
	printf(
		"\n%s; milliseconds (median), and how many times as fast as the fastest of its kind on %d "
		"thread%s\n%-25s %-7s",
		xc_bench_size_name(&groups->size, size), groups->threads, groups->threads > 1 ? "s" : "",
		"algorithm", "");
	for (size_t g = 0; g < count; g++)
		printf(" %9d threads", groups[g].threads);
	putchar('\n');
	for (size_t i = 0; i < groups->count; i++) {
		const xc_bench_case *const c = &groups->cases[i];
		if (!c->algorithm || !c->algorithm->threads)
			continue;
		printf("%-25s %-7s", xc_bench_name(c), xc_bench_direction(c->direction));
		for (size_t g = 0; g < count; g++) {
			const xc_bench_case *const t = xc_bench_find(&groups[g], xc_bench_name(c),
			                                             c->direction);
			printf(" %10.4f", t ? 1e3 * t->median : (double)NAN);
			xc_bench_print_ratio(t ? fastest(groups, c) / t->median : (double)NAN, 6);
		}
		putchar('\n');
	}
	fflush(stdout);
}
