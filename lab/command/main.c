/* SPDX-License-Identifier: BSD-2-Clause */
/* xcodec-lab: the subcommands of the laboratory, which xcodec runs by their names, and what they
 * share. */
#include "lab/command/common.h"

#include "cli/base/report.h"
#include "cli/base/io.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const xc_cli_choice xc_cli_precisions[] = {{"half", XCT_FLOAT16},
                                           {"16", XCT_INT16},
                                           {"32", XCT_FLOAT32},
                                           {"64", XCT_FLOAT64},
                                           {"128", XCT_LONG_DOUBLE},
                                           {"80", XCT_LONG_DOUBLE},
                                           {NULL, 0}};

const xc_cli_choice xc_cli_scalings[] = {{"orthonormal", XCT_ORTHONORMAL},
                                         {"none", XCT_UNSCALED},
                                         {"matlab", XCT_MATLAB},
                                         {"jiang", XCT_JIANG},
                                         {NULL, 0}};

const xc_cli_choice xc_cli_kinds[] = {{"dct1", XCT_DCT1}, {"dct2", XCT_DCT2}, {"dct3", XCT_DCT3},
                                      {"dct4", XCT_DCT4}, {"dst1", XCT_DST1}, {"dst2", XCT_DST2},
                                      {"dst3", XCT_DST3}, {"dst4", XCT_DST4}, {NULL, 0}};

const char *xc_cli_parse_array_size(const char *text, int max, size_t longest, xc_cli_size *size)
{
	size_t sides[3];
	int count = 0;
	char *end;

	do {
		if (count == max || *text < '1' || *text > '9')
			return NULL;
		sides[count] = strtoul(text, &end, 10);
		if (sides[count++] > longest)
			return NULL;
		text = end + 1;
	} while (*end == 'x');
	*size = (xc_cli_size){.slices = count == 3 ? sides[2] : 1,
	                      .rows = sides[count > 1],
	                      .cols = sides[0]};
	return end;
}

const char *xc_cli_parse_number(const char *text, double low, double high, const char *wanted,
                                double *value)
{
	char *end;
	double number = strtod(text, &end);

	if (end == text || *end || !(number >= low && number <= high))
		return wanted;
	*value = number;
	return NULL;
}

int xc_cli_transform_threads(const xc_cli_limits *limits)
{
	xc_context *context = xc_cli_context(limits);
	int threads = context ? xc_context_threads(context) : -1;

	xc_context_free(context);
	return threads;
}

/* Ends when the lock is free, until which all threads exist. */
static void *wait_for(void *lock)
{
	pthread_mutex_lock(lock);
	pthread_mutex_unlock(lock);
	return NULL;
}

int xc_cli_transform_threads_start(int threads)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	const int more = threads > 1 ? threads - 1 : 0; /* besides this one */
	pthread_t *thread = more ? malloc((size_t)more * sizeof *thread) : NULL;
	int n = 0, failed = more && !thread ? ENOMEM : 0;

	pthread_mutex_lock(&lock);
	while (n < more && !failed)
		if (!(failed = pthread_create(&thread[n], NULL, wait_for, &lock)))
			n++;
	pthread_mutex_unlock(&lock);
	while (n > 0)
		pthread_join(thread[--n], NULL);
	free(thread);
	pthread_mutex_destroy(&lock);
	return failed ? xc_cli_error(NULL, "cannot start %d threads: %s (see --threads)", threads,
	                             strerror(failed))
	              : 0;
}

xct_descriptor xc_cli_descriptor(const xct_algorithm *a, int kind, xct_direction direction,
                                 xct_precision precision, const xc_cli_size *size)
{
	const size_t sides[3] = {size->slices, size->rows, size->cols};
	xct_descriptor d;

	xct_descriptor_default(&d);
	d.algorithm = a->name;
	d.kind = (xct_kind)(a->kinds & 1u << XCT_DCT2 ? XCT_DCT2 : __builtin_ctz(a->kinds));
	if (kind >= 0)
		d.kind = (xct_kind)kind;
	d.direction = direction;
	d.precision = precision;
	d.device = a->gpu ? 0 : XCT_CPU;
	d.bands = (int)(a->bands & -a->bands); /* the least */
	d.dimensions = size->slices > 1 ? 3 : 2;
	/* A single row or column is a line. */
	const int line = d.dimensions == 2 && (sides[1] == 1 || sides[2] == 1);
	if (line && d.kind <= XCT_DST4) {
		d.dimensions = 1;
		d.size[0] = sides[1] * sides[2];
	} else {
		for (int i = 0; i < d.dimensions; i++)
			d.size[i] = sides[3 - d.dimensions + i];
	}
	return d;
}

int xc_cli_bands(xct_context *context, const xct_descriptor *descriptor, xc_cli_size *bands)
{
	xct_descriptor forward = *descriptor;
	xct_plan_info info;

	forward.direction = XCT_FORWARD;
	if (xct_describe(context, &forward, &info) != XCT_OK)
		return -1;
	/* All others keep the size. */
	if (xc_cli_is_banded(info.algorithm))
		*bands = (xc_cli_size){1, info.out_size[0], info.out_size[1]};
	return 0;
}

const xct_algorithm *xc_cli_algorithm(const char *subject, const char *name)
{
	const xct_algorithm *algorithm = xct_algorithm_find(name);

	if (!algorithm)
		xc_cli_error(subject, "no algorithm '%s' (see 'xcodec transform --list')", name);
	return algorithm;
}

static const xc_cli_command *const commands[] = {
	&xc_lab_transform,
	&xc_lab_generate,
	&xc_lab_bench,
};

enum { COMMANDS = sizeof commands / sizeof *commands };

int main(int argc, char **argv)
{
	xc_cli_start("xcodec");
	for (int i = 0; argc > 1 && i < COMMANDS; i++)
		if (!strcmp(argv[1], commands[i]->name))
			return xc_cli_end(commands[i]->run(commands[i], argc - 1, argv + 1));
	fputs("xcodec-lab: is a part of xcodec; run 'xcodec transform', 'xcodec generate' or "
	      "'xcodec bench transforms'\n",
	      stderr);
	return XC_CLI_USAGE;
}
