/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a job has finished, kept on the disk, so that it can go on after it was killed.
 *
 * The folder of the results holds a folder ".xcodec". In that each rank has a file "manifest.RANK",
 * to which it appends, and a folder "temporary.RANK" for files that are being written. A line is
 * the CRC-32C of the rest in eight digits, a mark, the name of a result, a tab, and its input
 * (see xc_cli_claims); '\' is written "\\", a newline "\n" and a tab "\t" in there. The first line
 * has the options alone. A line whose checksum is wrong, such as one that was cut off, counts for nothing.
 *
 * A result is noted as begun before it appears, so that each one that exists has an owner, and as
 * finished once the disk has it. Both lines end in the size and the time of the input, the second one also in
 * the size of the result. What is not as noted any more is made again; a line without these counts while its
 * result exists.
 */
#ifndef XC_CLI_STREAM_MANIFEST_H
#define XC_CLI_STREAM_MANIFEST_H

#include <limits.h>
#include <stddef.h>

#include "cli/stream/items.h"
#include "cli/stream/results.h"

/*
 * Whose results are whose: each result of a job has one input.
 *
 * Rank 0 claims the results of all inputs, in the order of these, before any work on them, so what
 * is refused does not depend on threads or ranks. It knows from the manifests what inputs earlier
 * runs had claimed results for. An input is known by its path, in which that of its root is whole
 * and without links, so that "card1/a.png" and "card2/a.png" are two.
 */
typedef struct xc_cli_claims {
	const char *suffix; /* of results */
	xc_cli_suffix_of suffix_of;
	xc_cli_naming naming;
	int force;          /* results of earlier runs are replaced */
	int skip_existing;  /* results of other inputs are taken over */
	const char *folder; /* of the results */
	xc_cli_names results;
	char *root, *real; /* the root of the last input, as it was given and whole */
	struct xc_cli_bad {
		uint64_t input;
		char *note;
	} * bad; /* shards that were finished, with entries that failed */
	size_t bad_count;
} xc_cli_claims;

/* For xc_cli_inputs. Claims the result of an item: what to do with that, after reporting why. */
xc_cli_claim xc_cli_claims_take(void *claims, xc_cli_item *item);
void xc_cli_claims_free(xc_cli_claims *claims);

/* Tells the state of a file from that of a changed one; compared with the begin of a note. result: its path, whose
 * size is part of the stamp; or NULL. kept: the path of a file that may be there in its place; or NULL. Returns 0, or -1 if
 * there is no result. */
enum { XC_CLI_STAMP = 80, XC_CLI_NOTE = 640 };
struct stat;
int xc_cli_claims_stamp(char stamp[XC_CLI_STAMP], const struct stat *status, const char *result,
                        const char *kept);

typedef struct xc_cli_manifest xc_cli_manifest;

/* Opens the manifest of a rank below the folder of the results, and makes it if there is none.
 * options: a text that is equal for runs with equal results. Another process must not have it open.
 * NULL after reporting why not. */
xc_cli_manifest *xc_cli_manifest_open(const char *folder, int rank, const char *options);
/* For rank 0, before any rank begins: adds to the claims what the manifests of all ranks have, and
 * removes temporary files that are left. A manifest of other options is emptied with `force`, and
 * refused without. 0, or -1 after reporting why not. */
int xc_cli_manifest_read(xc_cli_manifest *manifest, int force, xc_cli_claims *claims);
/* The folder for temporary files. */
int xc_cli_manifest_temporary(const xc_cli_manifest *manifest);
/* Notes that work on a result begins, on the disk if `sync`: 0, or -1 after reporting why not. Any
 * thread may call it, and the next function. stamp: of the input. */
int xc_cli_manifest_begin(xc_cli_manifest *manifest, const char *result, const char *input,
                          const char *stamp, int sync);
/* Notes that the result of an input is in its place.  note: a stamp, or see XC_CLI_LINE_BAD. */
void xc_cli_manifest_add(xc_cli_manifest *manifest, char mark, const char *result,
                         const char *input, const char *note);
/* Writes what was noted: 0, or -1 after reporting that something was not
 * written. NULL is allowed. */
int xc_cli_manifest_close(xc_cli_manifest *manifest);

/* Joins the manifests of all ranks to one: 0, or -1 after reporting why not. */
int xc_cli_manifest_merge(const char *folder);

/* The byte after the checksum, which counts for that, says what a line holds. */
enum {
	XC_CLI_LINE_OPTIONS = '=',
	XC_CLI_LINE_BEGUN = '+', /* a result, its input, a stamp */
	XC_CLI_LINE_DONE = ' ',  /* likewise */
	XC_CLI_LINE_BAD =
		'!' /* likewise, and in the note what failed in a shard; no note: parts were lost */
};

#endif
