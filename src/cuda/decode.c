/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decoding on a GPU into its memory.  The files are taken apart on the host; what the
 * kernels need to know goes to the device in one piece, with the segments themselves
 * where they are not there yet.
 */
#include "src/cuda/decode_job.h"

#include <string.h>

#include "src/decode/coded.h"

typedef struct xc_cuda_decoding decoding;

void xc_decode_note(decoding *d, size_t i, xc_status s)
{
	d->list[i].status = s;
	if (s && !d->status) {
		d->status = s;
		memcpy(d->message, d->gpu->context->message, sizeof d->message);
	}
}

/* --------------------------------------------------------- begin and end */

static void discard(decoding *d)
{
	xc_cuda *g = d->gpu;
	if (d->event)
		g->module->event_free(g->gpu, d->event);
	g->module->release(g->gpu, d->pinned);
	if (!d->device_given)
		g->module->release(g->gpu, d->device);
	xc_decode_jobs_free(d);
	xc_release(g->context, d);
}

static xc_status allocate(decoding *d, xc_gpu_memory kind, size_t size, void **memory)
{
	xc_gpu_error e = {XC_OK, ""};
	return xc_cuda_status(d->gpu->context,
	                      d->gpu->module->allocate(d->gpu->gpu, kind, size, memory, &e), &e);
}

/* Puts segments where the GPU can read them. */
static xc_status copy_segments(decoding *d, void *stream, xc_gpu_error *e)
{
	xc_status s = XC_OK;
	for (uint32_t n = 0; n < d->batch.pictures && !s; n++) {
		const size_t i = d->order[n];
		const xc_container *k = &d->jobs[i].container;
		if (xc_decode_is_copied(d, i))
			/* The plan's pointer is const for the kernels. */
			s = d->gpu->module->copy(d->gpu->gpu,
			                         (char *)d->device +
			                             (d->batch.plans[n].data - (const uint8_t *)d->device),
			                         k->data, (size_t)k->data_there, stream, e);
	}
	return s;
}

static xc_status launch(decoding *d, void *stream, void **marks)
{
	const xc_gpu_module *m = d->gpu->module;
	xc_gpu_error e = {XC_OK, ""};
	void *event = NULL;
	xc_status s = copy_segments(d, stream, &e);
	if (!s)
		s = m->event_new(d->gpu->gpu, &event, &e);
	if (!s)
		s = m->decode->run(d->gpu->gpu, &d->batch, stream, marks, &e);
	if (!s)
		s = m->event_record(d->gpu->gpu, event, stream, &e);
	d->event = event;
	return xc_cuda_status(d->gpu->context, s, &e);
}

/* Everything but memory and the GPU's work.  whole: to decode, not only to measure. */
static xc_status prepare(decoding *d, int whole)
{
	xc_status s = xc_decode_jobs_make(d);
	if (s)
		return s;
	for (size_t i = 0; i < d->count; i++) {
		s = xc_decode_open_file(d, i, whole);
		if (!whole)
			continue;
		d->list[i].damaged_segments = 0;
		xc_decode_note(d, i, s);
	}
	s = xc_decode_number_plans(d);
	if (!s)
		xc_decode_lay_out(d);
	return s;
}

static xc_status get_memory(decoding *d, const xc_cuda_scratch *scratch)
{
	const xc_status s = allocate(d, XC_GPU_PINNED_MEMORY, d->pinned_size, &d->pinned);
	if (s || !scratch)
		return s ? s : allocate(d, XC_GPU_DEVICE_MEMORY, d->device_size, &d->device);
	if (d->device_size > scratch->size)
		return xc_fail(d->gpu->context, XC_ERR_ARGUMENT, "%zu bytes of scratch are needed, not %zu",
		               d->device_size, scratch->size);
	d->device = scratch->data;
	d->device_given = 1;
	return XC_OK;
}

static xc_status begin(decoding *d, const xc_cuda_scratch *scratch, void *stream, void **marks)
{
	xc_status s = prepare(d, 1);
	if (s || !d->batch.pictures)
		return s;
	s = get_memory(d, scratch);
	if (s)
		return s;
	xc_decode_fill_piece(d);
	xc_decode_alpha(d);
	s = launch(d, stream, marks);
	if (s) {
		/* What was put on the stream may still use the memory. */
		xc_gpu_error e;
		(void)d->gpu->module->synchronize(d->gpu->gpu, stream, &e);
	}
	return s;
}

/* The decoding of a list, yet without anything in it. */
static xc_status make(xc_cuda *gpu, xc_cuda_decode *list, size_t count,
                      const xc_decode_options *options, decoding **result)
{
	xc_context *c = gpu->context;
	*result = NULL;
	if (count && !list)
		return xc_fail(c, XC_ERR_ARGUMENT, "no pictures to decode");
	if (!gpu->module->decode)
		return xc_fail(c, XC_ERR_UNSUPPORTED, "this CUDA module has no decoder");
	decoding *d = xc_allocate_zeroed(c, sizeof *d);
	if (!d)
		return xc_fail_memory(c, sizeof *d);
	d->gpu = gpu;
	d->list = list;
	d->count = count;
	if (options)
		d->options = *options;
	*result = d;
	return XC_OK;
}

xc_status xc_cuda_decode_scratch(xc_cuda *gpu, const xc_cuda_decode *list, size_t count,
                                 const xc_decode_options *options, size_t *size)
{
	xc_context *c = gpu->context;
	decoding *d;
	xc_begin(c);
	if (!size)
		return xc_fail(c, XC_ERR_ARGUMENT, "no place for the result");
	*size = 0;
	/* Measuring leaves the list as it is. */
	xc_status s = make(gpu, (xc_cuda_decode *)(uintptr_t)list, count, options, &d);
	if (s)
		return s;
	s = prepare(d, 0);
	if (!s)
		*size = d->batch.pictures ? d->device_size : 0;
	if (*size == SIZE_MAX)
		s = xc_fail(c, XC_ERR_LIMIT, "more memory is needed than there can be");
	discard(d);
	if (!s)
		c->message[0] = '\0';
	return s;
}

xc_status xc_cuda_decode_start(xc_cuda *gpu, xc_cuda_decode *list, size_t count,
                               const xc_container *given, const xc_decode_options *options,
                               const xc_cuda_scratch *scratch, void *stream, void **marks,
                               xc_cuda_decoding **result)
{
	xc_context *c = gpu->context;
	decoding *d;
	if (!result)
		return xc_fail(c, XC_ERR_ARGUMENT, "no place for the result");
	*result = NULL;
	if (scratch && (!scratch->data || (uintptr_t)scratch->data % 256))
		return xc_fail(c, XC_ERR_ARGUMENT, "scratch must be aligned to 256 bytes");
	xc_status s = make(gpu, list, count, options, &d);
	if (s)
		return s;
	d->given = given;
	s = begin(d, scratch, stream, marks);
	if (s)
		discard(d);
	else
		*result = d;
	return s;
}

xc_status xc_cuda_decode_marked(xc_cuda *gpu, xc_cuda_decode *list, size_t count,
                                const xc_decode_options *options, const xc_cuda_scratch *scratch,
                                void *stream, void **marks, xc_cuda_decoding **result)
{
	xc_begin(gpu->context);
	return xc_cuda_decode_start(gpu, list, count, NULL, options, scratch, stream, marks, result);
}

xc_status xc_cuda_decode_begin(xc_cuda *gpu, xc_cuda_decode *list, size_t count,
                               const xc_decode_options *options, const xc_cuda_scratch *scratch,
                               void *stream, xc_cuda_decoding **result)
{
	return xc_cuda_decode_marked(gpu, list, count, options, scratch, stream, NULL, result);
}

/* What became of a picture's segments. */
typedef struct verdict {
	uint64_t damaged, first; /* how many, and the first one */
	int other;               /* the CRC of all data says that there is more damage */
} verdict;

static xc_status look(decoding *d, const xc_decode_job *j, const xc_coded *coded, verdict *v)
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
	const xc_decode_job *j = &d->jobs[i];
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
	if (d)
		xc_begin(d->gpu->context);
	return xc_cuda_decode_finish(d);
}

xc_status xc_cuda_decode_finish(xc_cuda_decoding *d)
{
	if (!d)
		return XC_OK;
	xc_context *c = d->gpu->context;
	xc_gpu_error e = {XC_OK, ""};
	if (d->event) {
		const xc_status s = xc_cuda_status(c, d->gpu->module->event_wait(d->gpu->gpu, d->event, &e),
		                                   &e);
		for (size_t i = 0; i < d->count; i++)
			if (d->jobs[i].ready)
				xc_decode_note(d, i, s ? s : judge(d, i));
	}
	const xc_status s = d->status;
	if (s)
		memcpy(c->message, d->message, sizeof c->message);
	discard(d);
	return s;
}
