/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels of the rANS coder: each runs a function of a header of this folder. */
#include "gpu/encode/job/launch.h"
#include "gpu/encode/rans/contexts.h"
#include "gpu/encode/rans/interleave.h"

template <int DEPTH16>
static __global__ void __launch_bounds__(XC_GPU_SLICE, 7)
	contexts(const __grid_constant__ xc_gpu_encode_job launched)
{
	__shared__ xc_gpu_contexts_shared s;
	const xc_cta t = {threadIdx.x, XC_GPU_SLICE};
	xc_gpu_encode_job j = launched;
	const uint32_t cta = xc_gpu_enter_picture(&j, XC_GPU_GRID_CONTEXTS);
	/* The raw bits of all tiles of a picture come first, since they take longest. */
	const uint32_t ctas = xc_gpu_context_ctas(&j), n = cta - j.picture.tiles;
	const uint32_t raw = cta < j.picture.tiles, tile = raw ? cta : n / ctas;

	xc_gpu_make_contexts(&j, t, tile, raw ? 0 : 1 + n - tile * ctas, &s, DEPTH16);
}

/* Loads the model's entries, by a thread block of THREADS threads: a constant, so that loads
 * overlap. */
template <uint32_t THREADS>
static __device__ __forceinline__ void load_entries(const xc_gpu_encode_job *j,
                                                    xc_gpu_rans_encode_model *m)
{
	const uint64_t *const from = (const uint64_t *)j->rans.model->entry;
	constexpr uint32_t all = sizeof *m / 8;

	XC_UNROLL
	for (uint32_t i = 0; i < all; i += THREADS) {
		if (i + threadIdx.x < all)
			((uint64_t *)m)[i + threadIdx.x] = from[i + threadIdx.x];
	}
	__syncthreads();
}

/* EACH: tiles of a warp, one or two. */
template <int WARPS, int EACH>
static __global__ void __launch_bounds__(WARPS *XC_WARP_LANES)
	rans_encode(const __grid_constant__ xc_gpu_encode_job launched)
{
	__shared__ xc_gpu_rans_encode_shared s[WARPS];
	__shared__ xc_gpu_rans_encode_model m;
	xc_gpu_encode_job j = launched;
	const uint32_t warp = threadIdx.x / XC_WARP_LANES;
	const uint32_t cta = xc_gpu_enter_picture(&j, XC_GPU_GRID_WARPS);
	const uint32_t tile = EACH * (WARPS * cta + warp);

	load_entries<WARPS * XC_WARP_LANES>(&j, &m);
	if (tile < j.picture.tiles)
		xc_gpu_rans_encode(&j, tile, EACH, &s[warp], &m);
}

template <int THREADS>
static __global__ void __launch_bounds__(THREADS, XC_GPU_MIN_BLOCKS(1536 / THREADS))
	interleave(const __grid_constant__ xc_gpu_encode_job launched)
{
	extern __shared__ uint32_t times[];
	__shared__ xc_gpu_interleave_shared s;
	__shared__ xc_gpu_interleave_table tables[THREADS / XC_WARP_LANES];
	const xc_cta t = {threadIdx.x, THREADS};
	xc_gpu_encode_job j = launched;
	const uint32_t tile = xc_gpu_enter_picture(&j, XC_GPU_GRID_TILES);

	xc_gpu_interleave(&j, t, tile, &s, tables, times);
}

/* Both, for few tiles: no tile waits for the longest one. */
template <int THREADS>
static __global__ void __launch_bounds__(THREADS, 2)
	rans_encode_and_interleave(const __grid_constant__ xc_gpu_encode_job launched)
{
	extern __shared__ uint32_t times[];
	__shared__ xc_gpu_rans_encode_shared p;
	__shared__ xc_gpu_rans_encode_model m;
	__shared__ xc_gpu_interleave_shared s;
	__shared__ xc_gpu_interleave_table tables[THREADS / XC_WARP_LANES];
	const xc_cta t = {threadIdx.x, THREADS};
	xc_gpu_encode_job j = launched;
	const uint32_t tile = xc_gpu_enter_picture(&j, XC_GPU_GRID_TILES);

	load_entries<THREADS>(&j, &m);
	if (threadIdx.x < XC_WARP_LANES)
		xc_gpu_rans_encode(&j, tile, 1, &p, &m);
	__syncthreads();
	xc_gpu_interleave(&j, t, tile, &s, tables, times);
}

xc_status xc_gpu_contexts_launch(const xc_gpu_encode_call *c)
{
	const auto kernel = c->group->job.depth == 16 ? contexts<1> : contexts<0>;
	return xc_gpu_launch_encode("contexts", c, XC_GPU_GRID_CONTEXTS, kernel, XC_GPU_SLICE, 0);
}

xc_status xc_gpu_rans_encode_launch(const xc_gpu_encode_call *c)
{
	const xc_gpu_encode_rans *const r = &c->group->job.rans;
	enum { WARPS = 2, EACH = XC_GPU_RANS_CTA_TILES / WARPS, THREADS = 320 };

	/* None begins early: the multiprocessor that is free first would get too many tiles. */
	if (r->together)
		return xc_gpu_launch_encode("rans encode", c, XC_GPU_GRID_TILES,
		                            rans_encode_and_interleave<THREADS>, THREADS,
		                            r->times * sizeof(uint32_t));
	if (r->cta_tiles == 1)
		return xc_gpu_launch_encode("rans encode", c, XC_GPU_GRID_WARPS, rans_encode<1, 1>,
		                            XC_WARP_LANES, 0);
	return xc_gpu_launch_encode("rans encode", c, XC_GPU_GRID_WARPS, rans_encode<WARPS, EACH>,
	                            WARPS * XC_WARP_LANES, 0);
}

xc_status xc_gpu_interleave_launch(const xc_gpu_encode_call *c)
{
	const xc_gpu_encode_rans *const r = &c->group->job.rans;
	enum { THREADS = 128, WIDE_CTA = 512 };

	if (r->together)
		return XC_OK; /* it has been done */
	const int few = r->cta_tiles == 1;
	return xc_gpu_launch_encode("interleave", c, XC_GPU_GRID_TILES,
	                            few ? interleave<WIDE_CTA> : interleave<THREADS>,
	                            few ? WIDE_CTA : THREADS, r->times * sizeof(uint32_t));
}
