/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/base/batch.h"

#include "cli/base/batch_names.h"
#include "cli/base/batch_progress.h"
#include "cli/base/cleanup.h"
#include "cli/base/io.h"
#include "cli/base/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xcodec_cuda.h>

#include "src/core/pool.h"

enum { NAME_ROOM = 16 }; /* "cuda:N" */

typedef struct run {
	const xc_cli_batch *batch;
	char **names;
	xc_context **contexts;
	int workers;
	int next, failed; /* files */
	xc_cli_batch_progress progress;
} run;

/* What "cuda" is for each worker: the GPUs that can be used, in turn. */
typedef struct gpus {
	xc_cuda_device *list;
	int count;
} gpus;

static void find_gpus(const xc_cli_batch *b, xc_context *context, gpus *out)
{
	int count = 0;

	*out = (gpus){NULL, 0};
	if (strcmp(b->limits->device, "cuda") != 0 ||
	    xc_cuda_devices(context, NULL, 0, &count) != XC_OK || count < 1)
		return;
	out->list = calloc((size_t)count, sizeof *out->list);
	if (!out->list || xc_cuda_devices(context, out->list, count, &count) != XC_OK)
		return;
	for (int i = 0; i < count; i++)
		if (out->list[i].usable)
			out->list[out->count++] = out->list[i];
}

static xc_context *make_context(const xc_cli_batch *b, const gpus *g, int worker, int threads)
{
	xc_cli_limits limits = *b->limits;
	char device[NAME_ROOM];

	limits.threads = threads;
	if (g->count) {
		snprintf(device, sizeof device, "cuda:%d", g->list[worker % g->count].index);
		limits.device = device;
	}
	return xc_cli_context(&limits);
}

/* How many files at a time. */
static int count_workers(int files, int threads)
{
	int most = threads < XC_CLI_WRITERS ? threads : XC_CLI_WRITERS;

	return files < most ? files : most;
}

static void free_contexts(run *r)
{
	for (int i = 0; r->contexts && i < r->workers; i++)
		xc_context_free(r->contexts[i]);
	free(r->contexts);
}

/* Threads are shared out evenly; what is left over goes to the first workers. */
static int make_contexts(run *r)
{
	xc_cli_limits limits = *r->batch->limits;
	xc_context *first;
	gpus g;
	int threads, failed = 0;

	limits.device = "cpu";
	first = xc_cli_context(&limits);
	if (!first)
		return -1;
	threads = xc_context_threads(first);
	r->workers = count_workers(r->batch->count, threads);
	find_gpus(r->batch, first, &g);
	xc_context_free(first);
	r->contexts = calloc((size_t)r->workers, sizeof(xc_context *));
	if (!r->contexts) {
		xc_cli_error(NULL, "out of memory");
		failed = -1;
	}
	for (int i = 0; i < r->workers && !failed; i++) {
		int more = i < threads % r->workers;

		r->contexts[i] = make_context(r->batch, &g, i, threads / r->workers + more);
		failed = r->contexts[i] ? 0 : -1;
	}
	free(g.list);
	return failed;
}

static int one_file(run *r, int index, int worker)
{
	const xc_cli_batch *b = r->batch;
	const char *in = b->inputs[index];
	xc_context *context = r->contexts[worker];
	xc_cli_progress *progress = xc_cli_batch_progress_begin(&r->progress, worker, context);
	int failed = xc_cli_output_check(r->names[index], b->force, &in, 1);

	if (!failed)
		failed = b->work(b->user, context, progress, in, r->names[index]);
	xc_cli_batch_progress_end(&r->progress, worker);
	return failed;
}

static void next_files(void *user, int worker)
{
	run *r = user;
	int i;

	while ((i = __atomic_fetch_add(&r->next, 1, __ATOMIC_RELAXED)) < r->batch->count)
		if (one_file(r, i, worker))
			__atomic_add_fetch(&r->failed, 1, __ATOMIC_RELAXED);
}

/* Returns how many files failed. */
static int all_files(run *r)
{
	xc_pool pool;

	xc_cli_batch_progress_start(&r->progress, r->batch->verbosity, r->batch->verb, r->batch->count);
	if (xc_pool_init(&pool)) {
		next_files(r, 0);
	} else {
		xc_pool_run(&pool, r->workers, next_files, r);
		xc_pool_free(&pool);
	}
	xc_cli_batch_progress_stop(&r->progress);
	return r->failed;
}

static int check_usage(const xc_cli_command *self, const xc_cli_batch *b)
{
	for (int i = 0; i < b->count; i++)
		if (!strcmp(b->inputs[i], "-"))
			return xc_cli_misuse(self, "with --output-dir, standard input has no name "
			                           "to call its result by");
	return 0;
}

int xc_cli_batch_run(const xc_cli_command *self, const xc_cli_batch *batch)
{
	run r = {.batch = batch};
	int failed = check_usage(self, batch);

	if (failed)
		return failed;
	r.names = xc_cli_batch_names(self, batch);
	if (!r.names)
		return XC_CLI_FAILED;
	failed = make_contexts(&r) ? -1 : all_files(&r);
	free_contexts(&r);
	xc_cli_batch_names_free(r.names, batch->count);
	if (failed > 0 && batch->count > 1)
		xc_cli_error(self->name, "%d of %d files failed", failed, batch->count);
	return failed ? XC_CLI_FAILED : XC_CLI_DONE;
}
