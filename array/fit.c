/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chooses how a slab is predicted: the order of its dimensions, and for each pass the taps whose
 * squared error over sampled points is least, with the error of decoded values taken into account.
 * src/array/ calls it. All arithmetic is double in a fixed order, so that all machines choose alike.
 */
#include "array/slab.h"

#include <math.h>
#include <string.h>

enum {
	CANDIDATES = 64,   /* for taps, at most */
	SAMPLES = 4096,    /* of a pass */
	FEW_SAMPLES = 768, /* to compare orders by */
	LEAST_SAMPLES = 160
};

typedef struct xc_fit {
	const xc_fit_source *source;
	const xc_array_model *model;
	double noise;     /* mean square of a decoded value's error */
	size_t stride[3]; /* of dimensions a, b, c in the slab's values */
	uint32_t slab[3], chunk[3];
	uint64_t random;
	xc_tap candidate[CANDIDATES];
	double moments[CANDIDATES + 1][CANDIDATES + 1]; /* of candidates, and of the value */
	double inverse[CANDIDATES][CANDIDATES];
	double factor[CANDIDATES];
} xc_fit;

size_t xc_fit_scratch(void)
{
	return sizeof(xc_fit);
}

static uint32_t random_below(xc_fit *f, uint32_t n)
{
	f->random = f->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)((f->random >> 32) * n >> 32);
}

/* A logarithm to base 2 within 0.005 that all machines find alike. */
static double log_of(double v)
{
	int e;
	const double m = frexp(v, &e) * 2 - 1; /* 0 to 1 */

	return e - 1 + m + m * (1 - m) * (0.4213 - 0.1475 * m);
}

/* ---------------------------------------------------------------- samples */

/* A point of a pass: its chunk's first point and size, its place in the pass and in the chunk. */
typedef struct sample {
	uint32_t first[3], size[3], index[3];
} sample;

static double value_at(const xc_fit *f, const sample *s, const int64_t at[3])
{
	size_t i = 0;

	for (int k = 0; k < 3; k++)
		i += (s->first[k] + (size_t)at[k]) * f->stride[k];
	return f->source->wide ? ((const double *)f->source->values)[i]
	                       : (double)((const float *)f->source->values)[i];
}

static int is_value(const xc_fit *f, const sample *s, const int64_t at[3])
{
	size_t i = 0;

	for (int k = 0; k < 3; k++)
		i += (s->first[k] + (size_t)at[k]) * f->stride[k];
	return !f->source->kind || !f->source->kind[i];
}

/* Picks a point of the pass; 0: there is none in the chunk that was chosen. */
static int pick(xc_fit *f, const xc_pass *p, sample *s)
{
	for (int k = 0; k < 3; k++) {
		const uint32_t chunks = xc_points(f->slab[k], f->chunk[k]);
		const uint32_t c = random_below(f, chunks), left = f->slab[k] - c * f->chunk[k];
		s->first[k] = c * f->chunk[k];
		s->size[k] = left < f->chunk[k] ? left : f->chunk[k];
		uint32_t points = xc_points(s->size[k], p->step[k]);
		points = k == p->d ? points / 2 : points;
		if (!points)
			return 0;
		s->index[k] = random_below(f, points);
	}
	return 1;
}

/* Where the point of a tap lies, as xc_find() in array/grid.h finds it; 0: outside of the chunk. */
static int place_of(const xc_pass *p, const sample *s, const int8_t offset[3], int64_t at[3])
{
	int inside = 1;

	for (int k = 0; k < 3; k++) {
		const int64_t i = k == p->d ? 2 * (int64_t)s->index[k] + 1 : s->index[k];
		const int64_t n = xc_points(s->size[k], p->step[k]);
		int64_t to = i + offset[k];
		inside &= to >= 0 && to < n;
		to = to < 0 ? k == p->d ? (offset[k] & 1 ? 0 : 1) : 0 : to;
		while (to >= n)
			to -= k == p->d ? 2 : 1;
		at[k] = to * p->step[k];
	}
	return inside;
}

/* Adds the point to the moments; 0: it, or what a tap needs, is no value. */
static int take(xc_fit *f, const xc_pass *p, const sample *s, int taps, int inside_only)
{
	double v[CANDIDATES + 1];
	int64_t at[3];
	int inside = 1;
	static const int8_t here[3] = {0, 0, 0}, before[3][3] = {{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};

	place_of(p, s, here, at);
	if (!is_value(f, s, at))
		return 0;
	v[taps] = value_at(f, s, at);
	place_of(p, s, before[p->d], at);
	if (!is_value(f, s, at))
		return 0;
	/* All are taken less the known value before: coefficients add up to one. */
	const double base = value_at(f, s, at);
	v[taps] -= base;
	for (int i = 0; i < taps; i++) {
		inside &= place_of(p, s, f->candidate[i].offset, at);
		if ((inside_only && !inside) || !is_value(f, s, at))
			return 0;
		v[i] = value_at(f, s, at) - base;
	}
	for (int i = 0; i <= taps; i++)
		for (int j = 0; j <= i; j++)
			f->moments[i][j] += v[i] * v[j];
	return 1;
}

static int collect(xc_fit *f, const xc_pass *p, int taps, int samples)
{
	int n = 0;

	for (int inside = 1; inside >= 0 && n < LEAST_SAMPLES; inside--) {
		n = 0;
		memset(f->moments, 0, sizeof f->moments);
		for (int tries = 0; tries < 3 * samples && n < samples; tries++) {
			sample s;
			if (pick(f, p, &s))
				n += take(f, p, &s, taps, inside);
			if (tries == samples && n < samples / 8)
				break;
		}
	}
	return n;
}

/* ------------------------------------------------------------- candidates */

/* Candidates by distance, along a the longer one: known points, and those of earlier rows of the pass. The first one is the
 * known neighbour before. reach: along dimensions other than a, and along a. */
static int list_candidates(xc_fit *f, const xc_pass *p, int reach, int reach_a, int most)
{
	int n = 0;
	const int side[3] = {reach_a, reach, reach};
	int limit[3];

	for (int k = 0; k < 3; k++)
		limit[k] = f->chunk[k] == 1 ? 0 : side[k];
	limit[p->d] = limit[p->d] < 3 ? 3 : limit[p->d];
	const int far = 2 * limit[0] * limit[0] + limit[1] * limit[1] + limit[2] * limit[2];
	for (int distance = 1; distance <= far; distance++)
		for (int a = -limit[0]; a <= limit[0]; a++)
			for (int b = -limit[1]; b <= limit[1]; b++)
				for (int c = -limit[2]; c <= limit[2]; c++) {
					const int8_t o[3] = {(int8_t)a, (int8_t)b, (int8_t)c};
					const int later = a > 0 || (a == 0 && b >= 0);
					if (2 * a * a + b * b + c * c != distance || n == most ||
					    (!(o[p->d] & 1) && later))
						continue;
					memcpy(f->candidate[n].offset, o, sizeof o);
					/* The one before comes first. */
					if (o[p->d] == -1 && !o[(p->d + 1) % 3] && !o[(p->d + 2) % 3] && n > 0) {
						memcpy(f->candidate[n].offset, f->candidate[0].offset, sizeof o);
						memcpy(f->candidate[0].offset, o, sizeof o);
					}
					n++;
				}
	return n;
}

/* ---------------------------------------------------------------- solving */

/* The mean moment of candidates i and j, or of the value (j or i = taps), with the noise of what is
 * decoded: of the candidate and of the one that all are less than. */
static void finish_moments(xc_fit *f, int taps, int n)
{
	double trace = 0;

	for (int i = 0; i <= taps; i++)
		for (int j = 0; j <= i; j++) {
			f->moments[i][j] /= n;
			if (i > 0 && j > 0)
				f->moments[i][j] += (i < taps && j < taps) || i != j ? f->noise : 0;
			if (i == j && i > 0 && i < taps)
				f->moments[i][j] += f->noise;
			f->moments[j][i] = f->moments[i][j];
		}
	for (int i = 1; i < taps; i++)
		trace += f->moments[i][i];
	for (int i = 1; i < taps; i++)
		f->moments[i][i] += trace / taps * 1e-9 + 1e-280;
}

/* Inverts the moments of candidates 1 to taps - 1 (Gauss and Jordan; they are positive definite). */
static int invert(xc_fit *f, int taps)
{
	for (int i = 1; i < taps; i++)
		memcpy(&f->inverse[i][1], &f->moments[i][1], (size_t)(taps - 1) * sizeof(double));
	for (int k = 1; k < taps; k++) {
		const double pivot = f->inverse[k][k];
		if (!(pivot > 0))
			return 0;
		f->inverse[k][k] = 1;
		for (int j = 1; j < taps; j++)
			f->inverse[k][j] /= pivot;
		for (int i = 1; i < taps; i++) {
			const double g = f->inverse[i][k];
			if (i == k || g == 0)
				continue;
			f->inverse[i][k] = 0;
			for (int j = 1; j < taps; j++)
				f->inverse[i][j] -= g * f->inverse[k][j];
		}
	}
	return 1;
}

/* Leaves out candidate k: the inverse of the rest, and its coefficients. */
static void leave_out(xc_fit *f, int taps, int k)
{
	const double pivot = f->inverse[k][k], own = f->factor[k];
	double row[CANDIDATES];

	memcpy(row, f->inverse[k], sizeof row);
	for (int i = 1; i < taps; i++) {
		const double g = row[i] / pivot;
		f->factor[i] -= g * own;
		for (int j = 1; j < taps; j++)
			f->inverse[i][j] -= g * row[j];
	}
	for (int i = 0; i < taps; i++)
		f->inverse[k][i] = f->inverse[i][k] = 0;
	f->factor[k] = 0;
}

/* Least squares with at most `most` coefficients besides that of candidate 0, whose one makes the sum
 * one. Returns the mean square that is left, below 0 if it cannot be solved. */
static double solve(xc_fit *f, int taps, int most)
{
	int left = taps - 1;
	double error = f->moments[taps][taps] + f->noise;

	if (!invert(f, taps))
		return -1;
	for (int i = 1; i < taps; i++) {
		f->factor[i] = 0;
		for (int j = 1; j < taps; j++)
			f->factor[i] += f->inverse[i][j] * f->moments[taps][j];
	}
	while (left > most) {
		int least = 0;
		double cost = 0;
		for (int i = 1; i < taps; i++) {
			if (!(f->inverse[i][i] > 0))
				continue;
			const double c = f->factor[i] * f->factor[i] / f->inverse[i][i];
			if (!least || c < cost) {
				least = i;
				cost = c;
			}
		}
		if (!least)
			break;
		leave_out(f, taps, least);
		left--;
	}
	for (int i = 1; i < taps; i++)
		error -= f->factor[i] * f->moments[taps][i];
	return error > 0 ? error : 0;
}

/* The pass gets the taps; 0: they do not fit the format. */
static int set_taps(const xc_fit *f, xc_pass *p, int taps)
{
	xc_pass to = *p;
	int32_t rest = XC_TAP_SCALE;
	uint32_t sum = 0;

	memset(to.tap, 0, sizeof to.tap);
	to.taps = 1;
	memcpy(to.tap[0].offset, f->candidate[0].offset, sizeof to.tap[0].offset);
	for (int i = 1; i < taps; i++) {
		const double w = f->factor[i] * XC_TAP_SCALE;
		if (!(fabs(w) < XC_TAP_MOST - 1))
			return 0;
		const int32_t weight = (int32_t)(w < 0 ? w - 0.5 : w + 0.5);
		if (!weight)
			continue;
		if (to.taps == XC_TAPS)
			return 0;
		memcpy(to.tap[to.taps].offset, f->candidate[i].offset, sizeof to.tap[0].offset);
		to.tap[to.taps++].weight = weight;
		rest -= weight;
		sum += (uint32_t)(weight < 0 ? -weight : weight);
	}
	to.tap[0].weight = rest;
	sum += (uint32_t)(rest < 0 ? -rest : rest);
	if (rest <= -XC_TAP_MOST || rest >= XC_TAP_MOST || sum > XC_TAP_SUM)
		return 0;
	*p = to;
	return 1;
}

/* ---------------------------------------------------------------- choosing */

/* The points of a pass over the whole slab. */
static double points_of(const xc_fit *f, const xc_pass *p)
{
	double n = 0.5;

	for (int k = 0; k < 3; k++)
		n *= f->slab[k] / (double)p->step[k];
	return n;
}

/* Fits a pass; returns about how many bits its points take. */
static double fit_pass(xc_fit *f, xc_pass *p, int reach, int most, int samples, int set)
{
	const double points = points_of(f, p), step = f->model->step;
	const int reach_a = reach < 2 ? reach : 2;
	const int wanted = points / 4 < samples ? (int)(points / 4) : samples;
	int taps = list_candidates(f, p, reach, reach_a, CANDIDATES);
	double error = -1;

	if (wanted >= LEAST_SAMPLES) {
		const int n = collect(f, p, taps, wanted);
		if (n >= LEAST_SAMPLES && n > 3 * taps) {
			finish_moments(f, taps, n);
			error = solve(f, taps, most);
		}
	}
	if (error < 0)
		return f->model->mode == XC_MODE_KEYS ? points * 500 : points * 4;
	if (set)
		set_taps(f, p, taps);
	/* Keys have no step in the numbers' own unit; what counts is the ratio of errors. */
	if (f->model->mode == XC_MODE_KEYS)
		return points * 0.5 * (1000 + log_of(error + 1e-280));
	return points * 0.5 * log_of(1 + 8 * error / (step * step));
}

static void begin(xc_fit *f, const xc_array_model *m)
{
	size_t stride[3];

	stride[2] = 1;
	stride[1] = f->source->size[2];
	stride[0] = stride[1] * f->source->size[1];
	for (int k = 0; k < 3; k++) {
		f->stride[k] = stride[m->axis[k]];
		f->slab[k] = f->source->size[m->axis[k]];
		f->chunk[k] = m->plan.size[k];
	}
	f->model = m;
	f->random = 1;
}

static void set_order(xc_array_model *m, const xc_fit_source *s, const uint8_t axis[3],
                      const uint8_t order[3], const uint8_t lag[3])
{
	memcpy(m->axis, axis, 3);
	memcpy(m->plan.order, order, 3);
	memcpy(m->plan.lag, lag, 3);
	for (int k = 0; k < 3; k++)
		m->plan.size[k] = s->chunk[axis[k]];
	xc_plan_make(&m->plan);
}

static double cost_of(xc_fit *f, xc_array_model *m, int reach, int most, int samples, int set)
{
	double bits = 0;

	begin(f, m);
	for (int i = 0; i < m->plan.passes; i++)
		bits += fit_pass(f, &m->plan.pass[i], reach, most, samples, set);
	return bits;
}

/* Tries rows along another dimension, and lags. */
static void choose_order(xc_fit *f, xc_array_model *m)
{
	static const uint8_t axes[3][3] = {{0, 1, 2}, {0, 2, 1}, {1, 2, 0}};
	static const uint8_t orders[2][3] = {{0, 1, 2}, {0, 2, 1}};
	static const uint8_t lags[5][3] = {{0, 0, 0}, {0, 2, 0}, {0, 0, 2}, {0, 6, 6}, {0, 1, 1}};
	const int flat = f->source->chunk[0] == 1;
	xc_array_model best = *m;
	double least = -1;

	for (int a = 0; a < (flat ? 2 : 3); a++)
		for (int o = 0; o < 2; o++)
			for (int l = 0; l < (flat ? 3 : 5); l++) {
				xc_array_model trial = *m;
				set_order(&trial, f->source, axes[a], orders[o], lags[l]);
				const double bits = cost_of(f, &trial, 2, 12, FEW_SAMPLES, 0);
				if (least < 0 || bits < least) {
					least = bits;
					best = trial;
				}
			}
	*m = best;
}

void xc_model_fit(xc_array_model *m, const xc_fit_source *source, int effort, void *scratch)
{
	xc_fit *f = scratch;
	static const uint8_t plain[3] = {0, 1, 2}, none[3] = {0, 0, 0};
	/* The mean square of errors that spread evenly over a step. */
	const double noise = m->mode == XC_MODE_KEYS || (m->mode == XC_MODE_WHOLE && m->step == 1)
	                         ? 0
	                         : m->step * m->step / 12;

	memset(f, 0, sizeof *f);
	f->source = source;
	f->noise = noise;
	set_order(m, source, plain, plain, none);
	if (effort == 0)
		return;
	if (effort > 1)
		choose_order(f, m);
	cost_of(f, m, effort > 2 ? 5 : 3, effort > 2 ? XC_TAPS - 1 : 15, SAMPLES, 1);
}
