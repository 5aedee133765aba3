/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Blockwise and lapped transforms of one large array against a plain copy of the
 * same bytes, in one process, the contestants taking turns so that what else the
 * machine does hits all of them alike.
 *
 *	transforms_block [-n SIZE] [-r ROUNDS] [-t THREADS] [-p 32|64] [ALGORITHM...]
 *
 * Prints, for each algorithm and direction, the least and the median wall time over
 * the rounds (after one that is not counted), and both as ratios to the copy's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/clock.h"
#include "lab/registry.h"

typedef struct contestant {
	char name[64];
	xc_plan *plan; /* NULL: the copy */
	void *in, *out;
	double *times;
} contestant;

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void *array(size_t bytes)
{
	/* whole pages, all of them touched */
	void *memory = aligned_alloc(4096, (bytes + 4095) & ~(size_t)4095);
	if (!memory) {
		fprintf(stderr, "transforms_block: out of memory\n");
		exit(1);
	}
	memset(memory, 0, (bytes + 4095) & ~(size_t)4095);
	return memory;
}

static void fill(void *memory, xc_precision precision, size_t count)
{
	unsigned state = 1;
	for (size_t i = 0; i < count; i++) {
		state = state * 1664525u + 1013904223u;
		if (precision == XC_PRECISION_32)
			((float *)memory)[i] = (float)(state >> 24);
		else
			((double *)memory)[i] = (double)(state >> 24);
	}
}

static void report(const contestant *all, size_t count, size_t rounds)
{
	printf("%-36s %9s %9s  %6s %6s\n", "", "least ms", "median", "/copy", "/copy");
	for (size_t i = 0; i < count; i++)
		qsort(all[i].times, rounds, sizeof(double), compare);
	for (size_t i = 0; i < count; i++) {
		const double *t = all[i].times, *copy = all[0].times;
		printf("%-36s %9.2f %9.2f  %6.2f %6.2f\n", all[i].name, 1e3 * t[0], 1e3 * t[rounds / 2],
		       t[0] / copy[0], t[rounds / 2] / copy[rounds / 2]);
	}
}

typedef struct options {
	size_t size, rounds;
	int threads;
	xc_precision precision;
	const char *const *names;
	size_t named;
} options;

/* 0, or -1 for what makes no sense. */
static int read_options(int argc, char **argv, options *o)
{
	int arg = 1;
	for (; arg + 1 < argc && argv[arg][0] == '-'; arg += 2) {
		const long value = strtol(argv[arg + 1], NULL, 10);
		if (value < 1 || value > 65536)
			return -1;
		switch (argv[arg][1]) {
		case 'n':
			o->size = (size_t)value;
			break;
		case 'r':
			o->rounds = (size_t)value;
			break;
		case 't':
			o->threads = (int)value;
			break;
		case 'p':
			o->precision = value == 64 ? XC_PRECISION_64 : XC_PRECISION_32;
			break;
		default:
			return -1;
		}
	}
	if (arg < argc) {
		o->names = (const char *const *)argv + arg;
		o->named = (size_t)(argc - arg);
	}
	return 0;
}

/* Both directions of every algorithm that can do it, after the copy. */
static size_t enter(const options *o, contestant *all, void *samples, void *bands, void *back)
{
	const xc_transform_size frame = {1, o->size, o->size};
	size_t count = 0;
	all[count++] = (contestant){"copy", NULL, samples, back, NULL};
	for (size_t i = 0; i < o->named; i++) {
		const xc_algorithm *a = xc_algorithm_find(o->names[i]);
		for (int d = 0; a && d < 2; d++) {
			contestant *c = &all[count];
			c->plan = xc_plan_new(a, (xc_direction)d, o->precision, &frame, o->threads);
			if (!c->plan)
				continue;
			snprintf(c->name, sizeof c->name, "%s %s", a->name, d ? "inverse" : "forward");
			c->in = d ? bands : samples;
			c->out = d ? back : bands;
			count++;
		}
	}
	return count;
}

static void compete(const contestant *all, size_t count, const options *o)
{
	const size_t bytes = o->size * o->size * xc_precision_bytes(o->precision);
	for (size_t round = 0; round < o->rounds + 1; round++) {
		for (size_t i = 0; i < count; i++) {
			const double start = xc_cli_seconds();
			if (all[i].plan)
				xc_plan_execute(all[i].plan, all[i].in, all[i].out);
			else
				memcpy(all[i].out, all[i].in, bytes);
			if (round)
				all[i].times[round - 1] = xc_cli_seconds() - start;
		}
	}
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"cpu-fftw-advanced", "cpu-aan",        "cpu-flmad",
	                                    "cpu-flot",          "cpu-aan-openmp", "cpu-flmad-openmp",
	                                    "cpu-flot-openmp"};
	options o = {4096, 11, 2, XC_PRECISION_32, names, sizeof names / sizeof *names};
	if (read_options(argc, argv, &o)) {
		fprintf(stderr, "usage: transforms_block [-n SIZE] [-r ROUNDS] [-t THREADS] "
		                "[-p 32|64] [ALGORITHM...]\n");
		return 2;
	}
	const size_t more = (o.size + 16) * (o.size + 16) * xc_precision_bytes(o.precision);
	void *samples = array(more), *bands = array(more), *back = array(more);
	fill(samples, o.precision, o.size * o.size);
	contestant *all = array((2 * o.named + 1) * sizeof *all);
	const size_t count = enter(&o, all, samples, bands, back);
	for (size_t i = 0; i < count; i++)
		all[i].times = array(o.rounds * sizeof(double));
	compete(all, count, &o);
	printf("%zux%zu, %d bits, %d thread(s) where threads are used, %zu rounds\n", o.size, o.size,
	       xc_precision_bits(o.precision), o.threads, o.rounds);
	report(all, count, o.rounds);
	for (size_t i = 0; i < count; i++) {
		xc_plan_free(all[i].plan);
		free(all[i].times);
	}
	free(all);
	free(samples);
	free(bands);
	free(back);
	return 0;
}
