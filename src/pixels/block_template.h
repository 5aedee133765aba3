/* SPDX-License-Identifier: BSD-2-Clause */
/* Planes to coefficients, coefficients to planes, and the steps between blocks, for one SIMD level:
 * a part of kernels_level.c. */
#ifndef XC_SRC_PIXELS_BLOCK_TEMPLATE_H
#define XC_SRC_PIXELS_BLOCK_TEMPLATE_H

#include "src/pixels/kernels.h"
#include "src/pixels/vec.h"

#define XC_V vf
#include "transform/lapped8.h"

/* A step on 8 values, in place, in each lane. */
typedef void step8(vf x[8]);

/* Stores a vector, or only its first eight columns. */
V_INLINE void store_columns(float *to, vf v, int whole)
{
	if (XC_LANES <= 8 || whole)
		v_store(to, v);
	else
		memcpy(to, &v, 32);
}

/* Loads 8 rows of V_BLOCKS blocks in the order of v_transpose8(). */
V_INLINE void load_blocks(const float *plane, size_t stride, vf r[8 * V_GROUPS])
{
	for (size_t g = 0; g < V_GROUPS; g++)
		for (size_t y = 0; y < 8; y++)
			r[g * 8 + y] = v_load(plane + y * stride + g * XC_LANES);
}

/* whole: all blocks, otherwise only the first one. */
V_INLINE void store_blocks(float *plane, size_t stride, const vf r[8 * V_GROUPS], int whole)
{
	for (size_t g = 0; g < V_GROUPS; g++)
		for (size_t y = 0; y < 8; y++)
			store_columns(plane + y * stride + g * XC_LANES, r[g * 8 + y], whole);
}

V_INLINE void step_blocks(vf r[8 * V_GROUPS], step8 *step)
{
	for (int g = 0; g < V_GROUPS; g++)
		step(r + g * 8);
}

/* ------------------------------------------------------------- edge steps */

/* May read, but not write, up to a vector past the last column. */
V_INLINE void step_rows(float *above, float *below, size_t stride, size_t columns, step8 *step)
{
	for (size_t i = 0; i < columns; i += XC_LANES) {
		const int whole = columns - i >= XC_LANES;
		vf x[8];
		for (size_t y = 0; y < 4; y++) {
			x[y] = v_load(above + y * stride + i);
			x[4 + y] = v_load(below + y * stride + i);
		}
		step(x);
		for (size_t y = 0; y < 4; y++) {
			store_columns(above + y * stride + i, x[y], whole);
			store_columns(below + y * stride + i, x[4 + y], whole);
		}
	}
}

V_INLINE void step_sides(float *plane, size_t stride, size_t edges, step8 *step)
{
	for (size_t i = 0; i < edges; i += V_BLOCKS) {
		vf r[8 * V_GROUPS];
		load_blocks(plane + i * 8, stride, r);
		v_transpose8(r);
		step_blocks(r, step);
		v_transpose8(r);
		store_blocks(plane + i * 8, stride, r, edges - i >= V_BLOCKS);
	}
}

/* ------------------------------------------------ planes to coefficients */

/* Eight table entries, once for each block in a vector. */
V_INLINE vf load_table(const float *table)
{
#if XC_LANES <= 8
	return v_load(table);
#elif defined __AVX512DQ__
	return (vf)_mm512_broadcast_f32x8(_mm256_loadu_ps(table));
#else
#error "no broadcast of half a vector"
#endif
}

/* Stores a row of coefficients or, with 16 lanes, that row of one or two blocks. */
#if XC_LANES <= 8
V_INLINE void store_row16(int16_t *out, vi v, size_t blocks)
{
	(void)blocks;
	v_store16(out, v);
}
V_INLINE void store_row32(int32_t *out, vi v, size_t blocks)
{
	(void)blocks;
	memcpy(out, &v, sizeof v);
}
#else
V_INLINE void store_row16(int16_t *out, vi v, size_t blocks)
{
	const __m256i n = _mm512_cvtepi32_epi16((__m512i)v);

	_mm_storeu_si128((void *)out, _mm256_castsi256_si128(n));
	if (blocks > 1)
		_mm_storeu_si128((void *)(out + 64), _mm256_extracti128_si256(n, 1));
}
V_INLINE void store_row32(int32_t *out, vi v, size_t blocks)
{
	_mm256_storeu_si256((void *)out, _mm512_castsi512_si256((__m512i)v));
	if (blocks > 1)
		_mm256_storeu_si256((void *)(out + 64), _mm512_extracti64x4_epi64((__m512i)v, 1));
}
#endif

/* The index of the row that vector j of these blocks holds. */
V_INLINE size_t row_at(size_t block, size_t j)
{
	return block * 64 + j % 8 * 8 + j / 8 * XC_LANES;
}

/* depth16: coefficients are int32_t, else int16_t. src/encode/plan.c says how large they may be. */
V_INLINE vi quantize(vf row, const float *table, size_t j, int depth16)
{
	const vf x = row * load_table(table + j % 8 * 8 + j / 8 * XC_LANES);
	return depth16 ? v_round_depth16(x) : v_round(x);
}

V_INLINE void store_quantized(void *out, size_t at, int depth16, vi q, size_t blocks)
{
	if (depth16)
		store_row32((int32_t *)out + at, q, blocks);
	else
		store_row16((int16_t *)out + at, q, blocks);
}

V_INLINE void transform_blocks(const float *plane, size_t stride, vf r[8 * V_GROUPS], step8 *step)
{
	load_blocks(plane, stride, r);
	step_blocks(r, step);
	v_transpose8(r);
	step_blocks(r, step);
}

V_INLINE void forward(const float *plane, size_t stride, const float *table, size_t blocks,
                      int depth16, void *out, step8 *step)
{
	for (size_t i = 0; i < blocks; i += V_BLOCKS) {
		vf r[8 * V_GROUPS];
		vi q[8 * V_GROUPS];
		transform_blocks(plane + i * 8, stride, r, step);
		for (size_t j = 0; j < 8 * V_GROUPS; j++)
			q[j] = quantize(r[j], table, j, depth16);
		for (size_t j = 0; j < 8 * V_GROUPS; j++)
			store_quantized(out, row_at(i, j), depth16, q[j], blocks - i);
	}
}

/* Floats are stored bit by bit like int32_t. */
V_INLINE void forward_exact(const float *plane, size_t stride, size_t blocks, float *out,
                            step8 *step)
{
	for (size_t i = 0; i < blocks; i += V_BLOCKS) {
		vf r[8 * V_GROUPS];
		transform_blocks(plane + i * 8, stride, r, step);
		for (size_t j = 0; j < 8 * V_GROUPS; j++) {
			vi bits;
			memcpy(&bits, &r[j], sizeof bits);
			store_row32((int32_t *)(void *)out + row_at(i, j), bits, blocks - i);
		}
	}
}

/* ------------------------------------------------ coefficients to planes */

/* Loads lanes of one row of coefficients or, with 16 lanes, that row of two blocks (the first one
 * twice if there is only one). */
#if XC_LANES <= 8
V_INLINE vi load_row16(const int16_t *in, int whole)
{
	(void)whole;
	return v_load16(in);
}
V_INLINE vi load_row32(const int32_t *in, int whole)
{
	(void)whole;
	return v_load32(in);
}
#else
V_INLINE vi load_row16(const int16_t *in, int whole)
{
	const __m128i a = _mm_loadu_si128((const void *)in);
	const __m128i b = _mm_loadu_si128((const void *)(in + (whole ? 64 : 0)));
	return (vi)_mm512_cvtepi16_epi32(_mm256_inserti128_si256(_mm256_castsi128_si256(a), b, 1));
}
V_INLINE vi load_row32(const int32_t *in, int whole)
{
	const __m256i a = _mm256_loadu_si256((const void *)in);
	const __m256i b = _mm256_loadu_si256((const void *)(in + (whole ? 64 : 0)));
	return (vi)_mm512_inserti64x4(_mm512_castsi256_si512(a), b, 1);
}
#endif

V_INLINE void quantize_cached(const float *in, const float *table, size_t blocks, int depth16,
                              void *out)
{
	for (size_t i = 0; i < blocks; i += V_BLOCKS)
		for (size_t j = 0; j < 8 * V_GROUPS; j++) {
			const vi bits = load_row32((const int32_t *)(const void *)in + row_at(i, j),
			                           blocks - i >= V_BLOCKS);
			vf row;
			memcpy(&row, &bits, sizeof row);
			store_quantized(out, row_at(i, j), depth16, quantize(row, table, j, depth16),
			                blocks - i);
		}
}

static void quantize16(const float *in, const float table[64], size_t blocks, int16_t *out)
{
	quantize_cached(in, table, blocks, 0, out);
}

static void quantize32(const float *in, const float table[64], size_t blocks, int32_t *out)
{
	quantize_cached(in, table, blocks, 1, out);
}

/* The first row of coefficients without the DC of each block. */
V_INLINE vi without_dc(vi row)
{
#if XC_LANES == 1
	return row & 0;
#else
	vi mask = (vi){0} - 1;
	mask[0] = 0;
#if XC_LANES == 16
	mask[8] = 0;
#endif
	return row & mask;
#endif
}

/* 1: all coefficients but the DC are zero. */
V_INLINE int only_dc(const vi q[8 * V_GROUPS])
{
	vi ac = without_dc(q[0]);

	for (int j = 1; j < 8 * V_GROUPS; j++)
		ac |= q[j];
	return !v_any(ac);
}

V_INLINE void fill_block(float *plane, size_t stride, float value)
{
	for (size_t y = 0; y < 8; y++)
		for (size_t x = 0; x < 8; x++)
			plane[y * stride + x] = value;
}

/* Each step transforms V_BLOCKS blocks from `in` + i * 64 to `plane` + i * 8; a last single block
 * is loaded twice and stored once, so nothing past `blocks` is touched. flat: a block with only a
 * DC is filled with one value, because both passes of the transform copy it exactly. */
V_INLINE void inverse(const void *in, int depth16, const float *table, size_t blocks, float *plane,
                      size_t stride, int flat, step8 *step)
{
	for (size_t i = 0; i < blocks; i += V_BLOCKS) {
		const int whole = blocks - i >= V_BLOCKS;
		const int16_t *narrow = (const int16_t *)in + i * 64;
		const int32_t *wide = (const int32_t *)in + i * 64;
		float *out = plane + i * 8;
		vi q[8 * V_GROUPS];
		vf r[8 * V_GROUPS];
		for (size_t j = 0; j < 8 * V_GROUPS; j++) {
			const size_t at = j % 8 * 8 + j / 8 * XC_LANES;
			q[j] = depth16 ? load_row32(wide + at, whole) : load_row16(narrow + at, whole);
		}
		if (flat && only_dc(q)) {
			fill_block(out, stride, (float)(depth16 ? wide[0] : narrow[0]) * table[0]);
			if (V_BLOCKS > 1 && whole)
				fill_block(out + 8, stride, (float)(depth16 ? wide[64] : narrow[64]) * table[0]);
			continue;
		}
		for (size_t j = 0; j < 8 * V_GROUPS; j++)
			r[j] = V_CONVERT(vf, q[j]) * load_table(table + j % 8 * 8 + j / 8 * XC_LANES);
		step_blocks(r, step);
		v_transpose8(r);
		step_blocks(r, step);
		store_blocks(out, stride, r, whole);
	}
}

/* ------------------------------------------------------------- the tables */

#define DEFINE_EDGES(name) \
	static void name##_forward_rows(float *above, float *below, size_t stride, size_t columns) \
	{ \
		step_rows(above, below, stride, columns, xc_##name##8_forward_edge); \
	} \
	static void name##_inverse_rows(float *above, float *below, size_t stride, size_t columns) \
	{ \
		step_rows(above, below, stride, columns, xc_##name##8_inverse_edge); \
	} \
	static void name##_forward_sides(float *samples, size_t stride, size_t edges) \
	{ \
		step_sides(samples, stride, edges, xc_##name##8_forward_edge); \
	} \
	static void name##_inverse_sides(float *samples, size_t stride, size_t edges) \
	{ \
		step_sides(samples, stride, edges, xc_##name##8_inverse_edge); \
	}

#define DEFINE_BLOCKS(name, bits, flat, forward_step, inverse_step) \
	static void name##_forward##bits(const float *plane, size_t stride, const float table[64], \
	                                 size_t blocks, int##bits##_t *out) \
	{ \
		forward(plane, stride, table, blocks, bits == 32, out, forward_step); \
	} \
	static void name##_inverse##bits(const int##bits##_t *in, const float table[64], \
	                                 size_t blocks, float *plane, size_t stride) \
	{ \
		inverse(in, bits == 32, table, blocks, plane, stride, flat, inverse_step); \
	}

#define DEFINE_EXACT(name, forward_step) \
	static void name##_forward_exact(const float *plane, size_t stride, size_t blocks, float *out) \
	{ \
		forward_exact(plane, stride, blocks, out, forward_step); \
	}

/* Stored samples take no step. */
V_INLINE void no_step(vf x[8])
{
	(void)x;
}

DEFINE_EXACT(none, no_step)
DEFINE_BLOCKS(none, 16, 0, no_step, no_step)
DEFINE_BLOCKS(none, 32, 0, no_step, no_step)
DEFINE_EXACT(dct, xc_dct8_forward)
DEFINE_EXACT(lot, xc_lot8_forward_block)
DEFINE_EDGES(lot)
DEFINE_EDGES(tdlt)
DEFINE_BLOCKS(dct, 16, 1, xc_dct8_forward, xc_dct8_inverse)
DEFINE_BLOCKS(dct, 32, 1, xc_dct8_forward, xc_dct8_inverse)
DEFINE_BLOCKS(lot, 16, 0, xc_lot8_forward_block, xc_lot8_inverse_block)
DEFINE_BLOCKS(lot, 32, 0, xc_lot8_forward_block, xc_lot8_inverse_block)

#define EDGES(name) \
	.forward_rows = XC_OF_ENCODER(name##_forward_rows), \
	.forward_sides = XC_OF_ENCODER(name##_forward_sides), .inverse_rows = name##_inverse_rows, \
	.inverse_sides = name##_inverse_sides
#define BLOCKS(name) \
	.forward16 = XC_OF_ENCODER(name##_forward16), .forward32 = XC_OF_ENCODER(name##_forward32), \
	.forward_exact = XC_OF_ENCODER(name##_forward_exact), .inverse16 = name##_inverse16, \
	.inverse32 = name##_inverse32

static const xc_transform_kernels dct_kernels = {BLOCKS(dct)};
static const xc_transform_kernels lot_kernels = {EDGES(lot), BLOCKS(lot)};
static const xc_transform_kernels tdlt_kernels = {EDGES(tdlt), BLOCKS(dct)};
static const xc_transform_kernels none_kernels = {BLOCKS(none)};

#endif
