/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/support/rans_plain.h"

#include <stdlib.h>
#include <string.h>

/* A block's symbols by [u][v]. */
typedef uint8_t symbols[8][8];

typedef struct decoder {
	const xc_rans_frequencies *frequencies;
	const uint8_t *data;
	size_t at, size;
	uint32_t state[16];
	symbols *blocks;
	uint8_t u[64], v[64]; /* of the positions of the zig-zag order */
	int chroma, bad;
} decoder;

/* A block and its neighbours; flags: those of its groups. */
typedef struct place {
	symbols *now;
	const symbols *left, *up;
	int flag;
} place;

static const symbols nothing;
static const int groups[] = {1, 10, 28, 64};

static void make_zigzag(decoder *d)
{
	int k = 0;
	for (int sum = 0; sum < 15; sum++)
		for (int i = 0; i <= sum; i++) {
			const int u = sum % 2 ? sum - i : i, v = sum - u;
			if (u < 8 && v < 8) {
				d->u[k] = (uint8_t)u;
				d->v[k++] = (uint8_t)v;
			}
		}
}

/* The frequency (u, v), which is 0 outside of the block; so is the DC. */
static int at(const symbols *s, int u, int v)
{
	return u < 0 || v < 0 || u > 7 || v > 7 || u + v == 0 ? 0 : (*s)[u][v];
}

static int in_scan(const decoder *d, const symbols *s, int k)
{
	return (*s)[d->u[k]][d->v[k]];
}

static int group_sum(const decoder *d, const symbols *s, int g)
{
	int sum = 0;
	for (int k = groups[g]; k < groups[g + 1]; k++)
		sum += in_scan(d, s, k);
	return sum;
}

static int min(int a, int b)
{
	return a < b ? a : b;
}

static int expect_ac(const decoder *d, const place *p, int k)
{
	const int u = d->u[k], v = d->v[k], row = u > 2 * v ? 0 : v > 2 * u ? 2 : 1;
	const uint8_t *w = xc_rans_builtin_weights[d->chroma].ac[row];
	const symbols *n = p->now;
	return w[0] * at(n, u - 1, v) + w[1] * at(n, u - 2, v) + w[2] * at(n, u, v - 1) +
	       w[3] * at(n, u, v - 2) + (k > 1 ? w[4] * in_scan(d, n, k - 1) : 0) +
	       w[5] * at(p->left, u, v) + w[6] * at(p->left, u + 1, v) + w[7] * at(p->left, u, v + 1) +
	       w[8] * at(p->up, u, v) + w[9] * at(p->up, u + 1, v) + w[10] * at(p->up, u, v + 1) +
	       (k < 3 ? w[11] * (*n)[0][0] : 0) + xc_rans_builtin_weights[d->chroma].constant[k];
}

static int expect_dc(const decoder *d, const place *p)
{
	const uint8_t *w = xc_rans_builtin_weights[d->chroma].dc;
	const symbols *l = p->left, *u = p->up;
	return w[0] * (*l)[0][0] + w[1] * (in_scan(d, l, 1) + in_scan(d, l, 2)) +
	       w[2] * (in_scan(d, l, 3) + in_scan(d, l, 4) + in_scan(d, l, 5)) + w[3] * (*u)[0][0] +
	       w[4] * (in_scan(d, u, 1) + in_scan(d, u, 2)) + w[5];
}

static int expect_flag(const decoder *d, const place *p, int g)
{
	const uint8_t *w = xc_rans_builtin_weights[d->chroma].flag[g];
	int e = w[5] + w[0] * min(2, group_sum(d, p->left, g)) + w[1] * min(2, group_sum(d, p->up, g));
	if (g == 0) {
		e += w[2] * (*p->now)[0][0];
	} else {
		int some = 0;
		for (int k = groups[g] - 5; k < groups[g]; k++)
			some += in_scan(d, p->now, k) != 0;
		e += w[2] * min(15, group_sum(d, p->now, g - 1)) + w[3] * some;
	}
	if (g < 2)
		e += w[4] * min(2, group_sum(d, p->left, g + 1) + group_sum(d, p->up, g + 1));
	return e;
}

static uint8_t decode_symbol(decoder *d, int lane, int set, int expected)
{
	const uint8_t *limit = xc_rans_builtin_weights[d->chroma].limit[set];
	const int bin = min(63, expected / 8);
	int level = 0, s = 0;
	while (level < 15 && limit[level] <= bin)
		level++;
	const uint16_t *f = d->frequencies->of[d->chroma][set][level];
	uint32_t x = d->state[lane], slot = x % 4096, before = 0;
	while (slot >= before + f[s])
		before += f[s++];
	x = f[s] * (x / 4096) + slot - before;
	if (x < 65536) {
		x <<= 16;
		if (d->at + 2 <= d->size)
			x |= d->data[d->at] | (uint32_t)d->data[d->at + 1] << 8;
		else
			d->bad = 1;
		d->at += 2;
	}
	d->state[lane] = x;
	return (uint8_t)s;
}

/* The blocks of all lanes at one time; those without a block have no `now`. */
static void decode_blocks(decoder *d, place p[16])
{
	for (int lane = 0; lane < 16; lane++)
		if (p[lane].now)
			(*p[lane].now)[0][0] = decode_symbol(d, lane, 2, expect_dc(d, &p[lane]));
	for (int g = 0; g < 3; g++) {
		for (int lane = 0; lane < 16; lane++)
			p[lane].flag = p[lane].now &&
			               decode_symbol(d, lane, 3 + g, expect_flag(d, &p[lane], g));
		for (int k = groups[g]; k < groups[g + 1]; k++)
			for (int lane = 0; lane < 16; lane++)
				if (p[lane].flag)
					(*p[lane].now)[d->u[k]][d->v[k]] = decode_symbol(d, lane, k >= 10,
					                                                 expect_ac(d, &p[lane], k));
	}
}

static void decode_list(decoder *d, uint32_t wide, uint32_t high, uint32_t components,
                        const uint32_t *first)
{
	for (uint32_t row = 0; row < high * components; row += 16) {
		for (uint32_t t = 0; t < wide + 15; t++) {
			place p[16];
			memset(p, 0, sizeof p);
			for (uint32_t lane = 0; lane < 16 && row + lane < high * components; lane++) {
				const uint32_t y = (row + lane) % high, lag = y < lane ? y : lane;
				if (t < lag || t - lag >= wide)
					continue;
				const uint32_t x = t - lag;
				symbols *now = d->blocks + first[(row + lane) / high] + y * wide + x;
				const symbols *left = x ? now - 1 : NULL, *up = lag ? now - wide : NULL;
				p[lane].now = now;
				p[lane].left = left ? left : up ? up : &nothing;
				p[lane].up = up ? up : left ? left : &nothing;
			}
			decode_blocks(d, p);
		}
	}
}

/* ------------------------------------------------------------------------------- raw bits */

typedef struct bits {
	uint8_t *byte;
	size_t count, next; /* in bits */
} bits;

static uint32_t take(bits *b, int n)
{
	uint32_t value = 0;
	for (int i = 0; i < n; i++, b->next++)
		if (b->next < b->count)
			value |= (uint32_t)(b->byte[b->next / 8] >> b->next % 8 & 1) << i;
	return value;
}

static int take_block(bits *b, const symbols *s, int most_size, int32_t *block)
{
	const uint8_t *symbol = &(*s)[0][0];
	int negative[64] = {0}, good = 1;
	for (int i = 0; i < 64; i++)
		if (symbol[i])
			negative[i] = (int)take(b, 1);
	for (int i = 0; i < 64; i++) {
		int32_t m = symbol[i];
		if (m > 8) {
			int n = m - 8;
			if (m == 15)
				n = 7 + (int)take(b, 5);
			const int most = most_size + (i == 0);
			if (n >= most)
				return 0;
			m = 7 + (INT32_C(1) << n) + (int32_t)take(b, n);
			good &= m < INT32_C(1) << most;
		}
		block[i] = negative[i] ? -m : m;
	}
	return good;
}

int rans_plain_decode(const xc_rans_frequencies *frequencies, const xc_rans_shape *shape,
                      const uint8_t *data, size_t size, int most_size, int32_t *blocks)
{
	decoder d = {.frequencies = frequencies, .data = data, .size = size};
	uint32_t lanes = shape->high[0];
	if (shape->components > 1 && 2 * shape->high[1] > lanes)
		lanes = 2 * shape->high[1];
	lanes = lanes < 16 ? lanes : 16;
	if (size < 4 * lanes)
		return 0;
	make_zigzag(&d);
	for (uint32_t i = 0; i < 4 * lanes; i++)
		d.state[i / 4] |= (uint32_t)data[i] << i % 4 * 8;
	d.at = 4 * lanes;
	d.blocks = calloc(shape->blocks, sizeof *d.blocks);
	bits b = {calloc(1, size + 64), 0, 0};
	decode_list(&d, shape->wide[0], shape->high[0], 1, shape->first);
	d.chroma = 1;
	if (shape->components > 1)
		decode_list(&d, shape->wide[1], shape->high[1], 2, shape->first + 1);
	int good = !d.bad;
	for (uint32_t i = 0; i < lanes; i++) {
		good &= d.state[i] / 65536 == 1;
		b.byte[2 * i] = (uint8_t)d.state[i];
		b.byte[2 * i + 1] = (uint8_t)(d.state[i] >> 8);
	}
	if (good) {
		memcpy(b.byte + 2 * lanes, data + d.at, size - d.at);
		b.count = 8 * (2 * lanes + size - d.at);
		for (uint32_t i = 0; i < shape->blocks && good; i++)
			good = take_block(&b, &d.blocks[i], most_size, blocks + (size_t)i * 64);
		const size_t used = (b.next + 7) / 8 * 8;
		good &= b.next <= b.count && (used >= b.count || size == d.at);
		while (b.next < b.count)
			good &= !take(&b, 1);
	}
	free(d.blocks);
	free(b.byte);
	return good;
}
