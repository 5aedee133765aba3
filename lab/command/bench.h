/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of `xcodec bench transforms` have in common. */
#ifndef XC_LAB_COMMAND_BENCH_H
#define XC_LAB_COMMAND_BENCH_H

#include "cli/base/json.h"
#include "lab/command/common.h"
#include "lab/samples.h"

/* Transforms to be timed side by side on arrays of one size. */

typedef struct xc_bench_case {
	const xct_algorithm *algorithm; /* NULL: a plain copy */
	xct_direction direction;
	xct_precision precision;
	xc_cli_size in, out;
	xct_plan *plan;                /* NULL: a plain copy, or */
	const char *title;             /* of what is no algorithm */
	xct_poisson *poisson;          /* the potential and the forces of a density */
	void *fields;                  /* its three arrays */
	double planned;                /* seconds: tables, and the planning of FFTs */
	const void *input;             /* the group's */
	double bytes;                  /* read and written */
	int runs, repeats;             /* times measured, and calls at a time */
	double *wall;                  /* seconds of each run */
	double mean, median, min, cpu; /* seconds a call; cpu is a mean */
	double deviation;              /* of wall */
	double error;                  /* over the largest coefficient; not a number: not known */
	int same;                      /* a device's: the processor's bits */
	xct_times times;               /* of one execution on a device; all 0: none */
} xc_bench_case;

typedef struct xc_bench_group {
	xc_cli_size size;  /* of the spatial array */
	int threads, kind; /* kind: see xc_cli_descriptor() */
	xct_context *context;
	xc_bench_case *cases;
	size_t count, room;
	void *inputs[XCT_FLOAT16 + 1]; /* by precision; random samples */
	void *output;
	size_t output_size; /* of its samples: the largest so far */
	size_t samples;     /* room in each of them */
} xc_bench_group;

/* 0, or -1 when memory is out. */
int xc_bench_start(xc_bench_group *group, const xc_cli_size *size, int threads, int kind);
void xc_bench_drop(xc_bench_group *group); /* the cases, but not the arrays */
void xc_bench_free(xc_bench_group *group);

/* Adds both directions of an algorithm (NULL: a copy), if it takes the size and the precision.
 * Returns the number of cases added, or -1 when memory is out. */
int xc_bench_add(xc_bench_group *group, const xct_algorithm *algorithm, xct_precision precision);

/* Adds the potential and the forces of a density like that of a circuit, on the processor or a GPU; the
 * group's arrays become that density.  As above. */
int xc_bench_add_poisson(xc_bench_group *group, xct_precision precision, int device);

/* Times every case `runs` times (fewer if that would take longer than `seconds`, but at least once)
 * after a run that does not count.  The cases take turns, so that what else the machine does hits
 * all of them alike.  Returns 0, or -1 when memory is out. */
int xc_bench_measure(xc_bench_group *group, int runs, double seconds);

/* Sorts the times of the case's runs; their mean, deviation, median and least one. */
void xc_bench_sum_up(xc_bench_case *c);

/* The error of the group's output, which is that of the case, over the largest value that the
 * reference finds in that precision; not a number if it finds none.  *same: they are equal bit by
 * bit. */
double xc_bench_error_of(const xc_bench_group *group, const xc_bench_case *c,
                         const xct_algorithm *reference, xct_precision precision, int *same);

/* Fills in the errors; see bench_cases.c for what is compared with what. */
void xc_bench_check(xc_bench_group *group);

/* The case of that algorithm and direction, or NULL. */
const xc_bench_case *xc_bench_find(const xc_bench_group *group, const char *name,
                                   xct_direction direction);
/* The name of the algorithm, or "copy" and so on. */
const char *xc_bench_name(const xc_bench_case *c);

/* The tables of `xcodec bench transforms`, as text or JSON. */

typedef struct xc_bench_report {
	int as_json;
	xc_cli_json json;
	int tables; /* printed so far */
	struct xc_bench_kept {
		const xct_algorithm *algorithm;
		xct_direction direction;
		xct_precision precision;
		xc_cli_size size;
		double median;
	} * kept; /* the processor's times, for a GPU's to be compared with */
	size_t keeps;
} xc_bench_report;

/* "512 x 512", or "64 x 64 x 64" for a volume; returns name. */
enum { XC_BENCH_SIZE_NAME = 72 };
const char *xc_bench_size_name(const xc_cli_size *size, char name[XC_BENCH_SIZE_NAME]);

const char *xc_bench_direction(xct_direction direction);

/* Begins a case: what it is.  Its numbers and the end are the caller's. */
void xc_bench_json_case(xc_cli_json *json, const char *table, const xc_bench_group *group,
                        const xc_bench_case *c);
/* After a space, in a field of `width`; and at the end of a line.  What is not known is "-". */
void xc_bench_print_ratio(double value, int width);
void xc_bench_print_error(double error);

void xc_bench_report_start(xc_bench_report *report, int as_json, int threads);
void xc_bench_report_end(xc_bench_report *report);

/* Every case of a group, with its ratio to a copy and to FFTW. */
void xc_bench_report_arrays(xc_bench_report *report, const xc_bench_group *group, int first);
/* One line for a size: the four ways through a one-dimensional FFT; or row-column,
 * multi-dimensional and the FFT alone side by side. The first one prints the headings. */
void xc_bench_report_poisson(xc_bench_report *report, const xc_bench_group *group, int first);
/* Keeps the times of a group as far as there is memory. */
void xc_bench_keep(xc_bench_report *report, const xc_bench_group *group);
/* The least time of those that are kept; not a number: there is none. */
double xc_bench_kept_time(const xc_bench_report *report, const xct_algorithm *algorithm,
                          const xc_bench_group *group, const xc_bench_case *c);
void xc_bench_report_lines(xc_bench_report *report, const xc_bench_group *group, int first);
void xc_bench_report_fusion(xc_bench_report *report, const xc_bench_group *group, int first);
/* Several numbers of threads side by side, with speed-ups over the fastest of its kind on one thread;
 * groups[0] has one thread. */
void xc_bench_report_threads(xc_bench_report *report, const xc_bench_group *groups, size_t count);

/* The table of transforms on a GPU. */

/* What the table is about. */
typedef enum xc_bench_columns {
	XC_BENCH_KERNELS,
	XC_BENCH_STAGES, /* the three stages around FFTs */
	XC_BENCH_FLOPS   /* operations a second, with and without transfer */
} xc_bench_columns;

/* The kernels' times of all algorithms of a list (ends with NULL; those that are not of
 * a device are passed over) on arrays of one size, with a copy on the device and cuFFT's
 * real FFT measured beside them.  0, or -1 after reporting why not. */
int xc_bench_device(xc_bench_report *report, xc_bench_columns columns,
                    const xct_algorithm *const *list, const xc_cli_size *size,
                    xct_precision precision, int runs);

/* Whether any algorithm of the list can run here; if not, why. */
int xc_bench_device_usable(const xct_algorithm *const *list, char why[256]);

#endif
