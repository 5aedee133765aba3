/* SPDX-License-Identifier: BSD-2-Clause */
/* Timing with events. */
#include "bench/gpu/gpu.h"

#include "bench/tiled.h"
#include "cli/base/clock.h"
#include "cli/base/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARM_UP = 5, RUNS_MAX = 1000 };

int xc_bench_gpu_check(const xc_bench_gpu *b, xc_status status, const xc_gpu_error *e)
{
	if (!status)
		return 0;
	return xc_cli_error("bench gpu", "%s", e ? e->text : xc_context_message(b->context));
}

xc_status xc_bench_gpu_tell(const xc_bench_gpu *b, xc_status s, xc_gpu_error *e)
{
	if (s)
		snprintf(e->text, sizeof e->text, "%s", xc_context_message(b->context));
	return s;
}

void xc_bench_gpu_allocate(const xc_bench_gpu *b, xc_gpu_memory kind, size_t size, void **memory,
                           xc_gpu_error *e)
{
	if (!e->status)
		e->status = b->gpu->module->allocate(b->gpu->gpu, kind, size, memory, e);
}

xc_status xc_bench_gpu_copy(const xc_bench_gpu *b, void *to, const void *from, size_t size,
                            xc_gpu_error *e)
{
	const xc_gpu_module *m = b->gpu->module;
	const xc_status s = m->copy(b->gpu->gpu, to, from, size, NULL, e);

	return s ? s : m->synchronize(b->gpu->gpu, NULL, e);
}

/* Events: around a call, then the marks around its stages. */
enum { BEGAN, ENDED, MARKS, EVENTS = MARKS + XC_BENCH_GPU_STAGES + 1 };

static xc_status make_events(const xc_bench_gpu *b, void **events, int count, xc_gpu_error *e)
{
	xc_status s = XC_OK;

	for (int i = 0; i < count && !s; i++)
		s = b->gpu->module->event_new(b->gpu->gpu, &events[i], e);
	return s;
}

static void free_events(const xc_bench_gpu *b, void **events, int count)
{
	for (int i = 0; i < count; i++)
		b->gpu->module->event_free(b->gpu->gpu, events[i]);
}

static void *stream_of(const xc_bench_gpu_work *w, uint32_t run)
{
	return w->streams ? w->streams[run % (uint32_t)w->under_way] : NULL;
}

/* One run: *seconds around it all, or stages[] with marks. */
static xc_status run_once(const xc_bench_gpu *b, const xc_bench_gpu_work *w, uint32_t run,
                          void **events, int marked, double *seconds, double *stages,
                          xc_gpu_error *e)
{
	const xc_gpu_module *m = b->gpu->module;
	xc_gpu *gpu = b->gpu->gpu;
	void **marks = events + MARKS;
	float ms = 0;
	xc_status s = m->event_record(gpu, events[BEGAN], stream_of(w, run), e);

	if (!s)
		s = w->enqueue(w->user, run, marked ? marks : NULL, e);
	s = s ? s : m->event_record(gpu, events[ENDED], stream_of(w, run), e);
	s = s ? s : m->event_wait(gpu, events[ENDED], e);
	s = s ? s : m->event_elapsed(gpu, events[BEGAN], events[ENDED], &ms, e);
	if (w->finish && !s)
		s = w->finish(w->user, run, e);
	*seconds = ms * 1e-3;
	for (int i = 0; i < w->stages && marked && !s; i++) {
		s = m->event_elapsed(gpu, marks[i], marks[i + 1], &ms, e);
		stages[i] = ms * 1e-3;
	}
	return s;
}

int xc_bench_gpu_time(const xc_bench_gpu *b, const xc_bench_gpu_work *w,
                      xc_bench_gpu_result *result)
{
	const int runs = b->runs < RUNS_MAX ? b->runs : RUNS_MAX;
	double *times = calloc((size_t)runs * (XC_BENCH_GPU_STAGES + 1), sizeof *times);
	double one[XC_BENCH_GPU_STAGES];
	xc_gpu_error e = {XC_OK, ""};
	void *events[EVENTS] = {NULL};

	if (!times)
		return xc_cli_error("bench gpu", "out of memory");
	xc_status s = make_events(b, events, EVENTS, &e);
	for (int pass = 0; pass < (w->stages ? 2 : 1); pass++)
		for (int i = -WARM_UP; i < runs && !s; i++) {
			double seconds;

			s = run_once(b, w, (uint32_t)(i + WARM_UP), events, pass, &seconds, one, &e);
			if (i < 0)
				continue;
			if (pass == 0)
				times[i] = seconds;
			for (int k = 0; pass && k < w->stages; k++)
				times[(k + 1) * runs + i] = one[k];
		}
	free_events(b, events, EVENTS);
	if (!s) {
		result->seconds = xc_bench_median(times, runs);
		result->stages = w->stages;
		for (int k = 0; k < w->stages; k++)
			result->stage_seconds[k] = xc_bench_median(times + (k + 1) * runs, runs);
	}
	free(times);
	return xc_bench_gpu_check(b, s, &e);
}

/* Waits for call `run`, unless that is negative. */
static xc_status end_call(const xc_bench_gpu *b, const xc_bench_gpu_work *w, int run, void **ends,
                          double *host, xc_gpu_error *e)
{
	xc_status s = run < 0 ? XC_OK : b->gpu->module->event_wait(b->gpu->gpu, ends[run], e);

	*host -= xc_cli_seconds();
	if (!s && run >= 0 && w->finish)
		s = w->finish(w->user, (uint32_t)run, e);
	*host += xc_cli_seconds();
	return s;
}

/* Starts call `run` while those before it are under way, and then waits for the
 * first one of them. */
static xc_status run_next(const xc_bench_gpu *b, const xc_bench_gpu_work *w, int run, void **ends,
                          double *host, xc_gpu_error *e)
{
	*host -= xc_cli_seconds();
	xc_status s = w->enqueue(w->user, (uint32_t)run, NULL, e);
	*host += xc_cli_seconds();
	if (!s)
		s = b->gpu->module->event_record(b->gpu->gpu, ends[run], stream_of(w, (uint32_t)run), e);
	return s ? s : end_call(b, w, run - (w->under_way - 1), ends, host, e);
}

/* Those that are timed come after some and before others, so that as much is under way at the end
 * as was at the beginning. */
static int time_row(const xc_bench_gpu *b, const xc_bench_gpu_work *w, xc_bench_gpu_result *result)
{
	const int others = w->under_way - 1;
	const int count = WARM_UP + b->runs + others;
	void **ends = calloc((size_t)count, sizeof *ends);
	xc_gpu_error e = {XC_OK, ""};
	double host = 0;
	float ms = 0;

	if (!ends)
		return xc_cli_error("bench gpu", "out of memory");
	xc_status s = make_events(b, ends, count, &e);
	for (int i = 0; i < count && !s; i++) {
		host = i == WARM_UP ? 0 : host;
		s = run_next(b, w, i, ends, &host, &e);
		if (i == WARM_UP + b->runs - 1)
			result->host_seconds = host / b->runs;
	}
	for (int i = count - others; i < count && !s; i++)
		s = end_call(b, w, i, ends, &host, &e);
	if (!s)
		s = b->gpu->module->event_elapsed(b->gpu->gpu, ends[WARM_UP - 1], ends[count - others - 1],
		                                  &ms, &e);
	free_events(b, ends, count);
	free(ends);
	result->seconds = ms * 1e-3 / b->runs;
	result->in_a_row = 1;
	return xc_bench_gpu_check(b, s, &e);
}

int xc_bench_gpu_measure(xc_bench_gpu *b, const xc_bench_gpu_work *w, const uint64_t *sizes,
                         xc_bench_gpu_result *r)
{
	if (xc_bench_gpu_time(b, w, r))
		return -1;
	r->bytes = (double)b->width * b->height * 3 * r->pictures;
	for (uint32_t i = 0; i < r->pictures; i++)
		r->bytes += (double)sizes[i];
	xc_bench_gpu_print(b, r);
	if (r->pictures < b->batch)
		return 0;
	if (time_row(b, w, r))
		return -1;
	xc_bench_gpu_print(b, r);
	return 0;
}

enum { COPY_BYTES = 1 << 30, BUS_BYTES = 1 << 28, BOTH_WAYS = 8, BOTH_RUNS = 5 };

typedef struct copying {
	const xc_bench_gpu *b;
	void *to, *from;
	size_t size;
} copying;

static xc_status copy_once(void *user, uint32_t run, void **marks, xc_gpu_error *e)
{
	const copying *c = user;

	(void)run, (void)marks;
	return c->b->gpu->module->copy(c->b->gpu->gpu, c->to, c->from, c->size, NULL, e);
}

static int rate(const xc_bench_gpu *b, void *to, void *from, size_t size, double *bytes_per_second)
{
	copying c = {b, to, from, size};
	const xc_bench_gpu_work w = {copy_once, NULL, &c, 0, 1, NULL};
	xc_bench_gpu_result r;

	if (xc_bench_gpu_time(b, &w, &r))
		return -1;
	*bytes_per_second = (double)size / r.seconds;
	return 0;
}

/* Copies of equal size in both directions at the same time, each on its own stream. */
typedef struct both {
	const xc_bench_gpu *b;
	void *device[2], *host[2]; /* up, down */
	void *streams[2];
	void *began, *ended[2]; /* events */
} both;

static xc_status both_set_up(both *c, xc_gpu_error *e)
{
	const xc_gpu_module *m = c->b->gpu->module;
	xc_gpu *gpu = c->b->gpu->gpu;
	xc_status s = m->event_new(gpu, &c->began, e);

	for (int i = 0; i < 2 && !s; i++) {
		s = m->stream_new(gpu, &c->streams[i], e);
		s = s ? s : m->event_new(gpu, &c->ended[i], e);
		s = s ? s : m->allocate(gpu, XC_GPU_DEVICE_MEMORY, BUS_BYTES, &c->device[i], e);
		s = s ? s : m->allocate(gpu, XC_GPU_PINNED_MEMORY, BUS_BYTES, &c->host[i], e);
		if (!s)
			memset(c->host[i], 0x5a, BUS_BYTES);
	}
	return s;
}

static void both_tear_down(both *c)
{
	const xc_gpu_module *m = c->b->gpu->module;
	xc_gpu *gpu = c->b->gpu->gpu;

	m->event_free(gpu, c->began);
	for (int i = 0; i < 2; i++) {
		m->stream_free(gpu, c->streams[i]);
		m->event_free(gpu, c->ended[i]);
		m->release(gpu, c->device[i]);
		m->release(gpu, c->host[i]);
	}
}

/* One run.  *seconds is the time from the start of both to the end of the later one. */
static xc_status both_once(const both *c, double *seconds, xc_gpu_error *e)
{
	const xc_gpu_module *m = c->b->gpu->module;
	xc_gpu *gpu = c->b->gpu->gpu;
	float ms[2] = {0, 0};
	xc_status s = m->event_record(gpu, c->began, c->streams[0], e);

	for (int n = 0; n < 2 * BOTH_WAYS && !s; n++) {
		const int down = n % 2;

		s = m->copy(gpu, down ? c->host[1] : c->device[0], down ? c->device[1] : c->host[0],
		            BUS_BYTES, c->streams[down], e);
	}
	for (int i = 0; i < 2 && !s; i++)
		s = m->event_record(gpu, c->ended[i], c->streams[i], e);
	for (int i = 0; i < 2 && !s; i++)
		s = m->event_wait(gpu, c->ended[i], e);
	for (int i = 0; i < 2 && !s; i++)
		s = m->event_elapsed(gpu, c->began, c->ended[i], &ms[i], e);
	*seconds = (ms[0] > ms[1] ? ms[0] : ms[1]) * 1e-3;
	return s;
}

static int both_rate(const xc_bench_gpu *b, double *bytes_per_second)
{
	both c = {.b = b};
	double seconds[BOTH_RUNS];
	xc_gpu_error e = {XC_OK, ""};
	xc_status s = both_set_up(&c, &e);

	for (int i = -1; i < BOTH_RUNS && !s; i++)
		s = both_once(&c, &seconds[i < 0 ? 0 : i], &e);
	both_tear_down(&c);
	if (!s)
		*bytes_per_second = 2.0 * BOTH_WAYS * BUS_BYTES / xc_bench_median(seconds, BOTH_RUNS);
	return xc_bench_gpu_check(b, s, &e);
}

int xc_bench_gpu_rates(xc_bench_gpu *b)
{
	const xc_gpu_module *m = b->gpu->module;
	xc_gpu *gpu = b->gpu->gpu;
	void *one = NULL, *two = NULL, *host = NULL;
	xc_gpu_error e = {XC_OK, ""};

	xc_bench_gpu_allocate(b, XC_GPU_DEVICE_MEMORY, COPY_BYTES, &one, &e);
	xc_bench_gpu_allocate(b, XC_GPU_DEVICE_MEMORY, COPY_BYTES, &two, &e);
	xc_bench_gpu_allocate(b, XC_GPU_PINNED_MEMORY, BUS_BYTES, &host, &e);
	int failed = xc_bench_gpu_check(b, e.status, &e);
	if (!failed) {
		memset(host, 0x5a, BUS_BYTES);
		failed = rate(b, one, host, BUS_BYTES, &b->up_rate) ||
		         rate(b, host, one, BUS_BYTES, &b->down_rate) ||
		         rate(b, two, one, COPY_BYTES, &b->copy_rate);
		b->copy_rate *= 2;
	}
	m->release(gpu, one);
	m->release(gpu, two);
	m->release(gpu, host);
	return failed || both_rate(b, &b->both_rate) ? -1 : 0;
}
