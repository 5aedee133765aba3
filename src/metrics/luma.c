/* SPDX-License-Identifier: BSD-2-Clause */
/* Pieces of rows, and the luma of a picture or of its halves, for SSIM on several scales. */
#include "src/metrics/metrics.h"

#include <string.h>

static void load_channel(const xc_picture *p, uint32_t x, uint32_t y, uint32_t channel, uint32_t n,
                         uint32_t depth, uint16_t *to)
{
	const uint8_t *row8 = (const uint8_t *)p->data + y * p->stride;
	const uint16_t *row16 = (const void *)row8;
	const unsigned scale = depth > p->depth ? 257 : 1; /* 255 becomes 65535 */
	size_t at = (size_t)x * p->channels + channel;

	if (p->depth == 8)
		for (uint32_t i = 0; i < n; i++, at += p->channels)
			to[i] = (uint16_t)(row8[at] * scale);
	else
		for (uint32_t i = 0; i < n; i++, at += p->channels)
			to[i] = row16[at];
}

void xc_span_load(const xc_picture *p, uint32_t x, uint32_t y, uint32_t n, uint32_t depth,
                  xc_span *span)
{
	int has_alpha = p->channels % 2 == 0, has_colour = p->channels > 2;

	for (uint32_t c = 0; c < 3; c++)
		load_channel(p, x, y, has_colour ? c : 0, n, depth, span->sample[c]);
	if (has_alpha)
		load_channel(p, x, y, p->channels - 1, n, depth, span->sample[3]);
	else
		for (uint32_t i = 0; i < n; i++)
			span->sample[3][i] = (uint16_t)xc_span_peak(depth);
}

void xc_span_luma(const xc_span *span, uint32_t n, uint16_t *luma)
{
	/* The weights add up to 2^20 - 1, and rounding keeps the value of grey. */
	for (uint32_t i = 0; i < n; i++)
		luma[i] = (uint16_t)((UINT64_C(313524) * span->sample[0][i] +
		                      UINT64_C(615514) * span->sample[1][i] +
		                      UINT64_C(119537) * span->sample[2][i] + (1 << 19)) >>
		                     20);
}

void xc_span_chroma(const xc_span *span, uint32_t n, uint32_t depth, uint16_t *cb, uint16_t *cr)
{
	/* As above; halves are rounded down, or the largest value would not fit. */
	const int64_t middle = (INT64_C(1) << (depth - 1 + 20)) + (1 << 19) - 1;

	for (uint32_t i = 0; i < n; i++) {
		const int64_t r = span->sample[0][i], g = span->sample[1][i], b = span->sample[2][i];
		cb[i] = (uint16_t)((middle + 524288 * b - 176932 * r - 347356 * g) >> 20);
		cr[i] = (uint16_t)((middle + 524288 * r - 439026 * g - 85262 * b) >> 20);
	}
}

xc_luma_plane xc_luma_of(const xc_picture *picture, uint32_t depth, uint32_t peak)
{
	peak = peak ? peak : xc_span_peak(depth);
	return (xc_luma_plane){picture->width, picture->height, depth, peak, picture, NULL};
}

void xc_luma_load(const xc_luma_plane *luma, uint32_t x, uint32_t y, uint32_t n, float *to)
{
	if (luma->plane) {
		memcpy(to, luma->plane + (size_t)y * luma->width + x, n * sizeof *to);
		return;
	}
	xc_span span;
	uint16_t samples[XC_SPAN];
	xc_span_load(luma->picture, x, y, n, luma->depth, &span);
	xc_span_luma(&span, n, samples);
	for (uint32_t i = 0; i < n; i++)
		to[i] = samples[i];
}

/* Makes n samples of the halved picture, at most XC_SPAN / 2, from its place (x, y) on. */
static void halve_span(const xc_luma_plane *luma, uint32_t x, uint32_t y, uint32_t n, float *to)
{
	float rows[2][XC_SPAN];
	uint32_t left = luma->width - 2 * x, loaded = 2 * n < left ? 2 * n : left;

	for (uint32_t i = 0; i < 2; i++) {
		uint32_t row = 2 * y + i < luma->height ? 2 * y + i : luma->height - 1;
		xc_luma_load(luma, 2 * x, row, loaded, rows[i]);
		if (loaded < 2 * n)
			rows[i][loaded] = rows[i][loaded - 1];
	}
	for (uint32_t i = 0; i < n; i++)
		to[i] = (rows[0][2 * i] + rows[0][2 * i + 1] + rows[1][2 * i] + rows[1][2 * i + 1]) / 4;
}

xc_status xc_luma_halve(xc_context *context, const xc_luma_plane *luma, xc_luma_plane *half)
{
	uint32_t width = luma->width / 2 + luma->width % 2;
	uint32_t height = luma->height / 2 + luma->height % 2;
	size_t row = (size_t)width * sizeof(float);

	*half = (xc_luma_plane){width, height, luma->depth, luma->peak, NULL, NULL};
	if (height <= SIZE_MAX / row)
		half->plane = xc_allocate(context, row * height);
	if (!half->plane)
		return xc_fail_memory(context, 0);
	for (uint32_t y = 0; y < height; y++)
		for (uint32_t x = 0, n; x < width; x += n) {
			n = width - x < XC_SPAN / 2 ? width - x : XC_SPAN / 2;
			halve_span(luma, x, y, n, half->plane + (size_t)y * width + x);
		}
	return XC_OK;
}

void xc_luma_free(xc_context *context, xc_luma_plane *luma)
{
	xc_release(context, luma->plane);
	luma->plane = NULL;
}
