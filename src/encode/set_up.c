/* SPDX-License-Identifier: BSD-2-Clause */
/* What an encoder is given before the first tile, and its end. */
#include <string.h>

#include "src/core/parallel.h"
#include "src/encode/encoder.h"

static xc_status set_up_worker(xc_encoder *e, xc_encode_worker *w, size_t rans)
{
	xc_context *c = e->context;
	const size_t coefficients = (size_t)xc_geometry_tile_blocks(&e->plan.geometry) * 64 *
	                            e->level->width;
	w->tokens.context = w->bits.context = c;
	const xc_status s = xc_forward_scratch_init(c, &w->forward, &e->forward);
	if (s)
		return s;
	/* Decisions take a coefficient and a factor a block. */
	w->coefficients = xc_scratch_allocate(c, coefficients + coefficients / 32);
	if (!w->coefficients)
		return xc_fail_memory(c, coefficients);
	w->dc = (char *)w->coefficients + coefficients;
	w->factors = (uint16_t *)((char *)w->dc + coefficients / 64);
	w->rans = rans ? xc_scratch_allocate(c, rans) : NULL;
	return rans && !w->rans ? xc_fail_memory(c, rans) : XC_OK;
}

static xc_status set_up_workers(xc_encoder *e)
{
	xc_context *c = e->context;
	const size_t n = (size_t)xc_parallel_workers(c, e->count, e->time);
	xc_tile whole; /* the first tile is the largest */
	xc_status s = XC_OK;
	xc_geometry_tile(&e->plan.geometry, 0, &whole);
	const xc_rans_shape shape = xc_tile_rans_shape(&e->plan.geometry, &whole);
	e->workers = xc_allocate_zeroed(c, n * sizeof *e->workers);
	if (!e->workers)
		return xc_fail_memory(c, n * sizeof *e->workers);
	e->worker_count = (int)n;
	for (size_t i = 0; i < n && !s; i++)
		s = set_up_worker(e, &e->workers[i], e->rans ? xc_rans_scratch(&shape) : 0);
	return s;
}

static xc_status set_up_rans(xc_encoder *e)
{
	xc_context *c = e->context;
	xc_rans_frequencies frequencies;
	e->rans_level = xc_rans_level_get(c->cpu, e->rows.depth == 16);
	e->rans = xc_allocate(c, sizeof *e->rans);
	if (!e->rans)
		return xc_fail_memory(c, sizeof *e->rans);
	xc_rans_builtin_frequencies(&frequencies);
	xc_rans_tables_init(e->rans, &frequencies);
	if (e->options.effort < 2)
		return XC_OK;
	e->rans_decision = xc_allocate_zeroed(c, sizeof *e->rans_decision);
	if (!e->rans_decision)
		return xc_fail_memory(c, sizeof *e->rans_decision);
	xc_rans_decision_init(e->rans_decision, &frequencies, XC_LAMBDA);
	return XC_OK;
}

/* Rows of tiles in flight: eight tiles a thread, and so many pixels that all threads pay. */
static uint32_t wave_rows(const xc_encoder *e)
{
	enum { TILES = 8, PIXELS = 1 << 18 };
	const xc_geometry *g = &e->plan.geometry;
	const uint64_t threads = (uint64_t)e->worker_count;
	const uint64_t pixels = (uint64_t)g->width * g->tile_mcus_high * 8 * (uint32_t)g->v;
	const uint64_t for_tiles = (TILES * threads + g->tiles_wide - 1) / g->tiles_wide;
	const uint64_t for_pixels = (PIXELS * threads + pixels - 1) / pixels;
	const uint64_t rows = threads == 1             ? 1
	                      : for_tiles > for_pixels ? for_tiles
	                                               : for_pixels;
	const uint32_t most = xc_geometry_piece_rows(g);
	return rows < most ? (uint32_t)rows : most;
}

static xc_status set_up_segments(xc_encoder *e)
{
	const uint64_t piece = xc_encode_piece_tiles(e);
	e->room = e->counting || e->whole || piece > e->count ? e->count : piece;
	if (e->room > SIZE_MAX / sizeof *e->segments)
		return xc_fail_memory(e->context, SIZE_MAX);
	const size_t bytes = (size_t)e->room * sizeof *e->segments;
	e->segments = xc_allocate_zeroed(e->context, bytes);
	return e->segments ? XC_OK : xc_fail_memory(e->context, bytes);
}

xc_status xc_encode_set_up(xc_encoder *e)
{
	xc_context *c = e->context;
	const xc_picture *p = &e->rows;
	const xc_encode_options *o = &e->options;
	xc_status s = XC_OK;
	xc_encode_plan_init(&e->plan, p, o);
	e->forward = (xc_forward){
		.picture = p,
		.geometry = &e->plan.geometry,
		.kernels = xc_kernels_get(c->cpu),
		.transform = o->transform,
	};
	e->plan.has_colours = o->colour == XC_COLOUR_PICTURE && e->plan.geometry.components > 1;
	memcpy(e->forward.tables, e->plan.tables, sizeof e->forward.tables);
	e->counting = o->huffman == XC_HUFFMAN_OPTIMIZED && o->entropy == XC_ENTROPY_HUFFMAN;
	e->deciding = o->effort > 0;
	for (int i = 0; i < 2; i++) {
		e->slopes[i] = xc_slopes_of(e->plan.steps[i]);
		e->decisions[i].dead_zone = e->deciding;
	}
	e->learning = e->plan.has_colours || (e->counting && o->effort > 1) ||
	              (o->entropy == XC_ENTROPY_RANS && o->effort == XC_MOST_EFFORT);
	xc_token_contexts_init(&e->contexts);
	xc_activity_init(&e->activity, o->tune, e->plan.steps[0], p->depth);
	if (o->entropy == XC_ENTROPY_RANS)
		s = set_up_rans(e);
	if (s)
		return s;
	e->level = xc_entropy_level_get(c->cpu, p->depth == 16);
	e->budget = e->whole ? (uint64_t)p->width * p->height * xc_picture_pixel_bytes(p) : UINT64_MAX;
	e->count = xc_geometry_tiles(&e->plan.geometry);
	e->time = xc_parallel_coding_time((uint64_t)p->width * p->height);
	s = set_up_segments(e);
	if (!s)
		s = set_up_workers(e);
	if (s)
		return s;
	e->wave = e->whole ? e->plan.geometry.tiles_high : wave_rows(e);
	return p->channels % 2 ? XC_OK : xc_alpha_encoder_new(c, p, &e->alpha);
}

void xc_encode_tear_down(xc_encoder *e)
{
	if (!e)
		return;
	xc_context *c = e->context;
	for (int i = 0; i < e->worker_count; i++) {
		xc_encode_worker *w = &e->workers[i];
		xc_forward_scratch_free(c, &w->forward);
		xc_scratch_free(c, w->coefficients);
		xc_scratch_free(c, w->rans);
		xc_arena_free(&w->tokens);
		xc_arena_free(&w->bits);
	}
	xc_release(c, e->workers);
	xc_release(c, e->rans);
	xc_release(c, e->rans_decision);
	xc_release(c, e->segments);
	xc_release(c, e->window);
	xc_release(c, e->out.data);
	xc_alpha_encoder_free(c, e->alpha);
	xc_release(c, e);
}
