/* SPDX-License-Identifier: BSD-2-Clause */
/* Coding a segment from its tokens; see gpu/encode/code.h.  The stub defines DEEP, 0 or 1. */
#if DEEP
#define NAME(stem) stem##32
#define TOKEN uint32_t
#define SIGNED int32_t
#define BITS 32
#else
#define NAME(stem) stem##16
#define TOKEN uint16_t
#define SIGNED int16_t
#define BITS 16
#endif

/* Eight or four tokens, as they are loaded. */
typedef union NAME(xc_gpu_token_group) {
	uint32_t words[4];
	TOKEN t[128 / BITS];
} __attribute__((aligned(16))) NAME(xc_gpu_token_group);

/* The coefficient of a token that is not in the tables. */
XC_GPU_INLINE int32_t NAME(xc_gpu_token_value)(TOKEN t)
{
	const uint32_t c = t >> 4, first_negative = (UINT32_C(1) << (BITS - 5)) + 40;
	return c < first_negative ? (int32_t)c - XC_LARGE_BIAS
	                          : (int32_t)(c - (UINT32_C(1) << (BITS - 4))) - XC_TOKEN_BIAS;
}

/* An AC token's bits; at most 16 + 4 + 28. */
XC_GPU_INLINE xc_gpu_code_bits NAME(xc_gpu_token_bits)(TOKEN t, const xc_coder_tables *k)
{
	xc_gpu_code_bits b;
	if (t < XC_SMALL_TOKENS) {
		b.count = k->small[t] & 63;
		b.bits = k->small[t] >> 6;
		return b;
	}
	const int32_t v = NAME(xc_gpu_token_value)(t);
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

/* The DC's difference to its prediction, of block i of a component whose blocks are
 * `wide` to a row. */
XC_GPU_INLINE int32_t NAME(xc_gpu_dc_difference)(const int32_t *dc, uint32_t i, uint32_t wide)
{
	const uint32_t x = i % wide;
	int32_t p = 0;
	if (x && i >= wide)
		p = xc_median_edge(dc[i - 1], dc[i - wide], dc[i - wide - 1]);
	else if (x)
		p = dc[i - 1];
	else if (i >= wide)
		p = dc[i - wide];
	return (SIGNED)(dc[i] - p);
}

/* What visits a block's symbols does to each. */
XC_GPU_INLINE uint32_t NAME(xc_gpu_block_length)(const TOKEN *slot, uint32_t n, int32_t difference,
                                                 const xc_coder_tables *k)
{
	uint32_t length = xc_gpu_dc_bits(difference, k).count;
	for (uint32_t i = 0; i < n; i += 128 / BITS) {
		const NAME(xc_gpu_token_group) g = *(const NAME(xc_gpu_token_group) *)(slot + i);
		XC_UNROLL for (uint32_t m = 0; m < 128 / BITS; m++) if (i + m < n)
			length += NAME(xc_gpu_token_bits)(g.t[m], k).count;
	}
	return length;
}

XC_GPU_INLINE void NAME(xc_gpu_block_write)(const TOKEN *slot, uint32_t n, int32_t difference,
                                            const xc_coder_tables *k, xc_gpu_bit_writer *w)
{
	xc_gpu_put(w, xc_gpu_dc_bits(difference, k));
	for (uint32_t i = 0; i < n; i += 128 / BITS) {
		const NAME(xc_gpu_token_group) g = *(const NAME(xc_gpu_token_group) *)(slot + i);
		XC_UNROLL for (uint32_t m = 0; m < 128 / BITS; m++) if (i + m < n)
			xc_gpu_put(w, NAME(xc_gpu_token_bits)(g.t[m], k));
	}
	xc_gpu_put_end(w);
}

XC_GPU_INLINE void NAME(xc_gpu_block_count)(const TOKEN *slot, uint32_t n, int32_t difference,
                                            uint32_t *counts)
{
	XC_ATOMIC_ADD(&counts[xc_value_size(difference)], 1u);
	for (uint32_t i = 0; i < n; i++) {
		const TOKEN t = slot[i];
		const int32_t v = t < XC_DC_TOKENS ? (int32_t)(t >> 4) - XC_TOKEN_BIAS
		                                   : NAME(xc_gpu_token_value)(t);
		const unsigned size = xc_value_size(v);
		XC_ATOMIC_ADD(&counts[XC_DC_SYMBOLS + ((t & 15) << 4 | (size < 15 ? size : 15))], 1u);
	}
}

/* Counts the symbols of a tile into counts[2][XC_GPU_LENGTHS] of shared memory and from
 * there into the picture's. */
XC_GPU_INLINE void NAME(xc_gpu_count)(const xc_gpu_encode_job *j, xc_team t, uint32_t tile_index,
                                      uint32_t picture, xc_gpu_count_shared *s)
{
	uint32_t *const counts = s->counts;
	const xc_gpu_coded_tile c = xc_gpu_coded_tile_at(j, tile_index, picture);
	for (uint32_t i = t.rank; i < 2 * XC_GPU_LENGTHS; i += t.size)
		counts[i] = 0;
	xc_gpu_load_dc(j, t, &c, s->dc);
	XC_TEAM_SYNC();
	for (uint32_t i = t.rank; i < c.blocks; i += t.size) {
		const xc_gpu_coded_block b = xc_gpu_coded_block_at(&c, i);
		const int32_t d = NAME(xc_gpu_dc_difference)(s->dc + b.start, i - b.start, b.wide);
		NAME(xc_gpu_block_count)
		((const TOKEN *)j->tokens + (c.first + i) * XC_GPU_AC_SLOTS, j->counts[c.first + i], d,
		 counts + b.chroma * XC_GPU_LENGTHS);
	}
	XC_TEAM_SYNC();
	for (uint32_t i = t.rank; i < 2 * XC_GPU_LENGTHS; i += t.size)
		if (counts[i])
			XC_ATOMIC_ADD(&j->codes[picture].counts[i / XC_GPU_LENGTHS][i % XC_GPU_LENGTHS],
			              (unsigned long long)counts[i]);
}

/* Writes all blocks at the bit positions s->start into words that are zero. */
XC_GPU_INLINE void NAME(xc_gpu_write_blocks)(const xc_gpu_encode_job *j, xc_team t,
                                             const xc_gpu_coded_tile *c,
                                             const xc_gpu_code_shared *s,
                                             const xc_coder_tables *coder, uint32_t *words)
{
	for (uint32_t i = t.rank; i < c->blocks; i += t.size) {
		const xc_gpu_coded_block b = xc_gpu_coded_block_at(c, i);
		const int32_t d = NAME(xc_gpu_dc_difference)(s->dc + b.start, i - b.start, b.wide);
		xc_gpu_bit_writer w = xc_gpu_writer(words, s->start[i]);
		NAME(xc_gpu_block_write)
		((const TOKEN *)j->tokens + (c->first + i) * XC_GPU_AC_SLOTS, j->counts[c->first + i], d,
		 &coder[b.chroma], &w);
	}
}

/* ------------------------------------------------ all threads alike */

/* Puts the tokens of a tile one after another; s->start says where those of each block go.
 * A DC difference that is not small is found again when it is coded. */
XC_GPU_INLINE void NAME(xc_gpu_gather)(const xc_gpu_encode_job *j, xc_team t,
                                       const xc_gpu_coded_tile *c, const xc_gpu_code_shared *s)
{
	TOKEN *const tokens = (TOKEN *)(void *)s->tokens;
	for (uint32_t i = t.rank; i < c->blocks; i += t.size) {
		const xc_gpu_coded_block b = xc_gpu_coded_block_at(c, i);
		const int32_t d = NAME(xc_gpu_dc_difference)(s->dc + b.start, i - b.start, b.wide);
		const uint32_t small = (uint32_t)(d + XC_MOST_SMALL_DC) <= 2 * XC_MOST_SMALL_DC;
		const TOKEN *const slot = (const TOKEN *)j->tokens + (c->first + i) * XC_GPU_AC_SLOTS;
		const uint32_t n = j->counts[c->first + i];
		TOKEN *const to = tokens + s->start[i];
		to[0] = XC_LARGE_DC_TOKEN;
		if (small)
			to[0] = (TOKEN)(d + XC_MOST_SMALL_DC + XC_DC_TOKENS);
		for (uint32_t k = 0; k < n; k += 128 / BITS) {
			const NAME(xc_gpu_token_group)
				g = *(const NAME(xc_gpu_token_group) *)(const void *)(slot + k);
			XC_UNROLL for (uint32_t m = 0; m < 128 / BITS; m++) if (k + m < n)
				to[1 + k + m] = g.t[m];
		}
	}
}

/* The bits of token `at` of a tile, which is not a small one. */
XC_GPU_INLINE xc_gpu_code_bits NAME(xc_gpu_other_bits)(const xc_coder_tables *k,
                                                       const xc_gpu_coded_tile *c,
                                                       const xc_gpu_code_shared *s, uint32_t at,
                                                       TOKEN token)
{
	uint32_t low = 0, high = c->blocks; /* the block is in there */
	if (token != XC_LARGE_DC_TOKEN)
		return NAME(xc_gpu_token_bits)(token, k);
	while (high - low > 1) {
		const uint32_t middle = (low + high) / 2;
		if (s->start[middle] <= at)
			low = middle;
		else
			high = middle;
	}
	const xc_gpu_coded_block b = xc_gpu_coded_block_at(c, low);
	return xc_gpu_dc_bits(NAME(xc_gpu_dc_difference)(s->dc + b.start, low - b.start, b.wide), k);
}

/* Tokens `from` to `to` of a tile, all luma or all chroma. */
typedef struct NAME(xc_gpu_token_run) {
	uint32_t from, to;
	const uint32_t *small;
	const xc_coder_tables *coder;
} NAME(xc_gpu_token_run);

/* One thread's tokens, luma's and chroma's; chroma begins at `chroma`. */
XC_GPU_INLINE void NAME(xc_gpu_token_runs)(NAME(xc_gpu_token_run) runs[2], uint32_t from,
                                           uint32_t to, uint32_t chroma,
                                           const xc_gpu_code_shared *s,
                                           const xc_coder_tables *coder)
{
	const uint32_t middle = chroma < from ? from : chroma > to ? to : chroma;
	const NAME(xc_gpu_token_run) luma = {from, middle, s->small[0], &coder[0]};
	const NAME(xc_gpu_token_run) rest = {middle, to, s->small[1], &coder[1]};
	runs[0] = luma;
	runs[1] = rest;
}

XC_GPU_INLINE uint32_t NAME(xc_gpu_token_run_length)(const NAME(xc_gpu_token_run) * r,
                                                     const TOKEN *tokens,
                                                     const xc_gpu_coded_tile *c,
                                                     const xc_gpu_code_shared *s)
{
	const uint8_t *const counts = (const uint8_t *)r->small;
	uint32_t length = 0;
	for (uint32_t i = r->from; i < r->to; i++) {
		const uint32_t t = tokens[i];
		if (t < XC_SMALL_TOKENS)
			length += counts[4 * t];
		else
			length += NAME(xc_gpu_other_bits)(r->coder, c, s, i, (TOKEN)t).count;
	}
	return length;
}

XC_GPU_INLINE void NAME(xc_gpu_token_run_write)(const NAME(xc_gpu_token_run) * r,
                                                const TOKEN *tokens, const xc_gpu_coded_tile *c,
                                                const xc_gpu_code_shared *s, xc_gpu_bit_writer *w)
{
	for (uint32_t i = r->from; i < r->to; i++) {
		const uint32_t t = tokens[i];
		if (t < XC_SMALL_TOKENS)
			xc_gpu_put_small(w, r->small[t]);
		else
			xc_gpu_put(w, NAME(xc_gpu_other_bits)(r->coder, c, s, i, (TOKEN)t));
	}
}

/* Codes a tile whose tokens, `total` of them, fit into shared memory; 0 if the bits do
 * not: then nothing has been done. */
XC_GPU_INLINE int NAME(xc_gpu_code_evenly)(const xc_gpu_encode_job *j, xc_team t, uint32_t tile,
                                           uint32_t picture, const xc_gpu_coded_tile *c,
                                           uint32_t total, const xc_gpu_code_shared *s)
{
	/* An odd number of tokens each, so that the threads of a warp read from all banks. */
	const uint32_t each = (total + t.size - 1) / t.size | 1;
	const uint32_t from = t.rank * each < total ? t.rank * each : total;
	const uint32_t luma = c->luma_blocks;
	const TOKEN *const tokens = (const TOKEN *)(const void *)s->tokens;
	NAME(xc_gpu_token_run) runs[2];
	uint32_t length = 0;
	NAME(xc_gpu_gather)(j, t, c, s);
	XC_TEAM_SYNC();
	NAME(xc_gpu_token_runs)
	(runs, from, from + each < total ? from + each : total,
	 luma < c->blocks ? s->start[luma] : total, s, xc_gpu_coder(j, picture));
	for (int i = 0; i < 2; i++)
		length += NAME(xc_gpu_token_run_length)(&runs[i], tokens, c, s);
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
		NAME(xc_gpu_token_run_write)(&runs[i], tokens, c, s, &w);
	xc_gpu_put_end(&w);
	XC_TEAM_SYNC();
	for (uint32_t i = t.rank; out && i < words; i += t.size)
		out[i] = xc_gpu_swap(s->words[i]);
	return 1;
}

/* ------------------------------------------- a thread a block, without limits */

XC_GPU_INLINE void NAME(xc_gpu_code_by_block)(const xc_gpu_encode_job *j, xc_team t, uint32_t tile,
                                              uint32_t picture, const xc_gpu_coded_tile *c,
                                              const xc_gpu_code_shared *s)
{
	const xc_coder_tables *const coder = xc_gpu_coder(j, picture);
	XC_TEAM_SYNC();
	for (uint32_t i = t.rank; i < c->blocks; i += t.size) {
		const xc_gpu_coded_block b = xc_gpu_coded_block_at(c, i);
		const int32_t d = NAME(xc_gpu_dc_difference)(s->dc + b.start, i - b.start, b.wide);
		s->start[i] = NAME(xc_gpu_block_length)((const TOKEN *)j->tokens +
		                                            (c->first + i) * XC_GPU_AC_SLOTS,
		                                        j->counts[c->first + i], d, &coder[b.chroma]);
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
	if (out)
		NAME(xc_gpu_write_blocks)(j, t, c, s, coder, out);
	XC_TEAM_SYNC();
	for (uint32_t i = t.rank; out && i < words; i += t.size)
		out[i] = xc_gpu_swap(out[i]);
}

/* Codes one tile into the arena; the tables of its picture have been loaded. */
XC_GPU_INLINE void NAME(xc_gpu_code)(const xc_gpu_encode_job *j, xc_team t, uint32_t tile,
                                     uint32_t picture, const xc_gpu_code_shared *s)
{
	const xc_gpu_coded_tile c = xc_gpu_coded_tile_at(j, tile, picture);
	XC_TEAM_SYNC();
	xc_gpu_load_dc(j, t, &c, s->dc);
	for (uint32_t i = t.rank; i < c.blocks; i += t.size)
		s->start[i] = 1 + j->counts[c.first + i];
	const uint32_t total = xc_team_scan(t, s->start, c.blocks, 0, s->partial);
	if (total > XC_GPU_TOKEN_BYTES * 8 / BITS ||
	    !NAME(xc_gpu_code_evenly)(j, t, tile, picture, &c, total, s))
		NAME(xc_gpu_code_by_block)(j, t, tile, picture, &c, s);
}

#undef NAME
#undef TOKEN
#undef SIGNED
#undef BITS
#undef DEEP
