/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the CUDA module, xcodec-cuda.so, offers the library that opens it: one table
 * of functions (src/core/module.h).  Plain C on both sides; nothing of CUDA's own types is
 * seen here (a stream is a void *).
 *
 * Library and module are always of one build: the makefile makes XC_GPU_ABI, a checksum of
 * all headers that declare what passes between them.
 */
#ifndef XC_GPU_MODULE_H
#define XC_GPU_MODULE_H

#include <xcodec_cuda.h>

/* What went wrong: one line without a newline. */
typedef struct xc_gpu_error {
	xc_status status;
	char text[240];
} xc_gpu_error;

/* One GPU: its stream and its pools of memory.  Serves one call at a time. */
typedef struct xc_gpu xc_gpu;

typedef enum xc_gpu_memory { XC_GPU_DEVICE_MEMORY = 0, XC_GPU_PINNED_MEMORY = 1 } xc_gpu_memory;

typedef struct xc_gpu_module {
	uint32_t abi;

	/* Fills list[0 ... room - 1]; the number of GPUs, or -1: *e says why there is none. */
	int (*devices)(xc_cuda_device *list, int room, xc_gpu_error *e);
	xc_status (*open)(int device, xc_gpu **gpu, xc_gpu_error *e);
	void (*close)(xc_gpu *gpu); /* accepts NULL; everything made with it must be gone */

	/* Memory from the GPU's pools, aligned to 256 bytes; pinned memory can be written by
	 * kernels too.  release() accepts NULL and gives back to the pool; all work that
	 * uses the memory must be done. */
	xc_status (*allocate)(xc_gpu *gpu, xc_gpu_memory kind, size_t size, void **memory,
	                      xc_gpu_error *e);
	void (*release)(xc_gpu *gpu, void *memory);
	/* Bytes that the pools of both kinds hold, in use or not. */
	void (*held)(const xc_gpu *gpu, uint64_t *device, uint64_t *pinned);

	/* NULL as a stream is the GPU's own.  copy() is asynchronous where both ends are
	 * device or pinned memory. */
	xc_status (*stream_new)(xc_gpu *gpu, void **stream, xc_gpu_error *e);
	void (*stream_free)(xc_gpu *gpu, void *stream);
	xc_status (*copy)(xc_gpu *gpu, void *to, const void *from, size_t size, void *stream,
	                  xc_gpu_error *e);
	xc_status (*copy_rows)(xc_gpu *gpu, void *to, size_t to_stride, const void *from,
	                       size_t from_stride, size_t width, size_t rows, void *stream,
	                       xc_gpu_error *e);
	xc_status (*synchronize)(xc_gpu *gpu, void *stream, xc_gpu_error *e);

	/* Events, for timing and for waiting. */
	xc_status (*event_new)(xc_gpu *gpu, void **event, xc_gpu_error *e);
	void (*event_free)(xc_gpu *gpu, void *event);
	xc_status (*event_record)(xc_gpu *gpu, void *event, void *stream, xc_gpu_error *e);
	xc_status (*event_wait)(xc_gpu *gpu, void *event, xc_gpu_error *e); /* the host waits */
	xc_status (*stream_wait)(xc_gpu *gpu, void *stream, void *event, xc_gpu_error *e);
	xc_status (*event_elapsed)(xc_gpu *gpu, void *from, void *to, float *milliseconds,
	                           xc_gpu_error *e);

	const struct xc_gpu_encode_ops *encode; /* gpu/encode/encode.h */
	const struct xc_gpu_decode_ops *decode; /* gpu/decode/decode.h */
} xc_gpu_module;

#endif
