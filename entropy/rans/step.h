/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One step of the decoder: a symbol of each lane. Part of decode.c. Each of the four versions, for
 * AVX-512 with two segments at once, for AVX2, for WebAssembly's SIMD128 and for any processor, has
 *   WAYS            ways that are decoded in turn
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

#if XC_RANS_ABREAST == 2

enum {
	WAYS = 2,
	/* The most bytes of words in a step: a DC, three flags and 63 AC of sixteen lanes. */
	STEP_BYTES = (64 + XC_RANS_ZONES) * 2 * XC_RANS_LANES,
	ROOM_BYTES = 2 * STEP_BYTES + 2
};

/* The upper and lower halves of the states. */
typedef struct rans_states {
	__m512i high, low;
} rans_states;

/* The words of a segment. The last ones are copied to a room and followed by zeros, so that steps
 * need not check for the end. */
typedef struct reader {
	const uint8_t *next, *end;
	const uint8_t *last; /* a step that begins after it needs the room */
	uint8_t *room;       /* NULL: `next` is in it */
} reader;

/* Two segments that share vectors. Without the wavefront this can stay in registers. */
typedef struct way {
	xc_rans_wavefront *wavefront;
	rans_states state;
	reader in[2];
	uint8_t *symbols[2];
	uint32_t valid; /* a bit for each segment */
} way;

/* The rooms, which are elsewhere as well. */
typedef struct rooms {
	uint8_t of[2][ROOM_BYTES];
} rooms;

/* room: ROOM_BYTES. */
static __attribute__((noinline)) reader go_to_room(reader in)
{
	if (in.room) {
		const size_t left = (size_t)(in.end - in.next);
		memcpy(in.room, in.next, left);
		memset(in.room + left, 0, ROOM_BYTES - left);
		return (reader){in.room, in.room + left, in.room + left, NULL};
	}
	/* Still past the end, but within the room. */
	in.next = in.end + 2;
	return in;
}

XC_RANS_INLINE void check_words(reader *in)
{
	if (__builtin_expect(in->next > in->last, 0))
		*in = go_to_room(*in);
}

/* Words from `at` on, which is at most size. */
XC_RANS_INLINE void begin_words(way *c, int k, rooms *r, const uint8_t *data, size_t at,
                                size_t size)
{
	c->in[k] = (reader){data + at, data + size, NULL, r->of[k]};
	if (size - at < STEP_BYTES)
		c->in[k] = go_to_room(c->in[k]);
	else
		c->in[k].last = data + size - STEP_BYTES;
}

/* Bytes after the words that were taken; negative: too many were taken. */
XC_RANS_INLINE ptrdiff_t bytes_left(const way *c, int k)
{
	return c->in[k].end - c->in[k].next;
}

/* Segment 0 comes first. */
XC_RANS_INLINE void set_states(way *c, int k, const uint32_t state[XC_RANS_LANES])
{
	uint16_t half[2][2 * XC_RANS_LANES] = {{0}};

	if (k)
		memcpy(half, &c->state, sizeof half);
	for (int i = 0; i < XC_RANS_LANES; i++) {
		half[0][2 * i + k] = (uint16_t)(state[i] >> 16);
		half[1][2 * i + k] = (uint16_t)state[i];
	}
	memcpy(&c->state, half, sizeof half);
}

XC_RANS_INLINE void get_states(const way *c, int k, uint32_t state[XC_RANS_LANES])
{
	uint16_t half[2][2 * XC_RANS_LANES];

	memcpy(half, &c->state, sizeof half);
	for (int i = 0; i < XC_RANS_LANES; i++)
		state[i] = (uint32_t)half[0][2 * i + k] << 16 | half[1][2 * i + k];
}

/* Slots are multiplied by sixteen: the slot of a state is at the top of its lower half. */
enum { SLOT_SHIFT = 16 - XC_RANS_BITS };

typedef struct lookup {
	__m512i level, slot[5][2];
} lookup;

XC_RANS_INLINE __m512i load_slots(const void *slots)
{
	return _mm512_slli_epi16(_mm512_loadu_si512(slots), SLOT_SHIFT);
}

XC_RANS_INLINE lookup look_up(const xc_rans_set *set)
{
	lookup l = {.level = _mm512_loadu_si512(set->level)};
#pragma GCC unroll 5
	for (int i = 0; i < 5; i++) {
		l.slot[i][0] = load_slots(set->slot[i][0]);
		l.slot[i][1] = load_slots(set->slot[i][2]);
	}
	return l;
}

XC_RANS_INLINE __m512i level_of(__m512i levels, xc_v16 bin)
{
	const __mmask64 low = 0x5555555555555555;
	return _mm512_maskz_permutexvar_epi8(low, (__m512i)bin, levels);
}

XC_RANS_INLINE __m512i slots_of(const way *c)
{
	return _mm512_slli_epi16(c->state.low, SLOT_SHIFT);
}

/* Puts the next words of both segments into the lanes that need them. */
XC_RANS_INLINE __m512i take_words(way *c, __m512i to, __mmask32 need)
{
	const __mmask32 own[2] = {0x55555555, 0xaaaaaaaa};
	const uint32_t n = _cvtmask32_u32(need);
	__m512i full[2];
#pragma GCC unroll 2
	for (int k = 0; k < 2; k++) {
		const __m256i words = _mm256_loadu_si256((const __m256i *)c->in[k].next);
		full[k] = _mm512_mask_expand_epi16(to, _kand_mask32(need, own[k]),
		                                   _mm512_castsi256_si512(words));
		c->in[k].next += 2 * (size_t)__builtin_popcount(n & own[k]);
	}
	return _mm512_mask_mov_epi16(full[0], own[1], full[1]);
}

/* Takes the symbols that have the slots from `low` to `high`. */
XC_RANS_INLINE void take(way *c, __m512i low, __m512i high, uint32_t mask)
{
	const __m512i zero = _mm512_setzero_si512();
	const __m512i frequency = _mm512_sub_epi16(high, low);
	const __m512i rest = _mm512_srli_epi16(_mm512_sub_epi16(slots_of(c), low), SLOT_SHIFT);
	/* state >> XC_RANS_BITS is the upper half times sixteen, and four bits of the lower one; their
	 * product with the frequency and the rest stay below 2^16. */
	const __m512i bits = _mm512_and_si512(c->state.low, _mm512_set1_epi16((short)-XC_RANS_ONE));
	const __m512i part = _mm512_add_epi16(_mm512_mulhi_epu16(frequency, bits), rest);
	const __m512i product = _mm512_mullo_epi16(frequency, c->state.high);
	const __m512i next = _mm512_mask_add_epi16(c->state.low, (__mmask32)mask, product, part);
	/* The majority of product, part and the inverted sum: the carry of the highest bits. */
	const __m512i carry = _mm512_srli_epi16(_mm512_ternarylogic_epi32(product, part, next, 0xd4),
	                                        15);
	const __m512i high_next = _mm512_mask_add_epi16(c->state.high, (__mmask32)mask,
	                                                _mm512_mulhi_epu16(frequency, c->state.high),
	                                                carry);
	const __mmask32 need = _mm512_mask_cmpeq_epi16_mask((__mmask32)mask, high_next, zero);

	c->state.high = _mm512_mask_mov_epi16(high_next, need, next);
	c->state.low = take_words(c, next, need);
}

/* The symbols below 4, if no lane has another. A vector holds slots by level, of two symbols, and a
 * permutation is the look-up. */
XC_RANS_INLINE int decode_small(way *c, const lookup *l, __m512i level, uint32_t mask,
                                xc_v16 *symbols)
{
	const __m512i slot = slots_of(c), one = _mm512_set1_epi16(1);
	const __m512i end = _mm512_permutexvar_epi16(_mm512_or_si512(level, _mm512_set1_epi16(16)),
	                                             l->slot[0][0]);

	if (__builtin_expect(_mm512_mask_cmpge_epu16_mask((__mmask32)mask, slot, end) != 0, 0))
		return 0;
	const __m512i start[5] = {_mm512_setzero_si512(),
	                          _mm512_permutexvar_epi16(level, l->slot[1][0]),
	                          _mm512_permutexvar_epi16(level, l->slot[2][0]),
	                          _mm512_permutexvar_epi16(level, l->slot[3][0]), end};
	__m512i symbol = start[0], low = start[0], high = start[1];
#pragma GCC unroll 3
	for (int i = 1; i < 4; i++) {
		const __mmask32 above = _mm512_mask_cmpge_epu16_mask((__mmask32)mask, slot, start[i]);
		symbol = _mm512_mask_add_epi16(symbol, above, symbol, one);
		low = _mm512_mask_mov_epi16(low, above, start[i]);
		high = _mm512_mask_mov_epi16(high, above, start[i + 1]);
	}
	take(c, low, high, mask);
	*symbols = (xc_v16)symbol;
	return 1;
}

/* Finds any symbols: first the quarter of the sixteen, then the symbol in it. */
XC_RANS_INLINE xc_v16 decode_any(way *c, const lookup *l, __m512i level, uint32_t mask)
{
	const __m512i slot = slots_of(c), half = _mm512_set1_epi16(32);
	const __m512i one = _mm512_set1_epi16(1);
	const __m512i other = _mm512_or_si512(level, _mm512_set1_epi16(16));
	const __mmask32 second = _mm512_cmpge_epu16_mask(slot, _mm512_permutexvar_epi16(other,
	                                                                                l->slot[0][0]));
	const __mmask32 third = _mm512_cmpge_epu16_mask(slot,
	                                                _mm512_permutexvar_epi16(level, l->slot[0][1]));
	const __mmask32 last = _mm512_cmpge_epu16_mask(slot,
	                                               _mm512_permutexvar_epi16(other, l->slot[0][1]));
	__m512i quarter = _mm512_mask_mov_epi16(level, second, other), start[5];

	quarter = _mm512_mask_mov_epi16(quarter, third,
	                                _mm512_mask_mov_epi16(_mm512_or_si512(level, half), last,
	                                                      _mm512_or_si512(other, half)));
#pragma GCC unroll 5
	for (int i = 0; i < 5; i++)
		start[i] = _mm512_permutex2var_epi16(l->slot[i][0], quarter, l->slot[i][1]);
	__m512i symbol = _mm512_and_si512(_mm512_maskz_srli_epi16((__mmask32)mask, quarter, 2),
	                                  _mm512_set1_epi16(12));
	__mmask32 above[4];
#pragma GCC unroll 3
	for (int i = 1; i < 4; i++) {
		above[i] = _mm512_mask_cmpge_epu16_mask((__mmask32)mask, slot, start[i]);
		symbol = _mm512_mask_add_epi16(symbol, above[i], symbol, one);
	}
	const __m512i low = _mm512_mask_mov_epi16(_mm512_mask_mov_epi16(start[0], above[1], start[1]),
	                                          above[2],
	                                          _mm512_mask_mov_epi16(start[2], above[3], start[3]));
	const __m512i high = _mm512_mask_mov_epi16(_mm512_mask_mov_epi16(start[1], above[1], start[2]),
	                                           above[2],
	                                           _mm512_mask_mov_epi16(start[3], above[3], start[4]));
	take(c, low, high, mask);
	return (xc_v16)symbol;
}

/* small: most likely no symbol is above 3. */
XC_RANS_INLINE xc_v16 decode_symbols(way *c, const lookup *l, xc_v16 bin, uint32_t mask,
                                     const int small)
{
	const __m512i level = level_of(l->level, bin);
	xc_v16 symbols;

	if (small && decode_small(c, l, level, mask, &symbols))
		return symbols;
	return decode_any(c, l, level, mask);
}

XC_RANS_INLINE uint32_t decode_flags(way *c, const xc_rans_set *set, xc_v16 bin, uint32_t mask)
{
	const __m512i level = level_of(_mm512_loadu_si512(set->level), bin);
	const __m512i one = _mm512_permutexvar_epi16(level, load_slots(set->slot[1]));
	const __mmask32 above = _mm512_mask_cmpge_epu16_mask((__mmask32)mask, slots_of(c), one);

	/* 2^12, times sixteen, is 0. */
	take(c, _mm512_maskz_mov_epi16(above, one), _mm512_maskz_mov_epi16(~above, one), mask);
	return above;
}

#else

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

/* The wavefront lies elsewhere, so that the rest can stay in registers. */
typedef struct way {
	xc_rans_wavefront *wavefront;
	reader in[1];
	uint8_t *symbols[1];
	uint32_t valid; /* 1: there is a segment */
} way;

/* The words need no room. */
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

typedef const xc_rans_set *lookup;

XC_RANS_INLINE lookup look_up(const xc_rans_set *set)
{
	return set;
}

#ifdef __AVX2__

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

/* The search for a slot: its distance from the nearest start of a symbol at or below it, and from
 * the nearest start above it, which is negative; the symbol, less the starts above the slot. */
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

/* A symbol with all slots does not change a state; lanes outside of the mask take it. */
XC_RANS_INLINE void take_all(way *c, const search *s, __m256i lanes)
{
	reader *in = &c->in[0];
	uint8_t room[2 * XC_RANS_LANES];
	const uint8_t *words = next_words(in, room);
	const __m256i rest = _mm256_blendv_epi8(s->slot, s->rest, lanes);
	const __m256i own = _mm256_sub_epi16(s->rest, s->beyond);
	const __m256i outside = _mm256_xor_si256(lanes, _mm256_set1_epi16(-1));
	const __m256i frequency = _mm256_blendv_epi8(_mm256_set1_epi16(XC_RANS_ONE), own, lanes);
	const size_t first = take_half(&in->state.of[0], c->wavefront->tables,
	                               _mm256_castsi256_si128(frequency), _mm256_castsi256_si128(rest),
	                               _mm256_castsi256_si128(outside), words);
	const size_t second = take_half(&in->state.of[1], c->wavefront->tables,
	                                _mm256_extracti128_si256(frequency, 1),
	                                _mm256_extracti128_si256(rest, 1),
	                                _mm256_extracti128_si256(outside, 1), words + first);

	in->at += first + second;
}

/* Compares with the starts of all symbols; those above 4 are seldom needed. */
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

#elif defined __wasm_simd128__

/* The search of AVX2. The look-ups are in bytes, of all lanes at once; starts and slots are in two
 * halves of eight lanes. A swizzle gives 0 for an index above 15. */

/* slot, rest, beyond and symbol as AVX2 has them. */
typedef struct search {
	v128_t level;
	lane_halves slot, rest, beyond, symbol;
} search;

XC_RANS_INLINE v128_t levels_of(const xc_rans_set *set, xc_v16 bin)
{
	const lane_halves bins = halves_of(bin);
	const v128_t at = wasm_u8x16_narrow_i16x8(bins.of[0], bins.of[1]);
	v128_t level = wasm_i8x16_swizzle(wasm_v128_load(set->level), at);

#pragma GCC unroll 3
	for (int i = 16; i < XC_RANS_BINS; i += 16) {
		const v128_t from = wasm_i8x16_sub(at, wasm_i8x16_splat((int8_t)i));
		level = wasm_v128_or(level, wasm_i8x16_swizzle(wasm_v128_load(set->level + i), from));
	}
	return level;
}

/* Returns all ones where the start of the symbol is above the slot. */
XC_RANS_INLINE lane_halves compare(search *s, const xc_rans_set *set, int symbol)
{
	const uint8_t(*bytes)[XC_RANS_LEVELS] = set->slot_bytes[symbol];
	const v128_t low = wasm_i8x16_swizzle(wasm_v128_load(bytes[0]), s->level);
	const v128_t high = wasm_i8x16_swizzle(wasm_v128_load(bytes[1]), s->level);
	const lane_halves start = {
		{wasm_i8x16_shuffle(low, high, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23),
	     wasm_i8x16_shuffle(low, high, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15,
	                        31)}};
	lane_halves above;

#pragma GCC unroll 2
	for (int h = 0; h < 2; h++) {
		const v128_t from = wasm_i16x8_sub(s->slot.of[h], start.of[h]);
		above.of[h] = wasm_i16x8_shr(from, 15);
		s->rest.of[h] = wasm_u16x8_min(s->rest.of[h], from);
		s->beyond.of[h] = wasm_u16x8_max(s->beyond.of[h], from);
		s->symbol.of[h] = wasm_i16x8_add(s->symbol.of[h], above.of[h]);
	}
	return above;
}

/* symbols: how many starts will be compared. */
XC_RANS_INLINE search begin_search(const way *c, const xc_rans_set *set, xc_v16 bin, int symbols)
{
	const v128_t low = wasm_i32x4_const_splat(XC_RANS_ONE - 1);
	search s = {.level = levels_of(set, bin)};

#pragma GCC unroll 2
	for (int h = 0; h < 2; h++) {
		const uint32_t *state = c->in[0].state.of + 8 * h;
		const v128_t slot = wasm_u16x8_narrow_i32x4(wasm_v128_and(wasm_v128_load(state), low),
		                                            wasm_v128_and(wasm_v128_load(state + 4), low));
		s.slot.of[h] = s.rest.of[h] = slot;
		s.beyond.of[h] = wasm_i16x8_sub(slot, wasm_i16x8_const_splat(XC_RANS_ONE));
		s.symbol.of[h] = wasm_i16x8_splat((int16_t)symbols);
	}
	return s;
}

/* By mask of four: where the bytes of the next words go. */
#define WORD_OR(bits, i) \
	((bits) >> (i)&1 ? 2 * (((bits)&1 && (i) > 0) + ((bits) >> 1 & 1 && (i) > 1) + \
	                        ((bits) >> 2 & 1 && (i) > 2)) \
	                 : 128)
#define WORD_AT(bits, i) WORD_OR(bits, i), WORD_OR(bits, i) + 1, 128, 128
#define WORDS_OF(bits) \
	{ \
		WORD_AT(bits, 0), WORD_AT(bits, 1), WORD_AT(bits, 2), WORD_AT(bits, 3) \
	}
static const uint8_t words_of[16][16] = {WORDS_OF(0),  WORDS_OF(1),  WORDS_OF(2),  WORDS_OF(3),
                                         WORDS_OF(4),  WORDS_OF(5),  WORDS_OF(6),  WORDS_OF(7),
                                         WORDS_OF(8),  WORDS_OF(9),  WORDS_OF(10), WORDS_OF(11),
                                         WORDS_OF(12), WORDS_OF(13), WORDS_OF(14), WORDS_OF(15)};

/* Takes the symbols of four lanes.  inside: all ones in those that may take words. */
XC_RANS_INLINE const uint8_t *take_four(uint32_t state[4], v128_t frequency, v128_t rest,
                                        v128_t inside, const uint8_t *words)
{
	const v128_t high = wasm_u32x4_shr(wasm_v128_load(state), XC_RANS_BITS);
	const v128_t next = wasm_i32x4_add(wasm_i32x4_mul(frequency, high), rest);
	const v128_t top = wasm_u32x4_shr(next, XC_RANS_STATE_BITS);
	const v128_t need = wasm_v128_and(wasm_i32x4_eq(top, wasm_i32x4_const_splat(0)), inside);
	const uint32_t needs = wasm_i32x4_bitmask(need);
	const v128_t word = wasm_i8x16_swizzle(wasm_v128_load64_zero(words),
	                                       wasm_v128_load(words_of[needs]));

	wasm_v128_store(state,
	                wasm_v128_bitselect(wasm_v128_or(wasm_i32x4_shl(next, 16), word), next, need));
	return words + 2 * __builtin_popcount(needs);
}

/* A symbol with all slots does not change a state; lanes outside of the mask take it. */
XC_RANS_INLINE void take_all(way *c, const search *s, const lane_halves *lanes)
{
	reader *in = &c->in[0];
	uint8_t room[2 * XC_RANS_LANES];
	const uint8_t *words = next_words(in, room), *const start = words;

#pragma GCC unroll 2
	for (int h = 0; h < 2; h++) {
		const v128_t inside = lanes->of[h], all = wasm_i16x8_const_splat(XC_RANS_ONE);
		const v128_t own = wasm_i16x8_sub(s->rest.of[h], s->beyond.of[h]);
		const v128_t frequency = wasm_v128_bitselect(own, all, inside);
		const v128_t rest = wasm_v128_bitselect(s->rest.of[h], s->slot.of[h], inside);
		words = take_four(in->state.of + 8 * h, wasm_u32x4_extend_low_u16x8(frequency),
		                  wasm_u32x4_extend_low_u16x8(rest), wasm_i32x4_extend_low_i16x8(inside),
		                  words);
		words = take_four(in->state.of + 8 * h + 4, wasm_u32x4_extend_high_u16x8(frequency),
		                  wasm_u32x4_extend_high_u16x8(rest), wasm_i32x4_extend_high_i16x8(inside),
		                  words);
	}
	in->at += (size_t)(words - start);
}

/* Compares with the starts of all symbols; those above 4 are seldom needed. */
XC_RANS_INLINE xc_v16 decode_symbols(way *c, const lookup *l, xc_v16 bin, uint32_t mask,
                                     const int small)
{
	(void)small;
	const lane_halves lanes = halves_of(lanes_of(mask));
	search s = begin_search(c, *l, bin, 4);
	lane_halves above = lanes;
	xc_v16 v;

#pragma GCC unroll 4
	for (int symbol = 1; symbol < 5; symbol++)
		above = compare(&s, *l, symbol);
	if (wasm_v128_any_true(wasm_v128_or(wasm_v128_andnot(lanes.of[0], above.of[0]),
	                                    wasm_v128_andnot(lanes.of[1], above.of[1])))) {
		for (int h = 0; h < 2; h++)
			s.symbol.of[h] = wasm_i16x8_add(s.symbol.of[h],
			                                wasm_i16x8_const_splat(XC_RANS_SYMBOLS - 5));
		for (int symbol = 5; symbol < XC_RANS_SYMBOLS; symbol++)
			compare(&s, *l, symbol);
	}
	take_all(c, &s, &lanes);
	memcpy(&v, &s.symbol, sizeof v);
	return v & lanes_of(mask);
}

XC_RANS_INLINE uint32_t decode_flags(way *c, const xc_rans_set *set, xc_v16 bin, uint32_t mask)
{
	const lane_halves lanes = halves_of(lanes_of(mask));
	search s = begin_search(c, set, bin, 1);
	xc_v16 v;

	compare(&s, set, 1);
	take_all(c, &s, &lanes);
	memcpy(&v, &s.symbol, sizeof v);
	return mask & mask_of(v);
}

#else

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

#endif
