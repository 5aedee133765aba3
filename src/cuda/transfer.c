/* SPDX-License-Identifier: BSD-2-Clause */
/* Decoding one picture from host to host: the file goes up and the pixels come down in pinned
 * memory, unless the caller's can serve. */
#include <string.h>

#include "src/core/picture.h"
#include "src/cuda/decoder.h"

/* `memory` if the GPU reaches it, else pinned memory that stands in for it. */
static xc_status reach(xc_cuda_transfer *t, const void *memory, size_t size, xc_cuda_memory *other,
                       void **reached)
{
	*reached = (void *)(uintptr_t)memory;
	if (memory && t->gpu->module->pinned(t->gpu->gpu, memory))
		return XC_OK;
	const xc_status s = xc_cuda_need(t->gpu, XC_GPU_PINNED_MEMORY, size, other);
	*reached = other->data;
	return s;
}

xc_status xc_cuda_transfer_start(xc_cuda_transfer *t, const xc_container *k, void *direct)
{
	const xc_gpu_module *m = t->gpu->module;
	const xc_header *h = &k->header;
	xc_picture *p = &t->file.picture;
	const size_t bytes = (size_t)k->data_available;
	void *data = NULL;

	t->file = (xc_cuda_file){.picture = {h->width, h->height, h->channels, h->depth, 0, NULL}};
	p->stride = (size_t)p->width * xc_picture_pixel_bytes(p);
	const size_t size = p->stride * p->height;
	xc_status s = xc_cuda_need(t->gpu, XC_GPU_DEVICE_MEMORY, size, &t->pixels);
	if (!s)
		s = reach(t, direct, size, &t->staging, &t->to);
	if (!s)
		s = reach(t, k->data, bytes, &t->data, &data);
	if (s)
		return s;
	if (data != k->data)
		memcpy(data, k->data, bytes);
	p->data = t->pixels.data;
	s = xc_cuda_decoder_start(t->decoder, &t->file, 1, k, data, NULL, t->stream, NULL);
	if (s)
		return s;
	s = xc_cuda_check(t->gpu,
	                  m->copy(t->gpu->gpu, t->to, p->data, size, t->stream, &t->gpu->error));
	if (s)
		(void)xc_cuda_decoder_finish(t->decoder);
	return s;
}

xc_status xc_cuda_transfer_finish(xc_cuda_transfer *t)
{
	const xc_status s = xc_cuda_decoder_finish(t->decoder);
	const xc_status copied = t->gpu->module->synchronize(t->gpu->gpu, t->stream, &t->gpu->error);
	return s ? s : xc_cuda_check(t->gpu, copied);
}

void xc_cuda_transfer_free(xc_cuda_transfer *t)
{
	xc_cuda_decoder_free(t->decoder);
	if (t->stream)
		xc_cuda_sync_stream(t->gpu, t->stream);
	t->gpu->module->stream_free(t->gpu->gpu, t->stream);
	xc_cuda_drop(t->gpu, &t->data);
	xc_cuda_drop(t->gpu, &t->pixels);
	xc_cuda_drop(t->gpu, &t->staging);
}
