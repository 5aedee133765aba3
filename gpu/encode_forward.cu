/* SPDX-License-Identifier: BSD-2-Clause */
/* The forward kernel; see gpu/forward.h.  The grid is (teams, pictures). */
#include "gpu/encode_kernels.h"
#include "gpu/forward.h"

extern __shared__ xc_gpu_four forward_shared[];

static __global__ void __launch_bounds__(XC_GPU_FORWARD_TEAM, 7)
forward16(const __grid_constant__ xc_gpu_encode_job j)
{
	const xc_team t = {threadIdx.x, XC_GPU_FORWARD_TEAM};
	xc_gpu_forward16(&j, t, blockIdx.x, blockIdx.y, 0, forward_shared);
}

/* The same for RGB of 8 bits, which most pictures are.  Eight teams a multiprocessor: at most
 * 80 registers, which is just enough. */
static __global__ void __launch_bounds__(XC_GPU_FORWARD_TEAM, 8)
forward16_rgb(const __grid_constant__ xc_gpu_encode_job j)
{
	const xc_team t = {threadIdx.x, XC_GPU_FORWARD_TEAM};
	xc_gpu_encode_job constant = j; /* in registers, if anywhere */
	constant.channels = 3;
	constant.depth = 8;
	xc_gpu_forward16(&constant, t, blockIdx.x, blockIdx.y, 0, forward_shared);
}

static __global__ void __launch_bounds__(XC_GPU_FORWARD_TEAM)
forward32(const __grid_constant__ xc_gpu_encode_job j)
{
	const xc_team t = {threadIdx.x, XC_GPU_FORWARD_TEAM};
	xc_gpu_forward32(&j, t, blockIdx.x, blockIdx.y, 0, forward_shared);
}

static __global__ void __launch_bounds__(XC_GPU_FORWARD_TEAM, 6)
lapped16(const __grid_constant__ xc_gpu_encode_job j)
{
	const xc_team t = {threadIdx.x, XC_GPU_FORWARD_TEAM};
	xc_gpu_forward16(&j, t, blockIdx.x, blockIdx.y, 1, forward_shared);
}

static __global__ void __launch_bounds__(XC_GPU_FORWARD_TEAM, 6)
lapped16_rgb(const __grid_constant__ xc_gpu_encode_job j)
{
	const xc_team t = {threadIdx.x, XC_GPU_FORWARD_TEAM};
	xc_gpu_encode_job constant = j;
	constant.channels = 3;
	constant.depth = 8;
	xc_gpu_forward16(&constant, t, blockIdx.x, blockIdx.y, 1, forward_shared);
}

static __global__ void __launch_bounds__(XC_GPU_FORWARD_TEAM)
lapped32(const __grid_constant__ xc_gpu_encode_job j)
{
	const xc_team t = {threadIdx.x, XC_GPU_FORWARD_TEAM};
	xc_gpu_forward32(&j, t, blockIdx.x, blockIdx.y, 1, forward_shared);
}

typedef void (*kernel)(const xc_gpu_encode_job j);

static kernel choose(const xc_gpu_encode_job *j)
{
	static const kernel all[2][3] = {{forward16, forward16_rgb, forward32},
	                                 {lapped16, lapped16_rgb, lapped32}};
	return all[j->transform != XC_TRANSFORM_DCT][j->depth == 16 ? 2 : j->channels == 3];
}

xc_status xc_gpu_forward_prepare(const xc_gpu_encode_job *j, xc_gpu_error *e)
{
	return xc_gpu_check(e, cudaFuncSetAttribute(choose(j),
	                                            cudaFuncAttributeMaxDynamicSharedMemorySize,
	                                            (int)xc_gpu_forward_shared(j)),
	                    "give a kernel its shared memory");
}

xc_status xc_gpu_forward_launch(const xc_gpu_encode_job *j, uint32_t count, cudaStream_t stream,
                                xc_gpu_error *e)
{
	const dim3 grid(xc_gpu_forward_teams(j), count);
	choose(j)<<<grid, XC_GPU_FORWARD_TEAM, xc_gpu_forward_shared(j), stream>>>(*j);
	return xc_gpu_check_launch(e, "forward");
}
