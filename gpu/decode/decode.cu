/* SPDX-License-Identifier: BSD-2-Clause */
#include "gpu/decode/decode.h"

#include "gpu/decode/kernels.cuh"
#include "gpu/runtime/gpu.h"

/* What the launches of one call share. */
struct launcher {
	const xc_gpu *gpu;
	const xc_gpu_decode_batch *batch;
	cudaStream_t stream;
	xc_gpu_error *e;

	template <typename T> T *there(size_t at) const
	{
		return (T *)((char *)batch->device + at);
	}
};

/* Plans first ... first + count - 1, all of one kind and depth. */
struct group {
	uint32_t first, count;
	int kind, deep;
	uint32_t most_regions;
	uint32_t longest; /* segment, in bytes */
	uint64_t segments;
};

/* gridDim.y has 16 bits. */
enum { MOST_PICTURES = 65535 };

static uint32_t regions_of(const xc_gpu_decode_plan *p, int kind)
{
	const uint64_t n = xc_gpu_regions(p->width, p->height, kind);
	return n > INT32_MAX ? INT32_MAX : (uint32_t)n;
}

static group group_at(const launcher *l, uint32_t first)
{
	const xc_gpu_decode_batch *b = l->batch;
	const xc_gpu_decode_plan *p = &b->plans[first];
	const size_t room = l->gpu->shared_bytes;
	group g = {first, 0, xc_gpu_kind_for(p, room), p->depth == 16, 0, 0, 0};
	for (uint32_t i = first; i < b->pictures && g.count < MOST_PICTURES; i++, p++, g.count++) {
		if (xc_gpu_kind_for(p, room) != g.kind || (p->depth == 16) != g.deep)
			break;
		const uint32_t regions = regions_of(p, g.kind);
		g.segments += p->segments;
		g.longest = g.longest < p->longest ? p->longest : g.longest;
		g.most_regions = g.most_regions < regions ? regions : g.most_regions;
	}
	return g;
}

/* Warps a block, and how many words each has for a copy of its segment; near: there is room
 * for the tables, too. */
struct room {
	int near;
	uint32_t warps, words;
	size_t bytes;
};

static uint32_t least(uint64_t a, uint64_t b)
{
	return (uint32_t)(a < b ? a : b);
}

/* As many warps as there are segments in a block's range, but copies of segments have the
 * room that the longest one needs, unless that would cost more than half of the warps. */
static room room_for(const xc_gpu *gpu, const group *g, uint32_t longest_range)
{
	room r;
	r.near = xc_gpu_segment_bytes(1, 1, XC_GPU_SMALL_TILE) <= gpu->shared_bytes;
	const uint32_t wanted = least(longest_range, XC_GPU_MOST_WARPS);
	r.words = (g->longest + 3) / 4 + XC_GPU_COPY_MARGIN;
	r.words = (r.words + 3) & ~3u;
	r.words = r.words < XC_GPU_SMALL_TILE ? (uint32_t)XC_GPU_SMALL_TILE : r.words;
	while (r.words > 1024 &&
	       xc_gpu_segment_bytes(r.near, (wanted + 1) / 2, r.words) > gpu->shared_bytes)
		r.words /= 2;
	r.warps = wanted;
	while (r.warps > 1 && xc_gpu_segment_bytes(r.near, r.warps, r.words) > gpu->shared_bytes)
		r.warps--;
	r.bytes = xc_gpu_segment_bytes(r.near, r.warps, r.words);
	return r;
}

/* One block a multiprocessor. */
template <int DEEP> static xc_status decode_segments(const launcher *l, const group *g)
{
	const xc_gpu_decode_batch *b = l->batch;
	const uint32_t blocks = least(least(l->gpu->multiprocessors, XC_GPU_MOST_RANGES), g->segments);
	xc_gpu_ranges ranges;
	const uint32_t longest = xc_gpu_ranges_make(&ranges, blocks, &b->plans[g->first], g->count,
	                                            (const xc_gpu_segment *)((const char *)b->host +
	                                                                     b->segments_at));
	const room r = room_for(l->gpu, g, longest);
	const auto kernel = r.near ? xc_gpu_decode_segments<DEEP, 1> : xc_gpu_decode_segments<DEEP, 0>;
	const xc_status s = xc_gpu_allow_shared(l->gpu, (const void *)kernel, l->e);
	if (s)
		return s;
	kernel<<<blocks, 32 * r.warps, r.bytes, l->stream>>>(l->there<xc_gpu_decode_plan>(b->plans_at) +
	                                                         g->first,
	                                                     l->there<xc_gpu_segment>(b->segments_at),
	                                                     b->results, ranges, r.words);
	return xc_gpu_check_launch(l->e, "that decodes segments");
}

using make_pixels_function = xc_status (*)(const launcher *, const group *);

template <int KIND, int DEEP> static xc_status make_pixels(const launcher *l, const group *g)
{
	constexpr uint32_t threads = xc_gpu_pixel_threads(KIND);
	constexpr size_t bytes = xc_gpu_region_bytes(KIND);
	const xc_status s = xc_gpu_allow_shared(l->gpu, (const void *)xc_gpu_make_pixels<KIND, DEEP>,
	                                        l->e);
	if (s)
		return s;
	const dim3 grid(g->most_regions, g->count);
	xc_gpu_make_pixels<KIND, DEEP>
		<<<grid, threads, bytes, l->stream>>>(l->there<xc_gpu_decode_plan>(l->batch->plans_at) +
	                                              g->first,
	                                          l->there<xc_gpu_segment>(l->batch->segments_at),
	                                          l->batch->results);
	return xc_gpu_check_launch(l->e, "that makes pixels");
}

/* The kernel for GPUs that have less than that of KIND wants. */
template <int KIND, int DEEP> static constexpr make_pixels_function lower(void)
{
	constexpr int LOWER = KIND + XC_GPU_LOWER;
	if constexpr (xc_gpu_region_bytes(KIND) > XC_GPU_LEAST_SHARED) {
		static_assert(xc_gpu_region_bytes(LOWER) <= XC_GPU_LEAST_SHARED, "for any GPU");
		return make_pixels<LOWER, DEEP>;
	}
	return NULL;
}

template <int DEEP> static xc_status make_pixels_of(const launcher *l, const group *g)
{
	static const make_pixels_function kinds[XC_GPU_KINDS] = {
		make_pixels<0, DEEP>, make_pixels<1, DEEP>, make_pixels<2, DEEP>, make_pixels<3, DEEP>,
		make_pixels<4, DEEP>, make_pixels<5, DEEP>, make_pixels<6, DEEP>, make_pixels<7, DEEP>,
		lower<0, DEEP>(),     lower<1, DEEP>(),     lower<2, DEEP>(),     lower<3, DEEP>(),
		lower<4, DEEP>(),     lower<5, DEEP>(),     lower<6, DEEP>(),     lower<7, DEEP>(),
	};
	return kinds[g->kind](l, g);
}

/* ------------------------------------------------------------------ stages */

static xc_status upload(const launcher *l)
{
	const xc_gpu_decode_batch *b = l->batch;
	return xc_gpu_check(l->e,
	                    cudaMemcpyAsync(b->device, b->host, b->size, cudaMemcpyHostToDevice,
	                                    l->stream),
	                    "copy");
}

static xc_status tables(const launcher *l)
{
	const xc_gpu_decode_batch *b = l->batch;
	const dim3 grid(2 * b->codes, XC_GPU_TABLE_BLOCKS);
	xc_gpu_make_tables<<<grid, XC_GPU_TABLE_THREADS, 0, l->stream>>>(b->tables,
	                                                                 l->there<xc_canonical_code[2]>(
																		 b->codes_at));
	return xc_gpu_check_launch(l->e, "that makes tables");
}

template <typename F> static xc_status each_group(const launcher *l, F f)
{
	group g;
	for (uint32_t i = 0; i < l->batch->pictures; i += g.count) {
		g = group_at(l, i);
		const xc_status s = f(&g);
		if (s)
			return s;
	}
	return XC_OK;
}

static xc_status segments(const launcher *l)
{
	return each_group(l, [l](const group *g) {
		return g->deep ? decode_segments<1>(l, g) : decode_segments<0>(l, g);
	});
}

static xc_status pixels(const launcher *l)
{
	return each_group(l, [l](const group *g) {
		return g->deep ? make_pixels_of<1>(l, g) : make_pixels_of<0>(l, g);
	});
}

static xc_status download(const launcher *l)
{
	const xc_gpu_decode_batch *b = l->batch;
	return xc_gpu_check(l->e,
	                    cudaMemcpyAsync(b->results_host, b->results,
	                                    b->segments * sizeof *b->results, cudaMemcpyDeviceToHost,
	                                    l->stream),
	                    "copy");
}

static xc_status run(xc_gpu *gpu, const xc_gpu_decode_batch *batch, void *stream, void **marks,
                     xc_gpu_error *e)
{
	static xc_status (*const stages[])(const launcher *) = {upload, tables, segments, pixels,
	                                                        download};
	const launcher l = {gpu, batch, xc_gpu_stream(gpu, stream), e};
	xc_status s = xc_gpu_enter(gpu, e);
	for (int i = 0; !s && i <= XC_GPU_DECODE_STAGES; i++) {
		if (marks)
			s = xc_gpu_check(e, cudaEventRecord((cudaEvent_t)marks[i], l.stream),
			                 "record an event");
		if (!s && i < XC_GPU_DECODE_STAGES)
			s = stages[i](&l);
	}
	return s;
}

static int pinned(xc_gpu *gpu, const void *memory)
{
	cudaPointerAttributes a;
	if (cudaSetDevice(gpu->device) != cudaSuccess ||
	    cudaPointerGetAttributes(&a, memory) != cudaSuccess) {
		(void)cudaGetLastError();
		return 0;
	}
	return a.type == cudaMemoryTypeHost;
}

const xc_gpu_decode_ops xc_gpu_decode_functions = {run,
                                                   pinned,
                                                   {"upload", "tables", "segments", "pixels",
                                                    "download"}};
