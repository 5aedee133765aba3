/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The decoder of the rANS mode for one SIMD level; src/decode/coded_decode.c calls it. The makefile
 * compiles this file once per level, as it does level.c.
 *
 * A symbol depends on the one before it in its block and on the state of its lane, so one segment
 * alone would leave the processor idle. Several segments are decoded at once: four with AVX-512,
 * two side by side in each vector, and two with AVX2. State: for each segment the states of its
 * lanes, its words and the wavefront (entropy/rans/step.h). Bound: the number of steps follows from
 * the shape alone; words past the end are zeros, and bytes_left() then becomes negative.
 */
#include "entropy/rans/rans.h"

#ifdef __AVX512VBMI2__
#define XC_RANS_ABREAST 2
#endif

#include "entropy/points.h"
#include "entropy/rans/lanes.h"
#include "entropy/rans/raw.h"
#include "entropy/tokens.h"
#include "entropy/value.h"

enum { ABREAST = XC_RANS_ABREAST };

#include "entropy/rans/step.h"

/* The elements of the vector for these lanes of the valid segments. */
XC_RANS_INLINE uint32_t numbers_of(const way *c, uint32_t lanes)
{
#if XC_RANS_ABREAST == 2
	return _pdep_u32(lanes, 0x55555555) * c->valid;
#else
	return c->valid ? lanes : 0;
#endif
}

/* Decodes `ways` ways at a time. */
XC_RANS_INLINE void decode_zone(way *c, int zone, uint32_t active, const int ways)
{
	static const uint8_t first[] = XC_RANS_ZONE_TABLE;
	const xc_rans_tables *tables = c->wavefront->tables;
	const xc_rans_set *sets = tables->set[c->wavefront->chroma];
	const xc_rans_template *tmpl = &tables->templates[first[zone]],
						   *end = &tables->templates[first[zone + 1]];
	uint32_t some[WAYS], any = 0;
	xc_v16 sum[WAYS], symbol[WAYS];
#pragma GCC unroll 4
	for (int i = 0; i < ways; i++) {
		some[i] = decode_flags(&c[i], &sets[XC_RANS_FLAG_SET + zone],
		                       expect_flag(c[i].wavefront, zone, first[zone]),
		                       numbers_of(&c[i], active));
		any |= some[i];
		sum[i] = splat(0);
		symbol[i] = c[i].wavefront->now.at[tmpl->own[4]];
	}
	if (any) {
		const lookup l = look_up(&sets[zone > 0]);
		for (; tmpl < end; tmpl++) {
#pragma GCC unroll 4
			for (int i = 0; i < ways; i++) {
				symbol[i] = decode_symbols(&c[i], &l, expect_after(c[i].wavefront, tmpl, symbol[i]),
				                           some[i], zone == XC_RANS_ZONES - 1);
				c[i].wavefront->now.at[tmpl->raster] = symbol[i];
				sum[i] += symbol[i];
			}
		}
	} else {
		for (; tmpl < end; tmpl++)
#pragma GCC unroll 4
			for (int i = 0; i < ways; i++)
				c[i].wavefront->now.at[tmpl->raster] = splat(0);
	}
#pragma GCC unroll 4
	for (int i = 0; i < ways; i++)
		c[i].wavefront->now.at[XC_RANS_SUMS + zone] = sum[i];
}

/* A loop for each zone pays where its search differs. */
XC_RANS_INLINE void decode_zones(way *c, uint32_t active, const int ways)
{
#if XC_RANS_ABREAST == 2
	decode_zone(c, 0, active, ways);
	decode_zone(c, 1, active, ways);
	decode_zone(c, 2, active, ways);
#else
	for (int zone = 0; zone < XC_RANS_ZONES; zone++)
		decode_zone(c, zone, active, ways);
#endif
}

XC_RANS_INLINE void decode_dc(way *c, uint32_t active)
{
	const lookup l = look_up(&c->wavefront->tables->set[c->wavefront->chroma][XC_RANS_DC_SET]);
	c->wavefront->now.at[0] = decode_symbols(c, &l, expect_dc(c->wavefront), numbers_of(c, active),
	                                         0);
}

#if XC_RANS_ABREAST == 2

/* Four symbols of each lane of a segment. */
typedef uint32_t fours __attribute__((vector_size(64)));

/* Interleaves the elements of the first and of the second half of the rows. */
XC_RANS_INLINE void interleave_fours(const fours in[16], fours out[16])
{
#pragma GCC unroll 8
	for (int i = 0; i < 8; i++) {
		out[2 * i] = __builtin_shufflevector(in[i], in[i + 8], 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5,
		                                     21, 6, 22, 7, 23);
		out[2 * i + 1] = __builtin_shufflevector(in[i], in[i + 8], 8, 24, 9, 25, 10, 26, 11, 27, 12,
		                                         28, 13, 29, 14, 30, 15, 31);
	}
}

XC_RANS_INLINE void store_symbols(const way *c, const xc_rans_zone *g, uint32_t step,
                                  uint32_t active)
{
	for (int i = 0; i < 2; i++) {
		fours row[16], other[16];
#pragma GCC unroll 16
		for (int k = 0; k < 16; k++) {
			const xc_v16 *now = &c->wavefront->now.at[4 * k];
			const fours low = (fours)(now[0] | now[1] << 8), high = (fours)(now[2] | now[3] << 8);
			row[k] = i ? low >> 16 | (high & 0xffff0000) : (low & 0xffff) | high << 16;
		}
		interleave_fours(row, other);
		interleave_fours(other, row);
		interleave_fours(row, other);
		interleave_fours(other, row);
		for (uint32_t lanes = c->valid >> i & 1 ? active : 0; lanes; lanes &= lanes - 1) {
			const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
			uint8_t *block = block_of(g, lane, step, c->symbols[i]);
			memcpy(block, &row[lane], sizeof row[lane]);
			__builtin_prefetch(block + 64, 1);
		}
	}
}

#else

XC_RANS_INLINE void store_symbols(const way *c, const xc_rans_zone *g, uint32_t step,
                                  uint32_t active)
{
	if (c->valid)
		store_blocks(&c->wavefront->now, g, step, active, c->symbols[0]);
}

#endif

XC_RANS_INLINE void decode_rows(way *c, const xc_rans_zone *g, const int ways)
{
#pragma GCC unroll 4
	for (int i = 0; i < ways; i++)
		memset(&c[i].wavefront->now, 0, sizeof c[i].wavefront->now);
	for (uint32_t step = 0; step < g->steps; step++) {
		const uint32_t active = xc_rans_active(g, step), first = beginning(g, step);
#pragma GCC unroll 4
		for (int i = 0; i < ways * ABREAST; i++)
			check_words(&c[i / ABREAST].in[i % ABREAST]);
#pragma GCC unroll 4
		for (int i = 0; i < ways; i++)
			wavefront_advance(c[i].wavefront, numbers_of(&c[i], g->top), numbers_of(&c[i], first));
#pragma GCC unroll 4
		for (int i = 0; i < ways; i++)
			decode_dc(&c[i], active);
		decode_zones(c, active, ways);
#pragma GCC unroll 4
		for (int i = 0; i < ways; i++)
			store_symbols(&c[i], g, step, active);
	}
}

/* Luma, and then both components of chroma. */
XC_RANS_INLINE void decode_ways(way *c, const xc_rans_shape *shape, const int ways)
{
	for (int chroma = 0; chroma < (shape->components > 1 ? 2 : 1); chroma++) {
		const uint32_t wide = shape->wide[chroma], high = shape->high[chroma];
#pragma GCC unroll 4
		for (int i = 0; i < ways; i++)
			wavefront_begin(c[i].wavefront, chroma);
		for (uint32_t row = 0, components = chroma ? 2 : 1; row < high * components;) {
			xc_rans_zone g;
			row = xc_rans_zone_at(&g, row, wide, high, components, &shape->first[chroma]);
			decode_rows(c, &g, ways);
		}
	}
}

/* ------------------------------------- from symbols and raw bits to coefficients */

/* The raw bits of a segment; bad is set if a magnitude has too many of them. */
typedef struct raw_bits {
	const xc_raw_reader *from;
	uint64_t at;
	int bad;
} raw_bits;

/* The magnitude of a symbol that has raw bits, of at most `max` bits. */
XC_RANS_INLINE uint32_t read_magnitude(raw_bits *r, unsigned symbol, unsigned max)
{
	unsigned bits = symbol - 8;

	if (symbol == XC_RANS_ESCAPE)
		bits = XC_RANS_ESCAPE_MIN + xc_raw_take(r->from, &r->at, XC_RANS_ESCAPE_BITS);
	if (bits >= max) {
		r->bad = 1;
		return 0;
	}
	const uint32_t magnitude = 7 + (UINT32_C(1) << bits) + xc_raw_take(r->from, &r->at, bits);
	r->bad |= magnitude >> max != 0;
	return magnitude;
}

/* The signs of a block in the lowest n bits. */
XC_RANS_INLINE uint64_t read_signs(raw_bits *r, unsigned n)
{
	uint64_t signs = xc_raw_peek(r->from, r->at);

	if (__builtin_expect(n > 57, 0))
		signs = (signs & UINT32_MAX) | xc_raw_peek(r->from, r->at + 32) << 32;
	r->at += n;
	return signs;
}

/* Coefficients of the symbols below XC_RANS_FIRST_CLASS, in sixteenths of a step; that of the DC
 * has no point. symbols is not the block's own memory. */
XC_RANS_INLINE void small_coefficients(const uint8_t symbols[64], uint64_t some, uint64_t signs,
                                       xc_value_points points, void *block, const int depth16)
{
#ifdef __AVX2__
	enum { NUMBERS = XC_RANS_LANES * XC_RANS_ABREAST };
	const uint64_t negative = _pdep_u64(signs, some);
#pragma GCC unroll 4
	for (int i = 0; i < 64 && !depth16; i += NUMBERS) {
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
	if (!depth16)
		return;
#endif
	memset(block, 0, depth16 ? 256 : 128);
	for (; some; some &= some - 1, signs >>= 1) {
		const unsigned raster = (unsigned)__builtin_ctzll(some);
		const int32_t off = raster == 0 ? 0 : symbols[raster] == 1 ? points.one : points.more;
		const int32_t minus = -(int32_t)(signs & 1), size = symbols[raster] * XC_STEP_PARTS - off;
		xc_set_coefficient(block, raster, (size ^ minus) - minus, depth16);
	}
}

/* Sets the coefficients of the other symbols likewise. */
static __attribute__((noinline)) raw_bits large_coefficients(raw_bits r, const uint8_t symbols[64],
                                                             masks m, uint64_t signs,
                                                             xc_value_points points, void *block,
                                                             const int depth16)
{
	for (; m.large; m.large &= m.large - 1) {
		const unsigned raster = (unsigned)__builtin_ctzll(m.large);
		const uint64_t before = m.some & ((UINT64_C(1) << raster) - 1);
		const int negative = signs >> __builtin_popcountll(before) & 1;
		const unsigned max = (depth16 ? XC_MAX_SIZE32 : XC_MAX_SIZE16) + (raster == 0);
		const int32_t magnitude = (int32_t)read_magnitude(&r, symbols[raster], max);
		const int32_t size = magnitude * XC_STEP_PARTS - (raster ? points.more : 0);
		xc_set_coefficient(block, raster, negative ? -size : size, depth16);
	}
	return r;
}

/* Finishes any block. */
XC_RANS_INLINE void finish_any(raw_bits *r, const uint8_t symbols[64], masks m, uint64_t signs,
                               xc_value_points points, void *block, const int depth16)
{
	uint8_t copy[64];

	memcpy(copy, symbols, sizeof copy);
	small_coefficients(copy, m.some, signs, points, block, depth16);
	if (__builtin_expect(m.large != 0, 0))
		*r = large_coefficients(*r, copy, m, signs, points, block, depth16);
}

#ifdef __AVX512VBMI2__

/* Replaces symbols with raw bits, except escapes, by magnitudes, eight at a time in bytes. */
XC_RANS_INLINE __m512i put_magnitudes(raw_bits *r, __m512i symbols, uint64_t large)
{
	/* By symbol: a mask of the raw bits, and the smallest magnitude. */
	const __m128i ones = _mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 7, 15, 31, 63, 0);
	const __m128i min_v16 = _mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 11, 15, 23, 39, 71, 0);

	for (uint64_t part; large; large &= ~part) {
		part = _pdep_u64(0xff, large);
		const __m128i of = _mm512_castsi512_si128(_mm512_maskz_compress_epi8(part, symbols));
		const uint64_t bits = (uint64_t)_mm_cvtsi128_si64(_mm_shuffle_epi8(ones, of));
		const uint64_t more = _pdep_u64(xc_raw_peek(r->from, r->at), bits);
		const __m128i sizes = _mm_add_epi8(_mm_shuffle_epi8(min_v16, of),
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

/* Sets the coefficients of a block, with the difference of the DC from its prediction in place of
 * the DC; returns that difference. */
XC_RANS_INLINE int32_t finish_block(raw_bits *r, const uint8_t *symbols, xc_value_points points,
                                    void *block, const int depth16)
{
#ifdef __AVX512VBMI2__
	if (!depth16) {
		finish_block16(r, symbols, points, block);
		return *(const int16_t *)block;
	}
#endif
	const masks m = masks_of(symbols);
	const uint64_t signs = read_signs(r, (unsigned)__builtin_popcountll(m.some));
	finish_any(r, symbols, m, signs, points, block, depth16);
	return xc_coefficient(block, 0, depth16);
}

/* Replaces the symbols of a row of blocks by coefficients.  above: the row above, or NULL. */
XC_RANS_INLINE void finish_row(raw_bits *r, const uint8_t *symbols, uint32_t wide,
                               xc_value_points points, const uint8_t *above, uint8_t *block,
                               const int depth16)
{
	const size_t bytes = depth16 ? 256 : 128;
	int32_t left = above ? xc_coefficient(above, 0, depth16) : 0, corner = left;

	for (uint32_t x = 0; x < wide; x++, symbols += 64, block += bytes) {
		/* At an edge the one existing neighbour replaces the missing ones. */
		const int32_t up = above ? xc_coefficient(above + x * bytes, 0, depth16) : left;
		const int32_t p = xc_median_edge(left, up, corner);
		const int32_t change = finish_block(r, symbols, points, block, depth16);
		xc_set_coefficient(block, 0, (int32_t)((uint32_t)change + (uint32_t)p), depth16);
		corner = up;
		left = xc_coefficient(block, 0, depth16);
	}
}

/* Replaces symbols by coefficients. The symbols fill the end of the same memory; no block is
 * written before its symbols are read. 0: the raw bits are not those of a coder. */
XC_RANS_INLINE int finish_blocks(const xc_raw_reader *from, const xc_rans_shape *shape,
                                 const xc_value_points points[2], uint8_t *blocks,
                                 const int depth16)
{
	const size_t bytes = depth16 ? 256 : 128;
	const uint8_t *symbols = blocks + (size_t)shape->blocks * (bytes - 64);
	raw_bits r = {from, 0, 0};

	for (int c = 0; c < shape->components; c++) {
		const size_t wide = shape->wide[c];
		for (uint32_t y = 0; y < shape->high[c]; y++) {
			const size_t at = shape->first[c] + y * wide;
			uint8_t *row = blocks + at * bytes;
			finish_row(&r, symbols + at * 64, shape->wide[c], points[c != 0],
			           y ? row - wide * bytes : NULL, row, depth16);
		}
	}
	return !r.bad && xc_raw_reader_at_end(from, r.at);
}

/* --------------------------------------------------------------- segments */

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

/* Begins segment k of a way.  0: it is too short. */
XC_RANS_INLINE uint32_t begin(way *c, int k, rooms *r, const xc_rans_shape *shape,
                              const uint8_t *data, size_t size)
{
	static const uint8_t nothing[1];
	const uint32_t lanes = lanes_used(shape);
	uint32_t state[XC_RANS_LANES] = {0};
	size_t at = (size_t)lanes * 4;
	const uint32_t whole = at <= size;

	/* Nothing is read of a segment that is too short, since its data may be NULL. */
	if (!whole) {
		data = nothing;
		at = size = 0;
	}
	for (size_t i = 0; i < lanes && whole; i++)
		state[i] = data[4 * i] | (uint32_t)data[4 * i + 1] << 8 | (uint32_t)data[4 * i + 2] << 16 |
		           (uint32_t)data[4 * i + 3] << 24;
	set_states(c, k, state);
	begin_words(c, k, r, data, at, size);
	return whole;
}

/* Finishes segment k of a way after its symbols; its data end at `end`. */
XC_RANS_INLINE int finish(const way *c, int k, const uint8_t *end, const xc_rans_shape *shape,
                          uint8_t *blocks, const int depth16)
{
	const uint32_t lanes = lanes_used(shape);
	uint32_t state[XC_RANS_LANES];
	uint8_t carried[XC_RANS_CARRIED];
	xc_raw_reader r;

	get_states(c, k, state);
	if (!(c->valid >> k & 1) || bytes_left(c, k) < 0 || !carried_bits(state, lanes, carried)) {
		memset(blocks, 0, shape->blocks * (depth16 ? (size_t)256 : 128));
		return 0;
	}
	xc_raw_reader_init(&r, carried, (size_t)lanes * 2, end - bytes_left(c, k), end);
	return finish_blocks(&r, shape, c->wavefront->tables->points, blocks, depth16);
}

/* Decodes as many segments as fit, `ways` * ABREAST, of which `count` exist. */
XC_RANS_INLINE void decode_some(const xc_rans_tables *tables, const xc_rans_shape *shape, int count,
                                const uint8_t *const *data, const size_t *size, void *const *blocks,
                                int *good, const int ways, const int depth16)
{
	const size_t symbols = (size_t)shape->blocks * ((depth16 ? 256 : 128) - 64);
	xc_rans_wavefront wavefront[WAYS];
	rooms room[WAYS];
	way c[WAYS];
#pragma GCC unroll 4
	for (int i = 0; i < ways; i++) {
		wavefront[i].tables = tables;
		c[i].wavefront = &wavefront[i];
		c[i].valid = 0;
#pragma GCC unroll 4
		for (int k = 0; k < ABREAST; k++) {
			const int n = i * ABREAST + k, of = n < count ? n : 0;
			c[i].symbols[k] = (uint8_t *)blocks[of] + symbols;
			c[i].valid |= (begin(&c[i], k, &room[i], shape, data[of], size[of]) & (n < count)) << k;
		}
	}
	decode_ways(c, shape, ways);
#pragma GCC unroll 4
	for (int i = 0; i < ways; i++)
#pragma GCC unroll 4
		for (int k = 0; k < ABREAST; k++)
			if (i * ABREAST + k < count) {
				const int n = i * ABREAST + k;
				good[n] = finish(&c[i], k, data[n] + size[n], shape, blocks[n], depth16);
			}
}

XC_RANS_INLINE void decode(const xc_rans_tables *tables, const xc_rans_shape *shape, int count,
                           const uint8_t *const *data, const size_t *size, void *const *blocks,
                           int *good, const int depth16)
{
	while (count > 0) {
		const int max = WAYS * ABREAST, n = count < max ? count : max;
		if (n > ABREAST)
			decode_some(tables, shape, n, data, size, blocks, good, WAYS, depth16);
		else
			decode_some(tables, shape, n, data, size, blocks, good, 1, depth16);
		data += n;
		size += n;
		blocks += n;
		good += n;
		count -= n;
	}
}

void XC_RANS_OF(decode16)(const xc_rans_tables *tables, const xc_rans_shape *shape, int count,
                          const uint8_t *const *data, const size_t *size, void *const *blocks,
                          int *good)
{
	decode(tables, shape, count, data, size, blocks, good, 0);
}

void XC_RANS_OF(decode32)(const xc_rans_tables *tables, const xc_rans_shape *shape, int count,
                          const uint8_t *const *data, const size_t *size, void *const *blocks,
                          int *good)
{
	decode(tables, shape, count, data, size, blocks, good, 1);
}
