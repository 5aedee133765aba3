/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernels that count symbols and that code: a team takes a tile at a time.
 *
 * Coding first gathers the tokens of all blocks in shared memory, so that all threads can take
 * equally many.  A thread goes over its tokens twice: first for the number of their bits, whose
 * prefix sums say where each thread's bits begin, then to write the bits.  Threads share words of
 * shared memory, so they write with atomic ORs.  A tile with too many tokens or bits for that is
 * coded one thread a block, straight into the arena.
 *
 * Segments land in the arena in any order.  Their places are noted, and a later kernel puts them in
 * order.
 */
#ifndef XC_GPU_ENCODE_CODE_H
#define XC_GPU_ENCODE_CODE_H

#include "gpu/encode/context.h"

enum {
	XC_GPU_STAGED_WORDS = 2560, /* of a segment that is put together in shared memory */
	/* Tokens that are put one after another there: bytes at least, and tokens of each block if a team can
	 * have so much.  Pictures at quality 75 have 10 on average, and 20 in the busiest tiles. */
	XC_GPU_TOKEN_BYTES = 12288,
	XC_GPU_BLOCK_TOKENS = 20
};

/* What a team that codes has in shared memory. */
typedef struct xc_gpu_code_shared {
	/* [luma, chroma]: code and value bits of the small tokens, the first bit the highest, and their
	 * number in the lowest byte. */
	uint32_t (*small)[XC_SMALL_TOKENS];
	uint32_t (*set)[XC_GPU_SET_SYMBOLS]; /* in its place: see xc_gpu_load_sets() */
	uint32_t *about;                     /* [XC_SMALL_TOKENS] with it: see xc_gpu_about_token() */
	int32_t *dc;                         /* [blocks of a tile] */
	uint32_t *start;  /* [blocks] tokens, or bits, of each block; then where it begins */
	uint32_t *share;  /* [threads] bits of each thread's tokens, likewise */
	uint32_t *words;  /* [XC_GPU_STAGED_WORDS] of the segment */
	uint32_t *tokens; /* [token_bytes] */
	uint32_t token_bytes;
	uint32_t *partial;  /* [33] for xc_team_scan() */
	uint32_t **segment; /* its place in the arena; NULL: there is no room */
} xc_gpu_code_shared;

/* Divides up memory that is aligned to 16 bytes (NULL: only measures) and returns the bytes, which
 * are as few as possible, so that a multiprocessor runs more teams.  several, a constant: there are
 * codes by context. */
XC_GPU_INLINE size_t xc_gpu_code_carve(xc_gpu_code_shared *s, const xc_gpu_encode_job *j,
                                       uint32_t threads, uint32_t *memory, int several)
{
	const uint32_t blocks = j->tile_wide * j->tile_high * j->mcu_blocks;
	size_t n = 4; /* the pointer */
	s->segment = (uint32_t **)(void *)memory;
	s->words = memory + n;
	n += XC_GPU_STAGED_WORDS;
	s->small = (uint32_t(*)[XC_SMALL_TOKENS])(void *)(memory + n);
	s->set = several ? (uint32_t(*)[XC_GPU_SET_SYMBOLS])(void *)(memory + n) : NULL;
	n += several ? 2 * XC_GPU_SET_SYMBOLS : 2 * XC_SMALL_TOKENS;
	s->about = several ? memory + n : NULL;
	n += several ? XC_SMALL_TOKENS : 0;
	s->dc = (int32_t *)(void *)(memory + n);
	n += blocks;
	s->start = memory + n;
	n += blocks;
	s->share = memory + n;
	n += threads;
	s->partial = memory + n;
	n += 33;
	s->tokens = memory + n;
	s->token_bytes = blocks * XC_GPU_BLOCK_TOKENS * (j->depth == 16 ? 4 : 2);
	if (s->token_bytes < XC_GPU_TOKEN_BYTES)
		s->token_bytes = XC_GPU_TOKEN_BYTES;
	if (n * 4 + s->token_bytes > j->code_bytes)
		s->token_bytes = (uint32_t)(j->code_bytes - n * 4);
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
XC_GPU_INLINE const xc_coder_tables *xc_gpu_coder(const xc_gpu_encode_job *j, uint32_t picture)
{
	return j->codes ? j->codes[picture].coder : j->coder;
}

XC_GPU_INLINE void xc_gpu_load_tables(const xc_gpu_encode_job *j, xc_team t, uint32_t picture,
                                      const xc_gpu_code_shared *s)
{
	const xc_coder_tables *const from = xc_gpu_coder(j, picture);
	if (s->set) {
		xc_gpu_load_sets(j, t, picture, s->set);
		for (uint32_t i = t.rank; i < XC_SMALL_TOKENS; i += t.size)
			s->about[i] = xc_gpu_about_token(i);
		return;
	}
	for (uint32_t chroma = 0; chroma < (j->components > 1 ? 2 : 1); chroma++) {
		for (uint32_t i = t.rank; i < XC_SMALL_TOKENS; i += t.size)
			s->small[chroma][i] = xc_gpu_upper_entry(from[chroma].small[i]);
	}
}

/* Takes room for a segment in the picture's part of the arena and notes where it is. */
XC_GPU_INLINE void xc_gpu_place_segment(const xc_gpu_encode_job *j, uint32_t picture, uint32_t tile,
                                        uint32_t bytes, const xc_gpu_code_shared *s)
{
	*s->segment = xc_gpu_arena_at(j, picture, xc_gpu_take_arena(j, picture, tile, bytes), bytes);
}

/* ------------------------------------------------ blocks and their tokens; deep: a constant */

/* Block i of a tile, whose DC are at `dc`. */
typedef struct xc_gpu_coded_block {
	uint32_t chroma;
	int32_t difference;
	const xc_gpu_token_group *slot; /* AC tokens, `tokens` of them */
	uint32_t tokens;
} xc_gpu_coded_block;

XC_GPU_INLINE xc_gpu_coded_block xc_gpu_coded_block_at(const xc_gpu_encode_job *j,
                                                       const xc_gpu_coded_tile *c,
                                                       const int32_t *dc, uint32_t i, int deep)
{
	const xc_gpu_tile_place p = xc_gpu_tile_place_of(c, i);
	const xc_gpu_coded_block b = {p.chroma, xc_gpu_tile_difference(&p, dc, i, deep),
	                              xc_gpu_slot(j, c->first + i, deep), j->counts[c->first + i]};
	return b;
}

/* An AC token's bits; at most 16 + 4 + 28. */
XC_GPU_INLINE xc_gpu_code_bits xc_gpu_ac_bits(uint32_t t, const xc_coder_tables *k, int deep)
{
	xc_gpu_code_bits b;
	if (t < XC_SMALL_TOKENS) {
		b.count = k->small[t] & 63;
		b.bits = k->small[t] >> 6;
		return b;
	}
	const int32_t v = xc_gpu_large_value(t, deep);
	const unsigned size = xc_value_size(v);
	const uint32_t code = k->ac[(t & 15) << 4 | (size < 15 ? size : 15)];
	b.bits = code >> 6;
	b.count = code & 63;
	if (size >= 15) {
		b.bits = b.bits << 4 | (size - 15);
		b.count += 4;
	}
	b.bits = b.bits << size | xc_value_bits(v, size);
	b.count += size;
	return b;
}

/* ------------------------------------------------ counting */

XC_GPU_INLINE void xc_gpu_count_block(const xc_gpu_coded_block *b, uint32_t *counts, int deep)
{
	XC_ATOMIC_ADD(&counts[xc_value_size(b->difference)], 1u);
	for (uint32_t i = 0; i < b->tokens; i++) {
		const int32_t token = xc_gpu_slot_get(b->slot, i, deep);
		const uint32_t t = deep ? (uint32_t)token : (uint16_t)token;
		const int32_t v = t < XC_DC_TOKENS ? (int32_t)(t >> 4) - XC_TOKEN_BIAS
		                                   : xc_gpu_large_value(t, deep);
		const unsigned size = xc_value_size(v);
		XC_ATOMIC_ADD(&counts[XC_DC_SYMBOLS + ((t & 15) << 4 | (size < 15 ? size : 15))], 1u);
	}
}

/* Counts the symbols of a tile into counts[2][XC_GPU_LENGTHS] of shared memory and from
 * there into the picture's. */
XC_GPU_INLINE void xc_gpu_count(const xc_gpu_encode_job *j, xc_team t, uint32_t tile_index,
                                uint32_t picture, xc_gpu_count_shared *s, int deep)
{
	uint32_t *const counts = s->counts;
	const xc_gpu_coded_tile c = xc_gpu_coded_tile_at(j, tile_index, picture);
	for (uint32_t i = t.rank; i < 2 * XC_GPU_LENGTHS; i += t.size)
		counts[i] = 0;
	xc_gpu_load_dc(j, t, &c, s->dc);
	XC_TEAM_SYNC();
	for (uint32_t i = t.rank; i < c.blocks; i += t.size) {
		const xc_gpu_coded_block b = xc_gpu_coded_block_at(j, &c, s->dc, i, deep);
		xc_gpu_count_block(&b, counts + b.chroma * XC_GPU_LENGTHS, deep);
	}
	XC_TEAM_SYNC();
	for (uint32_t i = t.rank; i < 2 * XC_GPU_LENGTHS; i += t.size)
		if (counts[i])
			XC_ATOMIC_ADD(&j->codes[picture].counts[i / XC_GPU_LENGTHS][i % XC_GPU_LENGTHS],
			              (unsigned long long)counts[i]);
}

/* ------------------------------------------------ all threads alike */

/* Gathers the tokens of a tile; s->start says where those of each block go.  A DC difference that
 * is not small is found again when it is coded. */
XC_GPU_INLINE void xc_gpu_gather(const xc_gpu_encode_job *j, xc_team t, const xc_gpu_coded_tile *c,
                                 const xc_gpu_code_shared *s, int deep)
{
	for (uint32_t i = t.rank; i < c->blocks; i += t.size) {
		const xc_gpu_coded_block b = xc_gpu_coded_block_at(j, c, s->dc, i, deep);
		const uint32_t d = (uint32_t)(b.difference + XC_MOST_SMALL_DC);
		uint32_t *const deep_to = s->tokens + s->start[i];
		uint16_t *const to = (uint16_t *)(void *)s->tokens + s->start[i];
		uint32_t first = XC_LARGE_DC_TOKEN;
		if (d <= 2 * XC_MOST_SMALL_DC)
			first = d + XC_DC_TOKENS;
		if (deep)
			deep_to[0] = first;
		else
			to[0] = (uint16_t)first;
		for (uint32_t k = 0; k < b.tokens; k += deep ? 4 : 8) {
			const xc_gpu_token_group g = b.slot[k / (deep ? 4 : 8) * XC_GPU_TOGETHER];
			XC_UNROLL for (uint32_t m = 0; m < (deep ? 4 : 8); m++) if (k + m < b.tokens)
			{
				if (deep)
					deep_to[1 + k + m] = g.deep[m];
				else
					to[1 + k + m] = g.plain[m];
			}
		}
	}
}

/* One thread's tokens `from` to `to` of a tile, all luma or all chroma. */
typedef struct xc_gpu_token_run {
	uint32_t from, to;
	const uint32_t *small; /* or */
	const uint32_t *set;   /* with codes by context, */
	uint32_t context;      /* of which this is the first */
	const xc_coder_tables *coder;
} xc_gpu_token_run;

XC_GPU_INLINE uint32_t xc_gpu_gathered(const xc_gpu_code_shared *s, uint32_t i, int deep)
{
	return deep ? s->tokens[i] : ((const uint16_t *)(const void *)s->tokens)[i];
}

/* The DC difference that XC_LARGE_DC_TOKEN, token `at` of a tile, stands for. */
XC_GPU_INLINE int32_t xc_gpu_large_difference(const xc_gpu_encode_job *j,
                                              const xc_gpu_coded_tile *c,
                                              const xc_gpu_code_shared *s, uint32_t at, int deep)
{
	uint32_t low = 0, high = c->blocks; /* the block is in there */
	while (high - low > 1) {
		const uint32_t middle = (low + high) / 2;
		if (s->start[middle] <= at)
			low = middle;
		else
			high = middle;
	}
	return xc_gpu_coded_block_at(j, c, s->dc, low, deep).difference;
}

/* The bits of token `at` of a tile, which is not a small one. */
XC_GPU_INLINE xc_gpu_code_bits xc_gpu_other_bits(const xc_gpu_encode_job *j,
                                                 const xc_coder_tables *k,
                                                 const xc_gpu_coded_tile *c,
                                                 const xc_gpu_code_shared *s, uint32_t at,
                                                 uint32_t token, int deep)
{
	if (token != XC_LARGE_DC_TOKEN)
		return xc_gpu_ac_bits(token, k, deep);
	return xc_gpu_dc_bits(xc_gpu_large_difference(j, c, s, at, deep), k);
}

/* The number of bits of a run with codes by context, which go to w unless that is NULL. */
XC_GPU_INLINE uint32_t xc_gpu_run_by_context(const xc_gpu_encode_job *j, const xc_gpu_token_run *r,
                                             const xc_gpu_coded_tile *c,
                                             const xc_gpu_code_shared *s, xc_gpu_bit_writer *w,
                                             int deep)
{
	uint32_t length = 0, context = r->context;
	for (uint32_t i = r->from; i < r->to; i++) {
		const uint32_t t = xc_gpu_gathered(s, i, deep);
		if (t < XC_SMALL_TOKENS) {
			const uint32_t entry = xc_gpu_small_entry(s->about[t], &context, r->set);
			length += entry & 63;
			if (w)
				xc_gpu_put_small(w, entry);
			continue;
		}
		const xc_gpu_token_symbol symbol = t == XC_LARGE_DC_TOKEN
		                                       ? xc_gpu_dc_symbol(
													 xc_gpu_large_difference(j, c, s, i, deep))
		                                       : xc_gpu_token_symbol_of(t, deep);
		const xc_gpu_code_bits b = xc_gpu_symbol_bits(&symbol, context, r->set);
		context = xc_gpu_context_after(&symbol);
		length += b.count;
		if (w)
			xc_gpu_put(w, b);
	}
	return length;
}

XC_GPU_INLINE uint32_t xc_gpu_run_length(const xc_gpu_encode_job *j, const xc_gpu_token_run *r,
                                         const xc_gpu_coded_tile *c, const xc_gpu_code_shared *s,
                                         int deep)
{
	const uint8_t *const counts = (const uint8_t *)r->small;
	uint32_t length = 0;
	if (s->set)
		return xc_gpu_run_by_context(j, r, c, s, NULL, deep);
	for (uint32_t i = r->from; i < r->to; i++) {
		const uint32_t t = xc_gpu_gathered(s, i, deep);
		if (t < XC_SMALL_TOKENS)
			length += counts[4 * t];
		else
			length += xc_gpu_other_bits(j, r->coder, c, s, i, t, deep).count;
	}
	return length;
}

XC_GPU_INLINE void xc_gpu_run_write(const xc_gpu_encode_job *j, const xc_gpu_token_run *r,
                                    const xc_gpu_coded_tile *c, const xc_gpu_code_shared *s,
                                    xc_gpu_bit_writer *w, int deep)
{
	if (s->set) {
		(void)xc_gpu_run_by_context(j, r, c, s, w, deep);
		return;
	}
	for (uint32_t i = r->from; i < r->to; i++) {
		const uint32_t t = xc_gpu_gathered(s, i, deep);
		if (t < XC_SMALL_TOKENS)
			xc_gpu_put_small(w, r->small[t]);
		else
			xc_gpu_put(w, xc_gpu_other_bits(j, r->coder, c, s, i, t, deep));
	}
}

/* Codes a tile whose `total` tokens fit into shared memory.  Returns 0, and has done nothing, if
 * the bits do not fit. */
XC_GPU_INLINE int xc_gpu_code_evenly(const xc_gpu_encode_job *j, xc_team t, uint32_t tile,
                                     uint32_t picture, const xc_gpu_coded_tile *c, uint32_t total,
                                     const xc_gpu_code_shared *s, int deep)
{
	/* An odd number of tokens each, so that the threads of a warp read from all banks. */
	const uint32_t each = (total + t.size - 1) / t.size | 1;
	const uint32_t from = t.rank * each < total ? t.rank * each : total;
	const uint32_t to = from + each < total ? from + each : total;
	const xc_coder_tables *const coder = xc_gpu_coder(j, picture);
	uint32_t length = 0;
	xc_gpu_gather(j, t, c, s, deep);
	XC_TEAM_SYNC();
	const uint32_t chroma = c->luma_blocks < c->blocks ? s->start[c->luma_blocks] : total;
	const uint32_t middle = chroma < from ? from : chroma > to ? to : chroma;
	const uint32_t context = s->set && from && from < to
	                             ? xc_gpu_context_after_token(xc_gpu_gathered(s, from - 1, deep),
	                                                          deep)
	                             : 0;
	/* Chroma begins with a DC, which has no context. */
	const xc_gpu_token_run runs[2] = {{from, middle, s->small[0], s->set ? s->set[0] : NULL,
	                                   context, &coder[0]},
	                                  {middle, to, s->small[1], s->set ? s->set[1] : NULL, context,
	                                   &coder[1]}};
	for (int i = 0; i < 2; i++)
		length += xc_gpu_run_length(j, &runs[i], c, s, deep);
	s->share[t.rank] = length;
	const uint32_t bits = xc_team_scan(t, s->share, t.size, 0, s->partial);
	const uint32_t bytes = (bits + 7) / 8, words = (bytes + 3) / 4;
	if (words > XC_GPU_STAGED_WORDS)
		return 0;
	if (t.rank == 0)
		xc_gpu_place_segment(j, picture, tile, bytes, s);
	for (uint32_t i = t.rank; i < words; i += t.size)
		s->words[i] = 0;
	XC_TEAM_SYNC();
	uint32_t *const out = *s->segment;
	xc_gpu_bit_writer w = xc_gpu_writer(s->words, s->share[t.rank]);
	for (int i = 0; i < 2; i++)
		xc_gpu_run_write(j, &runs[i], c, s, &w, deep);
	xc_gpu_put_end(&w);
	XC_TEAM_SYNC();
	for (uint32_t i = t.rank; out && i < words; i += t.size)
		out[i] = xc_gpu_swap(s->words[i]);
	return 1;
}

/* ------------------------------------------- a thread a block, without limits */

/* What codes a class: tables, or a set with codes by context. */
typedef struct xc_gpu_block_coder {
	const xc_coder_tables *tables;
	const uint32_t *set;
} xc_gpu_block_coder;

XC_GPU_INLINE xc_gpu_block_coder xc_gpu_block_coder_of(const xc_gpu_encode_job *j, uint32_t picture,
                                                       uint32_t chroma, const xc_gpu_code_shared *s)
{
	const xc_gpu_block_coder k = {s->set ? NULL : xc_gpu_coder(j, picture) + chroma,
	                              s->set ? s->set[chroma] : NULL};
	return k;
}

/* The bits of an AC token; *context becomes that of the next one. */
XC_GPU_INLINE xc_gpu_code_bits xc_gpu_next_bits(const xc_gpu_block_coder *k, uint32_t token,
                                                uint32_t *context, int deep)
{
	if (!k->set)
		return xc_gpu_ac_bits(token, k->tables, deep);
	const xc_gpu_token_symbol s = xc_gpu_token_symbol_of(token, deep);
	const xc_gpu_code_bits b = xc_gpu_symbol_bits(&s, *context, k->set);
	*context = xc_gpu_context_after(&s);
	return b;
}

/* The number of bits of a block, which go to w unless that is NULL. */
XC_GPU_INLINE uint32_t xc_gpu_code_block(const xc_gpu_coded_block *b, const xc_gpu_block_coder *k,
                                         xc_gpu_bit_writer *w, int deep)
{
	const xc_gpu_token_symbol first = xc_gpu_dc_symbol(b->difference);
	const xc_gpu_code_bits dc = k->set ? xc_gpu_symbol_bits(&first, 0, k->set)
	                                   : xc_gpu_dc_bits(b->difference, k->tables);
	uint32_t length = dc.count, context = xc_gpu_context_after(&first);
	if (w)
		xc_gpu_put(w, dc);
	for (uint32_t i = 0; i < b->tokens; i += deep ? 4 : 8) {
		const xc_gpu_token_group g = b->slot[i / (deep ? 4 : 8) * XC_GPU_TOGETHER];
		XC_UNROLL for (uint32_t m = 0; m < (deep ? 4 : 8); m++) if (i + m < b->tokens)
		{
			const xc_gpu_code_bits ac = xc_gpu_next_bits(k, deep ? g.deep[m] : g.plain[m], &context,
			                                             deep);
			length += ac.count;
			if (w)
				xc_gpu_put(w, ac);
		}
	}
	if (w)
		xc_gpu_put_end(w);
	return length;
}

XC_GPU_INLINE void xc_gpu_code_by_block(const xc_gpu_encode_job *j, xc_team t, uint32_t tile,
                                        uint32_t picture, const xc_gpu_coded_tile *c,
                                        const xc_gpu_code_shared *s, int deep)
{
	XC_TEAM_SYNC();
	for (uint32_t i = t.rank; i < c->blocks; i += t.size) {
		const xc_gpu_coded_block b = xc_gpu_coded_block_at(j, c, s->dc, i, deep);
		const xc_gpu_block_coder k = xc_gpu_block_coder_of(j, picture, b.chroma, s);
		s->start[i] = xc_gpu_code_block(&b, &k, NULL, deep);
	}
	const uint32_t bits = xc_team_scan(t, s->start, c->blocks, 0, s->partial);
	const uint32_t bytes = (bits + 7) / 8, words = (bytes + 3) / 4;
	if (t.rank == 0)
		xc_gpu_place_segment(j, picture, tile, bytes, s);
	XC_TEAM_SYNC();
	uint32_t *const out = *s->segment;
	for (uint32_t i = t.rank; out && i < words; i += t.size)
		out[i] = 0;
	XC_TEAM_SYNC();
	for (uint32_t i = t.rank; out && i < c->blocks; i += t.size) {
		const xc_gpu_coded_block b = xc_gpu_coded_block_at(j, c, s->dc, i, deep);
		xc_gpu_bit_writer w = xc_gpu_writer(out, s->start[i]);
		const xc_gpu_block_coder k = xc_gpu_block_coder_of(j, picture, b.chroma, s);
		(void)xc_gpu_code_block(&b, &k, &w, deep);
	}
	XC_TEAM_SYNC();
	for (uint32_t i = t.rank; out && i < words; i += t.size)
		out[i] = xc_gpu_swap(out[i]);
}

/* Codes one tile into the arena; the tables of its picture have been loaded. */
XC_GPU_INLINE void xc_gpu_code(const xc_gpu_encode_job *j, xc_team t, uint32_t tile,
                               uint32_t picture, const xc_gpu_code_shared *s, int deep)
{
	const xc_gpu_coded_tile c = xc_gpu_coded_tile_at(j, tile, picture);
	XC_TEAM_SYNC();
	xc_gpu_load_dc(j, t, &c, s->dc);
	for (uint32_t i = t.rank; i < c.blocks; i += t.size)
		s->start[i] = 1 + j->counts[c.first + i];
	const uint32_t total = xc_team_scan(t, s->start, c.blocks, 0, s->partial);
	if (total > s->token_bytes / (deep ? 4 : 2) ||
	    !xc_gpu_code_evenly(j, t, tile, picture, &c, total, s, deep))
		xc_gpu_code_by_block(j, t, tile, picture, &c, s, deep);
}

#endif
