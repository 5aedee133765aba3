/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* renameat2(), O_PATH */
#endif

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

/* A folder that may be entered, but not listed, can still be opened so. */
#ifndef O_PATH
#define O_PATH O_RDONLY
#endif

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

int xc_cli_output_refuse(const char *path)
{
	return xc_cli_error(path, "exists already (--force overwrites it)");
}

static int refuse_overwriting(xc_cli_output *o)
{
	o->existing = 1;
	return xc_cli_output_refuse(o->path);
}

/* ------------------------------------------------------------------- in memory */

void xc_cli_output_start_memory(xc_cli_output *o, const char *path, xc_context *context)
{
	*o =
		(xc_cli_output){.path = path, .folder = -1, .file = -1, .in_memory = 1, .context = context};
}

static int grow(xc_cli_output *o, size_t size)
{
	const size_t room = size > SIZE_MAX / 4 - o->room ? SIZE_MAX : 2 * o->room + size;

	if (xc_context_charge(o->context, room - o->room)) {
		xc_cli_note_failure(XC_ERR_LIMIT);
		return xc_cli_error(o->path, "%s (see --max-memory)", xc_context_message(o->context));
	}
	uint8_t *memory = realloc(o->memory, room);
	if (!memory) {
		xc_context_refund(o->context, room - o->room);
		return xc_cli_status_error(o->path, XC_ERR_MEMORY, "out of memory");
	}
	o->memory = memory;
	o->room = room;
	return 0;
}

static int keep_in_memory(xc_cli_output *o, const void *data, size_t size)
{
	const size_t used = (size_t)o->written;

	if (size > o->room - used && grow(o, size))
		return -1;
	memcpy(o->memory + used, data, size);
	return 0;
}

static void discard_memory(xc_cli_output *o)
{
	xc_context_refund(o->context, o->room);
	free(o->memory);
	o->memory = NULL;
	o->room = 0;
}

void xc_cli_output_take(xc_cli_output *o, uint8_t **data, size_t *size)
{
	*data = o->memory;
	*size = (size_t)o->written;
	o->memory = NULL;
	discard_memory(o);
}

/* --------------------------------------------------------- before the work */

static int refuse_input(const char *name)
{
	return xc_cli_error(name, "input and output are the same file");
}

static int check_inputs(const char *name, const struct stat *output, const char *const *inputs,
                        int count)
{
	for (int i = 0; i < count; i++) {
		struct stat input;

		if (!inputs[i] ||
		    (strcmp(inputs[i], "-") ? stat(inputs[i], &input) : fstat(STDIN_FILENO, &input)))
			continue;
		if (S_ISREG(input.st_mode) && xc_cli_same_file(&input, output))
			return refuse_input(name);
	}
	return 0;
}

int xc_cli_output_check_inputs(const xc_cli_output *o, const char *const *inputs, int count)
{
	return check_inputs(xc_cli_output_name(o->path), &o->found, inputs, count);
}

static int start_standard_output(xc_cli_output *o, const char *const *inputs, int count)
{
	const char *name = xc_cli_output_name("-");

	o->direct = 1;
	if ((fcntl(STDOUT_FILENO, F_GETFL) & O_ACCMODE) == O_RDONLY)
		return fail_with(EBADF, name, "cannot write");
	if (fstat(STDOUT_FILENO, &o->found))
		return fail(name, "cannot write");
	if (isatty(STDOUT_FILENO) && !o->force)
		return xc_cli_error(name, "is a terminal (redirect it, or give --force)");
	return xc_cli_output_check_inputs(o, inputs, count);
}

/* The path without links at its end, so that a link to a file stays a link: the file that it
 * leads to is replaced. */
static char *resolve(const char *path)
{
	struct stat status;
	char *resolved = NULL;

	if (lstat(path, &status) == 0 && S_ISLNK(status.st_mode))
		resolved = realpath(path, NULL);
	return resolved ? resolved : strdup(path);
}

/* Opens the folder of the resolved path and keeps the name in it. */
static int open_folder(xc_cli_output *o, char *path)
{
	char *slash = strrchr(path, '/');

	o->target = strdup(slash ? slash + 1 : path);
	if (!o->target)
		return fail_with(ENOMEM, o->path, "cannot create");
	if (slash)
		slash[slash == path] = '\0'; /* of "/name", the slash */
	o->folder = open(slash ? path : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return o->folder < 0 ? fail(o->path, "cannot create") : 0;
}

static struct stat find(const xc_cli_output *o)
{
	struct stat found;

	if (fstatat(o->folder, o->target, &found, AT_SYMLINK_NOFOLLOW) || !S_ISREG(found.st_mode))
		found = (struct stat){.st_mode = 0};
	return found;
}

/* The folder must be writable, or the file that is there. */
static int start_file(xc_cli_output *o)
{
	char *path = resolve(o->path);
	int failed = path ? open_folder(o, path) : fail_with(ENOMEM, o->path, "cannot create");

	free(path);
	if (failed)
		return -1;
	o->found = find(o);
	if (faccessat(o->folder, ".", W_OK | X_OK, 0) == 0 ||
	    (o->found.st_mode && faccessat(o->folder, o->target, W_OK, 0) == 0))
		return 0;
	return fail(o->path, "cannot create");
}

static int start(xc_cli_output *o, const char *const *inputs, int count)
{
	const char *path = o->path;

	if (!strcmp(path, "-"))
		return start_standard_output(o, inputs, count);
	if (stat(path, &o->found)) {
		if (errno != ENOENT)
			return fail(path, "cannot create");
		if (lstat(path, &o->found) == 0 && !o->force)
			return refuse_overwriting(o);
		return start_file(o);
	}
	if (S_ISDIR(o->found.st_mode))
		return fail_with(EISDIR, path, "cannot write");
	if (check_inputs(path, &o->found, inputs, count))
		return -1;
	if (S_ISREG(o->found.st_mode))
		return o->force ? start_file(o) : refuse_overwriting(o);
	o->direct = 1;
	return access(path, W_OK) ? fail(path, "cannot write") : 0;
}

static void forget(xc_cli_output *o)
{
	if (o->folder >= 0 && !o->into)
		close(o->folder);
	o->folder = -1;
	free(o->temporary);
	free(o->target);
	o->temporary = o->target = NULL;
}

static void set_up(xc_cli_output *o, const char *path, int force)
{
	*o = (xc_cli_output){.path = path,
	                     .force = force,
	                     .folder = -1,
	                     .file = -1,
	                     .usual = XC_CLI_MODE_UNKNOWN};
}

int xc_cli_output_start(xc_cli_output *o, const char *path, int force, const char *const *inputs,
                        int count)
{
	set_up(o, path, force);
	if (!start(o, inputs, count))
		return 0;
	forget(o);
	return -1;
}

/* The output is no regular file, or replaces one by way of a link. */
static int start_elsewhere(xc_cli_output *o, const struct stat *input)
{
	int failed = xc_cli_output_start(o, o->path, o->force, NULL, 0);

	if (!failed && S_ISREG(input->st_mode) && xc_cli_same_file(&o->found, input)) {
		forget(o);
		failed = refuse_input(o->path);
	}
	return failed;
}

int xc_cli_output_start_in(xc_cli_output *o, xc_cli_folder *into, const char *path, int force,
                           const struct stat *input)
{
	const char *name = xc_cli_base_name(path);

	set_up(o, path, force);
	if (fstatat(into->folder, name, &o->found, AT_SYMLINK_NOFOLLOW)) {
		if (errno != ENOENT)
			return fail(path, "cannot create");
		o->found = (struct stat){.st_mode = 0};
	} else if (!S_ISREG(o->found.st_mode)) {
		return start_elsewhere(o, input);
	} else if (xc_cli_same_file(&o->found, input)) {
		return refuse_input(path);
	} else if (!force) {
		return 1;
	}
	o->target = strdup(name);
	if (!o->target)
		return fail_with(ENOMEM, path, "cannot create");
	o->into = into;
	o->folder = into->folder;
	o->usual = into->usual;
	return 0;
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

static int temporary_folder(const xc_cli_output *o)
{
	return o->into ? o->into->temporary : o->folder;
}

/* Creates a temporary file. Its name does not contain the target's, which may be as long as names
 * can be. No name is taken twice: a file that a signal has removed must not come back as that of
 * another thread, half written. -1, with errno: there is none. */
static int create_beside(xc_cli_output *o)
{
	static unsigned taken;
	int file = -1;

	o->temporary = malloc(XC_CLI_TEMPORARY_NAME);
	errno = ENOMEM;
	for (int i = 0; o->temporary && i < 1000; i++) {
		snprintf(o->temporary, XC_CLI_TEMPORARY_NAME, ".xcodec-%ld-%u.tmp", (long)getpid(),
		         __atomic_fetch_add(&taken, 1, __ATOMIC_RELAXED));
		file = xc_cli_temporary_create(temporary_folder(o), o->temporary, &o->usual, &o->cleanup);
		if (file >= 0 || errno != EEXIST)
			break;
	}
	if (file < 0) {
		free(o->temporary);
		o->temporary = NULL;
	} else if (o->into) {
		o->into->usual = o->usual;
	}
	return file;
}

/* Gives the temporary file its name unless another file has it: 0, or -1 with errno. */
static int publish_new(const xc_cli_output *o)
{
	const int from = temporary_folder(o), to = o->folder;
	struct stat status;

#ifdef RENAME_NOREPLACE
	if (renameat2(from, o->temporary, to, o->target, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
#endif
	if (linkat(from, o->temporary, to, o->target, 0) == 0)
		return unlinkat(from, o->temporary, 0);
	if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS && errno != EMLINK)
		return -1;
	/* a file system without hard links, such as FAT */
	if (fstatat(to, o->target, &status, AT_SYMLINK_NOFOLLOW) == 0) {
		errno = EEXIST;
		return -1;
	}
	return renameat(from, o->temporary, to, o->target);
}

/* Likewise, and replaces a file where that is wanted. */
static int publish_file(const xc_cli_output *o)
{
	return o->force ? renameat(temporary_folder(o), o->temporary, o->folder, o->target)
	                : publish_new(o);
}

/* Gives a new file the permissions of the file that it replaces, and its owner and group where that
 * is allowed.  Without the group its members are others, and others are in the group: what not
 * both were permitted, neither is. */
static void keep_mode(int file, const struct stat *old)
{
	const mode_t mode = old->st_mode & 0777, both = mode & mode >> 3 & 07;
	const int kept = !fchown(file, old->st_uid, old->st_gid) ||
	                 !fchown(file, (uid_t)-1, old->st_gid);

	fchmod(file, kept ? mode : (mode & 0700) | both << 3 | both);
}

/* The file is complete: gives it its final mode, which was 0600 until now. */
static void widen(const xc_cli_output *o)
{
	const struct stat now = o->force ? find(o) : (struct stat){.st_mode = 0};

	if (now.st_mode)
		keep_mode(o->file, &now);
	else if (o->found.st_mode)
		keep_mode(o->file, &o->found);
	else
		fchmod(o->file, o->usual);
}

/* Gives the file the time of the source. A new one gets its permissions too, less what a new file would be denied
 * here, as with cp: who may read it by the umask may execute it. From one that was replaced it takes the right to read that
 * the source denies. The members of another group are others there. */
static void follow_source(const xc_cli_output *o)
{
	const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, o->source.st_mtim};
	mode_t allowed = o->source.st_mode & 0777;
	struct stat now;

	if (!S_ISREG(o->source.st_mode) || fstat(o->file, &now))
		return;
	if (now.st_gid != o->source.st_gid)
		allowed &= ~(mode_t)070 | allowed << 3;
	const mode_t here = now.st_mode & 0777;
	const mode_t mode = o->found.st_mode ? here & (allowed | 0733)
	                                     : (here | (here & 0444) >> 2) & (allowed | 0400);
	if (mode != here)
		fchmod(o->file, mode);
	futimens(o->file, times);
}

static int replaced(const xc_cli_output *o)
{
	struct stat now;

	return fstat(o->file, &now) || !xc_cli_same_file(&now, &o->found) ||
	       (now.st_mode & S_IFMT) != (o->found.st_mode & S_IFMT);
}

static int refuse_replaced(xc_cli_output *o)
{
	close(o->file);
	o->file = -1;
	return xc_cli_error(o->path, "is not what it was when the work began");
}

static int open_directly(xc_cli_output *o)
{
	o->file = STDOUT_FILENO;
	if (!strcmp(o->path, "-")) {
		xc_cli_show_progress(NULL); /* the reader may share the terminal */
		return 0;
	}
	o->file = open(o->path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
	if (o->file < 0)
		return fail(o->path, "cannot open");
	return replaced(o) ? refuse_replaced(o) : 0;
}

/* Where the folder takes no new file, writes over the one that was there. error: why. A pipe in its
 * place must not block. */
static int open_in_place(xc_cli_output *o, int error)
{
	const int flags = O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

	if (o->found.st_mode && (error == EACCES || error == EPERM || error == EROFS))
		o->file = openat(o->folder, o->target, flags);
	if (o->file < 0) {
		/* The sandbox has a say in what is opened, and none in what access() tells. */
		const int barred = error == EACCES && !faccessat(o->folder, ".", W_OK | X_OK, 0);
		return fail_with(error, o->path,
		                 barred ? "cannot create in the sandbox (see --no-sandbox)"
		                        : "cannot create");
	}
	if (replaced(o))
		return refuse_replaced(o);
	o->in_place = 1;
	return ftruncate(o->file, 0) ? fail(o->path, "cannot write") : 0;
}

static int open_output(xc_cli_output *o)
{
	if (o->direct)
		return open_directly(o);
	o->file = create_beside(o);
	return o->file < 0 ? open_in_place(o, errno) : 0;
}

int xc_cli_output_write(void *output, const void *data, size_t size)
{
	xc_cli_output *o = output;

	if (o->file < 0 && !o->in_memory && !o->failed)
		o->failed = open_output(o) != 0;
	if (!o->failed)
		o->failed = (o->in_memory
		                 ? keep_in_memory(o, data, size)
		                 : write_all(xc_cli_output_name(o->path), o->file, data, size)) != 0;
	if (!o->failed)
		o->written += size;
	else if (!o->error && !o->in_memory)
		o->error = errno;
	return o->failed ? -1 : 0;
}

/* ------------------------------------------------------------------ the end */

/* Waits until the disk has it.  Pipes and some file systems cannot tell. */
static int flush(const xc_cli_output *o, int file)
{
	return !o->sync || fsync(file) == 0 || errno == EINVAL || errno == EROFS
	           ? 0
	           : fail(xc_cli_output_name(o->path), "cannot be flushed to the disk");
}

static int flush_folder(const xc_cli_output *o)
{
	if (!o->sync)
		return 0;
	const int folder = openat(o->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const int failed = folder < 0 ? fail(o->path, "its folder cannot be flushed to the disk")
	                              : flush(o, folder);

	if (folder >= 0)
		close(folder);
	return failed;
}

/* Renames the temporary file, or removes it. */
static int end_temporary(xc_cli_output *o, int complete)
{
	int unplaced = 0;

	if (complete && publish_file(o))
		unplaced = errno;
	if (!complete || unplaced)
		unlinkat(temporary_folder(o), o->temporary, 0);
	xc_cli_temporary_done(o->cleanup);
	if (unplaced == EEXIST)
		return refuse_overwriting(o);
	if (unplaced)
		return fail_with(unplaced, o->path, "cannot create");
	return complete ? flush_folder(o) : 0;
}

static int close_file(const xc_cli_output *o, int complete)
{
	int failed = 0;

	if (complete && o->temporary)
		widen(o);
	if (complete && !o->direct)
		follow_source(o);
	/* What is not complete must not be taken for a file. */
	if (!complete && o->in_place && ftruncate(o->file, 0))
		failed = fail(o->path, "cannot be emptied");
	if (complete)
		failed = flush(o, o->file);
	if (o->file != STDOUT_FILENO && close(o->file) && !failed)
		failed = fail(o->path, "cannot write");
	return failed;
}

static void fail_at_end(xc_cli_output *o)
{
	o->failed = 1;
	o->error = o->error ? o->error : errno;
}

int xc_cli_output_end(xc_cli_output *o, int complete)
{
	if (!o->ended && complete && o->max && o->written > o->max)
		o->dropped = 1;
	const int placed = complete && !o->dropped;
	if (o->file >= 0 && close_file(o, placed && !o->failed))
		fail_at_end(o);
	if (o->temporary && end_temporary(o, placed && !o->failed))
		fail_at_end(o);
	o->file = -1;
	forget(o);
	if (!placed && !o->ended)
		discard_memory(o);
	o->ended = 1;
	return o->failed || !complete ? -1 : 0;
}

int xc_cli_output_put(xc_cli_output *o, const void *data, size_t size)
{
	return xc_cli_output_end(o, xc_cli_output_write(o, data, size) == 0);
}

int xc_cli_write(const char *path, int force, const void *data, size_t size)
{
	xc_cli_output o;

	return xc_cli_output_start(&o, path, force, NULL, 0) ? -1 : xc_cli_output_put(&o, data, size);
}
