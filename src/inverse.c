/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/inverse.h"

#include <string.h>

static size_t plane_stride(size_t samples)
{
	return (samples + XC_SLACK + 2 * XC_MARGIN + 15) / 16 * 16;
}

static uint32_t band_height(const xc_geometry *g)
{
	return g->tile_mcus_high * 8 * (uint32_t)g->v;
}

xc_status xc_inverse_init(xc_context *c, xc_inverse *inv)
{
	const xc_geometry *g = inv->geometry;
	inv->luma_stride = plane_stride((size_t)g->mcus_wide * 8 * (size_t)g->h);
	inv->chroma_stride = plane_stride((size_t)g->mcus_wide * 8);
	inv->edges = NULL;
	if (g->v == 1 || g->components == 1 || g->tiles_high == 1)
		return XC_OK;
	const size_t row = XC_EDGE_ROWS * inv->luma_stride * sizeof(float);
	if (g->tiles_high > SIZE_MAX / row)
		return xc_fail_memory(c, SIZE_MAX);
	inv->edges = xc_allocate(c, g->tiles_high * row);
	return inv->edges ? XC_OK : xc_fail_memory(c, g->tiles_high * row);
}

void xc_inverse_free(xc_context *c, xc_inverse *inv)
{
	xc_release(c, inv->edges);
	inv->edges = NULL;
}

xc_status xc_inverse_scratch_init(xc_context *c, xc_inverse_scratch *s, const xc_inverse *inv)
{
	const xc_geometry *g = inv->geometry;
	const size_t luma = inv->luma_stride * band_height(g);
	const size_t chroma = g->components == 1 ? 0 : inv->chroma_stride * g->tile_mcus_high * 8;
	const size_t samples = luma + 2 * chroma + 2 * inv->chroma_stride;
	s->memory = xc_allocate_zeroed(c, samples * sizeof(float));
	if (!s->memory)
		return xc_fail_memory(c, samples * sizeof(float));
	s->planes[0] = (float *)s->memory + XC_MARGIN;
	s->planes[1] = s->planes[0] + luma;
	s->planes[2] = s->planes[1] + chroma;
	s->blended[0] = s->planes[2] + chroma;
	s->blended[1] = s->blended[0] + inv->chroma_stride;
	return XC_OK;
}

void xc_inverse_scratch_free(xc_context *c, xc_inverse_scratch *s)
{
	xc_release(c, s->memory);
	*s = (xc_inverse_scratch){0};
}

void xc_inverse_tile(const xc_inverse *inv, xc_inverse_scratch *s, const xc_tile *t,
                     const void *coefficients)
{
	const xc_geometry *g = inv->geometry;
	const int deep = inv->picture->depth == 16;
	for (int c = 0; c < g->components; c++) {
		const size_t stride = c ? inv->chroma_stride : inv->luma_stride;
		const size_t x = c ? t->x / (uint32_t)g->h : t->x, wide = t->blocks_wide[c];
		for (uint32_t y = 0; y < t->blocks_high[c]; y++) {
			float *plane = s->planes[c] + y * 8 * stride + x;
			const size_t block = t->first_block[c] + y * wide;
			if (deep)
				inv->kernels->idct32((const int32_t *)coefficients + block * 64,
				                     inv->tables[c != 0], wide, plane, stride);
			else
				inv->kernels->idct16((const int16_t *)coefficients + block * 64,
				                     inv->tables[c != 0], wide, plane, stride);
		}
	}
}

/* Continues a row of chroma past the picture's left and right edge by one sample. */
static void extend(float *row, uint32_t width)
{
	row[-1] = row[0];
	row[width] = row[width - 1];
}

static void *pixel_row(const xc_inverse *inv, uint32_t y)
{
	return (uint8_t *)inv->picture->data + (size_t)y * inv->picture->stride;
}

static unsigned layout_of(const xc_inverse *inv)
{
	return xc_layout_index(inv->picture->channels, inv->picture->depth);
}

/* One row of pixels from luma and the nearer and farther row of vertically halved
 * chroma. */
static void output_420(const xc_inverse *inv, const xc_inverse_scratch *s, uint32_t y,
                       const float *luma, const float *const near[2], const float *const far[2])
{
	const xc_colour_gains gains = xc_colour_gains_make(1.0f / 16);
	const size_t n = xc_geometry_chroma_width(inv->geometry) + 2;
	for (int c = 0; c < 2; c++)
		inv->kernels->blend(near[c] - 1, far[c] - 1, n, s->blended[c] - 1);
	inv->kernels->output_2[layout_of(inv)](luma, s->blended[0], s->blended[1],
	                                       inv->geometry->width, &gains, pixel_row(inv, y));
}

static void output_row(const xc_inverse *inv, const xc_inverse_scratch *s, uint32_t y, uint32_t row)
{
	const xc_geometry *g = inv->geometry;
	const float *luma = s->planes[0] + row * inv->luma_stride;
	const float *cb = s->planes[1] + row * inv->chroma_stride;
	const float *cr = s->planes[2] + row * inv->chroma_stride;
	const unsigned layout = layout_of(inv);
	if (g->components == 1) {
		inv->kernels->output_grey[layout](luma, g->width, pixel_row(inv, y));
	} else if (g->h == 2) {
		const xc_colour_gains gains = xc_colour_gains_make(1.0f / 4);
		inv->kernels->output_2[layout](luma, cb, cr, g->width, &gains, pixel_row(inv, y));
	} else {
		const xc_colour_gains gains = xc_colour_gains_make(1);
		inv->kernels->output_1[layout](luma, cb, cr, g->width, &gains, pixel_row(inv, y));
	}
}

static float *edge_row(const xc_inverse *inv, uint32_t band, int which)
{
	return inv->edges + ((size_t)band * XC_EDGE_ROWS + (size_t)which) * inv->luma_stride +
	       XC_MARGIN;
}

static void put_aside(const xc_inverse *inv, const xc_inverse_scratch *s, uint32_t band, int which,
                      uint32_t row)
{
	const size_t luma = inv->geometry->width;
	const size_t chroma = xc_geometry_chroma_width(inv->geometry) + 2;
	memcpy(edge_row(inv, band, which), s->planes[0] + row * inv->luma_stride, luma * sizeof(float));
	for (int c = 1; c < 3; c++)
		memcpy(edge_row(inv, band, which + c) - 1,
		       s->planes[c] + row / 2 * inv->chroma_stride - 1, chroma * sizeof(float));
}

/* A band of 4:2:0 whose first pixel row is `top`. */
static void band_420(const xc_inverse *inv, const xc_inverse_scratch *s, uint32_t band,
                     uint32_t top, uint32_t rows, uint32_t chroma_rows)
{
	const int first = band == 0, last = band + 1 == inv->geometry->tiles_high;
	if (!first)
		put_aside(inv, s, band, XC_EDGE_FIRST_Y, 0);
	if (!last)
		put_aside(inv, s, band, XC_EDGE_LAST_Y, rows - 1);
	for (uint32_t row = first ? 0 : 1; row < rows - (last ? 0 : 1); row++) {
		const uint32_t near = row / 2;
		const uint32_t far = row % 2 ? (near + 1 < chroma_rows ? near + 1 : near)
		                             : (near ? near - 1 : near);
		const float *n[2], *f[2];
		for (int c = 0; c < 2; c++) {
			n[c] = s->planes[c + 1] + near * inv->chroma_stride;
			f[c] = s->planes[c + 1] + far * inv->chroma_stride;
		}
		output_420(inv, s, top + row, s->planes[0] + row * inv->luma_stride, n, f);
	}
}

void xc_inverse_band(const xc_inverse *inv, xc_inverse_scratch *s, uint32_t band)
{
	const xc_geometry *g = inv->geometry;
	const uint32_t top = band * band_height(g);
	const uint32_t left = g->height - top;
	const uint32_t rows = left < band_height(g) ? left : band_height(g);
	const uint32_t chroma_rows = (rows + (uint32_t)g->v - 1) / (uint32_t)g->v;
	if (g->h == 2)
		for (int c = 1; c < 3; c++)
			for (uint32_t y = 0; y < chroma_rows; y++)
				extend(s->planes[c] + y * inv->chroma_stride, xc_geometry_chroma_width(g));
	if (g->v == 2) {
		band_420(inv, s, band, top, rows, chroma_rows);
		return;
	}
	for (uint32_t row = 0; row < rows; row++)
		output_row(inv, s, top + row, row);
}

void xc_inverse_edge(const xc_inverse *inv, xc_inverse_scratch *s, uint32_t band)
{
	const uint32_t below = (band + 1) * band_height(inv->geometry);
	const float *upper[2], *lower[2];
	for (int c = 0; c < 2; c++) {
		upper[c] = edge_row(inv, band, XC_EDGE_LAST_CB + c);
		lower[c] = edge_row(inv, band + 1, XC_EDGE_FIRST_CB + c);
	}
	output_420(inv, s, below - 1, edge_row(inv, band, XC_EDGE_LAST_Y), upper, lower);
	output_420(inv, s, below, edge_row(inv, band + 1, XC_EDGE_FIRST_Y), lower, upper);
}
