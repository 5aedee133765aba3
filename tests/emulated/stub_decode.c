/* SPDX-License-Identifier: BSD-2-Clause */
/* The stub's decoder: the module's host code and kernels, with one thread and one warp. */
#include <stdlib.h>
#include <string.h>

#include "gpu/decode/host/layout.h"
#include "gpu/decode/huffman/segment.h"
#include "gpu/decode/jpeg/coefficients.h"
#include "gpu/decode/pixels/arrays.h"
#include "gpu/decode/pixels/reduced.h"
#include "gpu/decode/pixels/rows.h"
#include "gpu/decode/pixels/samples.h"
#include "gpu/decode/rans/values.h"
#include "lossless/tables.h"
#include "tests/emulated/stub_module.h"
#include "tests/support/bytes.h"

struct xc_gpu_decoder {
	xc_gpu *gpu;
	void *pinned;
};

/* What the kernels find in device memory. */
typedef struct device {
	const xc_gpu_decode_job *jobs;
	const xc_gpu_segment *segments;
	xc_gpu_segment_result *results;
	uint32_t warps; /* of a warp group */
} device;

static void decode_segments(const xc_gpu *g, const device *d, const xc_gpu_decode_job *j)
{
	const uint32_t first = 12; /* word, as for a warp group that is not the first */
	const xc_crc_read_constants constants = xc_crc_read_constants_make(d->warps);
	OWN_MEMORY xc_crc_read_tables *crc = xc_stub_need(sizeof *crc);
	const uint32_t size = first + xc_gpu_warp_group_words(g->copy_words, g->cached_blocks);
	const xc_gpu_warp_group_memory memory = {xc_stub_need(size * sizeof(uint32_t)), first,
	                                         g->copy_words, g->cached_blocks};

	xc_crc_read_fill(crc, &constants, 0, 1);
	for (uint32_t i = 0; i < j->segments; i++) {
		const xc_gpu_segment *s = &d->segments[j->first_segment + i];
		xc_gpu_segment_result *result = &d->results[j->first_segment + i];
		const int depth16 = j->depth == 16;
		xc_warp_group wg = {d->warps, 0, NULL, 0};
		*result = xc_gpu_decode_segment(&wg, j, j->huffman, crc, s, i, &memory, depth16);
	}
	free(memory.words);
}

/* The same with rANS: two segments at a time, or one, and then what their raw bits say. */
static void decode_rans(const device *d, const xc_gpu_decode_job *j, const xc_rans_weights *weights)
{
	const xc_crc_read_constants constants = xc_crc_read_constants_make(1);
	const xc_gpu_segment *segments = d->segments + j->first_segment;
	xc_gpu_segment_result *results = d->results + j->first_segment;
	OWN_MEMORY xc_crc_read_tables *crc = xc_stub_need(sizeof *crc);
	OWN_MEMORY xc_gpu_rans_model *model = xc_stub_need(sizeof *model);
	OWN_MEMORY xc_gpu_rans_memory *memory = xc_stub_need(sizeof *memory);
	OWN_MEMORY int32_t *small = xc_stub_need(XC_GPU_SMALL_RANS_TILE * sizeof *small);
	const xc_gpu_rans_shared shared = {model, j->rans, crc};

	xc_crc_read_fill(crc, &constants, 0, 1);
	xc_gpu_rans_model_make(model, weights);
	for (uint32_t i = 0, n; i < j->segments; i += n) {
		xc_gpu_rans_work work[2];
		n = j->segments - i > 1 && i % 3 == 0 ? 2 : 1;
		for (uint32_t k = 0; k < n; k++)
			work[k] = (xc_gpu_rans_work){j, &segments[i + k], i + k, 0, &results[i + k]};
		memset(memory, 0xff, sizeof *memory); /* as another warp's */
		xc_gpu_decode_symbols(work, n, memory, &shared, n == 1);
	}
	for (uint32_t i = 0; i < j->segments; i++)
		if (results[i].intact)
			results[i].intact = xc_gpu_finish_segment(j, &segments[i], i, small, j->depth == 16);
}

/* The same of a kept JPEG, two segments at a time or one. */
static void decode_jpeg(const device *d, const xc_gpu_decode_job *j, const xc_gpu_jpeg_model *model)
{
	const xc_crc_read_constants constants = xc_crc_read_constants_make(1);
	OWN_MEMORY xc_crc_read_tables *crc = xc_stub_need(sizeof *crc);
	OWN_MEMORY xc_gpu_jpeg_tables *tables = xc_stub_need(sizeof *tables);
	OWN_MEMORY xc_gpu_jpeg_memory *memory = xc_stub_need(sizeof *memory);

	xc_crc_read_fill(crc, &constants, 0, 1);
	xc_gpu_jpeg_raster_fill(tables, 0, 1);
	xc_gpu_jpeg_tables_fill(tables, model, 0, 1);
	for (uint32_t i = 0, n; i < j->segments; i += n) {
		xc_gpu_jpeg_work work[2];
		n = j->segments - i > 1 && i % 3 == 0 ? 2 : 1;
		for (uint32_t k = 0; k < n; k++) {
			const uint32_t at = j->first_segment + i + k;
			work[k] = (xc_gpu_jpeg_work){j, &d->segments[at], i + k, &d->results[at]};
		}
		memset(memory, 0xff, sizeof *memory);
		xc_gpu_decode_jpeg(work, n, memory, tables, crc);
	}
}

static void make_pixels(const xc_gpu *g, const device *d, const xc_gpu_decode_job *j)
{
	const int kind = xc_gpu_kind_for(j, g->shared_bytes), depth16 = j->depth == 16;
	const int source = xc_gpu_source_of(j);
	const uint32_t n = xc_gpu_pixel_threads(kind), warps = n / XC_WARP_LANES;
	OWN_MEMORY xc_gpu_region_block *blocks = xc_stub_need(n * sizeof *blocks);
	OWN_MEMORY float *f = xc_stub_need(n * 64 * sizeof *f);
	OWN_MEMORY int *low = xc_stub_need(warps * sizeof *low);
	OWN_MEMORY float *shared = xc_stub_need(xc_gpu_region_bytes(kind));
	const uint64_t regions = xc_gpu_regions(j->width, j->height, kind);

	for (uint32_t region = 0; region < regions; region++) {
		const xc_gpu_region r = xc_gpu_region_of(j, d->segments, d->results, region, shared, kind,
		                                         source);
		for (uint32_t i = 0; i < n; i++) {
			blocks[i] = xc_gpu_region_block_of(&r, i, kind, source);
			xc_gpu_region_begin(&r, &blocks[i], i, kind, depth16, source);
			xc_gpu_region_wait(&r, &blocks[i], source);
		}
		*xc_gpu_region_output(&r, kind) = xc_gpu_output_of(&r, kind);
		for (uint32_t w = 0; w < warps; w++)
			low[w] = source == XC_GPU_TOKENS &&
			         xc_gpu_warp_scatter(&r, blocks + w * XC_WARP_LANES, kind, depth16);
		for (uint32_t i = 0; i < n; i++) {
			const int is_low = low[i / XC_WARP_LANES];
			xc_gpu_region_load(&r, &blocks[i], kind, f + 64 * i, is_low, depth16, source);
			xc_gpu_region_transform(&r, &blocks[i], f + 64 * i, kind, is_low);
			xc_gpu_region_columns(&r, &blocks[i], f + 64 * i, 0, kind);
		}
		for (uint32_t i = 0; i < n; i++)
			xc_gpu_region_store(&r, &blocks[i], f + 64 * i, kind);
		if (xc_gpu_is_lapped(kind))
			xc_gpu_region_cells(&r, kind, 0, 1);
		if (j->rounding)
			xc_gpu_region_round(&r, kind, depth16, 0, 1);
		if (xc_gpu_base_kind(kind) == XC_GPU_444 && j->mixed)
			xc_gpu_region_mix(&r, kind, 0, 1);
		if (xc_gpu_is_border(&r, kind))
			xc_gpu_region_extend(&r, kind, 0, 1);
		for (uint32_t w = 0; w < warps; w++)
			xc_gpu_region_rows(&r, w, warps, kind, depth16);
	}
}

/* The same of reduced size; every other region by several workers. */
static void make_reduced(const device *d, const xc_gpu_decode_job *j)
{
	const int source = xc_gpu_source_of(j), depth16 = j->depth == 16;
	const size_t bytes = (xc_gpu_reduced_bytes(j) + 63) / 64 * 64;
	OWN_MEMORY float *shared = aligned_alloc(64, bytes);
	const uint64_t regions = xc_gpu_reduced_regions(j);

	if (!shared)
		abort();
	for (uint32_t region = 0; region < regions; region++) {
		const xc_gpu_reduced r = xc_gpu_reduced_of(j, d->segments, d->results, region, shared);
		const uint32_t workers = region % 2 ? 37 : 1, components = xc_gpu_reduced_components(&r);
		for (uint32_t i = 0; i < workers; i++)
			xc_gpu_reduced_begin(&r, i, workers, source);
		for (uint32_t c = 0; c < components; c++) {
			const int flat = xc_gpu_reduced_is_flat(&r, c);
			for (uint32_t i = 0; i < workers && flat; i++)
				xc_gpu_reduced_flat(&r, c, i, workers, source);
			for (uint32_t w = 0; w < xc_gpu_reduced_threads(j) / XC_WARP_LANES && !flat; w++)
				xc_gpu_reduced_blocks(&r, w, c, depth16, source);
			for (uint32_t i = 0; i < workers && !flat; i++)
				xc_gpu_reduced_across(&r, c, i, workers);
			for (uint32_t i = 0; i < workers && !flat; i++)
				xc_gpu_reduced_down(&r, c, i, workers);
		}
		for (uint32_t i = 0; i < workers; i++)
			xc_gpu_reduced_pixels(&r, i, workers, depth16);
	}
}

/* Segments and alpha are where they should be on the device; the segments in memory of just
 * their size, with the bytes that kernels may read after them. */
static uint8_t *upload(const xc_gpu_coded_picture *p, xc_gpu_decode_job *j)
{
	uint8_t *data = NULL;

	if (!p->resident) {
		data = xc_stub_need((size_t)p->data_bytes + 3);
		if (p->data_bytes)
			memcpy(data, p->data, (size_t)p->data_bytes);
		j->data = data;
	}
	if (j->alpha)
		memcpy((void *)(uintptr_t)j->alpha, p->alpha, xc_gpu_alpha_bytes(p));
	return data;
}

static xc_status open_decoder(xc_gpu *g, xc_gpu_decoder **decoder, xc_gpu_error *e)
{
	(void)e;
	*decoder = xc_stub_need(sizeof **decoder);
	**decoder = (xc_gpu_decoder){g, NULL};
	return XC_OK;
}

static void close_decoder(xc_gpu_decoder *d)
{
	if (d)
		free(d->pinned);
	free(d);
}

static size_t scratch_bytes(xc_gpu_decoder *d, const xc_gpu_decode_batch *b)
{
	(void)d;
	return xc_gpu_decode_lay_out(b).scratch;
}

static xc_status run(xc_gpu_decoder *d, const xc_gpu_decode_batch *b, void *scratch, void *stream,
                     void **marks, xc_gpu_error *e)
{
	const xc_gpu_decode_layout l = xc_gpu_decode_lay_out(b);
	OWN_MEMORY uint32_t *order = xc_stub_need(b->count * sizeof *order);
	char *memory = scratch;

	(void)stream;
	(void)marks;
	d->gpu->runs++;
	free(d->pinned);
	d->pinned = xc_stub_need(l.pinned);
	xc_gpu_decode_order(b, order);
	xc_gpu_decode_fill(&l, b, order, d->pinned, memory);
	memcpy(memory, d->pinned, l.piece);
	xc_gpu_decode_job *jobs = (void *)(memory + l.jobs_at);
	const uint32_t warps = l.warps >> d->gpu->runs % 4; /* any number up to the most is right */
	const device inside = {jobs, (void *)(memory + l.segments_at), (void *)(memory + l.results_at),
	                       warps ? warps : 1};
	const xc_gpu_class_codes *codes = (const void *)(memory + l.codes_at);
	for (uint32_t i = 0; i < 2 * b->code_sets; i++)
		for (uint32_t worker = 0; worker < 3; worker++)
			xc_gpu_fill_any(memory + l.tables_at, i, &codes[i], worker, 3);
	const xc_rans_frequencies *frequencies = (const void *)(memory + l.frequencies_at);
	xc_gpu_rans_tables *rans = (void *)(memory + l.rans_tables_at);
	for (uint32_t i = 0; i < b->frequency_sets; i++)
		for (uint32_t worker = 0; worker < 3; worker++)
			xc_gpu_fill_rans_tables(&rans[i], &frequencies[i], b->weights, worker, 3);
	const xc_shape_index *shapes = (const void *)(memory + l.shapes_at);
	xc_bucket *buckets = (void *)(memory + l.jpeg_tables_at);
	for (uint64_t i = 0; i < l.shapes; i++) {
		uint16_t of[XC_SYMBOLS];
		xc_shape_frequencies(shapes[i], of);
		xc_buckets_make(of, buckets + i * XC_SYMBOLS);
	}
	for (uint32_t i = 0; i < b->count && !d->gpu->fail; i++) {
		OWN_MEMORY uint8_t *data = upload(&b->pictures[order[i]], &jobs[i]);
		if (jobs[i].coding == XC_GPU_RANS)
			decode_rans(&inside, &jobs[i], b->weights);
		else if (jobs[i].coding == XC_GPU_JPEG)
			decode_jpeg(&inside, &jobs[i], b->model);
		else
			decode_segments(d->gpu, &inside, &jobs[i]);
		if (jobs[i].scale > 1)
			make_reduced(&inside, &jobs[i]);
		else
			make_pixels(d->gpu, &inside, &jobs[i]);
	}
	memcpy((char *)d->pinned + l.results_at, inside.results, l.segments * sizeof *inside.results);
	return d->gpu->fail ? xc_stub_fail(e, XC_ERR_DEVICE, "the stub was told to fail") : XC_OK;
}

static int stages(const xc_gpu_decoder *d, const char *names[XC_GPU_MAX_STAGES])
{
	(void)d;
	names[0] = "all";
	return 1;
}

/* Each array by three threads. */
static xc_status arrange(xc_gpu *g, const xc_gpu_array_plan *plan, const xc_gpu_array *arrays,
                         uint32_t count, uint64_t max_pixels, void *stream, xc_gpu_error *e)
{
	xc_gpu_sample_floats floats;

	(void)stream;
	(void)max_pixels;
	xc_gpu_fill_floats(plan, &floats, 0, 1);
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t thread = 0; thread < 3; thread++)
			xc_gpu_arrange_pixels(plan, &arrays[i], &floats, thread, 3, UINT32_MAX);
	return g->fail ? xc_stub_fail(e, XC_ERR_DEVICE, "the stub was told to fail") : XC_OK;
}

const xc_gpu_decode_ops xc_stub_decoder = {open_decoder, close_decoder, scratch_bytes,
                                           run,          stages,        arrange};
