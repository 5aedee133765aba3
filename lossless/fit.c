/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chooses predictors for a part by least squares. Each cell of 16x16 samples gives the matrix of its
 * normal equations once; then cells are shared out to classes and each class is solved, in turn
 * (Lloyd's method), which needs no sample any more. Bound: (n + 1)(n + 2) / 2 multiplications a
 * sample, n the number of unknowns. All levels must choose alike: sums have one
 * order whatever the vectors, and the compiler may not contract (see configure.ac).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lossless/code.h"

enum {
	UNKNOWNS = XC_TAPS,
	SIDE = UNKNOWNS + 1, /* the last row of a matrix is the right side, and the squares */
	SUMS = SIDE * (SIDE + 1) / 2
};

typedef struct cell {
	float sum[SUMS];
} cell;

_Static_assert(sizeof(cell) + 8 == XC_FIT_CELL_BYTES, "a cell and its place in the order");

/* The differences of 16 samples of row y from column x on, to their left neighbour. */
static void regressors(const xc_part *p, int plane, uint32_t x, uint32_t y, float r[SIDE][XC_CELL])
{
	const xc_plane16 *s = &p->samples[plane];
	const int16_t *row = s->first + (ptrdiff_t)y * s->stride + x;
	const int16_t *up = row - s->stride, *twice = up - s->stride;
	int n = 6;

	for (int i = 0; i < XC_CELL; i++) {
		const int w = row[i - 1];
		r[0][i] = (float)(row[i - 2] - w);
		r[1][i] = (float)(up[i] - w);
		r[2][i] = (float)(up[i + 1] - w);
		r[3][i] = (float)(up[i - 1] - w);
		r[4][i] = (float)(twice[i] - w);
		r[5][i] = (float)(twice[i + 1] - w);
	}
	for (int q = plane - 1; q >= 0; q--, n += 3) {
		const xc_plane16 *o = &p->samples[q];
		const int16_t *at = o->first + (ptrdiff_t)y * o->stride + x, *over = at - o->stride;
		for (int i = 0; i < XC_CELL; i++) {
			const int w = at[i - 1];
			r[n][i] = (float)(at[i] - w);
			r[n + 1][i] = (float)(over[i] - w);
			r[n + 2][i] = (float)(over[i + 1] - w);
		}
	}
	for (int i = 0; i < XC_CELL; i++)
		r[n][i] = (float)(row[i] - row[i - 1]);
}

/* Adds up the products of all rows of a cell, or of every `step`-th. */
static void sum_cell(const xc_part *p, int plane, uint32_t cx, uint32_t cy, uint32_t step, cell *c)
{
	const int n = xc_taps(plane) + 1;
	const uint32_t x = cx * XC_CELL, wide = p->width - x < XC_CELL ? p->width - x : XC_CELL;
	float sums[SUMS][XC_CELL];

	memset(sums, 0, sizeof sums);
	for (uint32_t y = cy * XC_CELL + step / 2; y < (cy + 1) * XC_CELL && y < p->height; y += step) {
		float r[SIDE][XC_CELL], weight[XC_CELL];
		regressors(p, plane, x, y, r);
		for (uint32_t i = 0; i < XC_CELL; i++) {
			const float sum = 2 + fabsf(r[1][i]) + fabsf(r[2][i]) + fabsf(r[3][i]);
			weight[i] = i < wide ? 1 / sum : 0;
		}
		int k = 0;
		for (int a = 0; a < n; a++) {
			float ra[XC_CELL];
			for (int i = 0; i < XC_CELL; i++)
				ra[i] = r[a][i] * weight[i];
			for (int b = 0; b <= a; b++, k++)
				for (int i = 0; i < XC_CELL; i++)
					sums[k][i] += ra[i] * r[b][i];
		}
	}
	for (int k = 0; k < n * (n + 1) / 2; k++) {
		float s = 0;
		for (int i = 0; i < XC_CELL; i++)
			s += sums[k][i];
		c->sum[k] = s;
	}
}

/* Solves the equations of the sums by elimination (the matrix is positive). */
static void solve(const double *sums, int n, double *x)
{
	double a[SIDE][SIDE];
	int k = 0;

	for (int i = 0; i <= n; i++)
		for (int j = 0; j <= i; j++, k++)
			a[i][j] = a[j][i] = sums[k];
	for (int i = 0; i < n; i++)
		a[i][i] += 1e-3 * (1 + a[i][i]);
	for (int i = 0; i < n; i++)
		for (int j = i + 1; j < n; j++) {
			const double f = a[j][i] / a[i][i];
			for (int c = i; c <= n; c++)
				a[j][c] -= f * a[i][c];
		}
	for (int i = n - 1; i >= 0; i--) {
		double s = a[i][n];
		for (int j = i + 1; j < n; j++)
			s -= a[i][j] * x[j];
		x[i] = s / a[i][i];
	}
}

/* The weighted square error of a cell with coefficients x; x[n] is -1. */
static float error_of(const cell *c, int n, const float *x)
{
	float e = 0;
	int k = 0;

	for (int i = 0; i <= n; i++) {
		float row = 0;
		for (int j = 0; j < i; j++)
			row += 2 * x[j] * c->sum[k + j];
		e += x[i] * (row + x[i] * c->sum[k + i]);
		k += i + 1;
	}
	return e;
}

typedef struct order {
	float activity;
	uint32_t cell;
} order;

static int by_activity(const void *a, const void *b)
{
	const order *x = a, *y = b;
	return x->activity != y->activity ? (x->activity < y->activity ? -1 : 1)
	       : x->cell < y->cell        ? -1
	                                  : 1;
}

static void quantize(const double *x, int n, int8_t *taps)
{
	for (int i = 0; i < n; i++) {
		const double v = floor(x[i] * (1 << XC_TAP_BITS) + 0.5);
		taps[i] = (int8_t)(v < -128 ? -128 : v > 127 ? 127 : v);
	}
}

typedef struct fit_memory {
	cell *cells;
	order *order;
} fit_memory;

/* 1: not all are zero. Where all are, every class leaves nothing. */
static int any(float (*r)[XC_CELL], int n)
{
	float sum[XC_CELL] = {0}, all = 0;

	for (int j = 0; j < n; j++)
		for (int i = 0; i < XC_CELL; i++)
			sum[i] += fabsf(r[j][i]);
	for (int i = 0; i < XC_CELL; i++)
		all += sum[i];
	return all > 0;
}

/* Adds the magnitudes that coefficients leave of 16 samples. */
static void add_rest(float (*r)[XC_CELL], int n, const int8_t *taps, float sum[XC_CELL])
{
	float e[XC_CELL];

	memcpy(e, r[n], sizeof e);
	for (int j = 0; j < n; j++) {
		const float t = (1.F / (1 << XC_TAP_BITS)) * taps[j];
		for (int i = 0; i < XC_CELL; i++)
			e[i] -= r[j][i] * t;
	}
	for (int i = 0; i < XC_CELL; i++)
		sum[i] += fabsf(e[i]);
}

static void add_rest_of_median(const int16_t *row, const int16_t *up, float sum[XC_CELL])
{
	for (int i = 0; i < XC_CELL; i++) {
		const int w = row[i - 1], n = up[i], v = w + n - up[i - 1];
		const int lo = w < n ? w : n, hi = w < n ? n : w;
		sum[i] += (float)abs(row[i] - (v < lo ? lo : v > hi ? hi : v));
	}
}

/* The class that leaves the least in a cell, by every `step`-th row. */
static uint32_t best_class(const xc_part *p, int plane, uint32_t cx, uint32_t cy, uint32_t step)
{
	const xc_plane_model *m = &p->model[plane];
	const int8_t(*fixed)[XC_TAPS] = xc_fixed_taps[!p->transform][plane];
	const int n = xc_taps(plane);
	const uint32_t x = cx * XC_CELL, wide = p->width - x < XC_CELL ? p->width - x : XC_CELL;
	const xc_plane16 *s = &p->samples[plane];
	float sums[XC_CLASSES][XC_CELL] = {{0}}, min = 0;
	uint32_t best = 0;

	for (uint32_t y = cy * XC_CELL; y < (cy + 1) * XC_CELL && y < p->height; y += step) {
		const int16_t *row = s->first + (ptrdiff_t)y * s->stride + x;
		float r[SIDE][XC_CELL];
		regressors(p, plane, x, y, r);
		if (!any(r, n + 1))
			continue;
		for (uint32_t k = 0; k < m->classes; k++)
			if (m->kind[k] == XC_MEDIAN)
				add_rest_of_median(row, row - s->stride, sums[k]);
			else
				add_rest(r, n, m->kind[k] >= XC_FIXED ? fixed[m->kind[k] - XC_FIXED] : m->taps[k],
				         sums[k]);
	}
	for (uint32_t k = 0; k < m->classes; k++) {
		float sum = 0;
		for (uint32_t i = 0; i < wide; i++)
			sum += sums[k][i];
		if (!k || sum < min) {
			min = sum;
			best = k;
		}
	}
	return best;
}

/* Gives each cell its best class and drops classes that no cell has. */
static void choose_classes(xc_part *p, int plane, int effort)
{
	xc_plane_model *m = &p->model[plane];
	const uint32_t cells = p->cells_wide * p->cells_high;
	uint8_t *class = p->class[plane], to[XC_CLASSES];
	uint32_t used = 0, n = 0;

	for (uint32_t i = 0; i < cells; i++) {
		class[i] = (uint8_t)best_class(p, plane, i % p->cells_wide, i / p->cells_wide,
		                               effort > 2   ? 1
		                               : effort > 1 ? 2
		                                            : 4);
		used |= 1U << class[i];
	}
	for (uint32_t k = 0; k < m->classes; k++) {
		to[k] = (uint8_t)n;
		if (!(used >> k & 1))
			continue;
		m->kind[n] = m->kind[k];
		memcpy(m->taps[n++], m->taps[k], XC_TAPS);
	}
	m->classes = n;
	for (uint32_t i = 0; i < cells; i++)
		class[i] = to[class[i]];
}

/* Shares cells out to classes by their activity, as a beginning. */
static void begin_classes(uint8_t *class, uint32_t cells, uint32_t classes, int n, fit_memory *mem)
{
	for (uint32_t i = 0; i < cells; i++) {
		float x[SIDE] = {0};
		/* 3/4 N + 1/4 NE + 1/2 (W - NW) */
		x[1] = 0.75F;
		x[2] = 0.25F;
		x[3] = -0.5F;
		x[n] = -1;
		mem->order[i] = (order){error_of(&mem->cells[i], n, x), i};
	}
	qsort(mem->order, cells, sizeof *mem->order, by_activity);
	for (uint32_t i = 0; i < cells; i++)
		class[mem->order[i].cell] = (uint8_t)((uint64_t)i * classes / cells);
}

static void solve_class(uint32_t k, const uint8_t *class, uint32_t cells, int n,
                        const fit_memory *mem, int8_t *taps)
{
	double sums[SUMS] = {0}, x[SIDE];

	for (uint32_t i = 0; i < cells; i++)
		for (int j = 0; class[i] == k && j < (n + 1) * (n + 2) / 2; j++)
			sums[j] += mem->cells[i].sum[j];
	solve(sums, n, x);
	quantize(x, n, taps);
}

static void share_out(uint8_t *class, uint32_t cells, const xc_plane_model *m, int n,
                      const fit_memory *mem)
{
	float x[XC_CLASSES][SIDE];

	for (uint32_t k = 0; k < m->classes; k++) {
		for (int j = 0; j < n; j++)
			x[k][j] = (float)m->taps[k][j] / (1 << XC_TAP_BITS);
		x[k][n] = -1;
	}
	for (uint32_t i = 0; i < cells; i++) {
		float best = 0;
		for (uint32_t k = 0; k < m->classes; k++) {
			const float e = error_of(&mem->cells[i], n, x[k]);
			if (!k || e < best) {
				best = e;
				class[i] = (uint8_t)k;
			}
		}
	}
}

static void solve_plane(xc_part *p, int plane, int effort, fit_memory *mem)
{
	enum { ROUNDS = 5, CELLS = 8 }; /* CELLS: the fewest that pay for a class */
	xc_plane_model *m = &p->model[plane];
	const uint32_t cells = p->cells_wide * p->cells_high;
	const int n = xc_taps(plane);

	m->classes = effort > 2 ? XC_CLASSES - 1 : 4;
	while (m->classes > 1 && cells < CELLS * m->classes)
		m->classes--;
	for (uint32_t i = 0; i < cells; i++)
		sum_cell(p, plane, i % p->cells_wide, i / p->cells_wide, 2, &mem->cells[i]);
	begin_classes(p->class[plane], cells, m -> classes, n, mem);
	for (int round = 0; round < ROUNDS; round++) {
		for (uint32_t k = 0; k < m->classes; k++) {
			m->kind[k] = XC_OWN_TAPS;
			solve_class(k, p->class[plane], cells, n, mem, m -> taps[k]);
		}
		if (round + 1 < ROUNDS)
			share_out(p->class[plane], cells, m, n, mem);
	}
	m->kind[m->classes++] = XC_MEDIAN;
}

static void take_fixed(xc_plane_model *m, int effort)
{
	m->classes = effort ? XC_CLASSES : 1;
	for (uint32_t k = 0; k < m->classes; k++)
		m->kind[k] = (uint8_t)(k + 1 < XC_CLASSES ? XC_FIXED + k + (effort != 0) : XC_MEDIAN);
}

void XC_LEVEL(xc_part_fit)(xc_part *p, int effort, void *scratch)
{
	const size_t cells = (size_t)p->cells_wide * p->cells_high;
	fit_memory mem = {.cells = scratch, .order = (void *)((cell *)scratch + cells)};

	for (int c = 0; c < p->planes; c++) {
		xc_plane_model *m = &p->model[c];
		if (!m->bits)
			continue;
		if (effort > 1 && cells >= 4)
			solve_plane(p, c, effort, &mem);
		else
			take_fixed(m, effort);
		if (m->classes > 1)
			choose_classes(p, c, effort);
		else
			memset(p->class[c], 0, cells);
		xc_plane_model_complete(p, c);
	}
}
