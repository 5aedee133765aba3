/* SPDX-License-Identifier: BSD-2-Clause */
/* Puts samples in another order, pixel by pixel, for src/encode/ and src/decode/. Where they need
 * not be, their callers code and decode in place. */
#include "src/pixels/samples.h"

#include <string.h>

static inline uint32_t load(const uint8_t *p, size_t i, int wide)
{
	uint16_t v;

	if (!wide)
		return p[i];
	memcpy(&v, p + 2 * i, 2);
	return v;
}

static inline void store(uint8_t *p, size_t i, int wide, uint32_t value)
{
	const uint16_t v = (uint16_t)value;

	if (wide)
		memcpy(p + 2 * i, &v, 2);
	else
		p[i] = (uint8_t)value;
}

static void gather_row(const xc_layout_parts *l, int bgr, int wide, const uint8_t *from, uint32_t n,
                       uint8_t *to)
{
	for (uint32_t x = 0; x < n; x++)
		for (uint32_t c = 0; c < l->channels; c++) {
			const size_t at = bgr && c < 3 ? 2 - c : c;
			store(to, (size_t)x * l->channels + c, wide,
			      load(from, (size_t)x * l->samples[0] + at, wide));
		}
}

void xc_samples_gather(const xc_pixels *p, const uint8_t *from, uint32_t width, uint32_t height,
                       void *samples)
{
	const xc_layout_parts *l = xc_layout_get(p->layout);
	const size_t row = (size_t)width * l->channels * (p->depth / 8);
	uint8_t *to = samples;

	for (uint32_t y = 0; y < height; y++, from += p->stride[0], to += row) {
		if (p->layout <= XC_LAYOUT_RGBA)
			memcpy(to, from, row);
		else
			gather_row(l, xc_layout_is_bgr(p->layout), p->depth == 16, from, width, to);
	}
}

/* One pixel of `channels` samples to one of layout l. */
static inline void convert(const uint8_t *from, uint32_t channels, const xc_layout_parts *l,
                           int bgr, int wide, uint8_t *to)
{
	const uint32_t max = wide ? 65535 : 255, colour = channels > 2;
	const uint32_t alpha = channels % 2 ? max : load(from, channels - 1, wide);
	const uint32_t r = load(from, 0, wide), g = load(from, colour, wide);
	const uint32_t b = load(from, 2 * colour, wide);

	if (l->channels < 3) {
		store(to, 0, wide,
		      colour ? (uint32_t)((19595 * (uint64_t)r + 38470 * (uint64_t)g + 7471 * (uint64_t)b +
		                           32768) >>
		                          16)
		             : r);
	} else {
		store(to, bgr ? 2 : 0, wide, r);
		store(to, 1, wide, g);
		store(to, bgr ? 0 : 2, wide, b);
	}
	/* Without alpha the fourth sample is X. */
	if (l->samples[0] % 2 == 0)
		store(to, l->samples[0] - 1u, wide, l->channels % 2 ? max : alpha);
}

void xc_samples_scatter(const void *samples, size_t stride, uint32_t channels, const xc_pixels *p,
                        uint8_t *to, uint32_t width, uint32_t height)
{
	const xc_layout_parts *l = xc_layout_get(p->layout);
	const int bgr = xc_layout_is_bgr(p->layout), wide = p->depth == 16;
	const size_t bytes = p->depth / 8;
	const uint8_t *from = samples;

	for (uint32_t y = 0; y < height; y++, from += stride, to += p->stride[0]) {
		if (p->layout == xc_layout_of(channels)) {
			memcpy(to, from, width * channels * bytes);
			continue;
		}
		for (uint32_t x = 0; x < width; x++)
			convert(from + x * channels * bytes, channels, l, bgr, wide,
			        to + x * l->samples[0] * bytes);
	}
}

void xc_samples_reduce(void *samples, uint32_t channels, uint32_t depth, uint32_t width,
                       uint32_t height, uint32_t scale)
{
	const int wide = depth == 16;
	uint8_t *p = samples;
	size_t out = 0;

	/* What is written lies before all that is still to be read. */
	for (uint32_t y = 0; y < height; y += scale) {
		const uint32_t high = height - y < scale ? height - y : scale;
		for (uint32_t x = 0; x < width; x += scale) {
			const uint32_t n = width - x < scale ? width - x : scale;
			uint32_t sum[4] = {0};
			for (uint32_t j = 0; j < high * n; j++)
				for (uint32_t c = 0; c < channels; c++)
					sum[c] += load(p, ((size_t)(y + j / n) * width + x + j % n) * channels + c,
					               wide);
			for (uint32_t c = 0; c < channels; c++)
				store(p, out++, wide, (sum[c] + high * n / 2) / (high * n));
		}
	}
}
