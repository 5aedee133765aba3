/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the items of a job are spread over processes.
 *
 * A command that is given no xc_cli_spread does all of its items itself. Otherwise each process of
 * the job, a rank, runs the command with the same arguments and a spread of its own:
 *
 *   1. begin() is called in the main thread, after everything that can be checked beforehand;
 *   2. each worker calls next() and waited(), works, and calls done(), until next() gives no more;
 *   3. attend() is called in the main thread at the same time as 2;
 *   4. dismiss() is called in another thread after the last done().  attend() must return then.
 *
 * Rank 0 owns the items: the names of the inputs, less those that an interrupted run has finished.
 */
#ifndef XC_CLI_STREAM_SPREAD_H
#define XC_CLI_STREAM_SPREAD_H

#include "cli/base/stages.h"
#include "cli/stream/items.h"

/* Why an input failed. */
typedef enum xc_cli_kind {
	XC_CLI_UNREADABLE, /* it cannot be opened or read */
	XC_CLI_FOREIGN,    /* it is no file of a format that can be read */
	XC_CLI_BROKEN,     /* its data is cut off or wrong */
	XC_CLI_OVER_LIMIT, /* a limit forbids it */
	XC_CLI_EXISTING,   /* its result exists */
	XC_CLI_UNWRITABLE, /* its result cannot be written */
	XC_CLI_UNPACKABLE, /* a JPEG that cannot be repacked, and may not be stored */
	XC_CLI_OTHER,      /* there is no memory, or a device fails */
	XC_CLI_KINDS
} xc_cli_kind;
const char *xc_cli_kind_name(xc_cli_kind kind); /* "unreadable" */

/* What came of an item, or of many.  A shard counts its entries. */
typedef struct xc_cli_tally {
	uint64_t done;     /* pictures, the damaged ones included */
	uint64_t damaged;  /* parts of them were lost */
	uint64_t copied;   /* files and entries that were copied by their names */
	uint64_t excluded; /* entries of shards that were left out by their names */
	uint64_t kept;     /* pictures that were done, but kept as they were: the result was larger */
	uint64_t repacked, stored, recoded; /* JPEGs: as they are, or with a second loss */
	uint64_t exact, lossy; /* results of coding, without loss and with it, that were not dropped */
	uint64_t lossy_16;     /* of the latter, those of 16 bits */
	uint64_t flawed;  /* JPEGs that were done, but were cut off or damaged before they were kept */
	uint64_t existed; /* the result was found, and counts as finished */
	uint64_t deleted, stayed; /* inputs, with --delete-after-verify */
	uint64_t undeletable;     /* of the latter, those that should have been deleted */
	uint64_t untried;         /* inputs, since nothing more can be written */
	uint64_t failed[XC_CLI_KINDS];
	uint64_t pixels, bytes_in, bytes_out; /* of pictures that were done */
	double seconds;                       /* that workers spent on them */
} xc_cli_tally;

void xc_cli_tally_add(xc_cli_tally *sum, const xc_cli_tally *more);
uint64_t xc_cli_tally_failed(const xc_cli_tally *tally);
/* Those that may go well another time: it was the machine that failed, not an
 * input that is wrong. */
uint64_t xc_cli_tally_unfinished(const xc_cli_tally *tally);
/* XC_CLI_DONE, XC_CLI_FAILED or XC_CLI_DAMAGED. */
int xc_cli_tally_status(const xc_cli_tally *tally);

struct xc_cli_batch; /* cli/stream/batch.h */
typedef struct xc_cli_spread {
	void *user;
	int rank, ranks;
	int local, locals; /* of the ranks on this machine: which one this is, and how many they are */
	int threads;       /* where no option says how many: of this rank; 0: one a processor */
	/* Says that this rank can begin, or cannot (failed): 0 if all ranks can, else -1. items: of
	 * rank 0 alone, open until attend() has returned; NULL in the others, and after a failure. */
	int (*begin)(void *user, const struct xc_cli_batch *batch, xc_cli_items *items, int failed);
	/* 1 and an item, or 0: there are no more. It may block. Any worker may call it at any time. */
	int (*next)(void *user, int worker, xc_cli_item *item);
	/* How long the worker waited before it had something to do, the last time in vain. */
	void (*waited)(void *user, int worker, double seconds);
	/* What came of the item that the worker took; the result is in its place. */
	void (*done)(void *user, int worker, const xc_cli_item *item, const xc_cli_tally *tally);
	void (*attend)(void *user);
	void (*dismiss)(void *user);
} xc_cli_spread;

/* What the workers of a batch spent their time on, which tells what bounded it. */
typedef enum xc_cli_use {
	XC_CLI_USE_READING, /* and unpacking */
	XC_CLI_USE_CODING,
	XC_CLI_USE_GPU, /* copies to it and from it, and waiting for it */
	XC_CLI_USE_WRITING,
	XC_CLI_USES
} xc_cli_use;

typedef struct xc_cli_time_use {
	double seconds[XC_CLI_USES];
} xc_cli_time_use;

/* Adds the stages of a picture. */
void xc_cli_time_use_add(xc_cli_time_use *use, const xc_cli_stages *stages);
void xc_cli_time_use_sum(xc_cli_time_use *sum, const xc_cli_time_use *more);
/* Says on stderr how much was done in `seconds`, how many pictures by GPUs,
 * and what bounded it. */
void xc_cli_time_use_say(const xc_cli_time_use *use, const xc_cli_tally *tally, int workers,
                         uint64_t by_gpu, double seconds);

#endif
