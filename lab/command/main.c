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

const xc_cli_choice xc_cli_precisions[] = {{"16", XC_PRECISION_16}, {"32", XC_PRECISION_32},
                                           {"64", XC_PRECISION_64}, {"128", XC_PRECISION_80},
                                           {"80", XC_PRECISION_80}, {NULL, 0}};

const char *xc_cli_parse_array_size(const char *text, int max, size_t longest,
                                    xc_transform_size *size)
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
	*size = (xc_transform_size){.slices = count == 3 ? sides[2] : 1,
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

const xc_algorithm *xc_cli_algorithm(const char *subject, const char *name)
{
	const xc_algorithm *algorithm = xc_algorithm_find(name);

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
