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
	if (!force)
		return refuse_overwriting(path);
	return access(path, W_OK) ? check_folder(path) : 0; /* of these two one suffices */
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

/* Creates a temporary file beside `path`; *cleanup is its number.  Its name does not
 * contain the target's, which may be as long as names can be.  No name is taken twice: a file that
 * a signal has removed must not come back as that of another thread, half written.  -1, with errno:
 * there is none. */
static int create_beside(const char *path, char **temporary, int *cleanup)
{
	static unsigned taken;
	char *folder = folder_of(path);
	size_t size = folder ? strlen(folder) + 64 : 0;
	int file = -1;

	*temporary = folder ? malloc(size) : NULL;
	errno = ENOMEM;
	for (int i = 0; *temporary && i < 1000; i++) {
		snprintf(*temporary, size, "%s.xcodec-%ld-%u.tmp", folder, (long)getpid(),
		         __atomic_fetch_add(&taken, 1, __ATOMIC_RELAXED));
		file = xc_cli_temporary_create(*temporary, cleanup);
		if (file >= 0 || errno != EEXIST)
			break;
	}
	free(folder);
	if (file < 0) {
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

/* Gives a new file the permissions of the file that it replaces, and its owner and group where that
 * is allowed.  Without the group its members are others, and others are in the group: what not
 * both were permitted, neither is. */
static void keep_mode(int file, const char *path)
{
	struct stat status;

	if (stat(path, &status) || !S_ISREG(status.st_mode))
		return;
	const mode_t mode = status.st_mode & 0777, both = mode & mode >> 3 & 07;
	const int kept = !fchown(file, status.st_uid, status.st_gid) ||
	                 !fchown(file, (uid_t)-1, status.st_gid);
	fchmod(file, kept ? mode : (mode & 0700) | both << 3 | both);
}

void xc_cli_output_start(xc_cli_output *o, const char *path, int force)
{
	*o = (xc_cli_output){.path = path, .force = force, .file = -1};
}

static int open_directly(xc_cli_output *o)
{
	o->direct = 1;
	o->file = STDOUT_FILENO;
	if (!strcmp(o->path, "-"))
		xc_cli_show_progress(NULL); /* the reader may share the terminal */
	else
		o->file = open(o->path, O_WRONLY | O_CLOEXEC);
	return o->file < 0 ? fail(o->path, "cannot open") : 0;
}

/* Where the folder takes no new file, writes over the one that is there.  error: why. */
static int open_in_place(xc_cli_output *o, int error)
{
	if (o->force && (error == EACCES || error == EPERM || error == EROFS))
		o->file = open(o->target, O_WRONLY | O_TRUNC | O_CLOEXEC);
	o->in_place = o->file >= 0;
	return o->in_place ? 0 : fail_with(error, o->path, "cannot create");
}

static int open_output(xc_cli_output *o)
{
	struct stat status;

	if (!strcmp(o->path, "-") || (stat(o->path, &status) == 0 && !S_ISREG(status.st_mode)))
		return open_directly(o);
	/* a link to a file stays a link: the file that it leads to is replaced */
	if (o->force && lstat(o->path, &status) == 0 && S_ISLNK(status.st_mode))
		o->target = realpath(o->path, NULL);
	if (!o->target)
		o->target = strdup(o->path);
	if (!o->target)
		return fail_with(ENOMEM, o->path, "cannot write");
	o->file = create_beside(o->target, &o->temporary, &o->cleanup);
	if (o->file < 0)
		return open_in_place(o, errno);
	if (o->force)
		keep_mode(o->file, o->target);
	return 0;
}

int xc_cli_output_write(void *output, const void *data, size_t size)
{
	xc_cli_output *o = output;

	if (o->file < 0 && !o->failed)
		o->failed = open_output(o) != 0;
	if (!o->failed)
		o->failed = write_all(xc_cli_output_name(o->path), o->file, data, size) != 0;
	if (!o->failed)
		o->written += size;
	return o->failed ? -1 : 0;
}

/* Renames the temporary file, or removes it. */
static int end_temporary(xc_cli_output *o, int complete)
{
	int unplaced = 0;

	if (complete &&
	    (o->force ? rename(o->temporary, o->target) : place_new(o->temporary, o->target)))
		unplaced = errno;
	if (!complete || unplaced)
		unlink(o->temporary);
	xc_cli_temporary_done(o->cleanup);
	if (unplaced == EEXIST)
		return refuse_overwriting(o->path);
	return unplaced ? fail_with(unplaced, o->path, "cannot create") : 0;
}

int xc_cli_output_end(xc_cli_output *o, int complete)
{
	/* What is not complete must not be taken for a file. */
	if (o->in_place && (o->failed || !complete) && ftruncate(o->file, 0))
		fail(o->path, "cannot be emptied");
	if (o->file >= 0 && o->file != STDOUT_FILENO && close(o->file) && !o->failed) {
		fail(o->path, "cannot write");
		o->failed = 1;
	}
	if (o->temporary && end_temporary(o, complete && !o->failed))
		o->failed = 1;
	free(o->temporary);
	free(o->target);
	return o->failed || !complete ? -1 : 0;
}

int xc_cli_write(const char *path, int force, const void *data, size_t size)
{
	xc_cli_output o;

	xc_cli_output_start(&o, path, force);
	return xc_cli_output_end(&o, xc_cli_output_write(&o, data, size) == 0);
}
