/* SPDX-License-Identifier: BSD-2-Clause */
/* What a rank has done so far.  It is sent as it is, since all ranks are the same program. */
#ifndef XC_MPI_ACCOUNT_H
#define XC_MPI_ACCOUNT_H

#include "cli/stream/spread.h"

typedef struct xc_mpi_account {
	xc_cli_tally tally;
	uint64_t items; /* that are finished, whatever came of them */
	uint64_t workers;
	double idle;    /* seconds that workers waited while there was work, all together */
	double sharing; /* seconds of a processor that the main thread took to share out */
	double seconds; /* from the job's begin to now, or to the rank's end */
} xc_mpi_account;

/* Of the two times the later one counts. */
void xc_mpi_account_add(xc_mpi_account *sum, const xc_mpi_account *more);

#endif
