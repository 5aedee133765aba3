/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/emulated/stub_module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/decode/huffman/segment.h"

xc_status xc_stub_fail(xc_gpu_error *e, xc_status s, const char *what)
{
	e->status = s;
	snprintf(e->text, sizeof e->text, "%s", what);
	return s;
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
	size_t size;
} head;

static xc_status allocate(xc_gpu *g, xc_gpu_memory kind, size_t size, void **memory,
                          xc_gpu_error *e)
{
	char *base = size > SIZE_MAX / 2 ? NULL : malloc(size + 2 * ALIGNMENT);

	*memory = NULL;
	if (!base)
		return xc_stub_fail(e, XC_ERR_MEMORY, "out of memory");
	char *start = base + 2 * ALIGNMENT - (uintptr_t)base % ALIGNMENT;
	((head *)(void *)start)[-1] = (head){base, kind, size};
	g->held[kind] += size;
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
	g->held[h.kind] -= h.size;
	free(h.base);
}

static void held(const xc_gpu *g, uint64_t *device, uint64_t *pinned)
{
	*device = g->held[XC_GPU_DEVICE_MEMORY];
	*pinned = g->held[XC_GPU_PINNED_MEMORY];
}

static xc_status trim(xc_gpu *g, xc_gpu_error *e)
{
	(void)e;
	g->trims++;
	return XC_OK;
}

static void close_gpu(xc_gpu *g)
{
	free(g);
}

/* ----------------------------------------------------- streams and events */

/* Streams and events are the same: handles, on which nothing is ever under way. */
static xc_status handle_new(xc_gpu *g, void **handle, xc_gpu_error *e)
{
	*handle = malloc(1);
	g->handles += *handle != NULL;
	return *handle ? XC_OK : xc_stub_fail(e, XC_ERR_MEMORY, "out of memory");
}

static void handle_free(xc_gpu *g, void *handle)
{
	g->handles -= handle != NULL;
	free(handle);
}

static xc_status wait_for(xc_gpu *g, void *handle, xc_gpu_error *e)
{
	(void)g;
	(void)handle;
	(void)e;
	return XC_OK;
}

static xc_status follow(xc_gpu *g, void *stream, void *callers, xc_gpu_error *e)
{
	(void)callers;
	return wait_for(g, stream, e);
}

static xc_status wait_for_all(xc_gpu *g, xc_gpu_error *e)
{
	return wait_for(g, NULL, e);
}

static xc_status copy(xc_gpu *g, void *to, const void *from, size_t size, void *stream,
                      xc_gpu_error *e)
{
	if (size)
		memcpy(to, from, size);
	return wait_for(g, stream, e);
}

static xc_status copy_rows(xc_gpu *g, void *to, size_t to_stride, const void *from,
                           size_t from_stride, size_t width, size_t rows, void *stream,
                           xc_gpu_error *e)
{
	for (size_t i = 0; i < rows; i++)
		copy(g, (char *)to + i * to_stride, (const char *)from + i * from_stride, width, stream, e);
	return XC_OK;
}

static xc_status event_record(xc_gpu *g, void *event, void *stream, xc_gpu_error *e)
{
	(void)stream;
	return wait_for(g, event, e);
}

static xc_status event_elapsed(xc_gpu *g, void *from, void *to, float *milliseconds,
                               xc_gpu_error *e)
{
	(void)to;
	*milliseconds = 1;
	return wait_for(g, from, e);
}

static int pinned(xc_gpu *g, const void *memory)
{
	return memory && g->reaches_all;
}

static xc_status pin(xc_gpu *g, void *memory, size_t size, xc_gpu_error *e)
{
	(void)size;
	g->pins++;
	if (g->pinned)
		abort();
	if (g->pins_none)
		return xc_stub_fail(e, XC_ERR_DEVICE, "nothing can be pinned");
	g->pinned = memory;
	return XC_OK;
}

static void unpin(xc_gpu *g, void *memory)
{
	if (g->pinned != memory)
		abort();
	g->pinned = NULL;
}

/* clang-format off */
const xc_gpu_module xc_stub_module = {
	.abi = XC_GPU_ABI, .close = close_gpu,
	.allocate = allocate, .release = release, .held = held, .trim = trim, .pinned = pinned,
	.pin = pin, .unpin = unpin,
	.stream_new = handle_new, .stream_free = handle_free,
	.copy = copy, .copy_rows = copy_rows, .synchronize = wait_for,
	.follow = follow, .synchronize_all = wait_for_all,
	.event_new = handle_new, .event_free = handle_free, .event_record = event_record,
	.event_wait = wait_for, .event_elapsed = event_elapsed,
	.encode = &xc_stub_encoder, .decode = &xc_stub_decoder,
};
/* clang-format on */

int xc_stub_fits(void)
{
	const int fits = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

	if (!fits)
		printf("# kernels are for GPUs, which have the lowest byte of a number first\n");
	return fits;
}

xc_cuda *xc_stub_open(xc_context *context)
{
	xc_cuda *gpu = xc_allocate_zeroed(context, sizeof *gpu);

	if (!gpu)
		abort();
	*gpu = (xc_cuda){.context = context, .module = &xc_stub_module};
	gpu->gpu = xc_stub_need(sizeof *gpu->gpu);
	*gpu->gpu = (xc_gpu){.shared_bytes = SIZE_MAX,
	                     .copy_words = 4096,
	                     .cached_blocks = XC_GPU_CACHED_MAX};
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
