/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files of a command that turns IN into OUT, or every IN into a file of one folder.
 *
 * In a folder each result has its input's name with another suffix.  The files of such a batch are
 * done in parallel, one thread each if there are as many files as threads.  A file that fails has
 * its own message and does not stop the others.
 */
#ifndef XC_CLI_BASE_BATCH_H
#define XC_CLI_BASE_BATCH_H

#include "cli/base/command.h"
#include "cli/base/io.h"
#include "cli/base/progress.h"
#include "cli/base/settings.h"

/* Works on one file: 0, XC_CLI_DAMAGED, or -1 after reporting why not.  `context` belongs to the calling
 * thread, and reports to `progress`.  out: was started, and is ended by the caller if not by the work. */
typedef int (*xc_cli_file_work)(const void *user, xc_context *context, xc_cli_progress *progress,
                                const char *in, xc_cli_output *out);

typedef struct xc_cli_batch {
	char *folder;       /* for the results; NULL: inputs are IN and OUT */
	const char *suffix; /* of the results in the folder: ".xc" */
	char **inputs;
	int count;
	const char *also_read;       /* a file that no result may replace either, or NULL */
	int force;                   /* results that exist are replaced */
	int sync;                    /* the disk has each result at the end */
	int verbosity;               /* one of settings.h */
	int json;                    /* tell about each file on standard output */
	char **told;                 /* what xc_cli_batch_tell() was given, by input */
	const char *verb;            /* for the progress line: "encoding" */
	const xc_cli_limits *limits; /* in a batch "cuda" means all GPUs in turn, one a thread */
	/* Called once, before any work; 0, or -1 after reporting why not.  May be NULL. */
	int (*prepare)(void *user, xc_context *context);
	xc_cli_file_work work;
	void *user;
} xc_cli_batch;

/* Takes the name of a folder for that of the result, so that inputs are IN and OUT: if there is one
 * input, the name does not end in '/', and no such folder exists.  `inputs` has room for two. */
void xc_cli_batch_settle(xc_cli_batch *batch);

/* Returns the exit status.  Nothing is done at all if two inputs would have the same
 * result, or if a result is an input. */
int xc_cli_batch_run(const xc_cli_command *self, xc_cli_batch *batch);

/* Takes what --json tells about an input, which is printed at the end: 0, or -1 if it is NULL.  in: as the
 * work was given it. */
int xc_cli_batch_tell(const xc_cli_batch *batch, const char *in, char *text);
/* 0, or the exit status after reporting that the only result and JSON would be mixed. */
int xc_cli_batch_check_json(const xc_cli_command *self, const xc_cli_batch *batch);

#endif
