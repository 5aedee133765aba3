/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Encoding from host to host with several pictures in flight.  Each slot has a stream, on
 * which the upload, the kernels and the download of its picture follow each other; the
 * GPU overlaps the slots.  How long a file is is known only when the kernels are done,
 * so the download takes as much as the last files suggest, and collect() fetches what is
 * missing.
 */
#include "src/cuda/encode.h"
#include "src/encode/plan.h"
#include "src/core/picture.h"

typedef struct slot {
	void *stream, *done;
	void *pinned, *pixels; /* the picture, on the host and on the device */
	void *file, *result;   /* likewise */
	uint64_t *size;        /* pinned */
	void *scratch;
	size_t fetched;
} slot;

struct xc_cuda_encode_queue {
	xc_cuda *gpu;
	xc_cuda_encoder *encoder;
	xc_picture shape;
	size_t stride, bytes, capacity;
	size_t guess; /* bytes of a file */
	slot *slots;
	uint32_t count, first, in_flight;
};

static void *take(xc_cuda_encode_queue *q, xc_gpu_memory kind, size_t size, xc_status *s,
                  xc_gpu_error *e)
{
	void *memory = NULL;
	if (!*s)
		*s = q->gpu->module->allocate(q->gpu->gpu, kind, size, &memory, e);
	return memory;
}

static xc_status set_up_slot(xc_cuda_encode_queue *q, slot *t)
{
	const xc_gpu_module *m = q->gpu->module;
	xc_gpu_error e = {XC_OK, ""};
	xc_status s = m->stream_new(q->gpu->gpu, &t->stream, &e);
	if (!s)
		s = m->event_new(q->gpu->gpu, &t->done, &e);
	t->pinned = take(q, XC_GPU_PINNED_MEMORY, q->bytes, &s, &e);
	t->pixels = take(q, XC_GPU_DEVICE_MEMORY, q->bytes, &s, &e);
	t->file = take(q, XC_GPU_DEVICE_MEMORY, q->capacity, &s, &e);
	t->result = take(q, XC_GPU_PINNED_MEMORY, q->capacity, &s, &e);
	t->size = take(q, XC_GPU_PINNED_MEMORY, sizeof *t->size, &s, &e);
	t->scratch = take(q, XC_GPU_DEVICE_MEMORY, xc_cuda_encoder_scratch(q->encoder, 1, q->capacity),
	                  &s, &e);
	return xc_cuda_status(q->gpu->context, s, &e);
}

static void free_slot(xc_cuda_encode_queue *q, slot *t)
{
	const xc_gpu_module *m = q->gpu->module;
	xc_gpu_error e;
	if (t->stream)
		(void)m->synchronize(q->gpu->gpu, t->stream, &e);
	m->release(q->gpu->gpu, t->pinned);
	m->release(q->gpu->gpu, t->pixels);
	m->release(q->gpu->gpu, t->file);
	m->release(q->gpu->gpu, t->result);
	m->release(q->gpu->gpu, t->size);
	m->release(q->gpu->gpu, t->scratch);
	m->event_free(q->gpu->gpu, t->done);
	m->stream_free(q->gpu->gpu, t->stream);
}

static xc_status set_up(xc_cuda_encode_queue *q, const xc_picture *shape, const xc_metadata *m,
                        const xc_encode_options *o, uint32_t slots)
{
	xc_context *c = q->gpu->context;
	q->shape = *shape;
	/* Rows that begin at multiples of 16 bytes are what the kernels like best. */
	q->stride = ((size_t)shape->width * xc_picture_pixel_bytes(shape) + 15) / 16 * 16;
	q->bytes = q->stride * shape->height;
	q->capacity = q->bytes + 65536;
	q->guess = q->bytes / 8 + 4096;
	xc_status s = xc_cuda_encoder_make(q->gpu, shape, m, o, 1, &q->encoder);
	if (s)
		return s;
	if (xc_cuda_encoder_bound(q->encoder) < q->capacity)
		q->capacity = xc_cuda_encoder_bound(q->encoder);
	q->slots = xc_allocate_zeroed(c, slots * sizeof *q->slots);
	if (!q->slots)
		return xc_fail_memory(c, slots * sizeof *q->slots);
	for (q->count = 0; q->count < slots && !s;)
		s = set_up_slot(q, &q->slots[q->count++]);
	return s;
}

xc_status xc_cuda_encode_queue_new(xc_cuda *gpu, const xc_picture *shape, const xc_metadata *m,
                                   const xc_encode_options *options, uint32_t slots,
                                   xc_cuda_encode_queue **queue)
{
	xc_context *c = gpu->context;
	xc_encode_options o;
	xc_begin(c);
	if (!queue)
		return xc_fail(c, XC_ERR_ARGUMENT, "no place for the result");
	*queue = NULL;
	if (slots < 1 || slots > 64)
		return xc_fail(c, XC_ERR_ARGUMENT, "%u slots, not 1 to 64", slots);
	xc_status s = xc_picture_check(c, shape);
	if (!s)
		s = xc_encode_take_options(c, options, m, &o);
	if (!s && shape->channels % 2 == 0)
		s = xc_fail(c, XC_ERR_UNSUPPORTED, "alpha is compressed on the host");
	if (s)
		return s;
	xc_cuda_encode_queue *q = xc_allocate_zeroed(c, sizeof *q);
	if (!q)
		return xc_fail_memory(c, sizeof *q);
	q->gpu = gpu;
	s = set_up(q, shape, m, &o, slots);
	if (s)
		xc_cuda_encode_queue_free(q);
	else
		*queue = q;
	return s;
}

void xc_cuda_encode_queue_free(xc_cuda_encode_queue *q)
{
	if (!q)
		return;
	for (uint32_t i = 0; i < q->count; i++)
		free_slot(q, &q->slots[i]);
	xc_cuda_encoder_free(q->encoder);
	xc_release(q->gpu->context, q->slots);
	xc_release(q->gpu->context, q);
}

static slot *free_slot_next(const xc_cuda_encode_queue *q)
{
	return &q->slots[(q->first + q->in_flight) % q->count];
}

xc_status xc_cuda_encode_queue_next(xc_cuda_encode_queue *q, xc_picture *picture)
{
	xc_context *c = q->gpu->context;
	xc_begin(c);
	if (!picture)
		return xc_fail(c, XC_ERR_ARGUMENT, "no place for the result");
	*picture = (xc_picture){0};
	if (q->in_flight == q->count)
		return xc_fail(c, XC_ERR_ARGUMENT, "all %u pictures are in flight", q->count);
	*picture = q->shape;
	picture->stride = q->stride;
	picture->data = free_slot_next(q)->pinned;
	return XC_OK;
}

xc_status xc_cuda_encode_queue_submit(xc_cuda_encode_queue *q)
{
	const xc_gpu_module *m = q->gpu->module;
	xc_gpu *gpu = q->gpu->gpu;
	xc_context *c = q->gpu->context;
	xc_gpu_error e = {XC_OK, ""};
	xc_begin(c);
	if (q->in_flight == q->count)
		return xc_fail(c, XC_ERR_ARGUMENT, "all %u pictures are in flight", q->count);
	slot *t = free_slot_next(q);
	const xc_cuda_pictures in = {t->pixels, q->stride, 0, 1};
	const xc_cuda_files out = {t->file, q->capacity, t->size};
	t->fetched = q->guess < q->capacity ? q->guess : q->capacity;
	xc_status s = m->copy(gpu, t->pixels, t->pinned, q->bytes, t->stream, &e);
	if (!s)
		s = m->encode->run(q->encoder->encoder, &in, &out, t->scratch, t->stream, NULL, &e);
	if (!s)
		s = m->copy(gpu, t->result, t->file, t->fetched, t->stream, &e);
	if (!s)
		s = m->event_record(gpu, t->done, t->stream, &e);
	if (!s)
		q->in_flight++;
	return xc_cuda_status(c, s, &e);
}

/* What the guess has left out. */
static xc_status fetch_rest(xc_cuda_encode_queue *q, slot *t, size_t size, xc_gpu_error *e)
{
	const xc_gpu_module *m = q->gpu->module;
	xc_status s = XC_OK;
	if (size > t->fetched)
		s = m->copy(q->gpu->gpu, (char *)t->result + t->fetched, (char *)t->file + t->fetched,
		            size - t->fetched, t->stream, e);
	if (!s && size > t->fetched)
		s = m->synchronize(q->gpu->gpu, t->stream, e);
	q->guess = size + size / 8 + 4096;
	return s;
}

xc_status xc_cuda_encode_queue_collect(xc_cuda_encode_queue *q, const void **file, size_t *size)
{
	xc_context *c = q->gpu->context;
	xc_gpu_error e = {XC_OK, ""};
	xc_begin(c);
	if (!file || !size)
		return xc_fail(c, XC_ERR_ARGUMENT, "no place for the result");
	*file = NULL;
	*size = 0;
	if (!q->in_flight)
		return xc_fail(c, XC_ERR_ARGUMENT, "nothing is in flight");
	slot *t = &q->slots[q->first];
	xc_status s = q->gpu->module->event_wait(q->gpu->gpu, t->done, &e);
	if (!s && *t->size <= q->capacity)
		s = fetch_rest(q, t, (size_t)*t->size, &e);
	q->first = (q->first + 1) % q->count;
	q->in_flight--;
	if (s)
		return xc_cuda_status(c, s, &e);
	if (*t->size > q->capacity)
		return xc_fail(c, XC_ERR_LIMIT, "a file of %llu bytes, larger than the picture",
		               (unsigned long long)*t->size);
	*file = t->result;
	*size = (size_t)*t->size;
	return XC_OK;
}
