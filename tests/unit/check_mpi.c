/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of xcodec-mpi that need no other process: chunks, records, the queue,
 * processors of a rank. */
#include "tests/support/bytes.h"
#include "tests/support/check.h"

#include "mpi/share.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------------- chunks */

static void chunks_end(void)
{
	const xc_mpi_asker fast = {1000, 0.75, 8, 0, 0}, slow = {10, 0.25, 8, 0, 0};
	uint64_t left = 100000, turns = 0, previous = left;

	while (left) {
		const uint64_t n = xc_mpi_chunk(turns % 2 ? &fast : &slow, left);

		REQUIRE(n >= 1 && n <= left, "%llu of %llu", (unsigned long long)n,
		        (unsigned long long)left);
		previous = n;
		left -= n;
		turns++;
	}
	CHECK(previous == 1, "the last chunk has one item");
	CHECK(turns < 100000, "chunks are not all of one item");
}

static void chunks_follow_speed_and_time(void)
{
	const xc_mpi_asker fast = {1000, 0.5, 8, 0, 0}, slow = {10, 0.5, 8, 0, 0};
	const xc_mpi_asker unknown = {0, 0.5, 8, 1, 0}, full = {1000, 0.5, 8, 0, 249};

	CHECK(xc_mpi_chunk(&fast, 1000000) == 250, "a quarter of a second");
	CHECK(xc_mpi_chunk(&slow, 1000000) == 2, "of large items a few");
	CHECK(xc_mpi_chunk(&unknown, 1000000) == 16, "two for each worker while nothing is known");
	CHECK(xc_mpi_chunk(&full, 1000000) == 1, "less what is queued");
	CHECK(xc_mpi_chunk(&fast, 100) == 25, "half of the fair share at the end");
}

/* -------------------------------------------------------------------------- records */

static void records_come_back(void)
{
	xc_mpi_records r = {NULL, 0, 0, 0, 0};
	uint64_t in = 0, out = 0;
	char path[64];

	for (int round = 0; round < 1000; round++) {
		for (int i = 0; i < 7; i++) {
			xc_cli_item item = {.number = in,
			                    .path = path,
			                    .name = (size_t)(in % 5),
			                    .way = (xc_cli_way)(in % 3)};

			snprintf(path, sizeof path, "folder/%llu", (unsigned long long)in++);
			REQUIRE(!xc_mpi_records_add(&r, &item), "no memory");
		}
		for (int i = 0; i < (round % 2 ? 9 : 5); i++) {
			xc_cli_item item;
			size_t size;

			snprintf(path, sizeof path, "folder/%llu", (unsigned long long)out);
			REQUIRE(!xc_mpi_record_read(xc_mpi_records_take(&r, 1, &size), &item), "no memory");
			CHECK(item.number == out && item.name == out % 5 && item.way == out % 3 &&
			          !strcmp(item.path, path),
			      "%s", item.path);
			xc_cli_item_free(&item);
			out++;
		}
	}
	CHECK(r.count == in - out && xc_mpi_records_size(&r) == 0, "nothing is left");
	CHECK(r.room < 8192, "%zu bytes for a few records", r.room);
	xc_mpi_records_free(&r);
}

/* ---------------------------------------------------------------------------- queue */

enum { WORKERS = 4, ITEMS = 10000 };

typedef struct shared_work {
	xc_mpi_queue queue;
	uint8_t seen[ITEMS];
	int next, left;
} shared_work;

static void *work(void *user)
{
	shared_work *c = user;
	xc_cli_item item;
	const int worker = __atomic_fetch_add(&c->next, 1, __ATOMIC_RELAXED);

	while (xc_mpi_queue_take(&c->queue, worker, &item)) {
		const xc_cli_tally tally = {.done = 1, .seconds = 1e-6};

		__atomic_fetch_add(&c->seen[item.number], 1, __ATOMIC_RELAXED);
		xc_mpi_queue_done(&c->queue, &tally);
		xc_cli_item_free(&item);
	}
	if (__atomic_add_fetch(&c->left, 1, __ATOMIC_ACQ_REL) == WORKERS)
		xc_mpi_queue_dismiss(&c->queue);
	return NULL;
}

/* Puts items whenever they are asked for, in chunks of 1 to 50. */
static void feed(shared_work *c)
{
	xc_mpi_records r = {NULL, 0, 0, 0, 0};
	xc_mpi_need need;
	uint64_t put = 0;
	char path[] = "path";

	while ((need = xc_mpi_queue_wait(&c->queue, 1)) != XC_MPI_FINISHED) {
		uint64_t n = 0;
		size_t size;

		if (need != XC_MPI_ITEMS)
			continue;
		xc_mpi_queue_ask(&c->queue, (double)(put % 3));
		for (; n <= put % 50 && put < ITEMS; n++) {
			const xc_cli_item item = {.number = put++, .path = path};

			if (xc_mpi_records_add(&r, &item))
				abort();
		}
		const uint8_t *bytes = xc_mpi_records_take(&r, n, &size);
		if (xc_mpi_queue_put(&c->queue, bytes, size, n, put == ITEMS))
			abort();
	}
	xc_mpi_records_free(&r);
}

static void each_item_is_taken_once(void)
{
	OWN_MEMORY shared_work *c = calloc(1, sizeof *c);
	pthread_t thread[WORKERS];
	uint64_t queued, waiting;

	REQUIRE(c && !xc_mpi_queue_init(&c->queue), "no memory");
	for (int i = 0; i < WORKERS; i++)
		REQUIRE(!pthread_create(&thread[i], NULL, work, c), "no thread");
	feed(c);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < ITEMS; i++)
		CHECK(c->seen[i] == 1, "item %d: %d times", i, c->seen[i]);
	const xc_mpi_account a = xc_mpi_queue_account(&c->queue, &queued, &waiting);
	CHECK(a.items == ITEMS && a.tally.done == ITEMS && !queued && !waiting, "the account");
	CHECK(a.workers >= 1 && a.workers <= WORKERS, "%d workers", (int)a.workers);
	xc_mpi_queue_free(&c->queue);
}

/* ----------------------------------------------------------------------- processors */

static xc_mpi_mask mask(int first, int count)
{
	xc_mpi_mask m = {{0}};

	for (int i = first; i < first + count; i++)
		m.word[i / 64] |= UINT64_C(1) << i % 64;
	return m;
}

static void processors_are_shared(void)
{
	const xc_mpi_mask all[3] = {mask(60, 8), mask(60, 8), mask(60, 8)};
	const xc_mpi_mask own[2] = {mask(0, 1), mask(100, 3)};
	const xc_mpi_mask few[3] = {mask(5, 2), mask(5, 2), mask(5, 2)};
	const xc_mpi_mask half[3] = {mask(0, 4), mask(0, 4), mask(4, 4)};

	CHECK(xc_mpi_node_processors(all, 3, 0) == 3 && xc_mpi_node_processors(all, 3, 1) == 3 &&
	          xc_mpi_node_processors(all, 3, 2) == 2,
	      "eight for three ranks");
	CHECK(xc_mpi_node_processors(own, 2, 0) == 1 && xc_mpi_node_processors(own, 2, 1) == 3,
	      "bound ranks");
	CHECK(xc_mpi_node_processors(few, 3, 2) == 1, "at least one");
	CHECK(xc_mpi_node_processors(half, 3, 0) == 2 && xc_mpi_node_processors(half, 3, 1) == 2 &&
	          xc_mpi_node_processors(half, 3, 2) == 4,
	      "two ranks on half of a machine");
}

int main(void)
{
	RUN(chunks_end, chunks_follow_speed_and_time, records_come_back, each_item_is_taken_once,
	    processors_are_shared);
	return check_done();
}
