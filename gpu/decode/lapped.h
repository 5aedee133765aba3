/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The edge steps of the lapped transforms, in shared memory. A thread takes a *cell*, 8x8
 * samples around the corner of four blocks: the steps of its edges, along rows and then along
 * columns, reach no further. No sample of the region depends on the edges at the outer halves of
 * a plane's outer blocks.
 */
#ifndef XC_GPU_DECODE_LAPPED_H
#define XC_GPU_DECODE_LAPPED_H

#include "gpu/decode/region.h"
#include "transform/lapped8.h"

/* Whether an edge is the picture's own: the first or the last one of a line of blocks. */
typedef struct xc_gpu_own_edge {
	int first, last;
} xc_gpu_own_edge;

/* At the picture's own edges the samples inside also stand for those outside, whose results do not
 * matter. */
XC_GPU_INLINE void xc_gpu_mirror_edge(xc_gpu_own_edge own, float x[8])
{
	XC_UNROLL
	for (int i = 0; i < 4; i++) {
		const float before = x[i], after = x[4 + i];
		x[i] = own.first ? after : before;
		x[4 + i] = own.last ? before : after;
	}
}

/* A cell's steps along its rows, or down its columns. The TDLT has none at the picture's own edges.
 * lot, down: constants. */
XC_GPU_INLINE void xc_gpu_cell_steps(float f[64], xc_gpu_own_edge own, int lot, int down)
{
	if (!lot && (own.first || own.last))
		return;
	XC_UNROLL
	for (int line = 0; line < 8; line++) {
		float x[8];
		XC_UNROLL
		for (int i = 0; i < 8; i++)
			x[i] = f[down ? 8 * i + line : 8 * line + i];
		if (lot) {
			if (own.first || own.last)
				xc_gpu_mirror_edge(own, x);
			xc_lot8_inverse_edge(x);
		} else {
			xc_tdlt8_inverse_edge(x);
		}
		XC_UNROLL
		for (int i = 0; i < 8; i++)
			f[down ? 8 * i + line : 8 * line + i] = x[i];
	}
}

/* Cells of component c. */
XC_GPU_CONSTANT uint32_t xc_gpu_cells(int kind, int c)
{
	return c >= xc_gpu_components(kind)
	           ? 0
	           : (xc_gpu_blocks_along(kind, c, 0) - 1) * (xc_gpu_blocks_along(kind, c, 1) - 1);
}

/* Edge number `at` of the region's part of component c, across or down. */
XC_GPU_INLINE xc_gpu_own_edge xc_gpu_edge_at(const xc_gpu_region *r, int kind, int c, uint32_t at,
                                             int down)
{
	const uint32_t mcus = down ? r->job->mcus_high : r->job->mcus_wide;
	const uint32_t blocks = c ? mcus : mcus * (down ? r->job->v : r->job->h);
	const uint32_t k = (uint32_t)(xc_gpu_first_block(r, kind, c, down) + 1) + at;
	const xc_gpu_own_edge own = {k == 0, k >= blocks};

	return own;
}

/* Cell i of all components; lot: a constant. */
XC_GPU_INLINE void xc_gpu_region_cell(const xc_gpu_region *r, uint32_t i, int kind, int lot)
{
	const xc_gpu_xy xy = xc_gpu_xy_of(i, xc_gpu_cells(kind, 0), xc_gpu_cells(kind, 1), kind, 1);
	const int c = (int)xy.c;
	const uint32_t x = xy.x, y = xy.y;
	uint32_t row = xc_gpu_row_floats(kind, c);
	float *at = r->shared + xc_gpu_plane(kind, c) + (8 * y + 4) * row;
	float *left = at + xc_gpu_column(kind, c, 8 * x + 4);
	float *right = at + xc_gpu_column(kind, c, 8 * x + 8);
	const xc_gpu_own_edge across = xc_gpu_edge_at(r, kind, c, x, 0);
	const xc_gpu_own_edge down = xc_gpu_edge_at(r, kind, c, y, 1);
	float f[64];

	XC_UNROLL
	for (uint32_t j = 0; j < 8; j++) {
		xc_gpu_load_four(left + j * row, f + 8 * j);
		xc_gpu_load_four(right + j * row, f + 8 * j + 4);
	}
	xc_gpu_cell_steps(f, across, lot, 0);
	xc_gpu_cell_steps(f, down, lot, 1);
	XC_OPAQUE(row, "r"); /* or 16 addresses would wait in memory for the steps to end */
	XC_UNROLL
	for (uint32_t j = 0; j < 8; j++) {
		xc_gpu_store_four(left + j * row, f + 8 * j);
		xc_gpu_store_four(right + j * row, f + 8 * j + 4);
	}
}

/* All cells, as worker `worker` of `workers`. */
XC_GPU_INLINE void xc_gpu_region_cells(const xc_gpu_region *r, int kind, uint32_t worker,
                                       uint32_t workers)
{
	const uint32_t cells = xc_gpu_cells(kind, 0) + 2 * xc_gpu_cells(kind, 1);
	const int lot = r->job->transform == XC_TRANSFORM_LOT;

	for (uint32_t i = worker; i < cells; i += workers) {
		if (lot)
			xc_gpu_region_cell(r, i, kind, 1);
		else
			xc_gpu_region_cell(r, i, kind, 0);
	}
}

#endif
