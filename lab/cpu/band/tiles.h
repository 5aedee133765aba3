/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tiles of 8x8 blocks in lanes, and their transposition.  This also gives the kernel headers
 * their value type and multiply-add.
 */
#ifndef XC_LAB_CPU_BAND_TILES_H
#define XC_LAB_CPU_BAND_TILES_H

#include <stdint.h>

#include "lab/cpu/lanes.h"

/* A tile is 8 rows of XC_WIDTH samples: XC_BLOCKS 8x8 blocks side by side, in XC_GROUPS groups of 8
 * vectors.  v[8 * g + y] holds columns XC_LANES * g and on of row y. */
#define XC_GROUPS (XC_LANES < 8 ? 8 / XC_LANES : 1)
#define XC_BLOCKS (XC_LANES < 8 ? 1 : XC_LANES / 8)
#define XC_WIDTH (8 * XC_BLOCKS)

#define XC_V xc_v
#define XC_MADD(a, k, c) xc_multiply_add(a, xc_splat(k), c)
#include "lab/kernels/kernel.h"

/* a, b become the two shuffles of them. */
#define XC_SHUFFLE_PAIR(a, b, low, high) \
	do { \
		const xc_v a_ = (a), b_ = (b); \
		(a) = XC_SHUFFLE(a_, b_, low); \
		(b) = XC_SHUFFLE(a_, b_, high); \
	} while (0)

/* Exchanges of 1, 2 and 4 lanes, each by the cheapest instruction: less than 16 bytes are exchanged
 * within 16 bytes, more as parts of 16 bytes. */
#if XC_REAL_BITS == 32
#define XC_LOW1(i) ((i) / 4 * 4 + (i) % 4 / 2 + ((i)&1) * XC_LANES)
#define XC_HIGH1(i) (XC_LOW1(i) + 2)
#else
#define XC_LOW1(i) (((i) & ~1) + ((i)&1) * XC_LANES)
#define XC_HIGH1(i) (XC_LOW1(i) + 1)
#endif
#if XC_REAL_BITS == 32 || XC_LANES == 4
#define XC_LOW2(i) ((i) / 4 * 4 + ((i)&1) + ((i)&2) / 2 * XC_LANES)
#define XC_LOW4(i) ((i) / 8 * 8 + ((i)&3) + ((i)&4) / 4 * XC_LANES)
#define XC_HIGH4(i) (XC_LOW4(i) + 4)
#else
#define XC_LOW2(i) ((i) / 2 * 4 + ((i)&1))
#define XC_LOW4(i) XC_LOW2(i)
#define XC_HIGH4(i) XC_HIGH2(i)
#endif
#define XC_HIGH2(i) (XC_LOW2(i) + 2)

/* min(XC_LANES, 8) vectors as a square matrix, or as two side by side for 16 lanes. */
XC_INLINE void xc_transpose_lanes(xc_v *r)
{
	(void)r;
#if XC_LANES > 1
	const int rows = XC_LANES < 8 ? XC_LANES : 8;
	for (int i = 0; i < rows; i += 2)
		XC_SHUFFLE_PAIR(r[i], r[i + 1], XC_LOW1, XC_HIGH1);
#endif
#if XC_LANES > 2
	for (int i = 0; i < rows; i += 4) {
		XC_SHUFFLE_PAIR(r[i], r[i + 2], XC_LOW2, XC_HIGH2);
		XC_SHUFFLE_PAIR(r[i + 1], r[i + 3], XC_LOW2, XC_HIGH2);
	}
#endif
#if XC_LANES > 4
	for (int i = 0; i < 4; i++)
		XC_SHUFFLE_PAIR(r[i], r[i + 4], XC_LOW4, XC_HIGH4);
#endif
#if XC_LANES > 2 && XC_REAL_BITS == 32
	/* Single precision leaves columns 1 and 2, and 5 and 6, exchanged. */
	for (int i = 1; i < rows; i += 4) {
		const xc_v t = r[i];
		r[i] = r[i + 1];
		r[i + 1] = t;
	}
#endif
}

/* All 8x8 blocks of a tile. */
XC_INLINE void xc_transpose_tile(xc_v v[8 * XC_GROUPS])
{
	for (int g = 0; g < XC_GROUPS; g++)
		for (int h = 0; h < XC_GROUPS; h++)
			xc_transpose_lanes(v + 8 * g + 8 / XC_GROUPS * h);
	for (int g = 0; g < XC_GROUPS; g++)
		for (int h = g + 1; h < XC_GROUPS; h++)
			for (int i = 0; i < 8 / XC_GROUPS; i++) {
				const xc_v t = v[8 * g + XC_LANES * h + i];
				v[8 * g + XC_LANES * h + i] = v[8 * h + XC_LANES * g + i];
				v[8 * h + XC_LANES * g + i] = t;
			}
}

/* For each block of v the one left of it; left of the first one is the last of `before`. */
XC_INLINE xc_v xc_block_before(xc_v before, xc_v v)
{
#if XC_LANES == 16
#define XC_RULE_LEFT(i) ((i) + 8)
	return XC_SHUFFLE(before, v, XC_RULE_LEFT);
#else
	(void)v;
	return before;
#endif
}

/* Writes tiles past the caches.  That pays only for whole cache lines, but a tile of 8 floats is
 * half a line.  If rows are an odd number of half lines long (a LOT of 4096 columns has 4104),
 * every other row also starts in the middle of a line.  So a part of a line waits for the next
 * tile.  Memory from malloc() starts 16 bytes after a line, and tiles are then put off by 16 bytes
 * first. */

#define XC_TILE_BYTES (XC_WIDTH * XC_REAL_BITS / 8)

/* 16 bytes, in samples. */
#define XC_UNIT (128 / XC_REAL_BITS)

typedef struct xc_band_writer {
	xc_v held[8][XC_GROUPS];   /* the last tile's rows, not or half written */
	unsigned half[8];          /* 1: the row starts in the middle of a line */
	int late;                  /* rows start 16 bytes after a half or whole line */
	xc_v before[8][XC_GROUPS]; /* the last tile, if late */
} xc_band_writer;

/* out is aligned to 16 bytes, stride is a multiple of 32. */
XC_INLINE void xc_band_write_begin(xc_band_writer *w, const XC_REAL *out, ptrdiff_t stride)
{
	memset(w, 0, sizeof *w);
	w->late = (uintptr_t)out % 32 != 0;
	/* late: the first tile is stored at once, the rest begins before the second */
	if (w->late)
		out += XC_WIDTH - XC_UNIT;
	for (int y = 0; y < 8; y++)
		w->half[y] = (uintptr_t)(out + y * stride) / 32 & 1;
}

/* Half a tile, of 32 bytes: the first or the second. */
XC_INLINE void xc_band_write_half(XC_REAL *to, const xc_v row[XC_GROUPS], int second)
{
	XC_REAL samples[XC_WIDTH];
	memcpy(samples, row, sizeof samples);
	memcpy(to, samples + (second ? XC_WIDTH / 2 : 0), sizeof samples / 2);
}

/* A line from the second half of one tile and the first of the next. */
XC_INLINE void xc_band_stream_across(XC_REAL *line, const xc_v before[XC_GROUPS],
                                     const xc_v row[XC_GROUPS])
{
#if XC_GROUPS > 1
	for (int g = 0; g < XC_GROUPS; g++)
		xc_stream(line + g * XC_LANES,
		          g < XC_GROUPS / 2 ? before[g + XC_GROUPS / 2] : row[g - XC_GROUPS / 2]);
#elif XC_LANES > 1
#define XC_RULE_ACROSS(i) ((i) + XC_LANES / 2)
	xc_stream(line, XC_SHUFFLE(before[0], row[0], XC_RULE_ACROSS));
#else
	(void)line;
	(void)before;
	(void)row;
#endif
}

/* Row y of tile number `tile`, to go to `to`. */
XC_INLINE void xc_band_write_row(xc_band_writer *w, int y, size_t tile, XC_REAL *to,
                                 const xc_v row[XC_GROUPS])
{
	if (XC_TILE_BYTES == 64) {
		if (!w->half[y]) {
			for (int g = 0; g < XC_GROUPS; g++)
				xc_stream(to + g * XC_LANES, row[g]);
			return;
		}
		if (tile)
			xc_band_stream_across(to - XC_WIDTH / 2, w->held[y], row);
		else
			xc_band_write_half(to, row, 0);
		memcpy(w->held[y], row, sizeof w->held[y]);
		return;
	}
	if (!((tile + w->half[y]) & 1)) {
		memcpy(w->held[y], row, sizeof w->held[y]);
		return;
	}
	for (int g = 0; g < XC_GROUPS && tile; g++)
		xc_stream(to - XC_WIDTH + g * XC_LANES, w->held[y][g]);
	for (int g = 0; g < XC_GROUPS; g++) {
		if (tile)
			xc_stream(to + g * XC_LANES, row[g]);
		else
			xc_store(to + g * XC_LANES, row[g]);
	}
}

/* The last 16 bytes of the vector `before`, then all but the last 16 bytes of v. */
XC_INLINE xc_v xc_band_put_off(xc_v before, xc_v v)
{
#if XC_LANES > 1
#define XC_RULE_PUT_OFF(i) ((i) + XC_LANES - XC_UNIT)
	return XC_SHUFFLE(before, v, XC_RULE_PUT_OFF);
#else
	(void)v;
	return before;
#endif
}

XC_INLINE void xc_band_write_tile(xc_band_writer *w, size_t tile, XC_REAL *out, ptrdiff_t stride,
                                  xc_v rows[8][XC_GROUPS])
{
	for (int y = 0; y < 8; y++, out += stride) {
		if (!w->late) {
			xc_band_write_row(w, y, tile, out, rows[y]);
			continue;
		}
		xc_v moved[XC_GROUPS];
		moved[0] = xc_band_put_off(w->before[y][XC_GROUPS - 1], rows[y][0]);
		for (int g = 1; g < XC_GROUPS; g++)
			moved[g] = xc_band_put_off(rows[y][g - 1], rows[y][g]);
		if (tile)
			xc_band_write_row(w, y, tile - 1, out - XC_UNIT, moved);
		else
			memcpy(out, rows[y], sizeof rows[y]);
		memcpy(w->before[y], rows[y], sizeof rows[y]);
	}
}

/* Writes what still waits; out is where the tile after the last one would go. */
XC_INLINE void xc_band_write_end(xc_band_writer *w, size_t tiles, XC_REAL *out, ptrdiff_t stride)
{
	for (int y = 0; y < 8; y++, out += stride) {
		XC_REAL *end = out;
		size_t lines = tiles;
		if (w->late) {
			memcpy(out - XC_WIDTH, w->before[y], sizeof w->before[y]);
			end -= XC_UNIT;
			if (!--lines)
				continue;
		}
		if (XC_TILE_BYTES == 64) {
			if (w->half[y])
				xc_band_write_half(end - XC_WIDTH / 2, w->held[y], 1);
		} else if (!((lines - 1 + w->half[y]) & 1)) {
			memcpy(end - XC_WIDTH, w->held[y], sizeof w->held[y]);
		}
	}
	xc_stream_end();
}

#endif
