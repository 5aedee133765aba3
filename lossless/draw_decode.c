/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The decoder of drawings for one SIMD level; lossless/tile.c calls it. State: sixteen states of 32 bits, one stream of
 * words, and the model of lossless/draw_model.h. Bound: the steps follow from the shape alone; words
 * past the end are zeros, and too many of them are damage.
 */
#include "lossless/bits.h"
#include "lossless/code.h"
#include "lossless/draw_model.h"

typedef struct decoder {
	xc_draw draw;
	const uint8_t *next, *end;
	int bad;
	uint32_t state[XC_DRAW_LANES];
	uint32_t next_column[XC_DRAW_LANES]; /* after a flat group */
	xc_draw_channel channels[4];
	int channel_count;
	uint32_t colour_count;
	uint32_t *colours;
	xc_draw_adaptive sets[XC_DRAW_SETS];
	/* The symbols of a step, which its sets follow after it. */
	int taken_count;
	struct {
		uint16_t set, symbol;
	} taken[XC_DRAW_LANES * (2 + 4)];
} decoder;

size_t XC_LEVEL(xc_draw_decode_scratch)(const xc_lossless_shape *s)
{
	return sizeof(decoder) + xc_draw_bytes(s) + (XC_DRAW_COLOURS + 1) * sizeof(uint32_t) + 64;
}

static void fill(decoder *d, uint32_t *x)
{
	uint32_t word = 0;

	if (*x >= 1 << 16)
		return;
	if (d->end - d->next >= 2)
		word = (uint32_t)d->next[0] | (uint32_t)d->next[1] << 8;
	else
		d->bad = 1;
	d->next += d->bad ? 0 : 2;
	*x = *x << 16 | word;
}

static uint32_t take_symbol(decoder *d, uint32_t lane, uint32_t set)
{
	xc_draw_adaptive *a = &d->sets[set];
	uint32_t *x = &d->state[lane];
	const uint32_t slot = *x & (XC_FREQUENCY_ONE - 1);

	if (!a->sums[XC_SYMBOLS])
		xc_draw_adaptive_begin(a, set);
	const uint32_t symbol = xc_draw_symbol_at(a, slot), first = xc_draw_slot(a, symbol);
	*x = (xc_draw_slot(a, symbol + 1) - first) * (*x >> XC_FREQUENCY_BITS) + slot - first;
	fill(d, x);
	d->taken[d->taken_count].set = (uint16_t)set;
	d->taken[d->taken_count++].symbol = (uint16_t)symbol;
	return symbol;
}

static uint32_t take_raw(decoder *d, uint32_t lane, uint32_t n)
{
	uint32_t *x = &d->state[lane];
	const uint32_t raw = *x & ((1U << n) - 1);

	*x >>= n;
	fill(d, x);
	return raw;
}

/* Lanes of a step that have a pixel to decode, with what is known of it. */
typedef struct some_lanes {
	int n;
	uint32_t lane[XC_DRAW_LANES];
} some_lanes;

static void take_colours(decoder *d, const some_lanes *s, uint32_t *colour)
{
	uint32_t octave[XC_DRAW_LANES];

	for (int i = 0; i < s->n; i++)
		octave[i] = take_symbol(d, s->lane[i], XC_DRAW_PALETTE_SET);
	for (int i = 0; i < s->n; i++) {
		uint32_t number = (1U << octave[i]) - 1;
		if (octave[i])
			number += take_raw(d, s->lane[i], octave[i]);
		d->bad |= number >= d->colour_count;
		colour[s->lane[i]] = number < d->colour_count ? d->colours[number] : 0;
	}
}

static void take_residues(decoder *d, const some_lanes *s, const xc_draw_expected *e,
                          uint32_t *colour)
{
	const uint32_t bits = d->draw.shape->depth;
	int base[XC_DRAW_LANES] = {0};

	for (int i = 0; i < s->n; i++)
		colour[s->lane[i]] = 0;
	for (int k = 0; k < d->channel_count; k++) {
		const xc_draw_channel *h = &d->channels[k];
		uint32_t symbol[XC_DRAW_LANES], predicted[XC_DRAW_LANES];
		for (int i = 0; i < s->n; i++) {
			uint32_t set;
			predicted[i] = xc_draw_predict(h, &e[s->lane[i]], base[i], &set);
			symbol[i] = take_symbol(d, s->lane[i], set);
		}
		for (int i = 0; i < s->n; i++) {
			const uint32_t n = symbol[i] == 15 ? bits : symbol[i] > 9 ? symbol[i] - 9 : 0;
			const uint32_t z = xc_draw_number(symbol[i], n ? take_raw(d, s->lane[i], n) : 0);
			const uint32_t v = (predicted[i] + (z >> 1 ^ (0U - (z & 1)))) & h->mask;
			colour[s->lane[i]] |= v << h->shift;
			if (!k)
				base[i] = (int)v - (int)predicted[i];
		}
	}
}

/* Lists the lanes whose pixel needs a symbol: it is not given, and not of a flat group, whose pixels
 * are set at once. */
static inline __attribute__((always_inline)) void list_lanes(decoder *d, uint32_t y, uint32_t first,
                                                             uint32_t end, uint32_t t,
                                                             some_lanes *list)
{
	for (uint32_t i = first; i < end; i++) {
		const uint32_t x = t - XC_DRAW_LAG * i;
		if (x < d->next_column[i] || xc_draw_is_given(&d->draw, x, y + i))
			continue;
		const uint32_t set = xc_draw_flat_set(&d->draw, x, y + i);
		if (set && take_symbol(d, i, set)) {
			const uint32_t n = xc_draw_group(&d->draw, x);
			const uint32_t w = d->draw.first[(ptrdiff_t)(y + i) * d->draw.stride + x - 1];
			for (uint32_t k = 0; k < n; k++)
				xc_draw_set(&d->draw, x + k, y + i, w);
			d->next_column[i] = x + n;
			continue;
		}
		list->lane[list->n++] = i;
	}
}

static inline __attribute__((always_inline)) void decode_step(decoder *d, uint32_t y,
                                                              uint32_t first, uint32_t end,
                                                              uint32_t t)
{
	xc_draw_expected e[XC_DRAW_LANES];
	some_lanes list, palette, residues;
	uint32_t colour[XC_DRAW_LANES];

	list.n = palette.n = residues.n = 0;
	list_lanes(d, y, first, end, t, &list);
	for (int k = 0; k < list.n; k++) {
		const uint32_t i = list.lane[k];
		xc_draw_expect(&d->draw, t - XC_DRAW_LAG * i, y + i, &e[i]);
		const uint32_t symbol = take_symbol(d, i, xc_draw_cluster[e[i].context]);
		colour[i] = e[i].candidate[symbol];
		if (symbol == XC_DRAW_PALETTE)
			palette.lane[palette.n++] = i;
		else if (symbol == XC_DRAW_RESIDUE)
			residues.lane[residues.n++] = i;
	}
	if (palette.n)
		take_colours(d, &palette, colour);
	if (residues.n)
		take_residues(d, &residues, e, colour);
	for (int i = 0; i < palette.n + residues.n; i++) {
		const uint32_t l = i < palette.n ? palette.lane[i] : residues.lane[i - palette.n];
		d->draw.escaped[(ptrdiff_t)(y + l) * d->draw.stride + t - XC_DRAW_LAG * l] = 1;
	}
	for (int k = 0; k < list.n; k++) {
		const uint32_t i = list.lane[k];
		xc_draw_set(&d->draw, t - XC_DRAW_LAG * i, y + i, colour[i]);
		xc_draw_learn(&e[i], colour[i]);
	}
	for (int i = 0; i < d->taken_count; i++)
		xc_draw_adapt(&d->sets[d->taken[i].set], d->taken[i].symbol);
	d->taken_count = 0;
}

static int read_palette(decoder *d, xc_side_reader *r, uint32_t all)
{
	const uint32_t n = d->colour_count = xc_get_bits(r, 16);

	for (uint32_t first = 0; first < n; first = 2 * first + 1) {
		const uint32_t end = 2 * first + 1 < n ? 2 * first + 1 : n;
		const unsigned k = xc_get_bits(r, 5);
		uint64_t next = 0;
		for (uint32_t i = first; i < end; i++) {
			next += xc_get_rice(r, k, all);
			if (r->bad || next > all)
				return 0;
			d->colours[i] = (uint32_t)next++;
		}
	}
	return 1;
}

static int read_side(decoder *d, const uint8_t *data, const uint8_t *end)
{
	const xc_lossless_shape *s = d->draw.shape;
	const uint32_t bits = s->channels * s->depth;
	xc_side_reader r = {data, end, 0, 0, 0};

	d->draw.lanes = xc_get_bits(&r, 1) ? 1 : XC_DRAW_LANES;
	if (!read_palette(d, &r, bits == 32 ? UINT32_MAX : (1U << bits) - 1) || r.bad)
		return 0;
	d->next = r.next;
	d->end = end;
	for (uint32_t i = 0; i < XC_DRAW_LANES; i++) {
		d->state[i] = 1 << 16;
		if (i >= s->height || i >= d->draw.lanes)
			continue;
		if (d->end - d->next < 4)
			return 0;
		d->state[i] = xc_get_le32(d->next);
		d->next += 4;
		if (d->state[i] < 1 << 16)
			return 0;
	}
	return 1;
}

/* bytes: of a pixel, a constant. */
static inline __attribute__((always_inline)) void save_pixels(const xc_draw *d, uint32_t y,
                                                              size_t bytes, uint8_t *to)
{
	const uint32_t *p = d->first + (ptrdiff_t)y * d->stride;
	const size_t width = d->shape->width; /* `to` might be anything's */

	for (size_t x = 0; x < width; x++, to += bytes)
		for (size_t i = 0; i < bytes; i++)
			to[i] = (uint8_t)(p[x] >> xc_draw_shift(d->shape, i));
}

static void save_row(const xc_draw *d, uint32_t y, size_t bytes, uint8_t *to)
{
	switch (bytes) {
	case 1:
		save_pixels(d, y, 1, to);
		break;
	case 2:
		save_pixels(d, y, 2, to);
		break;
	case 3:
		save_pixels(d, y, 3, to);
		break;
	default:
		save_pixels(d, y, 4, to);
	}
}

int XC_LEVEL(xc_draw_decode)(const xc_lossless_shape *s, const uint8_t *data, size_t size,
                             const uint8_t *given, void *scratch, void *samples, size_t stride)
{
	decoder *d = scratch;
	uint8_t *memory = (uint8_t *)(d + 1);
	const size_t bytes = s->channels * (s->depth / 8);
	int good = 1;

	d->bad = d->taken_count = 0;
	memset(d->sets, 0, sizeof d->sets);
	d->colours = (void *)memory;
	memory += (XC_DRAW_COLOURS + 1) * sizeof *d->colours;
	xc_draw_begin(&d->draw, s, &memory);
	d->draw.given = given;
	if (given)
		xc_draw_load(&d->draw, samples, stride, 0);
	d->channel_count = xc_draw_channels(s, d->channels);
	if (!read_side(d, data, data + size))
		return 0;
	for (uint32_t y = 0; y < s->height && !d->bad; y += d->draw.lanes) {
		const uint32_t left = s->height - y;
		const uint32_t rows = left < d->draw.lanes ? left : d->draw.lanes;
		memset(d->next_column, 0, sizeof d->next_column);
		for (uint32_t t = 0; t < s->width + XC_DRAW_LAG * (rows - 1); t++)
			if (rows > 1)
				decode_step(d, y, xc_draw_first_lane(s, t), xc_draw_end_lane(rows, t), t);
			else if (t >= d->next_column[0])
				decode_step(d, y, 0, 1, t);
		for (uint32_t i = y; i < y + rows; i++)
			save_row(&d->draw, i, bytes, (uint8_t *)samples + i * stride);
	}
	for (int i = 0; i < XC_DRAW_LANES; i++)
		good &= d->state[i] == 1 << 16;
	return good && !d->bad && d->next == d->end;
}
