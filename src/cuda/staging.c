/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/cuda/staging.h"

#include <string.h>

/* Bytes of a piece, of which two are used in turn. */
enum { PIECE = 2 << 20 };

typedef struct staging {
	xc_cuda *gpu;
	xc_cuda_memory pinned;
	void *free[2]; /* events: a piece has been copied */
} staging;

static void close_staging(staging *g)
{
	for (int i = 0; i < 2; i++)
		if (g->free[i])
			g->gpu->module->event_free(g->gpu->gpu, g->free[i]);
	xc_cuda_drop(g->gpu, &g->pinned);
}

static xc_status open_staging(staging *g, xc_cuda *gpu)
{
	*g = (staging){.gpu = gpu};
	xc_status s = xc_cuda_need(gpu, XC_GPU_PINNED_MEMORY, (size_t)2 * PIECE, &g->pinned);
	for (int i = 0; i < 2 && !s; i++)
		s = xc_cuda_check(gpu, gpu->module->event_new(gpu->gpu, &g->free[i], &gpu->error));
	return s;
}

/* So many bytes of a piece, on the stream. */
static xc_status send(const staging *g, void *device, size_t size, int which)
{
	xc_cuda *gpu = g->gpu;
	const xc_gpu_module *m = gpu->module;
	const char *piece = (const char *)g->pinned.data + (size_t)which * PIECE;
	const xc_status s = m->copy(gpu->gpu, device, piece, size, NULL, &gpu->error);
	return xc_cuda_check(gpu, s ? s : m->event_record(gpu->gpu, g->free[which], NULL, &gpu->error));
}

static xc_status wait_for(const staging *g, int which)
{
	xc_cuda *gpu = g->gpu;
	return xc_cuda_check(gpu, gpu->module->event_wait(gpu->gpu, g->free[which], &gpu->error));
}

/* Rows lie in a piece as they will on the device. */
static xc_status upload(const staging *g, char *device, size_t device_stride, const char *host,
                        size_t host_stride, size_t row, size_t rows)
{
	const size_t high = PIECE / device_stride;
	xc_status s = XC_OK;
	for (size_t y = 0, turn = 0; !s && y < rows; y += high, turn++) {
		const size_t n = rows - y < high ? rows - y : high;
		const int which = turn % 2;
		char *piece = (char *)g->pinned.data + (size_t)which * PIECE;
		if (turn >= 2)
			s = wait_for(g, which);
		for (size_t i = 0; !s && i < n; i++)
			memcpy(piece + i * device_stride, host + (y + i) * host_stride, row);
		if (!s)
			s = send(g, device + y * device_stride, n * device_stride, which);
	}
	return s;
}

xc_status xc_cuda_upload_rows(xc_cuda *gpu, void *device, size_t device_stride, const void *host,
                              size_t host_stride, size_t row, size_t rows)
{
	const xc_gpu_module *m = gpu->module;
	staging g;
	if (device_stride > PIECE || m->pinned(gpu->gpu, host))
		return xc_cuda_check(gpu, m->copy_rows(gpu->gpu, device, device_stride, host, host_stride,
		                                       row, rows, NULL, &gpu->error));
	xc_status s = open_staging(&g, gpu);
	if (!s)
		s = upload(&g, device, device_stride, host, host_stride, row, rows);
	/* The pieces go back to the pool, and whoever takes them must find them unused. */
	xc_cuda_settle(gpu, NULL);
	close_staging(&g);
	return s;
}

xc_status xc_cuda_download(xc_cuda *gpu, void *host, const void *device, size_t size)
{
	const xc_gpu_module *m = gpu->module;
	xc_cuda_memory pinned = {NULL, 0};
	xc_status s = xc_cuda_need(gpu, XC_GPU_PINNED_MEMORY, (size_t)2 * PIECE, &pinned);
	for (size_t at = 0; !s && at < size; at += (size_t)2 * PIECE) {
		const size_t n = size - at < (size_t)2 * PIECE ? size - at : (size_t)2 * PIECE;
		s = m->copy(gpu->gpu, pinned.data, (const char *)device + at, n, NULL, &gpu->error);
		if (!s)
			s = m->synchronize(gpu->gpu, NULL, &gpu->error);
		s = xc_cuda_check(gpu, s);
		if (!s)
			memcpy((char *)host + at, pinned.data, n);
	}
	xc_cuda_drop(gpu, &pinned);
	return s;
}
