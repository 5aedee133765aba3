/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One step of the decoder: a symbol of each lane.  Part of decode.c.  Each of the three versions, of
 * which step_two.h has that for AVX-512, has
 *   WAYS            how many ways are decoded in turn
 *   way             a segment, or two that share vectors
 *   begin_words()   sets where a segment's words begin
 *   check_words()   is called before each step
 *   bytes_left()    tells what is left after the words
 *   set_states, get_states  the states of a segment's lanes
 *   lookup          what it keeps of a set of contexts while it decodes symbols of that set
 *   look_up()       makes it
 *   decode_symbols  the symbols of the lanes of a mask, 0 in the others
 *   decode_flags    the lanes of a mask whose flag is 1
 */

#ifdef __AVX2__
enum { WAYS = 2 };
typedef struct rans_states {
	__m256i of[2];
} rans_states;
#else
enum { WAYS = 1 };
typedef struct rans_states {
	uint32_t of[XC_RANS_LANES];
} rans_states;
#endif

/* A segment that is read. */
typedef struct reader {
	rans_states state;
	const uint8_t *data;
	size_t at, size;
} reader;

/* The walk lies elsewhere, so that the rest can stay in registers. */
typedef struct way {
	xc_rans_walk *walk;
	reader in[1];
	uint8_t *symbols[1];
	uint32_t there; /* 1: there is a segment */
} way;

/* The words need none. */
typedef struct rooms {
	char none;
} rooms;

/* Words from `at` on. */
XC_RANS_INLINE void begin_words(way *c, int k, rooms *r, const uint8_t *data, size_t at,
                                size_t size)
{
	(void)r;
	c->in[k].data = data;
	c->in[k].at = at;
	c->in[k].size = size;
}

XC_RANS_INLINE void check_words(reader *in)
{
	(void)in;
}

/* Bytes after the words that were taken; negative: too many were taken. */
XC_RANS_INLINE ptrdiff_t bytes_left(const way *c, int k)
{
	return (ptrdiff_t)(c->in[k].size - c->in[k].at);
}

XC_RANS_INLINE void set_states(way *c, int k, const uint32_t state[XC_RANS_LANES])
{
	memcpy(&c->in[k].state, state, sizeof c->in[k].state);
}

XC_RANS_INLINE void get_states(const way *c, int k, uint32_t state[XC_RANS_LANES])
{
	memcpy(state, &c->in[k].state, sizeof c->in[k].state);
}

/* The next words of a segment, up to sixteen.  Past its end they are 0. */
XC_RANS_INLINE const uint8_t *next_words(const reader *in, uint8_t room[2 * XC_RANS_LANES])
{
	if (__builtin_expect(in->at + 2 * XC_RANS_LANES <= in->size, 1))
		return in->data + in->at;
	const size_t left = in->at < in->size ? (in->size - in->at) & ~(size_t)1 : 0;
	memset(room, 0, 2 * XC_RANS_LANES);
	memcpy(room, in->data + (left ? in->at : 0), left);
	return room;
}

#ifdef __AVX2__

typedef const xc_rans_set *lookup;

XC_RANS_INLINE lookup look_up(const xc_rans_set *set)
{
	return set;
}

/* Bytes of a row, by level. */
XC_RANS_INLINE __m256i pick(const uint8_t row[16], __m256i at)
{
	const __m128i bytes = _mm_loadu_si128((const __m128i *)row);
	return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(bytes), at);
}

/* at: the levels, and where no byte belongs, a byte with its highest bit. */
typedef struct levels {
	__m256i low, high;
} levels;

XC_RANS_INLINE levels levels_of(const xc_rans_set *set, xc_v16 bin)
{
	const __m256i empty = _mm256_set1_epi16((short)0x8000);
	const __m256i at = _mm256_or_si256((__m256i)bin, empty);
	const __m256i odd = _mm256_slli_epi16((__m256i)bin, 3),
				  upper = _mm256_slli_epi16((__m256i)bin, 2);
	const __m256i a = _mm256_blendv_epi8(pick(set->level, at), pick(set->level + 16, at), odd);
	const __m256i b = _mm256_blendv_epi8(pick(set->level + 32, at), pick(set->level + 48, at), odd);
	const __m256i level = _mm256_blendv_epi8(a, b, upper);
	return (levels){_mm256_or_si256(level, empty),
	                _mm256_or_si256(_mm256_slli_epi16(level, 8), _mm256_set1_epi16(0x80))};
}

/* What is known of a slot: how far it is from the nearest start of a symbol at or below it, and from
 * the nearest above it, which is negative; the symbol, less the starts above it. */
typedef struct search {
	__m256i slot, rest, beyond, symbol;
} search;

/* Returns all ones where the start of the symbol is above the slot. */
XC_RANS_INLINE __m256i compare(search *s, const xc_rans_set *set, const levels *at, int symbol)
{
	const __m256i start = _mm256_or_si256(pick(set->slot_bytes[symbol][0], at->low),
	                                      pick(set->slot_bytes[symbol][1], at->high));
	const __m256i from = _mm256_sub_epi16(s->slot, start), above = _mm256_srai_epi16(from, 15);
	s->rest = _mm256_min_epu16(s->rest, from);
	s->beyond = _mm256_max_epu16(s->beyond, from);
	s->symbol = _mm256_add_epi16(s->symbol, above);
	return above;
}

/* symbols: how many starts will be compared. */
XC_RANS_INLINE search begin_search(const reader *in, int symbols)
{
	const __m256i low = _mm256_set1_epi32(XC_RANS_ONE - 1);
	const __m256i slots = _mm256_packus_epi32(_mm256_and_si256(in->state.of[0], low),
	                                          _mm256_and_si256(in->state.of[1], low));
	const __m256i slot = _mm256_permute4x64_epi64(slots, 0xd8);
	return (search){slot, slot, _mm256_sub_epi16(slot, _mm256_set1_epi16(XC_RANS_ONE)),
	                _mm256_set1_epi16((short)symbols)};
}

/* Takes the symbols of eight lanes.  outside: all ones in those that take no words. */
XC_RANS_INLINE size_t take_half(__m256i *state, const xc_rans_tables *tables, __m128i frequency,
                                __m128i rest, __m128i outside, const uint8_t *words)
{
	const __m256i product = _mm256_mullo_epi32(_mm256_cvtepu16_epi32(frequency),
	                                           _mm256_srli_epi32(*state, XC_RANS_BITS));
	const __m256i next = _mm256_add_epi32(product, _mm256_cvtepu16_epi32(rest));
	const __m256i need = _mm256_cmpeq_epi32(_mm256_srli_epi32(next, XC_RANS_STATE_BITS),
	                                        _mm256_cvtepi16_epi32(outside));
	const uint32_t needs = (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(need));
	const __m256i ranks = _mm256_cvtepu8_epi32(
		_mm_loadl_epi64((const __m128i *)tables->rank[needs]));
	const __m256i word = _mm256_permutevar8x32_epi32(_mm256_cvtepu16_epi32(
														 _mm_loadu_si128((const __m128i *)words)),
	                                                 ranks);
	const __m256i full = _mm256_or_si256(_mm256_slli_epi32(next, 16), word);
	*state = _mm256_blendv_epi8(next, full, need);
	return 2 * (size_t)__builtin_popcount(needs);
}

/* A symbol with all slots leaves a state as it is: that is what lanes outside of the mask take. */
XC_RANS_INLINE void take_all(way *c, const search *s, __m256i lanes)
{
	reader *in = &c->in[0];
	uint8_t room[2 * XC_RANS_LANES];
	const uint8_t *words = next_words(in, room);
	const __m256i rest = _mm256_blendv_epi8(s->slot, s->rest, lanes);
	const __m256i own = _mm256_sub_epi16(s->rest, s->beyond);
	const __m256i outside = _mm256_xor_si256(lanes, _mm256_set1_epi16(-1));
	const __m256i frequency = _mm256_blendv_epi8(_mm256_set1_epi16(XC_RANS_ONE), own, lanes);
	const size_t first = take_half(&in->state.of[0], c->walk->tables,
	                               _mm256_castsi256_si128(frequency), _mm256_castsi256_si128(rest),
	                               _mm256_castsi256_si128(outside), words);
	const size_t second = take_half(&in->state.of[1], c->walk->tables,
	                                _mm256_extracti128_si256(frequency, 1),
	                                _mm256_extracti128_si256(rest, 1),
	                                _mm256_extracti128_si256(outside, 1), words + first);
	in->at += first + second;
}

/* Compares with all starts, but seldom with those of symbols above 4. */
XC_RANS_INLINE xc_v16 decode_symbols(way *c, const lookup *l, xc_v16 bin, uint32_t mask,
                                     const int small)
{
	(void)small;
	const __m256i lanes = (__m256i)lanes_of(mask);
	const levels at = levels_of(*l, bin);
	search s = begin_search(&c->in[0], 4);
	__m256i above = lanes;
#pragma GCC unroll 4
	for (int symbol = 1; symbol < 5; symbol++)
		above = compare(&s, *l, &at, symbol);
	if (!_mm256_testc_si256(above, lanes)) {
		s.symbol = _mm256_add_epi16(s.symbol, _mm256_set1_epi16(XC_RANS_SYMBOLS - 5));
#pragma GCC unroll 11
		for (int symbol = 5; symbol < XC_RANS_SYMBOLS; symbol++)
			compare(&s, *l, &at, symbol);
	}
	take_all(c, &s, lanes);
	return (xc_v16)_mm256_and_si256(s.symbol, lanes);
}

XC_RANS_INLINE uint32_t decode_flags(way *c, const xc_rans_set *set, xc_v16 bin, uint32_t mask)
{
	const levels at = levels_of(set, bin);
	search s = begin_search(&c->in[0], 1);
	compare(&s, set, &at, 1);
	take_all(c, &s, (__m256i)lanes_of(mask));
	return mask & mask_of((xc_v16)s.symbol);
}

#else

typedef const xc_rans_set *lookup;

XC_RANS_INLINE lookup look_up(const xc_rans_set *set)
{
	return set;
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

XC_RANS_INLINE xc_v16 decode_either(way *c, const xc_rans_set *set, xc_v16 bins, uint32_t mask,
                                    const int flags)
{
	uint16_t bin[XC_RANS_LANES], symbols[XC_RANS_LANES] = {0};
	uint8_t room[2 * XC_RANS_LANES];
	reader *in = &c->in[0];
	const uint8_t *words = next_words(in, room), *start = words;
	xc_v16 v;
	memcpy(bin, &bins, sizeof bin);
	for (; mask; mask &= mask - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(mask);
		const uint32_t level = set->level[bin[lane]], state = in->state.of[lane];
		const uint32_t slot = state % XC_RANS_ONE;
		uint32_t range;
		symbols[lane] = (uint16_t)(flags ? find_flag(set, level, slot, &range)
		                                 : find_symbol(set, level, slot, &range));
		const uint32_t next = (range & 0xffff) * (state >> XC_RANS_BITS) + slot - (range >> 16);
		const uint32_t word = words[0] | (uint32_t)words[1] << 8;
		const int need = next < UINT32_C(1) << XC_RANS_STATE_BITS;
		in->state.of[lane] = need ? next << 16 | word : next;
		words += need ? 2 : 0;
	}
	in->at += (size_t)(words - start);
	memcpy(&v, symbols, sizeof v);
	return v;
}

XC_RANS_INLINE xc_v16 decode_symbols(way *c, const lookup *l, xc_v16 bin, uint32_t mask,
                                     const int small)
{
	(void)small;
	return decode_either(c, *l, bin, mask, 0);
}

XC_RANS_INLINE uint32_t decode_flags(way *c, const xc_rans_set *set, xc_v16 bin, uint32_t mask)
{
	return mask_of(decode_either(c, set, bin, mask, 1));
}

#endif
