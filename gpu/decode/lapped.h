/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The edge steps of the lapped transforms, in shared memory: first along the rows, where a thread
 * takes one edge of a row, then along the columns, where it takes four columns.  No sample of the
 * region depends on the edges at the outer halves of a plane's outer blocks.
 */
#ifndef XC_GPU_DECODE_LAPPED_H
#define XC_GPU_DECODE_LAPPED_H

#include "gpu/decode/block.h"
#include "gpu/decode/region.h"
#include "transform/lapped8.h"

/* Edges of a plane that is `blocks` blocks long in the picture. */
typedef struct xc_gpu_inverse_edges {
	uint32_t blocks;
	int lot;
} xc_gpu_inverse_edges;

/* Whether there is a step at edge k: the TDLT has none at the picture's own. */
XC_GPU_INLINE int xc_gpu_inverse_edge_there(const xc_gpu_inverse_edges *e, uint32_t k)
{
	return e->lot ? k <= e->blocks : k > 0 && k < e->blocks;
}

/* The step at edge k.  At the picture's own edges the samples inside also stand for those outside,
 * whose results do not matter. */
XC_GPU_INLINE void xc_gpu_inverse_edge(const xc_gpu_inverse_edges *e, uint32_t k, float x[8])
{
	XC_UNROLL
	for (int i = 0; i < 4; i++) {
		const float before = x[i], after = x[4 + i];
		x[i] = k == 0 ? after : before;
		x[4 + i] = k == e->blocks ? before : after;
	}
	if (e->lot)
		xc_lot8_inverse_edge(x);
	else
		xc_tdlt8_inverse_edge(x);
}

/* Along a row: edge number i of the plane is between its blocks i and i + 1. */
XC_GPU_INLINE void xc_gpu_inverse_edge_of_row(const xc_gpu_inverse_edges *e, uint32_t k, float *row,
                                              uint32_t i)
{
	float *before = row + xc_gpu_column(8 * i + 4), *after = row + xc_gpu_column(8 * i + 8);
	float x[8];
	if (!xc_gpu_inverse_edge_there(e, k))
		return;
	xc_gpu_load_four(before, x);
	xc_gpu_load_four(after, x + 4);
	xc_gpu_inverse_edge(e, k, x);
	xc_gpu_store_four(before, x);
	xc_gpu_store_four(after, x + 4);
}

/* Along four columns; at: the first of the eight rows. */
XC_GPU_INLINE void xc_gpu_inverse_edge_of_columns(const xc_gpu_inverse_edges *e, uint32_t k,
                                                  float *at, uint32_t row)
{
	float v[8][4];
	if (!xc_gpu_inverse_edge_there(e, k))
		return;
	XC_UNROLL
	for (uint32_t i = 0; i < 8; i++)
		xc_gpu_load_four(at + i * row, v[i]);
	XC_UNROLL
	for (int j = 0; j < 4; j++) {
		float x[8];
		XC_UNROLL
		for (int i = 0; i < 8; i++)
			x[i] = v[i][j];
		xc_gpu_inverse_edge(e, k, x);
		XC_UNROLL
		for (int i = 0; i < 8; i++)
			v[i][j] = x[i];
	}
	XC_UNROLL
	for (uint32_t i = 0; i < 8; i++)
		xc_gpu_store_four(at + i * row, v[i]);
}

/* Item `i` of component c: an edge of a line, or an edge of four columns.  Lanes lie beside each other
 * along the rows in both cases.  chroma, columns: constants, by which there are no divisions. */
XC_GPU_INLINE void xc_gpu_inverse_edge_item(const xc_gpu_region *r, const xc_gpu_inverse_edges *e,
                                            uint32_t i, int kind, int c, int chroma, int columns)
{
	const uint32_t wide = xc_gpu_blocks_along(kind, chroma, 0) - 1;
	const uint32_t row = xc_gpu_row_floats(kind, chroma);
	const uint32_t x = columns ? i % (2 * wide) : i % wide, y = columns ? i / (2 * wide) : i / wide;
	const uint32_t first = (uint32_t)xc_gpu_first_block(r, kind, chroma, columns) + 1;
	float *plane = r->shared + xc_gpu_plane(kind, c);
	if (columns)
		xc_gpu_inverse_edge_of_columns(e, first + y,
		                               plane + (8 * y + 4) * row + xc_gpu_column(4 * x + 4), row);
	else
		xc_gpu_inverse_edge_of_row(e, first + x, plane + (y + 4) * row, x);
}

XC_GPU_CONSTANT uint32_t xc_gpu_inverse_edge_items(int kind, int c, int columns)
{
	const uint32_t edges = (xc_gpu_blocks_along(kind, c, 0) - 1) *
	                       (xc_gpu_blocks_along(kind, c, 1) - 1);
	return c >= xc_gpu_components(kind) ? 0 : edges * (columns ? 2 : 8);
}

/* All edges along rows (or columns) of luma, or of chroma, as worker `worker` of `workers`. */
XC_GPU_INLINE void xc_gpu_class_edges(const xc_gpu_region *r, int kind, int chroma, int columns,
                                      uint32_t worker, uint32_t workers)
{
	const xc_gpu_decode_job *p = r->job;
	const uint32_t mcus = columns ? p->mcus_high : p->mcus_wide;
	const uint32_t blocks = chroma ? mcus : mcus * (columns ? p->v : p->h);
	const xc_gpu_inverse_edges e = {blocks, p->transform == XC_TRANSFORM_LOT};
	const uint32_t each = xc_gpu_inverse_edge_items(kind, chroma, columns);
	for (uint32_t i = worker; i < each << chroma; i += workers) {
		const int second = i >= each;
		xc_gpu_inverse_edge_item(r, &e, second ? i - each : i, kind, chroma + second, chroma,
		                         columns);
	}
}

XC_GPU_INLINE void xc_gpu_region_edges(const xc_gpu_region *r, int kind, int columns,
                                       uint32_t worker, uint32_t workers)
{
	xc_gpu_class_edges(r, kind, 0, columns, worker, workers);
	xc_gpu_class_edges(r, kind, 1, columns, worker, workers);
}

#endif
