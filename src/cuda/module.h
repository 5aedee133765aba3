/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding and opening the CUDA module, what hangs off an opened GPU, and which device a context's
 * work is done on. */
#ifndef XC_SRC_CUDA_MODULE_H
#define XC_SRC_CUDA_MODULE_H

#include "gpu/module.h"
#include "src/core/context.h"

struct xc_cuda {
	xc_context *context;
	const xc_gpu_module *module;
	xc_gpu *gpu;
	int device;
	xc_gpu_error error;          /* what the module's functions fill in */
	struct xc_cuda_cache *cache; /* see cache.h; NULL: nothing yet */
};

/* XC_ERR_DEVICE when there is none that fits this library. */
xc_status xc_cuda_module_open(xc_context *context, const xc_gpu_module **module);

/* xc_cuda_open() within other calls. */
xc_status xc_cuda_start(xc_context *context, int device, xc_cuda **gpu);

/* Makes gpu->error the context's failure; `status`, which is returned, may be XC_OK. */
xc_status xc_cuda_check(xc_cuda *gpu, xc_status status);

/* Waits for a stream and ignores errors of its work. */
void xc_cuda_sync_stream(xc_cuda *gpu, void *stream);

/* xc_cuda_trim() within other calls. */
xc_status xc_cuda_shrink(xc_cuda *gpu);

/* Memory from the GPU's pools that is replaced when it is too small. */
typedef struct xc_cuda_memory {
	void *data;
	size_t size;
} xc_cuda_memory;

/* Grows memory to at least `size` bytes; below 128 MiB to 1.5 times its old size if possible. Its
 * contents may be lost; no work may still use it. */
xc_status xc_cuda_need(xc_cuda *gpu, xc_gpu_memory kind, size_t size, xc_cuda_memory *memory);
void xc_cuda_drop(xc_cuda *gpu, xc_cuda_memory *memory);

/* The caller's scratch, checked, or `own`, made as large as needed.  busy: `stream` may still
 * use what `own` is now. */
xc_status xc_cuda_choose_scratch(xc_cuda *gpu, const xc_cuda_scratch *given, size_t size,
                                 xc_cuda_memory *own, int busy, void *stream, void **scratch);

/* ---------------------------------------- the device of a context, module.c and backend.c */

/* A GPU for work on a picture of `pixels` pixels, or NULL for the CPU: as set; with "auto" only if
 * it pays and is available. 0 pixels: it does not pay. */
xc_cuda *xc_device_for(xc_context *context, uint64_t pixels);

/* After work that xc_device_for() gave a GPU for.  *done becomes 1, unless the choice was the
 * library's and the GPU failed or cannot do such work: then the CPU is to do it.  Returns
 * what the call then returns. */
xc_status xc_device_result(xc_context *context, xc_status status, int *done);

/* See xc_backend. */
int xc_cuda_backend_wants(xc_context *context, const xc_picture *shape,
                          const xc_encode_options *options);
void xc_cuda_backend_pin(xc_context *context, void *memory, size_t size);
void xc_cuda_backend_unpin(xc_context *context, const void *memory);
xc_status xc_cuda_backend_encode(xc_context *context, const xc_picture *picture,
                                 const xc_metadata *metadata, const xc_encode_options *options,
                                 xc_buffer *out, int *done);
xc_status xc_cuda_backend_decode(xc_context *context, struct xc_container *container,
                                 xc_decode_options *options, xc_picture *picture, int *done);

#endif
