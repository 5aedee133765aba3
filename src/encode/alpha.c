/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/encode/alpha.h"

#include "entropy/plane.h"
#include "src/pixels/alpha.h"

size_t xc_alpha_tile(const xc_geometry *g, uint64_t i, xc_tile *t)
{
	xc_geometry_tile(g, i, t);
	xc_geometry_clip(g, t);
	return (size_t)t->width * t->height;
}

size_t xc_alpha_tile_scratch(const xc_geometry *g, uint32_t depth)
{
	xc_tile t; /* the first tile is the largest */
	const size_t n = xc_alpha_tile(g, 0, &t), bytes = depth / 8;
	return xc_plane_scratch(n, bytes) + n * bytes;
}

uint8_t *xc_alpha_tile_encode(const xc_entropy_level *level, const xc_geometry *g, uint64_t index,
                              const xc_pixels *p, uint32_t first, void *scratch, xc_arena *arena,
                              size_t *size)
{
	const size_t bytes = p->depth / 8;
	xc_tile t;
	const size_t n = xc_alpha_tile(g, index, &t);
	void *samples = (char *)scratch + xc_plane_scratch(n, bytes);
	uint8_t *out = xc_arena_reserve(arena, xc_plane_bound(n, bytes));

	if (!out)
		return NULL;
	const uint8_t *from = xc_pixels_row(p, 0, first, t.y) + t.x * xc_pixels_step(p, 0);
	xc_alpha_gather(p, from, t.width, t.height, samples);
	*size = level->plane_encode(samples, t.width, t.height, bytes, scratch, out);
	xc_arena_keep(arena, *size);
	return out;
}
