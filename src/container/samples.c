/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Segments of samples that are stored as they are (doc/format.md, 5.13): those of a tile that lie in the picture,
 * component by component and row by row, centred on zero.  Samples take the place of coefficients: sample (x, y)
 * of a block is number x * 8 + y.  src/encode/tiles.c and src/decode/coded_decode.c call this.
 */
#include "src/container/segment.h"

#include "entropy/points.h"

/* Samples of component c that lie in the picture. */
typedef struct area {
	uint32_t wide, high;
} area;

static area area_of(const xc_geometry *g, const xc_tile *t, int c)
{
	xc_tile in = *t;
	xc_geometry_clip(g, &in);
	const uint32_t h = c ? (uint32_t)g->h : 1, v = c ? (uint32_t)g->v : 1;
	return (area){(in.width + h - 1) / h, (in.height + v - 1) / v};
}

size_t xc_tile_samples_count(const xc_geometry *g, const xc_tile *t, int c)
{
	const area a = area_of(g, t, c);
	return (size_t)a.wide * a.high;
}

size_t xc_tile_samples_size(const xc_geometry *g, const xc_tile *t, int deep)
{
	size_t n = 0;
	for (int c = 0; c < g->components; c++)
		n += xc_tile_samples_count(g, t, c);
	return deep ? 2 * n : n;
}

/* The place of a sample among the coefficients of its component. */
static size_t place(const xc_tile *t, int c, uint32_t x, uint32_t y)
{
	const size_t block = t->first_block[c] + (size_t)(y / 8) * t->blocks_wide[c] + x / 8;
	return block * 64 + x % 8 * 8 + y % 8;
}

void xc_tile_samples_write(const xc_geometry *g, const xc_tile *t, int deep, const void *samples,
                           uint8_t *out)
{
	for (int c = 0; c < g->components; c++) {
		const area a = area_of(g, t, c);
		for (uint32_t y = 0; y < a.high; y++) {
			for (uint32_t x = 0; x < a.wide; x++) {
				const size_t at = place(t, c, x, y);
				const int32_t v = deep ? ((const int32_t *)samples)[at]
				                       : ((const int16_t *)samples)[at];
				/* Cb and Cr reach 127.5, which was rounded to 128, and 32767.5. */
				const int32_t max = deep ? INT16_MAX : INT8_MAX, held = v < max ? v : max;
				*out++ = (uint8_t)held;
				if (deep)
					*out++ = (uint8_t)((uint32_t)held >> 8);
			}
		}
	}
}

void xc_tile_samples_read(const xc_geometry *g, const xc_tile *t, int deep, const uint8_t *data,
                          void *coefficients)
{
	for (int c = 0; c < g->components; c++) {
		const area a = area_of(g, t, c);
		/* Beyond the picture its last samples go on. */
		for (uint32_t y = 0; y < t->blocks_high[c] * 8; y++) {
			for (uint32_t x = 0; x < t->blocks_wide[c] * 8; x++) {
				const size_t from = (size_t)(y < a.high ? y : a.high - 1) * a.wide +
				                    (x < a.wide ? x : a.wide - 1);
				if (deep)
					((int32_t *)coefficients)[place(t, c, x, y)] =
						(int16_t)(data[2 * from] | data[2 * from + 1] << 8) * XC_STEP_PARTS;
				else
					((int16_t *)coefficients)[place(t, c, x, y)] = (int16_t)((int8_t)data[from] *
					                                                         XC_STEP_PARTS);
			}
		}
		data += (size_t)a.wide * a.high * (deep ? 2 : 1);
	}
}
