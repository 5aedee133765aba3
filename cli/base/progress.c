/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/base/progress.h"

#include "cli/base/clock.h"
#include "cli/base/report.h"
#include "cli/base/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BAR = 20 };

/* Seconds of work before the line first appears, and between two drawings. */
static const double patience = 0.5, interval = 0.1;

/* ---------------------------------------------------------------------- line */

void xc_cli_line_start(xc_cli_line *l, int verbosity)
{
	const char *terminal = getenv("TERM");

	l->wanted = verbosity != XC_CLI_QUIET && isatty(STDERR_FILENO) &&
	            !(terminal && !strcmp(terminal, "dumb"));
	l->begun = xc_cli_seconds();
	l->drawn = 0;
}

int xc_cli_line_is_due(xc_cli_line *l)
{
	double time = xc_cli_seconds();

	if (time - l->begun < patience || time - l->drawn < interval)
		return 0;
	l->drawn = time;
	return 1;
}

/* At most 47 + 1 + 22 + 5 = 75 columns: a terminal of 80 never wraps it. */
void xc_cli_line_draw(const char *what, double fraction)
{
	char bar[BAR + 1], text[80];

	memset(bar, '.', BAR);
	memset(bar, '#', (size_t)(fraction * BAR + 0.5));
	bar[BAR] = '\0';
	snprintf(text, sizeof text, "%.47s [%s] %3d%%", what, bar, (int)(fraction * 100));
	xc_cli_show_progress(text);
}

/* ------------------------------------------------------------------ one file */

static void draw(void *user, double fraction)
{
	xc_cli_progress *p = user;

	if (xc_cli_line_is_due(&p->line))
		xc_cli_line_draw(p->what, fraction);
}

/* Shows the last part of the path as printable ASCII, cut to fit. */
static void describe(xc_cli_progress *p, const char *verb, const char *path)
{
	const char *slash = strrchr(path, '/');

	snprintf(p->what, sizeof p->what, "%s %s", verb, slash && slash[1] ? slash + 1 : path);
	for (char *c = p->what; *c; c++)
		if (*c < 0x20 || *c > 0x7e)
			*c = '?';
}

void xc_cli_progress_start_part(xc_cli_progress *p, xc_context *context, xc_progress tell,
                                void *user)
{
	*p = (xc_cli_progress){.tell = tell, .user = user, .span = 1};
	if (tell)
		xc_context_set_progress(context, xc_cli_progress_report, p);
}

void xc_cli_progress_start(xc_cli_progress *p, xc_context *context, int verbosity, const char *verb,
                           const char *path)
{
	xc_cli_line line;

	xc_cli_line_start(&line, verbosity);
	xc_cli_progress_start_part(p, context, line.wanted ? draw : NULL, p);
	p->line = line;
	describe(p, verb, path);
}

void xc_cli_progress_part(xc_cli_progress *p, double base, double span)
{
	p->base = base;
	p->span = span;
}

void xc_cli_progress_report(void *user, double fraction)
{
	xc_cli_progress *p = user;

	fraction = p->base + p->span * fraction;
	if (p->tell)
		p->tell(p->user, fraction < 0 ? 0 : fraction > 1 ? 1 : fraction);
}

void xc_cli_progress_stop(xc_cli_progress *p, xc_context *context)
{
	if (!p->tell)
		return;
	xc_cli_show_progress(NULL);
	xc_context_set_progress(context, NULL, NULL);
	p->tell = NULL;
}
