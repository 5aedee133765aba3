/* SPDX-License-Identifier: BSD-2-Clause */
/* The wavefront through the blocks of a segment, sixteen at a time, with the contexts of their
 * symbols. Coder and decoder take the same wavefront. The decoder may take two segments at once: it
 * sets XC_RANS_ABREAST to 2, and lane i of segment s is then number 2 i + s of a vector. */
#ifndef XC_ENTROPY_RANS_LANES_H
#define XC_ENTROPY_RANS_LANES_H

#include <string.h>

#include "entropy/rans/model.h"
#include "entropy/rans/rans.h"

#ifdef __AVX2__
#include <immintrin.h>
#elif defined __wasm_simd128__
#include <wasm_simd128.h>
#endif

#define XC_RANS_INLINE static inline __attribute__((always_inline, unused))

#ifndef XC_RANS_ABREAST
#define XC_RANS_ABREAST 1
#endif

/* A vector of a number for each lane, by the vector extension of GCC and clang. */
typedef uint16_t xc_v16 __attribute__((vector_size(32 * XC_RANS_ABREAST)));
typedef uint8_t xc_v16b __attribute__((vector_size(16 * XC_RANS_ABREAST)));

/* The symbols of a block of each lane, by index; then zeros for XC_RANS_NOWHERE; then the sums of
 * the symbols of each zone. A lane without a block has zeros. */
enum { XC_RANS_SUMS = XC_RANS_NOWHERE + 1, XC_RANS_ROWS = XC_RANS_SUMS + XC_RANS_ZONES };

typedef struct xc_rans_column {
	xc_v16 at[XC_RANS_ROWS];
} xc_rans_column;

XC_RANS_INLINE xc_v16 splat(uint32_t x)
{
	return (uint16_t)x - (xc_v16){0};
}

#if XC_RANS_ABREAST == 1
static const xc_v16 lane_bits = {1,       1 << 1,  1 << 2,  1 << 3, 1 << 4,  1 << 5,
                                 1 << 6,  1 << 7,  1 << 8,  1 << 9, 1 << 10, 1 << 11,
                                 1 << 12, 1 << 13, 1 << 14, 1 << 15};
#endif

#ifdef __wasm_simd128__
/* A vector of sixteen lanes as the two of eight that the instructions take. */
typedef struct lane_halves {
	v128_t of[2];
} lane_halves;

XC_RANS_INLINE lane_halves halves_of(xc_v16 v)
{
	lane_halves h;
	memcpy(&h, &v, sizeof h);
	return h;
}
#endif

/* All ones in the elements of a mask. */
XC_RANS_INLINE xc_v16 lanes_of(uint32_t mask)
{
#if XC_RANS_ABREAST == 2
	return (xc_v16)_mm512_movm_epi16(mask);
#else
	return (xc_v16)((splat(mask) & lane_bits) != 0);
#endif
}

/* A mask of the elements that are not 0. */
XC_RANS_INLINE uint32_t mask_of(xc_v16 v)
{
#if XC_RANS_ABREAST == 2
	return _mm512_test_epi16_mask((__m512i)v, (__m512i)v);
#elif defined __AVX512VBMI2__
	return _mm256_test_epi16_mask((__m256i)v, (__m256i)v);
#elif defined __AVX2__
	return _pext_u32((uint32_t)_mm256_movemask_epi8((__m256i)(v != 0)), 0x55555555);
#elif defined __wasm_simd128__
	const lane_halves h = halves_of((xc_v16)(v != 0));
	return wasm_i8x16_bitmask(wasm_i8x16_narrow_i16x8(h.of[0], h.of[1]));
#else
	const xc_v16 bits = lane_bits & (xc_v16)(v != 0);
	uint32_t mask = 0;
	for (int i = 0; i < XC_RANS_LANES; i++)
		mask |= bits[i];
	return mask;
#endif
}

XC_RANS_INLINE xc_v16 choose(xc_v16 where, xc_v16 a, xc_v16 b)
{
	return (a & where) | (b & ~where);
}

XC_RANS_INLINE xc_v16 min_v16(xc_v16 a, uint32_t b)
{
	const xc_v16 limit = splat(b);
#if XC_RANS_ABREAST == 2
	return (xc_v16)_mm512_min_epu16((__m512i)a, (__m512i)limit);
#elif defined __AVX2__
	return (xc_v16)_mm256_min_epu16((__m256i)a, (__m256i)limit);
#elif defined __wasm_simd128__
	const lane_halves h = halves_of(a), to = halves_of(limit);
	const lane_halves min = {
		{wasm_u16x8_min(h.of[0], to.of[0]), wasm_u16x8_min(h.of[1], to.of[1])}};
	xc_v16 v;
	memcpy(&v, &min, sizeof v);
	return v;
#else
	return choose((xc_v16)(a < limit), a, limit);
#endif
}

/* A weight, in all lanes. */
XC_RANS_INLINE xc_v16 weight(const uint16_t w[XC_RANS_WIDEST])
{
	xc_v16 v;
#ifdef __wasm_simd128__
	const v128_t half = wasm_v128_load(w);
	const lane_halves both = {{half, half}};
	memcpy(&v, &both, sizeof v);
#else
	memcpy(&v, w, sizeof v);
#endif
	return v;
}

XC_RANS_INLINE xc_v16 bin_of(xc_v16 sum)
{
	return min_v16(sum >> XC_RANS_EXPECT_SHIFT, XC_RANS_BINS - 1);
}

#if XC_RANS_ABREAST == 2

enum { POSITIONS = XC_RANS_NOWHERE + 1 };

/* Weights of two neighbours, as pairs of bytes, and of symbols of the same block. They are copied
 * here, because loads that cross a cache line take twice the time. */
typedef struct xc_rans_pairs {
	__m512i dc[3]; /* of the DC, and of two sums of positions after it */
	__m512i ac[XC_RANS_DIRECTIONS]
			  [3]; /* of a position, and of the positions to its right and below */
	xc_v16 own[XC_RANS_DIRECTIONS][5];
	xc_v16 after_dc[XC_RANS_DIRECTIONS];
} xc_rans_pairs;

/* The blocks being decoded and the neighbours that their contexts see. An element has two bytes,
 * the symbols to the left and above. If one neighbour does not exist, the other replaces it. */
typedef struct xc_rans_wavefront {
	xc_rans_column now;
	__m512i around[POSITIONS];
	xc_v16 left_sums[XC_RANS_ZONES], up_sums[XC_RANS_ZONES];
	xc_rans_pairs pairs;
	const xc_rans_tables *tables;
	int chroma;
} xc_rans_wavefront;

XC_RANS_INLINE xc_v16 left_sum(const xc_rans_wavefront *wavefront, int zone)
{
	return wavefront->left_sums[zone];
}

XC_RANS_INLINE xc_v16 up_sum(const xc_rans_wavefront *wavefront, int zone)
{
	return wavefront->up_sums[zone];
}

XC_RANS_INLINE __m512i pair_of(const uint16_t left[XC_RANS_WIDEST],
                               const uint16_t up[XC_RANS_WIDEST])
{
	return _mm512_set1_epi16((short)(left[0] | up[0] << 8));
}

XC_RANS_INLINE void wavefront_begin(xc_rans_wavefront *wavefront, int chroma)
{
	static const uint16_t none[XC_RANS_WIDEST] = {0};
	const uint16_t(*dc)[XC_RANS_WIDEST] = wavefront->tables->dc[chroma];
	xc_rans_pairs *p = &wavefront->pairs;

	wavefront->chroma = chroma;
	p->dc[0] = pair_of(dc[0], dc[3]);
	p->dc[1] = pair_of(dc[1], dc[4]);
	p->dc[2] = pair_of(dc[2], none);
	for (int d = 0; d < XC_RANS_DIRECTIONS; d++) {
		const uint16_t(*w)[XC_RANS_WIDEST] = wavefront->tables->ac[chroma][d];
		for (int i = 0; i < 3; i++)
			p->ac[d][i] = pair_of(w[5 + i], w[8 + i]);
		for (int i = 0; i < 5; i++)
			p->own[d][i] = weight(w[i]);
		p->after_dc[d] = weight(w[11]);
	}
}

/* The sum of two weighted neighbours. */
XC_RANS_INLINE xc_v16 weigh(__m512i pair, __m512i neighbours)
{
	return (xc_v16)_mm512_maddubs_epi16(pair, neighbours);
}

XC_RANS_INLINE xc_v16 expect_dc(const xc_rans_wavefront *wavefront)
{
	const xc_rans_template *tmpl = wavefront->tables->templates;
	const __m512i *around = wavefront->around, *w = wavefront->pairs.dc;
	const __m512i next = _mm512_add_epi8(around[tmpl[1].raster], around[tmpl[2].raster]);
	const __m512i others = _mm512_add_epi8(_mm512_add_epi8(around[tmpl[3].raster],
	                                                       around[tmpl[4].raster]),
	                                       around[tmpl[5].raster]);

	return bin_of(weight(wavefront->tables->dc[wavefront->chroma][5]) + weigh(w[0], around[0]) +
	              weigh(w[1], next) + weigh(w[2], others));
}

/* before: the symbol before this one in the scan. It is added last, because it was decoded last. */
XC_RANS_INLINE xc_v16 expect_after(const xc_rans_wavefront *wavefront, const xc_rans_template *tmpl,
                                   xc_v16 before)
{
	const xc_v16 *w = wavefront->pairs.own[tmpl->direction];
	const __m512i *around = wavefront->around, *pair = wavefront->pairs.ac[tmpl->direction];
	const xc_v16 *now = wavefront->now.at;
	xc_v16 sum = splat(tmpl->constant[wavefront->chroma]) + weigh(pair[0], around[tmpl->raster]);

	sum += weigh(pair[1], around[tmpl->beyond[0]]) + weigh(pair[2], around[tmpl->beyond[1]]);
	sum += now[tmpl->own[0]] * w[0] + now[tmpl->own[1]] * w[1];
	sum += now[tmpl->own[2]] * w[2] + now[tmpl->own[3]] * w[3];
	if (tmpl->dc == 0)
		sum += now[0] * wavefront->pairs.after_dc[tmpl->direction];
	return bin_of(sum + before * w[4]);
}

/* Moves all lanes by a column. first: lanes whose next block is the first of its row. */
XC_RANS_INLINE void wavefront_advance(xc_rans_wavefront *wavefront, uint32_t top, uint32_t first)
{
	const __m512i zero = _mm512_setzero_si512();
#pragma GCC unroll 4
	for (int i = 0; i < XC_RANS_ROWS; i++) {
		const __m512i own = (__m512i)wavefront->now.at[i];
		const __m512i above = _mm512_alignr_epi32(own, zero, 15);
		const __m512i up = _mm512_mask_mov_epi16(above, top, own);
		const __m512i left = _mm512_mask_mov_epi16(own, first, up);
		if (i < POSITIONS) {
			wavefront->around[i] = _mm512_or_si512(left, _mm512_slli_epi16(up, 8));
		} else {
			wavefront->left_sums[i - POSITIONS] = (xc_v16)left;
			wavefront->up_sums[i - POSITIONS] = (xc_v16)up;
		}
	}
}

#else

/* The blocks being coded and their neighbours. A missing one is replaced by the other. */
typedef struct xc_rans_wavefront {
	xc_rans_column now, left, up;
	const xc_rans_tables *tables;
	int chroma;
} xc_rans_wavefront;

/* Sums of the neighbours' symbols of a zone. */
XC_RANS_INLINE xc_v16 left_sum(const xc_rans_wavefront *wavefront, int zone)
{
	return wavefront->left.at[XC_RANS_SUMS + zone];
}

XC_RANS_INLINE xc_v16 up_sum(const xc_rans_wavefront *wavefront, int zone)
{
	return wavefront->up.at[XC_RANS_SUMS + zone];
}

XC_RANS_INLINE void wavefront_begin(xc_rans_wavefront *wavefront, int chroma)
{
	wavefront->chroma = chroma;
}

XC_RANS_INLINE xc_v16 expect_dc(const xc_rans_wavefront *wavefront)
{
	const uint16_t(*w)[XC_RANS_WIDEST] = wavefront->tables->dc[wavefront->chroma];
	const xc_rans_template *tmpl = wavefront->tables->templates;
	const xc_v16 *left = wavefront->left.at, *up = wavefront->up.at;
	xc_v16 sum = weight(w[5]) + left[0] * weight(w[0]) + up[0] * weight(w[3]);

	sum += (left[tmpl[1].raster] + left[tmpl[2].raster]) * weight(w[1]);
	sum += (left[tmpl[3].raster] + left[tmpl[4].raster] + left[tmpl[5].raster]) * weight(w[2]);
	sum += (up[tmpl[1].raster] + up[tmpl[2].raster]) * weight(w[4]);
	return bin_of(sum);
}

/* before: the symbol before this one in the scan. It is added last, because it was decoded last. */
XC_RANS_INLINE xc_v16 expect_after(const xc_rans_wavefront *wavefront, const xc_rans_template *tmpl,
                                   xc_v16 before)
{
	const uint16_t(*w)[XC_RANS_WIDEST] = wavefront->tables->ac[wavefront->chroma][tmpl->direction];
	const xc_v16 *now = wavefront->now.at, *left = wavefront->left.at, *up = wavefront->up.at;
	xc_v16 sum = splat(tmpl->constant[wavefront->chroma]) + left[tmpl->raster] * weight(w[5]) +
	             up[tmpl->raster] * weight(w[8]);

	sum += left[tmpl->beyond[0]] * weight(w[6]) + left[tmpl->beyond[1]] * weight(w[7]);
	sum += up[tmpl->beyond[0]] * weight(w[9]) + up[tmpl->beyond[1]] * weight(w[10]);
	sum += now[tmpl->own[0]] * weight(w[0]) + now[tmpl->own[1]] * weight(w[1]);
	sum += now[tmpl->own[2]] * weight(w[2]) + now[tmpl->own[3]] * weight(w[3]);
	if (tmpl->dc == 0)
		sum += now[0] * weight(w[11]);
	return bin_of(sum + before * weight(w[4]));
}

XC_RANS_INLINE xc_v16 expect_ac(const xc_rans_wavefront *wavefront, const xc_rans_template *tmpl)
{
	return expect_after(wavefront, tmpl, wavefront->now.at[tmpl->own[4]]);
}

/* Moves all lanes by a column. first: lanes whose next block is the first of its row. */
XC_RANS_INLINE void wavefront_advance(xc_rans_wavefront *wavefront, uint32_t top_lanes,
                                      uint32_t first_lanes)
{
	const xc_v16 top = lanes_of(top_lanes), first = lanes_of(first_lanes);

	for (int i = 0; i < XC_RANS_ROWS; i++) {
		const xc_v16 own = wavefront->now.at[i], zero = {0};
		const xc_v16 above = __builtin_shufflevector(own, zero, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
		                                             10, 11, 12, 13, 14);
		const xc_v16 up = choose(top, own, above);
		wavefront->up.at[i] = up;
		wavefront->left.at[i] = choose(first, up, own);
	}
}

#endif

/* The bin of a zone's flag; first: the zone's first position in the scan. */
XC_RANS_INLINE xc_v16 expect_flag(const xc_rans_wavefront *wavefront, int zone, int first)
{
	const uint16_t(*w)[XC_RANS_WIDEST] = wavefront->tables->flag[wavefront->chroma][zone];
	const xc_v16 *now = wavefront->now.at;
	xc_v16 sum = weight(w[5]) + min_v16(left_sum(wavefront, zone), 2) * weight(w[0]) +
	             min_v16(up_sum(wavefront, zone), 2) * weight(w[1]);

	if (zone == 0) {
		sum += now[0] * weight(w[2]);
	} else {
		xc_v16 some = {0};
		for (int k = first - 5; k < first; k++)
			some -= (xc_v16)(now[wavefront->tables->templates[k].raster] != 0);
		sum += min_v16(now[XC_RANS_SUMS + zone - 1], 15) * weight(w[2]) + some * weight(w[3]);
	}
	if (zone < XC_RANS_ZONES - 1) {
		const xc_v16 next = left_sum(wavefront, zone + 1) + up_sum(wavefront, zone + 1);
		sum += min_v16(next, 2) * weight(w[4]);
	}
	return bin_of(sum);
}

#if XC_RANS_ABREAST == 1

/* The levels of bins. */
#ifdef __AVX512VBMI2__

XC_RANS_INLINE __m512i wide(xc_v16 v)
{
	return _mm512_castsi256_si512((__m256i)v);
}

XC_RANS_INLINE xc_v16 levels_at(const xc_rans_set *set, xc_v16 bin)
{
	const __m512i levels = _mm512_loadu_si512(set->level);
	return (xc_v16)_mm512_castsi512_si256(
		_mm512_maskz_permutexvar_epi8(0x5555555555555555, wide(bin), levels));
}

#else

XC_RANS_INLINE xc_v16 levels_at(const xc_rans_set *set, xc_v16 bin)
{
	xc_v16 level;

	for (int i = 0; i < XC_RANS_LANES; i++)
		level[i] = set->level[bin[i]];
	return level;
}

#endif

/* Interleaves the bytes of the first and of the second half of the rows. */
XC_RANS_INLINE void interleave(const xc_v16b in[16], xc_v16b out[16])
{
#pragma GCC unroll 8
	for (int i = 0; i < 8; i++) {
		out[2 * i] = __builtin_shufflevector(in[i], in[i + 8], 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5,
		                                     21, 6, 22, 7, 23);
		out[2 * i + 1] = __builtin_shufflevector(in[i], in[i + 8], 8, 24, 9, 25, 10, 26, 11, 27, 12,
		                                         28, 13, 29, 14, 30, 15, 31);
	}
}

/* Turns 16 rows of 16 bytes into columns. */
XC_RANS_INLINE void transpose(xc_v16b row[16])
{
	xc_v16b other[16];

	interleave(row, other);
	interleave(other, row);
	interleave(row, other);
	interleave(other, row);
}

#endif

/* The symbols of a lane's block at a step. */
XC_RANS_INLINE uint8_t *block_of(const xc_rans_zone *g, uint32_t lane, uint32_t step,
                                 uint8_t *symbols)
{
	return symbols + ((size_t)g->first[lane] + step - g->offset[lane]) * 64;
}

#if XC_RANS_ABREAST == 1

XC_RANS_INLINE void store_blocks(const xc_rans_column *now, const xc_rans_zone *g, uint32_t step,
                                 uint32_t active, uint8_t *symbols)
{
	for (int part = 0; part < 64; part += 16) {
		xc_v16b row[16];
#pragma GCC unroll 16
		for (int i = 0; i < 16; i++)
			row[i] = __builtin_convertvector(now->at[part + i], xc_v16b);
		transpose(row);
		for (uint32_t lanes = active; lanes; lanes &= lanes - 1) {
			const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
			memcpy(block_of(g, lane, step, symbols) + part, &row[lane], 16);
		}
	}
}

XC_RANS_INLINE void load_blocks(xc_rans_column *now, const xc_rans_zone *g, uint32_t step,
                                uint32_t active, uint8_t *symbols)
{
	for (int part = 0; part < 64; part += 16) {
		xc_v16b row[16] = {{0}};
		for (uint32_t lanes = active; lanes; lanes &= lanes - 1) {
			const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
			memcpy(&row[lane], block_of(g, lane, step, symbols) + part, 16);
		}
		transpose(row);
#pragma GCC unroll 16
		for (int i = 0; i < 16; i++)
			now->at[part + i] = __builtin_convertvector(row[i], xc_v16);
	}
}

#endif

/* The lanes that begin at this step. */
XC_RANS_INLINE uint32_t beginning(const xc_rans_zone *g, uint32_t step)
{
	uint32_t mask = 0;

	for (uint32_t i = 0; i < g->lanes; i++)
		mask |= (uint32_t)(g->offset[i] == step) << i;
	return mask;
}

/* The lanes that a segment uses. */
XC_RANS_INLINE uint32_t lanes_used(const xc_rans_shape *shape)
{
	uint32_t rows = shape->high[0];

	if (shape->components > 1 && 2 * shape->high[1] > rows)
		rows = 2 * shape->high[1];
	return rows < XC_RANS_LANES ? rows : XC_RANS_LANES;
}

#endif
