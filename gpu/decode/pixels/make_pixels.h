/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels that make pixels, and their launches. SOURCE: where coefficients come from; each has a file of its own
 * (of_tokens.cu, of_symbols.cu, of_blocks.cu). */
#ifndef XC_GPU_DECODE_PIXELS_MAKE_PIXELS_H
#define XC_GPU_DECODE_PIXELS_MAKE_PIXELS_H

#include "gpu/decode/launch.h"
#include "gpu/decode/pixels/samples.h"
#include "gpu/decode/pixels/rows.h"
#include "gpu/runtime/device.h"

/* Thread block (i, j) makes region i of job j, one thread a block of coefficients. Shared memory:
 * matrices, then samples in their place; tables; the output. One barrier when
 * samples are complete, one after each later step. */
template <int KIND, int DEPTH16, int SOURCE>
static __global__ void __launch_bounds__(xc_gpu_pixel_threads(KIND),
                                         768 / xc_gpu_pixel_threads(KIND))
	xc_gpu_make_pixels(const xc_gpu_decode_job *jobs, const xc_gpu_segment *segments,
                       const xc_gpu_segment_result *results)
{
	extern __shared__ __align__(64) uint4 shared[];
	static_assert(xc_gpu_region_steps(KIND) % 16 == 0, "values at a multiple of 64 bytes");
	xc_gpu_region r = xc_gpu_region_of(&jobs[blockIdx.y], segments, results, blockIdx.x,
	                                   (float *)shared, KIND, SOURCE);
	constexpr uint32_t threads = xc_gpu_pixel_threads(KIND);
	constexpr int own = xc_gpu_is_own(KIND), split = SOURCE == XC_GPU_TOKENS && !own;
	static_assert(!own || xc_gpu_component_threads(KIND, 1) <= XC_WARP_LANES,
	              "a chroma has one warp");
	const int last = threadIdx.x == threads - 1;
	xc_gpu_region_block block[1] = {xc_gpu_region_block_of(&r, threadIdx.x, KIND, SOURCE)};

	if (r.y >= (int64_t)r.shape.height)
		return;
	xc_gpu_region_begin(&r, block, threadIdx.x, KIND, DEPTH16, SOURCE);
	xc_gpu_region_wait(&r, block, SOURCE);
	if (!own)
		__syncthreads();
	else if (SOURCE != XC_GPU_TOKENS)
		xc_warp_sync();
	if (last) /* its warp has chroma, which takes less time */
		*xc_gpu_region_output(&r, KIND) = xc_gpu_output_of(&r, KIND);
	float f[64];
	if (SOURCE == XC_GPU_TOKENS && xc_gpu_warp_scatter(&r, block, KIND, DEPTH16)) {
		xc_gpu_region_load(&r, block, KIND, f, 1, DEPTH16, SOURCE);
		xc_gpu_region_transform(&r, block, f, KIND, 1);
	} else {
		xc_gpu_region_load(&r, block, KIND, f, 0, DEPTH16, SOURCE);
		xc_gpu_region_transform(&r, block, f, KIND, 0);
	}
	xc_gpu_region_columns(&r, block, f, 0, KIND);
	/* Samples replace columns of other lanes or warps, which must have been read. */
	if (split)
		__syncthreads();
	else if (SOURCE == XC_GPU_TOKENS)
		xc_warp_sync();
	xc_gpu_region_store(&r, block, f, KIND);
	__syncthreads();
	const xc_gpu_output *o = xc_gpu_region_output(&r, KIND);
	if (xc_gpu_is_halved(KIND, 1, 1)) { /* saves registers */
		r.x = o->x;
		r.y = o->y;
	}
	if (xc_gpu_is_lapped(KIND)) {
		xc_gpu_region_cells(&r, KIND, threadIdx.x, threads);
		__syncthreads();
	}
	if (o->rounding) {
		xc_gpu_region_round(&r, KIND, DEPTH16, threadIdx.x, threads);
		__syncthreads();
	}
	if (xc_gpu_base_kind(KIND) == XC_GPU_444 && o->mixed) {
		xc_gpu_region_mix(&r, KIND, threadIdx.x, threads);
		__syncthreads();
	}
	if (o->border) {
		xc_gpu_region_extend(&r, KIND, threadIdx.x, threads);
		__syncthreads();
	}
	xc_gpu_region_rows(&r, threadIdx.x / 32, threads / 32, KIND, DEPTH16);
}

using xc_gpu_pixels_function = xc_status (*)(const xc_gpu_decode_launcher *,
                                             const xc_gpu_subbatch *);

template <int KIND, int DEPTH16, int SOURCE>
static xc_status xc_gpu_launch_kind(const xc_gpu_decode_launcher *l, const xc_gpu_subbatch *g)
{
	const auto kernel = xc_gpu_make_pixels<KIND, DEPTH16, SOURCE>;
	const xc_status s = xc_gpu_allow_shared(l->gpu, (const void *)kernel, l->e);

	if (s)
		return s;
	const dim3 grid(g->max_regions, g->count);
	kernel<<<grid, xc_gpu_pixel_threads(KIND), xc_gpu_region_bytes(KIND),
	         l->stream>>>(l->device_jobs + g->first, l->device_segments, l->results);
	return xc_gpu_check_launch(l->e, "that makes pixels");
}

/* The kernel for GPUs with less shared memory than KIND needs. */
template <int KIND, int DEPTH16, int SOURCE>
static constexpr xc_gpu_pixels_function xc_gpu_lower(void)
{
	constexpr int LOWER = KIND + XC_GPU_LOWER;

	if constexpr (xc_gpu_region_bytes(KIND) > XC_GPU_MIN_SHARED) {
		static_assert(xc_gpu_region_bytes(LOWER) <= XC_GPU_MIN_SHARED, "for any GPU");
		return xc_gpu_launch_kind<LOWER, DEPTH16, SOURCE>;
	}
	return NULL;
}

template <int DEPTH16, int SOURCE>
static xc_status xc_gpu_launch_depth(const xc_gpu_decode_launcher *l, const xc_gpu_subbatch *g)
{
	static const xc_gpu_pixels_function kinds[XC_GPU_KINDS] = {
		xc_gpu_launch_kind<0, DEPTH16, SOURCE>, xc_gpu_launch_kind<1, DEPTH16, SOURCE>,
		xc_gpu_launch_kind<2, DEPTH16, SOURCE>, xc_gpu_launch_kind<3, DEPTH16, SOURCE>,
		xc_gpu_launch_kind<4, DEPTH16, SOURCE>, xc_gpu_launch_kind<5, DEPTH16, SOURCE>,
		xc_gpu_launch_kind<6, DEPTH16, SOURCE>, xc_gpu_launch_kind<7, DEPTH16, SOURCE>,
		xc_gpu_lower<0, DEPTH16, SOURCE>(),     xc_gpu_lower<1, DEPTH16, SOURCE>(),
		xc_gpu_lower<2, DEPTH16, SOURCE>(),     xc_gpu_lower<3, DEPTH16, SOURCE>(),
		xc_gpu_lower<4, DEPTH16, SOURCE>(),     xc_gpu_lower<5, DEPTH16, SOURCE>(),
		xc_gpu_lower<6, DEPTH16, SOURCE>(),     xc_gpu_lower<7, DEPTH16, SOURCE>(),
	};

	return kinds[g->kind](l, g);
}

template <int SOURCE>
static xc_status xc_gpu_launch_pixels(const xc_gpu_decode_launcher *l, const xc_gpu_subbatch *g)
{
	return g->depth16 ? xc_gpu_launch_depth<1, SOURCE>(l, g) : xc_gpu_launch_depth<0, SOURCE>(l, g);
}

#endif
