/* SPDX-License-Identifier: BSD-2-Clause */
/* A thread of rank 0 that reads the names of a job ahead: a large folder or a slow pipe must not keep the
 * main thread from answering. */
#ifndef XC_MPI_READER_H
#define XC_MPI_READER_H

#include <pthread.h>

#include "mpi/records.h"

typedef struct xc_mpi_reader {
	pthread_t thread;
	pthread_mutex_t lock; /* guards what follows */
	pthread_cond_t taken; /* the thread waits for this where there are enough */
	xc_mpi_records records;
	uint64_t given; /* items, taken or not */
	int waits;      /* until all of these are done; see XC_CLI_WAIT */
	int over;       /* there are no more than these */
	int lacking;    /* memory for a name */
	/* What the thread alone uses. */
	xc_cli_items *items;
	size_t room;
} xc_mpi_reader;

/* Begins to read names of up to `room` bytes: 0, or -1 after reporting why not. */
int xc_mpi_reader_begin(xc_mpi_reader *reader, xc_cli_items *items, size_t room);
/* Only once it is over. */
void xc_mpi_reader_end(xc_mpi_reader *reader);

#endif
