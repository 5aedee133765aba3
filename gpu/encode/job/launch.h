/* SPDX-License-Identifier: BSD-2-Clause */
/* Launching the encoder's kernels, from gpu/encode/encode.cu. */
#ifndef XC_GPU_ENCODE_JOB_LAUNCH_H
#define XC_GPU_ENCODE_JOB_LAUNCH_H

#include "gpu/encode/job/job.h"
#include "gpu/runtime/gpu.h"

/* For __launch_bounds__(): minimum blocks a multiprocessor, unless it has too few threads. */
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 800
#define XC_GPU_MIN_BLOCKS(n) 0
#else
#define XC_GPU_MIN_BLOCKS(n) (n)
#endif

/* Makes a launch's job that of the thread block's picture; returns the thread block's number in that
 * picture's share of the grid. Pictures that are alike are a row of the grid each. */
static __device__ __forceinline__ uint32_t xc_gpu_enter_picture(xc_gpu_encode_job *j,
                                                                xc_gpu_encode_grid grid)
{
	if (!j->list) {
		xc_gpu_job_enter(j, blockIdx.y);
		return blockIdx.x;
	}
	xc_gpu_job_enter(j, xc_gpu_list_find(j->list, j->count, grid, blockIdx.x));
	return blockIdx.x - j->picture.first_cta[grid];
}

/* Allows the kernels the shared memory that they need; once for each GPU. */
xc_status xc_gpu_forward_prepare(const xc_gpu *gpu, const xc_gpu_encode_job *job, xc_gpu_error *e);

xc_status xc_gpu_code_prepare(const xc_gpu *gpu, xc_gpu_error *e);

/* One call of an encoder for a group of pictures, as its launches see it. */
typedef struct xc_gpu_encode_call {
	const xc_gpu_encode_group *group;
	cudaStream_t stream;
	xc_gpu_error *e;
} xc_gpu_encode_call;

typedef xc_status xc_gpu_launch(const xc_gpu_encode_call *call);

/* Launches a kernel with the job. */
template <typename Kernel, typename... More>
static xc_status xc_gpu_launch_encode(const char *name, const xc_gpu_encode_call *c,
                                      xc_gpu_encode_grid grid, Kernel kernel, uint32_t threads,
                                      size_t shared, More... more)
{
	const xc_gpu_encode_job *const j = &c->group->job;
	const uint32_t ctas = (uint32_t)c->group->ctas[grid], rows = j->list ? 1 : j->count;

	return xc_gpu_launch_with(name, NULL, kernel, dim3(ctas / rows, rows), threads, shared,
	                          c->stream, c->e, *j, more...);
}

xc_gpu_launch xc_gpu_forward_launch, xc_gpu_count_launch, xc_gpu_sizes_launch, xc_gpu_decide_launch,
	xc_gpu_take_launch, xc_gpu_symbols_launch, xc_gpu_contexts_launch, xc_gpu_rans_encode_launch,
	xc_gpu_interleave_launch, xc_gpu_tables_launch, xc_gpu_code_launch, xc_gpu_head_launch,
	xc_gpu_assemble_launch;

#endif
