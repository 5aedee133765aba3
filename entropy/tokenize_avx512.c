/* SPDX-License-Identifier: BSD-2-Clause */
/* Tokens with AVX-512 VBMI2: one permutation brings a block into zig-zag order. Compressing the
 * coefficients and their positions under the mask of those that are not zero then gives all values
 * and runs at once. */
#include <immintrin.h>

#include "entropy/scan.h"
#include "entropy/tokens.h"

static const uint8_t scan_bytes[64] = {XC_SCAN_TABLE};

/* Makes tokens of the coefficients in v under mask. positions: the scan position of each lane;
 * before: that of the last coefficient before these. Returns 0 if a run is longer than 15, which
 * takes more than one token. */
static inline int half_block(__m512i v, __mmask32 mask, __m512i positions, int before,
                             uint16_t *out)
{
	const __m512i back = _mm512_set_epi16(30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17,
	                                      16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0,
	                                      0);
	const __m512i values = _mm512_maskz_compress_epi16(mask, v);
	const __m512i here = _mm512_maskz_compress_epi16(mask, positions);
	const __m512i last = _mm512_mask_permutexvar_epi16(_mm512_set1_epi16((short)before), 0xfffffffe,
	                                                   back, here);
	const __m512i run = _mm512_sub_epi16(_mm512_sub_epi16(here, last), _mm512_set1_epi16(1));
	const __mmask32 used = (__mmask32)_bzhi_u32(~0u, (unsigned)__builtin_popcount(mask));

	if (_mm512_mask_cmpgt_epu16_mask(used, run, _mm512_set1_epi16(15)))
		return 0;
	const __mmask32 large = _mm512_cmpgt_epi16_mask(values, _mm512_set1_epi16(XC_TOKEN_BIAS - 1));
	__m512i biased = _mm512_add_epi16(values, _mm512_set1_epi16(XC_TOKEN_BIAS));
	biased = _mm512_mask_add_epi16(biased, large, values, _mm512_set1_epi16(XC_LARGE_BIAS));
	const __m512i token = _mm512_or_si512(_mm512_slli_epi16(biased, 4), run);
	_mm512_storeu_si512(out, token);
	return 1;
}

size_t xc_tokenize16_avx512(const void *blocks, const void *dc, size_t n, void *tokens)
{
	const __m512i scan = _mm512_loadu_si512(scan_bytes);
	const __m512i scan_low = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(scan));
	const __m512i scan_high = _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(scan, 1));
	const __m512i lanes = _mm512_set_epi16(31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18,
	                                       17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2,
	                                       1, 0);
	const __m512i lanes_high = _mm512_add_epi16(lanes, _mm512_set1_epi16(32));
	const int16_t *difference = dc;
	uint16_t *t = tokens;

	for (size_t b = 0; b < n; b++) {
		const int16_t *block = (const int16_t *)blocks + b * 64;
		const __m512i low = _mm512_loadu_si512(block), high = _mm512_loadu_si512(block + 32);
		const __m512i first = _mm512_permutex2var_epi16(low, scan_low, high);
		const __m512i second = _mm512_permutex2var_epi16(low, scan_high, high);
		const uint32_t mask = _mm512_test_epi16_mask(first, first) & ~1u;
		const uint32_t mask_high = _mm512_test_epi16_mask(second, second);
		unsigned count = (unsigned)__builtin_popcount(mask);
		uint16_t *const start = t;
		*t++ = (uint16_t)xc_dc_token(difference[b]);
		if (t[-1] == XC_LARGE_DC_TOKEN)
			*t++ = (uint16_t)difference[b];
		int good = half_block(first, mask, lanes, 0, t);
		if (mask_high) {
			good &= half_block(second, mask_high, lanes_high, mask ? 31 - __builtin_clz(mask) : 0,
			                   t + count);
			count += (unsigned)__builtin_popcount(mask_high);
		}
		if (__builtin_expect(!good, 0)) {
			t = start + xc_tokenize16_scalar(block, difference + b, 1, start);
			continue;
		}
		t[count] = XC_END_TOKEN;
		count += !(mask_high >> 31);
		t += count;
	}
	return (size_t)(t - (uint16_t *)tokens);
}
