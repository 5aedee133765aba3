/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads of a context do every item once, whatever their number. */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/core/parallel.h"
#include "tests/support/codec.h"

enum { ITEMS = 1000, MAX = 9 };

typedef struct record {
	int times[ITEMS];
	int inside[MAX]; /* calls under way */
	int wrong;
} record;

static void note(void *user, uint64_t item, int worker)
{
	record *r = user;

	if (worker < 0 || worker >= MAX || item >= ITEMS ||
	    __atomic_add_fetch(&r->inside[worker], 1, __ATOMIC_SEQ_CST) != 1) {
		__atomic_store_n(&r->wrong, 1, __ATOMIC_SEQ_CST);
		return;
	}
	__atomic_add_fetch(&r->times[item], 1, __ATOMIC_SEQ_CST);
	__atomic_sub_fetch(&r->inside[worker], 1, __ATOMIC_SEQ_CST);
}

/* Whether each of `items` items is done once by these threads. */
static int all_once(xc_context *c, int threads, uint64_t items)
{
	record r = {0};
	int right = 1;

	if (xc_context_set_threads(c, threads))
		abort();
	xc_parallel_for(c, items, UINT64_MAX, note, &r, 0, 1);
	for (uint64_t i = 0; i < ITEMS; i++)
		right &= r.times[i] == (i < items);
	return right && !r.wrong;
}

/* Bytes of the address space in use; 0: unknown. */
static size_t address_space(void)
{
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (!f || fscanf(f, "%lu", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* qemu-user does not pass on limits of the address space, and its own threads do not
 * survive a fork(). */
static int emulated(void)
{
	const char *const emulator = getenv("XC_EMULATOR");
	return emulator && emulator[0];
}

/* This case comes first, because a new thread would take the stack of one that ended. */
static void without_threads(void)
{
	const uint64_t used = address_space();
	struct rlimit before, less;

	if (emulated() || !used || used >> 40 || getrlimit(RLIMIT_AS, &before))
		SKIP("the address space cannot be limited");
	OWN_CONTEXT c = xc_test_context();
	less = before;
	less.rlim_cur = used + (256u << 10);
	REQUIRE(!setrlimit(RLIMIT_AS, &less), "no limit set");
	CHECK(all_once(c, MAX, ITEMS), "not every item once");
	CHECK(c->pool.threads == 0, "%d threads all the same", c->pool.threads);
	REQUIRE(!setrlimit(RLIMIT_AS, &before), "the limit stays");
}

static void every_item_once(void)
{
	OWN_CONTEXT c = xc_test_context();

	for (int round = 0; round < 300; round++) {
		const int threads = 1 + round % MAX;
		const uint64_t items = round % 3 ? (uint64_t)round % 11 : ITEMS;
		CHECK(all_once(c, threads, items), "%d threads, %d items", threads, (int)items);
	}
}

typedef struct chain {
	xc_context *context;
	uint32_t done[ITEMS];
	int wrong;
} chain;

/* Every fourth item sleeps, so that those who wait for it do, too. */
static void follow(void *user, uint64_t item, int worker)
{
	chain *c = user;

	(void)worker;
	if (item % 4 == 3)
		usleep(200);
	if (item) {
		xc_pool_wait(&c->context->pool, &c->done[item - 1]);
		if (!__atomic_load_n(&c->done[item - 1], __ATOMIC_RELAXED))
			__atomic_store_n(&c->wrong, 1, __ATOMIC_RELAXED);
	}
	xc_pool_raise(&c->context->pool, &c->done[item]);
}

static void one_after_another(void)
{
	OWN_CONTEXT c = xc_test_context();

	for (int threads = 1; threads <= MAX; threads++) {
		chain all = {.context = c};
		if (xc_context_set_threads(c, threads))
			abort();
		xc_parallel_for(c, ITEMS, UINT64_MAX, follow, &all, 0, 1);
		CHECK(!all.wrong && all.done[ITEMS - 1], "%d threads", threads);
	}
}

static void fewer_for_small_work(void)
{
	OWN_CONTEXT c = xc_test_context();

	CHECK(xc_parallel_workers(c, 100, 0) == 1, "threads for nothing");
	CHECK(xc_parallel_workers(c, 100, xc_parallel_coding_time(768 * 512)) == 1,
	      "threads for a small picture");
	CHECK(xc_parallel_workers(c, 5000, UINT64_MAX) == xc_context_threads(c), "not all threads");
	xc_context_set_threads(c, 3);
	CHECK(xc_parallel_workers(c, 100, 0) == 3, "not what was asked for");
	CHECK(xc_parallel_workers(c, 2, UINT64_MAX) == 2, "more threads than items");
	CHECK(xc_parallel_workers(c, 0, UINT64_MAX) == 1, "nothing to do");
}

static int same_file(xc_context *c, const xc_picture *p, const xc_buffer *want)
{
	OWN_BUFFER(c, file);
	const int same = !xc_encode(c, p, NULL, NULL, &file) && file.size == want->size &&
	                 !memcmp(file.data, want->data, file.size);

	return same;
}

/* A child process has the parent's context, but not its threads. */
static void in_a_child(void)
{
	if (emulated())
		SKIP("an emulator has no threads after fork()");
	OWN_PICTURE p = xc_test_picture(700, 500, 3, 8, 0, 1);
	OWN_CONTEXT c = xc_test_context();
	OWN_BUFFER(c, file);
	if (xc_context_set_threads(c, 4) || xc_encode(c, &p, NULL, NULL, &file))
		abort();
	const pid_t child = fork();
	if (child < 0)
		abort();
	if (!child) {
		alarm(60);
		xc_context *own = xc_context_new(NULL);
		int right = own && !xc_context_set_threads(own, 4) && same_file(own, &p, &file);
		right &= same_file(c, &p, &file);
		xc_context_free(own);
		xc_context_free(c);
		_exit(right ? 0 : 1);
	}
	int status = -1;
	if (waitpid(child, &status, 0) != child)
		abort();
	CHECK(status == 0, "the child ended with status %d", status);
	CHECK(same_file(c, &p, &file), "the parent's file");
}

int main(void)
{
	RUN(without_threads, every_item_once, one_after_another, fewer_for_small_work, in_a_child);
	return check_done();
}
