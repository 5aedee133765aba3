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
 * The window is separable. Four moments are enough instead of the paper's five, because the two
 * variances occur only as a sum. Strips of columns are done one after another. A ring holds a
 * strip's last 11 rows after the horizontal pass, so the memory is fixed and stays in the caches.
 */
#include <math.h>

#include "src/metrics/filter.h"

enum { REPORT_ROWS = 1024 }; /* of a strip, between reports of progress: about a millisecond */

static const xc_ssim_filters *filters_of(xc_cpu cpu)
{
	static const xc_ssim_filters *const levels[XC_CPU_LEVELS] =
		{[XC_CPU_SCALAR] = &xc_ssim_filters_scalar,
	     XC_CPU_ENTRY_SSE2(&xc_ssim_filters_sse2) XC_CPU_ENTRY_NEON(&xc_ssim_filters_neon)
	         XC_CPU_ENTRY_AVX2(&xc_ssim_filters_avx2) XC_CPU_ENTRY_AVX512(&xc_ssim_filters_avx512)};

	return levels[cpu];
}

/* Sets the weights for an axis of `size` pixels; returns how many are used. */
static uint32_t make_window(double *weights, uint32_t size)
{
	uint32_t n = size < XC_SSIM_WINDOW ? size : XC_SSIM_WINDOW;
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

/* Loads n samples of a row of both lumas. Those after them, which count for nothing, are 0 or of an
 * earlier strip. */
static void load_row(xc_ssim_work *w, uint32_t x, uint32_t y, uint32_t n)
{
	float luma[2][XC_SSIM_INPUT];

	for (int i = 0; i < 2; i++)
		xc_luma_load(w->luma[i], x, y, n, luma[i]);
	for (uint32_t i = 0; i < n; i++) {
		double a = luma[0][i], b = luma[1][i];
		w->input[XC_SSIM_MEAN_A][i] = a;
		w->input[XC_SSIM_MEAN_B][i] = b;
		w->input[XC_SSIM_SQUARES][i] = a * a + b * b;
		w->input[XC_SSIM_PRODUCT][i] = a * b;
	}
}

/* Adds the first n places. */
static void add_windows(const xc_ssim_work *w, uint32_t n, xc_ssim_means *sums)
{
	for (uint32_t i = 0; i < n; i++) {
		sums->index += w->index[i];
		sums->contrast += w->contrast[i];
	}
}

/* Adds the strip from column x on. */
static xc_status add_strip(xc_context *context, xc_ssim_work *w, uint32_t x, xc_ssim_means *sums)
{
	const xc_ssim_filters *filters = filters_of(context->cpu);
	const uint32_t height = w->luma[0]->height;
	const double columns = w->luma[0]->width - w->across_size + 1;
	xc_ssim_means strip = {0, 0};
	xc_status status = XC_OK;

	for (uint32_t y = 0; y < height && !status; y++) {
		load_row(w, x, y, w->places + w->across_size - 1);
		filters->across(w, w->ring[y % XC_SSIM_WINDOW]);
		if (y + 1 >= w->down_size) {
			filters->down(w, y + 1 - w->down_size);
			add_windows(w, w->places, &strip);
		}
		if (y % REPORT_ROWS == 0)
			status = xc_report_progress(context, (x + (double)y / height * w->places) / columns);
	}
	sums->index += strip.index;
	sums->contrast += strip.contrast;
	return status;
}

xc_status xc_ssim(xc_context *context, const xc_luma_plane *a, const xc_luma_plane *b,
                  xc_ssim_means *means)
{
	xc_ssim_work *w = xc_allocate_zeroed(context, sizeof *w);

	if (!w)
		return xc_fail_memory(context, sizeof *w);
	const double peak = a->peak;
	xc_ssim_means sums = {0, 0};
	w->luma[0] = a;
	w->luma[1] = b;
	w->across_size = make_window(w->across, a->width);
	w->down_size = make_window(w->down, a->height);
	w->c1 = 0.01 * peak * (0.01 * peak);
	w->c2 = 0.03 * peak * (0.03 * peak);
	uint32_t columns = a->width - w->across_size + 1;
	uint32_t rows = a->height - w->down_size + 1;
	xc_status status = XC_OK;
	for (uint32_t x = 0; x < columns && !status; x += w->places) {
		w->places = columns - x < XC_SSIM_STRIP ? columns - x : XC_SSIM_STRIP;
		status = add_strip(context, w, x, &sums);
	}
	xc_release(context, w);
	means->index = sums.index / ((double)columns * rows);
	means->contrast = sums.contrast / ((double)columns * rows);
	return status;
}
