/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/parallel.h"

#ifdef _OPENMP
#include <omp.h>
#endif

/* Where the number of threads is ours to choose, none begins for less: its start, and
 * what it waits for the others, actively and perhaps on a processor that others want,
 * cost up to about as much. */
enum { LEAST_TIME = 1000 };

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
#ifdef _OPENMP
	uint64_t threads = (uint64_t)xc_context_threads(c);
	if (!c->threads && threads > time / LEAST_TIME)
		threads = time / LEAST_TIME;
	threads = items < threads ? items : threads;
	return threads ? (int)threads : 1;
#else
	(void)c;
	(void)items;
	(void)time;
	return 1;
#endif
}

void xc_parallel_for(xc_context *c, uint64_t items, uint64_t time,
                     void (*work)(void *user, uint64_t item, int worker), void *user, double from,
                     double to)
{
	const int workers = xc_parallel_workers(c, items, time);
	uint64_t done = 0;
	if (workers == 1) {
		for (; done < items; done++) {
			work(user, done, 0);
			xc_report_progress(c, from + (to - from) * (double)(done + 1) / (double)items);
		}
		return;
	}
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 1) num_threads(workers)
	for (uint64_t i = 0; i < items; i++) {
		const int worker = omp_get_thread_num();
		work(user, i, worker);
		const uint64_t n = __atomic_add_fetch(&done, 1, __ATOMIC_RELAXED);
		if (worker == 0)
			xc_report_progress(c, from + (to - from) * (double)n / (double)items);
	}
#endif
}
