/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/codec.h"

#include <string.h>

#include "cli/base/clock.h"
#include "quant/tables.h"
#include "src/core/parallel.h"

static void no_dct(const float *plane, size_t stride, const float table[64], size_t blocks,
                   int16_t *out)
{
	(void)plane, (void)stride, (void)table, (void)blocks, (void)out;
}

static void no_output(const float *y, const float *cb, const float *cr, size_t n,
                      const xc_colour_gains *gains, void *pixels)
{
	(void)y, (void)cb, (void)cr, (void)n, (void)gains, (void)pixels;
}

static void no_output_420(const float *y, const xc_chroma_rows *near, const xc_chroma_rows *far,
                          size_t n, const xc_colour_gains *gains, void *pixels)
{
	(void)y, (void)near, (void)far, (void)n, (void)gains, (void)pixels;
}

static void no_output_grey(const float *y, size_t n, void *pixels)
{
	(void)y, (void)n, (void)pixels;
}

static void no_edges(float *above, float *below, size_t stride, size_t columns)
{
	(void)above, (void)below, (void)stride, (void)columns;
}

static void no_sides(float *samples, size_t stride, size_t edges)
{
	(void)samples, (void)stride, (void)edges;
}

/* Leaves out the forward transform and the output.  *silent becomes the kernels of the
 * transform. */
static void make_silent(xc_kernels *k, xc_transform transform, xc_transform_kernels *silent)
{
	*silent = *k->transform[transform];
	silent->forward_rows = no_edges;
	silent->forward_sides = no_sides;
	silent->forward16 = no_dct;
	k->transform[transform] = silent;
	for (int i = 0; i < XC_PIXEL_KINDS; i++) {
		k->output_444[i] = k->output_422[i] = no_output;
		k->output_420[i] = no_output_420;
		k->output_grey[i] = no_output_grey;
	}
}

/* Does the work on all items with the context's threads, as the codec does. */
static void for_each(xc_bench_stages *s, uint64_t items, void (*work)(void *, uint64_t, int))
{
	xc_parallel_for(s->context, items, UINT64_MAX, work, s, 0, 1);
}

static int code(xc_bench_stages *s, xc_bench_worker *w, const xc_tile *tile,
                const xc_tile_tokens *tokens, const xc_coder codes[2])
{
	uint8_t *out = xc_arena_reserve(&w->bits, xc_tile_code_bound(tile));

	if (!out)
		return 0;
	const uint8_t *end = xc_tile_code(s->coded.level, tokens,
	                                  s->coded.container.geometry.components, codes, out);
	xc_arena_keep(&w->bits, (size_t)(end - out));
	return 1;
}

static void encode_tile(void *user, uint64_t item, int index)
{
	xc_bench_stages *s = user;
	xc_bench_worker *w = &s->workers[index];
	const xc_geometry *g = &s->coded.container.geometry;
	xc_tile_tokens *tokens = &s->tokens[item];
	xc_tile tile;

	xc_geometry_tile(g, item, &tile);
	const xc_forward *forward = s->part == XC_PART_COLOUR ? &s->colour_only : &s->forward;
	xc_forward_tile(forward, &w->forward, &tile, w->coefficients);
	if (s->part < XC_PART_TOKENS)
		return;
	int good = xc_tile_tokenize(&w->tokens, s->coded.level, g, &tile, w->coefficients, tokens);
	if (good && (s->part == XC_PART_COUNT || s->part == XC_PART_CODE)) {
		xc_tile_count(s->coded.level, tokens, g->components, NULL, w->counts);
		xc_arena_keep(&w->tokens, tokens->bytes);
	} else if (good && s->part == XC_PART_CODE_DEFAULT) {
		good = code(s, w, &tile, tokens, s->default_codes);
	}
	if (!good)
		__atomic_store_n(&s->out_of_memory, 1, __ATOMIC_RELAXED);
}

static void code_tile(void *user, uint64_t item, int index)
{
	xc_bench_stages *s = user;
	xc_tile tile;

	xc_geometry_tile(&s->coded.container.geometry, item, &tile);
	if (!code(s, &s->workers[index], &tile, &s->tokens[item], s->codes))
		__atomic_store_n(&s->out_of_memory, 1, __ATOMIC_RELAXED);
}

static void build_codes(xc_bench_stages *s)
{
	for (int class = 0; class < 2; class ++) {
		xc_code_set codes;
		xc_symbol_counts sum = {{0}, {{0}}};
		for (int i = 0; i < s->worker_count; i++)
			xc_token_counts_fold(s->workers[i].counts[class], sum.dc, sum.ac[0]);
		xc_code_set_build(&codes, &sum, 1);
		xc_coder_init(&s->codes[class], &codes, &s->contexts);
	}
}

static void forget(xc_bench_stages *s)
{
	for (int i = 0; i < s->worker_count; i++) {
		xc_arena_free(&s->workers[i].tokens);
		xc_arena_free(&s->workers[i].bits);
	}
}

static void encode(xc_bench_stages *s)
{
	const uint64_t tiles = s->coded.container.segments;

	for_each(s, tiles, encode_tile);
	if (s->part != XC_PART_CODE || s->out_of_memory)
		return;
	build_codes(s);
	for_each(s, tiles, code_tile);
}

static void decode_band(void *user, uint64_t item, int index)
{
	xc_bench_stages *s = user;
	xc_bench_worker *w = &s->workers[index];
	const xc_geometry *g = &s->coded.container.geometry;
	const xc_row_band *band = &xc_schedule_begin(&s->schedule, (uint32_t)item)->band;
	const uint64_t first = (uint64_t)band->first * g->tiles_wide;
	const uint64_t end = (uint64_t)band->end * g->tiles_wide;

	for (uint64_t i = first; s->part == XC_PART_CHECK && i < end; i++)
		for (uint64_t j = 0, k = xc_coded_index_of(&s->coded, i); j < s->coded.container.layers;
		     j++)
			xc_coded_intact(&s->coded, k + j, &s->crcs[k + j]);
	for (uint64_t next = first; s->part != XC_PART_CHECK && next < end;) {
		const uint64_t n = end - next < w->coded.segments ? end - next : w->coded.segments;
		xc_coded_decode(&s->coded, &w->coded, next, n, s->crcs);
		for (uint64_t i = 0; i < n; i++, next++) {
			xc_tile tile;
			if (s->part == XC_PART_ENTROPY)
				continue;
			xc_geometry_tile(g, next, &tile);
			xc_inverse_tile(s->part == XC_PART_INVERSE ? &s->planes_only : &s->inverse, &w->inverse,
			                band, &tile, xc_coded_coefficients(&w->coded, i));
		}
	}
	if (s->part == XC_PART_OUTPUT)
		xc_schedule_end(&s->schedule, (uint32_t)item, &s->inverse);
}

static void decode(xc_bench_stages *s)
{
	xc_schedule_plan(&s->schedule, 0, s->schedule.rows);
	for_each(s, s->schedule.task_count, decode_band);
}

static xc_status parse(xc_bench_stages *s)
{
	xc_coded coded;
	const xc_status status = xc_coded_open(s->context, s->file.data, s->file.size, &coded);

	xc_coded_close(s->context, &coded);
	return status;
}

xc_status xc_bench_stages_run(xc_bench_stages *s, xc_bench_part part, double *seconds)
{
	xc_status status = XC_OK;

	s->part = part;
	if (part != XC_PART_TABLES)
		for (int i = 0; i < s->worker_count; i++)
			memset(s->workers[i].counts, 0, sizeof s->workers[i].counts);
	const double start = xc_cli_seconds();
	if (part == XC_PART_TABLES)
		build_codes(s);
	else if (part == XC_PART_PARSE)
		status = parse(s);
	else if (part < XC_PART_PARSE)
		encode(s);
	else
		decode(s);
	*seconds = xc_cli_seconds() - start;
	forget(s);
	return s->out_of_memory ? xc_fail_memory(s->context, s->file.size) : status;
}

static xc_status init_workers(xc_bench_stages *s)
{
	xc_context *c = s->context;
	const xc_geometry *g = &s->coded.container.geometry;
	const size_t bytes = (size_t)xc_geometry_tile_blocks(g) * 64 * sizeof(int16_t);

	for (int i = 0; i < s->worker_count; i++) {
		xc_bench_worker *w = &s->workers[i];
		w->tokens.context = w->bits.context = c;
		w->coefficients = xc_scratch_allocate(c, bytes);
		if (!w->coefficients)
			return xc_fail_memory(c, bytes);
		memset(w->coefficients, 0, bytes);
		xc_status status = xc_forward_scratch_init(c, &w->forward, &s->forward);
		status = status ? status : xc_inverse_scratch_init(c, &w->inverse, &s->inverse);
		if (!status)
			status = xc_coded_scratch_init(c, &w->coded, &s->coded,
			                               (uint64_t)s->inverse.band_rows * g->tiles_wide);
		if (status)
			return status;
	}
	return XC_OK;
}

static void init_pipelines(xc_bench_stages *s, const xc_picture *picture, const xc_picture *out)
{
	const xc_container *k = &s->coded.container;
	const int last = k->geometry.components == 1 ? 0 : 1;
	const xc_kernels *kernels = xc_kernels_get(s->context->cpu);

	s->silent = *kernels;
	const xc_transform transform = k->header.transform;
	make_silent(&s->silent, transform, &s->silent_transform);
	s->in = xc_pixels_of(picture);
	s->out = xc_pixels_of(out);
	s->forward = (xc_forward){.pixels = &s->in,
	                          .geometry = &k->geometry,
	                          .kernels = kernels,
	                          .transform = transform};
	s->inverse = (xc_inverse){.pixels = &s->out,
	                          .geometry = &k->geometry,
	                          .kernels = kernels,
	                          .transform = transform};
	xc_token_contexts_init(&s->contexts);
	for (int i = 0; i < 2; i++) {
		xc_huffman_code codes[2];
		xc_code_set set;
		const uint32_t *steps = k->quant[i ? last : 0];
		xc_quant_forward_table(transform, steps, 1, s->forward.tables[i]);
		xc_quant_inverse_table(transform, steps, XC_STEP_PARTS, s->inverse.tables[i]);
		for (int ac = 0; ac < 2; ac++)
			xc_huffman_default(&codes[ac], ac, i);
		xc_code_set_single(&set, &codes[0], &codes[1]);
		xc_coder_init(&s->default_codes[i], &set, &s->contexts);
	}
	s->colour_only = s->forward;
	s->colour_only.kernels = &s->silent;
}

xc_status xc_bench_stages_init(xc_bench_stages *s, xc_context *c, const xc_picture *picture,
                               const xc_buffer *file, const xc_picture *out, int threads)
{
	memset(s, 0, sizeof *s);
	s->context = c;
	s->file = *file;
	xc_status status = xc_coded_open(c, file->data, file->size, &s->coded);
	if (status)
		return status;
	init_pipelines(s, picture, out);
	const size_t tiles = (size_t)s->coded.container.segments;
	s->tokens = xc_allocate_zeroed(c, tiles * sizeof *s->tokens);
	s->crcs = xc_allocate_zeroed(c, tiles * s->coded.container.layers * sizeof *s->crcs);
	s->workers = xc_allocate_zeroed(c, (size_t)threads * sizeof *s->workers);
	if (!s->tokens || !s->crcs || !s->workers)
		return xc_fail_memory(c, tiles * sizeof *s->tokens);
	s->worker_count = threads;
	const xc_geometry *g = &s->coded.container.geometry;
	s->schedule = (xc_schedule){
		.rows = g->tiles_high,
		.wide = g->tiles_wide,
		.workers = (uint32_t)threads,
		.band_rows = xc_schedule_band_rows(g, s->inverse.transform, threads),
		.batch_rows = g->tiles_high,
		.split = g->tiles_high,
	};
	status = xc_schedule_init(c, &s->schedule);
	if (status)
		return status;
	s->inverse.band_rows = xc_schedule_max_band(&s->schedule);
	s->inverse.slots = xc_schedule_edges(&s->schedule);
	status = xc_inverse_init(c, &s->inverse);
	s->planes_only = s->inverse; /* shares the edges */
	s->planes_only.kernels = &s->silent;
	return status ? status : init_workers(s);
}

void xc_bench_stages_free(xc_bench_stages *s)
{
	xc_context *c = s->context;

	if (!c)
		return;
	for (int i = 0; i < s->worker_count; i++) {
		xc_bench_worker *w = &s->workers[i];
		xc_forward_scratch_free(c, &w->forward);
		xc_inverse_scratch_free(c, &w->inverse);
		xc_coded_scratch_free(c, &w->coded);
		xc_scratch_free(c, w->coefficients);
	}
	forget(s);
	xc_inverse_free(c, &s->inverse);
	xc_schedule_free(c, &s->schedule);
	xc_coded_close(c, &s->coded);
	xc_release(c, s->workers);
	xc_release(c, s->tokens);
	xc_release(c, s->crcs);
}
