/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decoding on a GPU from host memory to host memory: a few pictures are under way at the
 * same time, each on a stream of its own, so that copies to and from the GPU and its
 * kernels overlap.
 */
#include <string.h>

#include "src/container/container.h"
#include "src/cuda/decode.h"
#include "src/cuda/module.h"
#include "src/core/picture.h"

/* The bus serves streams in turn: as many slots as another user of it has streams get a fair
 * share.  FEW are enough for one direction; more than those have LARGE bytes of pixels at
 * most under way. */
enum { SLOTS = 8, FEW = 4 };
#define LARGE (UINT64_C(1) << 30)

/* A picture under way. */
typedef struct slot {
	xc_cuda_decode *target; /* NULL: none */
	int allocated;          /* its pixels, by this call */
	uint64_t bytes;         /* counted in host_decoder.bytes */
	int direct;             /* the GPU copies the pixels to where they belong */
	xc_cuda_decode work;    /* the same with pixels in the GPU's memory */
	xc_cuda_decoding *decoding;
	void *stream, *pixels, *file, *staging;
	xc_status failed; /* to begin with; the message is */
	char message[XC_MESSAGE_BYTES];
} slot;

typedef struct host_decoder {
	xc_cuda *gpu;
	xc_decode_options options;
	const xc_container *given; /* see xc_cuda_decode_start() */
	slot slots[SLOTS];
	uint64_t bytes;   /* of pixels under way */
	xc_status status; /* of the first picture that failed */
	char message[XC_MESSAGE_BYTES];
} host_decoder;

static void note(host_decoder *d, xc_cuda_decode *w, xc_status s)
{
	w->status = s;
	if (s && !d->status) {
		d->status = s;
		memcpy(d->message, d->gpu->context->message, sizeof d->message);
	}
}

static size_t row_bytes(const xc_picture *p)
{
	return (size_t)p->width * xc_picture_pixel_bytes(p);
}

static int is_pinned(const host_decoder *d, const void *memory)
{
	return d->gpu->module->decode->pinned(d->gpu->gpu, memory);
}

static xc_status allocate(const host_decoder *d, xc_gpu_memory kind, size_t size, void **memory)
{
	xc_gpu_error e = {XC_OK, ""};
	return xc_cuda_status(d->gpu->context,
	                      d->gpu->module->allocate(d->gpu->gpu, kind, size, memory, &e), &e);
}

static void release(const host_decoder *d, void **memory)
{
	d->gpu->module->release(d->gpu->gpu, *memory);
	*memory = NULL;
}

/* Checks the picture that is to be filled, or allocates it. */
static xc_status set_up_picture(host_decoder *d, slot *s)
{
	xc_context *c = d->gpu->context;
	xc_picture *p = &s->target->picture;
	xc_info info;
	xc_status status = XC_OK;
	s->allocated = 0;
	if (d->given) {
		const xc_header *h = &d->given->header;
		info = (xc_info){.width = h->width,
		                 .height = h->height,
		                 .channels = h->channels,
		                 .depth = h->depth};
	} else {
		status = xc_read_info(c, s->target->file, s->target->size, &info);
	}
	if (status == XC_ERR_TRUNCATED && d->options.keep_going && p->data)
		return xc_picture_check_data(c, p);
	if (status || p->data)
		return status ? status : xc_picture_check_data(c, p);
	*p = (xc_picture){info.width, info.height, info.channels, info.depth, 0, NULL};
	status = xc_picture_make(c, p);
	s->allocated = !status;
	return status;
}

static xc_status set_up(host_decoder *d, slot *s)
{
	xc_status status = set_up_picture(d, s);
	if (status)
		return status;
	const xc_picture *p = &s->target->picture;
	const size_t row = row_bytes(p), size = row * p->height;
	s->work = *s->target;
	s->bytes = size;
	d->bytes += size;
	s->direct = is_pinned(d, p->data) && p->stride == row;
	status = allocate(d, XC_GPU_DEVICE_MEMORY, size, &s->pixels);
	if (!status && !s->direct)
		status = allocate(d, XC_GPU_PINNED_MEMORY, size, &s->staging);
	if (!status && !d->given && !is_pinned(d, s->target->file)) {
		status = allocate(d, XC_GPU_PINNED_MEMORY, s->target->size, &s->file);
		if (!status)
			s->work.file = memcpy(s->file, s->target->file, s->target->size);
	}
	s->work.picture.data = s->pixels;
	s->work.picture.stride = row;
	return status;
}

static xc_status launch(host_decoder *d, slot *s)
{
	const xc_gpu_module *m = d->gpu->module;
	xc_gpu_error e = {XC_OK, ""};
	const xc_picture *p = &s->target->picture;
	s->work = (xc_cuda_decode){0};
	xc_status status = set_up(d, s);
	if (!status && !s->stream)
		status = xc_cuda_status(d->gpu->context, m->stream_new(d->gpu->gpu, &s->stream, &e), &e);
	if (!status)
		status = xc_cuda_decode_start(d->gpu, &s->work, 1, d->given, &d->options, NULL, s->stream,
		                              NULL, &s->decoding);
	/* What cannot be decoded is not on the stream; xc_cuda_decode_end() says so. */
	if (!status)
		status = xc_cuda_status(d->gpu->context,
		                        m->copy(d->gpu->gpu, s->direct ? p->data : s->staging, s->pixels,
		                                row_bytes(p) * p->height, s->stream, &e),
		                        &e);
	return status;
}

/* Waits for what the slot has under way and hands it over. */
static void finish(host_decoder *d, slot *s)
{
	xc_context *c = d->gpu->context;
	xc_gpu_error e = {XC_OK, ""};
	if (!s->target)
		return;
	xc_cuda_decode *w = s->target;
	xc_picture *p = &w->picture;
	xc_status status = xc_cuda_decode_finish(s->decoding);
	if (s->failed)
		status = s->failed;
	w->damaged_segments = s->work.damaged_segments;
	if (s->stream) {
		const xc_status synchronized = d->gpu->module->synchronize(d->gpu->gpu, s->stream, &e);
		if (!status)
			status = xc_cuda_status(c, synchronized, &e);
	}
	const size_t row = row_bytes(p);
	for (uint32_t y = 0; !status && !s->direct && y < p->height; y++)
		memcpy((char *)p->data + y * p->stride, (const char *)s->staging + y * row, row);
	if (s->failed)
		memcpy(c->message, s->message, sizeof c->message);
	note(d, w, status);
	if (status && s->allocated)
		xc_picture_free(c, p);
	release(d, &s->pixels);
	release(d, &s->file);
	release(d, &s->staging);
	d->bytes -= s->bytes;
	s->bytes = 0;
	s->decoding = NULL;
	s->target = NULL;
}

static xc_status decode_all(xc_cuda *gpu, xc_cuda_decode *list, size_t count,
                            const xc_container *given, const xc_decode_options *options)
{
	xc_context *c = gpu->context;
	if (count && !list)
		return xc_fail(c, XC_ERR_ARGUMENT, "no pictures to decode");
	if (!gpu->module->decode)
		return xc_fail(c, XC_ERR_UNSUPPORTED, "this CUDA module has no decoder");
	host_decoder *d = xc_allocate_zeroed(c, sizeof *d);
	if (!d)
		return xc_fail_memory(c, sizeof *d);
	d->gpu = gpu;
	d->given = given;
	if (options)
		d->options = *options;
	for (size_t i = 0, first = 0; i < count + SLOTS; i++) {
		slot *s = &d->slots[i % SLOTS];
		/* Picture i - SLOTS is the oldest that may still be under way. */
		first = first + SLOTS < i ? i - SLOTS : first;
		for (; i < count && first + FEW <= i && d->bytes > LARGE; first++)
			finish(d, &d->slots[first % SLOTS]);
		finish(d, s);
		if (i < count) {
			s->target = &list[i];
			s->target->damaged_segments = 0;
			s->failed = launch(d, s);
			memcpy(s->message, c->message, sizeof s->message);
		}
	}
	for (int i = 0; i < SLOTS; i++)
		gpu->module->stream_free(gpu->gpu, d->slots[i].stream);
	const xc_status status = d->status;
	c->message[0] = '\0';
	if (status)
		memcpy(c->message, d->message, sizeof c->message);
	xc_release(c, d);
	return status;
}

xc_status xc_cuda_decode_host(xc_cuda *gpu, xc_cuda_decode *list, size_t count,
                              const xc_decode_options *options)
{
	xc_begin(gpu->context);
	return decode_all(gpu, list, count, NULL, options);
}

xc_status xc_cuda_decode_container(xc_cuda *gpu, const xc_container *container, xc_cuda_decode *one,
                                   const xc_decode_options *options)
{
	return decode_all(gpu, one, 1, container, options);
}
