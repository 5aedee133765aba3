/* SPDX-License-Identifier: BSD-2-Clause */
/* Files in and out of memory.  Every function here reports its own failure and then
 * returns -1.  "-" is standard input or output. */
#ifndef XC_CLI_BASE_IO_H
#define XC_CLI_BASE_IO_H

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <xcodec.h>
#include <sys/types.h>

/* Temporary files, which are removed when the process ends: by exit(), by SIGHUP, SIGINT, SIGPIPE,
 * SIGQUIT, SIGTERM, SIGXCPU, and by a crash. */

/* Files that can be written at the same time, by as many threads; bytes of a name. */
enum { XC_CLI_WRITERS = 64, XC_CLI_TEMPORARY_NAME = 64 };
#define XC_CLI_LEFTOVERS ".xcodec-[0-9]*-[0-9]*.tmp" /* what matches their names */
#define XC_CLI_MODE_UNKNOWN ((mode_t)-1)

/* What a signal that ends the process makes it say, from now on; NULL: nothing. */
void xc_cli_last_words(const char *text);

/* Creates a file that must not exist yet in a folder, for writing, which nobody but its owner can
 * open; *usual is the mode that a new file of others would have there, which is found out if it is
 * XC_CLI_MODE_UNKNOWN. Returns its descriptor, or -1 with errno. A signal removes the file until
 * xc_cli_temporary_done() is given *number; `folder` must stay open until then. Neither function
 * returns once a signal ends the process: a failure after that is no error. */
int xc_cli_temporary_create(int folder, const char *name, mode_t *usual, int *number);
void xc_cli_temporary_done(int number);

/* A file to be read, of which the first bytes were looked at. */
enum { XC_CLI_FIRST = 1 << 12 };
typedef struct xc_cli_input {
	int file;           /* -1: it is in memory */
	const char *name;   /* for messages */
	struct stat status; /* of a file */
	uint8_t first[XC_CLI_FIRST];
	size_t size, at; /* of `first`; what was read of it */
	int error;       /* errno of a read that failed, or 0 */
	uint64_t begin;  /* where it begins in a regular file */
	int is_range;    /* it ends there with `status.st_size`, and others read the file as well */
	uint64_t read;   /* bytes of a part */
	uint64_t packed; /* of an entry: bytes of its shard; 0: it is none */
	/* in memory, all of it; charged to the context */
	uint8_t *memory;
	size_t memory_size, memory_at;
	int stays; /* set by the caller: reading all of it makes a copy */
	xc_context *context;
} xc_cli_input;

int xc_cli_input_open(xc_cli_input *input, const char *path);
/* Takes over `size` bytes at `data`, which are charged to the context, as if they were a file. */
void xc_cli_input_memory(xc_cli_input *input, const char *name, xc_context *context, uint8_t *data,
                         size_t size);
/* `size` bytes of a regular file from `begin` on, as if they were a file: 0, or -1 after reporting
 * why not. `file` stays open and is the caller's. */
int xc_cli_input_range(xc_cli_input *input, const char *name, int file, uint64_t begin,
                       uint64_t size);
void xc_cli_input_close(xc_cli_input *input);
/* Returns how many bytes were read, fewer than `size` only at the end of the file; -1, and nothing
 * is reported, when reading fails.  input: an xc_cli_input. */
ptrdiff_t xc_cli_input_read(void *input, void *to, size_t size);
/* Any bytes of a regular file, likewise; 1 and its size in *size if the input is
 * one, or is in memory. */
ptrdiff_t xc_cli_input_read_at(void *input, uint64_t offset, void *to, size_t size);
int xc_cli_input_regular(xc_cli_input *input, uint64_t *size);
/* Reads it from its first byte to its end, as xc_cli_read() does. Nothing else can be read of an
 * input in memory after that. */
int xc_cli_input_read_all(xc_cli_input *input, xc_context *context, uint8_t **data, size_t *size);
/* Reads all of it into memory, where `memory` has it, and from where all other functions take it: 0, or -1 after
 * reporting why not. */
int xc_cli_input_load(xc_cli_input *input, xc_context *context);

/* Looks at the first bytes of a file before the rest is read: 0 to go on, -1 after
 * reporting why not.  name: for messages. */
typedef int (*xc_cli_probe)(const char *name, const uint8_t *start, size_t size);

/* Reads a whole file, which is charged to the context and freed by xc_cli_forget().  probe may be
 * NULL. */
int xc_cli_read(const char *path, xc_context *context, xc_cli_probe probe, uint8_t **data,
                size_t *size);
void xc_cli_forget(xc_context *context, uint8_t *data, size_t size);
/* Reads a small file, of at most `limit` bytes, which free() frees. */
int xc_cli_read_small(const char *path, uint64_t limit, uint8_t **data, size_t *size);

/* Where files are put of which there are many: a folder that stays open meanwhile. One thread
 * at a time uses it. */
typedef struct xc_cli_folder {
	int folder;    /* of the files */
	int temporary; /* the folder of temporary files, in the same file system; may be the same */
	mode_t usual;  /* permissions of a new file; XC_CLI_MODE_UNKNOWN at first */
} xc_cli_folder;

/* A file that is written in pieces.
 *
 * A regular file appears complete or not at all: it is written beside its place, where its owner
 * alone can open it, and then renamed. Without `force` that never replaces a file; with it, the
 * new file gets the permissions of the old one. It is never open to more people than `source`, and has its time. Where the folder takes no new file, one that
 * exists and can be written is overwritten in place; a failure leaves it empty. Devices and pipes
 * are written directly.
 *
 * What `path` leads to is decided once, before the work: later everything is done in the folder
 * that was opened then. A link, a pipe or a device that appears there meanwhile is not followed,
 * not opened, and replaced like any other file. */
typedef struct xc_cli_output {
	const char *path;
	int force;
	int sync;            /* set by the caller: the end waits until the disk has file and name */
	struct stat source;  /* set by the caller: the file that it is made of; all zero: none */
	int direct;          /* no regular file */
	int folder;          /* of the target; -1: none, or the output has ended */
	xc_cli_folder *into; /* that owns the folder; NULL: the output does */
	char *target;        /* its name in there */
	struct stat found;   /* what was there before the work; all zero if that was no file */
	int file;            /* -1: not opened yet */
	int in_place;        /* no temporary file, but the one that is replaced */
	int failed;          /* and reported */
	int error;           /* errno of that, where a call of the system failed; else 0 */
	int existing;        /* since a file had the target's name */
	char *temporary;     /* its name in the folder */
	mode_t usual;        /* permissions of a new file */
	int cleanup;         /* see xc_cli_temporary_create() */
	uint64_t written;    /* bytes */
	uint64_t max;        /* set by the caller: what is larger is dropped at the end; 0: nothing */
	int dropped;         /* so it was */
	/* in memory, all of it; charged to the context */
	int in_memory, ended;
	uint8_t *memory;
	size_t room;
	xc_context *context;
} xc_cli_output;

/* Says whether output may be written: 0, or -1, after which nothing needs to be ended. It is
 * called before the work, so that nothing is done in vain, and creates nothing. An existing
 * file needs `force`, and so does binary data for a terminal. The folder, or the existing
 * file, must be writable, and output must not be the same file as an input. An input that is
 * NULL does not count. */
int xc_cli_output_start(xc_cli_output *output, const char *path, int force,
                        const char *const *inputs, int count);
/* The same for a file of that place, which the last component of the path names. It must not be the
 * file of the input. 1, and nothing is reported: a file exists, and may not be replaced. */
int xc_cli_output_start_in(xc_cli_output *output, xc_cli_folder *into, const char *path, int force,
                           const struct stat *input);
/* Reports that the file exists, and returns -1. */
int xc_cli_output_refuse(const char *path);
/* An output that is kept in memory. path: for messages. Its memory is charged to the context. */
void xc_cli_output_start_memory(xc_cli_output *output, const char *path, xc_context *context);
/* Gives what such an output has, once it has ended, to the caller, who frees it. */
void xc_cli_output_take(xc_cli_output *output, uint8_t **data, size_t *size);
/* Whether the output is none of these inputs either. */
int xc_cli_output_check_inputs(const xc_cli_output *output, const char *const *inputs, int count);
/* An xc_write; output: an xc_cli_output.  Nothing is created before the first piece. */
int xc_cli_output_write(void *output, const void *data, size_t size);
/* Puts a complete file in its place, and removes one that is not or is dropped.  Does nothing the second time. */
int xc_cli_output_end(xc_cli_output *output, int complete);

/* The whole file at once; it ends the output. */
int xc_cli_output_put(xc_cli_output *output, const void *data, size_t size);
/* From the start on. */
int xc_cli_write(const char *path, int force, const void *data, size_t size);

/* Flushes what was printed to standard output. */
int xc_cli_flush_output(void);

/* openat(), which waits for nobody: reading a pipe or a device in the place of a file might never
 * end. -1, and xc_cli_open_failure() tells why. */
static inline int xc_cli_open_regular(int folder, const char *name, int flags)
{
	struct stat status;
	const int file = openat(folder, name, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);

	if (file < 0 || (!fstat(file, &status) && S_ISREG(status.st_mode)))
		return file;
	close(file);
	errno = ENXIO; /* as openat() says of a pipe that nobody reads */
	return -1;
}

static inline int xc_cli_is_folder(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static inline int xc_cli_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static inline const char *xc_cli_open_failure(void)
{
	return errno == ENXIO ? "it is no regular file" : strerror(errno);
}

/* What a program does first and last. */

/* program: its name in messages, a literal. */
void xc_cli_start(const char *program);

/* Called last: returns `status`, or a failure, which it reports, if standard output
 * could not be written. */
int xc_cli_end(int status);

/* The path of a file in the folder of the program: 1, or 0 where it has none of that name. */
enum { XC_CLI_PATH_SIZE = 4096 };
int xc_cli_find_beside(char path[XC_CLI_PATH_SIZE], const char *name);

#endif
