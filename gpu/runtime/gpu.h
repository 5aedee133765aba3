/* SPDX-License-Identifier: BSD-2-Clause */
/* The module's side of one GPU, its memory, and how its functions report errors. */
#ifndef XC_GPU_RUNTIME_GPU_H
#define XC_GPU_RUNTIME_GPU_H

#include <cuda_runtime.h>

#include "gpu/module.h"

/*
 * A cache of memory of one kind, because allocating stops the whole GPU. A piece is reused for
 * requests of at least half its size, so a process holds at most about twice its peak use.
 */
typedef struct xc_gpu_piece {
	void *memory;
	size_t size;
	int used;
} xc_gpu_piece;

typedef struct xc_gpu_pool {
	xc_gpu_memory kind;
	xc_gpu_piece *pieces;
	size_t count, room;
	uint64_t held;
} xc_gpu_pool;

enum { XC_GPU_ALLOWED = 16 };

struct xc_gpu {
	int device;
	cudaStream_t stream;
	int multiprocessors;
	int first;            /* the highest priority */
	size_t shared_bytes;  /* maximum of a thread block */
	xc_gpu_pool pools[2]; /* by xc_gpu_memory */
	/* The last kernels that xc_gpu_allow_shared() has set up. */
	mutable const void *allowed[XC_GPU_ALLOWED];
	mutable unsigned next_allowed;
};

/* Sets *e and returns the status, for `return xc_gpu_fail(...)`. */
xc_status xc_gpu_fail(xc_gpu_error *e, xc_status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* XC_OK if result is cudaSuccess; else the failure of `what`, a verb and its object ("allocate 12
 * bytes").  The CUDA runtime does not keep the error. */
xc_status xc_gpu_check(xc_gpu_error *e, cudaError_t result, const char *what);

/* The same for the kernel that was just launched. */
xc_status xc_gpu_check_launch(xc_gpu_error *e, const char *kernel);

/* Launches a kernel; attribute: NULL for none. */
template <typename... Parameters, typename... Arguments>
static xc_status xc_gpu_launch_with(const char *name, cudaLaunchAttribute *attribute,
                                    void (*kernel)(Parameters...), dim3 grid, uint32_t threads,
                                    size_t shared, cudaStream_t stream, xc_gpu_error *e,
                                    Arguments... arguments)
{
	cudaLaunchConfig_t config = {};

	config.gridDim = grid;
	config.blockDim = dim3(threads);
	config.dynamicSmemBytes = shared;
	config.stream = stream;
	config.attrs = attribute;
	config.numAttrs = attribute ? 1 : 0;
	(void)cudaLaunchKernelEx(&config, kernel, arguments...);
	return xc_gpu_check_launch(e, name);
}

/* Its thread blocks are scheduled before those of kernels on other streams that have not begun. */
template <typename Kernel, typename... Arguments>
static xc_status xc_gpu_launch_first(const char *name, const xc_gpu *gpu, Kernel kernel, dim3 grid,
                                     uint32_t threads, size_t shared, cudaStream_t stream,
                                     xc_gpu_error *e, Arguments... arguments)
{
	cudaLaunchAttribute attribute = {};

	attribute.id = cudaLaunchAttributePriority;
	attribute.val.priority = gpu->first;
	return xc_gpu_launch_with(name, &attribute, kernel, grid, threads, shared, stream, e,
	                          arguments...);
}

/* Records event i of marks, which may be NULL. */
xc_status xc_gpu_mark(void **marks, int i, cudaStream_t stream, xc_gpu_error *e);

/* Makes the GPU the calling thread's current one, as every function of the table must first. */
xc_status xc_gpu_enter(const xc_gpu *gpu, xc_gpu_error *e);

/* Raises a kernel's limit of dynamic shared memory to the GPU's maximum. The limit belongs to the
 * process, so a smaller one could be lowered by another context. */
xc_status xc_gpu_allow_shared(const xc_gpu *gpu, const void *kernel, xc_gpu_error *e);

static inline cudaStream_t xc_gpu_stream(const xc_gpu *gpu, void *stream)
{
	return stream ? (cudaStream_t)stream : gpu->stream;
}

xc_status xc_gpu_allocate(xc_gpu *gpu, xc_gpu_memory kind, size_t size, void **memory,
                          xc_gpu_error *e);
void xc_gpu_release(xc_gpu *gpu, void *memory);

#endif
