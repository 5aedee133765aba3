/* SPDX-License-Identifier: BSD-2-Clause */
/* A progress line on stderr.  It appears only on a terminal, only when the work takes a
 * while, and disappears at the end.  Messages wipe it (report.h); it is then drawn again. */
#ifndef XC_CLI_BASE_PROGRESS_H
#define XC_CLI_BASE_PROGRESS_H

#include <xcodec.h>

/* Decides when the line is drawn. */
typedef struct xc_cli_line {
	int wanted;
	double begun, drawn; /* in seconds, see clock.h */
} xc_cli_line;

/* verbosity: one of settings.h. */
void xc_cli_line_start(xc_cli_line *line, int verbosity);
/* 1 when it is time to draw. */
int xc_cli_line_is_due(xc_cli_line *line);
/* what: at most 47 characters are shown; fraction: how much is done, 0 to 1. */
void xc_cli_line_draw(const char *what, double fraction);

/* How far the work on one file has come. */
typedef struct xc_cli_progress {
	xc_progress tell; /* gets the fraction of the whole; NULL: nobody */
	void *user;
	double base, span; /* where the current call begins in the whole, and its share */
	xc_cli_line line;  /* of a file alone; unused in a batch */
	char what[48];     /* "encoding kodim01.png" */
} xc_cli_progress;

/* Shows a line for one file.  The context reports to progress from now on. */
void xc_cli_progress_start(xc_cli_progress *progress, xc_context *context, int verbosity,
                           const char *verb, const char *path);
/* The same for a file of a batch, whose fraction `tell` shows. */
void xc_cli_progress_start_part(xc_cli_progress *progress, xc_context *context, xc_progress tell,
                                void *user);
/* The next call takes the whole from base to base + span. */
void xc_cli_progress_part(xc_cli_progress *progress, double base, double span);
/* An xc_progress: tells which fraction of the current call is done. */
void xc_cli_progress_report(void *progress, double fraction);
/* Erases the line; it does not come back. */
void xc_cli_progress_stop(xc_cli_progress *progress, xc_context *context);

#endif
