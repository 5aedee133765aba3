/* SPDX-License-Identifier: BSD-2-Clause */
/* xc_compare(), xc_ms_ssim(), xc_compare_all() and xc_ssimulacra2(), and PSNR alone for src/target/.
 * Sums of differences are exact integers until the end, so their order does not matter. */
#include <math.h>

#include "src/core/floats.h"
#include "src/core/picture.h"
#include "src/metrics/metrics.h"

enum { RED, GREEN, BLUE, ALPHA, LUMA, CB, CR, SERIES };

/* A sum of up to 94 bits: 2^62 pixels with squares of 32 bits. */
typedef struct wide {
	uint64_t high, low;
} wide;

typedef struct sums {
	wide squares[SERIES];
	uint32_t max; /* of R, G, B, A */
} sums;

static void wide_add(wide *sum, uint64_t value)
{
	sum->low += value;
	sum->high += sum->low < value;
}

static double wide_value(const wide *sum)
{
	return ldexp((double)sum->high, 64) + (double)sum->low;
}

/* Returns the sum of the squared differences; raises *max. */
static uint64_t compare_samples(const uint16_t *a, const uint16_t *b, uint32_t n, uint32_t *max)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t difference = a[i] > b[i] ? (uint32_t)a[i] - b[i] : (uint32_t)b[i] - a[i];
		sum += (uint64_t)difference * difference;
		if (difference > *max)
			*max = difference;
	}
	return sum;
}

static void compare_spans(const xc_span *a, const xc_span *b, uint32_t n, uint32_t depth, sums *s)
{
	uint16_t luma[2][XC_SPAN], cb[2][XC_SPAN], cr[2][XC_SPAN];
	uint32_t ignored = 0;

	for (int c = 0; c < 4; c++)
		wide_add(&s->squares[c], compare_samples(a->sample[c], b->sample[c], n, &s->max));
	xc_span_luma(a, n, luma[0]);
	xc_span_luma(b, n, luma[1]);
	wide_add(&s->squares[LUMA], compare_samples(luma[0], luma[1], n, &ignored));
	xc_span_chroma(a, n, depth, cb[0], cr[0]);
	xc_span_chroma(b, n, depth, cb[1], cr[1]);
	wide_add(&s->squares[CB], compare_samples(cb[0], cb[1], n, &ignored));
	wide_add(&s->squares[CR], compare_samples(cr[0], cr[1], n, &ignored));
}

static void compare_pixels(const xc_picture *a, const xc_picture *b, uint32_t depth, sums *s)
{
	xc_span spans[2];

	for (uint32_t y = 0; y < a->height; y++)
		for (uint32_t x = 0, n; x < a->width; x += n) {
			n = a->width - x < XC_SPAN ? a->width - x : XC_SPAN;
			xc_span_load(a, x, y, n, depth, &spans[0]);
			xc_span_load(b, x, y, n, depth, &spans[1]);
			compare_spans(&spans[0], &spans[1], n, depth, s);
		}
}

static double psnr(double mse, double peak)
{
	return mse > 0 ? 10 * log10(peak * peak / mse) : HUGE_VAL;
}

static void summarize(const sums *s, xc_comparison *result)
{
	double pixels = (double)result->width * result->height;
	const double peak = result->peak;
	double colours = 0;

	for (int c = 0; c < 4; c++)
		result->psnr_channel[c] = psnr(wide_value(&s->squares[c]) / pixels, peak);
	for (int c = RED; c <= BLUE; c++)
		colours += wide_value(&s->squares[c]);
	result->mse = colours / (3 * pixels);
	result->psnr_rgb = psnr(result->mse, peak);
	result->psnr_y = psnr(wide_value(&s->squares[LUMA]) / pixels, peak);
	result->psnr_chroma[0] = psnr(wide_value(&s->squares[CB]) / pixels, peak);
	result->psnr_chroma[1] = psnr(wide_value(&s->squares[CR]) / pixels, peak);
	result->max_abs_diff = s->max;
	result->identical = s->max == 0;
}

/* ------------------------------------------------------------------ MS-SSIM */

/* Multi-scale SSIM of Wang, Simoncelli and Bovik ("Multi-scale structural similarity for image
 * quality assessment", Asilomar Conference on Signals, Systems and Computers, 2003). As in the
 * authors' program, each scale contributes the mean of its contrast and structure terms, the
 * coarsest the mean of the whole index, and the next scale has means of 2 x 2 samples. */

enum { SCALES = 5 };

/* The paper's, finest scale first; they add up to 1. */
static const double weights[SCALES] = {0.0448, 0.2856, 0.3001, 0.2363, 0.1333};

/* Replaces the luma by its half. */
static xc_status halve(xc_context *context, xc_luma_plane *luma)
{
	xc_luma_plane half;
	xc_status status = xc_luma_halve(context, luma, &half);

	xc_luma_free(context, luma);
	*luma = half;
	return status;
}

/* Sets *ms_ssim of two checked pictures of equal size, and *ssim, which is a part of it. */
static xc_status measure_scales(xc_context *context, const xc_picture *a, const xc_picture *b,
                                uint32_t depth, uint32_t peak, double *ssim, double *ms_ssim)
{
	xc_luma_plane luma[2] = {xc_luma_of(a, depth, peak), xc_luma_of(b, depth, peak)};
	xc_status status = XC_OK;
	double product = 1;

	for (int scale = 0; scale < SCALES && !status; scale++) {
		xc_ssim_means means;
		if (scale)
			status = halve(context, &luma[0]);
		if (scale && !status)
			status = halve(context, &luma[1]);
		if (!status)
			status = xc_ssim(context, &luma[0], &luma[1], &means);
		if (status)
			break;
		if (!scale)
			*ssim = means.index;
		double mean = scale == SCALES - 1 ? means.index : means.contrast;
		product *= pow(fmax(mean, 0), weights[scale]);
	}
	xc_luma_free(context, &luma[0]);
	xc_luma_free(context, &luma[1]);
	*ms_ssim = status ? 0 : product;
	return status;
}

/* ------------------------------------------------------------ PSNR of RGB alone */

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

/* The squared differences of a row, for pictures of one layout, 8 bits and no alpha. */
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

/* The squared differences of red, green and blue in a row of any two pictures. */
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
	return psnr(mse, peak);
}

/* ---------------------------------------------------------------- the interface */

static uint32_t max_depth(const xc_picture *a, const xc_picture *b)
{
	return a->depth > b->depth ? a->depth : b->depth;
}

xc_status xc_metrics_check(xc_context *context, const xc_picture *a, const xc_picture *b)
{
	xc_status status = xc_picture_check_data(context, a);

	if (!status)
		status = xc_picture_check_data(context, b);
	if (!status && (a->width != b->width || a->height != b->height))
		status = xc_fail(context, XC_ERR_ARGUMENT,
		                 "the pictures differ in size: %u x %u and %u x %u", a->width, a->height,
		                 b->width, b->height);
	return status;
}

xc_status xc_metrics_check_peak(xc_context *context, uint32_t peak)
{
	return peak <= 65535
	           ? XC_OK
	           : xc_fail(context, XC_ERR_ARGUMENT, "a peak of %u is not 1 to 65535", peak);
}

/* Everything but SSIM. */
static void fill(const xc_picture *a, const xc_picture *b, uint32_t depth, uint32_t peak,
                 xc_comparison *result)
{
	sums s = {.max = 0};

	compare_pixels(a, b, depth, &s);
	*result = (xc_comparison){
		.width = a->width,
		.height = a->height,
		.depth = depth,
		.peak = peak ? peak : xc_span_peak(depth),
		.has_alpha = a->channels % 2 == 0 || b->channels % 2 == 0,
	};
	summarize(&s, result);
}

xc_status xc_compare(xc_context *context, const xc_picture *a, const xc_picture *b,
                     xc_comparison *result)
{
	XC_DEFAULT_FLOATS;
	xc_status status = XC_BEGIN_RESULT(context, result);
	if (!status)
		status = xc_metrics_check(context, a, b);
	if (status)
		return status;
	const uint32_t depth = max_depth(a, b);
	const xc_luma_plane lumas[2] = {xc_luma_of(a, depth, 0), xc_luma_of(b, depth, 0)};
	xc_ssim_means ssim;
	status = xc_ssim(context, &lumas[0], &lumas[1], &ssim);
	if (status)
		return status;
	fill(a, b, depth, 0, result);
	result->ssim_y = ssim.index;
	return XC_OK;
}

xc_status xc_ms_ssim(xc_context *context, const xc_picture *a, const xc_picture *b, double *ms_ssim)
{
	XC_DEFAULT_FLOATS;
	double ssim;

	xc_status status = XC_BEGIN_RESULT(context, ms_ssim);
	if (!status)
		status = xc_metrics_check(context, a, b);
	return status ? status : measure_scales(context, a, b, max_depth(a, b), 0, &ssim, ms_ssim);
}

xc_status xc_compare_all(xc_context *context, const xc_picture *a, const xc_picture *b,
                         uint32_t peak, xc_comparison *result, double *ms_ssim)
{
	XC_DEFAULT_FLOATS;
	double ssim, scales;

	if (ms_ssim)
		*ms_ssim = 0;
	xc_status status = XC_BEGIN_RESULT(context, result);
	if (!status && !ms_ssim)
		status = xc_fail(context, XC_ERR_ARGUMENT, "no place for the result");
	if (!status)
		status = xc_metrics_check_peak(context, peak);
	if (!status)
		status = xc_metrics_check(context, a, b);
	if (!status)
		status = measure_scales(context, a, b, max_depth(a, b), peak, &ssim, &scales);
	if (status)
		return status;
	fill(a, b, max_depth(a, b), peak, result);
	result->ssim_y = ssim;
	*ms_ssim = scales;
	return XC_OK;
}

xc_status xc_ssimulacra2(xc_context *context, const xc_picture *a, const xc_picture *b,
                         uint32_t peak, double *score)
{
	XC_DEFAULT_FLOATS;
	xc_status status = XC_BEGIN_RESULT(context, score);
	if (!status)
		status = xc_metrics_check_peak(context, peak);
	if (!status)
		status = xc_metrics_check(context, a, b);
	return status ? status : xc_ssimulacra2_of(context, a, b, peak, score);
}
