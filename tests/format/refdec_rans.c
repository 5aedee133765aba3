/* SPDX-License-Identifier: BSD-2-Clause */
/* rANS: the frequencies, and the coefficients of a segment.  Numbers in brackets are sections
 * of doc/format.md. */
#include "tests/format/refdec_internal.h"

#include <stdlib.h>
#include <string.h>

enum { LANES = 16 };

struct refdec_rans {
	uint16_t frequency[2][SETS][LEVELS][SYMBOLS]; /* [luma, chroma] */
	uint8_t position[8][8];                       /* [v][u] of the zig-zag order */
	uint8_t u[64], v[64];                         /* of a position */
	uint32_t state[LANES];
	uint64_t raw_bits;         /* that were read */
	int lanes;                 /* of the segment */
	uint8_t (*symbol)[64];     /* [block] in zig-zag order, after the coefficients */
	int32_t coefficient[][64]; /* [block][8 u + v], of a DC its difference */
};

/* One row of blocks, and where its lane is at a time.  now: NULL, the lane is not active. */
typedef struct lane {
	uint8_t (*row)[64], *now;
	const uint8_t *left, *up;
	uint64_t offset;
	int flag;
} lane;

/* ------------------------------------------------- [5.12.9] frequencies */

/* [5.10] Along the diagonals; every other one goes up. */
static void number_positions(refdec_rans *r)
{
	int k = 0;

	for (int sum = 0; sum < 15; sum++) {
		for (int i = 0; i <= sum; i++) {
			const int u = sum % 2 ? sum - i : i, v = sum - u;
			if (u > 7 || v > 7)
				continue;
			r->u[k] = (uint8_t)u;
			r->v[k] = (uint8_t)v;
			r->position[v][u] = (uint8_t)k++;
		}
	}
}

static void take_built_in(refdec_rans *r, int c)
{
	for (int set = 0; set < SETS; set++) {
		for (int l = 0; l < LEVELS; l++) {
			uint16_t *f = r->frequency[c][set][l];
			for (int s = 0; set < F0 && s < SYMBOLS; s++)
				f[s] = refdec_models[c].frequency[set][l][s];
			if (set >= F0) {
				f[0] = refdec_models[c].zero[set - F0][l];
				f[1] = (uint16_t)(4096 - f[0]);
			}
		}
	}
}

static void change_frequencies(uint16_t f[SYMBOLS], const uint8_t *nibbles)
{
	static const uint16_t factor[16] = {64,   91,   128,  181,  256,  362,  512,  724,
	                                    1024, 1448, 2048, 2896, 4096, 5793, 8192, 11585};
	uint64_t share[SYMBOLS], sum = 0;
	int lack = 4096, largest = 0;

	for (int s = 0; s < SYMBOLS; s++) {
		share[s] = (uint64_t)f[s] * factor[nibbles[s / 2] >> 4 * (s % 2) & 15];
		sum += share[s];
	}
	for (int s = 0; s < SYMBOLS; s++) {
		const uint64_t part = share[s] * 4081 / sum;
		f[s] = (uint16_t)(part ? part : 1);
		lack -= f[s];
		if (f[s] > f[largest])
			largest = s;
	}
	f[largest] = (uint16_t)(f[largest] + lack);
}

static const uint8_t *take(refdec *d, const uint8_t **p, uint64_t n)
{
	const refdec_chunk *c = &d->chunks[RANS];

	if ((uint64_t)(c->payload + c->length - *p) < n)
		refdec_fail(d, "bad RANS");
	return (*p += n) - n;
}

static void read_own(refdec *d)
{
	const refdec_chunk *c = refdec_need(d, RANS);
	const uint8_t *p = c->payload;

	for (int set = 0; set < (d->components == 1 ? SETS : 2 * SETS); set++) {
		const uint32_t mask = refdec_u16(take(d, &p, 2));
		const int flag = set % SETS >= F0;
		for (int l = 0; l < LEVELS; l++) {
			uint16_t *f = d->rans->frequency[set / SETS][set % SETS][l];
			if (!(mask >> l & 1))
				continue;
			const uint8_t *bytes = take(d, &p, flag ? 1 : 8);
			if (!flag) {
				change_frequencies(f, bytes);
			} else {
				f[0] = (uint16_t)(16 * *bytes + 8);
				f[1] = (uint16_t)(4096 - f[0]);
			}
		}
	}
	if (p != c->payload + c->length)
		refdec_fail(d, "bad RANS");
}

void refdec_read_frequencies(refdec *d)
{
	const size_t blocks = (size_t)d->tile_blocks;

	d->rans = refdec_allocate(d, 1,
	                          sizeof *d->rans + blocks * (sizeof *d->rans->coefficient +
	                                                      sizeof *d->rans->symbol));
	d->rans->symbol = (uint8_t(*)[64])(d->rans->coefficient + blocks);
	number_positions(d->rans);
	take_built_in(d->rans, 0);
	take_built_in(d->rans, 1);
	if (d->entropy == 4)
		read_own(d);
}

/* ---------------------------------------------------- [5.12.6] contexts */

static const uint16_t *context(const refdec *d, int c, int set, int e)
{
	const int bin = e / 8 < 63 ? e / 8 : 63;
	int level = 0;

	for (int i = 0; i < LIMITS; i++)
		level += refdec_models[c].limit[set][i] <= bin;
	return d->rans->frequency[c][set][level];
}

/* The symbol at a frequency, 0 outside the block; the DC counts as 0. */
static int at(const refdec_rans *r, const uint8_t *block, int u, int v)
{
	return u < 0 || v < 0 || u > 7 || v > 7 || !(u || v) ? 0 : block[r->position[v][u]];
}

static const uint16_t *ac_context(const refdec *d, int c, const lane *o, int k)
{
	const refdec_rans *r = d->rans;
	const int u = r->u[k], v = r->v[k];
	const uint8_t *w = refdec_models[c].ac[u > 2 * v ? 0 : v > 2 * u ? 2 : 1];
	int e = w[0] * at(r, o->now, u - 1, v) + w[1] * at(r, o->now, u - 2, v);

	e += w[2] * at(r, o->now, u, v - 1) + w[3] * at(r, o->now, u, v - 2);
	e += k > 1 ? w[4] * o->now[k - 1] : 0;
	e += w[5] * o->left[k] + w[6] * at(r, o->left, u + 1, v) + w[7] * at(r, o->left, u, v + 1);
	e += w[8] * o->up[k] + w[9] * at(r, o->up, u + 1, v) + w[10] * at(r, o->up, u, v + 1);
	e += k < 3 ? w[11] * o->now[0] : 0;
	return context(d, c, k < 10 ? AC0 : AC1, e + refdec_models[c].constant[k]);
}

static const uint16_t *dc_context(const refdec *d, int c, const lane *o)
{
	const uint8_t *w = refdec_models[c].dc, *l = o->left, *u = o->up;

	return context(d, c, DC,
	               w[0] * l[0] + w[1] * (l[1] + l[2]) + w[2] * (l[3] + l[4] + l[5]) + w[3] * u[0] +
	                   w[4] * (u[1] + u[2]) + w[5]);
}

static const int zone_end[3] = {10, 28, 64};

static int zone_start(int g)
{
	return g ? zone_end[g - 1] : 1;
}

static int zone_sum(const uint8_t *block, int g)
{
	int sum = 0;

	for (int k = zone_start(g); k < zone_end[g]; k++)
		sum += block[k];
	return sum;
}

static int min(int a, int b)
{
	return a < b ? a : b;
}

static const uint16_t *flag_context(const refdec *d, int c, const lane *o, int g)
{
	const uint8_t *w = refdec_models[c].flag[g];
	int e = w[0] * min(2, zone_sum(o->left, g)) + w[1] * min(2, zone_sum(o->up, g)) + w[5];

	if (g) {
		e += w[2] * min(15, zone_sum(o->now, g - 1));
		for (int k = zone_start(g) - 5; k < zone_start(g); k++)
			e += o->now[k] ? w[3] : 0;
	} else {
		e += w[2] * o->now[0];
	}
	if (g < 2)
		e += w[4] * min(2, zone_sum(o->left, g + 1) + zone_sum(o->up, g + 1));
	return context(d, c, F0 + g, e);
}

/* -------------------------------------------- [5.12.2 to 5.12.5] symbols */

/* `bytes` bytes, the lowest first. */
static uint32_t next_word(refdec *d, int bytes)
{
	uint32_t word = 0;

	if (d->bits_end - d->bits < bytes)
		refdec_fail(d, "the words end");
	for (int i = 0; i < bytes; i++)
		word |= (uint32_t)*d->bits++ << 8 * i;
	return word;
}

static uint8_t read_symbol(refdec *d, int number, const uint16_t f[SYMBOLS])
{
	uint32_t *x = &d->rans->state[number], below = 0;
	const uint32_t slot = *x % 4096;
	uint8_t s = 0;

	while (below + f[s] <= slot)
		below += f[s++];
	*x = f[s] * (*x / 4096) + slot - below;
	if (*x < 65536)
		*x = *x << 16 | next_word(d, 2);
	return s;
}

static void read_blocks(refdec *d, int c, lane *lanes, int n)
{
	for (int i = 0; i < n; i++)
		if (lanes[i].now)
			lanes[i].now[0] = read_symbol(d, i, dc_context(d, c, &lanes[i]));
	for (int g = 0; g < 3; g++) {
		for (int i = 0; i < n; i++)
			if (lanes[i].now)
				lanes[i].flag = read_symbol(d, i, flag_context(d, c, &lanes[i], g));
		for (int k = zone_start(g); k < zone_end[g]; k++)
			for (int i = 0; i < n; i++)
				if (lanes[i].now && lanes[i].flag)
					lanes[i].now[k] = read_symbol(d, i, ac_context(d, c, &lanes[i], k));
	}
}

/* Places the lane at time t of rows of `wide` blocks. */
static void place(lane *l, uint64_t t, uint64_t wide)
{
	static const uint8_t zeros[64];
	const uint64_t x = t - l->offset;
	const uint8_t *left = NULL, *up = NULL;

	l->now = NULL;
	if (t < l->offset || x >= wide)
		return;
	l->now = l->row[x];
	if (x)
		left = l->row[x - 1];
	if (l->offset)
		up = l->now - 64 * wide; /* the row above is stored before this one */
	l->left = left ? left : up ? up : zeros;
	l->up = up ? up : left ? left : zeros;
}

/* The list of `rows` rows from `first` on; a component has `high` of them. */
static void read_list(refdec *d, int c, uint8_t (*first)[64], uint64_t rows, uint64_t high,
                      uint64_t wide)
{
	for (uint64_t row = 0; row < rows; row += LANES) {
		const int n = rows - row < LANES ? (int)(rows - row) : LANES;
		lane lanes[LANES] = {{0}};
		uint64_t max = 0;
		for (int i = 0; i < n; i++) {
			const uint64_t y = row + (uint64_t)i;
			lanes[i].row = first + y * wide;
			lanes[i].offset = !i || y % high == 0 ? 0 : lanes[i - 1].offset + 1;
			max = lanes[i].offset > max ? lanes[i].offset : max;
		}
		for (uint64_t t = 0; t < max + wide; t++) {
			for (int i = 0; i < n; i++)
				place(&lanes[i], t, wide);
			read_blocks(d, c, lanes, n);
		}
	}
}

/* ------------------------------------------ [5.12.1, 5.12.3] raw bits */

/* The bytes in the states come before those of the segment. */
static uint64_t raw(refdec *d, int n)
{
	refdec_rans *r = d->rans;
	uint64_t value = 0;

	for (int i = 0; i < n; i++, r->raw_bits++) {
		const uint64_t byte = r->raw_bits / 8, in_states = 2 * (uint64_t)r->lanes;
		if (byte >= in_states && byte - in_states >= (uint64_t)(d->bits_end - d->bits))
			refdec_fail(d, "the raw bits end");
		const uint32_t b = byte < in_states ? r->state[byte / 2] >> 8 * (byte % 2)
		                                    : d->bits[byte - in_states];
		value |= (uint64_t)(b >> r->raw_bits % 8 & 1) << i;
	}
	return value;
}

/* [5.12.1, 5.6] */
static int32_t read_magnitude(refdec *d, int symbol, int max_bits)
{
	if (symbol <= 8)
		return symbol;
	const int n = symbol < 15 ? symbol - 8 : 7 + (int)raw(d, 5);
	const uint64_t m = (UINT64_C(1) << n) + raw(d, n) + 7;
	if (m >> max_bits)
		refdec_fail(d, "a magnitude is too large");
	return (int32_t)m;
}

static void read_values(refdec *d, const uint8_t symbol[64], int32_t coefficient[64])
{
	const refdec_rans *r = d->rans;
	int negative[64] = {0};

	for (int i = 0; i < 64; i++)
		if (symbol[r->position[i % 8][i / 8]])
			negative[i] = (int)raw(d, 1);
	for (int i = 0; i < 64; i++) {
		const int max = (d->depth == 8 ? 11 : 24) + !i;
		const int32_t m = read_magnitude(d, symbol[r->position[i % 8][i / 8]], max);
		coefficient[i] = negative[i] ? -m : m;
	}
}

/* [5.12.10] What is left of the states and the segment after the raw bits is nothing. */
static void check_end(refdec *d)
{
	const refdec_rans *r = d->rans;
	const uint64_t in_states = 2 * (uint64_t)r->lanes, stored = (uint64_t)(d->bits_end - d->bits);

	if (stored && (r->raw_bits + 7) / 8 != in_states + stored)
		refdec_fail(d, "a segment is too long");
	while (d->rans->raw_bits < 8 * (in_states + stored))
		if (raw(d, 1))
			refdec_fail(d, "padding is not zero");
}

/* ------------------------------------------------------ [5.12] a segment */

void refdec_read_rans(refdec *d, uint64_t mcus_wide, uint64_t mcus_high)
{
	refdec_rans *r = d->rans;
	const uint64_t wide = (uint64_t)d->h * mcus_wide, high = (uint64_t)d->v * mcus_high;
	const uint64_t chroma = d->components == 1 ? 0 : 2 * mcus_high;
	const uint64_t luma_blocks = wide * high, longest = high > chroma ? high : chroma;

	memset(r->symbol, 0, (size_t)d->tile_blocks * sizeof *r->symbol);
	r->lanes = longest < LANES ? (int)longest : LANES;
	r->raw_bits = 0;
	for (int i = 0; i < r->lanes; i++)
		r->state[i] = next_word(d, 4);
	read_list(d, 0, r->symbol, high, high, wide);
	read_list(d, 1, r->symbol + luma_blocks, chroma, mcus_high, mcus_wide);
	for (int i = 0; i < r->lanes; i++)
		if (r->state[i] >> 16 != 1)
			refdec_fail(d, "a state is not that of the end");
	for (uint64_t i = 0; i < luma_blocks + chroma * mcus_wide; i++)
		read_values(d, r->symbol[i], r->coefficient[i]);
	check_end(d);
	d->bits = d->bits_end;
}

int32_t refdec_rans_block(const refdec *d, uint64_t i, int32_t q[8][8])
{
	for (int k = 0; k < 64; k++)
		q[k % 8][k / 8] = d->rans->coefficient[i][k];
	return q[0][0];
}

const char *refdec_decode_rans(const refdec_tile *t, const uint8_t *segment, size_t size,
                               int32_t (*blocks)[64])
{
	refdec *d = calloc(1, sizeof *d);

	if (!d)
		return "out of memory";
	d->depth = t->depth;
	d->components = t->components;
	d->h = t->h;
	d->v = t->v;
	d->tile_blocks = (uint64_t)(t->h * t->v + t->components - 1) * t->mcus_wide * t->mcus_high;
	d->entropy = t->frequencies ? 4 : 3;
	d->chunks[RANS] = (refdec_chunk){t->frequencies, t->frequencies, t->frequencies_size, 0};
	d->bits = segment;
	d->bits_end = segment + size;
	if (!setjmp(d->failed)) {
		refdec_read_frequencies(d);
		refdec_read_rans(d, t->mcus_wide, t->mcus_high);
		memcpy(blocks, d->rans->coefficient, (size_t)d->tile_blocks * sizeof *blocks);
	}
	const char *error = d->error;
	free(d->rans);
	free(d);
	return error;
}
