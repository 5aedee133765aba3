/* SPDX-License-Identifier: BSD-2-Clause */
#include "cleanup.h"

#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* The only state of the process outside main(): a signal handler has no other
 * way to learn it.  A path is complete before it is PENDING. */
enum { FREE, TAKEN, PENDING };
static struct {
	char path[PATH_MAX];
	int state;
} files[XC_CLI_WRITERS];
static int ending;

static void remove_files(void)
{
	for (int i = 0; i < XC_CLI_WRITERS; i++)
		if (__atomic_load_n(&files[i].state, __ATOMIC_ACQUIRE) == PENDING)
			unlink(files[i].path);
}

static void remove_pending(int number)
{
	/* Other threads begin no more files.  One that is just about to create its own has
	 * a millisecond to do so. */
	__atomic_store_n(&ending, 1, __ATOMIC_SEQ_CST);
	remove_files();
	poll(NULL, 0, 1);
	remove_files();
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

static int take(int i)
{
	int expected = FREE;

	return __atomic_compare_exchange_n(&files[i].state, &expected, TAKEN, 0, __ATOMIC_ACQUIRE,
	                                   __ATOMIC_RELAXED);
}

int xc_cli_cleanup_add(const char *path)
{
	size_t size = strlen(path) + 1;

	for (int i = 0; size <= sizeof files->path && i < XC_CLI_WRITERS; i++)
		if (take(i)) {
			memcpy(files[i].path, path, size);
			__atomic_store_n(&files[i].state, PENDING, __ATOMIC_SEQ_CST);
			while (__atomic_load_n(&ending, __ATOMIC_SEQ_CST))
				pause(); /* until the process is gone */
			return i;
		}
	return -1;
}

void xc_cli_cleanup_remove(int number)
{
	__atomic_store_n(&files[number].state, FREE, __ATOMIC_RELEASE);
}
