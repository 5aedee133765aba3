/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The raw bits of a segment of the rANS mode, by a warp: where the bits of each block begin, which
 * depends on all blocks before it, and the DCs. gpu/decode/pixels.h makes all other values.
 */
#ifndef XC_GPU_DECODE_RANS_VALUES_H
#define XC_GPU_DECODE_RANS_VALUES_H

#include "gpu/decode/dc.h"
#include "gpu/decode/rans/symbols.h"

/* What the symbols of a block tell of its raw bits. */
typedef struct xc_gpu_rans_block {
	uint32_t dc;      /* the first symbol */
	uint32_t signs;   /* nonzero symbols */
	uint32_t bits;    /* raw bits, without the class bits of escapes */
	uint32_t escapes; /* escape symbols */
} xc_gpu_rans_block;

/* Adds up the lowest three bits of the symbols of a mask. */
XC_GPU_INLINE uint32_t xc_gpu_sum_symbols(uint32_t word, uint32_t symbols)
{
	return xc_gpu_count_bits(word & symbols) + 2 * xc_gpu_count_bits(word >> 1 & symbols) +
	       4 * xc_gpu_count_bits(word >> 2 & symbols);
}

/* Loads the symbols of block i of a tile of `blocks` blocks; 0 past the end. */
XC_GPU_INLINE void xc_gpu_fetch_symbols(uint32_t word[XC_GPU_SYMBOL_WORDS], const uint32_t *symbols,
                                        uint32_t i, uint32_t blocks)
{
	memset(word, 0, XC_GPU_SYMBOL_WORDS * sizeof *word);
	if (i < blocks) {
		xc_gpu_load_words(symbols + (size_t)i * XC_GPU_SYMBOL_WORDS, word);
		xc_gpu_load_words(symbols + (size_t)i * XC_GPU_SYMBOL_WORDS + 4, word + 4);
	}
}

/* Sets *b from the block's symbols. */
XC_GPU_INLINE void xc_gpu_count_symbols(xc_gpu_rans_block *b,
                                        const uint32_t word[XC_GPU_SYMBOL_WORDS])
{
	uint32_t all = 0;

	b->dc = word[0] & 15;
	b->signs = b->escapes = 0;
	XC_UNROLL
	for (int i = 0; i < XC_GPU_SYMBOL_WORDS; i++) {
		b->signs += xc_gpu_count_bits(xc_gpu_some_symbols(word[i]));
		all |= word[i];
	}
	b->bits = b->signs;
	if (!(all & 0x88888888))
		return;
	XC_UNROLL
	for (int i = 0; i < XC_GPU_SYMBOL_WORDS; i++) {
		const uint32_t x = word[i], large = xc_gpu_large_symbols(x);
		const uint32_t escapes = xc_gpu_count_bits(large & x & x >> 1 & x >> 2);
		b->escapes += escapes;
		b->bits += xc_gpu_sum_symbols(x, large) -
		           (XC_RANS_ESCAPE - 8 - XC_RANS_ESCAPE_BITS) * escapes;
	}
}

/* The class bits of the escapes of a block, whose raw bits begin at `at`. */
XC_GPU_INLINE uint32_t xc_gpu_escaped_bits(const xc_gpu_rans_block *b, const uint32_t *symbols,
                                           const xc_gpu_raw_stream *r, uint32_t at, int depth16,
                                           uint32_t *bad)
{
	const uint32_t begin = at + b->signs;

	at = begin;
	XC_ROLLED
	for (uint32_t i = 0; i < XC_GPU_SYMBOL_WORDS; i++) {
		const uint32_t x = symbols[i];
		uint32_t large = xc_gpu_large_symbols(x);
		while (large) {
			const uint32_t position = (uint32_t)xc_gpu_lowest(large);
			const uint32_t max = xc_gpu_max_size(i || position, depth16);
			(void)xc_gpu_raw_magnitude(xc_gpu_raw_bits(r, at), x >> position & 15, max, &at, bad);
			large &= large - 1;
		}
	}
	return at - begin - (b->bits - b->signs);
}

/* The difference of the DC of a block whose raw bits begin at `at`, in steps. */
XC_GPU_INLINE int32_t xc_gpu_dc_value(const xc_gpu_rans_block *b, const xc_gpu_raw_stream *r,
                                      uint32_t at, int depth16, uint32_t *bad)
{
	/* Both loads are issued together. */
	uint32_t magnitude = b->dc, classes = at + b->signs, sign = xc_gpu_raw_word(r, at / 32);

	XC_OPAQUE_AGAIN(sign, "r");
	if (magnitude >= XC_RANS_FIRST_CLASS)
		magnitude = xc_gpu_raw_magnitude(xc_gpu_raw_bits(r, classes), magnitude,
		                                 xc_gpu_max_size(0, depth16), &classes, bad);
	return sign >> at % 32 & 1 ? -(int32_t)magnitude : (int32_t)magnitude;
}

/* Returns 1 if the stream ends with the byte before bit `at`, or only the first `carried` bytes
 * exist, and the remaining bits are 0. */
XC_WARP_INLINE int xc_gpu_raw_ends(const xc_gpu_raw_stream *r, uint32_t at, uint32_t carried)
{
	const uint32_t used = at / 8 + (at % 8 != 0);
	uint32_t more[XC_SLOTS];

	if (used > r->bytes || (used < r->bytes && r->bytes > carried))
		return 0;
	XC_FOR_LANES(lane) {
		const uint32_t word = xc_gpu_raw_word(r, at / 32 + (uint32_t)lane);
		more[XC_SLOT(lane)] = lane ? word : word >> at % 32;
	}
	return !xc_warp_ballot(more);
}

/* The raw bits of `XC_WARP_LANES` blocks at a time. */
typedef struct xc_gpu_rans_blocks {
	xc_gpu_rans_block block[XC_SLOTS];
	uint32_t at[XC_SLOTS]; /* where they begin */
	uint32_t damage[XC_SLOTS];
} xc_gpu_rans_blocks;

/* Adds the class bits of escapes, one lane after another, since their position depends on all
 * before. symbols: of the first block. Returns their number. */
XC_WARP_INLINE uint32_t xc_gpu_add_escapes(xc_gpu_rans_blocks *b, const uint32_t *symbols,
                                           const xc_gpu_raw_stream *r, int depth16)
{
	uint32_t flag[XC_SLOTS], more[XC_SLOTS], all = 0;

	XC_FOR_LANES(lane) {
		flag[XC_SLOT(lane)] = b->block[XC_SLOT(lane)].escapes;
		more[XC_SLOT(lane)] = 0;
	}
	for (uint32_t mask = xc_warp_ballot(flag); mask; mask &= mask - 1) {
		const int next = xc_gpu_lowest(mask);
		XC_FOR_LANES(lane) {
			const int i = XC_SLOT(lane);
			if (lane == next)
				more[i] = xc_gpu_escaped_bits(&b->block[i], symbols + next * XC_GPU_SYMBOL_WORDS, r,
				                              b->at[i], depth16, &b->damage[i]);
		}
		const uint32_t added = xc_warp_of(more, next);
		XC_FOR_LANES(lane)
			b->at[XC_SLOT(lane)] += lane > next ? added : 0;
		all += added;
	}
	return all;
}

/* Sets, in the records, where the raw bits of a tile's blocks begin, and the DC differences.
 * Returns 1 if the bits are consistent with an intact segment. */
XC_WARP_INLINE int xc_gpu_find_raw_bits(const xc_gpu_raw_stream *r, const uint32_t *symbols,
                                        xc_gpu_block_record *records, int32_t *dc, uint32_t blocks,
                                        uint32_t carried, int depth16)
{
	uint32_t begin = 0, after[XC_SLOTS];
	uint32_t next[XC_SLOTS][XC_GPU_SYMBOL_WORDS]; /* of the next blocks, loaded ahead */
	xc_gpu_rans_blocks b;

	XC_FOR_LANES(lane) {
		b.damage[XC_SLOT(lane)] = 0;
		xc_gpu_fetch_symbols(next[XC_SLOT(lane)], symbols, (uint32_t)lane, blocks);
	}
	XC_ROLLED
	for (uint32_t first = 0; first < blocks; first += XC_WARP_LANES) {
		XC_FOR_LANES(lane) {
			xc_gpu_rans_block *own = &b.block[XC_SLOT(lane)];
			xc_gpu_count_symbols(own, next[XC_SLOT(lane)]);
			xc_gpu_fetch_symbols(next[XC_SLOT(lane)], symbols,
			                     first + XC_WARP_LANES + (uint32_t)lane, blocks);
			after[XC_SLOT(lane)] = own->bits;
		}
		xc_warp_scan(after);
		XC_FOR_LANES(lane)
			b.at[XC_SLOT(lane)] = begin + after[XC_SLOT(lane)] - b.block[XC_SLOT(lane)].bits;
		begin += xc_warp_of(after, XC_WARP_LANES - 1) +
		         xc_gpu_add_escapes(&b, symbols + (size_t)first * XC_GPU_SYMBOL_WORDS, r, depth16);
		XC_FOR_LANES(lane) {
			const int i = XC_SLOT(lane);
			const uint32_t block = first + (uint32_t)lane;
			if (block >= blocks)
				continue;
			records[block].first_bit = b.at[i];
			dc[block] = xc_gpu_dc_value(&b.block[i], r, b.at[i], depth16, &b.damage[i]) *
			            XC_STEP_PARTS;
		}
	}
	return !xc_warp_ballot(b.damage) && xc_gpu_raw_ends(r, begin, carried);
}

/* Finishes a segment whose symbols are decoded: raw bits and DCs. small: shared memory for a number
 * for each block, up to XC_GPU_SMALL_RANS_TILE. Returns 1 if the segment is intact; otherwise the
 * records are undefined. */
XC_WARP_INLINE uint32_t xc_gpu_finish_segment(const xc_gpu_decode_job *p, const xc_gpu_segment *s,
                                              uint32_t tile, int32_t *small, int depth16)
{
	const xc_tile_mcus mcus = xc_gpu_job_tile(p, tile % p->tiles_wide, tile / p->tiles_wide);
	const xc_tile t = xc_tile_of(&mcus, p->components, p->h, p->v);
	const size_t first_block = (size_t)mcus.before * p->mcu_blocks;
	const uint32_t *symbols = p->symbols[first_block].word;
	const xc_gpu_raw_stream raw = xc_gpu_raw_of(xc_gpu_raw_room(p, s, tile));
	xc_gpu_block_record *records = p->records + first_block;

	XC_GPU_GLOBAL(symbols);
	XC_GPU_GLOBAL(records);
	const xc_warp_group one = {1, 0, NULL, 0};
	const int is_small = t.blocks <= XC_GPU_SMALL_RANS_TILE;
	int32_t *dc = is_small ? small : p->dc + first_block;
	if (!xc_gpu_find_raw_bits(&raw, symbols, records, dc, t.blocks, 2 * xc_gpu_lanes_of(&t),
	                          depth16))
		return 0;
	/* Two calls, so that each accesses one kind of memory. */
	if (is_small) {
		xc_gpu_restore_differences(&one, &t, records, small, depth16, 1);
	} else {
		XC_GPU_GLOBAL(dc);
		xc_gpu_restore_differences(&one, &t, records, dc, depth16, 0);
	}
	xc_warp_sync();
	return 1;
}

#endif
