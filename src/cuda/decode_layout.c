/* SPDX-License-Identifier: BSD-2-Clause */
/* Where everything lies that the decoder's kernels use. */
#include "src/cuda/decode_job.h"

#include "src/cuda/decode_plan.h"

/* SIZE_MAX: more than there can be. */
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
static void lay_out_piece(xc_cuda_decoding *d)
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

/* The kernels read whole words of the file, so there has to be something behind the
 * segments. */
int xc_decode_is_copied(const xc_cuda_decoding *d, size_t i)
{
	return !d->list[i].device_file || !d->jobs[i].container.data_checked;
}

/* What the kernels keep about a picture's blocks: records, tokens, and DC; then its
 * segments. */
typedef struct room {
	size_t records, tokens, dc, data;
} room;

static uint64_t dc_bytes(const xc_container *k)
{
	return xc_geometry_tile_blocks(&k->geometry) <= XC_GPU_SMALL_TILE
	           ? 0
	           : xc_geometry_blocks(&k->geometry) * sizeof(int32_t);
}

static room place_picture(const xc_cuda_decoding *d, size_t i, size_t *size)
{
	const xc_container *k = &d->jobs[i].container;
	room r;
	r.records = place(size, xc_geometry_blocks(&k->geometry) * sizeof(xc_gpu_block_record));
	r.tokens = place(size, xc_gpu_decode_token_words(k) * sizeof(uint32_t));
	r.dc = place(size, dc_bytes(k));
	r.data = place(size, xc_decode_is_copied(d, i) ? k->data_there : 0);
	return r;
}

void xc_decode_lay_out(xc_cuda_decoding *d)
{
	const xc_gpu_decode_batch *b = &d->batch;
	lay_out_piece(d);
	size_t size = b->size;
	d->results_at = place(&size, (uint64_t)b->segments * sizeof *b->results);
	d->pinned_size = size;
	d->tables_at = place(&size, 2 * (uint64_t)b->codes * sizeof *b->tables);
	d->rest_at = size;
	for (uint32_t n = 0; n < b->pictures; n++)
		place_picture(d, d->order[n], &size);
	d->device_size = size;
}

/* Plan n, but for its segments' place among all. */
static void fill_plan(const xc_cuda_decoding *d, uint32_t n, size_t *size, xc_gpu_decode_plan *p)
{
	const size_t i = d->order[n];
	const xc_decode_job *j = &d->jobs[i];
	const xc_cuda_decode *w = &d->list[i];
	char *device = d->device;
	const room r = place_picture(d, i, size);
	xc_gpu_decode_plan_init(p, &j->container, &d->options);
	p->tables = d->batch.tables + 2 * j->codes;
	p->records = (void *)(device + r.records);
	p->tokens = (void *)(device + r.tokens);
	p->dc = dc_bytes(&j->container) ? (int32_t *)(void *)(device + r.dc) : NULL;
	p->data = xc_decode_is_copied(d, i) ? (const uint8_t *)device + r.data
	                                    : (const uint8_t *)w->device_file +
	                                          (j->container.data - (const uint8_t *)w->file);
	p->pixels = w->picture.data;
	p->stride = w->picture.stride;
	p->alpha = alpha_bytes(&j->container) ? (uint8_t *)device + j->alpha_at : NULL;
}

void xc_decode_fill_piece(xc_cuda_decoding *d)
{
	xc_gpu_decode_batch *b = &d->batch;
	char *device = d->device, *pinned = d->pinned;
	xc_gpu_decode_plan *plans = (void *)(pinned + b->plans_at);
	xc_gpu_segment *segments = (void *)(pinned + b->segments_at);
	xc_canonical_code(*codes)[2][2] = (void *)(pinned + b->codes_at);
	size_t size = d->rest_at;
	uint32_t first = 0;
	b->host = pinned;
	b->device = device;
	b->plans = plans;
	b->tables = (void *)(device + d->tables_at);
	b->results = (void *)(device + d->results_at);
	b->results_host = (void *)(pinned + d->results_at);
	for (uint32_t n = 0; n < b->pictures; n++) {
		fill_plan(d, n, &size, &plans[n]);
		plans[n].first_segment = first;
		plans[n].longest = xc_gpu_decode_segments(&d->jobs[d->order[n]].container,
		                                          segments + first);
		first += plans[n].segments;
	}
	for (uint32_t i = 0; i < b->codes; i++)
		xc_gpu_decode_codes(d->coders[i], codes[i]);
}
