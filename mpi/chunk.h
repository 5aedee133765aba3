/* SPDX-License-Identifier: BSD-2-Clause */
/* How many items a rank gets at a time: guided self-scheduling, weighted by the ranks' speeds and
 * bounded by time.  The simulation of doc/scale.md uses the same rule. */
#ifndef XC_MPI_CHUNK_H
#define XC_MPI_CHUNK_H

#include <stdint.h>

/* A rank that has work for so many seconds gets no more. */
static const double xc_mpi_chunk_seconds = 0.25;

typedef struct xc_mpi_asker {
	double rate;  /* items a second of all its workers together; 0: not known yet */
	double share; /* of the rates of all ranks */
	uint32_t workers;
	uint64_t queued; /* items that it still has */
} xc_mpi_asker;

/* left: items that can be handed out now, 1 or more. */
static inline uint64_t xc_mpi_chunk(const xc_mpi_asker *a, uint64_t left)
{
	const double queued = (double)a->queued, fair = a->share * (double)left;
	const double by_time = a->rate > 0 ? a->rate * xc_mpi_chunk_seconds : 2.0 * a->workers;
	/* Of what is left a rank gets half of its share, so that the last chunks are small; but never
	 * fewer than one for each worker that would have none as long as there are as many for all. */
	const double least = fair < a->workers ? fair : a->workers;
	double n = by_time < fair / 2 ? by_time : fair / 2;

	if (n < least)
		n = least;
	n -= queued;
	return n < 1 ? 1 : n < (double)left ? (uint64_t)n : left;
}

#endif
