/* SPDX-License-Identifier: BSD-2-Clause */
/* One step of sixteen lanes.  Part of rans_level.c. */

/* Two bytes of the segment; zeros past its end, which the decoder finds out at the end. */
XC_RANS_INLINE uint32_t next_word(coder *c)
{
	uint32_t word = 0;
	if (c->at + 2 <= c->size)
		word = c->data[c->at] | (uint32_t)c->data[c->at + 1] << 8;
	c->at += 2;
	return word;
}

#ifdef __AVX512VBMI2__

XC_RANS_INLINE __m512i wide(xc_v16 v)
{
	return _mm512_castsi256_si512((__m256i)v);
}

XC_RANS_INLINE xc_v16 level_vector(const xc_rans_set *set, xc_v16 bin)
{
	const __m512i low = _mm512_loadu_si512(set->level), high = _mm512_loadu_si512(set->level + 32);
	return (xc_v16)_mm512_castsi512_si256(_mm512_permutex2var_epi16(low, wide(bin), high));
}

XC_RANS_INLINE xc_v16b levels_of(const xc_rans_set *set, xc_v16 bin)
{
	return (xc_v16b)_mm256_cvtepi16_epi8(_mm256_slli_epi16((__m256i)level_vector(set, bin), 4));
}

/* Where a search stands: the slot lies in [low, high); path: the row of the heap, less the
 * first one of its depth, times 16, plus the level. */
typedef struct search {
	__m256i slot, low, high, path;
} search;

/* Goes down: node holds the slots to compare with, add what is below them in the path. */
XC_RANS_INLINE void search_down(search *s, __m256i node, __m256i level)
{
	const __mmask16 above = _mm256_cmpge_epu16_mask(s->slot, node);
	s->low = _mm256_mask_mov_epi16(s->low, above, node);
	s->high = _mm256_mask_mov_epi16(node, above, s->high);
	/* path = 2 (path - level) + level, + 16 */
	const __m256i twice = _mm256_sub_epi16(_mm256_add_epi16(s->path, s->path), level);
	s->path = _mm256_mask_add_epi16(twice, above, twice, _mm256_set1_epi16(16));
}

XC_RANS_INLINE __m256i look_up(const uint16_t *low, const uint16_t *high, __m256i index)
{
	return _mm512_castsi512_si256(_mm512_permutex2var_epi16(_mm512_loadu_si512(low),
	                                                        _mm512_castsi256_si512(index),
	                                                        _mm512_loadu_si512(high)));
}

/* Finds all symbols at once.  A vector holds two rows of the heap, and a permutation looks up
 * four of them. */
XC_RANS_INLINE void search_symbols(search *s, const xc_rans_set *set, __m256i level)
{
	const __m256i one = _mm256_loadu_si256((const __m256i *)set->node[1]);
	s->low = _mm256_setzero_si256();
	s->high = _mm256_set1_epi16(XC_RANS_ONE);
	s->path = level;
	const __m256i first = _mm256_permutexvar_epi16(level, one);
	const __mmask16 upper = _mm256_cmpge_epu16_mask(s->slot, first);
	search_down(s, first, level);
	const __m512i two = _mm512_loadu_si512(set->node[2]);
	search_down(s,
	            _mm512_castsi512_si256(
					_mm512_permutexvar_epi16(_mm512_castsi256_si512(s->path), two)),
	            level);
	search_down(s, look_up(set->node[4], set->node[6], s->path), level);
	const __m256i below = look_up(set->node[8], set->node[10], s->path);
	const __m256i beyond = look_up(set->node[12], set->node[14], s->path);
	search_down(s, _mm256_mask_mov_epi16(below, upper, beyond), level);
}

/* A flag's only node is that of symbol 1. */
XC_RANS_INLINE void search_flags(search *s, const xc_rans_set *set, __m256i level)
{
	const __m256i node = _mm256_permutexvar_epi16(level, _mm256_loadu_si256(
															 (const __m256i *)set->node[8]));
	s->low = _mm256_setzero_si256();
	s->high = _mm256_set1_epi16(XC_RANS_ONE);
	s->path = level;
	search_down(s, node, level);
}

/* The next words, up to sixteen. */
XC_RANS_INLINE __m256i next_words(const coder *c)
{
	const size_t left = c->at < c->size ? (c->size - c->at) / 2 : 0;
	if (__builtin_expect(left >= XC_RANS_LANES, 1))
		return _mm256_loadu_si256((const __m256i *)(c->data + c->at));
	return _mm256_maskz_loadu_epi16((__mmask16)((1u << left) - 1), c->data + c->at);
}

XC_RANS_INLINE xc_v16 decode_symbols(coder *c, const xc_rans_set *set, xc_v16 bin, uint32_t mask,
                                     const int flags)
{
	const __m256i level = (__m256i)level_vector(set, bin);
	const __m512i state = _mm512_loadu_si512(c->state);
	const __m512i slot = _mm512_and_si512(state, _mm512_set1_epi32(XC_RANS_ONE - 1));
	search s = {.slot = _mm512_cvtepi32_epi16(slot)};
	if (flags)
		search_flags(&s, set, level);
	else
		search_symbols(&s, set, level);
	const __m512i frequency = _mm512_cvtepu16_epi32(_mm256_sub_epi16(s.high, s.low));
	const __m512i rest = _mm512_cvtepu16_epi32(_mm256_sub_epi16(s.slot, s.low));
	__m512i next = _mm512_add_epi32(_mm512_mullo_epi32(frequency,
	                                                   _mm512_srli_epi32(state, XC_RANS_BITS)),
	                                rest);
	const __mmask16 need = _mm512_mask_cmplt_epu32_mask((__mmask16)mask, next,
	                                                    _mm512_set1_epi32(1 << XC_RANS_STATE_BITS));
	const __m512i words = _mm512_maskz_expand_epi32(need, _mm512_cvtepu16_epi32(next_words(c)));
	next = _mm512_mask_or_epi32(next, need, _mm512_slli_epi32(next, 16), words);
	c->at += 2 * (size_t)__builtin_popcount(need);
	_mm512_storeu_si512(c->state, _mm512_mask_mov_epi32(state, (__mmask16)mask, next));
	return (xc_v16)_mm256_maskz_srli_epi16((__mmask16)mask, s.path, 4);
}

#else

XC_RANS_INLINE xc_v16b levels_of(const xc_rans_set *set, xc_v16 bin)
{
	xc_v16b levels;
	for (int i = 0; i < XC_RANS_LANES; i++)
		levels[i] = (uint8_t)(set->level[bin[i]] << 4);
	return levels;
}

XC_RANS_INLINE xc_v16 decode_symbols(coder *c, const xc_rans_set *set, xc_v16 bin, uint32_t mask,
                                     const int flags)
{
	uint16_t bins[XC_RANS_LANES], symbols[XC_RANS_LANES] = {0};
	xc_v16 v;
	memcpy(bins, &bin, sizeof bins);
	for (; mask; mask &= mask - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(mask);
		const uint32_t level = set->level[bins[lane]];
		const uint32_t state = c->state[lane], slot = state % XC_RANS_ONE;
		uint32_t low = 0, high = XC_RANS_ONE, n = flags ? 8 : 1;
		do {
			const uint32_t least_above = set->node[n][level];
			const int above = slot >= least_above;
			low = above ? least_above : low;
			high = above ? high : least_above;
			n = 2 * n + (uint32_t)above;
		} while (n < XC_RANS_SYMBOLS);
		uint32_t next = (high - low) * (state >> XC_RANS_BITS) + slot - low;
		if (next < 1u << XC_RANS_STATE_BITS)
			next = next << 16 | next_word(c);
		c->state[lane] = next;
		symbols[lane] = (uint16_t)(n - XC_RANS_SYMBOLS);
	}
	memcpy(&v, symbols, sizeof v);
	return v;
}

#endif
