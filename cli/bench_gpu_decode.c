/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The decoder's part of `xcodec bench gpu`.  The files lie in host and in device memory:
 * the host reads headers and index, the GPU everything else.
 */
#include "bench_gpu.h"

#include "report.h"

#include <src/cuda_decode.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { QUEUED = 64 };

typedef struct decoding {
	xc_bench_gpu *b;
	uint32_t count;
	size_t room;              /* bytes for each file */
	void *device, *host;      /* files, behind each other; the host's are pinned */
	uint64_t *sizes;          /* pinned */
	void *pictures, *pinned;  /* pixels, on the device and on the host */
	xc_cuda_decode list[XC_BENCH_GPU_FRAMES];
	xc_cuda_decoding *under_way;
} decoding;

/* The context's message, for the timing. */
static xc_status tell(const decoding *d, xc_status s, xc_gpu_error *e)
{
	if (s)
		snprintf(e->text, sizeof e->text, "%s", xc_context_message(d->b->context));
	return s;
}

static void list_pictures(decoding *d, uint32_t run, int on_host)
{
	const xc_bench_gpu *b = d->b;

	for (uint32_t i = 0; i < d->count; i++) {
		const uint32_t n = (uint32_t)(((uint64_t)run * d->count + i) % b->frame_count);
		char *pixels = on_host ? (char *)d->pinned + n % 4 * b->frame_bytes
		                       : (char *)d->pictures + n * b->frame_bytes;

		d->list[i] = (xc_cuda_decode){
			.file = (char *)d->host + n * d->room,
			.size = (size_t)d->sizes[n],
			.device_file = on_host ? NULL : (char *)d->device + n * d->room,
			.picture = { b->width, b->height, 3, 8,
			             on_host ? (size_t)b->width * 3 : b->stride, pixels },
		};
	}
}

static xc_status decode_once(void *user, uint32_t run, void **marks, xc_gpu_error *e)
{
	decoding *d = user;

	list_pictures(d, run, 0);
	return tell(d, xc_cuda_decode_marked(d->b->gpu, d->list, d->count, NULL, NULL, marks,
	                                     &d->under_way), e);
}

static xc_status finish(void *user, xc_gpu_error *e)
{
	decoding *d = user;
	const xc_status s = xc_cuda_decode_end(d->under_way);

	d->under_way = NULL;
	return tell(d, s, e);
}

/* Makes the files, a frame after the other. */
static xc_status make_files(decoding *d, const xc_encode_options *o, xc_gpu_error *e)
{
	xc_bench_gpu *b = d->b;
	const xc_gpu_module *m = b->gpu->module;
	const xc_picture p = { .width = b->width, .height = b->height, .channels = 3, .depth = 8 };
	xc_cuda_encoder *encoder = NULL;
	xc_status s = tell(d, xc_cuda_encoder_new(b->gpu, &p, NULL, o, 1, &encoder), e);

	for (uint32_t i = 0; i < b->frame_count && !s; i++) {
		const xc_cuda_pictures in = { (char *)b->frames + i * b->frame_bytes, b->stride, 0, 1 };
		const xc_cuda_files out = { (char *)d->device + i * d->room, d->room, d->sizes + i };

		s = tell(d, xc_cuda_encode(encoder, &in, &out, NULL, NULL), e);
		if (!s)
			s = m->copy(b->gpu->gpu, (char *)d->host + i * d->room, out.data, d->room,
			            NULL, e);
		if (!s)
			s = m->synchronize(b->gpu->gpu, NULL, e);
	}
	xc_cuda_encoder_free(encoder);
	return s;
}

static xc_status set_up(decoding *d, const xc_encode_options *o, xc_gpu_error *e)
{
	xc_bench_gpu *b = d->b;
	const xc_gpu_module *m = b->gpu->module;
	void *sizes = NULL;
	xc_status s;

	d->room = (b->frame_bytes / 2 + 65536 + 255) / 256 * 256;
	s = m->allocate(b->gpu->gpu, XC_GPU_DEVICE_MEMORY, d->room * b->frame_count, &d->device, e);
	if (!s)
		s = m->allocate(b->gpu->gpu, XC_GPU_PINNED_MEMORY, d->room * b->frame_count,
		                &d->host, e);
	if (!s)
		s = m->allocate(b->gpu->gpu, XC_GPU_PINNED_MEMORY, b->frame_count * sizeof *d->sizes,
		                &sizes, e);
	d->sizes = sizes;
	if (!s)
		s = m->allocate(b->gpu->gpu, XC_GPU_DEVICE_MEMORY, b->frame_bytes * b->frame_count,
		                &d->pictures, e);
	if (!s)
		s = m->allocate(b->gpu->gpu, XC_GPU_PINNED_MEMORY, b->frame_bytes * 4, &d->pinned, e);
	return s ? s : make_files(d, o, e);
}

static void tear_down(decoding *d)
{
	const xc_gpu_module *m = d->b->gpu->module;

	m->release(d->b->gpu->gpu, d->device);
	m->release(d->b->gpu->gpu, d->host);
	m->release(d->b->gpu->gpu, d->sizes);
	m->release(d->b->gpu->gpu, d->pictures);
	m->release(d->b->gpu->gpu, d->pinned);
}

static int resident(decoding *d, uint32_t count, const char *coding)
{
	xc_bench_gpu *b = d->b;
	const xc_gpu_decode_ops *ops = b->gpu->module->decode;
	xc_bench_gpu_result r = { .what = "decode", .pictures = count };
	const xc_bench_gpu_work w = { decode_once, finish, d, XC_GPU_DECODE_STAGES, NULL };

	d->count = count;
	snprintf(r.coding, sizeof r.coding, "%s", coding);
	for (int i = 0; i < XC_GPU_DECODE_STAGES; i++)
		r.stage_names[i] = ops->stages[i];
	if (xc_bench_gpu_time(b, &w, &r))
		return -1;
	for (uint32_t i = 0; i < count; i++)
		r.bytes += (double)d->list[i].size + (double)b->width * b->height * 3;
	xc_bench_gpu_print(b, &r);
	return 0;
}

static double now(void)
{
	struct timespec t;

	return clock_gettime(CLOCK_MONOTONIC, &t) ? 0 : (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int host_to_host(decoding *d, const char *coding)
{
	xc_bench_gpu *b = d->b;
	double bytes = 0, began = 0;
	xc_status s = XC_OK;

	d->count = b->frame_count < QUEUED ? b->frame_count : QUEUED;
	for (uint32_t run = 0; run < 3 && !s; run++) {
		if (run == 1)
			began = now();
		list_pictures(d, run, 1);
		s = xc_cuda_decode_host(b->gpu, d->list, d->count, NULL);
		for (uint32_t i = 0; run && i < d->count; i++)
			bytes += (double)d->list[i].size;
	}
	if (xc_bench_gpu_check(b, s, NULL))
		return -1;
	xc_bench_gpu_print_bus(b, "decode", coding, 2.0 * d->count, now() - began, bytes,
	                       (double)b->width * b->height * 3 * 2 * d->count);
	return 0;
}

int xc_bench_gpu_decode(xc_bench_gpu *b)
{
	if (!b->gpu->module->encode || !b->gpu->module->decode)
		return 0;
	for (int i = 0; i < XC_BENCH_GPU_CODINGS; i++) {
		decoding d = { .b = b };
		xc_encode_options o;
		xc_gpu_error e = { XC_OK, "" };
		char name[64];
		int failed;

		xc_bench_gpu_coding(i, &o, name);
		if (o.transform != XC_TRANSFORM_DCT)
			continue; /* not on the GPU yet */
		failed = xc_bench_gpu_check(b, set_up(&d, &o, &e), &e);
		if (!failed)
			failed = resident(&d, 1, name) ||
			         (b->batch > 1 && resident(&d, b->batch, name)) ||
			         host_to_host(&d, name);
		tear_down(&d);
		if (failed)
			return -1;
	}
	return 0;
}
