/* SPDX-License-Identifier: BSD-2-Clause */
/* What coder and decoder ask of a block.  Part of what is compiled by level. */

/* The symbols that have raw bits, and those that have a sign, as masks by place. */
typedef struct masks {
	uint64_t some, large;
} masks;

XC_RANS_INLINE masks masks_of(const uint8_t symbols[64])
{
#ifdef __AVX512VBMI2__
	const __m512i s = _mm512_loadu_si512(symbols);
	return (masks){_mm512_test_epi8_mask(s, s),
	               _mm512_cmpge_epu8_mask(s, _mm512_set1_epi8(XC_RANS_FIRST_CLASS))};
#elif defined __AVX2__
	masks m = {0, 0};
	for (int part = 0; part < 64; part += 32) {
		const __m256i s = _mm256_loadu_si256((const __m256i *)(symbols + part));
		const __m256i some = _mm256_cmpgt_epi8(s, _mm256_setzero_si256());
		const __m256i large = _mm256_cmpgt_epi8(s, _mm256_set1_epi8(XC_RANS_FIRST_CLASS - 1));
		m.some |= (uint64_t)(uint32_t)_mm256_movemask_epi8(some) << part;
		m.large |= (uint64_t)(uint32_t)_mm256_movemask_epi8(large) << part;
	}
	return m;
#else
	masks m = {0, 0};
	for (int part = 0; part < 64; part += 8) {
		/* Symbols are below 16: the highest bit of a byte is free, and gathering the eight of a
		 * word is one multiplication. */
		uint64_t s = 0;
		for (int i = 0; i < 8; i++)
			s |= (uint64_t)symbols[part + i] << 8 * i;
		const uint64_t ones = UINT64_C(0x0101010101010101), gather = UINT64_C(0x0102040810204080);
		const uint64_t some = (s + ones * 127) >> 7 & ones;
		const uint64_t large = (s + ones * (128 - XC_RANS_FIRST_CLASS)) >> 7 & ones;
		m.some |= (some * gather >> 56) << part;
		m.large |= (large * gather >> 56) << part;
	}
	return m;
#endif
}

static inline void set_coefficient(void *block, unsigned place, int32_t value, const int deep)
{
	if (deep)
		((int32_t *)block)[place] = value;
	else
		((int16_t *)block)[place] = (int16_t)value;
}
