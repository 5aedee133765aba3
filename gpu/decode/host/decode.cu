/* SPDX-License-Identifier: BSD-2-Clause */
/* The decoder's host side: a batch becomes jobs, a call becomes a few launches (doc/gpu.md). Also
 * the kernel that begins each call. */
#include <stdlib.h>

#include "gpu/decode/host/layout.h"
#include "gpu/decode/launch.h"

/* ------------------------------------------------------------------- start */

/* Threads of a block; blocks that make tables if classes are few (at least two blocks a class). */
enum { XC_GPU_START_THREADS = 256, XC_GPU_TABLE_BLOCKS = 32 };

/* Parameters of the first kernel. The piece is still in pinned memory. */
struct xc_gpu_start {
	const uint4 *piece;
	uint4 *device;
	uint32_t size; /* in uint4 */
	uint32_t classes, shares;
	const xc_gpu_class_codes *codes; /* [classes] in the piece */
	char *tables;
};

/* Loads words of pinned memory, each thread every 256th, all before the first use: a load takes 2
 * us. */
template <int N, typename T>
static __device__ __forceinline__ void xc_gpu_fetch(T (&w)[N], const T *from, uint32_t first,
                                                    uint32_t size)
{
	XC_UNROLL
	for (uint32_t k = 0; k < N; k++)
		if (first + k * XC_GPU_START_THREADS < size)
			w[k] = from[first + k * XC_GPU_START_THREADS];
}

template <int N, typename T>
static __device__ __forceinline__ void xc_gpu_store_all(T *to, const T (&w)[N], uint32_t first,
                                                        uint32_t size)
{
	XC_UNROLL
	for (uint32_t k = 0; k < N; k++)
		if (first + k * XC_GPU_START_THREADS < size)
			to[first + k * XC_GPU_START_THREADS] = w[k];
}

enum { XC_GPU_START_COPIES = 4 }; /* loads in flight a thread */

/* Thread block i < classes * shares makes share i % shares of the tables of class i / shares. The
 * others copy the piece. */
static __global__ void __launch_bounds__(XC_GPU_START_THREADS)
	xc_gpu_start_call(const __grid_constant__ xc_gpu_start s)
{
	constexpr uint32_t threads = XC_GPU_START_THREADS;
	constexpr uint32_t words = sizeof(xc_gpu_class_codes) / sizeof(uint32_t);
	__shared__ xc_gpu_class_codes own;
	const uint32_t makers = s.classes * s.shares;

	if (blockIdx.x < makers) {
		const uint32_t class_ = blockIdx.x / s.shares, share = blockIdx.x % s.shares;
		uint32_t w[(words + threads - 1) / threads];
		xc_gpu_fetch(w, (const uint32_t *)&s.codes[class_], threadIdx.x, words);
		xc_gpu_store_all((uint32_t *)&own, w, threadIdx.x, words);
		__syncthreads();
		xc_gpu_fill_any(s.tables, class_, &own, share * threads + threadIdx.x, s.shares * threads);
	} else {
		const uint32_t first = (blockIdx.x - makers) * threads * XC_GPU_START_COPIES + threadIdx.x;
		uint4 w[XC_GPU_START_COPIES];
		xc_gpu_fetch(w, s.piece, first, s.size);
		xc_gpu_store_all(s.device, w, first, s.size);
	}
}

/* ------------------------------------------------------------------ groups */

using launcher = xc_gpu_decode_launcher;
using subbatch = xc_gpu_subbatch;

struct xc_gpu_decoder {
	xc_gpu *gpu;
	uint32_t *order; /* see xc_gpu_decode_order() */
	uint32_t room;   /* of order, in pictures */
	void *pinned;    /* the piece and the results of the last run */
	size_t pinned_size;
};

/* the limit of gridDim.y */
enum { MAX_PICTURES = 65535 };

static uint32_t min_u32(uint64_t a, uint64_t b)
{
	return (uint32_t)(a < b ? a : b);
}

/* The kind of a job's pixels, of whole pictures; all reduced ones have one. */
static int kind_of(const launcher *l, const xc_gpu_decode_job *p)
{
	return p->scale > 1 ? XC_GPU_KINDS : xc_gpu_kind_for(p, l->gpu->shared_bytes);
}

/* by_kind: of pictures whose pixels the same kernel makes; else their segments have the same. A launch
 * for segments takes as long as the longest segment, so that pictures of all kinds should share it. */
static subbatch subbatch_at(const launcher *l, uint32_t first, bool by_kind)
{
	const xc_gpu_decode_job *p = l->jobs + first;
	const int coding = (int)p->coding, kind = kind_of(l, p), reduced = p->scale > 1;
	subbatch g = {first, 0, kind, p->depth == 16, coding, reduced, 0, 0, 0, 0, 0, 0, 0};

	g.pixel_warps = (reduced ? xc_gpu_reduced_threads(p) : xc_gpu_pixel_threads(kind)) /
	                XC_WARP_LANES;
	g.pixel_bytes = reduced ? xc_gpu_reduced_bytes(p) : xc_gpu_region_bytes(kind);
	for (uint32_t i = first; i < l->batch->count && g.count < MAX_PICTURES; i++, p++, g.count++) {
		if ((by_kind && kind_of(l, p) != g.kind) || (p->depth == 16) != g.depth16 ||
		    (int)p->coding != g.coding)
			break;
		const uint32_t regions = min_u32(p->scale > 1 ? xc_gpu_reduced_regions(p)
		                                              : xc_gpu_regions(p->width, p->height, g.kind),
		                                 INT32_MAX);
		g.segments += p->segments;
		g.longest = g.longest < p->longest ? p->longest : g.longest;
		g.max_segments = g.max_segments < p->segments ? p->segments : g.max_segments;
		g.max_blocks = xc_gpu_max(g.max_blocks,
		                          p->tile_mcus_wide * p->tile_mcus_high * p->mcu_blocks);
		g.max_regions = g.max_regions < regions ? regions : g.max_regions;
	}
	return g;
}

/* ------------------------------------------------------------------ stages */

static xc_status copy(const launcher *l, void *to, const void *from, size_t size)
{
	return xc_gpu_check(l->e, cudaMemcpyAsync(to, from, size, cudaMemcpyDefault, l->stream),
	                    "copy");
}

/* Copies alpha, and the segments that are not on the device yet. */
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
	return s;
}

/* Copies the piece and makes all tables. */
static xc_status start(const launcher *l)
{
	const uint32_t classes = 2 * l->batch->code_sets;
	const uint32_t shares = classes && classes * 2 < XC_GPU_TABLE_BLOCKS
	                            ? XC_GPU_TABLE_BLOCKS / classes
	                            : 2;
	const xc_gpu_start k = {(const uint4 *)l->pinned,
	                        (uint4 *)l->scratch,
	                        (uint32_t)(l->layout->piece / sizeof(uint4)),
	                        classes,
	                        shares,
	                        (const xc_gpu_class_codes *)(l->pinned + l->layout->codes_at),
	                        l->scratch + l->layout->tables_at};
	const uint32_t copied = XC_GPU_START_THREADS * XC_GPU_START_COPIES;
	const uint32_t blocks = classes * shares + (k.size + copied - 1) / copied;
	xc_status s = xc_gpu_launch_first("that makes tables", l->gpu, xc_gpu_start_call, blocks,
	                                  XC_GPU_START_THREADS, 0, l->stream, l->e, k);

	if (!s && l->batch->frequency_sets)
		s = xc_gpu_launch_rans_tables(l);
	return s || !l->layout->shapes ? s : xc_gpu_launch_jpeg_tables(l);
}

template <typename F> static xc_status each_subbatch(const launcher *l, bool by_kind, F f)
{
	subbatch g;

	for (uint32_t i = 0; i < l->batch->count; i += g.count) {
		g = subbatch_at(l, i, by_kind);
		const xc_status s = f(&g);
		if (s)
			return s;
	}
	return XC_OK;
}

static xc_status segments(const launcher *l)
{
	return each_subbatch(l, false, [l](const subbatch *g) {
		return g->coding == XC_GPU_JPEG   ? xc_gpu_launch_jpeg_segments(l, g)
		       : g->coding == XC_GPU_RANS ? xc_gpu_launch_rans_symbols(l, g)
		                                  : xc_gpu_launch_segments(l, g);
	});
}

static xc_status values(const launcher *l)
{
	return each_subbatch(l, false, [l](const subbatch *g) {
		return g->coding == XC_GPU_RANS ? xc_gpu_launch_rans_values(l, g) : XC_OK;
	});
}

static xc_status pixels(const launcher *l)
{
	return each_subbatch(l, true, [l](const subbatch *g) {
		return g->reduced                 ? xc_gpu_launch_reduced(l, g)
		       : g->coding == XC_GPU_RANS ? xc_gpu_launch_rans_pixels(l, g)
		       : g->coding == XC_GPU_JPEG ? xc_gpu_launch_jpeg_pixels(l, g)
		                                  : xc_gpu_launch_token_pixels(l, g);
	});
}

static const struct {
	const char *name;
	xc_status (*launch)(const launcher *l);
} all_stages[] = {
	{"upload", upload}, {"tables", start},  {"segments", segments},
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

/* Grows the decoder's own memory. */
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
	char *const here = (char *)d->pinned, *const device = (char *)scratch;
	const launcher l = {d->gpu,
	                    batch,
	                    &layout,
	                    d->order,
	                    here,
	                    device,
	                    xc_gpu_stream(d->gpu, stream),
	                    e,
	                    (const xc_gpu_decode_job *)(here + layout.jobs_at),
	                    (const xc_gpu_decode_job *)(device + layout.jobs_at),
	                    (const xc_gpu_segment *)(here + layout.segments_at),
	                    (const xc_gpu_segment *)(device + layout.segments_at),
	                    (xc_gpu_segment_result *)(device + layout.results_at),
	                    (xc_gpu_segment_result *)(here + layout.results_at)};
	xc_gpu_decode_order(batch, d->order);
	xc_gpu_decode_fill(&layout, batch, d->order, here, device);
	s = xc_gpu_mark(marks, 0, l.stream, e);
	for (int i = 0; i < STAGES && !s; i++) {
		s = all_stages[i].launch(&l);
		if (!s)
			s = xc_gpu_mark(marks, i + 1, l.stream, e);
	}
	return s;
}

static int stages(const xc_gpu_decoder *, const char *names[XC_GPU_MAX_STAGES])
{
	for (int i = 0; i < STAGES; i++)
		names[i] = all_stages[i].name;
	return STAGES;
}

extern const xc_gpu_decode_ops xc_gpu_decode_table;
const xc_gpu_decode_ops xc_gpu_decode_table = {
	open_decoder, close_decoder, scratch_bytes, run, stages, xc_gpu_arrange,
};
