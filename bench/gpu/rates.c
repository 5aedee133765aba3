/* SPDX-License-Identifier: BSD-2-Clause */
/* The rates of plain copies, with which everything else is compared. */
#include "bench/gpu/gpu.h"

#include "bench/tiled.h"

#include <string.h>

enum { COPY_BYTES = 1 << 30, BUS_BYTES = 1 << 28, BOTH_WAYS = 8, BOTH_RUNS = 5 };

typedef struct copying {
	const xc_bench_gpu *b;
	void *to, *from;
	size_t size;
} copying;

static xc_status copy_once(void *user, uint32_t run, void **marks, xc_gpu_error *e)
{
	const copying *c = user;

	(void)run;
	(void)marks;
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
