/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nvJPEG with batches: its functions take a picture at a time and wait for the GPU in between,
 * so several threads, each with a state and a stream, share the frames of a batch.
 */
#include "bench/gpu/nvjpeg.h"

#include "cli/base/clock.h"
#include "cli/base/report.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { MOST_THREADS = 16, LEAST_RUNS = 3 };
#define ENOUGH_SECONDS 0.3 /* for one number of threads */

typedef struct team team;

typedef struct worker {
	team *team;
	pthread_t thread;
	uint32_t number;
	xc_bench_nvjpeg_coder coder;
	xc_status status;
	xc_gpu_error error;
} worker;

struct team {
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
	const xc_bench_gpu *b = w->team->n->b;
	int failed = 0;

	for (uint32_t i = w->number; i < b->batch && !failed; i += w->team->count)
		failed = w->team->code(&w->coder, i);
	w->status = xc_bench_nvjpeg_tell(failed, "work on a batch", &w->error);
	if (!w->status)
		w->status = b->gpu->module->synchronize(b->gpu->gpu, w->coder.stream, &w->error);
}

static void *run_worker(void *user)
{
	worker *w = user;
	team *t = w->team;
	const xc_bench_gpu *b = t->n->b;
	uint32_t done = 0;

	/* Makes the GPU the thread's. */
	(void)b->gpu->module->synchronize(b->gpu->gpu, w->coder.stream, &w->error);
	pthread_mutex_lock(&t->lock);
	for (;;) {
		while (t->batches == done && !t->stop)
			pthread_cond_wait(&t->changed, &t->lock);
		if (t->stop)
			break;
		done = t->batches;
		pthread_mutex_unlock(&t->lock);
		do_share(w);
		pthread_mutex_lock(&t->lock);
		if (--t->busy == 0)
			pthread_cond_broadcast(&t->changed);
	}
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

/* A batch; the seconds that it took. */
static double run_batch(team *t)
{
	const double began = xc_cli_seconds();

	pthread_mutex_lock(&t->lock);
	t->batches++;
	t->busy = t->count;
	pthread_cond_broadcast(&t->changed);
	while (t->busy)
		pthread_cond_wait(&t->changed, &t->lock);
	pthread_mutex_unlock(&t->lock);
	return xc_cli_seconds() - began;
}

/* The median of at least three batches, after one that does not count. */
static xc_status time_batches(team *t, double *seconds, xc_gpu_error *e)
{
	double times[XC_BENCH_NVJPEG_RUNS];
	const int wanted = t->n->b->runs;
	const int most = wanted < XC_BENCH_NVJPEG_RUNS ? wanted : XC_BENCH_NVJPEG_RUNS;
	double spent = 0;
	int runs = 0;

	for (int i = -1; i < most && (i < LEAST_RUNS || spent < ENOUGH_SECONDS); i++) {
		times[i < 0 ? 0 : i] = run_batch(t);
		runs = i + 1;
		spent += times[i < 0 ? 0 : i];
		for (uint32_t k = 0; k < t->count; k++)
			if (t->workers[k].status) {
				*e = t->workers[k].error;
				return t->workers[k].status;
			}
	}
	*seconds = xc_bench_gpu_median(times, runs);
	return XC_OK;
}

/* With the workers that are set up. */
static xc_status run_team(team *t, double *seconds, xc_gpu_error *e)
{
	uint32_t started = 0;
	xc_status s = XC_OK;

	if (pthread_mutex_init(&t->lock, NULL))
		return xc_bench_nvjpeg_tell(1, "be given a lock", e);
	if (pthread_cond_init(&t->changed, NULL)) {
		pthread_mutex_destroy(&t->lock);
		return xc_bench_nvjpeg_tell(1, "be given a lock", e);
	}
	for (; started < t->count && !s; started += !s)
		s = xc_bench_nvjpeg_tell(pthread_create(&t->workers[started].thread, NULL, run_worker,
		                                        &t->workers[started]),
		                         "be given a thread", e);
	if (!s)
		s = time_batches(t, seconds, e);
	pthread_mutex_lock(&t->lock);
	t->stop = 1;
	pthread_cond_broadcast(&t->changed);
	pthread_mutex_unlock(&t->lock);
	for (uint32_t i = 0; i < started; i++)
		pthread_join(t->workers[i].thread, NULL);
	pthread_cond_destroy(&t->changed);
	pthread_mutex_destroy(&t->lock);
	return s;
}

/* -------------------------------------------------------------------- teams */

static xc_status time_team(const xc_bench_nvjpeg *n, const xc_encode_options *o,
                           xc_bench_nvjpeg_code *code, uint32_t count, double *seconds,
                           xc_gpu_error *e)
{
	team t = {.n = n, .code = code, .count = count};
	xc_status s = XC_OK;

	for (uint32_t i = 0; i < count && !s; i++) {
		t.workers[i].team = &t;
		t.workers[i].number = i;
		s = xc_bench_nvjpeg_coder_new(n, o, &t.workers[i].coder, e);
	}
	if (!s)
		s = run_team(&t, seconds, e);
	for (uint32_t i = 0; i < count; i++)
		xc_bench_nvjpeg_coder_free(&t.workers[i].coder);
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

		if (time_team(n, o, code, count, &seconds, &e)) {
			xc_cli_warning("bench gpu", "%s with %u threads: %s", what, count, e.text);
		} else if (!r.workers || seconds < r.seconds) {
			r.workers = count;
			r.seconds = seconds;
		}
	}
	if (r.workers)
		xc_bench_gpu_print(b, &r);
}
