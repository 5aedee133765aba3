/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fit: weights by least squares that weigh an error by the square of what is expected, as
 * magnitudes vary; limits by the least entropy of sixteen levels; frequencies by counting.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/tools/train_rans.h"
#include "entropy/rans/model.h"

enum {
	FROM = XC_RANS_AC_WEIGHTS,                          /* at most */
	MAX_WEIGHTS = FROM + 64,                            /* of AC: a constant a position */
	EQUATIONS = XC_RANS_DIRECTIONS + 1 + XC_RANS_ZONES, /* of AC by direction, DC, flags */
	ROUNDS = 3
};

/* What a symbol is expected from, in the order of the weights. count: of them; constant: the weight
 * that stands alone. */
typedef struct sample {
	int chroma, set, equation, count, constant, symbol;
	double from[FROM];
} sample;

typedef struct equations {
	double matrix[MAX_WEIGHTS][MAX_WEIGHTS], right[MAX_WEIGHTS];
} equations;

typedef struct fit {
	xc_rans_template templates[64];
	double weight[2][EQUATIONS][MAX_WEIGHTS];
	equations sums[2][EQUATIONS];
	double bins[2][XC_RANS_SETS][XC_RANS_BINS][XC_RANS_SYMBOLS];
	int round;
	double weight_of_part;
} fit;

static const int zones[] = XC_RANS_ZONE_TABLE, ranges[] = XC_RANS_RANGE_TABLE;

/* What a weight of 1 is worth: bins an expected unit of magnitude, DC's magnitude, flag. */
static double scale_of(int equation)
{
	return equation < XC_RANS_DIRECTIONS ? 112 : equation == XC_RANS_DIRECTIONS ? 32 : 120;
}

static void rounded(const fit *f, int chroma, int equation, int weights, uint8_t *to)
{
	for (int i = 0; i < weights; i++)
		to[i] = (uint8_t)lrint(f->weight[chroma][equation][i] * scale_of(equation));
}

/* ------------------------------------------------------------------------ passing samples */

static void use_sample(fit *f, const sample *s)
{
	const double *w = f->weight[s->chroma][s->equation];

	if (f->round == ROUNDS) {
		uint8_t whole[MAX_WEIGHTS];
		rounded(f, s->chroma, s->equation, MAX_WEIGHTS, whole);
		int sum = whole[s->constant];
		for (int i = 0; i < s->count; i++)
			sum += whole[i] * (int)s->from[i];
		const int bin = sum >> XC_RANS_EXPECT_SHIFT;
		f->bins[s->chroma][s->set][bin < XC_RANS_BINS ? bin : XC_RANS_BINS - 1][s->symbol] +=
			f->weight_of_part;
		return;
	}
	double expected = w[s->constant] + 0.15;
	for (int i = 0; i < s->count; i++)
		expected += w[i] * s->from[i];
	const double trust = f->weight_of_part / (f->round ? expected * expected : 1);
	equations *e = &f->sums[s->chroma][s->equation];
	for (int i = 0; i < s->count; i++) {
		const double part = trust * s->from[i];
		if (part == 0)
			continue;
		e->right[i] += part * s->symbol;
		e->matrix[i][s->constant] += part;
		e->matrix[s->constant][i] += part;
		for (int j = 0; j < s->count; j++)
			e->matrix[i][j] += part * s->from[j];
	}
	e->right[s->constant] += trust * s->symbol;
	e->matrix[s->constant][s->constant] += trust;
}

/* A block and its neighbours; one place more, which is 0. */
typedef struct around {
	uint8_t now[65], left[65], up[65];
} around;

static int sum_of(const fit *f, const uint8_t *s, int zone)
{
	int sum = 0;

	for (int k = zones[zone]; k < zones[zone + 1]; k++)
		sum += s[f->templates[k].raster];
	return sum;
}

static double capped(int x, int max)
{
	return x < max ? x : max;
}

static void use_ac(fit *f, const around *a, int chroma, int k)
{
	const xc_rans_template *l = &f->templates[k];
	sample s = {chroma,   k >= ranges[1],    l->direction, XC_RANS_AC_WEIGHTS,
	            FROM + k, a->now[l->raster], {0}};

	for (int i = 0; i < 5; i++)
		s.from[i] = a->now[l->own[i]];
	s.from[5] = a->left[l->raster];
	s.from[8] = a->up[l->raster];
	for (int i = 0; i < 2; i++) {
		s.from[6 + i] = a->left[l->beyond[i]];
		s.from[9 + i] = a->up[l->beyond[i]];
	}
	s.from[11] = a->now[l->dc];
	use_sample(f, &s);
}

static void use_dc(fit *f, const around *a, int chroma)
{
	sample s = {chroma,
	            XC_RANS_DC_SET,
	            XC_RANS_DIRECTIONS,
	            XC_RANS_DC_WEIGHTS - 1,
	            XC_RANS_DC_WEIGHTS - 1,
	            a->now[0],
	            {0}};
	const xc_rans_template *l = f->templates;

	s.from[0] = a->left[0];
	s.from[1] = a->left[l[1].raster] + a->left[l[2].raster];
	s.from[2] = a->left[l[3].raster] + a->left[l[4].raster] + a->left[l[5].raster];
	s.from[3] = a->up[0];
	s.from[4] = a->up[l[1].raster] + a->up[l[2].raster];
	use_sample(f, &s);
}

static int use_flag(fit *f, const around *a, int chroma, int g)
{
	sample s = {chroma,
	            XC_RANS_FLAG_SET + g,
	            XC_RANS_DIRECTIONS + 1 + g,
	            XC_RANS_FLAG_WEIGHTS - 1,
	            XC_RANS_FLAG_WEIGHTS - 1,
	            sum_of(f, a->now, g) != 0,
	            {0}};

	s.from[0] = capped(sum_of(f, a->left, g), 2);
	s.from[1] = capped(sum_of(f, a->up, g), 2);
	s.from[2] = g ? capped(sum_of(f, a->now, g - 1), 15) : a->now[0];
	for (int k = zones[g] - 5; g && k < zones[g]; k++)
		s.from[3] += a->now[f->templates[k].raster] != 0;
	if (g < XC_RANS_ZONES - 1)
		s.from[4] = capped(sum_of(f, a->left, g + 1) + sum_of(f, a->up, g + 1), 2);
	use_sample(f, &s);
	return s.symbol;
}

static void use_block(fit *f, const xc_train_part *p, uint32_t x, uint32_t y)
{
	static const uint8_t nothing[64];
	around a;

	memset(&a, 0, sizeof a);
	const uint8_t *now = p->symbols[y * p->wide + x];
	const uint8_t *left = x ? now - 64 : NULL, *up = y ? now - (size_t)p->wide * 64 : NULL;
	memcpy(a.now, now, 64);
	memcpy(a.left, left ? left : up ? up : nothing, 64);
	memcpy(a.up, up ? up : left ? left : nothing, 64);
	use_dc(f, &a, p->chroma);
	for (int g = 0; g < XC_RANS_ZONES; g++)
		if (use_flag(f, &a, p->chroma, g))
			for (int k = zones[g]; k < zones[g + 1]; k++)
				use_ac(f, &a, p->chroma, k);
}

static void use_parts(fit *f, const xc_train_parts *parts)
{
	for (size_t i = 0; i < parts->count; i++) {
		const xc_train_part *p = &parts->of[i];
		f->weight_of_part = p->weight;
		for (uint32_t b = 0; b < p->wide * p->high; b++)
			use_block(f, p, b % p->wide, b / p->wide);
	}
}

/* ------------------------------------------------------------------------------- weights */

/* Gauss and Jordan, with the weights that are in use; returns the least of them. */
static int solve_some(const equations *e, const int *used, int n, double *w)
{
	double a[MAX_WEIGHTS][MAX_WEIGHTS + 1];
	int index[MAX_WEIGHTS], m = 0, min = -1;

	for (int i = 0; i < n; i++)
		if (used[i])
			index[m++] = i;
	for (int i = 0; i < m; i++) {
		for (int j = 0; j < m; j++)
			a[i][j] = e->matrix[index[i]][index[j]];
		a[i][i] += 1e-3 * a[i][i] + 1e-9;
		a[i][m] = e->right[index[i]];
	}
	/* The matrix is positive definite: pivots need no choice. */
	for (int i = 0; i < m; i++)
		for (int r = 0; r < m; r++) {
			const double t = a[r][i] / a[i][i];
			for (int j = i; j <= m && r != i; j++)
				a[r][j] -= t * a[i][j];
		}
	memset(w, 0, sizeof(double) * MAX_WEIGHTS);
	for (int i = 0; i < m; i++) {
		w[index[i]] = a[i][m] / a[i][i];
		if (w[index[i]] < 0 && (min < 0 || w[index[i]] < w[min]))
			min = index[i];
	}
	return min;
}

/* Weights below 0 are left out, the worst first. */
static void solve(const equations *e, int n, double *w)
{
	int used[MAX_WEIGHTS], min = -1;

	for (int i = 0; i < n; i++)
		used[i] = e->matrix[i][i] > 0;
	while ((min = solve_some(e, used, n, w)) >= 0)
		used[min] = 0;
}

/* -------------------------------------------------------------------------------- limits */

static double entropy_of(double bins[][XC_RANS_SYMBOLS], int first, int end)
{
	double total = 0, bits = 0;

	for (int s = 0; s < XC_RANS_SYMBOLS; s++) {
		double n = 0.01;
		for (int b = first; b < end; b++)
			n += bins[b][s];
		total += n;
		bits -= n * log2(n);
	}
	return bits + total * log2(total);
}

/* Cuts the bins where the entropy of the levels becomes least, by dynamic programming. */
static void cut(double bins[][XC_RANS_SYMBOLS], int limit[XC_RANS_LEVELS + 1])
{
	static double best[XC_RANS_LEVELS + 1][XC_RANS_BINS + 1];
	static double cost[XC_RANS_BINS][XC_RANS_BINS + 1];
	static int from[XC_RANS_LEVELS + 1][XC_RANS_BINS + 1];

	for (int a = 0; a < XC_RANS_BINS; a++)
		for (int b = a + 1; b <= XC_RANS_BINS; b++)
			cost[a][b] = entropy_of(bins, a, b);
	for (int b = 0; b <= XC_RANS_BINS; b++)
		best[0][b] = b ? INFINITY : 0;
	for (int l = 1; l <= XC_RANS_LEVELS; l++)
		for (int b = 0; b <= XC_RANS_BINS; b++) {
			best[l][b] = INFINITY;
			for (int a = 0; a < b; a++)
				if (best[l - 1][a] + cost[a][b] < best[l][b]) {
					best[l][b] = best[l - 1][a] + cost[a][b];
					from[l][b] = a;
				}
		}
	limit[XC_RANS_LEVELS] = XC_RANS_BINS;
	for (int l = XC_RANS_LEVELS; l > 0; l--)
		limit[l - 1] = from[l][limit[l]];
}

/* -------------------------------------------------------------------------------- output */

static void print_row(const char *before, const uint8_t *row, int n)
{
	printf("%s{", before);
	for (int i = 0; i < n; i++)
		printf("%s%d", i ? ", " : "", row[i]);
	printf("},\n");
}

static void print_weights(const fit *f, int c, int limit[XC_RANS_SETS][XC_RANS_LEVELS + 1])
{
	uint8_t row[MAX_WEIGHTS];

	printf("\t{\n\t\t.ac = {\n");
	for (int d = 0; d < XC_RANS_DIRECTIONS; d++) {
		rounded(f, c, d, XC_RANS_AC_WEIGHTS, row);
		print_row("\t\t\t", row, XC_RANS_AC_WEIGHTS);
	}
	printf("\t\t},\n\t\t.constant = {\n\t\t\t0");
	for (int k = 1; k < 64; k++) {
		rounded(f, c, f->templates[k].direction, MAX_WEIGHTS, row);
		printf(k % 16 ? ", %d" : ",\n\t\t\t%d", row[FROM + k]);
	}
	rounded(f, c, XC_RANS_DIRECTIONS, XC_RANS_DC_WEIGHTS, row);
	print_row("\n\t\t},\n\t\t.dc = ", row, XC_RANS_DC_WEIGHTS);
	printf("\t\t.flag = {\n");
	for (int g = 0; g < XC_RANS_ZONES; g++) {
		rounded(f, c, XC_RANS_DIRECTIONS + 1 + g, XC_RANS_FLAG_WEIGHTS, row);
		print_row("\t\t\t", row, XC_RANS_FLAG_WEIGHTS);
	}
	printf("\t\t},\n\t\t.limit = {\n");
	for (int s = 0; s < XC_RANS_SETS; s++) {
		for (int l = 1; l < XC_RANS_LEVELS; l++)
			row[l - 1] = (uint8_t)limit[s][l];
		print_row("\t\t\t", row, XC_RANS_LEVELS - 1);
	}
	printf("\t\t},\n\t},\n");
}

static void print_frequencies(const xc_rans_frequencies *f)
{
	printf("/* AC by range, then DC; a level a line. */\nstatic const uint16_t "
	       "symbols[2][XC_RANS_FLAG_SET][XC_RANS_LEVELS][XC_RANS_SYMBOLS] = {\n");
	for (int c = 0; c < 2; c++) {
		printf("\t{\n");
		for (int s = 0; s < XC_RANS_FLAG_SET; s++) {
			printf("\t\t{\n");
			for (int l = 0; l < XC_RANS_LEVELS; l++)
				for (int i = 0; i < XC_RANS_SYMBOLS; i++)
					printf("%s%d%s", i ? ", " : "\t\t\t{", f->of[c][s][l][i],
					       i < XC_RANS_SYMBOLS - 1 ? "" : "},\n");
			printf("\t\t},\n");
		}
		printf("\t},\n");
	}
	printf("};\n\n/* Of flags that are 0, by group: a group a line. */\nstatic const uint16_t "
	       "zeros[2][XC_RANS_ZONES][XC_RANS_LEVELS] = {\n");
	for (int c = 0; c < 2; c++) {
		printf("\t{\n");
		for (int g = 0; g < XC_RANS_ZONES; g++)
			for (int l = 0; l < XC_RANS_LEVELS; l++)
				printf("%s%d%s", l ? ", " : "\t\t{", f->of[c][XC_RANS_FLAG_SET + g][l][0],
				       l < XC_RANS_LEVELS - 1 ? "" : "},\n");
		printf("\t},\n");
	}
	printf("};\n");
}

void xc_train_fit(const xc_train_parts *parts)
{
	static fit f;
	static xc_rans_tables tables;
	static xc_rans_frequencies frequencies;
	static xc_rans_counts counts;
	int limit[2][XC_RANS_SETS][XC_RANS_LEVELS + 1];

	xc_rans_builtin_frequencies(&frequencies);
	xc_rans_tables_init(&tables, &frequencies);
	memcpy(f.templates, tables.templates, sizeof f.templates);
	for (f.round = 0; f.round < ROUNDS; f.round++) {
		memset(f.sums, 0, sizeof f.sums);
		use_parts(&f, parts);
		for (int c = 0; c < 2; c++)
			for (int e = 0; e < EQUATIONS; e++)
				solve(&f.sums[c][e],
				      e < XC_RANS_DIRECTIONS    ? MAX_WEIGHTS
				      : e == XC_RANS_DIRECTIONS ? XC_RANS_DC_WEIGHTS
				                                : XC_RANS_FLAG_WEIGHTS,
				      f.weight[c][e]);
	}
	use_parts(&f, parts);
	for (int c = 0; c < 2; c++)
		for (int s = 0; s < XC_RANS_SETS; s++) {
			cut(f.bins[c][s], limit[c][s]);
			for (int l = 0; l < XC_RANS_LEVELS; l++)
				for (int b = limit[c][s][l]; b < limit[c][s][l + 1]; b++)
					for (int i = 0; i < XC_RANS_SYMBOLS; i++)
						counts.of[c][s][l * XC_RANS_SYMBOLS + i] += (uint32_t)f.bins[c][s][b][i];
		}
	xc_rans_fit(&counts, &frequencies);
	printf("/* SPDX-License-Identifier: BSD-2-Clause */\n"
	       "/* The model's numbers, made by bench/tools/train_rans. */\n"
	       "#include \"entropy/rans/tables.h\"\n\n/* clang-format off */\n"
	       "const xc_rans_weights xc_rans_builtin_weights[2] = {\n");
	for (int c = 0; c < 2; c++)
		print_weights(&f, c, limit[c]);
	printf("};\n\n");
	print_frequencies(&frequencies);
	printf("/* clang-format on */\n\n");
	printf("void xc_rans_builtin_frequencies(xc_rans_frequencies *frequencies)\n{\n"
	       "\txc_rans_frequencies_from(symbols, zeros, frequencies);\n}\n");
}
