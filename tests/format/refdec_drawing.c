/* SPDX-License-Identifier: BSD-2-Clause */
/* The reference decoder: drawings of lossless segments, from doc/format.md, section 7.11. */
#include "lossless/draw.h"
#include "tests/format/refdec_lossless.h"

enum { NEAR_ENTRY, W, N, NW, NE, WW, NN, RESIDUES, FAR_ENTRY, NUMBER };

/* One of a step, and its candidates by symbol. */
typedef struct pixel {
	int lane, x, y, flat, symbol, next, expected, first;
	int32_t colour, candidate[10];
	entry *near, *far;
} pixel;

static void begin_sets(refdec_lossless *l)
{
	for (int i = 0; i < 157; i++) {
		drawn_set *s = &l->sets[i];
		const uint32_t m = i < 128 ? 10 : i < 153 ? 16 : 2, all = 16 * (4096 - m);
		uint32_t sum = 0;
		refdec_set first;
		refdec_make_set(&first, xc_draw_shapes[i]);
		*s = (drawn_set){.symbols = m};
		for (uint32_t k = 0; k <= m; sum += first.frequency[k++ % 16])
			s->sum[k] = k < m ? sum * all / 4096 : all;
	}
	l->taken_count = 0;
}

static int take_drawn(refdec *d, int lane, int number)
{
	refdec_lossless *l = d->lossless;
	const uint32_t *sum = l->sets[number].sum;
	uint32_t *x = &l->state[0][lane], slot = *x % 4096, symbol = 0;

	while (sum[symbol + 1] / 16 + symbol + 1 <= slot)
		symbol++;
	const uint32_t begin = sum[symbol] / 16 + symbol, end = sum[symbol + 1] / 16 + symbol + 1;
	*x = (end - begin) * (*x / 4096) + slot - begin;
	refdec_fill(d, x);
	l->taken[l->taken_count][0] = number;
	l->taken[l->taken_count++][1] = (int)symbol;
	return (int)symbol;
}

/* Step 6 */
static void teach_sets(refdec_lossless *l)
{
	for (int i = 0; i < l->taken_count; i++) {
		drawn_set *s = &l->sets[l->taken[i][0]];
		const uint32_t all = s->sum[s->symbols];
		int k = 3;
		while (k < 6 && (s->uses + 2) >> (k - 1))
			k++;
		for (uint32_t j = 0; j < s->symbols; j++)
			if (j <= (uint32_t)l->taken[i][1])
				s->sum[j] -= s->sum[j] >> k;
			else
				s->sum[j] += (all - s->sum[j]) >> k;
		s->uses++;
	}
	l->taken_count = 0;
}

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
	p->symbol = take_drawn(d, p->lane, xc_draw_cluster[context_of(q, p)]);
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
			o->next = take_drawn(d, o->lane, 152);
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
	const int c = o->candidate[NW] >> shift & most, follows = k && !alpha;
	const int sum = follows ? abs(o->first) : abs(w - c) + abs(u - c);
	int digits = 0;

	while (sum >> digits)
		digits++;
	o->expected = clamp(median(w, u, c) + (follows ? o->first : 0), 0, most);
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
				o->next = take_drawn(d, o->lane, expect(r, o, k, shift));
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
		if (number && take_drawn(d, i, number))
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
	teach_sets(l);
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
	begin_sets(l);
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
	refdec_read_parts(d, r, form, samples);
	need(d, d->bits == d->bits_end);
	d->bits_end = end;
	read_drawing(d, r, samples);
}

void refdec_read_drawing(refdec *d, const refdec_rectangle *r, uint32_t form, uint16_t *samples)
{
	need(d, !r->max_error && r->channels * r->depth <= 32);
	memset(d->lossless->given, 0, sizeof d->lossless->given);
	(form == 4 ? read_drawing : read_squares)(d, r, samples);
}
