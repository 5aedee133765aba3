/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getaffinity() */
#endif

#include "mpi/summary.h"

#include "cli/base/report.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

static int has(const xc_mpi_mask *mask, int processor)
{
	return mask->word[processor / 64] >> processor % 64 & 1;
}

/* Which of the ranks that may run on a processor gets it, if it is the `turn`th that is shared; -1:
 * no rank may run there. */
static int owner(const xc_mpi_mask *masks, int locals, int processor, int *turn)
{
	int sharing = 0, found = -1;

	for (int i = 0; i < locals; i++)
		sharing += has(&masks[i], processor);
	if (!sharing)
		return -1;
	int skip = *turn % sharing;
	for (int i = 0; i < locals && found < 0; i++)
		if (has(&masks[i], processor) && skip-- == 0)
			found = i;
	*turn += sharing > 1;
	return found;
}

int xc_mpi_node_processors(const xc_mpi_mask *masks, int locals, int local)
{
	int own = 0, turn = 0;

	for (int i = 0; i < XC_MPI_MASK_WORDS * 64; i++)
		own += owner(masks, locals, i, &turn) == local;
	return own ? own : 1;
}

/* All zero where that cannot be told. */
static void find_mask(xc_mpi_mask *mask)
{
	memset(mask, 0, sizeof *mask);
#ifdef CPU_SETSIZE
	union {
		xc_mpi_mask mask;
		cpu_set_t set;
	} found = {.mask = {{0}}};

	/* The bits of a cpu_set_t are those of unsigned longs. */
	if (sched_getaffinity(0, sizeof found, &found.set) < 0)
		return;
	for (int i = 0; i < XC_MPI_MASK_WORDS * 64; i++)
		if (CPU_ISSET_S(i, sizeof found, &found.set))
			mask->word[i / 64] |= UINT64_C(1) << i % 64;
#endif
}

static int find_threads(MPI_Comm node, xc_mpi_node *this_node)
{
	xc_mpi_mask own, *masks = malloc((size_t)this_node->locals * sizeof *masks);

	if (!masks)
		return xc_cli_error(NULL, "out of memory");
	find_mask(&own);
	MPI_Allgather(&own, (int)sizeof own, MPI_BYTE, masks, (int)sizeof own, MPI_BYTE, node);
	this_node->threads = xc_mpi_node_processors(masks, this_node->locals, this_node->local);
	free(masks);
	return 0;
}

int xc_mpi_node_find(MPI_Comm comm, xc_mpi_node *this_node)
{
	char name[MPI_MAX_PROCESSOR_NAME + 1] = "";
	MPI_Comm node;
	int rank, length = 0;

	MPI_Comm_rank(comm, &rank);
	MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
	MPI_Comm_rank(node, &this_node->local);
	MPI_Comm_size(node, &this_node->locals);
	MPI_Get_processor_name(name, &length);
	memset(this_node->host, 0, sizeof this_node->host);
	memcpy(this_node->host, name, strnlen(name, sizeof this_node->host - 1));
	const int failed = find_threads(node, this_node);
	MPI_Comm_free(&node);
	return failed;
}
