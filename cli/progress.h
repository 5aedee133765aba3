/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A progress line on stderr: only on a terminal, only when the work is long
 * enough to be waited for, and gone at the end.
 */
#ifndef XC_CLI_PROGRESS_H
#define XC_CLI_PROGRESS_H

#include <xcodec.h>

typedef struct xc_cli_progress {
	int wanted, shown;
	double begun, drawn; /* seconds of the monotonic clock */
	double base, span;   /* the part of the whole that the current call is */
	char what[48];       /* "encoding kodim01.png" */
} xc_cli_progress;

/* verbosity: one of settings.h.  context reports to progress from now on. */
void xc_cli_progress_start(xc_cli_progress *progress, xc_context *context, int verbosity,
                           const char *verb, const char *path);
/* The next library call is the part [base, base + span] of the whole. */
void xc_cli_progress_part(xc_cli_progress *progress, double base, double span);
/* Erases the line, for other output; it comes back by itself. */
void xc_cli_progress_hide(xc_cli_progress *progress);
/* Erases the line for good. */
void xc_cli_progress_stop(xc_cli_progress *progress, xc_context *context);

#endif
