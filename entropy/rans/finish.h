/* From symbols and raw bits to coefficients.  Part of decode.c. */
#include "entropy/predict.h"

/* The raw bits of a segment on their way; *bad is set if a magnitude has too many of them. */
typedef struct raw_bits {
	const xc_raw_reader *from;
	uint64_t at;
	int bad;
} raw_bits;

/* The magnitude of a symbol that has raw bits, of at most `most` bits. */
XC_RANS_INLINE uint32_t read_magnitude(raw_bits *r, unsigned symbol, unsigned most)
{
	unsigned bits = symbol - 8;
	if (symbol == XC_RANS_ESCAPE)
		bits = XC_RANS_ESCAPE_LEAST + xc_raw_take(r->from, &r->at, XC_RANS_ESCAPE_BITS);
	if (bits >= most) {
		r->bad = 1;
		return 0;
	}
	const uint32_t magnitude = 7 + (UINT32_C(1) << bits) + xc_raw_take(r->from, &r->at, bits);
	r->bad |= magnitude >> most != 0;
	return magnitude;
}

/* The signs of a block, as many as places, in the lowest n bits. */
XC_RANS_INLINE uint64_t read_signs(raw_bits *r, unsigned n)
{
	uint64_t signs = xc_raw_peek(r->from, r->at);
	if (__builtin_expect(n > 57, 0))
		signs = (signs & UINT32_MAX) | xc_raw_peek(r->from, r->at + 32) << 32;
	r->at += n;
	return signs;
}

/* Coefficients of the symbols below XC_RANS_FIRST_CLASS, in sixteenths of a step; that of the DC has
 * no point.  symbols is not the block's own memory. */
XC_RANS_INLINE void small_coefficients(const uint8_t symbols[64], uint64_t some, uint64_t signs,
                                       xc_value_points points, void *block, const int deep)
{
#ifdef __AVX2__
	enum { NUMBERS = XC_RANS_LANES * XC_RANS_ABREAST };
	const uint64_t negative = _pdep_u64(signs, some);
#pragma GCC unroll 4
	for (int i = 0; i < 64 && !deep; i += NUMBERS) {
		xc_v16b symbol;
		memcpy(&symbol, symbols + i, sizeof symbol);
		const xc_v16 s = __builtin_convertvector(symbol, xc_v16);
		const xc_v16 ac = ~lanes_of(i == 0), minus = lanes_of((uint32_t)(negative >> i));
		const xc_v16 one = (xc_v16)(s == 1) & ac, more = (xc_v16)(s > 1) & ac;
		const xc_v16 size = s * XC_STEP_PARTS - (one & splat((uint32_t)points.one)) -
		                    (more & splat((uint32_t)points.more));
		const xc_v16 value = (size ^ minus) - minus;
		memcpy((int16_t *)block + i, &value, sizeof value);
	}
	if (!deep)
		return;
#endif
	memset(block, 0, deep ? 256 : 128);
	for (; some; some &= some - 1, signs >>= 1) {
		const unsigned place = (unsigned)__builtin_ctzll(some);
		const int32_t off = place == 0 ? 0 : symbols[place] == 1 ? points.one : points.more;
		const int32_t minus = -(int32_t)(signs & 1), size = symbols[place] * XC_STEP_PARTS - off;
		set_coefficient(block, place, (size ^ minus) - minus, deep);
	}
}

/* Those of the others, likewise. */
static __attribute__((noinline)) raw_bits large_coefficients(raw_bits r, const uint8_t symbols[64],
                                                             masks m, uint64_t signs,
                                                             xc_value_points points, void *block,
                                                             const int deep)
{
	for (; m.large; m.large &= m.large - 1) {
		const unsigned place = (unsigned)__builtin_ctzll(m.large);
		const uint64_t before = m.some & ((UINT64_C(1) << place) - 1);
		const int negative = signs >> __builtin_popcountll(before) & 1;
		const unsigned most = (deep ? XC_MOST_SIZE32 : XC_MOST_SIZE16) + (place == 0);
		const int32_t magnitude = (int32_t)read_magnitude(&r, symbols[place], most);
		const int32_t size = magnitude * XC_STEP_PARTS - (place ? points.more : 0);
		set_coefficient(block, place, negative ? -size : size, deep);
	}
	return r;
}

/* Any block. */
XC_RANS_INLINE void finish_any(raw_bits *r, const uint8_t symbols[64], masks m, uint64_t signs,
                               xc_value_points points, void *block, const int deep)
{
	uint8_t copy[64];
	memcpy(copy, symbols, sizeof copy);
	small_coefficients(copy, m.some, signs, points, block, deep);
	if (__builtin_expect(m.large != 0, 0))
		*r = large_coefficients(*r, copy, m, signs, points, block, deep);
}

#ifdef __AVX512VBMI2__

/* Replaces symbols that have raw bits, but are no escapes, by magnitudes: eight at a time, a byte
 * for each. */
XC_RANS_INLINE __m512i put_magnitudes(raw_bits *r, __m512i symbols, uint64_t large)
{
	/* By symbol: the raw bits, and the least magnitude. */
	const __m128i ones = _mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 7, 15, 31, 63, 0);
	const __m128i least = _mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 11, 15, 23, 39, 71, 0);
	for (uint64_t part; large; large &= ~part) {
		part = _pdep_u64(0xff, large);
		const __m128i of = _mm512_castsi512_si128(_mm512_maskz_compress_epi8(part, symbols));
		const uint64_t bits = (uint64_t)_mm_cvtsi128_si64(_mm_shuffle_epi8(ones, of));
		const uint64_t more = _pdep_u64(xc_raw_peek(r->from, r->at), bits);
		const __m128i sizes = _mm_add_epi8(_mm_shuffle_epi8(least, of),
		                                   _mm_cvtsi64_si128((int64_t)more));
		symbols = _mm512_mask_expand_epi8(symbols, part, _mm512_castsi128_si512(sizes));
		r->at += (uint64_t)__builtin_popcountll(bits);
	}
	return symbols;
}

XC_RANS_INLINE __m512i coefficients_of(__m256i sizes, uint32_t one, uint32_t more,
                                       uint32_t negative, xc_value_points points)
{
	__m512i v = _mm512_slli_epi16(_mm512_cvtepu8_epi16(sizes), 4);
	v = _mm512_mask_sub_epi16(v, one, v, _mm512_set1_epi16(points.one));
	v = _mm512_mask_sub_epi16(v, more, v, _mm512_set1_epi16(points.more));
	return _mm512_mask_sub_epi16(v, negative, _mm512_setzero_si512(), v);
}

XC_RANS_INLINE void finish_block16(raw_bits *r, const uint8_t *symbols, xc_value_points points,
                                   int16_t *block)
{
	const uint64_t ac = ~UINT64_C(1);
	const masks m = masks_of(symbols);
	const uint64_t signs = read_signs(r, (unsigned)__builtin_popcountll(m.some));
	const uint64_t negative = _pdep_u64(signs, m.some);
	__m512i sizes = _mm512_loadu_si512(symbols);
	if (m.large) {
		const __m512i escape = _mm512_set1_epi8(XC_RANS_ESCAPE);
		if (__builtin_expect(_mm512_cmpeq_epi8_mask(sizes, escape) != 0, 0)) {
			finish_any(r, symbols, m, signs, points, block, 0);
			return;
		}
		sizes = put_magnitudes(r, sizes, m.large);
	}
	const __m512i single = _mm512_set1_epi8(1);
	const uint64_t one = _mm512_mask_cmpeq_epi8_mask(ac, sizes, single);
	const uint64_t more = _mm512_mask_cmpgt_epu8_mask(ac, sizes, single);
	const __m512i low = coefficients_of(_mm512_castsi512_si256(sizes), (uint32_t)one,
	                                    (uint32_t)more, (uint32_t)negative, points);
	const __m512i high = coefficients_of(_mm512_extracti64x4_epi64(sizes, 1), (uint32_t)(one >> 32),
	                                     (uint32_t)(more >> 32), (uint32_t)(negative >> 32),
	                                     points);
	_mm512_storeu_si512(block, low);
	_mm512_storeu_si512(block + 32, high);
}

#endif

/* Sets the coefficients of a block, but of the DC the difference to what is predicted, which it
 * returns. */
XC_RANS_INLINE int32_t finish_block(raw_bits *r, const uint8_t *symbols, xc_value_points points,
                                    void *block, const int deep)
{
#ifdef __AVX512VBMI2__
	if (!deep) {
		finish_block16(r, symbols, points, block);
		return *(const int16_t *)block;
	}
#endif
	const masks m = masks_of(symbols);
	const uint64_t signs = read_signs(r, (unsigned)__builtin_popcountll(m.some));
	finish_any(r, symbols, m, signs, points, block, deep);
	return deep ? *(const int32_t *)block : *(const int16_t *)block;
}

XC_RANS_INLINE int32_t dc_of(const uint8_t *block, const int deep)
{
	return deep ? *(const int32_t *)(const void *)block : *(const int16_t *)(const void *)block;
}

/* Replaces the symbols of a row of blocks by coefficients.  above: the row above, or NULL. */
XC_RANS_INLINE void finish_row(raw_bits *r, const uint8_t *symbols, uint32_t wide,
                               xc_value_points points, const uint8_t *above, uint8_t *block,
                               const int deep)
{
	const size_t bytes = deep ? 256 : 128;
	int32_t left = above ? dc_of(above, deep) : 0, corner = left;
	for (uint32_t x = 0; x < wide; x++, symbols += 64, block += bytes) {
		/* At the edges the neighbours that exist stand for the others, so that the median is theirs. */
		const int32_t up = above ? dc_of(above + x * bytes, deep) : left;
		const int32_t p = xc_median_edge(left, up, corner);
		const int32_t change = finish_block(r, symbols, points, block, deep);
		set_coefficient(block, 0, (int32_t)((uint32_t)change + (uint32_t)p), deep);
		corner = up;
		left = dc_of(block, deep);
	}
}

/* Replaces symbols by coefficients.  The symbols fill the end of the coefficients' memory; no
 * block is written before its symbols were read.  0: the raw bits are not those of a coder. */
XC_RANS_INLINE int finish_blocks(const xc_raw_reader *from, const xc_rans_shape *shape,
                                 const xc_value_points points[2], uint8_t *blocks, const int deep)
{
	const size_t bytes = deep ? 256 : 128;
	const uint8_t *symbols = blocks + (size_t)shape->blocks * (bytes - 64);
	raw_bits r = {from, 0, 0};
	for (int c = 0; c < shape->components; c++) {
		const size_t wide = shape->wide[c];
		for (uint32_t y = 0; y < shape->high[c]; y++) {
			const size_t at = shape->first[c] + y * wide;
			uint8_t *row = blocks + at * bytes;
			finish_row(&r, symbols + at * 64, shape->wide[c], points[c != 0],
			           y ? row - wide * bytes : NULL, row, deep);
		}
	}
	return !r.bad && xc_raw_reader_at_end(from, r.at);
}
