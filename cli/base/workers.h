/* SPDX-License-Identifier: BSD-2-Clause */
/* Workers with a context each, who take one item of work after another. */
#ifndef XC_CLI_BASE_WORKERS_H
#define XC_CLI_BASE_WORKERS_H

#include "cli/base/progress.h"
#include "cli/base/settings.h"

/* Works on an item: 0, XC_CLI_DAMAGED, or -1 after reporting why not. */
typedef int (*xc_cli_workers_work)(void *user, int item, xc_context *context,
                                   xc_cli_progress *progress);

typedef struct xc_cli_workers {
	int count; /* items; INT_MAX: not known */
	xc_cli_workers_work work;
	void *user;
	int verbosity; /* one of settings.h */
	/* For the progress line: "encoding", "file". */
	const char *verb, *things;
	xc_context **contexts;
	int threads;
	xc_cli_limits limits;      /* of one worker, but for its threads */
	int next, failed, damaged; /* items */
	xc_cli_batch_progress progress;
} xc_cli_workers;

/* Makes the contexts: of one worker for each of `threads` if there are as many items, and the
 * threads divided evenly otherwise. All together keep to the limits, so there are fewer workers
 * where little memory or few files would be left for each. `make` makes a context with limits of
 * its own, or returns NULL after reporting why not. Returns 0 or -1; xc_cli_workers_end() must
 * follow in any case. */
int xc_cli_workers_begin(xc_cli_workers *workers, int threads, const xc_cli_limits *limits,
                         xc_context *(*make)(void *user, int worker, const xc_cli_limits *limits),
                         void *user);
/* The same with what the limits say about contexts and threads. */
int xc_cli_workers_begin_usual(xc_cli_workers *workers, const xc_cli_limits *limits);
/* Does everything; counts what failed. */
void xc_cli_workers_run(xc_cli_workers *workers);
/* Calls loop(user, worker) in a thread for each worker in place of that. The caller starts and
 * stops the progress line. */
void xc_cli_workers_loop(xc_cli_workers *workers, void (*loop)(void *user, int worker), void *user);
void xc_cli_workers_end(xc_cli_workers *workers);

#endif
