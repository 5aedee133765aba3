/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A progress line on stderr: only on a terminal, only when the work is long
 * enough to be waited for, and gone at the end.  Errors and the like wipe it
 * (report.h), and it comes back by itself.
 */
#ifndef XC_CLI_BASE_PROGRESS_H
#define XC_CLI_BASE_PROGRESS_H

#include <xcodec.h>

/* When the line is drawn. */
typedef struct xc_cli_line {
	int wanted;
	double begun, drawn; /* seconds of the monotonic clock */
} xc_cli_line;

/* verbosity: one of settings.h. */
void xc_cli_line_start(xc_cli_line *line, int verbosity);
/* 1 when it is time to draw. */
int xc_cli_line_is_due(xc_cli_line *line);
/* what: at most 47 characters; fraction: what of it is done. */
void xc_cli_line_draw(const char *what, double fraction);

/* How far the work on one file has come. */
typedef struct xc_cli_progress {
	xc_progress tell; /* gets the fraction of the whole; NULL: nobody looks */
	void *user;
	double base, span; /* the part of the whole that the current call is */
	xc_cli_line line;  /* where the file is alone */
	char what[48];     /* "encoding kodim01.png" */
} xc_cli_progress;

/* A line for this file; context reports to progress from now on. */
void xc_cli_progress_start(xc_cli_progress *progress, xc_context *context, int verbosity,
                           const char *verb, const char *path);
/* The same for one whose fraction somebody else shows. */
void xc_cli_progress_start_part(xc_cli_progress *progress, xc_context *context, xc_progress tell,
                                void *user);
/* The next call is the part [base, base + span] of the whole. */
void xc_cli_progress_part(xc_cli_progress *progress, double base, double span);
/* An xc_progress: so much of the current call is done. */
void xc_cli_progress_report(void *progress, double fraction);
/* Erases the line for good. */
void xc_cli_progress_stop(xc_cli_progress *progress, xc_context *context);

#endif
