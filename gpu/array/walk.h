/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The way of a warp through a chunk, as array/grid.h has it for rows: where the points of a
 * prediction lie, and what it and the level of a value are. gpu/array/chunk.cu calls it.
 *
 * Values stand at their place in the chunk. So a grid's row is a first place, a distance, and the
 * number of its points; beyond its ends the last one repeats, or a line goes on (array/grid.h).
 */
#ifndef XC_GPU_ARRAY_WALK_H
#define XC_GPU_ARRAY_WALK_H

#include "array/value.h"
#include "gpu/array/array.h"

/* A row of points. */
typedef struct xc_gpu_row {
	int first;  /* the place of point 0 */
	int second; /* of the row before it, where a line goes on; -1: none; -2: one along the row */
	int last;   /* the number of the last point */
	int shift;  /* by how many points it is off */
} xc_gpu_row;

/* Rows around the one under way: those of the taps, then: */
enum {
	XC_ROW_BEFORE = XC_TAPS,
	XC_ROW_AFTER,
	XC_ROW_ABOVE,
	XC_ROW_TWICE,
	XC_ROW_BEHIND,
	XC_ROW_UP,
	XC_ROW_DOWN,
	XC_ROW_BESIDE,
	XC_ROW_BESIDE_2 = XC_ROW_BESIDE + 4,
	XC_ROWS = XC_ROW_BESIDE_2 + 4
};

/* A pass over a chunk. */
typedef struct xc_gpu_walk {
	const xc_gpu_array_pass *pass;
	float *value, *magnitude; /* of the chunk */
	int d;
	int known[3], fresh[3];
	int apart[2]; /* known rows along a and b */
	int off;      /* from a known row to the fresh one after it */
	int stride;   /* of points in a row */
	int volume;   /* 1: there are rows behind */
} xc_gpu_walk;

/* Returns 0 if the pass has no points in a chunk of size n. */
static __device__ __forceinline__ int xc_gpu_walk_begin(xc_gpu_walk *w,
                                                        const xc_gpu_array_pass *pass,
                                                        const uint32_t n[3])
{
	const int distance[3] = {(int)(n[1] * n[2]), (int)n[2], 1};
	const int d = pass->pass.d;

	w->pass = pass;
	w->d = d;
	w->off = 0;
	for (int k = 0; k < 3; k++) {
		const int step = (int)pass->pass.step[k];
		const int all = (int)xc_points(n[k], (uint32_t)step);
		const int apart = (k == d ? 2 : 1) * step * distance[k];
		w->known[k] = k == d ? (all + 1) / 2 : all;
		w->fresh[k] = k == d ? all / 2 : all;
		if (k == d)
			w->off = step * distance[k];
		if (k < 2)
			w->apart[k] = apart;
		else
			w->stride = apart;
		if (k == 0)
			w->volume = all > (d == 0 ? 2 : 1);
	}
	return w->fresh[0] > 0 && w->fresh[1] > 0 && w->fresh[2] > 0;
}

static __device__ __forceinline__ int xc_gpu_clamp(int i, int n)
{
	return max(0, min(i, n - 1));
}

/* See xc_find(). */
static __device__ xc_gpu_row xc_gpu_find(const xc_gpu_walk *w, int o0, int o1, int o2, int a, int b)
{
	const int d = w->d, along = d == 0 ? o0 : d == 1 ? o1 : o2;
	const int odd = along & 1, by = (along + odd) / 2;
	const int i = a + (d == 0 ? by : o0), j = b + (d == 1 ? by : o1);
	int at_a = xc_gpu_clamp(i, w->known[0]), at_b = xc_gpu_clamp(j, w->known[1]);
	xc_gpu_row r;

	r.shift = d == 2 ? by : o2;
	r.second = d == 2 ? -2 : -1;
	r.last = w->known[2] - 1;
	if (odd) {
		r.first = at_a * w->apart[0] + at_b * w->apart[1];
		if (d == 0 && i >= w->known[0])
			r.second = w->known[0] > 1 ? r.first - w->apart[0] : r.first;
		if (d == 1 && j >= w->known[1])
			r.second = w->known[1] > 1 ? r.first - w->apart[1] : r.first;
		return r;
	}
	const int own_a = d == 0 && i < 0 ? -1 : xc_gpu_clamp(i, w->fresh[0]);
	const int own_b = d == 1 && j < 0 ? -1 : xc_gpu_clamp(j, w->fresh[1]);
	if (own_a >= 0 && own_b >= 0 && (own_a < a || (own_a == a && own_b < b))) {
		r.first = own_a * w->apart[0] + own_b * w->apart[1] + w->off;
		r.second = -1;
		r.last = w->fresh[2] - 1;
		return r;
	}
	if (d == 0)
		at_a = a;
	if (d == 1)
		at_b = b;
	r.first = at_a * w->apart[0] + at_b * w->apart[1];
	return r;
}

/* The offset of row `which`. */
static __device__ __forceinline__ xc_gpu_row xc_gpu_find_row(const xc_gpu_walk *w, int which, int a,
                                                             int b)
{
	const int d = w->d, row = d == 1 ? -2 : -1, plane = d == 0 ? -2 : -1;
	int o[3] = {0, 0, 0};

	if (which < XC_TAPS) {
		const int8_t *tap = w->pass->pass.tap[which].offset;
		return xc_gpu_find(w, tap[0], tap[1], tap[2], a, b);
	}
	if (which < XC_ROW_ABOVE) {
		const int by = which == XC_ROW_BEFORE ? -1 : 1;
		return xc_gpu_find(w, d == 0 ? by : 0, d == 1 ? by : 0, d == 2 ? by : 0, a, b);
	}
	if (which < XC_ROW_BESIDE) {
		o[0] = which >= XC_ROW_BEHIND ? plane : 0;
		o[1] = which == XC_ROW_ABOVE || which == XC_ROW_UP ? row
		       : which == XC_ROW_TWICE                     ? 2 * row
		       : which == XC_ROW_DOWN                      ? -row
		                                                   : 0;
		return xc_gpu_find(w, o[0], o[1], 0, a, b);
	}
	const int i = (which - XC_ROW_BESIDE) & 3;
	const int e = which < XC_ROW_BESIDE_2 ? d == 2 ? 1 : 2 : d == 0 ? 1 : 0;
	const int along = i < 2 ? -1 : 1, aside = i & 1 ? 1 : -1;
	for (int k = 0; k < 3; k++)
		o[k] = k == d ? along : k == e ? aside : 0;
	return xc_gpu_find(w, o[0], o[1], o[2], a, b);
}

/* All lanes find the rows around row (a, b). */
static __device__ __forceinline__ void xc_gpu_find_rows(const xc_gpu_walk *w, int a, int b,
                                                        xc_gpu_row rows[XC_ROWS], int lane)
{
	__syncwarp();
	for (int r = lane; r < XC_ROWS; r += 32)
		if (r >= XC_TAPS || r < w->pass->pass.taps)
			rows[r] = xc_gpu_find_row(w, r, a, b);
	__syncwarp();
}

static __device__ __forceinline__ float xc_gpu_value(const xc_gpu_walk *w, const xc_gpu_row *r,
                                                     int i)
{
	const int j = i + r->shift;
	const int at = max(0, min(j, r->last)) * w->stride;
	const float v = w->value[r->first + at];

	if (r->second == -1)
		return v;
	if (r->second >= 0)
		return v + (v - w->value[r->second + at]);
	return j > r->last && r->last > 0 ? v + (v - w->value[r->first + at - w->stride]) : v;
}

static __device__ __forceinline__ float xc_gpu_magnitude(const xc_gpu_walk *w, const xc_gpu_row *r,
                                                         int i)
{
	return w->magnitude[r->first + max(0, min(i + r->shift, r->last)) * w->stride];
}

/* Predicts point i of the row. */
static __device__ __forceinline__ float xc_gpu_predict(const xc_gpu_walk *w,
                                                       const xc_gpu_row rows[XC_ROWS], int i)
{
	const xc_pass *p = &w->pass->pass;
	float sum = (float)p->tap[0].weight / XC_TAP_SCALE * xc_gpu_value(w, &rows[0], i);

#pragma unroll 4
	for (int k = 1; k < p->taps; k++)
		sum += (float)p->tap[k].weight / XC_TAP_SCALE * xc_gpu_value(w, &rows[k], i);
	return sum;
}

static __device__ __forceinline__ float xc_gpu_beside(const xc_gpu_walk *w, const xc_gpu_row *rows,
                                                      float weight, int i)
{
	return xc_level_beside(weight, xc_gpu_magnitude(w, &rows[0], i),
	                       xc_gpu_magnitude(w, &rows[1], i), xc_gpu_magnitude(w, &rows[2], i),
	                       xc_gpu_magnitude(w, &rows[3], i));
}

/* The level of point i, whose prediction is p; see xc_expect_levels(). */
static __device__ __forceinline__ uint32_t xc_gpu_level(const xc_gpu_walk *w,
                                                        const xc_gpu_row rows[XC_ROWS], int i,
                                                        float p)
{
	const xc_gpu_row *above = &rows[XC_ROW_ABOVE], *behind = &rows[XC_ROW_BEHIND];
	const int d = w->d;
	float sum = xc_level_known(xc_gpu_magnitude(w, &rows[XC_ROW_BEFORE], i),
	                           xc_gpu_magnitude(w, &rows[XC_ROW_AFTER], i));

	if (w->pass->inverse != 0)
		sum += xc_level_bend(xc_gpu_value(w, &rows[XC_ROW_BEFORE], i),
		                     xc_gpu_value(w, &rows[XC_ROW_AFTER], i), p, w->pass->inverse);
	sum += xc_level_above(xc_gpu_magnitude(w, above, i), xc_gpu_magnitude(w, above, i - 1),
	                      xc_gpu_magnitude(w, above, i + 1));
	sum += XC_LEVEL_ABOVE_2 * xc_gpu_magnitude(w, &rows[XC_ROW_TWICE], i);
	if (w->volume)
		sum += xc_level_behind(xc_gpu_magnitude(w, behind, i), xc_gpu_magnitude(w, behind, i - 1),
		                       xc_gpu_magnitude(w, behind, i + 1),
		                       xc_gpu_magnitude(w, &rows[XC_ROW_UP], i),
		                       xc_gpu_magnitude(w, &rows[XC_ROW_DOWN], i));
	if (w->known[d == 2 ? 1 : 2] >= 2)
		sum += xc_gpu_beside(w, &rows[XC_ROW_BESIDE], XC_LEVEL_AROUND, i);
	if (w->known[d == 0 ? 1 : 0] >= 2)
		sum += xc_gpu_beside(w, &rows[XC_ROW_BESIDE_2], XC_LEVEL_AROUND_2, i);
	return xc_level_of(sum, XC_GPU_ARRAY_LEVELS);
}

#endif
