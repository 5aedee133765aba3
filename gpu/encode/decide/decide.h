/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values and symbols of the rANS mode: decisions by rate and distortion, as in
 * src/encode/decide_rans.c, or rounding. Launched by gpu/encode/decide/decide.cu.
 *
 * A thread takes a block of one kind. Blocks of the first kind see guesses of their neighbours
 * (xc_gpu_make_sizes()); in a second launch blocks of the other kind see the decisions about the
 * first. Decisions replace the guesses; xc_gpu_take_block() makes symbols of them.
 */
#ifndef XC_GPU_ENCODE_DECIDE_DECIDE_H
#define XC_GPU_ENCODE_DECIDE_DECIDE_H

#include "gpu/encode/decide/coefficients.h"
#include "gpu/encode/rans/contexts.h"

/*
 * The input of decisions: a thread block takes a slice of a tile, a thread a block. It subtracts AC
 * prediction and stores magnitudes as bytes in the place of later contexts, their signs, a word
 * (see xc_gpu_size_word()), and guesses of the decisions as symbols.
 */

/* Sets a bit of *mask if a and b differ, in two instructions; nvcc would take three. */
XC_GPU_INLINE void xc_gpu_set_if_other(uint32_t *mask, uint32_t bit, uint32_t a, uint32_t b)
{
#ifdef __CUDA_ARCH__
	asm("{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %1, %2;\n\t@p or.b32 %0, %0, %3;\n\t}"
	    : "+r"(*mask)
	    : "r"(a), "r"(b), "r"(bit));
#else
	*mask |= a != b ? bit : 0;
#endif
}

/* The word of a block: its factor, 8 bits; zones with nonzero rounded values, 3 bits; from bit 16
 * on the number of class bits of its DC. */
XC_GPU_INLINE uint32_t xc_gpu_size_word(uint32_t factor, const uint32_t max[3], uint32_t dc)
{
	uint32_t word = factor | (dc < XC_RANS_FIRST_CLASS ? 0 : xc_gpu_class_size(dc)) << 16;

	XC_UNROLL
	for (int g = 0; g < 3; g++)
		word |= (uint32_t)(max[g] >= XC_STEP_PARTS / 2) << (8 + g);
	return word;
}

/* Guesses what is decided about four sizes. */
XC_GPU_INLINE uint32_t xc_gpu_guess_four(uint32_t sizes)
{
	return (sizes + 0x01010101u * XC_RANS_GUESS_ROUNDING) >> 4 & 0x0f0f0f0f;
}

/* Bytes of 1 for the positions from 4 w to 4 w + 3 that are in zone g. */
XC_GPU_CONSTANT uint32_t xc_gpu_zone_bytes(int w, int g)
{
	uint32_t bytes = 0;

	for (int k = 4 * w; k < 4 * w + 4; k++)
		bytes |= (uint32_t)(k && XC_GPU_RANS_ZONE(k) == g) << 8 * (k % 4);
	return bytes;
}

/* Adds four values, of positions 4 w to 4 w + 3, to the sums of their zones. */
XC_GPU_INLINE void xc_gpu_sum_four(uint32_t sums[3], uint32_t four, int w)
{
	XC_UNROLL
	for (int g = 0; g < 3; g++)
		if (xc_gpu_zone_bytes(w, g))
			sums[g] = xc_gpu_dot(four, xc_gpu_zone_bytes(w, g), sums[g]);
}

/* Eight values as a word of nibbles. */
XC_GPU_INLINE uint32_t xc_gpu_nibbles(uint32_t low, uint32_t high)
{
	/* Two positions in bytes 0 and 2 of each. */
	return xc_gpu_pick(low | low >> 4, high | high >> 4, 0x6420);
}

/* Stores guesses for the sizes of a block. */
XC_GPU_INLINE void xc_gpu_make_guess(const xc_gpu_encode_job *j, size_t block,
                                     const uint32_t bytes[16])
{
	uint32_t sums[3] = {0, 0, 0}, words[8];

	XC_UNROLL
	for (int i = 0; i < 8; i++) {
		const uint32_t low = xc_gpu_guess_four(bytes[2 * i]);
		const uint32_t high = xc_gpu_guess_four(bytes[2 * i + 1]);
		xc_gpu_sum_four(sums, low, 2 * i);
		xc_gpu_sum_four(sums, high, 2 * i + 1);
		words[i] = xc_gpu_nibbles(low, high);
	}
	xc_gpu_store_symbols(j, block, words);
	j->rans.sums[block] = xc_gpu_rans_sums(sums);
}

/* What a block's coefficients give. */
typedef struct xc_gpu_block_sizes {
	uint32_t bytes[16], max[3]; /* by zone */
	uint32_t negative[2];       /* by place */
	uint32_t squares;           /* for its factor */
} xc_gpu_block_sizes;

/* Adds eight coefficients, from position `first` on, a constant; all but the DC. */
XC_GPU_INLINE void xc_gpu_size8(const xc_gpu_encode_job *j, const int32_t c[8], int first,
                                xc_gpu_block_sizes *b)
{
	const uint8_t scan[64] = {XC_SCAN_TABLE};

	b->bytes[first / 4] = b->bytes[first / 4 + 1] = 0;
	XC_UNROLL
	for (int n = first ? 0 : 1; n < 8; n++) {
		const int k = first + n, g = XC_GPU_RANS_ZONE(k), raster = scan[k & 63];
		const uint32_t m = xc_gpu_magnitude(c[n]), size = xc_gpu_min(m, XC_GPU_RANS_SIZES - 1);
		b->bytes[k / 4] |= size << 8 * (k % 4);
		b->max[g] = b->max[g] > size ? b->max[g] : size;
		b->negative[raster / 32] |= (uint32_t)(c[n] >> 31) & UINT32_C(1) << raster % 32;
		b->squares += xc_gpu_square(j, m, k);
	}
}

XC_GPU_INLINE void xc_gpu_size_block(const xc_gpu_encode_job *j, const xc_gpu_coded_tile *c,
                                     uint32_t i, int depth16)
{
	const size_t block = c->first + i;
	const xc_gpu_tile_block p = xc_gpu_tile_block_at(c, i);
	xc_gpu_vec16 *const slot = xc_gpu_slot(j, block, depth16);
	xc_gpu_block_sizes b = {{0}, {0, 0, 0}, {0, 0}, 0};
	xc_gpu_packed8 all[8];

	XC_UNROLL
	for (int g = 0; g < 8; g++)
		xc_gpu_load_stored(&all[g], slot, g, depth16);
	/* All loads are issued before the first use. (With depth16 registers do not suffice.) */
	const xc_gpu_near_dcs near = xc_gpu_near_dcs_of(&p, j->dc + c->first, i);
	XC_UNROLL
	for (int g = 0; g < (depth16 ? 0 : 8); g++)
		XC_UNROLL
	for (int w = 0; w < 4; w++)
		XC_OPAQUE_AGAIN(all[g].of[0].depth16[w], "r");
	const int32_t difference = xc_gpu_near_difference(&near, depth16);
	XC_UNROLL
	for (int g = 0; g < 8; g++) {
		int32_t v[8];
		xc_gpu_unpack8(&all[g], depth16, v);
		if (g == 0) {
			xc_gpu_remove_ac_prediction(j, &near, p.chroma, depth16, v);
			xc_gpu_slot_set(slot, 1, v[1], depth16);
			xc_gpu_slot_set(slot, 2, v[2], depth16);
		}
		xc_gpu_size8(j, v, 8 * g, &b);
	}
	xc_gpu_make_guess(j, block, b.bytes);
	b.bytes[0] |= xc_rans_symbol(xc_gpu_magnitude(difference));
	xc_gpu_vec16 *const records = j->rans.sizes + xc_gpu_vecs_at(block, 4);
	XC_UNROLL
	for (int part = 0; part < 4; part++) {
		xc_gpu_vec16 vec;
		XC_UNROLL
		for (int w = 0; w < 4; w++)
			vec.depth16[w] = b.bytes[4 * part + w];
		records[part * XC_GPU_TOGETHER] = vec;
	}
	b.negative[0] |= difference < 0;
	j->rans.signs[block] = b.negative[0] | (uint64_t)b.negative[1] << 32;
	j->rans.size_words[block] = xc_gpu_size_word(xc_gpu_factor_of(j, p.chroma, b.squares), b.max,
	                                             xc_gpu_magnitude(difference));
}

XC_GPU_INLINE void xc_gpu_make_sizes(const xc_gpu_encode_job *j, xc_cta t, uint32_t tile,
                                     uint32_t slice, int depth16)
{
	const xc_gpu_coded_tile c = xc_gpu_coded_tile_at(j, tile);
	const uint32_t from = slice * XC_GPU_SLICE, end = xc_gpu_slice_end(&c, from);

	for (uint32_t i = from + t.rank; i < end; i += t.size)
		xc_gpu_size_block(j, &c, i, depth16);
}

enum {
	XC_GPU_DECIDE_CTA =
		192 /* the 576 blocks of a kind of the most common tile are three thread blocks */
};

/* Shared memory of a thread block. */
typedef struct xc_gpu_decide_shared {
	xc_gpu_rans_contexts contexts;
	xc_gpu_rans_decisions decisions;
} xc_gpu_decide_shared;

/* A block and the running state of its decisions. */
typedef struct xc_gpu_decide_block {
	xc_gpu_rans_seen seen; /* its own symbols: decided so far */
	uint32_t sizes[16];    /* bytes, by position */
	uint32_t chroma, factor;
	uint32_t sum; /* of the zone's symbols */
	int32_t net;  /* of the zone: costs minus savings */
} xc_gpu_decide_block;

/* Thread blocks for the blocks of a kind of a whole tile. Two blocks side by side are of different
 * kinds, so each pair of blocks of a row has one of each. */
XC_GPU_INLINE uint32_t xc_gpu_decide_ctas(const xc_gpu_encode_job *j)
{
	const uint32_t chroma_rows = j->components > 1 ? 2 * j->picture.tile_high : 0;
	const uint32_t pairs = j->picture.tile_high * j->v * ((j->picture.tile_wide * j->h + 1) / 2) +
	                       chroma_rows * ((j->picture.tile_wide + 1) / 2);

	return (pairs + XC_GPU_DECIDE_CTA - 1) / XC_GPU_DECIDE_CTA;
}

/* The block of a kind, 0 or 1, in pair number n of a tile; c->blocks: none. The wavefront reaches
 * blocks of kind 1 after an odd number of steps (entropy/rans/model.h). */
XC_GPU_INLINE uint32_t xc_gpu_decide_find(const xc_gpu_coded_tile *c, int colour, uint32_t n,
                                          uint32_t kind)
{
	const uint32_t luma_pairs = (c->luma_wide + 1) / 2, luma_rows = c->luma_blocks / c->luma_wide;
	const uint32_t chroma = n >= luma_rows * luma_pairs;
	const uint32_t own = n - (chroma ? luma_rows * luma_pairs : 0);
	const uint32_t wide = chroma ? c->wide : c->luma_wide, pairs = (wide + 1) / 2,
				   row = own / pairs;
	const uint32_t high = chroma ? c->chroma_blocks / wide : luma_rows;
	const uint32_t offset = xc_gpu_row_offset(row, high);
	const uint32_t x = 2 * (own - row * pairs) + ((offset + kind) & 1);

	if (x >= wide || (chroma && (!colour || row >= 2 * high)))
		return c->blocks;
	return (chroma ? c->luma_blocks : 0) + row * wide + x;
}

/* The cost of bits in the block. */
XC_GPU_INLINE int32_t xc_gpu_worth(const xc_gpu_decide_block *b, uint32_t bits)
{
	return (int32_t)(bits * b->factor >> 4);
}

/* Chooses a value for a size that may become nonzero. *best: the cost of 0, which becomes the cost
 * of the choice minus its savings. Both nonzero values are always evaluated, so that lanes do not
 * diverge. */
XC_GPU_INLINE uint32_t xc_gpu_choose(const xc_gpu_decide_block *b, const xc_gpu_decide_shared *s,
                                     const uint16_t *costs, uint32_t size, int32_t *best)
{
	const xc_gpu_rans_choice choice = s->decisions.choice[b->chroma][size];
	const int32_t low = xc_gpu_worth(b, costs[choice.low]) - choice.low_gain;
	const int32_t high = xc_gpu_worth(b, costs[choice.high]) - choice.high_gain;
	uint32_t chosen = low < *best ? choice.low : 0;
	const int32_t min_cost = low < *best ? low : *best;

	chosen = high < min_cost ? choice.high : chosen;
	*best = high < min_cost ? high : min_cost;
	return chosen;
}

/* Decides about position k, a constant. */
XC_GPU_INLINE void xc_gpu_decide_position(xc_gpu_decide_block *b, const xc_gpu_decide_shared *s,
                                          int k)
{
	const uint32_t size = b->sizes[k / 4] >> 8 * (k % 4) & 255;
	const uint32_t expected = xc_gpu_rans_expect(&b->seen, &s->contexts, b->chroma, k);
	const uint32_t bin = xc_gpu_min(expected >> XC_RANS_EXPECT_SHIFT, XC_RANS_BINS - 1);
	const uint16_t *const costs = s->decisions.cost[b->chroma][k >= 10][bin];
	int32_t cost = xc_gpu_worth(b, costs[0]);

	if (size >= XC_STEP_PARTS / 2) {
		const uint32_t chosen = xc_gpu_choose(b, s, costs, size, &cost);
		b->seen.now.of[k / 8 * 2 + k % 2] |= chosen << 8 * XC_GPU_RANS_BYTE(k);
		b->sum += chosen;
	}
	b->net += cost; /* it needs no limit here: see XC_RANS_MIN_NET */
}

/* Decides about zone g, positions `first` to `end` - 1, all of which are constants. */
XC_GPU_INLINE void xc_gpu_decide_zone(xc_gpu_decide_block *b, const xc_gpu_decide_shared *s, int g,
                                      int first, int end)
{
	const uint32_t sum = xc_gpu_rans_expect_flag(&b->seen, s->contexts.flag[b->chroma][g], g);
	const uint32_t level = xc_gpu_rans_level(s->contexts.level[b->chroma][XC_RANS_FLAG_SET + g],
	                                         sum) /
	                       2;
	const uint16_t *const costs = s->decisions.flag[b->chroma][g][level];

	b->net = xc_gpu_worth(b, costs[1]);
	b->sum = 0;
	XC_UNROLL
	for (int k = first; k < end; k++)
		xc_gpu_decide_position(b, s, k);
	if (b->net < xc_gpu_worth(b, costs[0])) {
		b->seen.sums |= xc_gpu_min(b->sum, XC_GPU_RANS_MAX_SUM) << 4 * g;
		return;
	}
	XC_UNROLL
	for (int k = first; k < end; k++)
		b->seen.now.of[k / 8 * 2 + k % 2] &= ~(255u << 8 * XC_GPU_RANS_BYTE(k));
}

/* Decides about block i of a tile. */
XC_GPU_INLINE void xc_gpu_decide(const xc_gpu_encode_job *j, const xc_gpu_coded_tile *c, uint32_t i,
                                 const xc_gpu_decide_shared *s)
{
	const size_t block = c->first + i;
	const xc_gpu_tile_block p = xc_gpu_tile_block_at(c, i);
	const xc_gpu_rans_neighbours n = xc_gpu_rans_neighbours_of(c, i, &p);
	const uint32_t word = j->rans.size_words[block];
	const xc_gpu_vec16 *const records = j->rans.sizes + xc_gpu_vecs_at(block, 4);
	xc_gpu_decide_block b;
	uint32_t words[8];

	XC_UNROLL
	for (int part = 0; part < 4; part++) {
		const xc_gpu_vec16 vec = records[part * XC_GPU_TOGETHER];
		XC_UNROLL
		for (int w = 0; w < 4; w++)
			b.sizes[4 * part + w] = vec.depth16[w];
	}
	xc_gpu_see(j, c, n.left, &b.seen.left, &b.seen.left_sums);
	xc_gpu_see(j, c, n.up, &b.seen.up, &b.seen.up_sums);
	XC_UNROLL
	for (int w = 0; w < 16; w++)
		b.seen.now.of[w] = 0;
	b.seen.now.of[0] = b.sizes[0] & 255; /* the DC's symbol */
	b.seen.sums = 0;
	b.chroma = p.chroma;
	b.factor = word & 255;
	if (word & 1u << 8)
		xc_gpu_decide_zone(&b, s, 0, 1, 10);
	if (word & 1u << 9)
		xc_gpu_decide_zone(&b, s, 1, 10, 28);
	if (word & 1u << 10)
		xc_gpu_decide_zone(&b, s, 2, 28, 64);
	XC_UNROLL
	for (int w = 0; w < 8; w++)
		words[w] = b.seen.now.of[2 * w] | b.seen.now.of[2 * w + 1] << 4;
	xc_gpu_store_symbols(j, block, words);
	j->rans.sums[block] = b.seen.sums;
}

/* Decides about the blocks of a kind in part `part` of a tile. */
XC_GPU_INLINE void xc_gpu_decide_part(const xc_gpu_encode_job *j, xc_cta t, uint32_t tile,
                                      uint32_t part, uint32_t kind, const xc_gpu_decide_shared *s)
{
	const xc_gpu_coded_tile c = xc_gpu_coded_tile_at(j, tile);
	const uint32_t from = part * XC_GPU_DECIDE_CTA;

	for (uint32_t n = from + t.rank; n < from + XC_GPU_DECIDE_CTA; n += t.size) {
		const uint32_t i = xc_gpu_decide_find(&c, j->components > 1, n, kind);
		if (i < c.blocks)
			xc_gpu_decide(j, &c, i, s);
	}
}

/* Without decisions coefficients are rounded and become symbols: a thread block takes a slice of a
 * tile, a thread a block. */

/*
 * Decisions become symbols: a thread block takes a slice of a tile, a thread a block. Large values
 * get their symbols, signs are compacted, and offsets summed.
 */

/* Four bytes of 1 where bytes below 128 are not 0, and 0 elsewhere. */
XC_GPU_INLINE uint32_t xc_gpu_not_zero(uint32_t four)
{
	return (four + 0x7f7f7f7f) >> 7 & 0x01010101;
}

/* Adds up the offsets of four values, 0 to XC_RANS_NEAREST, of sizes. */
XC_GPU_INLINE void xc_gpu_note_four(xc_gpu_block_offsets *o, uint32_t values, uint32_t sizes)
{
	const uint32_t one = xc_gpu_not_zero(values) & ~xc_gpu_not_zero(values ^ 0x01010101);
	const uint32_t more = xc_gpu_not_zero(values) & ~one;
	const uint32_t count = xc_gpu_dot(one, 0x01010101, 0);
	const uint32_t counts = xc_gpu_dot(more, 0x01010101, 0);

	o->one += count * (0x10000 + XC_STEP_PARTS) - xc_gpu_dot(sizes, one, 0);
	o->more += counts * 0x10000 + xc_gpu_dot(values, more * XC_STEP_PARTS, 0) -
	           xc_gpu_dot(sizes, more, 0);
}

/* The AC values in word w of a block that are XC_RANS_NEAREST, the maximum, marked by their highest
 * bit. */
XC_GPU_INLINE uint32_t xc_gpu_nearest_bits(const uint32_t words[8], int w)
{
	return words[w] & (w ? 0x88888888 : 0x88888880);
}

/* Makes the symbol of coefficient c at position k of a block, whose offset was summed for `value`
 * and the clipped size `noted`. Corrects the offsets and adds the class bits to *bits; a value with
 * class bits is stored in the slot for the writer of raw bits. Returns the symbol minus `value`. */
XC_GPU_INLINE uint32_t xc_gpu_large_symbol(xc_gpu_vec16 *slot, uint32_t k, int32_t c,
                                           uint32_t rounding, uint32_t value, uint32_t noted,
                                           int depth16, xc_gpu_block_offsets *o, uint32_t *bits)
{
	const uint32_t size = xc_gpu_magnitude(c), m = (size + rounding) / XC_STEP_PARTS;

	o->more += (m - value) * XC_STEP_PARTS - (size - noted);
	if (m < XC_RANS_FIRST_CLASS)
		return m - value;
	*bits += xc_gpu_class_size(m);
	xc_gpu_slot_set(slot, k, c < 0 ? -(int32_t)m : (int32_t)m, depth16);
	return xc_rans_symbol(m) - value;
}

/* Makes the symbols of a block's large magnitudes.  Returns their class bits. */
XC_GPU_INLINE uint32_t xc_gpu_take_all_nearest(const xc_gpu_encode_job *j, size_t block,
                                               int depth16, uint32_t words[8],
                                               xc_gpu_block_offsets *o)
{
	xc_gpu_vec16 *const slot = xc_gpu_slot(j, block, depth16);
	const xc_gpu_vec16 *const sizes = j->rans.sizes + xc_gpu_vecs_at(block, 4);
	uint32_t bits = 0, sums[3];

	XC_UNROLL
	for (int g = 0; g < 3; g++)
		sums[g] = j->rans.sums[block] >> 4 * g & 15;
	XC_UNROLL
	for (int w = 0; w < 8; w++) {
		XC_ROLLED
		for (uint32_t large = xc_gpu_nearest_bits(words, w); large; large &= large - 1) {
			const uint32_t shift = (uint32_t)xc_gpu_lowest(large) - 3,
						   k = 8 * (uint32_t)w + shift / 4;
			const uint32_t size = sizes[k / 16 * XC_GPU_TOGETHER].depth16[k / 4 % 4] >>
			                          8 * (k % 4) &
			                      255;
			const uint32_t more = xc_gpu_large_symbol(slot, k, xc_gpu_slot_get(slot, k, depth16),
			                                          XC_STEP_PARTS / 2, XC_RANS_NEAREST, size,
			                                          depth16, o, &bits);
			words[w] += more << shift;
			XC_UNROLL
			for (uint32_t g = 0; g < 3; g++)
				sums[g] += XC_GPU_RANS_ZONE(k) == g ? more : 0;
		}
	}
	xc_gpu_store_symbols(j, block, words);
	j->rans.sums[block] = xc_gpu_rans_sums(sums);
	return bits;
}

/* Stores the number of a block's raw bits, `bits` plus the signs, and the signs of nonzero values.
 * Masks are in raster order. */
XC_GPU_INLINE void xc_gpu_note_raw(const xc_gpu_encode_job *j, size_t block, uint32_t bits,
                                   const uint32_t some[2], const uint32_t negative[2])
{
	const uint32_t low = xc_gpu_count_bits(some[0]);

	j->rans.raw_counts[block] = bits + low + xc_gpu_count_bits(some[1]);
	j->rans.signs[block] = xc_gpu_compact(some[0], negative[0] & some[0]) |
	                       (uint64_t)xc_gpu_compact(some[1], negative[1] & some[1]) << low;
}

/* Sets the bits, in raster order, of the nonzero ones of eight values from position `first` on, a
 * constant. */
XC_GPU_INLINE void xc_gpu_note_some(uint32_t some[2], uint32_t nibbles, int first)
{
	const uint8_t scan[64] = {XC_SCAN_TABLE};

	XC_UNROLL
	for (int k = first; k < first + 8; k++)
		xc_gpu_set_if_other(&some[scan[k & 63] / 32], UINT32_C(1) << scan[k & 63] % 32,
		                    nibbles >> 4 * (k % 8) & 15, 0);
}

/* Makes the symbols of block i of a tile from its decisions. */
XC_GPU_INLINE void xc_gpu_take_block(const xc_gpu_encode_job *j, const xc_gpu_coded_tile *c,
                                     uint32_t i, int depth16, xc_gpu_tile_offsets *offsets)
{
	const size_t block = c->first + i;
	const uint64_t negative = j->rans.signs[block];
	uint32_t words[8], bits = j->rans.size_words[block] >> 16, large = 0, some[2] = {0, 0};
	xc_gpu_block_offsets o = {0, 0};
	xc_gpu_vec16 sizes[4];
	const xc_gpu_vec16 *const records = j->rans.sizes + xc_gpu_vecs_at(block, 4);

	xc_gpu_load_symbols(j, block, words);
	XC_UNROLL
	for (int part = 0; part < 4; part++)
		sizes[part] = records[part * XC_GPU_TOGETHER];
	XC_UNROLL
	for (int w = 0; w < 8; w++) {
		const uint32_t even = words[w] & 0x0f0f0f0f, odd = words[w] >> 4 & 0x0f0f0f0f;
		large |= xc_gpu_nearest_bits(words, w);
		XC_UNROLL
		for (int half = 0; half < 2; half++) {
			const int n = 2 * w + half;
			/* Positions 4 n to 4 n + 3; the DC has no offset. */
			const uint32_t four = xc_gpu_pick(even, odd, half ? 0x7362 : 0x5140);
			xc_gpu_note_four(&o, n ? four : four & ~255u, sizes[n / 4].depth16[n % 4]);
		}
		xc_gpu_note_some(some, words[w], 8 * w);
	}
	/* Few blocks have any. */
	if (large)
		bits += xc_gpu_take_all_nearest(j, block, depth16, words, &o);
	if (bits)
		j->rans.sums[block] |= XC_GPU_RANS_LARGE;
	const uint32_t all[2] = {(uint32_t)negative, (uint32_t)(negative >> 32)};
	xc_gpu_note_raw(j, block, bits, some, all);
	xc_gpu_add_offsets(&o, xc_gpu_tile_block_at(c, i).chroma, offsets);
}

/* A function that makes the symbols of block i of a tile. */
typedef void xc_gpu_symbol_maker(const xc_gpu_encode_job *j, const xc_gpu_coded_tile *c, uint32_t i,
                                 int depth16, xc_gpu_tile_offsets *offsets);

/* Makes the symbols of a slice of a tile. make, a constant: xc_gpu_take_block() or
 * xc_gpu_round_block_symbols(). */
XC_GPU_INLINE void xc_gpu_slice_symbols(const xc_gpu_encode_job *j, xc_cta t, uint32_t tile,
                                        uint32_t slice, xc_gpu_tile_offsets *offsets, int depth16,
                                        xc_gpu_symbol_maker *make)
{
	const xc_gpu_coded_tile c = xc_gpu_coded_tile_at(j, tile);
	const uint32_t from = slice * XC_GPU_SLICE, end = xc_gpu_slice_end(&c, from);

	xc_gpu_begin_offsets(t, offsets);
	XC_CTA_SYNC();
	for (uint32_t i = from + t.rank; i < end; i += t.size)
		make(j, &c, i, depth16, offsets);
	XC_CTA_SYNC();
	xc_gpu_end_offsets(j, t, tile, offsets);
}

/* The running state of a block. */
typedef struct xc_gpu_rounded_block {
	uint32_t words[8], sums[3];    /* symbols as nibbles; sums by zone */
	uint32_t some[2], negative[2]; /* by place */
	uint32_t large;                /* nonzero: some values have class bits */
	xc_gpu_block_offsets offsets;
} xc_gpu_rounded_block;

/* Sizes are clipped to this, so that a rounded one fits in a byte; its value is 15. */
enum { XC_GPU_MAX_ROUNDED = 255 - XC_STEP_PARTS / 2 };

/* Rounds eight coefficients, from position `first` on, a constant; the DC is left out. */
XC_GPU_INLINE void xc_gpu_round8(const xc_gpu_encode_job *j, const int32_t c[8], int first,
                                 xc_gpu_rounded_block *b)
{
	const uint8_t scan[64] = {XC_SCAN_TABLE};
	uint32_t sizes[2] = {0, 0}, values[2];

	XC_UNROLL
	for (int n = first ? 0 : 1; n < 8; n++) {
		const int raster = scan[(first + n) & 63];
		const uint32_t m = xc_gpu_magnitude(c[n]);
		sizes[n / 4] |= xc_gpu_min(m, XC_GPU_MAX_ROUNDED) << 8 * (n % 4);
		b->negative[raster / 32] |= (uint32_t)(c[n] >> 31) & UINT32_C(1) << raster % 32;
	}
	XC_UNROLL
	for (int half = 0; half < 2; half++) {
		const uint32_t four = (sizes[half] + 0x01010101u * j->rans.rounding) >> 4 & 0x0f0f0f0f;
		xc_gpu_note_four(&b->offsets, four, sizes[half]);
		xc_gpu_sum_four(b->sums, four, first / 4 + half);
		values[half] = four;
	}
	b->words[first / 8] = xc_gpu_nibbles(values[0], values[1]);
	b->large |= xc_gpu_large_nibbles(b->words[first / 8]);
	xc_gpu_note_some(b->some, b->words[first / 8], first);
}

/* Makes the symbols of a block's large values. Returns their class bits. second, third: the
 * coefficients at positions 1 and 2, without AC prediction. */
XC_GPU_INLINE uint32_t xc_gpu_round_large(const xc_gpu_encode_job *j, xc_gpu_vec16 *slot,
                                          int32_t second, int32_t third, int depth16,
                                          xc_gpu_rounded_block *b)
{
	uint32_t bits = 0;

	XC_UNROLL
	for (int w = 0; w < 8; w++) {
		XC_ROLLED
		for (uint32_t large = xc_gpu_large_nibbles(b->words[w]); large; large &= large - 1) {
			const uint32_t shift = (uint32_t)xc_gpu_lowest(large) - 3,
						   k = 8 * (uint32_t)w + shift / 4;
			const int32_t c = k == 1 ? second : k == 2 ? third : xc_gpu_slot_get(slot, k, depth16);
			const uint32_t value = b->words[w] >> shift & 15;
			const uint32_t noted = xc_gpu_min(xc_gpu_magnitude(c), XC_GPU_MAX_ROUNDED);
			const uint32_t more = xc_gpu_large_symbol(slot, k, c, j->rans.rounding, value, noted,
			                                          depth16, &b->offsets, &bits);
			b->words[w] += more << shift;
			XC_UNROLL
			for (uint32_t g = 0; g < 3; g++)
				b->sums[g] += XC_GPU_RANS_ZONE(k) == g ? more : 0;
		}
	}
	return bits;
}

/* Makes the symbols of block i of a tile. */
XC_GPU_INLINE void xc_gpu_round_block_symbols(const xc_gpu_encode_job *j,
                                              const xc_gpu_coded_tile *c, uint32_t i, int depth16,
                                              xc_gpu_tile_offsets *offsets)
{
	const size_t block = c->first + i;
	const xc_gpu_tile_block p = xc_gpu_tile_block_at(c, i);
	xc_gpu_vec16 *const slot = xc_gpu_slot(j, block, depth16);
	/* Magnitudes below this become 0. */
	const uint32_t min_size = XC_STEP_PARTS - j->rans.rounding;
	xc_gpu_rounded_block b = {{0}, {0, 0, 0}, {0, 0}, {0, 0}, 0, {0, 0}};
	xc_gpu_packed8 all[8];
	int32_t second = 0, third = 0;
	uint32_t bits = 0;

	XC_UNROLL
	for (int g = 0; g < 8; g++)
		xc_gpu_load_stored(&all[g], slot, g, depth16);
	const xc_gpu_near_dcs near = xc_gpu_near_dcs_of(&p, j->dc + c->first, i);
	const int32_t difference = xc_gpu_near_difference(&near, depth16);
	XC_UNROLL
	for (int g = 0; g < 8; g++) {
		int32_t v[8];
		/* Few blocks have large coefficients at high frequencies. */
		if (g && xc_gpu_all_below(&all[g], depth16, min_size))
			continue;
		xc_gpu_unpack8(&all[g], depth16, v);
		if (g == 0) {
			xc_gpu_remove_ac_prediction(j, &near, p.chroma, depth16, v);
			second = v[1];
			third = v[2];
		}
		xc_gpu_round8(j, v, 8 * g, &b);
	}
	if (b.large)
		bits = xc_gpu_round_large(j, slot, second, third, depth16, &b);
	const uint32_t dc = xc_gpu_magnitude(difference);
	if (dc >= XC_RANS_FIRST_CLASS)
		bits += xc_gpu_class_size(dc);
	b.words[0] |= xc_rans_symbol(dc);
	b.some[0] |= dc != 0;
	b.negative[0] |= difference < 0;
	xc_gpu_store_symbols(j, block, b.words);
	j->rans.sums[block] = xc_gpu_rans_sums(b.sums) | (bits ? XC_GPU_RANS_LARGE : 0);
	xc_gpu_note_raw(j, block, bits, b.some, b.negative);
	xc_gpu_add_offsets(&b.offsets, p.chroma, offsets);
}

#endif
