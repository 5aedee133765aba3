/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses a file chunk by chunk and checks everything but the segments. Each number is checked
 * before memory depends on it. */
#include "src/container/parser.h"

#include <stddef.h>
#include <string.h>

#include "quant/tables.h"
#include "src/core/crc32c.h"

xc_status xc_fail_truncated(xc_file_parser *p, const char *where)
{
	return xc_fail(p->context, XC_ERR_TRUNCATED, "the file ends too early (in %s, at byte %llu)",
	               where, (unsigned long long)p->size);
}

xc_status xc_fail_corrupt(xc_file_parser *p, const char *what)
{
	return xc_fail(p->context, XC_ERR_CORRUPT, "%s (at byte %llu)", what, XC_OFFSET(p));
}

xc_status xc_fail_damaged_chunk(xc_file_parser *p, const char *type)
{
	return xc_fail(p->context, XC_ERR_CORRUPT, "damaged %s chunk (at byte %llu)", type,
	               XC_OFFSET(p));
}

xc_status xc_fail_unknown_chunk(xc_file_parser *p, const char *type)
{
	return xc_fail(p->context, XC_ERR_UNSUPPORTED,
	               "chunk %s (at byte %llu) is not known: " XC_NEWER, type, XC_OFFSET(p));
}

static int is_type(const uint8_t *p)
{
	for (int i = 0; i < 4; i++)
		if (!((p[i] >= 'A' && p[i] <= 'Z') || (p[i] >= 'a' && p[i] <= 'z')))
			return 0;
	return 1;
}

size_t xc_chunk_take_apart(const uint8_t *at, size_t size, xc_chunk *c)
{
	*c = (xc_chunk){.start = at};
	memcpy(c->type, at, 4);
	for (size_t n = 4; n < size && n < 4 + XC_LENGTH_BYTES; n++) {
		c->length |= (uint64_t)(at[n] & 127) << 7 * (n - 4);
		if (at[n] < 128) {
			c->payload = at + n + 1;
			c->whole = n + 1 + c->length + 4;
			return n + 1;
		}
	}
	return 0;
}

xc_status xc_chunk_begin(xc_file_parser *p, const uint8_t *at, uint64_t left, xc_chunk *c)
{
	if (left < 5)
		return xc_fail_truncated(p, "the header of a chunk");
	if (!is_type(at))
		return xc_fail_corrupt(p, "damaged chunk type");
	const size_t max = 4 + XC_LENGTH_BYTES;
	if (xc_chunk_take_apart(at, left < max ? (size_t)left : max, c))
		return XC_OK;
	return left < max ? xc_fail_truncated(p, "the length of a chunk")
	                  : xc_fail_corrupt(p, "damaged chunk length");
}

xc_status xc_chunk_check(xc_file_parser *p, const xc_chunk *c)
{
	const size_t n = (size_t)(c->payload - c->start + (ptrdiff_t)c->length);

	return xc_get_u32(c->start + n) == xc_crc32c(0, c->start, n)
	           ? XC_OK
	           : xc_fail_damaged_chunk(p, c->type);
}

/* Reads the head of the chunk at offset and, unless it is DATA, checks its CRC. */
static xc_status next_chunk(xc_file_parser *p, xc_chunk *c)
{
	const uint8_t *at = p->file + p->offset;
	const uint64_t left = p->size - p->offset;
	const xc_status s = xc_chunk_begin(p, at, left, c);

	if (s)
		return s;
	const uint64_t after = left - (uint64_t)(c->payload - at);
	const int whole = c->length <= after && after - c->length >= 4;
	const int data = !memcmp(c->type, "DATA", 4);
	c->available = c->length <= after ? c->length : after;
	if (!whole && !(data && p->truncated))
		return xc_fail_truncated(p, c->type);
	return data ? XC_OK : xc_chunk_check(p, c);
}

static xc_status read_head(xc_file_parser *p, const xc_chunk *c)
{
	xc_header *h = &p->out->header;
	const uint8_t *b = c->payload;

	*h = (xc_header){
		.width = xc_get_u32(b),
		.height = xc_get_u32(b + 4),
		.channels = b[8],
		.depth = b[9],
		.subsampling = (xc_subsampling)b[10],
		.transform = (xc_transform)b[11],
		.entropy = b[12],
		.quality = b[13],
		.tile_mcus_wide = xc_get_u16(b + 14),
		.tile_mcus_high = xc_get_u16(b + 16),
	};
	/* Values of later releases, which may change what the others mean. */
	if (h->channels < 1 || h->channels > 4 || (h->depth != 8 && h->depth != 16) ||
	    b[10] > XC_SUBSAMPLING_GREY)
		return xc_fail(p->context, XC_ERR_UNSUPPORTED,
		               "%u channels of %u bits with subsampling %u are not known: " XC_NEWER, b[8],
		               b[9], b[10]);
	if (b[11] > XC_TRANSFORM_NONE || b[12] > XC_ENTROPY_EXACT ||
	    (b[11] == XC_TRANSFORM_NONE) != (b[12] >= XC_ENTROPY_SAMPLES))
		return xc_fail(p->context, XC_ERR_UNSUPPORTED,
		               "transform %u with entropy coding %u is not known: " XC_NEWER, b[11], b[12]);
	if (!h->width || !h->height || h->width > INT32_MAX || h->height > INT32_MAX)
		return xc_fail_corrupt(p, "impossible picture size");
	const int lossless = xc_header_is_lossless(h);
	if (h->quality < 1 || h->quality > 100 ||
	    (h->channels < 3) != (h->subsampling == XC_SUBSAMPLING_GREY) ||
	    (lossless && h->channels > 2 && h->subsampling != XC_SUBSAMPLING_444))
		return xc_fail_corrupt(p, "HEAD contradicts itself");
	if ((uint64_t)h->width * h->height > p->context->limits.max_pixels)
		return xc_fail(p->context, XC_ERR_LIMIT, "%ux%u is more than the limit of %llu pixels",
		               h->width, h->height, (unsigned long long)p->context->limits.max_pixels);
	xc_geometry_init(&p->out->geometry, h->width, h->height, h->subsampling);
	p->out->layers = h->channels % 2 || lossless ? 1 : 2;
	if (!(lossless ? xc_geometry_set_lossless_tiles : xc_geometry_set_tiles)(&p->out->geometry,
	                                                                         h->tile_mcus_wide,
	                                                                         h->tile_mcus_high))
		return xc_fail_corrupt(p, "impossible tile size");
	if (p->out->layers > 1 && !xc_geometry_fits_alpha(&p->out->geometry))
		return xc_fail_corrupt(p, "impossible tile size");
	return XC_OK;
}

xc_status xc_check_expansion(xc_context *c, int lossless, uint64_t pixels, uint64_t bytes)
{
	const uint64_t most = UINT64_MAX / XC_LOSSLESS_EXPANSION, given = c->limits.max_expansion;
	const uint64_t max = !lossless      ? given
	                     : given < most ? given * XC_LOSSLESS_EXPANSION
	                                    : UINT64_MAX;

	if (!max || pixels <= XC_ANY_FILE_PIXELS || (pixels - 1) / max < bytes)
		return XC_OK;
	return xc_fail(c, XC_ERR_LIMIT, "more than %llu pixels for each byte of the file, the limit",
	               (unsigned long long)max);
}

static xc_status read_quant(xc_file_parser *p, const xc_chunk *c)
{
	xc_container *out = p->out;
	const xc_header *h = &out->header;
	const uint8_t *b = c->payload, *end = b + c->length;
	uint32_t steps[2][64];
	const uint32_t peak = h->depth == 16 ? 65535 : 255;
	const int tables = out->geometry.components == 1 ? 1 : 2;

	if (b == end)
		return xc_fail_corrupt(p, "QNTZ has a wrong length");
	const int preset = *b++;
	if (preset == XC_QUANT_ANNEX_K || preset == XC_QUANT_FLAT) {
		xc_quant_tables base;
		(preset == XC_QUANT_FLAT ? xc_quant_tables_flat : xc_quant_tables_annex_k)(&base);
		xc_quant_scale(base.luma, h->quality, peak, steps[0]);
		xc_quant_scale(base.chroma, h->quality, peak, steps[1]);
	} else if (preset == XC_QUANT_SLOPED) {
		xc_quant_tables base;
		if (end - b < 2)
			return xc_fail_corrupt(p, "QNTZ has a wrong length");
		xc_quant_tables_sloped(&base);
		xc_quant_scale_by(base.luma, xc_get_u16(b), peak, steps[0]);
		xc_quant_scale_by(base.chroma, xc_get_u16(b), peak, steps[1]);
		b += 2;
	} else if (preset == XC_QUANT_CURVE) {
		for (int t = 0; t < tables; t++, b += 7) {
			if (end - b < 7)
				return xc_fail_corrupt(p, "QNTZ has a wrong length");
			const xc_quant_curve curve = {xc_get_u16(b), {b[2], b[3], b[4]}, b[5], (int8_t)b[6]};
			xc_quant_curve_steps(&curve, peak, steps[t]);
		}
	} else if (preset == XC_QUANT_STORED) {
		for (int t = 0; t < tables; t++) {
			const int wide = b < end ? *b++ : 0;
			if (wide < 1 || wide > 2 || end - b < 64 * wide)
				return xc_fail_corrupt(p, "damaged quantization table");
			for (int i = 0; i < 64; i++, b += wide) {
				steps[t][i] = wide == 1 ? *b : xc_get_u16(b);
				if (!steps[t][i])
					return xc_fail_corrupt(p, "a quantization step is zero");
			}
		}
	} else {
		return xc_fail(p->context, XC_ERR_UNSUPPORTED,
		               "quantization preset %d is not known: " XC_NEWER, preset);
	}
	for (int t = 0; t < tables; t++) {
		const unsigned both = b < end ? *b++ : 0;
		if (!(both & 15) || both < 16)
			return xc_fail_corrupt(p, "damaged points of reconstruction");
		out->points[t] = (xc_value_points){(int8_t)((both & 15) - 8), (int8_t)((both >> 4) - 8)};
	}
	if (b != end)
		return xc_fail_corrupt(p, "QNTZ has a wrong length");
	for (int i = 0; i < 64 * tables && h->transform == XC_TRANSFORM_NONE; i++)
		if (steps[i / 64][i % 64] != 1)
			return xc_fail_corrupt(p, "samples that are stored have steps");
	for (int i = 0; i < XC_MAX_COMPONENTS; i++)
		memcpy(out->quant[i], steps[i && tables == 2 ? 1 : 0], sizeof steps[0]);
	return XC_OK;
}

static xc_status read_colours(xc_file_parser *p, const xc_chunk *c)
{
	xc_container *out = p->out;

	if (c->length != 18)
		return xc_fail_corrupt(p, "COLR has a wrong length");
	if (out->header.subsampling != XC_SUBSAMPLING_444)
		return xc_fail_corrupt(p, "COLR is for 4:4:4 alone");
	for (int i = 0; i < 9; i++)
		out->colours[i] = (int16_t)xc_get_u16(c->payload + 2 * i);
	out->has_colours = 1;
	return XC_OK;
}

static xc_status read_palette(xc_file_parser *p, const xc_chunk *c)
{
	xc_container *out = p->out;
	const xc_header *h = &out->header;
	const uint32_t bytes = h->channels % 2 ? 3 : 4;

	if (h->depth != 8)
		return xc_fail_corrupt(p, "PLTE is for samples of 8 bits alone");
	if (c->length < 1 + bytes || c->length > 1 + 256 * bytes || (c->length - 1) % bytes)
		return xc_fail_corrupt(p, "PLTE has a wrong length");
	if (c->payload[0] > 8 || c->payload[0] & (c->payload[0] - 1)) /* not 0, 1, 2, 4 or 8 */
		return xc_fail_corrupt(p, "PLTE has an impossible depth");
	out->palette_bits = c->payload[0];
	out->palette_count = (uint32_t)(c->length - 1) / bytes;
	for (uint32_t i = 0; i < out->palette_count; i++) {
		uint8_t *colour = out->palette[i];
		colour[3] = 255;
		memcpy(colour, c->payload + 1 + (size_t)i * bytes, bytes);
		if (h->channels < 3 && (colour[0] != colour[1] || colour[0] != colour[2]))
			return xc_fail_corrupt(p, "PLTE has colours in a grey picture");
	}
	return XC_OK;
}

enum { MOST_ERROR = 4095 };

static xc_status read_max_error(xc_file_parser *p, const xc_chunk *c)
{
	if (c->length != 2)
		return xc_fail_corrupt(p, "NEAR has a wrong length");
	p->out->max_error = xc_get_u16(c->payload);
	if (p->out->max_error < 1 || p->out->max_error > MOST_ERROR)
		return xc_fail_corrupt(p, "NEAR has an impossible error");
	return XC_OK;
}

/* A chunk of lossless files alone. */
static xc_status read_exact(xc_file_parser *p, const xc_chunk *c, unsigned chunk)
{
	/* Indices that are near are other colours. */
	if ((p->seen & (XC_SEEN_PLTE | XC_SEEN_NEAR)) == (XC_SEEN_PLTE | XC_SEEN_NEAR))
		return xc_fail_corrupt(p, "there are both PLTE and NEAR");
	return chunk == XC_SEEN_PLTE ? read_palette(p, c) : read_max_error(p, c);
}

static int stores_codes(const xc_container *c)
{
	return c->header.entropy == XC_ENTROPY_HUFFMAN_STORED ||
	       c->header.entropy == XC_ENTROPY_HUFFMAN_CONTEXTS;
}

/* Reads a DC and an AC code. Returns their bytes, 0 if they are not codes. */
static size_t read_single(xc_code_set *set, const uint8_t *in, size_t size)
{
	const size_t dc = xc_huffman_read(&set->dc, XC_DC_SYMBOLS, in, size);
	const size_t ac = dc ? xc_huffman_read(&set->ac[0], XC_AC_SYMBOLS, in + dc, size - dc) : 0;

	set->ac_codes = 1;
	memset(set->ac_code, 0, sizeof set->ac_code);
	return ac ? dc + ac : 0;
}

static xc_status read_codes(xc_file_parser *p, const xc_chunk *c)
{
	const uint8_t *b = c->payload;
	size_t left = (size_t)c->length;

	if (!stores_codes(p->out))
		return xc_fail_corrupt(p, "there is a HUFF chunk that nothing uses");
	const int classes = p->out->geometry.components == 1 ? 1 : 2;
	for (int i = 0; i < classes; i++) {
		const size_t n = p->out->header.entropy == XC_ENTROPY_HUFFMAN_CONTEXTS
		                     ? xc_code_set_read(&p->out->codes[i], xc_default_codes(p->context)[i],
		                                        b, left)
		                     : read_single(&p->out->codes[i], b, left);
		if (!n)
			return xc_fail_corrupt(p, "damaged Huffman table");
		b += n;
		left -= n;
	}
	if (left)
		return xc_fail_corrupt(p, "HUFF has a wrong length");
	return XC_OK;
}

static xc_status read_frequencies(xc_file_parser *p, const xc_chunk *c)
{
	xc_container *out = p->out;

	if (out->header.entropy != XC_ENTROPY_RANS_STORED)
		return xc_fail_corrupt(p, "there is a RANS chunk without its coding");
	if (!xc_rans_load(c->payload, (size_t)c->length, out->geometry.components == 1 ? 1 : 2,
	                  &out->frequencies))
		return xc_fail_corrupt(p, "damaged frequencies");
	return XC_OK;
}

/* --------------------------------------------------------------- pieces */

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
	/* Each piece has at least one tile row. One more stands for the missing segments. */
	const uint64_t max = (uint64_t)out->geometry.tiles_high + 1;
	const uint64_t room = 2 * p->room + 2 < max ? 2 * p->room + 2 : max;
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

static xc_status read_index(xc_file_parser *p, const xc_chunk *c)
{
	const xc_geometry *g = &p->out->geometry;
	const uint32_t bytes = c->length ? c->payload[0] : 0;
	const uint64_t wide = (uint64_t)g->tiles_wide * p->out->layers;
	const uint64_t left = xc_geometry_tiles(g) * p->out->layers - p->indexed;
	const uint64_t n = bytes < 2 || bytes > 4 ? 0 : (c->length - 1) / (bytes + 2);

	if (!n || (c->length - 1) % (bytes + 2) || n > left || (n % wide && n != left))
		return xc_fail(p->context, XC_ERR_CORRUPT, "the index does not fit the picture");
	if (p->indices > p->out->piece_count)
		return xc_fail_corrupt(p, "an INDX chunk after INDX");
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

	/* The common case; compilers vectorize this loop. */
	for (uint64_t i = 0; piece->size_bytes == 2 && i < piece->segments; i++)
		sum += e[4 * i] | (uint32_t)e[4 * i + 1] << 8;
	for (uint64_t i = 0; piece->size_bytes > 2 && i < piece->segments; i++)
		sum += xc_index_next(&r, &check);
	return sum;
}

static xc_status read_data(xc_file_parser *p, const xc_chunk *c)
{
	xc_container *out = p->out;

	if (out->piece_count == p->indices)
		return xc_fail_corrupt(p, "there is no INDX chunk before DATA");
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
	out->data_available = piece->start + c->available;
	out->data_checked = piece->checked;
	return XC_OK;
}

/* ---------------------------------------------------------------- chunks */

static const char tables[][5] = {"HEAD", "QNTZ", "COLR", "HUFF", "RANS", "PLTE", "NEAR"};
enum { TABLES = sizeof tables / sizeof *tables };

/* Critical chunks of files that have a HEAD or a JPEG, which is to be first. */
static int is_known(const char *type)
{
	static const char others[][5] = {"INDX", "DATA", "DONE", "BYTE", "PICT"};

	for (int i = 0; i < TABLES; i++)
		if (!memcmp(type, tables[i], 4))
			return 1;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (!memcmp(type, others[i], 4))
			return 1;
	return 0;
}

static xc_status read_table(xc_file_parser *p, const xc_chunk *c, unsigned chunk)
{
	if (p->seen & chunk)
		return xc_fail(p->context, XC_ERR_CORRUPT, "a second %s chunk (at byte %llu)", c->type,
		               XC_OFFSET(p));
	if (xc_header_is_lossless(&p->out->header) != (chunk >= XC_SEEN_PLTE))
		return xc_fail(p->context, XC_ERR_CORRUPT,
		               "there is a %s chunk that nothing uses (at byte %llu)", c->type,
		               XC_OFFSET(p));
	/* A reader of segments in their order has decoded some of them already. */
	if (p->out->piece_count)
		return xc_fail(p->context, XC_ERR_CORRUPT, "%s comes after segments (at byte %llu)",
		               c->type, XC_OFFSET(p));
	p->seen |= chunk;
	p->out->table_bytes += c->whole;
	return chunk >= XC_SEEN_PLTE   ? read_exact(p, c, chunk)
	       : chunk == XC_SEEN_QNTZ ? read_quant(p, c)
	       : chunk == XC_SEEN_COLR ? read_colours(p, c)
	       : chunk == XC_SEEN_HUFF ? read_codes(p, c)
	                               : read_frequencies(p, c);
}

static xc_status read_metadata(xc_file_parser *p, const xc_chunk *c)
{
	xc_metadata *m = &p->out->metadata;
	const int depth16 = p->out->header.depth == 16;
	const uint16_t range = m->range;
	const xc_status s = xc_metadata_take(p->context, c->type, c->payload, c->length, m);

	/* Rows that it would limit may have been returned already. */
	if (!depth16 || p->out->piece_count)
		m->range = range;
	if (m->maxval < (depth16 ? 256 : 1) || m->maxval > (depth16 ? 65534 : 254))
		m->maxval = 0;
	p->out->metadata_bytes += c->whole;
	return s;
}

xc_status xc_parse_chunk(xc_file_parser *p, const xc_chunk *c)
{
	xc_container *out = p->out;

	if (c->type[0] >= 'a')
		return read_metadata(p, c);
	for (unsigned i = 0; i < TABLES; i++)
		if (!memcmp(c->type, tables[i], 4))
			return read_table(p, c, 1u << i);
	if (!memcmp(c->type, "INDX", 4)) {
		out->index_bytes += c->whole;
		return read_index(p, c);
	}
	if (!memcmp(c->type, "DATA", 4)) {
		out->segment_bytes += c->whole;
		return read_data(p, c);
	}
	if (!memcmp(c->type, "DONE", 4)) {
		p->seen |= XC_SEEN_DONE;
		out->header_bytes += c->whole;
		return c->length ? xc_fail_corrupt(p, "DONE has a wrong length") : XC_OK;
	}
	return xc_fail_unknown_chunk(p, c->type);
}

xc_status xc_parse_magic(xc_file_parser *p, const uint8_t *file, uint64_t size)
{
	static const uint8_t magic[7] = {0x8f, 'X', 'C', '\r', '\n', 0x1a, '\n'};
	const size_t n = size < sizeof magic ? (size_t)size : sizeof magic;

	if (!n || memcmp(file, magic, n))
		return xc_fail(p->context, XC_ERR_FORMAT, "not an XC file");
	if (size < XC_MAGIC_BYTES)
		return xc_fail_truncated(p, "the magic number");
	if (file[7] != XC_FORMAT_VERSION)
		return xc_fail(p->context, XC_ERR_UNSUPPORTED, "format version %u is not known%s", file[7],
		               file[7] > XC_FORMAT_VERSION ? ": " XC_NEWER : "");
	p->offset = XC_MAGIC_BYTES;
	return XC_OK;
}

/* Checks that no chunk is missing that the segments need. */
static xc_status check_tables(xc_file_parser *p)
{
	const xc_container *out = p->out;
	const int quantized = !xc_header_is_lossless(&out->header);
	const char *missing = quantized && !(p->seen & XC_SEEN_QNTZ) ? "QNTZ"
	                      : !p->indices                          ? "INDX"
	                      : !out->piece_count                    ? "DATA"
	                      : out->header.entropy == XC_ENTROPY_RANS_STORED &&
	                              !(p->seen & XC_SEEN_RANS)
	                          ? "RANS"
	                      : stores_codes(out) && !(p->seen & XC_SEEN_HUFF) ? "HUFF"
	                                                                       : NULL;

	return missing ? xc_fail(p->context, XC_ERR_CORRUPT, "there is no %s chunk", missing) : XC_OK;
}

xc_status xc_parse_tables_end(xc_file_parser *p)
{
	xc_container *out = p->out;
	const xc_status s = check_tables(p);

	if (!s && out->header.entropy == XC_ENTROPY_HUFFMAN_DEFAULT)
		for (int i = 0; i < 2; i++)
			xc_code_set_single(&out->codes[i], &xc_default_codes(p->context)[i][0],
			                   &xc_default_codes(p->context)[i][1]);
	return s;
}

/* Adds a piece for the last `n` segments, which a truncated file does not have. */
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

/* A Huffman-coded block takes at least two bits, a rANS segment at least one state and a lossless
 * one a byte, so a short file cannot claim a huge picture. */
static uint64_t min_data(const xc_container *out)
{
	return xc_header_is_lossless(&out->header) ? out->segments
	       : xc_header_has_rans(&out->header)  ? 4 * out->segments
	                                           : (xc_geometry_blocks(&out->geometry) + 3) / 4;
}

xc_status xc_check_pieces(xc_file_parser *p)
{
	xc_container *out = p->out;
	uint64_t available = p->one_piece ? p->indexed : 0;

	/* The last INDX of a truncated file may have no DATA: its segments are missing. */
	if (p->one_piece && p->indices > out->piece_count)
		available -= out->pieces[0].segments;
	out->segments = xc_geometry_tiles(&out->geometry);
	for (uint64_t i = 0; !p->one_piece && i < out->piece_count; i++)
		available += out->pieces[i].segments;
	const uint64_t wanted = out->segments * out->layers;
	if (available == wanted)
		return out->data_size >= min_data(out)
		           ? XC_OK
		           : xc_fail_corrupt(p, "too little data for the size of the picture");
	if (p->seen & XC_SEEN_DONE)
		return xc_fail(p->context, XC_ERR_CORRUPT, "the index does not fit the picture");
	/* A few bytes must not become a huge picture: this limit is 1/8192 of a bit a pixel. */
	enum { MAX_PIXELS_A_BYTE = 1 << 16 };
	if ((uint64_t)out->header.width * out->header.height / MAX_PIXELS_A_BYTE > out->data_available)
		return xc_fail_truncated(p, "the first segments");
	return p->one_piece ? XC_OK : add_missing(p, wanted - available);
}

/* 1: the file may end here: it may be truncated, and its first segments have been read. */
static int may_end(const xc_file_parser *p)
{
	return p->truncated && p->out->piece_count;
}

xc_status xc_parse_start(xc_file_parser *p, const uint8_t *start, size_t size)
{
	xc_chunk c;
	xc_status s = xc_parse_magic(p, start, size);

	if (!s)
		s = xc_chunk_begin(p, start + XC_MAGIC_BYTES, size - XC_MAGIC_BYTES, &c);
	if (s)
		return s;
	if (!memcmp(c.type, "ARRY", 4))
		return xc_fail(p->context, XC_ERR_UNSUPPORTED, "the file holds an array, not a picture");
	/* Where it can be shown src/decode/ and src/cuda/ do so themselves. */
	if (!memcmp(c.type, "JPEG", 4))
		return xc_fail(p->context, XC_ERR_UNSUPPORTED,
		               "the file holds a JPEG as it was, not pixels");
	if (memcmp(c.type, "HEAD", 4) && (is_known(c.type) || c.type[0] >= 'a'))
		return xc_fail_corrupt(p, "the first chunk is not HEAD");
	if (memcmp(c.type, "HEAD", 4)) {
		/* HEAD with a damaged type is no file of a newer release, which a chunk too long to be here may be. */
		s = c.whole > size - XC_MAGIC_BYTES ? XC_OK : xc_chunk_check(p, &c);
		return s ? s : xc_fail_unknown_chunk(p, c.type);
	}
	if (!xc_head_has(&c, XC_HEAD_BYTES))
		return xc_fail_corrupt(p, "HEAD has a wrong length");
	if (c.whole > size - XC_MAGIC_BYTES)
		return xc_fail_truncated(p, c.type);
	s = xc_chunk_check(p, &c);
	if (!s)
		s = read_head(p, &c);
	if (s)
		return s;
	p->seen = XC_SEEN_HEAD;
	p->out->header_bytes = XC_MAGIC_BYTES + c.whole;
	p->offset += c.whole;
	return XC_OK;
}

/* Bytes after the end are an error unless damage is accepted. */
static xc_status check_rest(xc_file_parser *p, uint64_t end)
{
	p->out->extra_bytes = p->size - end;
	if (p->size == end || p->truncated)
		return XC_OK;
	return xc_fail(p->context, XC_ERR_CORRUPT, XC_TOO_MANY_BYTES,
	               (unsigned long long)p->out->extra_bytes, xc_s(p->out->extra_bytes));
}

static xc_status read_all(xc_file_parser *p)
{
	xc_chunk c = {.whole = 0};
	xc_status s = xc_parse_start(p, p->file, (size_t)p->size);

	while (!s && !(p->seen & XC_SEEN_DONE)) {
		p->offset += c.whole;
		if (may_end(p) && p->offset >= p->size)
			break;
		s = next_chunk(p, &c);
		if (s == XC_ERR_TRUNCATED && may_end(p)) {
			p->out->header_bytes += p->size - p->offset;
			p->context->message[0] = '\0';
			s = XC_OK;
			break;
		}
		if (!s)
			s = xc_parse_chunk(p, &c);
		if (!s && p->out->piece_count && !p->out->data_checked)
			break;
	}
	if (!s && p->seen & XC_SEEN_DONE)
		s = check_rest(p, p->offset + c.whole);
	if (!s)
		s = xc_parse_tables_end(p);
	return s ? s : xc_check_pieces(p);
}

xc_status xc_header_check_picture(xc_context *c, const xc_header *h, const xc_picture *p)
{
	if (p->width == h->width && p->height == h->height && p->channels == h->channels &&
	    p->depth == h->depth)
		return XC_OK;
	return xc_fail(c, XC_ERR_ARGUMENT,
	               "the file has %ux%u pixels, %u channel%s of %u bits, not what was given",
	               h->width, h->height, h->channels, xc_s(h->channels), h->depth);
}

_Static_assert(4 * sizeof(xc_huffman_code) == XC_CODES_WORDS * sizeof(uint32_t),
               "the room that a context has for the codes");

const xc_huffman_code (*xc_default_codes(xc_context *c))[2]
{
	xc_huffman_code *codes = (void *)c->codes;

	for (int i = 0; i < 4 && !c->has_codes; i++)
		xc_huffman_default(&codes[i], i % 2, i / 2);
	c->has_codes = 1;
	return (const xc_huffman_code(*)[2])codes;
}

xc_status xc_container_read(xc_context *context, const void *file, size_t size, int truncated,
                            xc_container *out)
{
	xc_file_parser p = {.context = context,
	                    .file = file,
	                    .size = size,
	                    .truncated = truncated,
	                    .out = out};

	memset(out, 0, offsetof(xc_container, codes));
	return read_all(&p);
}

void xc_container_close(xc_context *context, xc_container *container)
{
	xc_release(context, container->pieces);
	xc_release(context, container->owned);
	xc_release(context, container->listed);
	container->pieces = NULL;
	container->owned = NULL;
	container->listed = NULL;
}
