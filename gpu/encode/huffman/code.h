/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernels that count symbols and that code, launched by gpu/encode/huffman/code.cu: a thread block
 * takes a tile at a time.
 *
 * Coding first gathers the tokens of all blocks in shared memory, so that all threads take equal
 * numbers. A thread holds the bits of its tokens in registers until prefix sums give their
 * position; if they do not fit, it codes its tokens again. Threads share words of shared memory, so
 * they write with atomic ORs. A tile with too many tokens or bits for this is coded one thread a
 * block, directly in the arena.
 *
 * Segments are stored in the arena in any order. Their offsets are recorded, and a later kernel
 * puts them in order.
 */
#ifndef XC_GPU_ENCODE_HUFFMAN_CODE_H
#define XC_GPU_ENCODE_HUFFMAN_CODE_H

#include "gpu/encode/huffman/bits.h"
#include "gpu/encode/job/segments.h"
#include "gpu/encode/job/tiles.h"

enum {
	XC_GPU_STAGED_WORDS = 2560, /* of a segment assembled in shared memory */
	/* Room for gathered tokens: minimum bytes, and tokens a block if shared memory suffices.
	 * Pictures at quality 75 have 10 on average, and 20 in the busiest tiles. */
	XC_GPU_TOKEN_BYTES = 12288,
	XC_GPU_BLOCK_TOKENS = 20
};

/* What a thread block that codes has in shared memory. */
typedef struct xc_gpu_code_shared {
	/* [luma, chroma]: code and value bits of the small tokens, the first bit the highest, and their
	 * number in the lowest byte. */
	uint32_t (*small)[XC_SMALL_TOKENS];
	uint32_t (*ac)[XC_AC_SYMBOLS]; /* codes of the other tokens, from the coder's tables */
	int32_t *dc;                   /* [blocks of a tile] */
	uint32_t *start;  /* [blocks] tokens, or bits, of each block; then their prefix sums */
	uint32_t *share;  /* [threads] bits of each thread's tokens; then prefix sums */
	uint32_t *words;  /* [XC_GPU_STAGED_WORDS] of the segment; zeros between tiles */
	uint32_t *tokens; /* [token_bytes] */
	uint32_t token_bytes;
	uint32_t *partial;  /* [XC_CTA_PARTIAL] for xc_cta_scan() */
	uint32_t **segment; /* in the arena; NULL: it is full */
} xc_gpu_code_shared;

/* Partitions memory that is aligned to 16 bytes (anywhere, to measure alone) and returns its bytes, kept
 * small so that a multiprocessor runs more thread blocks. */
XC_GPU_INLINE size_t xc_gpu_code_partition(xc_gpu_code_shared *s, const xc_gpu_encode_job *j,
                                           uint32_t threads, uint32_t *memory)
{
	const uint32_t blocks = j->huffman.tile_blocks;
	size_t n = 4; /* the pointer */

	s->segment = (uint32_t **)(void *)memory;
	s->words = memory + n;
	n += XC_GPU_STAGED_WORDS;
	s->small = (uint32_t(*)[XC_SMALL_TOKENS])(void *)(memory + n);
	n += 2 * XC_SMALL_TOKENS;
	s->ac = (uint32_t(*)[XC_AC_SYMBOLS])(void *)(memory + n);
	n += 2 * XC_AC_SYMBOLS;
	s->dc = (int32_t *)(void *)(memory + n);
	n += blocks;
	s->start = memory + n;
	n += blocks;
	s->share = memory + n;
	n += threads;
	s->partial = memory + n;
	n += XC_CTA_PARTIAL;
	s->tokens = memory + n;
	s->token_bytes = blocks * XC_GPU_BLOCK_TOKENS * (j->depth == 16 ? 4 : 2);
	if (s->token_bytes < XC_GPU_TOKEN_BYTES)
		s->token_bytes = XC_GPU_TOKEN_BYTES;
	if (n * 4 + s->token_bytes > j->huffman.code_bytes)
		s->token_bytes = (uint32_t)(j->huffman.code_bytes - n * 4);
	return n * 4 + s->token_bytes;
}

typedef struct xc_gpu_count_shared {
	int32_t dc[XC_GPU_TILE_BLOCKS];
	uint32_t counts[2 * XC_GPU_LENGTHS];
} xc_gpu_count_shared;

XC_GPU_INLINE xc_gpu_code_bits xc_gpu_dc_bits(int32_t difference, const xc_coder_tables *k)
{
	const unsigned size = xc_value_size(difference);
	const uint32_t code = k->dc[size];
	xc_gpu_code_bits b;

	b.bits = (uint64_t)(code >> 6) << size | xc_value_bits(difference, size);
	b.count = (code & 63) + size;
	return b;
}

/* The coder's tables for a picture: [luma, chroma]. */
XC_GPU_INLINE const xc_coder_tables *xc_gpu_coder(const xc_gpu_encode_job *j)
{
	return j->huffman.codes ? j->huffman.codes->coder : j->huffman.coder;
}

XC_GPU_INLINE void xc_gpu_load_tables(const xc_gpu_encode_job *j, xc_cta t,
                                      const xc_gpu_code_shared *s)
{
	const xc_coder_tables *const from = xc_gpu_coder(j);

	for (uint32_t i = t.rank; i < XC_GPU_STAGED_WORDS; i += t.size)
		s->words[i] = 0;
	for (uint32_t chroma = 0; chroma < (j->components > 1 ? 2 : 1); chroma++) {
		for (uint32_t i = t.rank; i < XC_SMALL_TOKENS; i += t.size)
			s->small[chroma][i] = xc_gpu_upper_entry(from[chroma].small[i]);
		for (uint32_t i = t.rank; i < XC_AC_SYMBOLS; i += t.size)
			s->ac[chroma][i] = from[chroma].ac[i];
	}
}

/* Records a segment's offset in the picture's share of the arena. */
XC_GPU_INLINE void xc_gpu_allocate_segment(const xc_gpu_encode_job *j, uint32_t tile, uint32_t unit,
                                           uint32_t bytes, const xc_gpu_code_shared *s)
{
	xc_gpu_note_segment(j, tile, unit, bytes);
	*s->segment = xc_gpu_arena_at(j, unit, bytes);
}

/* ------------------------------------------------ blocks and their tokens; depth16: a constant */

/* Block i of a tile, whose DC are at `dc`. */
typedef struct xc_gpu_coded_block {
	uint32_t chroma;
	int32_t difference;
	const xc_gpu_vec16 *slot; /* AC tokens, `tokens` of them */
	uint32_t tokens;
} xc_gpu_coded_block;

XC_GPU_INLINE xc_gpu_coded_block xc_gpu_coded_block_at(const xc_gpu_encode_job *j,
                                                       const xc_gpu_coded_tile *c,
                                                       const int32_t *dc, uint32_t i, int depth16)
{
	const xc_gpu_tile_block p = xc_gpu_tile_block_at(c, i);
	const xc_gpu_coded_block b = {p.chroma, xc_gpu_tile_difference(&p, dc, i, depth16),
	                              xc_gpu_slot(j, c->first + i, depth16),
	                              j->huffman.counts[c->first + i]};

	return b;
}

/* The bits of an AC token that is not small, at most 16 + 4 + 28; ac: codes by run and size. */
XC_GPU_INLINE xc_gpu_code_bits xc_gpu_large_bits(uint32_t t, const uint32_t *ac, int depth16)
{
	const int32_t v = xc_gpu_large_value(t, depth16);
	const unsigned size = xc_value_size(v);
	const uint32_t code = ac[(t & 15) << 4 | (size < 15 ? size : 15)];
	xc_gpu_code_bits b = {code >> 6, code & 63};

	if (depth16 && size >= 15) {
		b.bits = b.bits << 4 | (size - 15);
		b.count += 4;
	}
	b.bits = b.bits << size | xc_value_bits(v, size);
	b.count += size;
	return b;
}

/* The bits of any AC token. */
XC_GPU_INLINE xc_gpu_code_bits xc_gpu_ac_bits(uint32_t t, const xc_coder_tables *k, int depth16)
{
	if (t >= XC_SMALL_TOKENS)
		return xc_gpu_large_bits(t, k->ac, depth16);
	const xc_gpu_code_bits b = {k->small[t] >> 6, k->small[t] & 63};
	return b;
}

/* ------------------------------------------------ counting */

XC_GPU_INLINE void xc_gpu_count_block(const xc_gpu_coded_block *b, uint32_t *counts, int depth16)
{
	XC_ATOMIC_ADD(&counts[xc_value_size(b->difference)], 1u);
	for (uint32_t i = 0; i < b->tokens; i++) {
		const int32_t token = xc_gpu_slot_get(b->slot, i, depth16);
		const uint32_t t = depth16 ? (uint32_t)token : (uint16_t)token;
		const int32_t v = t < XC_DC_TOKENS ? (int32_t)(t >> 4) - XC_TOKEN_BIAS
		                                   : xc_gpu_large_value(t, depth16);
		const unsigned size = xc_value_size(v);
		XC_ATOMIC_ADD(&counts[XC_DC_SYMBOLS + ((t & 15) << 4 | (size < 15 ? size : 15))], 1u);
	}
}

/* Counts the symbols of a tile in shared memory, counts[2][XC_GPU_LENGTHS], and adds them to the
 * picture's. */
XC_GPU_INLINE void xc_gpu_count(const xc_gpu_encode_job *j, xc_cta t, uint32_t tile_index,
                                xc_gpu_count_shared *s, int depth16)
{
	uint32_t *const counts = s->counts;
	const xc_gpu_coded_tile c = xc_gpu_coded_tile_at(j, tile_index);

	for (uint32_t i = t.rank; i < 2 * XC_GPU_LENGTHS; i += t.size)
		counts[i] = 0;
	xc_gpu_load_dc(j, t, &c, s->dc);
	XC_CTA_SYNC();
	for (uint32_t i = t.rank; i < c.blocks; i += t.size) {
		const xc_gpu_coded_block b = xc_gpu_coded_block_at(j, &c, s->dc, i, depth16);
		xc_gpu_count_block(&b, counts + b.chroma * XC_GPU_LENGTHS, depth16);
	}
	XC_CTA_SYNC();
	for (uint32_t i = t.rank; i < 2 * XC_GPU_LENGTHS; i += t.size)
		if (counts[i])
			XC_ATOMIC_ADD(&j->huffman.codes->counts[i / XC_GPU_LENGTHS][i % XC_GPU_LENGTHS],
			              (unsigned long long)counts[i]);
}

/* ------------------------------------------------ all threads alike */

/* Stores the first `left` tokens of a vec16 at `to`. */
XC_GPU_INLINE void xc_gpu_spread(const xc_gpu_vec16 *g, uint32_t left, void *to, int depth16)
{
	XC_UNROLL
	for (uint32_t m = 0; m < (depth16 ? 4 : 8); m++)
		if (m < left) {
			if (depth16)
				((uint32_t *)to)[m] = g->depth16[m];
			else
				((uint16_t *)to)[m] = g->plain[m];
		}
}

/* Gathers the tokens of a tile; s->start: the index of each block's first. A large DC difference is
 * looked up again when it is coded. */
XC_GPU_INLINE void xc_gpu_gather(const xc_gpu_encode_job *j, xc_cta t, const xc_gpu_coded_tile *c,
                                 const xc_gpu_code_shared *s, int depth16)
{
	const uint32_t size = depth16 ? 4 : 2, per_vec = 16 / size;

	for (uint32_t i = t.rank; i < c->blocks; i += t.size) {
		const xc_gpu_coded_block b = xc_gpu_coded_block_at(j, c, s->dc, i, depth16);
		const uint32_t d = (uint32_t)(b.difference + XC_MAX_SMALL_DC);
		char *const to = (char *)s->tokens + s->start[i] * size;
		uint32_t first = XC_LARGE_DC_TOKEN;
		if (d <= 2 * XC_MAX_SMALL_DC)
			first = d + XC_DC_TOKENS;
		xc_gpu_set(to, 0, first, depth16);
		/* Two loads are under way at once; a slot has an even number of vec16s. */
		XC_ROLLED
		for (uint32_t k = 0; k < b.tokens; k += 2 * per_vec) {
			const xc_gpu_vec16 *const from = b.slot + k / per_vec * XC_GPU_TOGETHER;
			const xc_gpu_vec16 one = from[0], two = from[XC_GPU_TOGETHER];
			xc_gpu_spread(&one, b.tokens - k, to + size + k * size, depth16);
			if (k + per_vec < b.tokens)
				xc_gpu_spread(&two, b.tokens - k - per_vec, to + size + (k + per_vec) * size,
				              depth16);
		}
	}
}

/* One thread's tokens `from` to `to` of a tile, all luma or all chroma. */
typedef struct xc_gpu_token_run {
	uint32_t from, to, chroma;
} xc_gpu_token_run;

XC_GPU_INLINE uint32_t xc_gpu_gathered(const xc_gpu_code_shared *s, uint32_t i, int depth16)
{
	return depth16 ? s->tokens[i] : ((const uint16_t *)(const void *)s->tokens)[i];
}

/* The DC difference that XC_LARGE_DC_TOKEN, token `at` of a tile, stands for. */
XC_GPU_INLINE int32_t xc_gpu_large_difference(const xc_gpu_encode_job *j,
                                              const xc_gpu_coded_tile *c,
                                              const xc_gpu_code_shared *s, uint32_t at, int depth16)
{
	uint32_t low = 0, high = c->blocks; /* the block is in there */

	while (high - low > 1) {
		const uint32_t middle = (low + high) / 2;
		if (s->start[middle] <= at)
			low = middle;
		else
			high = middle;
	}
	return xc_gpu_coded_block_at(j, c, s->dc, low, depth16).difference;
}

/* Codes a run: to w, or if w is NULL to *held. The run's tokens are in shared memory, and the writer's
 * words were measured by a first pass. */
XC_GPU_INLINE void xc_gpu_code_run(const xc_gpu_encode_job *j, const xc_gpu_token_run *r,
                                   const xc_gpu_coded_tile *c, const xc_gpu_code_shared *s,
                                   xc_gpu_held_bits *held, xc_gpu_bit_writer *w, int depth16)
{
	const uint32_t *const small = s->small[r->chroma];

	XC_ROLLED
	for (uint32_t i = r->from; i < r->to; i++) {
		const uint32_t t = xc_gpu_gathered(s, i, depth16);
		if (t < XC_SMALL_TOKENS) {
			if (w)
				xc_gpu_put_small(w, small[t]);
			else
				xc_gpu_hold_small(held, small[t]);
			continue;
		}
		const xc_gpu_code_bits b = t == XC_LARGE_DC_TOKEN
		                               ? xc_gpu_dc_bits(xc_gpu_large_difference(j, c, s, i,
		                                                                        depth16),
		                                                xc_gpu_coder(j) + r->chroma)
		                               : xc_gpu_large_bits(t, s->ac[r->chroma], depth16);
		if (w)
			xc_gpu_put(w, b);
		else
			xc_gpu_hold_bits(held, b, depth16);
	}
}

/* Codes a tile whose `total` tokens fit in shared memory. Returns 0 without effect if the bits do
 * not fit. */
XC_GPU_INLINE int xc_gpu_code_evenly(const xc_gpu_encode_job *j, xc_cta t, uint32_t tile,
                                     const xc_gpu_coded_tile *c, uint32_t total,
                                     const xc_gpu_code_shared *s, int depth16)
{
	/* An odd number of tokens a thread, so that a warp reads from all banks. */
	const uint32_t each = xc_gpu_quotient(total + t.size - 1, t.size) | 1;
	const uint32_t from = t.rank * each < total ? t.rank * each : total;
	const uint32_t to = from + each < total ? from + each : total;

	xc_gpu_gather(j, t, c, s, depth16);
	XC_CTA_SYNC();
	const uint32_t chroma = c->luma_blocks < c->blocks ? s->start[c->luma_blocks] : total;
	const uint32_t middle = chroma < from ? from : chroma > to ? to : chroma;
	const xc_gpu_token_run luma = {from, middle, 0}, rest = {middle, to, 1};
	xc_gpu_held_bits held = {{0}, 0};
	xc_gpu_code_run(j, &luma, c, s, &held, NULL, depth16);
	xc_gpu_code_run(j, &rest, c, s, &held, NULL, depth16);
	s->share[t.rank] = held.count;
	const uint32_t bits = xc_cta_scan(t, s->share, t.size, 0, s->partial);
	const uint32_t bytes = (bits + 7) / 8, words = (bytes + 3) / 4;
	if (words > XC_GPU_STAGED_WORDS)
		return 0;
	/* The atomic add completes while the bits are written. */
	const uint32_t unit = t.rank == 0 ? xc_gpu_take_arena(j, bytes) : 0;
	if (held.count <= 32 * XC_GPU_HELD_WORDS) {
		xc_gpu_put_held(&held, s->words, s->share[t.rank]);
	} else {
		xc_gpu_bit_writer w = xc_gpu_writer(s->words, s->share[t.rank]);
		xc_gpu_code_run(j, &luma, c, s, NULL, &w, depth16);
		xc_gpu_code_run(j, &rest, c, s, NULL, &w, depth16);
		xc_gpu_put_end(&w);
	}
	if (t.rank == 0)
		xc_gpu_allocate_segment(j, tile, unit, bytes, s);
	XC_CTA_SYNC();
	uint32_t *const out = *s->segment;
	for (uint32_t i = t.rank; i < words; i += t.size) {
		if (out)
			out[i] = xc_gpu_swap(s->words[i]);
		s->words[i] = 0;
	}
	return 1;
}

/* ------------------------------------------- a thread a block, without limits */

/* Codes a block to w, unless it is NULL; returns the number of bits. */
XC_GPU_INLINE uint32_t xc_gpu_code_block(const xc_gpu_coded_block *b, const xc_coder_tables *tables,
                                         xc_gpu_bit_writer *w, int depth16)
{
	const xc_gpu_code_bits dc = xc_gpu_dc_bits(b->difference, tables);
	uint32_t length = dc.count;

	if (w)
		xc_gpu_put(w, dc);
	for (uint32_t i = 0; i < b->tokens; i += depth16 ? 4 : 8) {
		const xc_gpu_vec16 g = b->slot[i / (depth16 ? 4 : 8) * XC_GPU_TOGETHER];
		XC_UNROLL
		for (uint32_t m = 0; m < (depth16 ? 4 : 8); m++)
			if (i + m < b->tokens) {
				const uint32_t token = depth16 ? g.depth16[m] : g.plain[m];
				const xc_gpu_code_bits ac = xc_gpu_ac_bits(token, tables, depth16);
				length += ac.count;
				if (w)
					xc_gpu_put(w, ac);
			}
	}
	if (w)
		xc_gpu_put_end(w);
	return length;
}

XC_GPU_INLINE void xc_gpu_code_by_block(const xc_gpu_encode_job *j, xc_cta t, uint32_t tile,
                                        const xc_gpu_coded_tile *c, const xc_gpu_code_shared *s,
                                        int depth16)
{
	XC_CTA_SYNC();
	for (uint32_t i = t.rank; i < c->blocks; i += t.size) {
		const xc_gpu_coded_block b = xc_gpu_coded_block_at(j, c, s->dc, i, depth16);
		s->start[i] = xc_gpu_code_block(&b, xc_gpu_coder(j) + b.chroma, NULL, depth16);
	}
	const uint32_t bits = xc_cta_scan(t, s->start, c->blocks, 0, s->partial);
	const uint32_t bytes = (bits + 7) / 8, words = (bytes + 3) / 4;
	if (t.rank == 0)
		xc_gpu_allocate_segment(j, tile, xc_gpu_take_arena(j, bytes), bytes, s);
	XC_CTA_SYNC();
	uint32_t *const out = *s->segment;
	for (uint32_t i = t.rank; out && i < words; i += t.size)
		out[i] = 0;
	XC_CTA_SYNC();
	for (uint32_t i = t.rank; out && i < c->blocks; i += t.size) {
		const xc_gpu_coded_block b = xc_gpu_coded_block_at(j, c, s->dc, i, depth16);
		xc_gpu_bit_writer w = xc_gpu_writer(out, s->start[i]);
		(void)xc_gpu_code_block(&b, xc_gpu_coder(j) + b.chroma, &w, depth16);
	}
	XC_CTA_SYNC();
	for (uint32_t i = t.rank; out && i < words; i += t.size)
		out[i] = xc_gpu_swap(out[i]);
}

/* Prefetches the data of the blocks from `first` on, one a thread; most have two vec16s of tokens.
 * */
XC_GPU_INLINE void xc_gpu_code_ahead(const xc_gpu_encode_job *j, xc_cta t, size_t first,
                                     int depth16)
{
	const size_t block = first + t.rank;
	const xc_gpu_vec16 *const slot = xc_gpu_slot(j, block, depth16);

	if (block >= j->picture.first_block + j->picture.blocks)
		return;
	xc_gpu_prefetch(&j->dc[block]);
	xc_gpu_prefetch(&j->huffman.counts[block]);
	xc_gpu_prefetch(slot);
	xc_gpu_prefetch(slot + XC_GPU_TOGETHER);
}

/* Codes one tile into the arena; the tables of its picture have been loaded. more: the thread block
 * codes the next one after it. */
XC_GPU_INLINE void xc_gpu_code(const xc_gpu_encode_job *j, xc_cta t, uint32_t tile,
                               const xc_gpu_code_shared *s, int more, int depth16)
{
	const xc_gpu_coded_tile c = xc_gpu_coded_tile_at(j, tile);

	/* As xc_gpu_load_dc(), but with both loads in flight. */
	for (uint32_t i = t.rank; i < c.blocks; i += t.size) {
		const int32_t dc = j->dc[c.first + i];
		const uint32_t tokens = 1 + j->huffman.counts[c.first + i];
		s->dc[i] = dc;
		s->start[i] = tokens;
	}
	if (more)
		xc_gpu_code_ahead(j, t, c.first + c.blocks, depth16);
	const uint32_t total = xc_cta_scan(t, s->start, c.blocks, 0, s->partial);
	if (total > s->token_bytes / (depth16 ? 4 : 2) ||
	    !xc_gpu_code_evenly(j, t, tile, &c, total, s, depth16))
		xc_gpu_code_by_block(j, t, tile, &c, s, depth16);
}

#endif
