/* SPDX-License-Identifier: BSD-2-Clause */
/* The decoder's kernels for kept JPEGs, see doc/gpu.md, and their launches: tables and segments. */
#include "gpu/decode/jpeg/coefficients.h"
#include "gpu/decode/launch.h"
#include "lossless/buckets.h"

enum { XC_GPU_JPEG_TABLE_THREADS = 64, XC_GPU_JPEG_WARPS = 3 };

static __constant__ const xc_crc_read_constants crc_constants = xc_crc_read_constants_make(1);

/* Thread i makes the buckets of shape i. */
static __global__ void xc_gpu_make_jpeg_tables(xc_bucket *tables, const xc_shape_index *shapes,
                                               uint32_t count)
{
	const uint32_t i = blockIdx.x * XC_GPU_JPEG_TABLE_THREADS + threadIdx.x;
	uint16_t frequencies[XC_SYMBOLS];

	if (i >= count)
		return;
	xc_find_frequencies(shapes[i], frequencies);
	xc_fill_buckets(frequencies, tables + (size_t)i * XC_SYMBOLS);
}

xc_status xc_gpu_launch_jpeg_tables(const xc_gpu_decode_launcher *l)
{
	const uint32_t count = (uint32_t)l->layout->shapes;
	auto *const tables = (xc_bucket *)(l->scratch + l->layout->jpeg_tables_at);
	const auto *const shapes = (const xc_shape_index *)(l->scratch + l->layout->shapes_at);

	return xc_gpu_launch_first("that makes tables of JPEGs", l->gpu, xc_gpu_make_jpeg_tables,
	                           (count + XC_GPU_JPEG_TABLE_THREADS - 1) / XC_GPU_JPEG_TABLE_THREADS,
	                           XC_GPU_JPEG_TABLE_THREADS, 0, l->stream, l->e, tables, shapes,
	                           count);
}

/* Shared memory of a thread block, before each warp's own. */
struct xc_gpu_jpeg_block_memory {
	xc_gpu_jpeg_tables tables;
	xc_crc_read_tables crc;
} __attribute__((aligned(16)));

/* Warp i decodes segments i * each to i * each + each - 1, of `count`, from the first of *jobs on. */
static __global__ void __launch_bounds__(32 * XC_GPU_JPEG_WARPS)
	xc_gpu_decode_jpegs(const xc_gpu_decode_job *jobs, const xc_gpu_segment *segments,
                        xc_gpu_segment_result *results, xc_gpu_segment_result *host_results,
                        uint32_t count, uint32_t each,
                        const __grid_constant__ xc_gpu_jpeg_model model)
{
	extern __shared__ uint4 shared[];
	auto *const block = (xc_gpu_jpeg_block_memory *)shared;
	auto *const mine = (xc_gpu_jpeg_memory *)(block + 1) + threadIdx.x / 32;
	const uint32_t warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
	const xc_gpu_decode_job *p = jobs;
	xc_gpu_jpeg_work work[2];

	xc_crc_read_fill(&block->crc, &crc_constants, threadIdx.x, blockDim.x);
	xc_gpu_jpeg_raster_fill(&block->tables, threadIdx.x, blockDim.x);
	__syncthreads();
	xc_gpu_jpeg_tables_fill(&block->tables, &model, threadIdx.x, blockDim.x);
	__syncthreads();
	const uint32_t first = warp * each;
	if (first >= count)
		return;
	const uint32_t n = count - first < each ? count - first : each;
	for (uint32_t s = 0; s < 2; s++) {
		const uint32_t i = jobs->first_segment + first + (s < n ? s : 0);
		p = xc_gpu_job_of(p, i);
		work[s].job = p;
		work[s].segment = &segments[i];
		work[s].tile = i - p->first_segment;
		work[s].result = &results[i];
	}
	xc_gpu_decode_jpeg(work, n, mine, &block->tables, &block->crc);
	__syncwarp();
	const uint32_t lane = threadIdx.x % 32, i = jobs->first_segment + first + lane;
	if (lane < n)
		host_results[i] = results[i];
}

/* Few segments get a warp each: then none waits for the longer one of a pair. More are needed to keep the
 * multiprocessors busy than there are warps for, so that pairs take half of the time. */
xc_status xc_gpu_launch_jpeg_segments(const xc_gpu_decode_launcher *l, const xc_gpu_subbatch *g)
{
	enum { ALONE = 2 };
	const uint32_t processors = (uint32_t)l->gpu->multiprocessors, count = (uint32_t)g->segments;
	const uint32_t each = count <= ALONE * processors ? 1 : 2;
	const uint32_t all = (count + each - 1) / each;
	const uint32_t wanted = (all + processors - 1) / processors;
	const uint32_t warps = xc_gpu_min(wanted, XC_GPU_JPEG_WARPS);
	const size_t bytes = sizeof(xc_gpu_jpeg_block_memory) + warps * sizeof(xc_gpu_jpeg_memory);

	static_assert(sizeof(xc_gpu_jpeg_block_memory) +
	                      XC_GPU_JPEG_WARPS * sizeof(xc_gpu_jpeg_memory) <=
	                  XC_GPU_MIN_SHARED,
	              "a kernel for any GPU");
	static_assert(sizeof(xc_gpu_jpeg_model) + 64 <= 4096, "a kernel's parameters");
	const xc_status s = xc_gpu_allow_shared(l->gpu, (const void *)xc_gpu_decode_jpegs, l->e);
	if (s)
		return s;
	return xc_gpu_launch_first("that decodes segments of JPEGs", l->gpu, xc_gpu_decode_jpegs,
	                           (all + warps - 1) / warps, 32 * warps, bytes, l->stream, l->e,
	                           l->device_jobs + g->first, l->device_segments, l->results,
	                           l->host_results, count, each, *l->batch->model);
}
