/* SPDX-License-Identifier: BSD-2-Clause */
/* What a rank has done so far.  It is sent as it is: all ranks are the same program. */
#ifndef XC_MPI_TALLY_H
#define XC_MPI_TALLY_H

#include <stdint.h>

typedef struct xc_mpi_tally {
	uint64_t items, failed, damaged;
	uint64_t pixels, bytes_in, bytes_out;
	double busy;  /* seconds of all workers at work */
	double idle;  /* seconds that workers waited while there was work */
	double begun, ended; /* seconds after the job's begin: the first item, and the end of the last */
	uint32_t workers, padding;
} xc_mpi_tally;

/* Adds what can be added; the times are those from the earliest to the latest. */
void xc_mpi_tally_add(xc_mpi_tally *sum, const xc_mpi_tally *one);

#endif
