/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The symbols of one or two segments of the rANS mode, by a warp, which also checks their CRCs.
 * Output: words of eight symbols for each block (XC_GPU_SYMBOL_WORDS), and the raw bits of each
 * segment as one stream (xc_gpu_raw_of()). Called by gpu/decode/rans/rans.cu.
 */
#ifndef XC_GPU_DECODE_RANS_SYMBOLS_H
#define XC_GPU_DECODE_RANS_SYMBOLS_H

#include "gpu/decode/bits.h"
#include "gpu/decode/job.h"
#include "gpu/decode/rans/tables.h"
#include "gpu/decode/warp_group.h"
#include "gpu/runtime/warp.h"

/*
 * A lane decodes the symbols of a row of blocks of a segment (doc/format.md, 5.12.4). Half a warp
 * has the sixteen lanes of a segment, and each lane a column of symbols (gpu/decode/rans/tables.h).
 */

enum {
	/* Bytes of the ring of a segment, a power of two; the maximum that a zone needs, with the DC
	 * and the flag before it; bytes loaded at once. */
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
	uint32_t filled;   /* end of the bytes in the ring */
	uint32_t *ring;
	uint32_t valid;            /* 1: the segment can be decoded */
	uint32_t half, lower, bit; /* masks: its lanes, its lower lanes, itself */
	uint32_t wide[2], high[2]; /* blocks of luma and of a component of chroma */
	uint32_t *out;             /* first block of the segment that it packs for */
	uint32_t set;              /* index of its tables in shared memory */
	/* The row of blocks. */
	uint32_t columns, offset, top, listed, block;
	/* The block. */
	uint8_t *own;                      /* column */
	const uint8_t *left, *up;          /* columns of its neighbours */
	uint32_t active, coded;            /* coded: this zone has symbols */
	uint32_t sums, sums_left, sums_up; /* sums by zone, at most 2, two bits each */
	uint32_t part, previous, sum;      /* partial expectation; last symbol; sum of the zone */
	uint8_t *to;                       /* destination of the next symbol */
	/* The symbol. */
	uint32_t state, next, symbol; /* next: the state after the symbol */
} xc_gpu_rans_lane;

/* ---------------------------------------------------------------- what GPUs have */

/* The minimum, or the maximum, of a + b and c, in both halves of words. */
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

/* -------------------------------------------------------------------- symbols */

/* Finds the symbol of the state among symbols 0 to 2 `words`, a constant: 2, 4 or 8. If it finds
 * symbol 2 `words` and words < 8, the symbol may be larger, and `next` is undefined.
 *
 * Without a search: for each symbol, 16 times the slot's distance from the symbol's first slot,
 * plus 15 minus the symbol, modulo 2^16. The minimum belongs to the symbol, the maximum, which
 * wrapped around, to the next one. Both start with symbol 0 and the end of all slots. Finally they
 * are moved to the upper half, where a comparison does not depend on the lower half. */
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

/* Returns 1 if the next state needs a word. */
XC_GPU_INLINE uint32_t xc_gpu_needs_word(const xc_gpu_rans_lane *l)
{
	return l->next < 1u << XC_RANS_STATE_BITS;
}

/* Bytes i to i + 3 of the segment, the first one lowest; i is a multiple of 4. Reads are clamped to
 * the last word; only a damaged segment uses bytes past the end. */
XC_GPU_INLINE uint32_t xc_gpu_segment_word(const xc_gpu_rans_lane *l, uint32_t i)
{
	const uint32_t first = xc_gpu_min(i / 4, l->bits.last);
	const uint32_t second = xc_gpu_min(i / 4 + 1, l->bits.last);
	return xc_gpu_funnel(l->bits.words[first], l->bits.words[second], l->bits.begin);
}

/* Takes the symbol if `coded` is 1; need: the lanes that need a word, uniform. If any does, every
 * lane loads one, so that none diverges. */
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

/* ----------------------------------------------------- expectations of symbols */

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

/* Shared by all segments of a thread block. */
typedef struct xc_gpu_rans_shared {
	const xc_gpu_rans_model *model;
	const xc_gpu_rans_tables *tables; /* sets of them */
	const xc_crc_read_tables *crc;
} xc_gpu_rans_shared;

/* Loads into the rings what the next zone can need. */
XC_WARP_INLINE void xc_gpu_fill_rings(xc_gpu_rans_lane lanes[XC_SLOTS])
{
	uint32_t short_of[XC_SLOTS];

	for (;;) {
		XC_FOR_LANES(lane) {
			const xc_gpu_rans_lane *l = &lanes[XC_SLOT(lane)];
			short_of[XC_SLOT(lane)] = l->filled < l->at + XC_GPU_RING_NEEDED && l->filled < l->size;
		}
		if (!xc_warp_ballot(short_of))
			return;
		XC_FOR_LANES(lane) {
			xc_gpu_rans_lane *l = &lanes[XC_SLOT(lane)];
			XC_UNROLL
			for (uint32_t i = 0; i < XC_GPU_RING_PIECE; i += 4 * XC_RANS_LANES) {
				const uint32_t at = l->filled + i + 4 * ((uint32_t)lane % XC_RANS_LANES);
				if (short_of[XC_SLOT(lane)])
					l->ring[at % XC_GPU_RING / 4] = xc_gpu_segment_word(l, at);
			}
			l->filled += short_of[XC_SLOT(lane)] ? XC_GPU_RING_PIECE : 0;
		}
		xc_warp_sync();
	}
}

/* Zeroes a zone in which no lane has symbols. dirty: its symbols may be nonzero. */
XC_WARP_INLINE void xc_gpu_skip_zone(xc_gpu_rans_lane lanes[XC_SLOTS], uint32_t first,
                                     uint32_t after, int dirty)
{
	XC_FOR_LANES(lane) {
		xc_gpu_rans_lane *l = &lanes[XC_SLOT(lane)];
		if (dirty) {
			XC_UNROLL
			for (uint32_t k = first; k < after; k++)
				l->own[xc_gpu_column_of(k)] = 0;
		}
		l->sum = 0;
		l->previous = 0;
	}
	xc_warp_sync();
}

/* The words of a row that are compared in a zone: enough for most of its symbols. With low_latency
 * all, so that no symbol is searched twice. */
XC_GPU_CONSTANT uint32_t xc_gpu_words_of(uint32_t zone, int low_latency)
{
	return low_latency || zone == 0 ? 8 : zone < XC_RANS_ZONES - 1 ? 4 : 2;
}

/* Finds the symbols of all lanes in `words` words of their rows. Returns the lanes that need a word
 * or may have a larger symbol; `larger` marks the latter. */
XC_WARP_INLINE uint32_t xc_gpu_find_symbols(xc_gpu_rans_lane lanes[XC_SLOTS],
                                            const xc_gpu_rans_shared *shared, uint32_t chroma,
                                            uint32_t zone, const uint32_t expected[XC_SLOTS],
                                            uint32_t words, uint32_t larger[XC_SLOTS])
{
	uint32_t need[XC_SLOTS];

	XC_FOR_LANES(lane) {
		xc_gpu_rans_lane *l = &lanes[XC_SLOT(lane)];
		xc_gpu_find_symbol(l, &shared->tables[l->set].of[chroma][zone > 0], expected[XC_SLOT(lane)],
		                   words);
		larger[XC_SLOT(lane)] = words < 8 && l->coded && l->symbol == 2 * words;
		need[XC_SLOT(lane)] = larger[XC_SLOT(lane)] | (l->coded & xc_gpu_needs_word(l));
	}
	return xc_warp_ballot(need);
}

/* Decodes the symbols at a position of zone `zone`. now: the last word of its weights; `part` has
 * the others; next: the weights of the next position. */
XC_WARP_INLINE void xc_gpu_decode_position(xc_gpu_rans_lane lanes[XC_SLOTS],
                                           const xc_gpu_rans_shared *shared, uint32_t chroma,
                                           uint32_t zone, uint32_t now,
                                           const xc_gpu_rans_weights *next, int low_latency)
{
	const uint32_t words = xc_gpu_words_of(zone, low_latency);
	uint32_t expected[XC_SLOTS], larger[XC_SLOTS];

	XC_FOR_LANES(lane) {
		xc_gpu_rans_lane *l = &lanes[XC_SLOT(lane)];
		expected[XC_SLOT(lane)] = xc_gpu_expect_high(l->part, l->previous, now);
		l->part = xc_gpu_expect_part(l->own, l->left, l->up, next);
	}
	uint32_t mask = xc_gpu_find_symbols(lanes, shared, chroma, zone, expected, words, larger);
	if (words < 8 && mask && xc_warp_any(larger))
		mask = xc_gpu_find_symbols(lanes, shared, chroma, zone, expected, 8, larger);
	XC_FOR_LANES(lane) {
		xc_gpu_rans_lane *l = &lanes[XC_SLOT(lane)];
		xc_gpu_take_word(l, l->coded, mask);
		const uint32_t symbol = l->coded ? l->symbol : 0;
		XC_GPU_SHARED(l->to);
		*l->to = (uint8_t)symbol;
		l->to = l->own + xc_gpu_weights_offset(next);
		l->previous = symbol;
		l->sum += symbol;
	}
	xc_warp_sync();
}

/* Decodes a zone, positions first to after - 1; zone, first, after: constants. dirty: a bit for
 * each zone whose symbols in shared memory may be nonzero. The positions are a loop, because
 * unrolled code would exceed the instruction caches. State: now, soon: last words of the weights of
 * this position and the next; of each lane part, previous, sum and to. The rings hold enough for a
 * zone. */
XC_WARP_INLINE void xc_gpu_decode_positions(xc_gpu_rans_lane lanes[XC_SLOTS],
                                            const xc_gpu_rans_shared *shared, uint32_t chroma,
                                            uint32_t zone, uint32_t first, uint32_t after,
                                            uint32_t *dirty, int low_latency)
{
	const xc_gpu_rans_weights *w = shared->model->at[chroma];
	uint32_t flag[XC_SLOTS];

	xc_gpu_fill_rings(lanes);
	XC_FOR_LANES(lane) {
		xc_gpu_rans_lane *l = &lanes[XC_SLOT(lane)];
		const uint32_t expected = xc_gpu_expect_flag(l, shared->model->flag[chroma][zone], zone,
		                                             first);
		xc_gpu_find_flag(l, shared->tables[l->set].zeros[chroma][zone], expected);
		flag[XC_SLOT(lane)] = l->active & xc_gpu_needs_word(l);
	}
	const uint32_t mask = xc_warp_ballot(flag);
	XC_FOR_LANES(lane) {
		xc_gpu_rans_lane *l = &lanes[XC_SLOT(lane)];
		xc_gpu_take_word(l, l->active, mask);
		l->coded = l->active & l->symbol;
		flag[XC_SLOT(lane)] = l->coded;
	}
	if (!xc_warp_ballot(flag)) {
		xc_gpu_skip_zone(lanes, first, after, *dirty >> zone & 1);
		*dirty &= ~(1u << zone);
		return;
	}
	*dirty |= 1u << zone;
	uint32_t now = w[first].last, soon = w[first + 1].last;
	XC_FOR_LANES(lane) {
		xc_gpu_rans_lane *l = &lanes[XC_SLOT(lane)];
		l->part = xc_gpu_expect_part(l->own, l->left, l->up, &w[first]);
		l->to = l->own + xc_gpu_weights_offset(&w[first]);
		l->sum = 0;
	}
	xc_warp_sync(); /* the lane below has read this one's symbol at the first position */
	XC_ROLLED
	for (uint32_t k = first; k < after; k++) {
		/* Offsets are loaded one step ahead of the weights, since other loads depend on them. */
		const xc_gpu_rans_weights next = {w[k + 1].own, w[k + 1].left, w[k + 1].up, soon};
		soon = w[k + 2].last;
		xc_gpu_decode_position(lanes, shared, chroma, zone, now, &next, low_latency);
		now = next.last;
	}
	XC_FOR_LANES(lane) {
		xc_gpu_rans_lane *l = &lanes[XC_SLOT(lane)];
		l->sums |= xc_gpu_min(l->sum, 2) << 2 * zone;
	}
}

XC_WARP_INLINE void xc_gpu_decode_dc(xc_gpu_rans_lane lanes[XC_SLOTS],
                                     const xc_gpu_rans_shared *shared, uint32_t chroma)
{
	uint32_t need[XC_SLOTS];

	XC_FOR_LANES(lane) {
		xc_gpu_rans_lane *l = &lanes[XC_SLOT(lane)];
		const uint32_t expected = xc_gpu_expect_dc(l, shared->model->dc[chroma]);
		xc_gpu_find_symbol(l, &shared->tables[l->set].of[chroma][XC_RANS_DC_SET], expected << 16,
		                   8);
		need[XC_SLOT(lane)] = l->active & xc_gpu_needs_word(l);
	}
	const uint32_t mask = xc_warp_ballot(need);
	xc_warp_sync(); /* the lane below has read this one's DC */
	XC_FOR_LANES(lane) {
		xc_gpu_rans_lane *l = &lanes[XC_SLOT(lane)];
		xc_gpu_take_word(l, l->active, mask);
		l->previous = l->active ? l->symbol : 0;
		l->own[0] = (uint8_t)l->previous;
		l->sum = 0;
	}
	xc_warp_sync();
}

/* Stores the symbols of the lanes' blocks at this step. */
XC_WARP_INLINE void xc_gpu_finish_symbols(const xc_gpu_rans_lane lanes[XC_SLOTS],
                                          const xc_gpu_rans_memory *memory, uint32_t step)
{
	uint32_t block[XC_SLOTS], *out[XC_SLOTS];

	XC_FOR_LANES(lane) {
		const xc_gpu_rans_lane *l = &lanes[XC_SLOT(lane)];
		block[XC_SLOT(lane)] = l->active ? l->block + step - l->offset : XC_GPU_NO_BLOCK;
		out[XC_SLOT(lane)] = l->out;
	}
	xc_gpu_finish_columns(&memory->columns, block, out);
}

/* Lanes move on to their blocks of this step. */
XC_WARP_INLINE void xc_gpu_wavefront_advance(xc_gpu_rans_lane lanes[XC_SLOTS], uint32_t step)
{
	uint32_t above[XC_SLOTS];

	XC_FOR_LANES(lane)
		above[XC_SLOT(lane)] = lanes[XC_SLOT(lane)].sums;
	xc_warp_up(above);
	XC_FOR_LANES(lane) {
		xc_gpu_rans_lane *l = &lanes[XC_SLOT(lane)];
		l->active = l->listed & (step - l->offset < l->columns);
		l->sums_up = l->top ? l->sums : above[XC_SLOT(lane)];
		l->up = l->own - !l->top;
		l->left = step == l->offset ? l->up : l->own;
		l->sums_left = step == l->offset ? l->sums_up : l->sums;
		l->sums = 0;
	}
}

/* Assigns each lane its row of the list of class `chroma` from `row` on. Returns the steps of the
 * bundle. */
XC_WARP_INLINE uint32_t xc_gpu_take_rows(xc_gpu_rans_lane lanes[XC_SLOTS],
                                         xc_gpu_rans_memory *memory, uint32_t chroma, uint32_t row)
{
	uint32_t steps[XC_SLOTS];

	xc_warp_sync();
	XC_FOR_LANES(lane) {
		xc_gpu_rans_lane *l = &lanes[XC_SLOT(lane)];
		const uint32_t i = (uint32_t)lane % XC_RANS_LANES, high = chroma ? l->high[1] : l->high[0];
		const uint32_t zeros[4] = {0, 0, 0, 0};
		for (uint32_t j = (uint32_t)lane; j < sizeof memory->columns / 16; j += XC_WARP_LANES)
			xc_gpu_store_vec16((uint32_t *)(void *)&memory->columns + 4 * j, zeros);
		const uint32_t y = high ? (row + i) % high : 0;
		l->columns = chroma ? l->wide[1] : l->wide[0];
		l->listed = l->valid && row + i < high << chroma;
		l->offset = xc_gpu_min(i, y);
		l->top = !l->offset;
		l->block = (chroma ? l->wide[0] * l->high[0] : 0) + (row + i) * l->columns;
		l->sums = 0;
		steps[XC_SLOT(lane)] = l->listed ? l->columns + l->offset : 0;
	}
	xc_warp_sync();
	return xc_warp_max(steps);
}

/* All blocks of a bundle of rows. */
XC_WARP_INLINE void xc_gpu_decode_bundle(xc_gpu_rans_lane lanes[XC_SLOTS],
                                         xc_gpu_rans_memory *memory,
                                         const xc_gpu_rans_shared *shared, uint32_t chroma,
                                         uint32_t row, int low_latency)
{
	const uint32_t steps = xc_gpu_take_rows(lanes, memory, chroma, row);
	uint32_t dirty = 0;

	XC_ROLLED
	for (uint32_t step = 0; step < steps; step++) {
		xc_gpu_wavefront_advance(lanes, step);
		xc_gpu_fill_rings(lanes);
		xc_gpu_decode_dc(lanes, shared, chroma);
		xc_gpu_decode_positions(lanes, shared, chroma, 0, 1, 10, &dirty, low_latency);
		xc_gpu_decode_positions(lanes, shared, chroma, 1, 10, 28, &dirty, low_latency);
		xc_gpu_decode_positions(lanes, shared, chroma, 2, 28, 64, &dirty, low_latency);
		xc_gpu_finish_symbols(lanes, memory, step);
	}
}

/* -------------------------------------------------------------- the segments of a warp */

/* A segment to decode. */
typedef struct xc_gpu_rans_work {
	const xc_gpu_decode_job *job;
	const xc_gpu_segment *segment;
	uint32_t tile; /* of the picture */
	uint32_t set;  /* of tables in shared memory */
	xc_gpu_segment_result *result;
} xc_gpu_rans_work;

/* The number of lanes of a segment. */
XC_GPU_INLINE uint32_t xc_gpu_lanes_of(const xc_tile *t)
{
	const uint32_t luma = t->blocks_high[0], chroma = 2 * t->blocks_high[1];
	return xc_gpu_min(luma > chroma ? luma : chroma, XC_RANS_LANES);
}

XC_GPU_INLINE xc_tile xc_gpu_tile_of(const xc_gpu_decode_job *p, uint32_t tile)
{
	const xc_tile_mcus mcus = xc_gpu_job_tile(p, tile % p->tiles_wide, tile / p->tiles_wide);
	return xc_tile_of(&mcus, p->components, p->h, p->v);
}

/* Sets the lane up for a segment, whose lane `i` it is. */
XC_GPU_INLINE void xc_gpu_begin_lane(xc_gpu_rans_lane *l, const xc_gpu_rans_work *w, uint32_t i)
{
	const xc_gpu_decode_job *p = w->job;
	const xc_tile_mcus mcus = xc_gpu_job_tile(p, w->tile % p->tiles_wide, w->tile / p->tiles_wide);
	const xc_tile t = xc_tile_of(&mcus, p->components, p->h, p->v);
	const uint32_t lanes = xc_gpu_lanes_of(&t);
	const uint8_t *data = p->data + w->segment->start;

	XC_GPU_GLOBAL(data);
	l->size = w->segment->size;
	l->bits = xc_gpu_bits_of(data, l->size);
	l->at = l->filled = 4 * lanes;
	l->valid = 1;
	l->set = w->set;
	for (uint32_t c = 0; c < 2; c++) {
		l->wide[c] = t.blocks_wide[c];
		l->high[c] = t.blocks_high[c];
	}
	if (i < lanes)
		for (uint32_t b = 0; b < 4; b++)
			l->state |= (uint32_t)data[4 * i + b] << 8 * b;
}

/* Copies the raw bits of a segment to where xc_gpu_raw_of() finds them, as lane `i` of it: first
 * the bits that the states carry. */
XC_GPU_INLINE void xc_gpu_finish_raw(const xc_gpu_rans_lane *l, const xc_gpu_rans_work *w,
                                     uint32_t i)
{
	const xc_tile t = xc_gpu_tile_of(w->job, w->tile);
	const uint32_t lanes = xc_gpu_lanes_of(&t), left = l->size - l->at;
	uint32_t *raw = xc_gpu_raw_room(w->job, w->segment, w->tile);
	const uint8_t *data = w->job->data + w->segment->start;

	XC_GPU_GLOBAL(data);
	uint16_t *to = (uint16_t *)(void *)(raw + 1);
	/* Whole words, the last of which ends with zeros. */
	const uint32_t numbers = (lanes + (left + 1) / 2 + 1) & ~1u;
	if (i == 0)
		raw[0] = 2 * lanes + left;
	if (i < lanes)
		to[i] = (uint16_t)l->state;
	for (uint32_t n = lanes + i; n < numbers; n += XC_RANS_LANES) {
		const uint32_t at = 2 * (n - lanes);
		const uint32_t low = at < left ? data[l->at + at] : 0u;
		const uint32_t high = at + 1 < left ? data[l->at + at + 1] : 0u;
		to[n] = (uint16_t)(low | high << 8);
	}
}

/* Checks the CRC of a segment. Returns 1 if it matches and the segment holds all states. */
XC_WARP_INLINE int xc_gpu_check_segment(const xc_gpu_rans_work *w, const xc_crc_read_tables *crc,
                                        xc_gpu_segment_result *r)
{
	const xc_tile t = xc_gpu_tile_of(w->job, w->tile);

	return xc_gpu_check_crc(w->job, w->segment, crc, r) &&
	       w->segment->size >= 4 * xc_gpu_lanes_of(&t);
}

/* The end of the symbols: moves raw bits to their place and sets the results. */
XC_WARP_INLINE void xc_gpu_end_symbols(const xc_gpu_rans_lane lanes[XC_SLOTS],
                                       const xc_gpu_rans_work *work, uint32_t count)
{
	uint32_t wrong[XC_SLOTS];

	XC_FOR_LANES(lane) {
		const uint32_t s = (uint32_t)lane / XC_RANS_LANES, i = (uint32_t)lane % XC_RANS_LANES;
		const xc_gpu_rans_lane *l = &lanes[XC_SLOT(lane)];
		wrong[XC_SLOT(lane)] = 1;
		if (l->valid && l->at <= l->size) {
			const uint32_t used = l->high[0] > 2 * l->high[1] ? l->high[0] : 2 * l->high[1];
			wrong[XC_SLOT(lane)] = i < used && l->state >> XC_RANS_STATE_BITS != 1;
			xc_gpu_finish_raw(l, &work[s], i);
		}
	}
	const uint32_t mask = xc_warp_ballot(wrong);
	XC_FOR_LANES(lane)
		if ((uint32_t)lane < count)
			work[lane].result->intact = !(mask >> XC_RANS_LANES * (uint32_t)lane & 0xffff);
	xc_warp_sync();
}

/* Checks `count` segments and sets `intact` to whether they can be decoded. */
XC_WARP_INLINE void xc_gpu_begin_symbols(const xc_gpu_rans_work *work, uint32_t count,
                                         const xc_crc_read_tables *crc)
{
	for (uint32_t s = 0; s < count; s++) {
		xc_gpu_segment_result r;
		r.intact = (uint32_t)xc_gpu_check_segment(&work[s], crc, &r);
		XC_FOR_LANES(lane)
			if (lane == 0)
				*work[s].result = r;
	}
	xc_warp_sync();
}

/* Decodes the symbols of `count` segments, 1 or 2. low_latency, a constant: few warps share a multiprocessor, so latency
 * matters more than the number of instructions. Raw bits may still reveal damage in a segment whose result is
 * intact. */
XC_WARP_INLINE void xc_gpu_decode_symbols(const xc_gpu_rans_work *work, uint32_t count,
                                          xc_gpu_rans_memory *memory,
                                          const xc_gpu_rans_shared *shared, int low_latency)
{
	xc_gpu_rans_lane lanes[XC_SLOTS];
	uint32_t rows[XC_SLOTS], chroma_rows[XC_SLOTS];

	xc_gpu_begin_symbols(work, count, shared->crc);
	XC_FOR_LANES(lane) {
		const uint32_t s = (uint32_t)lane / XC_RANS_LANES, i = (uint32_t)lane % XC_RANS_LANES;
		xc_gpu_rans_lane *l = &lanes[XC_SLOT(lane)];
		memset(l, 0, sizeof *l);
		l->half = 0xffffu << XC_RANS_LANES * s;
		l->bit = 1u << lane;
		l->lower = l->half & (l->bit - 1);
		l->own = &memory->columns.symbol[0][lane];
		l->ring = memory->ring[s];
		const xc_gpu_rans_work *packs = &work[count > 1 && lane % 8 >= 4];
		const xc_tile_mcus m = xc_gpu_job_tile(packs->job, packs->tile % packs->job->tiles_wide,
		                                       packs->tile / packs->job->tiles_wide);
		l->out = packs->job->symbols[(size_t)m.before * packs->job->mcu_blocks].word;
		if (s < count && work[s].result->intact)
			xc_gpu_begin_lane(l, &work[s], i);
		rows[XC_SLOT(lane)] = l->high[0];
		chroma_rows[XC_SLOT(lane)] = 2 * l->high[1];
	}
	const uint32_t luma = (xc_warp_max(rows) + XC_RANS_LANES - 1) / XC_RANS_LANES;
	const uint32_t all = luma + (xc_warp_max(chroma_rows) + XC_RANS_LANES - 1) / XC_RANS_LANES;
	XC_ROLLED
	for (uint32_t i = 0; i < all; i++)
		xc_gpu_decode_bundle(lanes, memory, shared, i >= luma,
		                     (i < luma ? i : i - luma) * XC_RANS_LANES, low_latency);
	xc_gpu_end_symbols(lanes, work, count);
}

#endif
