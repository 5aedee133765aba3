/* SPDX-License-Identifier: BSD-2-Clause */
#include "mpi/share.h"

#include "cli/base/clock.h"
#include "cli/base/report.h"

#include <stdlib.h>
#include <string.h>

/* Seconds between two messages of a rank, so that rank 0 can tell how far the job is. */
static const double silence = 0.5;

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
	xc_mpi_ask a = {.what = what};

	xc_mpi_share_describe(f->s, &f->pace, &a);
	f->spoke_at = xc_cli_seconds();
	MPI_Send(&a, (int)sizeof a, MPI_BYTE, 0, XC_MPI_TAG_ASK, f->s->comm);
}

static void ask(follower *f)
{
	speak(f, XC_MPI_ASKS);
	f->asked = 1;
	f->asked_at = f->spoke_at;
	xc_mpi_queue_ask(&f->s->queue, f->pace.rate * xc_mpi_coordinate(f->trip));
}

/* Slow answers are remembered for a while. */
static void note_trip(follower *f)
{
	const double trip = xc_cli_seconds() - f->asked_at;

	f->trip = trip > f->trip ? trip : 0.9 * f->trip + 0.1 * trip;
	f->asked = 0;
}

static int make_room(follower *f, size_t size)
{
	if (f->room >= size)
		return 0;
	free(f->message);
	f->message = malloc(size);
	f->room = f->message ? size : 0;
	return f->message ? 0 : -1;
}

static int receive(follower *f, size_t size)
{
	xc_mpi_work w;

	if (make_room(f, size))
		return -1;
	MPI_Recv(f->message, (int)size, MPI_BYTE, 0, XC_MPI_TAG_WORK, f->s->comm, MPI_STATUS_IGNORE);
	note_trip(f);
	memcpy(&w, f->message, sizeof w);
	return xc_mpi_queue_put(&f->s->queue, f->message + sizeof w, size - sizeof w, w.count,
	                        w.ended != 0);
}

/* Whether the answer is here; its bytes in *size. */
static int answered(const follower *f, size_t *size)
{
	MPI_Status status;
	int here = 0, bytes = 0;

	if (!f->asked)
		return 0;
	MPI_Iprobe(0, XC_MPI_TAG_WORK, f->s->comm, &here, &status);
	if (here)
		MPI_Get_count(&status, MPI_BYTE, &bytes);
	*size = (size_t)bytes;
	return here;
}

/* Returns how long to wait, or -1: out of memory. */
static double step(follower *f, double pause)
{
	size_t size;

	if (answered(f, &size) && receive(f, size))
		return -1;
	if (xc_cli_seconds() - f->spoke_at > silence)
		speak(f, XC_MPI_TELLS);
	return f->asked ? xc_mpi_pause_after(pause) : silence;
}

void xc_mpi_share_work(xc_mpi_share *s)
{
	follower f = {.s = s, .spoke_at = s->begun};
	double pause = 0;
	xc_mpi_need need;

	while (pause >= 0 && (need = xc_mpi_queue_wait(&s->queue, pause)) != XC_MPI_FINISHED) {
		if (need == XC_MPI_ITEMS) {
			ask(&f);
			pause = xc_mpi_first_pause / 2;
		}
		pause = step(&f, pause);
	}
	/* Items that cannot be queued would be lost. */
	if (pause < 0) {
		xc_cli_error(NULL, "out of memory");
		MPI_Abort(s->comm, 1);
	}
	speak(&f, XC_MPI_LEAVES);
	free(f.message);
}
