/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels of the rANS mode; see gpu/encode/rans.h. */
#include "gpu/encode/kernels.h"
#include "gpu/encode/rans.h"

extern __shared__ uint64_t rans_shared[];

/* Grid: (tiles, pictures). */
template <int DEEP>
static __global__ void __launch_bounds__(XC_GPU_RANS_TEAM)
	symbols(const __grid_constant__ xc_gpu_encode_job j)
{
	xc_gpu_symbols_shared s;
	const xc_team t = {threadIdx.x, XC_GPU_RANS_TEAM};
	xc_gpu_symbols_carve(&s, &j, rans_shared);
	xc_gpu_symbols(&j, t, blockIdx.x, blockIdx.y, &s, DEEP);
}

/* Grid: (teams, pictures). */
static __global__ void __launch_bounds__(XC_GPU_PUSH_TEAM)
	push(const __grid_constant__ xc_gpu_encode_job j)
{
	__shared__ xc_gpu_push_shared s;
	const uint32_t warp = (blockIdx.x * XC_GPU_PUSH_TEAM + threadIdx.x) / XC_WARP_LANES;
	const uint64_t *const from = (const uint64_t *)j.rans->entry;
	for (uint32_t i = threadIdx.x; i < sizeof s / 8; i += XC_GPU_PUSH_TEAM)
		((uint64_t *)&s)[i] = from[i];
	__syncthreads();
	if (2 * warp < j.tiles)
		xc_gpu_push(&j, 2 * warp, blockIdx.y, &s);
}

xc_status xc_gpu_rans_prepare(const xc_gpu *gpu, xc_gpu_error *e)
{
	const xc_status s = xc_gpu_allow_shared(gpu, (const void *)symbols<0>, e);
	return s ? s : xc_gpu_allow_shared(gpu, (const void *)symbols<1>, e);
}

xc_status xc_gpu_symbols_launch(const xc_gpu_encode_job *j, uint32_t pictures, cudaStream_t stream,
                                xc_gpu_error *e)
{
	xc_gpu_symbols_shared none;
	const auto kernel = j->depth == 16 ? symbols<1> : symbols<0>;
	const size_t shared = xc_gpu_symbols_carve(&none, j, NULL);
	kernel<<<dim3(j->tiles, pictures), XC_GPU_RANS_TEAM, shared, stream>>>(*j);
	return xc_gpu_check_launch(e, "symbols");
}

xc_status xc_gpu_push_launch(const xc_gpu_encode_job *j, uint32_t pictures, cudaStream_t stream,
                             xc_gpu_error *e)
{
	const uint32_t each = 2 * XC_GPU_PUSH_TEAM / XC_WARP_LANES; /* tiles of a team */
	push<<<dim3((j->tiles + each - 1) / each, pictures), XC_GPU_PUSH_TEAM, 0, stream>>>(*j);
	return xc_gpu_check_launch(e, "push");
}
