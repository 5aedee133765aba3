/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The edge steps of the lapped transforms, in shared memory: a thread takes 8 samples
 * around an edge.  First all edges along the rows, then all along the columns.
 */
#ifndef XC_GPU_DECODE_LAPPED_H
#define XC_GPU_DECODE_LAPPED_H

#include "gpu/decode_pixels.h"
#include "transform/lapped8.h"

/* The step at edge `k` of a plane `blocks` blocks long, whose samples are `step` floats
 * apart; *at is the first one behind the edge. */
XC_GPU_INLINE void xc_gpu_edge(float *at, int step, uint32_t k, uint32_t blocks, int lot)
{
	const int first = k == 0, last = k == blocks;
	float x[8];
	if (k > blocks || (!lot && (first || last)))
		return;
	XC_UNROLL
	for (int i = 0; i < 4; i++) {
		x[i] = at[(first ? i : i - 4) * step];
		x[4 + i] = at[(last ? i - 4 : i) * step];
	}
	if (lot)
		xc_lot8_inverse_edge(x);
	else
		xc_tdlt8_inverse_edge(x);
	XC_UNROLL
	for (int i = 0; i < 4; i++) {
		if (!first)
			at[(i - 4) * step] = x[i];
		if (!last)
			at[i * step] = x[4 + i];
	}
}

/* The edges of component c along rows (or columns), as worker `worker` of `workers`. */
XC_GPU_INLINE void xc_gpu_edges_of(const xc_gpu_region *r, int kind, int c, int columns,
                                   uint32_t worker, uint32_t workers)
{
	const xc_gpu_decode_plan *p = r->plan;
	const uint32_t stride = xc_gpu_row_floats(kind, c);
	const uint32_t wide = xc_gpu_samples_wide(kind, c), high = xc_gpu_samples_high(kind, c);
	const uint32_t lines = (columns ? wide : high) + 2 * XC_GPU_RIM;
	const uint32_t edges = (columns ? high : wide) / 8 + 1;
	const uint32_t x0 = r->x >> (3 + xc_gpu_is_half(kind, c));
	const uint32_t y0 = r->y >> (3 + xc_gpu_is_low(kind, c));
	const uint32_t blocks = columns ? p->mcus_high * (c ? 1 : p->v) : p->mcus_wide * (c ? 1 : p->h);
	const int lot = p->transform == XC_TRANSFORM_LOT;
	float *first = r->shared + xc_gpu_first_sample(kind, c);
	for (uint32_t i = worker; i < lines * edges; i += workers) {
		/* Lanes lie beside each other along the rows in both cases. */
		const uint32_t edge = columns ? i / lines : i % edges;
		const int line = (int)(columns ? i % lines : i / edges) - XC_GPU_RIM;
		float *at = columns ? first + edge * 8 * stride + line
		                    : first + line * (int)stride + edge * 8;
		xc_gpu_edge(at, columns ? (int)stride : 1, (columns ? y0 : x0) + edge, blocks, lot);
	}
}

XC_GPU_INLINE void xc_gpu_region_edges(const xc_gpu_region *r, int kind, int columns,
                                       uint32_t worker, uint32_t workers)
{
	XC_UNROLL
	for (int c = 0; c < xc_gpu_components(kind); c++)
		xc_gpu_edges_of(r, kind, c, columns, worker, workers);
}

/* All samples as JPEG decoders round them, see xc_decode_options. */
XC_GPU_INLINE void xc_gpu_region_round(const xc_gpu_region *r, int kind, int deep, uint32_t worker,
                                       uint32_t workers)
{
	for (uint32_t i = worker; i < xc_gpu_plane(kind, 3); i += workers)
		r->shared[i] = xc_gpu_round(r->shared[i], deep);
}

#endif
