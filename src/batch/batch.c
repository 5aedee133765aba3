/* SPDX-License-Identifier: BSD-2-Clause */
/* Making a batch, its workers, the shapes of its items, and decoding and encoding by threads. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "src/batch/batch.h"
#include "src/container/container.h"
#include "src/core/floats.h"
#include "src/core/parallel.h"
#include "src/core/picture.h"
#include "src/decode/decoder.h"

/* ------------------------------------------------------------ new and free */

static void free_files(xc_batch *b)
{
	for (size_t i = 0; i < b->file_count; i++)
		if (b->files[i].data)
			xc_buffer_free(b->workers[b->makers[i]], &b->files[i]);
	xc_release(b->context, b->files);
	xc_release(b->context, b->makers);
	b->files = NULL;
	b->makers = NULL;
	b->file_count = 0;
}

void xc_batch_free(xc_batch *b)
{
	if (!b)
		return;
	xc_context *c = b->context;
	const xc_allocator a = c->allocator;
	free_files(b);
	xc_batch_encoding_close(b);
	xc_batch_gpu_close(b);
	for (uint32_t i = 0; i < b->worker_count; i++)
		xc_context_free(b->workers[i]);
	xc_release(c, b->workers);
	xc_context_free(c);
	a.release(a.user, b);
}

static xc_status set_up(xc_batch *b, const xc_context *like, const char *device, int threads)
{
	xc_context *c = b->context;
	xc_status s = xc_context_set_threads(c, threads);

	c->limits = like->limits;
	c->cpu = like->cpu;
	if (!s)
		s = xc_context_set_device(c, device);
	if (!s && c->device.choice == XC_DEVICE_AUTO)
		s = xc_fail(c, XC_ERR_ARGUMENT, "a batch works on \"cpu\", \"cuda\" or \"cuda:N\"");
	if (s)
		return s;
	const uint32_t count = (uint32_t)xc_context_threads(c);
	b->workers = xc_allocate_zeroed(c, count * sizeof *b->workers);
	if (!b->workers)
		return xc_fail_memory(c, count * sizeof *b->workers);
	b->worker_count = count;
	return c->device.opened ? xc_batch_gpu_open(b) : XC_OK;
}

xc_status xc_batch_new(xc_context *c, const char *device, int threads, xc_batch **batch)
{
	xc_status s = XC_BEGIN_RESULT(c, batch);
	if (s)
		return s;
	xc_batch *b = c->allocator.allocate(c->allocator.user, sizeof *b);
	xc_context *own = b ? xc_context_new(&c->allocator) : NULL;
	if (!own) {
		c->allocator.release(c->allocator.user, b);
		return xc_fail(c, XC_ERR_MEMORY, "out of memory");
	}
	*b = (xc_batch){.context = own};
	s = set_up(b, c, device, threads);
	if (s)
		s = xc_fail(c, s, "%s", own->message);
	if (s)
		xc_batch_free(b);
	else
		*batch = b;
	return s;
}

xc_status xc_batch_trim(xc_batch *b)
{
	xc_status s = XC_OK;

	if (!b)
		return XC_ERR_ARGUMENT;
	xc_begin(b->context);
	free_files(b);
	xc_batch_encoding_close(b);
	/* With their tables and GPUs; they are made again when they are needed. */
	for (uint32_t i = 0; i < b->worker_count; i++) {
		xc_context_free(b->workers[i]);
		b->workers[i] = NULL;
	}
	if (b->gpu)
		s = xc_batch_gpu_trim(b);
	return s;
}

xc_status xc_batch_set_limits(xc_batch *b, const xc_limits *limits)
{
	if (!b)
		return XC_ERR_ARGUMENT;
	xc_status s = xc_context_set_limits(b->context, limits);
	for (uint32_t i = 0; i < b->worker_count && !s; i++)
		if (b->workers[i])
			s = xc_context_set_limits(b->workers[i], limits);
	return s;
}

void xc_batch_set_progress(xc_batch *b, xc_progress progress, void *user)
{
	if (b)
		xc_context_set_progress(b->context, progress, user);
}

/* The progress of a worker's item. The first worker's thread is the caller's. */
static int lead(void *user, double fraction)
{
	xc_batch *b = user;
	const uint64_t done = __atomic_load_n(&b->done, __ATOMIC_RELAXED);

	return xc_report_progress(b->context, ((double)done + fraction) / (double)b->count) != XC_OK;
}

static int follow(void *user, double fraction)
{
	const xc_batch *b = user;

	(void)fraction;
	return __atomic_load_n(&b->context->cancelled, __ATOMIC_RELAXED);
}

const char *xc_batch_message(const xc_batch *b)
{
	return b ? b->context->message : "";
}

xc_status xc_batch_worker(xc_batch *b, int worker, xc_context **context,
                          char message[XC_BATCH_MESSAGE_BYTES])
{
	xc_context **w = &b->workers[worker];

	if (!*w) {
		*w = xc_context_new(&b->context->allocator);
		*context = *w;
		if (!*w) {
			snprintf(message, XC_BATCH_MESSAGE_BYTES, "out of memory");
			return XC_ERR_MEMORY;
		}
		(*w)->limits = b->context->limits;
		(*w)->cpu = b->context->cpu;
		(void)xc_context_set_threads(*w, 1);
		xc_context_set_progress(*w, worker ? follow : lead, b);
	}
	*context = *w;
	return XC_OK;
}

void xc_batch_note(char message[XC_BATCH_MESSAGE_BYTES], const xc_context *c)
{
	snprintf(message, XC_BATCH_MESSAGE_BYTES, "%s", c->message);
}

/* ------------------------------------------------------------ options, shapes */

static xc_status check(xc_batch *b, const xc_batch_options *o, const xc_batch_item *items,
                       size_t count)
{
	xc_context *c = b->context;

	xc_begin(c);
	if (!o || (!items && count))
		return xc_fail(c, XC_ERR_ARGUMENT, "no options or no items");
	const xc_status s = XC_CHECK_FLAGS(c, o, "options", o->planar, o->keep_going, o->jpeg_rounding);
	if (s)
		return s;
	if ((unsigned)o->type > XC_SAMPLE_FLOAT32)
		return xc_fail(c, XC_ERR_ARGUMENT, "samples of type %d do not exist", (int)o->type);
	if (o->channels > 4)
		return xc_fail(c, XC_ERR_ARGUMENT, "%u channels, not 1 to 4", o->channels);
	for (int i = 0; i < 4; i++)
		if (!isfinite(o->mean[i]) || !isfinite(o->deviation[i]) || o->deviation[i] < 0)
			return xc_fail(c, XC_ERR_ARGUMENT, "a mean or deviation that is not possible");
	return XC_OK;
}

xc_status xc_batch_array_of(xc_context *c, const xc_batch_options *o, const xc_batch_item *i,
                            const xc_picture *file, xc_picture *array)
{
	const uint32_t scale = xc_batch_scale(o);
	xc_rectangle r = i->region;
	xc_status s = XC_CHECK_RESERVED(c, i, "item");

	if (!s)
		s = xc_region_check(c, file->width, file->height, scale, &r);
	*array = (xc_picture){.channels = o->channels ? o->channels : file->channels,
	                      .depth = file->depth};
	if (!s)
		xc_region_size(&r, scale, &array->width, &array->height);
	return s;
}

/* Blocks of all components for two blocks of luma. */
static uint32_t segment_share(const xc_info *info)
{
	return info->components == 1                     ? 2
	       : info->subsampling == XC_SUBSAMPLING_420 ? 3
	       : info->subsampling == XC_SUBSAMPLING_422 ? 4
	                                                 : 6;
}

static xc_status shape(xc_context *c, const xc_batch_options *o, xc_batch_item *i)
{
	const uint32_t types[4] = {8, 16, 0, 0};
	xc_info info;
	xc_status s = xc_read_header(c, i->file, i->size, &info);

	if (s)
		return s;
	const xc_picture p = {.width = info.width,
	                      .height = info.height,
	                      .channels = info.channels,
	                      .depth = info.depth};
	xc_picture array;
	s = xc_picture_check(c, &p);
	if (!s)
		s = xc_check_expansion(c, info.lossless, (uint64_t)p.width * p.height, i->size);
	if (!s)
		s = xc_batch_array_of(c, o, i, &p, &array);
	if (!s && types[o->type] && types[o->type] != p.depth)
		s = xc_fail(c, XC_ERR_UNSUPPORTED,
		            "the file has %u bits a sample, and integers of %u were asked for", p.depth,
		            types[o->type]);
	if (s)
		return s;
	i->width = array.width;
	i->height = array.height;
	i->channels = array.channels;
	i->depth = array.depth;
	i->own = xc_min_u32(info.tile_width, p.width) / 8 *
	         (xc_min_u32(info.tile_height, p.height) / 8) * segment_share(&info);
	return XC_OK;
}

typedef struct shaping {
	xc_batch *batch;
	const xc_batch_options *options;
	xc_batch_item *items;
	size_t count;
} shaping;

/* Headers that a thread reads at a time. */
enum { HEADERS_AT_ONCE = 32 };

static void shape_some(void *user, uint64_t group, int worker)
{
	const shaping *h = user;
	const size_t first = (size_t)group * HEADERS_AT_ONCE;

	for (size_t k = first; k < h->count && k < first + HEADERS_AT_ONCE; k++) {
		xc_batch_item *i = &h->items[k];
		xc_context *c;
		i->width = i->height = i->channels = i->depth = i->own = 0;
		i->damaged_segments = 0;
		i->message[0] = '\0';
		i->status = xc_batch_worker(h->batch, worker, &c, i->message);
		if (i->status)
			continue;
		i->status = shape(c, h->options, i);
		if (i->status)
			xc_batch_note(i->message, c);
	}
}

xc_status xc_batch_shapes(xc_batch *b, const xc_batch_options *o, xc_batch_item *items,
                          size_t count)
{
	if (!b)
		return XC_ERR_ARGUMENT;
	const xc_status s = check(b, o, items, count);
	const size_t groups = (count + HEADERS_AT_ONCE - 1) / HEADERS_AT_ONCE;
	shaping h = {b, o, items, count};

	return s ? s
	         : xc_parallel_by(b->context, groups < 4 ? 1 : xc_context_threads(b->context), groups,
	                          shape_some, &h, 0, 0);
}

size_t xc_batch_item_bytes(const xc_batch_options *o, const xc_batch_item *i)
{
	if (!o || !i)
		return 0;
	const uint64_t pixels = (uint64_t)i->width * i->height;
	const uint64_t pixel = i->channels * (uint64_t)xc_batch_sample_bytes(o);

	return pixel && pixels > SIZE_MAX / pixel ? SIZE_MAX : (size_t)(pixels * pixel);
}

/* ------------------------------------------------------------ decoding by threads */

typedef struct decoding {
	xc_batch *batch;
	const xc_batch_options *options;
	xc_batch_item *items;
} decoding;

static void decode_next(void *user, uint64_t n, int worker)
{
	const decoding *d = user;
	xc_batch_item *i = &d->items[n];
	xc_context *c;

	if (i->status == XC_ERR_CANCELLED) { /* set before, until it is done */
		i->status = xc_batch_worker(d->batch, worker, &c, i->message);
		if (!i->status)
			xc_batch_decode_item(c, d->options, i, i->data);
	}
	__atomic_add_fetch(&d->batch->done, 1, __ATOMIC_RELAXED);
}

/* What stays of an item that no thread begins. */
static void leave_undone(xc_status *status, char message[XC_BATCH_MESSAGE_BYTES])
{
	*status = XC_ERR_CANCELLED;
	snprintf(message, XC_BATCH_MESSAGE_BYTES, "cancelled before it began");
}

/* How many threads take `count` items of `pixels` pixels in all. */
static int threads_for(const xc_batch *b, size_t count, uint64_t pixels)
{
	return xc_parallel_workers(b->context, count, xc_parallel_coding_time(pixels));
}

static uint64_t pixels_of(const xc_batch_item *items, size_t count)
{
	uint64_t n = 0;

	for (size_t i = 0; i < count; i++)
		n += (uint64_t)items[i].width * items[i].height;
	return n;
}

/* An item that cannot be decoded gets its status before the others are decoded. */
static void check_item(xc_context *c, xc_batch_item *i)
{
	if (i->status && i->status != XC_ERR_CANCELLED)
		return;
	i->status = XC_CHECK_RESERVED(c, i, "item");
	if (!i->status && !i->data)
		i->status = xc_fail(c, XC_ERR_ARGUMENT, "the item has no place for its array");
	if (i->status)
		xc_batch_note(i->message, c);
}

xc_status xc_batch_decode(xc_batch *b, const xc_batch_options *o, xc_batch_item *items,
                          size_t count, void *stream)
{
	XC_DEFAULT_FLOATS;
	if (!b)
		return XC_ERR_ARGUMENT;
	const xc_status s = check(b, o, items, count);
	if (s)
		return s;
	for (size_t i = 0; i < count; i++)
		check_item(b->context, &items[i]);
	b->context->message[0] = '\0';
	b->count = count;
	b->done = 0;
	if (b->gpu)
		return xc_batch_gpu_decode(b, o, items, count, stream);
	decoding d = {b, o, items};
	for (size_t i = 0; i < count; i++)
		if (!items[i].status)
			leave_undone(&items[i].status, items[i].message);
	return xc_parallel_by(b->context, threads_for(b, count, pixels_of(items, count)), count,
	                      decode_next, &d, 0, 1);
}

/* ------------------------------------------------------------ encoding by threads */

typedef struct encoding {
	xc_batch *batch;
	const xc_encode_options *options;
	xc_batch_picture *pictures;
} encoding;

void xc_batch_clear(xc_batch_picture *p)
{
	p->file = NULL;
	p->size = 0;
	p->status = XC_OK;
	p->message[0] = '\0';
}

void xc_batch_encode_alone(xc_batch *b, const xc_encode_options *o, xc_batch_picture *p, size_t n,
                           int worker)
{
	xc_buffer *file = &b->files[n];
	xc_context *c;

	xc_batch_clear(p);
	p->status = xc_batch_worker(b, worker, &c, p->message);
	if (!p->status && b->gpu && !c->device.opened)
		p->status = xc_context_set_device(c, xc_batch_gpu_name(b));
	if (!p->status)
		p->status = XC_CHECK_RESERVED(c, p, "picture");
	if (!p->status)
		p->status = xc_encode(c, &p->picture, p->metadata, o, file);
	if (c)
		xc_batch_note(p->message, c);
	b->makers[n] = worker;
	p->file = file->data;
	p->size = file->size;
}

static void encode_next(void *user, uint64_t n, int worker)
{
	const encoding *e = user;
	xc_batch_encode_alone(e->batch, e->options, &e->pictures[n], (size_t)n, worker);
	__atomic_add_fetch(&e->batch->done, 1, __ATOMIC_RELAXED);
}

xc_status xc_batch_encode(xc_batch *b, const xc_encode_options *o, xc_batch_picture *pictures,
                          size_t count)
{
	XC_DEFAULT_FLOATS;
	uint64_t pixels = 0;

	if (!b)
		return XC_ERR_ARGUMENT;
	xc_context *c = b->context;
	xc_begin(c);
	if (!pictures && count)
		return xc_fail(c, XC_ERR_ARGUMENT, "no pictures");
	free_files(b);
	b->files = count ? xc_allocate_zeroed(c, count * sizeof *b->files) : NULL;
	b->makers = count ? xc_allocate_zeroed(c, count * sizeof *b->makers) : NULL;
	if (count && (!b->files || !b->makers)) {
		free_files(b);
		return xc_fail_memory(c, count * sizeof *b->files);
	}
	b->file_count = b->count = count;
	b->done = 0;
	if (b->gpu)
		return xc_batch_gpu_encode(b, o, pictures, count);
	for (size_t i = 0; i < count; i++) {
		xc_batch_clear(&pictures[i]);
		leave_undone(&pictures[i].status, pictures[i].message);
		pixels += (uint64_t)pictures[i].picture.width * pictures[i].picture.height;
	}
	encoding e = {b, o, pictures};
	return xc_parallel_by(c, threads_for(b, count, pixels), count, encode_next, &e, 0, 1);
}
