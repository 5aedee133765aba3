/* SPDX-License-Identifier: BSD-2-Clause */
/* Counting symbols and coding; see gpu/code.h.  The grid is (tiles, pictures). */
#include "gpu/code.h"
#include "gpu/encode_kernels.h"

enum { MOST_THREADS = 384 };

#define DEFINE_KERNEL(name, function) \
	static __global__ void __launch_bounds__(MOST_THREADS) \
	name(const __grid_constant__ xc_gpu_encode_job j) \
	{ \
		__shared__ xc_gpu_code_shared s; \
		const xc_team t = {threadIdx.x, blockDim.x}; \
		function(&j, t, blockIdx.x, blockIdx.y, &s); \
	}

DEFINE_KERNEL(count16, xc_gpu_count16)
DEFINE_KERNEL(count32, xc_gpu_count32)
DEFINE_KERNEL(code16, xc_gpu_code16)
DEFINE_KERNEL(code32, xc_gpu_code32)

/* A thread a block, or for one of every few blocks where tiles are large. */
static unsigned threads(const xc_gpu_encode_job *j)
{
	const uint32_t blocks = j->tile_wide * j->tile_high * j->mcu_blocks;
	const uint32_t rounds = (blocks + MOST_THREADS - 1) / MOST_THREADS;
	return ((blocks + rounds - 1) / rounds + 31) / 32 * 32;
}

xc_status xc_gpu_count_launch(const xc_gpu_encode_job *j, uint32_t count, cudaStream_t stream,
                              xc_gpu_error *e)
{
	const dim3 grid(j->tiles, count);
	if (j->depth == 16)
		count32<<<grid, threads(j), 0, stream>>>(*j);
	else
		count16<<<grid, threads(j), 0, stream>>>(*j);
	return xc_gpu_check_launch(e, "count");
}

xc_status xc_gpu_code_launch(const xc_gpu_encode_job *j, uint32_t count, cudaStream_t stream,
                             xc_gpu_error *e)
{
	const dim3 grid(j->tiles, count);
	if (j->depth == 16)
		code32<<<grid, threads(j), 0, stream>>>(*j);
	else
		code16<<<grid, threads(j), 0, stream>>>(*j);
	return xc_gpu_check_launch(e, "code");
}
