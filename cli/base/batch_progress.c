/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/base/batch_progress.h"

#include "cli/base/report.h"

#include <stdio.h>

/* The caller holds the lock of stderr, which guards the batch as well. */
static void draw(xc_cli_batch_progress *b)
{
	double files = b->done;
	char what[48];

	if (!xc_cli_line_is_due(&b->line))
		return;
	for (int i = 0; i < XC_CLI_WRITERS; i++)
		files += b->part[i].fraction;
	snprintf(what, sizeof what, "%s %d of %d files", b->verb, b->done, b->files);
	xc_cli_line_draw(what, files < b->files ? files / b->files : 1);
}

static void note(void *user, double fraction)
{
	struct xc_cli_batch_part *part = user;

	flockfile(stderr);
	part->fraction = fraction;
	draw(part->batch);
	funlockfile(stderr);
}

void xc_cli_batch_progress_start(xc_cli_batch_progress *b, int verbosity, const char *verb,
                                 int files)
{
	*b = (xc_cli_batch_progress){.verb = verb, .files = files};
	xc_cli_line_start(&b->line, verbosity);
	for (int i = 0; i < XC_CLI_WRITERS; i++)
		b->part[i].batch = b;
}

xc_cli_progress *xc_cli_batch_progress_begin(xc_cli_batch_progress *b, int worker,
                                             xc_context *context)
{
	struct xc_cli_batch_part *part = &b->part[worker];

	xc_cli_progress_start_part(&part->progress, context, b->line.wanted ? note : NULL, part);
	return &part->progress;
}

void xc_cli_batch_progress_end(xc_cli_batch_progress *b, int worker)
{
	if (!b->line.wanted)
		return;
	flockfile(stderr);
	b->done++;
	b->part[worker].fraction = 0;
	draw(b);
	funlockfile(stderr);
}

void xc_cli_batch_progress_stop(const xc_cli_batch_progress *b)
{
	if (b->line.wanted)
		xc_cli_show_progress(NULL);
}
