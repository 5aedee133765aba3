/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an opened GPU caches for xc_encode() and xc_decode() between pictures: an encoder, a
 * decoder, memory and events. Threads that code small pictures concurrently serialize in the
 * driver, so each picture should take few driver calls.
 */
#ifndef XC_SRC_CUDA_CACHE_H
#define XC_SRC_CUDA_CACHE_H

#include "src/cuda/decoder.h"
#include "src/cuda/encoder.h"
#include "src/cuda/module.h"

typedef struct xc_cuda_cache {
	xc_cuda_encoder *encoder;    /* NULL: none */
	xc_cuda_memory pixels, file; /* on the device, of the picture being encoded */
	xc_cuda_memory result;       /* pinned: the size of its file, and the first bytes of that */
	size_t guess;                /* of these; 0: no file has been made yet */
	xc_cuda_transfer decoding;
	xc_cuda_memory pieces; /* see cache.c */
	void *copied[2];
	void *pinned; /* by xc_cuda_pin(), or NULL */
	int refuses;  /* 1: that failed once */
} xc_cuda_cache;

/* Makes gpu->cache unless it exists. */
xc_status xc_cuda_cache_open(xc_cuda *gpu);
/* Frees the cache; work that uses it must have completed. */
void xc_cuda_forget(xc_cuda *gpu);

/* Makes gpu->cache->encoder fit a picture with checked arguments. */
xc_status xc_cuda_cache_encoder(xc_cuda *gpu, const xc_picture *picture,
                                const xc_metadata *metadata, const xc_encode_options *options);

/* Makes gpu->cache->decoding.decoder, for one file at a time. */
xc_status xc_cuda_cache_decoder(xc_cuda *gpu, const xc_decode_options *options);

/* Pins this memory, and unpins what was pinned so before.  A failure only makes copies slower. */
void xc_cuda_pin(xc_cuda *gpu, void *memory, size_t size);
/* Before the memory is freed. */
void xc_cuda_unpin(xc_cuda *gpu, const void *memory);

/*
 * Copies between host memory of any kind and the device. The driver copies to and from memory that
 * is not pinned through a few buffers of its own, for one thread at a time; these have pinned
 * memory for each GPU that was opened, so that threads do not wait for each other.
 */

/* `rows` rows (at least one) of `row` bytes, on the GPU's own stream. Rows that the GPU reaches by
 * itself must stay as they are until the copy is done; others may change when it returns. */
xc_status xc_cuda_upload_rows(xc_cuda *gpu, void *device, size_t device_stride, const void *host,
                              size_t host_stride, size_t row, size_t rows);
/* Waits for what is on the GPU's own stream, and gives the bytes. */
xc_status xc_cuda_download(xc_cuda *gpu, void *host, const void *device, size_t size);

#endif
