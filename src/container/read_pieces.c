/* SPDX-License-Identifier: BSD-2-Clause */
/* The pieces of a file that is being taken apart. */
#include <string.h>

#include "src/container/parser.h"

/* Piece number n, the next one.  NULL: p->failed says why. */
static xc_piece *take_piece(xc_file_parser *p, uint64_t n)
{
	xc_container *out = p->out;
	if (n && p->one_piece) {
		out->pieces[0] = (xc_piece){.size = 0};
		return &out->pieces[0];
	}
	if (n < p->room)
		return &out->pieces[n];
	/* Each has a row of tiles at least; one more stands for those that the file does not have. */
	const uint64_t most = (uint64_t)out->geometry.tiles_high + 1;
	const uint64_t room = 2 * p->room + 2 < most ? 2 * p->room + 2 : most;
	xc_piece *larger = xc_allocate_zeroed(p->context, (size_t)room * sizeof *larger);
	if (!larger) {
		p->failed = xc_fail_memory(p->context, (size_t)room * sizeof *larger);
		return NULL;
	}
	if (p->room)
		memcpy(larger, out->pieces, (size_t)p->room * sizeof *larger);
	xc_release(p->context, out->pieces);
	out->pieces = larger;
	p->room = room;
	return &larger[n];
}

xc_status xc_parse_index(xc_file_parser *p, const xc_chunk *c)
{
	const xc_geometry *g = &p->out->geometry;
	const uint32_t bytes = c->length ? c->payload[0] : 0;
	const uint64_t wide = (uint64_t)g->tiles_wide * p->out->layers;
	const uint64_t left = xc_geometry_tiles(g) * p->out->layers - p->indexed;
	const uint64_t n = bytes < 2 || bytes > 4 ? 0 : (c->length - 1) / (bytes + 2);
	if (!n || (c->length - 1) % (bytes + 2) || n > left || (n % wide && n != left))
		return xc_fail(p->context, XC_ERR_CORRUPT, "the index does not fit the picture");
	if (p->indices > p->out->piece_count)
		return xc_fail(p->context, XC_ERR_CORRUPT, "an INDX chunk after INDX (at byte %llu)",
		               XC_OFFSET(p));
	xc_piece *piece = take_piece(p, p->indices++);
	if (!piece)
		return p->failed;
	piece->entries = c->payload + 1;
	piece->size_bytes = bytes;
	piece->segments = n;
	p->indexed += n;
	return XC_OK;
}

static uint64_t sum_of_alpha(const xc_piece *piece)
{
	xc_index_reader r = xc_index_begin(piece);
	uint64_t sum = 0;
	uint16_t check;
	for (uint64_t i = 0; i < piece->segments; i += 2) {
		xc_index_next(&r, &check);
		sum += xc_index_next(&r, &check);
	}
	return sum;
}

static uint64_t sum_of_sizes(const xc_piece *piece)
{
	const uint8_t *e = piece->entries;
	xc_index_reader r = xc_index_begin(piece);
	uint64_t sum = 0;
	uint16_t check;
	/* The common case, which vectors can do. */
	for (uint64_t i = 0; piece->size_bytes == 2 && i < piece->segments; i++)
		sum += e[4 * i] | (uint32_t)e[4 * i + 1] << 8;
	for (uint64_t i = 0; piece->size_bytes > 2 && i < piece->segments; i++)
		sum += xc_index_next(&r, &check);
	return sum;
}

xc_status xc_parse_data(xc_file_parser *p, const xc_chunk *c)
{
	xc_container *out = p->out;
	if (out->piece_count == p->indices)
		return xc_fail(p->context, XC_ERR_CORRUPT,
		               "there is no INDX chunk before DATA (at byte %llu)", XC_OFFSET(p));
	xc_piece *piece = &out->pieces[p->one_piece ? 0 : out->piece_count];
	piece->size = sum_of_sizes(piece);
	if (piece->size != c->length)
		return xc_fail(p->context, XC_ERR_CORRUPT, "the index does not fit the segments");
	if (out->layers > 1) {
		const uint64_t alpha = sum_of_alpha(piece);
		out->alpha_bytes += alpha;
		out->segment_bytes -= alpha;
	}
	out->data_size += c->length;
	if (!out->piece_count++)
		out->data = c->payload;
	if (p->one_piece)
		return XC_OK;
	piece->start = (uint64_t)(c->payload - out->data);
	piece->head = c->start;
	piece->checked = c->whole <= p->size - p->offset;
	if (piece->checked)
		piece->check = xc_get_u32(c->payload + c->length);
	out->data_there = piece->start + c->there;
	out->data_checked = piece->checked;
	return XC_OK;
}

/* Stands for the last `n` segments, of which a truncated file has nothing. */
static xc_status add_missing(xc_file_parser *p, uint64_t n)
{
	xc_container *out = p->out;
	xc_piece *piece = take_piece(p, out->piece_count);
	if (!piece)
		return p->failed;
	*piece = (xc_piece){.segments = n, .start = UINT64_MAX / 2};
	out->piece_count++;
	out->data_checked = 0;
	return XC_OK;
}

/* A Huffman-coded block takes at least two bits and a segment of rANS a state, so a short file cannot
 * claim a huge picture. */
static uint64_t least_data(const xc_container *out)
{
	return xc_header_has_rans(&out->header) ? 4 * out->segments
	                                        : xc_geometry_blocks(&out->geometry) / 4;
}

xc_status xc_check_pieces(xc_file_parser *p)
{
	xc_container *out = p->out;
	uint64_t there = p->one_piece ? p->indexed : 0;
	/* The last INDX of a truncated file may have no DATA: its segments are missing. */
	if (p->one_piece && p->indices > out->piece_count)
		there -= out->pieces[0].segments;
	out->segments = xc_geometry_tiles(&out->geometry);
	for (uint64_t i = 0; !p->one_piece && i < out->piece_count; i++)
		there += out->pieces[i].segments;
	const uint64_t wanted = out->segments * out->layers;
	if (there == wanted)
		return out->data_size >= least_data(out)
		           ? XC_OK
		           : xc_fail_corrupt(p, "too little data for the size of the picture");
	if (p->seen_done)
		return xc_fail(p->context, XC_ERR_CORRUPT, "the index does not fit the picture");
	/* A few bytes must not become a huge picture: that would be less than 1/8192 of a bit a pixel. */
	enum { MOST_PIXELS_A_BYTE = 1 << 16 };
	if ((uint64_t)out->header.width * out->header.height / MOST_PIXELS_A_BYTE > out->data_there)
		return xc_fail_truncated(p, "the first segments");
	return p->one_piece ? XC_OK : add_missing(p, wanted - there);
}
