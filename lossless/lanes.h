/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers of sixteen lanes, 32 bits each, by SIMD level: AVX-512, AVX2, or vectors of 16 bytes as
 * GCC and clang have them for any processor. For the level files of lossless/. Pairs are two
 * numbers of 16 bits with sign in one of 32, the first in the lower half.
 */
#ifndef XC_LOSSLESS_LANES_H
#define XC_LOSSLESS_LANES_H

#include <stdint.h>
#include <string.h>

#if defined __SSE2__
#include <immintrin.h>
#elif defined __wasm_simd128__
#include <wasm_simd128.h>
#endif

enum { XC_LANES16 = 16 };

/* 1: lanes look numbers up one by one. */
#if defined __AVX2__
#define LANES_WITHOUT_GATHER 0
#else
#define LANES_WITHOUT_GATHER 1
#endif

/* With the checks of sanitizers inlined code takes minutes to compile. */
#ifdef __has_feature
#define LANES_CHECKED __has_feature(address_sanitizer)
#elif defined __SANITIZE_ADDRESS__
#define LANES_CHECKED 1
#else
#define LANES_CHECKED 0
#endif
#if LANES_CHECKED
#define LANES_INLINE static inline __attribute__((unused))
#else
#define LANES_INLINE static inline __attribute__((always_inline, unused))
#endif

#if defined __AVX512VBMI2__

typedef __m512i lanes;
typedef __mmask16 lane_mask;

LANES_INLINE lanes all_lanes(int32_t x)
{
	return _mm512_set1_epi32(x);
}

LANES_INLINE lanes load(const void *p)
{
	return _mm512_loadu_si512(p);
}

LANES_INLINE void store(void *p, lanes a)
{
	_mm512_storeu_si512(p, a);
}

/* 16 numbers of 16 bits, unsigned. */
LANES_INLINE lanes load16(const void *p)
{
	return _mm512_cvtepu16_epi32(_mm256_loadu_si256(p));
}

LANES_INLINE int32_t last_lane(lanes a)
{
	return _mm_extract_epi32(_mm512_extracti32x4_epi32(a, 3), 3);
}

#define LANES_2(name, call) \
	LANES_INLINE lanes name(lanes a, lanes b) \
	{ \
		return call(a, b); \
	}
LANES_2(add, _mm512_add_epi32)
LANES_2(sub, _mm512_sub_epi32)
LANES_2(and, _mm512_and_si512)
LANES_2(or, _mm512_or_si512)
LANES_2(xor, _mm512_xor_si512)
LANES_2(mul, _mm512_mullo_epi32)
LANES_2(srlv, _mm512_srlv_epi32)
LANES_2(sllv, _mm512_sllv_epi32)
LANES_2(srav, _mm512_srav_epi32)
LANES_2(min, _mm512_min_epi32)
LANES_2(max, _mm512_max_epi32)
LANES_2(madd, _mm512_madd_epi16)
LANES_2(subs16, _mm512_subs_epi16)
LANES_2(max16, _mm512_max_epi16)

/* |a - b| of both numbers of pairs, which have 15 bits. */
LANES_INLINE lanes distance15(lanes a, lanes b)
{
	return _mm512_abs_epi16(_mm512_sub_epi16(a, b));
}

#define srl(a, n) _mm512_srli_epi32(a, n)
#define sra(a, n) _mm512_srai_epi32(a, n)
#define sll(a, n) _mm512_slli_epi32(a, n)

LANES_INLINE lanes to_float(lanes a)
{
	return _mm512_castps_si512(_mm512_cvtepi32_ps(a));
}

/* Lane i becomes lane i - 1 of a, lane 0 the last one of fill. */
LANES_INLINE lanes up(lanes a, lanes fill)
{
	return _mm512_alignr_epi32(a, fill, 15);
}

LANES_INLINE lanes first_lane(lanes a)
{
	return _mm512_broadcastd_epi32(_mm512_castsi512_si128(a));
}

LANES_INLINE lane_mask less(lanes a, lanes b)
{
	return _mm512_cmplt_epi32_mask(a, b);
}

LANES_INLINE lane_mask less_unsigned(lanes a, lanes b)
{
	return _mm512_cmplt_epu32_mask(a, b);
}

LANES_INLINE lane_mask equal(lanes a, lanes b)
{
	return _mm512_cmpeq_epi32_mask(a, b);
}

LANES_INLINE lane_mask mask_with(uint32_t bits)
{
	return (lane_mask)bits;
}

LANES_INLINE lane_mask both(lane_mask a, lane_mask b)
{
	return a & b;
}

LANES_INLINE lane_mask not_mask(lane_mask a)
{
	return (lane_mask)~a;
}

LANES_INLINE uint32_t bits_of(lane_mask m)
{
	return m;
}

/* The sum if n is odd, else the difference. one: 1. */
LANES_INLINE lanes add_odd(lanes a, lanes b, lanes n, lanes one)
{
	return _mm512_mask_sub_epi32(add(a, b), _mm512_testn_epi32_mask(n, one), a, b);
}

/* a | ~b */
LANES_INLINE lanes or_not(lanes a, lanes b)
{
	return _mm512_ternarylogic_epi32(a, b, b, 0xf3);
}

LANES_INLINE lane_mask is_low(lanes a)
{
	return _mm512_cmplt_epu32_mask(a, _mm512_set1_epi32(1 << 16));
}

/* Whether the lowest byte of a is not below the highest one of b. byte: 255. */
LANES_INLINE lane_mask not_below(lanes a, lanes b, lanes byte)
{
	(void)byte;
	return _mm512_cmpge_epu32_mask(_mm512_shldi_epi32(a, _mm512_set1_epi32(-1), 24), b);
}

/* b where the mask is set, else a. */
LANES_INLINE lanes blend(lane_mask m, lanes a, lanes b)
{
	return _mm512_mask_mov_epi32(a, m, b);
}

/* One of eight numbers for each lane. */
LANES_INLINE lanes pick(const int32_t of[8], lanes index)
{
	return _mm512_permutexvar_epi32(index,
	                                _mm512_broadcast_i32x8(_mm256_loadu_si256((const void *)of)));
}

/* Numbers of 16 bits; two bytes after the last one are read. */
LANES_INLINE lanes gather16(const void *table, lanes index)
{
	return _mm512_and_si512(_mm512_i32gather_epi32(index, table, 2), _mm512_set1_epi32(0xffff));
}

LANES_INLINE lanes gather32(const void *table, lanes index)
{
	return _mm512_i32gather_epi32(index, table, 4);
}

/* The whole part of an unsigned number times a factor in floating point. */
LANES_INLINE lanes times(lanes a, lanes factor)
{
	return _mm512_cvttps_epi32(_mm512_mul_ps(_mm512_cvtepu32_ps(a), _mm512_castsi512_ps(factor)));
}

/* Entries of 64 bits: their lower and upper halves. */
LANES_INLINE void gather_halves(const void *table, lanes index, lanes *low, lanes *high)
{
	const __m512i a = _mm512_i32gather_epi64(_mm512_castsi512_si256(index), table, 8);
	const __m512i b = _mm512_i32gather_epi64(_mm512_extracti64x4_epi64(index, 1), table, 8);
	const __m512i even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2,
	                                      0);

	*low = _mm512_permutex2var_epi32(a, even, b);
	*high = _mm512_permutex2var_epi32(a, _mm512_or_si512(even, all_lanes(1)), b);
}

/* Shifts the lanes of the mask up by 16 bits and puts the next words below, in their order. */
LANES_INLINE lanes take_words(lanes x, lane_mask m, const uint8_t **words)
{
	static const uint16_t high[32] = {0, 0, 0, 1, 0, 2,  0, 3,  0, 4,  0, 5,  0, 6,  0, 7,
	                                  0, 8, 0, 9, 0, 10, 0, 11, 0, 12, 0, 13, 0, 14, 0, 15};
	const __m512i all = _mm512_castsi256_si512(_mm256_loadu_si256((const void *)*words));
	const lanes w = _mm512_maskz_expand_epi32(m, _mm512_permutexvar_epi16(load(high), all));

	*words += 2 * (unsigned)__builtin_popcount(m);
	return _mm512_mask_shldi_epi32(x, m, x, w, 16);
}

/* Appends a number to each pair, whose first one goes. */
LANES_INLINE lanes append(lanes pairs, lanes next)
{
	return _mm512_shrdi_epi32(pairs, next, 16);
}

LANES_INLINE lanes add_madd(lanes sum, lanes a, lanes b)
{
	return _mm512_dpwssd_epi32(sum, a, b);
}

/* Bits of a where those of the mask are set, else of b. */
LANES_INLINE lanes choose(lanes mask, lanes a, lanes b)
{
	return _mm512_ternarylogic_epi32(mask, a, b, 0xca);
}

/* A table of sixteen numbers below 128, and those of a lowest four bits. */
LANES_INLINE lanes table16(const uint8_t of[16])
{
	return _mm512_cvtepu8_epi32(_mm_loadu_si128((const void *)of));
}

LANES_INLINE lanes pick16(lanes table, lanes index)
{
	return _mm512_permutexvar_epi32(index, table);
}

/* The last lane to memory. */
LANES_INLINE void store_last(int32_t *to, lanes a)
{
	_mm512_mask_storeu_epi32(to - 15, 0x8000, a);
}

/* The reverse: the lower 16 bits of the lanes of the mask go before *words. */
LANES_INLINE lanes emit(lanes x, lane_mask m, uint8_t **words)
{
	const unsigned n = (unsigned)__builtin_popcount(m);
	const __m256i w = _mm512_cvtepi32_epi16(_mm512_maskz_compress_epi32(m, x));

	*words -= 2 * n;
	_mm256_mask_storeu_epi16(*words, (__mmask16)((1u << n) - 1), w);
	return _mm512_mask_srli_epi32(x, m, x, 16);
}

#else

#if defined __AVX2__
enum { XC_PARTS = 2 };
typedef int32_t xc_vec __attribute__((vector_size(32)));
typedef uint32_t xc_uvec __attribute__((vector_size(32)));
typedef float xc_fvec __attribute__((vector_size(32)));
#else
enum { XC_PARTS = 4 };
typedef int32_t xc_vec __attribute__((vector_size(16)));
typedef uint32_t xc_uvec __attribute__((vector_size(16)));
typedef float xc_fvec __attribute__((vector_size(16)));
#endif
enum { XC_EACH = XC_LANES16 / XC_PARTS };

typedef struct lanes {
	xc_vec p[XC_PARTS];
} lanes;
typedef lanes lane_mask; /* all ones, or zero */

/* For each part, with i a constant: loops are unrolled after compilers choose what is in registers. */
#define PART(number, ...) \
	{ \
		enum { i = number }; \
		__VA_ARGS__; \
	}
#if defined __AVX2__
#define FOR_PARTS(...) PART(0, __VA_ARGS__) PART(1, __VA_ARGS__)
#else
#define FOR_PARTS(...) \
	PART(0, __VA_ARGS__) PART(1, __VA_ARGS__) PART(2, __VA_ARGS__) PART(3, __VA_ARGS__)
#endif

LANES_INLINE lanes all_lanes(int32_t x)
{
	lanes r;
	FOR_PARTS(r.p[i] = x - (xc_vec){0})
	return r;
}

LANES_INLINE lanes load(const void *p)
{
	lanes r;
	FOR_PARTS(memcpy(&r.p[i], (const char *)p + sizeof(xc_vec) * (size_t)i, sizeof(xc_vec)))
	return r;
}

LANES_INLINE void store(void *p, lanes a){
	FOR_PARTS(memcpy((char *)p + sizeof(xc_vec) * (size_t)i, &a.p[i], sizeof(xc_vec)))}

LANES_INLINE lanes load16(const void *p)
{
	typedef uint16_t half __attribute__((vector_size(2 * XC_EACH)));
	lanes r;
	FOR_PARTS(half h; memcpy(&h, (const char *)p + 2 * XC_EACH * (size_t)i, sizeof h);
	          r.p[i] = __builtin_convertvector(h, xc_vec);)
	return r;
}

LANES_INLINE int32_t last_lane(lanes a)
{
	return a.p[XC_PARTS - 1][XC_EACH - 1];
}

#define LANES_2(name, expression) \
	LANES_INLINE lanes name(lanes a, lanes b) \
	{ \
		lanes r; \
		FOR_PARTS(const xc_vec x = a.p[i], y = b.p[i]; r.p[i] = (xc_vec)(expression);) \
		return r; \
	}
LANES_2(add, (xc_uvec)x + (xc_uvec)y)
LANES_2(sub, (xc_uvec)x - (xc_uvec)y)
LANES_2(and, x &y)
LANES_2(or, x | y)
LANES_2(xor, x ^ y)
LANES_2(and_not, ~x &y)
LANES_2(less, x < y)
LANES_2(less_unsigned, (xc_uvec)x < (xc_uvec)y)
LANES_2(equal, x == y)
#define both and

LANES_INLINE lane_mask not_mask(lane_mask a)
{
	FOR_PARTS(a.p[i] = ~a.p[i])
	return a;
}

#if defined __AVX2__
#define PART_2(call) (xc_vec) call((__m256i)x, (__m256i)y)
LANES_2(mul, PART_2(_mm256_mullo_epi32))
LANES_2(srlv, PART_2(_mm256_srlv_epi32))
LANES_2(sllv, PART_2(_mm256_sllv_epi32))
LANES_2(srav, PART_2(_mm256_srav_epi32))
LANES_2(min, PART_2(_mm256_min_epi32))
LANES_2(max, PART_2(_mm256_max_epi32))
LANES_2(madd, PART_2(_mm256_madd_epi16))
LANES_2(subs16, PART_2(_mm256_subs_epi16))
LANES_2(max16, PART_2(_mm256_max_epi16))
LANES_2(distance15, (xc_vec)_mm256_abs_epi16(_mm256_sub_epi16((__m256i)x, (__m256i)y)))
#else
LANES_2(mul, (xc_uvec)x *(xc_uvec)y)
/* Idle lanes may have any number here, and C does not allow a shift by more than 31. */
LANES_2(srlv, (xc_uvec)x >> ((xc_uvec)y & 31))
LANES_2(sllv, (xc_uvec)x << ((xc_uvec)y & 31))
LANES_2(srav, x >> (y & 31))
#if defined __wasm_simd128__
#define PART_2(call) (xc_vec) call((v128_t)x, (v128_t)y)
LANES_2(min, PART_2(wasm_i32x4_min))
LANES_2(max, PART_2(wasm_i32x4_max))
#else
LANES_2(min, (x & (x < y)) | (y & ~(x < y)))
LANES_2(max, (y & (x < y)) | (x & ~(x < y)))
#endif
#if defined __SSE2__
#define PART_2(call) (xc_vec) call((__m128i)x, (__m128i)y)
LANES_2(madd, PART_2(_mm_madd_epi16))
LANES_2(subs16, PART_2(_mm_subs_epi16))
LANES_2(max16, PART_2(_mm_max_epi16))
#elif defined __wasm_simd128__
LANES_2(madd, PART_2(wasm_i32x4_dot_i16x8))
LANES_2(subs16, PART_2(wasm_i16x8_sub_sat))
LANES_2(max16, PART_2(wasm_i16x8_max))
#else
LANES_2(madd, (x << 16 >> 16) * (y << 16 >> 16) + (x >> 16) * (y >> 16))

/* Differences of numbers of 16 bits, held to 16 bits. */
LANES_INLINE xc_vec hold16(xc_vec a)
{
	const xc_vec high = 32767 - (xc_vec){0}, low = -32768 - (xc_vec){0};
	a = (high & (a > high)) | (a & ~(a > high));
	return (low & (a < low)) | (a & ~(a < low));
}

LANES_2(subs16, (hold16((x << 16 >> 16) - (y << 16 >> 16)) & 0xffff) | hold16((x >> 16) - (y >> 16))
                                                                           << 16)
typedef int16_t xc_vec16 __attribute__((vector_size(16)));
LANES_2(max16,
        ((xc_vec16)x & ((xc_vec16)x > (xc_vec16)y)) | ((xc_vec16)y & ~((xc_vec16)x > (xc_vec16)y)))
#endif
#endif

#define LANES_SHIFT(name, type, operator) \
	LANES_INLINE lanes name(lanes a, const int n) \
	{ \
		FOR_PARTS(a.p[i] = (xc_vec)((type)a.p[i] operator n)) \
		return a; \
	}
LANES_SHIFT(srl, xc_uvec, >>)
LANES_SHIFT(sra, xc_vec, >>)
LANES_SHIFT(sll, xc_uvec, <<)

LANES_INLINE lanes to_float(lanes a)
{
	FOR_PARTS(a.p[i] = (xc_vec) __builtin_convertvector(a.p[i], xc_fvec))
	return a;
}

LANES_INLINE lanes up(lanes a, lanes fill)
{
	lanes r;
#if defined __AVX2__
	const xc_vec last = fill.p[1];
	r.p[0] = __builtin_shufflevector(a.p[0], last, 15, 0, 1, 2, 3, 4, 5, 6);
	r.p[1] = __builtin_shufflevector(a.p[1], a.p[0], 15, 0, 1, 2, 3, 4, 5, 6);
#else
	FOR_PARTS(r.p[i] = __builtin_shufflevector(a.p[i], i ? a.p[i - 1] : fill.p[3], 7, 0, 1, 2))
#endif
	return r;
}

LANES_INLINE lanes first_lane(lanes a)
{
	return all_lanes(a.p[0][0]);
}

LANES_INLINE lane_mask mask_with(uint32_t bits)
{
	lanes r;
#if defined __AVX2__
	const xc_vec bit = {1, 2, 4, 8, 16, 32, 64, 128};
#else
	const xc_vec bit = {1, 2, 4, 8};
#endif
	FOR_PARTS(r.p[i] = ((int32_t)(bits >> i * XC_EACH) & bit) != 0)
	return r;
}

LANES_INLINE uint32_t bits_of(lane_mask m)
{
	uint32_t bits = 0;
#if defined __AVX2__
	FOR_PARTS(bits |= (uint32_t)_mm256_movemask_ps((__m256)m.p[i]) << i * XC_EACH)
#elif defined __SSE2__
	FOR_PARTS(bits |= (uint32_t)_mm_movemask_ps((__m128)m.p[i]) << i * XC_EACH)
#elif defined __wasm_simd128__
	FOR_PARTS(bits |= (uint32_t)wasm_i32x4_bitmask((v128_t)m.p[i]) << i * XC_EACH)
#else
	const xc_vec bit = {1, 2, 4, 8};
	FOR_PARTS(const xc_vec b = m.p[i] & bit;
	          bits |= (uint32_t)(b[0] | b[1] | b[2] | b[3]) << i * XC_EACH;)
#endif
	return bits;
}

LANES_INLINE lanes blend(lane_mask m, lanes a, lanes b)
{
#if defined __AVX2__
	FOR_PARTS(a.p[i] = (xc_vec)_mm256_blendv_ps((__m256)a.p[i], (__m256)b.p[i], (__m256)m.p[i]))
#else
	FOR_PARTS(a.p[i] = (b.p[i] & m.p[i]) | (a.p[i] & ~m.p[i]))
#endif
	return a;
}

LANES_INLINE lanes pick(const int32_t of[8], lanes index)
{
#if defined __AVX2__
	const __m256i table = _mm256_loadu_si256((const void *)of);
	FOR_PARTS(index.p[i] = (xc_vec)_mm256_permutevar8x32_epi32(table, (__m256i)index.p[i]))
	return index;
#else
	int32_t at[XC_LANES16];

	store(at, index);
	for (int i = 0; i < XC_LANES16; i++)
		at[i] = of[at[i]];
	return load(at);
#endif
}

LANES_INLINE lanes gather16(const void *table, lanes index)
{
	int32_t at[XC_LANES16];
	uint16_t word;

	store(at, index);
	for (int i = 0; i < XC_LANES16; i++) {
		memcpy(&word, (const char *)table + 2 * (size_t)at[i], 2);
		at[i] = word;
	}
	return load(at);
}

LANES_INLINE lanes gather32(const void *table, lanes index)
{
#if defined __AVX2__
	FOR_PARTS(index.p[i] = (xc_vec)_mm256_i32gather_epi32(table, (__m256i)index.p[i], 4))
	return index;
#else
	int32_t at[XC_LANES16];

	store(at, index);
	for (int i = 0; i < XC_LANES16; i++)
		memcpy(&at[i], (const char *)table + 4 * (size_t)at[i], 4);
	return load(at);
#endif
}

LANES_INLINE lanes times(lanes a, lanes factor)
{
	/* Conversions have a sign: halves are exact, and their sum is rounded once. */
	FOR_PARTS(
		const xc_fvec high = __builtin_convertvector((xc_vec)((xc_uvec)a.p[i] >> 16), xc_fvec);
		const xc_fvec low = __builtin_convertvector(a.p[i] & 0xffff, xc_fvec);
		a.p[i] = __builtin_convertvector((high * 65536 + low) * (xc_fvec)factor.p[i], xc_vec);)
	return a;
}

LANES_INLINE void gather_halves(const void *table, lanes index, lanes *low, lanes *high)
{
#if defined __AVX2__
	FOR_PARTS(const __m256i at = (__m256i)index.p[i];
	          const __m256i a = _mm256_i32gather_epi64(table, _mm256_castsi256_si128(at), 8);
	          const __m256i b = _mm256_i32gather_epi64(table, _mm256_extracti128_si256(at, 1), 8);
	          const __m256 even = _mm256_shuffle_ps((__m256)a, (__m256)b, 0x88);
	          const __m256 odd = _mm256_shuffle_ps((__m256)a, (__m256)b, 0xdd);
	          low->p[i] = (xc_vec)_mm256_permute4x64_epi64((__m256i)even, 0xd8);
	          high->p[i] = (xc_vec)_mm256_permute4x64_epi64((__m256i)odd, 0xd8);)
#else
	const char *t = table;
	FOR_PARTS(typedef uint64_t two __attribute__((vector_size(16))); uint64_t e[4];
	          for (int k = 0; k < 4; k++) memcpy(&e[k], t + 8 * (size_t)index.p[i][k], 8);
	          const xc_vec a = (xc_vec)(two){e[0], e[1]}, b = (xc_vec)(two){e[2], e[3]};
	          low->p[i] = __builtin_shufflevector(a, b, 0, 2, 4, 6);
	          high->p[i] = __builtin_shufflevector(a, b, 1, 3, 5, 7);)
#endif
}

#if defined __AVX2__
/* How many of eight bits are set below each of them, a byte each. */
#define BITS_BELOW(b) \
	((((b)&1U) | ((b)&2ULL) << 7 | ((b)&4ULL) << 14 | ((b)&8ULL) << 21 | ((b)&16ULL) << 28 | \
	  ((b)&32ULL) << 35 | ((b)&64ULL) << 42 | ((b)&128ULL) << 49) * \
	     0x0101010101010101 \
	 << 8)
#define BITS_4(m, b) m(b), m((b) + 1), m((b) + 2), m((b) + 3)
#define BITS_16(b) \
	BITS_4(BITS_BELOW, b), BITS_4(BITS_BELOW, (b) + 4), BITS_4(BITS_BELOW, (b) + 8), \
		BITS_4(BITS_BELOW, (b) + 12)
#define BITS_64(b) BITS_16(b), BITS_16((b) + 16), BITS_16((b) + 32), BITS_16((b) + 48)

/* Takes words for some lanes; moves *words on. */
LANES_INLINE xc_vec take_words8(xc_vec x, xc_vec m, const uint8_t **words)
{
	static const uint64_t below[256] = {BITS_64(0), BITS_64(64), BITS_64(128), BITS_64(192)};
	const unsigned bits = (unsigned)_mm256_movemask_ps((__m256)m);
	const __m256i at = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const void *)&below[bits]));
	const __m256i w = _mm256_cvtepu16_epi32(_mm_loadu_si128((const void *)*words));
	const xc_vec full = (x << 16) | (xc_vec)_mm256_permutevar8x32_epi32(w, at);

	*words += 2 * (unsigned)__builtin_popcount(bits);
	return (xc_vec)_mm256_blendv_ps((__m256)x, (__m256)full, (__m256)m);
}
#endif

LANES_INLINE lanes take_words(lanes x, lane_mask m, const uint8_t **words)
{
#if defined __AVX2__
	x.p[0] = take_words8(x.p[0], m.p[0], words);
	x.p[1] = take_words8(x.p[1], m.p[1], words);
	return x;
#else
	uint32_t state[XC_LANES16];
	const uint8_t *w = *words;

	store(state, x);
	for (uint32_t bits = bits_of(m); bits; bits &= bits - 1) {
		const int i = __builtin_ctz(bits);
		state[i] = state[i] << 16 | (uint32_t)(w[0] | w[1] << 8);
		w += 2;
	}
	*words = w;
	return load(state);
#endif
}

LANES_INLINE lanes emit(lanes x, lane_mask m, uint8_t **words)
{
	uint32_t state[XC_LANES16];
	uint8_t *w = *words;

	store(state, x);
	for (uint32_t bits = bits_of(m); bits;) {
		const int i = 31 - __builtin_clz(bits);
		w -= 2;
		w[0] = (uint8_t)state[i];
		w[1] = (uint8_t)(state[i] >> 8);
		state[i] >>= 16;
		bits ^= 1u << i;
	}
	*words = w;
	return load(state);
}

/* Appends a number to each pair, whose first one goes. */
LANES_INLINE lanes append(lanes pairs, lanes next)
{
	return or (srl(pairs, 16), sll(next, 16));
}

LANES_INLINE lanes add_odd(lanes a, lanes b, lanes n, lanes one)
{
#if defined __AVX2__
	FOR_PARTS(n.p[i] = a.p[i] - (xc_vec)_mm256_sign_epi32((__m256i)b.p[i],
	                                                      (__m256i)(n.p[i] << 31 | one.p[i])))
	return n;
#else
	const lanes even = sub(and(n, one), one);
	return add(a, sub(xor(b, even), even));
#endif
}

LANES_INLINE lanes or_not(lanes a, lanes b)
{
	return or (a, not_mask(b));
}

LANES_INLINE lane_mask not_below(lanes a, lanes b, lanes byte)
{
	return not_mask(less(and(a, byte), srl(b, 24)));
}

LANES_INLINE lane_mask is_low(lanes a)
{
	return equal(srl(a, 16), all_lanes(0));
}

/* Bits of a where those of the mask are set, else of b. */
LANES_INLINE lanes choose(lanes mask, lanes a, lanes b)
{
	return or (and(a, mask), and_not(mask, b));
}

#if defined __AVX2__
LANES_INLINE lanes table16(const uint8_t of[16])
{
	lanes r;
	FOR_PARTS(r.p[i] = (xc_vec)_mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)of)))
	return r;
}

LANES_INLINE lanes pick16(lanes table, lanes index)
{
	index = or (and(index, all_lanes(15)), all_lanes((int32_t)0x80808000));
	FOR_PARTS(index.p[i] = (xc_vec)_mm256_shuffle_epi8((__m256i)table.p[i], (__m256i)index.p[i]))
	return index;
}
#else
LANES_INLINE lanes table16(const uint8_t of[16])
{
	int32_t n[XC_LANES16];
	for (int i = 0; i < XC_LANES16; i++)
		n[i] = of[i];
	return load(n);
}

LANES_INLINE lanes pick16(lanes table, lanes index)
{
	int32_t of[XC_LANES16], n[XC_LANES16];
	store(of, table);
	store(n, index);
	for (int i = 0; i < XC_LANES16; i++)
		n[i] = of[n[i] & 15];
	return load(n);
}
#endif

/* The last lane to memory. */
LANES_INLINE void store_last(int32_t *to, lanes a)
{
	*to = last_lane(a);
}

#endif

/* 16 numbers of 16 bits with sign. */
LANES_INLINE lanes load_signed16(const void *p)
{
	lanes a = load16(p);
	return sra(sll(a, 16), 16);
}

LANES_INLINE lane_mask negative(lanes a)
{
	return less(a, all_lanes(0));
}

/* Drops the upper bits, as many as all lanes of n say, and repeats the highest one of the rest. */
LANES_INLINE lanes wrap(lanes a, lanes n)
{
#if defined __AVX2__
	return srav(sllv(a, n), n);
#else
	const int by = n.p[0][0];
	FOR_PARTS(a.p[i] = a.p[i] << by >> by)
	return a;
#endif
}

#if !defined __AVX512VBMI2__
LANES_INLINE lanes add_madd(lanes sum, lanes a, lanes b)
{
	return add(sum, madd(a, b));
}
#endif

/* |a - b| of both numbers of pairs, at most 32767. */
LANES_INLINE lanes distance16(lanes a, lanes b)
{
	return max16(subs16(a, b), subs16(b, a));
}

/* A pair in each lane. */
LANES_INLINE lanes pair(int first, int second)
{
	return all_lanes((int32_t)((uint32_t)(uint16_t)first | (uint32_t)second << 16));
}

#if !defined __AVX2__
#define distance15 distance16
#endif

/* The lower halves of numbers to memory. */
LANES_INLINE void store16(void *to, lanes a)
{
#if defined __AVX512VBMI2__
	_mm256_storeu_si256(to, _mm512_cvtepi32_epi16(a));
#else
	typedef uint16_t half __attribute__((vector_size(2 * XC_EACH)));
	FOR_PARTS(const half h = __builtin_convertvector((xc_uvec)a.p[i], half);
	          memcpy((char *)to + 2 * XC_EACH * (size_t)i, &h, sizeof h);)
#endif
}

#endif
