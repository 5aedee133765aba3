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
	uint64_t given;            /* items */
	uint64_t by_gpu;           /* pictures; changed atomically */
	int full;                  /* errno: nothing more can be written; 0: it can; likewise */
	double begun;              /* the part of all items that was begun; likewise */
	xc_cli_manifest *manifest; /* NULL: there is none */
	const char *out;           /* the only result; NULL: they go into the folder */
	char **told;               /* what --json tells, by item; NULL: it is printed as it comes */
	xc_cli_workers workers;
	xc_cli_results results[XC_CLI_WRITERS]; /* by worker */
	xc_cli_time_use use[XC_CLI_WRITERS];    /* likewise, if --verbose asks for it */
	/* The caller initializes both mutexes. */
	pthread_mutex_t taking;   /* guards taking items and `shard` */
	xc_cli_open_shard *shard; /* that has more entries; NULL: none */
	pthread_mutex_t counting; /* guards what follows, and standard output */
	xc_cli_tally tally;
	double seconds; /* that it took */
	xc_cli_passed
		copied; /* entries of shards that look like pictures; guarded by the shard's lock of reading */
	int printed; /* pieces of JSON */
} xc_cli_stream;

/* For xc_cli_inputs.refused; user: the stream. */
void xc_cli_stream_refused(void *user, uint64_t number, const char *path);

/* Does everything; `tally` is what came of it. */
void xc_cli_stream_run(xc_cli_stream *stream);

#endif
