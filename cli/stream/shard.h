/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shards: tar files of many pictures, which become tar files of as many results.
 *
 * One thread at a time reads a shard, of an uncompressed one only where pictures lie; entries are
 * worked on by any number of threads and written in the order in which they were read. An entry
 * that is no picture by its name, such as a label, is copied. Each result has the time of its
 * entry, in whole seconds, mode 644 less what that denies, and owner 0, so that equal shards have equal results.
 *
 * Shards may come from strangers. Nothing is ever written but the one tar file. Entries are
 * limited like files. One whose name is absolute or leads upwards fails, and so do symbolic links
 * and devices. A hard link becomes one to the result of its entry.
 */
#ifndef XC_CLI_STREAM_SHARD_H
#define XC_CLI_STREAM_SHARD_H

#include "cli/base/io.h"
#include "cli/base/settings.h"
#include "cli/base/report.h"
#include "cli/stream/results.h"
#include "cli/stream/spread.h"

typedef struct xc_cli_shard_job {
	const char *path;   /* of the shard */
	const char *suffix; /* of results */
	xc_cli_suffix_of suffix_of;
	xc_cli_naming naming;
	int (*takes)(const void *user,
	             const char *name); /* whether an entry is a picture, by its name */
	const void *user;
	/* Names of entries that are left out, which are counted, and of those that are copied. */
	const xc_cli_globs *excluded, *matched;
	uint64_t *left_out;
	uint64_t
		*lost; /* counts hard links whose entry has no result, which is reported; NULL: neither */
	const xc_cli_limits *limits; /* of one worker */
	int workers;
	xc_cli_passed *copied; /* counts what is copied and looks like a picture by its name */
	xc_cli_output *out;    /* was started; the caller ends it after the shard was closed */
} xc_cli_shard_job;

typedef struct xc_cli_shard xc_cli_shard;

/* An entry that was read.  The caller owns it until it puts it. */
typedef struct xc_cli_entry {
	uint64_t number;    /* its place in the order */
	char *name;         /* as the result has it, with the other suffix */
	char *stays;        /* the name of an entry that stays as it is, in place of that; else NULL */
	const char *suffix; /* that suffix, of a picture */
	char *subject;      /* for messages: the shard's path and the entry's name */
	const char *own;    /* its own name, in `subject` */
	int picture;        /* else it is copied */
	int matched;        /* because of its name */
	int64_t time;       /* seconds since 1970 */
	unsigned mode;      /* permissions */
	uint64_t packed;    /* bytes of the shard, for limits on what is made of few */
	uint8_t *data; /* charged to the reader's context; NULL: the caller took it, or `file` has it */
	size_t size;
	int file; /* of the shard; its bytes lie in there from `begin` on, and are not read yet; -1: they are */
	uint64_t begin;
} xc_cli_entry;

/* `job` and what it points to must stay.  NULL after reporting why not. */
xc_cli_shard *xc_cli_shard_open(const xc_cli_shard_job *job);
/* 1 and the next entry, 0: there are no more, or -1 after reporting what *kind tells, after which
 * the next entry may come; entry->subject, which the caller frees, then names the one that failed, or
 * is NULL. Waits while too many entries are under way. */
int xc_cli_shard_next(xc_cli_shard *shard, xc_context *context, xc_cli_entry *entry,
                      xc_cli_kind *kind);
/* Hands over what came of an entry: a malloc'ed result, or NULL if it failed. Each
 * entry must be put. */
void xc_cli_shard_put(xc_cli_shard *shard, xc_cli_entry *entry, uint8_t *data, size_t size);
/* Ends the tar file: 0, or -1 if there is none, since it could not be written or no entry could be
 * read, which was reported. No entry is under way. */
int xc_cli_shard_close(xc_cli_shard *shard);

#endif
