/* SPDX-License-Identifier: BSD-2-Clause */
#include "geometry/geometry.h"

static uint32_t divide_up(uint32_t a, uint32_t b)
{
	return a / b + (a % b != 0);
}

void xc_geometry_init(xc_geometry *g, uint32_t width, uint32_t height, xc_subsampling s)
{
	*g = (xc_geometry){.width = width, .height = height};
	g->components = s == XC_SUBSAMPLING_GREY ? 1 : 3;
	g->h = s == XC_SUBSAMPLING_420 || s == XC_SUBSAMPLING_422 ? 2 : 1;
	g->v = s == XC_SUBSAMPLING_420 ? 2 : 1;
	g->mcus_wide = divide_up(width, 8 * (uint32_t)g->h);
	g->mcus_high = divide_up(height, 8 * (uint32_t)g->v);
}

static uint32_t mcu_blocks(const xc_geometry *g)
{
	return (uint32_t)(g->h * g->v + (g->components == 3 ? 2 : 0));
}

int xc_geometry_set_tiles(xc_geometry *g, uint32_t wide, uint32_t high)
{
	if (!wide || !high || wide > g->mcus_wide || high > g->mcus_high)
		return 0;
	if ((uint64_t)wide * high * mcu_blocks(g) > XC_MAX_TILE_BLOCKS)
		return 0;
	g->tile_mcus_wide = wide;
	g->tile_mcus_high = high;
	g->tiles_wide = divide_up(g->mcus_wide, wide);
	g->tiles_high = divide_up(g->mcus_high, high);
	return 1;
}

void xc_geometry_choose_tiles(xc_geometry *g, uint32_t blocks)
{
	/* A tile row of 32 rows of pixels stays in a core's cache at any width, and most blocks still
	 * have an upper neighbour to predict from. */
	uint32_t high = 32 / (8 * (uint32_t)g->v);
	if (high > g->mcus_high)
		high = g->mcus_high;
	uint32_t wide = blocks / (high * mcu_blocks(g));
	if (wide >= g->mcus_wide) {
		/* A narrow picture: higher tiles instead. */
		wide = g->mcus_wide;
		high = blocks / (wide * mcu_blocks(g));
		high = high > g->mcus_high ? g->mcus_high : high;
		high = divide_up(g->mcus_high, divide_up(g->mcus_high, high));
	} else {
		/* Tiles of nearly equal width rather than a thin one at the edge. */
		const uint32_t tiles = (g->mcus_wide + wide / 2) / wide;
		wide = divide_up(g->mcus_wide, tiles ? tiles : 1);
	}
	xc_geometry_set_tiles(g, wide, high);
}

uint64_t xc_geometry_tiles(const xc_geometry *g)
{
	return (uint64_t)g->tiles_wide * g->tiles_high;
}

uint64_t xc_geometry_blocks(const xc_geometry *g)
{
	return (uint64_t)g->mcus_wide * g->mcus_high * mcu_blocks(g);
}

uint32_t xc_geometry_tile_blocks(const xc_geometry *g)
{
	return g->tile_mcus_wide * g->tile_mcus_high * mcu_blocks(g);
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

void xc_geometry_tile(const xc_geometry *g, uint64_t index, xc_tile *t)
{
	const uint32_t mx = (uint32_t)(index % g->tiles_wide) * g->tile_mcus_wide;
	const uint32_t my = (uint32_t)(index / g->tiles_wide) * g->tile_mcus_high;
	const uint32_t wide = smaller(g->tile_mcus_wide, g->mcus_wide - mx);
	const uint32_t high = smaller(g->tile_mcus_high, g->mcus_high - my);
	const uint32_t h = (uint32_t)g->h, v = (uint32_t)g->v;

	*t = (xc_tile){.x = mx * 8 * h, .y = my * 8 * v, .width = wide * 8 * h, .height = high * 8 * v};
	for (int c = 0; c < g->components; c++) {
		t->blocks_wide[c] = c ? wide : wide * h;
		t->blocks_high[c] = c ? high : high * v;
		t->first_block[c] = t->blocks;
		t->blocks += t->blocks_wide[c] * t->blocks_high[c];
	}
}
