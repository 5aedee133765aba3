/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chooses how a slab is predicted: the order of its dimensions, and for each pass the taps whose
 * squared error over sampled points is least, with the error of decoded values taken into account.
 * src/array/ calls it. All arithmetic is double in a fixed order, so that all machines choose alike.
 */
#include "array/slab.h"
#include "array/trial.h"

#include <math.h>
#include <string.h>

enum {
	CANDIDATES = 96, /* for taps, at most */
	SAMPLES = 4096,  /* of a pass, at most */
	/* To compare orders by: */
	FEW_CANDIDATES = 24,
	FEW_SAMPLES = 512,
	BLOCK = 4, /* of samples that are added up at once */
	MIN_SAMPLES = 160,
	FEW_VALUES = 1 << 13, /* of a slab that is not worth trials */
	SHORT_ROW = 32,       /* shorter rows are slow, on vectors and GPUs */
	TAP_BITS = 18         /* that a tap takes in the file, about */
};

typedef struct xc_fit {
	const xc_fit_source *source;
	const xc_array_model *model;
	double noise;     /* mean square of a decoded value's error */
	size_t stride[3]; /* of dimensions a, b, c in the slab's values */
	uint32_t slab[3], chunk[3];
	uint64_t random;
	xc_tap candidate[CANDIDATES];
	double moments[CANDIDATES + 1][CANDIDATES + 8]; /* of candidates, and of the value */
	double some[BLOCK][CANDIDATES + 8];             /* samples that are not in the moments yet */
	int waiting;
	double inverse[CANDIDATES][CANDIDATES];
	double factor[CANDIDATES];
	xc_array_model best, tried;
	uint64_t best_bits; /* of the box, by `best` */
} xc_fit;

size_t xc_fit_scratch(int wide)
{
	xc_trial t;
	return xc_aligned64(sizeof(xc_fit)) + xc_trial_place(&t, wide, NULL);
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
	/* frexp() says nothing of infinity. */
	const double m = frexp(v < 1e300 ? v : 1e300, &e) * 2 - 1; /* 0 to 1 */

	return e - 1 + m + m * (1 - m) * (0.4213 - 0.1475 * m);
}

/* ---------------------------------------------------------------- samples */

/* A point of a pass: its chunk's first point and size, its place in the pass and in the chunk. */
typedef struct sample {
	uint32_t first[3], size[3], index[3];
} sample;

static size_t index_of(const xc_fit *f, const sample *s, const int64_t at[3])
{
	size_t i = 0;

	for (int k = 0; k < 3; k++)
		i += (s->first[k] + (size_t)at[k]) * f->stride[k];
	return i;
}

static double value_at(const xc_fit *f, const sample *s, const int64_t at[3])
{
	const size_t i = index_of(f, s, at);
	return f->source->wide ? ((const double *)f->source->values)[i]
	                       : (double)((const float *)f->source->values)[i];
}

static int is_value(const xc_fit *f, const sample *s, const int64_t at[3])
{
	return !f->source->kind || !f->source->kind[index_of(f, s, at)];
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

/* Adds the samples that wait to the moments. */
static void add_some(xc_fit *f, int taps)
{
	const double *restrict p = f->some[0], *restrict q = f->some[1];
	const double *restrict r = f->some[2], *restrict s = f->some[3];

	for (int k = f->waiting; k < BLOCK; k++)
		memset(f->some[k], 0, sizeof f->some[k]);
	for (int i = 0; i <= taps; i++) {
		double *restrict to = f->moments[i];
		const double a = p[i], b = q[i], c = r[i], d = s[i];
		for (int j = 0; j <= i; j++)
			to[j] += (a * p[j] + b * q[j]) + (c * r[j] + d * s[j]);
	}
	f->waiting = 0;
}

/* Where the points of candidates lie from their sample's, if all are in the chunk. */
typedef struct steps {
	ptrdiff_t to[CANDIDATES];
	int64_t low[3], high[3]; /* the least and the largest offset along each dimension */
} steps;

static void set_steps(const xc_fit *f, const xc_pass *p, int taps, steps *t)
{
	memset(t, 0, sizeof *t);
	for (int i = 0; i < taps; i++)
		for (int k = 0; k < 3; k++) {
			const int o = f->candidate[i].offset[k];
			t->to[i] += o * (ptrdiff_t)(p->step[k] * f->stride[k]);
			t->low[k] = o < t->low[k] ? o : t->low[k];
			t->high[k] = o > t->high[k] ? o : t->high[k];
		}
}

/* The point and its candidates as take() wants them, if all are in the chunk; 0: they are not. */
static int take_inner(xc_fit *f, const xc_pass *p, const sample *s, const steps *t, int taps)
{
	double *restrict v = f->some[f->waiting];
	size_t at = 0;

	for (int k = 0; k < 3; k++) {
		const int64_t i = k == p->d ? 2 * (int64_t)s->index[k] + 1 : s->index[k];
		if (i + t->low[k] < 0 || i + t->high[k] >= (int64_t)xc_points(s->size[k], p->step[k]))
			return 0;
		at += (s->first[k] + (size_t)i * p->step[k]) * f->stride[k];
	}
	if (f->source->wide) {
		const double *restrict from = (const double *)f->source->values + at;
		const double base = from[t->to[0]];
		for (int i = 0; i < taps; i++)
			v[i] = from[t->to[i]] - base;
		v[taps] = from[0] - base;
	} else {
		const float *restrict from = (const float *)f->source->values + at;
		const double base = (double)from[t->to[0]];
		for (int i = 0; i < taps; i++)
			v[i] = (double)from[t->to[i]] - base;
		v[taps] = (double)from[0] - base;
	}
	if (++f->waiting == BLOCK)
		add_some(f, taps);
	return 1;
}

/* Adds the point to the moments; 0: it, or what a tap needs, is no value. */
static int take(xc_fit *f, const xc_pass *p, const sample *s, int taps, int inside_only)
{
	double *v = f->some[f->waiting];
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
	if (++f->waiting == BLOCK)
		add_some(f, taps);
	return 1;
}

static int collect(xc_fit *f, const xc_pass *p, int taps, int samples)
{
	steps t;
	int n = 0;

	set_steps(f, p, taps, &t);
	for (int inside = 1; inside >= 0 && n < MIN_SAMPLES; inside--) {
		n = 0;
		f->waiting = 0;
		memset(f->moments, 0, sizeof f->moments);
		for (int tries = 0; tries < 3 * samples && n < samples; tries++) {
			sample s;
			if (!pick(f, p, &s))
				continue;
			if (inside && !f->source->kind)
				n += take_inner(f, p, &s, &t, taps);
			else
				n += take(f, p, &s, taps, inside);
			if (tries == samples && n < samples / 8)
				break;
		}
		add_some(f, taps);
	}
	return n;
}

/* ------------------------------------------------------------- candidates */

/* Candidates: those of the cubic prediction, the known neighbour before first, and then known points
 * and those of earlier rows of the pass by distance, along a the longer one. reach: along b and c,
 * and along a. */
static int list_candidates(xc_fit *f, const xc_pass *p, int reach, int reach_a, int most)
{
	static const int8_t cubic[4] = {-1, 1, -3, 3};
	int limit[3] = {reach_a, reach, reach}, n;

	for (n = 0; n < 4; n++) {
		memset(f->candidate[n].offset, 0, sizeof f->candidate[n].offset);
		f->candidate[n].offset[p->d] = cubic[n];
	}
	for (int k = 0; k < 3; k++)
		limit[k] = f->chunk[k] == 1 ? 0 : k == p->d && limit[k] < 3 ? 3 : limit[k];
	const int far = 2 * limit[0] * limit[0] + limit[1] * limit[1] + limit[2] * limit[2];
	for (int distance = 1; distance <= far; distance++)
		for (int a = -limit[0]; a <= limit[0]; a++)
			for (int b = -limit[1]; b <= limit[1]; b++)
				for (int c = -limit[2]; c <= limit[2]; c++) {
					const int8_t o[3] = {(int8_t)a, (int8_t)b, (int8_t)c};
					const int along = o[p->d], later = a > 0 || (a == 0 && b >= 0);
					const int beside = a * a + b * b + c * c - along * along;
					if (2 * a * a + b * b + c * c != distance || n >= most ||
					    (!(along & 1) && later) ||
					    (!beside && (along == 1 || along == -1 || along == 3 || along == -3)))
						continue;
					memcpy(f->candidate[n++].offset, o, sizeof o);
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

/* About how many bits the points of a pass take whose error has this mean square. */
static double bits_of(const xc_fit *f, double points, double error)
{
	const double step = f->model->step;

	/* Keys have no step in the numbers' own unit; what counts is the ratio of errors. */
	if (f->model->mode == XC_MODE_KEYS)
		return points * 0.5 * (1000 + log_of(error + 1e-280));
	return points * 0.5 * log_of(1 + 8 * error / (step * step));
}

/* The candidate whose leaving out costs least; 0: none is left. */
static int min_cost_of(const xc_fit *f, int taps, double *cost)
{
	int best = 0;

	for (int i = 1; i < taps; i++) {
		if (!(f->inverse[i][i] > 0))
			continue;
		const double c = f->factor[i] * f->factor[i] / f->inverse[i][i];
		if (!best || c < *cost) {
			best = i;
			*cost = c;
		}
	}
	return best;
}

/* Least squares with at most `most` coefficients that are worth their bits, besides that of candidate
 * 0, which makes the sum one. Returns the mean square that is left, below 0 if it cannot be solved. */
static double solve(xc_fit *f, int taps, int most, double points)
{
	double error = f->moments[taps][taps] + f->noise, cost = 0;

	if (!invert(f, taps))
		return -1;
	for (int i = 1; i < taps; i++) {
		f->factor[i] = 0;
		for (int j = 1; j < taps; j++)
			f->factor[i] += f->inverse[i][j] * f->moments[taps][j];
		error -= f->factor[i] * f->moments[taps][i];
	}
	error = error > 0 ? error : 0;
	for (int left = taps - 1; left > 0; left--) {
		const int best = min_cost_of(f, taps, &cost);
		if (!best || (left <= most &&
		              bits_of(f, points, error + cost) > bits_of(f, points, error) + TAP_BITS))
			break;
		leave_out(f, taps, best);
		error += cost;
	}
	return error;
}

/* The mean square that the cubic prediction leaves. */
static double error_of_cubic(const xc_fit *f, const xc_pass *p, int taps)
{
	double w[CANDIDATES] = {0}, error = f->moments[taps][taps] + f->noise;
	xc_pass cubic = *p;
	xc_pass_cubic(&cubic);
	for (int i = 1; i < taps; i++)
		for (int k = 0; k < cubic.taps; k++)
			if (!memcmp(cubic.tap[k].offset, f->candidate[i].offset, 3))
				w[i] = (double)cubic.tap[k].weight / XC_TAP_SCALE;
	for (int i = 1; i < taps; i++) {
		error -= 2 * w[i] * f->moments[taps][i];
		for (int j = 1; j < taps && w[i] != 0; j++)
			error += w[i] * w[j] * f->moments[i][j];
	}
	return error > 0 ? error : 0;
}

/* Low bits of weights that may be zero: rounding adds a hundredth to the error at most. */
static unsigned bits_to_drop(const xc_fit *f, int taps, double error)
{
	const double step = f->model->step;
	const double allowed = f->model->mode == XC_MODE_KEYS ? error : error + step * step / 8;
	double spread = 0;
	unsigned drop = 0;

	for (int i = 1; i < taps; i++)
		spread += f->factor[i] != 0 ? f->moments[i][i] : 0;
	while (drop < 7 &&
	       spread * (double)(1U << 2 * (drop + 1)) / ((double)XC_TAP_SCALE * XC_TAP_SCALE * 12) <
	           0.01 * allowed)
		drop++;
	return drop;
}

/* The pass gets the taps; 0: they do not fit the format. */
static int set_taps(const xc_fit *f, xc_pass *p, int taps, double error)
{
	const unsigned drop = bits_to_drop(f, taps, error);
	xc_pass to = *p;
	int32_t rest = XC_TAP_SCALE;
	uint32_t sum = 0;

	memset(to.tap, 0, sizeof to.tap);
	to.fitted = 1;
	to.taps = 1;
	memcpy(to.tap[0].offset, f->candidate[0].offset, sizeof to.tap[0].offset);
	/* Known points come first, whose sum a decoder can have before the row's turn. */
	for (int n = 1; n < 2 * taps; n++) {
		const int i = n % taps;
		if (!i || (f->candidate[i].offset[p->d] & 1) == n / taps)
			continue;
		const double w = f->factor[i] * (XC_TAP_SCALE >> drop);
		if (!(fabs(w) < (XC_TAP_LIMIT >> drop) - 1))
			return 0;
		const int32_t weight = (int32_t)(w < 0 ? w - 0.5 : w + 0.5) * (1 << drop);
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
	if (sum > XC_TAP_SUM)
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

/* How hard to look. */
typedef struct search {
	int candidates, reach, most, samples;
} search;

static int samples_of(const search *how, double points)
{
	const double some = points / 4;
	const double n = some < FEW_SAMPLES || some / 4 < FEW_SAMPLES ? fmin(some, FEW_SAMPLES)
	                                                              : some / 4;

	return n < how->samples ? (int)n : how->samples;
}

/* Fits a pass; returns about how many bits its points and its taps take. set: it gets the taps. */
static double fit_pass(xc_fit *f, xc_pass *p, const search *how, int set)
{
	const double points = points_of(f, p);
	const int wanted = samples_of(how, points);
	const int candidates = wanted / 4 < how->candidates ? wanted / 4 : how->candidates;
	int taps, n;

	if (wanted < MIN_SAMPLES)
		return bits_of(f, points, f->noise * 1000);
	taps = list_candidates(f, p, how->reach, how->reach < 2 ? how->reach : 2, candidates);
	n = collect(f, p, taps, wanted);
	if (n < MIN_SAMPLES)
		return bits_of(f, points, f->noise * 1000);
	finish_moments(f, taps, n);
	const double cubic = bits_of(f, points, error_of_cubic(f, p, taps));
	const double error = solve(f, taps, how->most, points);
	if (error < 0)
		return cubic;
	double bits = bits_of(f, points, error);
	for (int i = 1; i < taps; i++)
		bits += f->factor[i] != 0 ? TAP_BITS : 0;
	if (bits >= cubic)
		return cubic;
	if (set)
		set_taps(f, p, taps, error);
	return bits;
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

static double cost_of(xc_fit *f, xc_array_model *m, const search *how, int set)
{
	double bits = 0;

	begin(f, m);
	for (int i = 0; i < m->plan.passes; i++)
		bits += fit_pass(f, &m->plan.pass[i], how, set);
	return bits;
}

/* Coarse passes with finer steps pay where most residues are zero. */
static void set_fine(xc_array_model *m, int by, int most)
{
	int live = 0;

	for (int k = 0; k < 3; k++)
		live += m->plan.size[k] > 1;
	for (int i = 0; i < m->plan.passes; i++) {
		const int fine = (m->plan.passes - 1 - i) / live * by;
		m->plan.pass[i].fine = (unsigned)(fine < most ? fine : most);
	}
}

static void choose_fine(xc_fit *f, xc_array_model *m, const xc_trial *t, uint64_t bits)
{
	static const uint8_t ways[4][2] = {{0, 0}, {1, 3}, {2, 4}, {2, 8}};
	int best = 0;

	if (m->mode == XC_MODE_KEYS || m->step == 1 || bits > 3 * xc_chunk_count(t->size))
		return;
	for (int i = 1; i < 4; i++) {
		set_fine(m, ways[i][0], ways[i][1]);
		const uint64_t b = xc_trial_bits(f->source, m, t);
		if (b < bits - bits / 64) {
			bits = b;
			best = i;
		}
	}
	set_fine(m, ways[best][0], ways[best][1]);
	f->best_bits = bits;
}

/* Tries f->tried, which becomes f->best if it saves `share` 64ths: the middle is not everything. */
static void try_once_more(xc_fit *f, const xc_trial *t, unsigned share)
{
	const uint64_t bits = xc_trial_bits(f->source, &f->tried, t);

	if (bits < f->best_bits - f->best_bits / 64 * share) {
		f->best_bits = bits;
		f->best = f->tried;
	}
}

static void make_cubic(xc_array_model *m)
{
	for (int k = 0; k < m->plan.passes; k++)
		xc_pass_cubic(&m->plan.pass[k]);
}

/* Fits once more, from more samples: near and far taps, and as if decoded values were closer, as they
 * are where most residues are zero. Then for smooth values: levels without slope and bend, and the
 * cubic taps, whose weights are exact. The best one is f->best. */
static void choose_taps(xc_fit *f, const xc_array_model *m, const search *how, const xc_trial *t)
{
	const search near = {how->candidates, how->reach, how->most, SAMPLES};
	const search far = {CANDIDATES, how->reach + 1,
	                    how->most + 5 < XC_TAPS ? how->most + 5 : XC_TAPS - 1, SAMPLES};
	const double noise = f->noise;

	f->tried = *m;
	for (int i = 0; i < 3; i++) {
		make_cubic(&f->tried);
		f->noise = i == 2 ? noise / 2 : noise;
		cost_of(f, &f->tried, i == 1 ? &far : &near, 1);
		f->best_bits = i ? f->best_bits : UINT64_MAX;
		try_once_more(f, t, 0);
	}
	f->noise = noise;
	f->tried = f->best;
	f->tried.smooth = m->mode != XC_MODE_KEYS;
	if (f->tried.smooth)
		try_once_more(f, t, 1);
	make_cubic(&f->tried);
	try_once_more(f, t, 16);
}

/* Tries rows along another dimension, and passes along one that come later. */
static void choose_order(xc_fit *f, xc_array_model *m, const search *how, const xc_trial *t)
{
	static const uint8_t axes[3][3] = {{0, 1, 2}, {0, 2, 1}, {1, 2, 0}};
	/* An order and lags each; the last one is for volumes. */
	static const uint8_t ways[5][2][3] = {{{0, 1, 2}, {0, 0, 0}},
	                                      {{0, 2, 1}, {0, 0, 0}},
	                                      {{0, 1, 2}, {0, 2, 0}},
	                                      {{0, 1, 2}, {0, 0, 2}},
	                                      {{0, 1, 2}, {0, 6, 6}}};
	static const search quick = {FEW_CANDIDATES, 2, 12, FEW_SAMPLES};
	const int flat = f->source->chunk[0] == 1, line = flat && f->source->chunk[1] == 1;
	const int orders = line ? 1 : flat ? 2 : 3, rest = line ? 1 : flat ? 4 : 5;
	double bits[3][5];
	xc_array_model *const best = &f->best;

	f->best_bits = UINT64_MAX;

	for (int a = 0; a < orders; a++)
		for (int i = 0; i < rest; i++) {
			const uint32_t row = f->source->chunk[axes[a][2]];
			const int is_short = row < SHORT_ROW && row < f->source->chunk[2];
			set_order(m, f->source, axes[a], ways[i][0], ways[i][1]);
			bits[a][i] = is_short ? INFINITY : orders * rest > 1 ? cost_of(f, m, &quick, 0) : 0;
		}
	/* The best ones are coded. */
	for (int n = 0; n < 3 && n < orders * rest; n++) {
		int at[2] = {0, 0};
		for (int a = 0; a < orders; a++)
			for (int i = 0; i < rest; i++)
				if (bits[a][i] < bits[at[0]][at[1]]) {
					at[0] = a;
					at[1] = i;
				}
		bits[at[0]][at[1]] = INFINITY;
		set_order(m, f->source, axes[at[0]], ways[at[1]][0], ways[at[1]][1]);
		cost_of(f, m, how, 1);
		const uint64_t b = xc_trial_bits(f->source, m, t);
		if (b < f->best_bits) {
			f->best_bits = b;
			*best = *m;
		}
	}
	choose_taps(f, best, how, t);
	*m = f->best;
	choose_fine(f, m, t, f->best_bits);
}

/* Steps of coefficients, in half steps of corrections, and with the best one DC that is not
 * predicted. */
static void choose_coefficient_step(xc_fit *f, xc_array_model *m, const xc_trial *t)
{
	static const double ratios[4] = {2, 2.75, 4, 6};

	f->best_bits = UINT64_MAX;
	f->tried = *m;
	for (int i = 0; i < 5; i++) {
		const double step = i < 4 ? (double)(float)(m->step * ratios[i] / 2) : m->coefficient_step;
		f->tried.coefficient_step = step;
		f->tried.flat = i == 4;
		const uint64_t bits = xc_trial_bits(f->source, &f->tried, t);
		if (bits < f->best_bits) {
			f->best_bits = bits;
			*m = f->tried;
		}
	}
}

uint64_t xc_model_fit(xc_array_model *m, const xc_fit_source *source, int effort, void *scratch)
{
	xc_fit *f = scratch;
	static const uint8_t plain[3] = {0, 1, 2}, none[3] = {0, 0, 0};
	const int exact = m->mode == XC_MODE_KEYS || (m->mode == XC_MODE_WHOLE && m->step == 1);

	memset(f, 0, sizeof *f);
	f->source = source;
	f->noise = exact ? 0 : m->step * m->step / 12; /* of errors that spread evenly over a step */
	set_order(m, source, plain, plain, none);
	m->coefficient_step = (double)(float)(m->step * 1.125);
	if (effort == 0 || (m->way && effort == 1))
		return 0;
	static const search efforts[4] = {{0},
	                                  {FEW_CANDIDATES, 2, 11, FEW_SAMPLES},
	                                  {64, 3, 15, 2 * FEW_SAMPLES},
	                                  {CANDIDATES, 5, XC_TAPS - 1, 2 * FEW_SAMPLES}};
	/* Trials cost more time than they save bytes where values are few. */
	const int few = xc_chunk_count(source->size) < FEW_VALUES;
	if (!m->way && (effort == 1 || (effort == 2 && few))) {
		cost_of(f, m, &efforts[1], 1);
		return 0;
	}
	xc_trial t;
	xc_trial_place(&t, source->wide, (char *)scratch + xc_aligned64(sizeof *f));
	xc_trial_size(&t, source);
	if (m->way)
		choose_coefficient_step(f, m, &t);
	else
		choose_order(f, m, &efforts[effort], &t);
	return f->best_bits;
}
