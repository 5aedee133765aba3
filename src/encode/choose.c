/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the coding of a picture with fine steps. The built-in frequencies of rANS are those of
 * photographs with larger steps, and every code makes noise larger than its samples. So
 * src/encode/encode.c calls this once the first piece is coded. The piece is then also encoded in
 * Huffman codes made for it, and the smallest of both and of its samples is taken for the whole
 * picture. Threads and the way in which rows come do not change the choice. */
#include "src/encode/encoder.h"

/* Bytes of a segment in the index, of a table of steps that is stored, and of what is the same in
 * all files. */
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

/* Bytes that the samples of its components take, with their steps. */
static uint64_t bytes_of_samples(const xc_encoder *e, const xc_pixels *piece)
{
	const xc_geometry *g = &e->plan.geometry;
	const uint64_t h = (uint64_t)g->h, v = (uint64_t)g->v;
	const uint64_t chroma = (piece->width + h - 1) / h * ((piece->height + v - 1) / v);
	const uint64_t n = (uint64_t)piece->width * piece->height +
	                   (g->components > 1 ? 2 * chroma : 0);

	return n * e->rows.depth / 8 + (g->components > 1 ? 2 : 1) * STEPS;
}

/* Bytes of the segments of colour that have been made, and of what belongs to them. */
static uint64_t bytes_of_segments(const xc_encoder *e)
{
	const uint64_t n = xc_encode_piece_tiles(e) < e->count ? xc_encode_piece_tiles(e) : e->count;
	uint64_t sum = e->frequency_bytes + INDEX_ENTRY * n;

	for (uint64_t i = 0; i < n; i++)
		sum += xc_encode_segments_of(e, i)->size;
	return sum;
}

/* How many bytes the piece takes in Huffman codes made for it. */
static xc_status try_huffman(const xc_encoder *e, const xc_pixels *piece, uint64_t *bytes)
{
	xc_context *c = e->context;
	xc_encode_options o = e->options;
	const xc_progress progress = c->progress;
	xc_buffer file = {0};

	o.entropy = XC_ENTROPY_HUFFMAN;
	o.huffman = XC_HUFFMAN_OPTIMIZED;
	c->progress = NULL;
	const xc_status s = xc_encode_once(c, piece, NULL, &o, &file);
	c->progress = progress;
	*bytes = file.size > HEADER ? file.size - HEADER : 0;
	xc_buffer_free(c, &file);
	return s;
}

/* Sets the encoder up to begin again. */
static xc_status begin_again(xc_encoder *e)
{
	xc_encode_release(e);
	e->next = 0;
	e->stored = 0;
	e->frequency_bytes = 0;
	e->forward.first = 0;
	return xc_encode_set_up(e);
}

xc_status xc_encode_choose(xc_encoder *e, int *again)
{
	const xc_pixels piece = first_piece(e);
	const uint64_t samples = bytes_of_samples(e, &piece);
	uint64_t own = e->counting ? 0 : bytes_of_segments(e), huffman = UINT64_MAX;
	xc_status s = XC_OK;

	e->fine = 0;
	/* With codes that are still to be made only tokens are known. With fewer than seven for ten
	 * samples the others are zero, and all of them take less than samples do. */
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
