/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/pixels/inverse.h"

#include <string.h>

#include "src/pixels/inverse_output.h"
#include "src/pixels/lapped.h"

enum { UNDONE = 8 }; /* columns at the end of a tile whose edge steps wait for the next tile */

xc_status xc_inverse_scratch_init(xc_context *c, xc_inverse_scratch *s, const xc_inverse *inv)
{
	const xc_geometry *g = inv->geometry;
	size_t window[XC_MAX_COMPONENTS], above[XC_MAX_COMPONENTS], samples = 0;
	s->stride = xc_inverse_stride((size_t)g->tile_mcus_wide * 8 * (size_t)g->h);
	for (int i = 0; i < g->components; i++) {
		const size_t aside = xc_inverse_aside(inv, i);
		const size_t rows = aside + xc_inverse_tile_height(g) / xc_inverse_down(inv, i);
		window[i] = rows * s->stride;
		above[i] = xc_groups_max(&inv->groups) > 1
		               ? aside * xc_inverse_stride(xc_inverse_width(inv, i))
		               : 0;
		samples += window[i] + above[i];
	}
	s->memory = xc_scratch_allocate(c, samples * sizeof(float));
	if (!s->memory)
		return xc_fail_memory(c, samples * sizeof(float));
	s->dirty = samples * sizeof(float);
	float *p = s->memory;
	for (int i = 0; i < g->components; i++) {
		s->planes[i] = p + xc_inverse_aside(inv, i) * s->stride + XC_MARGIN;
		s->above[i] = p + window[i] + XC_MARGIN;
		p += window[i] + above[i];
	}
	return XC_OK;
}

void xc_inverse_scratch_begin(xc_inverse_scratch *s)
{
	/* The kernels read past the last sample and discard the result, so the padding must hold
	 * defined values. */
	memset(s->memory, 0, s->dirty);
	s->dirty = 0;
}

void xc_inverse_scratch_free(xc_context *c, xc_inverse_scratch *s)
{
	xc_scratch_free(c, s->memory);
	*s = (xc_inverse_scratch){0};
}

static const xc_transform_kernels *kernels(const xc_inverse *inv)
{
	return inv->kernels->transform[inv->transform];
}

/* The inverse DCT, or the block step of a lapped transform. */
static void block_steps(const xc_inverse_window *w, int c, uint32_t b, float *plane)
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

/* The edge steps of a lapped transform between the blocks of a row, and at the picture's left
 * and right edges. */
static void side_edges(const xc_inverse_window *w, int c, float *plane)
{
	const xc_transform transform = w->inv->transform;
	const size_t first = w->tile->x == 0, wide = w->tile->blocks_wide[c], stride = w->s->stride;
	kernels(w->inv)->inverse_sides(plane + first * 8 - 4, stride, wide - first);
	if (first)
		xc_lapped_end(transform, 1, XC_PLANE_FIRST, plane, 1, 8, stride);
	if (w->last)
		xc_lapped_end(transform, 1, XC_PLANE_LAST, plane + wide * 8 - 4, 1, 8, stride);
}

/* The edge steps of a lapped transform before row b of the tile's blocks, or after the last
 * row.  Those before a group wait for xc_inverse_edge(). */
static void row_edge(const xc_inverse_window *w, int c, uint32_t b)
{
	const xc_inverse *inv = w->inv;
	const size_t stride = w->s->stride, before = w->tile->x ? UNDONE : 0;
	const size_t n = before + w->tile->blocks_wide[c] * 8 - (w->last ? 0 : UNDONE);
	const int first = b == 0 && w->top, last = b == w->tile->blocks_high[c];
	float *rows = xc_inverse_sample(w, c, (ptrdiff_t)b * 8 - (first ? 0 : 4), -(ptrdiff_t)before);
	if (b == 0 && !w->top && w->group_first)
		return;
	if (first || last)
		xc_lapped_end(inv->transform, 1, first ? XC_PLANE_FIRST : XC_PLANE_LAST, rows, stride, n,
		              1);
	else
		kernels(inv)->inverse_rows(rows, rows + 4 * stride, stride, n);
	xc_inverse_to_integers(inv, rows, stride, first || last ? 4 : 8, n);
}

void xc_inverse_block_row(const xc_inverse_window *w, int c, uint32_t b)
{
	float *plane = xc_inverse_sample(w, c, (ptrdiff_t)b * 8, 0);
	block_steps(w, c, b, plane);
	if (!xc_inverse_lap(w->inv)) {
		xc_inverse_to_integers(w->inv, plane, w->s->stride, 8, w->tile->blocks_wide[c] * 8);
		return;
	}
	side_edges(w, c, plane);
	row_edge(w, c, b);
	if (b + 1 == w->tile->blocks_high[c] && w->bottom)
		row_edge(w, c, b + 1);
}
