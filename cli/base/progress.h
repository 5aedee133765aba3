/* SPDX-License-Identifier: BSD-2-Clause */
/* A progress line on stderr, for one file or for a batch.  It appears only on a terminal,
 * only when the work takes a while, and disappears at the end.  Messages wipe it
 * (report.h); it is then drawn again. */
#ifndef XC_CLI_BASE_PROGRESS_H
#define XC_CLI_BASE_PROGRESS_H

#include "cli/base/io.h"

#include <xcodec.h>

/* Decides when the line is drawn. */
typedef struct xc_cli_line {
	int wanted;
	double begun, drawn; /* in seconds, see clock.h */
} xc_cli_line;

/* How far the work on one file has come. */
typedef struct xc_cli_progress {
	xc_progress tell; /* gets the fraction of the whole; NULL: nobody */
	void *user;
	double base, span; /* where the current call begins in the whole, and its share */
	xc_cli_line line;  /* of a file alone; unused in a batch */
	char what[48];     /* "encoding kodim01.png" */
} xc_cli_progress;

/* Shows a line for one file.  The context reports to progress from now on.  verbosity: one
 * of settings.h; verb: "encoding". */
void xc_cli_progress_start(xc_cli_progress *progress, xc_context *context, int verbosity,
                           const char *verb, const char *path);
/* The next call takes the whole from base to base + span. */
void xc_cli_progress_part(xc_cli_progress *progress, double base, double span);
/* An xc_progress: tells which fraction of the current call is done. */
int xc_cli_progress_report(void *progress, double fraction);
/* Erases the line; it does not come back. */
void xc_cli_progress_stop(xc_cli_progress *progress, xc_context *context);

/* The line of a batch: "encoding 123 of 400 files [######......] 30%", and after some seconds
 * "encoding 123 of 400 files, 1:05 left [######......] 30%". Where the number of files is not
 * known, 0, the line has none, and `share` tells what part of them was begun. */
typedef struct xc_cli_batch_progress {
	xc_cli_line line;
	const char *verb, *noun; /* "encoding", "file" */
	int files, done;
	double (*share)(
		const void *user); /* set by the caller after the start; NULL: not known either */
	const void *share_user;
	struct xc_cli_batch_part {
		struct xc_cli_batch_progress *batch;
		xc_cli_progress progress;
		double fraction; /* of the worker's current file */
	} part[XC_CLI_WRITERS];
} xc_cli_batch_progress;

/* *batch must not move afterwards. */
void xc_cli_batch_progress_start(xc_cli_batch_progress *batch, int verbosity, const char *verb,
                                 const char *noun, int files);
/* A worker calls these at the begin and the end of each file.  What the first returns,
 * and context, report the progress of that file. */
xc_cli_progress *xc_cli_batch_progress_begin(xc_cli_batch_progress *batch, int worker,
                                             xc_context *context);
void xc_cli_batch_progress_end(xc_cli_batch_progress *batch, int worker);
/* Erases the line; it does not come back. */
void xc_cli_batch_progress_stop(const xc_cli_batch_progress *batch);

#endif
