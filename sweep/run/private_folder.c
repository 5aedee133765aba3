/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* pipe2() */
#endif

#include "sweep/run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/base/report.h"

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *where)
{
	(void)status;
	(void)kind;
	(void)where;
	return remove(path) && errno != ENOENT;
}

/* Programs that are about to end may still write, for a second at the most. */
static void remove_folder(const char *folder)
{
	enum { TRIES = 50, WAIT = 20, FILES = 16 };

	for (int i = 0; i < TRIES && access(folder, F_OK) == 0; i++)
		if (nftw(folder, remove_one, FILES, FTW_DEPTH | FTW_PHYS))
			poll(NULL, 0, WAIT);
}

/* The process that waits; all signals are blocked. */
_Noreturn static void keep(const xc_sweep_private_folder *k, int end)
{
	char byte;

	setpgid(0, 0);
	close(k->pipe);
	for (int i = 0; i < 3; i++)
		close(i);
	while (read(end, &byte, 1) < 0 && errno == EINTR)
		;
	kill(0, SIGTERM);
	remove_folder(k->folder);
	_exit(0);
}

/* Returns -1 with errno. */
static int start(xc_sweep_private_folder *k)
{
	int ends[2];

	if (!mkdtemp(k->folder))
		return -1;
	if (!pipe2(ends, O_CLOEXEC)) {
		k->pipe = ends[1];
		k->process = fork();
		if (k->process == 0)
			keep(k, ends[0]);
		close(ends[0]);
		if (k->process > 0) {
			setpgid(k->process, k->process);
			return 0;
		}
		close(k->pipe);
	}
	rmdir(k->folder);
	return -1;
}

int xc_sweep_private_folder_start(xc_sweep_private_folder *private)
{
	const char *parent = getenv("TMPDIR");
	sigset_t all, before;

	*private = (xc_sweep_private_folder){.process = 0};
	snprintf(private->folder, sizeof private->folder, "%s/xcodec-XXXXXX",
	         parent && *parent ? parent : "/tmp");
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	const int failed = start(private), error = errno;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!failed)
		return 0;
	private->process = 0;
	return xc_cli_error(private->folder, "cannot create: %s", strerror(error));
}

void xc_sweep_private_folder_end(xc_sweep_private_folder *private)
{
	if (!private->process)
		return;
	close(private->pipe);
	while (waitpid(private->process, NULL, 0) < 0 && errno == EINTR)
		;
	private->process = 0;
}
