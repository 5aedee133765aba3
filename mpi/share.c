/* SPDX-License-Identifier: BSD-2-Clause */
#include "mpi/share.h"

#include "cli/base/clock.h"
#include "cli/base/report.h"

#include <stdlib.h>
#include <time.h>

int xc_mpi_share_init(xc_mpi_share *s, MPI_Comm comm)
{
	*s = (xc_mpi_share){.comm = comm, .begun = xc_cli_seconds()};
	MPI_Comm_rank(comm, &s->rank);
	MPI_Comm_size(comm, &s->ranks);
	s->tallies = calloc((size_t)s->ranks, sizeof *s->tallies);
	if (!s->tallies || xc_mpi_queue_init(&s->queue))
		return xc_cli_error(NULL, "out of memory");
	return 0;
}

void xc_mpi_share_free(xc_mpi_share *s)
{
	xc_mpi_queue_free(&s->queue);
	free(s->tallies);
}

void xc_mpi_tally_add(xc_mpi_tally *sum, const xc_mpi_tally *one)
{
	sum->items += one->items;
	sum->failed += one->failed;
	sum->damaged += one->damaged;
	sum->pixels += one->pixels;
	sum->bytes_in += one->bytes_in;
	sum->bytes_out += one->bytes_out;
	sum->busy += one->busy;
	sum->idle += one->idle;
	sum->workers += one->workers;
	if (sum->ended < one->ended)
		sum->ended = one->ended;
}

double xc_mpi_pace_update(xc_mpi_pace *p, const xc_mpi_tally *t)
{
	const uint64_t items = t->items - p->items;
	const double busy = t->busy - p->busy;

	if (!items || busy <= 0)
		return p->rate;
	const double rate = (double)items / busy * t->workers;
	p->rate = p->rate > 0 ? (p->rate + rate) / 2 : rate;
	p->items = t->items;
	p->busy = t->busy;
	return p->rate;
}

/* A sleep of 50 microseconds takes about twice that; one of a millisecond costs nothing. */
double xc_mpi_pause_after(double pause)
{
	return pause < 5e-4 ? 2 * pause : 1e-3;
}

void xc_mpi_sleep(double seconds)
{
	const struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};

	nanosleep(&t, NULL);
}
