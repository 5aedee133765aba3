/* SPDX-License-Identifier: BSD-2-Clause */
/* Coding a segment from its tokens; see gpu/code.h.  The stub defines DEEP, 0 or 1. */
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
XC_GPU_INLINE xc_gpu_bits NAME(xc_gpu_token_bits)(TOKEN t, const xc_coder_tables *k)
{
	xc_gpu_bits b;
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
		p = xc_gpu_median_edge(dc[i - 1], dc[i - wide], dc[i - wide - 1]);
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
		XC_UNROLL for (uint32_t m = 0; m < 128 / BITS; m++)
			if (i + m < n)
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
		XC_UNROLL for (uint32_t m = 0; m < 128 / BITS; m++)
			if (i + m < n)
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
		XC_ATOMIC_ADD(&counts[XC_DC_SYMBOLS + ((t & 15) << 4 | (size < 15 ? size : 15))],
		              1u);
	}
}

/* Counts the symbols of a tile into counts[2][XC_GPU_LENGTHS] of shared memory and from
 * there into the picture's. */
XC_GPU_INLINE void NAME(xc_gpu_count)(const xc_gpu_encode_job *j, xc_team t, uint32_t tile_index,
                                      uint32_t picture, xc_gpu_code_shared *s)
{
	uint32_t *const counts = s->words;
	const xc_gpu_coded_tile c = xc_gpu_coded_tile_at(j, tile_index, picture);
	for (uint32_t i = t.rank; i < 2 * XC_GPU_LENGTHS; i += t.size)
		counts[i] = 0;
	xc_gpu_load_dc(j, t, &c, s->dc);
	XC_TEAM_SYNC();
	for (uint32_t i = t.rank; i < c.tile.blocks; i += t.size) {
		const xc_gpu_coded_block b = xc_gpu_coded_block_at(&c, i);
		const int32_t d = NAME(xc_gpu_dc_difference)(s->dc + b.start, i - b.start, b.wide);
		NAME(xc_gpu_block_count)((const TOKEN *)j->tokens + (c.first + i) * XC_GPU_AC_SLOTS,
		                         j->counts[c.first + i], d,
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
                                             const xc_gpu_code_shared *s, uint32_t *words)
{
	for (uint32_t i = t.rank; i < c->tile.blocks; i += t.size) {
		const xc_gpu_coded_block b = xc_gpu_coded_block_at(c, i);
		const int32_t d = NAME(xc_gpu_dc_difference)(s->dc + b.start, i - b.start, b.wide);
		xc_gpu_bit_writer w = xc_gpu_writer(words, s->start[i]);
		NAME(xc_gpu_block_write)((const TOKEN *)j->tokens + (c->first + i) * XC_GPU_AC_SLOTS,
		                         j->counts[c->first + i], d, &s->tables[b.chroma], &w);
	}
}

/* Codes one tile into the arena. */
XC_GPU_INLINE void NAME(xc_gpu_code)(const xc_gpu_encode_job *j, xc_team t, uint32_t tile_index,
                                     uint32_t picture, xc_gpu_code_shared *s)
{
	const xc_gpu_coded_tile c = xc_gpu_coded_tile_at(j, tile_index, picture);
	xc_gpu_load_dc(j, t, &c, s->dc);
	xc_gpu_load_tables(j, t, picture, s);
	XC_TEAM_SYNC();
	for (uint32_t i = t.rank; i < c.tile.blocks; i += t.size) {
		const xc_gpu_coded_block b = xc_gpu_coded_block_at(&c, i);
		const int32_t d = NAME(xc_gpu_dc_difference)(s->dc + b.start, i - b.start, b.wide);
		s->start[i] = NAME(xc_gpu_block_length)(
		        (const TOKEN *)j->tokens + (c.first + i) * XC_GPU_AC_SLOTS,
		        j->counts[c.first + i], d, &s->tables[b.chroma]);
	}
	const uint32_t bits = xc_team_scan(t, s->start, c.tile.blocks, 0, s->partial);
	const uint32_t bytes = (bits + 7) / 8, words = (bytes + 3) / 4;
	if (t.rank == 0)
		xc_gpu_place_segment(j, picture, tile_index, bytes, s);
	if (words <= XC_GPU_STAGED_WORDS) {
		for (uint32_t i = t.rank; i < words; i += t.size)
			s->words[i] = 0;
		XC_TEAM_SYNC();
		uint32_t *const out = s->segment;
		NAME(xc_gpu_write_blocks)(j, t, &c, s, s->words);
		XC_TEAM_SYNC();
		for (uint32_t i = t.rank; out && i < words; i += t.size)
			out[i] = xc_gpu_swap(s->words[i]);
	} else {
		/* Too long to be put together in shared memory: rare, and slower. */
		XC_TEAM_SYNC();
		uint32_t *const out = s->segment;
		for (uint32_t i = t.rank; out && i < words; i += t.size)
			out[i] = 0;
		XC_TEAM_SYNC();
		if (out)
			NAME(xc_gpu_write_blocks)(j, t, &c, s, out);
		XC_TEAM_SYNC();
		for (uint32_t i = t.rank; out && i < words; i += t.size)
			out[i] = xc_gpu_swap(out[i]);
	}
}

#undef NAME
#undef TOKEN
#undef SIGNED
#undef BITS
#undef DEEP
