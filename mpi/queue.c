/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/base/report.h"
#include "mpi/share.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Before the path and the input's name, which have their final zeros. */
typedef struct head {
	uint64_t number;
	uint32_t path, input;                /* their bytes; input 0: it has none */
	uint32_t name, whose, way, reserved; /* see xc_cli_item */
} head;

static head head_at(const uint8_t *bytes)
{
	head h;

	memcpy(&h, bytes, sizeof h);
	return h;
}

static size_t size_at(const uint8_t *bytes)
{
	const head h = head_at(bytes);

	return sizeof h + h.path + h.input;
}

/* Returns where `size` more bytes go; NULL: out of memory. */
static uint8_t *reserve(xc_mpi_records *r, size_t size)
{
	const size_t used = xc_mpi_records_size(r);

	/* Records that were taken are overwritten once they are half of the room, so each byte moves once. */
	if (r->room - r->end < size && used + size <= r->room / 2) {
		memmove(r->bytes, r->bytes + r->begin, used);
		r->begin = 0;
		r->end = used;
	}
	if (r->room - r->end < size) {
		const size_t room = 2 * (r->end + size);
		uint8_t *bytes = realloc(r->bytes, room);

		if (!bytes)
			return NULL;
		r->bytes = bytes;
		r->room = room;
	}
	return r->bytes + r->end;
}

int xc_mpi_records_add(xc_mpi_records *r, const xc_cli_item *item)
{
	const head h = {item->number,
	                (uint32_t)strlen(item->path) + 1,
	                item->input ? (uint32_t)strlen(item->input) + 1 : 0,
	                (uint32_t)item->name,
	                item->whose,
	                item->way,
	                0};
	const size_t size = sizeof h + h.path + h.input;
	uint8_t *to = reserve(r, size);

	if (!to)
		return -1;
	memcpy(to, &h, sizeof h);
	memcpy(to + sizeof h, item->path, h.path);
	if (h.input)
		memcpy(to + sizeof h + h.path, item->input, h.input);
	r->end += size;
	r->count++;
	return 0;
}

static int append_records(xc_mpi_records *r, const uint8_t *bytes, size_t size, uint64_t count)
{
	uint8_t *to = size ? reserve(r, size) : NULL;

	if (!size)
		return 0;
	if (!to)
		return -1;
	memcpy(to, bytes, size);
	r->end += size;
	r->count += count;
	return 0;
}

const uint8_t *xc_mpi_records_take(xc_mpi_records *r, uint64_t count, size_t *size)
{
	const size_t begin = r->begin;

	for (uint64_t i = 0; i < count; i++)
		r->begin += size_at(r->bytes + r->begin);
	r->count -= count;
	*size = r->begin - begin;
	return r->bytes ? r->bytes + begin : NULL;
}

int xc_mpi_record_read(const uint8_t *bytes, xc_cli_item *item)
{
	const head h = head_at(bytes);

	const char *path = (const char *)bytes + sizeof h;

	if (xc_cli_item_set(item, h.number, path, h.name))
		return -1;
	item->whose = (enum xc_cli_whose)h.whose;
	item->way = (xc_cli_way)h.way;
	item->input = h.input ? strdup(path + h.path) : NULL;
	if (!h.input || item->input)
		return 0;
	xc_cli_item_free(item);
	return xc_cli_error(NULL, "out of memory");
}

void xc_mpi_records_free(xc_mpi_records *r)
{
	free(r->bytes);
	*r = (xc_mpi_records){NULL, 0, 0, 0, 0};
}

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

int xc_mpi_queue_put(xc_mpi_queue *q, const uint8_t *bytes, size_t size, uint64_t count, int ended)
{
	pthread_mutex_lock(&q->lock);
	const int failed = append_records(&q->records, bytes, size, count);
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
