/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/metrics/luma.h"

#include <string.h>

#include "src/metrics/span.h"

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
