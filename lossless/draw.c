/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What coder and decoder of drawings share (lossless/draw_encode.c, draw_decode.c): pixels as words,
 * neighbours, contexts and what followed them before.
 */
#include "lossless/draw_model.h"

int xc_draw_fits(const xc_lossless_shape *s)
{
	return s->channels * s->depth <= 32;
}

void xc_draw_begin(xc_draw *d, const xc_lossless_shape *s, uint8_t **memory)
{
	const uint32_t stride = s->width + 2 * XC_DRAW_MARGIN;
	const size_t pixels = (size_t)s->width * s->height;
	unsigned size = 8;

	*d = (xc_draw){.shape = s, .stride = stride};
	while (size < 14 && (pixels >> size) > 8)
		size++;
	d->near_bits = size;
	d->far_bits = size + 2;
	uint8_t *m = *memory;
	uint32_t *words = (void *)m;
	m += ((size_t)stride * (s->height + 3)) * sizeof *words;
	d->first = words + 3 * stride + XC_DRAW_MARGIN;
	d->escaped = m + 3 * stride + XC_DRAW_MARGIN;
	m += ((size_t)stride * (s->height + 3) + 7) / 8 * 8;
	d->near_entries = (void *)m;
	m += sizeof *d->near_entries << d->near_bits;
	d->far_entries = (void *)m;
	m += sizeof *d->far_entries << d->far_bits;
	memset(*memory, 0, (size_t)(m - *memory));
	*memory = m;
}

void xc_draw_adaptive_begin(xc_draw_adaptive *a, uint32_t set)
{
	const uint32_t symbols = set < XC_DRAW_CLUSTERS   ? XC_DRAW_SYMBOLS
	                         : set < XC_DRAW_FLAT_SET ? XC_SYMBOLS
	                                                  : 2;
	uint16_t f[XC_SYMBOLS];
	uint32_t sum = 0;

	xc_shape_frequencies(xc_draw_shapes[set], f);
	a->all = (uint16_t)(16 * (XC_SLOTS - symbols));
	for (uint32_t i = 0; i < XC_SYMBOLS; sum += f[i++])
		a->sums[i] = (uint16_t)(i < symbols ? sum * a->all / XC_SLOTS : a->all);
	a->slowing = 0;
}

void xc_draw_load(xc_draw *d, const void *samples, size_t stride, int all)
{
	const xc_lossless_shape *s = d->shape;
	const size_t bytes = s->channels * (s->depth / 8);

	for (uint32_t y = 0; y < s->height; y++) {
		const uint8_t *p = (const uint8_t *)samples + y * stride;
		for (uint32_t x = 0; x < s->width; x++, p += bytes) {
			const int given = xc_draw_is_given(d, x, y);
			uint32_t word = 0;
			if (!all && !given)
				continue;
			for (size_t i = 0; i < bytes; i++)
				word |= (uint32_t)p[i] << xc_draw_shift(s, i);
			xc_draw_set(d, x, y, word);
			if (given)
				d->escaped[(ptrdiff_t)y * d->stride + x] = 1;
		}
	}
}

void xc_draw_forget(xc_draw *d)
{
	memset(d->near_entries, 0, sizeof *d->near_entries << d->near_bits);
	memset(d->far_entries, 0, sizeof *d->far_entries << d->far_bits);
	memset(d->escaped - 3 * d->stride - XC_DRAW_MARGIN, 0,
	       (size_t)d->stride * (d->shape->height + 3));
}

size_t xc_draw_bytes(const xc_lossless_shape *s)
{
	const size_t stride = s->width + 2 * XC_DRAW_MARGIN;
	return stride * (s->height + 3) * 5 + 8 + 5 * (sizeof(xc_draw_entry) << 14);
}
