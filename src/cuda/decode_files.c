/* SPDX-License-Identifier: BSD-2-Clause */
/* What the GPU's decoder does with files on the host: headers, indices and alpha. */
#include "src/cuda/decode_job.h"

#include <stdio.h>
#include <string.h>

#include "src/container/alpha.h"
#include "src/core/picture.h"

xc_status xc_decode_jobs_make(xc_cuda_decoding *d)
{
	xc_context *c = d->gpu->context;
	const size_t n = d->count ? d->count : 1;
	if (n > SIZE_MAX / 2 / sizeof *d->jobs)
		return xc_fail(c, XC_ERR_ARGUMENT, "too many pictures");
	d->jobs = xc_allocate(c, n * sizeof *d->jobs);
	d->coders = xc_allocate(c, n * sizeof *d->coders);
	d->order = xc_allocate(c, n * sizeof *d->order);
	return d->jobs && d->coders && d->order ? XC_OK : xc_fail_memory(c, n * sizeof *d->jobs);
}

void xc_decode_jobs_free(xc_cuda_decoding *d)
{
	xc_context *c = d->gpu->context;
	xc_release(c, d->coders);
	xc_release(c, d->order);
	xc_release(c, d->jobs);
}

static int can_decode(const xc_container *k)
{
	return k->header.transform <= XC_TRANSFORM_TDLT;
}

static xc_status check(const xc_cuda_decoding *d, const xc_cuda_decode *w, const xc_container *k)
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
		return xc_fail(c, XC_ERR_UNSUPPORTED, "%ux%u pixels are more than the GPU's decoder takes",
		               h->width, h->height);
	return XC_OK;
}

xc_status xc_decode_open_file(xc_cuda_decoding *d, size_t i, int whole)
{
	xc_context *c = d->gpu->context;
	const xc_cuda_decode *w = &d->list[i];
	xc_decode_job *j = &d->jobs[i];
	j->alpha_status = XC_OK;
	xc_status s = XC_OK;
	if (d->given)
		j->container = *d->given;
	else if (w->file)
		s = xc_container_read(c, w->file, w->size, d->options.keep_going, &j->container);
	else
		s = xc_fail(c, XC_ERR_ARGUMENT, "no file given");
	if (!s)
		s = check(d, w, &j->container);
	if (!s && whole)
		s = xc_picture_check_data(c, &w->picture);
	j->ready = !s;
	return s;
}

/* Which set of codes each picture has: built-in ones are shared, and the same ones one
 * after another. */
static uint32_t codes_of(xc_cuda_decoding *d, const xc_container *k)
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
xc_status xc_decode_number_plans(xc_cuda_decoding *d)
{
	xc_gpu_decode_batch *b = &d->batch;
	uint64_t segments = 0;
	for (uint32_t kind = 0; kind < 16; kind++) {
		for (size_t i = 0; i < d->count; i++) {
			xc_decode_job *j = &d->jobs[i];
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

void xc_decode_alpha(xc_cuda_decoding *d)
{
	for (size_t i = 0; i < d->count; i++) {
		xc_decode_job *j = &d->jobs[i];
		const xc_header *h = &j->container.header;
		if (!j->ready || h->channels % 2)
			continue;
		const xc_picture plane = {h->width,
		                          h->height,
		                          1,
		                          h->depth,
		                          (size_t)h->width * (h->depth / 8),
		                          (char *)d->pinned + j->alpha_at};
		j->alpha_status = xc_alpha_decode(d->gpu->context, j->container.alpha.data,
		                                  j->container.alpha.size, &plane);
		snprintf(j->alpha_message, sizeof j->alpha_message, "%.63s", d->gpu->context->message);
	}
}
