/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The structural similarity index of luma (Wang, Bovik, Sheikh and Simoncelli, "Image quality
 * assessment: from error visibility to structural similarity", IEEE Trans. Image Processing 13(4),
 * 2004): a Gaussian window of 11 x 11 with standard deviation 1.5, K1 = 0.01, K2 = 0.03, and the
 * mean over all places where the window lies inside the picture, without the optional downsampling.
 *
 * In a picture narrower (or lower) than 11 pixels the window is as wide (or high) as the picture:
 * the same Gaussian about the middle, cut off and scaled so that its weights add up to 1.
 *
 * The window is separable.  Four moments are enough instead of the paper's five, because the two
 * variances occur only as a sum.  Strips of columns are done one after another.  A ring holds a
 * strip's last 11 rows after the horizontal pass, so the memory is fixed and stays in the caches.
 */
#include "src/metrics/ssim.h"

#include <math.h>
#include <string.h>

#include "src/metrics/span.h"

enum {
	WINDOW = 11,
	STRIP = XC_SPAN - 16, /* places in a strip; every loop goes over all of them */
	INPUT = STRIP + WINDOW - 1
};

_Static_assert((int)INPUT <= (int)XC_SPAN, "a strip's input is loaded as one span");

/* The means of a, of b, of a^2 + b^2 and of a b, at each place. */
enum { MEAN_A, MEAN_B, SQUARES, PRODUCT, MOMENTS };

typedef double moments[MOMENTS][STRIP];

typedef struct work {
	const xc_luma_plane *luma[2];
	double across[WINDOW], down[WINDOW]; /* the window; a short one ends with zeros */
	uint32_t across_size, down_size;
	double c1, c2;
	double input[MOMENTS][INPUT];
	moments ring[WINDOW];
	moments place;
	double index[STRIP], contrast[STRIP];
} work;

/* Sets the weights for an axis of `size` pixels; returns how many are used. */
static uint32_t make_window(double *weights, uint32_t size)
{
	uint32_t n = size < WINDOW ? size : WINDOW;
	double sum = 0;
	for (uint32_t i = 0; i < n; i++) {
		double distance = i - (n - 1) / 2.0;
		weights[i] = exp(-distance * distance / (2 * 1.5 * 1.5));
		sum += weights[i];
	}
	for (uint32_t i = 0; i < n; i++)
		weights[i] /= sum;
	return n;
}

/* Loads n samples of a row of both lumas, followed by zeros. */
static void load_row(work *w, uint32_t x, uint32_t y, uint32_t n)
{
	float luma[2][INPUT] = {{0}};
	for (int i = 0; i < 2; i++)
		xc_luma_load(w->luma[i], x, y, n, luma[i]);
	for (int i = 0; i < INPUT; i++) {
		double a = luma[0][i], b = luma[1][i];
		w->input[MEAN_A][i] = a;
		w->input[MEAN_B][i] = b;
		w->input[SQUARES][i] = a * a + b * b;
		w->input[PRODUCT][i] = a * b;
	}
}

/* The sums of eleven rows, each times its weight, place by place: so that they stay in registers. */
static void weigh(double *restrict to, const double *const rows[WINDOW], const double *weights)
{
	for (int i = 0; i < STRIP; i++) {
		double sum = 0;
		for (int k = 0; k < WINDOW; k++)
			sum += weights[k] * rows[k][i];
		to[i] = sum;
	}
}

static void filter_across(const work *w, moments to)
{
	for (int m = 0; m < MOMENTS; m++) {
		const double *rows[WINDOW];
		for (int k = 0; k < WINDOW; k++)
			rows[k] = w->input[m] + k;
		weigh(to[m], rows, w->across);
	}
}

/* Filters the rows from `first` on, which are in the ring; in a low picture others have no weight. */
static void filter_down(work *w, uint32_t first)
{
	for (int m = 0; m < MOMENTS; m++) {
		const double *rows[WINDOW];
		for (uint32_t k = 0; k < WINDOW; k++)
			rows[k] = w->ring[(first + k) % WINDOW][m];
		weigh(w->place[m], rows, w->down);
	}
}

/* Adds the first n places. */
static void add_places(work *w, uint32_t n, xc_ssim_means *sums)
{
	for (int i = 0; i < STRIP; i++) {
		double a = w->place[MEAN_A][i], b = w->place[MEAN_B][i];
		double means = a * a + b * b, product = a * b;
		double variances = w->place[SQUARES][i] - means;
		double covariance = w->place[PRODUCT][i] - product;
		w->index[i] = (2 * product + w->c1) * (2 * covariance + w->c2) /
		              ((means + w->c1) * (variances + w->c2));
		w->contrast[i] = (2 * covariance + w->c2) / (variances + w->c2);
	}
	for (uint32_t i = 0; i < n; i++) {
		sums->index += w->index[i];
		sums->contrast += w->contrast[i];
	}
}

/* Adds the strip of n places from column x on. */
static void add_strip(work *w, uint32_t x, uint32_t n, xc_ssim_means *sums)
{
	xc_ssim_means strip = {0, 0};
	for (uint32_t y = 0; y < w->luma[0]->height; y++) {
		load_row(w, x, y, n + w->across_size - 1);
		filter_across(w, w->ring[y % WINDOW]);
		if (y + 1 < w->down_size)
			continue;
		filter_down(w, y + 1 - w->down_size);
		add_places(w, n, &strip);
	}
	sums->index += strip.index;
	sums->contrast += strip.contrast;
}

xc_status xc_ssim(xc_context *context, const xc_luma_plane *a, const xc_luma_plane *b,
                  xc_ssim_means *means)
{
	work *w = xc_allocate_zeroed(context, sizeof *w);
	if (!w)
		return xc_fail_memory(context, sizeof *w);
	double peak = a->depth == 16 ? 65535 : 255;
	xc_ssim_means sums = {0, 0};
	w->luma[0] = a;
	w->luma[1] = b;
	w->across_size = make_window(w->across, a->width);
	w->down_size = make_window(w->down, a->height);
	w->c1 = 0.01 * peak * (0.01 * peak);
	w->c2 = 0.03 * peak * (0.03 * peak);
	uint32_t columns = a->width - w->across_size + 1;
	uint32_t rows = a->height - w->down_size + 1;
	for (uint32_t x = 0, n; x < columns; x += n) {
		n = columns - x < STRIP ? columns - x : STRIP;
		add_strip(w, x, n, &sums);
	}
	xc_release(context, w);
	means->index = sums.index / ((double)columns * rows);
	means->contrast = sums.contrast / ((double)columns * rows);
	return XC_OK;
}
