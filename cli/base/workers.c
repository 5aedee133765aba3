/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/base/workers.h"

#include "cli/base/command.h"
#include "cli/base/report.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "src/core/pool.h"

/* So much memory lets a worker encode or decode most pictures. */
static const uint64_t memory_of_worker = UINT64_C(128) << 20;

/* Files that a worker has open at a time, and those that all together and libraries may open. */
enum { FILES_OF_WORKER = 6, FILES_OF_ALL = 20, FILES_COUNTED = 1024 };

/* For how many workers there are files: where the limit is low, less those that are open. */
static uint64_t files_fit(void)
{
	struct rlimit limit;
	uint64_t open = FILES_OF_ALL;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur > FILES_COUNTED)
		return XC_CLI_WRITERS;
	for (int file = 0; file < (int)limit.rlim_cur; file++)
		open += fcntl(file, F_GETFD) >= 0;
	return limit.rlim_cur > open ? (limit.rlim_cur - open) / FILES_OF_WORKER : 0;
}

static int min_int(int a, uint64_t b)
{
	return b < (uint64_t)a ? (int)b : a;
}

/* The first workers get the threads that are left over. */
int xc_cli_workers_begin(xc_cli_workers *workers, int threads, const xc_cli_limits *limits,
                         xc_context *(*make)(void *user, int worker, const xc_cli_limits *limits),
                         void *user)
{
	const uint64_t memory = limits->bounds.max_memory / memory_of_worker, files = files_fit();
	const uint64_t fit = memory < files ? memory : files;

	workers->threads = min_int(min_int(threads, XC_CLI_WRITERS), fit ? fit : 1);
	if (workers->threads > workers->count)
		workers->threads = workers->count;
	workers->limits = xc_cli_limits_share(limits, workers->threads);
	workers->contexts = calloc((size_t)workers->threads, sizeof(xc_context *));
	if (!workers->contexts)
		return xc_cli_error(NULL, "out of memory");
	for (int i = 0; i < workers->threads; i++) {
		xc_cli_limits own = workers->limits;

		own.threads = threads / workers->threads + (i < threads % workers->threads);
		workers->contexts[i] = make(user, i, &own);
		if (!workers->contexts[i])
			return -1;
	}
	return 0;
}

static xc_context *make_usual(void *user, int worker, const xc_cli_limits *limits)
{
	(void)user, (void)worker;
	return xc_cli_context(limits);
}

int xc_cli_workers_begin_usual(xc_cli_workers *workers, const xc_cli_limits *limits)
{
	const int threads = xc_cli_threads(limits);

	return threads < 0 ? -1 : xc_cli_workers_begin(workers, threads, limits, make_usual, NULL);
}

static void next_items(void *user, int worker)
{
	xc_cli_workers *workers = user;
	xc_context *context = workers->contexts[worker];
	int i;

	while ((i = __atomic_fetch_add(&workers->next, 1, __ATOMIC_RELAXED)) < workers->count) {
		xc_cli_progress *progress = xc_cli_batch_progress_begin(&workers->progress, worker,
		                                                        context);
		int failed = workers->work(workers->user, i, context, progress);

		xc_cli_batch_progress_end(&workers->progress, worker);
		if (failed)
			__atomic_add_fetch(failed == XC_CLI_DAMAGED ? &workers->damaged : &workers->failed, 1,
			                   __ATOMIC_RELAXED);
	}
}

void xc_cli_workers_loop(xc_cli_workers *workers, void (*loop)(void *user, int worker), void *user)
{
	xc_pool pool;

	if (xc_pool_init(&pool)) {
		loop(user, 0);
	} else {
		xc_pool_run(&pool, workers->threads, loop, user);
		xc_pool_free(&pool);
	}
}

void xc_cli_workers_run(xc_cli_workers *workers)
{
	xc_cli_batch_progress_start(&workers->progress, workers->verbosity, workers->verb,
	                            workers->things, workers->count);
	xc_cli_workers_loop(workers, next_items, workers);
	xc_cli_batch_progress_stop(&workers->progress);
}

void xc_cli_workers_end(xc_cli_workers *workers)
{
	for (int i = 0; workers->contexts && i < workers->threads; i++)
		xc_context_free(workers->contexts[i]);
	free(workers->contexts);
	workers->contexts = NULL;
}
