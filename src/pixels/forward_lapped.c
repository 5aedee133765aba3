/* SPDX-License-Identifier: BSD-2-Clause */
/* The scratch holds two rows of MCUs, which take turns. When the samples of a new row are made, the
 * edge steps at its upper edge complete the last row of blocks of the MCUs before it, and its own
 * edge steps complete all of its blocks but the last row. Each row of samples begins XC_REACH
 * samples of chroma, or as many pixels as they stand for, left of the tile. */
#include "src/pixels/forward.h"

#include <string.h>

#include "src/pixels/lapped.h"

/* The tile being transformed. */
typedef struct work {
	const xc_forward *f;
	xc_forward_scratch *s;
	const xc_tile *tile;
	void *coefficients;
	uint32_t mcu_rows;
	int left, right, top, bottom; /* the tile lies at this edge of the picture */
} work;

static const xc_transform_kernels *kernels(const work *w)
{
	return w->f->kernels->transform[w->f->transform];
}

static uint32_t across(const work *w, int c)
{
	return c ? 1 : (uint32_t)w->f->geometry->h;
}

static uint32_t down(const work *w, int c)
{
	return c ? 1 : (uint32_t)w->f->geometry->v;
}

/* Row r of samples of row m of MCUs, at the tile's first column; m may be -1. */
static float *row(const work *w, int c, int64_t m, size_t r)
{
	const size_t first = m & 1 ? XC_BLOCK_ROWS * down(w, c) : 0;
	return w->s->planes[c] + (first + r) * w->s->stride + XC_REACH * across(w, c);
}

/* Makes `count` rows of samples of row m of MCUs from row `first` on; both count rows of chroma. */
static void fill(const work *w, int64_t m, uint32_t first, uint32_t count)
{
	const xc_geometry *g = w->f->geometry;
	const uint32_t v = (uint32_t)g->v, reach = XC_REACH * (uint32_t)g->h;
	const uint32_t before = w->left ? 0 : reach;
	const int64_t y = w->tile->y + (m * XC_BLOCK_ROWS + first) * v;
	float *planes[XC_MAX_COMPONENTS] = {NULL, NULL, NULL};

	for (int c = 0; c < g->components; c++) {
		const size_t n = XC_REACH * across(w, c);
		float *start = row(w, c, m, first * down(w, c)) - n;
		planes[c] = start + (w->left ? n : 0);
		/* The kernels read left of the picture and discard the result. */
		for (size_t i = 0; w->left && i < count * down(w, c); i++)
			memset(start + i * w->s->stride, 0, n * sizeof(float));
	}
	xc_forward_colour(w->f, w->s, w->tile->x - before, before + w->tile->width + reach, (uint32_t)y,
	                  count * v, planes);
}

/* The edge steps before row r of samples of row m of MCUs. */
static void row_edge(const work *w, int c, int64_t m, size_t r)
{
	const size_t n = w->tile->blocks_wide[c] * 8 + 2 * XC_REACH, stride = w->s->stride;
	const size_t last = XC_BLOCK_ROWS * down(w, c) - 4;
	float *above = (r ? row(w, c, m, r - 4) : row(w, c, m - 1, last)) - XC_REACH;
	float *below = row(w, c, m, r) - XC_REACH;

	if (m == 0 && r == 0 && w->top)
		xc_lapped_end(w->f->transform, 0, XC_PLANE_FIRST, below, stride, n, 1);
	else if (m == w->mcu_rows && w->bottom)
		xc_lapped_end(w->f->transform, 0, XC_PLANE_LAST, above, stride, n, 1);
	else
		kernels(w)->forward_rows(above, below, stride, n);
}

/* The other steps for row b of the blocks of row m of MCUs. */
static void blocks(const work *w, int c, uint32_t m, uint32_t b)
{
	const size_t stride = w->s->stride, wide = w->tile->blocks_wide[c];
	const size_t first = w->left ? 1 : 0, edges = wide + 1 - first - (w->right ? 1 : 0);
	float *samples = row(w, c, m, b * XC_BLOCK_ROWS);

	kernels(w)->forward_sides(samples + first * 8 - 4, stride, edges);
	if (w->left)
		xc_lapped_end(w->f->transform, 0, XC_PLANE_FIRST, samples, 1, 8, stride);
	if (w->right)
		xc_lapped_end(w->f->transform, 0, XC_PLANE_LAST, samples + wide * 8 - 4, 1, 8, stride);
	xc_forward_block_row(w->f, w->tile, c, m * down(w, c) + b, samples, stride, w->coefficients);
}

static void component(const work *w, int c, uint32_t m)
{
	const uint32_t v = down(w, c);

	row_edge(w, c, m, 0);
	if (m)
		blocks(w, c, m - 1, v - 1);
	for (uint32_t b = 1; b < v && m < w->mcu_rows; b++) {
		row_edge(w, c, m, b * XC_BLOCK_ROWS);
		blocks(w, c, m, b - 1);
	}
}

void xc_forward_tile_lapped(const xc_forward *f, xc_forward_scratch *s, const xc_tile *t,
                            void *coefficients)
{
	const xc_geometry *g = f->geometry;
	/* clang-format off */
	const work w = {
		.f = f, .s = s, .tile = t, .coefficients = coefficients,
		.mcu_rows = t->blocks_high[0] / (uint32_t)g->v,
		.left = t->x == 0, .top = t->y == 0,
		.right = t->x + t->width >= g->width, .bottom = t->y + t->height >= g->height,
	};

	/* clang-format on */
	if (!w.top)
		fill(&w, -1, XC_BLOCK_ROWS - XC_REACH, XC_REACH);
	for (uint32_t m = 0; m <= w.mcu_rows; m++) {
		if (m < w.mcu_rows)
			fill(&w, m, 0, XC_BLOCK_ROWS);
		else if (!w.bottom)
			fill(&w, m, 0, XC_REACH);
		for (int c = 0; c < g->components; c++)
			component(&w, c, m);
	}
}
