/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/metrics/psnr.h"

#include <math.h>

#include "src/metrics/span.h"

/* The sum of squared differences of n samples; n * 255^2 must fit 32 bits. */
static uint32_t squares_8(const uint8_t *a, const uint8_t *b, size_t n)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		const int32_t d = a[i] - b[i];
		sum += (uint32_t)(d * d);
	}
	return sum;
}

/* Of a row of pictures of one layout, 8 bits and no alpha. */
static uint64_t row_8(const xc_picture *a, const xc_picture *b, uint32_t y)
{
	enum { PIECE = 1 << 14 };
	const size_t n = (size_t)a->width * a->channels;
	const uint8_t *p = (const uint8_t *)a->data + y * a->stride;
	const uint8_t *q = (const uint8_t *)b->data + y * b->stride;
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i += PIECE)
		sum += squares_8(p + i, q + i, n - i < PIECE ? n - i : PIECE);
	return sum;
}

/* Of a row of any two pictures, red, green and blue together. */
static uint64_t row_rgb(const xc_picture *a, const xc_picture *b, uint32_t depth, uint32_t y)
{
	uint64_t sum = 0;
	xc_span s, t;

	for (uint32_t x = 0, n; x < a->width; x += n) {
		n = a->width - x < XC_SPAN ? a->width - x : XC_SPAN;
		xc_span_load(a, x, y, n, depth, &s);
		xc_span_load(b, x, y, n, depth, &t);
		for (int c = 0; c < 3; c++)
			for (uint32_t i = 0; i < n; i++) {
				const int64_t d = (int64_t)s.sample[c][i] - t.sample[c][i];
				sum += (uint64_t)(d * d);
			}
	}
	return sum;
}

double xc_psnr_rgb(const xc_picture *a, const xc_picture *b, uint32_t largest)
{
	const uint32_t depth = a->depth > b->depth ? a->depth : b->depth;
	const int alike = a->channels == b->channels && a->channels % 2 && depth == 8;
	const double peak = largest ? largest : xc_span_peak(depth);
	double sum = 0;

	for (uint32_t y = 0; y < a->height; y++)
		sum += (double)(alike ? row_8(a, b, y) : row_rgb(a, b, depth, y));
	const double mse = sum / ((double)a->width * a->height * (alike ? a->channels : 3));
	return mse > 0 ? 10 * log10(peak * peak / mse) : HUGE_VAL;
}
