/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a rank runs: which other ranks share its machine, and how many processors are its own. */
#ifndef XC_MPI_PLACE_H
#define XC_MPI_PLACE_H

#include <stdint.h>

#include <mpi.h>

/* The processors that a process may run on, one bit each. */
enum { XC_MPI_MASK_WORDS = 128 };
typedef struct xc_mpi_mask {
	uint64_t word[XC_MPI_MASK_WORDS];
} xc_mpi_mask;

typedef struct xc_mpi_place {
	int local, locals; /* of the ranks of this machine: which one this is, and how many they are */
	int threads;       /* 1 or more; 0: not known */
	char host[64];
} xc_mpi_place;

/* All ranks of `comm` call it: 0, or -1 after reporting why not. */
int xc_mpi_place_find(MPI_Comm comm, xc_mpi_place *place);

/* How many processors are rank `local`'s own, at least one.  Those that several ranks may run on, as is
 * usual where nothing binds ranks, go to these in turn. */
int xc_mpi_place_processors(const xc_mpi_mask *masks, int locals, int local);

#endif
