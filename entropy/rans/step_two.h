/* SPDX-License-Identifier: BSD-2-Clause */
/* What step.h has, for two segments at once with AVX-512.  Part of decode.c. */

enum {
	WAYS = 2,
	/* Bytes of words that a step takes at most: a DC, three flags and 63 others of sixteen lanes. */
	STEP_BYTES = (64 + XC_RANS_GROUPS) * 2 * XC_RANS_LANES,
	ROOM_BYTES = 2 * STEP_BYTES + 2
};

/* The upper and lower halves of the states. */
typedef struct rans_states {
	__m512i high, low;
} rans_states;

/* The words of a segment.  The last ones are copied to a room, where zeros follow them, so that the
 * steps need not look for the end. */
typedef struct reader {
	const uint8_t *next, *end;
	const uint8_t *last; /* a step that begins after it needs the room */
	uint8_t *room;       /* NULL: `next` is in it */
} reader;

/* Two segments that share vectors.  The walk lies elsewhere, so that the rest can stay in registers. */
typedef struct way {
	xc_rans_walk *walk;
	rans_states state;
	reader in[2];
	uint8_t *symbols[2];
	uint32_t there; /* a bit for each segment that there is */
} way;

/* What lies elsewhere as well. */
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

/* Slots are multiplied by sixteen here, so that a state's lies at the top of its lower half. */
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

/* Puts the next words of both segments where they are needed. */
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
	/* The majority of product, part and not the sum: what the highest bits carry. */
	const __m512i carry = _mm512_srli_epi16(_mm512_ternarylogic_epi32(product, part, next, 0xd4),
	                                        15);
	const __m512i high_next = _mm512_mask_add_epi16(c->state.high, (__mmask32)mask,
	                                                _mm512_mulhi_epu16(frequency, c->state.high),
	                                                carry);
	const __mmask32 need = _mm512_mask_cmpeq_epi16_mask((__mmask32)mask, high_next, zero);
	c->state.high = _mm512_mask_mov_epi16(high_next, need, next);
	c->state.low = take_words(c, next, need);
}

/* The symbols below 4, if no lane has another.  A vector holds slots by level, of two symbols, and a
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

/* Finds any symbols: first the quarter of the sixteen, then the symbol in it.  A vector holds slots by
 * quarter and level. */
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
