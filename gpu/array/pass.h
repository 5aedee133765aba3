/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The way of a thread block through a chunk, as array/grid.h has it for rows: where the points of a
 * prediction lie, and what it and the level of a value are. gpu/array/chunk.cu calls it.
 *
 * Values stand at their place in the chunk. So a grid's row is a first place, a distance, and the
 * number of its points; beyond its ends the last one repeats, or a line goes on (array/grid.h).
 */
#ifndef XC_GPU_ARRAY_PASS_H
#define XC_GPU_ARRAY_PASS_H

#include "array/slab.h"
#include "array/value.h"
#include "gpu/array/array.h"

/* A row of points: point i of the row under way has its point at first + stride i, i being clamped. */
typedef struct xc_gpu_row {
	int first;
	int second;    /* likewise of the row before it, where a line goes on; -1: none does; -2: one
	                * along the row, beyond `high` */
	int low, high; /* i of the first and the last point */
} xc_gpu_row;

/* Rows around one, a lane each: those of the taps, and of known points: */
enum {
	XC_ROW_BEFORE = XC_TAPS,
	XC_ROW_AFTER,
	XC_ROW_BESIDE, /* four */
	XC_KNOWN_ROWS = XC_ROW_BESIDE + 4,
	XC_ROWS = 32
};

/* How far a row is off, in rows and points of the known grid or that of the pass. */
typedef struct xc_gpu_offset {
	int16_t a, b, shift, used;
} xc_gpu_offset;

/* A pass over a chunk, in shared memory. */
typedef struct xc_gpu_pass {
	int d;
	int known[3], fresh[3];
	int apart[2];  /* known rows along a and b */
	int off;       /* from a known row to the fresh one after it */
	int stride;    /* of points in a row */
	int volume;    /* 1: there are rows behind */
	int taps, all; /* those of known points, which come first; all */
	int cubic;     /* 1: they are the cubic ones */
	int mode;
	float low, high, step, inverse, bend;
	int inner_low, inner_high; /* from and to these points of a row none is clamped */
	float weight[XC_TAPS];
	xc_gpu_offset around[2][XC_ROWS]; /* of known points, of own ones */
} xc_gpu_pass;

static __device__ __forceinline__ xc_gpu_offset xc_gpu_offset_of(const int o[3], int d)
{
	const int by = (o[d] + (o[d] & 1)) / 2;
	xc_gpu_offset r;

	r.a = (int16_t)(d == 0 ? by : o[0]);
	r.b = (int16_t)(d == 1 ? by : o[1]);
	r.shift = (int16_t)(d == 2 ? by : o[2]);
	r.used = 1;
	return r;
}

/* The offset of row `lane` of known points (own 0) or those of the pass. */
static __device__ xc_gpu_offset xc_gpu_array_row_offset(const xc_pass *p, int own, int first,
                                                        int end, int lane)
{
	const int d = p->d, e = d == 2 ? 1 : 2;
	int o[3] = {0, 0, 0};
	xc_gpu_offset none = {0, 0, 0, 0};

	if (lane < XC_TAPS) {
		if (first + lane >= end)
			return none;
		for (int k = 0; k < 3; k++)
			o[k] = p->tap[first + lane].offset[k];
	} else {
		const int i = lane - XC_ROW_BESIDE;
		if (own || lane >= XC_KNOWN_ROWS)
			return none;
		o[d] = i < 0 ? (lane == XC_ROW_BEFORE ? -1 : 1) : i < 2 ? -1 : 1;
		if (i >= 0)
			o[e] = i & 1 ? 1 : -1;
	}
	return xc_gpu_offset_of(o, d);
}

/* Prepares a pass over a chunk of size n, by a warp; nothing is done if it has no points there. */
static __device__ void xc_gpu_pass_begin(xc_gpu_pass *w, const xc_gpu_array_slab *s, int index,
                                         const uint32_t n[3], int lane)
{
	const xc_gpu_array_pass *pass = &s->pass[index];
	const xc_pass *p = &pass->pass;
	const int distance[3] = {(int)(n[1] * n[2]), (int)n[2], 1}, d = p->d;
	int low = 0, high, taps = 0;

	for (int k = 0; k < 3; k++) {
		const int step = (int)p->step[k], all = (int)xc_points(n[k], p->step[k]);
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
	while (taps < p->taps && (p->tap[taps].offset[d] & 1))
		taps++;
	w->d = d;
	w->taps = taps;
	w->all = p->taps;
	w->cubic = !p->fitted;
	w->mode = s->mode;
	w->low = s->low;
	w->high = s->high;
	w->step = pass->step;
	w->inverse = pass->inverse;
	w->bend = pass->bend;
	if (lane < p->taps)
		w->weight[lane] = (float)p->tap[lane].weight / XC_TAP_SCALE;
	high = (w->known[2] < w->fresh[2] ? w->known[2] : w->fresh[2]) - 1;
	const int last = high;
	for (int own = 0; own < 2; own++) {
		const xc_gpu_offset o = own ? xc_gpu_array_row_offset(p, 1, taps, p->taps, lane)
		                            : xc_gpu_array_row_offset(p, 0, 0, taps, lane);
		w->around[own][lane] = o;
		low = max(low, o.used ? 1 - (int)o.shift : 0);
		high = min(high, o.used ? last - 1 - (int)o.shift : last);
	}
	for (int by = 16; by; by /= 2) {
		low = max(low, __shfl_xor_sync(0xffffffffu, low, by));
		high = min(high, __shfl_xor_sync(0xffffffffu, high, by));
	}
	w->inner_low = low;
	w->inner_high = high;
}

static __device__ __forceinline__ int xc_gpu_clamp(int i, int n)
{
	return max(0, min(i, n - 1));
}

/* Known rows around row (a, b), by all lanes; see xc_find(). Returns 1 if a line goes on in any. */
static __device__ __forceinline__ int xc_gpu_find_known(const xc_gpu_pass *w, int a, int b,
                                                        xc_gpu_row rows[XC_ROWS], int lane)
{
	const xc_gpu_offset o = w->around[0][lane];
	const int d = w->d, i = a + o.a, j = b + o.b;
	xc_gpu_row r;

	r.first = xc_gpu_clamp(i, w->known[0]) * w->apart[0] +
	          xc_gpu_clamp(j, w->known[1]) * w->apart[1] + o.shift * w->stride;
	r.second = d == 2 && w->known[2] > 1 ? -2 : -1;
	/* Such a place may be below 0 by the shift. */
	if (d == 0 && i >= w->known[0])
		r.second = (w->known[0] > 1 ? r.first - w->apart[0] : r.first) + XC_CHUNK_VALUES;
	if (d == 1 && j >= w->known[1])
		r.second = (w->known[1] > 1 ? r.first - w->apart[1] : r.first) + XC_CHUNK_VALUES;
	r.low = -o.shift;
	r.high = w->known[2] - 1 - o.shift;
	__syncwarp();
	if (o.used)
		rows[lane] = r;
	__syncwarp();
	return __any_sync(0xffffffffu, o.used && r.second >= 0) || d == 2;
}

/* Rows of the pass around row (a, b), or known ones where those do not precede it. */
static __device__ __forceinline__ void xc_gpu_find_own(const xc_gpu_pass *w, int a, int b,
                                                       xc_gpu_row rows[XC_ROWS], int lane)
{
	const xc_gpu_offset o = w->around[1][lane];
	const int d = w->d, i = a + o.a, j = b + o.b;
	const int own_a = d == 0 && i < 0 ? -1 : xc_gpu_clamp(i, w->fresh[0]);
	const int own_b = d == 1 && j < 0 ? -1 : xc_gpu_clamp(j, w->fresh[1]);
	const int before = own_a >= 0 && own_b >= 0 && (own_a < a || (own_a == a && own_b < b));
	const int at_a = before ? own_a : d == 0 ? a : xc_gpu_clamp(i, w->known[0]);
	const int at_b = before ? own_b : d == 1 ? b : xc_gpu_clamp(j, w->known[1]);
	xc_gpu_row r;

	r.first = at_a * w->apart[0] + at_b * w->apart[1] + o.shift * w->stride + (before ? w->off : 0);
	r.second = !before && d == 2 && w->known[2] > 1 ? -2 : -1;
	r.low = -o.shift;
	r.high = (before ? w->fresh[2] : w->known[2]) - 1 - o.shift;
	__syncwarp();
	if (o.used)
		rows[lane] = r;
	__syncwarp();
}

/* CLAMP 0: point i and those beside it have all their points. LINE 0: no line goes on. */
template <int CLAMP>
static __device__ __forceinline__ int xc_gpu_at(int stride, const xc_gpu_row &r, int i)
{
	return r.first + (CLAMP ? max(r.low, min(i, r.high)) : i) * stride;
}

template <int CLAMP, int LINE>
static __device__ __forceinline__ float xc_gpu_array_value(int stride, const float *value,
                                                           const xc_gpu_row *row, int i)
{
	const xc_gpu_row r = *row;
	const int at = xc_gpu_at<CLAMP>(stride, r, i);
	const float v = value[at];

	if (LINE && r.second >= 0)
		return v + (v - value[at - r.first + (r.second - XC_CHUNK_VALUES)]);
	if (LINE && CLAMP && r.second == -2 && i > r.high)
		return v + (v - value[at - stride]);
	return v;
}

template <int CLAMP>
static __device__ __forceinline__ float xc_gpu_array_magnitude(int stride, const float *magnitude,
                                                               const xc_gpu_row *row, int i)
{
	return magnitude[xc_gpu_at<CLAMP>(stride, *row, i)];
}

/* Adds taps from `first` to `end` - 1 to a prediction; row 0 is that of `first`. */
template <int CLAMP, int LINE>
static __device__ __forceinline__ float xc_gpu_predict(const xc_gpu_pass *w, int stride,
                                                       const float *value,
                                                       const xc_gpu_row rows[XC_ROWS], int first,
                                                       int end, float sum, int i)
{
	int k = first;

	if (first == 0) {
		sum = w->weight[0] * xc_gpu_array_value<CLAMP, LINE>(stride, value, &rows[0], i);
		k = 1;
	}
#pragma unroll 3
	for (; k < end; k++)
		sum += w->weight[k] * xc_gpu_array_value<CLAMP, LINE>(stride, value, &rows[k - first], i);
	return sum;
}

/* A prediction as the mode wants it; see limit_predictions() in array/chunk.h. */
static __device__ __forceinline__ float xc_gpu_limited(int mode, float low, float high, float p)
{
	return mode == XC_MODE_WHOLE ? xc_limited(p, low, high) : xc_is_finite(p) ? p : 0;
}

/* The first terms of a level's sum: magnitudes of known points. See xc_expect_levels(). */
template <int CLAMP>
static __device__ __forceinline__ float xc_gpu_level_known(int aside, int stride,
                                                           const float *magnitude,
                                                           const xc_gpu_row rows[XC_ROWS], int i)
{
	const xc_gpu_row *beside = &rows[XC_ROW_BESIDE];
	float sum =
		xc_level_known(xc_gpu_array_magnitude<CLAMP>(stride, magnitude, &rows[XC_ROW_BEFORE], i),
	                   xc_gpu_array_magnitude<CLAMP>(stride, magnitude, &rows[XC_ROW_AFTER], i));

	if (aside)
		sum += xc_level_beside(xc_gpu_array_magnitude<CLAMP>(stride, magnitude, &beside[0], i),
		                       xc_gpu_array_magnitude<CLAMP>(stride, magnitude, &beside[1], i),
		                       xc_gpu_array_magnitude<CLAMP>(stride, magnitude, &beside[2], i),
		                       xc_gpu_array_magnitude<CLAMP>(stride, magnitude, &beside[3], i));
	return sum;
}

/* The term of the limited prediction. */
template <int CLAMP, int LINE>
static __device__ __forceinline__ float xc_gpu_level_bend(int stride, const float *value,
                                                          const xc_gpu_row rows[XC_ROWS], int i,
                                                          float p, float inverse)
{
	return xc_level_bend(xc_gpu_array_value<CLAMP, LINE>(stride, value, &rows[XC_ROW_BEFORE], i),
	                     xc_gpu_array_value<CLAMP, LINE>(stride, value, &rows[XC_ROW_AFTER], i), p,
	                     inverse);
}

/* ------------------------------------------------- rows without clamps and shifts */

/* The first place of the row that is da and db rows off (a, b) in the grid of the pass, or of the
 * known one where that does not precede it; see xc_find(). *last: its last point. */
static __device__ __forceinline__ int xc_gpu_own_row(const xc_gpu_pass *w, int a, int b, int da,
                                                     int db, int *last)
{
	const int d = w->d, i = a + da, j = b + db;
	const int own_a = d == 0 && i < 0 ? -1 : xc_gpu_clamp(i, w->fresh[0]);
	const int own_b = d == 1 && j < 0 ? -1 : xc_gpu_clamp(j, w->fresh[1]);

	if (own_a >= 0 && own_b >= 0 && (own_a < a || (own_a == a && own_b < b))) {
		*last = w->fresh[2] - 1;
		return own_a * w->apart[0] + own_b * w->apart[1] + w->off;
	}
	*last = w->known[2] - 1;
	return (d == 0 ? a : xc_gpu_clamp(i, w->known[0])) * w->apart[0] +
	       (d == 1 ? b : xc_gpu_clamp(j, w->known[1])) * w->apart[1];
}

/* Rows behind that one, and those above. */
typedef struct xc_gpu_behind {
	int behind, up, down, last;
} xc_gpu_behind;

typedef struct xc_gpu_above {
	int above, twice, last;
} xc_gpu_above;

static __device__ __forceinline__ xc_gpu_behind xc_gpu_rows_behind(const xc_gpu_pass *w, int a,
                                                                   int b)
{
	xc_gpu_behind r;
	int last;

	if (a > 0 && b > 0 && b + 1 < w->fresh[1]) {
		r.behind = (a - 1) * w->apart[0] + b * w->apart[1] + w->off;
		r.up = r.behind - w->apart[1];
		r.down = r.behind + w->apart[1];
		r.last = w->fresh[2] - 1;
		return r;
	}
	r.behind = xc_gpu_own_row(w, a, b, -1, 0, &r.last);
	r.up = xc_gpu_own_row(w, a, b, -1, -1, &last);
	r.down = xc_gpu_own_row(w, a, b, -1, 1, &last);
	return r;
}

static __device__ __forceinline__ xc_gpu_above xc_gpu_rows_above(const xc_gpu_pass *w, int a, int b)
{
	xc_gpu_above r;
	int last;

	if (b > 1) {
		r.above = a * w->apart[0] + (b - 1) * w->apart[1] + w->off;
		r.twice = r.above - w->apart[1];
		r.last = w->fresh[2] - 1;
		return r;
	}
	r.above = xc_gpu_own_row(w, a, b, 0, -1, &r.last);
	r.twice = xc_gpu_own_row(w, a, b, 0, -2, &last);
	return r;
}

/* Terms of the level of point i. */
static __device__ __forceinline__ float xc_gpu_term_behind(const xc_gpu_behind *r, int stride,
                                                           const float *magnitude, int i)
{
	const int at = i * stride, before = max(i - 1, 0) * stride,
			  after = min(i + 1, r->last) * stride;
	const float *m = magnitude + r->behind;

	return xc_level_behind(m[at], m[before], m[after], magnitude[r->up + at],
	                       magnitude[r->down + at]);
}

static __device__ __forceinline__ uint32_t xc_gpu_level_above(const xc_gpu_above *r, int stride,
                                                              const float *magnitude, int i,
                                                              float sum)
{
	const int at = i * stride, before = max(i - 1, 0) * stride,
			  after = min(i + 1, r->last) * stride;
	const float *m = magnitude + r->above;

	sum += xc_level_above(m[at], m[before], m[after]);
	sum += XC_LEVEL_ABOVE_2 * magnitude[r->twice + at];
	return xc_level_of(sum, XC_GPU_ARRAY_LEVELS);
}

/* The four points of a cubic prediction: of rows, or along one. */
typedef struct xc_gpu_cubic {
	int first[4];
	int beyond[2]; /* of the last two: the row before, where a line goes on; -1: none does */
	int aside[2];  /* along rows: the rows above and below */
} xc_gpu_cubic;

static __device__ __forceinline__ xc_gpu_cubic xc_gpu_rows_cubic(const xc_gpu_pass *w, int a, int b)
{
	xc_gpu_cubic r;
	const int d = w->d, here = a * w->apart[0] + b * w->apart[1];

	r.beyond[0] = r.beyond[1] = -1;
	if (d == 2) {
		r.first[0] = here;
		r.aside[0] = a * w->apart[0] + max(b - 1, 0) * w->apart[1];
		r.aside[1] = a * w->apart[0] + min(b + 1, w->known[1] - 1) * w->apart[1];
		return r;
	}
	const int at = d ? b : a, apart = w->apart[d], last = w->known[d] - 1;
#pragma unroll
	for (int k = 0; k < 4; k++) {
		const int i = at - 1 + k;
		r.first[k] = here + (max(0, min(i, last)) - at) * apart;
		if (k >= 2 && i > last)
			r.beyond[k - 2] = last > 0 ? r.first[k] - apart : r.first[k];
	}
	return r;
}

/* The prediction of point i, and the first terms of its level's sum but the bend. v: the values before
 * and after. */
static __device__ __forceinline__ float xc_gpu_cubic_rows(const xc_gpu_pass *w,
                                                          const xc_gpu_cubic *r, int stride,
                                                          const float *value,
                                                          const float *magnitude, int i, float v[2],
                                                          float *sum)
{
	const int last = w->known[2] - 1, at = i * stride;
	const int before = max(i - 1, 0) * stride, after = min(i + 1, last) * stride;
	float x[4];

#pragma unroll
	for (int k = 0; k < 4; k++) {
		x[k] = value[r->first[k] + at];
		if (k >= 2 && r->beyond[k - 2] >= 0)
			x[k] = x[k] + (x[k] - value[r->beyond[k - 2] + at]);
	}
	const float *l = magnitude + r->first[1], *n = magnitude + r->first[2];
	*sum = xc_level_known(l[at], n[at]);
	if (last > 0)
		*sum += xc_level_beside(l[before], l[after], n[before], n[after]);
	v[0] = x[1];
	v[1] = x[2];
	float p = w->weight[0] * x[0];
	p += w->weight[1] * x[1];
	p += w->weight[2] * x[2];
	return p + w->weight[3] * x[3];
}

/* The same along a row. */
static __device__ __forceinline__ float xc_gpu_cubic_along(const xc_gpu_pass *w,
                                                           const xc_gpu_cubic *r, int stride,
                                                           const float *value,
                                                           const float *magnitude, int i,
                                                           float v[2], float *sum)
{
	const int last = w->known[2] - 1, at = i * stride;
	const int before = max(i - 1, 0) * stride, after = min(i + 1, last) * stride;
	const float *x = value + r->first[0], *m = magnitude + r->first[0];
	float y = x[after], z = x[min(i + 2, last) * stride];

	/* Beyond the last one a line goes on by a point. */
	if (i + 2 > last && last > 0) {
		z = z + (z - x[(last - 1) * stride]);
		if (i + 1 > last)
			y = z;
	}
	*sum = xc_level_known(m[at], m[after]);
	if (w->known[1] > 1) {
		const float *up = magnitude + r->aside[0], *down = magnitude + r->aside[1];
		*sum += xc_level_beside(up[at], down[at], up[after], down[after]);
	}
	v[0] = x[at];
	v[1] = y;
	float p = w->weight[0] * x[before];
	p += w->weight[1] * v[0];
	p += w->weight[2] * y;
	return p + w->weight[3] * z;
}

#endif
