/* SPDX-License-Identifier: BSD-2-Clause */
#include "progress.h"

#include "settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BAR = 20 };

/* Seconds of work before the first line, and between two. */
static const double patience = 0.5, interval = 0.1;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* At most 47 + 1 + 22 + 5 = 75 columns: a terminal of 80 never wraps it. */
static void draw(xc_cli_progress *p, double fraction)
{
	char bar[BAR + 1];
	int full = (int)(fraction * BAR + 0.5);

	memset(bar, '.', BAR);
	memset(bar, '#', (size_t)full);
	bar[BAR] = '\0';
	fprintf(stderr, "\r%s [%s] %3d%%", p->what, bar, (int)(fraction * 100));
	p->shown = 1;
}

static void update(void *user, double fraction)
{
	xc_cli_progress *p = user;
	double time = now();

	if (time - p->begun < patience || time - p->drawn < interval)
		return;
	p->drawn = time;
	fraction = p->base + p->span * fraction;
	draw(p, fraction < 0 ? 0 : fraction > 1 ? 1 : fraction);
}

/* The last part of the path, as printable ASCII, cut to fit. */
static void describe(xc_cli_progress *p, const char *verb, const char *path)
{
	const char *slash = strrchr(path, '/');

	snprintf(p->what, sizeof p->what, "%s %s", verb, slash && slash[1] ? slash + 1 : path);
	for (char *c = p->what; *c; c++)
		if (*c < 0x20 || *c > 0x7e)
			*c = '?';
}

void xc_cli_progress_start(xc_cli_progress *p, xc_context *context, int verbosity,
                           const char *verb, const char *path)
{
	const char *terminal = getenv("TERM");

	memset(p, 0, sizeof *p);
	p->wanted = verbosity != XC_CLI_QUIET && isatty(STDERR_FILENO) &&
	            !(terminal && !strcmp(terminal, "dumb"));
	p->begun = now();
	p->span = 1;
	describe(p, verb, path);
	if (p->wanted)
		xc_context_set_progress(context, update, p);
}

void xc_cli_progress_part(xc_cli_progress *p, double base, double span)
{
	p->base = base;
	p->span = span;
}

void xc_cli_progress_hide(xc_cli_progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = 0;
}

void xc_cli_progress_stop(xc_cli_progress *p, xc_context *context)
{
	xc_cli_progress_hide(p);
	if (p->wanted)
		xc_context_set_progress(context, NULL, NULL);
	p->wanted = 0;
}
