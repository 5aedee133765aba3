/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decoding on a GPU into its memory.  The files are taken apart here; what the kernels
 * need to know goes to the device in one piece, with the segments themselves where
 * they are not there yet.
 */
#include "src/cuda_decode.h"

#include <stdio.h>
#include <string.h>

#include "src/alpha.h"
#include "src/coded.h"
#include "src/cuda_decode_plan.h"
#include "src/cuda_module.h"
#include "src/picture.h"

typedef struct job {
	xc_container container;
	xc_status status;       /* of what was done so far */
	xc_status alpha_status; /* counts if the segments are right */
	char alpha_message[64];
	int ready;              /* it takes part */
	uint32_t plan, codes;
	size_t data_at, alpha_at; /* in the piece; data_at only if it is copied with it */
} job;

struct xc_cuda_decoding {
	xc_cuda *gpu;
	xc_cuda_decode *list;
	size_t count;
	xc_decode_options options;
	job *jobs;
	xc_gpu_decode_batch batch;
	const xc_container **coders; /* whose codes each set has */
	size_t *order;               /* which job each plan is of */
	void *pinned;   /* the piece, and behind it the results */
	void *device;   /* the same, then tables and what is known of blocks */
	void *data;     /* segments that are copied */
	void *event;    /* NULL: nothing is under way */
	xc_status status;           /* of the first picture that failed, */
	char message[XC_MESSAGE_BYTES]; /* and what was said about it */
};

typedef struct xc_cuda_decoding decoding;

static void note(decoding *d, size_t i, xc_status s)
{
	d->list[i].status = s;
	if (s && !d->status) {
		d->status = s;
		memcpy(d->message, d->gpu->context->message, sizeof d->message);
	}
}

/* ------------------------------------------------------------------- files */

static int can_decode(const xc_container *k)
{
	return k->header.transform <= XC_TRANSFORM_TDLT;
}

static xc_status check(decoding *d, const xc_cuda_decode *w, const xc_container *k)
{
	xc_context *c = d->gpu->context;
	const xc_header *h = &k->header;
	const xc_picture *p = &w->picture;
	if (!can_decode(k))
		return xc_fail(c, XC_ERR_UNSUPPORTED, "the GPU does not know this transform");
	if (p->width != h->width || p->height != h->height || p->channels != h->channels ||
	    p->depth != h->depth)
		return xc_fail(c, XC_ERR_ARGUMENT,
		               "the file has %ux%u pixels, %u channels of %u bits, not what was given",
		               h->width, h->height, h->channels, h->depth);
	if (xc_geometry_blocks(&k->geometry) > INT32_MAX)
		return xc_fail(c, XC_ERR_LIMIT, "%ux%u pixels are more than the GPU's decoder takes",
		               h->width, h->height);
	return xc_picture_check_data(c, p);
}

static void open_files(decoding *d)
{
	xc_context *c = d->gpu->context;
	for (size_t i = 0; i < d->count; i++) {
		xc_cuda_decode *w = &d->list[i];
		job *j = &d->jobs[i];
		w->damaged_segments = 0;
		j->alpha_status = XC_OK;
		xc_status s = w->file ? xc_container_read(c, w->file, w->size, d->options.keep_going,
		                                          &j->container)
		                      : xc_fail(c, XC_ERR_ARGUMENT, "no file given");
		if (!s)
			s = check(d, w, &j->container);
		j->ready = !s;
		note(d, i, s);
	}
}

/* Which set of codes each picture has: built-in ones are shared, and the same ones one
 * after another. */
static uint32_t codes_of(decoding *d, const xc_container *k)
{
	xc_gpu_decode_batch *b = &d->batch;
	const int built_in = k->header.entropy == XC_ENTROPY_HUFFMAN_DEFAULT;
	for (uint32_t i = b->codes; i-- > 0;) {
		const xc_container *other = d->coders[i];
		if (built_in ? other->header.entropy == XC_ENTROPY_HUFFMAN_DEFAULT
		             : i + 1 == b->codes && !memcmp(other->codes, k->codes, sizeof k->codes))
			return i;
	}
	d->coders[b->codes] = k;
	return b->codes++;
}

/* Numbers the plans so that pictures of one kind and depth stand together. */
static xc_status number_plans(decoding *d)
{
	xc_gpu_decode_batch *b = &d->batch;
	uint64_t segments = 0;
	for (uint32_t kind = 0; kind < 16; kind++) {
		for (size_t i = 0; i < d->count; i++) {
			job *j = &d->jobs[i];
			const xc_container *k = &j->container;
			const xc_header *h = &k->header;
			if (!j->ready || kind != h->subsampling * 4u + (h->depth == 16) * 2u +
			                                 (h->transform != XC_TRANSFORM_DCT))
				continue;
			d->order[b->pictures] = i;
			j->plan = b->pictures++;
			j->codes = codes_of(d, k);
			segments += k->segments;
		}
	}
	if (d->count > INT32_MAX || segments > INT32_MAX)
		return xc_fail(d->gpu->context, XC_ERR_LIMIT,
		               "too many pictures for one call of the GPU's decoder");
	b->segments = (uint32_t)segments;
	return XC_OK;
}

/* ------------------------------------------------------------------ layout */

static size_t place(size_t *size, uint64_t bytes)
{
	const size_t at = *size;
	const uint64_t room = (bytes + 255) / 256 * 256;
	*size = room > SIZE_MAX / 2 || at > SIZE_MAX / 2 ? SIZE_MAX : at + (size_t)room;
	return at;
}

static size_t alpha_bytes(const xc_container *k)
{
	const xc_header *h = &k->header;
	return h->channels % 2 ? 0 : (size_t)h->width * h->height * (h->depth / 8);
}

/* The piece that is copied. */
static void lay_out_piece(decoding *d)
{
	xc_gpu_decode_batch *b = &d->batch;
	b->size = 0;
	b->plans_at = place(&b->size, (uint64_t)b->pictures * sizeof(xc_gpu_decode_plan));
	b->segments_at = place(&b->size, (uint64_t)b->segments * sizeof(xc_gpu_segment));
	b->codes_at = place(&b->size, (uint64_t)b->codes * sizeof(xc_canonical_code[2][2]));
	for (size_t i = 0; i < d->count; i++)
		if (d->jobs[i].ready)
			d->jobs[i].alpha_at = place(&b->size, alpha_bytes(&d->jobs[i].container));
}

/* What the kernels keep about a picture's blocks: records, tokens, and DC. */
static uint64_t record_bytes(const xc_container *k)
{
	return xc_geometry_blocks(&k->geometry) * sizeof(xc_gpu_block_record);
}

static uint64_t token_bytes(const xc_container *k)
{
	return xc_gpu_decode_token_words(k) * sizeof(uint32_t);
}

static uint64_t dc_bytes(const xc_container *k)
{
	return xc_geometry_tile_blocks(&k->geometry) <= XC_GPU_SMALL_TILE
	               ? 0
	               : xc_geometry_blocks(&k->geometry) * sizeof(int32_t);
}

static xc_status allocate(decoding *d, xc_gpu_memory kind, size_t size, void **memory)
{
	xc_gpu_error e = {XC_OK, ""};
	return xc_cuda_status(d->gpu->context,
	                      d->gpu->module->allocate(d->gpu->gpu, kind, size, memory, &e), &e);
}

/* Allocates all memory and says in the plans where everything is. */
static xc_status set_up_memory(decoding *d)
{
	xc_gpu_decode_batch *b = &d->batch;
	lay_out_piece(d);
	size_t size = b->size;
	const size_t results_at = place(&size, (uint64_t)b->segments * sizeof *b->results);
	xc_status s = allocate(d, XC_GPU_PINNED_MEMORY, size, &d->pinned);
	if (s)
		return s;
	const size_t tables_at = place(&size, 2 * (uint64_t)b->codes * sizeof *b->tables);
	const size_t rest = size;
	for (size_t i = 0; i < d->count; i++) {
		if (d->jobs[i].ready) {
			place(&size, record_bytes(&d->jobs[i].container));
			place(&size, token_bytes(&d->jobs[i].container));
			place(&size, dc_bytes(&d->jobs[i].container));
		}
	}
	if ((s = allocate(d, XC_GPU_DEVICE_MEMORY, size, &d->device)))
		return s;
	char *device = d->device, *pinned = d->pinned;
	b->host = pinned;
	b->device = device;
	b->plans = (const void *)(pinned + b->plans_at);
	b->tables = (void *)(device + tables_at);
	b->results = (void *)(device + results_at);
	b->results_host = (void *)(pinned + results_at);
	size = rest;
	uint32_t segments = 0;
	for (uint32_t n = 0; n < b->pictures; n++) {
		const job *j = &d->jobs[d->order[n]];
		const xc_picture *to = &d->list[d->order[n]].picture;
		xc_gpu_decode_plan *p = (xc_gpu_decode_plan *)(void *)(pinned + b->plans_at) + n;
		xc_gpu_decode_plan_init(p, &j->container, &d->options);
		p->first_segment = segments;
		segments += p->segments;
		p->tables = b->tables + 2 * j->codes;
		p->records = (void *)(device + place(&size, record_bytes(&j->container)));
		p->tokens = (void *)(device + place(&size, token_bytes(&j->container)));
		p->dc = (void *)(device + place(&size, dc_bytes(&j->container)));
		p->pixels = to->data;
		p->stride = to->stride;
		p->alpha = alpha_bytes(&j->container) ? (uint8_t *)device + j->alpha_at : NULL;
		p->longest = xc_gpu_decode_segments(
		        &j->container, (xc_gpu_segment *)(void *)(pinned + b->segments_at) +
		                               p->first_segment);
	}
	for (uint32_t i = 0; i < b->codes; i++)
		xc_gpu_decode_codes(d->coders[i],
		                    ((xc_canonical_code(*)[2][2])(void *)(pinned + b->codes_at))[i]);
	return XC_OK;
}

/* ------------------------------------------------------------ what is copied */

static xc_status copy(decoding *d, void *to, const void *from, size_t size, void *stream)
{
	xc_gpu_error e = {XC_OK, ""};
	return xc_cuda_status(d->gpu->context,
	                      d->gpu->module->copy(d->gpu->gpu, to, from, size, stream, &e), &e);
}

/* The kernels read whole words, so there has to be something behind the segments. */
static int in_place(const decoding *d, size_t i)
{
	return d->list[i].device_file && d->jobs[i].container.data_checked;
}

/* Puts segments where the GPU can read them. */
static xc_status bring_data(decoding *d, void *stream)
{
	xc_gpu_decode_plan *plans = (void *)((char *)d->pinned + d->batch.plans_at);
	size_t size = 0;
	for (size_t i = 0; i < d->count; i++)
		if (d->jobs[i].ready && !in_place(d, i))
			d->jobs[i].data_at = place(&size, d->jobs[i].container.data_there);
	xc_status s = size ? allocate(d, XC_GPU_DEVICE_MEMORY, size, &d->data) : XC_OK;
	for (size_t i = 0; i < d->count && !s; i++) {
		const job *j = &d->jobs[i];
		const xc_cuda_decode *w = &d->list[i];
		const xc_container *k = &j->container;
		if (!j->ready)
			continue;
		if (in_place(d, i)) {
			plans[j->plan].data = (const uint8_t *)w->device_file +
			                      (k->data - (const uint8_t *)w->file);
		} else {
			uint8_t *to = (uint8_t *)d->data + j->data_at;
			plans[j->plan].data = to;
			s = copy(d, to, k->data, (size_t)k->data_there, stream);
		}
	}
	return s;
}

static void decode_alpha(decoding *d)
{
	for (size_t i = 0; i < d->count; i++) {
		job *j = &d->jobs[i];
		const xc_header *h = &j->container.header;
		if (!j->ready || !alpha_bytes(&j->container))
			continue;
		const xc_picture plane = {h->width, h->height, 1, h->depth,
		                          (size_t)h->width * (h->depth / 8),
		                          (char *)d->pinned + j->alpha_at};
		j->alpha_status = xc_alpha_decode(d->gpu->context, j->container.alpha.data,
		                                  j->container.alpha.size, &plane);
		snprintf(j->alpha_message, sizeof j->alpha_message, "%.63s",
		         d->gpu->context->message);
	}
}

/* --------------------------------------------------------- begin and end */

static void discard(decoding *d)
{
	xc_cuda *g = d->gpu;
	xc_context *c = g->context;
	if (d->event)
		g->module->event_free(g->gpu, d->event);
	g->module->release(g->gpu, d->pinned);
	g->module->release(g->gpu, d->device);
	g->module->release(g->gpu, d->data);
	xc_release(c, d->coders);
	xc_release(c, d->order);
	xc_release(c, d->jobs);
	xc_release(c, d);
}

static xc_status launch(decoding *d, void *stream, void **marks)
{
	const xc_gpu_module *m = d->gpu->module;
	xc_gpu_error e = {XC_OK, ""};
	void *event = NULL;
	xc_status s = bring_data(d, stream);
	if (s)
		return s;
	s = m->event_new(d->gpu->gpu, &event, &e);
	if (!s)
		s = m->decode->run(d->gpu->gpu, &d->batch, stream, marks, &e);
	if (!s)
		s = m->event_record(d->gpu->gpu, event, stream, &e);
	d->event = event;
	return xc_cuda_status(d->gpu->context, s, &e);
}

static xc_status begin(decoding *d, void *stream, void **marks)
{
	xc_context *c = d->gpu->context;
	if (!d->gpu->module->decode)
		return xc_fail(c, XC_ERR_UNSUPPORTED, "this CUDA module has no decoder");
	const size_t n = d->count ? d->count : 1;
	if (n > SIZE_MAX / 2 / sizeof *d->jobs)
		return xc_fail(c, XC_ERR_ARGUMENT, "too many pictures");
	d->jobs = xc_allocate(c, n * sizeof *d->jobs);
	d->coders = xc_allocate(c, n * sizeof *d->coders);
	d->order = xc_allocate(c, n * sizeof *d->order);
	if (!d->jobs || !d->coders || !d->order)
		return xc_fail_memory(c, n * sizeof *d->jobs);
	open_files(d);
	xc_status s = number_plans(d);
	if (s || !d->batch.pictures)
		return s;
	s = set_up_memory(d);
	if (s)
		return s;
	decode_alpha(d);
	s = launch(d, stream, marks);
	if (s) {
		/* What was put on the stream may still use the memory. */
		xc_gpu_error e;
		(void)d->gpu->module->synchronize(d->gpu->gpu, stream, &e);
	}
	return s;
}

xc_status xc_cuda_decode_marked(xc_cuda *gpu, xc_cuda_decode *list, size_t count,
                                const xc_decode_options *options, void *stream, void **marks,
                                xc_cuda_decoding **result)
{
	xc_context *c = gpu->context;
	xc_begin(c);
	if (!result || (count && !list))
		return xc_fail(c, XC_ERR_ARGUMENT, "no pictures to decode, or no place for the result");
	*result = NULL;
	decoding *d = xc_allocate_zeroed(c, sizeof *d);
	if (!d)
		return xc_fail_memory(c, sizeof *d);
	d->gpu = gpu;
	d->list = list;
	d->count = count;
	if (options)
		d->options = *options;
	const xc_status s = begin(d, stream, marks);
	if (s)
		discard(d);
	else
		*result = d;
	return s;
}

xc_status xc_cuda_decode_begin(xc_cuda *gpu, xc_cuda_decode *list, size_t count,
                               const xc_decode_options *options, void *stream,
                               xc_cuda_decoding **result)
{
	return xc_cuda_decode_marked(gpu, list, count, options, stream, NULL, result);
}

/* What became of a picture's segments. */
typedef struct verdict {
	uint64_t damaged, first; /* how many, and the first one */
	int other;               /* the CRC of all data says that there is more damage */
} verdict;

static xc_status look(decoding *d, const job *j, const xc_coded *coded, verdict *v)
{
	xc_context *c = d->gpu->context;
	const xc_gpu_segment_result *r = d->batch.results_host + d->batch.plans[j->plan].first_segment;
	const size_t n = (size_t)j->container.segments;
	uint32_t *crcs = xc_allocate(c, n * sizeof *crcs), intact = 0;
	*v = (verdict){0};
	if (!crcs)
		return xc_fail_memory(c, n * sizeof *crcs);
	for (size_t k = 0; k < n; k++) {
		intact += r[k].intact != 0;
		crcs[k] = r[k].crc;
	}
	v->damaged = n - intact;
	while (v->damaged && r[v->first].intact)
		v->first++;
	v->other = !v->damaged && j->container.data_checked &&
	           xc_coded_data_crc(coded, crcs) != j->container.data_check;
	xc_release(c, crcs);
	return XC_OK;
}

/* What the kernels found out about a picture, in the words of xc_decode(). */
static xc_status judge(decoding *d, size_t i)
{
	const job *j = &d->jobs[i];
	xc_context *c = d->gpu->context;
	const xc_coded coded = {.container = j->container};
	verdict v;
	xc_status s = look(d, j, &coded, &v);
	if (s)
		return s;
	if (v.damaged)
		s = xc_fail_segment(c, &coded, v.first);
	else if (v.other)
		s = xc_fail(c, XC_ERR_CORRUPT, "some segment is damaged");
	d->list[i].damaged_segments = v.other ? 1 : v.damaged;
	if (s && !d->options.keep_going)
		return s;
	return j->alpha_status ? xc_fail(c, j->alpha_status, "%s", j->alpha_message) : XC_OK;
}

xc_status xc_cuda_decode_end(xc_cuda_decoding *d)
{
	if (!d)
		return XC_OK;
	xc_context *c = d->gpu->context;
	xc_gpu_error e = {XC_OK, ""};
	xc_begin(c);
	if (d->event) {
		const xc_status s = xc_cuda_status(
		        c, d->gpu->module->event_wait(d->gpu->gpu, d->event, &e), &e);
		for (size_t i = 0; i < d->count; i++)
			if (d->jobs[i].ready)
				note(d, i, s ? s : judge(d, i));
	}
	const xc_status s = d->status;
	if (s)
		memcpy(c->message, d->message, sizeof c->message);
	discard(d);
	return s;
}
