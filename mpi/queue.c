/* SPDX-License-Identifier: BSD-2-Clause */
#include "mpi/share.h"

#include <errno.h>
#include <time.h>

int xc_mpi_queue_init(xc_mpi_queue *q)
{
	pthread_condattr_t monotonic;

	*q = (xc_mpi_queue){.waiting = 0};
	if (pthread_condattr_init(&monotonic))
		return -1;
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->filled, NULL);
	pthread_cond_init(&q->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	return 0;
}

void xc_mpi_queue_free(xc_mpi_queue *q)
{
	xc_mpi_records_free(&q->records);
	pthread_cond_destroy(&q->changed);
	pthread_cond_destroy(&q->filled);
	pthread_mutex_destroy(&q->lock);
}

/* ------------------------------------------------------------------ workers */

static int too_few(const xc_mpi_queue *q)
{
	if (q->asked || q->ended)
		return 0;
	if (!q->records.count && q->waiting)
		return 1;
	return q->low >= XC_MPI_WORTH_ASKING_AHEAD && (double)q->records.count <= q->low;
}

/* The caller holds the lock, which this gives away meanwhile. */
static void wait_for_items(xc_mpi_queue *q)
{
	q->waiting++;
	while (!q->records.count && !q->ended) {
		pthread_cond_signal(&q->changed);
		pthread_cond_wait(&q->filled, &q->lock);
	}
	q->waiting--;
}

int xc_mpi_queue_take(xc_mpi_queue *q, int worker, xc_cli_item *item)
{
	int got = 0;

	pthread_mutex_lock(&q->lock);
	if (q->account.workers <= (uint64_t)worker)
		q->account.workers = (uint64_t)worker + 1;
	while (!got) {
		size_t size;

		if (!q->records.count && !q->ended)
			wait_for_items(q);
		if (!q->records.count)
			break;
		got = !xc_mpi_record_read(xc_mpi_records_take(&q->records, 1, &size), item);
		q->account.tally.failed[XC_CLI_OTHER] += !got;
		q->account.items += !got;
	}
	if (too_few(q))
		pthread_cond_signal(&q->changed);
	pthread_mutex_unlock(&q->lock);
	return got;
}

void xc_mpi_queue_waited(xc_mpi_queue *q, double seconds)
{
	pthread_mutex_lock(&q->lock);
	q->account.idle += seconds;
	pthread_mutex_unlock(&q->lock);
}

void xc_mpi_queue_done(xc_mpi_queue *q, const xc_cli_tally *tally)
{
	pthread_mutex_lock(&q->lock);
	xc_cli_tally_add(&q->account.tally, tally);
	q->account.items++;
	pthread_mutex_unlock(&q->lock);
}

void xc_mpi_queue_dismiss(xc_mpi_queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->dismissed = 1;
	pthread_cond_signal(&q->changed);
	pthread_mutex_unlock(&q->lock);
}

/* --------------------------------------------------------------- main thread */

int xc_mpi_queue_put(xc_mpi_queue *q, const uint8_t *bytes, size_t size, uint64_t count, int ended)
{
	pthread_mutex_lock(&q->lock);
	const int failed = xc_mpi_records_append(&q->records, bytes, size, count);
	q->asked = 0;
	q->ended |= ended;
	pthread_cond_broadcast(&q->filled);
	pthread_mutex_unlock(&q->lock);
	return failed;
}

static struct timespec later(double seconds)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	const long nanoseconds = t.tv_nsec + (long)(seconds * 1e9);
	t.tv_sec += nanoseconds / 1000000000;
	t.tv_nsec = nanoseconds % 1000000000;
	return t;
}

static xc_mpi_need need(const xc_mpi_queue *q)
{
	if (q->dismissed)
		return XC_MPI_FINISHED;
	return too_few(q) ? XC_MPI_ITEMS : XC_MPI_NOTHING;
}

xc_mpi_need xc_mpi_queue_wait(xc_mpi_queue *q, double seconds)
{
	const struct timespec until = later(seconds);
	xc_mpi_need found;

	pthread_mutex_lock(&q->lock);
	while (!(found = need(q)) && pthread_cond_timedwait(&q->changed, &q->lock, &until) != ETIMEDOUT)
		;
	pthread_mutex_unlock(&q->lock);
	return found;
}

xc_mpi_account xc_mpi_queue_account(xc_mpi_queue *q, uint64_t *queued, uint64_t *waiting)
{
	pthread_mutex_lock(&q->lock);
	const xc_mpi_account account = q->account;
	*queued = q->records.count;
	*waiting = (uint64_t)q->waiting;
	pthread_mutex_unlock(&q->lock);
	return account;
}

void xc_mpi_queue_ask(xc_mpi_queue *q, double low)
{
	pthread_mutex_lock(&q->lock);
	q->low = low;
	q->asked = 1;
	pthread_mutex_unlock(&q->lock);
}
