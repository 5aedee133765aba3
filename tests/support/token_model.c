/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/support/token_model.h"

#include <string.h>

#include "entropy/tokens.h"
#include "tests/support/check.h"

static uint64_t seed = 5;
static uint8_t zigzag[64]; /* position in the scan to horizontal * 8 + vertical frequency */

uint32_t xc_model_random(uint32_t n)
{
	return check_below(&seed, n);
}

/* Along the diagonals, up and down in turn (ITU-T T.81, figure A.6). */
void xc_model_init(void)
{
	int k = 0;
	for (int d = 0; d < 15; d++) {
		for (int i = 0; i <= d; i++) {
			const int row = d % 2 ? i : d - i, column = d - row;
			if (row < 8 && column < 8)
				zigzag[k++] = (uint8_t)(column * 8 + row);
		}
	}
}

static int32_t random_value(int deep, int kind)
{
	static const int32_t edges[] = {1, 31, 32, 33, 127, 128, 129, 2040};
	const int32_t sign = xc_model_random(2) ? -1 : 1;
	if (kind % 3 == 0)
		return sign;
	if (kind % 3 == 1)
		return sign * edges[xc_model_random(8)];
	const int32_t most = deep ? INT32_C(1) << (1 + xc_model_random(26)) : 2040;
	return xc_model_random(20) ? sign * (int32_t)(1 + xc_model_random((uint32_t)most - 1)) : -most;
}

/* Empty, full and thin blocks, and single coefficients after every run of zeros. */
static void make_block(int32_t *c, int deep, int kind, int number, int b)
{
	static const uint32_t density[] = {1, 3, 10, 30, 60, 97};
	memset(c, 0, 64 * sizeof *c);
	c[0] = (int32_t)xc_model_random(deep ? 1 << 27 : 8192) - (deep ? 1 << 26 : 4096);
	if (kind == 1) {
		for (int k = 1; k < 64; k++)
			c[k] = random_value(deep, number);
	} else if (kind == 2) {
		c[zigzag[1 + b]] = random_value(deep, number);
	} else if (kind == 5) {
		c[zigzag[63 - b]] = random_value(deep, number);
	} else if (kind == 3) {
		c[63] = random_value(deep, number);
		c[zigzag[1 + xc_model_random(62)]] = random_value(deep, number);
	} else if (kind == 4) {
		/* Runs of 14 to 17, 30 to 33 ... zeros. */
		for (uint32_t k = 1 + xc_model_random(18); k < 64; k += 15 + xc_model_random(5))
			c[zigzag[k]] = random_value(deep, number);
	} else if (kind >= 8) {
		for (int k = 1; k < 64; k++)
			if (xc_model_random(100) < density[kind - 8])
				c[k] = random_value(deep, number);
	}
}

void xc_model_picture(picture *p, int deep, int round)
{
	for (int b = 0; b < BLOCKS; b++) {
		const int kind = round < KINDS ? round : (int)xc_model_random(KINDS);
		make_block(p->c + b * 64, deep, kind, round, b);
		for (int k = 0; k < 64; k++)
			p->narrow[b * 64 + k] = (int16_t)p->c[b * 64 + k];
	}
}

static unsigned size_of(int32_t v)
{
	unsigned n = 0;
	for (uint32_t m = v < 0 ? 0u - (uint32_t)v : (uint32_t)v; m; m >>= 1)
		n++;
	return n;
}

static int32_t predicted_dc(const int32_t *c, int x, int y)
{
	const int32_t *here = c + (y * WIDE + x) * 64;
	const int32_t left = x ? here[-64] : 0, up = y ? here[-64 * WIDE] : 0;
	if (!x || !y)
		return left + up;
	const int32_t corner = here[-64 * (WIDE + 1)];
	if (corner >= (left > up ? left : up))
		return left < up ? left : up;
	if (corner <= (left < up ? left : up))
		return left > up ? left : up;
	return left + up - corner;
}

static void add(description *d, int ac, unsigned run, int32_t value)
{
	const unsigned size = size_of(value);
	symbol *s = &d->symbols[d->count++];
	*s = (symbol){.ac = ac, .size = size, .value = value, .symbol = size};
	if (ac) {
		s->symbol = run << 4 | (size < 15 ? size : 15);
		s->escape = size >= 15;
	}
}

void xc_model_describe(const int32_t *c, description *d)
{
	d->count = 0;
	for (int b = 0; b < BLOCKS; b++) {
		const int32_t *block = c + b * 64;
		unsigned run = 0;
		add(d, 0, 0, block[0] - predicted_dc(c, b % WIDE, b / WIDE));
		const size_t first = d->count;
		for (int k = 1; k < 64; k++) {
			const int32_t v = block[zigzag[k]];
			if (!v) {
				run++;
				continue;
			}
			for (; run > 15; run -= 16)
				add(d, 1, 15, 0);
			add(d, 1, run, v);
			run = 0;
		}
		if (run)
			add(d, 1, 0, 0);
		d->tokens[b] = d->count - first;
	}
}

static void add_bits(bits *b, uint32_t value, unsigned n)
{
	for (; n; n--, b->count++) {
		if (b->count % 8 == 0)
			b->byte[b->count / 8] = 0;
		b->byte[b->count / 8] |= (uint8_t)((value >> (n - 1) & 1) << (7 - b->count % 8));
	}
}

/* A negative value is sent as the low bits of value - 1. */
void xc_model_write(const description *d, const xc_huffman_code codes[2], bits *out)
{
	out->count = 0;
	for (size_t i = 0; i < d->count; i++) {
		const symbol *s = &d->symbols[i];
		const xc_huffman_code *code = &codes[s->ac];
		add_bits(out, code->code[s->symbol], code->length[s->symbol]);
		if (s->escape)
			add_bits(out, s->size - 15, 4);
		add_bits(out, (uint32_t)(s->value < 0 ? s->value - 1 : s->value), s->size);
	}
}
