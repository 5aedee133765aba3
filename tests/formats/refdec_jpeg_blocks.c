/* SPDX-License-Identifier: BSD-2-Clause */
/* Segments of JPEGs of the reference decoder. Numbers in brackets are sections of doc/format.md. Of
 * the library it has the built-in weights and shapes alone, which belong to the format. */
#include <stdlib.h>
#include <string.h>

#include "jpeg/model.h"
#include "tests/formats/refdec_jpeg.h"

typedef struct lane {
	int16_t (*block)[64], (*left)[64], (*above)[64]; /* NULL: there is none */
	int16_t (*beside[2])[64];                        /* of magnitudes: the other one in its place */
	int class, last[2];                              /* of the first row, of the first column */
	int coded;                                       /* numbers of the part under way */
	int32_t prediction[2][8];
	int symbol, level;
} lane;

/* What the blocks of a component were coded by. */
typedef struct memory {
	uint8_t class, last[2];
} memory;

typedef struct segment {
	refdec *d;
	jpeg_picture *p;
	uint32_t state[2][16];
	int set; /* of states that the next point uses */
	int chroma;
	const jpeg_component *c;
	lane lanes[16];
	memory *memory; /* [row * wide + column] of the component in the segment */
} segment;

const uint8_t refdec_jpeg_order[64] = {0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18,
                                       11, 4,  5,  12, 19, 26, 33, 40, 48, 41, 34, 27, 20,
                                       13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43,
                                       36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45,
                                       38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

void refdec_read_jpeg_shapes(refdec *d, jpeg_picture *p)
{
	xc_shape_index builtin[XC_JPEG_SHAPES];

	xc_jpeg_builtin_shapes(builtin);
	const int own = (int)refdec_read_bits(d, 1);
	for (int i = 0; i < XC_JPEG_SHAPES; i++) {
		if (own && refdec_read_bits(d, 1))
			refdec_read_shape(d, builtin[i]);
		refdec_make_set(&p->sets[i], builtin[i]);
	}
	refdec_end_byte(d);
}

/* ------------------------------------------------------------- [12.2.1] levels */

static int zigzag_of(int u, int v)
{
	int z = 0;

	while (refdec_jpeg_order[z] != 8 * u + v)
		z++;
	return z;
}

static uint32_t magnitude_of(int v)
{
	const uint32_t m = (uint32_t)abs(v);
	return m < 120 ? m : 120;
}

/* A magnitude in a block; inner: others count as 0. */
static uint32_t m_at(int16_t (*b)[64], int u, int v, int inner)
{
	return !b || u < 0 || v < 0 || u > 7 || v > 7 || (!u && !v) || (inner && (!u || !v))
	           ? 0
	           : magnitude_of((*b)[8 * u + v]);
}

static uint32_t s_at(const lane *l, int u, int v)
{
	return m_at(l->beside[0], u, v, 0) + m_at(l->beside[1], u, v, 0);
}

/* The `h` of the format; that of 0 is below all others. */
static int h_of(uint32_t x)
{
	uint64_t rounded = x;
	int n = 0;

	if (!x)
		return -1000;
	for (int drop = 1; x >> (23 + drop); drop++)
		rounded = (x + (1u << (drop - 1)) - !(x >> drop & 1)) >> drop << drop;
	while (rounded >> (n + 1))
		n++;
	return 2 * n + (n ? (int)(rounded >> (n - 1) & 1) : 0);
}

static int level_of(uint32_t expected)
{
	const int l = h_of(expected) - 4;
	return l < 0 ? 0 : l > 23 ? 23 : l;
}

/* What is expected of coefficient (u, v), which is not DC. */
static uint32_t expected_of(const segment *s, const lane *l, int u, int v)
{
	const uint8_t *w = xc_jpeg_weights[s->chroma][zigzag_of(u, v)];
	const int inner = u && v, row = !u;
	const int odd = (u + v) % 2, k = row ? v : u;
	const int places[2][6][2] = {{{u + 1, v},
	                              {u, v + 1},
	                              {u + 1, v + 1},
	                              {u + 2, v},
	                              {u, v + 2},
	                              {odd ? u + 1 : u - 1, odd ? v - 1 : v + 1}},
	                             {{1, k}, {2, k}, {0, k + 1}, {0, k + 2}, {1, k + 1}, {1, k - 1}}};
	uint32_t e = w[0] + w[1] * s_at(l, u, v) + w[2] * (s_at(l, u - 1, v) + s_at(l, u, v - 1));

	for (int i = 0; i < 6; i++) {
		const int *at = places[!inner][i];
		if (inner)
			e += w[3 + i] * m_at(l->block, at[0], at[1], 1);
		else if (i < 5 || k > 1)
			e += w[3 + i] * m_at(l->block, at[!row], at[row], 0);
	}
	return e & 65535;
}

/* ------------------------------------------------------- [12.2.2] predictions */

/* W(u, v); down: with rows and columns exchanged. */
static int32_t w_of(const segment *s, int along, int across, int down)
{
	static const uint32_t k[8] = {1024, 1443, 1426, 1398, 1359, 1309, 1249, 1180};
	const uint32_t *q = s->c->q;
	const uint32_t here = q[down ? along : 8 * along],
				   there = q[down ? 8 * across + along : 8 * along + across];
	const uint32_t w = (k[across] * there + here / 2) / here;

	return w < 32767 ? (int32_t)w : 32767;
}

/* Predicts the coefficient of frequency `along` in the first column (down 0) or row from the block
 * beside it; without_first: as if that block had none but 0. */
static int32_t predict(const segment *s, const lane *l, int along, int down, int without_first)
{
	int16_t(*other)[64] = down ? l->above : l->left;
	uint32_t sum = 0;

	if (!other && !without_first)
		return 0;
	if (!without_first)
		sum = 1024u * (uint32_t)(*other)[down ? along : 8 * along];
	for (int i = 1; i < 8; i++) {
		const int at = down ? 8 * i + along : 8 * along + i;
		const uint32_t w = (uint32_t)w_of(s, along, i, down);
		if (!without_first)
			sum += (i % 2 ? 0 - w : w) * (uint32_t)(*other)[at];
		sum -= w * (uint32_t)(*l->block)[at];
	}
	return (int32_t)sum;
}

/* ---------------------------------------------------------------- [12.2] points */

static int shift_of(int level)
{
	return level > 12 ? (level - 12) / 2 : 0;
}

/* All lanes of `who` (bits) take a symbol by the set that is chosen for them. */
static void take_symbols(segment *s, uint32_t who, const int shape[16])
{
	for (int i = 0; i < 16; i++)
		if (who >> i & 1)
			s->lanes[i].symbol = refdec_take_symbol(s->d, &s->state[s->set][i],
			                                        &s->p->sets[shape[i]]);
}

static int32_t of_15_bits(uint32_t n)
{
	n &= 32767;
	return (int32_t)n - (n >> 14 ? 32768 : 0);
}

/* Raw bits of a number, and the number. */
static int32_t take_rest(segment *s, int i, int with_sign, int32_t prediction)
{
	static const uint8_t plain_base[5] = {10, 12, 16, 24, 40}, plain_bits[5] = {1, 2, 3, 4, 5};
	static const uint8_t base[15] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 7, 7, 11, 19};
	static const uint8_t bits[15] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 5};
	uint32_t *x = &s->state[s->set][i];
	const int symbol = s->lanes[i].symbol, r = shift_of(s->lanes[i].level);
	const int expected_sign = with_sign && prediction < 0;

	if (symbol == 15)
		return of_15_bits(refdec_take_raw(s->d, x, 15));
	if (!symbol && !r)
		return 0;
	const uint32_t b = with_sign     ? base[symbol]
	                   : symbol < 10 ? (uint32_t)symbol
	                                 : plain_base[symbol - 10];
	const int n = with_sign ? bits[symbol] : symbol < 10 ? 0 : plain_bits[symbol - 10];
	const int has_sign = !with_sign || symbol < 1 || symbol > 12;
	uint32_t raw = refdec_take_raw(s->d, x, r + n + has_sign);
	int sign = expected_sign ^ (has_sign ? (int)(raw & 1) : symbol % 2 == 0);
	raw >>= has_sign;
	const int32_t m = (int32_t)(raw + (b << r));
	return sign ? -m : m;
}

static void end_point(segment *s, uint32_t who)
{
	s->set ^= who != 0;
}

static void take_classes(segment *s, uint32_t who, const memory *left[16], const memory *above[16])
{
	int shape[16];

	for (int i = 0; i < 16; i++)
		if (who >> i & 1)
			shape[i] = (left[i] ? left[i]->class : 0) + (above[i] ? above[i]->class : 0) +
			           32 * s->chroma;
	take_symbols(s, who, shape);
	for (int i = 0; i < 16; i++)
		s->lanes[i].class = s->lanes[i].symbol;
	end_point(s, who);
}

static void take_inner(segment *s, uint32_t who)
{
	static const uint8_t ends[16] = {0, 1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 21, 26, 32, 40, 49};
	uint8_t inner[50];
	int count = 0, shape[16];

	for (int z = 0; z < 64; z++)
		if (refdec_jpeg_order[z] / 8 && refdec_jpeg_order[z] % 8)
			inner[++count] = refdec_jpeg_order[z];
	for (int n = 49; n; n--) {
		const int u = inner[n] / 8, v = inner[n] % 8;
		uint32_t those = 0;
		for (int i = 0; i < 16; i++) {
			lane *l = &s->lanes[i];
			if (!(who >> i & 1) || ends[l->class] < n)
				continue;
			those |= 1u << i;
			l->level = level_of(expected_of(s, l, u, v));
			const int p = l->coded < 1 ? 0 : l->coded < 4 ? 1 : l->coded < 12 ? 2 : 3;
			shape[i] = 208 + 96 * (u + v > 5) + 24 * p + l->level;
			l->coded++;
		}
		take_symbols(s, those, shape);
		for (int i = 0; i < 16; i++)
			if (those >> i & 1)
				(*s->lanes[i].block)[inner[n]] = (int16_t)take_rest(s, i, 0, 0);
		end_point(s, those);
	}
}

/* The last of the first row (which 0) or column (1), and then these coefficients. */
static void take_last(segment *s, uint32_t who, int which, const memory *left[16],
                      const memory *above[16])
{
	int shape[16];

	for (int i = 0; i < 16; i++) {
		lane *l = &s->lanes[i];
		int d = 0;
		if (!(who >> i & 1))
			continue;
		for (int f = 1; f < 8; f++) {
			const int32_t p = l->prediction[which][f] = predict(s, l, f, !which, 0);
			d = p >= 512 || (p <= -512 && p != INT32_MIN) ? f : d;
		}
		const int a = left[i] ? left[i]->last[which] : 0, b = above[i] ? above[i]->last[which] : 0;
		const int k = l->class, g = k > 10 ? 5 : k > 7 ? 4 : k > 4 ? 3 : k > 2 ? 2 : k > 0;
		shape[i] = 64 + 12 * (g + 6 * s->chroma) + (a + b + d + 1) / 2;
	}
	take_symbols(s, who, shape);
	for (int i = 0; i < 16; i++)
		s->lanes[i].last[which] = s->lanes[i].symbol % 8;
	end_point(s, who);
}

static void take_edge(segment *s, uint32_t who, int which)
{
	int shape[16];

	for (int i = 0; i < 16; i++)
		s->lanes[i].coded = 0;
	for (int f = 7; f; f--) {
		uint32_t those = 0;
		for (int i = 0; i < 16; i++) {
			lane *l = &s->lanes[i];
			if (!(who >> i & 1) || l->last[which] < f)
				continue;
			those |= 1u << i;
			const uint32_t e = expected_of(s, l, which ? f : 0, which ? 0 : f);
			const int32_t p = l->prediction[which][f];
			const int h = (h_of(p < 0 ? 0 - (uint32_t)p : (uint32_t)p) - h_of(e)) >> 1;
			const int q = !p || h < 0 ? 0 : h > 5 ? 5 : h;
			l->level = level_of(e);
			shape[i] = 400 + 48 * q + 24 * !l->coded++ + l->level;
		}
		take_symbols(s, those, shape);
		for (int i = 0; i < 16; i++)
			if (those >> i & 1)
				(*s->lanes[i].block)[which ? 8 * f : f] = (int16_t)
					take_rest(s, i, 1, s->lanes[i].prediction[which][f]);
		end_point(s, those);
	}
}

static void take_dc(segment *s, uint32_t who)
{
	const uint8_t *w = xc_jpeg_weights[s->chroma][0];
	int32_t predicted[16];
	int shape[16];

	for (int i = 0; i < 16; i++) {
		lane *l = &s->lanes[i];
		if (!(who >> i & 1))
			continue;
		int32_t a = predict(s, l, 0, 0, 0), b = predict(s, l, 0, 1, 0);
		if (!l->left && !l->above)
			a = b = predict(s, l, 0, 1, 1);
		else if (!l->left)
			a = b;
		else if (!l->above)
			b = a;
		predicted[i] = (int32_t)((uint32_t)a + (uint32_t)b + 1024u) >> 11;
		const int32_t apart = (int32_t)((uint32_t)a - (uint32_t)b);
		uint32_t far = (apart < 0 ? 0 - (uint32_t)apart : (uint32_t)apart) >> 7;
		far = far < 4095 ? far : 4095;
		uint32_t m[6], n[6];
		for (int z = 1; z < 6; z++) {
			const int u = refdec_jpeg_order[z] / 8, v = refdec_jpeg_order[z] % 8;
			m[z] = m_at(l->block, u, v, 0);
			n[z] = s_at(l, u, v);
		}
		l->level = level_of(w[0] + w[1] * far + w[2] * (m[1] + m[2]) + w[3] * (m[3] + m[4] + m[5]) +
		                    w[4] * (n[1] + n[2]) + w[5] * (n[3] + n[4] + n[5]));
		shape[i] = 688 + l->level;
	}
	take_symbols(s, who, shape);
	for (int i = 0; i < 16; i++)
		if (who >> i & 1)
			(*s->lanes[i].block)[0] = (int16_t)of_15_bits(
				(uint32_t)(take_rest(s, i, 0, 0) + predicted[i]));
	end_point(s, who);
}

/* Step t of the bundle of rows from y on, of `rows` rows and `wide` columns in the segment that begins at
 * block (x0, y0). */
static void take_step(segment *s, uint32_t t, uint32_t y, uint32_t rows, uint32_t wide, uint32_t x0,
                      uint32_t y0)
{
	const memory *left[16] = {NULL}, *above[16] = {NULL};
	uint32_t who = 0;

	for (uint32_t i = 0; i < 16 && y + i < rows; i++) {
		if (t < i || t - i >= wide)
			continue;
		const uint32_t x = t - i, row = y + i;
		lane *l = &s->lanes[i];
		int16_t(*block)[64] = s->c->blocks + (size_t)(y0 + row) * s->c->columns + x0 + x;
		const memory *m = s->memory + row * wide + x;
		who |= 1u << i;
		*l = (lane){.block = block};
		l->left = x ? block - 1 : NULL;
		l->above = row ? block - s->c->columns : NULL;
		l->beside[0] = l->left ? l->left : l->above;
		l->beside[1] = l->above ? l->above : l->left;
		left[i] = x ? m - 1 : row ? m - wide : NULL;
		above[i] = row ? m - wide : left[i];
	}
	take_classes(s, who, left, above);
	take_inner(s, who);
	take_last(s, who, 0, left, above);
	take_last(s, who, 1, left, above);
	take_edge(s, who, 0);
	take_edge(s, who, 1);
	take_dc(s, who);
	for (uint32_t i = 0; i < 16; i++)
		if (who >> i & 1)
			s->memory[(y + i) * wide + t - i] = (memory){(uint8_t)s->lanes[i].class,
			                                             {(uint8_t)s->lanes[i].last[0],
			                                              (uint8_t)s->lanes[i].last[1]}};
}

void refdec_read_jpeg_segment(refdec *d, jpeg_picture *p, uint32_t x, uint32_t y, uint32_t wide,
                              uint32_t high)
{
	segment s = {.d = d, .p = p};
	uint32_t rows = 0, blocks = 0, all = 0, bundle = 16;

	for (int c = 0; c < p->components; c++) {
		const uint32_t r = high * (uint32_t)p->component[c].v,
					   n = r * wide * (uint32_t)p->component[c].h;
		rows = r > rows ? r : rows;
		blocks = n > blocks ? n : blocks;
		all += n;
	}
	while (bundle > 1 && 32 * bundle > all)
		bundle /= 2;
	const uint32_t lanes = rows < bundle ? rows : bundle;
	for (uint32_t i = 0; i < 2 * lanes; i++)
		s.state[i / lanes][i % lanes] = refdec_read_u32(d);
	for (uint32_t i = 0; i < 2 * lanes; i++)
		if (s.state[i / lanes][i % lanes] < 65536)
			refdec_fail(d, "a segment is damaged");
	s.memory = d->jpeg_memory = realloc(d->jpeg_memory, blocks * sizeof *s.memory);
	if (!s.memory)
		refdec_fail(d, "out of memory");
	for (int c = 0; c < p->components; c++) {
		const uint32_t h = (uint32_t)p->component[c].h, v = (uint32_t)p->component[c].v;
		s.c = &p->component[c];
		s.chroma = p->components == 3 && c;
		for (uint32_t b = 0; b < high * v; b += bundle)
			for (uint32_t t = 0; t < wide * h + 15; t++)
				take_step(&s, t, b, b + bundle < high * v ? b + bundle : high * v, wide * h, x * h,
				          y * v);
	}
	for (uint32_t i = 0; i < 2 * lanes; i++)
		if (s.state[i / lanes][i % lanes] != 65536)
			refdec_fail(d, "a segment is damaged");
	if (d->bits != d->bits_end)
		refdec_fail(d, "a segment is damaged");
}
