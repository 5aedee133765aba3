/* SPDX-License-Identifier: BSD-2-Clause */
/* Workers who take one input after another, with a context each. */
#ifndef XC_CLI_STREAM_STREAM_H
#define XC_CLI_STREAM_STREAM_H

#include "cli/base/workers.h"
#include "cli/stream/batch.h"
#include "cli/stream/manifest.h"
#include "cli/stream/results.h"
#include "cli/stream/spread.h"

#include <pthread.h>

/* A shard that is open, and who works on its entries. */
typedef struct xc_cli_open_shard xc_cli_open_shard;

typedef struct xc_cli_stream {
	const xc_cli_batch *batch;
	const xc_cli_spread *spread; /* NULL: this process does it all */
	xc_cli_items *items;         /* NULL: another rank has them */
	xc_cli_item *ahead;          /* that were taken before the work began */
	int ahead_count, ahead_next;
	uint64_t given, ended;     /* items */
	uint64_t by_gpu;           /* pictures; changed atomically */
	double begun;              /* the part of all items that was begun; likewise */
	int waits;                 /* until all that were given have ended; see XC_CLI_WAIT */
	xc_cli_manifest *manifest; /* NULL: there is none */
	const char *out;           /* the only result; NULL: they go into the folder */
	char **told;               /* what --json tells, by item; NULL: it is printed as it comes */
	xc_cli_workers workers;
	xc_cli_results results[XC_CLI_WRITERS]; /* by worker */
	xc_cli_time_use use[XC_CLI_WRITERS];    /* likewise, if --verbose asks for it */
	pthread_mutex_t taking;                 /* guards taking items and `shard` */
	xc_cli_open_shard *shard;               /* that has more entries; NULL: none */
	pthread_mutex_t counting;               /* guards what follows, and standard output */
	xc_cli_tally tally;
	double seconds; /* that it took */
	xc_cli_passed
		copied; /* entries of shards that look like pictures; guarded by the shard's lock of reading */
	int printed; /* pieces of JSON */
} xc_cli_stream;

/* Does everything; `tally` is what came of it. */
void xc_cli_stream_run(xc_cli_stream *stream);

/* ------------------------------------------------- between its own parts */

/* One picture, a file or an entry, whose input is open and whose output was started: adds what came
 * of it to the tally. */
void xc_cli_stream_picture(xc_cli_stream *stream, int worker, xc_cli_input *in, xc_cli_output *out,
                           const xc_cli_item *item, xc_cli_tally *tally);
/* The path of an item's result; NULL after reporting that there is no memory. */
char *xc_cli_stream_path(const xc_cli_stream *stream, const xc_cli_item *item);
/* Starts an output: 0, 1 if its result exists and counts as finished, or -1 after
 * reporting why not. */
int xc_cli_stream_start(const xc_cli_stream *stream, xc_cli_results *results, xc_cli_output *out,
                        const char *path, const xc_cli_item *item, const struct stat *status);
/* Adds what that returned, if it is not 0. */
void xc_cli_stream_count_start(xc_cli_tally *tally, const xc_cli_output *out, int started);
/* Tells everybody what came of an item, and frees it. path: of the result. bad: a note about a
 * shard that is finished although entries failed, or NULL. */
void xc_cli_stream_done(xc_cli_stream *stream, int worker, xc_cli_item *item, const char *path,
                        const xc_cli_tally *tally, const char *bad);

/* Opens a shard and makes it the stream's: 0, or -1 after reporting why not, when the item is done.
 * The caller holds the lock of taking. */
int xc_cli_stream_open_shard(xc_cli_stream *stream, int worker, xc_cli_item *item);
/* Notes that a worker will work on the shard; the caller holds that lock. */
void xc_cli_stream_join_shard(xc_cli_open_shard *shard);
/* Works on the entries of a shard that the worker has joined until there are no more, and leaves
 * it. Who leaves last ends it. */
void xc_cli_stream_work_shard(xc_cli_stream *stream, int worker, xc_cli_open_shard *shard);

#endif
