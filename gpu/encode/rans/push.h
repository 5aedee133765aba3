/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * States take symbols in: half a warp takes a tile, a lane its rows of blocks, from the last symbol to the first.
 * What a lane's state gives does not depend on other lanes, so lanes go through their rows side by side and
 * without the lags that a decoder's lanes have.  They leave the words of each row, and of each block which of
 * its symbols gave one; gpu/encode/rans/weave.h puts them in a decoder's order.
 *
 * The record of a lane's block is in shared memory.  Parts of the next block's come there as soon as those of this
 * one have been read.
 */
#ifndef XC_GPU_ENCODE_RANS_PUSH_H
#define XC_GPU_ENCODE_RANS_PUSH_H

#include "gpu/encode/rans/symbols.h"

/* What block i of a tile gave, in place of the tile's symbols, which nobody needs any more: two words of bits, of
 * positions that gave a word; such bits of its three flags; and where in its slot its first word is, counted in words. */
XC_GPU_INLINE xc_gpu_token_group *xc_gpu_push_marks_at(const xc_gpu_encode_job *j,
                                                       const xc_gpu_coded_tile *c, uint32_t i)
{
	return j->symbols + c->first + i;
}

/* Room for the words of a block, in place of slots, which nobody needs any more either. */
XC_GPU_INLINE uint16_t *xc_gpu_push_words_at(const xc_gpu_encode_job *j, size_t block)
{
	return (uint16_t *)j->tokens + block * XC_GPU_AC_SLOTS * (j->depth == 16 ? 2 : 1);
}

/* What a warp has in shared memory: parts of the records of its lanes' blocks, and the model's entries. */
typedef struct xc_gpu_push_shared {
	xc_gpu_token_group part[4][XC_WARP_LANES];
	xc_gpu_rans_entry entry[2][XC_GPU_RANS_ENTRIES];
} xc_gpu_push_shared;

/* A lane on its way.  Lanes of the upper half of a warp work on another tile. */
typedef struct xc_gpu_push_lane {
	size_t first; /* block of the tile among those of all pictures */
	uint32_t wide[2], high[2], luma;
	uint32_t row; /* 0 to 15 */
	uint32_t state;
	uint32_t across;                       /* blocks of its row of this bundle, or 0 */
	size_t block;                          /* the row's first */
	xc_gpu_token_group *marks;             /* of that block */
	uint16_t *end;                         /* of the row's slots: words are put before it, */
	int32_t at;                            /* the last one of them here */
	uint32_t active, flags;                /* of this block */
	uint32_t soon, soon_flags;             /* of the next, */
	uint32_t later_flags;                  /* and of the one after it */
	uint32_t given[2], given_flags;        /* see xc_gpu_push_marks_at() */
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

/* Block `at` of the lane's row, if it has so many, becomes its next one. */
XC_GPU_INLINE void xc_gpu_push_look_ahead(const xc_gpu_encode_job *j, xc_gpu_push_lane *l,
                                          uint32_t at)
{
	l->soon = at < l->across;
	l->soon_flags = l->later_flags;
	l->soon_record = j->records + 4 * (l->block + at);
	l->later_flags = at - 1 < l->across ? j->flags[l->block + at - 1] : 0;
}

/* ------------------------------------------------------------------ states */

/* Prepares a lane for tile number `tile`, which may not exist. */
XC_GPU_INLINE void xc_gpu_push_begin(const xc_gpu_encode_job *j, uint32_t lane, uint32_t tile,
                                     uint32_t picture, xc_gpu_push_lane *l)
{
	l->row = lane % XC_RANS_LANES;
	l->wide[0] = l->wide[1] = l->high[0] = l->high[1] = l->luma = 0;
	l->state = 0;
	l->first = 0;
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
	l->state = 1u << XC_RANS_STATE_BITS |
	           ((const uint16_t *)(const void *)xc_gpu_rans_raw(j, c.first))[l->row];
}

/* Rows of the longer list. */
XC_GPU_INLINE uint32_t xc_gpu_most_rows(uint32_t luma, uint32_t chroma)
{
	return luma > chroma ? luma : chroma;
}

/* Rows in a list of the lane's tile: of luma, or of both components of chroma. */
XC_GPU_INLINE uint32_t xc_gpu_push_rows(const xc_gpu_push_lane *l, uint32_t chroma)
{
	return chroma ? 2 * l->high[1] : l->high[0];
}

/* Takes the lane's row of the bundle that begins with `row`. */
XC_GPU_INLINE void xc_gpu_push_row(const xc_gpu_encode_job *j, xc_gpu_push_lane *l, uint32_t chroma,
                                   uint32_t row)
{
	const uint32_t own = row + l->row, across = chroma ? l->wide[1] : l->wide[0];
	l->across = own < xc_gpu_push_rows(l, chroma) ? across : 0;
	const size_t at = (chroma ? l->luma : 0) + (size_t)own * across;
	l->block = l->first + at;
	l->marks = j->symbols + l->first + at;
	/* The slots are not needed any more.  A block's symbols take 101 bytes at most. */
	l->end = xc_gpu_push_words_at(j, l->block + l->across);
	l->at = 0;
}

/* Lets the states of all lanes take a symbol each, or none (XC_GPU_RANS_NONE).  All calculate, so that few branches
 * divide them.  given: gets a bit if the symbol gives a word. */
XC_WARP_INLINE void xc_gpu_push_symbol(xc_gpu_push_lane l[XC_SLOTS],
                                       const xc_gpu_rans_entry e[XC_SLOTS], uint32_t bit,
                                       uint32_t given[XC_SLOTS])
{
	XC_FOR_LANES(lane) {
		xc_gpu_push_lane *const own = &l[XC_SLOT(lane)];
		uint32_t x = own->state, high = x >> 16;
		const uint32_t full = x > xc_gpu_rans_limit(e[XC_SLOT(lane)]);
		XC_OPAQUE(high, "r"); /* ready before it is known whether it is wanted */
		own->state = xc_gpu_rans_pushed(full ? high : x, e[XC_SLOT(lane)]);
		if (full) {
			own->at--;
			XC_GPU_GLOBAL(own->end);
			own->end[own->at] = (uint16_t)x;
			given[XC_SLOT(lane)] |= bit;
		}
		XC_OPAQUE_AGAIN(x, "r"); /* the next state must not wait until this one has been stored */
	}
}

/* The entry at so many bytes. */
XC_GPU_INLINE xc_gpu_rans_entry xc_gpu_push_entry(const xc_gpu_rans_entry *entries, uint32_t bytes)
{
	return *(const xc_gpu_rans_entry *)(const void *)((const char *)entries + bytes);
}

/* Takes symbols with the numbers of their entries. */
XC_WARP_INLINE void xc_gpu_push_one(xc_gpu_push_lane l[XC_SLOTS], const uint32_t index[XC_SLOTS],
                                    const xc_gpu_rans_entry *entries, uint32_t bit,
                                    uint32_t given[XC_SLOTS])
{
	xc_gpu_rans_entry e[XC_SLOTS];
	XC_FOR_LANES(lane)
		e[XC_SLOT(lane)] = entries[index[XC_SLOT(lane)]];
	xc_gpu_push_symbol(l, e, bit, given);
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
 * them is loaded here, and entries before the states that wait for each other.  base: of the lane's entries. */
XC_WARP_INLINE void xc_gpu_push_four(xc_gpu_push_lane l[XC_SLOTS], const uint32_t coded[XC_SLOTS],
                                     const uint32_t base[XC_SLOTS], int w, int from, int to,
                                     uint32_t next[2][XC_SLOTS], const xc_gpu_rans_entry *entries)
{
	xc_gpu_rans_entry e[4][XC_SLOTS];
	uint32_t given[XC_SLOTS];
	XC_FOR_LANES(lane) {
		const int i = XC_SLOT(lane);
		const uint32_t numbers = xc_gpu_rans_numbers(next[0][i]);
		XC_UNROLL for (int n = to; n <= from; n++)
		{
			const uint32_t number = xc_gpu_pick(numbers, 0, 0x4440 | (uint32_t)n);
			e[n][i] = xc_gpu_push_entry(entries, base[i] + number * sizeof *entries);
		}
		next[0][i] = next[1][i];
		next[1][i] = xc_gpu_push_word(&l[i], w - 2, coded[i]);
		given[i] = 0;
	}
	XC_UNROLL for (int n = from; n >= to; n--) xc_gpu_push_symbol(l, e[n], 1u << n, given);
	XC_FOR_LANES(lane) {
		const int i = XC_SLOT(lane);
		const uint32_t at = given[i] << 4 * (w % 8);
		l[i].given[0] |= w < 8 ? at : 0;
		l[i].given[1] |= w < 8 ? 0 : at;
	}
}

/* Positions `from` down to `to`, all of one group, which are constants.  set: the first of its entries. */
XC_WARP_INLINE void xc_gpu_push_positions(xc_gpu_push_lane l[XC_SLOTS],
                                          const uint32_t coded[XC_SLOTS], int from, int to,
                                          uint32_t set, const xc_gpu_rans_entry *entries)
{
	uint32_t next[2][XC_SLOTS], base[XC_SLOTS];
	int w = from / 4;
	XC_FOR_LANES(lane) {
		const int n = XC_SLOT(lane);
		/* Where there are none all words are 0. */
		base[n] = (coded[n] ? set : XC_GPU_RANS_NONE) * (uint32_t)sizeof *entries;
		for (int i = 0; i < 2; i++)
			next[i][n] = xc_gpu_push_word(&l[n], w - i, coded[n]);
	}
	if (from % 4 != 3)
		xc_gpu_push_four(l, coded, base, w--, from % 4, 0, next, entries);
	XC_ROLLED for (; w >= (to + 3) / 4; w--)
		xc_gpu_push_four(l, coded, base, w, 3, 0, next, entries);
	if (to % 4)
		xc_gpu_push_four(l, coded, base, w, 3, to % 4, next, entries);
}

/* Group g, positions `first` to `end` - 1, all of which are constants; then its flag. */
XC_WARP_INLINE void xc_gpu_push_group(xc_gpu_push_lane l[XC_SLOTS], int g, int first, int end,
                                      const xc_gpu_rans_entry *entries)
{
	uint32_t index[XC_SLOTS], some[XC_SLOTS], given[XC_SLOTS];
	XC_FOR_LANES(lane) {
		const int i = XC_SLOT(lane);
		index[i] = l[i].active ? XC_GPU_RANS_FLAGS_AT + (uint32_t)g * XC_RANS_LEVELS * 2 +
		                             (l[i].flags >> 8 * g & 255)
		                       : XC_GPU_RANS_NONE;
		some[i] = l[i].active & l[i].flags >> 8 * g & 1;
	}
	if (xc_warp_ballot(some))
		xc_gpu_push_positions(l, some, end - 1, first, (g > 0) * XC_RANS_LEVELS * XC_RANS_SYMBOLS,
		                      entries);
	XC_FOR_LANES(lane)
		given[XC_SLOT(lane)] = l[XC_SLOT(lane)].given_flags;
	xc_gpu_push_one(l, index, entries, 1u << g, given);
	XC_FOR_LANES(lane)
		l[XC_SLOT(lane)].given_flags = given[XC_SLOT(lane)];
}

/* Leaves what block `at` of the row gave. */
XC_GPU_INLINE void xc_gpu_push_leave(const xc_gpu_encode_job *j, const xc_gpu_push_lane *l,
                                     uint32_t at)
{
	const uint16_t *const slot = xc_gpu_push_words_at(j, l->block + at);
	const xc_gpu_token_group group = {
		{l->given[0], l->given[1], l->given_flags, (uint32_t)(l->end + l->at - slot)}};
	if (l->active)
		l->marks[at] = group;
}

/* Block `at` of all lanes' rows, from its last symbol to the first. */
XC_WARP_INLINE void xc_gpu_push_block(const xc_gpu_encode_job *j, xc_gpu_push_lane l[XC_SLOTS],
                                      uint32_t at, const xc_gpu_rans_entry *entries)
{
	uint32_t index[XC_SLOTS], given[XC_SLOTS];
	XC_FOR_LANES(lane) {
		xc_gpu_push_lane *const own = &l[XC_SLOT(lane)];
		own->active = own->soon;
		own->flags = own->soon_flags;
		own->given[0] = own->given[1] = own->given_flags = 0;
		xc_gpu_push_look_ahead(j, own, at - 1);
	}
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
		index[i] = l[i].active ? XC_RANS_DC_SET * XC_RANS_LEVELS * XC_RANS_SYMBOLS +
		                             (xc_gpu_rans_numbers(l[i].record[0].deep[0]) & 255)
		                       : XC_GPU_RANS_NONE;
		given[i] = l[i].given[0];
		xc_gpu_push_fetch(&l[i], 0);
	}
	xc_gpu_push_commit();
	xc_gpu_push_one(l, index, entries, 1, given);
	XC_FOR_LANES(lane) {
		l[XC_SLOT(lane)].given[0] = given[XC_SLOT(lane)];
		xc_gpu_push_leave(j, &l[XC_SLOT(lane)], at);
	}
}

/* The bundle of each tile that begins with row `row` of a list. */
XC_WARP_INLINE void xc_gpu_push_bundle(const xc_gpu_encode_job *j, xc_gpu_push_lane l[XC_SLOTS],
                                       uint32_t chroma, uint32_t row,
                                       const xc_gpu_rans_entry *entries)
{
	uint32_t across[XC_SLOTS];
	XC_FOR_LANES(lane) {
		xc_gpu_push_row(j, &l[XC_SLOT(lane)], chroma, row);
		across[XC_SLOT(lane)] = l[XC_SLOT(lane)].across;
	}
	uint32_t at = xc_warp_most(across);
	XC_FOR_LANES(lane) {
		xc_gpu_push_lane *const own = &l[XC_SLOT(lane)];
		own->later_flags = at - 1 < own->across ? j->flags[own->block + at - 1] : 0;
		xc_gpu_push_look_ahead(j, own, at - 1);
		for (uint32_t part = 4; part-- > 1;)
			xc_gpu_push_fetch(own, part);
		xc_gpu_push_commit();
		xc_gpu_push_fetch(own, 0);
		xc_gpu_push_commit();
	}
	/* Before block 0 is one that no lane has. */
	while (at-- > 0)
		xc_gpu_push_block(j, l, at, entries);
}

/* The lanes of `count` tiles, one or two, the first of which exists.  States are left in place of the numbers of raw
 * bits. */
XC_WARP_INLINE void xc_gpu_push(const xc_gpu_encode_job *j, uint32_t tile, uint32_t count,
                                uint32_t picture, xc_gpu_push_shared *s)
{
	xc_gpu_push_lane l[XC_SLOTS];
	uint32_t rows[XC_SLOTS];
	XC_FOR_LANES(lane) {
		const uint32_t half = (uint32_t)lane / XC_RANS_LANES;
		xc_gpu_push_begin(j, (uint32_t)lane, half < count ? tile + half : j->tiles, picture,
		                  &l[XC_SLOT(lane)]);
		l[XC_SLOT(lane)].record = &s->part[0][lane];
	}
	for (uint32_t chroma = j->components > 1 ? 2 : 1; chroma-- > 0;) {
		XC_FOR_LANES(lane)
			rows[XC_SLOT(lane)] = xc_gpu_push_rows(&l[XC_SLOT(lane)], chroma);
		const uint32_t bundles = (xc_warp_most(rows) + XC_RANS_LANES - 1) / XC_RANS_LANES;
		for (uint32_t i = bundles; i-- > 0;)
			xc_gpu_push_bundle(j, l, chroma, i * XC_RANS_LANES, s->entry[chroma]);
	}
	XC_FOR_LANES(lane) {
		const xc_gpu_push_lane *const own = &l[XC_SLOT(lane)];
		if (own->row < xc_gpu_most_rows(own->high[0], 2 * own->high[1]))
			j->block_bits[own->first + own->row] = own->state;
	}
}

#endif
