/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The symbols of the rANS mode while a warp wavefronts through blocks, a lane a row of
 * them: a column of shared memory for each lane, in transposed order, and what is
 * expected of the next symbol.
 *
 * Up to where the lane is, the column has the symbols of its block, from there on still those of
 * the block to its left. The lane above is a block ahead, so its column has just what contexts
 * see of the upper block.
 */
#ifndef XC_GPU_DECODE_RANS_COLUMNS_H
#define XC_GPU_DECODE_RANS_COLUMNS_H

#include "entropy/rans/model.h"
#include "entropy/scan.h"
#include "gpu/runtime/warp.h"

/* Rows before and after the symbols are what places outside of the block lead to;
 * their weights are 0. */
typedef struct xc_gpu_columns {
	uint8_t before[16][XC_WARP_LANES];
	uint8_t symbol[64][XC_WARP_LANES];
	uint8_t after[8][XC_WARP_LANES];
} __attribute__((aligned(16))) xc_gpu_columns;

/* The place of a position of the scan, in a column. */
XC_GPU_INLINE uint32_t xc_gpu_column_of(uint32_t k)
{
#ifdef __CUDA_ARCH__
	constexpr uint8_t scan[64] = {XC_SCAN_TABLE};
#else
	static const uint8_t scan[64] = {XC_SCAN_TABLE};
#endif
	return (uint32_t)scan[k] * XC_WARP_LANES;
}

/* ----------------------------------------------------- what is expected of a symbol */

/* The weights of a position of the scan, in bytes: those of the own block's symbols at frequencies
 * (u - 1, v), (u - 2, v), (u, v - 1) and (u, v - 2), of a neighbour's at (u, v), (u + 1, v) and (u,
 * v + 1). What does not exist has weight 0. The weight of the last symbol decoded is in `before`
 * alone, so that all other terms can be added up while that symbol is being decoded. */
typedef struct xc_gpu_rans_weights {
	uint32_t own, left, up; /* the highest byte of `up` is the constant */
	uint32_t last;          /* `before`, and in the lower half the place */
} __attribute__((aligned(16))) xc_gpu_rans_weights;

/* The position's place in a column. */
XC_GPU_INLINE uint32_t xc_gpu_weights_offset(const xc_gpu_rans_weights *w)
{
	return w->last & 0xffff;
}

/* What is expected, in the upper half of the result; part: from xc_gpu_expect_part(); symbol: the
 * one before. Sums of both are less than 2^16, and so is the product of a symbol and a place. */
XC_GPU_INLINE uint32_t xc_gpu_expect_high(uint32_t part, uint32_t symbol, uint32_t last)
{
	return part * 0x10000u + symbol * last;
}

/* The bin of a sum that stands in the upper half. */
XC_GPU_INLINE uint32_t xc_gpu_rans_bin(uint32_t high)
{
	const uint32_t bin = high >> (16 + XC_RANS_EXPECT_SHIFT), last = XC_RANS_BINS - 1;
	return bin < last ? bin : last;
}

static inline xc_gpu_rans_weights xc_gpu_rans_weights_of(const xc_rans_weights *from, int k)
{
	static const uint8_t scan[64] = {XC_SCAN_TABLE};
	const int u = scan[k] / 8, v = scan[k] % 8;
	const uint8_t *w = from->ac[u > 2 * v ? 0 : v > 2 * u ? 2 : 1];
	const int own[4][2] = {{u - 1, v}, {u - 2, v}, {u, v - 1}, {u, v - 2}};
	xc_gpu_rans_weights r = {0, 0, 0, 0};
	uint32_t before = k > 1 ? w[4] : 0;

	for (int i = 0; i < 4; i++) {
		const int seen = 8 * own[i][0] + own[i][1];
		/* The DC counts for two positions alone. */
		const uint32_t weight = seen ? w[i] : k <= 2 ? w[11] : 0u;
		if (own[i][0] < 0 || own[i][1] < 0)
			continue;
		if (seen == scan[k - 1])
			before += weight;
		else
			r.own |= weight << 8 * i;
	}
	const uint32_t lower = u < 7 ? ~0u : ~0xff00u, right = v < 7 ? ~0u : ~0xff0000u;
	r.left = (w[5] | (uint32_t)w[6] << 8 | (uint32_t)w[7] << 16) & lower & right;
	r.up = (w[8] | (uint32_t)w[9] << 8 | (uint32_t)w[10] << 16) & lower & right;
	r.up |= (uint32_t)from->constant[k] << 24;
	r.last = before << 16 | (uint32_t)scan[k] * XC_WARP_LANES;
	return r;
}

/* What is expected at a position, but for what the symbol before adds.  own, left, up: columns. */
XC_GPU_INLINE uint32_t xc_gpu_expect_part(const uint8_t *own, const uint8_t *left,
                                          const uint8_t *up, const xc_gpu_rans_weights *w)
{
	enum { ROW = XC_WARP_LANES };
	const uint32_t offset = xc_gpu_weights_offset(w);

	own += offset;
	left += offset;
	up += offset;
	XC_GPU_SHARED(own);
	XC_GPU_SHARED(left);
	XC_GPU_SHARED(up);
	const uint32_t a = own[-8 * ROW] | (uint32_t)own[-16 * ROW] << 8 |
	                   (uint32_t)own[-1 * ROW] << 16 | (uint32_t)own[-2 * ROW] << 24;
	const uint32_t b = left[0] | (uint32_t)left[8 * ROW] << 8 | (uint32_t)left[ROW] << 16;
	const uint32_t c = up[0] | (uint32_t)up[8 * ROW] << 8 | (uint32_t)up[ROW] << 16 | 1u << 24;
	return xc_gpu_dot(a, w->own, xc_gpu_dot(b, w->left, xc_gpu_dot(c, w->up, 0)));
}

/* ------------------------------------------------------------------- storing them */

/* Words of a block's symbols: four bits each, by place, the first one lowest. */
enum { XC_GPU_SYMBOL_WORDS = 8 };
#define XC_GPU_NO_BLOCK (~UINT32_C(0))

/* The symbols of eight places from those of four lanes, whose columns are bytes of words. */
XC_GPU_INLINE void xc_gpu_pack_symbols(const uint32_t row[8], uint32_t word[4])
{
	uint32_t pair[4];

	XC_UNROLL
	for (int i = 0; i < 4; i++)
		pair[i] = row[2 * i] | row[2 * i + 1] << 4;
	XC_UNROLL
	for (int i = 0; i < 4; i += 2) {
		const uint32_t low = xc_gpu_pick(pair[0], pair[1], i ? 0x7362 : 0x5140);
		const uint32_t high = xc_gpu_pick(pair[2], pair[3], i ? 0x7362 : 0x5140);
		word[i] = xc_gpu_pick(low, high, 0x5410);
		word[i + 1] = xc_gpu_pick(low, high, 0x7632);
	}
}

/* Stores the symbols of each lane's block, or XC_GPU_NO_BLOCK. Lane i does words i / 8 and i / 8 +
 * 4 of the four lanes from 4 (i % 8) on; out: block 0 of those. */
XC_WARP_INLINE void xc_gpu_finish_columns(const xc_gpu_columns *columns,
                                          const uint32_t block[XC_SLOTS],
                                          uint32_t *const out[XC_SLOTS])
{
	uint32_t to[4][XC_SLOTS];

	XC_FOR_LANES(lane)
		XC_UNROLL
	for (int i = 0; i < 4; i++)
		to[i][XC_SLOT(lane)] = xc_warp_of(block, lane % 8 * 4 + i);
	XC_FOR_LANES(lane)
		XC_UNROLL
	for (uint32_t half = 0; half < 2; half++) {
		const uint32_t n = (uint32_t)lane / 8 + 4 * half;
		uint32_t row[8], word[4], *own = out[XC_SLOT(lane)];
		XC_GPU_GLOBAL(own);
		XC_UNROLL
		for (uint32_t i = 0; i < 8; i++)
			row[i] = *(const uint32_t *)(const void *)&columns->symbol[8 * n + i][lane % 8 * 4];
		xc_gpu_pack_symbols(row, word);
		XC_UNROLL
		for (int i = 0; i < 4; i++)
			if (to[i][XC_SLOT(lane)] != XC_GPU_NO_BLOCK)
				own[(size_t)to[i][XC_SLOT(lane)] * XC_GPU_SYMBOL_WORDS + n] = word[i];
	}
	xc_warp_sync();
}

#endif
