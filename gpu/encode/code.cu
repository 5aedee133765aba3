/* SPDX-License-Identifier: BSD-2-Clause */
/* Counting symbols and coding; see gpu/encode/code.h. The grid is (thread blocks, pictures); a
 * thread block that codes takes a few tiles to amortize loading the tables. */
#include "gpu/encode/code.h"
#include "gpu/encode/kernels.h"

enum { MAX_THREADS = 384 };

extern __shared__ uint32_t code_shared[];

template <int DEPTH16>
static __global__ void __launch_bounds__(MAX_THREADS)
	count(const __grid_constant__ xc_gpu_encode_job j)
{
	__shared__ xc_gpu_count_shared s;
	const xc_cta t = {threadIdx.x, blockDim.x};

	xc_gpu_count(&j, t, blockIdx.x, blockIdx.y, &s, DEPTH16);
}

template <int DEPTH16>
static __global__ void __launch_bounds__(MAX_THREADS, XC_GPU_MIN_BLOCKS(DEPTH16 ? 3 : 4))
	code(const __grid_constant__ xc_gpu_encode_job j, uint32_t each)
{
	xc_gpu_code_shared s;
	const xc_cta t = {threadIdx.x, blockDim.x};
	const uint32_t first = blockIdx.x * each;
	const uint32_t end = first + each < j.tiles ? first + each : j.tiles;

	xc_gpu_code_partition(&s, &j, blockDim.x, code_shared);
	xc_gpu_load_tables(&j, t, blockIdx.y, &s);
	for (uint32_t i = first; i < end; i++)
		xc_gpu_code(&j, t, i, blockIdx.y, &s, i + 1 < end, DEPTH16);
}

/* Tiles a thread block: more than one only if all multiprocessors have enough tiles. */
static uint32_t tiles_each(const xc_gpu_encode_job *j, uint32_t count)
{
	const uint64_t tiles = (uint64_t)j->tiles * count, enough = (uint64_t)j->multiprocessors * 16;
	return tiles < 2 * enough ? 1 : tiles < 8 * enough ? (uint32_t)(tiles / enough) : 8;
}

/* One thread a block; in large tiles a thread takes several blocks. */
static uint32_t threads(const xc_gpu_encode_job *j)
{
	const uint32_t blocks = j->tile_wide * j->tile_high * j->mcu_blocks;
	const uint32_t rounds = (blocks + MAX_THREADS - 1) / MAX_THREADS;
	return ((blocks + rounds - 1) / rounds + 31) / 32 * 32;
}

typedef void (*coder)(const xc_gpu_encode_job j, uint32_t each);

static const coder coders[2] = {code<0>, code<1>};

xc_status xc_gpu_code_prepare(const xc_gpu *gpu, xc_gpu_error *e)
{
	const xc_status s = xc_gpu_allow_shared(gpu, (const void *)coders[0], e);
	return s ? s : xc_gpu_allow_shared(gpu, (const void *)coders[1], e);
}

xc_status xc_gpu_count_launch(const xc_gpu_encode_call *c)
{
	const xc_gpu_encode_job *const j = c->job;
	const auto kernel = j->depth == 16 ? count<1> : count<0>;
	return xc_gpu_launch_encode("count", c, kernel, j->tiles, threads(j), 0);
}

xc_status xc_gpu_code_launch(const xc_gpu_encode_call *c)
{
	const xc_gpu_encode_job *const j = c->job;
	const uint32_t each = tiles_each(j, c->pictures);
	xc_gpu_code_shared none;
	uint32_t nowhere;
	const size_t shared = xc_gpu_code_partition(&none, j, threads(j), &nowhere);

	return xc_gpu_launch_encode("code", c, coders[j->depth == 16], (j->tiles + each - 1) / each,
	                            threads(j), shared, each);
}
