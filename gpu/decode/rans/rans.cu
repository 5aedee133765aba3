/* SPDX-License-Identifier: BSD-2-Clause */
/* The decoder's kernels for rANS, see doc/gpu.md, and their launches. */
#include <stdint.h>

#include "gpu/decode/launch.h"
#include "gpu/decode/ranges.h"
#include "gpu/decode/rans/values.h"

/* ------------------------------------------------------------------ tables */

enum { XC_GPU_RANS_TABLE_THREADS = 256 };

/* The weights of both classes as a parameter. */
struct xc_gpu_rans_both_weights {
	xc_rans_weights of[2];
};

/* Thread block i makes the tables of set i. */
static __global__ void __launch_bounds__(XC_GPU_RANS_TABLE_THREADS)
	xc_gpu_make_rans_tables(xc_gpu_rans_tables *tables, const xc_rans_frequencies *frequencies,
                            const __grid_constant__ xc_gpu_rans_both_weights weights)
{
	xc_gpu_fill_rans_tables(&tables[blockIdx.x], &frequencies[blockIdx.x], weights.of, threadIdx.x,
	                        blockDim.x);
}

xc_status xc_gpu_launch_rans_tables(const xc_gpu_decode_launcher *l)
{
	auto *const all = (xc_gpu_rans_tables *)(l->scratch + l->layout->rans_tables_at);
	const auto *const from = (const xc_rans_frequencies *)(l->scratch + l->layout->frequencies_at);
	const xc_gpu_rans_both_weights both = {{l->batch->weights[0], l->batch->weights[1]}};

	return xc_gpu_launch_first("that makes tables of rANS", l->gpu, xc_gpu_make_rans_tables,
	                           l->batch->frequency_sets, XC_GPU_RANS_TABLE_THREADS, 0, l->stream,
	                           l->e, all, from, both);
}

/* ---------------------------------------------------------------- segments */

/* The maximum of warps that registers allow, and of sets of tables that they share. Few segments in
 * a range leave a multiprocessor idle, so each gets its own warp. */
enum { XC_GPU_MAX_RANS_WARPS = 24, XC_GPU_MAX_RANS_SETS = 8, XC_GPU_FEW_SEGMENTS = 8 };

static __constant__ const xc_crc_read_constants crc_constants = xc_crc_read_constants_make(1);

/* Shared memory of a thread block, before the sets of tables and each warp's memory. */
struct xc_gpu_rans_block_memory {
	xc_gpu_rans_model model;
	xc_crc_read_tables crc;
	uint32_t next, unused[3]; /* segment of the round */
} __attribute__((aligned(16)));

/* xc_gpu_ranges in fewer bytes, because the parameters of a kernel have 4096. */
struct xc_gpu_rans_launch {
	uint32_t first[XC_GPU_MAX_RANGES + 1];
	uint16_t job[XC_GPU_MAX_RANGES];
	uint32_t sets; /* room for sets of tables */
	xc_gpu_rans_model model;
};

/* A cursor through the pictures of a round: the picture of a segment, and the index of its tables
 * in shared memory. */
struct xc_gpu_rans_cursor {
	const xc_gpu_decode_job *job;
	uint32_t set;
};

static __device__ __forceinline__ void xc_gpu_cursor_move(xc_gpu_rans_cursor *w, uint32_t i)
{
	while (i - w->job->first_segment >= w->job->segments) {
		w->set += w->job[1].rans != w->job->rans;
		w->job++;
	}
}

/* Copies the tables of the pictures from `p` on that have segments before `end`, as many sets as
 * fit. Returns the end of the segments whose tables are there. */
static __device__ __forceinline__ uint32_t xc_gpu_begin_round(const xc_gpu_decode_job *p,
                                                              uint32_t end, uint32_t sets,
                                                              uint4 *tables)
{
	constexpr uint32_t pieces = sizeof(xc_gpu_rans_tables) / sizeof(uint4);
	const void *last = NULL;

	for (uint32_t n = 0;; p++) {
		if (p->rans != last) {
			if (n == sets)
				return p->first_segment;
			last = p->rans;
			for (uint32_t i = threadIdx.x; i < pieces; i += blockDim.x)
				tables[n * pieces + i] = ((const uint4 *)last)[i];
			n++;
		}
		if (end - p->first_segment <= p->segments)
			return end;
	}
}

/* Decodes `count` segments from i on; w: the round's cursor. */
static __device__ __forceinline__ void xc_gpu_decode_pair(
	xc_gpu_rans_cursor w, const xc_gpu_segment *segments, xc_gpu_segment_result *results,
	uint32_t i, uint32_t count, xc_gpu_rans_memory *memory, const xc_gpu_rans_shared *shared,
	int low_latency)
{
	xc_gpu_rans_work work[2];

	XC_UNROLL
	for (uint32_t k = 0; k < 2; k++) {
		if (k < count)
			xc_gpu_cursor_move(&w, i + k);
		work[k].job = w.job;
		work[k].segment = &segments[i + k];
		work[k].tile = i + k - w.job->first_segment;
		work[k].set = w.set;
		work[k].result = &results[i + k];
	}
	xc_gpu_decode_symbols(work, count, memory, shared, low_latency);
}

/* Thread block i decodes range i. Its warps take two segments at a time, with LOW_LATENCY one. */
template <int LOW_LATENCY>
static __global__ void __launch_bounds__(32 * (LOW_LATENCY ? XC_GPU_FEW_SEGMENTS
                                                           : XC_GPU_MAX_RANS_WARPS),
                                         1)
	xc_gpu_decode_rans(const xc_gpu_decode_job *jobs, const xc_gpu_segment *segments,
                       xc_gpu_segment_result *results,
                       const __grid_constant__ xc_gpu_rans_launch launch)
{
	extern __shared__ uint4 memory[];
	auto *const block = (xc_gpu_rans_block_memory *)memory;
	auto *const tables = (xc_gpu_rans_tables *)(block + 1);
	auto *const mine = (xc_gpu_rans_memory *)(tables + launch.sets) + threadIdx.x / 32;
	const xc_gpu_rans_shared shared = {&block->model, tables, &block->crc};
	const uint32_t lane = threadIdx.x % 32, step = LOW_LATENCY ? 1 : 2;
	const uint32_t end = launch.first[blockIdx.x + 1];
	uint32_t first = launch.first[blockIdx.x];
	xc_gpu_rans_cursor cursor = {&jobs[launch.job[blockIdx.x]], 0};

	xc_crc_read_fill(&block->crc, &crc_constants, threadIdx.x, blockDim.x);
	for (uint32_t i = threadIdx.x; i < sizeof launch.model / 4; i += blockDim.x)
		((uint32_t *)&block->model)[i] = ((const uint32_t *)&launch.model)[i];
	while (first < end) {
		xc_gpu_cursor_move(&cursor, first);
		cursor.set = 0;
		const uint32_t last = xc_gpu_begin_round(cursor.job, end, launch.sets, (uint4 *)tables);
		if (threadIdx.x == 0)
			block->next = first;
		__syncthreads();
		for (;;) {
			uint32_t i = lane ? 0 : atomicAdd(&block->next, step);
			i = __shfl_sync(0xffffffffu, i, 0);
			if (i >= last)
				break;
			xc_gpu_decode_pair(cursor, segments, results, i, last - i < step ? last - i : step,
			                   mine, &shared, LOW_LATENCY);
		}
		first = last;
		__syncthreads();
	}
}

static size_t rans_bytes(uint32_t sets, uint32_t warps)
{
	return sizeof(xc_gpu_rans_block_memory) + sets * sizeof(xc_gpu_rans_tables) +
	       warps * sizeof(xc_gpu_rans_memory);
}

static_assert(sizeof(xc_gpu_rans_launch) + 3 * sizeof(void *) <= 4096, "a kernel's parameters");

xc_status xc_gpu_launch_rans_symbols(const xc_gpu_decode_launcher *l, const xc_gpu_subbatch *g)
{
	const uint32_t max = xc_gpu_min((uint32_t)l->gpu->multiprocessors, XC_GPU_MAX_RANGES);
	const uint32_t blocks = g->segments < max ? (uint32_t)g->segments : max;
	xc_gpu_ranges ranges;
	xc_gpu_rans_launch launch;
	const uint32_t longest = xc_gpu_ranges_make(&ranges, blocks, l->jobs + g->first, g->count,
	                                            l->segments, XC_GPU_RANS_COST);

	memcpy(launch.first, ranges.first, sizeof launch.first);
	for (uint32_t i = 0; i < blocks; i++)
		launch.job[i] = (uint16_t)ranges.job[i];
	xc_gpu_rans_model_make(&launch.model, l->batch->weights);
	const bool low_latency = longest <= XC_GPU_FEW_SEGMENTS;
	const auto kernel = low_latency ? xc_gpu_decode_rans<1> : xc_gpu_decode_rans<0>;
	const uint32_t wanted = low_latency ? longest : (longest + 1) / 2;
	uint32_t warps = xc_gpu_min(wanted, XC_GPU_MAX_RANS_WARPS), sets = 1;
	while (warps > 1 && rans_bytes(1, warps) > l->gpu->shared_bytes)
		warps--;
	while (sets < XC_GPU_MAX_RANS_SETS && sets < l->batch->frequency_sets &&
	       rans_bytes(sets + 1, warps) <= l->gpu->shared_bytes)
		sets++;
	launch.sets = sets;
	const xc_status s = xc_gpu_allow_shared(l->gpu, (const void *)kernel, l->e);
	if (s)
		return s;
	return xc_gpu_launch_first("that decodes symbols of rANS", l->gpu, kernel, blocks, 32 * warps,
	                           rans_bytes(sets, warps), l->stream, l->e, l->device_jobs + g->first,
	                           l->device_segments, l->results, launch);
}

/* ------------------------------------------------------------------ values */

enum { XC_GPU_VALUE_WARPS = 4 };

/* Warp i of row j of the grid finishes segment i of job j. Each warp has shared memory for `room`
 * DCs. */
template <int DEPTH16>
static __global__ void __launch_bounds__(32 * XC_GPU_VALUE_WARPS, 8)
	xc_gpu_finish_rans(const xc_gpu_decode_job *jobs, const xc_gpu_segment *segments,
                       xc_gpu_segment_result *results, xc_gpu_segment_result *host_results,
                       uint32_t room)
{
	extern __shared__ int32_t small[];
	const xc_gpu_decode_job *p = &jobs[blockIdx.y];
	const uint32_t tile = blockIdx.x * XC_GPU_VALUE_WARPS + threadIdx.x / 32;
	const uint32_t i = p->first_segment + tile;

	if (tile >= p->segments)
		return;
	xc_gpu_segment_result r = results[i];
	if (r.intact)
		r.intact = xc_gpu_finish_segment(p, &segments[i], tile, small + threadIdx.x / 32 * room,
		                                 DEPTH16);
	if (threadIdx.x % 32 == 0)
		results[i] = host_results[i] = r;
}

xc_status xc_gpu_launch_rans_values(const xc_gpu_decode_launcher *l, const xc_gpu_subbatch *g)
{
	const auto kernel = g->depth16 ? xc_gpu_finish_rans<1> : xc_gpu_finish_rans<0>;
	const dim3 grid((g->max_segments + XC_GPU_VALUE_WARPS - 1) / XC_GPU_VALUE_WARPS, g->count);
	/* No more than the tiles need, so that many warps fit on a multiprocessor. */
	const uint32_t room = xc_gpu_min(g->max_blocks, XC_GPU_SMALL_RANS_TILE);

	return xc_gpu_launch_first("that places the raw bits of rANS", l->gpu, kernel, grid,
	                           32 * XC_GPU_VALUE_WARPS, XC_GPU_VALUE_WARPS * room * sizeof(int32_t),
	                           l->stream, l->e, l->device_jobs + g->first, l->device_segments,
	                           l->results, l->host_results, room);
}
