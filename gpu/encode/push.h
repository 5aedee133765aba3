/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The last kernel of the rANS mode: half a warp takes a tile, a lane a row of blocks.  From the last
 * symbol to the first each lane's state takes the symbols in; nothing else is left to be done one
 * after the other.  Then the segment is put together in the arena.
 *
 * The record of a lane's block is in shared memory.  Parts of the next block's come there as soon as those of this
 * one have been read.
 */
#ifndef XC_GPU_ENCODE_PUSH_H
#define XC_GPU_ENCODE_PUSH_H

#include "gpu/encode/rans.h"

enum { XC_GPU_PUSH_TEAM = 64, XC_GPU_AT_ONCE = 8 };

/* The records of a warp's blocks. */
typedef struct xc_gpu_push_records {
	xc_gpu_token_group part[4][XC_WARP_LANES];
} xc_gpu_push_records;

/* What a team has in shared memory. */
typedef struct xc_gpu_push_shared {
	xc_gpu_push_records records[XC_GPU_PUSH_TEAM / XC_WARP_LANES];
	xc_gpu_rans_entry entry[2][XC_GPU_RANS_ENTRIES];
} xc_gpu_push_shared;

/* A lane on its way.  Lanes of the upper half of a warp work on another tile. */
typedef struct xc_gpu_push_lane {
	size_t first; /* block of the tile among those of all pictures */
	uint32_t wide[2], high[2], luma;
	uint32_t row;   /* 0 to 15 */
	uint32_t below; /* lanes of the same half before it, as a mask, */
	uint32_t half;  /* and all of them */
	uint32_t state;
	uint16_t *end;                         /* words are put before it, */
	uint32_t count;                        /* so many so far */
	uint32_t listed, lag, across;          /* in the bundle: is there a row; its lag; its blocks */
	size_t block;                          /* the row's first */
	uint32_t active, flags;                /* at this time */
	uint32_t soon, soon_flags;             /* at the next */
	xc_gpu_token_group *record;            /* part 0; parts are XC_WARP_LANES apart */
	const xc_gpu_token_group *soon_record; /* in device memory */
} xc_gpu_push_lane;

/* ------------------------------------------------------------------ records */

/* Begins to copy part `part` of the next block's record, if there is a block whose groups have symbols there. */
XC_GPU_INLINE void xc_gpu_push_fetch(const xc_gpu_push_lane *l, uint32_t part)
{
	const uint32_t second = l->soon_flags >> 8, third = l->soon_flags >> 16;
	const uint32_t some = part == 0 ? 1 : part == 1 ? second | third : third;
	if (!(l->soon & some))
		return;
#ifdef __CUDA_ARCH__
	__pipeline_memcpy_async(l->record + part * XC_WARP_LANES, l->soon_record + part, 16);
#else
	l->record[part * XC_WARP_LANES] = l->soon_record[part];
#endif
}

/* Ends a group of copies: those that were begun since the last group. */
XC_GPU_INLINE void xc_gpu_push_commit(void)
{
#ifdef __CUDA_ARCH__
	__pipeline_commit();
#endif
}

/* Waits for all groups of copies but the one that was ended last. */
XC_GPU_INLINE void xc_gpu_push_wait(void)
{
#ifdef __CUDA_ARCH__
	__pipeline_wait_prior(1);
#endif
}

/* The lane's block at time `time`, if it has one then, becomes its next one. */
XC_GPU_INLINE void xc_gpu_push_look_ahead(const xc_gpu_encode_job *j, xc_gpu_push_lane *l,
                                          uint32_t time)
{
	l->soon = l->listed && time - l->lag < l->across;
	l->soon_flags = 0;
	if (l->soon) {
		const size_t block = l->block + (time - l->lag);
		l->soon_flags = j->flags[block];
		l->soon_record = j->records + 4 * block;
	}
}

/* ------------------------------------------------------------------ states */

/* Prepares a lane for tile number `tile`, which may not exist. */
XC_GPU_INLINE void xc_gpu_push_begin(const xc_gpu_encode_job *j, uint32_t lane, uint32_t tile,
                                     uint32_t picture, xc_gpu_push_lane *l)
{
	l->row = lane % XC_RANS_LANES;
	l->half = 0xffffu << (lane - l->row);
	l->below = l->half & ((1u << lane) - 1);
	l->wide[0] = l->wide[1] = l->high[0] = l->high[1] = l->luma = 0;
	l->state = 0;
	l->first = 0;
	l->end = NULL;
	l->count = 0;
	if (tile >= j->tiles)
		return;
	const xc_gpu_coded_tile c = xc_gpu_coded_tile_at(j, tile, picture);
	l->first = c.first;
	l->luma = c.luma_blocks;
	l->wide[0] = c.luma_wide;
	l->high[0] = c.luma_blocks / c.luma_wide;
	if (j->components > 1) {
		l->wide[1] = c.wide;
		l->high[1] = c.chroma_blocks / c.wide;
	}
	/* The slots are not needed any more.  A block's symbols take 101 bytes at most. */
	l->end = (uint16_t *)(void *)xc_gpu_slot(j, c.first + c.blocks, j->depth == 16);
	l->state = 1u << XC_RANS_STATE_BITS |
	           ((const uint16_t *)(const void *)xc_gpu_rans_raw(j, c.first))[l->row];
}

/* Rows in a list of the lane's tile: of luma, or of both components of chroma. */
XC_GPU_INLINE uint32_t xc_gpu_push_rows(const xc_gpu_push_lane *l, uint32_t chroma)
{
	return chroma ? 2 * l->high[1] : l->high[0];
}

/* Takes the lane's row of the bundle that begins with `row`.  Returns the times that it takes. */
XC_GPU_INLINE uint32_t xc_gpu_push_row(xc_gpu_push_lane *l, uint32_t chroma, uint32_t row)
{
	const uint32_t rows = xc_gpu_push_rows(l, chroma), own = row + l->row;
	l->listed = own < rows;
	if (!l->listed)
		return 0;
	const uint32_t y = own % (chroma ? l->high[1] : l->high[0]);
	l->lag = l->row < y ? l->row : y;
	l->across = chroma ? l->wide[1] : l->wide[0];
	l->block = l->first + (chroma ? l->luma : 0) + (size_t)own * l->across;
	return l->across + l->lag;
}

/* Lets the states of the lanes where `coded` is 1 take a symbol each.  All lanes calculate, so that few
 * branches divide them. */
XC_WARP_INLINE void xc_gpu_push_symbol(xc_gpu_push_lane l[XC_SLOTS], const uint32_t coded[XC_SLOTS],
                                       const xc_gpu_rans_entry e[XC_SLOTS])
{
	uint32_t full[XC_SLOTS];
	XC_FOR_LANES(lane) {
		const int i = XC_SLOT(lane);
		full[i] = coded[i] & (l[i].state >> 20 >= (e[i].rest & 4095));
	}
	const uint32_t mask = xc_warp_ballot(full);
	XC_FOR_LANES(lane) {
		const int i = XC_SLOT(lane);
		l[i].count += xc_gpu_count_bits(mask & l[i].half);
		if (full[i])
			l[i].end[(int32_t)(xc_gpu_count_bits(mask & l[i].below) - l[i].count)] =
				(uint16_t)l[i].state;
		const uint32_t state = full[i] ? l[i].state >> 16 : l[i].state;
		const uint32_t added = xc_gpu_rans_added(state, e[i]);
		l[i].state = state + (added & (0u - coded[i]));
	}
}

/* The same, with the numbers of their entries. */
XC_WARP_INLINE void xc_gpu_push_one(xc_gpu_push_lane l[XC_SLOTS], const uint32_t coded[XC_SLOTS],
                                    const uint32_t index[XC_SLOTS],
                                    const xc_gpu_rans_entry *entries)
{
	xc_gpu_rans_entry e[XC_SLOTS];
	XC_FOR_LANES(lane)
		e[XC_SLOT(lane)] = entries[index[XC_SLOT(lane)]];
	xc_gpu_push_symbol(l, coded, e);
}

/* Word w of a block's record, four positions. */
XC_GPU_INLINE uint32_t xc_gpu_push_word(const xc_gpu_push_lane *l, int w, uint32_t coded)
{
	if (!coded || w < 0)
		return 0;
	const xc_gpu_token_group *const part = l->record + w / 4 * XC_WARP_LANES;
	XC_GPU_SHARED(part);
	return part->deep[w % 4];
}

/* Positions 4 w + from down to 4 w + to.  The words of the record w and w - 1 were loaded before; the one after
 * them is loaded here, and entries before the states that wait for each other. */
XC_WARP_INLINE void xc_gpu_push_four(xc_gpu_push_lane l[XC_SLOTS], const uint32_t coded[XC_SLOTS],
                                     int w, int from, int to, uint32_t next[2][XC_SLOTS],
                                     const xc_gpu_rans_entry *entries)
{
	xc_gpu_rans_entry e[4][XC_SLOTS];
	XC_FOR_LANES(lane) {
		const int i = XC_SLOT(lane);
		XC_UNROLL for (int n = to; n <= from; n++) e[n][i] = entries[next[0][i] >> 8 * n & 255];
		next[0][i] = next[1][i];
		next[1][i] = xc_gpu_push_word(&l[i], w - 2, coded[i]);
	}
	XC_UNROLL for (int n = from; n >= to; n--) xc_gpu_push_symbol(l, coded, e[n]);
}

/* Positions `from` down to `to`, all of one group, which are constants. */
XC_WARP_INLINE void xc_gpu_push_positions(xc_gpu_push_lane l[XC_SLOTS],
                                          const uint32_t coded[XC_SLOTS], int from, int to,
                                          const xc_gpu_rans_entry *entries)
{
	uint32_t next[2][XC_SLOTS];
	int w = from / 4;
	XC_FOR_LANES(lane)
		for (int i = 0; i < 2; i++)
			next[i][XC_SLOT(lane)] = xc_gpu_push_word(&l[XC_SLOT(lane)], w - i,
			                                          coded[XC_SLOT(lane)]);
	if (from % 4 != 3)
		xc_gpu_push_four(l, coded, w--, from % 4, 0, next, entries);
	XC_ROLLED for (; w >= (to + 3) / 4; w--) xc_gpu_push_four(l, coded, w, 3, 0, next, entries);
	if (to % 4)
		xc_gpu_push_four(l, coded, w, 3, to % 4, next, entries);
}

/* Group g, positions `first` to `end` - 1, all of which are constants; then its flag. */
XC_WARP_INLINE void xc_gpu_push_group(xc_gpu_push_lane l[XC_SLOTS], int g, int first, int end,
                                      const xc_gpu_rans_entry *entries)
{
	uint32_t active[XC_SLOTS], index[XC_SLOTS], some[XC_SLOTS];
	XC_FOR_LANES(lane) {
		const int i = XC_SLOT(lane);
		active[i] = l[i].active;
		index[i] = XC_GPU_RANS_FLAGS_AT + (uint32_t)g * XC_RANS_LEVELS * 2 +
		           (l[i].flags >> 8 * g & 255);
		some[i] = l[i].active & l[i].flags >> 8 * g & 1;
	}
	if (xc_warp_ballot(some))
		xc_gpu_push_positions(l, some, end - 1, first,
		                      entries + (g > 0) * XC_RANS_LEVELS * XC_RANS_SYMBOLS);
	xc_gpu_push_one(l, active, index, entries);
}

/* The blocks of all lanes at one time, from their last symbols to their first ones. */
XC_WARP_INLINE void xc_gpu_push_time(xc_gpu_push_lane l[XC_SLOTS], const xc_gpu_rans_entry *entries)
{
	uint32_t active[XC_SLOTS], index[XC_SLOTS];
	xc_gpu_push_wait(); /* for all parts but the first one, which was the last to be copied */
	xc_gpu_push_group(l, 2, 28, 64, entries);
	XC_FOR_LANES(lane) {
		xc_gpu_push_fetch(&l[XC_SLOT(lane)], 3);
		xc_gpu_push_fetch(&l[XC_SLOT(lane)], 2);
	}
	xc_gpu_push_commit();
	xc_gpu_push_wait();
	xc_gpu_push_group(l, 1, 10, 28, entries);
	XC_FOR_LANES(lane)
		xc_gpu_push_fetch(&l[XC_SLOT(lane)], 1);
	xc_gpu_push_commit();
	xc_gpu_push_group(l, 0, 1, 10, entries);
	XC_FOR_LANES(lane) {
		const int i = XC_SLOT(lane);
		active[i] = l[i].active;
		index[i] = XC_RANS_DC_SET * XC_RANS_LEVELS * XC_RANS_SYMBOLS +
		           (active[i] ? l[i].record[0].deep[0] & 255 : 0);
		xc_gpu_push_fetch(&l[i], 0);
	}
	xc_gpu_push_commit();
	xc_gpu_push_one(l, active, index, entries);
}

/* The bundle of each tile that begins with row `row` of a list. */
XC_WARP_INLINE void xc_gpu_push_bundle(const xc_gpu_encode_job *j, xc_gpu_push_lane l[XC_SLOTS],
                                       uint32_t chroma, uint32_t row,
                                       const xc_gpu_rans_entry *entries)
{
	uint32_t times[XC_SLOTS];
	XC_FOR_LANES(lane)
		times[XC_SLOT(lane)] = xc_gpu_push_row(&l[XC_SLOT(lane)], chroma, row);
	uint32_t time = xc_warp_most(times);
	XC_FOR_LANES(lane) {
		xc_gpu_push_lane *const own = &l[XC_SLOT(lane)];
		xc_gpu_push_look_ahead(j, own, time - 1);
		for (uint32_t part = 4; part-- > 1;)
			xc_gpu_push_fetch(own, part);
		xc_gpu_push_commit();
		xc_gpu_push_fetch(own, 0);
		xc_gpu_push_commit();
	}
	/* Before time 0 is one at which no lane has a block. */
	while (time-- > 0) {
		XC_FOR_LANES(lane) {
			xc_gpu_push_lane *const own = &l[XC_SLOT(lane)];
			own->active = own->soon;
			own->flags = own->soon_flags;
			xc_gpu_push_look_ahead(j, own, time - 1);
		}
		xc_gpu_push_time(l, entries);
	}
}

/* Half-word number i of a segment: states, words, and the raw bits that states do not carry. */
XC_GPU_INLINE uint32_t xc_gpu_segment_half(uint32_t i, uint32_t words, const uint16_t *first,
                                           const uint16_t *raw)
{
	return i < words ? first[i] : raw[i - words];
}

/* Puts the segment of half `which` of the warp together. */
XC_WARP_INLINE void xc_gpu_push_end(const xc_gpu_encode_job *j, uint32_t tile, uint32_t picture,
                                    const uint32_t state[XC_SLOTS], uint32_t n, uint32_t which)
{
	const xc_gpu_coded_tile c = xc_gpu_coded_tile_at(j, tile, picture);
	const uint32_t luma = c.luma_blocks / c.luma_wide;
	const uint32_t chroma = j->components > 1 ? 2 * (c.chroma_blocks / c.wide) : 0;
	const uint32_t most = luma > chroma ? luma : chroma;
	const uint32_t lanes = most < XC_RANS_LANES ? most : XC_RANS_LANES;
	const uint16_t *const end = (const uint16_t *)(const void *)xc_gpu_slot(j, c.first + c.blocks,
	                                                                        j->depth == 16);
	const uint32_t bits = j->raw_bits[(size_t)picture * j->tiles + tile];
	const uint32_t raw = (bits + 7) / 8, left = raw > 2 * lanes ? raw - 2 * lanes : 0;
	const uint32_t bytes = 4 * lanes + 2 * n + left, all = (2 * n + left + 3) / 4;
	const uint16_t *const rest = (const uint16_t *)(const void *)xc_gpu_rans_raw(j, c.first) +
	                             lanes;
	uint32_t place[XC_SLOTS];
	XC_FOR_LANES(lane) {
		place[XC_SLOT(lane)] = 0;
		if (lane == 0)
			place[XC_SLOT(lane)] = xc_gpu_take_arena(j, picture, tile, bytes);
	}
	uint32_t *const out = xc_gpu_arena_at(j, picture, xc_warp_of(place, 0), bytes);
	if (!out)
		return;
	XC_FOR_LANES(lane) {
		const uint32_t row = (uint32_t)lane - which * XC_RANS_LANES;
		if (row < lanes)
			out[row] = state[XC_SLOT(lane)];
		/* Several loads are under way at once. */
		for (uint32_t i = (uint32_t)lane; i < all; i += XC_GPU_AT_ONCE * XC_WARP_LANES) {
			uint32_t word[XC_GPU_AT_ONCE];
			XC_UNROLL for (uint32_t k = 0; k < XC_GPU_AT_ONCE; k++)
			{
				const uint32_t at = xc_gpu_least(i + k * XC_WARP_LANES, all - 1);
				word[k] = xc_gpu_segment_half(2 * at, n, end - n, rest) |
				          xc_gpu_segment_half(2 * at + 1, n, end - n, rest) << 16;
			}
			XC_UNROLL for (uint32_t k = 0; k < XC_GPU_AT_ONCE; k++) if (i + k * XC_WARP_LANES < all)
				out[lanes + i + k * XC_WARP_LANES] = word[k];
		}
	}
}

/* The segments of `count` tiles, one or two, the first of which exists, as warp `warp` of the team. */
XC_WARP_INLINE void xc_gpu_push(const xc_gpu_encode_job *j, uint32_t tile, uint32_t count,
                                uint32_t picture, xc_gpu_push_shared *s, uint32_t warp)
{
	xc_gpu_push_lane l[XC_SLOTS];
	uint32_t rows[XC_SLOTS], state[XC_SLOTS], words[XC_SLOTS];
	XC_FOR_LANES(lane) {
		const uint32_t half = (uint32_t)lane / XC_RANS_LANES;
		xc_gpu_push_begin(j, (uint32_t)lane, half < count ? tile + half : j->tiles, picture,
		                  &l[XC_SLOT(lane)]);
		l[XC_SLOT(lane)].record = &s->records[warp].part[0][lane];
	}
	for (uint32_t chroma = j->components > 1 ? 2 : 1; chroma-- > 0;) {
		XC_FOR_LANES(lane)
			rows[XC_SLOT(lane)] = xc_gpu_push_rows(&l[XC_SLOT(lane)], chroma);
		const uint32_t bundles = (xc_warp_most(rows) + XC_RANS_LANES - 1) / XC_RANS_LANES;
		for (uint32_t i = bundles; i-- > 0;)
			xc_gpu_push_bundle(j, l, chroma, i * XC_RANS_LANES, s->entry[chroma]);
	}
	XC_FOR_LANES(lane) {
		state[XC_SLOT(lane)] = l[XC_SLOT(lane)].state;
		words[XC_SLOT(lane)] = l[XC_SLOT(lane)].count;
	}
	xc_warp_sync(); /* all lanes read the words */
	for (uint32_t half = 0; half < count && tile + half < j->tiles; half++)
		xc_gpu_push_end(j, tile + half, picture, state,
		                xc_warp_of(words, (int)half * XC_RANS_LANES), half);
}

#endif
