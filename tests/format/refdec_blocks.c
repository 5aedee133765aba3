/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Blocks of arrays in the reference decoder [11.12], coefficient by coefficient and line by line, as
 * written in doc/format.md. Dimensions a, b, c are z, y, x.
 */
#include "tests/format/refdec_array_internal.h"

#include <stdlib.h>
#include <string.h>

/* Blocks of a chunk: values of one, how many, values of all, along each dimension. */
typedef struct blocks {
	array *a;
	int64_t f[AXES], n[AXES], size[AXES];
	int flags[512];
} blocks;

enum { MOST_SIDE = 1 << 16 };

/* ------------------------------------------------------------------- coefficients */

static int64_t frequencies(const blocks *b)
{
	return b->f[A] * b->f[B] * b->f[C];
}

static double *coefficient(const blocks *b, int64_t f, const int64_t i[AXES])
{
	const int64_t part[AXES] = {f / b->f[C] / b->f[B], f / b->f[C] % b->f[B], f % b->f[C]};
	int64_t at = 0;

	for (int k = 0; k < AXES; k++)
		at = at * b->size[k] + i[k] * b->f[k] + part[k];
	return b->a->coefficients + at;
}

static float *magnitude(const blocks *b, int64_t f, int64_t i, int64_t j, int64_t k)
{
	k = limit(k, 0, b->n[C] - 1);
	return b->a->magnitudes + ((f * b->n[A] + i) * b->n[B] + j) * b->n[C] + k;
}

/* Takes numbers of a row, whose levels are there, and their residues. */
static void take_row(array *a, const uint8_t *level, int64_t n, int set, int64_t *r)
{
	const int64_t lanes = a->lanes ? a->lanes : 1;
	cell none = {0};

	for (int64_t i = 0; i < n; i += lanes) {
		point group[MOST_LANES];
		const int some = (int)(n - i < lanes ? n - i : lanes);
		for (int k = 0; k < some; k++)
			group[k] = (point){.to = &none, .level = level[i + k]};
		refdec_take_numbers(a, group, some, set);
		for (int k = 0; k < some; k++)
			r[i + k] = residue_of(&group[k]);
	}
}

static void take_flags(blocks *b)
{
	uint8_t level[512] = {0};
	int64_t r[512];

	take_row(b->a, level, frequencies(b), 5, r);
	for (int i = 0; i < frequencies(b); i++)
		b->flags[i] = r[i] != 0;
}

static void take_dc(const blocks *b)
{
	array *a = b->a, *dc = a->dc;
	cell *cells = dc->cells;

	*dc = *a;
	dc->dc = NULL;
	dc->cells = cells;
	dc->mode = REAL;
	dc->one_set = 1;
	dc->anchor_size = a->coefficient_size;
	for (int k = 0; k < AXES; k++) {
		dc->chunk[k] = (a->chunk[k] + b->f[k] - 1) / b->f[k];
		dc->n[k] = b->n[k];
	}
	dc->stride[A] = b->n[B] * b->n[C];
	dc->stride[B] = b->n[C];
	dc->stride[C] = 1;
	memset(cells, 0, (size_t)(b->n[A] * dc->stride[A]) * sizeof *cells);
	refdec_plan_passes(dc);
	for (int i = 0; i < dc->passes; i++) {
		static const double cubic[4] = {-0.0625, 0.5625, 0.5625, -0.0625};
		pass *p = &dc->pass[i];
		memset(p->offset, 0, sizeof p->offset);
		p->size = a->coefficient_size;
		p->taps = a->flat ? 1 : 4;
		for (int t = 0; t < 4; t++) {
			p->offset[t][p->d] = 2 * t - 3;
			p->weight[t] = a->flat ? 0.0 : cubic[t];
		}
	}
	refdec_take_passes(dc);
	memcpy(a->state, dc->state, sizeof a->state);
	int64_t i[AXES];
	for (i[A] = 0; i[A] < b->n[A]; i[A]++)
		for (i[B] = 0; i[B] < b->n[B]; i[B]++)
			for (i[C] = 0; i[C] < b->n[C]; i[C]++, cells++) {
				*coefficient(b, 0, i) = cells->value;
				*magnitude(b, 0, i[A], i[B], i[C]) = cells->magnitude;
			}
}

static int level_of(const blocks *b, int64_t number, int64_t i, int64_t j, int64_t k)
{
	static const struct {
		float own[4], lower[2][3];
	} weights[3] = {{{0.005f, 0.33f, 0.135f, 0.12f}, {{0, 0, 0}, {0.03f, 0.05f, 0.015f}}},
	                {{0.005f, 0.165f, 0.15f, 0.05f}, {{0.1f, 0.07f, 0.045f}, {0, 0, 0}}},
	                {{0.002f, 0.105f, 0.08f, 0.025f},
	                 {{0.08f, 0.05f, 0.04f}, {0.03f, 0.05f, 0.005f}}}};
	const int64_t step[AXES] = {b->f[B] * b->f[C], b->f[C], 1};
	const int64_t f[AXES] = {number / step[A], number / step[B] % b->f[B], number % b->f[C]};
	const int64_t lower = f[C] ? step[C] : f[B] ? step[B] : step[A];
	const int row = !f[A] && !f[B] ? 0 : !f[C] ? 1 : 2;
	const int64_t u = i || j ? number : number - lower;
	const int64_t ui = j ? i : i ? i - 1 : i, uj = j ? j - 1 : j;
	const float *w = weights[row].own;
	float s = w[0];

	s += w[1] * *magnitude(b, u, ui, uj, k) +
	     w[2] * (*magnitude(b, u, ui, uj, k - 1) + *magnitude(b, u, ui, uj, k + 1));
	s += w[3] * (j > 1 ? *magnitude(b, number, i, j - 2, k) : *magnitude(b, u, ui, uj, k));
	for (int d = 0; d < AXES; d++) {
		const float *v = weights[row].lower[d == C];
		const int64_t l = number - step[d];
		if (!f[d])
			continue;
		s += v[0] * *magnitude(b, l, i, j, k) +
		     v[1] * (*magnitude(b, l, i, j, k - 1) + *magnitude(b, l, i, j, k + 1));
		s += v[2] * (*magnitude(b, l, i, j ? j - 1 : j, k) +
		             *magnitude(b, l, i, j + 1 < b->n[B] ? j + 1 : j, k));
	}
	return refdec_level(b->a, s);
}

static void take_coefficients(const blocks *b, int64_t number)
{
	array *a = b->a;
	static uint8_t level[MOST_SIDE];
	static int64_t r[MOST_SIDE];
	int64_t i[AXES];

	for (i[A] = 0; i[A] < b->n[A]; i[A]++)
		for (i[B] = 0; i[B] < b->n[B]; i[B]++) {
			for (int64_t k = 0; k < b->n[C]; k++)
				level[k] = (uint8_t)level_of(b, number, i[A], i[B], k);
			take_row(a, level, b->n[C], 1, r);
			for (i[C] = 0; i[C] < b->n[C]; i[C]++) {
				const int64_t v = r[i[C]];
				*magnitude(b, number, i[A], i[B],
				           i[C]) = (float)(v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
				*coefficient(b, number, i) = real(a, real(a, (double)v) * a->coefficient_size);
			}
		}
}

/* ---------------------------------------------------------------- the transform back */

/* Sum of products, from the left. */
static double sum(const array *a, const double *x, const double *w, int n)
{
	double s = real(a, x[0] * real(a, w[0]));

	for (int i = 1; i < n; i++)
		s = real(a, s + real(a, x[i] * real(a, w[i])));
	return s;
}

static void butterfly(const array *a, double *p, double *q)
{
	const double x = *p, y = *q;

	*p = real(a, x + y);
	*q = real(a, x - y);
}

static void dct(const array *a, double x[8])
{
	static const int odd[4][4] = {{1, 2, 3, 4}, {2, -4, -1, -3}, {3, -1, 4, 2}, {4, -3, 2, -1}};
	static const double c[4] = {0.49039264020161522456, 0.41573480615127261854,
	                            0.27778511650980111237, 0.09754516100806413392};
	const double h = 0.35355339059327376220, c2 = 0.46193976625564337806;
	const double c6 = 0.19134171618254488586;
	double e[4], d[4];

	e[0] = real(a, real(a, x[0] + x[4]) * real(a, h));
	e[1] = real(a, real(a, x[0] - x[4]) * real(a, h));
	e[3] = sum(a, (double[]){x[2], x[6]}, (double[]){c2, c6}, 2);
	e[2] = sum(a, (double[]){x[2], x[6]}, (double[]){c6, -c2}, 2);
	butterfly(a, &e[0], &e[3]);
	butterfly(a, &e[1], &e[2]);
	for (int i = 0; i < 4; i++) {
		double w[4];
		for (int k = 0; k < 4; k++)
			w[k] = odd[i][k] < 0 ? -c[-odd[i][k] - 1] : c[odd[i][k] - 1];
		d[i] = sum(a, (double[]){x[1], x[3], x[5], x[7]}, w, 4);
	}
	for (int i = 0; i < 4; i++) {
		x[i] = e[i];
		x[7 - i] = d[i];
		butterfly(a, &x[i], &x[7 - i]);
	}
}

static void tdlt_edge(const array *a, double x[8])
{
	static const double v[4][4] = {{-0.090187279750145919436, 0.27800288809774331153,
	                                0.064549146097507819931, 0.024522158730646867980},
	                               {-0.27946982767218658924, -0.13500008348780672164,
	                                0.19593209137748174408, 0.016801545625817034036},
	                               {0.059034511082155621470, -0.19849262400889904720,
	                                -0.053634609218861277656, 0.088732985006445022433},
	                               {-0.021565626436160283035, 0.0094938595664450573896,
	                                -0.090564679756128180525, -0.0088352321596971966693}};
	double d[4];

	for (int j = 0; j < 4; j++)
		d[j] = real(a, x[3 - j] - x[4 + j]);
	for (int i = 0; i < 4; i++) {
		const double c = sum(a, d, (double[]){v[0][i], v[1][i], v[2][i], v[3][i]}, 4);
		x[3 - i] = real(a, x[3 - i] + c);
		x[4 + i] = real(a, x[4 + i] - c);
	}
}

static void lot_block(const array *a, double x[8])
{
	static const double cosines[2] = {0.91775462568398114115, 0.87630668004386358731};
	static const double sines[2] = {0.39714789063478061375, 0.48175367410171527499};
	double p[4], q[4];

	for (int i = 0; i < 4; i++) {
		p[i] = x[2 * i];
		q[i] = x[2 * i + 1];
	}
	for (int i = 2; i >= 0; i--) {
		const double pair[2] = {q[i], q[i + 1]}, c = cosines[i == 1], s = sines[i == 1];
		q[i] = sum(a, pair, (double[]){c, s}, 2);
		q[i + 1] = sum(a, pair, (double[]){-s, c}, 2);
	}
	for (int i = 0; i < 4; i++) {
		x[i] = p[i];
		x[4 + i] = q[i];
		butterfly(a, &x[i], &x[4 + i]);
	}
}

static void lot_edge(const array *a, double x[8])
{
	double t[8];

	for (int i = 0; i < 4; i++) {
		t[2 * i] = real(a, real(a, x[i] + x[4 + i]) * 0.5);
		t[2 * i + 1] = real(a, real(a, x[i] - x[4 + i]) * 0.5);
	}
	dct(a, t);
	memcpy(x, t, sizeof t);
}

/* A step on the 8 values from `first` on of a line of n values that are `apart`. */
static void step(const array *a, double *line, int64_t n, int64_t apart, int64_t first,
                 void (*of)(const array *, double[8]))
{
	double x[8];

	for (int64_t i = 0; i < 8; i++) {
		const int64_t at = first + i < 0 ? -1 - first - i : first + i;
		x[i] = line[(at < n ? at : 2 * n - 1 - at) * apart];
	}
	of(a, x);
	for (int64_t i = 0; i < 8; i++)
		if (first + i >= 0 && first + i < n)
			line[(first + i) * apart] = x[i];
}

static void go_back(const array *a, double *line, int64_t n, int64_t apart)
{
	for (int64_t i = 0; i < n; i += 8)
		step(a, line, n, apart, i, a->way == 2 ? lot_block : dct);
	for (int64_t i = a->way == 2 ? -4 : 4; a->way > 1 && i < (a->way == 2 ? n : n - 4); i += 8)
		step(a, line, n, apart, i, a->way == 2 ? lot_edge : tdlt_edge);
}

static void transform(const blocks *b)
{
	int64_t apart = b->size[B] * b->size[C];

	for (int k = 0; k < AXES; k++) {
		const int64_t block = apart * b->size[k], all = b->size[A] * b->size[B] * b->size[C];
		for (int64_t i = 0; b->f[k] == 8 && i < all; i += block)
			for (int64_t j = 0; j < apart; j++)
				go_back(b->a, b->a->coefficients + i + j, b->size[k], apart);
		apart /= k < C ? b->size[k + 1] : 1;
	}
}

/* ------------------------------------------------------------------ corrections */

/* The magnitude of point k of a row of n cells; 0 if there is no row. */
static float in_row(const cell *row, int64_t k, int64_t n)
{
	return row ? row[limit(k, 0, n - 1)].magnitude : 0.0f;
}

static void take_corrections(const blocks *b, const float *busy)
{
	array *a = b->a;
	const int64_t rows = a->n[A] * a->n[B], n = a->n[C], lanes = a->lanes ? a->lanes : 1;

	for (int64_t row = 0; row < rows; row++) {
		cell *own = a->cells + row * n;
		const cell *up = row ? own - n : NULL, *up2 = row > 1 ? up - n : NULL;
		const int64_t i = row / a->n[B], j = row % a->n[B];
		const int64_t block = (i / b->f[A] * b->n[B] + j / b->f[B]) * b->n[C];
		point group[MOST_LANES];
		int some = 0;
		for (int64_t k = 0; k < n; k++) {
			float s = busy[block + k / b->f[C]] / (float)frequencies(b) + 0.06f * in_row(up2, k, n);
			s += 0.12f * in_row(up, k, n) + 0.06f * (in_row(up, k - 1, n) + in_row(up, k + 1, n));
			const double p = a->coefficients[(i * b->size[B] + j) * b->size[C] + k];
			group[some++] = (point){.to = own + k,
			                        .predicted = refdec_limit(a, p),
			                        .level = refdec_level(a, s)};
			if (some < lanes && k + 1 < n)
				continue;
			refdec_take_numbers(a, group, some, 0);
			for (int g = 0; g < some; g++)
				refdec_put_point(a, &group[g], a->anchor_size);
			some = 0;
		}
	}
}

void refdec_take_blocks(array *a)
{
	blocks b = {.a = a};
	uint64_t all = 1, blocks_in_all = 1;

	for (int k = 0; k < AXES; k++) {
		b.f[k] = a->chunk[k] < 5 ? 1 : 8;
		b.n[k] = (a->n[k] + b.f[k] - 1) / b.f[k];
		b.size[k] = b.n[k] * b.f[k];
		all *= (uint64_t)b.size[k];
		blocks_in_all *= (uint64_t)b.n[k];
	}
	free(a->coefficients);
	a->coefficients = NULL;
	a->coefficients = refdec_allocate(a->d, all, sizeof *a->coefficients);
	free(a->magnitudes);
	a->magnitudes = NULL;
	a->magnitudes = refdec_allocate(a->d, all + blocks_in_all, sizeof *a->magnitudes);
	if (!a->dc)
		a->dc = refdec_allocate(a->d, 1, sizeof *a->dc);
	free(a->dc->cells);
	a->dc->cells = NULL;
	a->dc->cells = refdec_allocate(a->d, blocks_in_all, sizeof *a->dc->cells);
	take_flags(&b);
	take_dc(&b);
	float *busy = a->magnitudes + all;
	for (int64_t f = 1; f < frequencies(&b); f++) {
		if (b.flags[f])
			take_coefficients(&b, f);
		for (uint64_t i = 0; i < blocks_in_all; i++)
			busy[i] += a->magnitudes[(uint64_t)f * blocks_in_all + i] > 0 ? 1.0f : 0.0f;
	}
	transform(&b);
	take_corrections(&b, busy);
}
