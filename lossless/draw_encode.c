/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The coder of drawings for one SIMD level; lossless/tile.c calls it. A first pass finds the symbol of
 * every pixel and lists them as events in the order of decoding. The palette is made of the colours
 * that no candidate had. The frequencies follow the events forward, which makes records; these are
 * coded backwards. What depends on pixels alone, as hashes, is computed for eight pixels at a time;
 * entries of hashes learn pixel by pixel. State: sixteen states of 32 bits. Bound: a pixel has at most
 * 2 + 2 channels operations.
 */
#include <stdlib.h>

#include "lossless/bits.h"
#include "lossless/code.h"
#include "lossless/draw_model.h"

/* A symbol of a lane or raw bits, from the lowest bit on: the lane in four bits, the symbol in four,
 * the set in eight, 0 in sixteen; or the number of raw bits less 1 in place of the symbol, RAW and
 * the bits. Events are operations that do not tell palette and residues yet. */
typedef uint32_t operation;

enum {
	RAW = 255,                 /* in place of a set */
	BEGINS = 1 << 16,          /* added to the first event of a step */
	MOST = XC_DRAW_LANES * 12, /* operations of a step */
	FEW = 1 << 15,             /* pixels with a symbol, below which one lane codes all */
	NO_NUMBER = 65535,         /* of a colour that is not of the palette */
	STEPS = XC_LOSSLESS_SIDE + XC_DRAW_GROUP + XC_DRAW_LAG * XC_DRAW_LANES,
	COLUMNS = XC_LOSSLESS_SIDE + XC_DRAW_GROUP
};
_Static_assert((int)XC_DRAW_SETS < (int)RAW, "sets have eight bits");

/* A pixel without a candidate. */
typedef struct escape {
	uint32_t colour, place; /* place: in words from draw.first on */
} escape;

/* A record has a frequency in bits 0 to 11, its first slot in 12 to 23, the lane in 24 to 27 and 1 in
 * bit 28; or raw bits in 0 to 15, their number in 16 to 20 and the lane. */
enum { RECORD_LANE = 24, RECORD_SYMBOL = 28 };

typedef struct colour_use {
	uint32_t colour, uses; /* or the number in the palette */
	uint32_t cost;         /* of residues in its place, in 1/64 bits: the mean of its uses */
} colour_use;

/* A row of a bundle: what its pixels alone tell. */
typedef struct row {
	uint16_t near[COLUMNS], far[COLUMNS]; /* numbers of entries */
	uint8_t equal[COLUMNS];               /* see xc_draw_equal() */
	uint8_t nearest[COLUMNS]; /* the symbol of the neighbour that has the colour, or of residues */
	uint8_t flat[COLUMNS / XC_DRAW_GROUP]; /* of groups that have a set: its number, and FLAT */
} row;

enum { FLAT = 4 };

typedef struct coder {
	xc_draw draw;
	row rows[XC_DRAW_LANES];
	/* By step: bit i: a group of lane i begins that has a set; lane i has a pixel to code. */
	uint16_t groups[STEPS], pixels[STEPS];
	/* Events are at the end of the room for records, which overwrite them. Before there are records the
	 * rest of this room holds the palette. */
	operation *events, *events_end;
	uint32_t *records, *records_end;
	escape *escapes;
	uint64_t *keys; /* of escapes: the colour, and the number of the escape below */
	uint16_t
		*numbers; /* of escapes: those of their colours in the palette, before what they cost */
	uint32_t escape_room, escape_count, found; /* found: pixels with a symbol */
	colour_use *colours;                       /* of the palette, in the order of their numbers */
	colour_use *by_colour;                     /* in the order of colours, with their numbers */
	uint32_t colour_count;
	uint16_t without[XC_DRAW_SQUARES];                   /* escapes by square */
	uint32_t residue_cost[XC_DRAW_RESIDUES][XC_SYMBOLS]; /* by built-in frequencies */
	xc_draw_channel channels[4];
	int channel_count;
	xc_draw_adaptive sets[XC_DRAW_SETS];
	uint32_t state[XC_DRAW_LANES];
	uint8_t *words, *first; /* the next word ends here; room begins there */
} coder;

static size_t pixels_of(const xc_lossless_shape *s)
{
	return (size_t)s->width * s->height;
}

/* Escapes that can be coded: where there are more, prediction is better, unless the tile is small. */
static size_t escape_room(const xc_lossless_shape *s)
{
	const size_t n = pixels_of(s);
	return n > XC_LOSSLESS_SMALL ? n / 2 : n / 8 * 7;
}

/* What is allocated for them: as much as any tile within this one has, and no larger tile has less, because
 * callers have memory for their largest tile. */
static size_t escape_memory(const xc_lossless_shape *s)
{
	const size_t own = escape_room(s), small = XC_LOSSLESS_SMALL / 8 * 7;
	return pixels_of(s) > XC_LOSSLESS_SMALL && own < small ? small : own;
}

static size_t event_room(const xc_lossless_shape *s)
{
	return pixels_of(s) + (size_t)((s->width + XC_DRAW_GROUP - 1) / XC_DRAW_GROUP) * s->height;
}

/* Records beside those of events: an escape has two for each channel. Six hold two colour_use. */
static size_t more_records(const xc_lossless_shape *s, size_t escapes)
{
	return escapes * 2 * (s->channels > 3 ? s->channels : 3);
}

/* The most words of a drawing. Keys of escapes are sorted there. */
static size_t word_bytes(const xc_lossless_shape *s, size_t escapes)
{
	const size_t words = pixels_of(s) * 4, keys = escapes * sizeof(uint64_t);
	return (words > keys ? words : keys) + 8;
}

size_t XC_LEVEL(xc_draw_encode_scratch)(const xc_lossless_shape *s)
{
	const size_t escapes = escape_memory(s);

	return sizeof(coder) + xc_draw_bytes(s) +
	       (event_room(s) + more_records(s, escapes)) * sizeof(operation) +
	       escapes * (sizeof(escape) + sizeof(uint64_t) + sizeof(uint16_t)) +
	       word_bytes(s, escapes) + 1024;
}

static operation operation_of(uint32_t lane, uint32_t set, uint32_t symbol)
{
	return lane | symbol << 4 | set << 8;
}

static operation raw_bits(uint32_t lane, uint32_t n, uint32_t bits)
{
	return lane | (n - 1) << 4 | (uint32_t)RAW << 8 | bits << 16;
}

static uint32_t lane_of(operation o)
{
	return o & 15;
}

static uint32_t symbol_of(operation o)
{
	return o >> 4 & 15;
}

static uint32_t set_of(operation o)
{
	return o >> 8 & 255;
}

static int is_escape(operation event)
{
	return symbol_of(event) == XC_DRAW_RESIDUE && set_of(event) < XC_DRAW_CLUSTERS;
}

/* --------------------------------------------------------------- first pass */

/* Sets what the pixels of a group tell, up to XC_DRAW_GROUP. */
static void look_at_pixels(const xc_draw *d, const uint32_t *p, row *r, uint32_t x)
{
	const ptrdiff_t s = (ptrdiff_t)d->stride;

	for (uint32_t i = 0; i < XC_DRAW_GROUP; i++) {
		const xc_draw_around a = xc_draw_look_around(p + i, s);
		const uint32_t v = p[i], near = xc_draw_near_hash(&a);
		uint32_t symbol = XC_DRAW_RESIDUE;
		symbol = v == a.nn ? XC_DRAW_NN : symbol;
		symbol = v == a.ww ? XC_DRAW_WW : symbol;
		symbol = v == a.ne ? XC_DRAW_NE : symbol;
		symbol = v == a.nw ? XC_DRAW_NW : symbol;
		symbol = v == a.n ? XC_DRAW_N : symbol;
		symbol = v == a.w ? XC_DRAW_W : symbol;
		r->near[x + i] = (uint16_t)(near >> (32 - d->near_bits));
		r->far[x + i] = (uint16_t)(xc_draw_far_hash(&a, p + i, s, near) >> (32 - d->far_bits));
		r->equal[x + i] = (uint8_t)xc_draw_equal(&a);
		r->nearest[x + i] = (uint8_t)symbol;
	}
}

/* 1: all pixels of a group have the colour to its left. */
static int is_flat(const uint32_t *p, uint32_t n)
{
	uint32_t difference = 0;

	for (uint32_t i = 0; i < n; i++)
		difference |= p[i] ^ p[-1];
	return !difference;
}

/* Lists what there is to code in a row, lane i of its bundle. */
static void look_at_row(coder *c, uint32_t i, uint32_t y)
{
	const xc_draw *d = &c->draw;
	const uint32_t *p = d->first + (ptrdiff_t)y * d->stride;
	const uint16_t bit = (uint16_t)(1U << i);
	row *r = &c->rows[i];

	for (uint32_t x = 0; x < d->shape->width; x += XC_DRAW_GROUP, p += XC_DRAW_GROUP) {
		const uint32_t n = xc_draw_group(d, x), t = x + XC_DRAW_LAG * i;
		if (xc_draw_is_given(d, x, y))
			continue;
		const uint32_t set = xc_draw_flat_set(d, x, y);
		if (set) {
			const int flat = is_flat(p, n);
			r->flat[x / XC_DRAW_GROUP] = (uint8_t)(set - XC_DRAW_FLAT_SET + (flat ? FLAT : 0));
			c->groups[t] |= bit;
			if (flat)
				continue;
		}
		look_at_pixels(d, p, r, x);
		for (uint32_t k = 0; k < n; k++)
			c->pixels[t + k] |= bit;
	}
}

static void note_escape(coder *c, uint32_t x, uint32_t y)
{
	const xc_draw *d = &c->draw;
	const size_t place = (size_t)y * d->stride + x;

	d->escaped[place] = 1;
	c->without[xc_draw_square(d, x, y)]++;
	if (c->escape_count < c->escape_room)
		c->escapes[c->escape_count] = (escape){d->first[place], (uint32_t)place};
	c->escape_count++;
}

/* Finds the symbol of lane i at column x; returns its event. */
static operation find_symbol(coder *c, uint32_t i, uint32_t x, uint32_t y, xc_draw_expected *e)
{
	const xc_draw *d = &c->draw;
	const row *r = &c->rows[i];
	const ptrdiff_t s = (ptrdiff_t)d->stride;
	const uint32_t *p = d->first + (ptrdiff_t)y * s + x, colour = *p;
	uint32_t symbol = r->nearest[x];

	e->near_entry = &d->near_entries[r->near[x]];
	e->far_entry = &d->far_entries[r->far[x]];
	const uint32_t cluster =
		xc_draw_cluster[xc_draw_context(r->equal[x],
	                                    xc_draw_escapes(d->escaped + (p - d->first), s), e, p[-1],
	                                    p[-s])];
	symbol = e->near_entry->times && e->near_entry->colour == colour ? XC_DRAW_NEAR : symbol;
	symbol = e->far_entry->times && e->far_entry->colour == colour ? XC_DRAW_FAR : symbol;
	if (symbol == XC_DRAW_RESIDUE)
		note_escape(c, x, y);
	return operation_of(i, cluster, symbol);
}

/* Finds the symbols of a bundle of rows from y on. */
static void look_at_bundle(coder *c, uint32_t y, uint32_t rows)
{
	const xc_draw *d = &c->draw;
	const uint32_t steps = d->shape->width + XC_DRAW_LAG * (rows - 1);
	operation *event = c->events_end;

	memset(c->groups, 0, steps * sizeof *c->groups);
	memset(c->pixels, 0, steps * sizeof *c->pixels);
	for (uint32_t i = 0; i < rows; i++)
		look_at_row(c, i, y + i);
	for (uint32_t t = 0; t < steps; t++) {
		xc_draw_expected e[XC_DRAW_LANES];
		operation *const begin = event;
		for (uint32_t m = c->groups[t]; m; m &= m - 1) {
			const uint32_t i = (uint32_t)__builtin_ctz(m);
			const uint32_t flat = c->rows[i].flat[(t - XC_DRAW_LAG * i) / XC_DRAW_GROUP];
			*event++ = operation_of(i, XC_DRAW_FLAT_SET + flat % FLAT, flat / FLAT);
		}
		for (uint32_t m = c->pixels[t]; m; m &= m - 1) {
			const uint32_t i = (uint32_t)__builtin_ctz(m);
			*event++ = find_symbol(c, i, t - XC_DRAW_LAG * i, y + i, &e[i]);
		}
		for (uint32_t m = c->pixels[t]; m; m &= m - 1) {
			const uint32_t i = (uint32_t)__builtin_ctz(m);
			xc_draw_learn(&e[i], d->first[(size_t)(y + i) * d->stride + t - XC_DRAW_LAG * i]);
		}
		c->found += (uint32_t)__builtin_popcount(c->pixels[t]);
		if (event > begin)
			*begin |= BEGINS;
	}
	c->events_end = event;
}

static void look(coder *c, uint32_t lanes)
{
	const uint32_t height = c->draw.shape->height;

	c->draw.lanes = lanes;
	c->events_end = c->events;
	c->escape_count = c->found = 0;
	for (uint32_t y = 0; y < height; y += lanes)
		look_at_bundle(c, y, height - y < lanes ? height - y : lanes);
}

/* ----------------------------------------------------------------- residues */

/* A residue under way. */
typedef struct residue {
	xc_draw_expected around;
	uint32_t lane, colour;
	int base; /* the residue of the first channel */
	uint32_t number, set;
} residue;

static void begin_residue(const coder *c, const escape *e, uint32_t lane, residue *r)
{
	const uint32_t *p = c->draw.first + e->place;

	r->lane = lane;
	r->colour = e->colour;
	r->base = 0;
	r->around.candidate[XC_DRAW_W] = p[-1];
	r->around.candidate[XC_DRAW_N] = p[-(ptrdiff_t)c->draw.stride];
	r->around.candidate[XC_DRAW_NW] = p[-(ptrdiff_t)c->draw.stride - 1];
}

/* Sets the number and the set of channel k. */
static void next_residue(const coder *c, int k, residue *r)
{
	const xc_draw_channel *h = &c->channels[k];
	const uint32_t p = xc_draw_predict(h, &r->around, r->base, &r->set);
	const uint32_t v = r->colour >> h->shift & h->mask, d = (v - p) & h->mask;

	/* With sign, folded. */
	r->number = d > h->mask / 2 ? 2 * (h->mask - d) + 1 : 2 * d;
	if (!k)
		r->base = (int)v - (int)p;
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

/* Sorts keys by their upper halves, byte by byte. other: as much memory. */
static void sort_keys(uint64_t *keys, uint32_t n, uint64_t *other)
{
	uint64_t *from = keys, *to = other;

	for (int shift = 32; shift < 64; shift += 8) {
		uint32_t next[256] = {0};
		for (uint32_t i = 0; i < n; i++)
			next[from[i] >> shift & 255]++;
		for (uint32_t v = 0, sum = 0; v < 256; v++) {
			const uint32_t count = next[v];
			next[v] = sum;
			sum += count;
		}
		for (uint32_t i = 0; i < n; i++)
			to[next[from[i] >> shift & 255]++] = from[i];
		uint64_t *const done = to;
		to = from;
		from = done;
	}
}

/* Numbers the escapes whose colours are of the palette. Both lists are in the order of colours. */
static void number_escapes(coder *c)
{
	const colour_use *u = c->by_colour, *end = u + c->colour_count;

	for (uint32_t i = 0; i < c->escape_count; i++) {
		const uint32_t colour = (uint32_t)(c->keys[i] >> 32);
		while (u < end && u->colour < colour)
			u++;
		c->numbers[(uint32_t)c->keys[i]] = (uint16_t)(u < end && u->colour == colour ? u->uses
		                                                                             : NO_NUMBER);
	}
}

/* What residues of an escape cost. */
static uint32_t cost_of(const coder *c, const escape *e)
{
	uint32_t cost = 0, raw;
	residue r;

	begin_residue(c, e, 0, &r);
	for (int k = 0; k < c->channel_count; k++) {
		next_residue(c, k, &r);
		const uint32_t symbol = xc_draw_symbol(r.number, c->draw.shape->depth, &raw);
		cost += c->residue_cost[r.set - XC_DRAW_CLUSTERS][symbol] + 64 * raw;
	}
	return cost;
}

static void price_escapes(coder *c)
{
	for (int i = 0; i < XC_DRAW_RESIDUES; i++) {
		uint16_t f[XC_SYMBOLS];
		xc_shape_frequencies(xc_draw_shapes[XC_DRAW_CLUSTERS + i], f);
		for (int k = 0; k < XC_SYMBOLS; k++)
			c->residue_cost[i][k] = xc_symbol_cost(f[k] ? f[k] : 1);
	}
	for (uint32_t i = 0; i < c->escape_count; i++)
		c->numbers[i] = (uint16_t)cost_of(c, &c->escapes[i]);
}

/* 1: residues cost more than numbers of that octave and an entry in the palette do. */
static int pays(const coder *c, const colour_use *u, uint32_t octave)
{
	enum { SYMBOL = 5 }; /* bits of that of a number */
	const uint32_t bits = c->draw.shape->channels * c->draw.shape->depth;
	const uint32_t number = 64 * (SYMBOL + octave);
	const uint32_t entry = octave < bits ? 64 * (bits - octave) : 0;

	return u->cost > number && (uint64_t)(u->cost - number) * u->uses > entry;
}

/* Lists colours that could pay; returns their number. */
static uint32_t list_colours(coder *c)
{
	uint64_t *keys = c->keys;
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->escape_count; i++)
		keys[i] = (uint64_t)c->escapes[i].colour << 32 | i;
	sort_keys(keys, c->escape_count, (void *)c->first);
	for (uint32_t i = 0, j; i < c->escape_count; i = j) {
		uint64_t sum = 0;
		for (j = i; j < c->escape_count && keys[j] >> 32 == keys[i] >> 32; j++)
			sum += c->numbers[(uint32_t)keys[j]];
		c->colours[n] = (colour_use){(uint32_t)(keys[i] >> 32), j - i, (uint32_t)(sum / (j - i))};
		n += (uint32_t)pays(c, &c->colours[n], 0);
	}
	return n;
}

/* Makes the palette. Numbers of one octave are in the order of colours. */
static void make_palette(coder *c)
{
	uint32_t n = 0;

	price_escapes(c);
	const uint32_t listed = list_colours(c);
	qsort(c->colours, listed, sizeof *c->colours, by_uses);
	for (uint32_t i = 0; i < listed && n < XC_DRAW_COLOURS; i++)
		if (pays(c, &c->colours[i], octave_of(n)))
			c->colours[n++] = c->colours[i];
	for (uint32_t first = 0; first < n; first = 2 * first + 1) {
		const uint32_t end = 2 * first + 1 < n ? 2 * first + 1 : n;
		qsort(c->colours + first, end - first, sizeof *c->colours, by_colour);
	}
	c->colour_count = n;
	for (uint32_t i = 0; i < n; i++)
		c->by_colour[i] = (colour_use){c->colours[i].colour, i, 0};
	qsort(c->by_colour, n, sizeof *c->by_colour, by_colour);
	number_escapes(c);
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

/* Palette numbers: the octaves, and the places within. */
static operation *put_colours(operation *o, const uint32_t *lane, const uint32_t *number, int n)
{
	for (int i = 0; i < n; i++)
		*o++ = operation_of(lane[i], XC_DRAW_PALETTE_SET, octave_of(number[i]));
	for (int i = 0; i < n; i++) {
		const uint32_t octave = octave_of(number[i]);
		if (octave)
			*o++ = raw_bits(lane[i], octave, number[i] + 1 - (1U << octave));
	}
	return o;
}

/* Channel by channel the residues' symbols, and then their raw bits. */
static operation *put_residues(const coder *c, operation *o, residue *r, int n)
{
	for (int k = 0; k < c->channel_count; k++) {
		operation raw[XC_DRAW_LANES], *end = raw;
		for (int i = 0; i < n; i++) {
			uint32_t bits;
			next_residue(c, k, &r[i]);
			const uint32_t symbol = xc_draw_symbol(r[i].number, c->draw.shape->depth, &bits);
			*o++ = operation_of(r[i].lane, r[i].set, symbol);
			if (bits)
				*end++ = raw_bits(r[i].lane, bits, r[i].number - xc_draw_number(symbol, 0));
		}
		memcpy(o, raw, (size_t)(end - raw) * sizeof *raw);
		o += end - raw;
	}
	return o;
}

/* Lists the operations of a step, whose first escape is number `next`, in the order of decoding. */
static operation *list_step(const coder *c, const operation *event, const operation *end,
                            uint32_t next, operation *o)
{
	residue residues[XC_DRAW_LANES];
	uint32_t lane[XC_DRAW_LANES], number[XC_DRAW_LANES];
	int colours = 0, n = 0;

	for (; event < end; event++) {
		uint32_t symbol = symbol_of(*event);
		const uint32_t i = lane_of(*event);
		if (is_escape(*event)) {
			if (c->numbers[next] != NO_NUMBER) {
				lane[colours] = i;
				number[colours++] = c->numbers[next];
				symbol = XC_DRAW_PALETTE;
			} else {
				begin_residue(c, &c->escapes[next], i, &residues[n++]);
			}
			next++;
		}
		*o++ = operation_of(i, set_of(*event), symbol);
	}
	o = put_colours(o, lane, number, colours);
	return put_residues(c, o, residues, n);
}

/* ------------------------------------------------------------------- coding */

static uint32_t record_of(coder *c, operation o)
{
	const uint32_t set = set_of(o), symbol = symbol_of(o), lane = lane_of(o) << RECORD_LANE;

	if (set == RAW)
		return o >> 16 | (symbol + 1) << 16 | lane;
	xc_draw_adaptive *a = &c->sets[set];
	if (!a->sums[XC_SYMBOLS])
		xc_draw_adaptive_begin(a, set);
	const uint32_t slot = xc_draw_slot(a, symbol), end = xc_draw_slot(a, symbol + 1);
	return (end - slot) | slot << XC_FREQUENCY_BITS | lane | 1U << RECORD_SYMBOL;
}

static void record_all(coder *c)
{
	const operation *begin = c->events;
	uint32_t *record = c->records, escapes = 0;
	operation list[MOST];

	while (begin < c->events_end) {
		const operation *end = begin;
		uint32_t n = 0;
		do
			n += (uint32_t)is_escape(*end++);
		while (end < c->events_end && !(*end & BEGINS));
		/* A copy, as records overwrite events. */
		const size_t copied = (size_t)(end - begin);
		const operation *last = list + copied;
		if (n)
			last = list_step(c, begin, end, escapes, list);
		else
			memcpy(list, begin, copied * sizeof *list);
		for (const operation *o = list; o < last; o++)
			*record++ = record_of(c, *o);
		for (const operation *o = list; o < last; o++)
			if (set_of(*o) != RAW)
				xc_draw_adapt(&c->sets[set_of(*o)], symbol_of(*o));
		escapes += n;
		begin = end;
	}
	c->records_end = record;
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
	for (const uint32_t *record = c->records_end; record > c->records;) {
		const uint32_t r = *--record, n = r >> 16 & 31, f = r & (XC_FREQUENCY_ONE - 1);
		uint32_t *x = &c->state[r >> RECORD_LANE & (XC_DRAW_LANES - 1)];
		if (r >> RECORD_SYMBOL) {
			if (*x >= f << 20)
				emit(c, x);
			*x = *x / f << XC_FREQUENCY_BITS |
			     ((r >> XC_FREQUENCY_BITS & (XC_FREQUENCY_ONE - 1)) + *x % f);
		} else {
			if (*x >> (32 - n))
				emit(c, x);
			*x = *x << n | (r & 65535);
		}
	}
	return c->words > c->first + 2;
}

/* Codes the events after the palette; returns the bytes, or 0 if these would be more than `limit`. */
static size_t write_all(coder *c, uint8_t *out, size_t limit)
{
	const uint32_t height = c->draw.shape->height;
	const uint32_t states = c->draw.lanes < height ? c->draw.lanes : height;
	const uint8_t *words_end = c->words;
	xc_side_writer w = {.next = out, .end = out + limit};

	xc_put_bits(&w, 1, c->draw.lanes == 1);
	put_palette(&w, c);
	uint8_t *to = xc_end_bits(&w);
	if (w.full)
		return 0;
	record_all(c);
	if (!code_all(c))
		return 0;
	const size_t n = (size_t)(words_end - c->words);
	if ((size_t)(w.end - to) < 4 * states + n)
		return 0;
	for (uint32_t i = 0; i < states; i++)
		to = xc_put_le32(to, c->state[i]);
	memcpy(to, c->words, n);
	return (size_t)(to + n - out);
}

/* Squares in which more than 45 % of pixels have no candidate. */
static void find_busy(const coder *c, xc_draw_found *found)
{
	const xc_lossless_shape *s = c->draw.shape;
	const uint32_t wide = xc_draw_squares(s->width), high = xc_draw_squares(s->height);

	for (uint32_t y = 0; y < high; y++)
		for (uint32_t x = 0; x < wide; x++) {
			const uint32_t right = s->width - x * XC_DRAW_SQUARE,
						   below = s->height - y * XC_DRAW_SQUARE;
			const uint32_t n = (right < XC_DRAW_SQUARE ? right : XC_DRAW_SQUARE) *
			                   (below < XC_DRAW_SQUARE ? below : XC_DRAW_SQUARE);
			const uint32_t without = c->without[y * wide + x];
			const int busy = without * 20 > n * 9;
			found->busy[y * wide + x] = (uint8_t)busy;
			found->busy_count += (uint32_t)busy;
			found->quiet_pixels += busy ? 0 : n;
			found->quiet_escapes += busy ? 0 : without;
		}
}

void XC_LEVEL(xc_draw_look)(const xc_lossless_shape *s, const void *samples, size_t stride,
                            const uint8_t *given, void *scratch, xc_draw_found *found)
{
	coder *c = scratch;
	uint8_t *memory = (uint8_t *)(c + 1);

	c->escape_room = (uint32_t)escape_room(s);
	xc_draw_begin(&c->draw, s, &memory);
	c->keys = (void *)(((uintptr_t)memory + 7) / 8 * 8);
	c->escapes = (void *)(c->keys + escape_room(s));
	c->records = (void *)(c->escapes + escape_room(s));
	c->events = c->records + more_records(s, c->escape_room);
	c->colours = (void *)c->records;
	c->by_colour = c->colours + escape_room(s);
	c->numbers = (void *)(c->events + event_room(s));
	c->first = (void *)(((uintptr_t)(c->numbers + escape_room(s)) + 7) / 8 * 8);
	c->words = c->first + word_bytes(s, c->escape_room);
	c->draw.given = given;
	memset(c->without, 0, sizeof c->without);
	xc_draw_load(&c->draw, samples, stride, 1);
	look(c, pixels_of(s) < FEW ? 1 : XC_DRAW_LANES);
	if (found) {
		memset(found, 0, sizeof *found);
		found->pixels = c->found;
		found->escapes = c->escape_count;
		find_busy(c, found);
	}
}

size_t XC_LEVEL(xc_draw_code)(const void *samples, size_t stride, void *scratch, uint8_t *out,
                              size_t limit)
{
	coder *c = scratch;

	if (c->escape_count > c->escape_room)
		return 0;
	if (c->found < FEW && c->draw.lanes > 1) {
		/* Again, with one lane, whose entries also know the pixels just before. */
		xc_draw_forget(&c->draw);
		xc_draw_load(&c->draw, samples, stride, 1);
		look(c, 1);
	}
	if (c->escape_count > c->escape_room)
		return 0;
	c->channel_count = xc_draw_channels(c->draw.shape, c->channels);
	memset(c->sets, 0, sizeof c->sets);
	make_palette(c);
	return write_all(c, out, limit);
}
