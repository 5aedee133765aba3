/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The encoder's left side with a lapped transform.  There is room for two rows of MCUs,
 * which come in turn: when the next one is there, its upper edge is done, which completes
 * the last row of blocks of the one before, and all of its own but the last row.  Rows
 * begin XC_REACH samples of chroma, or as many pixels as they stand for, left of the tile.
 */
#include <string.h>

#include "src/pixels/forward.h"
#include "src/pixels/lapped.h"

/* A tile at work. */
typedef struct job {
	const xc_forward *f;
	xc_forward_scratch *s;
	const xc_tile *tile;
	char *coefficients;
	uint32_t mcu_rows;
	int left, right, top, bottom; /* the tile lies at this edge of the picture */
} job;

static const xc_lapped_kernels *kernels(const job *j)
{
	return j->f->kernels->lapped[j->f->transform];
}

static uint32_t across(const job *j, int c)
{
	return c ? 1 : (uint32_t)j->f->geometry->h;
}

static uint32_t down(const job *j, int c)
{
	return c ? 1 : (uint32_t)j->f->geometry->v;
}

/* Row r of row m of MCUs, at the tile's first column; m may be -1. */
static float *row(const job *j, int c, int64_t m, size_t r)
{
	const size_t place = (m & 1 ? XC_BLOCK_ROWS * down(j, c) : 0) + r;
	return j->s->planes[c] + place * j->s->stride + XC_REACH * across(j, c);
}

/* The first `count` rows of row m of MCUs from row `first` on, in samples of chroma. */
static void fill(const job *j, int64_t m, uint32_t first, uint32_t count)
{
	const xc_geometry *g = j->f->geometry;
	const uint32_t v = (uint32_t)g->v, reach = XC_REACH * (uint32_t)g->h;
	const uint32_t before = j->left ? 0 : reach;
	const int64_t y = j->tile->y + (m * XC_BLOCK_ROWS + first) * v;
	float *planes[XC_MAX_COMPONENTS] = {NULL, NULL, NULL};
	for (int c = 0; c < g->components; c++) {
		const size_t n = XC_REACH * across(j, c);
		float *start = row(j, c, m, first * down(j, c)) - n;
		planes[c] = start + (j->left ? n : 0);
		/* Nothing comes of what lies left of the picture, but it is computed with. */
		for (size_t i = 0; j->left && i < count * down(j, c); i++)
			memset(start + i * j->s->stride, 0, n * sizeof(float));
	}
	xc_forward_colour(j->f, j->s, j->tile->x - before, before + j->tile->width + reach, (uint32_t)y,
	                  count * v, planes);
}

/* The edge before row r of row m of MCUs. */
static void row_edge(const job *j, int c, int64_t m, size_t r)
{
	const size_t n = j->tile->blocks_wide[c] * 8 + 2 * XC_REACH, stride = j->s->stride;
	const size_t last = XC_BLOCK_ROWS * down(j, c) - 4;
	float *above = (r ? row(j, c, m, r - 4) : row(j, c, m - 1, last)) - XC_REACH;
	float *below = row(j, c, m, r) - XC_REACH;
	if (m == 0 && r == 0 && j->top)
		xc_lapped_forward_end(j->f->transform, XC_PLANE_FIRST, below, stride, n, 1);
	else if (m == j->mcu_rows && j->bottom)
		xc_lapped_forward_end(j->f->transform, XC_PLANE_LAST, above, stride, n, 1);
	else
		kernels(j)->forward_rows(above, below, stride, n);
}

/* Row b of row m's blocks. */
static void blocks(const job *j, int c, uint32_t m, uint32_t b)
{
	const xc_lapped_kernels *k = kernels(j);
	const size_t stride = j->s->stride, wide = j->tile->blocks_wide[c];
	const size_t first = j->left ? 1 : 0, edges = wide + 1 - first - (j->right ? 1 : 0);
	const size_t at = 64 * (j->tile->first_block[c] + (m * down(j, c) + b) * wide);
	float *samples = row(j, c, m, b * XC_BLOCK_ROWS);
	k->forward_sides(samples + first * 8 - 4, stride, edges);
	if (j->left)
		xc_lapped_forward_end(j->f->transform, XC_PLANE_FIRST, samples, 1, 8, stride);
	if (j->right)
		xc_lapped_forward_end(j->f->transform, XC_PLANE_LAST, samples + wide * 8 - 4, 1, 8, stride);
	if (j->f->picture->depth == 16)
		k->forward32(samples, stride, j->f->tables[c != 0], wide,
		             (int32_t *)(void *)j->coefficients + at);
	else
		k->forward16(samples, stride, j->f->tables[c != 0], wide,
		             (int16_t *)(void *)j->coefficients + at);
}

static void component(const job *j, int c, uint32_t m)
{
	const uint32_t v = down(j, c);
	row_edge(j, c, m, 0);
	if (m)
		blocks(j, c, m - 1, v - 1);
	for (uint32_t b = 1; b < v && m < j->mcu_rows; b++) {
		row_edge(j, c, m, b * XC_BLOCK_ROWS);
		blocks(j, c, m, b - 1);
	}
}

void xc_forward_tile_lapped(const xc_forward *f, xc_forward_scratch *s, const xc_tile *t,
                            void *coefficients)
{
	const xc_geometry *g = f->geometry;
	/* clang-format off */
	const job j = {
		.f = f, .s = s, .tile = t, .coefficients = coefficients,
		.mcu_rows = t->blocks_high[0] / (uint32_t)g->v,
		.left = t->x == 0, .top = t->y == 0,
		.right = t->x + t->width >= g->width, .bottom = t->y + t->height >= g->height,
	};
	/* clang-format on */
	if (!j.top)
		fill(&j, -1, XC_BLOCK_ROWS - XC_REACH, XC_REACH);
	for (uint32_t m = 0; m <= j.mcu_rows; m++) {
		if (m < j.mcu_rows)
			fill(&j, m, 0, XC_BLOCK_ROWS);
		else if (!j.bottom)
			fill(&j, m, 0, XC_REACH);
		for (int c = 0; c < g->components; c++)
			component(&j, c, m);
	}
}
