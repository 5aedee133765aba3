/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/base/crew.h"

#include "cli/base/command.h"
#include "cli/base/report.h"

#include <stdlib.h>

#include "src/core/pool.h"

/* The first workers get the threads that are left over. */
int xc_cli_crew_begin(xc_cli_crew *crew, int threads,
                      xc_context *(*make)(void *user, int worker, int threads), void *user)
{
	crew->workers = threads < XC_CLI_WRITERS ? threads : XC_CLI_WRITERS;
	if (crew->workers > crew->count)
		crew->workers = crew->count;
	crew->contexts = calloc((size_t)crew->workers, sizeof(xc_context *));
	if (!crew->contexts)
		return xc_cli_error(NULL, "out of memory");
	for (int i = 0; i < crew->workers; i++) {
		int more = i < threads % crew->workers;

		crew->contexts[i] = make(user, i, threads / crew->workers + more);
		if (!crew->contexts[i])
			return -1;
	}
	return 0;
}

static xc_context *make_usual(void *user, int worker, int threads)
{
	xc_cli_limits limits = *(const xc_cli_limits *)user;

	(void)worker;
	limits.threads = threads;
	return xc_cli_context(&limits);
}

int xc_cli_crew_begin_usual(xc_cli_crew *crew, const xc_cli_limits *limits)
{
	xc_cli_limits copy = *limits;
	xc_context *first = xc_cli_context(limits);

	if (!first)
		return -1;
	int threads = xc_context_threads(first);
	xc_context_free(first);
	return xc_cli_crew_begin(crew, threads, make_usual, &copy);
}

static void next_items(void *user, int worker)
{
	xc_cli_crew *crew = user;
	xc_context *context = crew->contexts[worker];
	int i;

	while ((i = __atomic_fetch_add(&crew->next, 1, __ATOMIC_RELAXED)) < crew->count) {
		xc_cli_progress *progress = xc_cli_batch_progress_begin(&crew->progress, worker, context);
		int failed = crew->work(crew->user, i, context, progress);

		xc_cli_batch_progress_end(&crew->progress, worker);
		if (failed)
			__atomic_add_fetch(failed == XC_CLI_DAMAGED ? &crew->damaged : &crew->failed, 1,
			                   __ATOMIC_RELAXED);
	}
}

void xc_cli_crew_run(xc_cli_crew *crew)
{
	xc_pool pool;

	xc_cli_batch_progress_start(&crew->progress, crew->verbosity, crew->verb, crew->things,
	                            crew->count);
	if (xc_pool_init(&pool)) {
		next_items(crew, 0);
	} else {
		xc_pool_run(&pool, crew->workers, next_items, crew);
		xc_pool_free(&pool);
	}
	xc_cli_batch_progress_stop(&crew->progress);
}

void xc_cli_crew_end(xc_cli_crew *crew)
{
	for (int i = 0; crew->contexts && i < crew->workers; i++)
		xc_context_free(crew->contexts[i]);
	free(crew->contexts);
	crew->contexts = NULL;
}
