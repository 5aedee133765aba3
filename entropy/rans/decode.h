/* SPDX-License-Identifier: BSD-2-Clause */
/* From a segment to coefficients.  Part of level.c. */

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

static inline void set_coefficient(void *block, unsigned place, int32_t value, const int deep)
{
	if (deep)
		((int32_t *)block)[place] = value;
	else
		((int16_t *)block)[place] = (int16_t)value;
}

/* Coefficients of the symbols below XC_RANS_FIRST_CLASS, in sixteenths of a step; that of the DC has
 * no point. */
XC_RANS_INLINE void small_coefficients(const uint8_t symbols[64], uint64_t some, uint64_t signs,
                                       xc_value_points points, void *block, const int deep)
{
#ifdef __AVX512VBMI2__
	if (!deep) {
		const uint64_t negative = _pdep_u64(signs, some);
		const __m512i zero = _mm512_setzero_si512(), s = _mm512_loadu_si512(symbols);
		const __m512i off_one = _mm512_set1_epi16(points.one);
		const __m512i off_more = _mm512_set1_epi16(points.more);
		const uint64_t one = _mm512_cmpeq_epi8_mask(s, _mm512_set1_epi8(1)) & ~UINT64_C(1);
		const uint64_t more = some & ~one & ~UINT64_C(1);
		__m512i low = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(s));
		__m512i high = _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(s, 1));
		low = _mm512_slli_epi16(low, 4);
		high = _mm512_slli_epi16(high, 4);
		low = _mm512_mask_sub_epi16(low, (__mmask32)one, low, off_one);
		low = _mm512_mask_sub_epi16(low, (__mmask32)more, low, off_more);
		high = _mm512_mask_sub_epi16(high, (__mmask32)(one >> 32), high, off_one);
		high = _mm512_mask_sub_epi16(high, (__mmask32)(more >> 32), high, off_more);
		int16_t *c = block;
		_mm512_storeu_si512(c, _mm512_mask_sub_epi16(low, (__mmask32)negative, zero, low));
		_mm512_storeu_si512(c + 32,
		                    _mm512_mask_sub_epi16(high, (__mmask32)(negative >> 32), zero, high));
		return;
	}
#endif
	uint8_t copy[64];
	memcpy(copy, symbols, sizeof copy);
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

/* Takes the raw bits that the states carry.  0: a state is not what a coder starts with. */
static int carried_bits(const uint32_t *state, uint32_t lanes, uint8_t *carried)
{
	for (uint32_t i = 0; i < lanes; i++) {
		if (state[i] >> XC_RANS_STATE_BITS != 1)
			return 0;
		carried[2 * i] = (uint8_t)state[i];
		carried[2 * i + 1] = (uint8_t)(state[i] >> 8);
	}
	return 1;
}

/* Sets out.  Returns 0 if there are not even states. */
XC_RANS_INLINE int begin(way *c, xc_rans_walk *walk, const xc_rans_tables *tables,
                         const xc_rans_shape *shape, const uint8_t *data, size_t size,
                         uint8_t *blocks, size_t bytes)
{
	const uint32_t lanes = lanes_used(shape);
	uint32_t state[XC_RANS_LANES] = {0};
	walk->tables = tables;
	c->walk = walk;
	c->symbols = blocks + (bytes - 64) * shape->blocks;
	c->in.data = data;
	c->in.size = size;
	c->in.at = (size_t)lanes * 4;
	for (size_t i = 0; i < lanes && c->in.at <= size; i++)
		state[i] = data[4 * i] | (uint32_t)data[4 * i + 1] << 8 | (uint32_t)data[4 * i + 2] << 16 |
		           (uint32_t)data[4 * i + 3] << 24;
	memcpy(&c->in.state, state, sizeof state);
	return c->in.at <= size;
}

/* What comes after the symbols. */
XC_RANS_INLINE int finish(const reader *in, const xc_rans_tables *tables,
                          const xc_rans_shape *shape, uint8_t *blocks, const int deep)
{
	const size_t bytes = deep ? 256 : 128;
	const uint32_t lanes = lanes_used(shape);
	uint32_t state[XC_RANS_LANES];
	uint8_t carried[XC_RANS_CARRIED];
	xc_raw_reader r;
	memcpy(state, &in->state, sizeof state);
	if (in->at > in->size || !carried_bits(state, lanes, carried)) {
		memset(blocks, 0, shape->blocks * bytes);
		return 0;
	}
	xc_raw_reader_init(&r, carried, (size_t)lanes * 2, in->data + in->at, in->data + in->size);
	const int good = finish_blocks(&r, shape, tables->points, blocks, deep) &
	                 xc_raw_reader_at_end(&r);
	for (int i = 0; i < shape->components; i++) {
		uint8_t *first = blocks + (size_t)shape->first[i] * bytes;
		if (deep)
			xc_restore_dc32(first, shape->wide[i], shape->high[i]);
		else
			xc_restore_dc16(first, shape->wide[i], shape->high[i]);
	}
	return good;
}

XC_RANS_INLINE int decode(const xc_rans_tables *tables, const xc_rans_shape *shape,
                          const uint8_t *data, size_t size, void *blocks, const int deep)
{
	const size_t bytes = deep ? 256 : 128;
	xc_rans_walk walk;
	way c;
	if (!begin(&c, &walk, tables, shape, data, size, blocks, bytes)) {
		memset(blocks, 0, shape->blocks * bytes);
		return 0;
	}
	code_segment(&c, NULL, shape, 0, 1);
	return finish(&c.in, tables, shape, blocks, deep);
}

XC_RANS_INLINE void decode_two(const xc_rans_tables *tables, const xc_rans_shape *shape,
                               const uint8_t *const data[2], const size_t size[2],
                               void *const blocks[2], int good[2], const int deep)
{
#ifdef __AVX512VBMI2__
	const size_t bytes = deep ? 256 : 128;
	xc_rans_walk walk[2];
	way a, b;
	if (begin(&a, &walk[0], tables, shape, data[0], size[0], blocks[0], bytes) &
	    begin(&b, &walk[1], tables, shape, data[1], size[1], blocks[1], bytes)) {
		code_segment(&a, &b, shape, 1, 1);
		good[0] = finish(&a.in, tables, shape, blocks[0], deep);
		good[1] = finish(&b.in, tables, shape, blocks[1], deep);
		return;
	}
#endif
	for (int i = 0; i < 2; i++)
		good[i] = decode(tables, shape, data[i], size[i], blocks[i], deep);
}

static int decode16(const xc_rans_tables *tables, const xc_rans_shape *shape, const uint8_t *data,
                    size_t size, void *blocks)
{
	return decode(tables, shape, data, size, blocks, 0);
}

static int decode32(const xc_rans_tables *tables, const xc_rans_shape *shape, const uint8_t *data,
                    size_t size, void *blocks)
{
	return decode(tables, shape, data, size, blocks, 1);
}

static void decode_two16(const xc_rans_tables *tables, const xc_rans_shape *shape,
                         const uint8_t *const data[2], const size_t size[2], void *const blocks[2],
                         int good[2])
{
	decode_two(tables, shape, data, size, blocks, good, 0);
}

static void decode_two32(const xc_rans_tables *tables, const xc_rans_shape *shape,
                         const uint8_t *const data[2], const size_t size[2], void *const blocks[2],
                         int good[2])
{
	decode_two(tables, shape, data, size, blocks, good, 1);
}
