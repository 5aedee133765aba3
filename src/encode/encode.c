/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The passes of the encoder, for xc_encode() and for src/encode/stream.c. With Huffman codes made
 * for the picture, tiles become tokens whose symbols are counted; the codes are built after the
 * last row, and then all tokens are coded. With built-in codes and with rANS tiles become segments
 * at once. Whatever the header or the tiles depend on is learnt from the first piece of the file.
 *
 * Tokens of a picture in memory are kept while they take no more memory than the picture; the other
 * tiles are transformed again.
 */

#include "src/encode/encoder.h"

#include <string.h>

#include "src/core/crc32c.h"
#include "src/core/floats.h"
#include "src/core/parallel.h"

/* ------------------------------------------------------------ output */

/* Bytes written at a time, unless a chunk is larger. */
enum { BUFFER = 1 << 16 };

static xc_status flush(xc_encoder *e)
{
	xc_encode_out *o = &e->out;

	if (o->used && o->write(o->user, o->data, o->used))
		return xc_fail(e->context, XC_ERR_IO, "the output cannot be written (at byte %llu)",
		               (unsigned long long)o->total);
	o->total += o->used;
	o->used = 0;
	return XC_OK;
}

/* Makes room for `size` bytes of output at *to; commit() ends it. Without a callback the first call
 * makes room for the whole file. */
static xc_status reserve(xc_encoder *e, uint64_t size, xc_writer *to)
{
	xc_encode_out *o = &e->out;

	if (o->write && size > o->room - o->used) {
		const xc_status s = flush(e);
		if (s)
			return s;
	}
	if (!o->data || (o->write && size > o->room)) {
		if (size > SIZE_MAX)
			return xc_fail_memory(e->context, SIZE_MAX);
		o->room = o->write && size < BUFFER ? BUFFER : (size_t)size;
		xc_release(e->context, o->data);
		o->data = xc_allocate(e->context, o->room);
		if (!o->data)
			return xc_fail_memory(e->context, o->room);
	}
	to->next = o->data + o->used;
	return XC_OK;
}

static void commit(xc_encoder *e, const xc_writer *to)
{
	e->out.used = (size_t)(to->next - e->out.data);
}

/* ------------------------------------------------------------ pieces */

static void copy_segment(void *user, uint64_t item, int index)
{
	const xc_encoder *e = user;
	const xc_segment_bits *s = &e->segments[item];

	(void)index;
	if (s->size)
		memcpy(e->out.data + s->offset, s->data, s->size);
}

/* Copies all segments into the buffer that holds the whole file. */
static xc_status copy_segments(xc_encoder *e)
{
	return xc_parallel_for(e->context, e->count * e->layers, xc_parallel_copying_time(e->out.used),
	                       copy_segment, e, 0.97, 1);
}

/* Leaves room for segments, which are copied at the end. */
static void set_segments(xc_encoder *e, xc_segment_bits *s, uint64_t n, uint64_t total)
{
	for (uint64_t i = 0; i < n; i++)
		s[i].offset += e->out.used;
	e->out.used += (size_t)total;
}

static xc_status write_segments(xc_encoder *e, const xc_segment_bits *s, uint64_t n)
{
	xc_status status = XC_OK;

	for (uint64_t i = 0; !status && i < n; i++) {
		xc_writer w;
		status = s[i].size ? reserve(e, s[i].size, &w) : XC_OK;
		if (!status && s[i].size) {
			memcpy(w.next, s[i].data, s[i].size);
			w.next += s[i].size;
			commit(e, &w);
		}
	}
	return status;
}

/* Writes the piece that begins with tile `written`. */
static xc_status append_piece(xc_encoder *e)
{
	const uint64_t step = xc_encode_piece_tiles(e), left = e->count - e->written;
	const uint64_t tiles = left < step ? left : step, n = tiles * e->layers;
	xc_segment_bits *segments = xc_encode_segments_of(e, e->written);
	xc_writer w;
	uint64_t total;
	xc_status s = reserve(e, xc_piece_overhead(n), &w);

	if (s)
		return s;
	const uint32_t crc = xc_write_piece_start(&w, segments, n, &total);
	commit(e, &w);
	if (e->out.write)
		s = write_segments(e, segments, n);
	else
		set_segments(e, segments, n, total);
	if (!s)
		s = reserve(e, 4, &w);
	if (s)
		return s;
	xc_write_u32(&w, crc);
	commit(e, &w);
	e->written += tiles;
	return XC_OK;
}

/* ------------------------------------------------------------ the rest */

/* Makes room for the whole file, without a callback, before anything is written. */
static xc_status expect_file(xc_encoder *e)
{
	const uint64_t segments = e->count * e->layers;
	uint64_t bound = xc_container_overhead(&e->metadata) +
	                 xc_geometry_pieces(&e->plan.geometry) * xc_piece_overhead(0) +
	                 xc_piece_overhead(segments);
	xc_writer w;

	for (uint64_t i = 0; i < segments; i++)
		bound += e->segments[i].size;
	return reserve(e, bound, &w);
}

static void write_lossless_tables(const xc_encoder *e, xc_writer *w)
{
	const xc_encode_palette *p = e->palette;

	if (e->options.max_error)
		xc_write_max_error(w, e->options.max_error);
	if (p)
		xc_write_palette(w, p->colour, p->count, (int)e->rows.channels, (int)p->bits);
}

static xc_status write_header(xc_encoder *e)
{
	const int tables = e->plan.geometry.components == 1 ? 1 : 2;
	xc_writer w;
	const xc_status s = reserve(e, xc_container_overhead(&e->metadata), &w);

	if (s)
		return s;
	xc_write_magic(&w);
	xc_write_head(&w, &e->plan.header);
	e->metadata.range = e->plan.range;
	xc_write_metadata(&w, &e->metadata, NULL);
	e->written_metadata = e->metadata;
	if (e->lossless) {
		write_lossless_tables(e, &w);
		commit(e, &w);
		return XC_OK;
	}
	xc_write_quant(&w, e->plan.quant_preset, e->plan.curves, tables, e->plan.steps, e->plan.points);
	if (e->plan.has_colours)
		xc_write_colours(&w, e->plan.colours);
	if (e->frequency_bytes)
		xc_write_chunk(&w, "RANS", e->frequencies, e->frequency_bytes);
	if (e->plan.header.entropy == XC_ENTROPY_HUFFMAN_STORED)
		xc_write_codes(&w, e->plan.geometry.components, e->codes, NULL);
	if (e->plan.header.entropy == XC_ENTROPY_HUFFMAN_CONTEXTS)
		xc_write_codes(&w, e->plan.geometry.components, e->codes, xc_default_codes(e->context));
	commit(e, &w);
	return XC_OK;
}

static xc_status write_end(xc_encoder *e)
{
	xc_writer w;
	xc_status s = reserve(e, xc_metadata_bound(&e->metadata) + XC_CHUNK_OVERHEAD, &w);

	if (s)
		return s;
	xc_write_metadata(&w, &e->metadata, &e->written_metadata);
	xc_write_chunk(&w, "DONE", NULL, 0);
	commit(e, &w);
	return e->out.write ? flush(e) : copy_segments(e);
}

/* ------------------------------------------------------------ rows */

/* The tile row after the next batch. */
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

/* Rows of pixels in a tile row; rows that a tile needs above and below its own. */
static uint32_t tile_rows(const xc_encoder *e)
{
	return e->plan.geometry.tile_mcus_high * 8 * (uint32_t)e->plan.geometry.v;
}

static uint32_t reach(const xc_encoder *e)
{
	return !e->lossless && xc_transform_laps(e->options.transform)
	           ? XC_REACH * (uint32_t)e->plan.geometry.v
	           : 0;
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
	if (e->stray) {
		const uint64_t pixel = UINT64_MAX - e->stray;
		return xc_fail(e->context, XC_ERR_ARGUMENT, "pixel %u,%u is not of the palette",
		               (uint32_t)(pixel % e->rows.width), (uint32_t)(pixel / e->rows.width));
	}
	return e->out_of_memory ? xc_fail_memory(e->context, (size_t)e->stored) : s;
}

static void (*code(const xc_encoder *e))(void *, uint64_t, int)
{
	return e->lossless  ? xc_encode_lossless_tile
	       : e->storing ? xc_encode_store_tile
	       : e->rans    ? xc_encode_code_tile_rans
	                    : xc_encode_code_tile;
}

static xc_status learn(xc_encoder *e)
{
	if (e->plan.has_colours) {
		xc_encode_plan_colours(&e->plan, &e->pixels, e->colours);
		e->forward.colours = e->colours;
	}
	const xc_status s = e->lossless ? XC_OK : xc_encode_learn(e);
	e->stride = 1;
	e->stores = 1;
	return s;
}

static xc_status write_piece(xc_encoder *e)
{
	xc_status s = XC_OK;

	if (e->written == 0)
		s = write_header(e);
	if (!s)
		s = append_piece(e);
	if (e->whole)
		return s;
	for (int i = 0; i < e->worker_count; i++) {
		xc_arena_free(&e->workers[i]->bits);
		/* With codes made for the picture alpha is coded long before it is written. */
		if (!e->counting)
			xc_arena_free(&e->workers[i]->alpha_bits);
	}
	if (!e->counting)
		e->base = e->written;
	xc_stage(e->context, "assembly");
	return s;
}

/* ------------------------------------------------------------ fine steps */

/* Chooses the coding of a picture with fine steps, after its first piece is coded. The built-in
 * frequencies of rANS are made from photographs with larger steps, and every code makes noise
 * larger than its samples. So the piece is also encoded in Huffman codes made for it, and the
 * smallest of both and of its samples is used for the whole picture. The choice does not depend on
 * threads or on how rows arrive. */

/* Bytes of an entry of the index, of a stored table of steps, of what all files have. */
enum { INDEX_ENTRY = 4, STEPS = 65, HEADER = 72 };

/* The rows of pixels of the first piece. */
static xc_pixels first_piece(const xc_encoder *e)
{
	const xc_geometry *g = &e->plan.geometry;
	const uint64_t rows = (uint64_t)xc_geometry_piece_rows(g) * g->tile_mcus_high * 8 *
	                      (uint32_t)g->v;
	xc_pixels piece = e->pixels;

	piece.height = rows < piece.height ? (uint32_t)rows : piece.height;
	return piece;
}

/* Bytes of the samples of its components, with their steps. */
static uint64_t bytes_of_samples(const xc_encoder *e, const xc_pixels *piece)
{
	const xc_geometry *g = &e->plan.geometry;
	const uint64_t h = (uint64_t)g->h, v = (uint64_t)g->v;
	const uint64_t chroma = (piece->width + h - 1) / h * ((piece->height + v - 1) / v);
	const uint64_t n = (uint64_t)piece->width * piece->height +
	                   (g->components > 1 ? 2 * chroma : 0);

	return n * e->rows.depth / 8 + (g->components > 1 ? 2 : 1) * STEPS;
}

/* Bytes of the segments of colour that have been made, with their index and frequencies. */
static uint64_t bytes_of_segments(const xc_encoder *e)
{
	const uint64_t n = xc_encode_piece_tiles(e) < e->count ? xc_encode_piece_tiles(e) : e->count;
	uint64_t sum = e->frequency_bytes + INDEX_ENTRY * n;

	for (uint64_t i = 0; i < n; i++)
		sum += xc_encode_segments_of(e, i)->size;
	return sum;
}

/* Sets *bytes to the bytes of the piece in Huffman codes made for it. */
static xc_status try_huffman(const xc_encoder *e, const xc_pixels *piece, uint64_t *bytes)
{
	xc_context *c = e->context;
	xc_encode_options o = e->options;
	const xc_progress_range all = c->range;
	xc_buffer file = {0};

	o.entropy = XC_ENTROPY_HUFFMAN;
	o.huffman = XC_HUFFMAN_OPTIMIZED;
	xc_progress_stage(c, all, 0, 0);
	const xc_status s = xc_encode_once(c, piece, NULL, &o, &file);
	xc_progress_stage(c, all, 0, 1);
	*bytes = file.size > HEADER ? file.size - HEADER : 0;
	xc_buffer_free(c, &file);
	return s;
}

/* Restarts the encoder at the first row. */
static xc_status begin_again(xc_encoder *e)
{
	xc_encode_release(e);
	e->context->range = xc_progress_rest(e->context, e->context->range);
	e->next = 0;
	e->stored = 0;
	e->frequency_bytes = 0;
	e->forward.first = 0;
	return xc_encode_set_up(e);
}

static xc_status choose_coding(xc_encoder *e, int *again)
{
	const xc_pixels piece = first_piece(e);
	const uint64_t samples = bytes_of_samples(e, &piece);
	uint64_t own = e->counting ? 0 : bytes_of_segments(e), huffman = UINT64_MAX;
	xc_status s = XC_OK;

	e->fine = 0;
	/* Before the codes are made only tokens are known. If there are fewer than seven for ten
	 * samples, the other coefficients are zero, and the tokens take less than the samples. */
	if (e->counting && e->stored / e->level->width < samples * 8 / e->rows.depth * 7 / 10)
		return XC_OK;
	if (e->counting ||
	    (e->rans && xc_encode_plan_is_fine(&e->options, e->rows.depth, XC_FINEST_STEP)))
		s = try_huffman(e, &piece, &huffman);
	own = e->counting ? huffman : own;
	if (s || (own <= huffman && own <= samples))
		return s;
	*again = 1;
	e->options.entropy = XC_ENTROPY_HUFFMAN;
	if (samples < huffman && samples < own) {
		e->storing = 1;
		e->options.huffman = XC_HUFFMAN_DEFAULT;
		e->options.colour = XC_COLOUR_YCBCR;
		e->options.transform = XC_TRANSFORM_DCT;
		e->options.effort = 0;
	} else {
		e->options.huffman = XC_HUFFMAN_OPTIMIZED;
	}
	return begin_again(e);
}

/* ------------------------------------------------------------ batches */

/* Makes the tiles of a batch, whose rows have arrived. */
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
		s = choose_coding(e, &again);
	if (s || e->counting || again)
		return s;
	if (first_piece && !e->lossless)
		xc_encode_set_points(e);
	xc_stage(e->context, "transform and coding");
	/* A single piece waits for metadata until the end. */
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
		s = expect_file(e);
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
		s = write_end(e);
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
	xc_encoder_free(e);
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
	              options->mode != XC_MODE_LOSSLESS &&
	                  xc_encode_plan_is_fine(options, pixels->depth, XC_FINE_STEP),
	              out);
}

/* Begins a call and checks everything but the pixels. */
static xc_status begin(xc_context *c, const xc_metadata *metadata, const xc_encode_options *options,
                       xc_buffer *out, xc_encode_options *taken)
{
	const xc_status s = XC_BEGIN_RESULT(c, out);
	return s ? s : xc_encode_take_options(c, options, metadata, taken);
}

xc_status xc_encode_picture(xc_context *c, const xc_picture *picture, const xc_metadata *metadata,
                            const xc_encode_options *options, xc_coefficient_cache *cache,
                            xc_buffer *out)
{
	const xc_pixels pixels = xc_pixels_of(picture);
	xc_encode_options o = *options;
	int done = 0;
	xc_status s = xc_metadata_check_depth(c, metadata, picture->depth);

	if (!s)
		s = xc_encode_choose_mode(c, &pixels, &o);
	if (s)
		return s;
	if (c->device.backend && !xc_encode_is_own_choice(options, &o))
		s = c->device.backend->encode(c, picture, metadata, &o, out, &done);
	return done ? s : encode_by_cpu(c, &pixels, metadata, &o, cache, out);
}

xc_status xc_encode(xc_context *c, const xc_picture *picture, const xc_metadata *metadata,
                    const xc_encode_options *options, xc_buffer *out)
{
	XC_DEFAULT_FLOATS;
	xc_encode_options o;
	xc_status s = begin(c, metadata, options, out, &o);

	if (!s)
		s = xc_picture_check_data(c, picture);
	return s ? s : xc_encode_picture(c, picture, metadata, &o, NULL, out);
}

xc_status xc_encode_pixels(xc_context *c, const xc_pixels *pixels, const xc_metadata *metadata,
                           const xc_encode_options *options, xc_buffer *out)
{
	XC_DEFAULT_FLOATS;
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
	if (!s)
		s = xc_metadata_check_depth(c, metadata, pixels->depth);
	if (!s)
		s = xc_encode_choose_mode(c, pixels, &o);
	return s ? s : encode_by_cpu(c, pixels, metadata, &o, NULL, out);
}
