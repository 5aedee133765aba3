/* SPDX-License-Identifier: BSD-2-Clause */
/* Transforms to be timed side by side on arrays of one size. */
#ifndef XC_LAB_COMMAND_BENCH_CASES_H
#define XC_LAB_COMMAND_BENCH_CASES_H

#include "lab/registry.h"

typedef struct xc_bench_case {
	const xc_algorithm *algorithm; /* NULL: a plain copy */
	xc_direction direction;
	xc_precision precision;
	xc_transform_size in, out;
	xc_plan *plan;                   /* NULL: a plain copy */
	const void *input;               /* the group's */
	double bytes;                    /* read and written */
	int runs, repeats;               /* times measured, and calls at a time */
	double *wall;                    /* seconds of each run */
	double mean, median, least, cpu; /* seconds a call; cpu is a mean */
	double error;                    /* over the largest coefficient; not a number: not known */
} xc_bench_case;

typedef struct xc_bench_group {
	xc_transform_size size; /* of the spatial array */
	int threads;
	xc_bench_case *cases;
	size_t count, room;
	void *inputs[XC_PRECISION_80 + 1]; /* by precision; random samples */
	void *output;
	size_t output_size; /* of its samples: the largest so far */
	size_t samples;     /* room in each of them */
} xc_bench_group;

void xc_bench_start(xc_bench_group *group, const xc_transform_size *size, int threads);
void xc_bench_free(xc_bench_group *group);

/* Adds both directions of an algorithm (NULL: a copy), if it takes the size and the precision.
 * Returns the number of cases added, or -1 when memory is out. */
int xc_bench_add(xc_bench_group *group, const xc_algorithm *algorithm, xc_precision precision);

/* Times every case `runs` times (fewer if that would take longer than `seconds`, but at least once)
 * after a run that does not count.  The cases take turns, so that what else the machine does hits
 * all of them alike.  Returns 0, or -1 when memory is out. */
int xc_bench_measure(xc_bench_group *group, int runs, double seconds);

/* Fills in the errors; see bench_reference.c for what is compared with what. */
void xc_bench_check(xc_bench_group *group);

/* The case of that algorithm and direction, or NULL. */
const xc_bench_case *xc_bench_find(const xc_bench_group *group, const char *name,
                                   xc_direction direction);
/* The name of the algorithm, or "copy". */
const char *xc_bench_name(const xc_bench_case *c);

#endif
