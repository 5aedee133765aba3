/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files of a command that turns IN into OUT, or every IN into a file of one folder.
 *
 * In a folder each result has its input's name with another suffix.  The files of such a batch are
 * done in parallel, one thread each if there are as many files as threads.  A file that fails has
 * its own message and does not stop the others.
 */
#ifndef XC_CLI_STREAM_BATCH_H
#define XC_CLI_STREAM_BATCH_H

#include "cli/base/command.h"
#include "cli/base/io.h"
#include "cli/base/options.h"
#include "cli/base/progress.h"
#include "cli/base/settings.h"
#include "cli/stream/results.h"

/* What becomes of a JPEG; XC_CLI_CODED: of other pictures as well. */
typedef enum xc_cli_became {
	XC_CLI_CODED,
	XC_CLI_RECODED, /* with a second loss */
	XC_CLI_REPACKED,
	XC_CLI_STORED,
	XC_CLI_REFUSED /* it cannot be repacked, and may not be stored: the work failed */
} xc_cli_became;

/* What the encoder of a picture or an array lost. A JPEG that is kept is neither. */
typedef enum xc_cli_loss {
	XC_CLI_LOSS_UNKNOWN, /* it is no encoder's work */
	XC_CLI_EXACT,
	XC_CLI_LOSSY,
	XC_CLI_LOSSY_16 /* of samples of 16 bits, without a bound */
} xc_cli_loss;

/* A file to be worked on. */
typedef struct xc_cli_task {
	xc_context *context; /* the calling thread's */
	xc_cli_progress *progress;
	xc_cli_input *in;            /* is open */
	xc_cli_output *out;          /* was started; ended by the caller if not by the work */
	int lossless;                /* its name is one of those that are coded so */
	struct xc_cli_time_use *use; /* to which the work adds its stages; or NULL */
	/* Set by the work: */
	uint64_t pixels;
	xc_cli_became became;
	xc_cli_loss loss;
	int flawed; /* a JPEG that was cut off or damaged before it was kept; that was told */
	char *told; /* what --json tells, which the caller frees; or NULL */
} xc_cli_task;

/* 0, XC_CLI_DAMAGED, or -1 after reporting why not. */
typedef int (*xc_cli_file_work)(const void *user, xc_cli_task *task);

typedef struct xc_cli_batch {
	char *folder;               /* for the results; NULL: inputs are IN and OUT */
	const char *suffix;         /* of the results in the folder: ".xc" */
	xc_cli_suffix_of suffix_of; /* NULL: all have that */
	char **inputs;
	int count;
	int recursive;               /* folders stand for the files below them */
	const char *list;            /* a file with more inputs, one a line; NULL: none */
	int null;                    /* its paths end with a zero byte, not with a line */
	int naming;                  /* an xc_cli_naming; complete after xc_cli_batch_normalize() */
	int named;                   /* an option said so */
	int keeps_suffixes;          /* of folders and lists, unless an option says otherwise */
	int resume;                  /* goes on with an interrupted run, and can be interrupted */
	const char *also_read;       /* a file that no result may replace either, or NULL */
	int force;                   /* results that exist are replaced */
	int skip_existing;           /* unless they have the time of their inputs: these stay */
	int sync;                    /* the disk has each result at the end */
	int no_sandbox;              /* cli/base/sandbox.h */
	int verbosity;               /* one of settings.h */
	int json;                    /* tell about each file on standard output */
	int delete_inputs;           /* whose results give back all of them; implies `sync` */
	const char *verb;            /* for the progress line: "encoding" */
	int gpus_join;               /* where the device is "auto" and the inputs are large */
	const xc_cli_limits *limits; /* in a batch "cuda" means all GPUs in turn, one a thread */
	/* What is done with names that match, the first one first: nothing, a copy, coding without loss. */
	xc_cli_globs excluded, copied, lossless;
	int copy_others; /* so are all files that are not for this command, by their names */
	int tars;        /* shards below folders are inputs, too */
	/* An input stays as it is, under its own name, where its result would be larger. */
	int smaller;
	/* Called once, before any work; 0, or -1 after reporting why not.  May be NULL. */
	int (*prepare)(void *user, xc_context *context);
	xc_cli_file_work work;
	/* Whether a file below a folder or in a shard is one for this command, by its name. */
	int (*takes)(const void *user, const char *name);
	/* Whether a result gives back all of its input: 1, 0, or -1 after reporting what is wrong.  For
	 * `delete_inputs`. */
	int (*same)(const xc_cli_limits *limits, xc_context *context, const char *input,
	            const char *result);
	/* Writes all that results depend on beside the inputs, once everything is prepared. */
	void (*describe)(const void *user, char *text, size_t room);
	void *user;
} xc_cli_batch;

enum { XC_CLI_DESCRIPTION = 512 };

extern const xc_cli_option xc_cli_many_options[]; /* base: xc_cli_batch */

/* Completes the naming. Takes the name of a folder for that of the result, so that inputs are IN and OUT: if there is one
 * input, the name does not end in '/', and no such folder exists. Says so if the name might be that
 * of a folder. `inputs` has room for two. */
void xc_cli_batch_normalize(xc_cli_batch *batch);

/* Whether there are as many operands as the options want: -1, or the exit status
 * after reporting that. */
int xc_cli_batch_check(const xc_cli_command *self, const xc_cli_batch *batch);

/* Whether there may be several results: in a folder, or in a tar file. */
int xc_cli_batch_is_stream(const xc_cli_batch *batch);

/* Deletes an input whose result is complete, if it is the regular file that was opened, has not changed, is no link,
 * and the result on the disk gives back all of it: 0. Otherwise it stays, and *kept says why: 1, -1 after reporting what is
 * wrong with the result, or -2 after reporting that it cannot be deleted. */
int xc_cli_batch_delete_input(const xc_cli_batch *batch, const xc_cli_limits *limits,
                              xc_context *context, const xc_cli_input *input, const char *result,
                              const char **kept);

/* Whether --verbose or --json tells about each file. */
int xc_cli_batch_tells(const xc_cli_batch *batch);

/* Returns the exit status. If all inputs are operands, nothing is done at all if two of them would
 * have the same result, or if a result is an input. */
int xc_cli_batch_run(const xc_cli_command *self, xc_cli_batch *batch);

#endif
