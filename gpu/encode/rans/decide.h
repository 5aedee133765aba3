/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decisions by rate and distortion in the rANS mode, as in src/encode/decide_rans.c.
 *
 * A thread takes a block of one kind, first those that see guesses of their neighbours
 * (gpu/encode/rans/sizes.h), and in a second launch those that see what was decided about the
 * first. What is decided takes the guess's place. gpu/encode/rans/take.h makes symbols of it.
 */
#ifndef XC_GPU_ENCODE_RANS_DECIDE_H
#define XC_GPU_ENCODE_RANS_DECIDE_H

#include "gpu/encode/rans/sizes.h"

enum {
	XC_GPU_DECIDE_CTA =
		192 /* the 576 blocks of a kind of the most common tile are three thread blocks */
};

/* What a thread block has. */
typedef struct xc_gpu_decide_shared {
	xc_gpu_rans_contexts contexts;
	xc_gpu_rans_decisions decisions;
} xc_gpu_decide_shared;

/* A block about which is decided. */
typedef struct xc_gpu_decide_block {
	xc_gpu_rans_seen seen; /* its own symbols are those decided so far */
	uint32_t sizes[16];    /* bytes, by position */
	uint32_t chroma, factor;
	uint32_t sum; /* of the zone: its symbols, */
	int32_t net;  /* and costs less what they save */
} xc_gpu_decide_block;

/* Thread blocks for the blocks of a kind of a whole tile. Two blocks side by side are of different
 * kinds, so each pair of blocks of a row has one of each. */
XC_GPU_INLINE uint32_t xc_gpu_decide_ctas(const xc_gpu_encode_job *j)
{
	const uint32_t chroma_rows = j->components > 1 ? 2 * j->tile_high : 0;
	const uint32_t pairs = j->tile_high * j->v * ((j->tile_wide * j->h + 1) / 2) +
	                       chroma_rows * ((j->tile_wide + 1) / 2);

	return (pairs + XC_GPU_DECIDE_CTA - 1) / XC_GPU_DECIDE_CTA;
}

/* The block of a kind, 0 or 1, in pair number n of a tile; c->blocks: there is none. The wavefront
 * is at a block of kind 1 after an odd number of steps (entropy/rans/model.h). */
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

/* What bits are worth in the block. */
XC_GPU_INLINE int32_t xc_gpu_worth(const xc_gpu_decide_block *b, uint32_t bits)
{
	return (int32_t)(bits * b->factor >> 4);
}

/* Chooses a value for a size that might become another than 0. *best: the cost of 0, which
 * becomes that of the choice, less what it saves. Both other values are weighed in any case, so
 * that lanes do not part. */
XC_GPU_INLINE uint32_t xc_gpu_choose(const xc_gpu_decide_block *b, const xc_gpu_decide_shared *s,
                                     const uint16_t *costs, uint32_t size, int32_t *best)
{
	const xc_gpu_rans_choice choice = s->decisions.choice[b->chroma][size];
	const int32_t low = xc_gpu_worth(b, costs[choice.low]) - choice.low_gain;
	const int32_t high = xc_gpu_worth(b, costs[choice.high]) - choice.high_gain;
	uint32_t chosen = low < *best ? choice.low : 0;
	const int32_t min_u32 = low < *best ? low : *best;

	chosen = high < min_u32 ? choice.high : chosen;
	*best = high < min_u32 ? high : min_u32;
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
	const uint32_t word = j->flags[block];
	const xc_gpu_vec16 *const records = j->records + xc_gpu_vecs_at(block, 4);
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
	j->sums[block] = b.seen.sums;
}

/* Decides about the blocks of a kind in part `part` of a tile. */
XC_GPU_INLINE void xc_gpu_decide_part(const xc_gpu_encode_job *j, xc_cta t, uint32_t tile,
                                      uint32_t part, uint32_t picture, uint32_t kind,
                                      const xc_gpu_decide_shared *s)
{
	const xc_gpu_coded_tile c = xc_gpu_coded_tile_at(j, tile, picture);
	const uint32_t from = part * XC_GPU_DECIDE_CTA;

	for (uint32_t n = from + t.rank; n < from + XC_GPU_DECIDE_CTA; n += t.size) {
		const uint32_t i = xc_gpu_decide_find(&c, j->components > 1, n, kind);
		if (i < c.blocks)
			xc_gpu_decide(j, &c, i, s);
	}
}

#endif
