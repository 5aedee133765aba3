/* SPDX-License-Identifier: BSD-2-Clause */
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

static int is_type(const uint8_t *p)
{
	for (int i = 0; i < 4; i++)
		if (!((p[i] >= 'A' && p[i] <= 'Z') || (p[i] >= 'a' && p[i] <= 'z')))
			return 0;
	return 1;
}

/* Takes the chunk at offset apart and, unless it is DATA, checks its CRC. */
static xc_status next_chunk(xc_file_parser *p, xc_chunk *c)
{
	const uint8_t *at = p->file + p->offset;
	const uint64_t left = p->size - p->offset;
	if (left < 5)
		return xc_fail_truncated(p, "the header of a chunk");
	if (!is_type(at))
		return xc_fail_corrupt(p, "damaged chunk type");
	*c = (xc_chunk){.start = at};
	memcpy(c->type, at, 4);
	uint64_t n = 4;
	for (unsigned shift = 0;; shift += 7) {
		if (n == left)
			return xc_fail_truncated(p, "the length of a chunk");
		const uint8_t byte = at[n++];
		if (shift > 56)
			return xc_fail_corrupt(p, "damaged chunk length");
		c->length |= (uint64_t)(byte & 127) << shift;
		if (byte < 128)
			break;
	}
	c->payload = at + n;
	const int whole = c->length <= left - n && left - n - c->length >= 4;
	c->there = c->length <= left - n ? c->length : left - n;
	c->whole = n + c->length + 4;
	const int data = !memcmp(c->type, "DATA", 4);
	if (!whole && !(data && p->truncated))
		return xc_fail_truncated(p, c->type);
	if (!data && xc_get_u32(c->payload + c->length) != xc_crc32c(0, at, (size_t)(n + c->length)))
		return xc_fail(p->context, XC_ERR_CORRUPT, "damaged %s chunk (at byte %llu)", c->type,
		               XC_OFFSET(p));
	return XC_OK;
}

static xc_status read_head(xc_file_parser *p, const xc_chunk *c)
{
	xc_header *h = &p->out->header;
	const uint8_t *b = c->payload;
	if (c->length != XC_HEAD_BYTES)
		return xc_fail_corrupt(p, "HEAD has a wrong length");
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
	if (!h->width || !h->height || h->width > INT32_MAX || h->height > INT32_MAX)
		return xc_fail_corrupt(p, "impossible picture size");
	if (h->channels < 1 || h->channels > 4 || (h->depth != 8 && h->depth != 16) ||
	    b[10] > XC_SUBSAMPLING_GREY || h->quality < 1 || h->quality > 100 ||
	    (h->channels < 3) != (h->subsampling == XC_SUBSAMPLING_GREY))
		return xc_fail_corrupt(p, "HEAD contradicts itself");
	const int most_entropy = p->out->version > 1 ? XC_ENTROPY_RANS_STORED
	                                             : XC_ENTROPY_HUFFMAN_STORED;
	if (b[11] > XC_TRANSFORM_TDLT || b[12] > most_entropy)
		return xc_fail(p->context, XC_ERR_UNSUPPORTED,
		               "transform %u with entropy coding %u needs a newer version", b[11], b[12]);
	if ((uint64_t)h->width * h->height > p->context->limits.max_pixels)
		return xc_fail(p->context, XC_ERR_LIMIT, "%ux%u is more than the limit of %llu pixels",
		               h->width, h->height, (unsigned long long)p->context->limits.max_pixels);
	xc_geometry_init(&p->out->geometry, h->width, h->height, h->subsampling);
	if (!xc_geometry_set_tiles(&p->out->geometry, h->tile_mcus_wide, h->tile_mcus_high))
		return xc_fail_corrupt(p, "impossible tile size");
	return XC_OK;
}

static xc_status read_quant(xc_file_parser *p, const xc_chunk *c)
{
	xc_container *out = p->out;
	const xc_header *h = &out->header;
	const uint8_t *b = c->payload, *end = b + c->length;
	uint32_t steps[2][64];
	const int tables = out->geometry.components == 1 ? 1 : 2;
	if (b == end)
		return xc_fail_corrupt(p, "QNTZ has a wrong length");
	const int preset = *b++;
	if (preset == XC_QUANT_ANNEX_K || preset == XC_QUANT_FLAT) {
		xc_quant_tables base;
		(preset == XC_QUANT_FLAT ? xc_quant_tables_flat : xc_quant_tables_annex_k)(&base);
		xc_quant_scale(base.luma, h->quality, h->depth, steps[0]);
		xc_quant_scale(base.chroma, h->quality, h->depth, steps[1]);
	} else if (preset == XC_QUANT_SLOPED && out->version > 1) {
		xc_quant_tables base;
		if (end - b < 2)
			return xc_fail_corrupt(p, "QNTZ has a wrong length");
		xc_quant_tables_sloped(&base);
		xc_quant_scale_by(base.luma, xc_get_u16(b), h->depth, steps[0]);
		xc_quant_scale_by(base.chroma, xc_get_u16(b), h->depth, steps[1]);
		b += 2;
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
		               "quantization preset %d needs a newer version", preset);
	}
	for (int t = 0; t < tables && out->version > 1; t++) {
		const unsigned both = b < end ? *b++ : 0;
		if (!(both & 15) || both < 16)
			return xc_fail_corrupt(p, "damaged points of reconstruction");
		out->points[t] = (xc_value_points){(int8_t)((both & 15) - 8), (int8_t)((both >> 4) - 8)};
	}
	if (b != end)
		return xc_fail_corrupt(p, "QNTZ has a wrong length");
	for (int i = 0; i < XC_MAX_COMPONENTS; i++)
		memcpy(out->quant[i], steps[i && tables == 2 ? 1 : 0], sizeof steps[0]);
	p->seen_quant = 1;
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

static int stores_codes(const xc_container *c)
{
	return c->header.entropy == XC_ENTROPY_HUFFMAN_STORED ||
	       c->header.entropy == XC_ENTROPY_HUFFMAN_CONTEXTS;
}

/* Returns the bytes taken by a code of DC and one of AC, 0 if they are no codes. */
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
		return xc_fail_corrupt(p, "there is a HUFF chunk with built-in codes");
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
	p->seen_codes = 1;
	return XC_OK;
}

/* One chunk after HEAD. */
static xc_status read_chunk(xc_file_parser *p, const xc_chunk *c)
{
	xc_container *out = p->out;
	const int critical = c->type[0] >= 'A' && c->type[0] <= 'Z';
	if (!critical) {
		out->metadata_bytes += c->whole;
		return xc_metadata_take(p->context, c->type, c->payload, c->length, p->offset,
		                        &out->metadata);
	}
	if (!memcmp(c->type, "QNTZ", 4) && !p->seen_quant) {
		out->table_bytes += c->whole;
		return read_quant(p, c);
	}
	if (!memcmp(c->type, "COLR", 4) && !out->has_colours && out->version > 1) {
		out->table_bytes += c->whole;
		return read_colours(p, c);
	}
	if (!memcmp(c->type, "RANS", 4) && !p->seen_frequencies && out->version > 1) {
		out->table_bytes += c->whole;
		p->seen_frequencies = 1;
		if (out->header.entropy != XC_ENTROPY_RANS_STORED)
			return xc_fail_corrupt(p, "there is a RANS chunk without its coding");
		if (!xc_rans_load(c->payload, (size_t)c->length, out->geometry.components == 1 ? 1 : 2,
		                  &out->frequencies))
			return xc_fail_corrupt(p, "damaged frequencies");
		return XC_OK;
	}
	if (!memcmp(c->type, "HUFF", 4) && !p->seen_codes) {
		out->table_bytes += c->whole;
		return read_codes(p, c);
	}
	if (!memcmp(c->type, "ALPH", 4) && !p->seen_alpha) {
		p->seen_alpha = 1;
		out->alpha_bytes = c->whole;
		out->alpha = (xc_blob){c->payload, (size_t)c->length};
		return XC_OK;
	}
	if (!memcmp(c->type, "INDX", 4)) {
		out->index_bytes += c->whole;
		return xc_parse_index(p, c);
	}
	if (!memcmp(c->type, "DATA", 4)) {
		out->segment_bytes += c->whole;
		return xc_parse_data(p, c);
	}
	if (!memcmp(c->type, "DONE", 4)) {
		p->seen_done = 1;
		out->header_bytes += c->whole;
		return c->length ? xc_fail_corrupt(p, "DONE has a wrong length") : XC_OK;
	}
	if (strstr("HEAD QNTZ COLR RANS HUFF ALPH", c->type) &&
	    (out->version > 1 || (memcmp(c->type, "COLR", 4) && memcmp(c->type, "RANS", 4))))
		return xc_fail(p->context, XC_ERR_CORRUPT, "a second %s chunk (at byte %llu)", c->type,
		               XC_OFFSET(p));
	return xc_fail(p->context, XC_ERR_UNSUPPORTED, "chunk %s (at byte %llu) needs a newer version",
	               c->type, XC_OFFSET(p));
}

static xc_status read_magic(xc_file_parser *p)
{
	static const uint8_t magic[7] = {0x8f, 'X', 'C', '\r', '\n', 0x1a, '\n'};
	const size_t n = p->size < sizeof magic ? (size_t)p->size : sizeof magic;
	if (!n || memcmp(p->file, magic, n))
		return xc_fail(p->context, XC_ERR_FORMAT, "not an XC file");
	if (p->size < XC_MAGIC_BYTES)
		return xc_fail_truncated(p, "the magic number");
	p->out->version = p->file[7];
	if (p->file[7] < 1 || p->file[7] > XC_FORMAT_VERSION)
		return xc_fail(p->context, XC_ERR_UNSUPPORTED, "format version %u is not known",
		               p->file[7]);
	p->offset = XC_MAGIC_BYTES;
	p->out->header_bytes = XC_MAGIC_BYTES;
	return XC_OK;
}

static xc_status check_complete(xc_file_parser *p)
{
	const xc_container *out = p->out;
	const char *missing = !p->seen_quant      ? "QNTZ"
	                      : !p->indices       ? "INDX"
	                      : !out->piece_count ? "DATA"
	                      : out->header.entropy == XC_ENTROPY_RANS_STORED && !p->seen_frequencies
	                          ? "RANS"
	                      : stores_codes(out) && !p->seen_codes             ? "HUFF"
	                      : out->header.channels % 2 == 0 && !p->seen_alpha ? "ALPH"
	                                                                        : NULL;
	if (missing)
		return xc_fail(p->context, XC_ERR_CORRUPT, "there is no %s chunk", missing);
	if (out->header.channels % 2 && p->seen_alpha)
		return xc_fail(p->context, XC_ERR_CORRUPT, "there is an ALPH chunk without alpha");
	return xc_check_pieces(p);
}

/* 1: the file may end here, because it may be truncated and its first segments have come. */
static int may_end(const xc_file_parser *p)
{
	return p->truncated && p->out->piece_count;
}

static xc_status read_all(xc_file_parser *p)
{
	xc_chunk c;
	xc_status s = read_magic(p);
	if (!s)
		s = next_chunk(p, &c);
	if (s)
		return s;
	if (memcmp(c.type, "HEAD", 4))
		return xc_fail_corrupt(p, "the first chunk is not HEAD");
	if ((s = read_head(p, &c)))
		return s;
	p->out->header_bytes += c.whole;
	while (!p->seen_done) {
		p->offset += c.whole;
		if (may_end(p) && p->offset >= p->size)
			break;
		s = next_chunk(p, &c);
		if (s == XC_ERR_TRUNCATED && may_end(p)) {
			p->out->header_bytes += p->size - p->offset;
			p->context->message[0] = '\0';
			break;
		}
		if (s || (s = read_chunk(p, &c)))
			return s;
		if (p->out->piece_count && !p->out->data_checked)
			break;
	}
	if (p->seen_done && p->offset + c.whole != p->size)
		return xc_fail(p->context, XC_ERR_CORRUPT, "%llu bytes too many after the end",
		               (unsigned long long)(p->size - p->offset - c.whole));
	return check_complete(p);
}

xc_status xc_header_check_picture(xc_context *c, const xc_header *h, const xc_picture *p)
{
	if (p->width == h->width && p->height == h->height && p->channels == h->channels &&
	    p->depth == h->depth)
		return XC_OK;
	return xc_fail(c, XC_ERR_ARGUMENT,
	               "the file has %ux%u pixels, %u channels of %u bits, not what was given",
	               h->width, h->height, h->channels, h->depth);
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
	const xc_status s = read_all(&p);
	if (!s && out->header.entropy == XC_ENTROPY_RANS_BUILT_IN)
		xc_rans_builtin_frequencies(&out->frequencies);
	if (!s && out->header.entropy == XC_ENTROPY_HUFFMAN_DEFAULT)
		for (int i = 0; i < 2; i++)
			xc_code_set_single(&out->codes[i], &xc_default_codes(context)[i][0],
			                   &xc_default_codes(context)[i][1]);
	return s;
}

void xc_container_close(xc_context *context, xc_container *container)
{
	xc_release(context, container->pieces);
	container->pieces = NULL;
}
