/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The walk through the blocks of a segment, sixteen at a time, with the contexts of their
 * symbols.  Coder and decoder take the same walk.  The decoder may take two segments at once: it sets
 * XC_RANS_ABREAST to 2, and lane i of segment s is then number 2 i + s of a vector.
 */
#ifndef XC_ENTROPY_RANS_LANES_H
#define XC_ENTROPY_RANS_LANES_H

#include <string.h>

#include "entropy/rans/model.h"
#include "entropy/rans/rans.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

#define XC_RANS_INLINE static inline __attribute__((always_inline, unused))

#ifndef XC_RANS_ABREAST
#define XC_RANS_ABREAST 1
#endif

/* A number of each lane.  Vectors are those of GCC and clang, for any processor. */
typedef uint16_t xc_v16 __attribute__((vector_size(32 * XC_RANS_ABREAST)));
typedef uint8_t xc_v16b __attribute__((vector_size(16 * XC_RANS_ABREAST)));

/* Symbols of a block of each lane, by place; then zeros for XC_RANS_NOWHERE; then the sums of the
 * symbols of each group.  A lane without a block has zeros. */
enum { XC_RANS_SUMS = XC_RANS_NOWHERE + 1, XC_RANS_ROWS = XC_RANS_SUMS + XC_RANS_GROUPS };

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

/* All ones in the numbers of a mask. */
XC_RANS_INLINE xc_v16 lanes_of(uint32_t mask)
{
#if XC_RANS_ABREAST == 2
	return (xc_v16)_mm512_movm_epi16(mask);
#else
	return (xc_v16)((splat(mask) & lane_bits) != 0);
#endif
}

/* The numbers that are not 0. */
XC_RANS_INLINE uint32_t mask_of(xc_v16 v)
{
#if XC_RANS_ABREAST == 2
	return _mm512_test_epi16_mask((__m512i)v, (__m512i)v);
#elif defined __AVX512VBMI2__
	return _mm256_test_epi16_mask((__m256i)v, (__m256i)v);
#elif defined __AVX2__
	return _pext_u32((uint32_t)_mm256_movemask_epi8((__m256i)(v != 0)), 0x55555555);
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

XC_RANS_INLINE xc_v16 least(xc_v16 a, uint32_t b)
{
	const xc_v16 limit = splat(b);
#if XC_RANS_ABREAST == 2
	return (xc_v16)_mm512_min_epu16((__m512i)a, (__m512i)limit);
#elif defined __AVX2__
	return (xc_v16)_mm256_min_epu16((__m256i)a, (__m256i)limit);
#else
	return choose((xc_v16)(a < limit), a, limit);
#endif
}

/* A weight, in all lanes. */
XC_RANS_INLINE xc_v16 weight(const uint16_t w[XC_RANS_WIDEST])
{
	xc_v16 v;
	memcpy(&v, w, sizeof v);
	return v;
}

XC_RANS_INLINE xc_v16 bin_of(xc_v16 sum)
{
	return least(sum >> XC_RANS_EXPECT_SHIFT, XC_RANS_BINS - 1);
}

#if XC_RANS_ABREAST == 2
#include "entropy/rans/walk_two.h"
#else
#include "entropy/rans/walk.h"
#endif

/* The bin of a group's flag; first: the group's first position in the scan. */
XC_RANS_INLINE xc_v16 expect_flag(const xc_rans_walk *walk, int group, int first)
{
	const uint16_t(*w)[XC_RANS_WIDEST] = walk->tables->flag[walk->chroma][group];
	const xc_v16 *now = walk->now.at;
	xc_v16 sum = weight(w[5]) + least(left_sum(walk, group), 2) * weight(w[0]) +
	             least(up_sum(walk, group), 2) * weight(w[1]);
	if (group == 0) {
		sum += now[0] * weight(w[2]);
	} else {
		xc_v16 some = {0};
		for (int k = first - 5; k < first; k++)
			some -= (xc_v16)(now[walk->tables->look[k].place] != 0);
		sum += least(now[XC_RANS_SUMS + group - 1], 15) * weight(w[2]) + some * weight(w[3]);
	}
	if (group < XC_RANS_GROUPS - 1) {
		const xc_v16 next = left_sum(walk, group + 1) + up_sum(walk, group + 1);
		sum += least(next, 2) * weight(w[4]);
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

/* Rows of one half and of the other, byte by byte in turn. */
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
XC_RANS_INLINE uint8_t *block_of(const xc_rans_group *g, uint32_t lane, uint32_t step,
                                 uint8_t *symbols)
{
	return symbols + ((size_t)g->first[lane] + step - g->lag[lane]) * 64;
}

#if XC_RANS_ABREAST == 1

XC_RANS_INLINE void store_blocks(const xc_rans_column *now, const xc_rans_group *g, uint32_t step,
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

XC_RANS_INLINE void load_blocks(xc_rans_column *now, const xc_rans_group *g, uint32_t step,
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

/* The lanes whose first block is that of this step. */
XC_RANS_INLINE uint32_t beginning(const xc_rans_group *g, uint32_t step)
{
	uint32_t mask = 0;
	for (uint32_t i = 0; i < g->lanes; i++)
		mask |= (uint32_t)(g->lag[i] == step) << i;
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
