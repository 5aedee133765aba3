/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lanes of a warp that decodes segments of kept JPEGs, and how they take symbols and numbers. The code is a loop of
 * gpu/decode/jpeg/coefficients.h, and so is what bounds it: each step of a lane waits for the one before.
 */
#ifndef XC_GPU_DECODE_JPEG_SYMBOLS_H
#define XC_GPU_DECODE_JPEG_SYMBOLS_H

#include "gpu/decode/bits.h"
#include "gpu/decode/job.h"
#include "gpu/decode/jpeg/job.h"
#include "gpu/runtime/warp.h"

enum {
	XC_GPU_JPEG_WORDS = 16, /* of magnitudes of a block */
	XC_GPU_JPEG_ROOM = XC_GPU_JPEG_WORDS + 2 * XC_GPU_JPEG_PAD,
	/* Bytes of a segment in shared memory, a power of two; those loaded at once; what a number may need. */
	XC_GPU_JPEG_RING = 1024,
	XC_GPU_JPEG_PIECE = 4 * XC_GPU_JPEG_LANES,
	XC_GPU_JPEG_NEEDED = 2 * 2 * XC_GPU_JPEG_LANES
};

/* A warp's memory. Words of lanes lie side by side, so that all have banks of their own. */
typedef struct xc_gpu_jpeg_memory {
	/* Magnitudes of each lane's block, a byte each, row by row, of the block before and then of this one; and their
	 * sums to the left and above. */
	uint32_t magnitudes[XC_GPU_JPEG_ROOM][XC_WARP_LANES], sums[XC_GPU_JPEG_ROOM][XC_WARP_LANES];
	int32_t predicted[2][8][XC_WARP_LANES]; /* of the first column, of the first row */
	/* Coefficients of each lane's block in zigzag order, and two more. */
	int16_t values[XC_WARP_LANES][66];
	/* Magnitudes of the block above the first lane of each half. */
	uint32_t above[2][XC_GPU_JPEG_WORDS];
	uint32_t ring[2][XC_GPU_JPEG_RING / 4]; /* byte i of a segment is byte i % XC_GPU_JPEG_RING */
} __attribute__((aligned(16))) xc_gpu_jpeg_memory;

typedef struct xc_gpu_jpeg_lane {
	/* The segment. */
	const xc_gpu_jpeg_job *job;
	xc_gpu_bits bits;
	uint32_t at, size;     /* the next word; all bytes */
	uint32_t filled, soon; /* end of the bytes in the ring; the lane's word of those after it */
	const xc_bucket *tables;
	xc_gpu_jpeg_above *above;
	xc_gpu_jpeg_memory *memory;
	uint32_t lane, column;     /* 0 to 15; 0 to 31 */
	uint32_t ring;             /* which */
	uint32_t half, lower, bit; /* masks: its lanes, its lower lanes, itself */
	uint32_t band, tile;       /* where the segment is */
	uint32_t tile_mcus, rows_; /* its MCUs across and down */
	uint32_t bundle;           /* rows of a whole one */
	uint32_t running;          /* 1: there is a block of its half */
	/* The bundle of rows. */
	uint32_t c, chroma, row, rows, columns, steps, stride;
	int16_t *first; /* block of the lane's row */
	/* The step. */
	uint32_t step, active, no_left, no_up;
	/* Class, last of row and of column, a byte each, of the block before and then of this one; and the sum of those to
	 * the left and above. */
	uint32_t ends, near_;
	int32_t right[8], down[8], up[8], other[2][8];
	/* The states, which take turns. */
	uint32_t x, y;
} xc_gpu_jpeg_lane;

/* ------------------------------------------------------------------ symbols */

/* Bytes i to i + 3 of the segment, the first one lowest. Those past its last word are that one's: only a damaged
 * segment gets there, and is found to be at its end. */
XC_GPU_INLINE uint32_t xc_gpu_jpeg_word(const xc_gpu_jpeg_lane *l, uint32_t i)
{
	const uint32_t first = l->bits.begin / 8 + i, *words = l->bits.words;
	const uint32_t low = xc_gpu_min(first / 4, l->bits.last);
	const uint32_t high = xc_gpu_min(first / 4 + 1, l->bits.last);

	XC_GPU_GLOBAL(words);
	return xc_gpu_funnel(words[low], words[high], first % 4 * 8);
}

/* Fills the ring with what a number may take; the word after that is loaded, and waited for the next time. */
XC_WARP_INLINE void xc_gpu_jpeg_refill(xc_gpu_jpeg_lane lanes[XC_SLOTS])
{
	XC_FOR_LANES(lane) {
		xc_gpu_jpeg_lane *l = &lanes[XC_SLOT(lane)];
		while (l->filled < l->at + XC_GPU_JPEG_NEEDED) {
			const uint32_t i = l->filled % XC_GPU_JPEG_RING / 4 + l->lane;
			l->memory->ring[l->ring][i] = l->soon;
			l->filled += XC_GPU_JPEG_PIECE;
			l->soon = xc_gpu_jpeg_word(l, l->filled + 4 * l->lane);
		}
	}
	xc_warp_sync();
}

/* Gives a word to each lane whose state is low, in their order. */
XC_WARP_INLINE void xc_gpu_jpeg_renormalize(xc_gpu_jpeg_lane lanes[XC_SLOTS])
{
	uint32_t low[XC_SLOTS];

	XC_FOR_LANES(lane)
		low[XC_SLOT(lane)] = lanes[XC_SLOT(lane)].x < 1u << 16;
	const uint32_t need = xc_warp_ballot(low);
	if (!need)
		return;
	XC_FOR_LANES(lane) {
		xc_gpu_jpeg_lane *l = &lanes[XC_SLOT(lane)];
		const uint32_t at = (l->at + 2 * xc_gpu_count_bits(need & l->lower)) &
		                    (XC_GPU_JPEG_RING - 1);
		const char *ring = (const char *)l->memory->ring[l->ring];
		const uint32_t word = *(const uint16_t *)(const void *)(ring + at);
		l->x = low[XC_SLOT(lane)] ? l->x << 16 | word : l->x;
		l->at += 2 * xc_gpu_count_bits(need & l->half);
	}
}

XC_WARP_INLINE void xc_gpu_jpeg_symbol(xc_gpu_jpeg_lane lanes[XC_SLOTS],
                                       const uint32_t shape[XC_SLOTS],
                                       const uint32_t active[XC_SLOTS], uint32_t symbol[XC_SLOTS])
{
	xc_gpu_jpeg_refill(lanes);
	XC_FOR_LANES(lane) {
		xc_gpu_jpeg_lane *l = &lanes[XC_SLOT(lane)];
		const uint32_t bucket = l->x >> 8 & 15;
		const xc_bucket *from = l->tables + shape[XC_SLOT(lane)] * XC_SYMBOLS + bucket;
		XC_GPU_GLOBAL(from);
		const xc_bucket b = *from;
		const int other = (l->x & 255) >= b.own >> 24;
		const uint32_t entry = other ? b.other : b.own;
		const uint32_t within = (l->x + (entry >> 12)) & (XC_FREQUENCY_ONE - 1);
		const uint32_t x = (entry & (XC_FREQUENCY_ONE - 1)) * (l->x >> XC_FREQUENCY_BITS) + within;
		l->x = active[XC_SLOT(lane)] ? x : l->x;
		symbol[XC_SLOT(lane)] = other ? b.other >> 24 & 15 : bucket;
	}
	xc_gpu_jpeg_renormalize(lanes);
}

XC_GPU_INLINE void xc_gpu_jpeg_turn(xc_gpu_jpeg_lane *l, int turns)
{
	const uint32_t x = l->x;

	l->x = turns ? l->y : x;
	l->y = turns ? x : l->y;
}

XC_GPU_INLINE int32_t xc_gpu_negate(int32_t a, uint32_t flip)
{
	const uint32_t m = 0 - flip;
	return (int32_t)(((uint32_t)a ^ m) - m);
}

/* A number. with_sign: a constant, whether symbols have signs, that of a prediction if flip is 0. turns: the half
 * takes symbols. */
XC_WARP_INLINE void xc_gpu_jpeg_number(
	xc_gpu_jpeg_lane lanes[XC_SLOTS], const xc_gpu_jpeg_tables *tables, int with_sign,
	const uint32_t shape[XC_SLOTS], const uint32_t level[XC_SLOTS], const uint32_t flip[XC_SLOTS],
	const uint32_t active[XC_SLOTS], const uint32_t turns[XC_SLOTS], int32_t value[XC_SLOTS])
{
	uint32_t symbol[XC_SLOTS], raw[XC_SLOTS], more[XC_SLOTS], meaning[XC_SLOTS];

	xc_gpu_jpeg_symbol(lanes, shape, active, symbol);
	XC_FOR_LANES(lane) {
		xc_gpu_jpeg_lane *l = &lanes[XC_SLOT(lane)];
		const uint32_t s = symbol[XC_SLOT(lane)], n = level[XC_SLOT(lane)];
		const uint32_t m = tables->meaning[with_sign][s];
		uint32_t extra = n > XC_JPEG_LEVEL_RAW ? (n - XC_JPEG_LEVEL_RAW) >> 1 : 0;
		extra = s == XC_JPEG_ESCAPE ? 0 : extra;
		uint32_t bits = s | extra ? (m >> 8 & 255) + extra : 0;
		bits = active[XC_SLOT(lane)] ? bits : 0;
		raw[XC_SLOT(lane)] = l->x & ((1u << bits) - 1);
		l->x >>= bits;
		more[XC_SLOT(lane)] = extra;
		meaning[XC_SLOT(lane)] = m;
	}
	xc_gpu_jpeg_renormalize(lanes);
	XC_FOR_LANES(lane) {
		enum { SHIFT = 32 - XC_JPEG_ESCAPE_BITS };
		const uint32_t r = raw[XC_SLOT(lane)], m = meaning[XC_SLOT(lane)], has = m >> 16 & 1;
		const uint32_t sign = (r & has) | m >> 24;
		const uint32_t v = ((m & 255) << more[XC_SLOT(lane)]) + (r >> has);
		const int32_t whole = (int32_t)(r << SHIFT) >> SHIFT;
		value[XC_SLOT(lane)] = !active[XC_SLOT(lane)] ? 0
		                       : symbol[XC_SLOT(lane)] == XC_JPEG_ESCAPE
		                           ? whole
		                           : xc_gpu_negate((int32_t)v, sign ^ flip[XC_SLOT(lane)]);
		xc_gpu_jpeg_turn(&lanes[XC_SLOT(lane)], turns[XC_SLOT(lane)] != 0);
	}
}

#endif
