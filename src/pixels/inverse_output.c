/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/pixels/inverse_output.h"

#include <math.h>

void xc_inverse_to_integers(const xc_inverse *inv, float *rows, size_t stride, size_t count,
                            size_t n)
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

/* Pixels of components that are not Y, Cb and Cr, some at a time. */
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

/* The place of column x of the picture in a row of a plane. */
static uint8_t *pixel_at(const xc_inverse *inv, int plane, uint32_t x, uint32_t y)
{
	const uint32_t h = plane ? (uint32_t)inv->geometry->h : 1;
	return xc_pixels_row(inv->pixels, plane, inv->first_row, y) +
	       x / h * xc_pixels_step(inv->pixels, plane);
}

/* Samples of planes, which are those of the components. */
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
