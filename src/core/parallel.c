/* SPDX-License-Identifier: BSD-2-Clause */
/* Loops over the threads of a context. Each worker takes the next item from a counter. */
#include "src/core/parallel.h"

/* Microseconds of work for each thread, if the caller does not set their number. Waking a thread
 * and giving it memory cost part of that. */
enum { MIN_TIME = 1000 };

uint64_t xc_parallel_coding_time(uint64_t pixels)
{
	return pixels / 250;
}

uint64_t xc_parallel_copying_time(uint64_t bytes)
{
	return bytes / 4096;
}

int xc_parallel_workers(const xc_context *c, uint64_t items, uint64_t time)
{
	uint64_t threads = (uint64_t)xc_context_threads(c);

	if (!c->threads && threads > time / MIN_TIME)
		threads = time / MIN_TIME;
	threads = items < threads ? items : threads;
	return threads ? (int)threads : 1;
}

typedef struct loop {
	xc_context *context;
	void (*work)(void *user, uint64_t item, int worker);
	void *user;
	uint64_t items, next, done;
	double from, to;
} loop;

static void run(void *user, int worker)
{
	loop *l = user;
	uint64_t i;

	while (!__atomic_load_n(&l->context->cancelled, __ATOMIC_RELAXED) &&
	       (i = __atomic_fetch_add(&l->next, 1, __ATOMIC_RELAXED)) < l->items) {
		l->work(l->user, i, worker);
		const uint64_t n = __atomic_add_fetch(&l->done, 1, __ATOMIC_RELAXED);
		if (worker == 0 && l->to > l->from && n < l->items)
			xc_report_progress(l->context,
			                   l->from + (l->to - l->from) * (double)n / (double)l->items);
	}
}

xc_status xc_parallel_for(xc_context *c, uint64_t items, uint64_t time,
                          void (*work)(void *user, uint64_t item, int worker), void *user,
                          double from, double to)
{
	return xc_parallel_by(c, xc_parallel_workers(c, items, time), items, work, user, from, to);
}

xc_status xc_parallel_by(xc_context *c, int workers, uint64_t items,
                         void (*work)(void *user, uint64_t item, int worker), void *user,
                         double from, double to)
{
	loop l = {c, work, user, items, 0, 0, from, to};

	if (items)
		xc_pool_run(&c->pool, items < (uint64_t)workers ? (int)items : workers, run, &l);
	/* Other workers may have done all items of a short loop. */
	return to > from && !c->cancelled ? xc_report_progress(c, to) : xc_check_cancelled(c);
}
