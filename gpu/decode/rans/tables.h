/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the rANS mode's symbols are decoded with: columns of symbols, the model, which is the same
 * for all files, tables of a set of frequencies, and raw bits.
 */
#ifndef XC_GPU_DECODE_RANS_TABLES_H
#define XC_GPU_DECODE_RANS_TABLES_H

#include "entropy/rans/model.h"
#include "entropy/scan.h"
#include "gpu/decode/bits.h"
#include "gpu/decode/job.h"
#include "gpu/runtime/warp.h"

/*
 * The symbols of the rANS mode while a warp advances through blocks, a lane a row of blocks: a
 * column of shared memory for each lane, in transposed order, and the expectation of the next
 * symbol.
 *
 * Up to the current position the column has the symbols of the lane's block, after it still the
 * symbols of the block to the left. The lane above is one block ahead, so its column has exactly
 * what contexts see of the upper block.
 */

/* Rows before and after the symbols are read for positions outside the block; their weights are 0.
 * */
typedef struct xc_gpu_columns {
	uint8_t before[16][XC_WARP_LANES];
	uint8_t symbol[64][XC_WARP_LANES];
	uint8_t after[8][XC_WARP_LANES];
} __attribute__((aligned(16))) xc_gpu_columns;

/* The offset of scan position k in a column. */
XC_GPU_INLINE uint32_t xc_gpu_column_of(uint32_t k)
{
#ifdef __CUDA_ARCH__
	constexpr uint8_t scan[64] = {XC_SCAN_TABLE};
#else
	static const uint8_t scan[64] = {XC_SCAN_TABLE};
#endif
	return (uint32_t)scan[k] * XC_WARP_LANES;
}

/* ----------------------------------------------------- expectations of symbols */

/* The weights of a scan position, as bytes: of the block's own symbols at frequencies (u - 1, v),
 * (u - 2, v), (u, v - 1) and (u, v - 2), and of each neighbour's symbols at (u, v), (u + 1, v) and
 * (u, v + 1). A missing symbol has weight 0. The weight of the symbol decoded last is only in
 * `last`, so that all other terms can be added while that symbol is being decoded. */
typedef struct xc_gpu_rans_weights {
	uint32_t own, left, up; /* highest byte of `up`: the constant */
	uint32_t last;          /* weight of the symbol before; lower half: the position's offset */
} __attribute__((aligned(16))) xc_gpu_rans_weights;

/* The offset of the position in a column. */
XC_GPU_INLINE uint32_t xc_gpu_weights_offset(const xc_gpu_rans_weights *w)
{
	return w->last & 0xffff;
}

/* The expectation, in the upper half of the result; part: from xc_gpu_expect_part(); symbol: the
 * one before. The sum is less than 2^16, and so is the product of a symbol and an offset, so the
 * lower half does not carry. */
XC_GPU_INLINE uint32_t xc_gpu_expect_high(uint32_t part, uint32_t symbol, uint32_t last)
{
	return part * 0x10000u + symbol * last;
}

/* The bin of a sum in the upper half. */
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
		/* The DC has a weight at two positions only. */
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

/* The expectation at a position without the share of the symbol before. own, left, up: columns. */
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

#define XC_GPU_NO_BLOCK (~UINT32_C(0))

/* Packs eight symbols of each of four lanes, whose columns are bytes of words. */
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

/* Stores the symbols of each lane's block, unless it is XC_GPU_NO_BLOCK. Lane i stores words i / 8
 * and i / 8 + 4 of the four lanes from 4 (i % 8) on; out: their block 0. */
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

/* -------------------------------------------------------------------- model */

/* The same for all files. Two extra positions, because weights are loaded ahead. */
typedef struct xc_gpu_rans_model {
	xc_gpu_rans_weights at[2][66];
	uint32_t dc[2][XC_RANS_DC_WEIGHTS], flag[2][XC_RANS_ZONES][XC_RANS_FLAG_WEIGHTS];
} xc_gpu_rans_model;

/* weights: of luma and of chroma. */
static inline void xc_gpu_rans_model_make(xc_gpu_rans_model *m, const xc_rans_weights weights[2])
{
	for (int c = 0; c < 2; c++) {
		const xc_gpu_rans_weights none = {0, 0, 0, 0};
		m->at[c][0] = m->at[c][64] = m->at[c][65] = none;
		for (int k = 1; k < 64; k++)
			m->at[c][k] = xc_gpu_rans_weights_of(&weights[c], k);
		for (int i = 0; i < XC_RANS_DC_WEIGHTS; i++)
			m->dc[c][i] = weights[c].dc[i];
		for (int i = 0; i < XC_RANS_ZONES * XC_RANS_FLAG_WEIGHTS; i++)
			m->flag[c][i / XC_RANS_FLAG_WEIGHTS][i % XC_RANS_FLAG_WEIGHTS] =
				weights[c].flag[i / XC_RANS_FLAG_WEIGHTS][i % XC_RANS_FLAG_WEIGHTS];
	}
}

/* ------------------------------------------------------------------- tables */

/* What a slot is compared with, by bin. A row is eight words of two numbers: -(16 c + s) for
 * symbols s from 1 to 15, whose least slot is c, and that of symbol 15 once more. Parts of rows
 * loaded together apart lie apart, so that lanes with different bins meet fewer bank conflicts. */
typedef struct xc_gpu_rans_rows {
	uint32_t first[XC_RANS_BINS][2], second[XC_RANS_BINS][2], last[XC_RANS_BINS][4];
} xc_gpu_rans_rows;

typedef struct xc_gpu_rans_tables {
	xc_gpu_rans_rows of[2][XC_RANS_FLAG_SET];
	uint16_t zeros[2][XC_RANS_ZONES][XC_RANS_BINS]; /* frequencies of flag 0 */
} __attribute__((aligned(16))) xc_gpu_rans_tables;

XC_GPU_INLINE void xc_gpu_fill_rans_row(xc_gpu_rans_rows *to, uint32_t bin,
                                        const uint16_t frequency[XC_RANS_SYMBOLS])
{
	uint32_t word[XC_RANS_SYMBOLS / 2] = {0}, slot = 0;

	for (uint32_t i = 0; i < XC_RANS_SYMBOLS; i++) {
		const uint32_t s = xc_gpu_min(i + 1, XC_RANS_SYMBOLS - 1);
		slot += s > i ? frequency[i] : 0;
		word[i / 2] |= ((0u - (16 * slot + s)) & 0xffff) << i % 2 * 16;
	}
	for (int i = 0; i < 2; i++) {
		to->first[bin][i] = word[i];
		to->second[bin][i] = word[2 + i];
	}
	for (int i = 0; i < 4; i++)
		to->last[bin][i] = word[4 + i];
}

/* Fills the tables, as worker `worker` of `workers`. */
XC_GPU_INLINE void xc_gpu_fill_rans_tables(xc_gpu_rans_tables *t,
                                           const xc_rans_frequencies *frequencies,
                                           const xc_rans_weights weights[2], uint32_t worker,
                                           uint32_t workers)
{
	for (uint32_t i = worker; i < 2 * XC_RANS_SETS * XC_RANS_BINS; i += workers) {
		const uint32_t bin = i % XC_RANS_BINS, set = i / XC_RANS_BINS % XC_RANS_SETS;
		const uint32_t c = i / XC_RANS_BINS / XC_RANS_SETS;
		uint32_t level = 0;
		while (level < XC_RANS_LEVELS - 1 && bin >= weights[c].limit[set][level])
			level++;
		const uint16_t *frequency = frequencies->of[c][set][level];
		if (set < XC_RANS_FLAG_SET)
			xc_gpu_fill_rans_row(&t->of[c][set], bin, frequency);
		else
			t->zeros[c][set - XC_RANS_FLAG_SET][bin] = frequency[0];
	}
}

#endif
