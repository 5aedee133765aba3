/* SPDX-License-Identifier: BSD-2-Clause */
/* The Huffman codes: built in, stored one by one, and stored in sets for contexts.
 * Numbers in brackets are sections of doc/format.md. */
#include "tests/format/refdec_internal.h"

#include <string.h>

/* [5.2] */
void refdec_make_code(refdec *d, refdec_code *c, int symbols, const uint8_t *length)
{
	int n = 0;
	uint32_t sum = 0;

	memset(c, 0, sizeof *c);
	for (int l = 1; l <= 16; l++) {
		for (int s = 0; s < symbols; s++) {
			if (length[s] != l)
				continue;
			c->count[l]++;
			c->symbol[n++] = (uint8_t)s;
			sum += 65536u >> l;
		}
	}
	if (sum != 65536)
		refdec_fail(d, "a Huffman code is not complete");
}

/* [5.3] */
static uint8_t nibble(refdec *d, const refdec_chunk *c, uint64_t i)
{
	if (i / 2 >= c->length)
		refdec_fail(d, "bad HUFF");
	return i % 2 ? c->payload[i / 2] & 15 : c->payload[i / 2] >> 4;
}

/* [3.3, 5.3] */
static void read_stored_codes(refdec *d)
{
	const refdec_chunk *c = refdec_need(d, HUFF);
	uint64_t at = 0;

	for (int i = 0; i < (d->components == 1 ? 2 : 4); i++) {
		const int symbols = i % 2 ? 256 : 32;
		uint8_t length[256] = {0};
		for (int s = 0; s < symbols; s++) {
			length[s] = nibble(d, c, at++);
			if (!length[s])
				s += nibble(d, c, at++);
			if (s >= symbols)
				refdec_fail(d, "bad HUFF");
		}
		refdec_make_code(d, i % 2 ? &d->ac[i / 2][0] : &d->dc[i / 2], symbols, length);
		at += at % 2;
	}
	if (at / 2 != c->length)
		refdec_fail(d, "bad HUFF");
}

/* [5.4] Rows of 16 as there; the symbols not named have 16 bits. */
static void built_in_lengths(uint8_t dc_length[2][256], uint8_t ac_length[2][256])
{
	static const uint8_t dc[2][32] = {{2,  3,  3,  3,  3,  3,  4,  5,  6,  7,  8,
	                                   9,  14, 14, 14, 14, 14, 14, 14, 14, 13, 13,
	                                   13, 13, 13, 13, 13, 13, 13, 13, 13, 13},
	                                  {2,  2,  2,  3,  4,  5,  6,  7,  8,  9,  10,
	                                   11, 16, 16, 16, 16, 16, 16, 16, 16, 15, 15,
	                                   15, 15, 15, 15, 15, 15, 15, 15, 15, 15}};
	/* clang-format off */
	static const uint8_t ac[2][16][11] = {
		{{4, 2, 2, 3, 4, 5, 7, 8, 10}, {0, 4, 5, 7, 10, 12}, {0, 5, 8, 10, 12}, {0, 6, 9, 12},
		 {0, 6, 10}, {0, 7, 11}, {0, 7, 12}, {0, 8, 12}, {0, 9, 15}, {0, 9}, {0, 9}, {0, 10},
		 {0, 10}, {0, 11}, {0}, {11, 16, 16, 16, 16, 16, 16, 16, 16, 16, 15}},
		{{2, 2, 3, 4, 5, 5, 6, 7, 10, 10, 12}, {0, 4, 6, 8, 9, 12, 12}, {0, 5, 8, 10, 12, 15},
		 {0, 5, 8, 10, 12}, {0, 6, 9}, {0, 6, 10}, {0, 7, 11}, {0, 7, 11}, {0, 8}, {0, 9}, {0, 9},
		 {0, 9}, {0, 9}, {0, 11}, {0, 14}, {10, 15, 16, 16, 16, 16, 16, 16, 16, 16, 15}}};

	/* clang-format on */
	for (int i = 0; i < 2; i++) {
		memcpy(dc_length[i], dc[i], sizeof dc[i]);
		for (int s = 0; s < 256; s++) {
			const int l = s % 16 < 11 ? ac[i][s / 16][s % 16] : 0;
			ac_length[i][s] = (uint8_t)(l || s % 16 == 0 ? l : 16);
		}
	}
}

/* [5.5] The rank of an AC symbol. */
static int rank(int symbol)
{
	const int r = symbol / 16, s = symbol % 16;

	if (s)
		return (r + 4) * s;
	return symbol == 0 ? 0 : symbol == 0xf0 ? 18 : 1000;
}

/* [5.5] The symbols in the order in which sets store them. */
static void order_symbols(int symbols, int order[256])
{
	for (int s = 0; s < symbols; s++) {
		int at = s;
		for (; symbols == 256 && at && rank(order[at - 1]) > rank(s); at--)
			order[at] = order[at - 1];
		order[at] = s;
	}
}

/* [5.5] The word that stores a length; before: that of the code before. */
static int read_length(refdec *d, int before)
{
	if (!before)
		return refdec_read_bits(d, 1) ? 0 : (int)refdec_read_bits(d, 4);
	switch (refdec_read_bits(d, 2)) {
	case 0:
		return before;
	case 1:
		return refdec_read_bits(d, 1) ? before - 1 : before + 1;
	case 2:
		if (!refdec_read_bits(d, 1))
			return 0;
		return refdec_read_bits(d, 1) ? before - 2 : before + 2;
	default:
		if (refdec_read_bits(d, 1))
			return (int)refdec_read_bits(d, 4);
		return refdec_read_bits(d, 1) ? before - 3 : before + 3;
	}
}

/* [5.5] A code of a set; length: those of the code before, which its own replace. */
static void read_differences(refdec *d, refdec_code *c, int symbols, uint8_t length[256])
{
	int order[256];
	const int n = 1 + (int)refdec_read_bits(d, 8);

	if (n > symbols)
		refdec_fail(d, "too many symbols in HUFF");
	order_symbols(symbols, order);
	for (int i = 0; i < symbols; i++) {
		const int l = i < n ? read_length(d, length[order[i]]) : 0;
		if (l < 0 || l > 16)
			refdec_fail(d, "an impossible length in HUFF");
		length[order[i]] = (uint8_t)l;
	}
	refdec_make_code(d, c, symbols, length);
}

/* [3.3, 5.5] */
static void read_sets(refdec *d, uint8_t dc[2][256], uint8_t ac[2][256])
{
	const refdec_chunk *c = refdec_need(d, HUFF);

	d->bits = c->payload;
	d->bits_end = c->payload + c->length;
	for (int i = 0; i < (d->components == 1 ? 1 : 2); i++) {
		d->bit = 7;
		const int codes = 1 + (int)refdec_read_bits(d, 3);
		if (codes > CONTEXTS)
			refdec_fail(d, "too many codes in HUFF");
		for (int k = 0; k < CONTEXTS; k++) {
			d->taken[i][k] = (uint8_t)refdec_read_bits(d, 3);
			if (d->taken[i][k] >= codes)
				refdec_fail(d, "a context without a code");
		}
		read_differences(d, &d->dc[i], 32, dc[i]);
		for (int k = 0; k < codes; k++)
			read_differences(d, &d->ac[i][k], 256, ac[i]);
		d->bits += d->bit != 7;
	}
	if (d->bits != d->bits_end)
		refdec_fail(d, "bad HUFF");
}

void refdec_read_codes(refdec *d)
{
	uint8_t dc[2][256] = {{0}}, ac[2][256] = {{0}};

	built_in_lengths(dc, ac);
	if (d->entropy == 2) {
		read_sets(d, dc, ac);
	} else if (d->entropy == 1) {
		read_stored_codes(d);
	} else {
		for (int i = 0; i < 2; i++) {
			refdec_make_code(d, &d->dc[i], 32, dc[i]);
			refdec_make_code(d, &d->ac[i][0], 256, ac[i]);
		}
	}
}
