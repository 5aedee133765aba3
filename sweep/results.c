/* SPDX-License-Identifier: BSD-2-Clause */
#include "sweep/results.h"
#include "sweep/bd.h"

#include <stdlib.h>
#include <math.h>

const xc_sweep_measure xc_sweep_measures[XC_SWEEP_METRICS] = {
	[XC_SWEEP_SSIMULACRA2] = {"ssimulacra2", "SSIMULACRA2", "", 2, "points", 0, 0},
	[XC_SWEEP_BUTTERAUGLI] = {"butteraugli_3norm", "Butteraugli, 3-norm", "", 3, "dB", 0, 1},
	[XC_SWEEP_SSIM_Y] = {"ssim_y", "SSIM, luma", "", 4, "dB", 1, 0},
	[XC_SWEEP_MS_SSIM_Y] = {"ms_ssim_y", "MS-SSIM, luma", "", 4, "dB", 1, 0},
	[XC_SWEEP_PSNR_RGB] = {"psnr_rgb", "PSNR, RGB", "dB", 2, "dB", 0, 0},
	[XC_SWEEP_PSNR_Y] = {"psnr_y", "PSNR, luma", "dB", 2, "dB", 0, 0},
	[XC_SWEEP_PSNR_YCBCR] = {"psnr_ycbcr", "PSNR, YCbCr 6:1:1", "dB", 2, "dB", 0, 0},
	[XC_SWEEP_PSNR_R] = {"psnr_r", "PSNR, red", "dB", 2, "dB", 0, 0},
	[XC_SWEEP_PSNR_G] = {"psnr_g", "PSNR, green", "dB", 2, "dB", 0, 0},
	[XC_SWEEP_PSNR_B] = {"psnr_b", "PSNR, blue", "dB", 2, "dB", 0, 0},
};

double xc_sweep_on_scale(xc_sweep_metric metric, double value)
{
	return xc_sweep_measures[metric].is_ssim       ? xc_sweep_ssim_decibels(value)
	       : xc_sweep_measures[metric].is_distance ? -20 * log10(value)
	                                               : value;
}

/* Sums for a row; encode_speed and decode_speed are seconds until finish(). */
typedef struct sums {
	xc_sweep_row row;
	double pixels;
	size_t count;
} sums;

static void add(sums *s, const xc_sweep_results *results, const xc_sweep_point *point)
{
	const xc_sweep_picture *picture = &results->pictures[point->picture];
	const double pixels = (double)picture->width * picture->height;

	s->row.bytes += (double)point->bytes;
	s->row.bits_per_pixel += 8 * (double)point->bytes / pixels;
	for (int i = 0; i < XC_SWEEP_METRICS; i++)
		s->row.metric[i] += point->metric[i];
	if (point->max_abs_diff > s->row.max_abs_diff)
		s->row.max_abs_diff = point->max_abs_diff;
	s->row.encode_speed += point->encode_seconds;
	s->row.decode_speed += point->decode_seconds;
	s->pixels += pixels;
	s->count++;
}

static xc_sweep_row finish(const sums *s)
{
	const double count = (double)s->count;
	xc_sweep_row row = s->row;

	row.bytes /= count;
	row.bits_per_pixel /= count;
	for (int i = 0; i < XC_SWEEP_METRICS; i++)
		row.metric[i] /= count;
	row.encode_speed = 1e-6 * s->pixels / row.encode_speed;
	row.decode_speed = 1e-6 * s->pixels / row.decode_speed;
	return row;
}

/* The row of a point of the first picture that counts. */
static sums sum_up(const xc_sweep_results *results, const xc_sweep_point *point, long picture)
{
	sums s = {.row = {.config = point->config, .quality = point->quality}};

	if (picture != XC_SWEEP_MEAN) {
		add(&s, results, point);
		return s;
	}
	for (size_t i = 0; i < results->point_count; i++) {
		const xc_sweep_point *other = &results->points[i];

		if (other->config == point->config && other->quality == point->quality)
			add(&s, results, other);
	}
	return s;
}

xc_sweep_row *xc_sweep_rows(const xc_sweep_results *results, long picture, size_t *count)
{
	const long first = picture == XC_SWEEP_MEAN ? 0 : picture;
	const size_t wanted = picture == XC_SWEEP_MEAN ? results->picture_count : 1;
	xc_sweep_row *rows = malloc((results->point_count + 1) * sizeof *rows);

	*count = 0;
	for (size_t i = 0; rows && i < results->point_count; i++) {
		const xc_sweep_point *point = &results->points[i];

		if ((long)point->picture != first)
			continue;
		const sums s = sum_up(results, point, picture);
		if (s.count == wanted)
			rows[(*count)++] = finish(&s);
	}
	return rows;
}

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
		if (p->config == config)
			xc_sweep_curve_add(&curve, (double)p->bytes,
			                   xc_sweep_on_scale(metric, p->metric[metric]));
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
