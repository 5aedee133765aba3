/* SPDX-License-Identifier: BSD-2-Clause */
/*
 *	peak COMMAND [ARGUMENT]...
 *
 * Runs the command and prints, on the last line of standard error, its largest
 * resident memory in KiB and its wall and processor time in seconds.  Exits with its status.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/base/clock.h"

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: peak COMMAND [ARGUMENT]...\n");
		return 2;
	}
	const double start = xc_cli_seconds();
	const pid_t child = fork();
	if (child < 0) {
		perror("peak");
		return 126;
	}
	if (child == 0) {
		execvp(argv[1], argv + 1);
		perror(argv[1]);
		_exit(127);
	}
	int status;
	struct rusage used;
	if (wait4(child, &status, 0, &used) != child) {
		perror("peak");
		return 126;
	}
	fprintf(stderr, "peak %ld KiB, wall %.3f s, cpu %.3f s\n", used.ru_maxrss,
	        xc_cli_seconds() - start, seconds(used.ru_utime) + seconds(used.ru_stime));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
