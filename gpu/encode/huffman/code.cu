/* SPDX-License-Identifier: BSD-2-Clause */
/* Counting symbols, codes made for the picture, and coding. A thread block that codes takes a few tiles to
 * amortize loading the tables. */
#include "gpu/encode/huffman/code.h"
#include "gpu/encode/huffman/codes.h"
#include "gpu/encode/job/launch.h"

enum { MAX_THREADS = 384, TABLE_THREADS = 256 };

extern __shared__ uint32_t code_shared[];

template <int DEPTH16>
static __global__ void __launch_bounds__(MAX_THREADS)
	count(const __grid_constant__ xc_gpu_encode_job launched)
{
	__shared__ xc_gpu_count_shared s;
	const xc_cta t = {threadIdx.x, blockDim.x};
	xc_gpu_encode_job j = launched;
	const uint32_t tile = xc_gpu_enter_picture(&j, XC_GPU_GRID_TILES);

	xc_gpu_count(&j, t, tile, &s, DEPTH16);
}

static __global__ void __launch_bounds__(TABLE_THREADS)
	make_codes(const __grid_constant__ xc_gpu_encode_job launched)
{
	__shared__ xc_gpu_huffman_shared s;
	const xc_cta t = {threadIdx.x, TABLE_THREADS};
	xc_gpu_encode_job j = launched;
	const uint32_t code = xc_gpu_enter_picture(&j, XC_GPU_GRID_CODES);

	xc_gpu_make_code(&j, t, code / 2, code % 2, &s);
}

template <int DEPTH16>
static __global__ void __launch_bounds__(MAX_THREADS, XC_GPU_MIN_BLOCKS(DEPTH16 ? 3 : 4))
	code(const __grid_constant__ xc_gpu_encode_job launched)
{
	xc_gpu_code_shared s;
	const xc_cta t = {threadIdx.x, blockDim.x};
	xc_gpu_encode_job j = launched;
	const uint32_t first = xc_gpu_enter_picture(&j, XC_GPU_GRID_RUNS) * j.huffman.run;
	const uint32_t end = xc_gpu_min(first + j.huffman.run, j.picture.tiles);

	xc_gpu_code_partition(&s, &j, blockDim.x, code_shared);
	xc_gpu_load_tables(&j, t, &s);
	for (uint32_t i = first; i < end; i++)
		xc_gpu_code(&j, t, i, &s, i + 1 < end, DEPTH16);
}

/* One thread a block; in large tiles a thread takes several blocks. */
static uint32_t threads(const xc_gpu_encode_job *j)
{
	const uint32_t blocks = j->huffman.tile_blocks;
	const uint32_t rounds = (blocks + MAX_THREADS - 1) / MAX_THREADS;
	return ((blocks + rounds - 1) / rounds + 31) / 32 * 32;
}

typedef void (*coder)(const xc_gpu_encode_job j);

static const coder coders[2] = {code<0>, code<1>};

xc_status xc_gpu_code_prepare(const xc_gpu *gpu, xc_gpu_error *e)
{
	const xc_status s = xc_gpu_allow_shared(gpu, (const void *)coders[0], e);
	return s ? s : xc_gpu_allow_shared(gpu, (const void *)coders[1], e);
}

xc_status xc_gpu_count_launch(const xc_gpu_encode_call *c)
{
	const xc_gpu_encode_job *const j = &c->group->job;
	const auto kernel = j->depth == 16 ? count<1> : count<0>;
	return xc_gpu_launch_encode("count", c, XC_GPU_GRID_TILES, kernel, threads(j), 0);
}

xc_status xc_gpu_tables_launch(const xc_gpu_encode_call *c)
{
	return xc_gpu_launch_encode("tables", c, XC_GPU_GRID_CODES, make_codes, TABLE_THREADS, 0);
}

xc_status xc_gpu_code_launch(const xc_gpu_encode_call *c)
{
	const xc_gpu_encode_job *const j = &c->group->job;
	xc_gpu_code_shared none;
	uint32_t nowhere;
	const size_t shared = xc_gpu_code_partition(&none, j, threads(j), &nowhere);

	return xc_gpu_launch_encode("code", c, XC_GPU_GRID_RUNS, coders[j->depth == 16], threads(j),
	                            shared);
}
