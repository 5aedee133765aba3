/* SPDX-License-Identifier: BSD-2-Clause */
#include "mpi/share.h"

#include "cli/base/clock.h"
#include "cli/base/report.h"

#include <stdlib.h>
#include <string.h>

static const double first_pause = 5e-5;
/* Seconds between two messages of a rank, so that rank 0 can tell how far the job is. */
static const double silence = 0.5;
/* A question goes out so many seconds before the queue is expected to be empty, at the least. */
static const double least_lead = 5e-3;

static void send_ask(const xc_mpi_share *s, xc_mpi_ask *a)
{
	MPI_Send(a, (int)sizeof *a, MPI_BYTE, 0, XC_MPI_TAG_ASK, s->comm);
}

/* Whether such a message is here; its bytes in *size. */
static int arrived(const xc_mpi_share *s, int tag, int *size)
{
	MPI_Status status;
	int here = 0;

	MPI_Iprobe(0, tag, s->comm, &here, &status);
	if (here)
		MPI_Get_count(&status, MPI_BYTE, size);
	return here;
}

static int await(const xc_mpi_share *s, int tag)
{
	int size, word = 0;

	for (double pause = first_pause; !arrived(s, tag, &size); pause = xc_mpi_pause_after(pause))
		xc_mpi_sleep(pause);
	MPI_Recv(&word, 1, MPI_INT, 0, tag, s->comm, MPI_STATUS_IGNORE);
	return word;
}

int xc_mpi_share_await(xc_mpi_share *s)
{
	const int word = await(s, XC_MPI_TAG_BEGIN);

	s->begun = xc_cli_seconds();
	return word;
}

void xc_mpi_share_end(xc_mpi_share *s)
{
	await(s, XC_MPI_TAG_END);
}

void xc_mpi_share_decline(xc_mpi_share *s)
{
	xc_mpi_ask a = {.what = XC_MPI_DECLINES};

	send_ask(s, &a);
}

/* A rank on its way. */
typedef struct follower {
	xc_mpi_share *s;
	xc_mpi_pace pace;
	uint8_t *message;
	size_t room;
	int asked;
	double asked_at, spoke_at; /* seconds */
	double trip;               /* how long the slowest of the last answers took */
} follower;

static void speak(follower *f, xc_mpi_asks what)
{
	const xc_mpi_state now = xc_mpi_queue_state(&f->s->queue);
	xc_mpi_ask a = {.tally = now.tally, .queued = now.queued, .what = what};

	f->spoke_at = xc_cli_seconds();
	a.rate = xc_mpi_pace_update(&f->pace, &now.tally);
	a.tally.ended = f->spoke_at - f->s->begun;
	send_ask(f->s, &a);
}

static void ask(follower *f)
{
	const double lead = 4 * f->trip;

	speak(f, XC_MPI_ASKS);
	f->asked = 1;
	f->asked_at = f->spoke_at;
	xc_mpi_queue_ask(&f->s->queue, f->pace.rate * (lead < least_lead ? least_lead : lead));
}

/* Remembers slow answers for a while. */
static void note_trip(follower *f)
{
	const double trip = xc_cli_seconds() - f->asked_at;

	f->trip = trip > f->trip ? trip : 0.9 * f->trip + 0.1 * trip;
	f->asked = 0;
}

static int receive(follower *f, int size)
{
	xc_mpi_work w;

	if (f->room < (size_t)size) {
		free(f->message);
		f->message = malloc((size_t)size);
		if (!f->message)
			return xc_cli_error(NULL, "out of memory");
		f->room = (size_t)size;
	}
	MPI_Recv(f->message, size, MPI_BYTE, 0, XC_MPI_TAG_WORK, f->s->comm, MPI_STATUS_IGNORE);
	note_trip(f);
	memcpy(&w, f->message, sizeof w);
	return xc_mpi_queue_put(&f->s->queue, f->message + sizeof w, (size_t)size - sizeof w, w.count,
	                        w.ended != 0)
	           ? xc_cli_error(NULL, "out of memory")
	           : 0;
}

static int step(follower *f, double *pause)
{
	int size = 0;

	if (f->asked && arrived(f->s, XC_MPI_TAG_WORK, &size)) {
		*pause = first_pause;
		return receive(f, size);
	}
	*pause = f->asked ? xc_mpi_pause_after(*pause) : first_pause;
	if (xc_cli_seconds() - f->spoke_at > silence)
		speak(f, XC_MPI_TELLS);
	return 0;
}

int xc_mpi_share_follow(xc_mpi_share *s, int workers)
{
	follower f = {.s = s, .spoke_at = s->begun};
	double pause = first_pause;
	xc_mpi_need need;
	int failed = 0;

	s->queue.tally.workers = (uint32_t)workers;
	while (!failed &&
	       (need = xc_mpi_queue_wait(&s->queue, f.asked ? pause : silence)) != XC_MPI_FINISHED) {
		if (need == XC_MPI_ITEMS)
			ask(&f);
		failed = step(&f, &pause);
	}
	/* Without memory for its items a rank cannot say which ones it has lost. */
	if (failed)
		MPI_Abort(s->comm, 1);
	speak(&f, XC_MPI_LEAVES);
	free(f.message);
	return failed;
}
