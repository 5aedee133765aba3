/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the results of many inputs go: their names, and the folders that they are put in. */
#ifndef XC_CLI_STREAM_RESULTS_H
#define XC_CLI_STREAM_RESULTS_H

#include "cli/base/io.h"

#include <stddef.h>
#include <stdint.h>

/*
 * A table of names, of which 64 bits each are kept, with a number for each.
 *
 * Two of n different names are taken for one with a chance of n^2 / 2^65: for
 * 10^7 names, 3 * 10^-6.
 */

/* All zero: an empty table. */
typedef struct xc_cli_names {
	struct xc_cli_name {
		uint64_t hash, value; /* hash 0: a free slot */
	} * slot;
	size_t slots, used;
} xc_cli_names;

/* Never 0. */
uint64_t xc_cli_names_hash(const char *name);
/* The number of a name, which is 0 if the name is new, and stays in its place until the next name
 * is added. NULL: out of memory, and nothing is reported. */
uint64_t *xc_cli_names_value(xc_cli_names *names, const char *name);
/* 1: the name is new in the table; 0: it was there; -1: out of memory, and nothing is reported. */
int xc_cli_names_add(xc_cli_names *names, const char *name);
void xc_cli_names_free(xc_cli_names *names);

/* Patterns of names, as options give them, one a time. */
enum { XC_CLI_GLOBS = 64 };
typedef struct xc_cli_globs {
	const char *glob[XC_CLI_GLOBS];
	int count;
	/* Every file matches that is neither one for the command, by its name, nor a shard; NULL: it does not. */
	int (*takes)(const void *user, const char *name);
	const void *user;
	int wraps; /* 1: the copy of "a.xc" is "a.xc.xc"; -1: "a.xc.xc" is copied to "a.xc"; 0: names stay */
} xc_cli_globs;

/* Takes one more, for XC_CLI_CUSTOM. */
const char *xc_cli_globs_parse(const char *text, void *globs);
/* Whether one of them matches a name below the folder of the inputs, or the last part of it. */
int xc_cli_globs_match(const xc_cli_globs *globs, const char *name);

/* Whether a file is a shard, a tar file of many pictures, by its name. */
int xc_cli_is_shard(const char *path);

/* What is done with a file. XC_CLI_WRAPPED and XC_CLI_UNWRAPPED: it is copied, and its name gets one more ".xc", or
 * loses one, since decoding the copy under its own name would give a picture. */
typedef enum xc_cli_way {
	XC_CLI_WORK,
	XC_CLI_SHARD,
	XC_CLI_COPY,
	XC_CLI_WRAPPED,
	XC_CLI_UNWRAPPED
} xc_cli_way;

/* By its name, of a file that the user names. copied: those that are copied. */
xc_cli_way xc_cli_way_of(const xc_cli_globs *copied, const char *name);

/* What results are called: as their inputs with another suffix, or with one more. */
typedef enum xc_cli_naming {
	XC_CLI_NAMING_USUAL, /* no option says */
	XC_CLI_NAMING_REPLACE,
	XC_CLI_NAMING_KEEP_FILES, /* one more, but not of shards and what is in them */
	XC_CLI_NAMING_KEEP
} xc_cli_naming;

/* "a/b.c.png" with ".xc" is "a/b.c.xc", and in the folder "out" it is "out/a/b.c.xc"; a shard
 * becomes ".tar". No suffix: the name as it is. Where suffixes are kept: "a/b.c.png.xc"; a shard that is not named ".tar"
 * gets that too. Where they are not, "a/b.JPEG.xc" with ".jpg", which is the same format, is "a/b.JPEG": the name of before.
 * With xc_cli_as_it_was, the suffix of a JPEG that comes back byte for byte, "a/b.png.xc" is "a/b.png" likewise, and so with
 * every suffix of files that are encoded.
 * NULL: no folder. The caller frees it; NULL after reporting that there is no memory. */
char *xc_cli_result_path(const char *folder, const char *name, const char *suffix,
                         xc_cli_naming naming);

extern const char xc_cli_as_it_was[]; /* ".jpg" */

/* The same of a file that is done in that way, which only a suffix is needed for that is not copied. */
char *xc_cli_result_name(const char *folder, const char *name, xc_cli_way way, const char *suffix,
                         xc_cli_naming naming);

/* The suffix of the result of a file that begins so; NULL: the usual one. size: XC_CLI_START, or all of it. */
enum { XC_CLI_START = 256 };
typedef const char *(*xc_cli_suffix_of)(const void *start, size_t size);
/* The same of a file, which is looked into if `of` is not NULL. */
const char *xc_cli_suffix_of_file(xc_cli_suffix_of of, const char *path, const char *usual);

/* What helps where two inputs have one result, in parentheses. */
const char *xc_cli_two_results(xc_cli_naming naming);

/* The folder of the last result, which stays open for the next one. */
typedef struct xc_cli_results {
	const char *root; /* the folder of all results, which exists */
	int temporary;    /* a folder for temporary files; -1: beside the results */
	dev_t device;     /* of that */
	char *path;       /* of the folder that is open; NULL: none is */
	xc_cli_folder into;
} xc_cli_results;

/* temporary: -1, or an open folder. */
void xc_cli_results_begin(xc_cli_results *results, const char *root, int temporary);
/* Opens the folder that a path begins with, and makes it if there is none: 0, or -1 with errno after
 * reporting why not. A folder that is made is not open to more people than that of the input, whose path is the same
 * as that of the result from byte `name` on. */
int xc_cli_results_enter(xc_cli_results *results, const char *path, const char *input, size_t name);
void xc_cli_results_end(xc_cli_results *results);

#endif
