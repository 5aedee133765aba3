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

static int set_tiles(xc_geometry *g, uint32_t wide, uint32_t high)
{
	if (!wide || !high || wide > g->mcus_wide || high > g->mcus_high)
		return 0;
	g->tile_mcus_wide = wide;
	g->tile_mcus_high = high;
	g->tiles_wide = xc_divide_up(g->mcus_wide, wide);
	g->tiles_high = xc_divide_up(g->mcus_high, high);
	return 1;
}

int xc_geometry_set_tiles(xc_geometry *g, uint32_t wide, uint32_t high)
{
	return (uint64_t)wide * high * xc_geometry_mcu_blocks(g) <= XC_MAX_TILE_BLOCKS &&
	       set_tiles(g, wide, high);
}

int xc_geometry_set_lossless_tiles(xc_geometry *g, uint32_t wide, uint32_t high)
{
	return wide <= XC_LOSSLESS_TILE_MCUS && high <= XC_LOSSLESS_TILE_MCUS &&
	       set_tiles(g, wide, high);
}

int xc_geometry_fits_alpha(const xc_geometry *g)
{
	return g->tile_mcus_wide * (uint32_t)g->h <= XC_LOSSLESS_TILE_MCUS &&
	       g->tile_mcus_high * (uint32_t)g->v <= XC_LOSSLESS_TILE_MCUS;
}

void xc_geometry_choose_tiles(xc_geometry *g, uint32_t blocks, uint32_t rows, int alpha)
{
	const uint32_t most = alpha ? XC_LOSSLESS_TILE_MCUS : UINT32_MAX;
	uint32_t high = xc_min_u32(rows / (8 * (uint32_t)g->v), g->mcus_high);
	uint32_t wide = blocks / (high * xc_geometry_mcu_blocks(g));

	wide = xc_min_u32(wide, most / (uint32_t)g->h);
	if (wide >= g->mcus_wide) {
		/* A narrow picture: higher tiles instead. */
		wide = g->mcus_wide;
		high = blocks / (wide * xc_geometry_mcu_blocks(g));
		high = xc_min_u32(xc_min_u32(high, most / (uint32_t)g->v), g->mcus_high);
		high = xc_divide_up(g->mcus_high, xc_divide_up(g->mcus_high, high));
	} else {
		/* Tiles of nearly equal width rather than a thin one at the edge. */
		const uint32_t tiles = (g->mcus_wide + wide / 2) / wide;
		const uint32_t fewest = alpha ? xc_divide_up(g->mcus_wide, most / (uint32_t)g->h) : 1;
		wide = xc_divide_up(g->mcus_wide, xc_max_u32(tiles, fewest));
	}
	xc_geometry_set_tiles(g, wide, high);
}

/* Tiles of nearly equal size rather than a thin one at the edge. */
static uint32_t equal_sides(uint32_t mcus, uint32_t side)
{
	const uint32_t n = xc_max_u32(xc_divide_up(mcus, XC_LOSSLESS_TILE_MCUS),
	                              (uint32_t)(((uint64_t)mcus + side / 2) / side));
	return xc_divide_up(mcus, n);
}

void xc_geometry_choose_lossless_tiles(xc_geometry *g, uint32_t mcus)
{
	uint32_t side = 1;

	while (side < XC_LOSSLESS_TILE_MCUS && (side + 1) * (side + 1) <= mcus)
		side++;
	if (side == XC_LOSSLESS_TILE_MCUS)
		set_tiles(g, side < g->mcus_wide ? side : g->mcus_wide,
		          side < g->mcus_high ? side : g->mcus_high);
	else
		set_tiles(g, equal_sides(g->mcus_wide, side), equal_sides(g->mcus_high, side));
}

void xc_geometry_tile(const xc_geometry *g, uint64_t index, xc_tile *t)
{
	const xc_tile_mcus m = xc_tile_mcus_at((uint32_t)(index % g->tiles_wide),
	                                       (uint32_t)(index / g->tiles_wide), g->tile_mcus_wide,
	                                       g->tile_mcus_high, g->mcus_wide, g->mcus_high);

	*t = xc_tile_of(&m, (uint32_t)g->components, (uint32_t)g->h, (uint32_t)g->v);
}
