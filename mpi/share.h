/* SPDX-License-Identifier: BSD-2-Clause */
/* Sharing out the items of a job.  Rank 0 leads: it alone knows the items and hands them out, in
 * chunks, to whoever asks.  The others follow: they ask before their queues are empty.  Each rank's
 * main thread does this while its workers work, and no other thread calls MPI.
 *
 * MPI's blocking calls wait actively, which would take a core from the workers.  So what may take
 * long is tried again and again, with sleeps of up to a millisecond in between. */
#ifndef XC_MPI_SHARE_H
#define XC_MPI_SHARE_H

#include <mpi.h>

#include "mpi/queue.h"

typedef struct xc_mpi_share {
	MPI_Comm comm;
	int rank, ranks;
	double begun; /* the moment that times are counted from, on this rank's clock */
	xc_mpi_queue queue;
	/* Of rank 0.  Gives the next item, which holds until the next call: 1, 0 at the end, or -1 after
	 * reporting why there are no more. */
	int (*next)(void *user, xc_mpi_item *item);
	/* Is called about twice a second with what all ranks have done; may be NULL. */
	void (*progress)(void *user, const xc_mpi_tally *sum);
	void *user;
	xc_mpi_tally *tallies; /* of all ranks, at the end */
	int lost;              /* ranks that failed before they began, or died */
	int failed;            /* `next` did */
} xc_mpi_share;

/* 0, or -1 after reporting why not. */
int xc_mpi_share_init(xc_mpi_share *share, MPI_Comm comm);
void xc_mpi_share_free(xc_mpi_share *share);

/* Rank 0: begins the job on all ranks, hands everything out, and returns when all is done. */
int xc_mpi_share_lead(xc_mpi_share *share, int workers);
/* Rank 0, if there will be no job. */
void xc_mpi_share_call_off(xc_mpi_share *share);

/* The others: wait until rank 0 has begun the job: 1, or 0 if there will be none. */
int xc_mpi_share_await(xc_mpi_share *share);
/* Then they follow until all their items are done. */
int xc_mpi_share_follow(xc_mpi_share *share, int workers);
/* Or tell that they cannot. */
void xc_mpi_share_decline(xc_mpi_share *share);
/* And wait until every other rank has done its own. */
void xc_mpi_share_end(xc_mpi_share *share);

/* ------------------------------------------------ what both sides know of each other */

enum { XC_MPI_TAG_BEGIN = 1, XC_MPI_TAG_ASK, XC_MPI_TAG_WORK, XC_MPI_TAG_END };

typedef enum xc_mpi_asks { XC_MPI_ASKS, XC_MPI_TELLS, XC_MPI_LEAVES, XC_MPI_DECLINES } xc_mpi_asks;
typedef struct xc_mpi_ask {
	xc_mpi_tally tally;
	double rate; /* items a second of all workers together; 0: not known yet */
	uint64_t queued;
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
double xc_mpi_pace_update(xc_mpi_pace *pace, const xc_mpi_tally *tally);

/* Pauses that grow while nothing happens, in seconds. */
double xc_mpi_pause_after(double pause);
void xc_mpi_sleep(double seconds);

#endif
