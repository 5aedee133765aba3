/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/emulated/stub_module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

xc_status xc_stub_fail(xc_gpu_error *e, xc_status s, const char *what)
{
	e->status = s;
	snprintf(e->text, sizeof e->text, "%s", what);
	return s;
}

static void close_gpu(xc_gpu *g)
{
	free(g);
}

/* ------------------------------------------------------------------ memory */

void *xc_stub_need(size_t size)
{
	void *p = size && size % 256 == 0 ? aligned_alloc(256, size) : malloc(size ? size : 1);
	if (!p)
		abort();
	memset(p, 0xa5, size);
	return p;
}

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
		return xc_stub_fail(e, XC_ERR_MEMORY, "out of memory");
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
	return *stream ? XC_OK : xc_stub_fail(e, XC_ERR_MEMORY, "out of memory");
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
	return *event ? XC_OK : xc_stub_fail(e, XC_ERR_MEMORY, "out of memory");
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

static xc_status event_elapsed(xc_gpu *g, void *from, void *to, float *milliseconds,
                               xc_gpu_error *e)
{
	(void)to;
	*milliseconds = 1;
	return event_record(g, from, NULL, e);
}

static int pinned(xc_gpu *g, const void *memory)
{
	return memory && g->reaches_all;
}

/* clang-format off */
const xc_gpu_module xc_stub_module = {
	.abi = XC_GPU_ABI, .close = close_gpu,
	.allocate = allocate, .release = release, .held = held, .pinned = pinned,
	.stream_new = stream_new, .stream_free = stream_free,
	.copy = copy, .copy_rows = copy_rows, .synchronize = synchronize,
	.event_new = event_new, .event_free = event_free, .event_record = event_record,
	.event_wait = event_wait, .event_elapsed = event_elapsed,
	.encode = &xc_stub_encoder, .decode = &xc_stub_decoder,
};
/* clang-format on */

xc_cuda *xc_stub_open(xc_context *context)
{
	xc_cuda *gpu = xc_allocate_zeroed(context, sizeof *gpu);
	if (!gpu)
		abort();
	*gpu = (xc_cuda){.context = context, .module = &xc_stub_module};
	gpu->gpu = xc_stub_need(sizeof *gpu->gpu);
	*gpu->gpu = (xc_gpu){.shared_bytes = SIZE_MAX, .copy_words = 4096};
	return gpu;
}

void xc_stub_use(xc_context *context)
{
	/* Sets the backend, and opens nothing yet. */
	if (xc_context_set_device(context, "auto"))
		abort();
	context->device.choice = XC_DEVICE_NAMED;
	context->device.opened = xc_stub_open(context);
}
