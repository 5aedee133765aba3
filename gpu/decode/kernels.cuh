/* SPDX-License-Identifier: BSD-2-Clause */
/* The decoder's kernels; see doc/gpu.md. */
#ifndef XC_GPU_DECODE_KERNELS_CUH
#define XC_GPU_DECODE_KERNELS_CUH

#include <cuda_runtime.h>

#include "gpu/decode/lapped.h"
#include "gpu/decode/pixels.h"
#include "gpu/decode/ranges.h"
#include "gpu/decode/rows.h"
#include "gpu/decode/segment.h"

/* ------------------------------------------------------------------ tables */

enum { XC_GPU_TABLE_THREADS = 256, XC_GPU_TABLE_BLOCKS = 8 };

/* Block (i, j): part j of the tables of class i % 2 of set i / 2. */
static __global__ void __launch_bounds__(XC_GPU_TABLE_THREADS)
	xc_gpu_make_tables(xc_gpu_class_tables *tables, const xc_canonical_code (*codes)[2])
{
	__shared__ xc_canonical_code both[2];
	const uint32_t words = sizeof both / sizeof(uint32_t);
	for (uint32_t i = threadIdx.x; i < words; i += blockDim.x)
		((uint32_t *)both)[i] = ((const uint32_t *)codes[blockIdx.x])[i];
	__syncthreads();
	xc_gpu_fill_tables(&tables[blockIdx.x], both, blockIdx.y * blockDim.x + threadIdx.x,
	                   gridDim.y * blockDim.x);
}

/* ---------------------------------------------------------------- segments */

/* As many as have registers: on an H200 a large batch took 25 % longer with 16. */
enum { XC_GPU_MOST_WARPS = 28 };

static __constant__ const xc_crc_read_constants crc_constants = xc_crc_read_constants_make();

/* What the warps of a block share: the tables if they are NEAR, else they stay in the GPU's
 * memory, and this.  Behind it each warp has `words` words, at least XC_GPU_SMALL_TILE, for a
 * copy of its segment. */
struct xc_gpu_segment_memory {
	xc_crc_read_tables crc;
	uint32_t next, unused[3];
};

XC_GPU_CONSTANT size_t xc_gpu_near_bytes(int near)
{
	return near ? 2 * sizeof(xc_gpu_class_tables) : 0;
}

XC_GPU_CONSTANT size_t xc_gpu_segment_bytes(int near, uint32_t warps, uint32_t words)
{
	return xc_gpu_near_bytes(near) + sizeof(xc_gpu_segment_memory) +
	       warps * words * sizeof(uint32_t);
}

static_assert(xc_gpu_segment_bytes(0, XC_GPU_MOST_WARPS, XC_GPU_SMALL_TILE) <= XC_GPU_LEAST_SHARED,
              "a kernel for any GPU");

/* The picture of segment i, `p` or one after it. */
static __device__ __forceinline__ const xc_gpu_decode_job *xc_gpu_job_of(const xc_gpu_decode_job *p,
                                                                         uint32_t i)
{
	while (i - p->first_segment >= p->segments)
		p++;
	return p;
}

/* Block i: range i.  Pictures of a range that stand together and have the same codes are done
 * at once: the block's warps take their segments as they come to them. */
template <int DEEP, int NEAR>
static __global__ void __launch_bounds__(32 * XC_GPU_MOST_WARPS, 1)
	xc_gpu_decode_segments(const xc_gpu_decode_job *jobs, const xc_gpu_segment *segments,
                           xc_gpu_segment_result *results,
                           const __grid_constant__ xc_gpu_ranges ranges, uint32_t words)
{
	extern __shared__ uint4 shared[];
	xc_gpu_segment_memory *m = (xc_gpu_segment_memory *)((char *)shared + xc_gpu_near_bytes(NEAR));
	const uint32_t warps = blockDim.x / 32, warp = threadIdx.x / 32;
	const uint32_t end = ranges.first[blockIdx.x + 1];
	uint32_t first = ranges.first[blockIdx.x];
	const xc_gpu_decode_job *p = &jobs[ranges.job[blockIdx.x]];
	xc_gpu_warp_memory mine;
	mine.words = (uint32_t *)shared;
	mine.first = xc_gpu_segment_bytes(NEAR, 0, 0) / sizeof(uint32_t) + warp * words;
	mine.dc = (int32_t *)shared + mine.first;
	mine.count = words;
	xc_crc_read_fill(&m->crc, &crc_constants, threadIdx.x, blockDim.x);
	while (first < end) {
		p = xc_gpu_job_of(p, first);
		const xc_gpu_decode_job *q = p;
		uint32_t last = p->first_segment + p->segments;
		while (last < end && q[1].tables == p->tables) {
			q++;
			last = q->first_segment + q->segments;
		}
		last = last < end ? last : end;
		const xc_gpu_class_tables *tables = p->tables;
		if (NEAR) {
			const uint32_t pieces = (p->components > 1 ? 2 : 1) * sizeof(xc_gpu_class_tables) /
			                        sizeof(uint4);
			for (uint32_t i = threadIdx.x; i < pieces; i += blockDim.x)
				shared[i] = ((const uint4 *)p->tables)[i];
			tables = (const xc_gpu_class_tables *)shared;
		} else {
			XC_GPU_GLOBAL(tables);
		}
		if (threadIdx.x == 0)
			m->next = first + warps;
		__syncthreads();
		for (uint32_t i = first + warp; i < last;) {
			p = xc_gpu_job_of(p, i);
			const xc_gpu_segment segment = segments[i];
			const xc_gpu_segment_result result = xc_gpu_decode_segment(p, tables, &m->crc, &segment,
			                                                           i - p->first_segment, &mine,
			                                                           DEEP);
			if (threadIdx.x % 32 == 0) {
				results[i] = result;
				i = atomicAdd(&m->next, 1);
			}
			i = __shfl_sync(0xffffffffu, i, 0);
		}
		first = last;
		p = q;
		__syncthreads();
	}
}

/* ------------------------------------------------------------------ pixels */

/* Block (i, j): region i of job j. */
template <int KIND, int DEEP>
static __global__ void __launch_bounds__(xc_gpu_pixel_threads(KIND),
                                         768 / xc_gpu_pixel_threads(KIND))
	xc_gpu_make_pixels(const xc_gpu_decode_job *jobs, const xc_gpu_segment *segments,
                       const xc_gpu_segment_result *results)
{
	extern __shared__ uint4 shared[];
	const xc_gpu_region r = xc_gpu_region_of(&jobs[blockIdx.y], segments, results, blockIdx.x,
	                                         (float *)shared, KIND);
	if (r.y >= (int64_t)r.job->height)
		return;
	constexpr uint32_t threads = xc_gpu_pixel_threads(KIND);
	const xc_gpu_region_block block = xc_gpu_region_block_of(&r, threadIdx.x, KIND);
	xc_gpu_region_begin(&r, KIND, threadIdx.x, threads);
	__syncthreads();
	float f[64];
	xc_gpu_region_load(&r, &block, threadIdx.x, KIND, f, DEEP);
	if (xc_gpu_is_own(KIND))
		xc_warp_sync();
	else
		__syncthreads();
	xc_gpu_region_store(&r, &block, f, KIND);
	__syncthreads();
	if (xc_gpu_is_lapped(KIND)) {
		for (int columns = 0; columns < 2; columns++) {
			xc_gpu_region_edges(&r, KIND, columns, threadIdx.x, threads);
			__syncthreads();
		}
	}
	if (r.job->rounding) {
		xc_gpu_region_round(&r, KIND, DEEP, threadIdx.x, threads);
		__syncthreads();
	}
	if (xc_gpu_is_border(&r, KIND)) {
		xc_gpu_region_extend(&r, KIND, threadIdx.x, threads);
		__syncthreads();
	}
	xc_gpu_region_rows(&r, threadIdx.x / 32, threads / 32, KIND, DEEP);
}

#endif
