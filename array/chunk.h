/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A chunk's values to residues and back, once for float (chunk_float.c) and once for double
 * (chunk_double.c). Encoder and decoder walk the same way: anchors, then pass by pass, row by row.
 */
#include "array/grid.h"
#include "array/slab.h"

#ifdef XC_ARRAY_DOUBLE
#define decode_row xc_residues_row64
#else
#define decode_row xc_residues_row32
#endif

/* A chunk under way. To code it residues are there, to decode it reader; without either all residues are 0. */
typedef struct coder {
	const xc_array_model *model;
	const xc_chunk_values *chunk;
	double step; /* of the pass */
	xc_pass_state pass;
	xc_grid next; /* memory for the known grid of the next pass */
	xc_real *prediction;
	float *sum;
	uint8_t *level, *kind;
	xc_folded *z;
	xc_residues *residues;
	size_t at, rows; /* in residues */
	int one_set;     /* the last set of frequencies for all passes */
	xc_residue_reader *reader;
	const xc_array_decode_tables *tables;
} coder;

/* A dimension may be the one whose points are split, so each grid has room for all. */
static size_t place(coder *w, const uint32_t n[3], void *memory)
{
	const size_t room = xc_grid_room(n);
	/* The grids of coarse passes have shorter rows than n, but the same ends. */
	const size_t values = xc_aligned64((room + 64) * sizeof(xc_real)),
				 magnitudes = xc_aligned64((room + 64) * 4);
	const size_t most = n[0] > n[1] ? n[0] : n[1];
	const size_t beyond = xc_aligned64(most * (n[2] + 2 * XC_ROW_PAD) * sizeof(xc_real));
	const size_t row = xc_aligned64((n[2] + 64) * sizeof(xc_real));
	uintptr_t at = (uintptr_t)memory; /* perhaps NULL */
	xc_grid *const grids[3] = {&w->pass.known, &w->pass.fresh, &w->next};

	for (int i = 0; i < 3; i++) {
		grids[i]->value = (void *)at;
		at += values;
		grids[i]->magnitude = (void *)at;
		at += magnitudes;
	}
	w->pass.beyond = (void *)at;
	at += beyond;
	w->prediction = (void *)at;
	at += row;
	w->z = (void *)at;
	at += row;
	w->sum = (void *)at;
	at += row;
	w->level = (void *)at;
	at += row;
	w->kind = (void *)at;
	return at + row - (uintptr_t)memory;
}

/* ---------------------------------------------------------------- values */

/* Predictions are clamped and rounded, or what is not finite becomes 0, as the mode wants it. */
static void limit_predictions(const xc_array_model *m, xc_real *restrict p, uint32_t n)
{
	const xc_real low = (xc_real)m->low, high = (xc_real)m->high;

	if (m->mode == XC_MODE_WHOLE)
		for (uint32_t i = 0; i < n; i++)
			p[i] = xc_limited(p[i], low, high);
	else
		for (uint32_t i = 0; i < n; i++)
			p[i] = xc_is_finite(p[i]) ? p[i] : 0;
}

/* The values of a row from predictions and residues. */
static void rebuild(const xc_array_model *m, double pass_step, const xc_real *restrict p,
                    const xc_folded *restrict z, uint32_t n, xc_real *restrict value,
                    float *restrict magnitude)
{
	for (uint32_t i = 0; i < n; i++)
		magnitude[i] = xc_magnitude(xc_unfold(z[i]));
	if (m->mode == XC_MODE_KEYS) {
		const xc_key step = (xc_key)(int64_t)pass_step;
		for (uint32_t i = 0; i < n; i++)
			value[i] = xc_rebuilt_key(p[i], xc_unfold(z[i]), step);
		return;
	}
	const xc_real step = (xc_real)pass_step;
	for (uint32_t i = 0; i < n; i++)
		value[i] = xc_rebuilt(p[i], xc_unfold(z[i]), step);
}

/* The folded residues that bring predictions nearest to values x. */
static void residues_of(const xc_array_model *m, double pass_step, const xc_real *restrict x,
                        const xc_real *restrict p, uint32_t n, xc_folded *restrict z)
{
	const xc_real inverse = 1 / (xc_real)pass_step;

	if (m->mode == XC_MODE_KEYS)
		for (uint32_t i = 0; i < n; i++)
			z[i] = xc_residue_of_key(x[i], p[i], (xc_key)pass_step);
	else
		for (uint32_t i = 0; i < n; i++)
			z[i] = xc_residue_of(x[i], p[i], inverse);
}

/* --------------------------------------------------------------- passes */

/* Finds the kinds of a row of points: NULL if all are 0. */
static const uint8_t *kinds_of(const coder *w, const uint32_t first[3], const uint32_t stride,
                               uint32_t n)
{
	if (!w->chunk->kind)
		return NULL;
	const uint32_t *size = w->chunk->size;
	const uint8_t *from = w->chunk->kind + ((size_t)first[0] * size[1] + first[1]) * size[2] +
	                      first[2];
	for (uint32_t i = 0; i < n; i++)
		w->kind[i] = from[(size_t)i * stride];
	return w->kind;
}

/* Codes or decodes folded residues whose levels are there. */
static void code_row(coder *w, int set, uint32_t n)
{
	xc_residues *r = w->residues;

	if (!w->reader && !r) {
		memset(w->z, 0, n * sizeof *w->z);
	} else if (w->reader) {
		decode_row(w->reader, w->tables, set, w->level, n, w->z);
	} else {
		memcpy(r->level + w->at, w->level, n);
#ifdef XC_ARRAY_DOUBLE
		memcpy(r->wide + w->at, w->z, n * sizeof *w->z);
#else
		memcpy(r->narrow + w->at, w->z, n * sizeof *w->z);
#endif
		r->row[w->rows++] = n | (uint32_t)set << 24;
		w->at += n;
	}
}

/* Codes or decodes the residues of a row whose predictions and levels are there. first, stride: where
 * its points lie in the chunk. */
static void row(coder *w, int set, const uint32_t first[3], uint32_t stride, uint32_t n,
                xc_real *value, float *magnitude)
{
	const uint8_t *kind = kinds_of(w, first, stride, n);

	for (uint32_t i = 0; kind && i < n; i++)
		if (kind[i])
			w->level[i] = XC_LEVEL_IDLE;
	if (w->residues) {
		const uint32_t *size = w->chunk->size;
		const xc_real *from = (const xc_real *)w->chunk->values +
		                      ((size_t)first[0] * size[1] + first[1]) * size[2] + first[2];
		/* Before they are known the values of the row stand in `value`. */
		for (uint32_t i = 0; i < n; i++)
			value[i] = from[(size_t)i * stride];
		residues_of(w->model, w->step, value, w->prediction, n, w->z);
		for (uint32_t i = 0; kind && i < n; i++)
			if (kind[i])
				w->z[i] = 0;
	}
	code_row(w, set, n);
	rebuild(w->model, w->step, w->prediction, w->z, n, value, magnitude);
}

/* The anchors: each is predicted by the one before. */
static void anchors(coder *w)
{
	const xc_array_plan *plan = &w->model->plan;
	const uint32_t *size = w->chunk->size;
	xc_grid *g = &w->pass.known;
	xc_real before = 0;

	w->step = xc_pass_step(w->model, plan->passes ? plan->pass[0].fine : 0);

	for (int k = 0; k < 3; k++)
		g->size[k] = xc_points(size[k], plan->top[k]);
	g->pitch = g->size[2] + 2 * XC_ROW_PAD;
	for (uint32_t a = 0; a < g->size[0]; a++)
		for (uint32_t b = 0; b < g->size[1]; b++)
			for (uint32_t c = 0; c < g->size[2]; c++) {
				const size_t at = xc_row_at(g, a, b) + c;
				const uint32_t first[3] = {a * plan->top[0], b * plan->top[1], c * plan->top[2]};
				w->prediction[0] = before;
				limit_predictions(w->model, w->prediction, 1);
				w->level[0] = (uint8_t)w->model->anchor_level;
				row(w, XC_ARRAY_SETS - 1, first, 1, 1, g->value + at, g->magnitude + at);
				before = g->value[at];
				g->magnitude[at] = 0;
			}
}

/* Puts the points of a pass between the known ones. */
static void merge(coder *w)
{
	xc_pass_state *s = &w->pass;
	xc_grid *to = &w->next;
	const int d = s->pass->d;

	for (int k = 0; k < 3; k++)
		to->size[k] = s->known.size[k] + (k == d ? s->fresh.size[k] : 0);
	to->pitch = to->size[2] + 2 * XC_ROW_PAD;
	for (uint32_t a = 0; a < to->size[0]; a++)
		for (uint32_t b = 0; b < to->size[1]; b++) {
			const size_t at = xc_row_at(to, a, b);
			const uint32_t i = d == 0 ? a : b;
			if (d < 2) {
				const xc_grid *from = i & 1 ? &s->fresh : &s->known;
				const size_t f = xc_row_at(from, d == 0 ? a / 2 : a, d == 1 ? b / 2 : b);
				memcpy(to->value + at, from->value + f, to->size[2] * sizeof(xc_real));
				memcpy(to->magnitude + at, from->magnitude + f, to->size[2] * sizeof(float));
				continue;
			}
			const size_t k = xc_row_at(&s->known, a, b), f = xc_row_at(&s->fresh, a, b);
			xc_real *restrict v = to->value + at;
			float *restrict m = to->magnitude + at;
			const xc_real *restrict kv = s->known.value + k, *restrict fv = s->fresh.value + f;
			const float *restrict km = s->known.magnitude + k, *restrict fm = s->fresh.magnitude +
			                                                                  f;
			for (uint32_t c = 0; c < s->fresh.size[2]; c++) {
				v[2 * c] = kv[c];
				v[2 * c + 1] = fv[c];
				m[2 * c] = km[c];
				m[2 * c + 1] = fm[c];
			}
			if (s->known.size[2] > s->fresh.size[2]) {
				v[to->size[2] - 1] = kv[s->known.size[2] - 1];
				m[to->size[2] - 1] = km[s->known.size[2] - 1];
			}
		}
	const xc_grid known = s->known;
	s->known = *to;
	*to = known;
}

static void passes(coder *w)
{
	const xc_array_plan *plan = &w->model->plan;
	xc_pass_state *s = &w->pass;

	for (int i = 0; i < plan->passes; i++) {
		const xc_pass *pass = &plan->pass[i];
		const int d = pass->d;
		if (!xc_pass_sizes(s, pass, w->chunk->size))
			continue;
		w->step = xc_pass_step(w->model, pass->fine);
		s->inverse = w->model->mode == XC_MODE_KEYS || w->model->smooth ? 0 : 1 / (xc_real)w->step;
		xc_pass_begin(s);
		const uint32_t n = s->fresh.size[2];
		for (uint32_t a = 0; a < s->fresh.size[0]; a++)
			for (uint32_t b = 0; b < s->fresh.size[1]; b++) {
				const size_t at = xc_row_at(&s->fresh, a, b);
				const uint32_t first[3] = {
					(d == 0 ? 2 * a + 1 : a) * pass->step[0],
					(d == 1 ? 2 * b + 1 : b) * pass->step[1],
					d == 2 ? pass->step[2] : 0,
				};
				xc_predict(s, a, b, w->prediction);
				limit_predictions(w->model, w->prediction, n);
				xc_expect_levels(s, a, b, w->prediction, w->sum, w->level);
				row(w, w->one_set ? XC_ARRAY_SETS - 1 : xc_set_of(plan, i), first,
				    pass->step[2] * (d == 2 ? 2 : 1), n, s->fresh.value + at,
				    s->fresh.magnitude + at);
				xc_row_ends(s->fresh.value + at, s->fresh.magnitude + at, n);
			}
		merge(w);
	}
}

/* What was found, into the chunk. */
static void finish(const coder *w)
{
	const xc_grid *g = &w->pass.known;
	xc_real *to = w->chunk->values;

	for (uint32_t a = 0; a < g->size[0]; a++)
		for (uint32_t b = 0; b < g->size[1]; b++, to += g->size[2])
			memcpy(to, g->value + xc_row_at(g, a, b), g->size[2] * sizeof *to);
}

static void all_passes(coder *w)
{
	anchors(w);
	passes(w);
	finish(w);
}

#include "array/blocks.h"

size_t XC_REAL_NAME(xc_chunk_scratch)(const uint32_t size[3])
{
	xc_blocks b;
	const size_t n = place(&b.w, size, NULL), m = place_blocks(&b, size, size, NULL);
	return n > m ? n : m;
}

void XC_REAL_NAME(xc_chunk_residues)(const xc_array_model *model, const xc_chunk_values *chunk,
                                     xc_residues *r, void *scratch)
{
	xc_blocks b = {.w = {.model = model, .chunk = chunk, .residues = r}};

	if (model->way) {
		place_blocks(&b, model->plan.size, chunk->size, scratch);
		transform(&b);
		all_blocks(&b);
	} else {
		place(&b.w, chunk->size, scratch);
		all_passes(&b.w);
	}
	r->rows = b.w.rows;
}

int XC_REAL_NAME(xc_chunk_decode)(const xc_array_model *model, const xc_array_decode_tables *tables,
                                  const uint8_t *data, size_t size, unsigned lanes,
                                  const xc_chunk_values *chunk, void *scratch)
{
	xc_residue_reader reader;
	xc_blocks b = {.w = {.model = model, .chunk = chunk, .tables = tables}};

	if (data && !xc_residues_begin(&reader, data, size, lanes))
		return 0;
	b.w.reader = data ? &reader : NULL;
	if (model->way) {
		place_blocks(&b, model->plan.size, chunk->size, scratch);
		memset(b.value, 0, xc_chunk_count(b.size) * sizeof *b.value);
		all_blocks(&b);
	} else {
		place(&b.w, chunk->size, scratch);
		all_passes(&b.w);
	}
	return !data || xc_residues_end(&reader);
}
