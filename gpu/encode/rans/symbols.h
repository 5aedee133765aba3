/* SPDX-License-Identifier: BSD-2-Clause */
/* Where symbols lie, in the rANS mode, and which blocks are neighbours. */
#ifndef XC_GPU_ENCODE_RANS_SYMBOLS_H
#define XC_GPU_ENCODE_RANS_SYMBOLS_H

#include "gpu/encode/rans/block.h"
#include "gpu/encode/rans/expect.h"

/* Bytes of a block's raw bits, at most: those of its slot. */
XC_GPU_INLINE uint32_t *xc_gpu_rans_raw(const xc_gpu_encode_job *j, size_t block)
{
	return j->raw + block * (j->depth == 16 ? 64 : 32);
}

/* ------------------------------------------------------------------ symbols */

XC_GPU_INLINE void xc_gpu_load_symbols(const xc_gpu_encode_job *j, size_t block, uint32_t words[8])
{
	const xc_gpu_vec16 *const from = j->symbols + xc_gpu_vecs_at(block, 2);

	XC_UNROLL
	for (int half = 0; half < 2; half++) {
		const xc_gpu_vec16 vec = from[half * XC_GPU_TOGETHER];
		XC_UNROLL
		for (int w = 0; w < 4; w++)
			words[4 * half + w] = vec.depth16[w];
	}
}

XC_GPU_INLINE void xc_gpu_store_symbols(const xc_gpu_encode_job *j, size_t block,
                                        const uint32_t words[8])
{
	xc_gpu_vec16 *const to = j->symbols + xc_gpu_vecs_at(block, 2);

	XC_UNROLL
	for (int half = 0; half < 2; half++) {
		xc_gpu_vec16 vec;
		XC_UNROLL
		for (int w = 0; w < 4; w++)
			vec.depth16[w] = words[4 * half + w];
		to[half * XC_GPU_TOGETHER] = vec;
	}
}

/* ------------------------------------------------------------------ neighbours */

/* The lag of a row of a list (xc_rans_zone_at()); high: rows of a component. */
XC_GPU_INLINE uint32_t xc_gpu_row_offset(uint32_t row, uint32_t high)
{
	return xc_gpu_min(row % XC_RANS_LANES, row % high);
}

/* Where the neighbours of a block are that its contexts see; -1: there are none. */
typedef struct xc_gpu_rans_neighbours {
	int32_t left, up;
} xc_gpu_rans_neighbours;

XC_GPU_INLINE xc_gpu_rans_neighbours xc_gpu_rans_neighbours_of(const xc_gpu_coded_tile *c,
                                                               uint32_t i,
                                                               const xc_gpu_tile_block *p)
{
	const uint32_t first = p->chroma ? c->luma_blocks : 0; /* of the list */
	const uint32_t lane = (i - first) / p->wide % XC_RANS_LANES;
	const uint32_t x = (i - p->start) % p->wide, y = (i - p->start) / p->wide;
	const int above = lane && y;
	xc_gpu_rans_neighbours n;

	n.left = x ? (int32_t)i - 1 : above ? (int32_t)(i - p->wide) : -1;
	n.up = above ? (int32_t)(i - p->wide) : n.left;
	return n;
}

/* The symbols of block i of a tile as bytes, and their sums; -1: there is none, and all are 0. */
XC_GPU_INLINE void xc_gpu_see(const xc_gpu_encode_job *j, const xc_gpu_coded_tile *c, int32_t i,
                              xc_gpu_rans_bytes *bytes, uint32_t *sums)
{
	uint32_t words[8] = {0, 0, 0, 0, 0, 0, 0, 0};

	*sums = 0;
	if (i >= 0) {
		xc_gpu_load_symbols(j, c->first + (uint32_t)i, words);
		*sums = j->sums[c->first + (uint32_t)i];
	}
	xc_gpu_rans_spread(words, bytes);
}

/* The symbols of a tile's blocks: those of block i are zones at
 * xc_gpu_vecs_within(first + i, 2). */
typedef struct xc_gpu_tile_symbols {
	const xc_gpu_vec16 *vecs;
	uint32_t first;
} xc_gpu_tile_symbols;

XC_GPU_INLINE xc_gpu_tile_symbols xc_gpu_tile_symbols_of(const xc_gpu_encode_job *j,
                                                         const xc_gpu_coded_tile *c)
{
	const uint32_t first = (uint32_t)c->first % XC_GPU_TOGETHER;
	const xc_gpu_tile_symbols s = {j->symbols + 2 * (c->first - first), first};
	return s;
}

/* Where the symbols of block i of the tile are among the zones; ~0 if i is -1. */
XC_GPU_INLINE uint32_t xc_gpu_tile_symbols_at(const xc_gpu_tile_symbols *t, int32_t i)
{
	return i < 0 ? ~0u : xc_gpu_vecs_within(t->first + (uint32_t)i, 2);
}

/* Loads symbols of 32 blocks of a tile, or of their neighbours, for xc_gpu_expect(). at: see
 * xc_gpu_tile_symbols_at(); where there is no block all symbols are 0. words: gets them. */
XC_WARP_INLINE void xc_gpu_expect_load(const xc_gpu_tile_symbols *t, const uint32_t at[XC_SLOTS],
                                       uint32_t words[2][4][XC_SLOTS])
{
	XC_UNROLL
	for (int r = 0; r < 4; r++) {
		uint32_t block[XC_SLOTS], from[XC_SLOTS];
		XC_FOR_LANES(lane) {
			block[XC_SLOT(lane)] = at[XC_SLOT(lane)];
			from[XC_SLOT(lane)] = 8 * (uint32_t)r + (uint32_t)lane / 4;
		}
		xc_warp_from(block, from);
		XC_FOR_LANES(lane) {
			/* The first block in place of none, so that no load has a condition. */
			const uint32_t i = block[XC_SLOT(lane)], some = i == ~0u ? 0 : i;
			const uint32_t *const own = t->vecs->depth16 + lane % 4 + 4 * (size_t)some;
			XC_UNROLL
			for (int half = 0; half < 2; half++) {
				const uint32_t word = own[half * 4 * XC_GPU_TOGETHER];
				words[half][r][XC_SLOT(lane)] = i == ~0u ? 0 : word;
			}
		}
	}
}

#endif
