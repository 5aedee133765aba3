/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a batch (xcodec_batch.h) holds. Its own context has the pool of threads and the GPU; each
 * thread decodes and encodes with a context of one thread, so that items do not wait for each other.
 */
#ifndef XC_SRC_BATCH_BATCH_H
#define XC_SRC_BATCH_BATCH_H

#include <xcodec_batch.h>

#include "src/core/context.h"

struct xc_batch {
	xc_context *context;
	xc_context **workers; /* one a thread; NULL: not needed yet */
	uint32_t worker_count;
	xc_buffer *files; /* of the last xc_batch_encode(), and the worker that made each */
	int *makers;
	size_t file_count;
	uint64_t count, done;               /* items of the call, and how many of them are done */
	struct xc_batch_gpu *gpu;           /* src/batch/cuda.c; NULL: the processor does everything */
	struct xc_batch_encoding *encoding; /* src/batch/cuda_encode.c; NULL: nothing yet */
};

/* Makes the context of a worker.  After a failure *context is NULL and the message says so. */
xc_status xc_batch_worker(xc_batch *batch, int worker, xc_context **context,
                          char message[XC_BATCH_MESSAGE_BYTES]);

/* Copies the context's message. */
void xc_batch_note(char message[XC_BATCH_MESSAGE_BYTES], const xc_context *context);

/* The shape of an item's array of a file with these width, height, channels and depth; or its region or
 * scale is wrong. */
xc_status xc_batch_array_of(xc_context *context, const xc_batch_options *options,
                            const xc_batch_item *item, const xc_picture *file, xc_picture *array);

/* Whether pixels of these channels are the array as they are decoded. */
static inline int xc_batch_is_plain(const xc_batch_options *o, uint32_t channels)
{
	return o->type < XC_SAMPLE_FLOAT16 && (!o->planar || channels == 1);
}

static inline size_t xc_batch_sample_bytes(const xc_batch_options *o)
{
	return o->type == XC_SAMPLE_UINT8 ? 1 : o->type == XC_SAMPLE_FLOAT32 ? 4 : 2;
}

static inline float xc_batch_deviation(const xc_batch_options *o, uint32_t channel)
{
	return o->deviation[channel] != 0 ? o->deviation[channel] : 1;
}

/* Decodes one item with a worker's context into `array`, in host memory; sets its status. */
void xc_batch_decode_item(xc_context *context, const xc_batch_options *options, xc_batch_item *item,
                          void *array);

static inline uint32_t xc_batch_scale(const xc_batch_options *o)
{
	return o->scale ? o->scale : 1;
}

/* Clears the outputs of a picture. */
void xc_batch_clear(xc_batch_picture *picture);
/* Encodes a picture, number n of the list, with a worker's context, or on a GPU of that. */
void xc_batch_encode_alone(xc_batch *batch, const xc_encode_options *options,
                           xc_batch_picture *picture, size_t n, int worker);

/* Encodes the pictures on the batch's GPU. */
xc_status xc_batch_gpu_encode(xc_batch *batch, const xc_encode_options *options,
                              xc_batch_picture *pictures, size_t count);
void xc_batch_encoding_close(xc_batch *batch);

/* Decodes the items on the batch's GPU. */
xc_status xc_batch_gpu_open(xc_batch *batch);
void xc_batch_gpu_close(xc_batch *batch);
xc_status xc_batch_gpu_trim(xc_batch *batch);         /* memory of decoding, and what nobody uses */
const char *xc_batch_gpu_name(const xc_batch *batch); /* "cuda:N" */
xc_status xc_batch_gpu_decode(xc_batch *batch, const xc_batch_options *options,
                              xc_batch_item *items, size_t count, void *stream);

#endif
