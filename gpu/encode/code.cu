/* SPDX-License-Identifier: BSD-2-Clause */
/* Counting symbols and coding; see gpu/encode/code.h.  The grid is (teams, pictures); a team
 * that codes takes a few tiles, so that loading the tables pays. */
#include "gpu/encode/code.h"
#include "gpu/encode/kernels.h"

enum { MOST_THREADS = 384 };

extern __shared__ uint32_t code_shared[];

template <int DEEP>
static __global__ void __launch_bounds__(MOST_THREADS)
	count(const __grid_constant__ xc_gpu_encode_job j)
{
	__shared__ xc_gpu_count_shared s;
	const xc_team t = {threadIdx.x, blockDim.x};
	xc_gpu_count(&j, t, blockIdx.x, blockIdx.y, &s, DEEP);
}

template <int DEEP>
static __global__ void __launch_bounds__(MOST_THREADS)
	code(const __grid_constant__ xc_gpu_encode_job j, uint32_t each)
{
	xc_gpu_code_shared s;
	const xc_team t = {threadIdx.x, blockDim.x};
	const uint32_t first = blockIdx.x * each;
	const uint32_t end = first + each < j.tiles ? first + each : j.tiles;
	xc_gpu_code_carve(&s, &j, blockDim.x, code_shared);
	xc_gpu_load_tables(&j, t, blockIdx.y, &s);
	for (uint32_t i = first; i < end; i++)
		xc_gpu_code(&j, t, i, blockIdx.y, &s, DEEP);
}

/* Tiles for each team: more than one only if there are enough for all multiprocessors
 * several times over. */
static uint32_t tiles_each(const xc_gpu_encode_job *j, uint32_t count)
{
	const uint64_t tiles = (uint64_t)j->tiles * count, enough = (uint64_t)j->multiprocessors * 16;
	return tiles < 2 * enough ? 1 : tiles < 8 * enough ? (uint32_t)(tiles / enough) : 8;
}

/* A thread a block, or for one of every few blocks where tiles are large. */
static uint32_t threads(const xc_gpu_encode_job *j)
{
	const uint32_t blocks = j->tile_wide * j->tile_high * j->mcu_blocks;
	const uint32_t rounds = (blocks + MOST_THREADS - 1) / MOST_THREADS;
	return ((blocks + rounds - 1) / rounds + 31) / 32 * 32;
}

xc_status xc_gpu_count_launch(const xc_gpu_encode_job *j, uint32_t pictures, cudaStream_t stream,
                              xc_gpu_error *e)
{
	const dim3 grid(j->tiles, pictures);
	const auto kernel = j->depth == 16 ? count<1> : count<0>;
	kernel<<<grid, threads(j), 0, stream>>>(*j);
	return xc_gpu_check_launch(e, "count");
}

xc_status xc_gpu_code_launch(const xc_gpu_encode_job *j, uint32_t pictures, cudaStream_t stream,
                             xc_gpu_error *e)
{
	const uint32_t each = tiles_each(j, pictures);
	const dim3 grid((j->tiles + each - 1) / each, pictures);
	xc_gpu_code_shared none;
	const size_t shared = xc_gpu_code_carve(&none, j, threads(j), NULL);
	const auto kernel = j->depth == 16 ? code<1> : code<0>;
	kernel<<<grid, threads(j), shared, stream>>>(*j, each);
	return xc_gpu_check_launch(e, "code");
}
