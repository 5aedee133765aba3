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

/* [7.3] */
static void read_code(refdec *d, refdec_code *code)
{
	uint8_t length[256] = {0};
	const uint32_t symbols = refdec_read_bits(d, 8) + 1;
	int max = 0;

	if (symbols < 2)
		refdec_fail(d, "bad code of alpha");
	for (uint32_t s = 0; s < symbols; s++) {
		length[s] = (uint8_t)refdec_read_bits(d, 4);
		max = length[s] > max ? length[s] : max;
		if (!length[s])
			s += refdec_read_bits(d, 4);
		if (s >= symbols)
			refdec_fail(d, "bad code of alpha");
	}
	if (d->bit != 7)
		(void)refdec_read_bits(d, d->bit + 1);
	if (max > 11)
		refdec_fail(d, "bad code of alpha");
	refdec_make_code(d, code, (int)symbols, length);
}

/* [7.4] */
static uint32_t read_run(refdec *d, uint32_t symbol)
{
	if (symbol < 4)
		return symbol + 1;
	const uint32_t bits = symbol / 2 - 1;
	return ((2 + symbol % 2) << bits) + 1 + refdec_read_bits(d, (int)bits);
}

/* [7.4] A plane of bytes, added to the samples' upper or only bytes, or to lower ones. */
static void read_plane(refdec *d, const tile *t, const refdec_code *code, int shift)
{
	for (uint64_t i = 0; i < t->n;) {
		const uint32_t s = (uint32_t)refdec_read_symbol(d, code);
		if (s < 32) {
			const uint32_t run = read_run(d, s);
			if (run > t->n - i)
				refdec_fail(d, "a run is too long");
			i += run;
			continue;
		}
		const uint32_t z = s == 255 ? refdec_read_bits(d, 8) : s - 31;
		t->samples[i] = (uint16_t)(t->samples[i] | z << shift);
		i++;
	}
}

/* [7.2] Folded residues become samples. */
static void add_predictions(const tile *t, int plane)
{
	const uint32_t max = t->bytes == 1 ? 255 : 65535;

	for (uint64_t i = 0; i < t->n; i++) {
		uint16_t *s = &t->samples[i];
		const uint64_t x = i % t->wide;
		const uint32_t left = x ? s[-1] : 0, up = i < t->wide ? 0 : *(s - t->wide);
		const uint32_t corner = x && i >= t->wide ? *(s - t->wide - 1) : 0;
		const uint32_t p = i < t->wide ? left : plane && x ? left + up - corner : up;
		const uint32_t r = *s % 2 ? max - *s / 2 : *s / 2u;
		*s = (uint16_t)((p + r) & max);
	}
}

/* [7.1] */
static void read_form(refdec *d, tile *t)
{
	const uint64_t size = (uint64_t)(d->bits_end - d->bits);
	const int factor = t->bytes == 1 ? 1 : 257;
	refdec_code code[2];

	for (uint64_t i = 0; size < 2 && i < t->n; i++)
		t->samples[i] = (uint16_t)((size ? *d->bits : 255) * factor);
	if (size < 2)
		return;
	const uint32_t form = refdec_read_bits(d, 8);
	if (form == 0 && t->bytes == 2 && size == 3) {
		for (uint64_t i = 0; i < t->n; i++)
			t->samples[i] = (uint16_t)refdec_u16(d->bits);
	} else if (form == 1 && size - 1 == t->n * (uint64_t)t->bytes) {
		for (uint64_t i = 0; i < t->n; i++)
			t->samples[i] = (uint16_t)(t->bytes == 1 ? d->bits[i] : refdec_u16(d->bits + 2 * i));
	} else if (form == 2 || form == 3) {
		memset(t->samples, 0, t->n * sizeof *t->samples);
		for (int b = 0; b < t->bytes; b++)
			read_code(d, &code[b]);
		for (int b = 0; b < t->bytes; b++)
			read_plane(d, t, &code[b], b + 1 < t->bytes ? 8 : 0);
		refdec_end_bits(d);
		add_predictions(t, form == 3);
	} else if (form == 4 && t->bytes == 2) {
		t->bytes = 1;
		read_form(d, t);
		t->bytes = 2;
		for (uint64_t i = 0; i < t->n; i++)
			t->samples[i] = (uint16_t)(t->samples[i] * 257);
	} else {
		refdec_fail(d, "bad form of alpha");
	}
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
	read_form(d, &t);
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
