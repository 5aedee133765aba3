/* SPDX-License-Identifier: BSD-2-Clause */
/* The items that a rank has been given.  Workers take them, and one thread, the rank's main one, sees
 * that there are always some. */
#ifndef XC_MPI_QUEUE_H
#define XC_MPI_QUEUE_H

#include <pthread.h>

#include "mpi/records.h"
#include "mpi/tally.h"

typedef struct xc_mpi_queue {
	pthread_mutex_t lock;
	pthread_cond_t filled;  /* workers wait for this */
	pthread_cond_t changed; /* and the main thread for this */
	xc_mpi_records records;
	double low;  /* so many items or fewer are too few; below 1/20 an empty queue may wait for a worker */
	int waiting; /* workers */
	int asked;   /* more is under way */
	int ended;   /* no more will come */
	uint64_t taken;
	xc_mpi_tally tally; /* of what was done */
} xc_mpi_queue;

/* 0, or -1: out of memory. */
int xc_mpi_queue_init(xc_mpi_queue *queue);
void xc_mpi_queue_free(xc_mpi_queue *queue);

/* ------------------------------------------------------------------ workers */

/* Waits for an item: 1, or 0 at the end, or -1: out of memory.  The item's texts are in *kept, which grows, and which the
 * caller frees at last. */
typedef struct xc_mpi_kept {
	uint8_t *bytes;
	size_t room;
} xc_mpi_kept;
int xc_mpi_queue_take(xc_mpi_queue *queue, xc_mpi_kept *kept, xc_mpi_item *item);

typedef struct xc_mpi_outcome {
	int verdict; /* 0, XC_CLI_DAMAGED, or -1 */
	uint64_t pixels, bytes_in, bytes_out;
	double seconds;
} xc_mpi_outcome;
/* Each item that was taken is given back so. */
void xc_mpi_queue_done(xc_mpi_queue *queue, const xc_mpi_outcome *outcome);

/* --------------------------------------------------------------- main thread */

/* Adds `count` items; the last call says that no more will come.  0, or -1: out of memory. */
int xc_mpi_queue_put(xc_mpi_queue *queue, const uint8_t *bytes, size_t size, uint64_t count,
                     int ended);
/* Waits until more should be asked for, which is not before the last answer, until all is done, or
 * for so many seconds. */
typedef enum xc_mpi_need { XC_MPI_NOTHING, XC_MPI_ITEMS, XC_MPI_FINISHED } xc_mpi_need;
xc_mpi_need xc_mpi_queue_wait(xc_mpi_queue *queue, double seconds);
/* What the next question says; sets `asked`. */
typedef struct xc_mpi_state {
	xc_mpi_tally tally;
	uint64_t queued;
} xc_mpi_state;
xc_mpi_state xc_mpi_queue_state(xc_mpi_queue *queue);
void xc_mpi_queue_ask(xc_mpi_queue *queue, double low);

#endif
