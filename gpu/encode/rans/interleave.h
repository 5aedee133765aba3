/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Assembling segments of the rANS mode: a thread block takes a tile. A decoder takes words along
 * its wavefront (entropy/rans/model.h): at each time the symbols of the lanes' blocks in sequence,
 * and for each symbol lane by lane. The encoder stored words row by row, with marks of the symbols
 * that gave them (gpu/encode/rans/rans_encode.h).
 *
 * A time has 67 steps: the DC, the flags and the AC positions. A warp takes two times at once. For
 * each time it has a table with a bit for each step and lane: whether it gave a word. The index of
 * a word is the number of bits set before its own.
 */
#ifndef XC_GPU_ENCODE_RANS_INTERLEAVE_H
#define XC_GPU_ENCODE_RANS_INTERLEAVE_H

#include "gpu/encode/job/segments.h"
#include "gpu/encode/rans/rans_encode.h"

enum {
	XC_GPU_INTERLEAVE_STEPS = 67,
	XC_GPU_INTERLEAVE_ROWS = (XC_GPU_INTERLEAVE_STEPS + 1) / 2, /* two steps a word */
	XC_GPU_AT_ONCE = 8
};

/* The bits of two times, and how many come before each word. */
typedef struct xc_gpu_interleave_table {
	uint32_t bits[2][XC_GPU_INTERLEAVE_ROWS], before[2][XC_GPU_INTERLEAVE_ROWS];
} xc_gpu_interleave_table;

/* What a thread block has in shared memory besides a table for each warp, and times. */
typedef struct xc_gpu_interleave_shared {
	uint32_t partial[XC_CTA_PARTIAL], unit;
} xc_gpu_interleave_shared;

/* A bundle of rows. */
typedef struct xc_gpu_interleave_bundle {
	uint32_t before, times; /* times of the tile before it, and its own */
	uint32_t block;         /* its first */
	uint32_t rows, across;  /* its rows, and the blocks of each */
	uint32_t high, row;     /* rows of a component; the bundle's first row in the list */
} xc_gpu_interleave_bundle;

/* The offset of row number `row` of a bundle in the wavefront. */
XC_GPU_INLINE uint32_t xc_gpu_interleave_offset(const xc_gpu_interleave_bundle *b, uint32_t row)
{
	return xc_gpu_row_offset(b->row + row, b->high);
}

/* The most times that a bundle may have. */
XC_GPU_INLINE uint32_t xc_gpu_interleave_room(uint32_t across)
{
	return across + XC_RANS_LANES - 1;
}

/* Bundle number i of a tile, luma first. Returns 0 if it does not exist. Each has room for its
 * maximum of times. */
XC_GPU_INLINE int xc_gpu_interleave_bundle_of(const xc_gpu_coded_tile *c, uint32_t i, int colour,
                                              xc_gpu_interleave_bundle *b)
{
	const uint32_t luma = c->luma_blocks / c->luma_wide;
	const uint32_t first = (luma + XC_RANS_LANES - 1) / XC_RANS_LANES;
	const uint32_t chroma = i >= first, number = chroma ? i - first : i;

	if (chroma && !colour)
		return 0;
	b->across = chroma ? c->wide : c->luma_wide;
	b->high = chroma ? c->chroma_blocks / c->wide : luma;
	b->row = number * XC_RANS_LANES;
	const uint32_t rows = b->high << chroma;
	if (b->row >= rows)
		return 0;
	b->rows = xc_gpu_min(rows - b->row, XC_RANS_LANES);
	b->times = b->across;
	for (uint32_t k = 0; k < b->rows; k++) {
		const uint32_t times = b->across + xc_gpu_interleave_offset(b, k);
		b->times = times > b->times ? times : b->times;
	}
	b->block = (chroma ? c->luma_blocks : 0) + b->row * b->across;
	b->before = (chroma ? first * xc_gpu_interleave_room(c->luma_wide) : 0) +
	            number * xc_gpu_interleave_room(b->across);
	return 1;
}

/* An upper bound of the times of a whole tile. */
XC_GPU_INLINE uint32_t xc_gpu_interleave_all_times(const xc_gpu_encode_job *j)
{
	const uint32_t luma = (j->picture.tile_high * j->v + XC_RANS_LANES - 1) / XC_RANS_LANES;
	const uint32_t chroma = j->components > 1
	                            ? (2 * j->picture.tile_high + XC_RANS_LANES - 1) / XC_RANS_LANES
	                            : 0;

	return luma * xc_gpu_interleave_room(j->picture.tile_wide * j->h) +
	       chroma * xc_gpu_interleave_room(j->picture.tile_wide);
}

/* The steps of a block that gave words, 32 a word. */
XC_GPU_INLINE void xc_gpu_interleave_steps(const xc_gpu_rans_marks *marks, uint32_t steps[3])
{
	const uint32_t low = marks->given[0], high = marks->given[1], flags = marks->flags;

	steps[0] = (low & 1) | (flags & 1) << 1 | (low & 0x3fe) << 1 | (flags & 2) << 10 |
	           (low & 0xffffc00) << 2 | (flags & 4) << 28 | (low >> 28) << 31;
	steps[1] = low >> 29 | high << 3;
	steps[2] = high >> 29;
}

/* Counts the words of each time. */
XC_GPU_INLINE void xc_gpu_interleave_count(const xc_gpu_encode_job *j, xc_cta t,
                                           const xc_gpu_coded_tile *c,
                                           const xc_gpu_interleave_bundle *b, uint32_t *times)
{
	for (uint32_t i = t.rank; i < b->rows * b->across; i += t.size) {
		const uint32_t row = i / b->across;
		const xc_gpu_rans_marks marks = *xc_gpu_rans_encode_marks_at(j, c, b->block + i);
		const uint32_t n = xc_gpu_count_bits(marks.given[0]) + xc_gpu_count_bits(marks.given[1]) +
		                   xc_gpu_count_bits(marks.flags);
		if (n)
			XC_ATOMIC_ADD(&times[b->before + xc_gpu_interleave_offset(b, row) + i -
			                     row * b->across],
			              n);
	}
}

/* ------------------------------------------------------------------ two times */

/* A lane: a row of the bundle, at the first or the second of two times. */
typedef struct xc_gpu_interleave_lane {
	uint32_t half, bit;      /* of the table, and of its words */
	uint32_t offset, across; /* blocks of the row, or 0 */
	uint32_t block;          /* the row's first, of the tile */
	xc_gpu_rans_marks soon;  /* marks of the next times' block, if it has one */
	uint32_t steps[3];       /* of its block at this time, those that gave words, */
	const uint16_t *words;
	uint32_t count, word; /* number of words, and the first word; */
	uint32_t to;          /* where the words of this time begin */
} xc_gpu_interleave_lane;

XC_GPU_INLINE void xc_gpu_interleave_row(const xc_gpu_interleave_bundle *b, uint32_t lane,
                                         xc_gpu_interleave_lane *l)
{
	const uint32_t row = lane % XC_RANS_LANES;

	l->bit = UINT32_C(1) << row;
	l->half = lane / XC_RANS_LANES;
	l->offset = xc_gpu_interleave_offset(b, row);
	l->across = row < b->rows ? b->across : 0;
	l->block = b->block + row * l->across;
}

/* Loads the marks of a lane's block at the times `time` and time + 1 of a bundle. */
XC_GPU_INLINE void xc_gpu_interleave_load(const xc_gpu_encode_job *j, const xc_gpu_coded_tile *c,
                                          uint32_t time, xc_gpu_interleave_lane *l)
{
	const uint32_t x = time + l->half - l->offset;
	/* Without a condition, which would wait for what is loaded. */
	l->soon = *xc_gpu_rans_encode_marks_at(j, c, l->block + (x < l->across ? x : 0));
}

/* Takes them. */
XC_GPU_INLINE void xc_gpu_interleave_begin(const xc_gpu_encode_job *j, const xc_gpu_coded_tile *c,
                                           const xc_gpu_interleave_bundle *b, uint32_t time,
                                           const uint32_t *times, xc_gpu_interleave_lane *l)
{
	const uint32_t x = time + l->half - l->offset;

	l->soon.given[0] = x < l->across ? l->soon.given[0] : 0;
	l->soon.given[1] = x < l->across ? l->soon.given[1] : 0;
	l->soon.flags = x < l->across ? l->soon.flags : 0;
	xc_gpu_interleave_steps(&l->soon, l->steps);
	l->count = xc_gpu_count_bits(l->steps[0]) + xc_gpu_count_bits(l->steps[1]) +
	           xc_gpu_count_bits(l->steps[2]);
	l->words = NULL;
	l->to = l->word = 0;
	if (x >= l->across)
		return;
	l->words = xc_gpu_rans_encode_words_at(j, c->first + l->block + x) + l->soon.first_word;
	l->word = l->count ? l->words[0] : 0;
	l->to = times[b->before + time + l->half];
}

/* The bit of step `step` of 32 in a word of the table, step / 2. */
XC_GPU_INLINE uint32_t xc_gpu_interleave_bit(const xc_gpu_interleave_lane *l, uint32_t step)
{
	return l->bit << (step * XC_RANS_LANES & XC_RANS_LANES);
}

/* Sets `before` of both halves. */
XC_WARP_INLINE void xc_gpu_interleave_scan(xc_gpu_interleave_table *s)
{
	uint32_t sum[XC_SLOTS], own[XC_SLOTS];

	XC_FOR_LANES(lane) {
		/* At most 16 * 67 words: both halves fit a number. */
		own[XC_SLOT(lane)] = xc_gpu_count_bits(s->bits[0][lane]) |
		                     xc_gpu_count_bits(s->bits[1][lane]) << 16;
		sum[XC_SLOT(lane)] = own[XC_SLOT(lane)];
	}
	xc_warp_scan(sum);
	const uint32_t all = xc_warp_of(sum, XC_WARP_LANES - 1);
	XC_FOR_LANES(lane) {
		const uint32_t before = sum[XC_SLOT(lane)] - own[XC_SLOT(lane)];
		s->before[0][lane] = before & 0xffff;
		s->before[1][lane] = before >> 16;
		if (lane < 2) {
			const uint32_t total = lane ? all >> 16 : all & 0xffff;
			s->before[lane][XC_WARP_LANES] = total;
			s->before[lane][XC_WARP_LANES + 1] = total +
			                                     xc_gpu_count_bits(s->bits[lane][XC_WARP_LANES]);
		}
	}
}

/* Stores the words of two times of a bundle from `time` on. then: the next times, whose marks are
 * loaded ahead. */
XC_WARP_INLINE void xc_gpu_interleave_two(const xc_gpu_encode_job *j, const xc_gpu_coded_tile *c,
                                          const xc_gpu_interleave_bundle *b, uint32_t time,
                                          uint32_t then, const uint32_t *times,
                                          xc_gpu_interleave_lane l[XC_SLOTS],
                                          xc_gpu_interleave_table *s, uint16_t *out)
{
	XC_FOR_LANES(lane) {
		xc_gpu_interleave_begin(j, c, b, time, times, &l[XC_SLOT(lane)]);
		xc_gpu_interleave_load(j, c, then, &l[XC_SLOT(lane)]);
		for (uint32_t i = (uint32_t)lane; i < 2 * XC_GPU_INTERLEAVE_ROWS; i += XC_WARP_LANES)
			(&s->bits[0][0])[i] = 0;
	}
	xc_warp_sync();
	XC_FOR_LANES(lane) {
		const xc_gpu_interleave_lane *const own = &l[XC_SLOT(lane)];
		uint32_t *const bits = s->bits[own->half];
		XC_GPU_SHARED(bits);
		XC_UNROLL
		for (uint32_t k = 0; k < 3; k++) {
			XC_ROLLED
			for (uint32_t left = own->steps[k]; left; left &= left - 1) {
				const uint32_t step = (uint32_t)xc_gpu_lowest(left);
				XC_ATOMIC_OR(&bits[16 * k + step / 2], xc_gpu_interleave_bit(own, step));
			}
		}
	}
	xc_warp_sync();
	xc_gpu_interleave_scan(s);
	xc_warp_sync();
	XC_FOR_LANES(lane) {
		xc_gpu_interleave_lane *const own = &l[XC_SLOT(lane)];
		const uint32_t *const bits = s->bits[own->half], *const before = s->before[own->half];
		const uint16_t *from = own->count ? own->words : out;
		uint16_t *const to = out + own->to;
		uint32_t word = own->word;
		XC_GPU_SHARED(bits);
		XC_GPU_SHARED(before);
		XC_GPU_GLOBAL(from);
		XC_GPU_GLOBAL(to);
		XC_UNROLL
		for (uint32_t k = 0; k < 3; k++) {
			XC_ROLLED
			for (uint32_t left = own->steps[k]; left; left &= left - 1) {
				/* The next word is loaded ahead; none follows a block's last. */
				const uint32_t next = --own->count ? *++from : 0;
				const uint32_t step = (uint32_t)xc_gpu_lowest(left), at = 16 * k + step / 2;
				const uint32_t mask = bits[at] & (xc_gpu_interleave_bit(own, step) - 1);
				to[before[at] + xc_gpu_count_bits(mask)] = (uint16_t)word;
				word = next;
			}
		}
	}
	xc_warp_sync();
}

/* ------------------------------------------------------------------ a segment */

/* Stores the states, and after n words the raw bits that they do not carry. */
XC_GPU_INLINE void xc_gpu_interleave_rest(const xc_gpu_encode_job *j, xc_cta t,
                                          const xc_gpu_coded_tile *c, uint32_t lanes, uint32_t n,
                                          uint32_t left, uint32_t *out)
{
	const uint32_t all = (2 * n + left + 3) / 4;
	const uint16_t *const raw = (const uint16_t *)(const void *)xc_gpu_rans_raw(j, c->first) +
	                            lanes;

	for (uint32_t i = t.rank; i < lanes; i += t.size)
		out[i] = j->rans.states[c->first + i];
	if (t.rank == 0 && n % 2)
		((uint16_t *)(void *)(out + lanes))[n] = raw[0];
	/* Several loads are under way at once. */
	for (uint32_t i = (n + 1) / 2 + t.rank; i < all; i += XC_GPU_AT_ONCE * t.size) {
		uint32_t word[XC_GPU_AT_ONCE];
		XC_UNROLL
		for (uint32_t k = 0; k < XC_GPU_AT_ONCE; k++) {
			const uint32_t at = 2 * xc_gpu_min(i + k * t.size, all - 1) - n;
			word[k] = raw[at] | (uint32_t)raw[at + 1] << 16;
		}
		XC_UNROLL
		for (uint32_t k = 0; k < XC_GPU_AT_ONCE; k++)
			if (i + k * t.size < all)
				out[lanes + i + k * t.size] = word[k];
	}
}

/* Assembles the segment of a tile. times: shared memory, xc_gpu_interleave_all_times() numbers. */
XC_WARP_INLINE void xc_gpu_interleave(const xc_gpu_encode_job *j, xc_cta t, uint32_t tile,
                                      xc_gpu_interleave_shared *s, xc_gpu_interleave_table *tables,
                                      uint32_t *times)
{
	const xc_gpu_coded_tile c = xc_gpu_coded_tile_at(j, tile);
	const int colour = j->components > 1;
	const uint32_t all = xc_gpu_interleave_all_times(j), warps = (t.size + 31) / 32,
				   warp = t.rank / 32;
	xc_gpu_interleave_bundle b;

	for (uint32_t i = t.rank; i < all; i += t.size)
		times[i] = 0;
	XC_CTA_SYNC();
	for (uint32_t i = 0; xc_gpu_interleave_bundle_of(&c, i, colour, &b); i++)
		xc_gpu_interleave_count(j, t, &c, &b, times);
	XC_CTA_SYNC();
	const uint32_t n = xc_cta_scan(t, times, all, 0, s->partial);
	const uint32_t luma = c.luma_blocks / c.luma_wide;
	const uint32_t chroma = colour ? 2 * (c.chroma_blocks / c.wide) : 0;
	const uint32_t lanes = xc_gpu_min(xc_gpu_max_rows(luma, chroma), XC_RANS_LANES);
	const uint32_t raw = (j->rans.raw_bits[tile] + 7) / 8;
	const uint32_t left = raw > 2 * lanes ? raw - 2 * lanes : 0, bytes = 4 * lanes + 2 * n + left;
	if (t.rank == 0) {
		s->unit = xc_gpu_take_arena(j, bytes);
		xc_gpu_note_segment(j, tile, s->unit, bytes);
	}
	XC_CTA_SYNC();
	uint32_t *const out = xc_gpu_arena_at(j, s->unit, bytes);
	if (!out)
		return;
	xc_gpu_interleave_rest(j, t, &c, lanes, n, left, out);
	for (uint32_t i = 0; xc_gpu_interleave_bundle_of(&c, i, colour, &b); i++) {
		xc_gpu_interleave_lane l[XC_SLOTS];
		XC_FOR_LANES(lane) {
			xc_gpu_interleave_row(&b, (uint32_t)lane, &l[XC_SLOT(lane)]);
			xc_gpu_interleave_load(j, &c, 2 * warp, &l[XC_SLOT(lane)]);
		}
		for (uint32_t time = 2 * warp; time < b.times; time += 2 * warps)
			xc_gpu_interleave_two(j, &c, &b, time, time + 2 * warps, times, l, &tables[warp],
			                      (uint16_t *)(void *)(out + lanes));
	}
}

#endif
