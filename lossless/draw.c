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

static inline __attribute__((always_inline)) void pack(const xc_lossless_shape *s, const uint8_t *p,
                                                       const size_t bytes, uint32_t n, uint32_t *to)
{
	for (uint32_t x = 0; x < n; x++, p += bytes) {
		uint32_t word = 0;
		for (size_t i = 0; i < bytes; i++)
			word |= (uint32_t)p[i] << xc_draw_shift(s, i);
		to[x] = word;
	}
}

/* Sets n pixels of row y from column x on. */
static void load_run(xc_draw *d, const uint8_t *p, uint32_t x, uint32_t y, uint32_t n)
{
	const xc_lossless_shape *s = d->shape;
	uint32_t *to = d->first + (ptrdiff_t)y * d->stride + x;

	switch (s->channels * (s->depth / 8)) {
	case 1:
		pack(s, p, 1, n, to);
		break;
	case 2:
		pack(s, p, 2, n, to);
		break;
	case 3:
		pack(s, p, 3, n, to);
		break;
	default:
		pack(s, p, 4, n, to);
	}
	/* The margins that follow from them. */
	for (uint32_t i = 0; i < n && !y; i++)
		xc_draw_set(d, x + i, y, to[i]);
	if (!x)
		xc_draw_set(d, x, y, to[0]);
	if (x + n == s->width)
		xc_draw_set(d, s->width - 1, y, to[n - 1]);
}

void xc_draw_adaptive_begin(xc_draw_adaptive *a, uint32_t set)
{
	const uint32_t symbols = set < XC_DRAW_CLUSTERS   ? XC_DRAW_SYMBOLS
	                         : set < XC_DRAW_FLAT_SET ? XC_SYMBOLS
	                                                  : 2;
	uint16_t f[XC_SYMBOLS];
	uint32_t sum = 0;

	xc_shape_frequencies(xc_draw_shapes[set], f);
	const uint32_t all = 16 * (XC_FREQUENCY_ONE - symbols);
	for (uint32_t i = 0; i < XC_SYMBOLS; sum += f[i++])
		a->sums[i] = (uint16_t)(i < symbols ? sum * all / XC_FREQUENCY_ONE : all);
	a->sums[XC_SYMBOLS] = (uint16_t)all;
	a->slowing = 0;
}

void xc_draw_load(xc_draw *d, const void *samples, size_t stride, int all)
{
	const xc_lossless_shape *s = d->shape;
	const size_t bytes = s->channels * (s->depth / 8);
	const uint32_t run = d->given ? XC_DRAW_SQUARE : s->width;

	for (uint32_t y = 0; y < s->height; y++) {
		const uint8_t *p = (const uint8_t *)samples + y * stride;
		for (uint32_t x = 0; x < s->width; x += run) {
			const uint32_t n = s->width - x < run ? s->width - x : run;
			const int given = xc_draw_is_given(d, x, y);
			if (all || given)
				load_run(d, p + x * bytes, x, y, n);
			if (given)
				memset(d->escaped + (ptrdiff_t)y * d->stride + x, 1, n);
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
