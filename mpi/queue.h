/* SPDX-License-Identifier: BSD-2-Clause */
/* The items that a rank has been given.  Workers take them, and one thread, the rank's main one, sees
 * to it that there are always some. */
#ifndef XC_MPI_QUEUE_H
#define XC_MPI_QUEUE_H

#include <pthread.h>

#include "mpi/account.h"
#include "mpi/records.h"

typedef struct xc_mpi_queue {
	pthread_mutex_t lock;
	pthread_cond_t filled;  /* workers wait for this */
	pthread_cond_t changed; /* and the main thread for this */
	xc_mpi_records records;
	double low;    /* so many items are too few; see xc_mpi_queue_ask() */
	int waiting;   /* workers */
	int asked;     /* more is under way */
	int ended;     /* no more will come */
	int dismissed; /* no worker will come again */
	xc_mpi_account account;
} xc_mpi_queue;

/* 0, or -1: out of memory. */
int xc_mpi_queue_init(xc_mpi_queue *queue);
void xc_mpi_queue_free(xc_mpi_queue *queue);

/* ------------------------------------------------------------------ workers */

/* Waits for an item: 1, or 0 at the end. */
int xc_mpi_queue_take(xc_mpi_queue *queue, int worker, xc_cli_item *item);
/* Notes that a worker waited before it had something to do. */
void xc_mpi_queue_waited(xc_mpi_queue *queue, double seconds);
/* Each item that was taken is given back so. */
void xc_mpi_queue_done(xc_mpi_queue *queue, const xc_cli_tally *tally);
/* After the last one. */
void xc_mpi_queue_dismiss(xc_mpi_queue *queue);

/* --------------------------------------------------------------- main thread */

/* Adds `count` items.  ended: no more will come.  0, or -1: out of memory. */
int xc_mpi_queue_put(xc_mpi_queue *queue, const uint8_t *bytes, size_t size, uint64_t count,
                     int ended);
/* Waits until more should be asked for, which is not before the last answer, until the workers are
 * dismissed, or for so many seconds. */
typedef enum xc_mpi_need { XC_MPI_NOTHING, XC_MPI_ITEMS, XC_MPI_FINISHED } xc_mpi_need;
xc_mpi_need xc_mpi_queue_wait(xc_mpi_queue *queue, double seconds);
/* What was done; how many items are queued, and workers wait for more. */
xc_mpi_account xc_mpi_queue_account(xc_mpi_queue *queue, uint64_t *queued, uint64_t *waiting);
/* More is under way.  low: when to ask for more after that: with so many items in the queue or fewer.  A
 * rank of slow items asks when a worker waits, since the item that it would ask for ahead might be
 * begun at once elsewhere. */
void xc_mpi_queue_ask(xc_mpi_queue *queue, double low);

#endif
