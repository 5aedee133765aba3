/* SPDX-License-Identifier: BSD-2-Clause */
/* Codes residues: see array/code.h. array/chunk.h calls it. */
#include "array/code.h"

#include <string.h>

uint64_t xc_residues_count(const xc_residues *r, uint32_t (*counts)[XC_SYMBOLS])
{
	const unsigned wide = r->wide ? 64 : 32;
	uint64_t above = 0;
	size_t at = 0;

	for (size_t row = 0; row < r->rows; row++) {
		const size_t end = at + (r->row[row] & 0xffffff);
		uint32_t(*set)[XC_SYMBOLS] = counts + (r->row[row] >> 24) * XC_LEVELS;
		for (; at < end; at++) {
			const unsigned level = r->level[at], shape = xc_shape_level(level);
			unsigned bits;
			uint64_t raw;
			if (level == XC_LEVEL_IDLE)
				continue;
			const unsigned s = xc_symbol_of(xc_residue(r, at), level, wide, &bits, &raw);
			set[shape][s]++;
			if (s != XC_SYMBOL_ESCAPE)
				above += xc_raw_bits(level) - xc_raw_bits(shape);
		}
	}
	return above;
}

size_t xc_residues_bound(const xc_residues *r, unsigned lanes)
{
	size_t values = 0;

	for (size_t row = 0; row < r->rows; row++)
		values += r->row[row] & 0xffffff;
	/* A symbol of the least frequency takes 12 bits, an escape 64 more. */
	return 4 * (size_t)lanes + values * (r->wide ? 10 : 6) + 64;
}

/* ---------------------------------------------------------------- coding */

static inline uint8_t *put(uint32_t *x, uint64_t limit, uint8_t *to)
{
	if (*x >= limit) {
		to -= 2;
		to[0] = (uint8_t)*x;
		to[1] = (uint8_t)(*x >> 8);
		*x >>= 16;
	}
	return to;
}

/* Takes the lanes of a group in reverse: raw bits from the last round on, then symbols. */
static uint8_t *encode_group(const xc_residues *r, size_t at, unsigned n, unsigned set,
                             const xc_array_encode_tables *tables, uint32_t *state, uint8_t *to)
{
	uint8_t symbol[XC_ARRAY_LANES];
	unsigned bits[XC_ARRAY_LANES], most = 0;
	uint64_t raw[XC_ARRAY_LANES];

	for (unsigned i = 0; i < n; i++) {
		bits[i] = 0;
		if (r->level[at + i] == XC_LEVEL_IDLE)
			continue;
		symbol[i] = (uint8_t)xc_symbol_of(xc_residue(r, at + i), r->level[at + i],
		                                  r->wide ? 64 : 32, &bits[i], &raw[i]);
		most = bits[i] > most ? bits[i] : most;
	}
	for (unsigned round = (most + 15) / 16; round-- > 0;)
		for (unsigned i = n; i-- > 0;) {
			if (bits[i] <= 16 * round)
				continue;
			const unsigned b = bits[i] - 16 * round < 16 ? bits[i] - 16 * round : 16;
			const uint32_t v = (uint32_t)(raw[i] >> 16 * round) & ((1U << b) - 1);
			to = put(&state[i], 1ULL << (32 - b), to);
			state[i] = state[i] << b | v;
		}
	for (unsigned i = n; i-- > 0;) {
		if (r->level[at + i] == XC_LEVEL_IDLE)
			continue;
		const unsigned table = set * XC_LEVELS + xc_shape_level(r->level[at + i]);
		const xc_code_symbol *s = &tables->symbols[table][symbol[i]];
		const uint32_t f = s->frequency & (XC_FREQUENCY_ONE - 1), first = s->frequency >> 12;
		to = put(&state[i], (uint64_t)f << 20, to);
		state[i] = state[i] / f << 12 | tables->slots[table][first + state[i] % f];
	}
	return to;
}

uint8_t *xc_residues_encode(const xc_residues *r, const xc_array_encode_tables *tables,
                            unsigned lanes, uint8_t *end)
{
	uint32_t state[XC_ARRAY_LANES];
	size_t at = 0;
	uint8_t *to = end;

	for (unsigned i = 0; i < lanes; i++)
		state[i] = XC_STATE_MIN;
	for (size_t row = 0; row < r->rows; row++)
		at += r->row[row] & 0xffffff;
	for (size_t row = r->rows; row-- > 0;) {
		const uint32_t n = r->row[row] & 0xffffff;
		at -= n;
		for (uint32_t group = n ? (n - 1) / lanes * lanes : 0; n; group -= lanes) {
			const unsigned some = n - group < lanes ? n - group : lanes;
			to = encode_group(r, at + group, some, r->row[row] >> 24, tables, state, to);
			if (!group)
				break;
		}
	}
	for (unsigned i = lanes; i-- > 0;) {
		to -= 4;
		for (int b = 0; b < 4; b++)
			to[b] = (uint8_t)(state[i] >> 8 * b);
	}
	return to;
}

/* -------------------------------------------------------------- decoding */

int xc_residues_begin(xc_residue_reader *r, const uint8_t *data, size_t size, unsigned lanes)
{
	if (size < 4 * (size_t)lanes)
		return 0;
	*r = (xc_residue_reader){.next = data + 4 * (size_t)lanes, .end = data + size, .lanes = lanes};
	for (unsigned i = 0; i < lanes; i++) {
		const uint8_t *p = data + 4 * (size_t)i;
		r->state[i] = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
		              (uint32_t)p[3] << 24;
		if (r->state[i] < XC_STATE_MIN)
			return 0;
	}
	return 1;
}

static inline uint32_t filled(xc_residue_reader *r, uint32_t x)
{
	if (x >= XC_STATE_MIN)
		return x;
	if (r->end - r->next < 2) {
		r->bad = 1;
		return XC_STATE_MIN;
	}
	x = x << 16 | (uint32_t)(r->next[0] | r->next[1] << 8);
	r->next += 2;
	return x;
}

/* The symbols of a group; returns the most raw bits of a lane. */
static inline unsigned take_symbols(xc_residue_reader *r, const xc_bucket (*tables)[XC_SYMBOLS],
                                    const uint8_t *level, unsigned n, unsigned wide, uint8_t *bits,
                                    uint64_t *base)
{
	unsigned most = 0;

	for (unsigned i = 0; i < n; i++) {
		bits[i] = 0;
		base[i] = 0;
		if (level[i] == XC_LEVEL_IDLE)
			continue;
		const uint32_t x = r->state[i], slot = x & (XC_FREQUENCY_ONE - 1), bucket = slot >> 8;
		const xc_bucket *b = &tables[wide == 64 ? xc_shape_level(level[i]) : level[i]][bucket];
		const int own = (slot & 255) < b->own >> 24;
		const uint32_t entry = own ? b->own : b->other;
		const unsigned s = own ? bucket : b->other >> 24, c = xc_raw_bits(level[i]);
		r->state[i] = filled(r, (entry & 4095) * (x >> 12) +
		                            ((slot + (entry >> 12 & 4095)) & (XC_FREQUENCY_ONE - 1)));
		const unsigned more = s > 9 ? s - 9 : 0;
		bits[i] = (uint8_t)(s == XC_SYMBOL_ESCAPE ? wide : more + c);
		if (s != XC_SYMBOL_ESCAPE)
			base[i] = (uint64_t)((1U << more) - 1 + (s < 9 ? s : 9)) << c;
		most = bits[i] > most ? bits[i] : most;
	}
	return most;
}

static inline void take_group(xc_residue_reader *r, const xc_bucket (*tables)[XC_SYMBOLS],
                              const uint8_t *level, unsigned n, unsigned wide, uint64_t *z)
{
	uint8_t bits[XC_ARRAY_LANES];
	const unsigned most = take_symbols(r, tables, level, n, wide, bits, z);

	for (unsigned round = 0; 16 * round < most; round++)
		for (unsigned i = 0; i < n; i++) {
			if (bits[i] <= 16 * round)
				continue;
			const unsigned b = bits[i] - 16 * round < 16 ? bits[i] - 16 * round : 16;
			z[i] += (uint64_t)(r->state[i] & ((1U << b) - 1)) << 16 * round;
			r->state[i] = filled(r, r->state[i] >> b);
		}
}

void xc_residues_row32(xc_residue_reader *r, const xc_array_decode_tables *tables, int set,
                       const uint8_t *level, uint32_t n, uint32_t *z)
{
	const xc_bucket(*own)[XC_SYMBOLS] = tables->buckets + (size_t)set * XC_LEVELS;
	uint64_t group[XC_ARRAY_LANES];

	for (uint32_t i = 0; i < n; i += r->lanes) {
		const unsigned some = n - i < r->lanes ? n - i : r->lanes;
		take_group(r, own, level + i, some, 32, group);
		for (unsigned k = 0; k < some; k++)
			z[i + k] = (uint32_t)group[k];
	}
}

void xc_residues_row64(xc_residue_reader *r, const xc_array_decode_tables *tables, int set,
                       const uint8_t *level, uint32_t n, uint64_t *z)
{
	const xc_bucket(*own)[XC_SYMBOLS] = tables->buckets + (size_t)set * XC_LEVELS;

	for (uint32_t i = 0; i < n; i += r->lanes)
		take_group(r, own, level + i, n - i < r->lanes ? n - i : r->lanes, 64, z + i);
}

int xc_residues_end(const xc_residue_reader *r)
{
	for (unsigned i = 0; i < r->lanes; i++)
		if (r->state[i] != XC_STATE_MIN)
			return 0;
	return !r->bad && r->next == r->end;
}
