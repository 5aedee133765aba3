/* SPDX-License-Identifier: BSD-2-Clause */
/* Alpha of the reference decoder.  Numbers in brackets are sections of doc/format.md. */
#include "tests/format/refdec_internal.h"

#include <string.h>

/* Samples of the tile: `wide` in a row, n in all; bytes of a sample. */
typedef struct tile {
	uint64_t wide, n;
	int bytes;
	uint16_t *samples;
} tile;

/* [7] Equal samples take a byte, the largest ones none; other tiles are lossless segments. */
static void read_samples(refdec *d, const tile *t)
{
	const uint64_t size = (uint64_t)(d->bits_end - d->bits);
	const refdec_rectangle r = {(uint32_t)t->wide, (uint32_t)(t->n / t->wide), 1,
	                            (uint32_t)d->depth, 0};

	for (uint64_t i = 0; size < 2 && i < t->n; i++)
		t->samples[i] = (uint16_t)((size ? *d->bits : 255) * (t->bytes == 1 ? 1 : 257));
	if (size > 1)
		refdec_read_lossless(d, &r, t->samples);
}

/* The pixels of the tile whose first MCU is (mx, my). */
static tile tile_at(const refdec *d, uint64_t mx, uint64_t my, uint64_t *first)
{
	const uint64_t x = mx * 8 * (uint64_t)d->h, y = my * 8 * (uint64_t)d->v;
	const uint64_t wide = d->tile_wide * 8 * (uint64_t)d->h, right = d->width - x;
	const uint64_t high = d->tile_high * 8 * (uint64_t)d->v, low = d->height - y;
	tile t = {.wide = wide < right ? wide : right, .bytes = d->depth / 8};

	t.n = t.wide * (high < low ? high : low);
	*first = y * d->width + x;
	return t;
}

static void put_tile(refdec *d, const tile *t, uint64_t first)
{
	for (uint64_t i = 0; i < t->n; i++)
		d->alpha[first + i / t->wide * d->width + i % t->wide] = t->samples[i];
}

void refdec_read_alpha(refdec *d, uint64_t mx, uint64_t my)
{
	uint64_t first;
	tile t = tile_at(d, mx, my, &first);

	t.samples = d->tile_alpha;
	read_samples(d, &t);
	put_tile(d, &t, first);
}

void refdec_clear_alpha(refdec *d, uint64_t mx, uint64_t my)
{
	uint64_t first;
	tile t = tile_at(d, mx, my, &first);

	t.samples = d->tile_alpha;
	memset(t.samples, 255, t.n * sizeof *t.samples);
	for (uint64_t i = 0; d->depth == 8 && i < t.n; i++)
		t.samples[i] = 255;
	put_tile(d, &t, first);
}
