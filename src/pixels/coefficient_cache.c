/* SPDX-License-Identifier: BSD-2-Clause */
/* Coefficients that are kept before quantization. */
#include <string.h>

#include "src/pixels/forward.h"

void xc_coefficient_cache_prepare(xc_context *c, xc_coefficient_cache *k, const xc_geometry *g)
{
	/* About what a core's share of the caches holds. More take longer to fetch from memory than to
	 * make again. */
	enum { MAX_BYTES = 1 << 24 };
	const uint64_t tiles = xc_geometry_tiles(g), block = 64 * sizeof(float);
	const int alike = k->tile_mcus_wide == g->tile_mcus_wide &&
	                  k->tile_mcus_high == g->tile_mcus_high;

	if (!k->wanted || (k->coefficients && alike))
		return;
	xc_coefficient_cache_free(c, k);
	if (xc_geometry_blocks(g) <= MAX_BYTES / block)
		k->coefficients = xc_allocate(c, (size_t)(xc_geometry_blocks(g) * block));
	k->made = k->coefficients ? xc_allocate_zeroed(c, (size_t)tiles) : NULL;
	if (!k->made) {
		/* A limit that forbade this memory forbids nothing that is needed. */
		c->limit_met = 0;
		xc_coefficient_cache_free(c, k);
		return;
	}
	k->wanted = 1;
	k->tile_mcus_wide = g->tile_mcus_wide;
	k->tile_mcus_high = g->tile_mcus_high;
}

void xc_coefficient_cache_free(xc_context *c, xc_coefficient_cache *k)
{
	xc_release(c, k->coefficients);
	xc_release(c, k->made);
	*k = (xc_coefficient_cache){0};
}

static uint32_t mcus_across(const xc_forward *f, const xc_tile *t)
{
	return t->x / (8 * (uint32_t)f->geometry->h);
}

static uint32_t mcus_down(const xc_forward *f, const xc_tile *t)
{
	return t->y / (8 * (uint32_t)f->geometry->v);
}

uint8_t *xc_coefficient_cache_made(const xc_forward *f, const xc_tile *t)
{
	const xc_geometry *g = f->geometry;
	return &f->cache->made[(size_t)(mcus_down(f, t) / g->tile_mcus_high) * g->tiles_wide +
	                       mcus_across(f, t) / g->tile_mcus_wide];
}

float *xc_coefficient_cache_tile(const xc_forward *f, const xc_tile *t)
{
	const xc_geometry *g = f->geometry;
	const size_t high = t->blocks_high[0] / (uint32_t)g->v;
	const size_t before = (size_t)mcus_down(f, t) * g->mcus_wide + mcus_across(f, t) * high;

	return f->cache->coefficients + before * xc_geometry_mcu_blocks(g) * 64;
}

void xc_coefficient_cache_quantize(const xc_forward *f, const xc_tile *t, void *coefficients)
{
	const float *from = xc_coefficient_cache_tile(f, t);

	for (int c = 0; c < f->geometry->components; c++) {
		const size_t at = 64 * (size_t)t->first_block[c];
		const size_t n = (size_t)t->blocks_wide[c] * t->blocks_high[c];
		const float *table = f->tables[c != 0];
		if (f->pixels->depth == 16)
			f->kernels->quantize32(from + at, table, n, (int32_t *)coefficients + at);
		else
			f->kernels->quantize16(from + at, table, n, (int16_t *)coefficients + at);
	}
}
