/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A tile's pixels come out later than its samples are made.  The last samples of each row wait
 * for the edge step with the next tile, and the triangle filter of halved chroma needs one more;
 * so do a few rows for the tile row below.  Only the last and first rows of a group are put aside
 * for xc_inverse_edge().
 */
#include "src/pixels/inverse.h"

#include <string.h>

#include "src/pixels/inverse_output.h"

/* A window, and what of it comes out now.  The left column is that of the padded picture. */
typedef struct output {
	xc_inverse_window w;
	uint32_t group, group_y; /* the group's index and its first row of pixels */
	uint32_t left, right;    /* columns that come out */
} output;

/* ---------------------------------------------------------- what comes out */

/* Row `row` of component c at the first column that comes out. */
static float *out_row(const output *o, int c, ptrdiff_t row)
{
	const ptrdiff_t column = (ptrdiff_t)o->left - (ptrdiff_t)o->w.tile->x;
	return xc_inverse_sample(&o->w, c, row, column / (ptrdiff_t)xc_inverse_across(o->w.inv, c));
}

/* Row `row` of the picture's chroma. */
static xc_chroma_rows chroma_rows(const output *o, uint32_t row)
{
	const ptrdiff_t at = (ptrdiff_t)row - (ptrdiff_t)(o->w.tile->y / xc_inverse_down(o->w.inv, 1));
	float *cb = out_row(o, 1, at), *cr = out_row(o, 2, at);
	xc_inverse_extend(o->w.inv, cb, o->left, o->w.last);
	xc_inverse_extend(o->w.inv, cr, o->left, o->w.last);
	return (xc_chroma_rows){cb, cr};
}

/* Writes row y of the picture, which is row `row` of the tile. */
static void write_pixels(const output *o, ptrdiff_t row, uint32_t y)
{
	const xc_inverse *inv = o->w.inv;
	const xc_geometry *g = inv->geometry;
	const uint32_t right = o->right < g->width ? o->right : g->width;
	xc_chroma_lines chroma = {{0}, {0}};
	if (right <= o->left)
		return;
	if (g->components > 1)
		chroma.near = chroma_rows(o, y / xc_inverse_down(inv, 1));
	if (g->components > 1 && g->v == 2)
		chroma.far = chroma_rows(o, xc_inverse_far_row(inv, y));
	xc_inverse_output(inv, o->left, y, right - o->left, out_row(o, 0, row), &chroma);
}

/* Copies the columns that come out of a row to a row of the whole width. */
static void put_aside(const output *o, int c, ptrdiff_t row, float *to)
{
	const uint32_t h = xc_inverse_across(o->w.inv, c);
	memcpy(to + o->left / h, out_row(o, c, row), (o->right - o->left) / h * sizeof(float));
}

/* Puts row `index` of the group aside, which waits for the edge before the group, and its
 * chroma. */
static void first_row(const output *o, ptrdiff_t row, uint32_t index)
{
	const xc_inverse *inv = o->w.inv;
	for (int c = 0; c < inv->geometry->components; c++) {
		const uint32_t v = xc_inverse_down(inv, c), i = xc_inverse_aside(inv, c) + index / v;
		if (index % v == 0)
			put_aside(o, c, row / (ptrdiff_t)v, xc_inverse_edge_row(inv, o->group - 1, c, i));
	}
}

static void rows_out(const output *o, ptrdiff_t from, ptrdiff_t to)
{
	for (ptrdiff_t row = from; row < to; row++) {
		const uint32_t y = (uint32_t)((ptrdiff_t)o->w.tile->y + row);
		if (o->group && y - o->group_y < xc_inverse_aside(o->w.inv, 0))
			first_row(o, row, y - o->group_y);
		else if (y < o->w.inv->geometry->height)
			write_pixels(o, row, y);
	}
}

/* ---------------------------------------------------------- between tiles */

/* Puts the last rows of the tile aside for the tile row below or for xc_inverse_edge(). */
static void last_rows(const output *o)
{
	const xc_inverse *inv = o->w.inv;
	for (int c = 0; c < inv->geometry->components; c++) {
		const size_t n = xc_inverse_aside(inv, c);
		const size_t stride = xc_inverse_stride(xc_inverse_width(inv, c));
		float *to = o->w.group_last ? xc_inverse_edge_row(inv, o->group, c, 0) : o->w.s->above[c];
		const ptrdiff_t first = (ptrdiff_t)(o->w.tile->blocks_high[c] * 8 - n);
		for (size_t i = 0; i < n; i++)
			put_aside(o, c, first + (ptrdiff_t)i, to + i * stride);
	}
}

/* Brings the last rows of the tile row above back. */
static void rows_above(const xc_inverse_window *w)
{
	const xc_inverse *inv = w->inv;
	for (int c = 0; c < inv->geometry->components; c++) {
		const size_t n = xc_inverse_aside(inv, c), width = w->tile->blocks_wide[c] * 8;
		const size_t stride = xc_inverse_stride(xc_inverse_width(inv, c));
		const float *from = w->s->above[c] + w->tile->x / xc_inverse_across(inv, c);
		for (size_t i = 0; i < n; i++)
			memcpy(xc_inverse_sample(w, c, (ptrdiff_t)i - (ptrdiff_t)n, 0), from + i * stride,
			       width * sizeof(float));
	}
}

/* Copies the last n columns to where the next tile has its margin. */
static void carry_over(const xc_inverse_window *w, ptrdiff_t n)
{
	for (int c = 0; c < w->inv->geometry->components; c++) {
		const ptrdiff_t width = (ptrdiff_t)w->tile->blocks_wide[c] * 8;
		const ptrdiff_t end = (ptrdiff_t)w->tile->blocks_high[c] * 8;
		for (ptrdiff_t row = -(ptrdiff_t)xc_inverse_aside(w->inv, c); row < end; row++)
			/* A tile may be narrower than the margin. */
			memmove(xc_inverse_sample(w, c, row, -n), xc_inverse_sample(w, c, row, width - n),
			        (size_t)n * sizeof(float));
	}
}

/* How many rows of luma can come out when n rows of it, and n_chroma of chroma, have been
 * through the block steps. */
static ptrdiff_t complete_rows(const xc_inverse *inv, uint32_t n, uint32_t n_chroma)
{
	const ptrdiff_t luma = (ptrdiff_t)n - (ptrdiff_t)xc_inverse_lap(inv);
	if (inv->geometry->v == 1)
		return luma;
	const ptrdiff_t with_chroma = 2 * ((ptrdiff_t)n_chroma - (ptrdiff_t)xc_inverse_lap(inv)) - 1;
	return luma < with_chroma ? luma : with_chroma;
}

/* Pixels by which the output is late, XC_MARGIN at most: whole cache lines of samples, of chroma
 * too with a lapped transform. */
static uint32_t lag_of(const xc_geometry *g, xc_transform transform)
{
	const int halved = g->h == 2;
	return xc_transform_laps(transform) ? halved ? 32 : 16 : halved ? 16 : 0;
}

uint32_t xc_inverse_lead_mcus(const xc_geometry *g, xc_transform transform)
{
	const uint32_t lag = lag_of(g, transform);
	/* The first MCU's samples next to its left neighbour are not complete, and the filter of halved chroma
	 * reaches one more than the lag. */
	return lag ? lag / (8 * (uint32_t)g->h) + 1 : 0;
}

xc_tile xc_inverse_lead_of(const xc_inverse *inv, const xc_tile *before)
{
	const xc_geometry *g = inv->geometry;
	const uint32_t h = (uint32_t)g->h, v = (uint32_t)g->v;
	const uint32_t wide = xc_inverse_lead_mcus(g, inv->transform);
	const xc_tile_mcus m = {(before->x + before->width) / (8 * h) - wide, before->y / (8 * v), wide,
	                        before->height / (8 * v), 0};
	return xc_tile_of(&m, (uint32_t)g->components, h, v);
}

void xc_inverse_lead(const xc_inverse *inv, xc_inverse_scratch *s, const xc_tile *lead,
                     const void *coefficients)
{
	const uint32_t tile_row = lead->y / xc_inverse_tile_height(inv->geometry);
	/* clang-format off */
	const xc_inverse_window w = {
		.inv = inv, .s = s, .tile = lead, .coefficients = coefficients,
		.top = tile_row == 0, .bottom = tile_row + 1 == inv->geometry->tiles_high,
		.group_first = 1, .group_last = 1,
	};
	/* clang-format on */
	xc_inverse_scratch_begin(s);
	for (int c = 0; c < inv->geometry->components; c++)
		for (uint32_t b = 0; b < lead->blocks_high[c]; b++)
			xc_inverse_block_row(&w, c, b);
	carry_over(&w, (ptrdiff_t)lag_of(inv->geometry, inv->transform));
}

void xc_inverse_tile(const xc_inverse *inv, xc_inverse_scratch *s, const xc_tile *t,
                     const void *coefficients)
{
	const xc_geometry *g = inv->geometry;
	const uint32_t tile_row = t->y / xc_inverse_tile_height(g);
	const xc_group group = xc_groups_at(&inv->groups, tile_row);
	const uint32_t end = t->x + t->width, lag = lag_of(g, inv->transform);
	const uint32_t v = (uint32_t)g->v;
	const int last = end >= g->width;
	/* clang-format off */
	const output o = {
		.w = {
			.inv = inv, .s = s, .tile = t, .coefficients = coefficients,
			.top = t->y == 0, .bottom = tile_row + 1 == g->tiles_high, .last = last,
			.group_first = tile_row == group.first, .group_last = tile_row + 1 == group.end,
		},
		.group = group.index, .group_y = group.first * xc_inverse_tile_height(g),
		.left = t->x > lag ? t->x - lag : 0, .right = last ? end : end > lag ? end - lag : 0,
	};
	/* clang-format on */
	xc_inverse_scratch_begin(s);
	ptrdiff_t next = o.w.group_first ? 0 : -(ptrdiff_t)xc_inverse_aside(inv, 0);
	if (!o.w.group_first)
		rows_above(&o.w);
	/* Eight rows of luma at a time, so that they are still in the first-level cache when
	 * they come out. */
	for (uint32_t b = 0; b < t->blocks_high[0]; b++) {
		xc_inverse_block_row(&o.w, 0, b);
		for (int c = 1; c < g->components && b % v == 0; c++)
			xc_inverse_block_row(&o.w, c, b / v);
		const int all = b + 1 == t->blocks_high[0] && o.w.bottom;
		const ptrdiff_t to = all ? (ptrdiff_t)(b + 1) * 8
		                         : complete_rows(inv, (b + 1) * 8, (b / v + 1) * 8);
		rows_out(&o, next, to);
		next = to > next ? to : next;
	}
	if (xc_inverse_aside(inv, 0) && !o.w.bottom)
		last_rows(&o);
	if (lag && !last)
		carry_over(&o.w, (ptrdiff_t)lag);
}
