/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two ways to share out the lines of a list, with sleeps in place of pictures, so that a few cores stand
 * for many:
 *
 *   mpirun -n N share lead|counter LIST MILLISECONDS SPREAD WORKERS
 *
 * "lead" is what xcodec-mpi does.  "counter" is its rival: a number in a window of rank 0's memory, to
 * which each rank adds the bytes of the list that it takes next, and no messages.  A sleep takes
 * MILLISECONDS on average, log-normal with the deviation SPREAD of its logarithm, and depends on the
 * line alone.  Prints what a line is about: the time, how much longer that is than the sleeps
 * alone, shared evenly, and how long the workers waited.
 */
#include "bench/tools/share.h"

#include "cli/base/clock.h"
#include "mpi/share.h"

#include "src/core/crc32c.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct crew {
	xc_mpi_queue *queue;
	double mean, spread;
	int workers, at_work;
	double slept;
	pthread_t thread[1024];
} crew;

/* Of a uniform number between 0 and 1 made from the seed (SplitMix64). */
static double uniform(uint64_t seed)
{
	seed += UINT64_C(0x9e3779b97f4a7c15);
	seed = (seed ^ seed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	seed = (seed ^ seed >> 27) * UINT64_C(0x94d049bb133111eb);
	return ((double)((seed ^ seed >> 31) >> 11) + 0.5) / 9007199254740992.0;
}

static double service(const crew *c, const char *path)
{
	const uint64_t number = xc_crc32c(0, path, strlen(path));
	const double normal = sqrt(-2 * log(uniform(2 * number))) *
	                      cos(6.283185307179586 * uniform(2 * number + 1));

	return c->mean * exp(c->spread * normal - c->spread * c->spread / 2);
}

static void *work(void *user)
{
	crew *c = user;
	xc_cli_item item = {.path = NULL};
	const int worker = __atomic_fetch_add(&c->at_work, 1, __ATOMIC_RELAXED);
	double done = xc_cli_seconds();

	while (xc_mpi_queue_take(c->queue, worker, &item)) {
		xc_cli_tally tally = {.done = 1};
		const double begun = xc_cli_seconds(), seconds = service(c, item.path);

		xc_mpi_queue_waited(c->queue, begun - done);
		if (seconds > 0)
			xc_mpi_sleep(seconds);
		done = xc_cli_seconds();
		tally.seconds = done - begun;
		tally.pixels = (uint64_t)(seconds * 1e9);
		xc_mpi_queue_done(c->queue, &tally);
		xc_cli_item_free(&item);
	}
	xc_mpi_queue_waited(c->queue, xc_cli_seconds() - done);
	if (__atomic_sub_fetch(&c->at_work, 1, __ATOMIC_ACQ_REL) == 0)
		xc_mpi_queue_dismiss(c->queue);
	return NULL;
}

static void begin(crew *c)
{
	for (int i = 0; i < c->workers; i++)
		if (pthread_create(&c->thread[i], NULL, work, c))
			MPI_Abort(MPI_COMM_WORLD, 1);
}

static void report(const xc_mpi_share *s, const char *way, double wall, double main_thread)
{
	uint64_t queued, waiting;
	const xc_mpi_account a = xc_mpi_queue_account((xc_mpi_queue *)&s->queue, &queued, &waiting);
	const double own[] = {(double)a.items, (double)a.tally.pixels * 1e-9, a.idle, (double)a.workers,
	                      main_thread};
	double sum[5], most[5];

	MPI_Reduce(own, sum, 5, MPI_DOUBLE, MPI_SUM, 0, s->comm);
	MPI_Reduce(own, most, 5, MPI_DOUBLE, MPI_MAX, 0, s->comm);
	if (s->rank)
		return;
	printf(
		"%-8s %4d ranks x %3.0f: %9.0f items in %8.3f s, %9.0f a second; %6.3f times the even share; "
		"waited %5.2f %%; main threads %.2f us an item, at most %.2f %% of a core\n",
		way, s->ranks, sum[3] / s->ranks, sum[0], wall, sum[0] / wall, wall * sum[3] / sum[1],
		100 * sum[2] / (wall * sum[3]), 1e6 * sum[4] / sum[0], 100 * most[4] / wall);
}

int main(int argc, char **argv)
{
	crew c;
	xc_mpi_share s;
	int level;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
	if (argc != 6 || xc_mpi_share_init(&s, MPI_COMM_WORLD)) {
		fputs("Usage: share lead|counter LIST MILLISECONDS SPREAD WORKERS\n", stderr);
		MPI_Abort(MPI_COMM_WORLD, 2);
		return 2;
	}
	const xc_cli_inputs inputs = {.list = argv[2]};
	c = (crew){.queue = &s.queue,
	           .mean = 1e-3 * atof(argv[3]),
	           .spread = atof(argv[4]),
	           .workers = atoi(argv[5])};
	if (!s.rank && !(s.items = xc_cli_items_open(&inputs)))
		MPI_Abort(s.comm, 1);
	MPI_Barrier(s.comm);
	const double begun = xc_cli_seconds(), before = xc_seconds(CLOCK_THREAD_CPUTIME_ID);
	begin(&c);
	if (!strcmp(argv[1], "counter"))
		share_by_counter(&s, argv[2]);
	else
		xc_mpi_share_attend(&s);
	for (int i = 0; i < c.workers; i++)
		pthread_join(c.thread[i], NULL);
	const double main_thread = xc_seconds(CLOCK_THREAD_CPUTIME_ID) - before;
	xc_mpi_share_end(&s, 0);
	report(&s, argv[1], xc_cli_seconds() - begun, main_thread);
	if (!s.rank)
		xc_cli_items_close(s.items);
	xc_mpi_share_free(&s);
	MPI_Finalize();
	return 0;
}
