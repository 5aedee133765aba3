/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/pixels/inverse.h"

#include "src/pixels/inverse_output.h"

static xc_chroma_rows chroma_rows(const xc_inverse *inv, uint32_t edge, uint32_t row)
{
	return (xc_chroma_rows){xc_inverse_edge_row(inv, edge, 1, row),
	                        xc_inverse_edge_row(inv, edge, 2, row)};
}

void xc_inverse_edge(const xc_inverse *inv, uint32_t edge)
{
	const xc_geometry *g = inv->geometry;
	const uint32_t row = xc_groups_get(&inv->groups, edge + 1).first;
	const uint32_t y0 = row * xc_inverse_tile_height(g);
	const uint32_t n = xc_inverse_aside(inv, 0), v = xc_inverse_down(inv, 1);
	const uint32_t first = y0 / v - xc_inverse_aside(inv, 1);
	for (int c = 0; c < g->components; c++) {
		const uint32_t aside = xc_inverse_aside(inv, c);
		const size_t width = xc_inverse_width(inv, c), stride = xc_inverse_stride(width);
		if (xc_inverse_lap(inv)) {
			float *rows = xc_inverse_edge_row(inv, edge, c, aside - 4);
			inv->kernels->transform[inv->transform]->inverse_rows(rows, rows + 4 * stride, stride,
			                                                      width);
			xc_inverse_to_integers(inv, rows, stride, 8, width);
		}
		for (size_t i = 0; c && i < 2 * aside; i++)
			xc_inverse_extend(inv, xc_inverse_edge_row(inv, edge, c, i), 0, 1);
	}
	for (uint32_t y = y0 - n; y < y0 + n && y < g->height; y++) {
		xc_chroma_lines chroma = {{0}, {0}};
		if (g->components > 1)
			chroma.near = chroma_rows(inv, edge, y / v - first);
		if (g->components > 1 && g->v == 2)
			chroma.far = chroma_rows(inv, edge, xc_inverse_far_row(inv, y) - first);
		xc_inverse_output(inv, 0, y, g->width, xc_inverse_edge_row(inv, edge, 0, y - (y0 - n)),
		                  &chroma);
	}
}
