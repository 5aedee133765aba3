/* SPDX-License-Identifier: BSD-2-Clause */
/* What the job and each rank has done, at the end and on the way. */
#ifndef XC_MPI_SUMMARY_H
#define XC_MPI_SUMMARY_H

#include "mpi/account.h"
#include "mpi/place.h"

typedef struct xc_mpi_summary {
	const char *command; /* "encode" */
	int ranks;
	const xc_mpi_account *accounts; /* of each rank */
	const xc_mpi_place *places;     /* likewise */
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
