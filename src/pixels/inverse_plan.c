/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/pixels/inverse_plan.h"

uint32_t xc_inverse_edges(const xc_inverse *inv)
{
	return xc_inverse_aside(inv, 0) ? xc_groups_count(&inv->groups) - 1 : 0;
}

/* Samples that component c puts aside at one edge. */
static size_t edge_samples(const xc_inverse *inv, int c)
{
	return 2 * xc_inverse_aside(inv, c) * xc_inverse_stride(xc_inverse_width(inv, c));
}

float *xc_inverse_edge_row(const xc_inverse *inv, uint32_t edge, int c, size_t row)
{
	const size_t n = (size_t)inv->geometry->components;
	return inv->edges[edge % inv->slots * n + (size_t)c] + XC_MARGIN +
	       row * xc_inverse_stride(xc_inverse_width(inv, c));
}

uint32_t xc_inverse_min_group(const xc_geometry *g, xc_transform transform, int threads)
{
	const int lapped = xc_transform_laps(transform);
	const uint32_t min = lapped && g->v == 2 && g->tile_mcus_high == 1 ? 2 : 1;
	const uint32_t each = g->tiles_high / (uint32_t)threads;
	const uint32_t narrow = (4 + g->tiles_wide - 1) / g->tiles_wide;
	const uint32_t n = narrow < each ? narrow : each;
	return n > min ? n : min;
}

xc_groups xc_inverse_groups(const xc_geometry *g, uint32_t min, int threads)
{
	if (threads == 1)
		return (xc_groups){.rows = g->tiles_high, .size = g->tiles_high};
	return (xc_groups){.rows = g->tiles_high, .size = min, .threads = (uint32_t)threads};
}

xc_status xc_inverse_init(xc_context *c, xc_inverse *inv)
{
	const uint32_t all = xc_inverse_edges(inv);
	const uint32_t edges = inv->slots && inv->slots < all ? inv->slots : all;
	/* The filter of halved chroma leaves 4 times the value for each direction. */
	const float weight = (float)(inv->geometry->h * inv->geometry->v);
	inv->gains = xc_colour_gains_make(1.0f / (weight * weight));
	inv->edges = NULL;
	inv->slots = edges;
	inv->arena = (xc_arena){.context = c};
	if (!edges)
		return XC_OK;
	const size_t components = (size_t)inv->geometry->components, n = edges * components;
	inv->edges = xc_allocate(c, n * sizeof *inv->edges);
	if (!inv->edges)
		return xc_fail_memory(c, n * sizeof *inv->edges);
	/* Each component by itself, since all of them may take a little more than half a chunk. */
	for (size_t i = 0; i < n; i++) {
		const size_t bytes = edge_samples(inv, (int)(i % components)) * sizeof(float);
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
