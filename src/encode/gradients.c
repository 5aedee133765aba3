/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/encode/gradients.h"

#include <string.h>

static int32_t sample(const uint8_t *pixel, int channel, int depth16)
{
	uint16_t value;

	if (!depth16)
		return pixel[channel];
	memcpy(&value, pixel + 2 * channel, sizeof value);
	return value;
}

/* Adds the difference of two pixels, whose red sample is the first or the last one. */
static void add(const uint8_t *a, const uint8_t *b, int depth16, int red, int64_t sums[6])
{
	int64_t d[3];

	for (int c = 0; c < 3; c++) {
		const int at = red ? 2 - c : c;
		d[c] = sample(a, at, depth16) - sample(b, at, depth16);
	}
	sums[0] += d[0] * d[0];
	sums[1] += d[0] * d[1];
	sums[2] += d[0] * d[2];
	sums[3] += d[1] * d[1];
	sums[4] += d[1] * d[2];
	sums[5] += d[2] * d[2];
}

void xc_gradients_sample(const xc_pixels *p, xc_gradients *g)
{
	enum { MAX_PIXELS = 1 << 16 };
	const size_t bytes = xc_pixels_step(p, 0);
	const int bgr = p->layout == XC_LAYOUT_BGR || p->layout == XC_LAYOUT_BGRA ||
	                p->layout == XC_LAYOUT_BGRX;
	const int red = bgr ? 2 : 0;
	const int depth16 = p->depth == 16;
	/* Exact: at most 2^17 differences, whose products have 32 bits. */
	int64_t sums[6] = {0};
	const uint64_t pixels = (uint64_t)p->width * p->height;
	const uint64_t apart = pixels / MAX_PIXELS + 1;

	/* Positions in a sequence of all pixels, so that narrow and wide pictures are treated alike. */
	for (uint64_t i = 0; i < pixels; i += apart) {
		const uint32_t x = (uint32_t)(i % p->width), y = (uint32_t)(i / p->width);
		const uint8_t *here = xc_pixels_row(p, 0, 0, y) + x * bytes;
		if (x)
			add(here, here - bytes, depth16, red, sums);
		if (y)
			add(here, here - p->stride[0], depth16, red, sums);
	}
	const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
			g->product[i][j] = (double)sums[at[i][j]];
}
