/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lossless decoder for one SIMD level; lossless/tile.c calls it. The makefile compiles this file
 * once per level. State: for each plane its neighbours (lossless/model.h) and sixteen states of
 * rANS; one stream of words for all. A plane is one long chain of operations. The planes of a step
 * do not depend on each other but for the words, so all look their symbols up before any takes words.
 * Processors without gathers take symbols lane by lane. Bound: as many steps as the shape has, two
 * words of 16 bits a lane; words are counted before each step.
 */
#include "lossless/code.h"
#include "lossless/steps.h"

/* What stays as it is, in vectors. */
typedef struct constants {
	lanes offset, top, symbol, rest, slot, one, most, half, ones, large, near;
	lanes min[XC_PLANES], max[XC_PLANES], bits[XC_PLANES], wrap[XC_PLANES];
	lanes down[XC_PLANES], earlier1[XC_PLANES], earlier2[XC_PLANES], along_row[XC_PLANES];
	lanes along[XC_PLANES], nw[XC_PLANES], n_ne[XC_PLANES];
	/* By symbol: bits after those of the level, and the least number. */
	lanes count, base;
} constants;

/* A number that compilers are not to make anew each time. */
LANES_INLINE lanes kept(int32_t x)
{
	__asm__("" : "+r"(x));
	return all_lanes(x);
}

LANES_INLINE lanes kept_pair(int first, int second)
{
	return kept((int32_t)((uint32_t)(uint16_t)first | (uint32_t)second << 16));
}

LANES_INLINE void plane_constants(constants *k, const xc_part *p, const int c)
{
	const int32_t bits = (int32_t)p->model[c].bits, high = bits ? (1 << (bits - 1)) - 1 : 0;
	const xc_level_weights *l = &xc_weights_of_levels[c];

	k->min[c] = kept(-high - 1);
	k->max[c] = kept(high);
	k->bits[c] = kept(bits);
	k->wrap[c] = kept(32 - bits);
	k->down[c] = kept_pair(0, l->down);
	k->earlier1[c] = kept_pair(0, l->earlier[0]);
	k->earlier2[c] = kept_pair(l->earlier[1], 0);
	k->along_row[c] = kept_pair(l->ww, l->w);
	k->along[c] = kept_pair(l->along, l->along);
	k->nw[c] = kept_pair(l->nw, 0);
	k->n_ne[c] = kept_pair(l->n, l->ne);
}

LANES_INLINE constants make_constants(const xc_part *p, int32_t level_offset)
{
	static const uint8_t count[16] = {[10] = 1, 2, 3, 4, 5, 64};
	static const uint8_t base[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 24, 40, 0};
	constants k = {.offset = kept(level_offset),
	               .top = kept((XC_LEVELS << XC_LEVEL_SHIFT) - 1),
	               .symbol = kept(XC_SYMBOLS - 1),
	               .rest = kept(XC_BUCKET - 1),
	               .slot = kept(XC_FREQUENCY_ONE - 1),
	               .one = kept(1),
	               .most = kept(32767),
	               .half = kept(1 << (XC_TAP_BITS - 1)),
	               .ones = kept(-1),
	               .large = kept(32),
	               .near = kept(2 * p->near + 1),
	               .count = table16(count),
	               .base = table16(base)};

	plane_constants(&k, p, 0);
	plane_constants(&k, p, 1);
	plane_constants(&k, p, 2);
	return k;
}

enum { TAPS_END = XC_STEPS_MOST / 2 + 16, TAPS_ROW = TAPS_END + 16 };

/* Coefficients by pairs of columns, the last column first, so that those of all lanes of a step follow
 * each other; and the samples that have not been stored as rows, as pairs. */
typedef struct plane_memory {
	int32_t taps[XC_PAIRS + 1][TAPS_ROW];
	lanes pairs[8];
} plane_memory;

typedef int32_t four __attribute__((vector_size(16)));

static void store_block(const xc_bundle *b, int c, int x, const lanes from[8])
{
	const xc_plane16 *s = &b->part->samples[c];

	/* Lane i ends at column x - 2 i. What is stored before a row or after it is its margin, which
	 * is complete when the next row needs it. */
	for (uint32_t i = 0; i < b->rows; i += 4) {
		int16_t *to = s->first + (ptrdiff_t)i * s->stride + x - 15 - XC_LAG * (int)i;
		for (int h = 0; h < 2; h++, to += 8) {
			four v[4], row[4];
			for (int k = 0; k < 4; k++) {
				memcpy(&v[k], (const int32_t *)(const void *)&from[4 * h + k] + i, sizeof v[k]);
				if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
					v[k] = v[k] << 16 | (v[k] >> 16 & 0xffff);
			}
			const four a = __builtin_shufflevector(v[0], v[1], 0, 4, 1, 5);
			const four d = __builtin_shufflevector(v[0], v[1], 2, 6, 3, 7);
			const four e = __builtin_shufflevector(v[2], v[3], 0, 4, 1, 5);
			const four f = __builtin_shufflevector(v[2], v[3], 2, 6, 3, 7);
			row[0] = __builtin_shufflevector(a, e, 0, 1, 4, 5);
			row[1] = __builtin_shufflevector(a, e, 2, 3, 6, 7);
			row[2] = __builtin_shufflevector(d, f, 0, 1, 4, 5);
			row[3] = __builtin_shufflevector(d, f, 2, 3, 6, 7);
			for (uint32_t k = 0; k < 4 && i + k < b->rows; k++)
				memcpy(to + k * (s->stride - XC_LAG), &row[k], sizeof row[k]);
		}
	}
}

/* Sets the coefficients of the row of cells of a bundle; those of column x begin at TAPS_END - x / 2. */
static void spread_taps(const xc_bundle *b, int c, plane_memory *mem)
{
	const xc_plane_model *m = &b->part->model[c];
	const int pairs = m->has_median ? XC_PAIRS + 1 : 4 + 2 * c, cells = (int)b->part->cells_wide;

	for (int i = 0; i < pairs; i++) {
		const int32_t *of = i < XC_PAIRS ? m->pairs[i] : m->median;
		int32_t *to = mem->taps[i] + TAPS_END;
		/* Lanes before the first column and after the last one do not count. */
		for (int k = 1; k < 16; k++)
			to[k] = 0;
		for (int k = 0; k < cells; k++, to -= XC_CELL / 2)
			for (int n = 0; n < XC_CELL / 2; n++)
				to[-n] = of[b->class[c][k]];
		for (int n = 0; n < 17; n++)
			to[-n] = 0;
	}
}

/* Words that are left. The last ones are copied to a room with zeros after them, so that a step may
 * read ahead. */
typedef struct reader {
	const uint8_t *next, *end;
	const uint8_t
		*last; /* a step that begins after it needs the room, or wants words that are not */
} reader;

/* Words of a step and of a load. */
enum { STEP_BYTES = XC_PLANES * 2 * 2 * XC_LANES16 + 2 * XC_LANES16 };
_Static_assert(2 * STEP_BYTES <= XC_ROOM_BYTES, "a step in the room");

/* A part under way. */
typedef struct way {
	reader in;
	lanes x[XC_PLANES];
	xc_plane_state s[XC_PLANES];
} way;

/* A step of a plane. */
typedef struct step {
	lane_mask active;
	lanes above, twice, sum; /* of lane 0, in the last one */
	lanes level;             /* times 16, and a fraction */
	lanes sample;            /* the prediction */
	lanes y, symbol, shift;
	lane_mask low;
	lanes z; /* the number, plus 1 */
} step;

LANES_INLINE lanes load_pair(const int16_t *p)
{
	int32_t both;
	memcpy(&both, p, sizeof both);
	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
		return pair(p[0], p[1]);
	return all_lanes(both);
}

LANES_INLINE void begin_step(const xc_bundle *b, const way *w, step *e, const int c, int x,
                             const int edge)
{
	if (!edge || b->above[c]) {
		const int16_t *row = b->above[c] + x;
		e->above = load_pair(row);
		e->twice = load_pair(row - b->part->samples[c].stride);
		e->sum = all_lanes(b->sums[c][x + 1]);
	} else {
		e->above = e->twice = first_lane(w->s[c].last);
		e->sum = first_lane(w->s[c].sum);
	}
	e->active = mask_with(edge ? lanes_active(b, x) : 0xffff);
}

/* Numbers that any = 0 stands for have 15 bits or less. */
LANES_INLINE lanes distance(lanes a, lanes b, const int any)
{
	if (any)
		return distance16(a, b);
	return distance15(a, b);
}

LANES_INLINE void find_level(const way *w, step *e, const constants *k, const int c, const int edge)
{
	const xc_plane_state *s = w->s;
	lanes sum = madd(distance(s[c].last, s[c].above, edge), k->down[c]);

	if (c > 0)
		sum = add_madd(sum, s[c - 1].m, k->earlier1[c]);
	if (c > 1)
		sum = add_madd(sum, s[c - 2].m, k->earlier2[c]);
	sum = add_madd(sum, s[c].m, k->along_row[c]);
	lanes level = sub(to_float(add(up(s[c].sum, e->sum), sum)), k->offset);
	level = min(max(level, all_lanes(0)), k->top);
	e->level = srl(level, XC_LEVEL_SHIFT - 4);
}

LANES_INLINE void predict(const way *w, step *e, const constants *k, const int c,
                          const int32_t *taps)
{
	const xc_plane_state *s = w->s;

	e->above = up(s[c].last, e->above);
	lanes a = add_madd(k->half, s[c].above, load(taps + 2 * TAPS_ROW));
	lanes b = madd(up(s[c].above_before, e->twice), load(taps + 3 * TAPS_ROW));
	if (c > 0) {
		a = add_madd(a, s[c - 1].last, load(taps + 4 * TAPS_ROW));
		b = add_madd(b, s[c - 1].above, load(taps + 5 * TAPS_ROW));
	}
	if (c > 1) {
		a = add_madd(a, s[c - 2].before, load(taps + 6 * TAPS_ROW));
		b = add_madd(b, s[c - 2].above_before, load(taps + 7 * TAPS_ROW));
	}
	a = add_madd(a, s[c].last, load(taps + 0 * TAPS_ROW));
	b = add_madd(b, e->above, load(taps + 1 * TAPS_ROW));
	e->sample = sra(add(a, b), XC_TAP_BITS);
}

#if LANES_WITHOUT_GATHER
/* By symbol, and sixteen times the raw bits of the level: the least number plus 1, the raw bits in bits 32
 * to 47, and a mask of as many bits above. */
static void make_numbers(uint64_t numbers[256], uint32_t bits)
{
	static const uint8_t base[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 24, 40, 0};

	for (uint32_t i = 0; i < 256; i++) {
		const uint32_t symbol = i % 16, shift = i / 16, n = symbol > 9 ? symbol - 9 : 0;
		const uint32_t count = symbol == 15 ? bits : n + shift;
		numbers[i] = ((1ULL << count) - 1) << 48 | (uint64_t)count << 32 |
		             (((uint32_t)base[symbol] << shift) + 1);
	}
}

/* Fills a state, without a branch. */
LANES_INLINE uint32_t fill_state(uint32_t x, const uint8_t **words)
{
	const uint32_t full = x << 16 | (uint32_t)((*words)[0] | (*words)[1] << 8), low = x < 1 << 16;

	*words += 2 * low;
	return x ^ ((x ^ full) & (0 - low));
}

/* As the functions of vectors below, lane by lane. */
static __attribute__((noinline)) const uint8_t *take_lanes(uint32_t x[16], const uint32_t level[16],
                                                           const xc_bucket *buckets,
                                                           const uint64_t *numbers, uint32_t active,
                                                           const uint8_t *words, uint32_t z[16])
{
	uint64_t n[16];

	for (int i = 0; i < 16; i++) {
		if (!(active >> i & 1))
			continue;
		const uint32_t slot = x[i], bucket = slot >> 8 & 15;
		const xc_bucket *b = &buckets[(level[i] & ~15U) + bucket];
		const uint32_t is_other = (slot & 255) >= b->own >> 24, key = b->other >> 24;
		uint32_t entry;
		memcpy(&entry, (const char *)b + 4 * is_other, sizeof entry);
		n[i] = numbers[key ^ ((key ^ bucket) & 15 & (is_other - 1))];
		x[i] = fill_state((entry & (XC_FREQUENCY_ONE - 1)) * (slot >> XC_FREQUENCY_BITS) +
		                      ((slot + (entry >> 12)) & (XC_FREQUENCY_ONE - 1)),
		                  &words);
	}
	for (int i = 0; i < 16; i++) {
		if (!(active >> i & 1))
			continue;
		z[i] = (uint32_t)n[i] + (x[i] & (uint32_t)(n[i] >> 48));
		x[i] = fill_state(x[i] >> (n[i] >> 32 & 31), &words);
	}
	return words;
}

LANES_INLINE void take_symbol(const way *w, step *e, const constants *k, const int c,
                              const xc_decode_memory *tables)
{
	(void)w, (void)e, (void)k, (void)c, (void)tables;
}

LANES_INLINE void take_number(way *w, step *e, const constants *k, const int c,
                              const xc_decode_memory *tables, const int edge)
{
	uint32_t level[XC_LANES16], z[XC_LANES16] = {0}, x[XC_LANES16];

	(void)k;
	store(level, e->level);
	store(x, w->x[c]);
	w->in.next = take_lanes(x, level, tables->buckets[c], tables->numbers[c],
	                        edge ? bits_of(e->active) : 0xffff, w->in.next, z);
	w->x[c] = load(x);
	e->z = load(z);
}
#else
LANES_INLINE void take_symbol(const way *w, step *e, const constants *k, const int c,
                              const xc_decode_memory *tables)
{
	const lanes x = w->x[c], bucket = srl(x, 8);
	lanes own, other;

	gather_halves(tables->buckets[c], choose(k->symbol, bucket, e->level), &own, &other);
	const lane_mask is_other = not_below(x, own, k->rest);
	const lanes entry = blend(is_other, own, other);
	const lanes within = and(add(x, srl(entry, 12)), k->slot);

	e->symbol = blend(is_other, bucket, srl(other, 24));
	e->shift = srl(other, 28);
	e->y = add(mul(and(entry, k->slot), srl(x, XC_FREQUENCY_BITS)), within);
	e->low = is_low(e->y);
}

LANES_INLINE void take_number(way *w, step *e, const constants *k, const int c,
                              const xc_decode_memory *tables, const int edge)
{
	(void)tables;
	const lanes bits = pick16(k->count, e->symbol);
	const lanes count = blend(less(bits, k->large), k->bits[c], add(bits, e->shift));
	const lanes base = sllv(pick16(k->base, e->symbol), e->shift);
	lanes y = take_words(e->y, edge ? both(e->low, e->active) : e->low, &w->in.next);

	e->z = sub(base, or_not(sllv(k->ones, count), y));
	y = srlv(y, count);
	const lane_mask low = is_low(y);
	y = take_words(y, edge ? both(low, e->active) : low, &w->in.next);
	w->x[c] = edge ? blend(e->active, w->x[c], y) : y;
}

#endif

LANES_INLINE void end_step(const xc_bundle *b, way *w, const step *e, const constants *k,
                           const int c, int x, const int edge)
{
	xc_plane_state *own = &w->s[c];
	const int near = edge && b->part->near;
	lanes magnitude = srl(e->z, 1), sample;

	if (near)
		magnitude = mul(magnitude, k->near);
	sample = add_odd(e->sample, magnitude, e->z, k->one);
	if (near)
		sample = min(max(sample, k->min[c]), k->max[c]);
	else
		sample = wrap(sample, k->wrap[c]);
	magnitude = min(magnitude, k->most);
	if (edge) {
		const lanes idle = blend(mask_with(lanes_begun(x)), high_half(e->above),
		                         high_half(own->last));
		sample = blend(e->active, idle, sample);
		magnitude = blend(e->active, all_lanes(0), magnitude);
	}
	const lanes next = append(own->last, sample), m = append(own->m, magnitude);
	lanes sum = madd(distance(next, own->last, edge), k->along[c]);
	sum = add_madd(sum, own->m, k->nw[c]);
	own->sum = add_madd(sum, m, k->n_ne[c]);
	own->before = own->last;
	own->last = next;
	own->above_before = own->above;
	own->above = e->above;
	own->m = m;
	if (!edge || x >= XC_IDLE)
		store_last(&b->sums[c][x - XC_IDLE], own->sum);
}

LANES_INLINE void keep_sample(const xc_bundle *b, const way *w, plane_memory *mem, const int c,
                              int x)
{
	if (x % 2)
		mem->pairs[x / 2 % 8] = w->s[c].last;
	if (x % 16 == 15)
		store_block(b, c, x, mem->pairs);
}

/* What a plane needs before words are taken. */
LANES_INLINE void prepare_step(const xc_bundle *b, const way *w, step *e, const plane_memory *mem,
                               const constants *k, const xc_decode_memory *tables, const int c,
                               int x, const int edge)
{
	const xc_plane_state *own = &w->s[c];
	const int32_t *taps = mem->taps[0] + TAPS_END - x / 2;

	begin_step(b, w, e, c, x, edge);
	find_level(w, e, k, c, edge);
	predict(w, e, k, c, taps);
	if (b->part->model[c].has_median)
		e->sample = blend(negative(load(taps + XC_PAIRS * TAPS_ROW)), e->sample,
		                  median(high_half(own->last), high_half(own->above),
		                         low_half(own->above)));
	e->sample = min(max(e->sample, k->min[c]), k->max[c]);
	take_symbol(w, e, k, c, tables);
}

/* For each plane of which a bit is set, with c a constant: loops are unrolled after compilers choose
 * what is in registers. */
#define FOR_PLANE(number, bits, ...) \
	if (number < planes && (bits) >> number & 1) { \
		enum { c = number }; \
		__VA_ARGS__; \
	}
#define FOR_PLANES(bits, ...) \
	FOR_PLANE(2, bits, __VA_ARGS__) \
	FOR_PLANE(1, bits, __VA_ARGS__) \
	FOR_PLANE(0, bits, __VA_ARGS__)

/* The planes that have a step at t. */
static inline unsigned planes_at(const xc_bundle *b, const int planes, int t)
{
	unsigned bits = 0;

	for (int c = 0; c < planes; c++)
		bits |= (unsigned)(t >= c && t - c < b->steps && b->part->model[c].bits) << c;
	return bits;
}

/* edge: 0: all lanes have a column, numbers have 15 bits or less, and nothing is lost. */
LANES_INLINE void decode_step(const xc_bundle *b, way *w, plane_memory *mem, const constants *k,
                              const xc_decode_memory *tables, int t, const int planes,
                              const int edge)
{
	const unsigned run = edge ? planes_at(b, planes, t) : 7;
	step e[XC_PLANES];

	FOR_PLANES(run, prepare_step(b, w, &e[c], &mem[c], k, tables, c, t - c, edge))
	FOR_PLANES(run, take_number(w, &e[c], k, c, tables, edge);
	           end_step(b, w, &e[c], k, c, t - c, edge))
	FOR_PLANES(run, keep_sample(b, w, &mem[c], c, t - c))
}

/* The samples of the last steps. */
LANES_INLINE void end_plane(const xc_bundle *b, const way *w, plane_memory *mem, const int c)
{
	if (b->steps % 16 == 0 || !b->part->model[c].bits)
		return;
	if (b->steps % 2)
		mem->pairs[b->steps / 2 % 8] = srl(w->s[c].last, 16);
	store_block(b, c, (b->steps - 1) | 15, mem->pairs);
}

static reader read_words(const uint8_t *from, const uint8_t *end)
{
	const ptrdiff_t n = end - from;
	return (reader){from, end, from + (n < STEP_BYTES ? -1 : n - STEP_BYTES)};
}

/* Goes to the room, or leaves a reader past its end as it is. */
static __attribute__((noinline)) reader go_to_room(reader in, uint8_t room[XC_ROOM_BYTES])
{
	const ptrdiff_t n = in.end - in.next;

	if (n < 0 || in.last == in.end)
		return in;
	memcpy(room, in.next, (size_t)n);
	memset(room + n, 0, XC_ROOM_BYTES - (size_t)n);
	return (reader){room, room + n, room + n};
}

LANES_INLINE void decode_bundle(const xc_bundle *b, way *under, const int planes,
                                xc_decode_memory *tables)
{
	const int end = b->steps + planes - 1;
	const constants k = make_constants(b->part, b->level_offset);
	int plain = b->rows == XC_LANES16 && b->y && !b->part->near;
	plane_memory mem[XC_PLANES];
	way w;

	w.in = under->in;
	FOR_PLANES(7, w.x[c] = under->x[c]; w.s[c] = b->plane[c])
	for (int c = 0; c < planes; c++) {
		const uint32_t bits = b->part->model[c].bits;
		plain &= bits > 0 && bits < 16;
		if (bits)
			spread_taps(b, c, &mem[c]);
	}
	for (int t = 0; t < end; t++) {
		if (w.in.next > w.in.last) {
			w.in = go_to_room(w.in, tables->room);
			if (w.in.next > w.in.last)
				break;
		}
		if (plain && t >= XC_IDLE + planes - 1 && t < (int)b->part->width)
			decode_step(b, &w, mem, &k, tables, t, planes, 0);
		else
			decode_step(b, &w, mem, &k, tables, t, planes, 1);
	}
	under->in = w.in;
	FOR_PLANES(7, under->x[c] = w.x[c]; end_plane(b, &w, &mem[c], c))
}

static void make_buckets(const xc_part *p, xc_decode_memory *mem)
{
	for (int c = 0; c < p->planes; c++) {
#if LANES_WITHOUT_GATHER
		make_numbers(mem->numbers[c], p->model[c].bits);
#endif
		for (uint32_t l = 0; l < XC_LEVELS; l++) {
			uint16_t f[XC_SYMBOLS];
			xc_bucket *b = &mem->buckets[c][l * XC_SYMBOLS];
			xc_shape_frequencies(p->shapes[c][l], f);
			xc_buckets_make(f, b);
			for (int i = 0; i < XC_SYMBOLS; i++)
				b[i].other |= (l > XC_LEVEL_RAW ? (l - XC_LEVEL_RAW) / 4 : 0) << 28;
		}
	}
}

/* Keeps the last rows of a bundle for the next one. */
static void keep_rows(const xc_part *p)
{
	for (int c = 0; c < p->planes; c++) {
		const ptrdiff_t stride = p->samples[c].stride;
		int16_t *rows = p->samples[c].first - XC_MARGIN;
		memcpy(rows - 2 * stride, rows + (XC_LANES16 - 2) * stride,
		       2 * (size_t)stride * sizeof *rows);
	}
}

int XC_LEVEL(xc_part_decode)(xc_part *p, const uint8_t *from, const uint8_t *end,
                             xc_decode_memory *mem, xc_rows_taker *take, void *to)
{
	uint32_t states[XC_PLANES][XC_LANES16];
	way w;
	int good = 1;

	from = xc_states_read(p, from, end, states);
	if (!from)
		return 0;
	make_buckets(p, mem);
	w.in = read_words(from, end);
	for (int c = 0; c < XC_PLANES; c++)
		w.x[c] = c < p->planes ? load(states[c]) : all_lanes(0);
	for (uint32_t y = 0; y < p->height; y += XC_LANES16) {
		xc_bundle b;
		p->first_row = y;
		bundle_begin(&b, p, y, mem->sums);
		if (p->planes == 1)
			decode_bundle(&b, &w, 1, mem);
		else
			decode_bundle(&b, &w, 3, mem);
		if (w.in.next > w.in.end) /* some samples are not set */
			return 0;
		if (b.rows == XC_LANES16)
			keep_rows(p);
		take(p, b.rows, to);
	}
	for (int c = 0; c < p->planes; c++)
		good &= bits_of(equal(w.x[c], all_lanes(1 << 16))) == 0xffff;
	return good && w.in.next == w.in.end;
}
