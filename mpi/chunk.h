/* SPDX-License-Identifier: BSD-2-Clause */
/* When a rank asks, and how many items it gets at a time: guided self-scheduling, weighted by the ranks' speeds and
 * bounded by time.  The simulation of doc/scale.md uses the same rule. */
#ifndef XC_MPI_CHUNK_H
#define XC_MPI_CHUNK_H

#include <stdint.h>

/* A rank that has work for so many seconds gets no more. */
static const double xc_mpi_chunk_seconds = 0.25;

/* A question goes out four times as long before a queue is expected to be empty as the slowest of the last
 * answers took, in seconds, and at the least so long. */
static inline double xc_mpi_lead(double answer)
{
	return answer > 1.25e-3 ? 4 * answer : 5e-3;
}

/* Where fewer items than that are done meanwhile, asking ahead would give a rank a picture that another
 * one could begin at once.  So it asks when a worker waits. */
#define XC_MPI_WORTH_ASKING_AHEAD 0.05

typedef struct xc_mpi_asker {
	double rate;               /* items a second of all its workers together; 0: not known yet */
	double share;              /* of the rates of all ranks */
	uint64_t workers, waiting; /* all of them, and those that are known to have nothing to do */
	uint64_t queued;           /* items that it still has */
} xc_mpi_asker;

/* left: items that can be handed out now, 1 or more.  Of these a rank gets half of its share, so that the last
 * chunks are small; but at least one for each worker that waits, unless others have to wait then. */
static inline uint64_t xc_mpi_chunk(const xc_mpi_asker *a, uint64_t left)
{
	const double fair = a->share * (double)left;
	const double by_time = a->rate > 0 ? a->rate * xc_mpi_chunk_seconds : 2.0 * (double)a->workers;
	const double least = fair < (double)a->waiting ? fair : (double)a->waiting;
	double n = (by_time < fair / 2 ? by_time : fair / 2) - (double)a->queued;

	if (n < least)
		n = least;
	return n < 1 ? 1 : n < (double)left ? (uint64_t)n : left;
}

#endif
