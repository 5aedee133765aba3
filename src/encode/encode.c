/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The way of a picture's rows through the encoder. With Huffman codes made for the picture, tiles
 * become tokens, whose symbols are counted; the codes are built after the last row, and then all
 * tokens are coded. With built-in codes, and with rANS, tiles become segments at once. What is
 * learnt for the header, and what has to be known before tiles are made, is learnt from the first
 * piece of the file.
 *
 * The tokens of a picture in memory are kept as long as they take no more memory than the picture
 * itself; tiles beyond that are transformed again.
 */

#include "src/core/parallel.h"
#include "src/encode/encoder.h"

/* ------------------------------------------------------------ rows */

/* Rows of tiles that are made next end before this one. */
static uint32_t end_of_batch(const xc_encoder *e)
{
	const xc_geometry *g = &e->plan.geometry;
	const uint32_t piece = xc_geometry_piece_rows(g), left = g->tiles_high - e->next;

	if (e->whole && (!e->fine || e->next))
		return g->tiles_high;
	if (e->learning && !e->next)
		return piece;
	const uint32_t left_of_piece = piece - e->next % piece;
	const uint32_t rows = e->batch_rows < left_of_piece ? e->batch_rows : left_of_piece;
	return e->next + (rows < left ? rows : left);
}

/* Rows of pixels in a row of tiles; those that a tile needs above and below its own. */
static uint32_t tile_rows(const xc_encoder *e)
{
	return e->plan.geometry.tile_mcus_high * 8 * (uint32_t)e->plan.geometry.v;
}

static uint32_t reach(const xc_encoder *e)
{
	return xc_transform_laps(e->options.transform) ? XC_REACH * (uint32_t)e->plan.geometry.v : 0;
}

static uint32_t rows_before(const xc_encoder *e, uint32_t tile_row)
{
	const uint64_t n = (uint64_t)tile_row * tile_rows(e) + reach(e);
	return n < e->rows.height ? (uint32_t)n : e->rows.height;
}

uint32_t xc_encode_rows_needed(const xc_encoder *e)
{
	return e->whole ? e->rows.height : rows_before(e, end_of_batch(e));
}

uint32_t xc_encode_first_row(const xc_encoder *e)
{
	const uint64_t y = (uint64_t)e->next * tile_rows(e);

	return e->whole || y < reach(e)    ? 0
	       : y - reach(e) < e->arrived ? (uint32_t)(y - reach(e))
	                                   : e->arrived;
}

uint32_t xc_encode_window_rows(const xc_encoder *e)
{
	const uint32_t piece = xc_geometry_piece_rows(&e->plan.geometry);
	const uint64_t max = (uint64_t)(e->learning ? piece : e->batch_rows) * tile_rows(e) +
	                     2 * reach(e);

	return e->whole || max > e->rows.height ? e->rows.height : (uint32_t)max;
}

/* ------------------------------------------------------------ tiles */

xc_status xc_encode_tiles(xc_encoder *e, uint64_t first, uint64_t end,
                          void (*work)(void *user, uint64_t item, int worker), double from,
                          double to)
{
	const double share = (to - from) / (double)e->count;
	const uint64_t n = end - first;

	e->first = first;
	const xc_status s = xc_parallel_for(e->context, (n + e->stride - 1) / e->stride,
	                                    e->time * n / e->count / e->stride, work, e,
	                                    from + share * (double)first, from + share * (double)end);
	return e->out_of_memory ? xc_fail_memory(e->context, (size_t)e->stored) : s;
}

static void (*code(const xc_encoder *e))(void *, uint64_t, int)
{
	return e->storing ? xc_encode_store_tile
	       : e->rans  ? xc_encode_code_tile_rans
	                  : xc_encode_code_tile;
}

static xc_status learn(xc_encoder *e)
{
	if (e->plan.has_colours) {
		xc_encode_plan_colours(&e->plan, &e->pixels, e->colours);
		e->forward.colours = e->colours;
	}
	const xc_status s = xc_encode_learn(e);
	e->stride = 1;
	e->stores = 1;
	return s;
}

static xc_status write_piece(xc_encoder *e)
{
	xc_status s = XC_OK;

	if (e->written == 0)
		s = xc_encode_write_header(e);
	if (!s)
		s = xc_encode_write_piece(e);
	if (e->whole)
		return s;
	for (int i = 0; i < e->worker_count; i++) {
		xc_arena_free(&e->workers[i]->bits);
		/* With codes made for the picture, alpha is coded long before it is written. */
		if (!e->counting)
			xc_arena_free(&e->workers[i]->alpha_bits);
	}
	if (!e->counting)
		e->base = e->written;
	xc_stage(e->context, "assembly");
	return s;
}

/* Makes the tiles of a batch of tile rows, whose rows have come. */
static xc_status make_batch(xc_encoder *e, uint32_t end)
{
	const xc_geometry *g = &e->plan.geometry;
	const uint32_t piece = xc_geometry_piece_rows(g);
	const uint64_t wide = g->tiles_wide, from = e->next * wide, to = end * wide;
	const int first_piece = e->next < piece && end >= piece;
	int again = 0;
	xc_status s = XC_OK;

	if (!e->next)
		s = learn(e);
	if (!s)
		s = e->counting ? xc_encode_tiles(e, from, to, xc_encode_count_tile, 0.1, 0.7)
		                : xc_encode_tiles(e, from, to, code(e), 0, 0.97);
	e->next = end;
	if (e->counting)
		xc_stage(e->context, "transform");
	if (!s && e->fine)
		s = xc_encode_choose(e, &again);
	if (s || e->counting || again)
		return s;
	if (first_piece)
		xc_encode_set_points(e);
	xc_stage(e->context, "transform and coding");
	/* The only piece waits for metadata. */
	const int complete = end % piece == 0 || end == g->tiles_high;
	return complete && !e->whole && g->tiles_high > piece ? write_piece(e) : XC_OK;
}

xc_status xc_encode_advance(xc_encoder *e)
{
	xc_status s = XC_OK;

	while (!s && e->next < e->plan.geometry.tiles_high && e->arrived >= xc_encode_rows_needed(e))
		s = make_batch(e, end_of_batch(e));
	return s;
}

xc_status xc_encode_finish(xc_encoder *e)
{
	const uint64_t step = xc_encode_piece_tiles(e);
	xc_status s = XC_OK;

	if (e->counting)
		s = xc_encode_make_codes(e);
	if (!s && e->counting && e->whole) {
		s = xc_encode_tiles(e, 0, e->count, code(e), 0.7, 0.97);
		xc_stage(e->context, "coding");
	}
	if (!s && !e->out.write)
		s = xc_encode_expect_file(e);
	while (!s && e->written < e->count) {
		const uint64_t left = e->count - e->written;
		if (e->counting && !e->whole) {
			s = xc_encode_tiles(e, e->written, e->written + (left < step ? left : step), code(e),
			                    0.7, 0.97);
			xc_stage(e->context, "coding");
		}
		if (!s)
			s = write_piece(e);
	}
	if (!s)
		s = xc_encode_write_end(e);
	xc_stage(e->context, "assembly");
	return s;
}

/* ------------------------------------------------------------ the whole picture */

static xc_status run(xc_encoder *e)
{
	e->arrived = e->rows.height;
	e->whole = 1;
	xc_status s = xc_encode_set_up(e);
	if (s)
		return s;
	xc_stage(e->context, "set-up");
	s = xc_encode_advance(e);
	return s ? s : xc_encode_finish(e);
}

static xc_status encode(xc_context *c, const xc_pixels *pixels, const xc_metadata *metadata,
                        const xc_encode_options *options, xc_coefficient_cache *cache, int fine,
                        xc_buffer *out)
{
	xc_encoder *e = xc_encode_new(c, options, metadata);

	if (!e)
		return xc_fail_memory(c, sizeof *e);
	e->fine = fine;
	e->pixels = *pixels;
	e->coefficient_cache = cache;
	xc_pixels_are_picture(pixels, &e->rows);
	const xc_status s = run(e);
	if (!s) {
		*out = (xc_buffer){e->out.data, e->out.used};
		e->out.data = NULL;
	}
	xc_encode_tear_down(e);
	return s;
}

xc_status xc_encode_once(xc_context *c, const xc_pixels *pixels, const xc_metadata *metadata,
                         const xc_encode_options *options, xc_buffer *out)
{
	return encode(c, pixels, metadata, options, NULL, 0, out);
}

static xc_status encode_by_cpu(xc_context *c, const xc_pixels *pixels, const xc_metadata *metadata,
                               const xc_encode_options *options, xc_coefficient_cache *cache,
                               xc_buffer *out)
{
	return encode(c, pixels, metadata, options, cache,
	              xc_encode_plan_is_fine(options, pixels->depth, XC_FINE_STEP), out);
}

/* Begins a call and checks all but the pixels. */
static xc_status begin(xc_context *c, const xc_metadata *metadata, const xc_encode_options *options,
                       xc_buffer *out, xc_encode_options *taken)
{
	if (out)
		*out = (xc_buffer){0};
	if (!c)
		return XC_ERR_ARGUMENT;
	xc_begin(c);
	if (!out)
		return xc_fail(c, XC_ERR_ARGUMENT, "no place for the result");
	return xc_encode_take_options(c, options, metadata, taken);
}

xc_status xc_encode_picture(xc_context *c, const xc_picture *picture, const xc_metadata *metadata,
                            const xc_encode_options *options, xc_coefficient_cache *cache,
                            xc_buffer *out)
{
	int done = 0;
	xc_status s = XC_OK;

	if (c->device.backend)
		s = c->device.backend->encode(c, picture, metadata, options, out, &done);
	if (done)
		return s;
	const xc_pixels pixels = xc_pixels_of(picture);
	return encode_by_cpu(c, &pixels, metadata, options, cache, out);
}

xc_status xc_encode(xc_context *c, const xc_picture *picture, const xc_metadata *metadata,
                    const xc_encode_options *options, xc_buffer *out)
{
	xc_encode_options o;
	xc_status s = begin(c, metadata, options, out, &o);

	if (!s)
		s = xc_picture_check_data(c, picture);
	return s ? s : xc_encode_picture(c, picture, metadata, &o, NULL, out);
}

xc_status xc_encode_pixels(xc_context *c, const xc_pixels *pixels, const xc_metadata *metadata,
                           const xc_encode_options *options, xc_buffer *out)
{
	xc_encode_options o;
	xc_picture picture;
	xc_status s = begin(c, metadata, options, out, &o);

	if (!s)
		s = xc_pixels_check(c, pixels);
	if (s)
		return s;
	if (xc_pixels_are_picture(pixels, &picture))
		return xc_encode_picture(c, &picture, metadata, &o, NULL, out);
	s = xc_encode_check_layout(c, pixels->layout, &o);
	return s ? s : encode_by_cpu(c, pixels, metadata, &o, NULL, out);
}
