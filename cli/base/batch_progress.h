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
		double fraction; /* of the worker's current file */
	} part[XC_CLI_WRITERS];
} xc_cli_batch_progress;

/* verbosity: one of settings.h; verb: "encoding".  *batch must not move afterwards. */
void xc_cli_batch_progress_start(xc_cli_batch_progress *batch, int verbosity, const char *verb,
                                 int files);
/* A worker calls these at the begin and the end of each file.  What the first returns,
 * and context, report the progress of that file. */
xc_cli_progress *xc_cli_batch_progress_begin(xc_cli_batch_progress *batch, int worker,
                                             xc_context *context);
void xc_cli_batch_progress_end(xc_cli_batch_progress *batch, int worker);
/* Erases the line; it does not come back. */
void xc_cli_batch_progress_stop(const xc_cli_batch_progress *batch);

#endif
