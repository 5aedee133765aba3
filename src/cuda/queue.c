/* SPDX-License-Identifier: BSD-2-Clause */
/* Queues from host to host. Each slot has a stream, on which the upload, the kernels and the
 * download of its picture follow each other, and the GPU overlaps the slots. Slots for encoding
 * small pictures share a stream in batches, because to launch kernels takes longer than to
 * encode so few pixels. */
#include "src/core/floats.h"
#include "src/core/picture.h"
#include "src/cuda/decoder.h"
#include "src/cuda/encoder.h"
#include "src/encode/plan.h"

enum { MAX_SLOTS = 64 };

/* Which of `count` slots work: those from `first` on, `in_flight` of them. */
typedef struct ring {
	xc_cuda *gpu;
	uint32_t count, first, in_flight;
} ring;

static xc_status check_new(xc_context *c, const void *queue, uint32_t slots)
{
	if (!queue)
		return xc_fail(c, XC_ERR_ARGUMENT, "no place for the result");
	if (slots < 1 || slots > MAX_SLOTS)
		return xc_fail(c, XC_ERR_ARGUMENT, "%u slots, not 1 to %d", slots, MAX_SLOTS);
	return XC_OK;
}

/* The slot that is free next. */
static xc_status begin_next(const ring *r, uint32_t *slot)
{
	xc_begin(r->gpu->context);
	*slot = (r->first + r->in_flight) % r->count;
	if (r->in_flight < r->count)
		return XC_OK;
	return xc_fail(r->gpu->context, XC_ERR_ARGUMENT, "all %u pictures are in flight", r->count);
}

/* The slot that has worked longest, which becomes free. */
static xc_status begin_collect(ring *r, const void *result, uint32_t *slot)
{
	xc_begin(r->gpu->context);
	if (!result)
		return xc_fail(r->gpu->context, XC_ERR_ARGUMENT, "no place for the result");
	if (!r->in_flight)
		return xc_fail(r->gpu->context, XC_ERR_ARGUMENT, "nothing is in flight");
	*slot = r->first;
	r->first = (r->first + 1) % r->count;
	r->in_flight--;
	return XC_OK;
}

/* ------------------------------------------------------------ encoding */

/* Pixels of a batch, and the minimum of batches in a queue: batches are smaller if there would be
 * fewer. */
enum { BATCH_PIXELS = 1 << 22, MIN_BATCHES = 4 };

typedef enum encode_state { IDLE, SUBMITTED, STARTED } encode_state;

/* A picture and its file, which lie in the batch's memory if they fit there, else in the slot's own. A file's
 * size is known only when the kernels are done, so the download takes the size that the last files suggest,
 * and collect() fetches the rest. */
typedef struct encode_slot {
	encode_state state; /* started ones may have ended */
	xc_picture shape;
	int other; /* it is not of the queue's shape: */
	const xc_metadata *metadata;
	xc_encode_options options;
	char *pinned, *pixels, *result,
		*file;              /* the picture and the file, on the host and on the device */
	size_t bytes, capacity; /* of the picture; room for the file */
	size_t fetched;
	xc_cuda_memory own[4]; /* the same four */
} encode_slot;

/* Neighbouring slots, whose pictures and files lie one after the other. */
typedef struct encode_batch {
	void *stream;
	xc_cuda_memory pinned, pixels, result,
		file;                     /* of all slots, for pictures of the queue's shape */
	xc_cuda_memory size, scratch; /* pinned; device */
} encode_batch;

struct xc_cuda_encode_queue {
	ring ring;
	xc_cuda_encoder *encoder;
	xc_picture shape;          /* of the pictures that next() gives; width 0: none */
	xc_encode_options options; /* of the others, unless they have their own */
	size_t bytes, capacity;
	size_t guess;   /* bytes of a file */
	uint32_t batch; /* slots of a batch; the last one may have fewer */
	encode_slot slots[MAX_SLOTS];
	encode_batch batches[MAX_SLOTS];
};

static xc_status set_up_batch(const xc_cuda_encode_queue *q, encode_batch *g)
{
	xc_cuda *gpu = q->ring.gpu;
	const xc_gpu_module *m = gpu->module;
	const struct {
		xc_gpu_memory kind;
		size_t size;
		xc_cuda_memory *memory;
	} all[] = {
		{XC_GPU_PINNED_MEMORY, q->batch * sizeof(uint64_t), &g->size},
		{XC_GPU_PINNED_MEMORY, q->batch * q->bytes, &g->pinned},
		{XC_GPU_DEVICE_MEMORY, q->batch * q->bytes, &g->pixels},
		{XC_GPU_DEVICE_MEMORY, q->batch * q->capacity, &g->file},
		{XC_GPU_PINNED_MEMORY, q->batch * q->capacity, &g->result},
	};
	xc_status s = xc_cuda_check(gpu, m->stream_new(gpu->gpu, &g->stream, &gpu->error));

	for (size_t i = 0; i < (q->bytes ? sizeof all / sizeof *all : 1) && !s; i++)
		s = xc_cuda_need(gpu, all[i].kind, all[i].size, all[i].memory);
	return s;
}

static void free_batch(xc_cuda *gpu, encode_batch *g)
{
	xc_cuda_memory *const all[] = {&g->pinned, &g->pixels, &g->result,
	                               &g->file,   &g->size,   &g->scratch};

	if (g->stream)
		xc_cuda_sync_stream(gpu, g->stream);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		xc_cuda_drop(gpu, all[i]);
	gpu->module->stream_free(gpu->gpu, g->stream);
}

/* Slots of a batch. Without a shape of the queue's it is started by the pixels that have been submitted. */
static uint32_t batch_size(const xc_picture *shape, uint32_t slots)
{
	const uint64_t pixels = (uint64_t)shape->width * shape->height;
	const uint64_t max = slots / MIN_BATCHES, wanted = pixels ? BATCH_PIXELS / pixels : max;
	const uint64_t size = wanted < max ? wanted : max;

	return size ? (uint32_t)size : 1;
}

static xc_status set_up(xc_cuda_encode_queue *q, const xc_picture *shape, const xc_metadata *m,
                        const xc_encode_options *o, uint32_t slots)
{
	if (shape) {
		q->shape = *shape;
		xc_cuda_encoder_lay_out(&q->shape, &q->bytes, &q->capacity);
	}
	q->guess = q->bytes / 8 + 4096;
	q->batch = batch_size(&q->shape, slots);
	xc_status s = xc_cuda_encoder_make(q->ring.gpu, q->batch, &q->encoder);
	/* What cannot be encoded is refused at once. */
	if (!s && shape)
		s = xc_cuda_encoder_set(q->encoder, shape, NULL, m, o);
	if (!s && shape)
		s = xc_cuda_encoder_keep(q->encoder);
	if (!s && shape && xc_cuda_encoder_bound(q->encoder) < q->capacity)
		q->capacity = (xc_cuda_encoder_bound(q->encoder) + 255) / 256 * 256;
	q->ring.count = s ? 0 : slots;
	for (uint32_t i = 0; i < slots && !s; i += q->batch)
		s = set_up_batch(q, &q->batches[i / q->batch]);
	return s;
}

xc_status xc_cuda_encode_queue_new(xc_cuda *gpu, const xc_picture *shape, const xc_metadata *m,
                                   const xc_encode_options *options, uint32_t slots,
                                   xc_cuda_encode_queue **queue)
{
	XC_DEFAULT_FLOATS;
	xc_encode_options o;

	if (queue)
		*queue = NULL;
	if (!gpu)
		return XC_ERR_ARGUMENT;
	xc_context *c = gpu->context;
	xc_begin(c);
	xc_status s = check_new(c, queue, slots);
	if (!s && shape)
		s = xc_cuda_encoder_take(c, shape, m, options, &o);
	else if (!s)
		s = xc_encode_take_options(c, options, m, &o);
	if (s)
		return s;
	xc_cuda_encode_queue *q = xc_allocate_zeroed(c, sizeof *q);
	if (!q)
		return xc_fail_memory(c, sizeof *q);
	q->ring.gpu = gpu;
	s = xc_encode_take_options(c, options, NULL, &q->options);
	if (!s)
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
	for (uint32_t i = 0; i < q->ring.count; i += q->batch)
		free_batch(q->ring.gpu, &q->batches[i / q->batch]);
	for (uint32_t i = 0; i < q->ring.count; i++)
		for (int k = 0; k < 4; k++)
			xc_cuda_drop(q->ring.gpu, &q->slots[i].own[k]);
	xc_cuda_encoder_free(q->encoder);
	xc_release(q->ring.gpu->context, q);
}

/* Where the picture and the file of a slot go: the batch's memory, or the slot's own. */
static xc_status place(xc_cuda_encode_queue *q, uint32_t i)
{
	encode_slot *t = &q->slots[i];
	const encode_batch *g = &q->batches[i / q->batch];
	const size_t n = i % q->batch;
	xc_status s = XC_OK;

	if (t->bytes <= q->bytes && t->capacity <= q->capacity) {
		t->pinned = (char *)g->pinned.data + n * q->bytes;
		t->pixels = (char *)g->pixels.data + n * q->bytes;
		t->result = (char *)g->result.data + n * q->capacity;
		t->file = (char *)g->file.data + n * q->capacity;
		return XC_OK;
	}
	for (int k = 0; k < 4 && !s; k++)
		s = xc_cuda_need(q->ring.gpu, k % 2 ? XC_GPU_DEVICE_MEMORY : XC_GPU_PINNED_MEMORY,
		                 k < 2 ? t->bytes : t->capacity, &t->own[k]);
	t->pinned = t->own[0].data;
	t->pixels = t->own[1].data;
	t->result = t->own[2].data;
	t->file = t->own[3].data;
	return s;
}

/* Prepares the slot that is free next for a picture. */
static xc_status prepare(xc_cuda_encode_queue *q, uint32_t i, const xc_picture *shape,
                         xc_picture *picture)
{
	encode_slot *t = &q->slots[i];

	t->shape = *shape;
	xc_cuda_encoder_lay_out(&t->shape, &t->bytes, &t->capacity);
	t->other = shape != &q->shape;
	if (!t->other)
		t->capacity = q->capacity;
	const xc_status s = place(q, i);
	t->shape.data = s ? NULL : t->pixels;
	if (s) {
		t->shape.width = 0;
		return s;
	}
	*picture = t->shape;
	picture->data = t->pinned;
	return XC_OK;
}

xc_status xc_cuda_encode_queue_next(xc_cuda_encode_queue *q, xc_picture *picture)
{
	uint32_t i = 0;

	if (picture)
		*picture = (xc_picture){0};
	if (!q)
		return XC_ERR_ARGUMENT;
	xc_context *c = q->ring.gpu->context;
	xc_status s = begin_next(&q->ring, &i);
	if (!picture)
		return xc_fail(c, XC_ERR_ARGUMENT, "no place for the result");
	if (!s && !q->shape.width)
		s = xc_fail(c, XC_ERR_ARGUMENT, "the queue has no shape of its own");
	return s ? s : prepare(q, i, &q->shape, picture);
}

xc_status xc_cuda_encode_queue_next_shape(xc_cuda_encode_queue *q, const xc_picture *shape,
                                          const xc_metadata *m, const xc_encode_options *options,
                                          xc_picture *picture)
{
	xc_encode_options o;
	uint32_t i = 0;

	if (picture)
		*picture = (xc_picture){0};
	if (!q)
		return XC_ERR_ARGUMENT;
	xc_context *c = q->ring.gpu->context;
	xc_status s = begin_next(&q->ring, &i);
	if (!s && (!shape || !picture))
		s = xc_fail(c, XC_ERR_ARGUMENT, "no shape, or no place for the result");
	if (!s)
		s = xc_cuda_encoder_take(c, shape, m, options ? options : &q->options, &o);
	if (!s)
		s = xc_cuda_encoder_check(c, shape, NULL, &o);
	if (!s)
		s = prepare(q, i, shape, picture);
	if (s)
		return s;
	q->slots[i].metadata = m;
	q->slots[i].options = o;
	return XC_OK;
}

/* The slots of a batch, as numbers of the queue's. */
typedef struct span {
	uint32_t first, end;
} span;

static span slots_of(const xc_cuda_encode_queue *q, uint32_t batch)
{
	const uint32_t first = batch * q->batch, end = first + q->batch;
	return (span){first, end < q->ring.count ? end : q->ring.count};
}

/* Uploads pictures of slots, as few copies as possible. */
static xc_status upload(xc_cuda_encode_queue *q, span of, void *stream)
{
	xc_cuda *gpu = q->ring.gpu;
	xc_status s = XC_OK;

	for (uint32_t i = of.first, end; i < of.end && !s; i = end) {
		const encode_slot *first = &q->slots[i];
		size_t size = first->bytes;
		for (end = i + 1; end < of.end; end++) {
			const encode_slot *t = &q->slots[end];
			if (t->pinned != first->pinned + size || t->pixels != first->pixels + size)
				break;
			size += t->bytes;
		}
		s = gpu->module->copy(gpu->gpu, first->pixels, first->pinned, size, stream, &gpu->error);
	}
	return xc_cuda_check(gpu, s);
}

/* Encodes the pictures of slots, and downloads as much of the files as they are guessed to have. */
static xc_status encode(xc_cuda_encode_queue *q, span of, encode_batch *g)
{
	xc_cuda *gpu = q->ring.gpu;
	xc_status s = XC_OK;

	xc_cuda_encoder_begin(q->encoder);
	for (uint32_t i = of.first; i < of.end && !s; i++) {
		const encode_slot *t = &q->slots[i];
		s = xc_cuda_encoder_add(q->encoder, &t->shape, t->metadata, t->other ? &t->options : NULL,
		                        t->file, t->capacity, (uint64_t *)g->size.data + i % q->batch);
	}
	if (!s)
		s = xc_cuda_encoder_run(q->encoder, NULL, &g->scratch, g->stream, NULL);
	for (uint32_t i = of.first; i < of.end && !s; i++) {
		encode_slot *t = &q->slots[i];
		t->fetched = q->guess < t->capacity ? q->guess : t->capacity;
		s = xc_cuda_check(gpu, gpu->module->copy(gpu->gpu, t->result, t->file, t->fetched,
		                                         g->stream, &gpu->error));
	}
	return s;
}

/* Starts the work on all pictures of a batch that have been submitted since it was started last. */
static xc_status start_batch(xc_cuda_encode_queue *q, uint32_t batch)
{
	encode_batch *g = &q->batches[batch];
	span of = slots_of(q, batch);

	while (of.first < of.end && q->slots[of.first].state != SUBMITTED)
		of.first++;
	for (uint32_t i = of.first; i < of.end; i++)
		if (q->slots[i].state != SUBMITTED)
			of.end = i;
	if (of.first == of.end)
		return XC_OK;
	xc_status s = upload(q, of, g->stream);
	if (!s)
		s = encode(q, of, g);
	for (uint32_t i = of.first; i < of.end; i++)
		q->slots[i].state = s ? SUBMITTED : STARTED;
	return s;
}

/* Pixels that a batch has been given and not begun with. */
static uint64_t submitted_pixels(const xc_cuda_encode_queue *q, uint32_t batch)
{
	const span of = slots_of(q, batch);
	uint64_t n = 0;

	for (uint32_t i = of.first; i < of.end; i++)
		if (q->slots[i].state == SUBMITTED)
			n += (uint64_t)q->slots[i].shape.width * q->slots[i].shape.height;
	return n;
}

xc_status xc_cuda_encode_queue_submit(xc_cuda_encode_queue *q)
{
	XC_DEFAULT_FLOATS;
	if (!q)
		return XC_ERR_ARGUMENT;
	uint32_t i = 0;
	xc_status s = begin_next(&q->ring, &i);
	if (!s && !q->slots[i].shape.width)
		s = xc_fail(q->ring.gpu->context, XC_ERR_ARGUMENT, "no picture given");
	if (s)
		return s;
	q->slots[i].state = SUBMITTED;
	if (i + 1 == slots_of(q, i / q->batch).end || submitted_pixels(q, i / q->batch) >= BATCH_PIXELS)
		s = start_batch(q, i / q->batch);
	if (s)
		q->slots[i].state = IDLE;
	else
		q->ring.in_flight++;
	return s;
}

/* What the guess has left out of slot i, whose file has `size` bytes. */
static xc_status fetch_rest(xc_cuda_encode_queue *q, uint32_t i, size_t size)
{
	xc_cuda *gpu = q->ring.gpu;
	const xc_gpu_module *m = gpu->module;
	const encode_batch *g = &q->batches[i / q->batch];
	const encode_slot *t = &q->slots[i];
	xc_status s = XC_OK;

	if (size > t->fetched)
		s = m->copy(gpu->gpu, t->result + t->fetched, t->file + t->fetched, size - t->fetched,
		            g->stream, &gpu->error);
	if (!s && size > t->fetched)
		s = m->synchronize(gpu->gpu, g->stream, &gpu->error);
	q->guess = xc_cuda_fetched_at_once(size);
	return s;
}

xc_status xc_cuda_encode_queue_collect(xc_cuda_encode_queue *q, const void **file, size_t *size)
{
	XC_DEFAULT_FLOATS;
	uint32_t i = 0;

	if (file)
		*file = NULL;
	if (size)
		*size = 0;
	if (!q)
		return XC_ERR_ARGUMENT;
	xc_cuda *gpu = q->ring.gpu;
	xc_status s = begin_collect(&q->ring, size ? file : NULL, &i);
	if (!s && q->slots[i].state == SUBMITTED)
		s = start_batch(q, i / q->batch);
	if (s)
		return s;
	encode_slot *t = &q->slots[i];
	const encode_batch *g = &q->batches[i / q->batch];
	const uint64_t *told = (const uint64_t *)g->size.data + i % q->batch;
	s = gpu->module->synchronize(gpu->gpu, g->stream, &gpu->error);
	if (!s && *told <= t->capacity)
		s = fetch_rest(q, i, (size_t)*told);
	t->state = IDLE;
	if (s)
		return xc_cuda_check(gpu, s);
	if (*told > t->capacity)
		return xc_fail(gpu->context, XC_ERR_LIMIT, "a file of %llu bytes, larger than the picture",
		               (unsigned long long)*told);
	*file = t->result;
	*size = (size_t)*told;
	return XC_OK;
}

/* ------------------------------------------------------------ decoding */

typedef struct decode_slot {
	xc_cuda_memory pinned; /* the file */
	size_t size;
	xc_container container; /* of the file */
	xc_cuda_transfer transfer;
} decode_slot;

struct xc_cuda_decode_queue {
	ring ring;
	int truncated; /* files may be */
	decode_slot *slots;
};

static xc_status set_up_decoders(xc_cuda_decode_queue *q, const xc_decode_options *o,
                                 uint32_t slots)
{
	xc_cuda *gpu = q->ring.gpu;
	xc_status s = XC_OK;

	q->truncated = o && o->keep_going;
	q->slots = xc_allocate_zeroed(gpu->context, slots * sizeof *q->slots);
	if (!q->slots)
		return xc_fail_memory(gpu->context, slots * sizeof *q->slots);
	while (q->ring.count < slots && !s) {
		xc_cuda_transfer *t = &q->slots[q->ring.count++].transfer;
		t->gpu = gpu;
		s = xc_cuda_decoder_make(gpu, o, 1, &t->decoder);
		if (!s)
			s = xc_cuda_check(gpu, gpu->module->stream_new(gpu->gpu, &t->stream, &gpu->error));
	}
	return s;
}

xc_status xc_cuda_decode_queue_new(xc_cuda *gpu, const xc_decode_options *options, uint32_t slots,
                                   xc_cuda_decode_queue **queue)
{
	XC_DEFAULT_FLOATS;
	if (queue)
		*queue = NULL;
	if (!gpu)
		return XC_ERR_ARGUMENT;
	xc_context *c = gpu->context;
	xc_begin(c);
	xc_status s = check_new(c, queue, slots);
	if (s)
		return s;
	xc_cuda_decode_queue *q = xc_allocate_zeroed(c, sizeof *q);
	if (!q)
		return xc_fail_memory(c, sizeof *q);
	q->ring.gpu = gpu;
	s = set_up_decoders(q, options, slots);
	if (s)
		xc_cuda_decode_queue_free(q);
	else
		*queue = q;
	return s;
}

void xc_cuda_decode_queue_free(xc_cuda_decode_queue *q)
{
	if (!q)
		return;
	for (uint32_t i = 0; i < q->ring.count; i++) {
		xc_cuda_transfer_free(&q->slots[i].transfer);
		xc_container_close(q->ring.gpu->context, &q->slots[i].container);
		xc_cuda_drop(q->ring.gpu, &q->slots[i].pinned);
	}
	xc_release(q->ring.gpu->context, q->slots);
	xc_release(q->ring.gpu->context, q);
}

xc_status xc_cuda_decode_queue_next(xc_cuda_decode_queue *q, size_t size, void **file)
{
	uint32_t i = 0;

	if (file)
		*file = NULL;
	if (!q)
		return XC_ERR_ARGUMENT;
	xc_status s = begin_next(&q->ring, &i);
	if (!file)
		return xc_fail(q->ring.gpu->context, XC_ERR_ARGUMENT, "no place for the result");
	if (!s)
		s = xc_cuda_need(q->ring.gpu, XC_GPU_PINNED_MEMORY, size, &q->slots[i].pinned);
	if (s)
		return s;
	q->slots[i].size = size;
	*file = q->slots[i].pinned.data;
	return XC_OK;
}

xc_status xc_cuda_decode_queue_submit(xc_cuda_decode_queue *q)
{
	XC_DEFAULT_FLOATS;
	if (!q)
		return XC_ERR_ARGUMENT;
	xc_context *c = q->ring.gpu->context;
	uint32_t i = 0;
	xc_status s = begin_next(&q->ring, &i);
	if (s)
		return s;
	decode_slot *t = &q->slots[i];
	if (!t->pinned.data)
		return xc_fail(c, XC_ERR_ARGUMENT, "no file given");
	xc_container_close(c, &t->container);
	s = xc_cuda_read_file(c, t->pinned.data, t->size, q->truncated, &t->container);
	if (!s)
		s = xc_cuda_transfer_start(&t->transfer, &t->container, NULL, NULL);
	if (!s)
		q->ring.in_flight++;
	return s;
}

xc_status xc_cuda_decode_queue_collect(xc_cuda_decode_queue *q, xc_picture *picture,
                                       uint64_t *damaged_segments)
{
	XC_DEFAULT_FLOATS;
	uint32_t i = 0;

	if (picture)
		*picture = (xc_picture){0};
	if (!q)
		return XC_ERR_ARGUMENT;
	xc_status s = begin_collect(&q->ring, picture, &i);
	if (s)
		return s;
	xc_cuda_transfer *t = &q->slots[i].transfer;
	s = xc_cuda_transfer_finish(t);
	if (damaged_segments)
		*damaged_segments = t->file.damaged_segments;
	if (s)
		return s;
	*picture = t->file.picture;
	picture->data = t->to;
	return XC_OK;
}
