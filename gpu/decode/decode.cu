/* SPDX-License-Identifier: BSD-2-Clause */
/* The decoder's kernels, see doc/gpu.md, and its host side: a batch becomes jobs, a call
 * becomes a few launches. */
#include <cuda_pipeline.h>
#include <stdlib.h>

#include "gpu/decode/make_pixels.h"
#include "gpu/decode/ranges.h"
#include "gpu/decode/segment.h"

/* ------------------------------------------------------------------ tables */

enum { XC_GPU_TABLE_THREADS = 256, XC_GPU_TABLE_BLOCKS = 16 };

/* Block (i, j): part j of the tables of class i % 2 of set i / 2. */
static __global__ void __launch_bounds__(XC_GPU_TABLE_THREADS)
	xc_gpu_make_tables(char *tables, const xc_gpu_class_codes *codes)
{
	__shared__ xc_gpu_class_codes own;
	const uint32_t words = sizeof own / sizeof(uint32_t);
	for (uint32_t i = threadIdx.x; i < words; i += blockDim.x)
		((uint32_t *)&own)[i] = ((const uint32_t *)&codes[blockIdx.x])[i];
	__syncthreads();
	xc_gpu_fill_any(tables, blockIdx.x, &own, blockIdx.y * blockDim.x + threadIdx.x,
	                gridDim.y * blockDim.x);
}

/* ---------------------------------------------------------------- segments */

/* As many as have registers: on an H200 a large batch took 25 % longer with 16. */
enum { XC_GPU_MOST_WARPS = 28 };

static __constant__ const xc_crc_read_constants crc_constants = xc_crc_read_constants_make();

/* What the warps of a block share, after the tables if they are NEAR and not left in the GPU's
 * memory.  After it each warp has `words` words, XC_GPU_SMALL_TILE or more, for a copy of its
 * segment. */
struct xc_gpu_segment_memory {
	xc_crc_read_tables crc;
	uint32_t next, unused[3];
};

XC_GPU_CONSTANT size_t xc_gpu_class_bytes(int contexts)
{
	return contexts ? sizeof(xc_gpu_context_tables) : sizeof(xc_gpu_class_tables);
}

XC_GPU_CONSTANT size_t xc_gpu_near_bytes(int contexts, int near)
{
	return near ? 2 * xc_gpu_class_bytes(contexts) : 0;
}

XC_GPU_CONSTANT size_t xc_gpu_segment_bytes(int contexts, int near, uint32_t warps, uint32_t words)
{
	return xc_gpu_near_bytes(contexts, near) + sizeof(xc_gpu_segment_memory) +
	       warps * words * sizeof(uint32_t);
}

static_assert(xc_gpu_segment_bytes(0, 0, XC_GPU_MOST_WARPS, XC_GPU_SMALL_TILE) <=
                  XC_GPU_LEAST_SHARED,
              "a kernel for any GPU");

/* Block i: range i.  Successive pictures of a range with the same codes are done at once: each warp
 * takes the next segment when it is done with one.  said: the results once more, in pinned memory. */
template <int CONTEXTS, int DEEP, int NEAR>
static __global__ void __launch_bounds__(32 * XC_GPU_MOST_WARPS, 1)
	xc_gpu_decode_segments(const xc_gpu_decode_job *jobs, const xc_gpu_segment *segments,
                           xc_gpu_segment_result *results, xc_gpu_segment_result *said,
                           const __grid_constant__ xc_gpu_ranges ranges, uint32_t words)
{
	extern __shared__ uint4 shared[];
	constexpr size_t near_bytes = xc_gpu_near_bytes(CONTEXTS, NEAR);
	xc_gpu_segment_memory *m = (xc_gpu_segment_memory *)((char *)shared + near_bytes);
	const uint32_t warps = blockDim.x / 32, warp = threadIdx.x / 32;
	const uint32_t end = ranges.first[blockIdx.x + 1];
	uint32_t first = ranges.first[blockIdx.x];
	const xc_gpu_decode_job *p = &jobs[ranges.job[blockIdx.x]];
	xc_gpu_warp_memory mine;
	mine.words = (uint32_t *)shared;
	mine.first = xc_gpu_segment_bytes(CONTEXTS, NEAR, 0, 0) / sizeof(uint32_t) + warp * words;
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
		const void *there = p->tables;
		XC_GPU_GLOBAL(there);
		if (NEAR) {
			const uint32_t pieces = (p->components > 1 ? 2 : 1) * xc_gpu_class_bytes(CONTEXTS) /
			                        sizeof(uint4);
			for (uint32_t i = threadIdx.x; i < pieces; i += blockDim.x)
				__pipeline_memcpy_async(&shared[i], (const uint4 *)there + i, sizeof(uint4));
			__pipeline_commit();
			__pipeline_wait_prior(0);
			there = shared;
		}
		xc_gpu_tables tables;
		if (CONTEXTS)
			tables.contexts = (const xc_gpu_context_tables *)there;
		else
			tables.plain = (const xc_gpu_class_tables *)there;
		if (threadIdx.x == 0)
			m->next = first + warps;
		__syncthreads();
		for (uint32_t i = first + warp; i < last;) {
			p = xc_gpu_job_of(p, i);
			const xc_gpu_segment segment = segments[i];
			const xc_gpu_segment_result result = xc_gpu_decode_segment(p, tables, &m->crc, &segment,
			                                                           i - p->first_segment, &mine,
			                                                           CONTEXTS, DEEP);
			if (threadIdx.x % 32 == 0) {
				results[i] = said[i] = result;
				i = atomicAdd(&m->next, 1);
			}
			i = __shfl_sync(0xffffffffu, i, 0);
		}
		first = last;
		p = q;
		__syncthreads();
	}
}

/* ------------------------------------------------------------------ groups */

using launcher = xc_gpu_decode_launcher;
using group = xc_gpu_decode_group;

struct xc_gpu_decoder {
	xc_gpu *gpu;
	uint32_t *order; /* see xc_gpu_decode_order() */
	uint32_t room;   /* of order, in pictures */
	void *pinned;    /* the piece and the results of the last run */
	size_t pinned_size;
};

/* gridDim.y has 16 bits. */
enum { MOST_PICTURES = 65535 };

static uint32_t least(uint64_t a, uint64_t b)
{
	return (uint32_t)(a < b ? a : b);
}

static group group_at(const launcher *l, uint32_t first)
{
	const xc_gpu_decode_job *p = l->jobs + first;
	const size_t room = l->gpu->shared_bytes;
	const int coding = (int)p->coding;
	group g = {first, 0, xc_gpu_kind_for(p, room), p->depth == 16, coding, 0, 0, 0, 0};
	for (uint32_t i = first; i < l->batch->count && g.count < MOST_PICTURES; i++, p++, g.count++) {
		if (xc_gpu_kind_for(p, room) != g.kind || (p->depth == 16) != g.deep ||
		    (int)p->coding != g.coding)
			break;
		const uint32_t regions = least(xc_gpu_regions(p->width, p->height, g.kind), INT32_MAX);
		g.segments += p->segments;
		g.longest = g.longest < p->longest ? p->longest : g.longest;
		g.most_segments = g.most_segments < p->segments ? p->segments : g.most_segments;
		g.most_regions = g.most_regions < regions ? regions : g.most_regions;
	}
	return g;
}

/* Warps a block, and each one's words for a copy of its segment; near: the tables fit as well. */
struct room {
	int near;
	uint32_t warps, words;
	size_t bytes;
};

/* A block wants as many warps as its range has segments.  Copies get the room that the longest
 * segment needs, unless that would cost more than half of the warps. */
static room room_for(const xc_gpu *gpu, const group *g, uint32_t longest_range)
{
	const int contexts = g->coding == XC_GPU_CONTEXTS;
	room r;
	r.near = xc_gpu_segment_bytes(contexts, 1, 1, XC_GPU_SMALL_TILE) <= gpu->shared_bytes;
	const uint32_t wanted = least(longest_range, XC_GPU_MOST_WARPS);
	r.words = (g->longest + 3) / 4 + XC_GPU_COPY_MARGIN;
	r.words = (r.words + 3) & ~3u;
	r.words = r.words < XC_GPU_SMALL_TILE ? (uint32_t)XC_GPU_SMALL_TILE : r.words;
	while (r.words > 1024 &&
	       xc_gpu_segment_bytes(contexts, r.near, (wanted + 1) / 2, r.words) > gpu->shared_bytes)
		r.words /= 2;
	r.warps = wanted;
	while (r.warps > 1 &&
	       xc_gpu_segment_bytes(contexts, r.near, r.warps, r.words) > gpu->shared_bytes)
		r.warps--;
	r.bytes = xc_gpu_segment_bytes(contexts, r.near, r.warps, r.words);
	return r;
}

/* One block a multiprocessor. */
template <int CONTEXTS, int DEEP>
static xc_status decode_segments(const launcher *l, const group *g)
{
	const uint32_t blocks = least(least(l->gpu->multiprocessors, XC_GPU_MOST_RANGES), g->segments);
	xc_gpu_ranges ranges;
	const uint32_t longest = xc_gpu_ranges_make(&ranges, blocks, l->jobs + g->first, g->count,
	                                            l->segments, XC_GPU_SEGMENT_COST);
	const room r = room_for(l->gpu, g, longest);
	const auto kernel = r.near ? xc_gpu_decode_segments<CONTEXTS, DEEP, 1>
	                           : xc_gpu_decode_segments<CONTEXTS, DEEP, 0>;
	const xc_status s = xc_gpu_allow_shared(l->gpu, (const void *)kernel, l->e);
	if (s)
		return s;
	kernel<<<blocks, 32 * r.warps, r.bytes, l->stream>>>(l->there_jobs + g->first,
	                                                     l->there_segments, l->results, l->said,
	                                                     ranges, r.words);
	return xc_gpu_check_launch(l->e, "that decodes segments");
}

/* ------------------------------------------------------------------ stages */

static xc_status copy(const launcher *l, void *to, const void *from, size_t size)
{
	return xc_gpu_check(l->e, cudaMemcpyAsync(to, from, size, cudaMemcpyDefault, l->stream),
	                    "copy");
}

/* The piece, segments that are not on the device yet, and alpha. */
static xc_status upload(const launcher *l)
{
	xc_status s = XC_OK;
	for (uint32_t n = 0; n < l->batch->count && !s; n++) {
		const xc_gpu_coded_picture *p = &l->batch->pictures[l->order[n]];
		const xc_gpu_decode_job *j = l->jobs + n;
		/* The job's pointers are const for the kernels. */
		if (!p->resident)
			s = copy(l, (void *)j->data, p->data, (size_t)p->data_bytes);
		if (j->alpha && !s)
			s = copy(l, (void *)j->alpha, p->alpha, xc_gpu_alpha_bytes(p));
	}
	return s ? s : copy(l, l->scratch, l->pinned, l->layout->piece);
}

static xc_status tables(const launcher *l)
{
	const dim3 grid(2 * l->batch->code_sets, XC_GPU_TABLE_BLOCKS);
	char *const all = l->scratch + l->layout->tables_at;
	const auto *const codes = (const xc_gpu_class_codes *)(l->scratch + l->layout->codes_at);
	if (l->batch->code_sets)
		xc_gpu_make_tables<<<grid, XC_GPU_TABLE_THREADS, 0, l->stream>>>(all, codes);
	const xc_status s = xc_gpu_check_launch(l->e, "that makes tables");
	return s || !l->batch->frequency_sets ? s : xc_gpu_launch_rans_tables(l);
}

using segments_function = xc_status (*)(const launcher *, const group *);

template <typename F> static xc_status each_group(const launcher *l, F f)
{
	group g;
	for (uint32_t i = 0; i < l->batch->count; i += g.count) {
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
		static constexpr segments_function codings[][2] = {
			{decode_segments<0, 0>, decode_segments<0, 1>},
			{decode_segments<1, 0>, decode_segments<1, 1>},
			{xc_gpu_launch_rans_symbols, xc_gpu_launch_rans_symbols},
		};
		return codings[g->coding][g->deep](l, g);
	});
}

static xc_status values(const launcher *l)
{
	return each_group(l, [l](const group *g) {
		return g->coding == XC_GPU_RANS ? xc_gpu_launch_rans_values(l, g) : XC_OK;
	});
}

static xc_status pixels(const launcher *l)
{
	return each_group(l, [l](const group *g) {
		if (g->coding == XC_GPU_RANS)
			return xc_gpu_launch_rans_pixels(l, g);
		return xc_gpu_launch_pixels<0>(l, g);
	});
}

static const struct {
	const char *name;
	xc_status (*launch)(const launcher *l);
} all_stages[] = {
	{"upload", upload}, {"tables", tables}, {"segments", segments},
	{"values", values}, {"pixels", pixels},
};

enum { STAGES = sizeof all_stages / sizeof *all_stages };

/* ---------------------------------------------------------------- the table */

static xc_status open_decoder(xc_gpu *gpu, xc_gpu_decoder **decoder, xc_gpu_error *e)
{
	*decoder = (xc_gpu_decoder *)calloc(1, sizeof **decoder);
	if (!*decoder)
		return xc_gpu_fail(e, XC_ERR_MEMORY, "out of memory");
	(*decoder)->gpu = gpu;
	return XC_OK;
}

static void close_decoder(xc_gpu_decoder *d)
{
	if (!d)
		return;
	xc_gpu_release(d->gpu, d->pinned);
	free(d->order);
	free(d);
}

static size_t scratch_bytes(xc_gpu_decoder *, const xc_gpu_decode_batch *batch)
{
	return xc_gpu_decode_lay_out(batch).scratch;
}

/* Makes the decoder's own memory large enough. */
static xc_status make_room(xc_gpu_decoder *d, uint32_t count, size_t pinned, xc_gpu_error *e)
{
	if (count > d->room) {
		free(d->order);
		d->order = (uint32_t *)malloc(count * sizeof *d->order);
		d->room = d->order ? count : 0;
		if (!d->order)
			return xc_gpu_fail(e, XC_ERR_MEMORY, "out of memory");
	}
	if (pinned <= d->pinned_size)
		return XC_OK;
	xc_gpu_release(d->gpu, d->pinned);
	d->pinned = NULL;
	d->pinned_size = 0;
	const xc_status s = xc_gpu_allocate(d->gpu, XC_GPU_PINNED_MEMORY, pinned, &d->pinned, e);
	if (!s)
		d->pinned_size = pinned;
	return s;
}

static xc_status run(xc_gpu_decoder *d, const xc_gpu_decode_batch *batch, void *scratch,
                     void *stream, void **marks, xc_gpu_error *e)
{
	const xc_gpu_decode_layout layout = xc_gpu_decode_lay_out(batch);
	if (layout.scratch == SIZE_MAX)
		return xc_gpu_fail(e, XC_ERR_LIMIT, "too many pictures for one call of the GPU's decoder");
	xc_status s = make_room(d, batch->count, layout.pinned, e);
	if (!s)
		s = xc_gpu_enter(d->gpu, e);
	if (s)
		return s;
	char *const here = (char *)d->pinned, *const there = (char *)scratch;
	const launcher l = {d->gpu,
	                    batch,
	                    &layout,
	                    d->order,
	                    here,
	                    there,
	                    xc_gpu_stream(d->gpu, stream),
	                    e,
	                    (const xc_gpu_decode_job *)(here + layout.jobs_at),
	                    (const xc_gpu_decode_job *)(there + layout.jobs_at),
	                    (const xc_gpu_segment *)(here + layout.segments_at),
	                    (const xc_gpu_segment *)(there + layout.segments_at),
	                    (xc_gpu_segment_result *)(there + layout.results_at),
	                    (xc_gpu_segment_result *)(here + layout.results_at)};
	xc_gpu_decode_order(batch, d->order);
	xc_gpu_decode_fill(&layout, batch, d->order, here, there);
	s = xc_gpu_mark(marks, 0, l.stream, e);
	for (int i = 0; i < STAGES && !s; i++) {
		s = all_stages[i].launch(&l);
		if (!s)
			s = xc_gpu_mark(marks, i + 1, l.stream, e);
	}
	return s;
}

static int stages(const xc_gpu_decoder *, const char *names[XC_GPU_MOST_STAGES])
{
	for (int i = 0; i < STAGES; i++)
		names[i] = all_stages[i].name;
	return STAGES;
}

extern const xc_gpu_decode_ops xc_gpu_decode_table;
const xc_gpu_decode_ops xc_gpu_decode_table = {
	open_decoder, close_decoder, scratch_bytes, run, stages,
};
