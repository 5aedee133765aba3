/* SPDX-License-Identifier: BSD-2-Clause */
/* Tiles, slices of them, the blocks in them and their DCs. depth16, a constant: coefficients
 * and tokens have 32 bits instead of 16. */
#ifndef XC_GPU_ENCODE_JOB_TILES_H
#define XC_GPU_ENCODE_JOB_TILES_H

#include "entropy/contexts.h"
#include "entropy/token.h"
#include "entropy/value.h"
#include "gpu/encode/job/job.h"

/* The tile in column tx and row ty of tiles. */
XC_GPU_INLINE xc_tile_mcus xc_gpu_tile_at(const xc_gpu_encode_job *j, uint32_t tx, uint32_t ty)
{
	return xc_tile_mcus_at(tx, ty, j->picture.tile_wide, j->picture.tile_high, j->picture.mcus_wide,
	                       j->picture.mcus_high);
}

typedef struct xc_gpu_coded_tile {
	size_t first;                                   /* block among those of all pictures */
	uint32_t blocks, wide;                          /* wide: in MCUs */
	uint32_t luma_wide, luma_blocks, chroma_blocks; /* of one component */
} xc_gpu_coded_tile;

XC_GPU_INLINE xc_gpu_coded_tile xc_gpu_coded_tile_at(const xc_gpu_encode_job *j, uint32_t index)
{
	const xc_tile_mcus m = xc_gpu_tile_at(j, index % j->picture.tiles_wide,
	                                      index / j->picture.tiles_wide);
	xc_gpu_coded_tile c;

	c.first = j->picture.first_block + m.before * j->mcu_blocks;
	c.wide = m.wide;
	c.luma_wide = m.wide * j->h;
	c.chroma_blocks = m.wide * m.high;
	c.luma_blocks = c.chroma_blocks * j->h * j->v;
	c.blocks = c.chroma_blocks * j->mcu_blocks;
	return c;
}

/* Where block i of a tile is: its component begins with block `start`. */
typedef struct xc_gpu_tile_block {
	uint32_t chroma, start, wide, high;
} xc_gpu_tile_block;

XC_GPU_INLINE xc_gpu_tile_block xc_gpu_tile_block_at(const xc_gpu_coded_tile *c, uint32_t i)
{
	const uint32_t cr = c->luma_blocks + c->chroma_blocks, chroma = i >= c->luma_blocks;
	const uint32_t start = !chroma ? 0 : i < cr ? c->luma_blocks : cr;
	const uint32_t wide = chroma ? c->wide : c->luma_wide;
	const xc_gpu_tile_block p = {chroma, start, wide,
	                             xc_gpu_quotient(chroma ? c->chroma_blocks : c->luma_blocks, wide)};

	return p;
}

XC_GPU_INLINE void xc_gpu_load_dc(const xc_gpu_encode_job *j, xc_cta t, const xc_gpu_coded_tile *c,
                                  int32_t *dc)
{
	for (uint32_t i = t.rank; i < c->blocks; i += t.size)
		dc[i] = j->dc[c->first + i];
}

/* A block's DC and its neighbours' in the tile; at an edge the block's own replaces the missing
 * one. */
typedef struct xc_gpu_near_dcs {
	int32_t own, left, right, above, below, corner;
	uint32_t x, y;
} xc_gpu_near_dcs;

/* The DCs around block i of a tile; p: its position; dc: of the tile. The loads are independent. */
XC_GPU_INLINE xc_gpu_near_dcs xc_gpu_near_dcs_of(const xc_gpu_tile_block *p, const int32_t *dc,
                                                 uint32_t i)
{
	const uint32_t at = i - p->start, y = at / p->wide, x = at - y * p->wide;
	const uint32_t left = x ? i - 1 : i, right = x + 1 < p->wide ? i + 1 : i;
	const uint32_t above = y ? i - p->wide : i, below = y + 1 < p->high ? i + p->wide : i;
	const xc_gpu_near_dcs n = {dc[i],     dc[left],  dc[right],
	                           dc[above], dc[below], dc[above + left - i],
	                           x,         y};

	return n;
}

/* The DC less its prediction. */
XC_GPU_INLINE int32_t xc_gpu_near_difference(const xc_gpu_near_dcs *n, int depth16)
{
	const int32_t one = n->x ? n->left : n->y ? n->above : 0;
	const int32_t p = n->x && n->y ? xc_median_edge(n->left, n->above, n->corner) : one;
	return depth16 ? n->own - p : (int16_t)(n->own - p);
}

/* The same of block i of a tile, whose DCs are at `dc`; p: where the block is. */
XC_GPU_INLINE int32_t xc_gpu_tile_difference(const xc_gpu_tile_block *p, const int32_t *dc,
                                             uint32_t i, int depth16)
{
	const xc_gpu_near_dcs n = xc_gpu_near_dcs_of(p, dc, i);
	return xc_gpu_near_difference(&n, depth16);
}

/* A slice: the blocks of one tile that a thread block takes, one a thread. */
enum { XC_GPU_SLICE = 128 };

XC_GPU_INLINE uint32_t xc_gpu_slices(const xc_gpu_encode_job *j)
{
	return (j->picture.tile_wide * j->picture.tile_high * j->mcu_blocks + XC_GPU_SLICE - 1) /
	       XC_GPU_SLICE;
}

/* The end of a slice that begins with block `from` of a tile. */
XC_GPU_INLINE uint32_t xc_gpu_slice_end(const xc_gpu_coded_tile *c, uint32_t from)
{
	return from + XC_GPU_SLICE < c->blocks ? from + XC_GPU_SLICE : c->blocks;
}

#endif
