/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Butteraugli, the distance of two pictures as the eye sees it, by Jyrki Alakuijala and others at
 * Google. This one agrees with the program butteraugli_main of libjxl (2026). Samples become the
 * light of a screen with a white of 80 candelas per square metre. What three kinds of receptors
 * take in is weighed by their sensitivity, which the light around determines, and becomes opponent
 * colours. Blurs split them into low, medium, high and highest frequencies. Differences are
 * squared: DC, those of low frequencies; AC, all others, with what the Malta filters find along
 * short lines. Both count less where the mask finds the first picture busy. The root of their sum
 * is the distance at a pixel. The pictures of half the size, if they have 8 x 8 pixels, are
 * compared likewise; a distance is 0.85 of the pixel's own and 0.5 of that of its place there.
 *
 * Strips of columns are compared one after another. Each has margins, from which its own distances
 * are those of the whole picture. So the rings' memory is bounded and stays in the caches, however
 * wide a picture is.
 *
 * A picture narrower or lower than 8 pixels is extended to 8 by its last column or row, and only
 * the distances at its own pixels count. (The program reports 0.) With alpha, pictures are compared
 * before black and before white, and the larger distance at a pixel counts.
 */
#include <math.h>
#include <string.h>

#include "src/metrics/butteraugli.h"
#include "src/core/floats.h"
#include "src/metrics/metrics.h"

/* Columns of a strip, and those around it that its distances depend on, in pixels of half the size
 * too. Both are even, so that each strip has whole pixels of half the size. */
enum { STRIP = 1024, MARGIN = 2 * XC_BUTTER_DELAY };
enum { REPORT_ROWS = 32 }; /* of a strip, between reports of progress: some milliseconds */

typedef struct source {
	const xc_picture *picture[2];
	uint32_t depth;         /* bits of samples */
	uint32_t width, height; /* at least 8 pixels */
	uint32_t white;         /* the sample of white; larger ones count as it */
	float *light;           /* by sample */
	xc_butter_step *step;
	/* The strip: its first column and the one after its last, and the first one in the rings. */
	uint32_t first, end, left;
} source;

static void set_light(float *light, uint32_t peak)
{
	for (uint32_t i = 0; i <= peak; i++) {
		const double v = (double)i / peak; /* sRGB */
		light[i] = (float)(80 * (v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4)));
	}
}

/* Loads row y of a picture before a background of the sample `ground`. */
static void load_row(const source *s, int picture, uint64_t ground, uint32_t y, const xc_rings *r)
{
	const xc_picture *p = s->picture[picture];
	const uint64_t peak = s->white;
	xc_span span;

	const uint32_t columns = r->width < p->width ? r->width : p->width;

	for (uint32_t x = 0, n; x < columns; x += n) {
		n = columns - x < XC_SPAN ? columns - x : XC_SPAN;
		xc_span_load(p, s->left + x, y < p->height ? y : p->height - 1, n, s->depth, &span);
		for (int c = 0; c < 3; c++) {
			float *to = xc_ring_row(r, XC_RING_LINEAR + 3 * picture + c, y) + x;
			for (uint32_t i = 0; i < n; i++) {
				const uint64_t sample = span.sample[c][i], opaque = span.sample[3][i];
				const uint64_t v = sample < peak ? sample : peak;
				const uint64_t alpha = opaque < peak ? opaque : peak;
				const uint64_t blend = v * alpha + ground * (peak - alpha) + peak / 2;
				to[i] = s->light[alpha == peak ? v : blend / peak];
			}
			for (uint32_t i = n; p->width < 8 && i < 8; i++)
				to[i] = to[i - 1];
		}
	}
}

/* Makes row y of the half size: means of 2 x 2 pixels. An odd last column or row counts twice. */
static void halve(const xc_rings *full, const xc_rings *half, uint32_t y)
{
	const uint32_t below = 2 * y + 1 < full->height ? 2 * y + 1 : 2 * y;

	for (int i = 0; i < 6; i++) {
		const float *a = xc_ring_row(full, XC_RING_LINEAR + i, 2 * y);
		const float *b = xc_ring_row(full, XC_RING_LINEAR + i, below);
		float *to = xc_ring_row(half, XC_RING_LINEAR + i, y);
		for (uint32_t x = 0; x < half->width; x++) {
			const uint32_t right = 2 * x + 1 < full->width ? 2 * x + 1 : 2 * x;
			to[x] = (a[2 * x] + a[right] + b[2 * x] + b[right]) / 4;
		}
	}
}

static void set_blur(const xc_rings *r, int blur, int reach, double sigma, float *middle)
{
	float *scale = xc_ring_row(r, XC_RING_SCALE + blur, 0);

	for (int k = -reach; k <= reach; k++)
		middle[k] = (float)exp(-k * k / (2 * sigma * sigma));
	for (int64_t x = 0; x < r->width; x++) {
		float sum = 0;
		for (int k = -reach; k <= reach; k++)
			if (blur == XC_SOFT_BLUR || (x + k >= 0 && x + k < r->width))
				sum += middle[k];
		scale[x] = 1 / sum;
	}
}

static xc_status open_rings(xc_context *context, uint32_t width, uint32_t height, xc_rings *r)
{
	static const double sigmas[] = {1.2, 7.15593339443, 3.22489901262, 1.56416327805, 2.7};
	const size_t padded = ((size_t)width + 15) / 16 * 16, stride = padded + 2 * XC_RING_MARGIN;
	uint32_t rows = 0;

	*r = (xc_rings){.width = width, .height = height, .padded = padded, .stride = stride};
	for (int i = 0; i < XC_RINGS; rows += xc_ring_rows[i++])
		r->first[i] = rows;
	if (stride <= SIZE_MAX / sizeof(float) / rows)
		r->memory = xc_allocate_zeroed(context, rows * stride * sizeof(float));
	if (!r->memory)
		return xc_fail_memory(context, 0);
	for (int i = 0; i < XC_BLURS; i++)
		set_blur(r, i, xc_blur_reach[i], sigmas[i], r->weight[i] + XC_MAX_REACH);
	for (size_t i = 0; i < stride; i++)
		r->memory[r->first[XC_RING_INFINITE] * stride + i] = HUGE_VALF;
	return XC_OK;
}

static void close_rings(xc_context *context, xc_rings rings[2])
{
	for (int i = 0; i < 2; i++) {
		xc_release(context, rings[i].memory);
		rings[i] = (xc_rings){.width = 0};
	}
}

/* Loads row t and makes what becomes ready; the half size follows at half the speed. */
static void step(const source *s, uint64_t ground, uint32_t t, const xc_rings *full,
                 const xc_rings *half, float *distances)
{
	const uint32_t y = t - XC_BUTTER_DELAY, half_y = t / 2 - XC_BUTTER_DELAY;
	const uint32_t width = s->picture[0]->width, height = s->picture[0]->height;
	const uint32_t from = s->first - s->left;

	for (int i = 0; i < 2 && t < s->height; i++)
		load_row(s, i, ground, t, full);
	s->step(full, t);
	if (y < height)
		memcpy(distances + (size_t)y * width + s->first,
		       xc_ring_row(full, XC_RING_RESULT, 0) + from, (s->end - s->first) * sizeof(float));
	if (t % 2 == 0 || !half->memory)
		return;
	if (t / 2 < half->height)
		halve(full, half, t / 2);
	s->step(half, t / 2);
	const float *row = xc_ring_row(half, XC_RING_RESULT, 0) + from / 2;
	for (uint32_t i = 0; i < 2 && half_y < half->height && 2 * half_y + i < height; i++) {
		float *to = distances + (size_t)(2 * half_y + i) * width + s->first;
		for (uint32_t x = 0; x < s->end - s->first; x++)
			to[x] = to[x] * 0.85f + row[x / 2] * 0.5f;
	}
}

/* Compares the strip, with the rings of the one before if they are of the same width. */
static xc_status compare_strip(xc_context *context, const source *s, uint64_t ground,
                               xc_rings rings[2], float *distances)
{
	const uint32_t right = s->width - s->end < MARGIN ? s->width : s->end + MARGIN;
	const uint32_t last = s->height + 2 * XC_BUTTER_DELAY, columns = right - s->left;
	xc_status status = XC_OK;

	if (rings[0].width != columns) {
		close_rings(context, rings);
		status = open_rings(context, columns, s->height, &rings[0]);
		if (!status && s->width > 14 && s->height > 14) /* at least 8 x 8 of half the size */
			status = open_rings(context, columns / 2 + columns % 2, s->height / 2 + s->height % 2,
			                    &rings[1]);
	}
	for (uint32_t t = 0; t <= last && !status; t++) {
		step(s, ground, t, &rings[0], &rings[1], distances);
		if (t % REPORT_ROWS == 0)
			status = xc_report_progress(context, ((double)s->first +
			                                      (double)t / last * (s->end - s->first)) /
			                                         s->picture[0]->width);
	}
	return status;
}

static xc_status compare(xc_context *context, source *s, uint64_t ground, float *distances)
{
	const uint32_t width = s->picture[0]->width;
	xc_rings rings[2] = {{.width = 0}};
	xc_status status = XC_OK;

	for (s->first = 0; s->first < width && !status; s->first = s->end) {
		s->left = s->first < MARGIN ? 0 : s->first - MARGIN;
		s->end = width - s->first < STRIP ? width : s->first + STRIP;
		status = compare_strip(context, s, ground, rings, distances);
	}
	close_rings(context, rings);
	return status;
}

static void summarize(const source *s, const float *a, const float *b, double *norm3, double *max)
{
	const uint32_t width = s->picture[0]->width, height = s->picture[0]->height;
	const size_t pixels = (size_t)width * height;
	double sum[3] = {0, 0, 0};

	for (size_t i = 0; i < pixels; i++) {
		const double d = (double)(a[i] > b[i] ? a[i] : b[i]);
		double power = d * d * d;
		for (int k = 0; k < 3; k++, power *= power)
			sum[k] += power;
		*max = d > *max ? d : *max;
	}
	for (int i = 0; i < 3; i++)
		*norm3 += pow(sum[i] / (double)pixels, 1.0 / (3 << i)) / 3;
}

static xc_status measure(xc_context *context, const xc_picture p[2], uint32_t peak, double *norm3,
                         double *max)
{
	static xc_butter_step *const steps[XC_CPU_LEVELS] =
		{[XC_CPU_SCALAR] = xc_butter_step_scalar,
	     XC_CPU_ENTRY_SSE2(xc_butter_step_sse2) XC_CPU_ENTRY_NEON(xc_butter_step_neon)
	         XC_CPU_ENTRY_AVX2(xc_butter_step_avx2) XC_CPU_ENTRY_AVX512(xc_butter_step_avx512)};
	const xc_picture *a = &p[0], *b = &p[1];
	const int alpha = a->channels % 2 == 0 || b->channels % 2 == 0;
	const uint32_t width = a->width < 8 ? 8 : a->width, height = a->height < 8 ? 8 : a->height;
	const uint32_t depth = alpha || a->depth > b->depth ? 16 : b->depth;
	const uint32_t scale = depth > a->depth && depth > b->depth ? 257 : 1; /* of xc_span_load() */
	const uint32_t white = peak ? peak * scale : xc_span_peak(depth);
	const uint64_t pixels = (uint64_t)a->width * a->height;
	const uint64_t floats = (pixels << alpha) + white + 1;
	float *light = NULL;
	if (floats <= SIZE_MAX / sizeof *light)
		light = xc_allocate(context, (size_t)floats * sizeof *light);
	if (!light)
		return xc_fail_memory(context, 0);
	xc_status status;
	source s = {{a, b}, depth, width, height, white, light, steps[context->cpu], 0, 0, 0};
	float *first = light + white + 1, *second = alpha ? first + pixels : first;
	set_light(light, white);
	const xc_progress_range all = context->range;
	xc_progress_stage(context, all, 0, alpha ? 0.5 : 1);
	status = compare(context, &s, 0, first);
	xc_progress_stage(context, all, 0.5, 1);
	if (!status && alpha)
		status = compare(context, &s, white, second);
	if (!status)
		summarize(&s, first, second, norm3, max);
	xc_release(context, light);
	return status;
}

xc_status xc_butteraugli(xc_context *context, const xc_picture *a, const xc_picture *b,
                         uint32_t peak, double *norm3, double *max)
{
	XC_DEFAULT_FLOATS;
	if (max)
		*max = 0;
	xc_status status = XC_BEGIN_RESULT(context, norm3);
	if (!status && !max)
		status = xc_fail(context, XC_ERR_ARGUMENT, "no place for the result");
	xc_picture p[2];
	if (!status)
		status = xc_metrics_open(context, a, b, peak, p);
	if (status)
		return status;
	status = measure(context, p, peak, norm3, max);
	xc_metrics_close(context, a, p);
	return status;
}
