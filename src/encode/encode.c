/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * xc_encode(): with Huffman codes made for the picture, a pass transforms and tokenizes all tiles and
 * counts their symbols.  Then the codes are built, the next pass codes all tokens, and the segments
 * are put together.  With built-in codes, and with rANS, there is only the last pass, and what is
 * learnt for the header is learnt from the first piece of the file.
 *
 * The tokens of a picture are kept between the passes as long as they take no more memory than
 * the picture itself; tiles beyond that are transformed again.
 */
#include <string.h>

#include "src/container/alpha.h"
#include "src/core/parallel.h"
#include "src/encode/encoder.h"
#include "src/encode/gradients.h"

static xc_status set_up_workers(xc_encoder *e)
{
	xc_context *c = e->context;
	const size_t coefficients = (size_t)xc_geometry_tile_blocks(&e->plan.geometry) * 64 *
	                            e->level->width;
	const size_t n = (size_t)xc_parallel_workers(c, e->count, e->time);
	xc_tile whole; /* the first tile is the largest */
	xc_geometry_tile(&e->plan.geometry, 0, &whole);
	const xc_rans_shape shape = xc_tile_rans_shape(&e->plan.geometry, &whole);
	const size_t rans = xc_rans_scratch(&shape);
	e->workers = xc_allocate_zeroed(c, n * sizeof *e->workers);
	if (!e->workers)
		return xc_fail_memory(c, n * sizeof *e->workers);
	e->worker_count = (int)n;
	for (size_t i = 0; i < n; i++) {
		xc_encode_worker *w = &e->workers[i];
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
		if (!e->rans)
			continue;
		w->rans = xc_scratch_allocate(c, rans);
		if (!w->rans)
			return xc_fail_memory(c, rans);
	}
	return XC_OK;
}

static xc_status set_up(xc_encoder *e, const xc_picture *p, const xc_encode_options *o)
{
	xc_context *c = e->context;
	xc_encode_plan_init(&e->plan, p, o);
	e->forward = (xc_forward){
		.picture = p,
		.geometry = &e->plan.geometry,
		.kernels = xc_kernels_get(c->cpu),
		.transform = o->transform,
	};
	if (o->colour == XC_COLOUR_PICTURE && e->plan.geometry.components > 1) {
		xc_gradients gradients;
		xc_gradients_sample(p, &gradients);
		xc_colours_choose(&gradients, e->plan.colours);
		xc_colours_forward(e->plan.colours, e->colours);
		e->plan.has_colours = 1;
		e->forward.colours = e->colours;
	}
	memcpy(e->forward.tables, e->plan.tables, sizeof e->forward.tables);
	e->counting = o->huffman == XC_HUFFMAN_OPTIMIZED && o->entropy == XC_ENTROPY_HUFFMAN;
	e->deciding = o->effort > 0;
	for (int i = 0; i < 2; i++) {
		e->slopes[i] = xc_slopes_of(e->plan.steps[i]);
		e->decisions[i].dead_zone = e->deciding;
	}
	xc_token_contexts_init(&e->contexts);
	xc_activity_init(&e->activity, o->tune, e->plan.steps[0], p->depth);
	if (o->entropy == XC_ENTROPY_RANS) {
		xc_rans_frequencies frequencies;
		e->rans_level = xc_rans_level_get(c->cpu, p->depth == 16);
		e->rans = xc_allocate(c, sizeof *e->rans);
		if (!e->rans)
			return xc_fail_memory(c, sizeof *e->rans);
		xc_rans_builtin_frequencies(&frequencies);
		xc_rans_tables_init(e->rans, &frequencies);
		if (o->effort > 1) {
			e->rans_decision = xc_allocate_zeroed(c, sizeof *e->rans_decision);
			if (!e->rans_decision)
				return xc_fail_memory(c, sizeof *e->rans_decision);
			xc_rans_decision_init(e->rans_decision, &frequencies, XC_LAMBDA);
		}
	}
	e->level = xc_entropy_level_get(c->cpu, p->depth == 16);
	e->budget = (uint64_t)p->width * p->height * xc_picture_pixel_bytes(p);
	e->count = xc_geometry_tiles(&e->plan.geometry);
	e->time = xc_parallel_coding_time((uint64_t)p->width * p->height);
	if (e->count > SIZE_MAX / sizeof *e->segments)
		return xc_fail_memory(c, SIZE_MAX);
	e->segments = xc_allocate_zeroed(c, (size_t)e->count * sizeof *e->segments);
	if (!e->segments)
		return xc_fail_memory(c, (size_t)e->count * sizeof *e->segments);
	const xc_status s = set_up_workers(e);
	if (s || p->channels % 2)
		return s;
	return xc_alpha_encode(c, p, &e->alpha);
}

/* Codes the tiles from `first` on and before `end`. */
static void code_tiles(xc_encoder *e, uint64_t first, uint64_t end)
{
	const double before = e->counting ? 0.7 : 0, share = (0.97 - before) / (double)e->count;
	e->first = first;
	if (first < end)
		xc_parallel_for(e->context, end - first, e->time * (end - first) / e->count,
		                e->rans ? xc_encode_code_tile_rans : xc_encode_code_tile, e,
		                before + share * (double)first, before + share * (double)end);
}

static xc_status run(xc_encoder *e, const xc_picture *p, const xc_encode_options *o, xc_buffer *out)
{
	xc_context *c = e->context;
	xc_status s = set_up(e, p, o);
	if (s)
		return s;
	xc_stage(c, "set-up");
	/* Counts have 32 bits. */
	if (!e->rans)
		s = xc_encode_make_codes(e, o->effort);
	else if (o->effort == XC_MOST_EFFORT && (uint64_t)p->width * p->height <= UINT32_MAX / 2)
		s = xc_encode_make_frequencies(e);
	if (s)
		return s;
	code_tiles(e, 0, xc_encode_piece_tiles(e));
	if (!e->counting)
		xc_encode_set_points(e);
	code_tiles(e, xc_encode_piece_tiles(e), e->count);
	if (e->out_of_memory)
		return xc_fail_memory(c, (size_t)e->kept);
	xc_stage(c, e->counting ? "coding" : "transform and coding");
	s = xc_encode_assemble(e, out);
	xc_stage(c, "assembly");
	return s;
}

static void tear_down(xc_encoder *e)
{
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
	xc_buffer_free(c, &e->alpha);
	xc_release(c, e);
}

xc_status xc_encode(xc_context *c, const xc_picture *picture, const xc_metadata *metadata,
                    const xc_encode_options *options, xc_buffer *out)
{
	xc_encode_options o;
	xc_begin(c);
	if (!out)
		return xc_fail(c, XC_ERR_ARGUMENT, "no place for the result");
	*out = (xc_buffer){0};
	xc_status s = xc_picture_check_data(c, picture);
	if (!s)
		s = xc_encode_take_options(c, options, metadata, &o);
	if (s)
		return s;
	int done = 0;
	if (c->device.backend)
		s = c->device.backend->encode(c, picture, metadata, &o, out, &done);
	if (done)
		return s;
	xc_encoder *e = xc_allocate_zeroed(c, sizeof *e);
	if (!e)
		return xc_fail_memory(c, sizeof *e);
	e->context = c;
	e->metadata = metadata;
	s = run(e, picture, &o, out);
	tear_down(e);
	if (s)
		xc_buffer_free(c, out);
	return s;
}
