/* SPDX-License-Identifier: BSD-2-Clause */
/*
 *	train_jpeg weights|shapes JPEG... > jpeg/builtin.c
 *
 * Makes what coefficients of JPEGs are coded by (jpeg/model.h) from files of one picture each:
 * first the weights, and with a program that was built with these the shapes. What it is not told to
 * make is what it was built with.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jpeg/code.h"
#include "lossless/tables.h"

enum { DC_WEIGHTS = 6, ROUNDS = 5, SPARSE = 5, FEW = 3000, UNIT = 128 };

/* Sums of a weighted least squares problem, by class and place in zigzag order. */
typedef struct normal {
	double m[XC_JPEG_WEIGHTS][XC_JPEG_WEIGHTS], b[XC_JPEG_WEIGHTS];
} normal;

typedef struct trainer {
	normal of[2][64];
	double weights[2][64][XC_JPEG_WEIGHTS];
	uint32_t counts[XC_JPEG_SHAPES][XC_SYMBOLS];
} trainer;

/* A picture in memory. */
typedef struct picture {
	xc_jpeg *jpeg;
	xc_jpeg_band band;
	xc_jpeg_coding coding;
} picture;

static void *room_for(size_t size)
{
	void *p = NULL;

	if (posix_memalign(&p, 64, (size + 63) & ~(size_t)63))
		abort();
	return p;
}

/* 0: it cannot be read or repacked. */
static int read_picture(const char *path, picture *p)
{
	FILE *f = fopen(path, "rb");
	size_t size = 0;

	if (!f || fseek(f, 0, SEEK_END))
		return 0;
	const long bytes = ftell(f);
	uint8_t *data = room_for((size_t)(bytes > 0 ? bytes : 1));
	rewind(f);
	size = fread(data, 1, (size_t)bytes, f);
	fclose(f);
	p->jpeg = room_for(sizeof *p->jpeg);
	p->band = (xc_jpeg_band){.first = 0};
	if (xc_jpeg_open(p->jpeg, data, size) != XC_JPEG_GOOD)
		return 0;
	xc_jpeg_notes notes = {room_for((size / 16 + 1024) * sizeof *notes.note), 0, size / 16 + 1024};
	xc_jpeg_reader *reader = room_for(xc_jpeg_reader_size(p->jpeg));
	p->band.rows = p->jpeg->mcu_rows;
	for (int c = 0; c < p->jpeg->components; c++)
		p->band.blocks[c] = room_for(128 * xc_jpeg_band_blocks(p->jpeg, c, p->band.rows));
	const int good = xc_jpeg_reader_begin(reader, p->jpeg, &notes) == XC_JPEG_GOOD &&
	                 xc_jpeg_read(reader, &p->band) == XC_JPEG_GOOD;
	xc_jpeg_coding_make(p->jpeg, &p->coding);
	free(reader);
	free(notes.note);
	free(data);
	return good;
}

static void free_picture(picture *p)
{
	for (int c = 0; c < XC_JPEG_COMPONENTS; c++)
		free(p->band.blocks[c]);
	free(p->jpeg);
}

/* -------------------------------------------------------------------- weights */

typedef struct neighbours {
	const int16_t *own, *left, *up; /* NULL: there is none */
	double sum[65], magnitude[65];  /* [64]: 0 */
} neighbours;

static double magnitude_of(int v)
{
	return fmin(abs(v), XC_JPEG_MAGNITUDE);
}

static void look(const int16_t *block, int has_left, int has_up, size_t stride, neighbours *n)
{
	static const int16_t none[64];

	n->own = block;
	n->left = has_left ? block - 64 : NULL;
	n->up = has_up ? block - 64 * stride : NULL;
	const int16_t *a = n->left ? n->left : n->up ? n->up : none, *b = n->up ? n->up : a;
	for (int z = 0; z < 64; z++) {
		n->sum[z] = z ? magnitude_of(a[z]) + magnitude_of(b[z]) : 0;
		n->magnitude[z] = z ? magnitude_of(block[z]) : 0;
	}
	n->sum[64] = n->magnitude[64] = 0;
}

static void features_of(const neighbours *n, int z, double f[XC_JPEG_WEIGHTS])
{
	const uint8_t *near = xc_jpeg_nears[z];

	f[0] = 1;
	f[1] = n->sum[z];
	f[2] = n->sum[near[0]] + n->sum[near[1]];
	for (int i = 0; i < 6; i++)
		f[3 + i] = n->magnitude[near[2 + i]];
}

/* The prediction of DC from one side, in 1/1024. */
static double predict(const neighbours *n, int up, const int32_t weights[4])
{
	/* Frequencies in the order of xc_jpeg_across. */
	static const int frequency[7] = {1, 3, 5, 7, 2, 4, 6};
	const int16_t *from = up ? n->up : n->left;
	double sum = from ? 1024.0 * from[0] : 0;

	for (int i = 0; i < 7; i++) {
		const uint32_t pair = (uint32_t)weights[i / 2];
		const double w = i % 2 ? (int16_t)(pair >> 16) : (int16_t)pair;
		const int z = xc_jpeg_zigzag[frequency[i] * (up ? 8 : 1)];
		sum += w * ((from ? (frequency[i] % 2 ? -1 : 1) * from[z] : 0) - n->own[z]);
	}
	return sum;
}

/* Returns the magnitude of what DC is off. */
static double dc_features_of(const neighbours *n, const xc_jpeg_coding *k, int c,
                             double f[XC_JPEG_WEIGHTS])
{
	double left = predict(n, 0, k->across[c][0][0]), up = predict(n, 1, k->across[c][1][0]);

	left = n->left ? left : up;
	up = n->up ? up : left;
	f[0] = 1;
	f[1] = fmin(floor(fabs(left - up) / UNIT), 4095);
	f[2] = n->magnitude[1] + n->magnitude[2];
	f[3] = n->magnitude[3] + n->magnitude[4] + n->magnitude[5];
	f[4] = n->sum[1] + n->sum[2];
	f[5] = n->sum[3] + n->sum[4] + n->sum[5];
	return fmin(fabs(n->own[0] - floor((left + up + 1024) / 2048)), 200);
}

/* Errors count by what they are to what is expected. */
static void add(normal *to, const double *weights, const double *f, int count, double value)
{
	double expected = 0;

	for (int i = 0; i < count; i++)
		expected += weights[i] * f[i];
	const double g = 1 / pow(fmax(expected, 0.03), 2);
	for (int i = 0; i < count; i++) {
		to->b[i] += g * f[i] * value;
		for (int k = 0; k < count; k++)
			to->m[i][k] += g * f[i] * f[k];
	}
}

/* 1 for coefficients that the coder codes: those up to the last one of their kind. */
static void find_coded(const int16_t *block, char coded[64])
{
	memset(coded, 0, 64);
	for (int i = XC_JPEG_INNER - 1, any = 0; i >= 0; i--)
		coded[xc_jpeg_inner[i]] = (char)(any |= block[xc_jpeg_inner[i]] != 0);
	for (int step = 1; step < 9; step += 7)
		for (int i = 7, any = 0; i; i--)
			coded[xc_jpeg_zigzag[i * step]] = (char)(any |= block[xc_jpeg_zigzag[i * step]] != 0);
}

static void add_picture(trainer *t, const picture *p, int phase)
{
	for (int c = 0; c < p->jpeg->components; c++) {
		const uint32_t wide = p->coding.columns[c], high = p->band.rows * p->coding.v[c];
		const int chroma = p->coding.chroma[c];
		for (uint32_t y = 0; y < high; y++)
			for (uint32_t x = (y + (uint32_t)phase) % SPARSE; x < wide; x += SPARSE) {
				double f[XC_JPEG_WEIGHTS];
				char coded[64];
				neighbours n;
				look(p->band.blocks[c] + 64 * ((size_t)y * wide + x), x > 0, y > 0, wide, &n);
				find_coded(n.own, coded);
				for (int z = 1; z < 64; z++) {
					if (!coded[z])
						continue;
					features_of(&n, z, f);
					add(&t->of[chroma][z], t->weights[chroma][z], f, XC_JPEG_WEIGHTS,
					    n.magnitude[z]);
				}
				const double off = dc_features_of(&n, &p->coding, c, f);
				add(&t->of[chroma][0], t->weights[chroma][0], f, DC_WEIGHTS, off);
			}
	}
}

/* Least squares without weights below zero: the worst one is left out until there is none. */
static void solve(const normal *n, double *weights, int count)
{
	int used[XC_JPEG_WEIGHTS], out[XC_JPEG_WEIGHTS] = {0};

	for (int again = 1; again;) {
		double a[XC_JPEG_WEIGHTS][XC_JPEG_WEIGHTS + 1];
		int k = 0, worst = -1;
		for (int i = 0; i < count; i++)
			if (!out[i] && n->m[i][i] > 0)
				used[k++] = i;
		for (int i = 0; i < k; i++) {
			for (int j = 0; j < k; j++)
				a[i][j] = n->m[used[i]][used[j]];
			a[i][i] += 1e-6 * a[i][i] + 1e-9;
			a[i][k] = n->b[used[i]];
		}
		for (int i = 0; i < k; i++)
			for (int r = 0; r < k; r++)
				for (int j = k; r != i && j >= i; j--)
					a[r][j] -= a[r][i] / a[i][i] * a[i][j];
		memset(weights, 0, (size_t)count * sizeof *weights);
		for (int i = 0; i < k; i++) {
			weights[used[i]] = a[i][k] / a[i][i];
			if (weights[used[i]] < -1e-12 && (worst < 0 || weights[used[i]] < weights[worst]))
				worst = used[i];
		}
		again = worst >= 0;
		if (again)
			out[worst] = 1;
	}
}

static void train_weights(trainer *t, char **paths)
{
	for (int i = 0; i < 2 * 64; i++) {
		double *w = t->weights[i / 64][i % 64];
		w[0] = i % 64 ? 0.05 : 0.3;
		w[1] = i % 64 ? 0.3 : 0.05;
	}
	for (int round = 0; round < ROUNDS; round++) {
		memset(t->of, 0, sizeof t->of);
		for (int i = 0; paths[i]; i++) {
			picture p;
			if (read_picture(paths[i], &p))
				add_picture(t, &p, i);
			free_picture(&p);
		}
		for (int i = 0; i < 2 * 64; i++)
			solve(&t->of[i / 64][i % 64], t->weights[i / 64][i % 64],
			      i % 64 ? XC_JPEG_WEIGHTS : DC_WEIGHTS);
	}
}

static void round_weights(const trainer *t, uint8_t to[2][64][XC_JPEG_WEIGHTS])
{
	for (int i = 0; i < 2 * 64 * XC_JPEG_WEIGHTS; i++) {
		const int z = i / XC_JPEG_WEIGHTS % 64, k = i % XC_JPEG_WEIGHTS;
		const double v = floor(UNIT * t->weights[i / XC_JPEG_WEIGHTS / 64][z][k] + 0.5);
		/* Something is always expected. */
		to[i / XC_JPEG_WEIGHTS / 64][z][k] = (uint8_t)fmin(fmax(v, z && !k), 255);
	}
}

/* --------------------------------------------------------------------- shapes */

static void count_picture(trainer *t, const picture *p)
{
	const xc_jpeg_level *level = xc_jpeg_level_get(XC_CPU_SCALAR);
	void *scratch = room_for(xc_jpeg_encode_scratch(&p->coding, p->band.rows));

	static xc_jpeg_counts own;

	memset(own, 0, sizeof own);
	level->record(&p->coding, &p->band, scratch, own);
	for (int i = 0; i < 2 * XC_JPEG_SHAPES * XC_SYMBOLS; i++)
		t->counts[i / 2 / XC_SYMBOLS][i / 2 % XC_SYMBOLS] +=
			own[i % 2][i / 2 / XC_SYMBOLS][i / 2 % XC_SYMBOLS];
	free(scratch);
}

/* The shapes that are like shape k: the first one, and how many. */
static void group_of(int k, int *first, int *count)
{
	const int begins = k < XC_JPEG_LAST_SHAPE    ? 0
	                   : k < XC_JPEG_INNER_SHAPE ? XC_JPEG_LAST_SHAPE
	                                             : XC_JPEG_INNER_SHAPE;

	*count = k < XC_JPEG_LAST_SHAPE ? 32 : k < XC_JPEG_INNER_SHAPE ? 12 : XC_JPEG_LEVELS;
	*first = begins + (k - begins) / *count * *count;
}

static double total_of(const uint32_t counts[XC_SYMBOLS])
{
	double total = 0;

	for (int i = 0; i < XC_SYMBOLS; i++)
		total += counts[i];
	return total;
}

/* What was seldom seen takes after its neighbours. */
static void make_shape(const trainer *t, int k, xc_shape_index shape)
{
	const int symbols = k >= XC_JPEG_LAST_SHAPE && k < XC_JPEG_INNER_SHAPE ? 8 : XC_SYMBOLS;
	double c[XC_SYMBOLS], total = total_of(t->counts[k]);
	uint32_t out[XC_SYMBOLS];
	int first, count;

	group_of(k, &first, &count);
	for (int i = 0; i < XC_SYMBOLS; i++)
		c[i] = t->counts[k][i];
	for (int d = 1; d < count && total < FEW; d++)
		for (int j = k - d; j <= k + d; j += 2 * d) {
			const double there = j < first || j >= first + count ? 0 : total_of(t->counts[j]);
			if (!there)
				continue;
			const double w = fmin(there, (FEW - total) / 2) / there;
			for (int i = 0; i < XC_SYMBOLS; i++)
				c[i] += w * t->counts[j][i];
			total += w * there;
		}
	for (int i = 0; i < XC_SYMBOLS; i++)
		out[i] = i >= symbols ? 0 : total == 0 ? 1 : (uint32_t)fmax(c[i] / total * 1e6, 200);
	xc_shape_of_counts(out, shape);
}

/* ------------------------------------------------------------------------ file */

static void print_weights(uint8_t weights[2][64][XC_JPEG_WEIGHTS])
{
	printf("const uint8_t xc_jpeg_weights[2][64][XC_JPEG_WEIGHTS] = {{");
	for (int i = 0; i < 2 * 64; i++) {
		printf("%s%s{", i == 64 ? "\n}, {" : "", i % 64 % 2 ? " " : "\n\t");
		for (int k = 0; k < XC_JPEG_WEIGHTS; k++)
			printf("%s%d", k ? ", " : "", weights[i / 64][i % 64][k]);
		printf("}%s", i % 64 < 63 ? "," : "");
	}
	printf("\n}};\n\n");
}

static void print_shapes(xc_shape_index shapes[XC_JPEG_SHAPES])
{
	printf("/* An index each, as a character from the blank on; without \", ? and \\. */\n"
	       "static const char shapes[] =");
	for (int k = 0; k < XC_JPEG_SHAPES; k++) {
		int v[XC_SYMBOLS], max = 0;
		for (int i = 0; i < XC_SYMBOLS; i++) {
			v[i] = shapes[k][i];
			max = v[i] > max ? v[i] : max;
		}
		/* An octave less for all changes little, and there are 92 characters. */
		for (; max > 91; max -= 8)
			for (int i = 0; i < XC_SYMBOLS; i++)
				v[i] = v[i] ? v[i] > 9 ? v[i] - 8 : 1 : 0;
		printf("%s", k % 5 ? "" : k ? "\"\n\t\"" : "\n\t\"");
		for (int i = 0; i < XC_SYMBOLS; i++) {
			int c = ' ' + v[i];
			c += c >= '"';
			c += c >= '?';
			c += c >= '\\';
			putchar(c);
		}
	}
	printf(
		"\";\n/* clang-format on */\n\n"
		"void xc_jpeg_builtin_shapes(xc_shape_index to[XC_JPEG_SHAPES])\n{\n"
		"\tfor (int i = 0; i < XC_JPEG_SHAPES * XC_SYMBOLS; i++) {\n"
		"\t\tconst int c = shapes[i];\n"
		"\t\tto[i / XC_SYMBOLS][i %% XC_SYMBOLS] = (uint8_t)(c - ' ' - (c > '\"') - (c > '?') -\n"
		"\t\t                                               (c > '\\\\'));\n\t}\n}\n");
}

int main(int argc, char **argv)
{
	const int shapes_wanted = argc > 2 && !strcmp(argv[1], "shapes");
	trainer *t = calloc(1, sizeof *t);
	xc_shape_index shapes[XC_JPEG_SHAPES];
	uint8_t weights[2][64][XC_JPEG_WEIGHTS];

	if (!t || argc < 3 || (!shapes_wanted && strcmp(argv[1], "weights") != 0)) {
		fprintf(stderr, "Usage: train_jpeg weights|shapes JPEG... > jpeg/builtin.c\n");
		return 2;
	}
	xc_jpeg_builtin_shapes(shapes);
	memcpy(weights, xc_jpeg_weights, sizeof weights);
	if (!shapes_wanted) {
		train_weights(t, argv + 2);
		round_weights(t, weights);
	}
	for (int i = 2; shapes_wanted && i < argc; i++) {
		picture p;
		if (read_picture(argv[i], &p))
			count_picture(t, &p);
		free_picture(&p);
	}
	for (int k = 0; shapes_wanted && k < XC_JPEG_SHAPES; k++)
		make_shape(t, k, shapes[k]);
	printf(
		"/* SPDX-License-Identifier: BSD-2-Clause */\n"
		"/* What coefficients of JPEGs are coded by (jpeg/model.h): weights and shapes, fitted by\n"
		" * bench/tools/train_jpeg. */\n#include \"jpeg/model.h\"\n\n/* clang-format off */\n");
	print_weights(weights);
	print_shapes(shapes);
	free(t);
	return 0;
}
