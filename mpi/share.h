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
	double begun,
		processor; /* what times are counted from: on this rank's clock, and its main thread's time */
	xc_mpi_queue queue;
	/* Of rank 0. */
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
/* Shares out all items.  Returns when this rank's workers are dismissed; rank 0 returns when those of
 * all ranks are. */
void xc_mpi_share_attend(xc_mpi_share *share);
/* Waits until every rank has come here.  Returns the bits of all ranks' words together. */
int xc_mpi_share_end(const xc_mpi_share *share, int bits);

/* ------------------------------------------------ what both sides know of each other */

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
double xc_mpi_pace_update(xc_mpi_pace *pace, const xc_mpi_account *account);

/* Fills in everything but `what`. */
void xc_mpi_share_describe(xc_mpi_share *share, xc_mpi_pace *pace, xc_mpi_ask *ask);

/* What `attend` is in rank 0 and in the others. */
void xc_mpi_share_lead(xc_mpi_share *share);
void xc_mpi_share_follow(xc_mpi_share *share);

/* Pauses, in seconds, grow while nothing happens. */
static const double xc_mpi_first_pause = 5e-5;
double xc_mpi_pause_after(double pause);
void xc_mpi_sleep(double seconds);

#endif
