/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* renameat2() */
#endif

#include "cli/base/cleanup.h"
#include "cli/base/io.h"
#include "cli/base/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Small enough that a signal is acted upon soon, large enough to cost nothing. */
static const size_t write_piece = 8u << 20;

/* Reports errno. */
static int fail(const char *name, const char *what)
{
	return xc_cli_error(name, "%s: %s", what, strerror(errno));
}

static int fail_with(int error, const char *name, const char *what)
{
	errno = error;
	return fail(name, what);
}

static int refuse_overwriting(const char *name)
{
	return xc_cli_error(name, "exists already (--force overwrites it)");
}

/* --------------------------------------------------------- before the work */

static int same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static int check_inputs(const char *name, const struct stat *output, const char *const *inputs,
                        int count)
{
	for (int i = 0; i < count; i++) {
		struct stat input;

		if (!inputs[i] ||
		    (strcmp(inputs[i], "-") ? stat(inputs[i], &input) : fstat(STDIN_FILENO, &input)))
			continue;
		if (S_ISREG(input.st_mode) && same_file(&input, output))
			return xc_cli_error(name, "input and output are the same file");
	}
	return 0;
}

/* The folder part of a path, with its final slash; "./" if it has none. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("./");
}

static int check_folder(const char *path)
{
	char *folder = folder_of(path);
	int failed = !folder || access(folder, W_OK | X_OK) ? fail(path, "cannot create") : 0;

	free(folder);
	return failed;
}

static int check_standard_output(int force, const char *const *inputs, int count)
{
	const char *name = xc_cli_output_name("-");
	struct stat status;

	if ((fcntl(STDOUT_FILENO, F_GETFL) & O_ACCMODE) == O_RDONLY)
		return fail_with(EBADF, name, "cannot write");
	if (fstat(STDOUT_FILENO, &status))
		return fail(name, "cannot write");
	if (isatty(STDOUT_FILENO) && !force)
		return xc_cli_error(name, "is a terminal (redirect it, or give --force)");
	return S_ISREG(status.st_mode) ? check_inputs(name, &status, inputs, count) : 0;
}

int xc_cli_output_check(const char *path, int force, const char *const *inputs, int count)
{
	struct stat status;

	if (!strcmp(path, "-"))
		return check_standard_output(force, inputs, count);
	if (stat(path, &status)) {
		if (errno != ENOENT)
			return fail(path, "cannot create");
		if (lstat(path, &status) == 0 && !force)
			return refuse_overwriting(path);
		return check_folder(path);
	}
	if (S_ISDIR(status.st_mode))
		return fail_with(EISDIR, path, "cannot write");
	if (!S_ISREG(status.st_mode))
		return access(path, W_OK) ? fail(path, "cannot write") : 0;
	if (check_inputs(path, &status, inputs, count))
		return -1;
	return force ? check_folder(path) : refuse_overwriting(path);
}

/* --------------------------------------------------------------- the writing */

static int write_all(const char *name, int file, const uint8_t *data, size_t size)
{
	while (size) {
		ssize_t put = write(file, data, size < write_piece ? size : write_piece);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return fail(name, "cannot write");
		data += put;
		size -= (size_t)put;
	}
	return 0;
}

static int write_directly(const char *path, const void *data, size_t size)
{
	int standard = !strcmp(path, "-");
	int file = standard ? STDOUT_FILENO : open(path, O_WRONLY | O_CLOEXEC);

	if (file < 0)
		return fail(path, "cannot open");
	if (standard)
		xc_cli_show_progress(NULL); /* the reader may share the terminal */
	int failed = write_all(xc_cli_output_name(path), file, data, size);
	if (!standard && close(file) && !failed)
		failed = fail(path, "cannot write");
	return failed;
}

/* Creates a temporary file beside `path`; *cleanup is its number.  Its name does not
 * contain the target's, which may be as long as names can be. */
static int create_beside(const char *path, char **temporary, int *cleanup)
{
	char *folder = folder_of(path);
	size_t size = folder ? strlen(folder) + 64 : 0;
	int file = -1;

	*temporary = folder ? malloc(size) : NULL;
	errno = ENOMEM;
	for (int i = 0; *temporary && i < 1000; i++) {
		snprintf(*temporary, size, "%s.xcodec-%ld-%d.tmp", folder, (long)getpid(), i);
		file = xc_cli_temporary_create(*temporary, cleanup);
		if (file >= 0 || errno != EEXIST)
			break;
	}
	free(folder);
	if (file < 0) {
		fail(path, "cannot create");
		free(*temporary);
		*temporary = NULL;
	}
	return file;
}

/* Gives the temporary file its name unless another file has it: 0, or -1 with errno. */
static int place_new(const char *temporary, const char *path)
{
	struct stat status;

	if (link(temporary, path) == 0)
		return unlink(temporary);
	if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS && errno != EMLINK)
		return -1;
		/* a file system without hard links, such as FAT */
#ifdef RENAME_NOREPLACE
	if (renameat2(AT_FDCWD, temporary, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
#endif
	if (lstat(path, &status) == 0) {
		errno = EEXIST;
		return -1;
	}
	return rename(temporary, path);
}

/* Gives a new file the permissions of the file that it replaces, and its owner where that
 * is allowed. */
static void keep_mode(int file, const char *path)
{
	struct stat status;

	if (stat(path, &status) || !S_ISREG(status.st_mode))
		return;
	if (fchown(file, status.st_uid, status.st_gid) == 0)
		fchmod(file, status.st_mode & 0777);
	else
		fchmod(file, status.st_mode & 0777 & ~(mode_t)0077);
}

/* shown is the name that the user gave, path the file that its links lead to. */
static int write_beside(const char *shown, const char *path, int force, const void *data,
                        size_t size)
{
	char *temporary;
	int cleanup, failed, unplaced = 0, file = create_beside(path, &temporary, &cleanup);

	if (file < 0)
		return -1;
	if (force)
		keep_mode(file, path);
	failed = write_all(shown, file, data, size);
	if (close(file) && !failed)
		failed = fail(shown, "cannot write");
	if (!failed && (force ? rename(temporary, path) : place_new(temporary, path)))
		unplaced = errno;
	if (failed || unplaced)
		unlink(temporary);
	xc_cli_temporary_done(cleanup);
	free(temporary);
	if (unplaced == EEXIST)
		return refuse_overwriting(shown);
	return unplaced ? fail_with(unplaced, shown, "cannot create") : failed;
}

int xc_cli_write(const char *path, int force, const void *data, size_t size)
{
	struct stat status;

	if (!strcmp(path, "-") || (stat(path, &status) == 0 && !S_ISREG(status.st_mode)))
		return write_directly(path, data, size);
	/* a link to a file stays a link: the file that it leads to is replaced */
	char *target = force && lstat(path, &status) == 0 && S_ISLNK(status.st_mode)
	                   ? realpath(path, NULL)
	                   : NULL;
	if (!target)
		target = strdup(path);
	if (!target)
		return fail_with(ENOMEM, path, "cannot write");
	int failed = write_beside(path, target, force, data, size);
	free(target);
	return failed;
}
