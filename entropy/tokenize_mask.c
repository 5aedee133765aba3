/* SPDX-License-Identifier: BSD-2-Clause */
/* Tokens by way of a 64-bit mask of the coefficients that are not zero. The mask is made in the
 * order of storage, and eight look-ups bring it into zig-zag order, so that only those coefficients
 * are touched one by one. The code uses SSE2 intrinsics. The makefile compiles this file once per
 * level and sets XC_TOKENIZE, the name of the function. */
#include <emmintrin.h>

#include "entropy/scan.h"
#include "entropy/tokens.h"

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

size_t XC_TOKENIZE(const void *blocks, const void *dc, size_t n, void *tokens)
{
	uint16_t *t = tokens;

	for (size_t b = 0; b < n; b++) {
		const int16_t *block = (const int16_t *)blocks + b * 64;
		uint64_t mask = xc_scan_order_mask(nonzero_mask(block) & ~UINT64_C(1));
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
