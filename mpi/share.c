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
	s->accounts = calloc((size_t)s->ranks, sizeof *s->accounts);
	if (!s->accounts || xc_mpi_queue_init(&s->queue))
		return xc_cli_error(NULL, "out of memory");
	return 0;
}

void xc_mpi_share_free(xc_mpi_share *s)
{
	xc_mpi_queue_free(&s->queue);
	free(s->accounts);
}

void xc_mpi_account_add(xc_mpi_account *sum, const xc_mpi_account *more)
{
	xc_cli_tally_add(&sum->tally, &more->tally);
	sum->items += more->items;
	sum->workers += more->workers;
	sum->idle += more->idle;
	sum->sharing += more->sharing;
	if (sum->seconds < more->seconds)
		sum->seconds = more->seconds;
}

static double update_pace(xc_mpi_pace *p, const xc_mpi_account *a)
{
	const uint64_t items = a->items - p->items;
	const double busy = a->tally.seconds - p->busy;

	if (!items || busy <= 0)
		return p->rate;
	const double rate = (double)items / busy * (double)a->workers;
	p->rate = p->rate > 0 ? (p->rate + rate) / 2 : rate;
	p->items = a->items;
	p->busy = a->tally.seconds;
	return p->rate;
}

void xc_mpi_share_describe(xc_mpi_share *s, xc_mpi_pace *pace, xc_mpi_ask *a)
{
	a->account = xc_mpi_queue_account(&s->queue, &a->queued, &a->waiting);
	a->account.seconds = xc_cli_seconds() - s->begun;
	a->account.sharing = xc_seconds(CLOCK_THREAD_CPUTIME_ID) - s->processor;
	a->rate = update_pace(pace, &a->account);
}

/* ---------------------------------------------------------------------- waiting */

/* A sleep and a look at the messages take a core about 20 microseconds, so the longest pause costs
 * less than one per cent of it. */
double xc_mpi_pause_after(double pause)
{
	return pause < 2e-3 ? 2 * pause : pause;
}

void xc_mpi_sleep(double seconds)
{
	const time_t whole = (time_t)seconds;
	const struct timespec t = {whole, (long)((seconds - (double)whole) * 1e9)};

	nanosleep(&t, NULL);
}

/* The one word that another rank says. */
static int hear(const xc_mpi_share *s, int from)
{
	int here = 0, word = 0;

	for (double pause = xc_mpi_first_pause;; pause = xc_mpi_pause_after(pause)) {
		MPI_Iprobe(from, XC_MPI_TAG_WORD, s->comm, &here, MPI_STATUS_IGNORE);
		if (here)
			break;
		xc_mpi_sleep(pause);
	}
	MPI_Recv(&word, 1, MPI_INT, from, XC_MPI_TAG_WORD, s->comm, MPI_STATUS_IGNORE);
	return word;
}

static void say(const xc_mpi_share *s, int to, int word)
{
	MPI_Send(&word, 1, MPI_INT, to, XC_MPI_TAG_WORD, s->comm);
}

void xc_mpi_share_announce(const xc_mpi_share *s, int word)
{
	for (int i = 1; i < s->ranks; i++)
		say(s, i, word);
}

int xc_mpi_share_await(const xc_mpi_share *s)
{
	return hear(s, 0);
}

/* The bits of all ranks' words together, which all of them learn. */
static int join(const xc_mpi_share *s, int word)
{
	if (s->rank) {
		say(s, 0, word);
		return xc_mpi_share_await(s);
	}
	for (int i = 1; i < s->ranks; i++)
		word |= hear(s, i);
	xc_mpi_share_announce(s, word);
	return word;
}

int xc_mpi_share_begin(xc_mpi_share *s, int failed)
{
	const int any_failed = join(s, failed != 0);

	s->begun = xc_cli_seconds();
	s->processor = xc_seconds(CLOCK_THREAD_CPUTIME_ID);
	return any_failed ? -1 : 0;
}

void xc_mpi_share_attend(xc_mpi_share *s)
{
	if (s->rank)
		xc_mpi_share_work(s);
	else
		xc_mpi_share_coordinate(s);
}

int xc_mpi_share_end(const xc_mpi_share *s, int bits)
{
	return join(s, bits);
}
