/* SPDX-License-Identifier: BSD-2-Clause */
/* Allocates and frees plan, tables and workers of an encoder. */
#include <string.h>

#include "src/core/parallel.h"
#include "src/encode/encoder.h"
#include "src/pixels/samples.h"

/* A worker that codes without loss. */
static xc_status set_up_lossless_worker(xc_encoder *e, xc_encode_worker **worker)
{
	xc_context *c = e->context;
	xc_encode_worker *w = *worker = xc_scratch_allocate(c, sizeof *w);
	xc_tile t; /* the first tile is the largest */

	if (!w)
		return xc_fail_memory(c, sizeof *w);
	memset(w, 0, offsetof(xc_encode_worker, counts));
	w->tokens.context = w->bits.context = w->alpha_bits.context = c;
	xc_geometry_tile(&e->plan.geometry, 0, &t);
	xc_geometry_clip(&e->plan.geometry, &t);
	const xc_lossless_shape shape = xc_encode_lossless_shape(e, &t);
	const int copies = e->palette || !xc_samples_are_plain(&e->pixels);
	const size_t samples = (size_t)t.width * t.height * shape.channels * (shape.depth / 8);
	const size_t bytes = xc_lossless_encode_scratch(&shape) + (copies ? samples : 0);
	w->lossless = xc_scratch_allocate(c, bytes);
	return w->lossless ? XC_OK : xc_fail_memory(c, bytes);
}

/* The worker and the coefficients of a tile share one allocation. */
static xc_status set_up_worker(xc_encoder *e, xc_encode_worker **worker, size_t rans)
{
	xc_context *c = e->context;
	const size_t own = (sizeof(xc_encode_worker) + 63) / 64 * 64;
	const size_t coefficients = (size_t)xc_geometry_tile_blocks(&e->plan.geometry) * 64 *
	                            e->level->width;
	/* Rdo needs a coefficient and a factor for each block. */
	const size_t bytes = own + coefficients + coefficients / 32;
	xc_encode_worker *w = *worker = xc_scratch_allocate(c, bytes);

	if (!w)
		return xc_fail_memory(c, bytes);
	memset(w, 0, offsetof(xc_encode_worker, counts));
	w->tokens.context = w->bits.context = w->alpha_bits.context = c;
	w->coefficients = (char *)w + own;
	w->dc = (char *)w->coefficients + coefficients;
	w->factors = (uint16_t *)((char *)w->dc + coefficients / 64);
	const xc_status s = xc_forward_scratch_init(c, &w->forward, &e->forward);
	if (s)
		return s;
	w->rans = rans ? xc_scratch_allocate(c, rans) : NULL;
	if (rans && !w->rans)
		return xc_fail_memory(c, rans);
	if (e->layers == 1)
		return XC_OK;
	xc_tile t; /* the first tile is the largest */
	const xc_lossless_shape shape = xc_alpha_tile(&e->plan.geometry, 0, e->rows.depth, &t);
	const size_t alpha = xc_lossless_encode_scratch(&shape) + xc_lossless_bound(&shape);
	w->alpha = xc_scratch_allocate(c, alpha);
	return w->alpha ? XC_OK : xc_fail_memory(c, alpha);
}

static xc_status set_up_workers(xc_encoder *e)
{
	xc_context *c = e->context;
	const size_t n = (size_t)xc_parallel_workers(c, e->count, e->time);
	xc_tile whole; /* the first tile is the largest */
	xc_status s = XC_OK;

	xc_geometry_tile(&e->plan.geometry, 0, &whole);
	const xc_rans_shape shape = xc_tile_rans_shape(&e->plan.geometry, &whole);
	e->workers = xc_scratch_allocate(c, n * sizeof *e->workers);
	if (!e->workers)
		return xc_fail_memory(c, n * sizeof *e->workers);
	memset(e->workers, 0, n * sizeof *e->workers);
	e->worker_count = (int)n;
	for (size_t i = 0; i < n && !s; i++)
		s = e->lossless ? set_up_lossless_worker(e, &e->workers[i])
		                : set_up_worker(e, &e->workers[i], e->rans ? xc_rans_scratch(&shape) : 0);
	return s;
}

/* A context with little memory caches no tables. */
static xc_status get_tables(xc_encoder *e)
{
	xc_context *c = e->context;
	xc_attachment *cache = &c->attached[XC_ATTACHED_ENCODER];

	e->tables = cache->data;
	if (e->tables)
		return XC_OK;
	e->tables = xc_allocate(c, sizeof *e->tables);
	if (!e->tables)
		return xc_fail_memory(c, sizeof *e->tables);
	e->tables->has_rans = e->tables->has_decision = 0;
	e->tables->has_coders = e->tables->has_contexts = 0;
	e->own_tables = !xc_context_may_cache(c, sizeof *e->tables);
	if (!e->own_tables)
		*cache = (xc_attachment){e->tables, xc_release};
	return XC_OK;
}

static void set_up_rans(xc_encoder *e)
{
	xc_encode_tables *t = e->tables;
	const int decision = e->options.effort > 1;

	if (!t->has_rans || (decision && !t->has_decision)) {
		xc_rans_frequencies frequencies;
		xc_rans_builtin_frequencies(&frequencies);
		if (!t->has_rans)
			xc_rans_tables_init(&t->rans, &frequencies);
		t->decision = (xc_rans_decision){0};
		if (decision)
			xc_rans_decision_init(&t->decision, &frequencies, XC_LAMBDA);
		t->has_rans = 1;
		t->has_decision |= decision;
	}
	e->rans_level = xc_rans_level_get(e->context->cpu, e->rows.depth == 16);
	e->rans_decide = xc_rans_decide_get(e->context->cpu, e->rows.depth == 16);
	e->rans = &t->rans;
	e->rans_decision = decision ? &t->decision : NULL;
}

static void set_up_huffman(xc_encoder *e)
{
	xc_encode_tables *t = e->tables;

	if (e->deciding && !t->has_contexts) {
		xc_token_contexts_init(&t->contexts);
		t->has_contexts = 1;
	}
	for (int class = 0; class < 2 && !e->counting; class ++) {
		const xc_huffman_code *codes = xc_default_codes(e->context)[class];
		xc_code_set_single(&e->codes[class], &codes[0], &codes[1]);
		if (!t->has_coders)
			xc_coder_init(&t->coders[class], &e->codes[class], &t->contexts);
	}
	t->has_coders |= !e->counting;
	e->coders = e->counting ? e->own_coders : t->coders;
}

/* Tile rows of a batch: eight tiles a thread, and enough pixels to keep all threads busy. */
static uint32_t rows_of_batch(const xc_encoder *e)
{
	enum { TILES = 8, PIXELS = 1 << 18 };
	const xc_geometry *g = &e->plan.geometry;
	const uint64_t threads = (uint64_t)e->worker_count;
	const uint64_t pixels = (uint64_t)g->width * g->tile_mcus_high * 8 * (uint32_t)g->v;
	const uint64_t for_tiles = (TILES * threads + g->tiles_wide - 1) / g->tiles_wide;
	const uint64_t for_pixels = (PIXELS * threads + pixels - 1) / pixels;
	const uint64_t rows = threads == 1 ? 1 : for_tiles > for_pixels ? for_tiles : for_pixels;
	const uint32_t max = xc_geometry_piece_rows(g);

	return rows < max ? (uint32_t)rows : max;
}

static xc_status set_up_segments(xc_encoder *e)
{
	const uint64_t piece = xc_encode_piece_tiles(e);

	e->room = e->counting || e->whole || piece > e->count ? e->count : piece;
	const size_t each = sizeof *e->tokens + e->layers * sizeof *e->segments;
	if (e->room > SIZE_MAX / each)
		return xc_fail_memory(e->context, SIZE_MAX);
	const size_t bytes = (size_t)e->room * each;
	e->tokens = xc_allocate_zeroed(e->context, bytes);
	if (!e->tokens)
		return xc_fail_memory(e->context, bytes);
	e->segments = (void *)(e->tokens + e->room);
	return XC_OK;
}

xc_encoder *xc_encode_new(xc_context *c, const xc_encode_options *options,
                          const xc_metadata *metadata)
{
	xc_encoder *e = xc_scratch_allocate(c, sizeof *e);

	if (!e)
		return NULL;
	memset(e, 0, offsetof(xc_encoder, frequencies));
	for (int class = 0; class < 2; class ++)
		memset(&e->decisions[class], 0, offsetof(xc_decision, weights));
	e->context = c;
	e->options = *options;
	if (metadata)
		e->metadata = *metadata;
	return e;
}

/* Sets the palette: that of the original, or one that is found in a picture in memory and is small
 * beside it, as the file has 3 or 4 bytes for each colour. */
static xc_status set_up_palette(xc_encoder *e)
{
	enum { WORTH = 128 }; /* pixels for each colour */
	const xc_picture *p = &e->rows;
	const int given = e->metadata.palette.data != NULL;
	const int counts = p->depth == 8 && p->channels > 1 && e->arrived == p->height &&
	                   (uint64_t)p->width * p->height <= XC_CHOICE_PIXELS;

	if (e->options.max_error || (!given && !counts))
		return XC_OK;
	e->palette = xc_allocate(e->context, sizeof *e->palette);
	if (!e->palette)
		return xc_fail_memory(e->context, sizeof *e->palette);
	if (given)
		return xc_encode_palette_take(e->context, p, &e->metadata, e->palette);
	if (!xc_encode_palette_find(&e->pixels, e->options.clear_transparent, e->palette) ||
	    (uint64_t)e->palette->count * WORTH > (uint64_t)p->width * p->height) {
		xc_release(e->context, e->palette);
		e->palette = NULL;
	}
	return XC_OK;
}

static xc_status set_up_tiles(xc_encoder *e)
{
	e->count = xc_geometry_tiles(&e->plan.geometry);
	e->time = xc_parallel_coding_time((uint64_t)e->rows.width * e->rows.height);
	xc_status s = set_up_segments(e);
	if (!s)
		s = set_up_workers(e);
	if (!s)
		e->batch_rows = rows_of_batch(e);
	return s;
}

static xc_status set_up_lossless(xc_encoder *e)
{
	xc_encode_plan_lossless(&e->plan, &e->rows, &e->options);
	e->lossless = xc_lossless_level_get(e->context->cpu);
	e->layers = 1;
	const xc_status s = set_up_palette(e);
	return s ? s : set_up_tiles(e);
}

xc_status xc_encode_set_up(xc_encoder *e)
{
	xc_context *c = e->context;
	const xc_picture *p = &e->rows;
	const xc_encode_options *o = &e->options;

	if (o->mode == XC_MODE_LOSSLESS)
		return set_up_lossless(e);
	xc_encode_plan_init(&e->plan, p, o);
	if (e->storing)
		xc_encode_plan_storing(&e->plan);
	e->forward = (xc_forward){
		.pixels = &e->pixels,
		.geometry = &e->plan.geometry,
		.kernels = xc_kernels_get(c->cpu),
		.transform = e->plan.header.transform,
	};
	if (e->coefficient_cache && !e->storing) {
		xc_coefficient_cache_prepare(c, e->coefficient_cache, &e->plan.geometry);
		e->forward.cache = e->coefficient_cache->coefficients ? e->coefficient_cache : NULL;
	}
	e->plan.has_colours = o->colour == XC_COLOUR_PICTURE && e->plan.geometry.components > 1;
	memcpy(e->forward.tables, e->plan.tables, sizeof e->forward.tables);
	e->counting = o->huffman == XC_HUFFMAN_OPTIMIZED && o->entropy == XC_ENTROPY_HUFFMAN;
	e->deciding = o->effort > 0;
	for (int i = 0; i < 2; i++) {
		e->ac_prediction[i] = xc_ac_prediction_of(e->plan.steps[i]);
		e->decisions[i].dead_zone = e->deciding;
	}
	e->learning = e->plan.has_colours || (e->counting && o->effort > 1) ||
	              (o->entropy == XC_ENTROPY_RANS && o->effort == XC_MOST_EFFORT) || e->fine;
	xc_activity_init(&e->activity, o->tune, e->plan.steps[0], e->plan.peak);
	xc_status s = get_tables(e);
	if (s)
		return s;
	if (o->entropy == XC_ENTROPY_RANS)
		set_up_rans(e);
	else
		set_up_huffman(e);
	e->level = xc_entropy_level_get(c->cpu, p->depth == 16);
	e->budget = e->whole ? (uint64_t)p->width * p->height * xc_picture_pixel_bytes(p) : UINT64_MAX;
	e->layers = p->channels % 2 ? 1 : 2;
	return set_up_tiles(e);
}

void xc_encode_release(xc_encoder *e)
{
	xc_context *c = e->context;

	for (int i = 0; i < e->worker_count; i++) {
		xc_encode_worker *w = e->workers[i];
		if (!w)
			break;
		xc_forward_scratch_free(c, &w->forward);
		xc_scratch_free(c, w->rans);
		xc_arena_free(&w->tokens);
		xc_scratch_free(c, w->alpha);
		xc_scratch_free(c, w->lossless);
		xc_arena_free(&w->bits);
		xc_arena_free(&w->alpha_bits);
		xc_scratch_free(c, w);
	}
	xc_scratch_free(c, e->workers);
	xc_release(c, e->own_rans);
	xc_release(c, e->own_tables ? e->tables : NULL);
	xc_release(c, e->tokens);
	e->workers = NULL;
	e->worker_count = 0;
	e->own_rans = NULL;
	e->rans = NULL;
	e->rans_decision = NULL;
	e->tables = NULL;
	e->tokens = NULL;
}

void xc_encoder_free(xc_encoder *e)
{
	if (!e)
		return;
	xc_context *c = e->context;
	xc_encode_release(e);
	xc_encode_window_give(c, e->window);
	xc_release(c, e->out.data);
	xc_release(c, e->palette);
	xc_scratch_free(c, e);
}
