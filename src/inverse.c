/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/inverse.h"

#include <math.h>
#include <string.h>

static size_t row_stride(size_t samples)
{
	return (samples + XC_SLACK + 2 * XC_MARGIN + 15) / 16 * 16;
}

static uint32_t tile_height(const xc_geometry *g)
{
	return g->tile_mcus_high * 8 * (uint32_t)g->v;
}

xc_status xc_inverse_init(xc_context *c, xc_inverse *inv)
{
	const xc_geometry *g = inv->geometry;
	if (inv->transform != XC_TRANSFORM_DCT)
		return xc_lapped_init(c, inv);
	inv->edge_stride = row_stride((size_t)g->mcus_wide * 8 * (size_t)g->h);
	inv->edges = NULL;
	inv->arena = (xc_arena){.context = c};
	if (g->v == 1 || g->tiles_high == 1)
		return XC_OK;
	inv->edges = xc_allocate(c, g->tiles_high * sizeof *inv->edges);
	if (!inv->edges)
		return xc_fail_memory(c, g->tiles_high * sizeof *inv->edges);
	const size_t bytes = XC_EDGE_ROWS * inv->edge_stride * sizeof(float);
	for (uint32_t band = 0; band < g->tiles_high; band++) {
		inv->edges[band] = xc_arena_reserve(&inv->arena, bytes);
		if (!inv->edges[band])
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
	if (inv->transform != XC_TRANSFORM_DCT)
		return xc_lapped_scratch_init(c, s, inv);
	s->stride = row_stride((size_t)g->tile_mcus_wide * 8 * (size_t)g->h);
	const size_t luma = s->stride * tile_height(g);
	const size_t chroma = g->components == 1 ? 0 : s->stride * g->tile_mcus_high * 8;
	const size_t samples = luma + 2 * chroma;
	s->memory = xc_scratch_allocate(c, samples * sizeof(float));
	if (!s->memory)
		return xc_fail_memory(c, samples * sizeof(float));
	/* What lies past the samples is computed with, although nothing comes of it. */
	memset(s->memory, 0, samples * sizeof(float));
	s->planes[0] = (float *)s->memory + XC_MARGIN;
	s->planes[1] = s->planes[0] + luma;
	s->planes[2] = s->planes[1] + chroma;
	return XC_OK;
}

void xc_inverse_scratch_free(xc_context *c, xc_inverse_scratch *s)
{
	xc_scratch_free(c, s->memory);
	*s = (xc_inverse_scratch){0};
}

/* A tile being written: pixels from `left` to `right` of the picture. */
typedef struct output {
	const xc_inverse *inv;
	xc_inverse_scratch *s;
	const xc_tile *tile;
	const void *coefficients;
	uint32_t left, right;
	uint32_t rows, chroma_rows; /* of the tile that belong to the picture */
} output;

void xc_inverse_to_integers(const xc_inverse *inv, float *row, size_t n)
{
	const float half = inv->picture->depth == 8 ? 128.0f : 32768.0f;
	for (size_t i = 0; i < n; i++) {
		const float v = floorf(row[i] + 0.5f);
		row[i] = v < -half ? -half : v > half - 1 ? half - 1 : v;
	}
}

static void inverse_blocks(const output *o, int c, uint32_t row)
{
	const xc_tile *t = o->tile;
	const size_t wide = t->blocks_wide[c];
	const size_t first = (t->first_block[c] + row * wide) * 64;
	float *plane = o->s->planes[c] + row * 8 * o->s->stride;
	if (o->inv->picture->depth == 16)
		o->inv->kernels->idct32((const int32_t *)o->coefficients + first,
		                        o->inv->tables[c != 0], wide, plane, o->s->stride);
	else
		o->inv->kernels->idct16((const int16_t *)o->coefficients + first,
		                        o->inv->tables[c != 0], wide, plane, o->s->stride);
	if (o->inv->integers)
		for (uint32_t y = 0; y < 8; y++)
			xc_inverse_to_integers(o->inv, plane + y * o->s->stride, wide * 8);
}

/* The sample of a component that stands at pixel `left` in a row of the tile. */
static float *sample(const output *o, int c, uint32_t row)
{
	const uint32_t lag = o->tile->x - o->left;
	return o->s->planes[c] + row * o->s->stride - (c ? lag / (uint32_t)o->inv->geometry->h : lag);
}

/* Continues halved chroma past the picture's left and right edge by one sample. */
static void extend(const output *o, int c, uint32_t row)
{
	float *first = o->s->planes[c] + row * o->s->stride;
	if (o->tile->x == 0)
		first[-1] = first[0];
	if (o->right == o->inv->geometry->width) {
		float *end = first + xc_geometry_chroma_width(o->inv->geometry) - o->tile->x / 2;
		end[0] = end[-1];
	}
}

/* n pixels from (x, y) on, from luma and the nearer and farther row of chroma that was
 * halved both ways. */
static void output_420(const xc_inverse *inv, uint32_t x, uint32_t y, uint32_t n,
                       const float *luma, const xc_chroma_rows *near, const xc_chroma_rows *far)
{
	const xc_colour_gains gains = xc_colour_gains_make(1.0f / 16);
	inv->kernels->output_420[xc_inverse_layout(inv)](luma, near, far, n, &gains,
	                                                 xc_inverse_pixel(inv, x, y));
}

static float *edge_row(const xc_inverse *inv, uint32_t band, int which)
{
	return inv->edges[band] + (size_t)which * inv->edge_stride + XC_MARGIN;
}

static void put_aside(const output *o, int which, uint32_t row)
{
	const uint32_t band = o->tile->y / tile_height(o->inv->geometry);
	const uint32_t n = o->right - o->left;
	memcpy(edge_row(o->inv, band, which) + o->left, sample(o, 0, row), n * sizeof(float));
	/* With the samples on both sides, if only because those past the picture's edges
	 * are needed; the others are overwritten by the neighbouring tiles' own. */
	for (int c = 1; c < 3; c++)
		memcpy(edge_row(o->inv, band, which + c) + o->left / 2 - 1, sample(o, c, row / 2) - 1,
		       (n / 2 + 2 + n % 2) * sizeof(float));
}

static void row_420(const output *o, uint32_t row)
{
	const int upper_edge = row == 0 && o->tile->y != 0;
	const int lower_edge = row + 1 == o->rows && o->tile->y + o->rows != o->inv->geometry->height;
	if (upper_edge)
		put_aside(o, XC_EDGE_FIRST_Y, row);
	if (lower_edge)
		put_aside(o, XC_EDGE_LAST_Y, row);
	if (upper_edge || lower_edge)
		return;
	const uint32_t near = row / 2;
	const uint32_t last = o->chroma_rows - 1;
	const uint32_t far = row % 2 ? (near < last ? near + 1 : near) : (near ? near - 1 : near);
	const xc_chroma_rows n = {sample(o, 1, near), sample(o, 2, near)};
	const xc_chroma_rows f = {sample(o, 1, far), sample(o, 2, far)};
	output_420(o->inv, o->left, o->tile->y + row, o->right - o->left, sample(o, 0, row), &n, &f);
}

static void output_row(const output *o, uint32_t row)
{
	const xc_inverse *inv = o->inv;
	const xc_geometry *g = inv->geometry;
	const unsigned layout = xc_inverse_layout(inv);
	const uint32_t n = o->right - o->left;
	void *to = xc_inverse_pixel(inv, o->left, o->tile->y + row);
	if (g->components == 1) {
		inv->kernels->output_grey[layout](sample(o, 0, row), n, to);
	} else if (g->v == 2) {
		row_420(o, row);
	} else {
		const xc_colour_gains gains = xc_colour_gains_make(g->h == 2 ? 1.0f / 4 : 1);
		(g->h == 2 ? inv->kernels->output_422 : inv->kernels->output_444)[layout](
		        sample(o, 0, row), sample(o, 1, row), sample(o, 2, row), n, &gains, to);
	}
}

/* Carries the last samples of each row over to the next tile. */
static void carry_over(const output *o)
{
	const xc_tile *t = o->tile;
	for (int c = 0; c < o->inv->geometry->components; c++) {
		for (uint32_t row = 0; row < t->blocks_high[c] * 8; row++) {
			float *first = o->s->planes[c] + row * o->s->stride;
			/* A tile may be narrower than the margin. */
			memmove(first - XC_MARGIN, first + t->blocks_wide[c] * 8 - XC_MARGIN,
			        XC_MARGIN * sizeof(float));
		}
	}
}

static void chroma_row(const output *o, uint32_t block_row)
{
	for (int c = 1; c < 3; c++) {
		inverse_blocks(o, c, block_row);
		for (uint32_t y = 0; y < 8 && o->inv->geometry->h == 2; y++)
			extend(o, c, block_row * 8 + y);
	}
}

void xc_inverse_tile(const xc_inverse *inv, xc_inverse_scratch *s, const xc_tile *t,
                     const void *coefficients)
{
	const xc_geometry *g = inv->geometry;
	if (inv->transform != XC_TRANSFORM_DCT) {
		xc_lapped_tile(inv, s, t, coefficients);
		return;
	}
	const int last = t->x + t->width >= g->width;
	const uint32_t lag = g->h == 2 ? XC_LAG : 0;
	const uint32_t rows = t->height < g->height - t->y ? t->height : g->height - t->y;
	const output o = {
		.inv = inv, .s = s, .tile = t, .coefficients = coefficients,
		.left = t->x ? t->x - lag : 0,
		.right = last ? g->width : t->x + t->width - lag,
		.rows = rows, .chroma_rows = (rows + (uint32_t)g->v - 1) / (uint32_t)g->v,
	};
	/* Eight rows of luma at a time, so that they are still in the first-level cache
	 * when they are written out. */
	for (uint32_t b = 0; g->v == 2 && b < t->blocks_high[1]; b++)
		chroma_row(&o, b);
	for (uint32_t b = 0; b < t->blocks_high[0]; b++) {
		inverse_blocks(&o, 0, b);
		if (g->components == 3 && g->v == 1)
			chroma_row(&o, b);
		for (uint32_t row = b * 8; row < (b + 1) * 8 && row < rows; row++)
			output_row(&o, row);
	}
	if (lag && !last)
		carry_over(&o);
}

uint32_t xc_inverse_edges(const xc_inverse *inv)
{
	if (!inv->edges)
		return 0;
	if (inv->transform == XC_TRANSFORM_DCT)
		return inv->geometry->tiles_high - 1;
	return (inv->geometry->tiles_high - 1) / inv->group;
}

void xc_inverse_edge(const xc_inverse *inv, uint32_t band)
{
	if (inv->transform != XC_TRANSFORM_DCT) {
		xc_lapped_edge(inv, band);
		return;
	}
	const uint32_t below = (band + 1) * tile_height(inv->geometry);
	const uint32_t n = inv->geometry->width;
	const xc_chroma_rows upper = {edge_row(inv, band, XC_EDGE_LAST_CB),
	                              edge_row(inv, band, XC_EDGE_LAST_CR)};
	const xc_chroma_rows lower = {edge_row(inv, band + 1, XC_EDGE_FIRST_CB),
	                              edge_row(inv, band + 1, XC_EDGE_FIRST_CR)};
	output_420(inv, 0, below - 1, n, edge_row(inv, band, XC_EDGE_LAST_Y), &upper, &lower);
	output_420(inv, 0, below, n, edge_row(inv, band + 1, XC_EDGE_FIRST_Y), &lower, &upper);
}
