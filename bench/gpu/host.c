/* SPDX-License-Identifier: BSD-2-Clause */
/* `xcodec bench gpu` from pinned host memory to pinned host memory: encoding, decoding, and both at
 * the same time, each with a thread and a context, which keeps both directions of the bus busy. */
#include "bench/gpu/gpu.h"

#include "cli/base/clock.h"
#include "cli/base/report.h"

#include <pthread.h>
#include <string.h>

/* QUEUED frames are timed alone, BOTH_QUEUED decoded while others are encoded. */
enum { SLOTS = 4, DECODE_SLOTS = 8, QUEUED = 64, BOTH_SLOTS = 8, BOTH_QUEUED = 512 };

typedef struct encoding {
	xc_bench_gpu *b;
	xc_context *context;
	xc_cuda *gpu;
	const xc_encode_options *options;
	xc_cuda_encode_queue *queue;
	uint32_t slots;
	xc_bench_gpu_flow flow;
	/* Used when encoding runs in its own thread. */
	pthread_barrier_t *start;
	int stop; /* set when the decoder is done; atomic */
	xc_status status;
} encoding;

/* Filling the slots is not measured: their buffers keep the pictures that they get here. */
static xc_status fill_slot(encoding *c, uint32_t i)
{
	const xc_bench_gpu *b = c->b;
	const xc_gpu_module *m = c->gpu->module;
	xc_gpu_error *e = &c->gpu->error;
	xc_picture p;
	xc_status s = xc_cuda_encode_queue_next(c->queue, &p);

	if (s)
		return s;
	s = m->copy_rows(c->gpu->gpu, p.data, p.stride,
	                 (char *)b->frames + i % b->frame_count * b->frame_bytes, b->stride,
	                 (size_t)b->width * 3, b->height, NULL, e);
	s = s ? s : m->synchronize(c->gpu->gpu, NULL, e);
	s = xc_cuda_check(c->gpu, s);
	return s ? s : xc_cuda_encode_queue_submit(c->queue);
}

static xc_status one_more(encoding *c)
{
	const void *file;
	size_t size = 0;
	xc_status s = xc_cuda_encode_queue_collect(c->queue, &file, &size);

	if (s)
		return s;
	c->flow.pictures++;
	c->flow.up += (double)c->b->width * c->b->height * 3;
	c->flow.down += (double)size;
	return xc_cuda_encode_queue_submit(c->queue);
}

/* Fills the slots and collects the first files, which do not count. */
static xc_status begin_encoding(encoding *c)
{
	const xc_picture p = {.width = c->b->width, .height = c->b->height, .channels = 3, .depth = 8};
	xc_status s = xc_cuda_encode_queue_new(c->gpu, &p, NULL, c->options, c->slots, &c->queue);

	for (uint32_t i = 0; i < c->slots && !s; i++)
		s = fill_slot(c, i);
	for (uint32_t i = 0; i < c->slots && !s; i++)
		s = one_more(c);
	c->flow = (xc_bench_gpu_flow){0, 0, 0, 0};
	return s;
}

static int encode(xc_bench_gpu *b, const xc_encode_options *o)
{
	encoding c = {.b = b, .context = b->context, .gpu = b->gpu, .options = o, .slots = SLOTS};
	xc_status s = begin_encoding(&c);
	const double began = xc_cli_seconds();

	while (c.flow.pictures < QUEUED && !s)
		s = one_more(&c);
	c.flow.seconds = xc_cli_seconds() - began;
	xc_cuda_encode_queue_free(c.queue);
	if (s)
		return xc_bench_gpu_check(b, s, NULL);
	xc_bench_gpu_print_flow(b, "encode", &c.flow);
	return 0;
}

typedef struct decoding {
	xc_bench_gpu *b;
	xc_bench_gpu_files files;
	xc_cuda_decode_queue *queue;
	xc_bench_gpu_flow flow;
} decoding;

static xc_status decode_one_more(decoding *d)
{
	const xc_bench_gpu *b = d->b;
	xc_picture p;
	xc_status s = xc_cuda_decode_queue_collect(d->queue, &p, NULL);

	if (s)
		return s;
	d->flow.up += (double)
	                  d->files.sizes[(uint32_t)d->flow.pictures % DECODE_SLOTS % b->frame_count];
	d->flow.pictures++;
	d->flow.down += (double)b->width * b->height * 3;
	return xc_cuda_decode_queue_submit(d->queue);
}

/* Fills the slots, which keep the files that they got once, and gets the first pictures, which
 * do not count. */
static xc_status begin_decoding(decoding *d)
{
	xc_bench_gpu *b = d->b;
	xc_status s = xc_cuda_decode_queue_new(b->gpu, NULL, DECODE_SLOTS, &d->queue);

	for (uint32_t i = 0; i < DECODE_SLOTS && !s; i++) {
		const uint32_t n = i % b->frame_count;
		void *file;

		s = xc_cuda_decode_queue_next(d->queue, (size_t)d->files.sizes[n], &file);
		if (s)
			return s;
		memcpy(file, (char *)d->files.host + n * d->files.room, (size_t)d->files.sizes[n]);
		s = xc_cuda_decode_queue_submit(d->queue);
	}
	for (uint32_t i = 0; i < DECODE_SLOTS && !s; i++)
		s = decode_one_more(d);
	return s;
}

static xc_status decode_all(decoding *d, uint32_t count)
{
	xc_status s = XC_OK;
	const double began = xc_cli_seconds();

	d->flow = (xc_bench_gpu_flow){0, 0, 0, 0};
	while (d->flow.pictures < count && !s)
		s = decode_one_more(d);
	d->flow.seconds = xc_cli_seconds() - began;
	return s;
}

static int decode(decoding *d)
{
	xc_status s = begin_decoding(d);

	s = s ? s : decode_all(d, QUEUED);
	if (xc_bench_gpu_check(d->b, s, NULL))
		return -1;
	xc_bench_gpu_print_flow(d->b, "decode", &d->flow);
	return 0;
}

static void *encode_meanwhile(void *user)
{
	encoding *c = user;

	c->status = begin_encoding(c);
	pthread_barrier_wait(c->start);
	const double began = xc_cli_seconds();
	while (!c->status && !__atomic_load_n(&c->stop, __ATOMIC_RELAXED))
		c->status = one_more(c);
	c->flow.seconds = xc_cli_seconds() - began;
	return NULL;
}

/* The encoder's thread runs until the decoder is done. */
static int run_both(encoding *c, decoding *d)
{
	pthread_barrier_t start;
	pthread_t thread;

	if (pthread_barrier_init(&start, NULL, 2))
		return xc_cli_error("bench gpu", "out of memory");
	c->start = &start;
	if (pthread_create(&thread, NULL, encode_meanwhile, c)) {
		pthread_barrier_destroy(&start);
		return xc_cli_error("bench gpu", "no thread can be started");
	}
	pthread_barrier_wait(&start);
	xc_status s = decode_all(d, BOTH_QUEUED);
	__atomic_store_n(&c->stop, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	pthread_barrier_destroy(&start);
	if (c->status && !s)
		return xc_cli_error("bench gpu", "%s", xc_context_message(c->context));
	return xc_bench_gpu_check(d->b, s, NULL);
}

static int both(decoding *d, const xc_encode_options *o)
{
	encoding c = {.b = d->b, .options = o, .slots = BOTH_SLOTS};
	int failed = -1;

	c.context = xc_context_new(NULL);
	if (!c.context)
		xc_cli_error("bench gpu", "out of memory");
	else if (xc_cuda_open(c.context, d->b->device.index, &c.gpu))
		xc_cli_error("bench gpu", "%s", xc_context_message(c.context));
	else
		failed = run_both(&c, d);
	xc_cuda_encode_queue_free(c.queue);
	xc_cuda_close(c.gpu);
	xc_context_free(c.context);
	if (!failed)
		xc_bench_gpu_print_both(d->b, &c.flow, &d->flow);
	return failed;
}

int xc_bench_gpu_host(xc_bench_gpu *b, const xc_encode_options *o)
{
	decoding d = {.b = b};
	xc_gpu_error e = {XC_OK, ""};
	const xc_status s = xc_bench_gpu_files_make(b, o, &d.files, &e);
	const int failed = xc_bench_gpu_check(b, s, &e) || encode(b, o) || decode(&d) || both(&d, o);

	xc_cuda_decode_queue_free(d.queue);
	xc_bench_gpu_files_free(b, &d.files);
	return failed ? -1 : 0;
}
