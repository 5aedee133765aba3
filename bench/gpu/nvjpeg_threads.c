/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nvJPEG with batches.  Its functions take one picture at a time and wait for the GPU in between,
 * so several threads share the frames of a batch, each with a coder of its own.
 */
#include "bench/gpu/nvjpeg.h"

#include "bench/timing.h"
#include "cli/base/clock.h"
#include "cli/base/report.h"

#include <pthread.h>
#include <stdio.h>

enum { MOST_THREADS = 16, LEAST_RUNS = 3 };
#define ENOUGH_SECONDS 0.3 /* for one number of threads */

typedef struct crew crew;

typedef struct worker {
	crew *crew;
	pthread_t thread;
	uint32_t number;
	xc_bench_nvjpeg_coder coder;
	xc_status status;
	xc_gpu_error error;
} worker;

struct crew {
	const xc_bench_nvjpeg *n;
	xc_bench_nvjpeg_code *code;
	uint32_t count;
	worker workers[MOST_THREADS];
	/* Under the lock: the batches that were begun, and how many threads still work. */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint32_t batches, busy;
	int stop;
};

/* ----------------------------------------------------------------- threads */

static void do_share(worker *w)
{
	const xc_bench_gpu *b = w->crew->n->b;
	int failed = 0;

	for (uint32_t i = w->number; i < b->batch && !failed; i += w->crew->count)
		failed = w->crew->code(&w->coder, i);
	w->status = xc_bench_nvjpeg_tell(failed, "work on a batch", &w->error);
	if (!w->status)
		w->status = b->gpu->module->synchronize(b->gpu->gpu, w->coder.stream, &w->error);
}

static void *run_worker(void *user)
{
	worker *w = user;
	crew *c = w->crew;
	const xc_bench_gpu *b = c->n->b;
	uint32_t done = 0;

	/* The module's calls make the GPU current in the thread that calls them. */
	(void)b->gpu->module->synchronize(b->gpu->gpu, w->coder.stream, &w->error);
	pthread_mutex_lock(&c->lock);
	for (;;) {
		while (c->batches == done && !c->stop)
			pthread_cond_wait(&c->changed, &c->lock);
		if (c->stop)
			break;
		done = c->batches;
		pthread_mutex_unlock(&c->lock);
		do_share(w);
		pthread_mutex_lock(&c->lock);
		if (--c->busy == 0)
			pthread_cond_broadcast(&c->changed);
	}
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

/* Lets the threads work on one batch and returns the seconds that it took. */
static double run_batch(crew *c)
{
	const double began = xc_cli_seconds();

	pthread_mutex_lock(&c->lock);
	c->batches++;
	c->busy = c->count;
	pthread_cond_broadcast(&c->changed);
	while (c->busy)
		pthread_cond_wait(&c->changed, &c->lock);
	pthread_mutex_unlock(&c->lock);
	return xc_cli_seconds() - began;
}

/* The median of at least three batches, after one that does not count. */
static xc_status time_batches(crew *c, double *seconds, xc_gpu_error *e)
{
	double times[XC_BENCH_NVJPEG_RUNS];
	const int wanted = c->n->b->runs;
	const int most = wanted < XC_BENCH_NVJPEG_RUNS ? wanted : XC_BENCH_NVJPEG_RUNS;
	double spent = 0;
	int runs = 0;

	for (int i = -1; i < most && (i < LEAST_RUNS || spent < ENOUGH_SECONDS); i++) {
		times[i < 0 ? 0 : i] = run_batch(c);
		runs = i + 1;
		spent += times[i < 0 ? 0 : i];
		for (uint32_t k = 0; k < c->count; k++)
			if (c->workers[k].status) {
				*e = c->workers[k].error;
				return c->workers[k].status;
			}
	}
	*seconds = xc_bench_median(times, runs);
	return XC_OK;
}

/* Starts the threads of the workers, times batches and ends the threads. */
static xc_status run_crew(crew *c, double *seconds, xc_gpu_error *e)
{
	uint32_t started = 0;
	xc_status s = XC_OK;

	if (pthread_mutex_init(&c->lock, NULL))
		return xc_bench_nvjpeg_tell(1, "be given a lock", e);
	if (pthread_cond_init(&c->changed, NULL)) {
		pthread_mutex_destroy(&c->lock);
		return xc_bench_nvjpeg_tell(1, "be given a lock", e);
	}
	for (; started < c->count && !s; started += !s)
		s = xc_bench_nvjpeg_tell(pthread_create(&c->workers[started].thread, NULL, run_worker,
		                                        &c->workers[started]),
		                         "be given a thread", e);
	if (!s)
		s = time_batches(c, seconds, e);
	pthread_mutex_lock(&c->lock);
	c->stop = 1;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
	for (uint32_t i = 0; i < started; i++)
		pthread_join(c->workers[i].thread, NULL);
	pthread_cond_destroy(&c->changed);
	pthread_mutex_destroy(&c->lock);
	return s;
}

/* ----------------------------------------------------------------- batches */

static xc_status time_crew(const xc_bench_nvjpeg *n, const xc_encode_options *o,
                           xc_bench_nvjpeg_code *code, uint32_t count, double *seconds,
                           xc_gpu_error *e)
{
	crew c = {.n = n, .code = code, .count = count};
	xc_status s = XC_OK;

	for (uint32_t i = 0; i < count && !s; i++) {
		c.workers[i].crew = &c;
		c.workers[i].number = i;
		s = xc_bench_nvjpeg_coder_new(n, o, &c.workers[i].coder, e);
	}
	if (!s)
		s = run_crew(&c, seconds, e);
	for (uint32_t i = 0; i < count; i++)
		xc_bench_nvjpeg_coder_free(&c.workers[i].coder);
	return s;
}

void xc_bench_nvjpeg_threads(const xc_bench_nvjpeg *n, const xc_encode_options *o,
                             xc_bench_nvjpeg_code *code, const char *what, const char *coding)
{
	xc_bench_gpu *b = n->b;
	xc_bench_gpu_result r = {.what = what,
	                         .pictures = b->batch,
	                         .workers_name = "threads",
	                         .bytes = xc_bench_nvjpeg_bytes(n, b->batch)};

	snprintf(r.coding, sizeof r.coding, "%s", coding);
	for (uint32_t count = 4; count <= MOST_THREADS; count *= 2) {
		xc_gpu_error e = {XC_OK, ""};
		double seconds = 0;

		if (time_crew(n, o, code, count, &seconds, &e)) {
			xc_cli_warning("bench gpu", "%s with %u threads: %s", what, count, e.text);
		} else if (!r.workers || seconds < r.seconds) {
			r.workers = count;
			r.seconds = seconds;
		}
	}
	if (r.workers)
		xc_bench_gpu_print(b, &r);
}
