/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/pixels/forward.h"

#include <string.h>

#include "src/core/arena.h"

xc_status xc_forward_scratch_init(xc_context *c, xc_forward_scratch *s, const xc_forward *f)
{
	const xc_geometry *g = f->geometry;
	const int lapped = xc_transform_laps(f->transform);
	const size_t reach = lapped ? 2 * XC_REACH * (size_t)g->h : 0;
	const size_t width = (size_t)g->tile_mcus_wide * 8 * (size_t)g->h + reach;
	const size_t stride = (width + XC_SLACK + 15) / 16 * 16;
	const size_t chroma = stride * XC_BLOCK_ROWS * (lapped ? 2 : 1), luma = chroma * (size_t)g->v;
	/* Of any layout, because that is known when the first rows come. */
	const size_t row = (stride + XC_SLACK) * 4 * (f->pixels->depth / 8);
	const size_t bytes = (luma + 2 * chroma) * sizeof(float) + 2 * row;

	s->memory = xc_scratch_allocate(c, bytes);
	if (!s->memory)
		return xc_fail_memory(c, bytes);
	s->dirty = bytes;
	s->stride = stride;
	s->planes[0] = s->memory;
	s->planes[1] = s->planes[0] + luma;
	s->planes[2] = s->planes[1] + chroma;
	s->rows[0] = (uint8_t *)(s->planes[2] + chroma);
	s->rows[1] = s->rows[0] + row;
	return XC_OK;
}

void xc_forward_scratch_free(xc_context *c, xc_forward_scratch *s)
{
	xc_scratch_free(c, s->memory);
	*s = (xc_forward_scratch){0};
}

static void transform_dct(const xc_forward *f, xc_forward_scratch *s, const xc_tile *t,
                          void *coefficients)
{
	const xc_geometry *g = f->geometry;
	const uint32_t v = (uint32_t)g->v, mcu_rows = t->blocks_high[0] / v;

	for (uint32_t m = 0; m < mcu_rows; m++) {
		xc_forward_colour(f, s, t->x, t->width, t->y + m * 8 * v, 8 * v, s->planes);
		for (int c = 0; c < g->components; c++) {
			const uint32_t high = c ? 1 : v;
			for (uint32_t r = 0; r < high; r++)
				xc_forward_block_row(f, t, c, m * high + r, s->planes[c] + r * 8 * s->stride,
				                     s->stride, coefficients);
		}
	}
}

/* The kernels read past the last sample and discard the result, so the padding must hold defined
 * values. */
static void begin(xc_forward_scratch *s)
{
	memset(s->memory, 0, s->dirty);
	s->dirty = 0;
}

void xc_forward_tile(const xc_forward *f, xc_forward_scratch *s, const xc_tile *t,
                     void *coefficients)
{
	begin(s);
	uint8_t *made = f->cache ? xc_coefficient_cache_made(f, t) : NULL;
	if (!made || !*made) {
		if (!xc_transform_laps(f->transform))
			transform_dct(f, s, t, coefficients);
		else
			xc_forward_tile_lapped(f, s, t, coefficients);
	}
	if (made) {
		*made = 1;
		xc_coefficient_cache_quantize(f, t, coefficients);
	}
}
