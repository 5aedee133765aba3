/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The coder of coefficients (jpeg/code.h), compiled once a SIMD level. Coder and decoder take the same
 * way through a band: component by component, in bundles of 16 rows of blocks, fewer in a small one, of which lane i
 * is one column behind lane i - 1; so the block above is always known. All lanes take a symbol in a step.
 * The coder records what the decoder will find, and codes the records from the last to the first.
 */
#include <string.h>

#include "jpeg/code.h"
#include "lossless/bits.h"
#include "lossless/lanes.h"
#include "lossless/transpose.h"

#define JPEG_PASTE(a, b) a##b
#define JPEG_EXPAND(a, b) JPEG_PASTE(a, b)

/* The state of a component. Lane i is element 16 + i where there are 32, and what is above lane 0 is element
 * 15: so lanes shifted by one are a load away. */
typedef struct plane {
	_Alignas(64) uint16_t magnitude[65][32]; /* of the blocks before, then of these */
	uint16_t sum[66][16];                    /* of the magnitudes to the left and above */
	int16_t value[64][16];
	int32_t down[8][32], right[8][16]; /* what the blocks before predict */
	int32_t class[32], last[2][32];
	lanes own[2][8], other[2][8]; /* what the coefficients but those of an edge say: sum_line() */
	const xc_jpeg_coding *coding;
	int c;
	int16_t *blocks; /* the first one */
	uint32_t y, rows, columns, stride;
	uint32_t bundle; /* rows of a whole one */
	int has_above;
} plane;

typedef struct coder {
	lanes x, y;                        /* two sets of states, which take steps in turn */
	const uint8_t *next, *end, *final; /* words; a step that begins after `final` needs the room */
	int bad;
	const xc_bucket *buckets;
	xc_jpeg_record *record;
	uint32_t (*counts)[XC_JPEG_SHAPES + 1][XC_SYMBOLS]; /* an xc_jpeg_counts */
	_Alignas(64) uint8_t room[256];
} coder;

/* A step takes up to 64 bytes and loads 32 more. */
enum { STEP_BYTES = 96 };

static const uint8_t last_of_class[16] = {0, 1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 21, 26, 32, 40, 49};

/* ------------------------------------------------------------------ symbols */

static __attribute__((noinline)) void go_to_room(coder *k)
{
	ptrdiff_t n = k->end - k->next;

	if (n < 0 || k->final == k->end)
		k->bad |= n < 0;
	else
		memcpy(k->room, k->next, (size_t)n);
	n = n < 0 || k->final == k->end ? 0 : n;
	memset(k->room + n, 0, sizeof k->room - (size_t)n);
	k->next = k->room;
	k->end = k->final = k->room + n;
}

LANES_INLINE lanes take_symbol(coder *k, lanes shape, lane_mask active)
{
	const lanes slot_mask = all_lanes(XC_FREQUENCY_ONE - 1), low4 = all_lanes(15);
	const lanes bucket = and(srl(k->x, 8), low4);
	lanes own, other;

	if (k->next > k->final)
		go_to_room(k);
	gather_halves(k->buckets, or (sll(shape, 4), bucket), &own, &other);
	const lane_mask is_other = not_below(k->x, own, all_lanes(255));
	const lanes entry = blend(is_other, own, other);
	const lanes within = and(add(k->x, srl(entry, 12)), slot_mask);
	const lanes y = add(mul(and(entry, slot_mask), srl(k->x, XC_FREQUENCY_BITS)), within);
	k->x = blend(active, k->x, take_words(y, both(is_low(y), active), &k->next));
	return and(blend(is_other, bucket, srl(other, 24)), low4);
}

/* Lanes with no bits keep their state. */
LANES_INLINE lanes take_raw(coder *k, lanes bits)
{
	const lanes raw = and(k->x, sub(sllv(all_lanes(1), bits), all_lanes(1)));
	const lanes y = srlv(k->x, bits);

	k->x = take_words(y, is_low(y), &k->next);
	return raw;
}

LANES_INLINE void take_turns(coder *k)
{
	const lanes x = k->x;
	k->x = k->y;
	k->y = x;
}

LANES_INLINE void put_record(coder *k, lanes shape, lanes symbol, lanes bits, lanes raw,
                             lane_mask active)
{
	/* Each lane has its own, so that none waits until the count of another's is known. */
	static const uint16_t idle[16] = {XC_JPEG_IDLE,      XC_JPEG_IDLE + 1,  XC_JPEG_IDLE + 2,
	                                  XC_JPEG_IDLE + 3,  XC_JPEG_IDLE + 4,  XC_JPEG_IDLE + 5,
	                                  XC_JPEG_IDLE + 6,  XC_JPEG_IDLE + 7,  XC_JPEG_IDLE + 8,
	                                  XC_JPEG_IDLE + 9,  XC_JPEG_IDLE + 10, XC_JPEG_IDLE + 11,
	                                  XC_JPEG_IDLE + 12, XC_JPEG_IDLE + 13, XC_JPEG_IDLE + 14,
	                                  XC_JPEG_IDLE + 15};

	store16(k->record->symbol, blend(active, load16(idle), or (sll(shape, 4), symbol)));
	store16(k->record->raw, or (sllv(all_lanes(1), bits), raw));
	k->record++;
}

/* A symbol without raw bits; it is what is given if this is the coder. */
LANES_INLINE lanes pass_symbol(coder *k, lanes shape, lanes symbol, lane_mask active,
                               const int decoding)
{
	if (decoding) {
		symbol = take_symbol(k, shape, active);
		take_turns(k);
		return blend(active, all_lanes(0), symbol);
	}
	put_record(k, shape, symbol, all_lanes(0), all_lanes(0), active);
	return symbol;
}

/* By symbol: the least magnitude, raw bits with a sign's, whether a sign is among them, and the sign that
 * the symbol itself is. */
typedef struct alphabet {
	uint8_t base[16], bits[16], has_sign[16], sign[16];
} alphabet;
/* clang-format off */
static const alphabet plain = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 24, 40, 0},
                               {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 4, 5, 6, 0},
                               {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0}, {0}};
static const alphabet with_sign = {{0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 7, 7, 11, 19, 0},
                                   {1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 4, 6, 0},
                                   {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0},
                                   {0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 0}};
/* clang-format on */

LANES_INLINE lanes bits_of_symbol(const alphabet *a, lanes symbol, lanes more, lane_mask active)
{
	const lanes zero = all_lanes(0);
	lanes bits = add(pick16(table16(a->bits), symbol), more);

	bits = blend(both(equal(symbol, zero), equal(more, zero)), bits, zero);
	bits = blend(equal(symbol, all_lanes(XC_JPEG_ESCAPE)), bits, all_lanes(XC_JPEG_ESCAPE_BITS));
	return blend(active, zero, bits);
}

/* -a where flip is 1. */
LANES_INLINE lanes negate(lanes a, lanes flip)
{
	const lanes m = sub(all_lanes(0), flip);
	return sub(xor(a, m), m);
}

LANES_INLINE lanes take_number(coder *k, const alphabet *a, lanes shape, lanes more, lanes flip,
                               lane_mask active)
{
	const lanes symbol = take_symbol(k, shape, active);
	const lanes raw = take_raw(k, bits_of_symbol(a, symbol, more, active));
	take_turns(k);
	const lanes has = pick16(table16(a->has_sign), symbol);
	const lanes sign = or (and(raw, has), pick16(table16(a->sign), symbol));
	lanes v = add(sllv(pick16(table16(a->base), symbol), more), srlv(raw, has));

	v = negate(v, xor(sign, flip));
	v = blend(equal(symbol, all_lanes(XC_JPEG_ESCAPE)), v,
	          sra(sll(raw, 32 - XC_JPEG_ESCAPE_BITS), 32 - XC_JPEG_ESCAPE_BITS));
	return blend(active, all_lanes(0), v);
}

/* floor(log2()) of numbers above 0. */
LANES_INLINE lanes log_of(lanes a)
{
	return sub(srl(to_float(a), 23), all_lanes(127));
}

LANES_INLINE lanes symbol_plain(lanes t)
{
	const lanes n = log_of(max(sub(t, all_lanes(8)), all_lanes(1)));
	const lanes s = blend(less(t, all_lanes(10)), add(n, all_lanes(9)), t);
	return min(s, all_lanes(XC_JPEG_ESCAPE));
}

LANES_INLINE lanes symbol_with_sign(lanes t, lanes sign)
{
	/* 5, 7, 11, 19 and 51 begin symbols: 3 more than powers of two. */
	const lanes n = log_of(max(sub(t, all_lanes(3)), all_lanes(1)));
	const lanes of_sign = add(sub(add(t, t), all_lanes(1)), sign);
	lanes s = add(add(add(n, n), all_lanes(7)), sign);

	s = blend(less(t, all_lanes(5)), s, of_sign);
	s = blend(less(t, all_lanes(11)), blend(less(t, all_lanes(19)), all_lanes(14), all_lanes(13)),
	          s);
	s = blend(less(all_lanes(50), t), s, all_lanes(XC_JPEG_ESCAPE));
	return blend(equal(t, all_lanes(0)), s, all_lanes(0));
}

LANES_INLINE void put_number(coder *k, const alphabet *a, lanes shape, lanes more, lanes flip,
                             lanes v, lane_mask active)
{
	const lanes minus = srl(v, 31), m = negate(v, minus), t = srlv(m, more);
	const lanes sign = xor(minus, flip);
	const lanes symbol = a == &plain ? symbol_plain(t) : symbol_with_sign(t, sign);
	const lanes bits = bits_of_symbol(a, symbol, more, active);
	const lanes has = pick16(table16(a->has_sign), symbol);
	lanes raw = sub(m, sllv(pick16(table16(a->base), symbol), more));

	raw = or (sllv(raw, has), and(sign, has));
	raw = blend(equal(symbol, all_lanes(XC_JPEG_ESCAPE)), raw, v);
	raw = and(raw, sub(sllv(all_lanes(1), bits), all_lanes(1)));
	put_record(k, shape, symbol, bits, raw, active);
}

LANES_INLINE lanes pass_number(coder *k, const alphabet *a, lanes shape, lanes level, lanes flip,
                               lanes v, lane_mask active, const int decoding)
{
	const lanes more = srl(max(sub(level, all_lanes(XC_JPEG_LEVEL_RAW)), all_lanes(0)), 1);

	if (decoding)
		return take_number(k, a, shape, more, flip, active);
	put_number(k, a, shape, more, flip, v, active);
	return v;
}

/* ----------------------------------------------------------------- contexts */

LANES_INLINE xc_row16 row_at(const uint16_t *p)
{
	xc_row16 r;
	memcpy(&r, p, sizeof r);
	return r;
}

LANES_INLINE xc_row16 choose16(xc_row16 mask, xc_row16 a, xc_row16 b)
{
	return (a & mask) | (b & ~mask);
}

LANES_INLINE xc_row16 pairs_of(uint32_t pair)
{
	typedef uint32_t eight __attribute__((vector_size(32)));
	return (xc_row16)(pair - (eight){0});
}

/* Twice the logarithm of a number that is not below zero; far below zero for 0. */
LANES_INLINE lanes half_octaves(lanes a)
{
	return srl(to_float(a), 22);
}

LANES_INLINE lanes level_of(lanes expected)
{
	const lanes l = sub(half_octaves(expected), all_lanes(XC_JPEG_LEVEL_FIRST));
	return min(max(l, all_lanes(0)), all_lanes(XC_JPEG_LEVELS - 1));
}

/* What is expected of the magnitudes of a coefficient. */
LANES_INLINE lanes expect(const plane *p, int k)
{
	const uint32_t *w = p->coding->weights[p->coding->chroma[p->c]][k];
	const uint8_t *n = xc_jpeg_nears[k];
	xc_row16 e = row_at(p->sum[k]) * pairs_of(w[1]) + pairs_of(w[0]);

	e += (row_at(p->sum[n[0]]) + row_at(p->sum[n[1]])) * pairs_of(w[2]);
	xc_row16 f = row_at(p->magnitude[n[2]] + 16) * pairs_of(w[3]);
#pragma GCC unroll 5
	for (int i = 1; i < 6; i++)
		f += row_at(p->magnitude[n[2 + i]] + 16) * pairs_of(w[3 + i]);
	e += f;
	uint16_t out[16];
	memcpy(out, &e, sizeof e);
	return load16(out);
}

LANES_INLINE void set_value(plane *p, int k, lanes v)
{
	const lanes m = max(v, sub(all_lanes(0), v));

	store16(p->value[k], v);
	store16(p->magnitude[k] + 16, min(m, all_lanes(XC_JPEG_MAGNITUDE)));
}

LANES_INLINE lanes value_of(const plane *p, int k)
{
	return load_signed16(p->value[k]);
}

/* The class of a last inner coefficient. */
LANES_INLINE lanes class_of(lanes last)
{
	static const uint8_t low[16] = {0, 1, 2, 3, 4, 5, 6, 7, 7, 8, 8, 9, 9, 9, 10, 10};
	lanes class = pick16(table16(low), min(last, all_lanes(15)));

	for (int i = 10; i < 15; i++)
		class = blend(less(all_lanes(last_of_class[i]), last), class, all_lanes(i + 1));
	return class;
}

static uint32_t most_of(lanes a)
{
	uint32_t of[16], largest = 0;

	store(of, a);
	for (int i = 0; i < 16; i++)
		largest = of[i] > largest ? of[i] : largest;
	return largest;
}

/* ------------------------------------------------------------------- blocks */

/* The number, from 1, of the last of n coefficients that is not zero. */
LANES_INLINE lanes last_of(const plane *p, const uint8_t *z, int step, int n)
{
	uint16_t out[16];
	xc_row16 last = {0};

	for (int i = 0; i < n; i++) {
		const xc_row16 v = row_at((const uint16_t *)p->value[z[i * step]]);
		last = choose16((xc_row16)(v == 0), last, (uint16_t)(i + 1) - (xc_row16){0});
	}
	memcpy(out, &last, sizeof last);
	return load16(out);
}

/* The inner coefficients; returns the classes. */
LANES_INLINE lanes pass_inner(coder *k, plane *p, lane_mask active, const int decoding)
{
	/* By the distance to the first one: the shapes of up to 0, 3, 11 and more. */
	enum { A = XC_JPEG_LEVELS, B = 2 * A, C = 3 * A };
	static const uint8_t distances[16] = {0, A, A, A, B, B, B, B, B, B, B, B, C, C, C, C};
	lanes last = all_lanes(0);

	if (!decoding)
		for (int i = 0; i < XC_JPEG_INNER; i++)
			last = blend(equal(value_of(p, xc_jpeg_inner[i]), all_lanes(0)), all_lanes(i + 1),
			             last);
	const lanes near = add(load(p->class + 16), load(p->class + 15));
	const lanes class = pass_symbol(k, add(near, all_lanes(32 * p->coding->chroma[p->c])),
	                                class_of(last), active, decoding);
	const lanes end = pick16(table16(last_of_class), class);
	for (int i = (int)most_of(blend(active, all_lanes(0), end)) - 1; i >= 0; i--) {
		const int z = xc_jpeg_inner[i];
		const lanes level = level_of(expect(p, z));
		const lanes far = max(min(sub(end, all_lanes(i + 1)), all_lanes(15)), all_lanes(0));
		lanes shape = add(pick16(table16(distances), far), level);
		/* From place 21 of the zigzag order on, row and column add up to more than 5. */
		shape = add(shape, all_lanes(XC_JPEG_INNER_SHAPE + (z > 20 ? 4 * XC_JPEG_LEVELS : 0)));
		const lanes v = pass_number(k, &plain, shape, level, all_lanes(0), value_of(p, z),
		                            both(active, less(all_lanes(i), end)), decoding);
		if (decoding)
			set_value(p, z, v);
	}
	return class;
}

/* The sums of one line of coefficients across a border, but for the first one: all, and with odd frequencies
 * the other way. */
LANES_INLINE void sum_line(plane *p, int up, int i)
{
	const int32_t *w = p->coding->across[p->c][up][i];
	const uint8_t *z = xc_jpeg_zigzag + (up ? i : 8 * i);
	const int step = up ? 8 : 1;
#define LINE_PAIR(a, b) or (load16(p->value[z[(a)*step]]), sll(load16(p->value[z[(b)*step]]), 16))
	const lanes odd = add_madd(madd(LINE_PAIR(1, 3), all_lanes(w[0])), LINE_PAIR(5, 7),
	                           all_lanes(w[1]));
	const lanes even = add_madd(madd(LINE_PAIR(2, 4), all_lanes(w[2])),
	                            load16(p->value[z[6 * step]]), all_lanes(w[3]));
#undef LINE_PAIR
	p->own[up][i] = add(even, odd);
	p->other[up][i] = sub(even, odd);
}

/* Predictions of coefficients of an edge, 0 where there is no block. */
LANES_INLINE lanes predict(const plane *p, int up, int i, lane_mask missing)
{
	const lanes from = up ? load(p->down[i] + 15) : load(p->right[i]);
	return blend(missing, sub(from, p->own[up][i]), all_lanes(0));
}

/* One of the edges: the first row (up), or the first column. */
LANES_INLINE void pass_edge(coder *k, plane *p, int up, lanes last, lane_mask active,
                            lane_mask missing, const int decoding)
{
	for (int i = (int)most_of(blend(active, all_lanes(0), last)); i > 0; i--) {
		const int z = xc_jpeg_zigzag[up ? i : 8 * i];
		const lanes expected = expect(p, z), level = level_of(expected);
		const lanes at = predict(p, up, i, missing), minus = srl(at, 31);
		/* Predictions have three bits more after the point than what is expected. */
		lanes ratio = sub(half_octaves(negate(at, minus)), half_octaves(expected));
		ratio = min(max(sra(ratio, 1), all_lanes(0)), all_lanes(5));
		const lanes later = blend(equal(last, all_lanes(i)), all_lanes(0),
		                          all_lanes(XC_JPEG_LEVELS));
		lanes shape = add(mul(ratio, all_lanes(2 * XC_JPEG_LEVELS)), level);
		shape = add(shape, add(later, all_lanes(XC_JPEG_EDGE_SHAPE)));
		const lanes v = pass_number(k, &with_sign, shape, level, minus, value_of(p, z),
		                            both(active, less(all_lanes(i - 1), last)), decoding);
		if (decoding)
			set_value(p, z, v);
	}
}

/* How far the edge goes. */
LANES_INLINE lanes pass_last(coder *k, plane *p, int up, lanes group, lane_mask active,
                             lane_mask missing, const int decoding)
{
	const lanes half = all_lanes(1 << (XC_JPEG_PREDICTED - 1));
	const uint8_t *z = xc_jpeg_zigzag + (up ? 1 : 8);
	const lanes last = decoding ? all_lanes(0) : last_of(p, z, up ? 1 : 8, 7);
	lanes predicted = all_lanes(0);

	for (int i = 1; i < 8; i++) {
		const lanes at = predict(p, up, i, missing);
		predicted = blend(less(negate(at, srl(at, 31)), half), all_lanes(i), predicted);
	}
	const lanes sum = add(add(load(p->last[up] + 16), load(p->last[up] + 15)), predicted);
	const lanes shape = add(group, srl(add(sum, all_lanes(1)), 1));
	/* Symbols above 7 have no slots, but a damaged table has. */
	return and(pass_symbol(k, shape, last, active, decoding), all_lanes(7));
}

LANES_INLINE void pass_dc(coder *k, plane *p, lane_mask active, lane_mask no_left, lane_mask no_up,
                          const int decoding)
{
	const uint8_t *w = xc_jpeg_weights[p->coding->chroma[p->c]][0];
	lanes left = sub(load(p->right[0]), p->own[0][0]),
		  up = sub(load(p->down[0] + 15), p->own[1][0]);

	left = blend(no_left, left, up);
	up = blend(no_up, up, left);
	const lanes sum = add(add(left, up), all_lanes(1 << XC_JPEG_PREDICTED));
	const lanes at = sra(sum, XC_JPEG_PREDICTED + 1);
	lanes apart = sub(left, up);
	apart = srl(negate(apart, srl(apart, 31)), XC_JPEG_PREDICTED - 3);
	lanes e = add(mul(min(apart, all_lanes(4095)), all_lanes(w[1])), all_lanes(w[0]));
#define MAGNITUDE(k) load16(p->magnitude[k] + 16)
#define SUM(k) load16(p->sum[k])
	e = add(e, mul(add(MAGNITUDE(1), MAGNITUDE(2)), all_lanes(w[2])));
	e = add(e, mul(add(add(MAGNITUDE(3), MAGNITUDE(4)), MAGNITUDE(5)), all_lanes(w[3])));
	e = add(e, mul(add(SUM(1), SUM(2)), all_lanes(w[4])));
	e = add(e, mul(add(add(SUM(3), SUM(4)), SUM(5)), all_lanes(w[5])));
#undef MAGNITUDE
#undef SUM
	const lanes level = level_of(e);
	lanes v = sub(value_of(p, 0), at);
	v = sra(sll(v, 32 - XC_JPEG_ESCAPE_BITS), 32 - XC_JPEG_ESCAPE_BITS);
	v = pass_number(k, &plain, add(level, all_lanes(XC_JPEG_DC_SHAPE)), level, all_lanes(0), v,
	                active, decoding);
	v = add(v, at);
	if (decoding)
		store16(p->value[0], sra(sll(v, 32 - XC_JPEG_ESCAPE_BITS), 32 - XC_JPEG_ESCAPE_BITS));
}

/* The blocks of a step, whose neighbours are set. */
LANES_INLINE void pass_blocks(coder *k, plane *p, lane_mask active, lane_mask no_left,
                              const int decoding)
{
	enum { A = 12, B = 2 * A, C = 3 * A, D = 4 * A, E = 5 * A };
	static const uint8_t groups[16] = {0, A, A, B, B, C, C, C, D, D, D, E, E, E, E, E};
	const lane_mask no_up = mask_with(!p->has_above);
	const lanes class = pass_inner(k, p, active, decoding);
	const lanes group = add(pick16(table16(groups), class),
	                        all_lanes(XC_JPEG_LAST_SHAPE + 6 * A * p->coding->chroma[p->c]));
	const uint32_t any = most_of(class);
	for (int i = 1; i < 8; i++)
		for (int up = 0; up < 2; up++)
			if (any)
				sum_line(p, up, i);
			else
				p->own[up][i] = p->other[up][i] = all_lanes(0);
	const lanes row = pass_last(k, p, 1, group, active, no_up, decoding);
	const lanes column = pass_last(k, p, 0, group, active, no_left, decoding);
	pass_edge(k, p, 1, row, active, no_up, decoding);
	pass_edge(k, p, 0, column, active, no_left, decoding);
	sum_line(p, 0, 0);
	sum_line(p, 1, 0);
	pass_dc(k, p, active, no_left, no_up, decoding);
	for (int i = 0; i < 8; i++) {
		const lanes one = all_lanes(XC_JPEG_PREDICTED);
		const lanes r = sllv(value_of(p, xc_jpeg_zigzag[8 * i]), one);
		const lanes d = sllv(value_of(p, xc_jpeg_zigzag[i]), one);
		store(p->right[i], add(r, p->other[0][i]));
		store(p->down[i] + 16, add(d, p->other[1][i]));
	}
	store(p->class + 16, class);
	store(p->last[1] + 16, row);
	store(p->last[0] + 16, column);
}

/* -------------------------------------------------------------------- bundles */

/* Sets what is above lane 0 at a column. */
static void enter_above(plane *p, const xc_jpeg_above *above, uint32_t x)
{
	if (!p->has_above) {
		for (int k = 1; k < 64; k++)
			p->magnitude[k][15] = p->magnitude[k][16];
		p->class[15] = p->class[16];
		p->last[0][15] = p->last[0][16];
		p->last[1][15] = p->last[1][16];
		return;
	}
	const int16_t *block = p->blocks + 64 * ((size_t)(p->y - 1) * p->stride + x);
	for (int k = 1; k < 64; k++) {
		const int m = block[k] < 0 ? -block[k] : block[k];
		p->magnitude[k][15] = (uint16_t)(m < XC_JPEG_MAGNITUDE ? m : XC_JPEG_MAGNITUDE);
	}
	for (int i = 0; i < 8; i++)
		p->down[i][15] = above[x].down[i];
	p->class[15] = above[x].class;
	p->last[1][15] = above[x].row;
	p->last[0][15] = above[x].column;
}

/* Keeps what the last lane has for the bundle below. */
static void leave_below(const plane *p, xc_jpeg_above *above, uint32_t x)
{
	const uint32_t lane = 15 + p->bundle;

	for (int i = 0; i < 8; i++)
		above[x].down[i] = p->down[i][lane];
	above[x].class = (uint8_t)p->class[lane];
	above[x].row = (uint8_t)p->last[1][lane];
	above[x].column = (uint8_t)p->last[0][lane];
}

/* The block to the left of a first one is the one above. */
static void begin_lane(plane *p, uint32_t lane)
{
	for (int k = 1; k < 64; k++)
		p->magnitude[k][16 + lane] = p->magnitude[k][15 + lane];
	p->class[16 + lane] = p->class[15 + lane];
	p->last[0][16 + lane] = p->last[0][15 + lane];
	p->last[1][16 + lane] = p->last[1][15 + lane];
}

/* Where each lane's block is; those without one share another. */
static void find_blocks(const plane *p, uint32_t x, uint32_t active, int16_t *none,
                        int16_t *block[16])
{
	int16_t *first = p->blocks + 64 * ((ptrdiff_t)p->y * p->stride + x);

	for (uint32_t i = 0; i < 16; i++) {
		const int is = active >> i & 1;
		block[i] = is ? first + 64 * (ptrdiff_t)i * ((ptrdiff_t)p->stride - 1) : none;
		/* Rows are far apart: what is needed two steps later is fetched now. */
		for (int line = 0; is && x + 2 < p->columns + i && line < 2; line++)
			__builtin_prefetch(block[i] + 128 + 32 * line, 1);
	}
}

static void load_blocks(plane *p, int16_t *const block[16])
{
	for (int q = 0; q < 4; q++) {
		xc_row16 row[16];
		for (int i = 0; i < 16; i++)
			memcpy(&row[i], block[i] + 16 * q, sizeof *row);
		transpose16(row);
		memcpy(p->value[16 * q], row, sizeof row);
	}
}

static void store_blocks(plane *p, int16_t *const block[16])
{
	for (int q = 0; q < 4; q++) {
		xc_row16 row[16];
		memcpy(row, p->value[16 * q], sizeof row);
		transpose16(row);
		for (int i = 0; i < 16; i++)
			memcpy(block[i] + 16 * q, &row[i], sizeof *row);
	}
}

/* Magnitudes of values, as set_value() has them. */
LANES_INLINE xc_row16 magnitudes_of(const int16_t *value)
{
	typedef int16_t signed16 __attribute__((vector_size(32)));
	signed16 v;
	memcpy(&v, value, sizeof v);
	const signed16 minus = v < 0, m = (v ^ minus) - minus,
				   largest = XC_JPEG_MAGNITUDE - (signed16){0};
	return choose16((xc_row16)(m > largest), (xc_row16)largest, (xc_row16)m);
}

/* Sums magnitudes of the neighbours, and makes room for, or sets, those of the blocks. */
LANES_INLINE void begin_blocks(plane *p, const int decoding)
{
	for (int k = 1; k < 64; k++) {
		const xc_row16 s = row_at(p->magnitude[k] + 16) + row_at(p->magnitude[k] + 15);
		const xc_row16 m = decoding ? (xc_row16){0} : magnitudes_of(p->value[k]);
		memcpy(p->sum[k], &s, sizeof s);
		memcpy(p->magnitude[k] + 16, &m, sizeof m);
	}
	if (decoding)
		memset(p->value, 0, sizeof p->value);
}

/* Counts the symbols of records up to `end`. Branches would be mispredicted, and neighbours often have
 * the same symbol: in one table each would wait for the one before. */
static void count(const xc_jpeg_record *r, const xc_jpeg_record *end, xc_jpeg_counts counts)
{
	uint32_t *const all[2] = {counts[0][0], counts[1][0]};

	for (; r < end; r++)
		for (int i = 0; i < 16; i++)
			all[i % 2][r->symbol[i]]++;
}

LANES_INLINE void pass_bundle(coder *k, plane *p, xc_jpeg_above *above, const int decoding)
{
	const uint32_t steps = p->columns + p->rows - 1;
	int16_t none[64] = {0}, *block[16];

	memset(p->magnitude, 0, sizeof p->magnitude);
	memset(p->sum, 0, sizeof p->sum);
	memset(p->down, 0, sizeof p->down);
	memset(p->right, 0, sizeof p->right);
	memset(p->class, 0, sizeof p->class);
	memset(p->last, 0, sizeof p->last);
	for (uint32_t x = 0; x < steps && !k->bad; x++) {
		const uint32_t begun = x < 16 ? (2U << x) - 1 : 0xffff, gone = x - p->columns + 1;
		const uint32_t ended = x < p->columns ? 0 : gone > 15 ? 0xffff : (1U << gone) - 1;
		const uint32_t active = begun & ~ended & ((1U << p->rows) - 1);
		if (x < p->columns)
			enter_above(p, above, x);
		if (x < 16)
			begin_lane(p, x);
		find_blocks(p, x, active, none, block);
		if (!decoding)
			load_blocks(p, block);
		begin_blocks(p, decoding);
		const xc_jpeg_record *const first = k->record;
		pass_blocks(k, p, mask_with(active), mask_with(x < 16 ? 1U << x : 0), decoding);
		if (!decoding)
			count(first, k->record, k->counts);
		if (decoding)
			store_blocks(p, block);
		if (p->rows == p->bundle && x + 1 >= p->bundle)
			leave_below(p, above, x + 1 - p->bundle);
	}
}

LANES_INLINE void pass_band(coder *k, const xc_jpeg_coding *coding, const xc_jpeg_band *band,
                            xc_jpeg_above *above, const int decoding)
{
	plane p;

	p.coding = coding;
	p.bundle = xc_jpeg_bundle_of(coding, band);
	for (p.c = 0; p.c < coding->components; p.c++) {
		const uint32_t rows = band->rows * coding->v[p.c];
		p.stride = coding->columns[p.c];
		p.blocks = band->blocks[p.c] + 64 * (size_t)(band->column * coding->h[p.c]);
		p.columns = band->columns ? band->columns * coding->h[p.c] : p.stride;
		for (p.y = 0; p.y < rows && !k->bad; p.y += p.bundle) {
			p.rows = rows - p.y < p.bundle ? rows - p.y : p.bundle;
			p.has_above = p.y > 0;
			pass_bundle(k, &p, above, decoding);
		}
	}
}

static size_t record(const xc_jpeg_coding *coding, const xc_jpeg_band *band, void *scratch,
                     xc_jpeg_counts counts)
{
	xc_jpeg_record *const first = (void *)((uint8_t *)scratch + xc_jpeg_above_bytes(coding));
	coder k;

	k.bad = 0;
	k.record = first;
	k.counts = counts;
	pass_band(&k, coding, band, scratch, 0);
	return (size_t)(k.record - first);
}

static int decode(const xc_jpeg_coding *coding, const xc_jpeg_decode_codes *codes,
                  const uint8_t *data, size_t size, const xc_jpeg_band *band, void *scratch)
{
	const uint32_t used = xc_jpeg_lanes_of(coding, band);
	uint32_t states[2][16];
	coder k;

	if (size < 8 * (size_t)used)
		return 0;
	k.end = data + size;
	for (uint32_t i = 0; i < 32; i++) {
		uint32_t *s = &states[i / 16][i % 16];
		*s = 1U << 16;
		if (i % 16 < used) {
			*s = xc_get_le32(data);
			data += 4;
		}
		if (*s < 1U << 16)
			return 0;
	}
	k.x = load(states[0]);
	k.y = load(states[1]);
	k.next = data;
	k.final = k.end - k.next < STEP_BYTES ? k.next - 1 : k.end - STEP_BYTES;
	k.bad = 0;
	k.buckets = codes->buckets;
	pass_band(&k, coding, band, scratch, 1);
	const lane_mask good = both(equal(k.x, all_lanes(1 << 16)), equal(k.y, all_lanes(1 << 16)));
	return !k.bad && k.next == k.end && bits_of(good) == 0xffff;
}

/* -------------------------------------------------------------------- coding */

LANES_INLINE lanes code_record(lanes x, const xc_jpeg_record *r, const xc_jpeg_encode_codes *codes,
                               uint8_t **words)
{
	const lanes one = all_lanes(1), low4 = all_lanes(15);
	const lanes symbol = load16(r->symbol), marked = load16(r->raw);
	const lane_mask active = less(symbol, all_lanes(XC_JPEG_IDLE));
	/* Idle lanes have no raw bits. */
	const lanes n = log_of(marked), raw = sub(marked, sllv(one, n));
	const lanes top = srlv(srl(x, 1), sub(all_lanes(31), n));
	const lanes index = blend(active, all_lanes(0), symbol);
	lanes f, reciprocal;

	x = emit(x, less(all_lanes(0), top), words);
	x = or (sllv(x, n), raw);
	gather_halves(codes->symbols, index, &f, &reciprocal);
	const lanes sum = srl(f, 12);
	f = and(f, all_lanes(XC_FREQUENCY_ONE - 1));
	x = emit(x, both(active, not_mask(less_unsigned(x, sll(f, 20)))), words);
	const lanes low = times(x, reciprocal), more = sub(x, mul(low, f));
	const lane_mask again = not_mask(less(more, f));
	const lanes q = blend(again, low, add(low, one)), left = blend(again, more, sub(more, f));
	const lanes place = and(add(sum, left), all_lanes(XC_FREQUENCY_ONE - 1));
	const lanes four = add(sll(srl(index, 4), XC_FREQUENCY_BITS - 2), srl(place, 2));
	const lanes shift = sll(and(place, all_lanes(3)), 2);
	const lanes bucket = and(srlv(gather16(codes->bucket_of, four), shift), low4);
	const lanes of = sll(or (and(index, all_lanes(~15)), bucket), 1);
	const lanes entry = gather32(codes->buckets,
	                             blend(equal(bucket, and(index, low4)), add(of, one), of));
	const lanes slot = and(sub(left, srl(entry, 12)), all_lanes(XC_FREQUENCY_ONE - 1));
	return blend(active, x, or (sll(q, XC_FREQUENCY_BITS), slot));
}

/* A lane of a record puts out two words at most, which go where records were that are coded. */
static const uint8_t *encode(const xc_jpeg_coding *coding, const xc_jpeg_encode_codes *codes,
                             const xc_jpeg_band *band, void *scratch, size_t records, size_t *size)
{
	const xc_jpeg_record *r = (const void *)((uint8_t *)scratch + xc_jpeg_above_bytes(coding));
	const uint32_t used = xc_jpeg_lanes_of(coding, band);
	uint8_t *const end = (uint8_t *)scratch + xc_jpeg_above_bytes(coding) + records * sizeof *r;
	uint8_t *words = end;
	uint32_t states[2][16];
	lanes x = all_lanes(1 << 16), y = x;

	r += records;
	if (records % 2)
		x = code_record(x, --r, codes, &words);
	for (records /= 2; records; records--) {
		y = code_record(y, --r, codes, &words);
		x = code_record(x, --r, codes, &words);
	}
	store(states[0], x);
	store(states[1], y);
	words -= 8 * (size_t)used;
	*size = (size_t)(end - words);
	uint8_t *out = words;
	for (uint32_t i = 0; i < 32; i++)
		if (i % 16 < used)
			out = xc_put_le32(out, states[i / 16][i % 16]);
	return words;
}

extern const xc_jpeg_level JPEG_EXPAND(xc_jpeg, XC_LOSSLESS_SUFFIX);
const xc_jpeg_level JPEG_EXPAND(xc_jpeg, XC_LOSSLESS_SUFFIX) = {XC_OF_ENCODER(record),
                                                                XC_OF_ENCODER(encode), decode};
