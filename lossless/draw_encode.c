/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The coder of drawings; lossless/tile.c calls it. A first pass finds the symbol of every pixel, the
 * palette is made of colours that no candidate had, and a second pass makes records of frequencies,
 * which follow the symbols. These are coded backwards. State: sixteen states of 32 bits. Bound: a step has at most 16 (2 + 2 channels)
 * operations.
 */
#include <stdlib.h>

#include "lossless/bits.h"
#include "lossless/draw_model.h"

/* A symbol of a lane, or raw bits. */
typedef struct operation {
	uint8_t lane, symbol; /* of raw bits their number */
	uint16_t set;         /* RAW: raw bits */
	uint16_t raw;
} operation;

/* In place of a symbol: the first pixel of a group that has one colour, its other pixels; added to
 * the first symbol of another group that might have had one. */
enum { FLAT = 16, INSIDE = 17, NOT_FLAT = 128 };

enum { RAW = 65535, MOST = XC_DRAW_LANES * 12, FEW = 1 << 15 };

/* A record has a frequency in bits 0 to 11, its first slot in 12 to 23, the lane in 24 to 27 and 1 in
 * bit 28; or raw bits in 0 to 15, their number in 16 to 20 and the lane. */
enum { RECORD_LANE = 24, RECORD_SYMBOL = 28 };

typedef struct colour_use {
	uint32_t colour, uses; /* or the number in the palette */
	uint32_t cost;         /* of residues in its place, in 1/64 bits: the mean of its uses */
} colour_use;

typedef struct coder {
	xc_draw draw;
	uint8_t *symbols, *clusters;    /* of each pixel, row by row */
	uint32_t inside[XC_DRAW_LANES]; /* how many pixels of a flat group are left */
	colour_use *colours;            /* of the palette, in the order of their numbers */
	colour_use *by_colour;          /* in the order of colours, with their numbers */
	uint32_t colour_count;
	uint32_t escapes, found;           /* pixels without a candidate; pixels with a symbol */
	uint16_t without[XC_DRAW_SQUARES]; /* the same by square */
	uint32_t residue_cost[XC_DRAW_RESIDUES][XC_SYMBOLS]; /* by built-in shapes */
	xc_draw_channel channels[4];
	int channel_count;
	xc_draw_adaptive sets[XC_DRAW_SETS];
	uint32_t *records, *records_end;
	uint32_t state[XC_DRAW_LANES];
	uint8_t *words, *first; /* the next word ends here; room begins there */
} coder;

static size_t pixels_of(const xc_lossless_shape *s)
{
	return (size_t)s->width * s->height;
}

/* Room for records. More of them are no drawing, unless it is small. */
static size_t most_records(const xc_lossless_shape *s)
{
	const size_t n = pixels_of(s);
	const size_t all = n / XC_DRAW_GROUP + s->height + n * (1 + 2 * s->channels);
	const size_t some = 4 * n + (1 << 18);
	return all < some ? all : some;
}

size_t xc_draw_encode_scratch(const xc_lossless_shape *s)
{
	const size_t n = pixels_of(s);
	return sizeof(coder) + xc_draw_bytes(s) + 2 * n + 2 * n * sizeof(colour_use) +
	       (most_records(s) + MOST) * sizeof(uint32_t) + n * 4 + 1024;
}

static uint32_t symbol_of(const xc_draw_expected *e, uint32_t colour)
{
	if (e->has_far && e->candidate[XC_DRAW_FAR] == colour)
		return XC_DRAW_FAR;
	if (e->has_near && e->candidate[XC_DRAW_NEAR] == colour)
		return XC_DRAW_NEAR;
	for (uint32_t i = XC_DRAW_W; i <= XC_DRAW_NN; i++)
		if (e->candidate[i] == colour)
			return i;
	return XC_DRAW_RESIDUE;
}

/* 1: all pixels of a group have the colour to its left. */
static int is_flat(const xc_draw *d, uint32_t x, uint32_t y)
{
	const uint32_t *p = d->first + (ptrdiff_t)y * d->stride + x, n = xc_draw_group(d, x);

	for (uint32_t i = 0; i < n; i++)
		if (p[i] != p[-1])
			return 0;
	return 1;
}

static void price_residues(coder *c)
{
	for (int i = 0; i < XC_DRAW_RESIDUES; i++) {
		uint16_t f[XC_SYMBOLS];
		xc_shape_frequencies(xc_draw_shapes[XC_DRAW_CLUSTERS + i], f);
		for (int k = 0; k < XC_SYMBOLS; k++)
			c->residue_cost[i][k] = xc_symbol_cost(f[k] ? f[k] : 1);
	}
}

/* The residue of a channel as a number; `base` becomes that of the first one, with its sign. */
static uint32_t find_residue(const coder *c, int k, const xc_draw_expected *e, uint32_t colour,
                             int *base, uint32_t *set)
{
	const xc_draw_channel *h = &c->channels[k];
	const uint32_t p = xc_draw_predict(h, e, *base, set);
	const uint32_t v = colour >> h->shift & h->mask, r = (v - p) & h->mask;

	if (!k)
		*base = (int)v - (int)p;
	return r > h->mask / 2 ? 2 * (h->mask - r) + 1 : 2 * r;
}

static uint32_t cost_of_residues(const coder *c, const xc_draw_expected *e, uint32_t colour)
{
	uint32_t cost = 0;
	int base = 0;

	for (int k = 0; k < c->channel_count; k++) {
		uint32_t set, count;
		const uint32_t z = find_residue(c, k, e, colour, &base, &set);
		const uint32_t symbol = xc_draw_symbol(z, c->draw.shape->depth, &count);
		cost += c->residue_cost[set - XC_DRAW_CLUSTERS][symbol] + 64 * count;
	}
	return cost;
}

/* Finds the symbol of a pixel; 1: it has one, and e is set. */
static int find_symbol(coder *c, uint32_t lane, uint32_t x, uint32_t y, xc_draw_expected *e)
{
	const xc_draw *d = &c->draw;
	const ptrdiff_t place = (ptrdiff_t)y * d->stride + x;
	const size_t at = (size_t)y * d->shape->width + x;
	const uint32_t set = c->inside[lane] ? 0 : xc_draw_flat_set(d, x, y);

	if (c->inside[lane] || xc_draw_is_given(d, x, y)) {
		c->symbols[at] = INSIDE;
		c->inside[lane] -= c->inside[lane] > 0;
		return 0;
	}
	if (set && is_flat(d, x, y)) {
		c->symbols[at] = FLAT;
		c->inside[lane] = xc_draw_group(d, x) - 1;
		return 0;
	}
	xc_draw_expect(d, x, y, e);
	const uint32_t symbol = symbol_of(e, d->first[place]);
	c->symbols[at] = (uint8_t)(symbol | (set ? NOT_FLAT : 0));
	c->clusters[at] = xc_draw_cluster[e->context];
	c->found++;
	if (symbol == XC_DRAW_RESIDUE) {
		d->escaped[place] = 1;
		c->without[xc_draw_square(d, x, y)]++;
		c->colours[c->escapes++] = (colour_use){d->first[place], 1,
		                                        cost_of_residues(c, e, d->first[place])};
	}
	return 1;
}

static void find_symbols(coder *c)
{
	const xc_draw *d = &c->draw;
	const xc_lossless_shape *s = d->shape;
	const uint32_t lanes = d->lanes;

	for (uint32_t y = 0; y < s->height; y += lanes) {
		const uint32_t rows = s->height - y < lanes ? s->height - y : lanes;
		for (uint32_t t = 0; t < s->width + XC_DRAW_LAG * (rows - 1); t++) {
			xc_draw_expected e[XC_DRAW_LANES];
			const uint32_t first = xc_draw_first_lane(s, t), end = xc_draw_end_lane(rows, t);
			uint32_t known = 0;
			for (uint32_t i = first; i < end; i++)
				known |= (uint32_t)find_symbol(c, i, t - XC_DRAW_LAG * i, y + i, &e[i]) << i;
			for (uint32_t i = first; i < end; i++)
				if (known >> i & 1)
					xc_draw_learn(&e[i],
					              d->first[(ptrdiff_t)(y + i) * d->stride + t - XC_DRAW_LAG * i]);
		}
	}
}

/* ------------------------------------------------------------------ palette */

static int by_colour(const void *a, const void *b)
{
	const colour_use *x = a, *y = b;
	return x->colour < y->colour ? -1 : x->colour > y->colour;
}

static int by_uses(const void *a, const void *b)
{
	const colour_use *x = a, *y = b;
	return x->uses != y->uses ? (x->uses < y->uses ? 1 : -1) : by_colour(a, b);
}

static uint32_t octave_of(uint32_t number)
{
	return 31 - (uint32_t)__builtin_clz(number + 1);
}

/* Lists each colour without a candidate once; returns how many there are. */
static uint32_t list_colours(coder *c)
{
	uint32_t n = 0;

	qsort(c->colours, c->escapes, sizeof *c->colours, by_colour);
	for (uint32_t i = 0, j; i < c->escapes; i = j) {
		uint64_t sum = 0;
		for (j = i; j < c->escapes && c->colours[j].colour == c->colours[i].colour; j++)
			sum += c->colours[j].cost;
		c->colours[n++] = (colour_use){c->colours[i].colour, j - i, (uint32_t)(sum / (j - i))};
	}
	return n;
}

/* Keeps the colours that residues cost more than numbers and an entry in the palette do. */
static uint32_t choose_colours(coder *c, uint32_t n)
{
	enum { OCTAVE = 5 }; /* bits of the symbol of a number */
	const uint32_t bits = c->draw.shape->channels * c->draw.shape->depth;
	uint32_t taken = 0;

	qsort(c->colours, n, sizeof *c->colours, by_uses);
	for (uint32_t i = 0; i < n && taken < XC_DRAW_COLOURS; i++) {
		const colour_use *u = &c->colours[i];
		const uint32_t octave = octave_of(taken), number = 64 * (OCTAVE + octave);
		const uint32_t entry = octave < bits ? 64 * (bits - octave) : 0;
		if (u->cost > number && (uint64_t)(u->cost - number) * u->uses > entry)
			c->colours[taken++] = *u;
	}
	return taken;
}

/* Makes the palette. Numbers of one octave are in the order of colours. */
static void make_palette(coder *c)
{
	const uint32_t n = choose_colours(c, list_colours(c));

	for (uint32_t first = 0; first < n; first = 2 * first + 1) {
		const uint32_t end = 2 * first + 1 < n ? 2 * first + 1 : n;
		qsort(c->colours + first, end - first, sizeof *c->colours, by_colour);
	}
	c->colour_count = n;
	for (uint32_t i = 0; i < n; i++)
		c->by_colour[i] = (colour_use){c->colours[i].colour, i, 0};
	qsort(c->by_colour, n, sizeof *c->by_colour, by_colour);
	const xc_lossless_shape *s = c->draw.shape;
	for (uint32_t y = 0; y < s->height; y++)
		for (uint32_t x = 0; x < s->width; x++) {
			uint8_t *symbol = &c->symbols[(size_t)y * s->width + x];
			const colour_use key = {c->draw.first[(ptrdiff_t)y * c->draw.stride + x], 0, 0};
			if ((*symbol & ~NOT_FLAT) == XC_DRAW_RESIDUE &&
			    bsearch(&key, c->by_colour, n, sizeof *c->by_colour, by_colour))
				*symbol = (uint8_t)(XC_DRAW_PALETTE | (*symbol & NOT_FLAT));
		}
}

/* Each octave's colours as differences in a Rice code. */
static void put_palette(xc_side_writer *w, const coder *c)
{
	const uint32_t n = c->colour_count;

	xc_put_bits(w, 16, n);
	for (uint32_t first = 0; first < n; first = 2 * first + 1) {
		const uint32_t end = 2 * first + 1 < n ? 2 * first + 1 : n;
		const unsigned k = xc_rice_parameter(c->colours[end - 1].colour / (end - first));
		uint32_t next = 0;
		xc_put_bits(w, 5, k);
		for (uint32_t i = first; i < end; next = c->colours[i++].colour + 1)
			xc_put_rice(w, k, c->colours[i].colour - next);
	}
}

/* --------------------------------------------------------------- operations */

static operation *put_symbol(operation *o, uint32_t lane, uint32_t set, uint32_t symbol)
{
	*o = (operation){(uint8_t)lane, (uint8_t)symbol, (uint16_t)set, 0};
	return o + 1;
}

/* The numbers of a step's lanes: their symbols, and then their raw bits. */
static operation *put_numbers(operation *o, const uint32_t *lane, const uint32_t *set,
                              const uint32_t *number, int n, uint32_t bits)
{
	operation raw[XC_DRAW_LANES], *r = raw;

	for (int i = 0; i < n; i++) {
		uint32_t count;
		const uint32_t symbol = xc_draw_symbol(number[i], bits, &count);
		o = put_symbol(o, lane[i], set[i], symbol);
		if (count)
			*r++ = (operation){(uint8_t)lane[i], (uint8_t)count, RAW,
			                   (uint16_t)(number[i] - xc_draw_number(symbol, 0))};
	}
	memcpy(o, raw, (size_t)(r - raw) * sizeof *raw);
	return o + (r - raw);
}

/* Palette numbers: the octave, and the place within. */
static operation *put_colours(operation *o, const uint32_t *lane, const uint32_t *number, int n)
{
	for (int i = 0; i < n; i++)
		o = put_symbol(o, lane[i], XC_DRAW_PALETTE_SET, octave_of(number[i]));
	for (int i = 0; i < n; i++) {
		const uint32_t octave = octave_of(number[i]);
		if (octave)
			*o++ = (operation){(uint8_t)lane[i], (uint8_t)octave, RAW,
			                   (uint16_t)(number[i] + 1 - (1U << octave))};
	}
	return o;
}

static int symbol_at(const coder *c, uint32_t x, uint32_t y)
{
	return c->symbols[(size_t)y * c->draw.shape->width + x];
}

/* The operations of step t of the bundle from row y on, in the order of decoding. */
static operation *list_step(const coder *c, uint32_t y, uint32_t rows, uint32_t t, operation *o)
{
	const xc_draw *d = &c->draw;
	const xc_lossless_shape *s = d->shape;
	const uint32_t first = xc_draw_first_lane(s, t), end = xc_draw_end_lane(rows, t);
	uint32_t lane[XC_DRAW_LANES], number[XC_DRAW_LANES], set[XC_DRAW_LANES], colour[XC_DRAW_LANES];
	xc_draw_expected e[XC_DRAW_LANES];
	uint32_t listed[XC_DRAW_LANES], escaped[XC_DRAW_LANES];
	int count = 0, n = 0, residues = 0, base[XC_DRAW_LANES] = {0};

	for (uint32_t i = first; i < end; i++) {
		const uint32_t x = t - XC_DRAW_LAG * i;
		const int symbol = symbol_at(c, x, y + i);
		if (symbol == INSIDE)
			continue;
		if (symbol == FLAT || symbol & NOT_FLAT)
			o = put_symbol(o, i, xc_draw_flat_set(d, x, y + i), symbol == FLAT);
		if (symbol != FLAT)
			listed[count++] = i;
	}
	for (int k = 0; k < count; k++) {
		const uint32_t i = listed[k], x = t - XC_DRAW_LAG * i;
		const int symbol = symbol_at(c, x, y + i) & ~NOT_FLAT;
		o = put_symbol(o, i, c->clusters[(size_t)(y + i) * s->width + x], (uint32_t)symbol);
		if (symbol == XC_DRAW_PALETTE) {
			const colour_use key = {d->first[(ptrdiff_t)(y + i) * d->stride + x], 0, 0};
			const colour_use *found = bsearch(&key, c->by_colour, c->colour_count, sizeof key,
			                                  by_colour);
			lane[n] = i;
			number[n++] = found->uses;
		} else if (symbol == XC_DRAW_RESIDUE) {
			escaped[residues++] = i;
		}
	}
	o = put_colours(o, lane, number, n);
	for (int k = 0; k < residues; k++) {
		const uint32_t x = t - XC_DRAW_LAG * escaped[k];
		lane[k] = escaped[k];
		xc_draw_expect(d, x, y + lane[k], &e[k]);
		colour[k] = d->first[(ptrdiff_t)(y + lane[k]) * d->stride + x];
	}
	for (int k = 0; k < c->channel_count && residues; k++) {
		for (int i = 0; i < residues; i++)
			number[i] = find_residue(c, k, &e[i], colour[i], &base[i], &set[i]);
		o = put_numbers(o, lane, set, number, residues, s->depth);
	}
	return o;
}

/* ------------------------------------------------------------------- coding */

static uint32_t record_of(coder *c, const operation *o)
{
	const uint32_t lane = (uint32_t)o->lane << RECORD_LANE;
	xc_draw_adaptive *a = &c->sets[o->set];

	if (!a->all)
		xc_draw_adaptive_begin(a, o->set);
	const uint32_t slot = xc_draw_slot(a, o->symbol), end = xc_draw_slot(a, o->symbol + 1U);
	return (end - slot) | slot << XC_FREQUENCY_BITS | lane | 1U << RECORD_SYMBOL;
}

/* 0: there is no room. */
static int record_all(coder *c)
{
	const xc_lossless_shape *s = c->draw.shape;
	const uint32_t lanes = c->draw.lanes;
	const uint32_t *most = c->records + most_records(s);
	operation list[MOST];

	for (uint32_t y = 0; y < s->height; y += lanes) {
		const uint32_t rows = s->height - y < lanes ? s->height - y : lanes;
		for (uint32_t t = 0; t < s->width + XC_DRAW_LAG * (rows - 1); t++) {
			const operation *end = list_step(c, y, rows, t, list);
			for (const operation *o = list; o < end; o++)
				*c->records_end++ = o->set == RAW ? o->raw | (uint32_t)o->symbol << 16 |
				                                        (uint32_t)o->lane << RECORD_LANE
				                                  : record_of(c, o);
			for (const operation *o = list; o < end; o++)
				if (o->set != RAW)
					xc_draw_adapt(&c->sets[o->set], o->symbol);
			if (c->records_end > most)
				return 0;
		}
	}
	return 1;
}

static void emit(coder *c, uint32_t *x)
{
	if (c->words == c->first)
		return;
	*--c->words = (uint8_t)(*x >> 8);
	*--c->words = (uint8_t)*x;
	*x >>= 16;
}

/* 0: there is no room. */
static int code_all(coder *c)
{
	for (int i = 0; i < XC_DRAW_LANES; i++)
		c->state[i] = 1 << 16;
	while (c->records_end > c->records) {
		const uint32_t r = *--c->records_end, n = r >> 16 & 31, f = r & (XC_SLOTS - 1);
		uint32_t *x = &c->state[r >> RECORD_LANE & (XC_DRAW_LANES - 1)];
		if (r >> RECORD_SYMBOL) {
			if (*x >= f << 20)
				emit(c, x);
			*x = *x / f << XC_FREQUENCY_BITS | ((r >> XC_FREQUENCY_BITS & (XC_SLOTS - 1)) + *x % f);
		} else {
			if (*x >> (32 - n))
				emit(c, x);
			*x = *x << n | (r & 65535);
		}
	}
	return c->words > c->first + 2;
}

/* Returns the bytes, or 0 if these would be more than `limit`. */
static size_t write_all(const coder *c, const uint8_t *words_end, uint8_t *out, size_t limit)
{
	const uint32_t height = c->draw.shape->height;
	const uint32_t states = c->draw.lanes < height ? c->draw.lanes : height;
	const size_t n = (size_t)(words_end - c->words);
	xc_side_writer w = {.next = out, .end = out + limit};

	xc_put_bits(&w, 1, c->draw.lanes == 1);
	put_palette(&w, c);
	uint8_t *to = xc_end_bits(&w);
	if (w.full || (size_t)(w.end - to) < 4 * states + n)
		return 0;
	for (uint32_t i = 0; i < states; i++)
		to = xc_put_le32(to, c->state[i]);
	memcpy(to, c->words, n);
	return (size_t)(to + n - out);
}

/* Squares in which more than 45 % of pixels have no candidate. */
static void find_busy(const coder *c, uint8_t *busy)
{
	const xc_lossless_shape *s = c->draw.shape;
	const uint32_t wide = xc_draw_squares(s->width), high = xc_draw_squares(s->height);

	for (uint32_t y = 0; y < high; y++)
		for (uint32_t x = 0; x < wide; x++) {
			const uint32_t right = s->width - x * XC_DRAW_SQUARE,
						   below = s->height - y * XC_DRAW_SQUARE;
			const uint32_t n = (right < XC_DRAW_SQUARE ? right : XC_DRAW_SQUARE) *
			                   (below < XC_DRAW_SQUARE ? below : XC_DRAW_SQUARE);
			busy[y * wide + x] = c->without[y * wide + x] * 20U > n * 9;
		}
}

size_t xc_draw_encode(const xc_lossless_shape *s, const void *samples, size_t stride,
                      const uint8_t *given, void *scratch, uint8_t *out, size_t limit,
                      uint8_t *busy)
{
	const size_t n = pixels_of(s);
	coder *c = scratch;
	uint8_t *memory = (uint8_t *)(c + 1);

	memset(c, 0, sizeof *c);
	xc_draw_begin(&c->draw, s, &memory);
	c->colours = (void *)memory;
	c->by_colour = c->colours + n;
	memory += 2 * n * sizeof *c->colours;
	c->records = c->records_end = (void *)memory;
	memory += (most_records(s) + MOST) * sizeof *c->records;
	c->symbols = memory;
	c->clusters = memory + n;
	memory += 2 * n;
	c->first = memory;
	uint8_t *end = c->words = memory + n * 4;
	c->channel_count = xc_draw_channels(s, c->channels);
	c->draw.given = given;
	price_residues(c);
	xc_draw_load(&c->draw, samples, stride, 1);
	c->draw.lanes = XC_DRAW_LANES;
	find_symbols(c);
	if (busy)
		find_busy(c, busy);
	if (c->escapes > n / 8 * 7)
		return 0;
	if (c->found < FEW) {
		/* Again, with one lane, whose entries also know the pixels just before. */
		c->draw.lanes = 1;
		c->escapes = 0;
		xc_draw_forget(&c->draw);
		xc_draw_load(&c->draw, samples, stride, 1);
		find_symbols(c);
	}
	make_palette(c);
	return record_all(c) && code_all(c) ? write_all(c, end, out, limit) : 0;
}
