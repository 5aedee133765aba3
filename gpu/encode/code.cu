/* SPDX-License-Identifier: BSD-2-Clause */
/* Counting symbols and coding; see gpu/encode/code.h. The grid is (thread blocks, pictures); a
 * thread block that codes takes a few tiles to amortize loading the tables. */
#include "gpu/encode/code.h"
#include "gpu/encode/kernels.h"
#include "gpu/encode/rdo.h"

enum { MAX_THREADS = 384 };

extern __shared__ uint32_t code_shared[];

template <int DEPTH16>
static __global__ void __launch_bounds__(MAX_THREADS)
	count(const __grid_constant__ xc_gpu_encode_job j)
{
	__shared__ xc_gpu_count_shared s;
	const xc_cta t = {threadIdx.x, blockDim.x};

	xc_gpu_pdl_wait();
	xc_gpu_count(&j, t, blockIdx.x, blockIdx.y, &s, DEPTH16);
}

/* SEVERAL: AC codes by context. */
template <int DEPTH16, int SEVERAL>
static __global__ void __launch_bounds__(MAX_THREADS, XC_GPU_MIN_BLOCKS(DEPTH16 || SEVERAL ? 3 : 4))
	code(const __grid_constant__ xc_gpu_encode_job j, uint32_t each)
{
	xc_gpu_code_shared s;
	const xc_cta t = {threadIdx.x, blockDim.x};
	const uint32_t first = blockIdx.x * each;
	const uint32_t end = first + each < j.tiles ? first + each : j.tiles;

	xc_gpu_code_partition(&s, &j, blockDim.x, code_shared, SEVERAL);
	xc_gpu_pdl_wait();
	xc_gpu_load_tables(&j, t, blockIdx.y, &s);
	for (uint32_t i = first; i < end; i++)
		xc_gpu_code(&j, t, i, blockIdx.y, &s, i + 1 < end, DEPTH16);
}

/* Grid: (slices of all tiles, pictures).  COUNTS: codes are made for the picture. */
template <int DEPTH16, int COUNTS>
static __global__ void __launch_bounds__(XC_GPU_SLICE, DEPTH16 ? 4 : 6)
	rounded(const __grid_constant__ xc_gpu_encode_job j)
{
	const xc_cta t = {threadIdx.x, XC_GPU_SLICE};
	const uint32_t slices = xc_gpu_slices(&j), tile = blockIdx.x / slices;

	xc_gpu_pdl_wait();
	xc_gpu_round_slice(&j, t, tile, blockIdx.x - tile * slices, blockIdx.y,
	                   (xc_gpu_tile_offsets *)code_shared, DEPTH16, COUNTS, 1);
}

/* Likewise. */
template <int DEPTH16, int COUNTS>
static __global__ void __launch_bounds__(XC_GPU_SLICE, 4)
	rdo(const __grid_constant__ xc_gpu_encode_job j)
{
	const xc_cta t = {threadIdx.x, XC_GPU_SLICE};
	const uint32_t slices = xc_gpu_slices(&j), tile = blockIdx.x / slices;

	xc_gpu_pdl_wait();
	xc_gpu_rdo(&j, t, tile, blockIdx.x - tile * slices, blockIdx.y,
	           (xc_gpu_rdo_shared *)code_shared, DEPTH16, COUNTS);
}

/* Grid: (slices of the sampled tiles, pictures). */
template <int DEPTH16>
static __global__ void __launch_bounds__(XC_GPU_SLICE)
	sample(const __grid_constant__ xc_gpu_encode_job j)
{
	const xc_cta t = {threadIdx.x, XC_GPU_SLICE};
	const uint32_t slices = xc_gpu_slices(&j), tile = blockIdx.x / slices;

	xc_gpu_pdl_wait();
	xc_gpu_round_slice(&j, t, tile * j.sampled, blockIdx.x - tile * slices, blockIdx.y,
	                   (xc_gpu_tile_offsets *)code_shared, DEPTH16, 1, 0);
}

/* Grid: (classes, pictures). */
static __global__ void __launch_bounds__(MAX_THREADS)
	weights(const __grid_constant__ xc_gpu_encode_job j)
{
	const xc_cta t = {threadIdx.x, MAX_THREADS};
	xc_gpu_pdl_wait();
	xc_gpu_make_weights(&j, t, blockIdx.x, blockIdx.y);
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

static const coder coders[2][2] = {{code<0, 0>, code<0, 1>}, {code<1, 0>, code<1, 1>}};

typedef void (*rdo_kernel)(const xc_gpu_encode_job j);

/* [rounding, decisions][depth16][counting] */
static const rdo_kernel rdo_kernels[2][2][2] = {{{rounded<0, 0>, rounded<0, 1>},
                                                 {rounded<1, 0>, rounded<1, 1>}},
                                                {{rdo<0, 0>, rdo<0, 1>}, {rdo<1, 0>, rdo<1, 1>}}};
static const rdo_kernel samplers[2] = {sample<0>, sample<1>};

xc_status xc_gpu_code_prepare(const xc_gpu *gpu, xc_gpu_error *e)
{
	xc_status s = XC_OK;

	for (int i = 0; i < 4 && !s; i++)
		s = xc_gpu_allow_shared(gpu, (const void *)coders[i / 2][i % 2], e);
	for (int i = 0; i < 8 && !s; i++)
		s = xc_gpu_allow_shared(gpu, (const void *)rdo_kernels[i / 4][i / 2 % 2][i % 2], e);
	for (int i = 0; i < 2 && !s; i++)
		s = xc_gpu_allow_shared(gpu, (const void *)samplers[i], e);
	return s;
}

xc_status xc_gpu_rdo_launch(const xc_gpu_encode_call *c)
{
	const xc_gpu_encode_job *const j = c->job;
	const int depth16 = j->depth == 16;
	const rdo_kernel kernel = rdo_kernels[j->window != 0][depth16][j->sets != NULL];
	const size_t shared = (j->window ? xc_gpu_rdo_bytes : xc_gpu_round_bytes)(XC_GPU_SLICE,
	                                                                          depth16);

	return xc_gpu_launch_encode("rdo", c, true, kernel, j->tiles * xc_gpu_slices(j), XC_GPU_SLICE,
	                            shared);
}

xc_status xc_gpu_count_launch(const xc_gpu_encode_call *c)
{
	const xc_gpu_encode_job *const j = c->job;
	const auto kernel = j->depth == 16 ? count<1> : count<0>;
	return xc_gpu_launch_encode("count", c, true, kernel, j->tiles, threads(j), 0);
}

xc_status xc_gpu_code_launch(const xc_gpu_encode_call *c)
{
	const xc_gpu_encode_job *const j = c->job;
	const uint32_t each = tiles_each(j, c->pictures);
	const int several = j->sets != NULL;
	xc_gpu_code_shared none;
	uint32_t nowhere;
	const size_t shared = xc_gpu_code_partition(&none, j, threads(j), &nowhere, several);

	return xc_gpu_launch_encode("code", c, true, coders[j->depth == 16][several],
	                            (j->tiles + each - 1) / each, threads(j), shared, each);
}

xc_status xc_gpu_sample_launch(const xc_gpu_encode_call *c)
{
	const xc_gpu_encode_job *const j = c->job;
	const int depth16 = j->depth == 16;

	return xc_gpu_launch_encode("sample", c, true, samplers[depth16],
	                            xc_gpu_sampled_tiles(j) * xc_gpu_slices(j), XC_GPU_SLICE,
	                            xc_gpu_round_bytes(XC_GPU_SLICE, depth16));
}

xc_status xc_gpu_weights_launch(const xc_gpu_encode_call *c)
{
	const xc_gpu_encode_job *const j = c->job;
	return xc_gpu_launch_encode("weights", c, true, weights, j->components == 1 ? 1 : 2,
	                            MAX_THREADS, 0);
}
