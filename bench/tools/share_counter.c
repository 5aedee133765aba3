/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/tools/share.h"

#include "mpi/chunk.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Longer than any line. */
enum { LINE = 4096 };

typedef struct counter {
	xc_mpi_share *s;
	MPI_Win window;
	int file;
	uint64_t size, at; /* of the list; the last value of the counter that this rank knows */
	char *text;
	size_t room;
	double line; /* mean bytes */
	xc_mpi_pace pace;
	xc_mpi_records records;
} counter;

static void abort_if(const counter *c, int failed)
{
	if (failed)
		MPI_Abort(c->s->comm, 1);
}

/* Takes the lines that begin in the next `bytes`. */
static void take(counter *c, uint64_t bytes)
{
	uint64_t at;
	size_t size;

	MPI_Fetch_and_op(&bytes, &at, MPI_UINT64_T, 0, 0, MPI_SUM, c->window);
	MPI_Win_flush(0, c->window);
	c->at = at + bytes;
	if (c->room < bytes + LINE + 1) {
		free(c->text);
		c->room = 2 * (size_t)bytes + LINE + 1;
		c->text = malloc(c->room);
		abort_if(c, !c->text);
	}
	const uint64_t before = at ? 1 : 0; /* whether a line begins at the first byte */
	const ssize_t got = at < c->size ? pread(c->file, c->text, bytes + LINE, (off_t)(at - before))
	                                 : 0;
	abort_if(c, got < 0);
	const char *end = c->text + got, *p = c->text;
	if (before && got)
		p = memchr(p, '\n', (size_t)got);
	p = p && before && got ? p + 1 : p;
	while (p && p < end && (uint64_t)(p - c->text) < bytes + before) {
		char *stop = memchr(p, '\n', (size_t)(end - p));
		xc_cli_item item = {.number = at - before + (uint64_t)(p - c->text), .path = (char *)p};

		if (!stop)
			break;
		*stop = '\0';
		abort_if(c, xc_mpi_records_add(&c->records, &item));
		p = stop + 1;
	}
	if (c->records.count)
		c->line = (double)bytes / (double)c->records.count;
	const uint64_t count = c->records.count;
	const uint8_t *records = xc_mpi_records_take(&c->records, count, &size);
	abort_if(c, xc_mpi_queue_put(&c->s->queue, records, size, count, c->at >= c->size));
}

static void ask(counter *c)
{
	uint64_t queued, waiting;
	const xc_mpi_account a = xc_mpi_queue_account(&c->s->queue, &queued, &waiting);
	const double rate = xc_mpi_pace_update(&c->pace, &a);
	const xc_mpi_asker asker = {rate, 1.0 / c->s->ranks, a.workers, waiting, queued};
	const double left = c->at < c->size ? (double)(c->size - c->at) / c->line : 0;

	xc_mpi_queue_ask(&c->s->queue, rate * 5e-3);
	take(c, (uint64_t)(c->line * (double)xc_mpi_chunk(&asker, left < 1 ? 1 : (uint64_t)left)) + 1);
}

void share_by_counter(xc_mpi_share *s, const char *list)
{
	counter c = {.s = s, .file = open(list, O_RDONLY), .line = 50};
	struct stat status;
	uint64_t *value;
	int ended = 0;

	abort_if(&c, c.file < 0 || fstat(c.file, &status));
	c.size = (uint64_t)status.st_size;
	MPI_Win_allocate(s->rank ? 0 : sizeof *value, sizeof *value, MPI_INFO_NULL, s->comm, &value,
	                 &c.window);
	if (!s->rank)
		*value = 0;
	MPI_Barrier(s->comm);
	MPI_Win_lock_all(0, c.window);
	while (!ended) {
		const xc_mpi_need need = xc_mpi_queue_wait(&s->queue, 0.5);

		if (need == XC_MPI_ITEMS)
			ask(&c);
		ended = need == XC_MPI_FINISHED;
	}
	MPI_Win_unlock_all(c.window);
	MPI_Win_free(&c.window);
	free(c.text);
	xc_mpi_records_free(&c.records);
	close(c.file);
}
