/* SPDX-License-Identifier: BSD-2-Clause */
/* From symbols and raw bits to coefficients.  Part of decode.c. */

/* The magnitude of a symbol that has raw bits; sets *bad if it has more than `most` bits. */
static inline uint32_t read_magnitude(xc_raw_reader *r, unsigned symbol, unsigned most, int *bad)
{
	unsigned bits = symbol - 8;
	xc_raw_refill(r);
	if (symbol == XC_RANS_ESCAPE)
		bits = XC_RANS_ESCAPE_LEAST + xc_raw_take(r, XC_RANS_ESCAPE_BITS);
	if (bits >= most) {
		*bad = 1;
		return 0;
	}
	const uint32_t magnitude = 7 + (UINT32_C(1) << bits) + xc_raw_take(r, bits);
	*bad |= magnitude >> most != 0;
	return magnitude;
}

/* The signs of a block: n bits, as many as places. */
static inline uint64_t read_signs(xc_raw_reader *r, unsigned n)
{
	xc_raw_refill(r);
	if (__builtin_expect(n <= 32, 1))
		return xc_raw_take(r, n);
	const uint64_t low = xc_raw_take(r, 32);
	xc_raw_refill(r);
	return low | (uint64_t)xc_raw_take(r, n - 32) << 32;
}

/* Coefficients of the symbols below XC_RANS_FIRST_CLASS, in sixteenths of a step; that of the DC has
 * no point. */
XC_RANS_INLINE void small_coefficients(const uint8_t symbols[64], uint64_t some, uint64_t signs,
                                       xc_value_points points, void *block, const int deep)
{
	uint8_t copy[64];
	memcpy(copy, symbols, sizeof copy);
#ifdef __AVX2__
	enum { NUMBERS = XC_RANS_LANES * XC_RANS_ABREAST };
	const uint64_t negative = _pdep_u64(signs, some);
#pragma GCC unroll 4
	for (int i = 0; i < 64 && !deep; i += NUMBERS) {
		xc_v16b symbol;
		memcpy(&symbol, copy + i, sizeof symbol);
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
		const int32_t off = place == 0 ? 0 : copy[place] == 1 ? points.one : points.more;
		const int32_t minus = -(int32_t)(signs & 1), size = copy[place] * XC_STEP_PARTS - off;
		set_coefficient(block, place, (size ^ minus) - minus, deep);
	}
}

/* Those of the others; symbols is not the block's own memory. */
static void large_coefficients(xc_raw_reader *r, const uint8_t symbols[64], masks m, uint64_t signs,
                               xc_value_points points, void *block, const int deep, int *bad)
{
	for (; m.large; m.large &= m.large - 1) {
		const unsigned place = (unsigned)__builtin_ctzll(m.large);
		const uint64_t before = m.some & ((UINT64_C(1) << place) - 1);
		const int negative = signs >> __builtin_popcountll(before) & 1;
		const unsigned most = (deep ? XC_MOST_SIZE32 : XC_MOST_SIZE16) + (place == 0);
		const int32_t magnitude = (int32_t)read_magnitude(r, symbols[place], most, bad);
		const int32_t size = magnitude * XC_STEP_PARTS - (place ? points.more : 0);
		set_coefficient(block, place, negative ? -size : size, deep);
	}
}

/* Replaces symbols by coefficients.  The symbols fill the end of the coefficients' memory; no
 * block is written before its symbols were read. */
XC_RANS_INLINE int finish_blocks(xc_raw_reader *r, const xc_rans_shape *shape,
                                 const xc_value_points points[2], void *blocks, const int deep)
{
	const size_t bytes = deep ? 256 : 128;
	const uint8_t *symbols = (const uint8_t *)blocks + (size_t)shape->blocks * (bytes - 64);
	const uint32_t luma = shape->components > 1 ? shape->first[1] : shape->blocks;
	uint8_t *block = blocks;
	int bad = 0;
	for (uint32_t i = 0; i < shape->blocks; i++, symbols += 64, block += bytes) {
		const xc_value_points p = points[i >= luma];
		const masks m = masks_of(symbols);
		const uint64_t signs = read_signs(r, (unsigned)__builtin_popcountll(m.some));
		if (__builtin_expect(m.large != 0, 0)) {
			uint8_t copy[64];
			memcpy(copy, symbols, sizeof copy);
			small_coefficients(copy, m.some, signs, p, block, deep);
			large_coefficients(r, copy, m, signs, p, block, deep, &bad);
		} else {
			small_coefficients(symbols, m.some, signs, p, block, deep);
		}
	}
	return !bad;
}
