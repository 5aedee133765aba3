/* SPDX-License-Identifier: BSD-2-Clause */
/* What the job and each rank has done, at the end and on the way. */
#ifndef XC_MPI_SUMMARY_H
#define XC_MPI_SUMMARY_H

#include "mpi/share.h"

#include <mpi.h>
#include <stdint.h>

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
