/* SPDX-License-Identifier: BSD-2-Clause */
#include "cleanup.h"

#include <limits.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* The only state of the process outside main(): a signal handler has no other
 * way to learn it.  The path is complete before `pending` is raised. */
static char pending_path[PATH_MAX];
static volatile sig_atomic_t pending;

static void remove_pending(int number)
{
	if (pending)
		unlink(pending_path);
	/* SA_RESETHAND has restored the default action: the process ends by the
	 * signal, as its parent expects. */
	raise(number);
}

void xc_cli_signals_prepare(void)
{
	static const int deadly[] = { SIGHUP, SIGINT, SIGTERM };
	struct sigaction action = { .sa_handler = SIG_IGN };

	sigemptyset(&action.sa_mask);
	sigaction(SIGPIPE, &action, NULL);
	sigaction(SIGXFSZ, &action, NULL);
	action.sa_handler = remove_pending;
	action.sa_flags = (int)SA_RESETHAND;
	for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
		sigaddset(&action.sa_mask, deadly[i]);
	for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++) {
		struct sigaction old;

		/* what nohup and background jobs ignore stays ignored */
		if (sigaction(deadly[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(deadly[i], &action, NULL);
	}
}

int xc_cli_cleanup_set(const char *path)
{
	size_t size = strlen(path) + 1;

	if (size > sizeof pending_path)
		return -1;
	memcpy(pending_path, path, size);
	pending = 1;
	return 0;
}

void xc_cli_cleanup_clear(void)
{
	pending = 0;
}
