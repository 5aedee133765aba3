/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Many files in one run: each input has its result in one folder, under its own name
 * with another suffix.  Files are worked on side by side, one thread each where there
 * are as many files as threads; a file that fails has its line and keeps no other
 * from being done.
 */
#ifndef XC_CLI_BASE_BATCH_H
#define XC_CLI_BASE_BATCH_H

#include "cli/command.h"
#include "cli/base/progress.h"
#include "cli/base/settings.h"

/* Work on one file: 0, or -1 after reporting why.  `context` is the thread's own, and
 * reports to `progress`. */
typedef int (*xc_cli_file_work)(const void *user, xc_context *context, xc_cli_progress *progress,
                                const char *in, const char *out);

typedef struct xc_cli_batch {
	const char *folder; /* for the results */
	const char *suffix; /* of the results: ".xc" */
	char **inputs;
	int count;
	const char *also_read;       /* a file that must not become a result either, or NULL */
	int force;                   /* results that exist are replaced */
	int verbosity;               /* one of settings.h */
	const char *verb;            /* for the progress line: "encoding" */
	const xc_cli_limits *limits; /* "cuda" is every GPU, one thread after the other */
	xc_cli_file_work work;
	const void *user;
} xc_cli_batch;

/* Returns the exit status.  Nothing is done at all where two inputs would have one
 * result, or a result is an input. */
int xc_cli_batch_run(const xc_cli_command *self, const xc_cli_batch *batch);

#endif
