/* SPDX-License-Identifier: BSD-2-Clause */
/* Coefficients of tiles to pixels, for src/decode/batch.c. The last samples of each row wait for
 * the edge step with the next tile, and for one more sample that the triangle filter of halved
 * chroma needs. A few rows wait likewise for the tile row below. Only the last and first rows of a
 * band are put aside for xc_inverse_edge(). */
#include "src/pixels/inverse.h"

#include <math.h>
#include <string.h>

enum { UNDONE = 8 }; /* columns at the end of a tile whose edge steps wait for the next tile */

/* Samples of a row of component c, up to the end of the last MCU. */
static size_t row_samples(const xc_inverse *inv, int c)
{
	return (size_t)inv->geometry->mcus_wide * 8 * (c ? 1 : (size_t)inv->geometry->h);
}

/* Samples that an edge step changes on each side of an edge. */
static uint32_t lap_of(const xc_inverse *inv)
{
	return xc_transform_laps(inv->transform) ? 4 : 0;
}

/* Rows at the end of a tile row that wait for the next one: the rows that the edge step changes
 * and, if chroma has half the height, one more row of chroma and the luma with it. */
static uint32_t rows_aside(const xc_inverse *inv, int c)
{
	const uint32_t lap = lap_of(inv);
	return inv->geometry->v == 1 ? lap : c ? lap + 1 : 2 * lap + 1;
}

/* The stride of rows of `samples` samples. */
static size_t stride_of(size_t samples)
{
	return (samples + XC_SLACK + XC_MARGIN + 15) / 16 * 16;
}

/* Row `row` of component c put aside at an edge; the edge lies before row rows_aside(). */
static float *edge_row(const xc_inverse *inv, uint32_t edge, int c, size_t row)
{
	const size_t n = (size_t)inv->geometry->components;
	return inv->edges[edge % inv->slots * n + (size_t)c] + XC_MARGIN +
	       row * stride_of(row_samples(inv, c));
}

/* -------------------------------------------------- rows of samples to pixels */

/* Rounds n samples in each of `count` rows and clamps them, if inv->integers is set. */
static void to_integers(const xc_inverse *inv, float *rows, size_t stride, size_t count, size_t n)
{
	const float half = inv->pixels->depth == 8 ? 128.0f : 32768.0f;

	for (size_t y = 0; inv->integers && y < count; y++) {
		for (float *s = rows + y * stride, *end = s + n; s < end; s++) {
			const float v = floorf(*s + 0.5f);
			*s = v < -half ? -half : v > half - 1 ? half - 1 : v;
		}
	}
}

uint32_t xc_inverse_far_row(const xc_inverse *inv, uint32_t y)
{
	const uint32_t last = xc_geometry_chroma_height(inv->geometry) - 1, near = y / 2;
	return y % 2 ? (near < last ? near + 1 : near) : (near ? near - 1 : near);
}

/* Writes pixels of components that are not Y, Cb and Cr, AT_ONCE at a time. */
static void output_mixed(const xc_inverse *inv, const float *const from[3], uint32_t n,
                         unsigned kind, uint8_t *to)
{
	enum { AT_ONCE = 256 };
	float rows[3][AT_ONCE + XC_SLACK];
	const xc_kernels *k = inv->kernels;
	const int grey = xc_layout_get(inv->pixels->layout)->channels < 3;

	for (uint32_t i = 0; i < n; i += AT_ONCE, to += AT_ONCE * xc_pixels_step(inv->pixels, 0)) {
		const uint32_t count = n - i < AT_ONCE ? n - i : AT_ONCE;
		k->mix((const float *const[]){from[0] + i, from[1] + i, from[2] + i}, count, inv->colours,
		       (float *const[]){rows[0], rows[1], rows[2]});
		if (grey)
			k->output_grey[kind](rows[0], count, to);
		else
			k->output_444[kind](rows[0], rows[1], rows[2], count, &inv->gains, to);
	}
}

/* The address of column x of row y of the picture in a plane. */
static uint8_t *pixel_at(const xc_inverse *inv, int plane, uint32_t x, uint32_t y)
{
	const uint32_t h = plane ? (uint32_t)inv->geometry->h : 1;
	return xc_pixels_row(inv->pixels, plane, inv->first_row, y) +
	       x / h * xc_pixels_step(inv->pixels, plane);
}

/* Writes planes, which are the components themselves. */
static void output_planes(const xc_inverse *inv, uint32_t x, uint32_t y, uint32_t n,
                          const float *luma, const xc_chroma_rows *chroma)
{
	const xc_kernels *k = inv->kernels;
	const uint32_t h = (uint32_t)inv->geometry->h, v = (uint32_t)inv->geometry->v;
	const size_t count = (n + h - 1) / h;

	k->output_grey[XC_LAYOUT_GREY](luma, n, pixel_at(inv, 0, x, y));
	if (y % v)
		return;
	if (inv->pixels->layout == XC_LAYOUT_NV12) {
		k->output_pairs(chroma->cb, chroma->cr, count, pixel_at(inv, 1, x, y));
		return;
	}
	k->output_grey[XC_LAYOUT_GREY](chroma->cb, count, pixel_at(inv, 1, x, y));
	k->output_grey[XC_LAYOUT_GREY](chroma->cr, count, pixel_at(inv, 2, x, y));
}

void xc_inverse_output(const xc_inverse *inv, uint32_t x, uint32_t y, uint32_t n, const float *luma,
                       const xc_chroma_lines *p)
{
	const xc_geometry *g = inv->geometry;
	const xc_kernels *k = inv->kernels;
	const xc_layout_parts *l = xc_layout_get(inv->pixels->layout);
	const unsigned kind = xc_pixel_kind(inv->pixels->layout, inv->pixels->depth);

	if (l->planes > 1) {
		output_planes(inv, x, y, n, luma, &p->near);
		return;
	}
	uint8_t *to = pixel_at(inv, 0, x, y);
	if (g->components > 1 && inv->colours)
		output_mixed(inv, (const float *const[]){luma, p->near.cb, p->near.cr}, n, kind, to);
	else if (g->components == 1 || l->channels < 3)
		k->output_grey[kind](luma, n, to);
	else if (g->v == 2)
		k->output_420[kind](luma, &p->near, &p->far, n, &inv->gains, to);
	else
		(g->h == 2 ? k->output_422 : k->output_444)[kind](luma, p->near.cb, p->near.cr, n,
		                                                  &inv->gains, to);
}

void xc_inverse_extend(const xc_inverse *inv, float *row, uint32_t left, int to_end)
{
	if (inv->geometry->h == 1)
		return;
	if (left == 0)
		row[-1] = row[0];
	if (to_end) {
		float *end = row + xc_geometry_chroma_width(inv->geometry) - left / 2;
		end[0] = end[-1];
	}
}

/* ----------------------------------------------------------------- memory */

xc_status xc_inverse_init(xc_context *c, xc_inverse *inv)
{
	/* The filter of halved chroma leaves 4 times the value for each direction. */
	const float weight = (float)(inv->geometry->h * inv->geometry->v);

	inv->gains = xc_colour_gains_make(1.0f / (weight * weight));
	inv->edges = NULL;
	inv->arena = (xc_arena){.context = c};
	if (!rows_aside(inv, 0))
		inv->slots = 0;
	if (!inv->slots)
		return XC_OK;
	const size_t components = (size_t)inv->geometry->components, n = inv->slots * components;
	inv->edges = xc_allocate(c, n * sizeof *inv->edges);
	if (!inv->edges)
		return xc_fail_memory(c, n * sizeof *inv->edges);
	/* One by one, since all components may take a little more than half a chunk. */
	for (size_t i = 0; i < n; i++) {
		const int k = (int)(i % components);
		const size_t rows = 2 * rows_aside(inv, k);
		const size_t bytes = rows * stride_of(row_samples(inv, k)) * sizeof(float);
		inv->edges[i] = xc_arena_reserve(&inv->arena, bytes);
		if (!inv->edges[i])
			return xc_fail_memory(c, bytes);
		xc_arena_keep(&inv->arena, bytes);
	}
	return XC_OK;
}

void xc_inverse_free(xc_context *c, xc_inverse *inv)
{
	xc_release(c, inv->edges);
	xc_arena_free(&inv->arena);
	inv->edges = NULL;
}

xc_status xc_inverse_scratch_init(xc_context *c, xc_inverse_scratch *s, const xc_inverse *inv)
{
	const xc_geometry *g = inv->geometry;
	size_t window[XC_MAX_COMPONENTS], above[XC_MAX_COMPONENTS], samples = 0;

	s->stride = stride_of((size_t)g->tile_mcus_wide * 8 * (size_t)g->h);
	for (int i = 0; i < g->components; i++) {
		const size_t aside = rows_aside(inv, i);
		const size_t rows = aside + xc_inverse_tile_height(g) / xc_inverse_down(inv, i);
		window[i] = rows * s->stride;
		above[i] = inv->band_rows > 1 ? aside * stride_of(row_samples(inv, i)) : 0;
		samples += window[i] + above[i];
	}
	s->memory = xc_scratch_allocate(c, samples * sizeof(float));
	if (!s->memory)
		return xc_fail_memory(c, samples * sizeof(float));
	s->dirty = samples * sizeof(float);
	float *p = s->memory;
	for (int i = 0; i < g->components; i++) {
		s->planes[i] = p + rows_aside(inv, i) * s->stride + XC_MARGIN;
		s->above[i] = p + window[i] + XC_MARGIN;
		p += window[i] + above[i];
	}
	return XC_OK;
}

static void clear_scratch(xc_inverse_scratch *s)
{
	/* The kernels read padding and discard the result, so it must hold defined values. */
	memset(s->memory, 0, s->dirty);
	s->dirty = 0;
}

void xc_inverse_scratch_free(xc_context *c, xc_inverse_scratch *s)
{
	xc_scratch_free(c, s->memory);
	*s = (xc_inverse_scratch){0};
}

/* ----------------------------------------------------------------- window */

/* The window moves along a tile row. It holds the samples of the current tile, a margin of the tile
 * before it, and the last rows of the tile row above. */
typedef struct window {
	const xc_inverse *inv;
	xc_inverse_scratch *s;
	const xc_tile *tile;
	const char *coefficients;
	int top, bottom, last;     /* the tile is at this edge of the picture; last: the right edge */
	int band_first, band_last; /* its tile row is the first or last of the band */
} window;

/* A sample of component c; row and column count from the first sample of the tile. */
static float *sample(const window *w, int c, ptrdiff_t row, ptrdiff_t column)
{
	return w->s->planes[c] + row * (ptrdiff_t)w->s->stride + column;
}

static const xc_transform_kernels *kernels(const xc_inverse *inv)
{
	return inv->kernels->transform[inv->transform];
}

/* The inverse DCT, or the block step of a lapped transform. */
static void block_steps(const window *w, int c, uint32_t b, float *plane)
{
	const xc_inverse *inv = w->inv;
	const size_t wide = w->tile->blocks_wide[c];
	const size_t at = (w->tile->first_block[c] + b * wide) * 64;
	const float *table = inv->tables[c != 0];
	const void *all = w->coefficients;

	if (inv->pixels->depth == 16)
		kernels(inv)->inverse32((const int32_t *)all + at, table, wide, plane, w->s->stride);
	else
		kernels(inv)->inverse16((const int16_t *)all + at, table, wide, plane, w->s->stride);
}

/* The edge steps between the blocks of a row, and at the left and right edges. */
static void side_edges(const window *w, int c, float *plane)
{
	const xc_transform transform = w->inv->transform;
	const size_t first = w->tile->x == 0, wide = w->tile->blocks_wide[c], stride = w->s->stride;

	kernels(w->inv)->inverse_sides(plane + first * 8 - 4, stride, wide - first);
	if (first)
		xc_lapped_end(transform, 1, XC_PLANE_FIRST, plane, 1, 8, stride);
	if (w->last)
		xc_lapped_end(transform, 1, XC_PLANE_LAST, plane + wide * 8 - 4, 1, 8, stride);
}

/* The edge steps of a lapped transform before row b of the tile's blocks, or after the last row.
 * Those above a band are left to xc_inverse_edge(). */
static void row_edge(const window *w, int c, uint32_t b)
{
	const xc_inverse *inv = w->inv;
	const size_t stride = w->s->stride, before = w->tile->x ? UNDONE : 0;
	const size_t n = before + w->tile->blocks_wide[c] * 8 - (w->last ? 0 : UNDONE);
	const int first = b == 0 && w->top, last = b == w->tile->blocks_high[c];
	float *rows = sample(w, c, (ptrdiff_t)b * 8 - (first ? 0 : 4), -(ptrdiff_t)before);

	if (b == 0 && !w->top && w->band_first)
		return;
	if (first || last)
		xc_lapped_end(inv->transform, 1, first ? XC_PLANE_FIRST : XC_PLANE_LAST, rows, stride, n,
		              1);
	else
		kernels(inv)->inverse_rows(rows, rows + 4 * stride, stride, n);
	to_integers(inv, rows, stride, first || last ? 4 : 8, n);
}

/* Makes samples of row b of the blocks of component c. With a lapped transform the rows around the
 * upper edge of the blocks are then complete, except for the last columns; at the lower edge of the
 * picture all rows are. */
static void block_row(const window *w, int c, uint32_t b)
{
	float *plane = sample(w, c, (ptrdiff_t)b * 8, 0);

	block_steps(w, c, b, plane);
	if (!lap_of(w->inv)) {
		to_integers(w->inv, plane, w->s->stride, 8, w->tile->blocks_wide[c] * 8);
		return;
	}
	side_edges(w, c, plane);
	row_edge(w, c, b);
	if (b + 1 == w->tile->blocks_high[c] && w->bottom)
		row_edge(w, c, b + 1);
}

/* A window, and the columns of it that come out now, counted in the padded picture. */
typedef struct output {
	window w;
	const xc_row_band *band;
	uint32_t band_y;      /* its first row of pixels */
	uint32_t left, right; /* columns that come out */
} output;

/* ---------------------------------------------------------- what comes out */

/* Row `row` of component c at the first column that comes out. */
static float *out_row(const output *o, int c, ptrdiff_t row)
{
	const ptrdiff_t column = (ptrdiff_t)o->left - (ptrdiff_t)o->w.tile->x;
	return sample(&o->w, c, row, column / (ptrdiff_t)xc_inverse_across(o->w.inv, c));
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

/* Puts row `index` of the band and its chroma aside for the edge above the band. */
static void first_row(const output *o, ptrdiff_t row, uint32_t index)
{
	const xc_inverse *inv = o->w.inv;

	for (int c = 0; c < inv->geometry->components; c++) {
		const uint32_t v = xc_inverse_down(inv, c), i = rows_aside(inv, c) + index / v;
		if (index % v == 0)
			put_aside(o, c, row / (ptrdiff_t)v, edge_row(inv, o->band->index, c, i));
	}
}

static void rows_out(const output *o, ptrdiff_t from, ptrdiff_t to)
{
	for (ptrdiff_t row = from; row < to; row++) {
		const uint32_t y = (uint32_t)((ptrdiff_t)o->w.tile->y + row);
		if (o->band_y && y - o->band_y < rows_aside(o->w.inv, 0))
			first_row(o, row, y - o->band_y);
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
		const size_t n = rows_aside(inv, c);
		const size_t stride = stride_of(row_samples(inv, c));
		float *to = o->w.band_last ? edge_row(inv, o->band->index + 1, c, 0) : o->w.s->above[c];
		const ptrdiff_t first = (ptrdiff_t)(o->w.tile->blocks_high[c] * 8 - n);
		for (size_t i = 0; i < n; i++)
			put_aside(o, c, first + (ptrdiff_t)i, to + i * stride);
	}
}

/* Brings the last rows of the tile row above back. */
static void rows_above(const window *w)
{
	const xc_inverse *inv = w->inv;

	for (int c = 0; c < inv->geometry->components; c++) {
		const size_t n = rows_aside(inv, c), width = w->tile->blocks_wide[c] * 8;
		const size_t stride = stride_of(row_samples(inv, c));
		const float *from = w->s->above[c] + w->tile->x / xc_inverse_across(inv, c);
		for (size_t i = 0; i < n; i++)
			memcpy(sample(w, c, (ptrdiff_t)i - (ptrdiff_t)n, 0), from + i * stride,
			       width * sizeof(float));
	}
}

/* Copies the last n columns to the margin of the next tile. */
static void carry_over(const window *w, ptrdiff_t n)
{
	for (int c = 0; c < w->inv->geometry->components; c++) {
		const ptrdiff_t width = (ptrdiff_t)w->tile->blocks_wide[c] * 8;
		const ptrdiff_t end = (ptrdiff_t)w->tile->blocks_high[c] * 8;
		for (ptrdiff_t row = -(ptrdiff_t)rows_aside(w->inv, c); row < end; row++)
			/* A tile may be narrower than the margin. */
			memmove(sample(w, c, row, -n), sample(w, c, row, width - n), (size_t)n * sizeof(float));
	}
}

/* The rows of luma that can come out after block steps of n and n_chroma rows. */
static ptrdiff_t complete_rows(const xc_inverse *inv, uint32_t n, uint32_t n_chroma)
{
	const ptrdiff_t luma = (ptrdiff_t)n - (ptrdiff_t)lap_of(inv);

	if (inv->geometry->v == 1)
		return luma;
	const ptrdiff_t with_chroma = 2 * ((ptrdiff_t)n_chroma - (ptrdiff_t)lap_of(inv)) - 1;
	return luma < with_chroma ? luma : with_chroma;
}

uint32_t xc_inverse_rows(const xc_inverse *inv, uint32_t tile_rows)
{
	const xc_geometry *g = inv->geometry;
	return tile_rows == g->tiles_high ? g->height
	                                  : tile_rows * xc_inverse_tile_height(g) - rows_aside(inv, 0);
}

/* The columns that the output is behind the tile, at most XC_MARGIN: whole cache lines of samples,
 * of chroma too with a lapped transform. */
static uint32_t delay_of(const xc_geometry *g, xc_transform transform)
{
	const int halved = g->h == 2;
	return xc_transform_laps(transform) ? halved ? 32 : 16 : halved ? 16 : 0;
}

uint32_t xc_inverse_halo_mcus(const xc_geometry *g, xc_transform transform)
{
	const uint32_t delay = delay_of(g, transform);

	/* One more MCU than the delay covers: the samples of the first MCU next to its left neighbour
	 * are not complete, and the filter of halved chroma reaches one sample further. */
	return delay ? delay / (8 * (uint32_t)g->h) + 1 : 0;
}

xc_tile xc_inverse_halo_of(const xc_inverse *inv, const xc_tile *before)
{
	const xc_geometry *g = inv->geometry;
	const uint32_t h = (uint32_t)g->h, v = (uint32_t)g->v;
	const uint32_t wide = xc_inverse_halo_mcus(g, inv->transform);
	const xc_tile_mcus m = {(before->x + before->width) / (8 * h) - wide, before->y / (8 * v), wide,
	                        before->height / (8 * v), 0};

	return xc_tile_of(&m, (uint32_t)g->components, h, v);
}

void xc_inverse_halo(const xc_inverse *inv, xc_inverse_scratch *s, const xc_tile *halo,
                     const void *coefficients)
{
	const uint32_t tile_row = halo->y / xc_inverse_tile_height(inv->geometry);
	/* clang-format off */
	const window w = {
		.inv = inv, .s = s, .tile = halo, .coefficients = coefficients,
		.top = tile_row == 0, .bottom = tile_row + 1 == inv->geometry->tiles_high,
		.band_first = 1, .band_last = 1,
	};

	/* clang-format on */
	clear_scratch(s);
	for (int c = 0; c < inv->geometry->components; c++)
		for (uint32_t b = 0; b < halo->blocks_high[c]; b++)
			block_row(&w, c, b);
	carry_over(&w, (ptrdiff_t)delay_of(inv->geometry, inv->transform));
}

void xc_inverse_tile(const xc_inverse *inv, xc_inverse_scratch *s, const xc_row_band *band,
                     const xc_tile *t, const void *coefficients)
{
	const xc_geometry *g = inv->geometry;
	const uint32_t tile_row = t->y / xc_inverse_tile_height(g);
	const uint32_t end = t->x + t->width, delay = delay_of(g, inv->transform);
	const uint32_t v = (uint32_t)g->v;
	const int last = end >= g->width;
	/* clang-format off */
	const output o = {
		.w = {
			.inv = inv, .s = s, .tile = t, .coefficients = coefficients,
			.top = t->y == 0, .bottom = tile_row + 1 == g->tiles_high, .last = last,
			.band_first = tile_row == band->first, .band_last = tile_row + 1 == band->end,
		},
		.band = band, .band_y = band->first * xc_inverse_tile_height(g),
		.left = t->x > delay ? t->x - delay : 0, .right = last ? end : end > delay ? end - delay : 0,
	};

	/* clang-format on */
	clear_scratch(s);
	ptrdiff_t next = o.w.band_first ? 0 : -(ptrdiff_t)rows_aside(inv, 0);
	if (!o.w.band_first)
		rows_above(&o.w);
	/* Eight rows of luma at a time, which are in the first-level cache when they come out. */
	for (uint32_t b = 0; b < t->blocks_high[0]; b++) {
		block_row(&o.w, 0, b);
		for (int c = 1; c < g->components && b % v == 0; c++)
			block_row(&o.w, c, b / v);
		const int all = b + 1 == t->blocks_high[0] && o.w.bottom;
		const ptrdiff_t to = all ? (ptrdiff_t)(b + 1) * 8
		                         : complete_rows(inv, (b + 1) * 8, (b / v + 1) * 8);
		rows_out(&o, next, to);
		next = to > next ? to : next;
	}
	if (rows_aside(inv, 0) && !o.w.bottom)
		last_rows(&o);
	if (delay && !last)
		carry_over(&o.w, (ptrdiff_t)delay);
}

/* ------------------------------------------------------------------ edges */

static xc_chroma_rows edge_chroma(const xc_inverse *inv, uint32_t edge, uint32_t row)
{
	return (xc_chroma_rows){edge_row(inv, edge, 1, row), edge_row(inv, edge, 2, row)};
}

void xc_inverse_edge(const xc_inverse *inv, uint32_t edge, uint32_t row)
{
	const xc_geometry *g = inv->geometry;
	const uint32_t y0 = row * xc_inverse_tile_height(g);
	const uint32_t n = rows_aside(inv, 0), v = xc_inverse_down(inv, 1);
	const uint32_t first = y0 / v - rows_aside(inv, 1);

	for (int c = 0; c < g->components; c++) {
		const uint32_t aside = rows_aside(inv, c);
		const size_t width = row_samples(inv, c), stride = stride_of(width);
		if (lap_of(inv)) {
			float *rows = edge_row(inv, edge, c, aside - 4);
			kernels(inv)->inverse_rows(rows, rows + 4 * stride, stride, width);
			to_integers(inv, rows, stride, 8, width);
		}
		for (size_t i = 0; c && i < 2 * aside; i++)
			xc_inverse_extend(inv, edge_row(inv, edge, c, i), 0, 1);
	}
	for (uint32_t y = y0 - n; y < y0 + n && y < g->height; y++) {
		xc_chroma_lines chroma = {{0}, {0}};
		if (g->components > 1)
			chroma.near = edge_chroma(inv, edge, y / v - first);
		if (g->components > 1 && g->v == 2)
			chroma.far = edge_chroma(inv, edge, xc_inverse_far_row(inv, y) - first);
		xc_inverse_output(inv, 0, y, g->width, edge_row(inv, edge, 0, y - (y0 - n)), &chroma);
	}
}
