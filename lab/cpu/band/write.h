/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes tiles past the caches.  That pays only for whole cache lines, but a tile of 8 floats is
 * half a line.  If rows are an odd number of half lines long (a LOT of 4096 columns has 4104),
 * every other row also starts in the middle of a line.  So a part of a line waits for the next
 * tile.  Memory from malloc() starts 16 bytes after a line, and tiles are then put off by 16 bytes
 * first.
 */
#ifndef XC_LAB_CPU_BAND_WRITE_H
#define XC_LAB_CPU_BAND_WRITE_H

#include <stdint.h>

#include "lab/cpu/band/transpose.h"

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
