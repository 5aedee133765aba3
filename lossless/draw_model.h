/* SPDX-License-Identifier: BSD-2-Clause */
/* The model of drawings: for lossless/draw*.c alone. */
#ifndef XC_LOSSLESS_DRAW_MODEL_H
#define XC_LOSSLESS_DRAW_MODEL_H

#include <stdlib.h>
#include <string.h>

#include "lossless/draw.h"

#ifdef __SSE2__
#include <immintrin.h>
#endif

/* The symbols, in the order in which a coder tries them but for those of entries. */
enum {
	XC_DRAW_NEAR = 0, /* the colour of the near entry */
	XC_DRAW_W,
	XC_DRAW_N,
	XC_DRAW_NW,
	XC_DRAW_NE,
	XC_DRAW_WW,
	XC_DRAW_NN,
	XC_DRAW_RESIDUE, /* none of these: its channels follow */
	XC_DRAW_FAR,     /* the colour of the far entry */
	XC_DRAW_PALETTE  /* the number in the palette follows */
};

/* Pixels of a row from a multiple of this on are a group. Where W and all pixels above the group, and
 * one more on either side, have one colour, a symbol tells whether the group has it, too. A lane is
 * so far behind the one before that it sees them. */
enum { XC_DRAW_GROUP = 8 };

enum { XC_DRAW_MARGIN = 4, XC_DRAW_LANES = 16, XC_DRAW_LAG = XC_DRAW_GROUP + 2 };

/* The colour that was last seen after some neighbours, and how often in a row: 0 to 4. */
typedef struct xc_draw_entry {
	uint32_t colour, times;
} xc_draw_entry;

typedef struct xc_draw {
	const xc_lossless_shape *shape;
	uint32_t lanes; /* rows that are coded at once: 16, or 1 where there is little to code */
	uint32_t stride;
	uint32_t *first;      /* the word of pixel 0,0; margins around */
	uint8_t *escaped;     /* 1: a pixel was coded as a residue or by the palette */
	const uint8_t *given; /* of each square: 1: its pixels are known; NULL: none are */
	unsigned near_bits, far_bits;
	xc_draw_entry *near_entries, *far_entries;
} xc_draw;

/* A set of frequencies. None is stored: it begins with built-in ones and follows its symbols. Of the
 * slots each symbol has one, and the others are shared out by `sums`, in sixteenths: those of the
 * symbols before each one, and last 16 (4096 - symbols), those of all; 0: it has not begun. */
typedef struct xc_draw_adaptive {
	uint16_t sums[XC_SYMBOLS + 1];
	uint16_t slowing; /* uses, as long as they count */
} xc_draw_adaptive;

/* The first slot of a symbol, or the end of the one before it. */
static inline uint32_t xc_draw_slot(const xc_draw_adaptive *a, uint32_t symbol)
{
	return (uint32_t)(a->sums[symbol] >> 4) + symbol;
}

/* The symbol that has a slot. */
static inline uint32_t xc_draw_symbol_at(const xc_draw_adaptive *a, uint32_t slot)
{
	typedef int16_t numbers __attribute__((vector_size(16)));
	typedef uint16_t sums __attribute__((vector_size(16)));
	numbers above[2], i = {0, 1, 2, 3, 4, 5, 6, 7};

	for (int k = 0; k < 2; k++, i += 8) {
		sums v;
		memcpy(&v, a->sums + 8 * k, sizeof v);
		above[k] = (numbers)(v >> 4) + i > (int16_t)slot;
	}
#ifdef __SSE2__
	const __m128i bytes = _mm_packs_epi16((__m128i)above[0], (__m128i)above[1]);
	return (uint32_t)__builtin_ctz((uint32_t)_mm_movemask_epi8(bytes) | 1U << XC_SYMBOLS) - 1;
#else
	uint32_t symbol = XC_SYMBOLS - 1;
	for (int k = 0; k < XC_SYMBOLS; k++)
		symbol = (uint32_t)((int32_t)symbol + above[k / 8][k % 8]);
	return symbol;
#endif
}

/* Tells the set that it was used for a symbol: later symbols' sums grow, the others fall. */
static inline void xc_draw_adapt(xc_draw_adaptive *a, uint32_t symbol)
{
	enum { SLOWEST = 6 };
	typedef uint16_t sums __attribute__((vector_size(16)));
	typedef int16_t numbers __attribute__((vector_size(16)));
	const int rate = 33 - __builtin_clz(a->slowing + 2U);
	const uint16_t all = a->sums[XC_SYMBOLS];
	numbers left = (int16_t)symbol - (numbers){0, 1, 2, 3, 4, 5, 6, 7};

	for (int i = 0; i < XC_SYMBOLS; i += 8, left -= 8) {
		const sums falls = (sums)(left >= 0);
		sums v;
		memcpy(&v, a->sums + i, sizeof v);
		const sums way = (((all & ~falls) - v) ^ falls) - falls;
		v += ((way >> rate) ^ falls) - falls;
		memcpy(a->sums + i, &v, sizeof v);
	}
	a->slowing = (uint16_t)(a->slowing + (rate < SLOWEST));
}

void xc_draw_adaptive_begin(xc_draw_adaptive *a, uint32_t set);

/* Where byte i of a pixel in memory is in its word. */
static inline unsigned xc_draw_shift(const xc_lossless_shape *s, size_t i)
{
	const int swapped = __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ && s->depth == 16;
	return 8 * (unsigned)(swapped ? i ^ 1 : i);
}

/* The memory of a drawing; *memory goes on after it. */
void xc_draw_begin(xc_draw *draw, const xc_lossless_shape *shape, uint8_t **memory);
/* Sets all pixels, or those that are given. */
void xc_draw_load(xc_draw *draw, const void *samples, size_t stride, int all);
/* Forgets what entries have learnt, and which pixels had no candidate. */
void xc_draw_forget(xc_draw *draw);
size_t xc_draw_bytes(const xc_lossless_shape *shape);

/* What is known before a pixel. */
typedef struct xc_draw_expected {
	uint32_t candidate[XC_DRAW_PALETTE + 1];
	xc_draw_entry *near_entry, *far_entry;
	uint32_t context;
} xc_draw_expected;

/* The lanes of step t of a bundle of rows: from the first to before the end. */
static inline uint32_t xc_draw_first_lane(const xc_lossless_shape *s, uint32_t t)
{
	return t < s->width ? 0 : (t - s->width) / XC_DRAW_LAG + 1;
}

static inline uint32_t xc_draw_end_lane(uint32_t rows, uint32_t t)
{
	return t / XC_DRAW_LAG + 1 < rows ? t / XC_DRAW_LAG + 1 : rows;
}

/* The square of a pixel. */
static inline size_t xc_draw_square(const xc_draw *d, uint32_t x, uint32_t y)
{
	return (size_t)(y / XC_DRAW_SQUARE) * xc_draw_squares(d->shape->width) + x / XC_DRAW_SQUARE;
}

static inline int xc_draw_is_given(const xc_draw *d, uint32_t x, uint32_t y)
{
	return d->given && d->given[xc_draw_square(d, x, y)];
}

static inline uint32_t xc_draw_group(const xc_draw *d, uint32_t x)
{
	const uint32_t left = d->shape->width - x;
	return left < XC_DRAW_GROUP ? left : XC_DRAW_GROUP;
}

/* The set of the symbol of a group that begins at a pixel; 0: there is none, as in the first row. */
static inline uint32_t xc_draw_flat_set(const xc_draw *d, uint32_t x, uint32_t y)
{
	const ptrdiff_t s = (ptrdiff_t)d->stride;
	const uint32_t *p = d->first + (ptrdiff_t)y * s + x, w = p[-1];

	if (!y || x % XC_DRAW_GROUP || p[-s] != w)
		return 0;
	const int n = (int)xc_draw_group(d, x);
	for (int i = -1; i <= n; i++)
		if (p[i - s] != w)
			return 0;
	return XC_DRAW_FLAT_SET + (uint32_t)(p[-2] == w) + 2 * (uint32_t)(p[-2 * s] == w);
}

static inline uint32_t xc_draw_mix(uint32_t h, uint32_t v)
{
	h = (h ^ v) * 0x9e3779b1U;
	return h ^ h >> 15;
}

static inline uint32_t xc_draw_relation(const xc_draw_entry *e, uint32_t w, uint32_t n)
{
	if (!e->times)
		return 0;
	return (e->colour == w ? 1 : e->colour == n ? 2 : 3) + (e->times > 2 ? 3U : 0);
}

/* The neighbours of a pixel. */
typedef struct xc_draw_around {
	uint32_t w, n, nw, ne, ww, nn;
} xc_draw_around;

static inline xc_draw_around xc_draw_look_around(const uint32_t *p, ptrdiff_t s)
{
	return (xc_draw_around){p[-1], p[-s], p[-s - 1], p[-s + 1], p[-2], p[-2 * s]};
}

static inline uint32_t xc_draw_near_hash(const xc_draw_around *a)
{
	return xc_draw_mix(xc_draw_mix(xc_draw_mix(xc_draw_mix(1, a->w), a->n), a->nw), a->ne);
}

/* h: that of the near ones. */
static inline uint32_t xc_draw_far_hash(const xc_draw_around *a, const uint32_t *p, ptrdiff_t s,
                                        uint32_t h)
{
	h = xc_draw_mix(xc_draw_mix(xc_draw_mix(h, a->ww), a->nn), p[-2 * s + 1]);
	return xc_draw_mix(xc_draw_mix(xc_draw_mix(h, p[-s - 2]), p[-2 * s - 1]), p[-3]);
}

/* Which neighbours are equal: six bits of a context. */
static inline uint32_t xc_draw_equal(const xc_draw_around *a)
{
	return (uint32_t)(a->w == a->n) | (uint32_t)(a->w == a->nw) << 1 |
	       (uint32_t)(a->n == a->nw) << 2 | (uint32_t)(a->n == a->ne) << 3 |
	       (uint32_t)(a->w == a->ww) << 4 | (uint32_t)(a->n == a->nn) << 5;
}

/* How many of the pixels around one were escapes. */
static inline uint32_t xc_draw_escapes(const uint8_t *escaped, ptrdiff_t s)
{
	return (uint32_t)escaped[-1] + escaped[-s] + escaped[-s + 1] + escaped[-s - 1];
}

/* The context of a pixel whose entries are set. */
static inline uint32_t xc_draw_context(uint32_t equal, uint32_t escapes, const xc_draw_expected *e,
                                       uint32_t w, uint32_t n)
{
	const xc_draw_entry *near = e->near_entry, *far = e->far_entry;
	uint32_t relation = xc_draw_relation(near, w, n);

	if (far->times) {
		const uint32_t v = far->colour;
		const uint32_t kind = v == w ? 1 : v == n ? 2 : near->times && v == near->colour ? 3 : 4;
		relation = 7 + kind + (far->times > 2 ? 4 : 0);
	}
	return equal | (escapes > 2 ? escapes - 1 : escapes) << 6 | relation << 8;
}

static inline void xc_draw_expect(const xc_draw *d, uint32_t x, uint32_t y, xc_draw_expected *e)
{
	const ptrdiff_t s = (ptrdiff_t)d->stride, at = (ptrdiff_t)y * s + x;
	const uint32_t *p = d->first + at;
	const xc_draw_around a = xc_draw_look_around(p, s);
	const uint32_t h = xc_draw_near_hash(&a);

	e->near_entry = &d->near_entries[h >> (32 - d->near_bits)];
	e->far_entry = &d->far_entries[xc_draw_far_hash(&a, p, s, h) >> (32 - d->far_bits)];
	e->candidate[XC_DRAW_W] = a.w;
	e->candidate[XC_DRAW_N] = a.n;
	e->candidate[XC_DRAW_NW] = a.nw;
	e->candidate[XC_DRAW_NE] = a.ne;
	e->candidate[XC_DRAW_WW] = a.ww;
	e->candidate[XC_DRAW_NN] = a.nn;
	e->candidate[XC_DRAW_NEAR] = e->near_entry->colour;
	e->candidate[XC_DRAW_FAR] = e->far_entry->colour;
	e->context = xc_draw_context(xc_draw_equal(&a), xc_draw_escapes(d->escaped + at, s), e, a.w,
	                             a.n);
}

/* Tells the entries the colour of the pixel, after the step. */
static inline void xc_draw_learn(const xc_draw_expected *e, uint32_t colour)
{
	xc_draw_entry *c = e->near_entry;

	if (c->times && c->colour == colour)
		c->times += c->times < 4;
	else if (c->times > 2)
		c->times = 1;
	else
		*c = (xc_draw_entry){colour, 1};
	c = e->far_entry;
	if (c->times && c->colour == colour)
		c->times += c->times < 4;
	else
		*c = (xc_draw_entry){colour, 1};
}

/* Sets a pixel, and the margins that follow from it. */
static inline void xc_draw_set(const xc_draw *d, uint32_t x, uint32_t y, uint32_t colour)
{
	const ptrdiff_t s = (ptrdiff_t)d->stride;
	uint32_t *p = d->first + (ptrdiff_t)y * s + x;

	*p = colour;
	if (x == 0)
		for (int k = 1; k <= 3 && y + (uint32_t)k < d->shape->height; k++)
			p[k * s - k] = colour;
	if (x + 1 == d->shape->width)
		p[1] = colour;
	/* The row above the first one. */
	if (y == 0)
		p[2 - s] = p[2 - 2 * s] = colour;
}

/* Residues of the channels of a pixel. */
typedef struct xc_draw_channel {
	uint32_t shift, mask; /* where it is in the word */
	uint32_t kind;        /* see XC_DRAW_KINDS */
	int follows;          /* 1: the residue of the first channel is added to the prediction */
} xc_draw_channel;

/* Fills in the channels in the order of coding: green first; returns their number. */
static inline int xc_draw_channels(const xc_lossless_shape *s, xc_draw_channel channels[4])
{
	static const uint32_t order[4] = {1, 0, 2, 3};
	const int colours = s->channels > 2;
	const uint32_t mask = s->depth == 8 ? 255 : 65535;

	for (uint32_t i = 0; i < s->channels; i++) {
		const uint32_t c = colours ? order[i] : i;
		const int alpha = s->channels % 2 == 0 && i + 1 == s->channels;
		channels[i] = (xc_draw_channel){c * s->depth, mask, alpha ? 2 : i > 0, !alpha && i > 0};
	}
	return (int)s->channels;
}

/* The prediction of a channel, and the set of frequencies of its residue. first: what the prediction
 * of the first channel missed. */
static inline uint32_t xc_draw_predict(const xc_draw_channel *c, const xc_draw_expected *e,
                                       int first, uint32_t *set)
{
	const int w = (int)(e->candidate[XC_DRAW_W] >> c->shift & c->mask);
	const int n = (int)(e->candidate[XC_DRAW_N] >> c->shift & c->mask);
	const int nw = (int)(e->candidate[XC_DRAW_NW] >> c->shift & c->mask);
	const int low = w < n ? w : n, high = w < n ? n : w, v = w + n - nw;
	int p = v < low ? low : v > high ? high : v;
	const uint32_t g = (uint32_t)(c->follows ? abs(first) : abs(w - nw) + abs(n - nw));
	const uint32_t level = g ? 32 - (uint32_t)__builtin_clz(g) : 0;

	*set = XC_DRAW_CLUSTERS + c->kind * XC_DRAW_LEVELS + (level < 7 ? level : 7);
	if (c->follows) {
		p += first;
		p = p < 0 ? 0 : p > (int)c->mask ? (int)c->mask : p;
	}
	return (uint32_t)p;
}

/* A number as a symbol with raw bits: below 10 itself, then 1, 2, .. 5 bits more; 15: all `bits`. */
static inline uint32_t xc_draw_symbol(uint32_t z, uint32_t bits, uint32_t *n)
{
	*n = 0;
	if (z < 10)
		return z;
	if (z > 71) {
		*n = bits;
		return 15;
	}
	*n = 31 - (uint32_t)__builtin_clz(z - 8);
	return 9 + *n;
}

static inline uint32_t xc_draw_number(uint32_t symbol, uint32_t raw)
{
	return symbol < 10 ? symbol : symbol == 15 ? raw : 8 + (1U << (symbol - 9)) + raw;
}

#endif
