/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lossless decoder for one SIMD level; lossless/tile.c calls it. The makefile compiles this file
 * once per level. State: for each plane its neighbours (lossless/model.h) and sixteen states of
 * rANS; one stream of words for all. The planes of a step do not depend on each other, so the
 * processor has three chains to work at. Bound: as many steps as the shape has, two words of 16 bits
 * a lane; words are counted after each step.
 */
#include "lossless/code.h"
#include "lossless/steps.h"

/* The sixteen steps whose samples have not been stored as rows. */
typedef struct block {
	int16_t of[16][XC_LANES16];
} block;

static void store_block(const xc_bundle *b, int c, int x, const block *from)
{
	const xc_plane16 *s = &b->part->samples[c];
	xc_row16 row[16];

	memcpy(row, from->of, sizeof row);
	transpose16(row);
	/* Lane i ends at column x - 2 i. What is stored before a row or after it is its margin, which
	 * is complete when the next row needs it. */
	for (uint32_t i = 0; i < b->rows; i++) {
		const int column = x - 15 - XC_LAG * (int)i;
		int16_t *to = s->first + (ptrdiff_t)(b->y + i) * s->stride + column;
		memcpy(to, &row[i], sizeof row[i]);
	}
}

typedef struct reader {
	const uint8_t *words;
	lanes x[XC_PLANES];
} reader;

LANES_INLINE lanes decode_residue(reader *r, const int c, const xc_bucket *buckets, lanes level,
                                  int bits, lane_mask active, const int edge)
{
	const lanes x = r->x[c], slot = and(x, all_lanes(XC_SLOTS - 1)), bucket = srl(slot, 8);
	lanes own, other;

	gather_halves(buckets, or (sll(level, 4), bucket), &own, &other);
	const lane_mask is_own = less(and(slot, all_lanes(XC_BUCKET - 1)), srl(own, 24));
	const lanes entry = blend(is_own, other, own);
	const lanes symbol = blend(is_own, srl(other, 24), bucket);
	const lanes within = and(add(slot, srl(entry, 12)), all_lanes(XC_SLOTS - 1));
	lanes y = add(mul(and(entry, all_lanes(XC_SLOTS - 1)), srl(x, XC_FREQUENCY_BITS)), within);
	lane_mask low = less_unsigned(y, all_lanes(1 << 16));
	y = take_words(y, edge ? both(low, active) : low, &r->words);

	const lanes shift = raw_bits_of(level), n = max(sub(symbol, all_lanes(9)), all_lanes(0));
	const lane_mask large = equal(symbol, all_lanes(15));
	const lanes base = sllv(sub(add(sllv(all_lanes(1), n), min(symbol, all_lanes(9))),
	                            all_lanes(1)),
	                        shift);
	const lanes count = blend(large, add(n, shift), all_lanes(bits));
	const lanes raw = sub(y, sllv(srlv(y, count), count));
	const lanes z = add(blend(large, base, all_lanes(0)), raw);
	y = srlv(y, count);
	low = less_unsigned(y, all_lanes(1 << 16));
	y = take_words(y, edge ? both(low, active) : low, &r->words);
	r->x[c] = edge ? blend(active, x, y) : y;
	return xor(srl(z, 1), sub(all_lanes(0), and(z, all_lanes(1))));
}

LANES_INLINE void decode_step(xc_bundle *b, reader *r, const int c, int x, const int edge,
                              const int near, const xc_bucket *buckets, block *out)
{
	const int bits = (int)b->part->model[c].bits;
	const int32_t high = (1 << (bits - 1)) - 1, low = -high - 1;
	const lane_mask active = mask_with(edge ? lanes_active(b, x) : 0xffff);
	const xc_expected e = bundle_expect(b, c, x);
	const lanes expected = min(max(e.sample, all_lanes(low)), all_lanes(high));
	lanes residue = decode_residue(r, c, buckets, e.level, bits, active, edge);
	lanes sample, magnitude;

	if (near) {
		residue = mul(residue, all_lanes(2 * b->part->near + 1));
		sample = min(max(add(expected, residue), all_lanes(low)), all_lanes(high));
	} else {
		sample = add(expected, residue);
		sample = srav(sllv(sample, all_lanes(32 - bits)), all_lanes(32 - bits));
	}
	magnitude = min(max(residue, sub(all_lanes(0), residue)), all_lanes(32767));
	if (edge) {
		sample = blend(active, bundle_idle(b, c, x, &e), sample);
		magnitude = blend(active, all_lanes(0), magnitude);
	}
	bundle_advance(b, c, x, &e, sample, magnitude);
	store16(out->of[x % 16], sample);
	if (x % 16 == 15)
		store_block(b, c, x, out);
}

LANES_INLINE void decode_bundle(xc_bundle *b, reader *reading, const int planes, const int near,
                                const xc_decode_memory *mem)
{
	const int full = b->rows == XC_LANES16, end = b->steps + planes - 1;
	block blocks[XC_PLANES];
	reader r = *reading;

	for (int t = 0; t < end; t++) {
		const int inside = full && t >= XC_IDLE + planes - 1 && t < (int)b->part->width;
#pragma GCC unroll 3
		for (int c = planes - 1; c >= 0; c--) {
			const int x = t - c;
			if (!b->part->model[c].bits || x < 0 || x >= b->steps)
				continue;
			if (inside)
				decode_step(b, &r, c, x, 0, near, mem->buckets[c], &blocks[c]);
			else
				decode_step(b, &r, c, x, 1, near, mem->buckets[c], &blocks[c]);
		}
		if (r.words > b->words_end)
			break;
	}
	*reading = r;
	for (int c = 0; c < planes; c++)
		if (b->steps % 16 && b->part->model[c].bits)
			store_block(b, c, b->steps | 15, &blocks[c]);
}

static void make_buckets(const xc_part *p, xc_decode_memory *mem)
{
	for (int c = 0; c < p->planes; c++)
		for (int l = 0; l < XC_LEVELS; l++) {
			uint16_t f[XC_SYMBOLS];
			xc_shape_frequencies(p->shapes[c][l], f);
			xc_buckets_make(f, &mem->buckets[c][l * XC_SYMBOLS]);
		}
}

int XC_LEVEL(xc_part_decode)(xc_part *p, const uint8_t *from, const uint8_t *end,
                             xc_decode_memory *mem)
{
	uint32_t states[XC_PLANES][XC_LANES16];
	reader r;
	int good = 1;

	from = xc_states_read(p, from, end, states);
	if (!from)
		return 0;
	make_buckets(p, mem);
	r.words = from;
	for (int c = 0; c < XC_PLANES; c++)
		r.x[c] = c < p->planes ? load(states[c]) : all_lanes(0);
	for (uint32_t y = 0; y < p->height && r.words <= end; y += XC_LANES16) {
		xc_bundle b;
		bundle_begin(&b, p, y, mem->sums);
		b.words_end = end;
		if (p->near) {
			if (p->planes == 1)
				decode_bundle(&b, &r, 1, 1, mem);
			else
				decode_bundle(&b, &r, 3, 1, mem);
		} else if (p->planes == 1) {
			decode_bundle(&b, &r, 1, 0, mem);
		} else {
			decode_bundle(&b, &r, 3, 0, mem);
		}
	}
	for (int c = 0; c < p->planes; c++)
		good &= bits_of(equal(r.x[c], all_lanes(1 << 16))) == 0xffff;
	return good && r.words == end;
}
