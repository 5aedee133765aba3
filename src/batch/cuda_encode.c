/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Encoding a batch on a GPU.  The list is cut into portions, and three streams take turns with them: while
 * the threads choose how to code the pictures of one portion and copy them into pinned memory, the GPU encodes
 * those of the two before.  Each stream has an encoder, and memory that grows:
 *
 *	pinned   the pictures of a portion; then the sizes of their files
 *	device   the same pictures, by one copy
 *	files    on the device, with room for each
 *	result   the files, in pinned memory
 *
 * The threads add alpha.  What the GPU does not encode as told (without loss, fine steps, components made for
 * the picture), and what is too much for its memory, xc_encode() takes, picture by picture.
 */
#include <stdio.h>
#include <string.h>

#include "src/batch/batch.h"
#include "src/core/parallel.h"
#include "src/core/picture.h"
#include "src/cuda/decoder.h"
#include "src/cuda/encoder.h"
#include "src/encode/encoder.h"
#include "src/encode/plan.h"

/* The maximum of pictures and pixels of a portion: enough work to fill a GPU, with a few hundred bytes of
 * scratch for each 64 pixels. */
enum {
	GPU_ENCODERS = 8,
	STREAMS = 3,
	PORTION_PICTURES = 256,
	PORTION_PIXELS = 1 << 25,
	ALIGNMENT = 256
};

/* A picture of a portion. */
typedef struct slot {
	size_t number; /* in the batch's list */
	xc_encode_options options;
	int on_gpu;
	size_t stride, pixels_at; /* in pinned memory and on the device */
	size_t file_at, room;     /* of the file on the device */
	size_t result_at;         /* of the file in pinned memory */
} slot;

typedef struct encode_stream {
	xc_cuda_encoder *encoder;
	void *stream;
	xc_cuda_memory pinned, device, files, result, scratch;
	size_t sizes_at; /* in pinned memory */
	slot slots[PORTION_PICTURES];
	size_t count; /* of slots in use; 0: nothing is under way */
} encode_stream;

struct xc_batch_encoding {
	encode_stream streams[STREAMS];
};

/* A list on its way. */
typedef struct progress {
	xc_batch *batch;
	const xc_encode_options *options;
	xc_batch_picture *pictures;
	encode_stream *stream; /* whose portion the threads work on */
} progress;

static xc_cuda *gpu_of(const xc_batch *b)
{
	return b->context->device.opened;
}

void xc_batch_encoding_close(xc_batch *b)
{
	xc_cuda *gpu = b->encoding ? gpu_of(b) : NULL;

	for (int i = 0; i < STREAMS && gpu; i++) {
		encode_stream *l = &b->encoding->streams[i];
		xc_cuda_memory *const all[] = {&l->pinned, &l->device, &l->files, &l->result, &l->scratch};
		xc_cuda_encoder_free(l->encoder);
		gpu->module->stream_free(gpu->gpu, l->stream);
		for (size_t k = 0; k < sizeof all / sizeof *all; k++)
			xc_cuda_drop(gpu, all[k]);
	}
	xc_release(b->context, b->encoding);
	b->encoding = NULL;
}

static xc_status open_streams(xc_batch *b)
{
	xc_cuda *gpu = gpu_of(b);
	xc_status s = XC_OK;

	if (b->encoding)
		return XC_OK;
	b->encoding = xc_allocate_zeroed(b->context, sizeof *b->encoding);
	if (!b->encoding)
		return xc_fail_memory(b->context, sizeof *b->encoding);
	for (int i = 0; i < STREAMS && !s; i++) {
		encode_stream *l = &b->encoding->streams[i];
		s = xc_cuda_encoder_make(gpu, PORTION_PICTURES, &l->encoder);
		if (!s)
			s = xc_cuda_check(gpu, gpu->module->stream_new(gpu->gpu, &l->stream, &gpu->error));
	}
	if (s)
		xc_batch_encoding_close(b);
	return s;
}

/* ------------------------------------------------------------ threads */

/* Sets the options that a picture is coded with.  Returns 1 if the GPU does that as it is told. */
static int choose(xc_context *c, const xc_batch_picture *p, const xc_encode_options *given,
                  xc_encode_options *o)
{
	xc_encode_options taken;

	xc_begin(c);
	if (XC_CHECK_RESERVED(c, p, "picture") || xc_picture_check_data(c, &p->picture) ||
	    xc_encode_take_options(c, given, p->metadata, &taken) ||
	    xc_metadata_check_depth(c, p->metadata, p->picture.depth))
		return 0;
	const xc_pixels pixels = xc_pixels_of(&p->picture);
	*o = taken;
	return !xc_encode_choose_mode(c, &pixels, o) && !xc_encode_is_own_choice(&taken, o) &&
	       !xc_encode_plan_is_fine(o, p->picture.depth, XC_FINE_STEP) &&
	       !xc_cuda_encoder_check(c, &p->picture, NULL, o);
}

static void choose_next(void *user, uint64_t n, int worker)
{
	const progress *r = user;
	slot *t = &r->stream->slots[n];
	xc_batch_picture *p = &r->pictures[t->number];
	xc_context *c;

	xc_batch_clear(p);
	t->on_gpu = !xc_batch_worker(r->batch, worker, &c, p->message) &&
	            choose(c, p, r->options, &t->options);
	p->message[0] = '\0';
}

static void copy_next(void *user, uint64_t n, int worker)
{
	const progress *r = user;
	const slot *t = &r->stream->slots[n];
	const xc_picture *p = &r->pictures[t->number].picture;
	char *to = (char *)r->stream->pinned.data + t->pixels_at;
	const size_t row = (size_t)p->width * xc_picture_pixel_bytes(p);

	(void)worker;
	for (uint32_t y = 0; t->on_gpu && y < p->height; y++)
		memcpy(to + y * t->stride, (const char *)p->data + y * p->stride, row);
}

/* Copies a file, and adds alpha. */
static xc_status take_file(xc_context *c, const slot *t, const xc_batch_picture *p,
                           const char *result, uint64_t size, xc_buffer *file)
{
	xc_begin(c);
	file->data = xc_allocate(c, (size_t)size);
	if (!file->data)
		return xc_fail_memory(c, (size_t)size);
	file->size = (size_t)size;
	memcpy(file->data, result + t->result_at, file->size);
	const xc_status s = p->picture.channels % 2
	                        ? XC_OK
	                        : xc_cuda_interleave_alpha(c, &p->picture, &t->options, file);
	if (s)
		xc_buffer_free(c, file);
	return s;
}

static void take_next(void *user, uint64_t n, int worker)
{
	const progress *r = user;
	const encode_stream *l = r->stream;
	const slot *t = &l->slots[n];
	xc_batch_picture *p = &r->pictures[t->number];
	xc_buffer *file = &r->batch->files[t->number];
	xc_context *c;

	if (!t->on_gpu) {
		xc_batch_encode_alone(r->batch, r->options, p, t->number, worker);
		return;
	}
	const uint64_t *sizes = (const uint64_t *)(const void *)((char *)l->pinned.data + l->sizes_at);
	p->status = xc_batch_worker(r->batch, worker, &c, p->message);
	if (!p->status)
		p->status = take_file(c, t, p, l->result.data, sizes[n], file);
	if (c)
		xc_batch_note(p->message, c);
	r->batch->makers[t->number] = worker;
	p->file = file->data;
	p->size = file->size;
}

/* ------------------------------------------------------------ a portion */

static size_t aligned(size_t n)
{
	return (n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static void take_portion(encode_stream *l, const xc_batch_picture *pictures, size_t count,
                         size_t *next)
{
	uint64_t pixels = 0;

	for (l->count = 0; *next < count && l->count < PORTION_PICTURES; ++*next) {
		const xc_picture *p = &pictures[*next].picture;
		pixels += (uint64_t)p->width * p->height;
		if (l->count && pixels > PORTION_PIXELS)
			return;
		l->slots[l->count++].number = *next;
	}
}

/* Where pictures and files go. *pixels: of all pictures; *files: of the room for all files. */
static void lay_out(encode_stream *l, const xc_batch_picture *pictures, size_t *pixels,
                    size_t *files)
{
	*pixels = *files = 0;
	for (size_t n = 0; n < l->count; n++) {
		slot *t = &l->slots[n];
		xc_picture p = pictures[t->number].picture;
		size_t bytes;
		if (!t->on_gpu)
			continue;
		xc_cuda_encoder_lay_out(&p, &bytes, &t->room);
		t->stride = p.stride;
		t->pixels_at = *pixels;
		t->file_at = *files;
		*pixels += aligned(bytes);
		*files += t->room;
	}
}

/* Enqueues the work on a portion whose pictures are in pinned memory. */
static xc_status start(progress *r, size_t pixels)
{
	xc_cuda *gpu = gpu_of(r->batch);
	encode_stream *l = r->stream;
	xc_status s = xc_cuda_check(gpu, gpu->module->copy(gpu->gpu, l->device.data, l->pinned.data,
	                                                   pixels, l->stream, &gpu->error));

	xc_cuda_encoder_begin(l->encoder);
	for (size_t n = 0; n < l->count && !s; n++) {
		const slot *t = &l->slots[n];
		const xc_batch_picture *p = &r->pictures[t->number];
		xc_picture on_device = p->picture;
		if (!t->on_gpu)
			continue;
		on_device.stride = t->stride;
		on_device.data = (char *)l->device.data + t->pixels_at;
		s = xc_cuda_encoder_add(l->encoder, &on_device, p->metadata, &t->options,
		                        (char *)l->files.data + t->file_at, t->room,
		                        (uint64_t *)(void *)((char *)l->pinned.data + l->sizes_at) + n);
	}
	return s ? s : xc_cuda_encoder_run(l->encoder, NULL, &l->scratch, l->stream, NULL);
}

/* Lets xc_encode() encode the pictures of a portion. */
static void leave_alone(encode_stream *l)
{
	for (size_t n = 0; n < l->count; n++)
		l->slots[n].on_gpu = 0;
}

/* Whether it is not just too much for the GPU. */
static int whole_portion_fails(xc_status s)
{
	return s && s != XC_ERR_MEMORY && s != XC_ERR_LIMIT;
}

static xc_status run_portion(progress *r)
{
	xc_batch *b = r->batch;
	xc_cuda *gpu = gpu_of(b);
	encode_stream *l = r->stream;
	const int threads = xc_context_threads(b->context);
	size_t pixels, files;
	xc_status s = xc_parallel_by(b->context, threads, l->count, choose_next, r, 0, 0);

	if (s)
		return s;
	lay_out(l, r->pictures, &pixels, &files);
	l->sizes_at = pixels;
	if (!pixels)
		return XC_OK;
	s = xc_cuda_need(gpu, XC_GPU_PINNED_MEMORY, pixels + l->count * sizeof(uint64_t), &l->pinned);
	if (!s)
		s = xc_cuda_need(gpu, XC_GPU_DEVICE_MEMORY, pixels, &l->device);
	if (!s)
		s = xc_cuda_need(gpu, XC_GPU_DEVICE_MEMORY, files, &l->files);
	if (!s)
		s = xc_parallel_by(b->context, threads, l->count, copy_next, r, 0, 0);
	if (!s)
		s = start(r, pixels);
	if (!s || whole_portion_fails(s))
		return s;
	xc_cuda_sync_stream(gpu, l->stream);
	leave_alone(l);
	return XC_OK;
}

/* Fetches the files of a stream's portion. */
static xc_status fetch(xc_batch *b, encode_stream *l)
{
	xc_cuda *gpu = gpu_of(b);
	const xc_gpu_module *m = gpu->module;
	size_t all = 0;
	xc_status s = xc_cuda_check(gpu, m->synchronize(gpu->gpu, l->stream, &gpu->error));

	if (s)
		return s;
	const uint64_t *sizes = (const uint64_t *)(const void *)((char *)l->pinned.data + l->sizes_at);
	for (size_t n = 0; n < l->count; n++) {
		slot *t = &l->slots[n];
		/* A file may be larger than its picture. */
		t->on_gpu = t->on_gpu && sizes[n] <= t->room;
		t->result_at = all;
		all += t->on_gpu ? (size_t)sizes[n] : 0;
	}
	s = xc_cuda_need(gpu, XC_GPU_PINNED_MEMORY, all, &l->result);
	for (size_t n = 0; n < l->count && !s; n++) {
		const slot *t = &l->slots[n];
		if (t->on_gpu)
			s = xc_cuda_check(gpu, m->copy(gpu->gpu, (char *)l->result.data + t->result_at,
			                               (char *)l->files.data + t->file_at, (size_t)sizes[n],
			                               l->stream, &gpu->error));
	}
	const xc_status waited = m->synchronize(gpu->gpu, l->stream, &gpu->error);
	return s ? s : xc_cuda_check(gpu, waited);
}

/* Waits for a stream's portion, and makes the files. */
static xc_status finish(progress *r, encode_stream *l)
{
	xc_batch *b = r->batch;
	int threads = xc_context_threads(b->context), any = 0, all = 1;

	for (size_t n = 0; n < l->count; n++) {
		any |= l->slots[n].on_gpu;
		all &= l->slots[n].on_gpu;
	}
	xc_status s = any ? fetch(b, l) : XC_OK;
	if (s && !whole_portion_fails(s)) {
		leave_alone(l);
		s = XC_OK;
	}
	r->stream = l;
	/* More threads that drive a GPU wait for each other in the driver. */
	if (!all && threads > GPU_ENCODERS)
		threads = GPU_ENCODERS;
	if (!s)
		s = xc_parallel_by(b->context, threads, l->count, take_next, r, 0, 0);
	l->count = 0;
	return s;
}

xc_status xc_batch_gpu_encode(xc_batch *b, const xc_encode_options *o, xc_batch_picture *pictures,
                              size_t count)
{
	progress r = {b, o, pictures, NULL};
	size_t next = 0;
	xc_status s = open_streams(b);
	int turn = 0;

	for (size_t i = 0; i < count; i++)
		xc_batch_clear(&pictures[i]);
	for (; !s && next < count; turn++) {
		encode_stream *l = &b->encoding->streams[turn % STREAMS];
		s = finish(&r, l);
		if (s)
			break;
		take_portion(l, pictures, count, &next);
		r.stream = l;
		s = run_portion(&r);
		b->done = next;
		if (!s)
			s = xc_report_progress(b->context, (double)next / (double)count);
	}
	for (int i = 0; i < STREAMS && b->encoding; i++) {
		encode_stream *l = &b->encoding->streams[(turn + i) % STREAMS];
		if (s) {
			xc_cuda_sync_stream(gpu_of(b), l->stream);
			l->count = 0;
		} else {
			s = finish(&r, l);
		}
	}
	for (size_t i = 0; i < count && s; i++)
		if (!pictures[i].file && !pictures[i].status) {
			pictures[i].status = s;
			xc_batch_note(pictures[i].message, b->context);
		}
	if (!s)
		b->context->message[0] = '\0';
	return s;
}
