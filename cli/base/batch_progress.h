/* SPDX-License-Identifier: BSD-2-Clause */
/* One progress line for a batch: "encoding 123 of 400 files [######......]  30%". */
#ifndef XC_CLI_BASE_BATCH_PROGRESS_H
#define XC_CLI_BASE_BATCH_PROGRESS_H

#include "cli/base/cleanup.h"
#include "cli/base/progress.h"

typedef struct xc_cli_batch_progress {
	xc_cli_line line;
	const char *verb;
	int files, done;
	struct xc_cli_batch_part {
		struct xc_cli_batch_progress *batch;
		xc_cli_progress progress;
		double fraction; /* of the file that this worker is at */
	} part[XC_CLI_WRITERS];
} xc_cli_batch_progress;

/* verbosity: one of settings.h; verb: "encoding".  The batch must not move. */
void xc_cli_batch_progress_start(xc_cli_batch_progress *batch, int verbosity, const char *verb,
                                 int files);
/* A worker begins a file; what it gets reports of that file, as context does.
 * These two are called by the worker itself. */
xc_cli_progress *xc_cli_batch_progress_begin(xc_cli_batch_progress *batch, int worker,
                                             xc_context *context);
void xc_cli_batch_progress_end(xc_cli_batch_progress *batch, int worker);
/* Erases the line for good. */
void xc_cli_batch_progress_stop(const xc_cli_batch_progress *batch);

#endif
