/* SPDX-License-Identifier: BSD-2-Clause */
/* Alpha of pictures that are coded with loss (doc/format.md, section 7): a segment of one channel, but
 * a tile whose samples are all equal, as most are, takes a byte or none. src/encode/, src/decode/
 * and src/cuda/ call it. */
#include <string.h>

#include "lossless/lossless.h"

static size_t row_of(const xc_lossless_shape *s)
{
	return (size_t)s->width * (s->depth / 8);
}

/* 1: the samples have few values, so that predictions between these are of no use. */
static int has_few_values(const uint8_t *p, size_t n)
{
	enum { FEW = 16 };
	uint8_t there[256] = {0};
	uint32_t count = 0;

	for (size_t i = 0; i < n; i++)
		there[p[i]] = 1;
	for (int v = 0; v < 256; v++)
		count += there[v];
	return count <= FEW;
}

/* 1: tries drawings, which are slow. Alpha mostly is flat with smooth edges, whose drawings are no
 * smaller; those of masks take a quarter of the bytes, and those of icons four fifths. */
static int tries_drawing(const xc_lossless_shape *s, int effort, const void *samples)
{
	enum { SMALL = 64 * 64 };
	const uint32_t bytes = s->depth / 8, n = s->width * s->height;

	return (effort > 2 || (effort == 2 && n <= SMALL) ||
	        has_few_values(samples, (size_t)n * bytes)) &&
	       xc_lossless_share_of_equals(samples, (ptrdiff_t)row_of(s), s->width, s->height, bytes,
	                                   bytes) > XC_LOSSLESS_DRAWING;
}

size_t xc_lossless_encode_alpha(xc_cpu cpu, int effort, const xc_lossless_shape *s,
                                const void *samples, void *scratch, uint8_t *out)
{
	const size_t bytes = s->depth / 8;
	const uint8_t *first = samples, *last = first + bytes - 1;

	*out = *first;
	if (*first == *last && !memcmp(first, first + bytes, row_of(s) * s->height - bytes))
		return *out != 255;
	const xc_lossless_options o = {.effort = effort > 1 ? 2 : 1,
	                               .drawing = tries_drawing(s, effort, samples)};
	return xc_lossless_level_get(cpu)->encode(s, &o, samples, row_of(s), scratch, out);
}

int xc_lossless_decode_alpha(xc_cpu cpu, const xc_lossless_shape *s, const uint8_t *data,
                             size_t size, void *scratch, void *samples)
{
	const int good = size < 2 ||
	                 xc_lossless_level_get(cpu)->decode(s, data, size, scratch, samples, row_of(s));

	if (size < 2 || !good)
		memset(samples, size == 1 ? *data : 255, row_of(s) * s->height);
	return good;
}
