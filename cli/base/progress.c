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
/* Seconds of work before the time left is told. */
static const double estimable = 3;

static void line_start(xc_cli_line *l, int verbosity)
{
	const char *terminal = getenv("TERM");

	l->wanted = verbosity != XC_CLI_QUIET && isatty(STDERR_FILENO) &&
	            !(terminal && !strcmp(terminal, "dumb"));
	l->begun = xc_cli_seconds();
	l->drawn = 0;
}

static int line_is_due(xc_cli_line *l)
{
	double time = xc_cli_seconds();

	if (time - l->begun < patience || time - l->drawn < interval)
		return 0;
	l->drawn = time;
	return 1;
}

/* At most 47 + 1 + 22 + 5 = 75 columns: a terminal of 80 never wraps it. */
static void line_draw(const char *what, double fraction)
{
	char bar[BAR + 1], text[80];

	memset(bar, '.', BAR);
	memset(bar, '#', (size_t)(fraction * BAR + 0.5));
	bar[BAR] = '\0';
	snprintf(text, sizeof text, "%.47s [%s] %3d%%", what, bar, (int)(fraction * 100));
	xc_cli_show_progress(text);
}

static int draw(void *user, double fraction)
{
	xc_cli_progress *p = user;

	if (line_is_due(&p->line))
		line_draw(p->what, fraction);
	return 0;
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

/* For one file, or for a file of a batch, whose fraction `tell` shows. */
static void start(xc_cli_progress *p, xc_context *context, xc_progress tell, void *user)
{
	*p = (xc_cli_progress){.tell = tell, .user = user, .span = 1};
	if (tell)
		xc_context_set_progress(context, xc_cli_progress_report, p);
}

void xc_cli_progress_start(xc_cli_progress *p, xc_context *context, int verbosity, const char *verb,
                           const char *path)
{
	xc_cli_line line;

	line_start(&line, verbosity);
	start(p, context, line.wanted ? draw : NULL, p);
	p->line = line;
	describe(p, verb, path);
}

void xc_cli_progress_part(xc_cli_progress *p, double base, double span)
{
	p->base = base;
	p->span = span;
}

int xc_cli_progress_report(void *user, double fraction)
{
	xc_cli_progress *p = user;

	fraction = p->base + p->span * fraction;
	return p->tell ? p->tell(p->user, fraction < 0 ? 0 : fraction > 1 ? 1 : fraction) : 0;
}

void xc_cli_progress_stop(xc_cli_progress *p, xc_context *context)
{
	if (!p->tell)
		return;
	xc_cli_show_progress(NULL);
	xc_context_set_progress(context, NULL, NULL);
	p->tell = NULL;
}

/* Writes ", 1:05 left" once that can be estimated: what was done took `elapsed` seconds. */
static void describe_left(char *text, size_t room, double elapsed, double fraction)
{
	const double left = fraction > 0 ? elapsed / fraction - elapsed : 1e9;
	const long seconds = left < 360000 ? (long)(left + 0.5) : 0;

	if (elapsed < estimable || fraction < 0.01 || seconds < 1)
		*text = '\0';
	else if (seconds < 3600)
		snprintf(text, room, ", %ld:%02ld left", seconds / 60, seconds % 60);
	else
		snprintf(text, room, ", %ld:%02ld:%02ld left", seconds / 3600, seconds / 60 % 60,
		         seconds % 60);
}

/* The caller holds the lock of stderr, which guards the batch as well. */
static void draw_batch(xc_cli_batch_progress *b)
{
	double files = b->done, fraction;
	char what[48];
	int n;

	if (!line_is_due(&b->line))
		return;
	for (int i = 0; i < XC_CLI_WRITERS; i++)
		files += b->part[i].fraction;
	if (b->files) {
		fraction = files < b->files ? files / b->files : 1;
		n = snprintf(what, sizeof what, "%s %d of %d %s%s", b->verb, b->done, b->files, b->noun,
		             xc_s((unsigned)b->files));
	} else {
		fraction = b->share ? b->share(b->share_user) : 0;
		n = snprintf(what, sizeof what, "%s, %d %s%s done", b->verb, b->done, b->noun,
		             xc_s((unsigned)b->done));
	}
	if (n < (int)sizeof what)
		describe_left(what + n, sizeof what - (size_t)n, b->line.drawn - b->line.begun, fraction);
	line_draw(what, fraction);
}

static int note(void *user, double fraction)
{
	struct xc_cli_batch_part *part = user;

	flockfile(stderr);
	part->fraction = fraction;
	draw_batch(part->batch);
	funlockfile(stderr);
	return 0;
}

void xc_cli_batch_progress_start(xc_cli_batch_progress *b, int verbosity, const char *verb,
                                 const char *noun, int files)
{
	*b = (xc_cli_batch_progress){.verb = verb, .noun = noun, .files = files};
	line_start(&b->line, verbosity);
	for (int i = 0; i < XC_CLI_WRITERS; i++)
		b->part[i].batch = b;
}

xc_cli_progress *xc_cli_batch_progress_begin(xc_cli_batch_progress *b, int worker,
                                             xc_context *context)
{
	struct xc_cli_batch_part *part = &b->part[worker];

	start(&part->progress, context, b->line.wanted ? note : NULL, part);
	return &part->progress;
}

void xc_cli_batch_progress_end(xc_cli_batch_progress *b, int worker)
{
	if (!b->line.wanted)
		return;
	flockfile(stderr);
	b->done++;
	b->part[worker].fraction = 0;
	draw_batch(b);
	funlockfile(stderr);
}

void xc_cli_batch_progress_stop(const xc_cli_batch_progress *b)
{
	if (b->line.wanted)
		xc_cli_show_progress(NULL);
}
