/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels of the rANS mode: each runs a function of a header of this folder. */
#include <cuda_pipeline.h>

#include "gpu/encode/kernels.h"
#include "gpu/encode/rans/contexts.h"
#include "gpu/encode/rans/decide.h"
#include "gpu/encode/rans/interleave.h"

/* Grid: (slices of all tiles, pictures). */
template <int DEPTH16>
static __global__ void __launch_bounds__(XC_GPU_SLICE, DEPTH16 ? 4 : 6)
	symbols(const __grid_constant__ xc_gpu_encode_job j)
{
	__shared__ xc_gpu_tile_offsets offsets;
	const xc_cta t = {threadIdx.x, XC_GPU_SLICE};
	const uint32_t slices = xc_gpu_slices(&j), tile = blockIdx.x / slices;

	xc_gpu_slice_symbols(&j, t, tile, blockIdx.x - tile * slices, blockIdx.y, &offsets, DEPTH16,
	                     xc_gpu_round_block_symbols);
}

/* Grid: (raw bits and parts of all tiles, pictures). */
template <int DEPTH16>
static __global__ void __launch_bounds__(XC_GPU_SLICE, 7)
	contexts(const __grid_constant__ xc_gpu_encode_job j)
{
	__shared__ xc_gpu_contexts_shared s;
	const xc_cta t = {threadIdx.x, XC_GPU_SLICE};
	/* The raw bits of all tiles come first, since they take longest. */
	const uint32_t ctas = xc_gpu_context_ctas(&j), n = blockIdx.x - j.tiles;
	const uint32_t raw = blockIdx.x < j.tiles, tile = raw ? blockIdx.x : n / ctas;

	xc_gpu_make_contexts(&j, t, tile, raw ? 0 : 1 + n - tile * ctas, blockIdx.y, &s, DEPTH16);
}

/* Loads the model's entries, by a thread block of THREADS threads: a constant, so that loads
 * overlap. */
template <uint32_t THREADS>
static __device__ __forceinline__ void load_entries(const xc_gpu_encode_job *j,
                                                    xc_gpu_rans_encode_model *m)
{
	const uint64_t *const from = (const uint64_t *)j->rans->entry;
	constexpr uint32_t all = sizeof *m / 8;

	XC_UNROLL
	for (uint32_t i = 0; i < all; i += THREADS) {
		if (i + threadIdx.x < all)
			((uint64_t *)m)[i + threadIdx.x] = from[i + threadIdx.x];
	}
	__syncthreads();
}

/* Grid: (thread blocks, pictures).  EACH: tiles of a warp, one or two. */
template <int WARPS, int EACH>
static __global__ void __launch_bounds__(WARPS *XC_WARP_LANES)
	rans_encode(const __grid_constant__ xc_gpu_encode_job j)
{
	__shared__ xc_gpu_rans_encode_shared s[WARPS];
	__shared__ xc_gpu_rans_encode_model m;
	const uint32_t warp = threadIdx.x / XC_WARP_LANES, tile = EACH * (WARPS * blockIdx.x + warp);

	load_entries<WARPS * XC_WARP_LANES>(&j, &m);
	if (tile < j.tiles)
		xc_gpu_rans_encode(&j, tile, EACH, blockIdx.y, &s[warp], &m);
}

/* Grid: (tiles, pictures). */
template <int THREADS>
static __global__ void __launch_bounds__(THREADS, XC_GPU_MIN_BLOCKS(1536 / THREADS))
	interleave(const __grid_constant__ xc_gpu_encode_job j)
{
	extern __shared__ uint32_t times[];
	__shared__ xc_gpu_interleave_shared s;
	__shared__ xc_gpu_interleave_table tables[THREADS / XC_WARP_LANES];
	const xc_cta t = {threadIdx.x, THREADS};

	xc_gpu_interleave(&j, t, blockIdx.x, blockIdx.y, &s, tables, times);
}

/* Both, for few tiles: no tile waits for the longest one. Grid: (tiles, pictures). */
template <int THREADS>
static __global__ void __launch_bounds__(THREADS, 2)
	rans_encode_and_interleave(const __grid_constant__ xc_gpu_encode_job j)
{
	extern __shared__ uint32_t times[];
	__shared__ xc_gpu_rans_encode_shared p;
	__shared__ xc_gpu_rans_encode_model m;
	__shared__ xc_gpu_interleave_shared s;
	__shared__ xc_gpu_interleave_table tables[THREADS / XC_WARP_LANES];
	const xc_cta t = {threadIdx.x, THREADS};

	load_entries<THREADS>(&j, &m);
	if (threadIdx.x < XC_WARP_LANES)
		xc_gpu_rans_encode(&j, blockIdx.x, 1, blockIdx.y, &p, &m);
	__syncthreads();
	xc_gpu_interleave(&j, t, blockIdx.x, blockIdx.y, &s, tables, times);
}

/* Whether there are at most `each` tiles a multiprocessor. */
static int are_few(const xc_gpu_encode_job *j, uint32_t pictures, uint32_t each)
{
	return (uint64_t)j->tiles * pictures <= each * (uint64_t)j->multiprocessors;
}

/* FEW: each tile has its own warp in `rans_encode` and need not wait for another's symbols.
 * VERY_FEW: rans_encode shares a kernel with `interleave`, if the times fit in shared memory. */
enum { FEW = 4, VERY_FEW = 2, MAX_TIMES = 5000 };

static int share_kernel(const xc_gpu_encode_job *j, uint32_t pictures)
{
	return are_few(j, pictures, VERY_FEW) && xc_gpu_interleave_all_times(j) <= MAX_TIMES;
}

/* Launches a kernel whose thread blocks are the slices of all tiles. */
static xc_status launch_slices(const char *name, const xc_gpu_encode_call *c,
                               void (*of16)(xc_gpu_encode_job), void (*of8)(xc_gpu_encode_job))
{
	const xc_gpu_encode_job *const j = c->job;
	return xc_gpu_launch_encode(name, c, j->depth == 16 ? of16 : of8, j->tiles * xc_gpu_slices(j),
	                            XC_GPU_SLICE, 0);
}

xc_status xc_gpu_symbols_launch(const xc_gpu_encode_call *c)
{
	return launch_slices("symbols", c, symbols<1>, symbols<0>);
}

xc_status xc_gpu_contexts_launch(const xc_gpu_encode_call *c)
{
	const xc_gpu_encode_job *const j = c->job;
	const auto kernel = j->depth == 16 ? contexts<1> : contexts<0>;
	return xc_gpu_launch_encode("contexts", c, kernel, j->tiles * (xc_gpu_context_ctas(j) + 1),
	                            XC_GPU_SLICE, 0);
}

xc_status xc_gpu_rans_encode_launch(const xc_gpu_encode_call *c)
{
	const xc_gpu_encode_job *const j = c->job;
	enum { WARPS = 2, THREADS = 320 };
	const size_t times = xc_gpu_interleave_all_times(j) * sizeof(uint32_t);

	/* None begins early: the multiprocessor that is free first would get too many tiles. */
	if (share_kernel(j, c->pictures))
		return xc_gpu_launch_encode("rans encode", c, rans_encode_and_interleave<THREADS>, j->tiles,
		                            THREADS, times);
	if (are_few(j, c->pictures, FEW))
		return xc_gpu_launch_encode("rans encode", c, rans_encode<1, 1>, j->tiles, XC_WARP_LANES,
		                            0);
	return xc_gpu_launch_encode("rans encode", c, rans_encode<WARPS, 2>,
	                            (j->tiles + 2 * WARPS - 1) / (2 * WARPS), WARPS * XC_WARP_LANES, 0);
}

xc_status xc_gpu_interleave_launch(const xc_gpu_encode_call *c)
{
	const xc_gpu_encode_job *const j = c->job;
	enum { THREADS = 128, WIDE_CTA = 512 };
	const size_t times = xc_gpu_interleave_all_times(j) * sizeof(uint32_t);

	if (share_kernel(j, c->pictures))
		return XC_OK; /* it has been done */
	const int few = are_few(j, c->pictures, FEW);
	return xc_gpu_launch_encode("interleave", c, few ? interleave<WIDE_CTA> : interleave<THREADS>,
	                            j->tiles, few ? WIDE_CTA : THREADS, times);
}

/* ------------------------------------------------------------------ decisions */

/* Grid: (slices of all tiles, pictures). */
template <int DEPTH16>
static __global__ void __launch_bounds__(XC_GPU_SLICE, DEPTH16 ? 4 : 6)
	sizes(const __grid_constant__ xc_gpu_encode_job j)
{
	const xc_cta t = {threadIdx.x, XC_GPU_SLICE};
	const uint32_t slices = xc_gpu_slices(&j), tile = blockIdx.x / slices;

	xc_gpu_make_sizes(&j, t, tile, blockIdx.x - tile * slices, blockIdx.y, DEPTH16);
}

/* Grid: (parts of all tiles, pictures). */
static __global__ void __launch_bounds__(XC_GPU_DECIDE_CTA, 4)
	decide(const __grid_constant__ xc_gpu_encode_job j, uint32_t parts, uint32_t kind)
{
	__shared__ xc_gpu_decide_shared s;
	const xc_cta t = {threadIdx.x, XC_GPU_DECIDE_CTA};
	const uint32_t tile = blockIdx.x / parts;
	const uint32_t *const contexts = (const uint32_t *)&j.rans->contexts;
	const uint32_t *const decisions = (const uint32_t *)&j.rans->decisions;

	for (uint32_t i = threadIdx.x; i < sizeof s.contexts / 4; i += XC_GPU_DECIDE_CTA)
		((uint32_t *)&s.contexts)[i] = contexts[i];
	for (uint32_t i = threadIdx.x; i < sizeof s.decisions / 4; i += XC_GPU_DECIDE_CTA)
		((uint32_t *)&s.decisions)[i] = decisions[i];
	__syncthreads();
	xc_gpu_decide_part(&j, t, tile, blockIdx.x - tile * parts, blockIdx.y, kind, &s);
}

/* Grid: (slices of all tiles, pictures). */
template <int DEPTH16>
static __global__ void __launch_bounds__(XC_GPU_SLICE)
	take(const __grid_constant__ xc_gpu_encode_job j)
{
	__shared__ xc_gpu_tile_offsets offsets;
	const xc_cta t = {threadIdx.x, XC_GPU_SLICE};
	const uint32_t slices = xc_gpu_slices(&j), tile = blockIdx.x / slices;

	xc_gpu_slice_symbols(&j, t, tile, blockIdx.x - tile * slices, blockIdx.y, &offsets, DEPTH16,
	                     xc_gpu_take_block);
}

xc_status xc_gpu_sizes_launch(const xc_gpu_encode_call *c)
{
	return launch_slices("rdo", c, sizes<1>, sizes<0>);
}

xc_status xc_gpu_decide_launch(const xc_gpu_encode_call *c)
{
	const xc_gpu_encode_job *const j = c->job;
	const uint32_t parts = xc_gpu_decide_ctas(j);
	xc_status s = XC_OK;

	for (uint32_t kind = 0; kind < 2 && !s; kind++)
		s = xc_gpu_launch_encode("decide", c, decide, j->tiles * parts, XC_GPU_DECIDE_CTA, 0, parts,
		                         kind);
	return s;
}

xc_status xc_gpu_take_launch(const xc_gpu_encode_call *c)
{
	return launch_slices("take", c, take<1>, take<0>);
}
