/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/decode/crop.h"

#include "src/pixels/inverse.h"

/* Pixels around a region that its pixels may depend on: edge steps of halved chroma reach 8, its
 * filter 2. Errors at the edges of the crop reach no further. */
enum { REACH = 16 };

/* Sets the first tile and the number of tiles that pixels `from` to `to` - 1 depend on. */
static void tiles_of(uint32_t from, uint32_t to, uint32_t reach, uint32_t tile, uint32_t all,
                     uint32_t *first, uint32_t *count)
{
	*first = (from > reach ? from - reach : 0) / tile;
	const uint64_t end = ((uint64_t)to + reach + tile - 1) / tile;
	*count = (end < all ? (uint32_t)end : all) - *first;
}

void xc_crop_make(const xc_container *k, const xc_rectangle *r, uint32_t scale, xc_crop *crop)
{
	const xc_geometry *g = &k->geometry;
	const uint32_t wide = g->tile_mcus_wide * 8 * (uint32_t)g->h;
	const uint32_t high = xc_inverse_tile_height(g);
	xc_tile_span *t = &crop->span;
	xc_geometry *p = &crop->picture;

	/* Without loss a pixel depends on its tile alone, or on those of its square of `scale` pixels. */
	const uint32_t reach = xc_header_is_lossless(&k->header) ? 0 : REACH;

	tiles_of(r->x / scale * scale, r->x + r->width, reach, wide, g->tiles_wide, &t->x, &t->wide);
	tiles_of(r->y / scale * scale, r->y + r->height, reach, high, g->tiles_high, &t->y, &t->high);
	const uint32_t x = t->x * wide, y = t->y * high;
	*p = *g;
	p->tiles_wide = t->wide;
	p->tiles_high = t->high;
	p->width = t->x + t->wide < g->tiles_wide ? t->wide * wide : g->width - x;
	p->height = t->y + t->high < g->tiles_high ? t->high * high : g->height - y;
	p->mcus_wide = xc_min_u32(t->wide * g->tile_mcus_wide, g->mcus_wide - t->x * g->tile_mcus_wide);
	p->mcus_high = xc_min_u32(t->high * g->tile_mcus_high, g->mcus_high - t->y * g->tile_mcus_high);
	crop->left = r->x / scale - x / scale;
	crop->top = r->y / scale - y / scale;
}
