/* SPDX-License-Identifier: BSD-2-Clause */
#include "sweep/bd_table.h"

#include <math.h>
#include <stdlib.h>

#include "sweep/bd.h"

static size_t cell(const xc_sweep_bd_table *t, size_t metric, size_t picture, size_t anchor,
                   size_t config)
{
	return ((metric * (t->picture_count + 1) + picture) * t->config_count + anchor) *
	           t->config_count +
	       config;
}

const xc_sweep_bd *xc_sweep_bd_at(const xc_sweep_bd_table *table, xc_sweep_metric metric,
                                  size_t picture, size_t anchor, size_t config)
{
	return &table->cells[cell(table, metric, picture, anchor, config)];
}

static int by_bytes(const void *a, const void *b)
{
	const xc_sweep_point *const *x = a, *const *y = b;
	return ((*x)->bytes > (*y)->bytes) - ((*x)->bytes < (*y)->bytes);
}

/* Where a picture's points of each configuration are among those sorted by size. */
typedef struct sorted {
	const xc_sweep_results *results;
	const xc_sweep_point **points;
	size_t count;
} sorted;

static void collect(sorted *s, size_t picture)
{
	const xc_sweep_results *r = s->results;

	s->count = 0;
	for (size_t i = 0; i < r->point_count; i++)
		if (r->points[i].picture == picture)
			s->points[s->count++] = &r->points[i];
	if (s->count)
		qsort(s->points, s->count, sizeof *s->points, by_bytes);
}

static xc_sweep_curve curve_of(const sorted *s, size_t config, xc_sweep_metric metric)
{
	xc_sweep_curve curve = {.count = 0};

	for (size_t i = 0; i < s->count; i++) {
		const xc_sweep_point *p = s->points[i];
		const double value = p->metric[metric];
		const int ssim = metric == XC_SWEEP_SSIM_Y || metric == XC_SWEEP_MS_SSIM_Y;
		if (p->config == config)
			xc_sweep_curve_add(&curve, (double)p->bytes,
			                   ssim ? xc_sweep_ssim_decibels(value) : value);
	}
	return curve;
}

static void fill_picture(xc_sweep_bd_table *t, const sorted *s, size_t picture,
                         xc_sweep_curve *curves)
{
	for (int m = 0; m < XC_SWEEP_METRICS; m++) {
		for (size_t c = 0; c < t->config_count; c++)
			curves[c] = curve_of(s, c, (xc_sweep_metric)m);
		for (size_t a = 0; a < t->config_count; a++)
			for (size_t c = 0; c < t->config_count; c++) {
				const xc_sweep_delta d = xc_sweep_compare(&curves[a], &curves[c], 0, INFINITY);
				t->cells[cell(t, (size_t)m, picture, a, c)] = (xc_sweep_bd){d.percent, d.quality,
				                                                            !isnan(d.percent)};
			}
	}
}

/* The mean over the pictures that have a number. */
static xc_sweep_bd mean_of(const xc_sweep_bd_table *t, size_t metric, size_t anchor, size_t config)
{
	xc_sweep_bd mean = {0, 0, 0};
	uint32_t qualities = 0;

	for (size_t p = 0; p < t->picture_count; p++) {
		const xc_sweep_bd *one = &t->cells[cell(t, metric, p, anchor, config)];
		mean.rate += one->pictures ? one->rate : 0;
		mean.pictures += one->pictures;
		mean.quality += isnan(one->quality) ? 0 : one->quality;
		qualities += !isnan(one->quality);
	}
	mean.rate = mean.pictures ? mean.rate / mean.pictures : NAN;
	mean.quality = qualities ? mean.quality / qualities : NAN;
	return mean;
}

int xc_sweep_bd_table_make(xc_sweep_bd_table *t, const xc_sweep_results *r)
{
	const size_t configs = r->config_count, pairs = configs * configs;
	sorted s = {r, calloc(r->point_count + 1, sizeof *s.points), 0};
	xc_sweep_curve *curves = calloc(configs + 1, sizeof *curves);

	*t = (xc_sweep_bd_table){NULL, r->picture_count, configs};
	t->cells = calloc(XC_SWEEP_METRICS * (r->picture_count + 1), pairs * sizeof *t->cells);
	for (size_t p = 0; t->cells && s.points && curves && p < r->picture_count; p++) {
		collect(&s, p);
		fill_picture(t, &s, p, curves);
	}
	const int failed = !t->cells || !s.points || !curves;
	for (size_t m = 0; m < XC_SWEEP_METRICS && !failed; m++)
		for (size_t i = 0; i < pairs; i++)
			t->cells[cell(t, m, r->picture_count, i / configs, i % configs)] = mean_of(t, m,
			                                                                           i / configs,
			                                                                           i % configs);
	free(curves);
	free(s.points);
	if (failed)
		xc_sweep_bd_table_free(t);
	return failed ? -1 : 0;
}

void xc_sweep_bd_table_free(xc_sweep_bd_table *table)
{
	free(table->cells);
	table->cells = NULL;
}
