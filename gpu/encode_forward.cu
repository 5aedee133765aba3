/* SPDX-License-Identifier: BSD-2-Clause */
/* The forward kernel; see gpu/forward.h.  The grid is (teams, pictures). */
#include "gpu/encode_kernels.h"
#include "gpu/forward.h"

extern __shared__ xc_gpu_four forward_shared[];

/* Six teams an SM: at most 80 registers, which is just enough. */
static __global__ void __launch_bounds__(XC_GPU_FORWARD_TEAM, 6)
forward16(const __grid_constant__ xc_gpu_encode_job j)
{
	const xc_team t = {threadIdx.x, XC_GPU_FORWARD_TEAM};
	xc_gpu_forward16(&j, t, blockIdx.x, blockIdx.y, forward_shared);
}

static __global__ void __launch_bounds__(XC_GPU_FORWARD_TEAM)
forward32(const __grid_constant__ xc_gpu_encode_job j)
{
	const xc_team t = {threadIdx.x, XC_GPU_FORWARD_TEAM};
	xc_gpu_forward32(&j, t, blockIdx.x, blockIdx.y, forward_shared);
}

xc_status xc_gpu_forward_prepare(const xc_gpu_encode_job *j, xc_gpu_error *e)
{
	const void *kernel = j->depth == 16 ? (const void *)forward32 : (const void *)forward16;
	return xc_gpu_check(e, cudaFuncSetAttribute(kernel,
	                                            cudaFuncAttributeMaxDynamicSharedMemorySize,
	                                            (int)xc_gpu_forward_shared(j)),
	                    "give a kernel its shared memory");
}

xc_status xc_gpu_forward_launch(const xc_gpu_encode_job *j, uint32_t count, cudaStream_t stream,
                                xc_gpu_error *e)
{
	const dim3 grid((j->mcus + j->span - 1) / j->span, count);
	const size_t shared = xc_gpu_forward_shared(j);
	if (j->depth == 16)
		forward32<<<grid, XC_GPU_FORWARD_TEAM, shared, stream>>>(*j);
	else
		forward16<<<grid, XC_GPU_FORWARD_TEAM, shared, stream>>>(*j);
	return xc_gpu_check_launch(e, "forward");
}
