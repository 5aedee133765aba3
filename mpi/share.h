/* SPDX-License-Identifier: BSD-2-Clause */
/* Sharing out the items of a job.  Rank 0 coordinates: it alone knows the items and hands them out,
 * in chunks, to the ranks that ask.  The others ask before their queues are empty.  Each rank's
 * main thread does this while its workers work, and no other thread calls MPI.
 *
 * MPI's blocking calls wait actively, which would take a core from the workers.  So what may take
 * long is tried again and again, with sleeps of up to a millisecond in between. */
#ifndef XC_MPI_SHARE_H
#define XC_MPI_SHARE_H

#include <mpi.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/stream/items.h"
#include "cli/stream/spread.h"
#include "mpi/share.h"

/* What a rank has done so far.  It is sent as it is, since all ranks are the same program. */
typedef struct xc_mpi_account {
	xc_cli_tally tally;
	uint64_t items; /* that are finished, whatever came of them */
	uint64_t workers;
	double idle;    /* seconds that workers waited while there was work, all together */
	double sharing; /* seconds of a processor that the main thread took to share out */
	double seconds; /* from the job's begin to now, or to the rank's end */
} xc_mpi_account;

/* The later one of the two times counts. */
void xc_mpi_account_add(xc_mpi_account *sum, const xc_mpi_account *more);

/* Items packed one after another: as they are kept before they are handed out, sent, and queued. */
typedef struct xc_mpi_records {
	uint8_t *bytes;
	size_t begin, end, room; /* of the bytes in use */
	uint64_t count;
} xc_mpi_records;

/* Both return 0, or -1: out of memory. */
int xc_mpi_records_add(xc_mpi_records *records, const xc_cli_item *item);
/* Takes the first `count`, of which there are as many.  Returns where they begin, which holds until
 * something is added, and their bytes in *size. */
const uint8_t *xc_mpi_records_take(xc_mpi_records *records, uint64_t count, size_t *size);
/* Makes an item of the record at `bytes`: 0, or -1 after reporting that there is no memory. */
int xc_mpi_record_read(const uint8_t *bytes, xc_cli_item *item);
static inline size_t xc_mpi_records_size(const xc_mpi_records *records)
{
	return records->end - records->begin;
}
void xc_mpi_records_free(xc_mpi_records *records);

/* When a rank asks, and how many items it gets at a time: guided self-scheduling, weighted by the
 * ranks' speeds and bounded by time. */

/* A rank that has work for this long gets no more. */
static const double xc_mpi_chunk_seconds = 0.25;

/* A question goes out four times as long before a queue is expected to be empty as the slowest of
 * the last answers took, in seconds, and at the least so long. */
static inline double xc_mpi_coordinate(double answer)
{
	return answer > 1.25e-3 ? 4 * answer : 5e-3;
}

/* Where fewer items than that are done meanwhile, asking ahead would give a rank a picture that
 * another one could begin at once. So it asks when a worker waits. */
#define XC_MPI_WORTH_ASKING_AHEAD 0.05

typedef struct xc_mpi_asker {
	double rate;               /* items a second of all its workers together; 0: not known yet */
	double share;              /* of the rates of all ranks */
	uint64_t workers, waiting; /* all of them, and those that are known to have nothing to do */
	uint64_t queued;           /* items that it still has */
} xc_mpi_asker;

/* left: items that can be handed out now, 1 or more. Of these a rank gets half of its share, so
 * that the last chunks are small; but at least one for each worker that waits, unless others
 * have to wait then. */
static inline uint64_t xc_mpi_chunk(const xc_mpi_asker *a, uint64_t left)
{
	const double fair = a->share * (double)left;
	const double by_time = a->rate > 0 ? a->rate * xc_mpi_chunk_seconds : 2.0 * (double)a->workers;
	const double min = fair < (double)a->waiting ? fair : (double)a->waiting;
	double n = (by_time < fair / 2 ? by_time : fair / 2) - (double)a->queued;

	if (n < min)
		n = min;
	return n < 1 ? 1 : n < (double)left ? (uint64_t)n : left;
}

/* The items that a rank has been given. Workers take them, and one thread, the rank's main one,
 * sees to it that there are always some. */
typedef struct xc_mpi_queue {
	pthread_mutex_t lock;
	pthread_cond_t filled;  /* workers wait for this */
	pthread_cond_t changed; /* and the main thread for this */
	xc_mpi_records records;
	double low;    /* this many items or fewer are too few; see xc_mpi_queue_ask() */
	int waiting;   /* workers */
	int asked;     /* more is under way */
	int ended;     /* no more will come */
	int dismissed; /* no worker will come again */
	xc_mpi_account account;
} xc_mpi_queue;

/* 0, or -1: out of memory. */
int xc_mpi_queue_init(xc_mpi_queue *queue);
void xc_mpi_queue_free(xc_mpi_queue *queue);

/* Waits for an item: 1, or 0 at the end. */
int xc_mpi_queue_take(xc_mpi_queue *queue, int worker, xc_cli_item *item);
/* Notes that a worker waited before it had something to do. */
void xc_mpi_queue_waited(xc_mpi_queue *queue, double seconds);
/* Each item that was taken is given back so. */
void xc_mpi_queue_done(xc_mpi_queue *queue, const xc_cli_tally *tally);
/* After the last one. */
void xc_mpi_queue_dismiss(xc_mpi_queue *queue);

/* Adds `count` items.  ended: no more will come.  0, or -1: out of memory. */
int xc_mpi_queue_put(xc_mpi_queue *queue, const uint8_t *bytes, size_t size, uint64_t count,
                     int ended);
/* Waits until more should be asked for, which is not before the last answer, until the workers are
 * dismissed, or until `seconds` are over. */
typedef enum xc_mpi_need { XC_MPI_NOTHING, XC_MPI_ITEMS, XC_MPI_FINISHED } xc_mpi_need;
xc_mpi_need xc_mpi_queue_wait(xc_mpi_queue *queue, double seconds);
/* What was done; how many items are queued, and workers wait for more. */
xc_mpi_account xc_mpi_queue_account(xc_mpi_queue *queue, uint64_t *queued, uint64_t *waiting);
/* Notes that more is under way. low: after that, more is asked for at this many queued items or
 * fewer. A rank of slow items asks when a worker waits, since the item that it would ask for ahead
 * might be begun at once elsewhere. */
void xc_mpi_queue_ask(xc_mpi_queue *queue, double low);

typedef struct xc_mpi_share {
	MPI_Comm comm;
	int rank, ranks;
	double begun,
		processor; /* what times are counted from: on this rank's clock, and its main thread's time */
	xc_mpi_queue queue;
	/* For rank 0 alone. */
	xc_cli_items *items;
	/* Is called about twice a second with what all ranks have done; may be NULL. */
	void (*progress)(void *user, const xc_mpi_account *sum);
	void *user;
	xc_mpi_account *accounts; /* of all ranks, at the end */
} xc_mpi_share;

/* 0, or -1 after reporting why not. */
int xc_mpi_share_init(xc_mpi_share *share, MPI_Comm comm);
void xc_mpi_share_free(xc_mpi_share *share);

/* Rank 0 has found nothing wrong with the arguments, or has (0): the others learn which. */
void xc_mpi_share_announce(const xc_mpi_share *share, int word);
int xc_mpi_share_await(const xc_mpi_share *share);

/* Every rank says whether it can begin: 0 if all can, else -1. */
int xc_mpi_share_begin(xc_mpi_share *share, int failed);
/* Shares out all items. Returns when this rank's workers are dismissed; rank 0 returns when those
 * of all ranks are. */
void xc_mpi_share_attend(xc_mpi_share *share);
/* Waits until every rank has come here.  Returns the bits of all ranks' words together. */
int xc_mpi_share_end(const xc_mpi_share *share, int bits);

enum { XC_MPI_TAG_WORD = 1, XC_MPI_TAG_ASK, XC_MPI_TAG_WORK };

typedef enum xc_mpi_asks { XC_MPI_ASKS, XC_MPI_TELLS, XC_MPI_LEAVES } xc_mpi_asks;
typedef struct xc_mpi_ask {
	xc_mpi_account account;
	double rate; /* items a second of all workers together; 0: not known yet */
	uint64_t queued, waiting;
	uint64_t what; /* xc_mpi_asks */
} xc_mpi_ask;

/* Before the records of an answer. */
typedef struct xc_mpi_work {
	uint64_t count, ended;
} xc_mpi_work;

/* How fast a rank's workers are, from what they did between questions. */
typedef struct xc_mpi_pace {
	uint64_t items;
	double busy, rate;
} xc_mpi_pace;

/* Pauses, in seconds, grow while nothing happens. */
static const double xc_mpi_first_pause = 5e-5;

/* What the job and each rank has done, at the end and on the way. */

/* Where a rank runs: which other ranks share its machine, and how many processors are its own. */

/* The processors that a process may run on, one bit each. */
enum { XC_MPI_MASK_WORDS = 128 };
typedef struct xc_mpi_mask {
	uint64_t word[XC_MPI_MASK_WORDS];
} xc_mpi_mask;

typedef struct xc_mpi_node {
	int local, locals; /* of the ranks of this machine: which one this is, and how many they are */
	int threads;       /* 1 or more; 0: not known */
	char host[64];
} xc_mpi_node;

/* All ranks of `comm` call it: 0, or -1 after reporting why not. */
int xc_mpi_node_find(MPI_Comm comm, xc_mpi_node *node);

/* How many processors are rank `local`'s own, at least one. Those that several ranks may run on, as
 * is usual where nothing binds ranks, go to these in turn. */
int xc_mpi_node_processors(const xc_mpi_mask *masks, int locals, int local);

typedef struct xc_mpi_summary {
	const char *command; /* "encode" */
	int ranks;
	const xc_mpi_account *accounts; /* of each rank */
	const xc_mpi_node *nodes;       /* likewise */
	uint64_t unlisted;              /* inputs that failed before they were handed out */
	uint64_t excluded;              /* and those that were left out by their names */
	int status;                     /* the exit status */
} xc_mpi_summary;

/* For people, on standard error. */
void xc_mpi_summary_say(const xc_mpi_summary *summary);
/* JSON on standard output. */
void xc_mpi_summary_print(const xc_mpi_summary *summary);

/* One line now and then.  fraction: of the job, from 0 to 1. */
typedef struct xc_mpi_report {
	double due; /* seconds after the job's begin */
} xc_mpi_report;
void xc_mpi_report_say(xc_mpi_report *report, const xc_mpi_account *sum, double fraction);

#endif
