/* SPDX-License-Identifier: BSD-2-Clause */
#include "sweep/run/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/base/report.h"

extern char **environ;

/* Lets the program begin with the signals as any other: the group, nothing blocked, nothing ignored. */
static int set_attributes(posix_spawnattr_t *attributes, pid_t group)
{
	sigset_t none, ignored;
	sigemptyset(&none);
	sigemptyset(&ignored);
	sigaddset(&ignored, SIGXFSZ);
	int error = posix_spawnattr_setsigmask(attributes, &none);
	if (!error)
		error = posix_spawnattr_setsigdefault(attributes, &ignored);
	if (!error)
		error = posix_spawnattr_setpgroup(attributes, group);
	if (!error)
		error = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK |
		                                                 POSIX_SPAWN_SETSIGDEF |
		                                                 POSIX_SPAWN_SETPGROUP);
	return error;
}

static int set_files(posix_spawn_file_actions_t *files, const char *log)
{
	int error = posix_spawn_file_actions_addopen(files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (!error)
		error = posix_spawn_file_actions_addopen(files, STDERR_FILENO, log,
		                                         O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (!error)
		error = posix_spawn_file_actions_adddup2(files, STDERR_FILENO, STDOUT_FILENO);
	return error;
}

/* Returns an errno. */
static int start(char *const argv[], pid_t group, const char *log, pid_t *process)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	int error = posix_spawn_file_actions_init(&files);
	if (error)
		return error;
	error = posix_spawnattr_init(&attributes);
	if (!error) {
		error = set_attributes(&attributes, group);
		if (!error)
			error = set_files(&files, log);
		if (!error)
			error = posix_spawnp(process, argv[0], &files, &attributes, argv, environ);
		posix_spawnattr_destroy(&attributes);
	}
	posix_spawn_file_actions_destroy(&files);
	return error;
}

/* Says the end of the file, a line each. */
static void tell(const char *log)
{
	char text[1024], shown[2048];
	FILE *file = fopen(log, "r");
	if (!file)
		return;
	if (fseek(file, -(long)sizeof text, SEEK_END))
		rewind(file);
	while (fgets(text, sizeof text, file)) {
		text[strcspn(text, "\n")] = '\0';
		xc_cli_escape(shown, sizeof shown, text);
		if (*shown)
			xc_cli_say("  %s\n", shown);
	}
	fclose(file);
}

int xc_sweep_spawn(char *const argv[], pid_t group, const char *log, const char *name,
                   const char *config)
{
	pid_t process;
	int status = 0;
	const int error = start(argv, group, log, &process);
	if (error && !name)
		return -1;
	if (error)
		return xc_cli_error(name, "%s: cannot run '%s': %s", config, argv[0], strerror(error));
	while (waitpid(process, &status, 0) < 0 && errno == EINTR)
		;
	if (!name || (WIFEXITED(status) && WEXITSTATUS(status) == 0))
		return 0;
	if (WIFSIGNALED(status))
		xc_cli_error(name, "%s: '%s' was ended by signal %d", config, argv[0], WTERMSIG(status));
	else
		xc_cli_error(name, "%s: '%s' failed with status %d", config, argv[0], WEXITSTATUS(status));
	tell(log);
	return -1;
}
