/* SPDX-License-Identifier: BSD-2-Clause */
#include "sweep/results.h"

#include <stdlib.h>

const xc_sweep_measure xc_sweep_measures[XC_SWEEP_METRICS] = {
	[XC_SWEEP_PSNR_RGB] = {"psnr_rgb", "PSNR, RGB", "dB", 2},
	[XC_SWEEP_PSNR_Y] = {"psnr_y", "PSNR, luma", "dB", 2},
	[XC_SWEEP_PSNR_YCBCR] = {"psnr_ycbcr", "PSNR, YCbCr 6:1:1", "dB", 2},
	[XC_SWEEP_PSNR_R] = {"psnr_r", "PSNR, red", "dB", 2},
	[XC_SWEEP_PSNR_G] = {"psnr_g", "PSNR, green", "dB", 2},
	[XC_SWEEP_PSNR_B] = {"psnr_b", "PSNR, blue", "dB", 2},
	[XC_SWEEP_SSIM_Y] = {"ssim_y", "SSIM, luma", "", 4},
	[XC_SWEEP_MS_SSIM_Y] = {"ms_ssim_y", "MS-SSIM, luma", "", 4},
};

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
