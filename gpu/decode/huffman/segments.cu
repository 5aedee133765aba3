/* SPDX-License-Identifier: BSD-2-Clause */
/* The decoder's kernel for Huffman codes, see doc/gpu.md, and its launches. */
#include <cuda_pipeline.h>

#include "gpu/decode/huffman/segment.h"
#include "gpu/decode/launch.h"
#include "gpu/decode/ranges.h"

/* The maximum that registers allow. */
enum { XC_GPU_MAX_WARPS = 28 };

/* The maximum of warps of a block where several share a segment; more slow each other down. */
enum { XC_GPU_GROUPED_WARPS = 20 };

/* The maximum of warp groups of one warp in a block with more segments than that: these keep it
 * busy, and more would finish less evenly. */
enum { XC_GPU_ENOUGH_WARPS = 18 };

/* Neither const nor static: nvcc would put a number made of the source's path into its name, and a build in another
 * folder would be another one. */
template <int WARPS>
__constant__ xc_crc_read_constants crc_constants = xc_crc_read_constants_make(WARPS);

/* What the warps of a block share. It follows the tables, if they are NEAR (copied to shared
 * memory), and precedes the words of the warp groups (xc_gpu_warp_group_memory). */
struct xc_gpu_segment_memory {
	xc_crc_read_tables crc;
	xc_warp_group_exchange exchange[XC_GPU_MAX_WARPS / 2];
	uint32_t next, unused[3];
};

XC_GPU_CONSTANT size_t xc_gpu_segment_bytes(int near, uint32_t warp_groups, uint32_t words)
{
	return (near ? XC_GPU_TABLES_BYTES : 0) + sizeof(xc_gpu_segment_memory) +
	       warp_groups * words * sizeof(uint32_t);
}

static_assert(xc_gpu_segment_bytes(0, XC_GPU_MAX_WARPS, XC_GPU_SMALL_TILE) <= XC_GPU_MIN_SHARED,
              "a kernel for any GPU");
static_assert(63 * XC_GPU_CACHED_MAX + XC_GPU_TOKEN_MARGIN * XC_WARP_GROUP_MAX <= UINT16_MAX,
              "ends of blocks");

static_assert(XC_GPU_LAST_MANY + 1 + XC_GPU_GUARD + XC_GPU_END_STEP < 128 &&
                  63 + XC_GPU_END_STEP < 128,
              "positions in seven bits");

/* Thread block i decodes range i, successive pictures with the same tables at a time. Each warp
 * group of WARPS takes the next segment when it has finished one. Barriers: before and after each
 * such round. */
template <int DEPTH16, int NEAR, int WARPS>
static __global__ void __launch_bounds__(32 * XC_GPU_MAX_WARPS, 1)
	xc_gpu_decode_segments(const xc_gpu_decode_job *jobs, const xc_gpu_segment *segments,
                           xc_gpu_segment_result *results, xc_gpu_segment_result *host_results,
                           const __grid_constant__ xc_gpu_ranges ranges, uint32_t words,
                           uint32_t blocks)
{
	extern __shared__ uint4 shared[];
	xc_gpu_segment_memory *m = (xc_gpu_segment_memory *)((char *)shared +
	                                                     (NEAR ? XC_GPU_TABLES_BYTES : 0));
	constexpr uint32_t lanes = XC_WARP_LANES * WARPS;
	const uint32_t warp_groups = blockDim.x / lanes, number = threadIdx.x / lanes;
	const uint32_t end = ranges.first[blockIdx.x + 1];
	uint32_t first = ranges.first[blockIdx.x];
	const xc_gpu_decode_job *p = &jobs[ranges.job[blockIdx.x]];
	xc_gpu_warp_group_memory mine;

	mine.words = (uint32_t *)shared;
	mine.first = xc_gpu_segment_bytes(NEAR, 0, 0) / sizeof(uint32_t) +
	             number * xc_gpu_warp_group_words(words, blocks);
	mine.count = words;
	mine.blocks = blocks;
	xc_warp_group wg = {WARPS, number, &m->exchange[WARPS > 1 ? number : 0], 0};
	xc_crc_read_fill(&m->crc, &crc_constants<WARPS>, threadIdx.x, blockDim.x);
	while (first < end) {
		p = xc_gpu_job_of(p, first);
		const xc_gpu_decode_job *q = p;
		uint32_t last = p->first_segment + p->segments;
		while (last < end && q[1].huffman == p->huffman) {
			q++;
			last = q->first_segment + q->segments;
		}
		last = last < end ? last : end;
		const void *device = p->huffman;
		XC_GPU_GLOBAL(device);
		if (NEAR) {
			const uint32_t pieces = (p->components > 1 ? 2 : 1) * sizeof(xc_gpu_class_tables) /
			                        sizeof(uint4);
			for (uint32_t i = threadIdx.x; i < pieces; i += blockDim.x)
				__pipeline_memcpy_async(&shared[i], (const uint4 *)device + i, sizeof(uint4));
			__pipeline_commit();
			__pipeline_wait_prior(0);
			device = shared;
		}
		const auto *const tables = (const xc_gpu_class_tables *)device;
		if (threadIdx.x == 0)
			m->next = first + warp_groups;
		__syncthreads();
		for (uint32_t i = first + number; i < last;) {
			p = xc_gpu_job_of(p, i);
			const xc_gpu_segment segment = segments[i];
			const xc_gpu_segment_result result = xc_gpu_decode_segment(&wg, p, tables, &m->crc,
			                                                           &segment,
			                                                           i - p->first_segment, &mine,
			                                                           DEPTH16);
			const uint32_t leads[1] = {threadIdx.x % lanes == 0};
			uint32_t next[1] = {0};
			if (leads[0]) {
				results[i] = host_results[i] = result;
				next[0] = atomicAdd(&m->next, 1);
			}
			i = xc_warp_group_first(&wg, leads, next);
		}
		first = last;
		p = q;
		__syncthreads();
	}
}

/* ---------------------------------------------------------------- launches */

/* warp_groups: per block; warps: per group; words: per group for the copy of a segment; blocks: per
 * group whose records are cached; near: the tables fit in shared memory. */
struct room {
	int near;
	uint32_t warp_groups, warps, words, blocks;
	size_t bytes;
};

/* Whether a thread block that makes pixels fits on a multiprocessor beside `warp_groups` of one
 * warp each. max: shared memory of a block. */
static bool pixels_fit_beside(uint32_t warp_groups, size_t max, const xc_gpu_subbatch *g,
                              uint32_t words)
{
	/* TAKEN: shared memory that the system reserves for each block. Each of four schedulers has its
	 * own registers; a lane takes 72 for segments and 80 for pixels. */
	enum { TAKEN = 1024, SCHEDULERS = 4, REGISTERS = 65536 / SCHEDULERS / XC_WARP_LANES };
	const uint32_t registers = (warp_groups + SCHEDULERS - 1) / SCHEDULERS * 72 +
	                           (g->pixel_warps + SCHEDULERS - 1) / SCHEDULERS * 80;
	const size_t shared = xc_gpu_segment_bytes(1, warp_groups, words) + TAKEN + g->pixel_bytes;

	return registers <= REGISTERS && shared <= max;
}

/* The number of warp groups of one warp that keep a block busy; fewer, but more than half, if then
 * the pixels of another call fit beside it. */
static uint32_t enough_warp_groups(size_t max, const xc_gpu_subbatch *g, uint32_t words)
{
	for (uint32_t warp_groups = XC_GPU_ENOUGH_WARPS; warp_groups > XC_GPU_ENOUGH_WARPS / 2;
	     warp_groups--)
		if (pixels_fit_beside(warp_groups, max, g, words))
			return warp_groups;
	return XC_GPU_ENOUGH_WARPS;
}

/* Chooses the launch for a subbatch. A block gets one warp group for each segment of its range, up
 * to the number that keeps it busy. Groups have several warps if segments are few, and two if with
 * one warp each the copies would be too small for the longest segment. Copies get that size unless
 * it costs more than half of the groups. */
static room room_for(const xc_gpu_decode_launcher *l, const xc_gpu_subbatch *g,
                     uint32_t longest_range)
{
	const size_t max = l->gpu->shared_bytes;
	room r;

	r.near = xc_gpu_segment_bytes(1, 1, XC_GPU_SMALL_TILE) <= max;
	r.words = xc_gpu_copy_words(g->longest);
	r.words = r.words < XC_GPU_SMALL_TILE ? (uint32_t)XC_GPU_SMALL_TILE : r.words;
	const uint32_t cached = r.near && !g->depth16 && g->max_blocks <= XC_GPU_CACHED_MAX
	                            ? (g->max_blocks + 3) & ~3u
	                            : 0;
	r.blocks = cached;
	const auto bytes = [&](uint32_t warp_groups) {
		return xc_gpu_segment_bytes(r.near, warp_groups,
		                            xc_gpu_warp_group_words(r.words, r.blocks));
	};
	const auto fits = [&](uint32_t warp_groups) { return bytes(warp_groups) <= max; };
	const auto max_warp_groups = [&](uint32_t wanted) {
		while (wanted > 1 && !fits(wanted))
			wanted--;
		return wanted;
	};
	r.warps = r.near ? l->layout->warps : 1;
	while (r.warps > 1 && longest_range * r.warps > XC_GPU_GROUPED_WARPS)
		r.warps /= 2;
	uint32_t wanted = xc_gpu_min(longest_range, XC_GPU_MAX_WARPS / r.warps);
	/* The choice of two warps does not depend on cached records. */
	if (!fits(xc_gpu_min(wanted, XC_GPU_ENOUGH_WARPS)))
		r.blocks = 0;
	if (r.near && r.warps == 1 && longest_range > XC_GPU_GROUPED_WARPS && fits(XC_GPU_ENOUGH_WARPS))
		wanted = enough_warp_groups(max, g, xc_gpu_warp_group_words(r.words, r.blocks));
	if (r.near && r.warps == 1 && !fits(wanted)) {
		r.warps = 2;
		wanted = xc_gpu_min(longest_range, XC_GPU_MAX_WARPS / 2);
	}
	while (r.words > 1024 && !fits((wanted + 1) / 2))
		r.words = r.words / 2 & ~(uint32_t)(XC_GPU_VEC16_WORDS - 1);
	r.warp_groups = max_warp_groups(wanted);
	/* Cached records may cost a third of the warp groups. */
	if (!r.blocks) {
		r.blocks = cached;
		const uint32_t fewer = max_warp_groups(wanted);
		if (fits(fewer) && 3 * fewer >= 2 * r.warp_groups)
			r.warp_groups = fewer;
		else
			r.blocks = 0;
	}
	r.bytes = bytes(r.warp_groups);
	return r;
}

/* The kernel with NEAR tables for warp groups of `warps` warps. */
template <int DEPTH16> static auto segments_kernel(uint32_t warps)
{
	return warps == 1   ? xc_gpu_decode_segments<DEPTH16, 1, 1>
	       : warps == 2 ? xc_gpu_decode_segments<DEPTH16, 1, 2>
	                    : xc_gpu_decode_segments<DEPTH16, 1, XC_WARP_GROUP_MAX>;
}

/* Launches one block a multiprocessor. */
template <int DEPTH16>
static xc_status decode_segments(const xc_gpu_decode_launcher *l, const xc_gpu_subbatch *g)
{
	const uint32_t max = xc_gpu_min((uint32_t)l->gpu->multiprocessors, XC_GPU_MAX_RANGES);
	const uint32_t blocks = g->segments < max ? (uint32_t)g->segments : max;
	xc_gpu_ranges ranges;
	const uint32_t longest = xc_gpu_ranges_make(&ranges, blocks, l->jobs + g->first, g->count,
	                                            l->segments, XC_GPU_SEGMENT_COST);
	const room r = room_for(l, g, longest);
	const auto kernel = r.near ? segments_kernel<DEPTH16>(r.warps)
	                           : xc_gpu_decode_segments<DEPTH16, 0, 1>;
	const xc_status s = xc_gpu_allow_shared(l->gpu, (const void *)kernel, l->e);

	if (s)
		return s;
	return xc_gpu_launch_first("that decodes segments", l->gpu, kernel, blocks,
	                           XC_WARP_LANES * r.warps * r.warp_groups, r.bytes, l->stream, l->e,
	                           l->device_jobs + g->first, l->device_segments, l->results,
	                           l->host_results, ranges, r.words, r.blocks);
}

xc_status xc_gpu_launch_segments(const xc_gpu_decode_launcher *l, const xc_gpu_subbatch *g)
{
	return g->depth16 ? decode_segments<1>(l, g) : decode_segments<0>(l, g);
}
