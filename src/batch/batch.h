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
	struct xc_batch_gpu *gpu; /* src/batch/cuda.c; NULL: the processor does everything */
};

/* Makes the context of a worker.  After a failure *context is NULL and the message says so. */
xc_status xc_batch_worker(xc_batch *batch, int worker, xc_context **context,
                          char message[XC_BATCH_MESSAGE_BYTES]);

/* How many threads take `count` items of about `pixels` pixels in all. */
int xc_batch_threads(const xc_batch *batch, size_t count, uint64_t pixels);

/* Copies the context's message. */
void xc_batch_note(char message[XC_BATCH_MESSAGE_BYTES], const xc_context *context);

/* Checks the options of a call, whose message is the batch's. */
xc_status xc_batch_check(xc_batch *batch, const xc_batch_options *options,
                         const xc_batch_item *items, size_t count);

/* Decodes one item with a worker's context into `array`, in host memory; sets its status. */
void xc_batch_decode_item(xc_context *context, const xc_batch_options *options, xc_batch_item *item,
                          void *array);

/* Decodes the items on the batch's GPU. */
xc_status xc_batch_gpu_open(xc_batch *batch);
void xc_batch_gpu_close(xc_batch *batch);
const char *xc_batch_gpu_name(const xc_batch *batch); /* "cuda:N" */
xc_status xc_batch_gpu_decode(xc_batch *batch, const xc_batch_options *options,
                              xc_batch_item *items, size_t count, void *stream);

#endif
