/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Searches the default's quantization steps: those with which pictures take the fewest bytes at
 * equal SSIMULACRA2 and Butteraugli. bench/README.md says how to run it. It assumes pictures that
 * fit memory together, and prints the parameters that quant/tables.c has.
 *
 * Steps are a function of the diagonal d = u + v, which a few parameters describe; see step_of().
 * Each parameter has a value at each knot, which is a scale (the step of luma's middle), and is
 * linear in the logarithm of the scale between knots. The search goes through parameters and knots
 * one by one, tries a step up and a step down, and keeps what is better.
 *
 * The score of a trial: for each picture and scale, the bytes over those that the first parameters
 * need for the same metric, by their curve over a ladder of scales. The score is the mean of the
 * logarithm of this.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xcodec.h>

#include "bench/tiled.h"
#include "src/core/parallel.h"

enum { KNOTS = 3, LADDER = 15, MAX_PICTURES = 400 };

/* What steps depend on: factors of the lowest diagonals, the slope and the bend of the rest, for
 * luma and chroma; and chroma's ratio to luma. */
enum {
	DC,
	FIRST,
	SECOND,
	SLOPE,
	BEND,
	OF_LUMA,
	OF_CHROMA = OF_LUMA,
	RATIO = 2 * OF_LUMA,
	PARAMETERS
};

static const char *const names[PARAMETERS] = {"luma dc", "first",     "second", "slope",
                                              "bend",    "chroma dc", "first",  "second",
                                              "slope",   "bend",      "ratio"};

typedef struct parameters {
	double at[KNOTS][PARAMETERS];
} parameters;

static const double knots[KNOTS] = {26, 11, 3.6};

/* Where trials are measured, and the ladder of the curves. */
static const double scales[] = {34, 24, 17, 12, 8.5, 6, 4, 2.8};
enum { SCALES = sizeof scales / sizeof *scales };

typedef struct measures {
	double bytes; /* logarithm */
	double ssimulacra2, butteraugli;
} measures;

static struct search {
	xc_file_picture picture[MAX_PICTURES];
	int pictures, effort;
	xc_subsampling subsampling;
	double weight;                                 /* of Butteraugli */
	xc_context *threads, *context[XC_MAX_THREADS]; /* of all, and of each */
	measures ladder[MAX_PICTURES][LADDER];
} s;

/* A parameter at a scale. */
static double value_of(const parameters *p, int parameter, double scale)
{
	int k = scale < knots[1];
	double part = log(scale / knots[k]) / log(knots[k + 1] / knots[k]);

	part = fmax(part, 0);
	part = fmin(part, 1.3);
	return p->at[k][parameter] + part * (p->at[k + 1][parameter] - p->at[k][parameter]);
}

static double step_of(const double v[PARAMETERS], int first, int d)
{
	const double x = (d - 2) / 12.0;
	const double plain = 1 + v[first + SLOPE] * x + v[first + BEND] * x * (1 - x);

	return d > 2 ? plain : v[first + d];
}

static void tables_of(const parameters *p, double scale, xc_quant_tables *tables)
{
	double v[PARAMETERS];

	for (int i = 0; i < PARAMETERS; i++)
		v[i] = value_of(p, i, scale);
	for (int i = 0; i < 64; i++) {
		const int d = i / 8 + i % 8;
		tables->luma[i] = (uint16_t)fmax(1, scale * step_of(v, 0, d) + 0.5);
		tables->chroma[i] = (uint16_t)fmax(1, scale * v[RATIO] * step_of(v, OF_CHROMA, d) + 0.5);
	}
}

static _Noreturn void die(const char *what, const char *why)
{
	fprintf(stderr, "search: %s: %s\n", what, why);
	exit(1);
}

static void check(xc_context *c, xc_status status)
{
	if (status)
		die("failed", xc_context_message(c));
}

static measures measure(xc_context *c, const parameters *p, const xc_picture *picture, double scale)
{
	xc_encode_options o;
	xc_buffer file;
	xc_picture decoded = {.data = NULL};
	measures m = {0};

	xc_encode_options_default(&o);
	o.quality = 50; /* the tables as they are */
	o.effort = s.effort;
	o.subsampling = s.subsampling;
	tables_of(p, scale, &o.tables);
	check(c, xc_encode(c, picture, NULL, &o, &file));
	check(c, xc_decode(c, file.data, file.size, NULL, &decoded));
	check(c, xc_ssimulacra2(c, picture, &decoded, 0, &m.ssimulacra2));
	double max;
	check(c, xc_butteraugli(c, picture, &decoded, 0, &m.butteraugli, &max));
	/* Stored tables take more bytes than the formula does. */
	m.bytes = log((double)file.size - 118);
	xc_picture_free(c, &decoded);
	xc_buffer_free(c, &file);
	return m;
}

/* The logarithm of the bytes at which the ladder reaches a metric that falls by `sign` along it. */
static double bytes_at(const measures *ladder, const double *metric, double wanted)
{
	const size_t stride = sizeof *ladder / sizeof(double);
	const double sign = metric[(LADDER - 1) * stride] > metric[0] ? 1 : -1;
	int i = 0;

	while (i < LADDER - 2 && sign * metric[(size_t)(i + 1) * stride] < sign * wanted)
		i++;
	const double from = metric[(size_t)i * stride], to = metric[(size_t)(i + 1) * stride];
	const double part = to != from ? (wanted - from) / (to - from) : 0;
	return ladder[i].bytes + part * (ladder[i + 1].bytes - ladder[i].bytes);
}

/* What all threads measure: `count` scales of each picture. */
typedef struct task {
	const parameters *p;
	const double *scales;
	int count;
	measures *result; /* of each picture, LADDER apart */
} task;

static void measure_item(void *user, uint64_t item, int worker)
{
	const task *t = user;
	const int picture = (int)item / t->count, i = (int)item % t->count;

	t->result[picture * LADDER + i] = measure(s.context[worker], t->p, &s.picture[picture].picture,
	                                          t->scales[i]);
}

static void measure_all(task *t)
{
	const uint64_t items = (uint64_t)(s.pictures * t->count);

	check(s.threads, xc_parallel_for(s.threads, items, UINT64_MAX, measure_item, t, 0, 0));
}

static void make_ladder(const parameters *p)
{
	double all[LADDER];
	task t = {p, all, LADDER, s.ladder[0]};

	for (int i = 0; i < LADDER; i++)
		all[i] = 50 * pow(0.8, i);
	measure_all(&t);
}

typedef struct score {
	double ssimulacra2, butteraugli, total;
} score;

/* first, last: the scales that count. */
static score score_of(const parameters *p, int first, int last)
{
	static measures results[MAX_PICTURES][LADDER];
	const int n = last - first + 1;
	task t = {p, scales + first, n, results[0]};
	double a = 0, b = 0;

	measure_all(&t);
	for (int i = 0; i < s.pictures * n; i++) {
		const measures *ladder = s.ladder[i / n], *m = &results[i / n][i % n];
		a += m->bytes - bytes_at(ladder, &ladder->ssimulacra2, m->ssimulacra2);
		b += m->bytes - bytes_at(ladder, &ladder->butteraugli, m->butteraugli);
	}
	a /= s.pictures * n;
	b /= s.pictures * n;
	return (score){a, b, (1 - s.weight) * a + s.weight * b};
}

static void print(const parameters *p, score now)
{
	printf("SSIMULACRA2 %+.2f %%, Butteraugli %+.2f %%\n", 100 * now.ssimulacra2,
	       100 * now.butteraugli);
	for (int i = 0; i < PARAMETERS; i++) {
		printf("  %-10s", names[i]);
		for (int k = 0; k < KNOTS; k++)
			printf(" %7.3f", p->at[k][i]);
		printf("\n");
	}
	fflush(stdout);
}

/* The scales that a knot's parameters reach. */
static void reach(int knot, int *first, int *last)
{
	*first = SCALES - 1;
	*last = 0;
	for (int i = 0; i < SCALES; i++)
		if ((!knot || scales[i] < knots[knot - 1]) &&
		    (knot == KNOTS - 1 || scales[i] > knots[knot + 1])) {
			*first = i < *first ? i : *first;
			*last = i > *last ? i : *last;
		}
}

/* Tries one parameter at one knot; returns what it gained. */
static double try(parameters *p, int knot, int parameter, double step)
{
	int first, last;
	double gained = 0;

	reach(knot, &first, &last);
	const score now = score_of(p, first, last);
	for (int sign = 1; sign >= -1 && !(gained > 0); sign -= 2) {
		parameters other = *p;
		double *v = &other.at[knot][parameter];
		*v += sign * step * (parameter % OF_LUMA == SLOPE || parameter % OF_LUMA == BEND ? 1 : *v);
		const score then = score_of(&other, first, last);
		if (then.total < now.total) {
			gained = now.total - then.total;
			*p = other;
		}
	}
	return gained;
}

static int usage(void)
{
	fputs(
		"usage: bench/rd/search [-4] [-e EFFORT] [-w WEIGHT] [-r ROUNDS] [-p FILE] PICTURE...\n"
		"  -4  4:4:4 instead of 4:2:0\n"
		"  -w  Butteraugli's share of the score, 0 to 1; default 0.4\n"
		"  -p  parameters to begin with, and without rounds to measure against the built-in first ones\n",
		stderr);
	return 2;
}

static void read_parameters(const char *path, parameters *p)
{
	FILE *f = fopen(path, "r");

	if (!f)
		die(path, "cannot open");
	for (int i = 0; i < PARAMETERS; i++)
		for (int k = 0; k < KNOTS; k++)
			if (fscanf(f, "%lf", &p->at[k][i]) != 1)
				die(path, "not the numbers of all parameters");
	fclose(f);
}

int main(int argc, char **argv)
{
	/* The hand-made steps that the search began with. */
	parameters p = {{{0.44, 0.72, 1, 1.7, 0, 0.38, 0.54, 0.8, 1, 0, 1.03}}};
	int rounds = 3, option;
	const char *path = NULL;

	s.effort = 2;
	s.weight = 0.4;
	s.subsampling = XC_SUBSAMPLING_420;
	while ((option = getopt(argc, argv, "4r:p:e:w:")) != -1)
		switch (option) {
		case '4':
			s.subsampling = XC_SUBSAMPLING_444;
			break;
		case 'r':
			rounds = atoi(optarg);
			break;
		case 'p':
			path = optarg;
			break;
		case 'e':
			s.effort = atoi(optarg);
			break;
		case 'w':
			s.weight = atof(optarg);
			break;
		default:
			return usage();
		}
	for (int k = 1; k < KNOTS; k++)
		memcpy(p.at[k], p.at[0], sizeof p.at[0]);
	for (; optind < argc && s.pictures < MAX_PICTURES; optind++) {
		char message[XC_FILE_MESSAGE];
		if (xc_bench_read_picture(argv[optind], &s.picture[s.pictures++], message))
			die(argv[optind], message);
	}
	if (!s.pictures)
		return usage();
	s.threads = xc_context_new(NULL);
	for (int i = 0; s.threads && i < xc_context_threads(s.threads); i++) {
		s.context[i] = xc_context_new(NULL);
		if (!s.context[i] || xc_context_set_threads(s.context[i], 1))
			die("contexts", "out of memory");
	}
	if (!s.threads)
		die("contexts", "out of memory");
	make_ladder(&p);
	if (path)
		read_parameters(path, &p);
	print(&p, score_of(&p, 0, SCALES - 1));
	for (int round = 0; round < rounds; round++) {
		double step = 0.2 / (1 << round);
		for (int parameter = 0; parameter < PARAMETERS; parameter++)
			for (int knot = 0; knot < KNOTS; knot++)
				for (int i = 0; i < 3 && try(&p, knot, parameter, step) > 0; i++)
					continue;
		print(&p, score_of(&p, 0, SCALES - 1));
	}
	return 0;
}
