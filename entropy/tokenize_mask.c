/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tokens by way of a 64-bit mask of the coefficients that are not zero.  The mask is made in
 * the order of storage, and eight look-ups bring it into zig-zag order, so that only those
 * coefficients are touched one by one.  The code uses SSE2 intrinsics.  The makefile compiles
 * this file once a level and sets XC_TOKENIZE, the function's name.
 */
#include <emmintrin.h>

#include "entropy/scan.h"
#include "entropy/tokens.h"

/* Where each coefficient of the transposed order stands in the scan: the
 * columns of figure A.6 of ITU-T T.81, one after the other. */
#define SCAN_POSITIONS(f) \
	f(0, 0, 2, 3, 9, 10, 20, 21, 35) f(1, 1, 4, 8, 11, 19, 22, 34, 36) \
		f(2, 5, 7, 12, 18, 23, 33, 37, 48) f(3, 6, 13, 17, 24, 32, 38, 47, 49) \
			f(4, 14, 16, 25, 31, 39, 46, 50, 57) f(5, 15, 26, 30, 40, 45, 51, 56, 58) \
				f(6, 27, 29, 41, 44, 52, 55, 59, 62) f(7, 28, 42, 43, 53, 54, 60, 61, 63)

#define B(n, i, p) ((n) >> (i)&1 ? UINT64_C(1) << (p) : 0)
#define E(n, a, b, c, d, e, f, g, h) \
	(B(n, 0, a) | B(n, 1, b) | B(n, 2, c) | B(n, 3, d) | B(n, 4, e) | B(n, 5, f) | B(n, 6, g) | \
	 B(n, 7, h))
#define E4(n, ...) \
	E(n, __VA_ARGS__), E(n + 1, __VA_ARGS__), E(n + 2, __VA_ARGS__), E(n + 3, __VA_ARGS__)
#define E16(n, ...) \
	E4(n, __VA_ARGS__), E4(n + 4, __VA_ARGS__), E4(n + 8, __VA_ARGS__), E4(n + 12, __VA_ARGS__)
#define E64(n, ...) \
	E16(n, __VA_ARGS__), E16(n + 16, __VA_ARGS__), E16(n + 32, __VA_ARGS__), \
		E16(n + 48, __VA_ARGS__)
#define COLUMN(u, ...) \
	[u] = {E64(0, __VA_ARGS__), E64(64, __VA_ARGS__), E64(128, __VA_ARGS__), E64(192, __VA_ARGS__)},

static const uint64_t scan_mask[8][256] = {SCAN_POSITIONS(COLUMN)};
static const uint8_t scan[64] = {XC_SCAN_TABLE};

/* Bit i: coefficient i is not zero. */
static inline uint64_t nonzero_mask(const int16_t *block)
{
	const __m128i zero = _mm_setzero_si128();
	uint64_t mask = 0;
	for (int i = 0; i < 4; i++) {
		const __m128i a = _mm_loadu_si128((const __m128i *)(const void *)(block + 16 * i));
		const __m128i b = _mm_loadu_si128((const __m128i *)(const void *)(block + 16 * i + 8));
		const __m128i z = _mm_packs_epi16(_mm_cmpeq_epi16(a, zero), _mm_cmpeq_epi16(b, zero));
		mask |= (uint64_t)(uint16_t)~_mm_movemask_epi8(z) << 16 * i;
	}
	return mask;
}

static inline uint64_t to_scan_order(uint64_t mask)
{
	uint64_t out = 0;
	for (int u = 0; u < 8; u++)
		out |= scan_mask[u][mask >> 8 * u & 255];
	return out;
}

size_t XC_TOKENIZE(const void *blocks, const void *dc, size_t n, void *tokens)
{
	uint16_t *t = tokens;
	for (size_t b = 0; b < n; b++) {
		const int16_t *block = (const int16_t *)blocks + b * 64;
		uint64_t mask = to_scan_order(nonzero_mask(block) & ~UINT64_C(1));
		unsigned next = 1; /* the first position not yet coded */
		const int16_t difference = ((const int16_t *)dc)[b];
		*t++ = (uint16_t)xc_dc_token(difference);
		if (t[-1] == XC_LARGE_DC_TOKEN)
			*t++ = (uint16_t)difference;
		while (mask) {
			const unsigned k = (unsigned)__builtin_ctzll(mask);
			unsigned run = k - next;
			mask &= mask - 1;
			next = k + 1;
			for (; run > 15; run -= 16)
				*t++ = XC_ZEROS_TOKEN;
			*t++ = (uint16_t)xc_ac_token(block[scan[k]], run);
		}
		if (next != 64)
			*t++ = XC_END_TOKEN;
	}
	return (size_t)(t - (uint16_t *)tokens);
}
