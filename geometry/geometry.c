/* SPDX-License-Identifier: BSD-2-Clause */
/* Cuts a picture into MCUs and tiles, for encoder and decoder alike. */
#include "geometry/geometry.h"

void xc_geometry_init(xc_geometry *g, uint32_t width, uint32_t height, xc_subsampling s)
{
	*g = (xc_geometry){.width = width, .height = height};
	g->components = s == XC_SUBSAMPLING_GREY ? 1 : 3;
	g->h = s == XC_SUBSAMPLING_420 || s == XC_SUBSAMPLING_422 ? 2 : 1;
	g->v = s == XC_SUBSAMPLING_420 ? 2 : 1;
	g->mcus_wide = xc_divide_up(width, 8 * (uint32_t)g->h);
	g->mcus_high = xc_divide_up(height, 8 * (uint32_t)g->v);
}

int xc_geometry_set_tiles(xc_geometry *g, uint32_t wide, uint32_t high)
{
	if (!wide || !high || wide > g->mcus_wide || high > g->mcus_high)
		return 0;
	if ((uint64_t)wide * high * xc_geometry_mcu_blocks(g) > XC_MAX_TILE_BLOCKS)
		return 0;
	g->tile_mcus_wide = wide;
	g->tile_mcus_high = high;
	g->tiles_wide = xc_divide_up(g->mcus_wide, wide);
	g->tiles_high = xc_divide_up(g->mcus_high, high);
	return 1;
}

void xc_geometry_choose_tiles(xc_geometry *g, uint32_t blocks, uint32_t rows)
{
	uint32_t high = rows / (8 * (uint32_t)g->v);

	if (high > g->mcus_high)
		high = g->mcus_high;
	uint32_t wide = blocks / (high * xc_geometry_mcu_blocks(g));
	if (wide >= g->mcus_wide) {
		/* A narrow picture: higher tiles instead. */
		wide = g->mcus_wide;
		high = blocks / (wide * xc_geometry_mcu_blocks(g));
		high = high > g->mcus_high ? g->mcus_high : high;
		high = xc_divide_up(g->mcus_high, xc_divide_up(g->mcus_high, high));
	} else {
		/* Tiles of nearly equal width rather than a thin one at the edge. */
		const uint32_t tiles = (g->mcus_wide + wide / 2) / wide;
		wide = xc_divide_up(g->mcus_wide, tiles ? tiles : 1);
	}
	xc_geometry_set_tiles(g, wide, high);
}

void xc_geometry_tile(const xc_geometry *g, uint64_t index, xc_tile *t)
{
	const xc_tile_mcus m = xc_tile_mcus_at((uint32_t)(index % g->tiles_wide),
	                                       (uint32_t)(index / g->tiles_wide), g->tile_mcus_wide,
	                                       g->tile_mcus_high, g->mcus_wide, g->mcus_high);

	*t = xc_tile_of(&m, (uint32_t)g->components, (uint32_t)g->h, (uint32_t)g->v);
}
