/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A chunk's values to residues and back by a transform of blocks of 8 with corrections, once for
 * float and once for double. array/chunk.h includes it, whose rows and passes it uses.
 *
 * What is coded, in this order: a row of flags, which frequencies have other coefficients than 0; the
 * DC coefficients as a small chunk of their own, by passes; the other coefficients, frequency by
 * frequency, a row of one frequency of a row of blocks at a time; and corrections of what the
 * coefficients give, by rows. The coefficients of a row are apart from each other, so that they can
 * be coded side by side: what is expected of them comes from earlier rows alone.
 */
#include "array/steps8.h"

/* Sets of frequencies: of corrections, coefficients, and DC coefficients and flags. */
enum { XC_CORRECTION_SET = 0, XC_BLOCK_SET = 1, XC_BLOCK_DC_SET = XC_ARRAY_SETS - 1 };

/* Along dimension k a chunk is `blocks` blocks of `f` values, 8 or, where it is short, 1. */
typedef struct xc_blocks {
	walk w; /* of corrections; what is coded goes by it */
	xc_array_model dc_model;
	uint32_t f[3], blocks[3], size[3]; /* size: with the last block whole */
	xc_real *value;                    /* values, coefficients; without gaps */
	float *magnitude;                  /* of coefficients; see magnitudes() */
	size_t pitch;
	float *busy; /* the coefficients of a block that are not 0 */
	xc_real *dc;
	float *up[2]; /* magnitudes of the two rows before */
	uint8_t *flags;
	void *dc_scratch;
} xc_blocks;

static uint32_t frequencies(const xc_blocks *b)
{
	return b->f[0] * b->f[1] * b->f[2];
}

/* whole: a whole chunk's size, n: this one's. */
static size_t place_blocks(xc_blocks *b, const uint32_t whole[3], const uint32_t n[3], void *memory)
{
	walk w;

	for (int k = 0; k < 3; k++) {
		b->f[k] = whole[k] < XC_BLOCK_MIN ? 1 : 8;
		b->blocks[k] = (n[k] - 1) / b->f[k] + 1;
		b->size[k] = b->blocks[k] * b->f[k];
	}
	const size_t all = xc_chunk_count(b->size), blocks = xc_chunk_count(b->blocks);
	const size_t rows = (size_t)b->blocks[0] * b->blocks[1] * frequencies(b);
	const size_t row = xc_aligned64((b->size[2] + XC_FREQUENCIES) * sizeof(xc_real));
	uintptr_t at = (uintptr_t)memory; /* perhaps NULL */

	b->pitch = b->blocks[2] + 2;
	b->value = (void *)at;
	at += xc_aligned64(all * sizeof(xc_real));
	b->magnitude = (void *)at;
	at += xc_aligned64(rows * b->pitch * sizeof(float));
	b->busy = (void *)at;
	at += xc_aligned64(blocks * sizeof(float));
	b->dc = (void *)at;
	at += xc_aligned64(blocks * sizeof(xc_real));
	b->flags = (void *)at;
	at += XC_FREQUENCIES;
	b->w.prediction = (void *)at;
	at += row;
	b->w.z = (void *)at;
	at += row;
	b->w.sum = (void *)at;
	at += row;
	b->w.level = (void *)at;
	at += row;
	b->w.kind = (void *)at;
	at += row;
	for (int i = 0; i < 2; i++) {
		b->up[i] = (float *)at + 1;
		at += row;
	}
	b->dc_scratch = (void *)at;
	return at - (uintptr_t)memory + place(&w, b->blocks, NULL);
}

/* ------------------------------------------------------------- transforms */

/* Where values lie along a dimension, and lanes beside each other. */
typedef struct xc_lines {
	uint32_t n;
	size_t apart, lanes, lane;
} xc_lines;

/* Takes a step on groups of 8, of which the first begins at `from`. Beyond the ends it gets the
 * mirror image. */
static inline __attribute__((always_inline)) void take(const xc_lines *l, int64_t from,
                                                       int64_t until, xc_real *x, xc_step8 *step)
{
	const int64_t n = l->n;

	for (; from < until; from += 8)
		for (size_t i = 0; i < l->lanes; i += XC_NEIGHBOURS) {
			const size_t some = l->lanes - i < XC_NEIGHBOURS ? l->lanes - i : XC_NEIGHBOURS;
			xc_eight t[8] = {{0}};
			xc_real *at[8];
			for (int j = 0; j < 8; j++) {
				const int64_t k = from + j;
				const int64_t at_k = k < 0 ? -1 - k : k < n ? k : 2 * n - 1 - k;
				at[j] = x + (size_t)at_k * l->apart + i * l->lane;
				if (some == XC_NEIGHBOURS && l->lane == 1)
					memcpy(&t[j], at[j], sizeof t[j]);
				else
					for (size_t e = 0; e < some; e++)
						t[j][e] = at[j][e * l->lane];
			}
			step(t);
			for (int j = 0; j < 8; j++) {
				if (from + j < 0 || from + j >= n)
					continue;
				if (some == XC_NEIGHBOURS && l->lane == 1)
					memcpy(at[j], &t[j], sizeof t[j]);
				else
					for (size_t e = 0; e < some; e++)
						at[j][e * l->lane] = t[j][e];
			}
		}
}

static void forward(const xc_lines *l, xc_way way, xc_real *x)
{
	if (way == XC_WAY_TDLT)
		take(l, 4, l->n - 4, x, tdlt_edge_forward);
	if (way == XC_WAY_LOT)
		take(l, -4, l->n, x, lot_edge_forward);
	if (way == XC_WAY_LOT)
		take(l, 0, l->n, x, lot_block_forward);
	else
		take(l, 0, l->n, x, dct_forward);
}

static void back(const xc_lines *l, xc_way way, xc_real *x)
{
	if (way == XC_WAY_LOT)
		take(l, 0, l->n, x, lot_block_back);
	else
		take(l, 0, l->n, x, dct_back);
	if (way == XC_WAY_LOT)
		take(l, -4, l->n, x, lot_edge_back);
	if (way == XC_WAY_TDLT)
		take(l, 4, l->n - 4, x, tdlt_edge_back);
}

/* All lines along dimension d. */
static void along(const xc_blocks *b, int d, void (*steps)(const xc_lines *, xc_way, xc_real *))
{
	const size_t c = b->size[2], plane = b->size[1] * c, rows = (size_t)b->size[0] * b->size[1];
	const xc_way way = b->w.model->way;

	if (b->f[d] == 1)
		return;
	if (d == 0)
		steps(&(xc_lines){b->size[0], plane, plane, 1}, way, b->value);
	for (uint32_t a = 0; d == 1 && a < b->size[0]; a++)
		steps(&(xc_lines){b->size[1], c, c, 1}, way, b->value + a * plane);
	for (size_t r = 0; d == 2 && r < rows; r += XC_NEIGHBOURS) {
		const size_t some = rows - r < XC_NEIGHBOURS ? rows - r : XC_NEIGHBOURS;
		steps(&(xc_lines){b->size[2], 1, some, c}, way, b->value + r * c);
	}
}

/* ---------------------------------------------------------------- filling */

static uint32_t mirrored(uint32_t i, uint32_t n)
{
	i %= 2 * n;
	return i < n ? i : 2 * n - 1 - i;
}

/* Puts a line between the nearest values in place of those of other kinds; 0: there are none. */
static int fill_row(xc_real *v, const uint8_t *kind, uint32_t n)
{
	int64_t before = -1;

	for (uint32_t i = 0; i < n; i++) {
		if (kind[i])
			continue;
		for (int64_t k = before + 1; k < i; k++)
			v[k] = before < 0 ? v[i]
			                  : v[before] + (v[i] - v[before]) * (xc_real)(k - before) /
			                                    (xc_real)(i - before);
		before = i;
	}
	for (int64_t k = before + 1; before >= 0 && k < n; k++)
		v[k] = v[before];
	return before >= 0;
}

/* Copies the chunk, with something smooth where it has no values. */
static void load(const xc_blocks *b)
{
	const xc_chunk_values *chunk = b->w.chunk;
	const uint32_t *n = chunk->size, *size = b->size;
	const xc_real *from = chunk->values;
	const xc_real *good = NULL; /* the last row with values */

	for (uint32_t a = 0; a < size[0]; a++)
		for (uint32_t y = 0; y < size[1]; y++) {
			const uint32_t i = mirrored(a, n[0]), j = mirrored(y, n[1]);
			xc_real *to = b->value + ((size_t)a * size[1] + y) * size[2];
			const size_t at = ((size_t)i * n[1] + j) * n[2];
			memcpy(to, from + at, n[2] * sizeof *to);
			if (chunk->kind && !fill_row(to, chunk->kind + at, n[2])) {
				if (good)
					memcpy(to, good, size[2] * sizeof *to);
				else
					memset(to, 0, size[2] * sizeof *to);
				continue;
			}
			for (uint32_t c = n[2]; c < size[2]; c++)
				to[c] = to[mirrored(c, n[2])];
			good = to;
		}
}

/* ------------------------------------------------------------ coefficients */

typedef struct xc_frequency {
	uint32_t f[3], index;
} xc_frequency;

static xc_frequency frequency_of(const xc_blocks *b, uint32_t index)
{
	return (xc_frequency){{index / (b->f[1] * b->f[2]), index / b->f[2] % b->f[1], index % b->f[2]},
	                      index};
}

/* The coefficients of a row of blocks; they are f[2] apart. */
static xc_real *coefficients(const xc_blocks *b, const xc_frequency *f, uint32_t a, uint32_t y)
{
	const size_t row = (size_t)(a * b->f[0] + f->f[0]) * b->size[1] + y * b->f[1] + f->f[1];
	return b->value + row * b->size[2] + f->f[2];
}

static float *magnitudes(const xc_blocks *b, uint32_t index, uint32_t a, uint32_t y)
{
	return b->magnitude + (((size_t)index * b->blocks[0] + a) * b->blocks[1] + y) * b->pitch + 1;
}

static void magnitude_ends(float *m, uint32_t n)
{
	m[-1] = m[0];
	m[n] = m[n - 1];
}

/* Weights of magnitudes, of a fit to sections: of rows of blocks before with the same frequency, and of
 * the next lower frequency along a or b (across) and along c (down). */
typedef struct xc_block_weights {
	float base, above, beside_above, above_2;
	float lower[2][3]; /* across, down: in the same block, in those beside it, above and below it */
} xc_block_weights;

static const xc_block_weights block_weights[3] = {
	{0.005F, 0.33F, 0.135F, 0.12F, {{0, 0, 0}, {0.03F, 0.05F, 0.015F}}},
	{0.005F, 0.165F, 0.15F, 0.05F, {{0.1F, 0.07F, 0.045F}, {0, 0, 0}}},
	{0.002F, 0.105F, 0.08F, 0.025F, {{0.08F, 0.05F, 0.04F}, {0.03F, 0.05F, 0.005F}}},
};

/* Weights of levels of corrections: the share of coefficients that are not 0 in the block, and
 * magnitudes of the rows before. */
#define XC_CORRECTION_ABOVE 0.12F
#define XC_CORRECTION_BESIDE 0.06F
#define XC_CORRECTION_ABOVE_2 0.06F

static void add(float *restrict sum, const float *restrict m, float own, float beside, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		sum[i] += own * m[i] + beside * (m[(ptrdiff_t)i - 1] + m[i + 1]);
}

/* The levels of a row, from magnitudes of the frequency in rows of blocks before, and of lower
 * frequencies. */
static void coefficient_levels(const xc_blocks *b, const xc_frequency *f, uint32_t a, uint32_t y)
{
	const uint32_t n = b->blocks[2];
	const uint32_t step[3] = {b->f[1] * b->f[2], b->f[2], 1};
	const int across = f->f[0] + f->f[1] > 0, along_c = f->f[2] > 0;
	const xc_block_weights *w = &block_weights[across ? along_c ? 2 : 1 : 0];
	float *restrict sum = b->w.sum;
	const int low = along_c ? 2 : f->f[1] ? 1 : 0;
	const float *up = y   ? magnitudes(b, f->index, a, y - 1)
	                  : a ? magnitudes(b, f->index, a - 1, y)
	                      : magnitudes(b, f->index - step[low], a, y);
	const float *up2 = y > 1 ? magnitudes(b, f->index, a, y - 2) : up;

	for (uint32_t i = 0; i < n; i++)
		sum[i] = w->base;
	add(sum, up, w->above, w->beside_above, n);
	add(sum, up2, w->above_2, 0, n);
	for (int k = 0; k < 3; k++) {
		const float *v = w->lower[k == 2];
		if (!f->f[k])
			continue;
		const uint32_t lower = f->index - step[k];
		add(sum, magnitudes(b, lower, a, y), v[0], v[1], n);
		const float *restrict p = magnitudes(b, lower, a, y ? y - 1 : 0);
		const float *restrict q = magnitudes(b, lower, a, y + 1 < b->blocks[1] ? y + 1 : y);
		for (uint32_t i = 0; i < n; i++)
			sum[i] += v[2] * (p[i] + q[i]);
	}
	xc_levels_of(sum, n, b->w.level);
}

/* What a coefficient in steps gets before its fraction is cut off, by level: where a 0 is expected,
 * another number costs more than the corrections that it saves. */
static xc_real rounding_of(unsigned level)
{
	const float r = 0.08F + 0.032F * (float)level;
	return (xc_real)(r < 0.47F ? r : 0.47F);
}

/* Coefficients in steps, and which frequencies have other ones than 0. */
static void scale_coefficients(const xc_blocks *b)
{
	const uint32_t n = b->blocks[2], step = b->f[2];
	const xc_real inverse = 1 / (xc_real)b->w.model->coefficient_step;
	const xc_real most = (xc_real)(sizeof(xc_real) == 8 ? 4e15 : 1e9);

	for (uint32_t i = 1; i < frequencies(b); i++) {
		const xc_frequency f = frequency_of(b, i);
		int any = 0;
		for (uint32_t a = 0; a < b->blocks[0]; a++)
			for (uint32_t y = 0; y < b->blocks[1]; y++) {
				xc_real *x = coefficients(b, &f, a, y);
				for (uint32_t c = 0; c < n; c++) {
					xc_real q = x[c * step] * inverse;
					q = q > -most ? q : -most;
					x[c * step] = q = q < most ? q : most;
					any |= xc_abs(q) >= (xc_real)0.6;
				}
			}
		b->flags[i] = (uint8_t)any;
	}
}

/* A row of one frequency: coded or decoded, then numbers of the step. */
static void coefficient_row(xc_blocks *b, const xc_frequency *f, uint32_t a, uint32_t y)
{
	const uint32_t n = b->blocks[2], step = b->f[2];
	const xc_real q = (xc_real)b->w.model->coefficient_step;
	xc_real *x = coefficients(b, f, a, y);
	float *m = magnitudes(b, f->index, a, y);
	float *busy = b->busy + ((size_t)a * b->blocks[1] + y) * n;
	xc_folded *z = b->w.z;

	if (b->flags[f->index]) {
		coefficient_levels(b, f, a, y);
		for (uint32_t i = 0; b->w.residues && i < n; i++) {
			const xc_real v = x[i * step];
			const xc_key k = (xc_key)(xc_abs(v) + rounding_of(b->w.level[i]));
			z[i] = xc_fold(v < 0 ? -k : k);
		}
		code_row(&b->w, XC_BLOCK_SET, n);
	} else {
		memset(z, 0, n * sizeof *z);
	}
	for (uint32_t i = 0; i < n; i++) {
		const xc_key r = xc_unfold(z[i]);
		x[i * step] = (xc_real)r * q;
		m[i] = (float)(r < 0 ? -(xc_ukey)r : (xc_ukey)r);
		busy[i] += m[i] > 0 ? 1.0F : 0.0F;
	}
	magnitude_ends(m, n);
}

/* Frequencies with coefficients, as a row of flags. */
static void code_flags(xc_blocks *b)
{
	const uint32_t n = frequencies(b);

	memset(b->w.level, 0, n);
	for (uint32_t i = 0; i < n; i++)
		b->w.z[i] = b->flags[i];
	code_row(&b->w, XC_BLOCK_DC_SET, n);
	for (uint32_t i = 0; i < n; i++)
		b->flags[i] = b->w.z[i] != 0;
}

/* The DC coefficients as a chunk, by passes. */
static void code_dc(xc_blocks *b)
{
	const xc_frequency none = {{0}, 0};
	const xc_chunk_values dc = {{b->blocks[0], b->blocks[1], b->blocks[2]}, b->dc, NULL};
	const uint32_t n = b->blocks[2], step = b->f[2];
	xc_real *to = b->dc;
	walk w = {.model = &b->dc_model,
	          .chunk = &dc,
	          .one_set = 1,
	          .residues = b->w.residues,
	          .at = b->w.at,
	          .rows = b->w.rows,
	          .reader = b->w.reader,
	          .tables = b->w.tables};

	for (uint32_t a = 0; a < b->blocks[0]; a++)
		for (uint32_t y = 0; y < b->blocks[1]; y++)
			for (uint32_t c = 0; c < n; c++)
				*to++ = coefficients(b, &none, a, y)[c * step];
	b->dc_model = *b->w.model;
	b->dc_model.mode = XC_MODE_REAL;
	b->dc_model.step = b->w.model->coefficient_step;
	for (int k = 0; k < 3; k++)
		b->dc_model.plan.size[k] = (b->w.model->plan.size[k] - 1) / b->f[k] + 1;
	xc_plan_make(&b->dc_model.plan);
	for (int i = 0; b->w.model->flat && i < b->dc_model.plan.passes; i++) {
		b->dc_model.plan.pass[i].taps = 1;
		b->dc_model.plan.pass[i].tap[0].weight = 0;
	}
	place(&w, dc.size, b->dc_scratch);
	all_passes(&w);
	b->w.at = w.at;
	b->w.rows = w.rows;
	to = b->dc;
	for (uint32_t a = 0; a < b->blocks[0]; a++)
		for (uint32_t y = 0; y < b->blocks[1]; y++) {
			float *m = magnitudes(b, 0, a, y);
			memcpy(m, w.pass.known.magnitude + xc_row_at(&w.pass.known, a, y), n * sizeof *m);
			magnitude_ends(m, n);
			for (uint32_t c = 0; c < n; c++)
				coefficients(b, &none, a, y)[c * step] = *to++;
		}
}

/* ------------------------------------------------------------- corrections */

static void code_corrections(xc_blocks *b)
{
	const uint32_t *n = b->w.chunk->size;
	const float scale = 1 / (float)frequencies(b);
	xc_real *to = b->w.chunk->values;
	float *restrict up = b->up[0], *restrict up2 = b->up[1], *restrict sum = b->w.sum;

	memset(up - 1, 0, (n[2] + 2) * sizeof *up);
	memset(up2 - 1, 0, (n[2] + 2) * sizeof *up);
	b->w.step = b->w.model->step;
	for (uint32_t a = 0; a < n[0]; a++)
		for (uint32_t y = 0; y < n[1]; y++, to += n[2]) {
			const size_t block = (size_t)(a / b->f[0]) * b->blocks[1] + y / b->f[1];
			const float *busy = b->busy + block * b->blocks[2];
			const uint32_t first[3] = {a, y, 0};
			memcpy(b->w.prediction, b->value + ((size_t)a * b->size[1] + y) * b->size[2],
			       n[2] * sizeof *to);
			limit_predictions(b->w.model, b->w.prediction, n[2]);
			for (uint32_t c = 0; c < n[2]; c++)
				sum[c] = busy[c / b->f[2]] * scale + XC_CORRECTION_ABOVE_2 * up2[c];
			add(sum, up, XC_CORRECTION_ABOVE, XC_CORRECTION_BESIDE, n[2]);
			xc_levels_of(sum, n[2], b->w.level);
			float *const t = up2;
			row(&b->w, XC_CORRECTION_SET, first, 1, n[2], to, t);
			magnitude_ends(t, n[2]);
			up2 = up;
			up = t;
		}
}

/* Values to coefficients in steps. */
static void transform(const xc_blocks *b)
{
	load(b);
	for (int k = 3; k-- > 0;)
		along(b, k, forward);
	b->flags[0] = 0;
	scale_coefficients(b);
}

static void all_blocks(xc_blocks *b)
{
	memset(b->busy, 0, xc_chunk_count(b->blocks) * sizeof *b->busy);
	code_flags(b);
	code_dc(b);
	for (uint32_t i = 1; i < frequencies(b); i++) {
		const xc_frequency f = frequency_of(b, i);
		for (uint32_t a = 0; a < b->blocks[0]; a++)
			for (uint32_t y = 0; y < b->blocks[1]; y++)
				coefficient_row(b, &f, a, y);
	}
	for (int k = 0; k < 3; k++)
		along(b, k, back);
	code_corrections(b);
}
