/* SPDX-License-Identifier: BSD-2-Clause */
/* Launching the encoder's kernels, from gpu/encode/encode.cu. */
#ifndef XC_GPU_ENCODE_KERNELS_H
#define XC_GPU_ENCODE_KERNELS_H

#include "gpu/encode/job.h"
#include "gpu/runtime/gpu.h"

/* For __launch_bounds__(): minimum blocks a multiprocessor, unless it has too few threads. */
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 800
#define XC_GPU_MIN_BLOCKS(n) 0
#else
#define XC_GPU_MIN_BLOCKS(n) (n)
#endif

/* Allows the kernels the shared memory that they need; once for each GPU. */
xc_status xc_gpu_forward_prepare(const xc_gpu *gpu, const xc_gpu_encode_job *job, xc_gpu_error *e);

xc_status xc_gpu_code_prepare(const xc_gpu *gpu, xc_gpu_error *e);

/* One call of an encoder, as its launches see it. */
typedef struct xc_gpu_encode_call {
	const xc_gpu_encode_job *job;
	uint32_t pictures; /* the height of every grid */
	cudaStream_t stream;
	xc_gpu_error *e;
} xc_gpu_encode_call;

typedef xc_status xc_gpu_launch(const xc_gpu_encode_call *call);

/* Launches a kernel with the job, of `ctas` thread blocks a picture. */
template <typename Kernel, typename... More>
static xc_status xc_gpu_launch_encode(const char *name, const xc_gpu_encode_call *c, Kernel kernel,
                                      uint32_t ctas, uint32_t threads, size_t shared, More... more)
{
	return xc_gpu_launch_with(name, NULL, kernel, dim3(ctas, c->pictures), threads, shared,
	                          c->stream, c->e, *c->job, more...);
}

xc_gpu_launch xc_gpu_forward_launch, xc_gpu_count_launch, xc_gpu_sizes_launch, xc_gpu_decide_launch,
	xc_gpu_take_launch, xc_gpu_symbols_launch, xc_gpu_contexts_launch, xc_gpu_rans_encode_launch,
	xc_gpu_interleave_launch, xc_gpu_tables_launch, xc_gpu_code_launch, xc_gpu_head_launch,
	xc_gpu_assemble_launch;

#endif
