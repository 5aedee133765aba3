/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/emulated/stub_module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/core/crc32c.h"

static xc_status fail(xc_gpu_error *e, xc_status s, const char *what)
{
	e->status = s;
	snprintf(e->text, sizeof e->text, "%s", what);
	return s;
}

/* ------------------------------------------------------------------ memory */

enum { ALIGNMENT = 256 };

/* In front of each piece. */
typedef struct head {
	void *base;
	xc_gpu_memory kind;
} head;

static xc_status allocate(xc_gpu *g, xc_gpu_memory kind, size_t size, void **memory,
                          xc_gpu_error *e)
{
	char *base = size > SIZE_MAX / 2 ? NULL : malloc(size + 2 * ALIGNMENT);
	*memory = NULL;
	if (!base)
		return fail(e, XC_ERR_MEMORY, "out of memory");
	char *start = base + 2 * ALIGNMENT - (uintptr_t)base % ALIGNMENT;
	((head *)(void *)start)[-1] = (head){base, kind};
	g->allocations[kind]++;
	g->taken[kind]++;
	*memory = start;
	return XC_OK;
}

static void release(xc_gpu *g, void *memory)
{
	if (!memory)
		return;
	const head h = ((head *)memory)[-1];
	g->allocations[h.kind]--;
	free(h.base);
}

static void held(const xc_gpu *g, uint64_t *device, uint64_t *pinned)
{
	(void)g;
	*device = *pinned = 0;
}

/* ----------------------------------------------------- streams and events */

static xc_status stream_new(xc_gpu *g, void **stream, xc_gpu_error *e)
{
	*stream = malloc(1);
	g->streams += *stream != NULL;
	return *stream ? XC_OK : fail(e, XC_ERR_MEMORY, "out of memory");
}

static void stream_free(xc_gpu *g, void *stream)
{
	g->streams -= stream != NULL;
	free(stream);
}

static xc_status copy(xc_gpu *g, void *to, const void *from, size_t size, void *stream,
                      xc_gpu_error *e)
{
	(void)g;
	(void)stream;
	(void)e;
	if (size)
		memcpy(to, from, size);
	return XC_OK;
}

static xc_status copy_rows(xc_gpu *g, void *to, size_t to_stride, const void *from,
                           size_t from_stride, size_t width, size_t rows, void *stream,
                           xc_gpu_error *e)
{
	for (size_t i = 0; i < rows; i++)
		copy(g, (char *)to + i * to_stride, (const char *)from + i * from_stride, width, stream, e);
	return XC_OK;
}

static xc_status synchronize(xc_gpu *g, void *stream, xc_gpu_error *e)
{
	(void)g;
	(void)stream;
	(void)e;
	return XC_OK;
}

static xc_status event_new(xc_gpu *g, void **event, xc_gpu_error *e)
{
	*event = malloc(1);
	g->events += *event != NULL;
	return *event ? XC_OK : fail(e, XC_ERR_MEMORY, "out of memory");
}

static void event_free(xc_gpu *g, void *event)
{
	g->events -= event != NULL;
	free(event);
}

static xc_status event_record(xc_gpu *g, void *event, void *stream, xc_gpu_error *e)
{
	(void)g;
	(void)event;
	(void)stream;
	(void)e;
	return XC_OK;
}

static xc_status event_wait(xc_gpu *g, void *event, xc_gpu_error *e)
{
	return event_record(g, event, NULL, e);
}

static xc_status stream_wait(xc_gpu *g, void *stream, void *event, xc_gpu_error *e)
{
	return event_record(g, event, stream, e);
}

static xc_status event_elapsed(xc_gpu *g, void *from, void *to, float *milliseconds,
                               xc_gpu_error *e)
{
	(void)to;
	*milliseconds = 1;
	return event_record(g, from, NULL, e);
}

/* ------------------------------------------------------------------ decoder */

static xc_status run(xc_gpu *g, const xc_gpu_decode_batch *b, void *stream, void **marks,
                     xc_gpu_error *e)
{
	(void)stream;
	(void)marks;
	g->runs++;
	if (g->fail)
		return fail(e, XC_ERR_DEVICE, "the stub was told to fail");
	memcpy(b->device, b->host, b->size);
	const xc_gpu_segment *segments = (void *)((char *)b->device + b->segments_at);
	for (uint32_t i = 0; i < b->pictures; i++) {
		const xc_gpu_decode_plan *p = &b->plans[i];
		for (uint32_t n = p->first_segment; n < p->first_segment + p->segments; n++) {
			const xc_gpu_segment *s = &segments[n];
			xc_gpu_segment_result *r = &b->results[n];
			r->crc = s->there ? xc_crc32c(0, p->data + s->start, s->size) : 0;
			r->intact = s->there && (r->crc & 0xffff) == s->check;
		}
	}
	memcpy(b->results_host, b->results, b->segments * sizeof *b->results);
	return XC_OK;
}

static int pinned(xc_gpu *g, const void *memory)
{
	(void)g;
	(void)memory;
	return 0;
}

static const xc_gpu_decode_ops decoder = {.run = run, .pinned = pinned};

/* clang-format off */
const xc_gpu_module xc_stub_module = {
	.abi = XC_GPU_ABI,
	.allocate = allocate, .release = release, .held = held,
	.stream_new = stream_new, .stream_free = stream_free,
	.copy = copy, .copy_rows = copy_rows, .synchronize = synchronize,
	.event_new = event_new, .event_free = event_free, .event_record = event_record,
	.event_wait = event_wait, .stream_wait = stream_wait, .event_elapsed = event_elapsed,
	.decode = &decoder,
};
/* clang-format on */

void xc_stub_open(xc_cuda *gpu, struct xc_gpu *state, xc_context *context)
{
	memset(state, 0, sizeof *state);
	*gpu = (xc_cuda){.context = context, .module = &xc_stub_module, .gpu = state};
}
