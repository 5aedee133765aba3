/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The points of a chunk during a pass, and what of them predicts a row. For the chunk's coder and
 * decoder, once for float and once for double: array/real.h says which.
 *
 * Known points lie in a grid without gaps, the new ones of the pass in another; at its end both
 * become the known grid of the next pass. Rows have room on both sides for what lies outside of the chunk: there
 * the last point repeats, but beyond the last known one along the pass's dimension a line through
 * the last two goes on by one point, which then repeats.
 */
#ifndef XC_ARRAY_GRID_H
#define XC_ARRAY_GRID_H

#include <stddef.h>
#include <string.h>

#include "array/plan.h"
#include "array/value.h"
#include "lossless/tables.h"

enum { XC_ROW_PAD = 8 }; /* the offsets of taps are from -8 to 7 */

/* Values and magnitudes of residues. Row (a, b) begins at pad + (a size[1] + b) pitch. */
typedef struct xc_grid {
	uint32_t size[3];
	size_t pitch;
	xc_real *value;
	float *magnitude;
} xc_grid;

static inline size_t xc_row_at(const xc_grid *g, uint32_t a, uint32_t b)
{
	return XC_ROW_PAD + ((size_t)a * g->size[1] + b) * g->pitch;
}

/* Rows need this much memory for a chunk. */
static inline size_t xc_grid_room(const uint32_t size[3])
{
	return (size_t)size[0] * size[1] * (size[2] + 2 * XC_ROW_PAD);
}

typedef struct xc_pass_state {
	const xc_pass *pass;
	xc_grid known, fresh;
	xc_real
		*beyond; /* rows beyond the last known ones along dimension 0 or 1; see xc_pass_begin() */
	xc_real inverse; /* 1 / step, for slope and bend; 0: there are none */
} xc_pass_state;

static inline uint32_t xc_clamped(int64_t i, uint32_t n)
{
	return i < 0 ? 0 : i >= (int64_t)n ? n - 1 : (uint32_t)i;
}

/* Repeats the first and last value of a row of n. */
static inline void xc_row_ends(xc_real *value, float *magnitude, uint32_t n)
{
	const ptrdiff_t last = (ptrdiff_t)n - 1;

	for (ptrdiff_t i = 1; i <= XC_ROW_PAD; i++) {
		value[-i] = value[0];
		value[last + i] = value[last];
	}
	for (ptrdiff_t i = 1; i <= XC_ROW_PAD; i++) {
		magnitude[-i] = magnitude[0];
		magnitude[last + i] = magnitude[last];
	}
}

/* Sets the sizes of the grids of a pass over a chunk of size n; 0: the pass has no points there. */
static inline int xc_pass_sizes(xc_pass_state *s, const xc_pass *pass, const uint32_t n[3])
{
	s->pass = pass;
	for (int k = 0; k < 3; k++) {
		const uint32_t all = xc_points(n[k], pass->step[k]);
		s->known.size[k] = s->fresh.size[k] = all;
		if (k == pass->d) {
			s->known.size[k] = (all + 1) / 2;
			s->fresh.size[k] = all / 2;
		}
	}
	s->known.pitch = s->known.size[2] + 2 * XC_ROW_PAD;
	s->fresh.pitch = s->fresh.size[2] + 2 * XC_ROW_PAD;
	return s->fresh.size[pass->d] > 0;
}

/* Makes what lies beyond the known points: ends of rows, and rows beyond the last ones. */
static inline void xc_pass_begin(xc_pass_state *s)
{
	const xc_grid *g = &s->known;
	const int d = s->pass->d;
	const uint32_t last = g->size[d] - 1;

	for (uint32_t a = 0; a < g->size[0]; a++)
		for (uint32_t b = 0; b < g->size[1]; b++) {
			const size_t at = xc_row_at(g, a, b);
			xc_real *v = g->value + at;
			xc_row_ends(v, g->magnitude + at, g->size[2]);
			if (d == 2 && last > 0)
				for (int i = 1; i <= XC_ROW_PAD; i++)
					v[last + (uint32_t)i] = v[last] + (v[last] - v[last - 1]);
		}
	if (d == 2)
		return;
	const uint32_t rows = g->size[1 - d];
	for (uint32_t r = 0; r < rows; r++) {
		const xc_real *v = g->value + (d ? xc_row_at(g, r, last) : xc_row_at(g, last, r));
		const xc_real *w = v;
		if (last > 0)
			w = g->value + (d ? xc_row_at(g, r, last - 1) : xc_row_at(g, last - 1, r));
		xc_real *to = s->beyond + XC_ROW_PAD + r * g->pitch;
		for (ptrdiff_t i = -XC_ROW_PAD; i < (ptrdiff_t)g->size[2] + XC_ROW_PAD; i++)
			to[i] = v[i] + (v[i] - w[i]);
	}
}

/* Where the points at an offset from those of row (a, b) of the pass lie. */
typedef struct xc_where {
	const xc_real *value;
	const float *magnitude;
} xc_where;

static inline xc_where xc_in(const xc_grid *g, uint32_t a, uint32_t b, int shift)
{
	const size_t at = xc_row_at(g, a, b);
	return (xc_where){g->value + at + shift, g->magnitude + at + shift};
}

/* An even offset along the pass's dimension is one of the pass's own points, and those have to be of
 * an earlier row: where they are not, the known neighbour before stands for them. */
static inline xc_where xc_find(const xc_pass_state *s, const int8_t offset[3], uint32_t a,
                               uint32_t b)
{
	const xc_grid *known = &s->known, *fresh = &s->fresh;
	const int d = s->pass->d, odd = offset[d] & 1;
	const int64_t by = (offset[d] + odd) / 2; /* exact: the sum is even */
	int shift = d == 2 ? (int)by : offset[2];
	uint32_t at[2] = {a, b}; /* in the known grid */
	int64_t own[2] = {a, b}; /* in that of the pass */

	for (int k = 0; k < 2; k++) {
		const int64_t i = (int64_t)(k ? b : a) + (k == d ? by : offset[k]);
		own[k] = xc_clamped(i, fresh->size[k]);
		at[k] = xc_clamped(i, known->size[k]);
		if (k == d && i < 0 && !odd)
			own[k] = -1;
		if (k == d && odd && i >= (int64_t)known->size[k]) {
			const int64_t beside = (int64_t)(k ? a : b) + offset[1 - k];
			const uint32_t r = xc_clamped(beside, known->size[1 - k]);
			const xc_where last = xc_in(known, k ? r : at[0], k ? at[1] : r, shift);
			return (xc_where){s->beyond + XC_ROW_PAD + r * known->pitch + shift, last.magnitude};
		}
	}
	if (odd)
		return xc_in(known, at[0], at[1], shift);
	if (own[0] >= 0 && own[1] >= 0 && (own[0] < a || (own[0] == a && own[1] < b)))
		return xc_in(fresh, (uint32_t)own[0], (uint32_t)own[1], shift);
	if (d < 2)
		at[d] = d ? b : a;
	return xc_in(known, at[0], at[1], shift);
}

/* Predicts the row: taps in their order, each product and each sum rounded. */
static inline void xc_predict(const xc_pass_state *s, uint32_t a, uint32_t b, xc_real *restrict to)
{
	const uint32_t n = s->fresh.size[2];

	for (int k = 0; k < s->pass->taps; k++) {
		const xc_tap *tap = &s->pass->tap[k];
		const xc_real *restrict v = xc_find(s, tap->offset, a, b).value;
		const xc_real w = (xc_real)tap->weight / XC_TAP_SCALE;
		if (k == 0)
			for (uint32_t i = 0; i < n; i++)
				to[i] = w * v[i];
		else
			for (uint32_t i = 0; i < n; i++)
				to[i] += w * v[i];
	}
}

/* The first terms of the sum: of the known points before and after, and beside these. */
static inline void xc_level_start(const xc_pass_state *s, uint32_t a, uint32_t b,
                                  const xc_real *restrict prediction, float *restrict sum)
{
	const uint32_t n = s->fresh.size[2];
	const int d = s->pass->d, e = d == 2 ? 1 : 2;
	int8_t before[3] = {0, 0, 0}, after[3] = {0, 0, 0};
	const float *beside[4];

	before[d] = -1;
	after[d] = 1;
	const xc_where l = xc_find(s, before, a, b), r = xc_find(s, after, a, b);
	const float *restrict lm = l.magnitude, *restrict rm = r.magnitude;
	for (uint32_t i = 0; i < n; i++)
		sum[i] = xc_level_known(lm[i], rm[i]);
	for (int i = 0; i < 4 && s->known.size[e] > 1; i++) {
		int8_t offset[3] = {0, 0, 0};
		offset[d] = i < 2 ? -1 : 1;
		offset[e] = i % 2 ? 1 : -1;
		beside[i] = xc_find(s, offset, a, b).magnitude;
	}
	if (s->known.size[e] > 1) {
		const float *restrict p = beside[0], *restrict q = beside[1];
		const float *restrict u = beside[2], *restrict v = beside[3];
		for (uint32_t i = 0; i < n; i++)
			sum[i] += xc_level_beside(p[i], q[i], u[i], v[i]);
	}
	if (s->inverse == 0)
		return;
	const xc_real *restrict lv = l.value, *restrict rv = r.value;
	for (uint32_t i = 0; i < n; i++)
		sum[i] += xc_level_bend(lv[i], rv[i], prediction[i], s->inverse);
}

/* Adds magnitudes of earlier rows of the pass. */
static inline void xc_level_rows(const xc_pass_state *s, uint32_t a, uint32_t b,
                                 float *restrict sum)
{
	const uint32_t n = s->fresh.size[2];
	const int8_t row = s->pass->d == 1 ? -2 : -1, plane = s->pass->d == 0 ? -2 : -1;

	if (s->known.size[0] + s->fresh.size[0] > 2) {
		const int8_t behind[3] = {plane, 0, 0}, up[3] = {plane, row, 0};
		const int8_t down[3] = {plane, (int8_t)-row, 0};
		const float *restrict p = xc_find(s, behind, a, b).magnitude;
		const float *restrict u = xc_find(s, up, a, b).magnitude;
		const float *restrict v = xc_find(s, down, a, b).magnitude;
		for (uint32_t i = 0; i < n; i++)
			sum[i] += xc_level_behind(p[i], p[(ptrdiff_t)i - 1], p[i + 1], u[i], v[i]);
	}
	const int8_t above[3] = {0, row, 0}, twice[3] = {0, (int8_t)(2 * row), 0};
	const float *restrict m = xc_find(s, above, a, b).magnitude;
	const float *restrict t = xc_find(s, twice, a, b).magnitude;
	for (uint32_t i = 0; i < n; i++)
		sum[i] += xc_level_above(m[i], m[(ptrdiff_t)i - 1], m[i + 1]);
	for (uint32_t i = 0; i < n; i++)
		sum[i] += XC_LEVEL_ABOVE_2 * t[i];
}

static inline void xc_levels_of(const float *restrict sum, uint32_t n, uint8_t *restrict level)
{
	for (uint32_t i = 0; i < n; i++)
		level[i] = xc_level_of(sum[i], XC_REAL_LEVELS);
}

/* The levels of the row's residues, from what is known around them. */
static inline void xc_expect_levels(const xc_pass_state *s, uint32_t a, uint32_t b,
                                    const xc_real *restrict prediction, float *restrict sum,
                                    uint8_t *restrict level)
{
	const uint32_t n = s->fresh.size[2];

	xc_level_start(s, a, b, prediction, sum);
	xc_level_rows(s, a, b, sum);
	xc_levels_of(sum, n, level);
}

#endif
