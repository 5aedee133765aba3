/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rANS mode: two kernels, and two more in gpu/encode/rans/push.h and weave.h.
 *
 * symbols: a team takes a slice of a tile, a thread a block.  Values become symbols.
 *
 * contexts: since all symbols are known then, the contexts of all of them are found at once, by a team
 * a slice.  Another team of each tile writes its raw bits.
 */
#ifndef XC_GPU_ENCODE_RANS_SYMBOLS_H
#define XC_GPU_ENCODE_RANS_SYMBOLS_H

#include "gpu/encode/rans/block.h"

/* Bytes of a block's raw bits, at most: those of its slot. */
XC_GPU_INLINE uint32_t *xc_gpu_rans_raw(const xc_gpu_encode_job *j, size_t block)
{
	return j->raw + block * (j->depth == 16 ? 64 : 32);
}

/* ------------------------------------------------------------------ symbols */

XC_GPU_INLINE void xc_gpu_load_symbols(const xc_gpu_encode_job *j, size_t block, uint32_t words[8])
{
	const xc_gpu_token_group *const from = j->symbols + xc_gpu_groups_at(block, 2);
	XC_UNROLL for (int half = 0; half < 2; half++)
	{
		const xc_gpu_token_group group = from[half * XC_GPU_TOGETHER];
		XC_UNROLL for (int w = 0; w < 4; w++) words[4 * half + w] = group.deep[w];
	}
}

XC_GPU_INLINE void xc_gpu_store_symbols(const xc_gpu_encode_job *j, size_t block,
                                        const uint32_t words[8])
{
	xc_gpu_token_group *const to = j->symbols + xc_gpu_groups_at(block, 2);
	XC_UNROLL for (int half = 0; half < 2; half++)
	{
		xc_gpu_token_group group;
		XC_UNROLL for (int w = 0; w < 4; w++) group.deep[w] = words[4 * half + w];
		to[half * XC_GPU_TOGETHER] = group;
	}
}

/* Replaces eight coefficients, the first at position `first`, by their values. */
XC_GPU_INLINE void xc_gpu_settle_eight(const xc_gpu_encode_job *j, int32_t c[8], uint32_t first,
                                       xc_gpu_block_offsets *o)
{
	XC_UNROLL for (uint32_t i = 0; i < 8; i++)
	{
		const uint32_t size = xc_gpu_magnitude(c[i]);
		if (first + i)
			c[i] = xc_gpu_valued(c[i], size, (size + j->rounding) / XC_STEP_PARTS, o);
	}
}

/* Makes the symbols of block i of a tile. */
XC_GPU_INLINE void xc_gpu_make_block(const xc_gpu_encode_job *j, const xc_gpu_coded_tile *c,
                                     uint32_t i, xc_gpu_tile_offsets *offsets, int deep,
                                     xc_gpu_block_symbols *b)
{
	const xc_gpu_tile_place p = xc_gpu_tile_place_of(c, i);
	const xc_gpu_near_dcs near = xc_gpu_near_dcs_of(&p, j->dc + c->first, i);
	xc_gpu_token_group *const slot = xc_gpu_slot(j, c->first + i, deep);
	/* Magnitudes below this become 0. */
	const uint32_t least = XC_STEP_PARTS - j->rounding;
	xc_gpu_symbol_notes n = {{0, 0, 0}, {0, 0}, {0, 0}};
	xc_gpu_block_offsets o = {0, 0};
	xc_gpu_stored_eight all[8];
	XC_UNROLL for (int g = 0; g < 8; g++) xc_gpu_load_stored(&all[g], slot, g, deep);
	b->bits = 0;
	XC_UNROLL for (int g = 0; g < 8; g++)
	{
		b->words[g] = 0;
		/* Few blocks have large coefficients at high frequencies. */
		if (g && xc_gpu_all_below(&all[g], deep, least))
			continue;
		int32_t v[8];
		xc_gpu_spread_eight(&all[g], deep, v);
		if (g == 0) {
			xc_gpu_remove_slopes(j, &near, p.chroma, deep, v);
			v[0] = xc_gpu_near_difference(&near, deep);
		}
		xc_gpu_settle_eight(j, v, 8 * (uint32_t)g, &o);
		xc_gpu_rans_take_eight(v, 8 * g, deep, slot, b, &n);
	}
	xc_gpu_add_offsets(&o, p.chroma, offsets);
	xc_gpu_rans_end_block(b, &n);
}

/* Makes the symbols of a slice of a tile. */
XC_GPU_INLINE void xc_gpu_make_symbols(const xc_gpu_encode_job *j, xc_team t, uint32_t tile,
                                       uint32_t slice, uint32_t picture,
                                       xc_gpu_tile_offsets *offsets, int deep)
{
	const xc_gpu_coded_tile c = xc_gpu_coded_tile_at(j, tile, picture);
	const uint32_t from = slice * XC_GPU_SLICE, end = xc_gpu_slice_end(&c, from);
	xc_gpu_begin_offsets(t, offsets);
	XC_TEAM_SYNC();
	for (uint32_t i = from + t.rank; i < end; i += t.size) {
		xc_gpu_block_symbols b;
		xc_gpu_make_block(j, &c, i, offsets, deep, &b);
		xc_gpu_store_symbols(j, c.first + i, b.words);
		j->block_bits[c.first + i] = b.bits;
		j->sums[c.first + i] = b.sums;
		j->signs[c.first + i] = b.signs;
	}
	XC_TEAM_SYNC();
	xc_gpu_end_offsets(j, t, tile, picture, offsets);
}

/* ------------------------------------------------------------------ raw bits and contexts */

/* What a team of the second kernel has in shared memory. */
typedef union xc_gpu_contexts_shared {
	xc_gpu_rans_contexts contexts;
	struct {
		uint32_t start[XC_GPU_TILE_BLOCKS]; /* where raw bits begin */
		uint32_t partial[33];
		uint8_t position[64];
	} raw;
} xc_gpu_contexts_shared;

/* The lag of a row of a list (xc_rans_group_at()); high: rows of a component. */
XC_GPU_INLINE uint32_t xc_gpu_row_lag(uint32_t row, uint32_t high)
{
	return xc_gpu_least(row % XC_RANS_LANES, row % high);
}

/* Where the neighbours of a block are that its contexts see; -1: there are none. */
typedef struct xc_gpu_rans_neighbours {
	int32_t left, up;
} xc_gpu_rans_neighbours;

XC_GPU_INLINE xc_gpu_rans_neighbours xc_gpu_rans_neighbours_of(const xc_gpu_coded_tile *c,
                                                               uint32_t i,
                                                               const xc_gpu_tile_place *p)
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

/* Notes the contexts of block i of a tile, of those groups alone that have symbols. */
XC_GPU_INLINE void xc_gpu_note_contexts(const xc_gpu_encode_job *j, const xc_gpu_coded_tile *c,
                                        uint32_t i, const xc_gpu_rans_contexts *contexts)
{
	const xc_gpu_tile_place p = xc_gpu_tile_place_of(c, i);
	const xc_gpu_rans_neighbours n = xc_gpu_rans_neighbours_of(c, i, &p);
	xc_gpu_token_group *const to = j->records + 4 * (c->first + i);
	xc_gpu_rans_seen seen;
	uint32_t out[16];
	xc_gpu_see(j, c, (int32_t)i, &seen.now, &seen.sums);
	xc_gpu_see(j, c, n.left, &seen.left, &seen.left_sums);
	xc_gpu_see(j, c, n.up, &seen.up, &seen.up_sums);
	j->flags[c->first + i] = xc_gpu_rans_contexts_of(&seen, contexts, p.chroma, out);
	const uint32_t needed[4] = {1, seen.sums >> 4, seen.sums >> 8, seen.sums >> 8};
	XC_UNROLL for (int part = 0; part < 4; part++)
	{
		xc_gpu_token_group group;
		XC_UNROLL for (int w = 0; w < 4; w++) group.deep[w] = out[4 * part + w];
		if (needed[part])
			to[part] = group;
	}
}

/* Writes the raw bits of a tile. */
XC_GPU_INLINE void xc_gpu_write_raw(const xc_gpu_encode_job *j, xc_team t, uint32_t tile,
                                    uint32_t picture, const xc_gpu_coded_tile *c,
                                    xc_gpu_contexts_shared *s, int deep)
{
	uint32_t *const raw = xc_gpu_rans_raw(j, c->first), *const start = s->raw.start;
	const int32_t *const dc = j->dc + c->first;
	for (uint32_t i = t.rank; i < c->blocks; i += t.size)
		start[i] = j->block_bits[c->first + i];
	for (uint32_t i = t.rank; i < 64; i += t.size)
		s->raw.position[i] = j->rans->contexts.position[i];
	const uint32_t bits = xc_team_scan(t, start, c->blocks, 0, s->raw.partial);
	/* States carry 32 bytes, even if there are fewer. */
	for (uint32_t i = t.rank; i < 8 || i < (bits + 31) / 32; i += t.size)
		raw[i] = 0;
	if (t.rank == 0)
		j->raw_bits[(size_t)picture * j->tiles + tile] = bits;
	XC_TEAM_SYNC();
	for (uint32_t i = t.rank; i < c->blocks; i += t.size) {
		const xc_gpu_tile_place p = xc_gpu_tile_place_of(c, i);
		const uint32_t own = (i + 1 < c->blocks ? start[i + 1] : bits) - start[i];
		uint32_t words[8];
		if (!own)
			continue;
		xc_gpu_load_symbols(j, c->first + i, words);
		xc_gpu_rans_write_raw(words, j->signs[c->first + i],
		                      xc_gpu_tile_difference(&p, dc, i, deep),
		                      xc_gpu_slot(j, c->first + i, deep), deep, s->raw.position, raw,
		                      start[i]);
	}
}

/* Part 0 of a tile is its raw bits, the others are the contexts of a slice each. */
XC_GPU_INLINE void xc_gpu_make_contexts(const xc_gpu_encode_job *j, xc_team t, uint32_t tile,
                                        uint32_t part, uint32_t picture, xc_gpu_contexts_shared *s,
                                        int deep)
{
	const xc_gpu_coded_tile c = xc_gpu_coded_tile_at(j, tile, picture);
	const uint32_t *const model = (const uint32_t *)(const void *)&j->rans->contexts;
	if (!part) {
		xc_gpu_write_raw(j, t, tile, picture, &c, s, deep);
		return;
	}
	const uint32_t from = (part - 1) * XC_GPU_SLICE, end = xc_gpu_slice_end(&c, from);
	for (uint32_t i = t.rank; i < sizeof s->contexts / 4; i += t.size)
		((uint32_t *)(void *)&s->contexts)[i] = model[i];
	XC_TEAM_SYNC();
	for (uint32_t i = from + t.rank; i < end; i += t.size)
		xc_gpu_note_contexts(j, &c, i, &s->contexts);
}

#endif
