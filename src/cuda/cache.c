/* SPDX-License-Identifier: BSD-2-Clause */
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
	xc_cuda_memory *const all[] = {&k->pixels, &k->file, &k->scratch, &k->result, &k->pieces};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		xc_cuda_drop(gpu, all[i]);
	xc_release(gpu->context, k);
	gpu->cache = NULL;
}

/* ------------------------------------------------------- encoder, decoder */

static void forget_encoder(xc_cuda *gpu)
{
	xc_cuda_encoder_free(gpu->cache->encoder);
	gpu->cache->encoder = NULL;
}

/* Whether an encoder can be changed from the ones to the others. */
static int alike(const xc_encode_options *a, const xc_encode_options *b)
{
	return a->entropy == b->entropy && a->huffman == b->huffman && a->effort == b->effort;
}

xc_status xc_cuda_cache_encoder(xc_cuda *gpu, const xc_picture *p, const xc_metadata *m,
                                const xc_encode_options *o)
{
	xc_cuda_cache *k = gpu->cache;

	if (k->encoder && !alike(&k->options, o))
		forget_encoder(gpu);
	const xc_status s = k->encoder ? xc_cuda_encoder_change(k->encoder, p, p, m, o)
	                               : xc_cuda_encoder_make(gpu, p, p, m, o, 1, &k->encoder);
	if (s)
		forget_encoder(gpu);
	k->options = *o;
	return s;
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
