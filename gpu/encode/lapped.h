/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The first half of the forward kernel with a lapped transform. A thread block turns the pixels
 * of a rectangle of MCUs, and the 4 samples around it that the edge steps need, into planes.
 * Then it takes the edge steps (transform/lapped8.h) between rows of blocks, and those between
 * blocks side by side.
 *
 * A plane has half a block more on each side and 4 rows more above and below (see
 * xc_gpu_general_planes()).  Blocks are split into halves of four samples, so that is one vec16
 * more in a row of each half, and an edge step between blocks side by side takes two vec16s.
 */
#ifndef XC_GPU_ENCODE_LAPPED_H
#define XC_GPU_ENCODE_LAPPED_H

#include "gpu/encode/planes.h"
#include "transform/lapped8.h"

/* The MCUs of one thread block: `count` from column mx on, in `rows` rows from row my on. */
typedef struct xc_gpu_run {
	uint32_t mx, my, count, rows;
} xc_gpu_run;

XC_GPU_INLINE xc_gpu_run xc_gpu_run_of(const xc_gpu_encode_job *j, uint32_t cta)
{
	const uint32_t ctas = (j->mcus_wide + j->span - 1) / j->span, row = cta / ctas;
	xc_gpu_run run = {(cta - row * ctas) * j->span, row * j->tall, j->span, j->tall};

	if (run.count > j->mcus_wide - run.mx)
		run.count = j->mcus_wide - run.mx;
	if (run.rows > j->mcus_high - run.my)
		run.rows = j->mcus_high - run.my;
	return run;
}

XC_GPU_INLINE void xc_gpu_fill_around(const xc_gpu_encode_job *j, xc_cta t, const uint8_t *picture,
                                      const xc_gpu_run *run, const xc_gpu_plane_map *l,
                                      xc_gpu_four *planes)
{
	const int h = (int)j->h, v = (int)j->v, wide0 = (int)l->wide[0], wide1 = (int)l->wide[1];
	const uint32_t columns = run->count * j->h + 2;
	const int lowest = 8 * v * (int)run->rows + 4;

	for (uint32_t item = t.rank; item < columns * (8 * run->rows + 8); item += t.size) {
		const int row = (int)(item / columns) - 4, column = (int)(item % columns) - 1;
		const int px = ((int)run->mx * h + column) * 8, py = ((int)run->my * 8 + row) * v;
		if (px < 0 || px >= (int)j->mcus_wide * h * 8 || py < 0 || py >= (int)j->mcus_high * v * 8)
			continue;
		const int y = row * v;
		const int inside = (column + 2) / 2 - 1; /* of halved chroma */
		const uint32_t at = (uint32_t)((int)l->origin[0] + y * wide0 + column);
		const int halves = (column < (int)columns - 2 ? XC_GPU_HALVES : XC_GPU_FIRST_HALF) &
		                   (column < 0 ? XC_GPU_SECOND_HALF : XC_GPU_HALVES);
		xc_gpu_raw_rows raw;
		xc_gpu_load_rows(j, picture, (uint32_t)px, (uint32_t)py, &raw);
		if (h == 2)
			xc_gpu_halved_row(j, &raw, l, at, y >= -4 && y < lowest ? halves : 0,
			                  (uint32_t)((int)l->origin[1] + row * wide1 + inside) +
			                      (column % 2 ? l->half[1] : 0),
			                  planes);
		else
			xc_gpu_full_row(j, &raw, l, at, halves, planes);
	}
}

/* The edge step for 8 samples.  before, after: the picture exists on that side.  At the picture's
 * own edges the LOT takes its mirror image, and the TDLT has no step. */
XC_GPU_INLINE void xc_gpu_forward_edge(uint32_t transform, int before, int after, float x[8])
{
	if (transform == XC_TRANSFORM_LOT) {
		XC_UNROLL
		for (int i = 0; i < 4; i++) {
			x[i] = before ? x[i] : x[7 - i];
			x[7 - i] = after ? x[7 - i] : x[i];
		}
		xc_lot8_forward_edge(x);
	} else if (before && after) {
		xc_tdlt8_forward_edge(x);
	}
}

/* The steps of four columns at an edge; the first row after it is at vec16 `at`. */
XC_GPU_INLINE void xc_gpu_forward_edge_of_rows(uint32_t transform, int before, int after,
                                               xc_gpu_four *at, int wide)
{
	float x[4][8];

	XC_UNROLL
	for (int i = 0; i < 8; i++) {
		const xc_gpu_four none = {0, 0, 0, 0};
		const xc_gpu_four f = (i < 4 ? before : after) ? at[(i - 4) * wide] : none;
		x[0][i] = f.x;
		x[1][i] = f.y;
		x[2][i] = f.z;
		x[3][i] = f.w;
	}
	XC_UNROLL
	for (int c = 0; c < 4; c++)
		xc_gpu_forward_edge(transform, before, after, x[c]);
	XC_UNROLL
	for (int i = 0; i < 8; i++) {
		const xc_gpu_four f = {x[0][i], x[1][i], x[2][i], x[3][i]};
		if (i < 4 ? before : after)
			at[(i - 4) * wide] = f;
	}
}

/* The step between the vec16s `before` and `after`; NULL: the picture ends there. */
XC_GPU_INLINE void xc_gpu_forward_edge_of_columns(uint32_t transform, xc_gpu_four *before,
                                                  xc_gpu_four *after)
{
	const xc_gpu_four none = {0, 0, 0, 0};
	const xc_gpu_four a = before ? *before : none, b = after ? *after : none;
	float x[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};

	xc_gpu_forward_edge(transform, before != NULL, after != NULL, x);
	const xc_gpu_four c = {x[0], x[1], x[2], x[3]}, d = {x[4], x[5], x[6], x[7]};
	if (before)
		*before = c;
	if (after)
		*after = d;
}

/* The steps between rows of blocks, also in the vec16s around the thread block's blocks, because
 * the steps between blocks side by side need those. */
XC_GPU_INLINE void xc_gpu_row_edges(const xc_gpu_encode_job *j, xc_cta t, uint32_t component,
                                    const xc_gpu_run *run, const xc_gpu_plane_map *l,
                                    xc_gpu_four *plane)
{
	const uint32_t chroma = component != 0, h = chroma ? 1 : j->h;
	const uint32_t high = run->rows * (chroma ? 1 : j->v);
	const uint32_t blocks = run->count * h, vecs = 2 * blocks + 2; /* of one row */

	for (uint32_t item = t.rank; item < vecs * (high + 1); item += t.size) {
		const uint32_t edge = item / vecs, i = item - edge * vecs + 1;
		const uint32_t column = i / 2, half = i % 2; /* column 0 is the block on the left */
		const int outside = (column == 0 && run->mx == 0) ||
		                    (column == blocks + 1 && run->mx + run->count == j->mcus_wide);
		if (outside)
			continue;
		xc_gpu_forward_edge_of_rows(j->transform, run->my > 0 || edge > 0,
		                            run->my + run->rows < j->mcus_high || edge < high,
		                            plane + l->origin[chroma] + 8 * edge * l->wide[chroma] +
		                                column - 1 + (half ? l->half[chroma] : 0),
		                            (int)l->wide[chroma]);
	}
}

XC_GPU_INLINE void xc_gpu_column_edges(const xc_gpu_encode_job *j, xc_cta t, uint32_t component,
                                       const xc_gpu_run *run, const xc_gpu_plane_map *l,
                                       xc_gpu_four *plane)
{
	const uint32_t chroma = component != 0, h = chroma ? 1 : j->h;
	const uint32_t blocks = run->count * h, rows = 8 * run->rows * (chroma ? 1 : j->v);

	for (uint32_t item = t.rank; item < (blocks + 1) * rows; item += t.size) {
		const uint32_t row = item / (blocks + 1), edge = item - row * (blocks + 1);
		const int first = run->mx == 0 && edge == 0;
		const int last = run->mx + run->count == j->mcus_wide && edge == blocks;
		xc_gpu_four *const at = plane + l->origin[chroma] + row * l->wide[chroma] + edge;
		xc_gpu_forward_edge_of_columns(j->transform, first ? NULL : at - 1 + l->half[chroma],
		                               last ? NULL : at);
	}
}

/* Makes planes of pixels, ready for the block steps.  Ends without a barrier. */
XC_GPU_INLINE void xc_gpu_lapped_planes(const xc_gpu_encode_job *j, xc_cta t,
                                        const uint8_t *picture, const xc_gpu_run *run,
                                        const xc_gpu_plane_map *l, xc_gpu_four *planes)
{
	xc_gpu_fill_around(j, t, picture, run, l, planes);
	XC_CTA_SYNC();
	for (uint32_t c = 0; c < j->components; c++)
		xc_gpu_row_edges(j, t, c, run, l, planes + l->start[c]);
	XC_CTA_SYNC();
	for (uint32_t c = 0; c < j->components; c++)
		xc_gpu_column_edges(j, t, c, run, l, planes + l->start[c]);
}

#endif
