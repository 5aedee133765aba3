/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One lane of a segment of the rANS mode: a row of blocks, whose symbols it decodes while others
 * decode theirs (doc/format.md, 5.12.4). Half a warp has the sixteen lanes of a segment, and each
 * lane a column of symbols (gpu/decode/rans/columns.h).
 */
#ifndef XC_GPU_DECODE_RANS_LANE_H
#define XC_GPU_DECODE_RANS_LANE_H

#include "gpu/decode/bits.h"
#include "gpu/decode/job.h"
#include "gpu/decode/rans/tables.h"
#include "gpu/runtime/warp.h"

enum {
	/* Bytes of a segment that are at hand, a power of two; how many a zone of positions can need,
	 * with the DC and the flag before it; and how many come at once. */
	XC_GPU_RING = 2048,
	XC_GPU_RING_NEEDED = 2 * XC_RANS_LANES * 38,
	XC_GPU_RING_PIECE = 8 * XC_RANS_LANES
};

/* A warp's memory. */
typedef struct xc_gpu_rans_memory {
	xc_gpu_columns columns;
	uint32_t ring[2][XC_GPU_RING / 4]; /* byte i of a segment is byte i % XC_GPU_RING */
} xc_gpu_rans_memory;

typedef struct xc_gpu_rans_lane {
	/* The segment. */
	xc_gpu_bits bits;
	uint32_t at, size; /* the next word; all bytes */
	uint32_t filled;   /* up to which byte they are in the ring */
	uint32_t *ring;
	uint32_t valid;            /* 1: the segment can be decoded */
	uint32_t half, lower, bit; /* its lanes, those of them below this one, this one, as masks */
	uint32_t wide[2], high[2]; /* blocks of luma and of a component of chroma */
	uint32_t *out;             /* symbols of the first block of the segment whose words it packs */
	uint32_t set;              /* its tables, among those in shared memory */
	/* The row of blocks. */
	uint32_t columns, offset, top, listed, block;
	/* The block. */
	uint8_t *own;                      /* column */
	const uint8_t *left, *up;          /* those of its neighbours */
	uint32_t active, coded;            /* coded: it has symbols in this zone */
	uint32_t sums, sums_left, sums_up; /* sums of zones of neighbours, at most 2, two bits each */
	uint32_t part, previous, sum;      /* of what is expected; the last symbol; those of the zone */
	uint8_t *to;                       /* where the next symbol goes */
	/* The symbol. */
	uint32_t state, next, symbol; /* next: the state that the symbol leads to */
} xc_gpu_rans_lane;

/* ---------------------------------------------------------------- what GPUs have */

/* The least, or the largest, of a + b and c, in both halves of words. */
XC_GPU_INLINE uint32_t xc_gpu_add_min(uint32_t a, uint32_t b, uint32_t c)
{
#if defined __CUDA_ARCH__ && __CUDACC_VER_MAJOR__ < 12
	return __vminu2(__vadd2(a, b), c);
#elif defined __CUDA_ARCH__
	return __viaddmin_u16x2(a, b, c);
#else
	const uint16_t low = (uint16_t)(a + b), high = (uint16_t)((a >> 16) + (b >> 16));
	const uint16_t l = (uint16_t)c, h = (uint16_t)(c >> 16);
	return (uint32_t)(low < l ? low : l) | (uint32_t)(high < h ? high : h) << 16;
#endif
}

XC_GPU_INLINE uint32_t xc_gpu_add_max(uint32_t a, uint32_t b, uint32_t c)
{
#if defined __CUDA_ARCH__ && __CUDACC_VER_MAJOR__ < 12
	return __vmaxu2(__vadd2(a, b), c);
#elif defined __CUDA_ARCH__
	return __viaddmax_u16x2(a, b, c);
#else
	const uint16_t low = (uint16_t)(a + b), high = (uint16_t)((a >> 16) + (b >> 16));
	const uint16_t l = (uint16_t)c, h = (uint16_t)(c >> 16);
	return (uint32_t)(low > l ? low : l) | (uint32_t)(high > h ? high : h) << 16;
#endif
}

/* Four words from 16 bytes. */
XC_GPU_INLINE void xc_gpu_load_words(const uint32_t *from, uint32_t word[4])
{
#ifdef __CUDA_ARCH__
	const uint4 g = *(const uint4 *)from;
	word[0] = g.x, word[1] = g.y, word[2] = g.z, word[3] = g.w;
#else
	XC_GPU_ALIGNED(from, 16);
	for (int i = 0; i < 4; i++)
		word[i] = from[i];
#endif
}

/* Two words from 8 bytes. */
XC_GPU_INLINE void xc_gpu_load_two(const uint32_t *from, uint32_t word[2])
{
#ifdef __CUDA_ARCH__
	const uint2 g = *(const uint2 *)from;
	word[0] = g.x, word[1] = g.y;
#else
	XC_GPU_ALIGNED(from, 8);
	word[0] = from[0], word[1] = from[1];
#endif
}

/* -------------------------------------------------------------------- symbols */

/* Finds the symbol of the state among those up to 2 `words`, a constant: 2, 4 or 8. If it finds
 * symbol 4 or 8 with as many words, that may be a larger one, and `next` is undefined.
 *
 * For all symbols at once: how far the slot is from the symbol's least one, times 16, plus 15 less
 * the symbol. The smallest number is that of the symbol, the largest, which wrapped around, that of
 * the one after it. Both begin as those of symbol 0 and of the end of all slots. In the end they
 * are in the upper half of a word, where comparing does not depend on the lower one. */
XC_GPU_INLINE void xc_gpu_find_symbol(xc_gpu_rans_lane *l, const xc_gpu_rans_rows *rows,
                                      uint32_t expected, uint32_t words)
{
	const uint32_t bin = xc_gpu_rans_bin(expected), slot = l->state % XC_RANS_ONE;
	const uint32_t whole = 0x100010u * slot + 0xf000fu;
	uint32_t w[8], low = whole, high = whole;

	xc_gpu_load_two(rows->first[bin], w);
	if (words > 2)
		xc_gpu_load_two(rows->second[bin], w + 2);
	if (words > 4)
		xc_gpu_load_words(rows->last[bin], w + 4);
	XC_UNROLL
	for (uint32_t i = 0; i < words; i++) {
		low = xc_gpu_add_min(w[i], whole, low);
		high = xc_gpu_add_max(w[i], whole, high);
	}
	const uint32_t low2 = 0x10000u * low, high2 = 0x10000u * high;
	low = low < low2 ? low : low2;
	high = high > high2 ? high : high2;
	const uint32_t below = low >> 20, above = XC_RANS_ONE - (high >> 20);
	l->symbol = ~(low >> 16) & 15;
	l->next = (below + above) * (l->state >> XC_RANS_BITS) + below;
}

XC_GPU_INLINE void xc_gpu_find_flag(xc_gpu_rans_lane *l, const uint16_t *zeros, uint32_t sum)
{
	const uint32_t zero = zeros[xc_gpu_rans_bin(sum << 16)], slot = l->state % XC_RANS_ONE;
	const uint32_t first = slot >= zero ? zero : 0;
	const uint32_t frequency = slot >= zero ? XC_RANS_ONE - zero : zero;

	l->symbol = slot >= zero;
	l->next = frequency * (l->state >> XC_RANS_BITS) + slot - first;
}

/* 1: the next state needs a word. */
XC_GPU_INLINE uint32_t xc_gpu_needs_word(const xc_gpu_rans_lane *l)
{
	return l->next < 1u << XC_RANS_STATE_BITS;
}

/* Bytes i to i + 3 of the segment, the first one lowest; i is a multiple of 4. What follows the end
 * does not matter: the segment is damaged. */
XC_GPU_INLINE uint32_t xc_gpu_segment_word(const xc_gpu_rans_lane *l, uint32_t i)
{
	const uint32_t first = xc_gpu_min(i / 4, l->bits.last);
	const uint32_t second = xc_gpu_min(i / 4 + 1, l->bits.last);
	const uint32_t low = l->bits.words[first], high = l->bits.words[second];
#ifdef __CUDA_ARCH__
	return __funnelshift_r(low, high, l->bits.begin);
#else
	return l->bits.begin ? low >> l->bits.begin | high << (32 - l->bits.begin) : low;
#endif
}

/* Takes the symbol, if `coded` is 1; need: lanes that need a word, the same in all. Each lane loads
 * one then, so that none goes another way. */
XC_GPU_INLINE void xc_gpu_take_word(xc_gpu_rans_lane *l, uint32_t coded, uint32_t need)
{
	l->state = coded ? l->next : l->state;
	if (!need)
		return;
	const uint32_t rank = xc_gpu_count_bits(need & l->lower);
	const uint32_t at = (l->at + 2 * rank) & (XC_GPU_RING - 1);
	const uint16_t *from = (const uint16_t *)(const void *)((const char *)l->ring + at);
	XC_GPU_SHARED(from);
	const uint32_t word = *from;
	l->state = need & l->bit ? l->next << 16 | word : l->state;
	l->at += 2 * xc_gpu_count_bits(need & l->half);
}

/* ----------------------------------------------------- what is expected of a symbol */

XC_GPU_INLINE uint32_t xc_gpu_expect_dc(const xc_gpu_rans_lane *l,
                                        const uint32_t w[XC_RANS_DC_WEIGHTS])
{
	uint32_t a[6], b[6];

	XC_UNROLL
	for (uint32_t k = 0; k < 6; k++) {
		a[k] = l->left[xc_gpu_column_of(k)];
		b[k] = k < 3 ? l->up[xc_gpu_column_of(k)] : 0u;
	}
	return w[5] + a[0] * w[0] + (a[1] + a[2]) * w[1] + (a[3] + a[4] + a[5]) * w[2] + b[0] * w[3] +
	       (b[1] + b[2]) * w[4];
}

XC_GPU_INLINE uint32_t xc_gpu_zone_sum(uint32_t sums, uint32_t zone)
{
	return sums >> 2 * zone & 3;
}

/* first: the zone's first position. */
XC_GPU_INLINE uint32_t xc_gpu_expect_flag(const xc_gpu_rans_lane *l,
                                          const uint32_t w[XC_RANS_FLAG_WEIGHTS], uint32_t zone,
                                          uint32_t first)
{
	uint32_t sum = w[5] + xc_gpu_zone_sum(l->sums_left, zone) * w[0] +
	               xc_gpu_zone_sum(l->sums_up, zone) * w[1];

	if (zone == 0) {
		sum += l->previous * w[2];
	} else {
		uint32_t some = 0;
		XC_UNROLL
		for (uint32_t i = 1; i <= 5; i++)
			some += l->own[xc_gpu_column_of(first - i)] != 0;
		sum += xc_gpu_min(l->sum, 15) * w[2] + some * w[3];
	}
	if (zone < XC_RANS_ZONES - 1) {
		const uint32_t next = xc_gpu_zone_sum(l->sums_left, zone + 1) +
		                      xc_gpu_zone_sum(l->sums_up, zone + 1);
		sum += xc_gpu_min(next, 2) * w[4];
	}
	return sum;
}

#endif
