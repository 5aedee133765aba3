/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nvJPEG with batches.  Its functions take one picture at a time and wait for the GPU in between,
 * so several threads share the frames of a batch, each with a coder of its own.
 */
#include "bench/gpu/nvjpeg.h"

#include "bench/timing.h"
#include "cli/base/clock.h"
#include "cli/base/report.h"
#include "src/core/pool.h"

enum { MOST_THREADS = 16, LEAST_RUNS = 3 };
#define ENOUGH_SECONDS 0.3 /* for one number of threads */

typedef struct worker {
	xc_bench_nvjpeg_coder coder;
	xc_status status;
	xc_gpu_error error;
} worker;

typedef struct crew {
	const xc_bench_nvjpeg *n;
	xc_bench_nvjpeg_code *code;
	uint32_t count, next; /* next: the first frame that nobody has taken; atomic */
	worker workers[MOST_THREADS];
} crew;

/* Codes frames of the batch until there are no more. */
static void do_share(void *user, int number)
{
	crew *c = user;
	worker *w = &c->workers[number];
	const xc_bench_gpu *b = c->n->b;
	int failed = 0;
	uint32_t i;

	/* The module's calls make the GPU current in the thread that calls them. */
	w->status = b->gpu->module->synchronize(b->gpu->gpu, w->coder.stream, &w->error);
	if (w->status)
		return;
	while (!failed && (i = __atomic_fetch_add(&c->next, 1, __ATOMIC_RELAXED)) < b->batch)
		failed = c->code(&w->coder, i);
	w->status = xc_bench_nvjpeg_tell(failed, "work on a batch", &w->error);
	if (!w->status)
		w->status = b->gpu->module->synchronize(b->gpu->gpu, w->coder.stream, &w->error);
}

/* The median of at least three batches, after one that does not count. */
static xc_status time_batches(crew *c, xc_pool *pool, double *seconds, xc_gpu_error *e)
{
	double times[XC_BENCH_NVJPEG_RUNS];
	const int wanted = c->n->b->runs;
	const int most = wanted < XC_BENCH_NVJPEG_RUNS ? wanted : XC_BENCH_NVJPEG_RUNS;
	double spent = 0;
	int runs = 0;

	for (int i = -1; i < most && (i < LEAST_RUNS || spent < ENOUGH_SECONDS); i++) {
		const double began = xc_cli_seconds();

		c->next = 0;
		xc_pool_run(pool, (int)c->count, do_share, c);
		times[i < 0 ? 0 : i] = xc_cli_seconds() - began;
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

static xc_status time_crew(const xc_bench_nvjpeg *n, const xc_encode_options *o,
                           xc_bench_nvjpeg_code *code, uint32_t count, double *seconds,
                           xc_gpu_error *e)
{
	crew c = {.n = n, .code = code, .count = count};
	xc_pool pool;
	xc_status s = xc_bench_nvjpeg_tell(xc_pool_init(&pool), "be given a lock", e);

	if (s)
		return s;
	for (uint32_t i = 0; i < count && !s; i++)
		s = xc_bench_nvjpeg_coder_new(n, o, &c.workers[i].coder, e);
	if (!s)
		s = time_batches(&c, &pool, seconds, e);
	xc_pool_free(&pool);
	for (uint32_t i = 0; i < count; i++)
		xc_bench_nvjpeg_coder_free(&c.workers[i].coder);
	return s;
}

void xc_bench_nvjpeg_threads(const xc_bench_nvjpeg *n, const xc_encode_options *o,
                             xc_bench_nvjpeg_code *code, const char *what)
{
	xc_bench_gpu *b = n->b;
	xc_bench_gpu_result r = {.what = what,
	                         .pictures = b->batch,
	                         .workers_name = "threads",
	                         .bytes = xc_bench_nvjpeg_bytes(n, b->batch)};

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
