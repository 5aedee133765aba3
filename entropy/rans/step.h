/* SPDX-License-Identifier: BSD-2-Clause */
/* One step of sixteen lanes.  Part of level.c. */

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

/* Where a search stands: the slot lies in [low, high); path: 16 times the number of symbols, or
 * of quarters of them, that end before it, plus the level. */
typedef struct search {
	__m256i slot, low, high, path;
} search;

/* Compares with three slots in ascending order; each that is not above the slot adds `more` to
 * the path. */
XC_RANS_INLINE void search_among(search *s, const __m256i slot[3], int more)
{
	const __m256i step = _mm256_set1_epi16((short)more);
	const __mmask16 first = _mm256_cmpge_epu16_mask(s->slot, slot[0]);
	const __mmask16 second = _mm256_cmpge_epu16_mask(s->slot, slot[1]);
	const __mmask16 third = _mm256_cmpge_epu16_mask(s->slot, slot[2]);
	const __m256i half = _mm256_mask_add_epi16(s->path, first, s->path, step);
	const __m256i rest = _mm256_maskz_add_epi16(second, step, _mm256_maskz_mov_epi16(third, step));
	s->path = _mm256_add_epi16(half, rest);
	s->low = _mm256_mask_mov_epi16(s->low, first, slot[0]);
	s->low = _mm256_mask_mov_epi16(s->low, second, slot[1]);
	s->low = _mm256_mask_mov_epi16(s->low, third, slot[2]);
	s->high = _mm256_mask_mov_epi16(slot[2], third, s->high);
	s->high = _mm256_mask_mov_epi16(slot[1], second, s->high);
	s->high = _mm256_mask_mov_epi16(slot[0], first, s->high);
}

/* Finds all symbols at once: first the quarter, then the symbol in it.  A vector holds the
 * slots of one symbol in all levels, or of two symbols, and a permutation is the look-up. */
XC_RANS_INLINE void search_symbols(search *s, const xc_rans_set *set, __m256i level)
{
	__m256i slot[3];
	s->low = _mm256_setzero_si256();
	s->high = _mm256_set1_epi16(XC_RANS_ONE);
	s->path = level;
	for (int i = 0; i < 3; i++)
		slot[i] = _mm256_permutexvar_epi16(level,
		                                   _mm256_loadu_si256((const __m256i *)set->quarter[i]));
	search_among(s, slot, 16);
	const __m512i quarter = _mm512_castsi256_si512(s->path);
	for (int i = 0; i < 3; i++)
		slot[i] = _mm512_castsi512_si256(
			_mm512_permutex2var_epi16(_mm512_loadu_si512(set->within[i][0]), quarter,
		                              _mm512_loadu_si512(set->within[i][2])));
	/* From quarters to symbols: 4 (path - level) + level. */
	s->path = _mm256_sub_epi16(_mm256_slli_epi16(s->path, 2),
	                           _mm256_add_epi16(level, _mm256_add_epi16(level, level)));
	search_among(s, slot, 16);
}

XC_RANS_INLINE void search_flags(search *s, const xc_rans_set *set, __m256i level)
{
	const __m256i one = _mm256_permutexvar_epi16(level, _mm256_loadu_si256(
															(const __m256i *)set->within[0][0]));
	const __mmask16 above = _mm256_cmpge_epu16_mask(s->slot, one);
	s->low = _mm256_maskz_mov_epi16(above, one);
	s->high = _mm256_mask_mov_epi16(one, above, _mm256_set1_epi16(XC_RANS_ONE));
	s->path = _mm256_maskz_mov_epi16(above, _mm256_set1_epi16(16));
}

/* The next words, up to sixteen. */
XC_RANS_INLINE __m256i next_words(const reader *in)
{
	const size_t left = in->at < in->size ? (in->size - in->at) / 2 : 0;
	if (__builtin_expect(left >= XC_RANS_LANES, 1))
		return _mm256_loadu_si256((const __m256i *)(in->data + in->at));
	return _mm256_maskz_loadu_epi16((__mmask16)((1u << left) - 1), in->data + in->at);
}

XC_RANS_INLINE xc_v16 decode_symbols(reader *in, const xc_rans_set *set, xc_v16 bin, uint32_t mask,
                                     const int flags)
{
	const __m256i level = (__m256i)level_vector(set, bin);
	const __m512i state = in->state;
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
	const __m512i words = _mm512_maskz_expand_epi32(need, _mm512_cvtepu16_epi32(next_words(in)));
	next = _mm512_mask_or_epi32(next, need, _mm512_slli_epi32(next, 16), words);
	in->at += 2 * (size_t)__builtin_popcount(need);
	in->state = _mm512_mask_mov_epi32(state, (__mmask16)mask, next);
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

/* The symbol of a slot, and its range. */
XC_RANS_INLINE uint32_t find_symbol(const xc_rans_set *set, uint32_t level, uint32_t slot,
                                    uint32_t *range)
{
	const uint32_t *ranges = set->range + level * XC_RANS_SYMBOLS;
	uint32_t symbol = set->guess[level][slot / XC_RANS_GUESS];
	while (slot - (ranges[symbol] >> 16) >= (ranges[symbol] & 0xffff))
		symbol++;
	*range = ranges[symbol];
	return symbol;
}

XC_RANS_INLINE uint32_t find_flag(const xc_rans_set *set, uint32_t level, uint32_t slot,
                                  uint32_t *range)
{
	const uint32_t *ranges = set->range + level * XC_RANS_SYMBOLS;
	const uint32_t symbol = slot >= ranges[1] >> 16;
	*range = ranges[symbol];
	return symbol;
}

/* The symbols of the lanes in mask; enough: the words of all lanes are there. */
XC_RANS_INLINE void decode_lanes(reader *in, const xc_rans_set *set,
                                 const uint16_t bin[XC_RANS_LANES], uint32_t mask,
                                 uint16_t symbol[XC_RANS_LANES], const int flags, const int enough)
{
	size_t at = in->at;
	for (; mask; mask &= mask - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(mask);
		const uint32_t level = set->level[bin[lane]], state = in->state.of[lane];
		const uint32_t slot = state % XC_RANS_ONE;
		uint32_t range, word = 0;
		symbol[lane] = (uint16_t)(flags ? find_flag(set, level, slot, &range)
		                                : find_symbol(set, level, slot, &range));
		const uint32_t next = (range & 0xffff) * (state >> XC_RANS_BITS) + slot - (range >> 16);
		if (enough || at + 2 <= in->size)
			word = in->data[at] | (uint32_t)in->data[at + 1] << 8;
		const int need = next < UINT32_C(1) << XC_RANS_STATE_BITS;
		in->state.of[lane] = need ? next << 16 | word : next;
		at += need ? 2 : 0;
	}
	in->at = at;
}

XC_RANS_INLINE xc_v16 decode_symbols(reader *in, const xc_rans_set *set, xc_v16 bin, uint32_t mask,
                                     const int flags)
{
	uint16_t bins[XC_RANS_LANES], symbols[XC_RANS_LANES] = {0};
	xc_v16 v;
	memcpy(bins, &bin, sizeof bins);
	if (__builtin_expect(in->at + 2 * XC_RANS_LANES <= in->size, 1))
		decode_lanes(in, set, bins, mask, symbols, flags, 1);
	else
		decode_lanes(in, set, bins, mask, symbols, flags, 0);
	memcpy(&v, symbols, sizeof v);
	return v;
}

#endif
