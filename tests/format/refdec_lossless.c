/* SPDX-License-Identifier: BSD-2-Clause */
/* Lossless segments of the reference decoder: one sample or pixel at a time, with neighbours looked
 * up by their place. Numbers in brackets are sections of doc/format.md. Of the library it has the
 * built-in numbers alone, which belong to the format. */
#include <stdlib.h>
#include <string.h>

#include "lossless/draw.h"
#include "lossless/part.h"
#include "tests/format/refdec_internal.h"

typedef struct plane {
	int constant, bits, classes, kind[8], c[8][12];
	uint8_t class[64 * 64]; /* of cells */
	refdec_set sets[64];
	int w;
	int32_t outside; /* [7.7] left of row 0 */
	int32_t *v, *g;  /* numbers and magnitudes, row by row; of a drawing colours and escapes */
} plane;

typedef struct part {
	int planes, bits, transform, values;
	uint16_t value[65536];
	plane plane[3];
} part;

typedef struct entry {
	int32_t colour, count;
} entry;

struct refdec_lossless {
	part parts[2];
	uint32_t state[3][16];
	refdec_set sets[157]; /* of a drawing */
	entry near_entries[1 << 14], far_entries[1 << 16];
	uint32_t colours; /* of the palette */
	int32_t palette[65535];
	int w, h;
	uint8_t given[1024]; /* of each square of a drawing: 1: its pixels are known */
	int32_t numbers[];   /* v and g of four planes */
};

void refdec_begin_lossless(refdec *d, uint64_t pixels)
{
	d->lossless = refdec_allocate(d, 1, sizeof *d->lossless + pixels * 8 * sizeof(int32_t));
}

static void need(refdec *d, int condition)
{
	if (!condition)
		refdec_fail(d, "a lossless segment is damaged");
}

static int clamp(int a, int low, int high)
{
	return a < low ? low : a > high ? high : a;
}

/* ------------------------------------------------------------------ [7.3] numbers */

/* The integer that z stands for. */
static int32_t unfold(uint32_t z)
{
	return z % 2 ? -(int32_t)(z / 2) - 1 : (int32_t)(z / 2);
}

/* What follows the symbol of a number. */
static int32_t take_residue(refdec *d, uint32_t *x, int symbol, int c, int bits)
{
	const int n = symbol > 9 ? symbol - 9 : 0;

	if (symbol == 15)
		return unfold(refdec_take_raw(d, x, bits));
	const uint32_t z = ((1u << n) - 1 + (uint32_t)(symbol < 9 ? symbol : 9)) << c;
	return unfold(z + refdec_take_raw(d, x, n + c));
}

/* Reads n states, or fewer in fewer rows, or sees that they are as they must be at the end. */
static void take_states(refdec *d, uint32_t *state, int n, int end)
{
	for (int i = 0; i < n && i < d->lossless->h; i++) {
		state[i] = end ? state[i] : refdec_read_u32(d);
		need(d, end ? state[i] == 65536 : state[i] >= 65536);
	}
}

/* ----------------------------------------------------- [7.5] side information */

static void read_values(refdec *d, part *p, int may)
{
	p->values = 0;
	if (!refdec_read_bits(d, 1))
		return;
	const int n = (int)refdec_read_bits(d, 16), k = (int)refdec_read_bits(d, 4);
	need(d, may && n > 1 << (p->bits - 1) && n <= 1 << p->bits);
	for (uint64_t next = 0; p->values < n; next++) {
		next += refdec_read_rice(d, k);
		need(d, next <= 65535);
		p->value[p->values++] = (uint16_t)next;
	}
}

static void read_plane(refdec *d, const part *p, int number, plane *q)
{
	const int h = d->lossless->h;

	q->w = d->lossless->w;
	q->constant = !refdec_read_bits(d, 1);
	q->outside = q->constant ? (int16_t)refdec_read_bits(d, 16) : 0;
	for (int i = 0; i < q->w * h; i++)
		q->v[i] = q->outside;
	memset(q->g, 0, (size_t)(q->w * h) * sizeof *q->g);
	if (q->constant)
		return;
	q->bits = p->bits + (p->transform && number);
	q->classes = (int)refdec_read_bits(d, 3) + 1;
	for (int k = 0; k < q->classes; k++) {
		const int kind = q->kind[k] = (int)refdec_read_bits(d, 4);
		need(d, kind < 10);
		for (int i = 0; i < 6 + 3 * number && kind != 1; i++)
			q->c[k][i] = kind ? xc_fixed_taps[!p->transform][number][kind - 2][i]
			                  : (int8_t)refdec_read_bits(d, 8);
	}
	const int bits = q->classes > 4 ? 3 : q->classes > 2 ? 2 : q->classes - 1;
	for (int i = 0; i < (q->w + 15) / 16 * ((h + 15) / 16); i++) {
		q->class[i] = (uint8_t)refdec_read_bits(d, bits);
		need(d, q->class[i] < q -> classes);
	}
	refdec_read_shapes(d, q->sets, xc_builtin_shapes[number]);
}

static void read_side(refdec *d, part *p, int may_have_values)
{
	d->bit = 7;
	p->bits = (int)refdec_read_bits(d, 4) + 1;
	need(d, !p->transform || p->bits < 16);
	read_values(d, p, may_have_values);
	for (int i = 0; i < p->planes; i++)
		read_plane(d, p, i, &p->plane[i]);
	refdec_end_byte(d);
}

/* -------------------------------------------------------------- [7.7] to [7.10] */

static int v_at(const plane *q, int x, int y)
{
	x -= y < 0 ? 2 : 0;
	y = y < 0 ? 0 : y;
	for (; x < 0 && y > 0; x++)
		y--;
	return x < 0 ? q->outside : q->v[y * q->w + (x < q->w ? x : q->w - 1)];
}

static int g_at(const plane *q, int x, int y)
{
	x -= y < 0 ? 2 : 0;
	return x < 0 || x == q->w ? 0 : q->g[(y < 0 ? 0 : y) * q->w + x];
}

static int median(int w, int n, int nw)
{
	return clamp(w + n - nw, w < n ? w : n, w < n ? n : w);
}

static int distance(int a, int b)
{
	return clamp(abs(a - b), 0, 32767);
}

/* [7.8] */
static int predict(const part *p, int number, int x, int y)
{
	static const int own[6][2] = {{-2, 0}, {0, -1}, {1, -1}, {-1, -1}, {0, -2}, {1, -2}};
	static const int earlier[3][2] = {{0, 0}, {0, -1}, {1, -1}};
	const plane *q = &p->plane[number];
	const int k = q->class[y / 16 * ((q->w + 15) / 16) + x / 16], *c = q->c[k];
	const int half = 1 << (q->bits - 1);
	int w = v_at(q, x - 1, y), sum = 32 + 64 * w;

	if (q->kind[k] == 1)
		return clamp(median(w, v_at(q, x, y - 1), v_at(q, x - 1, y - 1)), -half, half - 1);
	for (int i = 0; i < 6; i++)
		sum += *c++ * (v_at(q, x + own[i][0], y + own[i][1]) - w);
	while (q > p->plane) {
		w = v_at(--q, x - 1, y);
		for (int i = 0; i < 3; i++)
			sum += *c++ * (v_at(q, x + earlier[i][0], y + earlier[i][1]) - w);
	}
	return clamp(sum >> 6, -half, half - 1);
}

/* [7.9] */
static int logarithm(int64_t n)
{
	int o = 0;

	while (n >> (o + 1))
		o++;
	return (int)(((int64_t)o << 23) + ((n - ((int64_t)1 << o)) << (23 - o)));
}

static int level_of(const part *p, int number, int x, int y, int e)
{
	static const int place[5][2] = {{-1, 0}, {-2, 0}, {0, -1}, {1, -1}, {-1, -1}};
	static const int weights[3][9] = {{21, 16, 21, 18, 16, 3, 4, 0, 0},
	                                  {14, 6, 9, 13, 8, 6, 11, 6, 0},
	                                  {13, 5, 9, 9, 8, 4, 6, 12, 4}};
	const plane *q = &p->plane[number];
	const int *a = weights[number], n = v_at(q, x, y - 1);
	int s = a[5] * (distance(n, v_at(q, x - 1, y - 1)) + distance(v_at(q, x + 1, y - 1), n)) +
	        a[6] * distance(v_at(q, x - 1, y), n);

	for (int i = 0; i < 5; i++)
		s += a[i] * g_at(q, x + place[i][0], y + place[i][1]);
	for (int i = 1; i <= number; i++)
		s += a[6 + i] * g_at(q - i, x, y);
	return s ? clamp((logarithm(s) - logarithm(2 * e + 1) - 20258488) >> 21, 0, 63) : 0;
}

/* [7.10] */
static void put_sample(const part *p, int number, int x, int y, int r, int e)
{
	const plane *q = &p->plane[number];
	const int range = 1 << q->bits, half = range / 2;
	const int v = predict(p, number, x, y) + (2 * e + 1) * r + half;

	q->v[y * q->w + x] = (e ? clamp(v, 0, range - 1) : (v % range + range) % range) - half;
	q->g[y * q->w + x] = clamp(abs((2 * e + 1) * r), 0, 32767);
}

/* [7.6] Step t of a plane in the bundle that begins at row y: all symbols, then all raw bits. */
static void decode_step(refdec *d, const part *p, int number, int y, int t, uint32_t *state, int e)
{
	const plane *q = &p->plane[number];
	int level[16], symbol[16];

	for (int k = 0; k < 32; k++) {
		const int i = k % 16, x = t - number - 2 * i;
		if (y + i >= d->lossless->h || x < 0 || x >= q->w)
			continue;
		if (k < 16) {
			level[i] = level_of(p, number, x, y + i, e);
			symbol[i] = refdec_take_symbol(d, &state[i], &q->sets[level[i]]);
		} else {
			const int c = level[i] > 19 ? (level[i] - 19) / 4 : 0;
			put_sample(p, number, x, y + i, take_residue(d, &state[i], symbol[i], c, q->bits), e);
		}
	}
}

static void decode_part(refdec *d, const part *p, int e)
{
	refdec_lossless *l = d->lossless;

	for (int y = 0; y < l->h; y += 16)
		for (int t = 0; t < l->w + 2 + 2 * 15; t++)
			for (int i = p->planes - 1; i >= 0; i--)
				if (!p->plane[i].constant)
					decode_step(d, p, i, y, t, l->state[i], e);
}

/* [7.4] The states of a part. */
static void own_states(refdec *d, const part *p, int end)
{
	for (int i = 0; i < p->planes; i++)
		take_states(d, d->lossless->state[i], p->plane[i].constant ? 0 : 16, end);
}

/* [7.4] */
static void put_part(const refdec_lossless *l, const part *p, const refdec_rectangle *r,
                     uint32_t channel, uint16_t *samples)
{
	static const uint32_t channels[3] = {1, 0, 2};

	for (int i = 0; i < l->w * l->h; i++, samples += r->channels) {
		int v[3] = {p->plane[0].v[i]};
		for (int k = 1; k < p->planes; k++)
			v[k] = p->plane[k].v[i];
		if (p->transform) {
			v[0] -= (v[1] + v[2]) >> 2;
			v[1] = (int16_t)(v[1] + v[0]);
			v[2] = (int16_t)(v[2] + v[0]);
			v[0] = (int16_t)v[0];
		}
		for (int k = 0; k < p->planes; k++) {
			const int n = v[k] + (1 << (p->bits - 1)), last = p->values - 1;
			samples[p->planes == 3 ? channels[k] : channel] =
				(uint16_t)(p->values       ? p->value[n < 0 || n > last ? last : n]
			               : r->depth == 8 ? n & 255
			                               : n);
		}
	}
}

/* [7.4] */
static void read_parts(refdec *d, const refdec_rectangle *r, uint32_t form, uint16_t *samples)
{
	refdec_lossless *l = d->lossless;
	const uint8_t *end = d->bits_end;
	const int parts = r->channels % 2 ? 1 : 2, e = (int)r->max_error;
	int32_t *numbers = l->numbers;

	for (int k = 0; k < parts; k++) {
		part *p = &l->parts[k];
		p->planes = !k && r->channels > 2 ? 3 : 1;
		p->transform = !k && form == 3;
		for (int i = 0; i < p->planes; i++, numbers += 2 * l->w * l->h) {
			p->plane[i].v = numbers;
			p->plane[i].g = numbers + l->w * l->h;
		}
		if (!k && parts == 2) {
			const uint32_t size = refdec_read_u32(d);
			need(d, size <= d->bits_end - d->bits);
			d->bits_end = d->bits + size;
		}
		read_side(d, p, r->depth == 16 && !e);
		own_states(d, p, 0);
		decode_part(d, p, e);
		own_states(d, p, 1);
		need(d, d->bits == d->bits_end);
		d->bits_end = end;
	}
	for (int k = 0; k < parts; k++)
		put_part(l, &l->parts[k], r, k ? r->channels - 1 : 0, samples);
}

/* -------------------------------------------------------------- [7.11] drawings */

enum { NEAR_ENTRY, W, N, NW, NE, WW, NN, RESIDUES, FAR_ENTRY, NUMBER };

/* One of a step, and its candidates by symbol. */
typedef struct pixel {
	int lane, x, y, flat, symbol, next, expected, first;
	int32_t colour, candidate[10];
	entry *near, *far;
} pixel;

static void read_palette(refdec *d, uint64_t most)
{
	refdec_lossless *l = d->lossless;
	uint64_t next = 0;
	int k = 0;

	l->colours = refdec_read_bits(d, 16);
	for (uint32_t i = 0; i < l->colours; i++, next++) {
		if (!(i & (i + 1))) {
			k = (int)refdec_read_bits(d, 5);
			next = 0;
		}
		next += refdec_read_rice(d, k);
		need(d, next <= most);
		l->palette[i] = (int32_t)(uint32_t)next;
	}
}

/* The set of the group that begins there, or 0. */
static int flat_set(const plane *q, int x, int y)
{
	const int32_t w = v_at(q, x - 1, y);

	if (x % 8 || !y)
		return 0;
	for (int i = x - 1; i <= x + 8 && i <= q->w; i++)
		if (v_at(q, i, y - 1) != w)
			return 0;
	return 153 + (v_at(q, x - 2, y) == w) + 2 * (v_at(q, x, y - 2) == w);
}

/* The hash h of the colours at places around (x, y). */
static uint32_t mix(uint32_t h, const plane *q, int x, int y, const int (*place)[2], int n)
{
	for (int i = 0; i < n; i++) {
		h = (h ^ (uint32_t)v_at(q, x + place[i][0], y + place[i][1])) * 0x9e3779b1u;
		h ^= h >> 15;
	}
	return h;
}

static void find_entries(refdec_lossless *l, const plane *q, pixel *p)
{
	static const int near[4][2] = {{-1, 0}, {0, -1}, {-1, -1}, {1, -1}};
	static const int far[6][2] = {{-2, 0}, {0, -2}, {1, -2}, {-2, -1}, {-1, -2}, {-3, 0}};
	int n = 8;

	while (n < 14 && (l->w * l->h) >> n > 8)
		n++;
	const uint32_t h = mix(1, q, p->x, p->y, near, 4);
	p->near = &l->near_entries[h >> (32 - n)];
	p->far = &l->far_entries[mix(h, q, p->x, p->y, far, 6) >> (30 - n)];
	p->candidate[NEAR_ENTRY] = p->near->colour;
	p->candidate[FAR_ENTRY] = p->far->colour;
}

static int escape_at(const plane *q, int x, int y)
{
	return x >= 0 && x < q->w && y >= 0 && q->g[y * q->w + x];
}

static int context_of(const plane *q, const pixel *p)
{
	const int x = p->x, y = p->y;
	const int32_t *c = p->candidate;
	const int escapes = escape_at(q, x - 1, y) + escape_at(q, x, y - 1) +
	                    escape_at(q, x + 1, y - 1) + escape_at(q, x - 1, y - 1);
	const int known = p->near->count > 0;
	int relation = 0;

	if (known)
		relation = (c[NEAR_ENTRY] == c[W]   ? 1
		            : c[NEAR_ENTRY] == c[N] ? 2
		                                    : 3) +
		           3 * (p->near->count > 2);
	if (p->far->count) {
		relation = c[FAR_ENTRY] == c[W]                     ? 8
		           : c[FAR_ENTRY] == c[N]                   ? 9
		           : known && c[FAR_ENTRY] == c[NEAR_ENTRY] ? 10
		                                                    : 11;
		relation += 4 * (p->far->count > 2);
	}
	return (c[W] == c[N]) + 2 * (c[W] == c[NW]) + 4 * (c[N] == c[NW]) + 8 * (c[N] == c[NE]) +
	       16 * (c[W] == c[WW]) + 32 * (c[N] == c[NN]) +
	       64 * (escapes > 2 ? escapes - 1 : escapes) + 256 * relation;
}

static void teach(entry *c, int32_t colour, int near)
{
	if (c->count && c->colour == colour) {
		c->count = c->count < 4 ? c->count + 1 : 4;
		return;
	}
	if (!near || c->count < 3)
		c->colour = colour;
	c->count = 1;
}

/* Step 2 */
static void take_pixel(refdec *d, const plane *q, pixel *p)
{
	static const int place[7][2] = {{0, 0}, {-1, 0}, {0, -1}, {-1, -1}, {1, -1}, {-2, 0}, {0, -2}};
	refdec_lossless *l = d->lossless;

	for (int i = W; i <= NN; i++)
		p->candidate[i] = v_at(q, p->x + place[i][0], p->y + place[i][1]);
	find_entries(l, q, p);
	p->symbol = refdec_take_symbol(d, &l->state[0][p->lane],
	                               &l->sets[xc_draw_cluster[context_of(q, p)]]);
	need(d, p->symbol < 10);
	p->colour = p->candidate[p->symbol];
	q->g[p->y * q->w + p->x] = p->symbol == RESIDUES || p->symbol == NUMBER;
}

/* Step 3: all symbols, then all raw bits. */
static void take_numbers(refdec *d, pixel *p, int n)
{
	refdec_lossless *l = d->lossless;

	for (int i = 0; i < 2 * n; i++) {
		pixel *o = &p[i % n];
		uint32_t *x = &l->state[0][o->lane];
		if (o->flat || o->symbol != NUMBER)
			continue;
		if (i < n) {
			o->next = refdec_take_symbol(d, x, &l->sets[152]);
			continue;
		}
		const uint32_t number = (1u << o->next) - 1 + refdec_take_raw(d, x, o->next);
		need(d, number < l->colours);
		o->colour = l->palette[number];
	}
}

/* The prediction of a channel, and the set of its residue; k: its number in the order of coding. */
static int expect(const refdec_rectangle *r, pixel *o, uint32_t k, int shift)
{
	const int most = (1 << r->depth) - 1, alpha = r->channels % 2 == 0 && k + 1 == r->channels;
	const int w = o->candidate[W] >> shift & most, u = o->candidate[N] >> shift & most;
	const int c = o->candidate[NW] >> shift & most, sum = abs(w - c) + abs(u - c);
	int digits = 0;

	while (sum >> digits)
		digits++;
	o->expected = clamp(median(w, u, c) + (k && !alpha ? o->first : 0), 0, most);
	return 128 + 8 * (alpha ? 2 : k > 0) + (digits < 7 ? digits : 7);
}

/* Step 4 */
static void take_residues(refdec *d, const refdec_rectangle *r, pixel *p, int n)
{
	refdec_lossless *l = d->lossless;

	for (uint32_t k = 0; k < r->channels; k++) {
		const uint32_t channel = r->channels > 2 && k < 2 ? 1 - k : k;
		const int shift = (int)(channel * r->depth), depth = (int)r->depth;
		for (int i = 0; i < 2 * n; i++) {
			pixel *o = &p[i % n];
			uint32_t *x = &l->state[0][o->lane];
			if (o->flat || o->symbol != RESIDUES)
				continue;
			if (i < n) {
				const int number = expect(r, o, k, shift);
				o->next = refdec_take_symbol(d, x, &l->sets[number]);
				continue;
			}
			const int residue = take_residue(d, x, o->next, 0, depth);
			const int v = (o->expected + residue) & ((1 << depth) - 1);
			o->colour = (int32_t)((uint32_t)o->colour | (uint32_t)v << shift);
			o->first = k ? o->first : v - o->expected;
		}
	}
}

static int square_of(const refdec_lossless *l, int x, int y)
{
	return y / 32 * ((l->w + 31) / 32) + x / 32;
}

/* left: of each lane the pixels of its flat group that are left. */
static void draw_step(refdec *d, const refdec_rectangle *r, int y, int lanes, int t, int *left)
{
	refdec_lossless *l = d->lossless;
	const plane *q = &l->parts[0].plane[0];
	pixel p[16];
	int n = 0;

	for (int i = 0; i < lanes && y + i < l->h; i++) {
		const int x = t - 10 * i;
		if (x < 0 || x >= l->w || l->given[square_of(l, x, y + i)])
			continue;
		const int number = left[i] ? 0 : flat_set(q, x, y + i);
		if (number && refdec_take_symbol(d, &l->state[0][i], &l->sets[number]))
			left[i] = l->w - x < 8 ? l->w - x : 8;
		p[n] = (pixel){.lane = i, .x = x, .y = y + i, .flat = left[i] > 0};
		p[n].colour = p[n].flat ? v_at(q, x - 1, y + i) : 0;
		left[i] -= p[n++].flat;
	}
	for (int i = 0; i < n; i++)
		if (!p[i].flat)
			take_pixel(d, q, &p[i]);
	take_numbers(d, p, n);
	take_residues(d, r, p, n);
	for (int i = 0; i < n; i++) {
		q->v[p[i].y * q->w + p[i].x] = p[i].colour;
		if (p[i].flat)
			continue;
		teach(p[i].near, p[i].colour, 1);
		teach(p[i].far, p[i].colour, 0);
	}
}

static void read_drawing(refdec *d, const refdec_rectangle *r, uint16_t *samples)
{
	refdec_lossless *l = d->lossless;
	const uint32_t depth = r->depth;
	int left[16] = {0};

	l->parts[0].plane[0] = (plane){.w = l->w, .v = l->numbers, .g = l->numbers + l->w * l->h};
	memset(l->near_entries, 0, sizeof l->near_entries);
	memset(l->far_entries, 0, sizeof l->far_entries);
	memset(l->numbers, 0, (size_t)(l->w * l->h) * 2 * sizeof *l->numbers);
	for (int y = 0; y < l->h; y++)
		for (int x = 0; x < l->w; x++) {
			const int i = y * l->w + x;
			uint32_t colour = 0;
			if (!l->given[square_of(l, x, y)])
				continue;
			for (uint32_t k = 0; k < r->channels; k++)
				colour |= (uint32_t)samples[(uint32_t)i * r->channels + k] << k * depth;
			l->numbers[i] = (int32_t)colour;
			l->numbers[l->w * l->h + i] = 1;
		}
	d->bit = 7;
	const int lanes = refdec_read_bits(d, 1) ? 1 : 16;
	for (int i = 0; i < 157; i++) {
		uint8_t shape[16];
		memcpy(shape, xc_draw_shapes[i], sizeof shape);
		if (refdec_read_bits(d, 1))
			refdec_read_shape(d, shape, i < 128 ? 10 : 16);
		refdec_make_set(&l->sets[i], shape);
	}
	read_palette(d, (UINT64_C(1) << r->channels * depth) - 1);
	refdec_end_byte(d);
	take_states(d, l->state[0], lanes, 0);
	for (int y = 0; y < l->h; y += lanes)
		for (int t = 0; t < l->w + 10 * (lanes - 1); t++)
			draw_step(d, r, y, lanes, t, left);
	take_states(d, l->state[0], lanes, 1);
	for (uint32_t i = 0; i < r->width * r->height * r->channels; i++)
		samples[i] = (uint16_t)((uint32_t)l->numbers[i / r->channels] >> i % r->channels * depth &
		                        ((1u << depth) - 1));
}

/* [7.11] The squares of a drawing that are known, and then the drawing. */
static void read_squares(refdec *d, const refdec_rectangle *r, uint16_t *samples)
{
	refdec_lossless *l = d->lossless;
	const uint8_t *end = d->bits_end;
	const int n = (l->w + 31) / 32 * ((l->h + 31) / 32);

	need(d, d->bits_end - d->bits >= (n + 7) / 8);
	for (int i = 0; i < n; i++)
		l->given[i] = d->bits[i / 8] >> i % 8 & 1;
	d->bits += (n + 7) / 8;
	const uint32_t size = refdec_read_u32(d);
	need(d, size && size <= d->bits_end - d->bits);
	d->bits_end = d->bits + size;
	const uint32_t form = *d->bits++;
	need(d, form == 1 || (form == 3 && r->channels > 2));
	read_parts(d, r, form, samples);
	need(d, d->bits == d->bits_end);
	d->bits_end = end;
	read_drawing(d, r, samples);
}

/* [7.1] */
void refdec_read_lossless(refdec *d, const refdec_rectangle *r, uint16_t *samples)
{
	refdec_lossless *l = d->lossless;
	const uint64_t n = (uint64_t)r->width * r->height * r->channels, bytes = n * (r->depth / 8);
	const uint64_t size = (uint64_t)(d->bits_end - d->bits);
	const uint32_t form = size ? *d->bits++ : 255;

	need(d, size <= bytes + 1);
	l->w = (int)r->width;
	l->h = (int)r->height;
	if (form == 0) {
		need(d, size == bytes + 1);
		for (uint64_t i = 0; i < n; i++, d->bits += r->depth / 8)
			samples[i] = (uint16_t)(r->depth == 8 ? *d->bits : refdec_u16(d->bits));
	} else if (form == 4 || form == 20) {
		need(d, !r->max_error && r->channels * r->depth <= 32);
		memset(l->given, 0, sizeof l->given);
		(form == 4 ? read_drawing : read_squares)(d, r, samples);
	} else {
		need(d, form == 1 || (form == 3 && r->channels > 2));
		read_parts(d, r, form, samples);
	}
	need(d, d->bits == d->bits_end);
}

const char *refdec_decode_lossless(const uint32_t shape[5], const uint8_t *segment, size_t size,
                                   uint16_t *samples)
{
	refdec *d = calloc(1, sizeof *d);

	if (!d)
		return "out of memory";
	d->bits = segment;
	d->bits_end = segment + size;
	if (!setjmp(d->failed)) {
		refdec_begin_lossless(d, (uint64_t)shape[0] * shape[1]);
		refdec_read_lossless(d,
		                     &(refdec_rectangle){shape[0], shape[1], shape[2], shape[3], shape[4]},
		                     samples);
	}
	const char *error = d->error;
	free(d->lossless);
	free(d);
	return error;
}
