/* SPDX-License-Identifier: BSD-2-Clause */
/*
 *	train_rans PICTURE... > entropy/rans/builtin.c
 *
 * Makes the built-in numbers of the rANS mode from pictures: weights, limits, frequencies.
 * Coefficients are decided with the numbers that the program was built with, so it should be
 * built and run twice when the model has changed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stddef.h>
#include <xcodec.h>

#define XC_V float
#include "bench/tiled.h"
#include "entropy/rans/model.h"
#include "entropy/ac_prediction.h"
#include "entropy/tokens.h"
#include "src/encode/decide.h"
#include "transform/lapped8.h"
#include "entropy/rans/rans.h"
#include "quant/tables.h"

enum { TILE_WIDE = 32, TILE_HIGH = 16 };

typedef struct plane {
	uint32_t wide, high; /* in blocks */
	float *samples;
} plane;

static void *room_for(size_t size)
{
	void *p = NULL;

	if (posix_memalign(&p, 64, (size + 63) & ~(size_t)63))
		abort();
	return p;
}

/* A component of YCbCr at a pixel; beyond the edges the last ones go on. */
/* What the two halves of train_rans share: the symbols of pictures, and the
 * model fitted to them. */

/* A component of a tile: symbols of its blocks, in transposed order. */
typedef struct part_symbols {
	uint8_t (*symbols)[64];
	uint32_t wide, high; /* high: at most 16 */
	int chroma;
	double weight; /* of each symbol */
} part_symbols;

typedef struct parts_list {
	part_symbols *of;
	size_t count, room;
} parts_list;

enum {
	FROM = XC_RANS_AC_WEIGHTS,                          /* at most */
	MAX_WEIGHTS = FROM + 64,                            /* of AC: a constant a position */
	EQUATIONS = XC_RANS_DIRECTIONS + 1 + XC_RANS_ZONES, /* of AC by direction, DC, flags */
	ROUNDS = 3
};

/* What a symbol is expected from, in the order of the weights. count: of them; constant: the weight
 * that stands alone. */
typedef struct observation {
	int chroma, set, equation, count, constant, symbol;
	double from[FROM];
} observation;

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

static void use_sample(fit *f, const observation *s)
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
	observation s = {chroma,   k >= ranges[1],    l->direction, XC_RANS_AC_WEIGHTS,
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
	observation s = {chroma,
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
	observation s = {chroma,
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

static void use_block(fit *f, const part_symbols *p, uint32_t x, uint32_t y)
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

static void use_parts(fit *f, const parts_list *parts)
{
	for (size_t i = 0; i < parts->count; i++) {
		const part_symbols *p = &parts->of[i];
		f->weight_of_part = p->weight;
		for (uint32_t b = 0; b < p->wide * p->high; b++)
			use_block(f, p, b % p->wide, b / p->wide);
	}
}

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
	printf(
		"};\n\n/* Frequencies of flags that are 0: a line for each zone. */\nstatic const uint16_t "
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

/* Writes the numbers fitted to the parts as entropy/rans/builtin.c. */
static void write_fit(const parts_list *parts)
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

static float sample(const xc_picture *p, uint32_t x, uint32_t y, int component)
{
	const uint32_t column = x < p->width ? x : p->width - 1,
				   row = y < p->height ? y : p->height - 1;
	const uint8_t *rgb = (const uint8_t *)p->data + row * p->stride + 3 * (size_t)column;
	const float r = rgb[0], g = rgb[1], b = rgb[2];

	const float luma = 0.299f * r + 0.587f * g + 0.114f * b;

	switch (component) {
	case 0:
		return luma - 128;
	case 1:
		return (b - luma) / 1.772f;
	default:
		return (r - luma) / 1.402f;
	}
}

/* shrink: the mean of 2x2 pixels. */
static plane make_plane(const xc_picture *p, int component, int half)
{
	const uint32_t unit = half ? 16 : 8, shrink = half && component;
	plane to;

	to.wide = (p->width + unit - 1) / unit * (half && !component ? 2 : 1);
	to.high = (p->height + unit - 1) / unit * (half && !component ? 2 : 1);
	to.samples = room_for((size_t)to.wide * to.high * 64 * sizeof(float));
	for (uint32_t y = 0; y < to.high * 8; y++)
		for (uint32_t x = 0; x < to.wide * 8; x++) {
			float sum = 0;
			for (uint32_t i = 0; i < 1 + 3 * shrink; i++)
				sum += sample(p, (x << shrink) + (i & 1), (y << shrink) + (i >> 1), component);
			to.samples[(size_t)y * to.wide * 8 + x] = sum / (float)(1 + 3 * shrink);
		}
	return to;
}

/* A step on n values that lie `apart` from each other. */
static void apply(void (*step)(float x[8]), float *first, size_t apart)
{
	float x[8];

	for (int i = 0; i < 8; i++)
		x[i] = first[(size_t)i * apart];
	step(x);
	for (int i = 0; i < 8; i++)
		first[(size_t)i * apart] = x[i];
}

static void edge_step(float x[8])
{
	xc_tdlt8_forward_edge(x);
}

static void block_step(float x[8])
{
	xc_dct8_forward(x);
}

/* In place, without the scaling of the DCT. */
static void transform(plane *p, int dct)
{
	const size_t stride = (size_t)p->wide * 8, rows = (size_t)p->high * 8;

	for (size_t y = 8; y < rows && !dct; y += 8)
		for (size_t x = 0; x < stride; x++)
			apply(edge_step, p->samples + (y - 4) * stride + x, stride);
	for (size_t y = 0; y < rows && !dct; y++)
		for (size_t x = 8; x < stride; x += 8)
			apply(edge_step, p->samples + y * stride + x - 4, 1);
	for (size_t y = 0; y < rows; y += 8)
		for (size_t x = 0; x < stride; x++)
			apply(block_step, p->samples + y * stride + x, stride);
	for (size_t y = 0; y < rows; y++)
		for (size_t x = 0; x < stride; x += 8)
			apply(block_step, p->samples + y * stride + x, 1);
}

/* The blocks of a tile in transposed order, in units of the steps. */
static void take_values(const plane *p, uint32_t x0, uint32_t y0, uint32_t wide, uint32_t high,
                        const uint32_t steps[64], float *values)
{
	static const double scale[8] = XC_AAN_SCALES;

	for (uint32_t b = 0; b < wide * high; b++)
		for (uint32_t i = 0; i < 64; i++) {
			const uint32_t u = i / 8, v = i % 8;
			const size_t at = ((size_t)(y0 + b / wide) * 8 + v) * p->wide * 8 +
			                  (x0 + b % wide) * 8 + u;
			values[(size_t)b * 64 + i] = (float)(p->samples[at] /
			                                     (8 * scale[u] * scale[v] * steps[v * 8 + u]));
		}
}

static void add_part(parts_list *parts, const int16_t *blocks, uint32_t wide, uint32_t high,
                     int chroma)
{
	const size_t n = (size_t)wide * high;

	if (parts->count == parts->room) {
		parts->room = 2 * parts->room + 64;
		parts->of = realloc(parts->of, parts->room * sizeof *parts->of);
		if (!parts->of)
			abort();
	}
	part_symbols *part = &parts->of[parts->count++];
	*part = (part_symbols){room_for(n * 64), wide, high, chroma, 0};
	int16_t *dc = room_for(n * sizeof *dc);
	xc_predict_dc16(blocks, wide, high, dc);
	for (size_t i = 0; i < n * 64; i++) {
		const int value = i % 64 ? blocks[i] : dc[i / 64];
		part->symbols[i / 64][i % 64] = (uint8_t)xc_rans_symbol((uint32_t)abs(value));
	}
	free(dc);
}

/* Each component as a segment of its own: chroma, too, is decided as what it is. */
static void add_tile(parts_list *parts, const plane *p, uint32_t x, uint32_t y,
                     const uint32_t steps[64], int chroma)
{
	static xc_rans_frequencies builtin;
	static xc_rans_tables tables;
	static xc_rans_decision decision;
	static int ready;

	if (!ready) {
		xc_rans_builtin_frequencies(&builtin);
		xc_rans_tables_init(&tables, &builtin);
		xc_rans_decision_init(&decision, &builtin, XC_LAMBDA);
		ready = 1;
	}
	const uint32_t wide = p->wide - x < TILE_WIDE ? p->wide - x : TILE_WIDE;
	const uint32_t high = p->high - y < TILE_HIGH ? p->high - y : TILE_HIGH;
	const uint32_t luma = chroma ? 0 : high, blocks = wide * high;
	const xc_rans_shape shape = {.components = chroma ? 3 : 1,
	                             .wide = {wide, wide, wide},
	                             .high = {luma, high, chroma ? high : 0},
	                             .first = {0, 0, blocks},
	                             .blocks = chroma ? 2 * blocks : blocks};
	float *values = room_for((size_t)shape.blocks * 256);
	int16_t *decided = room_for((size_t)shape.blocks * 128);
	uint16_t *factors = room_for(shape.blocks * sizeof *factors);
	void *scratch = room_for(xc_rans_scratch(&shape));
	memset(values, 0, (size_t)shape.blocks * 256);
	take_values(p, x, y, wide, high, steps, values);
	for (size_t i = 0; i < (size_t)shape.blocks * 64; i++)
		decided[i] = (int16_t)lrintf(values[i] * XC_STEP_PARTS);
	xc_activity activity;
	xc_activity_init(&activity, chroma ? XC_TUNE_PSNR : XC_TUNE_EYE, steps, 255);
	xc_activity_factors(&activity, decided, shape.blocks, 0, factors);
	xc_ac_prediction_remove16(decided, wide, high, xc_ac_prediction_of(steps));
	xc_offsets offsets[2] = {{{0}, {0}}, {{0}, {0}}};
	xc_rans_scalar_decide[0](&tables, &decision, &shape, factors, scratch, decided, offsets);
	free(factors);
	add_part(parts, decided, wide, high, chroma);
	free(values);
	free(decided);
	free(scratch);
}

/* All files weigh as much, since it is relative sizes that are to become small.  A file takes about
 * 7 bits for a coefficient that is not 0 and half a bit for a block. */
static void set_weights(parts_list *parts, size_t first)
{
	enum { SCALE = 10000000 };
	double bits = 0;

	for (size_t i = first; i < parts->count; i++) {
		const part_symbols *p = &parts->of[i];
		const size_t n = (size_t)p->wide * p->high * 64;
		bits += (double)n / 128;
		for (size_t k = 0; k < n; k++)
			bits += p->symbols[k / 64][k % 64] ? 7 : 0;
	}
	for (size_t i = first; i < parts->count; i++)
		parts->of[i].weight = SCALE / bits;
}

/* Adds the parts of a picture, 8-bit RGB, coded in one way: quality, TDLT or DCT, 4:2:0 or 4:4:4.
 * Coefficients are decided with the built-in tables. */
static void add_picture(parts_list *parts, const xc_picture *picture, uint32_t quality, int dct,
                        int half)
{
	const size_t first = parts->count;
	xc_quant_curve curves[2];
	uint32_t steps[2][64];

	xc_quant_eye_curves(256 * quality, !half, curves);
	for (int i = 0; i < 2; i++)
		xc_quant_curve_steps(&curves[i], 255, steps[i]);

	for (int c = 0; c < 3; c++) {
		plane p = make_plane(picture, c, half);
		transform(&p, dct);
		for (uint32_t y = 0; y < p.high; y += TILE_HIGH)
			for (uint32_t x = 0; x < p.wide; x += TILE_WIDE)
				add_tile(parts, &p, x, y, steps[c > 0], c > 0);
		free(p.samples);
	}
	set_weights(parts, first);
}

int main(int argc, char **argv)
{
	static const uint8_t qualities[] = {15, 30, 45, 60, 75, 84, 91, 95};
	parts_list parts = {NULL, 0, 0};

	if (argc < 2) {
		fprintf(stderr, "usage: train_rans PICTURE... > entropy/rans/builtin.c\n");
		return 2;
	}
	for (int i = 1; i < argc; i++) {
		char message[XC_FILE_MESSAGE];
		xc_picture p;
		if (xc_bench_tile((const char *const *)argv + i, 1, 0, 0, &p, message)) {
			fprintf(stderr, "train_rans: %s\n", message);
			return 1;
		}
		for (size_t q = 0; q < sizeof qualities; q++)
			add_picture(&parts, &p, qualities[q], i % 3 == 2, i & 1);
		free(p.data);
	}
	write_fit(&parts);
	return 0;
}
