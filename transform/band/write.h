/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tiles on their way to memory past the caches.  That pays only when whole cache
 * lines leave at once, but a tile of 8 floats is half a line, and in arrays whose
 * rows are an odd number of half lines long (a LOT of 4096 columns has 4104) every
 * other row starts in the middle of one.  So what does not complete a line waits
 * for the next tile.
 */
#ifndef XC_BAND_WRITE_H
#define XC_BAND_WRITE_H

#include <stdint.h>

#include "transform/band/lanes.h"

#define XC_TILE_BYTES (XC_WIDTH * XC_REAL_BITS / 8)

typedef struct xc_band_writer {
	xc_v held[8][XC_GROUPS]; /* the last tile's rows, not or half written */
	unsigned half[8];        /* 1: the row starts in the middle of a line */
} xc_band_writer;

XC_INLINE void xc_band_write_begin(xc_band_writer *w, const XC_REAL *out, ptrdiff_t stride)
{
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
		xc_stream(line + g * XC_LANES, g < XC_GROUPS / 2 ? before[g + XC_GROUPS / 2]
		                                                 : row[g - XC_GROUPS / 2]);
#elif XC_LANES == 16
	xc_stream(line, XC_SHUFFLE(before[0], row[0], 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
	                           20, 21, 22, 23));
#elif XC_LANES == 8
	xc_stream(line, XC_SHUFFLE(before[0], row[0], 4, 5, 6, 7, 8, 9, 10, 11));
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

/* What still waits; out is where the tile after the last one would go. */
XC_INLINE void xc_band_write_end(xc_band_writer *w, size_t tiles, XC_REAL *out, ptrdiff_t stride)
{
	for (int y = 0; y < 8; y++, out += stride) {
		if (XC_TILE_BYTES == 64) {
			if (w->half[y])
				xc_band_write_half(out - XC_WIDTH / 2, w->held[y], 1);
		} else if (!((tiles - 1 + w->half[y]) & 1)) {
			memcpy(out - XC_WIDTH, w->held[y], sizeof w->held[y]);
		}
	}
	xc_stream_end();
}

#endif
