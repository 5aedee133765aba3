/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The decoder's left side: block steps, with a lapped transform the edge steps between
 * blocks side by side and then those between rows of blocks, then colour.
 *
 * A window of one tile, with a margin of the tile before it and the last rows of the
 * band above, moves along each band.  What comes out lags behind: the last `lap` samples
 * of each row wait for the edge step with the next tile, and the triangle filter of
 * halved chroma needs one more; likewise a few rows wait for the band below.  Only the
 * last and first rows of a group of bands are put aside for xc_inverse_edge(), where two
 * threads' work meets.
 */
#include <string.h>

#include "src/pixels/inverse.h"
#include "src/pixels/lapped.h"

enum {
	MARGIN = 32, /* samples kept of the tile before; at least what lags behind */
	UNDONE = 8   /* columns at the end of a tile whose edge steps wait for the next one */
};

/* A tile at work; rows count from its first one, columns too. */
typedef struct job {
	const xc_inverse *inv;
	xc_inverse_scratch *s;
	const xc_tile *tile;
	const char *coefficients;
	int top, bottom, last; /* the tile lies at this edge of the picture; last: at the right one */
	int group_first, group_last; /* the band is the first, the last of its group */
	uint32_t group, group_y;     /* the group and its first row of pixels */
	uint32_t lag;                /* pixels by which what comes out is late */
	uint32_t left, right;        /* columns of the padded picture that come out */
} job;

static uint32_t across(const xc_inverse *inv, int c)
{
	return c ? (uint32_t)inv->geometry->h : 1;
}

static uint32_t down(const xc_inverse *inv, int c)
{
	return c ? (uint32_t)inv->geometry->v : 1;
}

static size_t padded_width(const xc_inverse *inv, int c)
{
	return (size_t)inv->geometry->mcus_wide * 8 * (size_t)inv->geometry->h / across(inv, c);
}

static uint32_t tile_height(const xc_geometry *g)
{
	return g->tile_mcus_high * 8 * (uint32_t)g->v;
}

/* Samples on each side of an edge between blocks that its edge step changes. */
static uint32_t lap(const xc_inverse *inv)
{
	return inv->transform == XC_TRANSFORM_DCT ? 0 : 4;
}

/* Rows at the end of a band that cannot come out without the next one: those that wait for
 * their edge step and, with chroma of half the height, one more of chroma and the luma that
 * goes with it. */
static uint32_t aside(const xc_inverse *inv, int c)
{
	return inv->geometry->v == 1 ? lap(inv) : c ? lap(inv) + 1 : 2 * lap(inv) + 1;
}

static size_t row_stride(size_t samples)
{
	return (samples + XC_SLACK + MARGIN + 15) / 16 * 16;
}

static size_t edge_stride(const xc_inverse *inv, int c)
{
	return row_stride(padded_width(inv, c));
}

/* Rows before and behind the edge between groups `edge` and `edge` + 1; the edge is before
 * row aside(). */
static float *edge_row(const xc_inverse *inv, uint32_t edge, int c, size_t row)
{
	float *p = inv->edges[edge] + MARGIN;
	for (int i = 0; i < c; i++)
		p += 2 * aside(inv, i) * edge_stride(inv, i);
	return p + row * edge_stride(inv, c);
}

uint32_t xc_inverse_edges(const xc_inverse *inv)
{
	return aside(inv, 0) ? (inv->geometry->tiles_high - 1) / inv->group : 0;
}

uint32_t xc_inverse_group(const xc_geometry *g, xc_transform transform, int threads)
{
	enum { MOST_BANDS = 8 };
	const int lapped = transform != XC_TRANSFORM_DCT;
	const uint32_t least = lapped && g->v == 2 && g->tile_mcus_high == 1 ? 2 : 1;
	const uint32_t narrow = g->tiles_wide < 4 ? 4 / g->tiles_wide : 1;
	const uint32_t each = g->tiles_high / (uint32_t)threads;
	uint32_t n = each / (lapped ? 8 : 16);
	n = n < MOST_BANDS ? n : MOST_BANDS;
	n = n > narrow ? n : narrow < each ? narrow : each;
	return n < least ? least : n;
}

xc_status xc_inverse_init(xc_context *c, xc_inverse *inv)
{
	const uint32_t edges = xc_inverse_edges(inv);
	/* The filter of halved chroma leaves 4 times the value for each direction. */
	const float weight = (float)(inv->geometry->h * inv->geometry->v);
	inv->gains = xc_colour_gains_make(1.0f / (weight * weight));
	inv->edges = NULL;
	inv->arena = (xc_arena){.context = c};
	if (!edges)
		return XC_OK;
	inv->edges = xc_allocate(c, edges * sizeof *inv->edges);
	if (!inv->edges)
		return xc_fail_memory(c, edges * sizeof *inv->edges);
	size_t bytes = 0;
	for (int i = 0; i < inv->geometry->components; i++)
		bytes += 2 * aside(inv, i) * edge_stride(inv, i) * sizeof(float);
	for (uint32_t i = 0; i < edges; i++) {
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
	s->stride = row_stride((size_t)g->tile_mcus_wide * 8 * (size_t)g->h);
	for (int i = 0; i < g->components; i++) {
		window[i] = s->stride * (aside(inv, i) + tile_height(g) / down(inv, i));
		above[i] = inv->group > 1 ? aside(inv, i) * edge_stride(inv, i) : 0;
		samples += window[i] + above[i];
	}
	s->memory = xc_scratch_allocate(c, samples * sizeof(float));
	if (!s->memory)
		return xc_fail_memory(c, samples * sizeof(float));
	/* What lies past the samples is computed with, although nothing comes of it. */
	memset(s->memory, 0, samples * sizeof(float));
	float *p = s->memory;
	for (int i = 0; i < g->components; i++) {
		s->planes[i] = p + aside(inv, i) * s->stride + MARGIN;
		s->above[i] = p + window[i] + MARGIN;
		p += window[i] + above[i];
	}
	return XC_OK;
}

void xc_inverse_scratch_free(xc_context *c, xc_inverse_scratch *s)
{
	xc_scratch_free(c, s->memory);
	*s = (xc_inverse_scratch){0};
}

/* ------------------------------------------------------------- the steps */

static const xc_lapped_kernels *kernels(const xc_inverse *inv)
{
	return inv->kernels->lapped[inv->transform];
}

static float *sample(const job *j, int c, ptrdiff_t row, ptrdiff_t column)
{
	return j->s->planes[c] + row * (ptrdiff_t)j->s->stride + column;
}

static size_t tile_width(const job *j, int c)
{
	return j->tile->blocks_wide[c] * 8;
}

static void to_integers(const xc_inverse *inv, float *rows, size_t stride, size_t count, size_t n)
{
	for (size_t i = 0; inv->integers && i < count; i++)
		xc_inverse_to_integers(inv, rows + i * stride, n);
}

/* The inverse DCT, or the block step of a lapped transform. */
static void block_step(const job *j, int c, uint32_t b, float *plane)
{
	const xc_inverse *inv = j->inv;
	const xc_kernels *k = inv->kernels;
	const xc_lapped_kernels *l = kernels(inv);
	const size_t wide = j->tile->blocks_wide[c];
	const size_t at = (j->tile->first_block[c] + b * wide) * 64;
	const float *table = inv->tables[c != 0];
	if (inv->picture->depth == 16)
		(l ? l->inverse32 : k->idct32)((const int32_t *)(const void *)j->coefficients + at, table,
		                               wide, plane, j->s->stride);
	else
		(l ? l->inverse16 : k->idct16)((const int16_t *)(const void *)j->coefficients + at, table,
		                               wide, plane, j->s->stride);
}

static void block_row(const job *j, int c, uint32_t b)
{
	const xc_inverse *inv = j->inv;
	const size_t wide = j->tile->blocks_wide[c], stride = j->s->stride;
	float *plane = sample(j, c, (ptrdiff_t)b * 8, 0);
	block_step(j, c, b, plane);
	if (!lap(inv)) {
		to_integers(inv, plane, stride, 8, wide * 8);
		return;
	}
	const size_t first = j->tile->x == 0;
	kernels(inv)->inverse_sides(plane + first * 8 - 4, stride, wide - first);
	if (first)
		xc_lapped_inverse_end(inv->transform, XC_PLANE_FIRST, plane, 1, 8, stride);
	if (j->last)
		xc_lapped_inverse_end(inv->transform, XC_PLANE_LAST, plane + wide * 8 - 4, 1, 8, stride);
}

/* A lapped transform's edge before row b of the tile's blocks, or behind the last one. */
static void row_edge(const job *j, int c, uint32_t b)
{
	const xc_inverse *inv = j->inv;
	const size_t stride = j->s->stride, before = j->tile->x ? UNDONE : 0;
	const size_t n = before + tile_width(j, c) - (j->last ? 0 : UNDONE);
	const int first = b == 0 && j->top, last = b == j->tile->blocks_high[c];
	float *rows = sample(j, c, (ptrdiff_t)b * 8 - (first ? 0 : 4), -(ptrdiff_t)before);
	if (!lap(inv) || (b == 0 && !j->top && j->group_first))
		return;
	if (first || last)
		xc_lapped_inverse_end(inv->transform, first ? XC_PLANE_FIRST : XC_PLANE_LAST, rows, stride,
		                      n, 1);
	else
		kernels(inv)->inverse_rows(rows, rows + 4 * stride, stride, n);
	to_integers(inv, rows, stride, first || last ? 4 : 8, n);
}

/* ---------------------------------------------------------- what comes out */

/* Row `row` of component c at the first column that comes out. */
static float *out_row(const job *j, int c, ptrdiff_t row)
{
	return sample(j, c, row,
	              ((ptrdiff_t)j->left - (ptrdiff_t)j->tile->x) / (ptrdiff_t)across(j->inv, c));
}

/* Row `row` of the picture's chroma. */
static xc_chroma_rows chroma_rows(const job *j, uint32_t row)
{
	const ptrdiff_t first = (ptrdiff_t)(j->tile->y / down(j->inv, 1));
	float *cb = out_row(j, 1, (ptrdiff_t)row - first), *cr = out_row(j, 2, (ptrdiff_t)row - first);
	xc_inverse_extend(j->inv, cb, j->left, j->last);
	xc_inverse_extend(j->inv, cr, j->left, j->last);
	return (xc_chroma_rows){cb, cr};
}

static void pixels(const job *j, ptrdiff_t row, uint32_t y)
{
	const xc_inverse *inv = j->inv;
	const xc_geometry *g = inv->geometry;
	const uint32_t right = j->right < g->width ? j->right : g->width;
	xc_chroma_lines p = {{0}, {0}};
	if (right <= j->left)
		return;
	if (g->components > 1)
		p.near = chroma_rows(j, y / down(inv, 1));
	if (g->v == 2)
		p.far = chroma_rows(j, xc_inverse_far_row(inv, y));
	xc_inverse_output(inv, j->left, y, right - j->left, out_row(j, 0, row), &p);
}

/* Copies what comes out of a row to a row of the whole width. */
static void put_aside(const job *j, int c, ptrdiff_t row, float *to)
{
	const uint32_t h = across(j->inv, c);
	memcpy(to + j->left / h, out_row(j, c, row), (j->right - j->left) / h * sizeof(float));
}

/* A row of luma that is complete but for the edge before the group, and its chroma. */
static void first_row(const job *j, ptrdiff_t row, uint32_t index)
{
	const xc_inverse *inv = j->inv;
	for (int c = 0; c < inv->geometry->components; c++) {
		const uint32_t v = down(inv, c), i = index / v;
		if (index % v == 0)
			put_aside(j, c, row / (ptrdiff_t)v, edge_row(inv, j->group - 1, c, aside(inv, c) + i));
	}
}

static void rows_out(const job *j, ptrdiff_t from, ptrdiff_t to)
{
	for (ptrdiff_t row = from; row < to; row++) {
		const uint32_t y = (uint32_t)((ptrdiff_t)j->tile->y + row);
		if (j->group && y - j->group_y < aside(j->inv, 0))
			first_row(j, row, y - j->group_y);
		else if (y < j->inv->geometry->height)
			pixels(j, row, y);
	}
}

/* ---------------------------------------------------------- between tiles */

static void last_rows(const job *j)
{
	const xc_inverse *inv = j->inv;
	for (int c = 0; c < inv->geometry->components; c++) {
		const size_t n = aside(inv, c), stride = edge_stride(inv, c);
		float *to = j->group_last ? edge_row(inv, j->group, c, 0) : j->s->above[c];
		const ptrdiff_t first = (ptrdiff_t)(j->tile->blocks_high[c] * 8 - n);
		for (size_t i = 0; i < n; i++)
			put_aside(j, c, first + (ptrdiff_t)i, to + i * stride);
	}
}

static void rows_above(const job *j)
{
	const xc_inverse *inv = j->inv;
	for (int c = 0; c < inv->geometry->components; c++) {
		const size_t n = aside(inv, c), stride = edge_stride(inv, c);
		const float *from = j->s->above[c] + j->tile->x / across(inv, c);
		for (size_t i = 0; i < n; i++)
			memcpy(sample(j, c, (ptrdiff_t)i - (ptrdiff_t)n, 0), from + i * stride,
			       tile_width(j, c) * sizeof(float));
	}
}

/* The margin for the next tile. */
static void carry_over(const job *j)
{
	const ptrdiff_t n = (ptrdiff_t)j->lag;
	for (int c = 0; c < j->inv->geometry->components; c++) {
		const ptrdiff_t end = (ptrdiff_t)j->tile->blocks_high[c] * 8;
		for (ptrdiff_t row = -(ptrdiff_t)aside(j->inv, c); row < end; row++)
			/* A tile may be narrower than the margin. */
			memmove(sample(j, c, row, -n), sample(j, c, row, (ptrdiff_t)tile_width(j, c) - n),
			        (size_t)n * sizeof(float));
	}
}

/* Block row b of component c and the edge before it; at the picture's end that behind it. */
static void samples(const job *j, int c, uint32_t b)
{
	block_row(j, c, b);
	row_edge(j, c, b);
	if (b + 1 == j->tile->blocks_high[c] && j->bottom)
		row_edge(j, c, b + 1);
}

/* Rows of luma that can come out when n rows of it, and n_chroma of chroma, have been
 * through the block step. */
static ptrdiff_t complete_rows(const xc_inverse *inv, uint32_t n, uint32_t n_chroma)
{
	const ptrdiff_t luma = (ptrdiff_t)n - (ptrdiff_t)lap(inv);
	if (inv->geometry->v == 1)
		return luma;
	const ptrdiff_t with_chroma = 2 * ((ptrdiff_t)n_chroma - (ptrdiff_t)lap(inv)) - 1;
	return luma < with_chroma ? luma : with_chroma;
}

/* How far what comes out lags behind: in whole cache lines of samples, of chroma too where
 * lapped. */
static uint32_t lag_of(const xc_inverse *inv)
{
	const int halved = inv->geometry->h == 2;
	return lap(inv) ? halved ? 32 : 16 : halved ? 16 : 0;
}

void xc_inverse_tile(const xc_inverse *inv, xc_inverse_scratch *s, const xc_tile *t,
                     const void *coefficients)
{
	const xc_geometry *g = inv->geometry;
	const uint32_t band = t->y / tile_height(g), group = band / inv->group;
	const uint32_t end = t->x + t->width, lag = lag_of(inv), v = (uint32_t)g->v;
	const int last = end >= g->width;
	/* clang-format off */
	const job j = {
		.inv = inv, .s = s, .tile = t, .coefficients = coefficients,
		.top = t->y == 0, .bottom = band + 1 == g->tiles_high, .last = last,
		.group_first = band % inv->group == 0, .group_last = (band + 1) % inv->group == 0,
		.group = group, .group_y = group * inv->group * tile_height(g), .lag = lag,
		.left = t->x > lag ? t->x - lag : 0, .right = last ? end : end > lag ? end - lag : 0,
	};
	/* clang-format on */
	ptrdiff_t next = j.group_first ? 0 : -(ptrdiff_t)aside(inv, 0);
	if (!j.group_first)
		rows_above(&j);
	/* Eight rows of luma at a time, so that they are still in the first-level cache when
	 * they come out. */
	for (uint32_t b = 0; b < t->blocks_high[0]; b++) {
		samples(&j, 0, b);
		for (int c = 1; c < g->components && b % v == 0; c++)
			samples(&j, c, b / v);
		const int all = b + 1 == t->blocks_high[0] && j.bottom;
		const ptrdiff_t to = all ? (ptrdiff_t)(b + 1) * 8
		                         : complete_rows(inv, (b + 1) * 8, (b / v + 1) * 8);
		rows_out(&j, next, to);
		next = to > next ? to : next;
	}
	if (aside(inv, 0) && !j.bottom)
		last_rows(&j);
	if (lag && !last)
		carry_over(&j);
}

static xc_chroma_rows edge_chroma(const xc_inverse *inv, uint32_t edge, uint32_t row)
{
	return (xc_chroma_rows){edge_row(inv, edge, 1, row), edge_row(inv, edge, 2, row)};
}

void xc_inverse_edge(const xc_inverse *inv, uint32_t edge)
{
	const xc_geometry *g = inv->geometry;
	const uint32_t y0 = (edge + 1) * inv->group * tile_height(g), n = aside(inv, 0);
	const uint32_t first = y0 / down(inv, 1) - aside(inv, 1);
	for (int c = 0; c < g->components; c++) {
		const size_t stride = edge_stride(inv, c), width = padded_width(inv, c);
		float *rows = edge_row(inv, edge, c, aside(inv, c) - 4);
		if (lap(inv)) {
			kernels(inv)->inverse_rows(rows, rows + 4 * stride, stride, width);
			to_integers(inv, rows, stride, 8, width);
		}
		for (size_t i = 0; c && i < 2 * aside(inv, c); i++)
			xc_inverse_extend(inv, edge_row(inv, edge, c, i), 0, 1);
	}
	for (uint32_t y = y0 - n; y < y0 + n && y < g->height; y++) {
		xc_chroma_lines p = {{0}, {0}};
		if (g->components > 1)
			p.near = edge_chroma(inv, edge, y / down(inv, 1) - first);
		if (g->v == 2)
			p.far = edge_chroma(inv, edge, xc_inverse_far_row(inv, y) - first);
		xc_inverse_output(inv, 0, y, g->width, edge_row(inv, edge, 0, y - (y0 - n)), &p);
	}
}
