/* SPDX-License-Identifier: BSD-2-Clause */
/* The work on each tile, which xc_parallel_for() calls from all threads. Workers share nothing but
 * the arrays of tokens and segments, and each tile has its own entry there. */
#include <string.h>

#include "src/core/crc32c.h"
#include "src/encode/encoder.h"
#include "src/pixels/alpha.h"
#include "src/pixels/samples.h"

/* Sets the factors of the blocks of a tile; all blocks of chroma get the same. */
static void set_factors(const xc_encoder *e, xc_encode_worker *w, const xc_tile *tile)
{
	const size_t luma = (size_t)tile->blocks_wide[0] * tile->blocks_high[0];

	xc_activity_factors(&e->activity, w->coefficients, luma, e->level->width > sizeof(int16_t),
	                    w->factors);
	for (size_t i = luma; i < tile->blocks; i++)
		w->factors[i] = XC_FACTOR_ONE;
}

static void remove_ac_prediction(const xc_encoder *e, xc_encode_worker *w, const xc_tile *tile)
{
	for (int c = 0; c < e->plan.geometry.components; c++) {
		void *first = (char *)w->coefficients + (size_t)tile->first_block[c] * 64 * e->level->width;
		(e->level->width > sizeof(int16_t) ? xc_ac_prediction_remove32
		                                   : xc_ac_prediction_remove16)(first, tile->blocks_wide[c],
		                                                                tile->blocks_high[c],
		                                                                e->ac_prediction[c != 0]);
	}
}

/* Makes quantized coefficients of a tile. */
static void transform(const xc_encoder *e, xc_encode_worker *w, uint64_t item, xc_tile *tile)
{
	/* Points are made from the first piece, unless codes are made for the picture. */
	xc_offsets rest[2] = {{{0}, {0}}, {{0}, {0}}};
	xc_offsets *offsets = e->counting || item < xc_encode_piece_tiles(e) ? w->offsets : rest;

	xc_geometry_tile(&e->plan.geometry, item, tile);
	xc_forward_tile(&e->forward, &w->forward, tile, w->coefficients);
	if (e->plan.parts == 1)
		return;
	if (xc_header_predicts_ac(&e->plan.header))
		remove_ac_prediction(e, w, tile);
	if (e->rans_decision || e->decisions[0].window)
		set_factors(e, w, tile);
	if (e->rans_decision) {
		const xc_rans_shape shape = xc_tile_rans_shape(&e->plan.geometry, tile);
		e->rans_decide(e->rans, e->rans_decision, &shape, w->factors, w->rans, w->coefficients,
		               offsets);
		return;
	}
	for (int c = 0; c < e->plan.geometry.components; c++) {
		const size_t first = tile->first_block[c];
		xc_decide(&e->decisions[c != 0], e->level,
		          (char *)w->coefficients + first * 64 * e->level->width, tile->blocks_wide[c],
		          tile->blocks_high[c], w->factors + first, w->dc, &offsets[c != 0]);
	}
}

static int tokenize(xc_encoder *e, xc_encode_worker *w, uint64_t item, xc_tile_tokens *tokens)
{
	xc_tile tile;

	transform(e, w, item, &tile);
	if (xc_tile_tokenize(&w->tokens, e->level, &e->plan.geometry, &tile, w->coefficients, tokens))
		return 1;
	__atomic_store_n(&e->out_of_memory, 1, __ATOMIC_RELAXED);
	return 0;
}

/* Adds the counts to the sums and clears them. */
static void fold_counts(const xc_encoder *e, xc_encode_worker *w)
{
	const uint32_t contexts = xc_encode_contexts(e);

	for (int class = 0; class < 2; class ++) {
		xc_symbol_counts *s = &w->sums[class];
		for (uint32_t c = 0; c < contexts; c++)
			xc_token_counts_fold(&w->counts[class][c], s->dc, s->ac[c]);
		memset(w->counts[class], 0, contexts * sizeof w->counts[class][0]);
	}
	w->counted = 0;
}

/* Zeroes the counts of a worker before their first use. */
static void set_counts(const xc_encoder *e, xc_encode_worker *w)
{
	if (w->counts_are_set)
		return;
	w->counts_are_set = 1;
	if (e->rans) {
		memset(&w->rans_counts, 0, sizeof w->rans_counts);
		return;
	}
	for (int class = 0; class < 2; class ++)
		memset(w->counts[class], 0, xc_encode_contexts(e) * sizeof w->counts[class][0]);
	memset(w->sums, 0, sizeof w->sums);
}

/* Room for a segment.  NULL: out of memory, which is noted. */
static uint8_t *make_room(xc_encoder *e, xc_arena *arena, size_t size)
{
	uint8_t *out = xc_arena_reserve(arena, size);

	if (!out)
		__atomic_store_n(&e->out_of_memory, 1, __ATOMIC_RELAXED);
	return out;
}

static void keep_segment(xc_arena *arena, xc_segment_bits *s, const uint8_t *out, size_t size)
{
	s->data = out;
	s->size = (uint32_t)size;
	s->crc = xc_crc32c(0, out, size);
	xc_arena_keep(arena, size);
}

xc_lossless_shape xc_alpha_tile(const xc_geometry *g, uint64_t i, uint32_t depth, xc_tile *t)
{
	xc_geometry_tile(g, i, t);
	xc_geometry_clip(g, t);
	return (xc_lossless_shape){t->width, t->height, 1, depth, 0};
}

uint8_t *xc_alpha_tile_encode(xc_cpu cpu, int effort, const xc_geometry *g, uint64_t index,
                              const xc_pixels *p, uint32_t first, uint8_t *scratch, xc_arena *arena,
                              size_t *size)
{
	xc_tile t;
	const xc_lossless_shape shape = xc_alpha_tile(g, index, p->depth, &t);
	uint8_t *out = xc_arena_reserve(arena, xc_lossless_bound(&shape));
	void *samples = scratch + xc_lossless_encode_scratch(&shape);

	if (!out)
		return NULL;
	const uint8_t *from = xc_pixels_row(p, 0, first, t.y) + t.x * xc_pixels_step(p, 0);
	xc_alpha_gather(p, from, t.width, t.height, samples);
	*size = xc_lossless_encode_alpha(cpu, effort, &shape, samples, scratch, out);
	xc_arena_keep(arena, *size);
	return out;
}

/* The alpha of a tile, if there is any, while its pixels are at hand. */
static void code_alpha(xc_encoder *e, xc_encode_worker *w, uint64_t item)
{
	size_t size;

	if (e->layers == 1)
		return;
	const uint8_t *out = xc_alpha_tile_encode(e->context->cpu, e->options.effort, &e->plan.geometry,
	                                          item, &e->pixels, e->forward.first, w->alpha,
	                                          &w->alpha_bits, &size);
	if (out)
		xc_encode_segments_of(e, item)[1] = (xc_segment_bits){out, 0, (uint32_t)size,
		                                                      xc_crc32c(0, out, size)};
	else
		__atomic_store_n(&e->out_of_memory, 1, __ATOMIC_RELAXED);
}

void xc_encode_count_tile(void *user, uint64_t item, int index)
{
	xc_encoder *e = user;
	xc_encode_worker *w = e->workers[index];

	item = e->first + item * e->stride;
	xc_tile_tokens *tokens = xc_encode_tokens_of(e, item);
	if (e->stores)
		code_alpha(e, w, item);
	if (!tokenize(e, w, item, tokens))
		return;
	set_counts(e, w);
	if (w->counted + tokens->bytes > UINT32_MAX)
		fold_counts(e, w);
	w->counted += tokens->bytes;
	xc_tile_count(e->level, tokens, e->plan.geometry.components,
	              e->deciding ? &e->tables->contexts : NULL, w->counts);
	if (e->stores && __atomic_add_fetch(&e->stored, tokens->bytes, __ATOMIC_RELAXED) <= e->budget)
		xc_arena_keep(&w->tokens, tokens->bytes);
	else
		tokens->bytes = 0;
}

void xc_encode_count_tile_rans(void *user, uint64_t item, int index)
{
	xc_encoder *e = user;
	xc_encode_worker *w = e->workers[index];
	xc_tile tile;

	transform(e, w, e->first + item, &tile);
	const xc_rans_shape shape = xc_tile_rans_shape(&e->plan.geometry, &tile);
	set_counts(e, w);
	e->rans_level->count(e->rans, &shape, w->coefficients, w->rans, &w->rans_counts);
}

void xc_encode_code_tile_rans(void *user, uint64_t item, int index)
{
	xc_encoder *e = user;

	item += e->first;
	xc_encode_worker *w = e->workers[index];
	xc_tile tile;
	code_alpha(e, w, item);
	transform(e, w, item, &tile);
	const xc_rans_shape shape = xc_tile_rans_shape(&e->plan.geometry, &tile);
	uint8_t *out = make_room(e, &w->bits, xc_rans_bound(&shape));
	if (out)
		keep_segment(&w->bits, xc_encode_segments_of(e, item), out,
		             e->rans_level->encode(e->rans, &shape, w->coefficients, w->rans, out));
}

void xc_encode_store_tile(void *user, uint64_t item, int index)
{
	xc_encoder *e = user;

	item += e->first;
	xc_encode_worker *w = e->workers[index];
	const int depth16 = e->rows.depth == 16;
	xc_tile tile;
	code_alpha(e, w, item);
	transform(e, w, item, &tile);
	const size_t size = xc_tile_samples_size(&e->plan.geometry, &tile, depth16);
	uint8_t *out = make_room(e, &w->bits, size);
	if (!out)
		return;
	xc_tile_samples_write(&e->plan.geometry, &tile, depth16, w->coefficients, out);
	keep_segment(&w->bits, xc_encode_segments_of(e, item), out, size);
}

/* ------------------------------------------------------------ without loss */

xc_lossless_shape xc_encode_lossless_shape(const xc_encoder *e, const xc_tile *t)
{
	return (xc_lossless_shape){t->width, t->height, e->palette ? 1 : e->rows.channels,
	                           e->rows.depth, e->options.max_error};
}

/* Notes a pixel that is not of the palette, if it is the first one. */
static void note_stray(xc_encoder *e, uint32_t x, uint32_t y)
{
	const uint64_t stray = UINT64_MAX - ((uint64_t)y * e->rows.width + x);
	uint64_t first = __atomic_load_n(&e->stray, __ATOMIC_RELAXED);

	while (stray > first && !__atomic_compare_exchange_n(&e->stray, &first, stray, 0,
	                                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/* The samples of a tile: those of the picture, or a copy. NULL: a pixel is not of the palette. */
static const uint8_t *samples_of(xc_encoder *e, xc_encode_worker *w, const xc_tile *t,
                                 const xc_lossless_shape *shape, size_t *stride)
{
	const xc_pixels *p = &e->pixels;
	const uint8_t *from = xc_pixels_row(p, 0, e->forward.first, t->y) + t->x * xc_pixels_step(p, 0);
	uint8_t *const copy = w->lossless + xc_lossless_encode_scratch(shape);

	if (!e->palette && xc_samples_are_plain(p)) {
		*stride = (size_t)p->stride[0];
		return from;
	}
	*stride = (size_t)t->width * shape->channels * (p->depth / 8);
	if (!e->palette) {
		xc_samples_gather(p, from, t->width, t->height, copy);
		return copy;
	}
	for (uint32_t y = 0; y < t->height; y++, from += p->stride[0]) {
		const uint32_t n = xc_encode_palette_map(e->palette, p, from, t->width,
		                                         e->options.clear_transparent, copy + y * *stride);
		if (n < t->width) {
			note_stray(e, t->x + n, t->y + y);
			return NULL;
		}
	}
	return copy;
}

void xc_encode_lossless_tile(void *user, uint64_t item, int index)
{
	enum { TRY_DRAWING = 116 }; /* share of equal pixels, in 256ths; the coder decides finally */
	xc_encoder *e = user;
	xc_encode_worker *w = e->workers[index];
	xc_tile t;
	size_t stride;

	item += e->first;
	xc_geometry_tile(&e->plan.geometry, item, &t);
	xc_geometry_clip(&e->plan.geometry, &t);
	const xc_lossless_shape shape = xc_encode_lossless_shape(e, &t);
	const uint8_t *samples = samples_of(e, w, &t, &shape, &stride);
	uint8_t *out = samples ? make_room(e, &w->bits, xc_lossless_bound(&shape)) : NULL;
	if (!out)
		return;
	const uint32_t pixel = shape.channels * shape.depth / 8;
	const uint32_t share = xc_lossless_share_of_equals(samples, (ptrdiff_t)stride, t.width,
	                                                   t.height, pixel, pixel);
	const int effort = e->options.effort, few = effort && t.width * t.height <= XC_LOSSLESS_SMALL;
	const xc_lossless_options o = {effort,
	                               few || share > (effort ? TRY_DRAWING : XC_LOSSLESS_DRAWING),
	                               e->options.clear_transparent && !e->palette};
	keep_segment(&w->bits, xc_encode_segments_of(e, item), out,
	             e->lossless->encode(&shape, &o, samples, stride, w->lossless, out));
}

void xc_encode_code_tile(void *user, uint64_t item, int index)
{
	xc_encoder *e = user;

	item += e->first;
	xc_encode_worker *w = e->workers[index];
	xc_tile_tokens *tokens = xc_encode_tokens_of(e, item);
	xc_tile tile;
	if (!e->counting)
		code_alpha(e, w, item);
	if (!(e->counting && tokens->bytes) && !tokenize(e, w, item, tokens))
		return;
	xc_geometry_tile(&e->plan.geometry, item, &tile);
	uint8_t *out = make_room(e, &w->bits, xc_tile_code_bound(&tile));
	if (!out)
		return;
	const uint8_t *end = xc_tile_code(e->level, tokens, e->plan.geometry.components, e->coders,
	                                  out);
	keep_segment(&w->bits, xc_encode_segments_of(e, item), out, (size_t)(end - out));
}
