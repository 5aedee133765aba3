/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Batches on a GPU.  The list is cut into portions, and three streams take turns with them: while the
 * threads parse and copy the files of one portion, the GPU decodes those of the two before.  Each
 * has a decoder, and memory that grows:
 *
 *	pinned   the segments of a portion's files, and after them the list of its arrays
 *	device   the same, by one copy
 *	pixels   pictures whose arrays are not just their pixels
 *
 * Where an item has a region, the tiles that it depends on are copied and decoded (src/decode/crop.h), and
 * no others; a file with alpha is decoded whole.
 *
 * What the GPU cannot decode the threads decode into memory of theirs, which is then copied.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/batch/batch.h"
#include "src/core/parallel.h"
#include "src/cuda/decoder.h"
#include "src/cuda/module.h"
#include "src/decode/decoder.h"

/* The maximum of files and pixels of a portion: enough work to fill a GPU, so little that a list of a few
 * hundred small pictures has several. */
enum { STREAMS = 3, PORTION_FILES = 256, PORTION_PIXELS = 1 << 26, ALIGNMENT = 256 };

/* An item of a portion. */
typedef struct slot {
	xc_batch_item *item;
	size_t data_at, bytes;  /* of the segments in pinned memory */
	int worker;             /* whose context the next three belong to */
	xc_container container; /* of the file, if the GPU decodes it */
	xc_cuda_crop crop;      /* list NULL: it decodes all of it */
	void *array;            /* made by the worker; NULL: the GPU decodes the file */
	size_t pixels_at;       /* in the stream's pixels; SIZE_MAX: they are decoded into the array */
} slot;

typedef struct gpu_stream {
	xc_cuda_decoder *decoder;
	void *stream; /* CUDA's */
	xc_cuda_memory pinned, device, pixels;
	slot *slots;
	size_t count;    /* of slots in use; 0: nothing is under way */
	size_t data_end; /* of all segments in pinned memory */
	/* What the decoder has been given; in_list[i] is the slot of list[i]. */
	xc_cuda_file *list;
	xc_cuda_given *given;
	slot **in_list;
	size_t listed;
	int follows; /* the stream waits for the caller's */
} gpu_stream;

struct xc_batch_gpu {
	xc_cuda *cuda; /* the context's */
	char name[16];
	gpu_stream streams[STREAMS];
	/* Memory for arrays: a GPU of its own, because any thread may call for it at any time. */
	pthread_mutex_t lock;
	xc_cuda *arrays;
	int released; /* memory, since all work on the GPU was waited for */
};

const char *xc_batch_gpu_name(const xc_batch *b)
{
	return b->gpu->name;
}

/* ------------------------------------------------------------ opening and closing */

static void close_stream(xc_cuda *gpu, gpu_stream *l)
{
	xc_context *c = gpu->context;

	xc_cuda_decoder_free(l->decoder);
	if (l->stream)
		gpu->module->stream_free(gpu->gpu, l->stream);
	xc_cuda_drop(gpu, &l->pinned);
	xc_cuda_drop(gpu, &l->device);
	xc_cuda_drop(gpu, &l->pixels);
	xc_release(c, l->slots);
	xc_release(c, l->list);
	xc_release(c, l->given);
	xc_release(c, l->in_list);
}

void xc_batch_gpu_close(xc_batch *b)
{
	struct xc_batch_gpu *g = b->gpu;

	if (!g)
		return;
	for (int i = 0; i < STREAMS; i++)
		close_stream(g->cuda, &g->streams[i]);
	xc_cuda_close(g->arrays);
	pthread_mutex_destroy(&g->lock);
	xc_release(b->context, g);
	b->gpu = NULL;
}

xc_status xc_batch_gpu_trim(xc_batch *b)
{
	struct xc_batch_gpu *g = b->gpu;

	for (int i = 0; i < STREAMS; i++) {
		gpu_stream *l = &g->streams[i];
		xc_cuda_drop(g->cuda, &l->pinned);
		xc_cuda_drop(g->cuda, &l->device);
		xc_cuda_drop(g->cuda, &l->pixels);
	}
	xc_status s = xc_cuda_shrink(g->cuda);
	pthread_mutex_lock(&g->lock);
	if (!s)
		s = xc_cuda_shrink(g->arrays);
	g->released = 0;
	pthread_mutex_unlock(&g->lock);
	return s;
}

static xc_status open_stream(xc_cuda *gpu, gpu_stream *l)
{
	xc_context *c = gpu->context;
	xc_status s = xc_cuda_decoder_make(gpu, NULL, PORTION_FILES, &l->decoder);

	if (!s)
		s = xc_cuda_check(gpu, gpu->module->stream_new(gpu->gpu, &l->stream, &gpu->error));
	if (s)
		return s;
	l->slots = xc_allocate_zeroed(c, PORTION_FILES * sizeof *l->slots);
	l->list = xc_allocate(c, PORTION_FILES * sizeof *l->list);
	l->given = xc_allocate(c, PORTION_FILES * sizeof *l->given);
	l->in_list = xc_allocate(c, PORTION_FILES * sizeof *l->in_list);
	return l->slots && l->list && l->given && l->in_list
	           ? XC_OK
	           : xc_fail_memory(c, PORTION_FILES * sizeof *l->slots);
}

xc_status xc_batch_gpu_open(xc_batch *b)
{
	xc_context *c = b->context;
	struct xc_batch_gpu *g = xc_allocate_zeroed(c, sizeof *g);

	if (!g)
		return xc_fail_memory(c, sizeof *g);
	b->gpu = g;
	pthread_mutex_init(&g->lock, NULL);
	g->cuda = c->device.opened;
	snprintf(g->name, sizeof g->name, "cuda:%u", g->cuda->device % 10000u);
	xc_status s = xc_cuda_start(c, g->cuda->device, &g->arrays);
	for (int i = 0; i < STREAMS && !s; i++)
		s = open_stream(g->cuda, &g->streams[i]);
	return s;
}

/* ------------------------------------------------------------ memory for arrays */

xc_status xc_batch_allocate(xc_batch *b, size_t size, void **memory)
{
	xc_gpu_error e = {XC_OK, ""};

	if (memory)
		*memory = NULL;
	if (!b || !b->gpu || !memory)
		return XC_ERR_ARGUMENT;
	struct xc_batch_gpu *g = b->gpu;
	const xc_gpu_module *m = g->arrays->module;
	pthread_mutex_lock(&g->lock);
	/* Streams that nobody here knows may still read what was released. */
	xc_status s = g->released ? m->synchronize_all(g->arrays->gpu, &e) : XC_OK;
	g->released = 0;
	if (!s)
		s = m->allocate(g->arrays->gpu, XC_GPU_DEVICE_MEMORY, size, memory, &e);
	pthread_mutex_unlock(&g->lock);
	return s;
}

void xc_batch_release(xc_batch *b, void *memory)
{
	if (!b || !b->gpu || !memory)
		return;
	struct xc_batch_gpu *g = b->gpu;
	pthread_mutex_lock(&g->lock);
	g->arrays->module->release(g->arrays->gpu, memory);
	g->released = 1;
	pthread_mutex_unlock(&g->lock);
}

/* ------------------------------------------------------------ threads: files */

typedef struct reading {
	xc_batch *batch;
	const xc_batch_options *options;
	gpu_stream *stream;
} reading;

/* Whether the GPU makes this item's array of the file taken apart. Y of components made for the picture needs all of
 * them. */
static int gpu_can(const xc_batch_item *i, const xc_container *k)
{
	return !(k->has_colours && i->channels < 3) && !xc_cuda_decoder_objection(k);
}

/* Checks that the item still has the shape of the file. */
static xc_status check_shape(xc_context *c, const xc_batch_options *o, const xc_batch_item *i,
                             const xc_header *h)
{
	const xc_picture file = {.width = h->width,
	                         .height = h->height,
	                         .channels = h->channels,
	                         .depth = h->depth};
	xc_picture array;
	const xc_status s = xc_batch_array_of(c, o, i, &file, &array);

	if (s)
		return s;
	if (i->width != array.width || i->height != array.height || i->channels != array.channels ||
	    i->depth != array.depth)
		return xc_fail(c, XC_ERR_ARGUMENT, "the item has not the shape of its file");
	return XC_OK;
}

static xc_status read_file(xc_context *c, const xc_batch_options *o, slot *t)
{
	xc_batch_item *i = t->item;
	xc_status s = xc_cuda_read_file(c, i->file, i->size, o->keep_going, &t->container);

	if (!s)
		s = check_shape(c, o, i, &t->container.header);
	if (!s && gpu_can(i, &t->container)) {
		s = xc_cuda_crop_choose(c, &t->container, &i->region, xc_batch_scale(o), &t->crop);
		t->bytes = (size_t)t->crop.bytes;
		return s;
	}
	if (s)
		return s;
	const size_t size = xc_batch_item_bytes(o, i);
	t->array = xc_allocate(c, size);
	if (!t->array)
		return xc_fail_memory(c, size);
	xc_batch_decode_item(c, o, i, t->array);
	return i->status;
}

static void read_next(void *user, uint64_t n, int worker)
{
	const reading *r = user;
	slot *t = &r->stream->slots[n];
	xc_context *c;

	t->worker = worker;
	t->item->message[0] = '\0'; /* of an earlier call */
	t->item->status = xc_batch_worker(r->batch, worker, &c, t->item->message);
	if (t->item->status)
		return;
	xc_begin(c);
	t->item->status = read_file(c, r->options, t);
	if (c->message[0])
		xc_batch_note(t->item->message, c);
}

/* Whether the GPU decodes a slot. */
static int is_on_gpu(const slot *t)
{
	return !t->item->status && !t->array;
}

static void copy_next(void *user, uint64_t n, int worker)
{
	const reading *r = user;
	const slot *t = &r->stream->slots[n];
	uint8_t *to = (uint8_t *)r->stream->pinned.data + t->data_at;

	(void)worker;
	if (is_on_gpu(t) && t->crop.list)
		xc_cuda_crop_copy(&t->container, &t->crop, to);
	else if (is_on_gpu(t))
		memcpy(to, t->container.data, t->bytes);
}

/* ------------------------------------------------------------ a portion */

static size_t aligned(size_t n)
{
	return (n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* A segment of many blocks takes long, however few there are: what comes last should have short ones. */
static int by_length(const void *a, const void *b)
{
	const xc_batch_item *const *x = a, *const *y = b;

	if ((*x)->own != (*y)->own)
		return (*x)->own < (*y)->own ? 1 : -1;
	return *x < *y ? -1 : 1;
}

/* Lists the items that have no status yet, in the order in which they are decoded. */
static xc_status put_in_order(xc_batch *b, xc_batch_item *items, size_t *count,
                              xc_batch_item ***order)
{
	size_t n = 0;

	*order = *count ? xc_allocate(b->context, *count * sizeof **order) : NULL;
	if (*count && !*order)
		return xc_fail_memory(b->context, *count * sizeof **order);
	for (size_t i = 0; i < *count; i++)
		if (!items[i].status)
			(*order)[n++] = &items[i];
	if (n > PORTION_FILES)
		qsort(*order, n, sizeof **order, by_length);
	*count = n;
	return XC_OK;
}

/* Takes items from `*next` on; scale: their options'. */
static void take_portion(gpu_stream *l, xc_batch_item *const *order, size_t count, uint32_t scale,
                         size_t *next)
{
	uint64_t pixels = 0;

	l->count = l->listed = 0;
	for (; *next < count && l->count < PORTION_FILES; ++*next) {
		xc_batch_item *i = order[*next];
		const uint64_t n = (uint64_t)i->width * i->height * scale * scale;
		if (i->status)
			continue;
		if (l->count && pixels + n > PORTION_PIXELS)
			return;
		slot *t = &l->slots[l->count++];
		t->item = i;
		t->bytes = 0;
		t->array = NULL;
		t->crop.list = NULL;
		t->pixels_at = SIZE_MAX;
		pixels += n;
	}
}

/* Where segments go to; they end in bytes that kernels may read. */
static void lay_out_data(gpu_stream *l)
{
	l->data_end = 0;
	for (size_t n = 0; n < l->count; n++) {
		slot *t = &l->slots[n];
		t->data_at = l->data_end;
		if (is_on_gpu(t))
			l->data_end += aligned(t->bytes + 4);
	}
}

/* What the GPU decodes of a file, to pixels[] of `stride` bytes a row. */
static xc_picture picture_of(const xc_batch_options *o, const slot *t)
{
	const xc_header *h = &t->container.header;
	const xc_geometry *g = &t->crop.crop.picture;
	xc_picture p = {.width = xc_reduced_size(g->width, xc_batch_scale(o)),
	                .height = xc_reduced_size(g->height, xc_batch_scale(o)),
	                .channels = t->item->channels < 3 && h->channels > 2 ? t->item->channels
	                                                                     : h->channels,
	                .depth = h->depth};

	p.stride = p.width * (size_t)p.channels * (p.depth / 8);
	if (t->pixels_at != SIZE_MAX)
		p.stride = aligned(p.stride);
	return p;
}

/* Whether the decoded pixels are the array. */
static int is_direct(const xc_batch_options *o, const slot *t)
{
	const xc_batch_item *i = t->item;
	const xc_picture p = picture_of(o, t);

	return xc_batch_is_plain(o, p.channels) && i->width == p.width && i->height == p.height &&
	       i->channels == p.channels;
}

/* Where pictures go that are not decoded into their arrays; *size: of that memory. */
static size_t lay_out_pixels(const xc_batch_options *o, gpu_stream *l, size_t *size)
{
	size_t arrays = 0;

	*size = 0;
	for (size_t n = 0; n < l->count; n++) {
		slot *t = &l->slots[n];
		if (!is_on_gpu(t) || is_direct(o, t))
			continue;
		t->pixels_at = *size;
		const xc_picture p = picture_of(o, t);
		*size += p.stride * p.height;
		arrays++;
	}
	return arrays;
}

/* Lists a file for the decoder, and its array for the kernel that makes it. */
static void list_slot(const xc_batch_options *o, gpu_stream *l, slot *t, xc_gpu_array *array)
{
	const xc_batch_item *i = t->item;
	const int direct = t->pixels_at == SIZE_MAX;
	xc_cuda_file *f = &l->list[l->listed];

	*f = (xc_cuda_file){.file = i->file, .size = i->size, .picture = picture_of(o, t)};
	f->picture.data = direct ? i->data : (char *)l->pixels.data + t->pixels_at;
	l->given[l->listed] = (xc_cuda_given){.container = &t->container,
	                                      .message = t->item->message,
	                                      .crop = t->crop.list ? &t->crop : NULL,
	                                      .on_device = (uint8_t *)l->device.data + t->data_at};
	l->in_list[l->listed++] = t;
	if (direct)
		return;
	const xc_picture *p = &f->picture;
	const xc_crop *crop = &t->crop.crop;
	*array = (xc_gpu_array){(uint8_t *)p->data + crop->top * p->stride +
	                            crop->left * xc_picture_pixel_bytes(p),
	                        p->stride,
	                        i->data,
	                        i->width,
	                        i->height,
	                        p->depth,
	                        p->channels,
	                        i->channels};
}

static xc_gpu_array_plan plan_of(const xc_batch_options *o)
{
	xc_gpu_array_plan p = {o->type, o->planar != 0, {0}, {0}};

	for (uint32_t i = 0; i < 4; i++) {
		p.mean[i] = o->mean[i];
		p.deviation[i] = xc_batch_deviation(o, i);
	}
	return p;
}

/* Enqueues all of a portion whose files are read. */
static xc_status start(xc_cuda *gpu, const xc_batch_options *o, gpu_stream *l, void *callers)
{
	const xc_gpu_module *m = gpu->module;
	const xc_decode_options options = {.keep_going = o->keep_going,
	                                   .jpeg_rounding = o->jpeg_rounding,
	                                   .scale = o->scale};
	const xc_gpu_array_plan plan = plan_of(o);
	size_t pixels, made = 0;
	const size_t arrays = lay_out_pixels(o, l, &pixels);
	const size_t bytes = l->data_end + arrays * sizeof(xc_gpu_array);
	xc_gpu_array *list = (xc_gpu_array *)(void *)((char *)l->pinned.data + l->data_end);
	uint64_t max_pixels = 0;

	xc_status s = xc_cuda_need(gpu, XC_GPU_DEVICE_MEMORY, bytes, &l->device);
	if (!s && arrays)
		s = xc_cuda_need(gpu, XC_GPU_DEVICE_MEMORY, pixels, &l->pixels);
	if (s)
		return s;
	for (size_t n = 0; n < l->count; n++) {
		slot *t = &l->slots[n];
		const uint64_t size = (uint64_t)t->item->width * t->item->height;
		if (!is_on_gpu(t))
			continue;
		list_slot(o, l, t, &list[made]);
		if (t->pixels_at == SIZE_MAX)
			continue;
		made++;
		max_pixels = size > max_pixels ? size : max_pixels;
	}
	s = m->copy(gpu->gpu, l->device.data, l->pinned.data, bytes, l->stream, &gpu->error);
	if (!s && !l->follows)
		s = m->follow(gpu->gpu, l->stream, callers, &gpu->error);
	l->follows = 1;
	for (size_t n = 0; n < l->count && !s; n++) {
		const slot *t = &l->slots[n];
		if (!t->item->status && t->array)
			s = m->copy(gpu->gpu, t->item->data, t->array, xc_batch_item_bytes(o, t->item),
			            l->stream, &gpu->error);
	}
	if (s)
		return xc_cuda_check(gpu, s);
	xc_cuda_decoder_set(l->decoder, &options);
	s = xc_cuda_decoder_start(l->decoder, l->list, l->listed, l->given, NULL, l->stream, NULL);
	if (s || !made)
		return s;
	return xc_cuda_check(gpu,
	                     m->decode->arrange(gpu->gpu, &plan,
	                                        (xc_gpu_array *)(void *)((char *)l->device.data +
	                                                                 l->data_end),
	                                        (uint32_t)made, max_pixels, l->stream, &gpu->error));
}

/* Waits for a stream's portion, and frees what it has of the workers. */
static xc_status wait_for(xc_batch *b, gpu_stream *l)
{
	xc_cuda *gpu = b->gpu->cuda;
	const xc_status s = xc_cuda_check(gpu,
	                                  gpu->module->synchronize(gpu->gpu, l->stream, &gpu->error));
	char message[XC_MESSAGE_BYTES];

	memcpy(message, b->context->message, sizeof message);
	(void)xc_cuda_decoder_finish(l->decoder);
	memcpy(b->context->message, message, sizeof message);
	for (size_t n = 0; n < l->count; n++) {
		slot *t = &l->slots[n];
		xc_context *c = b->workers[t->worker];
		if (!c)
			continue;
		xc_container_close(c, &t->container);
		xc_release(c, t->array);
		xc_release(c, t->crop.list);
		t->array = NULL;
		t->crop.list = NULL;
	}
	l->count = 0;
	return s;
}

/* Waits for a stream's portion and gives its items their status. */
static xc_status finish(xc_batch *b, gpu_stream *l)
{
	const xc_status s = l->count ? wait_for(b, l) : XC_OK;

	for (size_t n = 0; n < l->listed && !s; n++) {
		xc_batch_item *i = l->in_list[n]->item;
		i->status = l->list[n].status;
		i->damaged_segments = l->list[n].damaged_segments;
	}
	l->listed = 0;
	return s;
}

static xc_status run_portion(xc_batch *b, const xc_batch_options *o, gpu_stream *l, void *callers)
{
	xc_cuda *gpu = b->gpu->cuda;
	reading r = {b, o, l};
	const int threads = xc_context_threads(b->context);
	xc_status s = xc_parallel_by(b->context, threads, l->count, read_next, &r, 0, 0);

	lay_out_data(l);
	if (!s)
		s = xc_cuda_need(gpu, XC_GPU_PINNED_MEMORY, l->data_end + l->count * sizeof(xc_gpu_array),
		                 &l->pinned);
	if (!s)
		s = xc_parallel_by(b->context, threads, l->count, copy_next, &r, 0, 0);
	return s ? s : start(gpu, o, l, callers);
}

static void fail_item(xc_batch_item *i, xc_status s, const xc_context *c)
{
	i->status = s;
	xc_batch_note(i->message, c);
}

/* A list on its way. */
typedef struct progress {
	xc_batch_item **order;
	size_t count, next;
	size_t alone; /* items before this one are portions of their own */
} progress;

/* Takes the next portion.  Where it is too much for the GPU's memory, its items are tried one by one, and one
 * that is too much alone fails alone. */
static xc_status take_next(xc_batch *b, const xc_batch_options *o, gpu_stream *l, progress *p,
                           void *stream)
{
	const size_t first = p->next;

	take_portion(l, p->order, p->next < p->alone ? p->next + 1 : p->count, xc_batch_scale(o),
	             &p->next);
	const xc_status s = l->count ? run_portion(b, o, l, stream) : XC_OK;
	if (s != XC_ERR_MEMORY && s != XC_ERR_LIMIT)
		return s;
	l->listed = 0;
	if (l->count == 1) {
		if (!l->slots[0].item->status)
			fail_item(l->slots[0].item, s, b->context);
	} else {
		p->alone = p->next;
		p->next = first;
	}
	const xc_status waited = wait_for(b, l);
	for (int i = 0; i < STREAMS && !waited; i++) {
		const xc_status t = finish(b, &b->gpu->streams[i]);
		if (t)
			return t;
	}
	return waited;
}

xc_status xc_batch_gpu_decode(xc_batch *b, const xc_batch_options *o, xc_batch_item *items,
                              size_t count, void *stream)
{
	struct xc_batch_gpu *g = b->gpu;
	progress p = {.count = count};
	xc_status s = put_in_order(b, items, &p.count, &p.order);
	int turn = 0;

	for (int i = 0; i < STREAMS; i++)
		g->streams[i].follows = 0;
	for (; !s && p.next < p.count; turn++) {
		gpu_stream *l = &g->streams[turn % STREAMS];
		s = finish(b, l);
		if (!s)
			s = take_next(b, o, l, &p, stream);
		b->done = p.next;
		if (!s)
			s = xc_report_progress(b->context, (double)p.next / (double)p.count);
	}
	for (int i = 0; i < STREAMS; i++) {
		gpu_stream *l = &g->streams[(turn + i) % STREAMS];
		const xc_status t = s ? s : finish(b, l);
		if (s && l->count)
			(void)wait_for(b, l);
		s = s ? s : t;
	}
	for (size_t i = 0; i < count && s; i++)
		if (!items[i].status)
			fail_item(&items[i], s, b->context);
	xc_release(b->context, p.order);
	if (!s)
		b->context->message[0] = '\0';
	return s;
}
