/* SPDX-License-Identifier: BSD-2-Clause */
/* xc_compare(), xc_ms_ssim(), xc_compare_all() and xc_ssimulacra2(), and PSNR alone for src/target/.
 * Sums of differences are exact integers until the end, so their order does not matter. */
#include <math.h>
#include <string.h>

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

static xc_status compare_pixels(xc_context *context, const xc_picture *a, const xc_picture *b,
                                uint32_t depth, sums *s)
{
	const uint64_t step = 1 << 16, all = (uint64_t)a->width * a->height;
	uint64_t done = 0, report = 0;
	xc_status status = XC_OK;
	xc_span spans[2];

	for (uint32_t y = 0; y < a->height && !status; y++)
		for (uint32_t x = 0, n; x < a->width && !status; x += n, done += n) {
			n = a->width - x < XC_SPAN ? a->width - x : XC_SPAN;
			xc_span_load(a, x, y, n, depth, &spans[0]);
			xc_span_load(b, x, y, n, depth, &spans[1]);
			compare_spans(&spans[0], &spans[1], n, depth, s);
			if (done >= report) {
				status = xc_report_progress(context, (double)done / (double)all);
				report += step;
			}
		}
	return status;
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

/* Sets *ms_ssim of two checked pictures of equal size, and *ssim, which is a part of it: all that is
 * wanted if `scales` is 1. */
static xc_status measure_scales(xc_context *context, const xc_picture *a, const xc_picture *b,
                                uint32_t depth, uint32_t peak, int scales, double *ssim,
                                double *ms_ssim)
{
	xc_luma_plane luma[2] = {xc_luma_of(a, depth, peak), xc_luma_of(b, depth, peak)};
	const xc_progress_range all = context->range;
	xc_status status = XC_OK;
	double product = 1;

	for (int scale = 0; scale < scales && !status; scale++) {
		xc_ssim_means means;
		/* A scale has a quarter of the pixels of the one before. */
		xc_progress_stage(context, all, 1 - pow(0.25, scale),
		                  scale + 1 < scales ? 1 - pow(0.25, scale + 1) : 1);
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

/* The loops of the metrics go along rows, and a row of one pixel takes as long as one of eight or more. */
static int is_thin(const xc_picture *p)
{
	return p->width < 8 && p->height > p->width;
}

static xc_status check(xc_context *context, const xc_picture *a, const xc_picture *b)
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

static xc_status check_peak(xc_context *context, uint32_t peak)
{
	return peak <= 65535
	           ? XC_OK
	           : xc_fail(context, XC_ERR_ARGUMENT, "a peak of %u is not 1 to 65535", peak);
}

/* Copies columns to rows. */
static xc_status turn(xc_context *context, const xc_picture *p, xc_picture *turned)
{
	const size_t pixel = p->channels * (size_t)(p->depth / 8);

	*turned = (xc_picture){p->height, p->width, p->channels, p->depth, p->height * pixel, NULL};
	const xc_status status = xc_picture_make(context, turned);
	for (uint32_t y = 0; y < p->height && !status; y++)
		for (uint32_t x = 0; x < p->width; x++)
			memcpy((char *)turned->data + x * turned->stride + y * pixel,
			       (const char *)p->data + y * p->stride + x * pixel, pixel);
	return status;
}

xc_status xc_metrics_open(xc_context *context, const xc_picture *a, const xc_picture *b,
                          uint32_t peak, xc_picture open[2])
{
	xc_status status = check_peak(context, peak);

	open[0] = open[1] = (xc_picture){.data = NULL};
	if (!status)
		status = check(context, a, b);
	if (status)
		return status;
	open[0] = *a;
	open[1] = *b;
	if (!is_thin(a))
		return XC_OK;
	open[1].data = NULL;
	status = turn(context, a, &open[0]);
	if (!status)
		status = turn(context, b, &open[1]);
	if (status)
		xc_metrics_close(context, a, open);
	return status;
}

void xc_metrics_close(xc_context *context, const xc_picture *a, xc_picture open[2])
{
	if (is_thin(a)) {
		xc_picture_free(context, &open[0]);
		xc_picture_free(context, &open[1]);
	}
}

/* Everything but SSIM. */
static xc_status fill(xc_context *context, const xc_picture *a, const xc_picture *b, uint32_t depth,
                      uint32_t peak, xc_comparison *result)
{
	sums s = {.max = 0};

	const xc_status status = compare_pixels(context, a, b, depth, &s);
	if (status)
		return status;
	*result = (xc_comparison){
		.width = a->width,
		.height = a->height,
		.depth = depth,
		.peak = peak ? peak : xc_span_peak(depth),
		.has_alpha = a->channels % 2 == 0 || b->channels % 2 == 0,
	};
	summarize(&s, result);
	return XC_OK;
}

/* SSIM on this number of scales and, if there is a place for them, the other results. */
static xc_status compare(xc_context *context, const xc_picture *a, const xc_picture *b,
                         uint32_t peak, int scales, xc_comparison *result, double *ms_ssim)
{
	const double share = result ? 0.7 : 1; /* of SSIM, of the time */
	const xc_progress_range all = context->range;
	xc_picture p[2];
	double ssim = 0;
	xc_status status = xc_metrics_open(context, a, b, peak, p);

	if (status)
		return status;
	const uint32_t depth = max_depth(a, b);
	xc_progress_stage(context, all, 0, share);
	status = measure_scales(context, &p[0], &p[1], depth, peak, scales, &ssim, ms_ssim);
	xc_progress_stage(context, all, share, 1);
	if (!status && result)
		status = fill(context, &p[0], &p[1], depth, peak, result);
	if (!status && result) {
		result->width = a->width;
		result->height = a->height;
		result->ssim_y = ssim;
	}
	xc_metrics_close(context, a, p);
	return status;
}

xc_status xc_compare(xc_context *context, const xc_picture *a, const xc_picture *b,
                     xc_comparison *result)
{
	XC_DEFAULT_FLOATS;
	double ms_ssim;
	const xc_status status = XC_BEGIN_RESULT(context, result);

	return status ? status : compare(context, a, b, 0, 1, result, &ms_ssim);
}

xc_status xc_ms_ssim(xc_context *context, const xc_picture *a, const xc_picture *b, double *ms_ssim)
{
	XC_DEFAULT_FLOATS;
	const xc_status status = XC_BEGIN_RESULT(context, ms_ssim);

	return status ? status : compare(context, a, b, 0, SCALES, NULL, ms_ssim);
}

xc_status xc_compare_all(xc_context *context, const xc_picture *a, const xc_picture *b,
                         uint32_t peak, xc_comparison *result, double *ms_ssim)
{
	XC_DEFAULT_FLOATS;

	if (ms_ssim)
		*ms_ssim = 0;
	xc_status status = XC_BEGIN_RESULT(context, result);
	if (!status && !ms_ssim)
		status = xc_fail(context, XC_ERR_ARGUMENT, "no place for the result");
	if (!status)
		status = compare(context, a, b, peak, SCALES, result, ms_ssim);
	if (status && ms_ssim)
		*ms_ssim = 0;
	return status;
}

xc_status xc_ssimulacra2(xc_context *context, const xc_picture *a, const xc_picture *b,
                         uint32_t peak, double *score)
{
	XC_DEFAULT_FLOATS;
	xc_status status = XC_BEGIN_RESULT(context, score);
	if (!status)
		status = check_peak(context, peak);
	if (!status)
		status = check(context, a, b);
	return status ? status : xc_ssimulacra2_of(context, a, b, peak, score);
}
