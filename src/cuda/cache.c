/* SPDX-License-Identifier: BSD-2-Clause */
/* What an opened GPU caches, and copies through pinned memory; see cache.h. */
#include <string.h>

#include "src/cuda/cache.h"

xc_status xc_cuda_cache_open(xc_cuda *gpu)
{
	if (gpu->cache)
		return XC_OK;
	gpu->cache = xc_allocate_zeroed(gpu->context, sizeof *gpu->cache);
	if (!gpu->cache)
		return xc_fail_memory(gpu->context, sizeof *gpu->cache);
	gpu->cache->decoding.gpu = gpu;
	return XC_OK;
}

void xc_cuda_forget(xc_cuda *gpu)
{
	xc_cuda_cache *k = gpu->cache;

	if (!k)
		return;
	xc_cuda_encoder_free(k->encoder);
	xc_cuda_transfer_free(&k->decoding);
	for (int i = 0; i < 2; i++)
		if (k->copied[i])
			gpu->module->event_free(gpu->gpu, k->copied[i]);
	xc_cuda_unpin(gpu, k->pinned);
	xc_cuda_memory *const all[] = {&k->pixels, &k->file, &k->result, &k->pieces};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		xc_cuda_drop(gpu, all[i]);
	xc_release(gpu->context, k);
	gpu->cache = NULL;
}

/* ------------------------------------------------------- encoder, decoder */

xc_status xc_cuda_cache_encoder(xc_cuda *gpu, const xc_picture *p, const xc_metadata *m,
                                const xc_encode_options *o)
{
	xc_cuda_cache *k = gpu->cache;
	const xc_status s = k->encoder ? XC_OK : xc_cuda_encoder_make(gpu, 1, &k->encoder);

	return s ? s : xc_cuda_encoder_set(k->encoder, p, p, m, o);
}

xc_status xc_cuda_cache_decoder(xc_cuda *gpu, const xc_decode_options *options)
{
	xc_cuda_transfer *t = &gpu->cache->decoding;

	if (!t->decoder)
		return xc_cuda_decoder_make(gpu, options, 1, &t->decoder);
	xc_cuda_decoder_set(t->decoder, options);
	return XC_OK;
}

/* ------------------------------------------------------------------ memory */

void xc_cuda_pin(xc_cuda *gpu, void *memory, size_t size)
{
	if (xc_cuda_cache_open(gpu)) {
		gpu->context->message[0] = '\0';
		return;
	}
	xc_cuda_cache *k = gpu->cache;
	if (k->refuses || k->pinned == memory)
		return;
	xc_cuda_unpin(gpu, k->pinned);
	k->refuses = gpu->module->pin(gpu->gpu, memory, size, &gpu->error) != XC_OK;
	k->pinned = k->refuses ? NULL : memory;
}

void xc_cuda_unpin(xc_cuda *gpu, const void *memory)
{
	xc_cuda_cache *k = gpu->cache;

	if (!k || !memory || k->pinned != memory)
		return;
	gpu->module->unpin(gpu->gpu, k->pinned);
	k->pinned = NULL;
}

/* Bytes of a piece, of which two are used in turn. */
enum { PIECE = 2 << 20 };

/* Makes both pieces, and the events that say that one has been copied. */
static xc_status open_pieces(xc_cuda *gpu)
{
	xc_status s = xc_cuda_cache_open(gpu);

	if (!s)
		s = xc_cuda_need(gpu, XC_GPU_PINNED_MEMORY, (size_t)2 * PIECE, &gpu->cache->pieces);
	for (int i = 0; i < 2 && !s; i++)
		if (!gpu->cache->copied[i])
			s = xc_cuda_check(gpu, gpu->module->event_new(gpu->gpu, &gpu->cache->copied[i],
			                                              &gpu->error));
	return s;
}

static char *piece(const xc_cuda *gpu, int which)
{
	return (char *)gpu->cache->pieces.data + (size_t)which * PIECE;
}

/* Waits until a piece may be filled. */
static xc_status wait_for(xc_cuda *gpu, int which)
{
	return xc_cuda_check(gpu,
	                     gpu->module->event_wait(gpu->gpu, gpu->cache->copied[which], &gpu->error));
}

/* Copies `size` bytes of a piece, on the stream. */
static xc_status send(xc_cuda *gpu, void *device, size_t size, int which)
{
	const xc_gpu_module *m = gpu->module;
	xc_status s = m->copy(gpu->gpu, device, piece(gpu, which), size, NULL, &gpu->error);

	if (!s)
		s = m->event_record(gpu->gpu, gpu->cache->copied[which], NULL, &gpu->error);
	return xc_cuda_check(gpu, s);
}

/* Rows lie in a piece as they will on the device. */
static xc_status upload(xc_cuda *gpu, char *device, size_t device_stride, const char *host,
                        size_t host_stride, size_t row, size_t rows)
{
	const size_t high = PIECE / device_stride;
	xc_status s = open_pieces(gpu);

	for (size_t y = 0, turn = 0; !s && y < rows; y += high, turn++) {
		const size_t n = rows - y < high ? rows - y : high;
		const int which = turn % 2;
		s = wait_for(gpu, which);
		for (size_t i = 0; !s && i < n; i++)
			memcpy(piece(gpu, which) + i * device_stride, host + (y + i) * host_stride, row);
		if (!s)
			s = send(gpu, device + y * device_stride, n * device_stride, which);
	}
	return s;
}

xc_status xc_cuda_upload_rows(xc_cuda *gpu, void *device, size_t device_stride, const void *host,
                              size_t host_stride, size_t row, size_t rows)
{
	const xc_gpu_module *m = gpu->module;

	if (device_stride <= PIECE && !m->pinned(gpu->gpu, host))
		return upload(gpu, device, device_stride, host, host_stride, row, rows);
	if (device_stride == host_stride)
		return xc_cuda_check(gpu, m->copy(gpu->gpu, device, host, (rows - 1) * host_stride + row,
		                                  NULL, &gpu->error));
	return xc_cuda_check(gpu, m->copy_rows(gpu->gpu, device, device_stride, host, host_stride, row,
	                                       rows, NULL, &gpu->error));
}

xc_status xc_cuda_download(xc_cuda *gpu, void *host, const void *device, size_t size)
{
	const xc_gpu_module *m = gpu->module;
	xc_status s = open_pieces(gpu);

	for (size_t at = 0; !s && at < size; at += (size_t)2 * PIECE) {
		const size_t n = size - at < (size_t)2 * PIECE ? size - at : (size_t)2 * PIECE;
		s = m->copy(gpu->gpu, piece(gpu, 0), (const char *)device + at, n, NULL, &gpu->error);
		if (!s)
			s = m->synchronize(gpu->gpu, NULL, &gpu->error);
		s = xc_cuda_check(gpu, s);
		if (!s)
			memcpy((char *)host + at, piece(gpu, 0), n);
	}
	return s;
}
