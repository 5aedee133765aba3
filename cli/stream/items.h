/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The inputs of a job, one after another: the operands in their order, then the lines of a list.
 *
 * With `recursive` a folder stands for the files below it, in the order of their bytes within each
 * folder, so the order is the same on every machine.  Symbolic links to folders are not followed.
 * What is passed over is counted; an input that is a link to nothing fails. Temporary files that a killed
 * run left are no inputs, nor are the notes of --resume.
 *
 * Memory holds the names of the folders under way, never those of the whole job.
 */
#ifndef XC_CLI_STREAM_ITEMS_H
#define XC_CLI_STREAM_ITEMS_H

#include "cli/base/report.h"
#include "cli/stream/results.h"

#include <stddef.h>
#include <stdint.h>

/* Where --resume notes what is finished, which no folder's files come from; see manifest.h. */
#define XC_CLI_MANIFEST_FOLDER ".xcodec"

typedef struct xc_cli_item {
	uint64_t number; /* from 0, in the order of the items */
	char *path;      /* to be opened; owned by the item */
	size_t name;     /* where in `path` that begins which is kept below the folder of the results */
	char *input;     /* its name in manifests, likewise; NULL: none was claimed */
	xc_cli_way way;
	/* Whose result it is that may exist: that of nobody known, of this input, which is finished
	 * then or must be made again, or of another input. */
	enum xc_cli_whose { XC_CLI_NOBODYS, XC_CLI_OWN, XC_CLI_OWN_AGAIN, XC_CLI_OTHERS } whose;
} xc_cli_item;

/* What to do with an item: give it out; or nothing, since it is finished, or since it failed. */
typedef enum xc_cli_claim { XC_CLI_GIVE, XC_CLI_SKIP, XC_CLI_REFUSE } xc_cli_claim;

typedef struct xc_cli_inputs {
	char **operands;
	int count;
	int recursive;
	int no_pipes; /* among operands: they are refused if they have names, as lines of the list are */
	const char *list; /* a file with one path a line; "-": standard input; NULL: none */
	int end;          /* of a path in the list: '\n' or 0 */
	/* Whether a file below a folder is an input, by its name, also of shards; operands and lines always are. */
	int (*takes)(const void *user, const char *name);
	const void *user;
	int verbose; /* files that are passed over by their names are said, one a line */
	/* Names that are left out, wherever they come from, and those that are inputs in any case. */
	const xc_cli_globs *excluded, *copied;
	/* Decides about an item, and completes it.  NULL: each is given out. */
	xc_cli_claim (*claim)(void *claims, xc_cli_item *item);
	void *claims;
	/* Told of each path that is not given out because it failed, after the report; NULL: nobody is. It has the number
	 * that the item would have had. */
	void (*refused)(void *user, uint64_t number, const char *path);
	void *refused_user;
	const char *leave_out; /* a folder that is not entered from above: the results'; or NULL */
} xc_cli_inputs;

/* Makes an item of a path, of which everything from `name` on is kept: 0, or -1 after reporting
 * that there is no memory. */
int xc_cli_item_set(xc_cli_item *item, uint64_t number, const char *path, size_t name);
/* An item of zeros is allowed. */
void xc_cli_item_free(xc_cli_item *item);

/* Whether a path has the component "..". */
int xc_cli_leads_up(const char *path);

typedef struct xc_cli_items xc_cli_items;

/* `inputs` and what it points to must stay.  NULL after reporting why not. */
xc_cli_items *xc_cli_items_open(const xc_cli_inputs *inputs);
/* 1 and the next item, or 0 at the end. What cannot be listed, or must not be an input, is reported
 * and counted. One thread at a time may call it. */
int xc_cli_items_next(xc_cli_items *items, xc_cli_item *item);
uint64_t xc_cli_items_failed(const xc_cli_items *items);
/* How many were finished by an earlier run and are not given. */
uint64_t xc_cli_items_finished(const xc_cli_items *items);
/* How many were left out, since they match. */
uint64_t xc_cli_items_excluded(const xc_cli_items *items);
/* The files in folders that are no inputs by their names. */
xc_cli_passed *xc_cli_items_passed(xc_cli_items *items);
/* Which part of the job was handed out, from 0 to 1, as far as that is known: by the operands, the
 * names in folders and the bytes of a list. Any thread may call it. */
double xc_cli_items_fraction(const xc_cli_items *items);
void xc_cli_items_close(xc_cli_items *items);

#endif
