/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The encoder's left side with a lapped transform.  A window of one row of blocks and one
 * row of MCUs moves down the tile: the new rows' upper edges are done, which completes
 * the blocks above and all new ones but the last row of them; then that row waits on top
 * for the next rows.  Columns 0 ... of the window lie XC_REACH chroma samples, or as
 * many pixels as they stand for, left of the tile.
 */
#include <string.h>

#include "src/forward.h"
#include "src/lapped.h"

/* A tile at work. */
typedef struct job {
	const xc_forward *f;
	xc_forward_scratch *s;
	const xc_tile *tile;
	char *coefficients;
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

/* Row r of the window, at the tile's first column. */
static float *row(const job *j, int c, size_t r)
{
	return j->s->planes[c] + r * j->s->stride + XC_REACH * across(j, c);
}

/* Rows y ... of the picture, 8 rows of blocks or XC_REACH rows of chroma high, into the
 * window; `at` is where they begin in a plane that is not subsampled. */
static void fill(const job *j, uint32_t y, uint32_t chroma_rows, uint32_t chroma_at, uint32_t at)
{
	const xc_geometry *g = j->f->geometry;
	const uint32_t reach = XC_REACH * (uint32_t)g->h;
	const uint32_t before = j->left ? 0 : reach;
	const uint32_t rows = chroma_rows * (uint32_t)g->v;
	float *planes[XC_MAX_COMPONENTS];
	for (int c = 0; c < XC_MAX_COMPONENTS; c++) {
		const size_t first = c ? chroma_at : at;
		planes[c] = row(j, c, first) - (c ? before / (uint32_t)g->h : before);
		/* Nothing comes of what lies left of the picture, but it is computed with. */
		for (size_t i = 0; j->left && c < g->components && i < chroma_rows * down(j, c); i++)
			memset(row(j, c, first + i) - XC_REACH * across(j, c), 0,
			       XC_REACH * across(j, c) * sizeof(float));
	}
	xc_forward_colour(j->f, j->s, j->tile->x - before, before + j->tile->width + reach, y, rows,
	                  planes);
}

/* The edge between rows r - 1 and r of the window. */
static void row_edge(const job *j, int c, size_t r)
{
	kernels(j)->forward_rows(row(j, c, r - 4) - XC_REACH, j->s->stride,
	                         j->tile->blocks_wide[c] * 8 + 2 * XC_REACH);
}

static void row_end(const job *j, int c, size_t r, xc_plane_end end)
{
	xc_lapped_forward_end(j->f->transform, end, row(j, c, r) - XC_REACH, j->s->stride,
	                      j->tile->blocks_wide[c] * 8 + 2 * XC_REACH, 1);
}

static void upper_edges(const job *j, int c, uint32_t m, uint32_t mcu_rows)
{
	if (m == 0 && j->top)
		row_end(j, c, XC_BLOCK_ROWS, XC_PLANE_FIRST);
	else if (m == mcu_rows && j->bottom)
		row_end(j, c, 4, XC_PLANE_LAST);
	else
		row_edge(j, c, XC_BLOCK_ROWS);
	for (uint32_t i = 1; i < down(j, c) && m < mcu_rows; i++)
		row_edge(j, c, (1 + i) * XC_BLOCK_ROWS);
}

/* Row `index` of the tile's blocks, which begins at row r of the window. */
static void blocks(const job *j, int c, size_t r, size_t index)
{
	const xc_lapped_kernels *k = kernels(j);
	const size_t stride = j->s->stride, wide = j->tile->blocks_wide[c];
	const size_t first = j->left ? 1 : 0, edges = wide + 1 - first - (j->right ? 1 : 0);
	const size_t at = 64 * (j->tile->first_block[c] + index * wide);
	float *samples = row(j, c, r);
	k->forward_sides(samples + first * 8 - 4, stride, edges);
	if (j->left)
		xc_lapped_forward_end(j->f->transform, XC_PLANE_FIRST, samples, 1, 8, stride);
	if (j->right)
		xc_lapped_forward_end(j->f->transform, XC_PLANE_LAST, samples + wide * 8 - 4, 1, 8,
		                      stride);
	if (j->f->picture->depth == 16)
		k->forward32(samples, stride, j->f->tables[c != 0], wide,
		             (int32_t *)(void *)j->coefficients + at);
	else
		k->forward16(samples, stride, j->f->tables[c != 0], wide,
		             (int16_t *)(void *)j->coefficients + at);
}

static void component(const job *j, int c, uint32_t m, uint32_t mcu_rows)
{
	const uint32_t v = down(j, c), ready = m < mcu_rows ? v - 1 : 0;
	upper_edges(j, c, m, mcu_rows);
	if (m)
		blocks(j, c, 0, m * v - 1);
	for (uint32_t i = 0; i < ready; i++)
		blocks(j, c, (1 + i) * XC_BLOCK_ROWS, m * v + i);
	memcpy(j->s->planes[c], j->s->planes[c] + v * XC_BLOCK_ROWS * j->s->stride,
	       XC_BLOCK_ROWS * j->s->stride * sizeof(float));
}

void xc_forward_tile_lapped(const xc_forward *f, xc_forward_scratch *s, const xc_tile *t,
                            void *coefficients)
{
	const xc_geometry *g = f->geometry;
	const uint32_t v = (uint32_t)g->v, rows = XC_BLOCK_ROWS * v, reach = XC_REACH * v;
	const uint32_t mcu_rows = t->blocks_high[0] / v;
	const job j = {
		.f = f, .s = s, .tile = t, .coefficients = coefficients,
		.left = t->x == 0, .top = t->y == 0,
		.right = t->x + t->width >= g->width, .bottom = t->y + t->height >= g->height,
	};
	if (!j.top)
		fill(&j, t->y - reach, XC_REACH, XC_BLOCK_ROWS - XC_REACH, XC_BLOCK_ROWS - reach);
	for (uint32_t m = 0; m <= mcu_rows; m++) {
		if (m < mcu_rows)
			fill(&j, t->y + m * rows, XC_BLOCK_ROWS, XC_BLOCK_ROWS, XC_BLOCK_ROWS);
		else if (!j.bottom)
			fill(&j, t->y + m * rows, XC_REACH, XC_BLOCK_ROWS, XC_BLOCK_ROWS);
		for (int c = 0; c < g->components; c++)
			component(&j, c, m, mcu_rows);
	}
}
