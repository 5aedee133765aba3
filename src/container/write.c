/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the chunks of a file, for the encoders of src/encode/ and src/cuda/. The caller has made
 * room (xc_container_overhead(), xc_piece_overhead()), so nothing here can fail. */
#include "src/container/parser.h"

#include <string.h>

#include "src/core/blob.h"
#include "src/core/crc32c.h"

static void write_u8(xc_writer *w, unsigned value)
{
	*w->next++ = (uint8_t)value;
}

static void write_u16(xc_writer *w, unsigned value)
{
	write_u8(w, value);
	write_u8(w, value >> 8);
}

void xc_write_u32(xc_writer *w, uint32_t value)
{
	write_u16(w, value & 0xffff);
	write_u16(w, value >> 16);
}

static void write_bytes(xc_writer *w, const void *data, size_t size)
{
	if (size)
		memcpy(w->next, data, size);
	w->next += size;
}

void xc_write_magic(xc_writer *w)
{
	static const uint8_t magic[XC_MAGIC_BYTES] = {0x8f, 'X',  'C',  '\r',
	                                              '\n', 0x1a, '\n', XC_FORMAT_VERSION};
	write_bytes(w, magic, sizeof magic);
}

uint8_t *xc_write_chunk_start(xc_writer *w, const char type[4], uint64_t length)
{
	uint8_t *start = w->next;

	write_bytes(w, type, 4);
	for (; length > 127; length >>= 7)
		write_u8(w, 128 | (unsigned)(length & 127));
	write_u8(w, (unsigned)length);
	return start;
}

void xc_write_chunk_end(xc_writer *w, const uint8_t *start)
{
	xc_write_u32(w, xc_crc32c(0, start, (size_t)(w->next - start)));
}

void xc_write_chunk(xc_writer *w, const char type[4], const void *data, size_t size)
{
	const uint8_t *start = xc_write_chunk_start(w, type, size);
	write_bytes(w, data, size);
	xc_write_chunk_end(w, start);
}

void xc_write_head(xc_writer *w, const xc_header *h)
{
	const uint8_t *start = xc_write_chunk_start(w, "HEAD", XC_HEAD_BYTES);

	xc_write_u32(w, h->width);
	xc_write_u32(w, h->height);
	write_u8(w, h->channels);
	write_u8(w, h->depth);
	write_u8(w, (unsigned)h->subsampling);
	write_u8(w, (unsigned)h->transform);
	write_u8(w, (unsigned)h->entropy);
	write_u8(w, (unsigned)h->quality);
	write_u16(w, h->tile_mcus_wide);
	write_u16(w, h->tile_mcus_high);
	xc_write_chunk_end(w, start);
}

void xc_write_quant(xc_writer *w, int preset, const xc_quant_curve curves[2], int tables,
                    const uint32_t steps[][64], const xc_value_points points[])
{
	uint8_t payload[1 + 2 * (1 + 64 * 2) + 2];
	xc_writer p = {payload};

	write_u8(&p, (unsigned)preset);
	if (preset == XC_QUANT_SLOPED)
		write_u16(&p, curves[0].scale);
	for (int t = 0; preset == XC_QUANT_CURVE && t < tables; t++) {
		write_u16(&p, curves[t].scale);
		for (int i = 0; i < 3; i++)
			write_u8(&p, curves[t].low[i]);
		write_u8(&p, curves[t].slope);
		write_u8(&p, (uint8_t)curves[t].bend);
	}
	for (int t = 0; preset == XC_QUANT_STORED && t < tables; t++) {
		int wide = 0;
		for (int i = 0; i < 64; i++)
			wide |= steps[t][i] > 255;
		write_u8(&p, wide ? 2 : 1);
		for (int i = 0; i < 64; i++) {
			if (wide)
				write_u16(&p, steps[t][i]);
			else
				write_u8(&p, steps[t][i]);
		}
	}
	for (int t = 0; t < tables; t++)
		write_u8(&p, (unsigned)(points[t].one + 8) | (unsigned)(points[t].more + 8) << 4);
	xc_write_chunk(w, "QNTZ", payload, (size_t)(p.next - payload));
}

void xc_write_colours(xc_writer *w, const int16_t colours[9])
{
	uint8_t payload[18];
	xc_writer p = {payload};

	for (int i = 0; i < 9; i++)
		write_u16(&p, (uint16_t)colours[i]);
	xc_write_chunk(w, "COLR", payload, sizeof payload);
}

void xc_write_palette(xc_writer *w, const uint8_t (*palette)[4], uint32_t count, int channels,
                      int bits)
{
	const size_t bytes = channels % 2 ? 3 : 4;
	const uint8_t *start = xc_write_chunk_start(w, "PLTE", 1 + bytes * count);

	write_u8(w, (unsigned)bits);
	for (uint32_t i = 0; i < count; i++)
		write_bytes(w, palette[i], bytes);
	xc_write_chunk_end(w, start);
}

void xc_write_max_error(xc_writer *w, uint32_t max_error)
{
	uint8_t payload[2];
	xc_writer p = {payload};

	write_u16(&p, max_error);
	xc_write_chunk(w, "NEAR", payload, sizeof payload);
}

void xc_write_codes(xc_writer *w, int components, const xc_code_set codes[2],
                    const xc_huffman_code (*built_in)[2])
{
	uint8_t payload[2 * XC_STORED_SET_BYTES];
	size_t n = 0;

	for (int c = 0; c < (components == 1 ? 1 : 2); c++) {
		if (built_in) {
			n += xc_code_set_write(&codes[c], built_in[c], payload + n);
			continue;
		}
		n += xc_huffman_write(&codes[c].dc, payload + n);
		n += xc_huffman_write(&codes[c].ac[0], payload + n);
	}
	xc_write_chunk(w, "HUFF", payload, n);
}

uint64_t xc_container_overhead(const xc_metadata *m)
{
	return XC_MAGIC_BYTES + 12 * XC_CHUNK_OVERHEAD + XC_HEAD_BYTES + 261 + 18 + (1 + 4 * 256) + 2 +
	       2 * XC_STORED_SET_BYTES + xc_metadata_bound(m);
}

/* --------------------------------------------------------------- pieces */

uint64_t xc_piece_overhead(uint64_t segments)
{
	return 2 * (XC_CHUNK_OVERHEAD + 1) + segments * (4 + 2);
}

/* Sets the offsets of the segments; returns the bytes of a size in the index. */
static uint32_t lay_out(xc_segment_bits *s, uint64_t n, uint64_t *total)
{
	uint32_t max = 0;

	*total = 0;
	for (uint64_t i = 0; i < n; i++) {
		s[i].offset = *total;
		*total += s[i].size;
		max = s[i].size > max ? s[i].size : max;
	}
	return max < 1 << 16 ? 2 : max < 1 << 24 ? 3 : 4;
}

static void write_index(xc_writer *w, const xc_segment_bits *s, uint64_t n, uint32_t width)
{
	const uint8_t *start = xc_write_chunk_start(w, "INDX", 1 + n * (width + 2));

	*w->next++ = (uint8_t)width;
	for (uint64_t i = 0; i < n; i++) {
		for (uint32_t b = 0; b < width; b++)
			*w->next++ = (uint8_t)(s[i].size >> 8 * b);
		*w->next++ = (uint8_t)s[i].crc;
		*w->next++ = (uint8_t)(s[i].crc >> 8);
	}
	xc_write_chunk_end(w, start);
}

uint32_t xc_write_piece_start(xc_writer *w, xc_segment_bits *s, uint64_t n, uint64_t *total)
{
	const uint32_t width = lay_out(s, n, total);

	write_index(w, s, n, width);
	/* The CRC of DATA covers its type, its length and the CRCs of its segments. */
	const uint8_t *start = xc_write_chunk_start(w, "DATA", *total);
	uint32_t crc = xc_crc32c(0, start, (size_t)(w->next - start));
	for (uint64_t i = 0; i < n; i++) {
		const uint8_t bytes[4] = {(uint8_t)s[i].crc, (uint8_t)(s[i].crc >> 8),
		                          (uint8_t)(s[i].crc >> 16), (uint8_t)(s[i].crc >> 24)};
		crc = xc_crc32c(crc, bytes, sizeof bytes);
	}
	return crc;
}

/* ------------------------------------------------------------- metadata */

/* The ancillary chunks hold metadata (doc/format.md, sections 3.7 to 3.14). */

/* Chunks of a fixed length, whose payloads are numbers. */
enum { DENS, CICP, GAMA, SBIT, RANG, NUMBERS };
static const struct {
	char type[5];
	uint8_t length;
} numbers[NUMBERS] = {[DENS] = {"dens", 9},
                      [CICP] = {"cicp", 4},
                      [GAMA] = {"gama", 36},
                      [SBIT] = {"sbit", 4},
                      [RANG] = {"rang", 4}};

/* Chunks whose payload is a blob. */
static const struct {
	char type[5];
	size_t offset;
} blobs[] = {{"iccp", offsetof(xc_metadata, icc)},
             {"exif", offsetof(xc_metadata, exif)},
             {"xmpp", offsetof(xc_metadata, xmp)},
             {"iptc", offsetof(xc_metadata, iptc)},
             {"text", offsetof(xc_metadata, text)}};
enum { BLOBS = sizeof blobs / sizeof *blobs };

static const xc_blob *blob_at(const xc_metadata *m, int i)
{
	return (const void *)((const char *)m + blobs[i].offset);
}

static uint64_t blob_bytes(const xc_blob *b)
{
	return b->data ? b->size : 0;
}

/* -------------------------------------------------------------- reading */

/* 1: all of the numbers may stand in a chunk: those of dens and gama have 31 bits, as in PNG. */
static int are_small(const uint8_t *b, int count)
{
	for (int i = 0; i < count; i++)
		if (xc_get_u32(b + 4 * i) > INT32_MAX)
			return 0;
	return 1;
}

/* A value that a chunk may not have makes it count as not there. */
static void take_numbers(int kind, const uint8_t *b, xc_metadata *m)
{
	switch (kind) {
	case DENS:
		if (b[8] > 1 || !are_small(b, 2))
			break;
		m->density_x = xc_get_u32(b);
		m->density_y = xc_get_u32(b + 4);
		m->density_unit = b[8];
		break;
	case CICP:
		if (!b[2] && b[3] <= 1)
			memcpy(m->cicp, b, sizeof m->cicp);
		break;
	case GAMA:
		if (!are_small(b, 9))
			break;
		m->gamma = xc_get_u32(b);
		for (int i = 0; i < 8; i++)
			m->primaries[i] = xc_get_u32(b + 4 + 4 * i);
		break;
	case RANG:
		m->range = (uint16_t)xc_get_u32(b);
		m->maxval = (uint16_t)(xc_get_u32(b) >> 16);
		break;
	default:
		memcpy(m->significant_bits, b, sizeof m->significant_bits);
	}
}

xc_status xc_metadata_take(xc_context *c, const char type[5], const uint8_t *payload,
                           uint64_t length, xc_metadata *m)
{
	for (int i = 0; i < NUMBERS; i++) {
		if (memcmp(type, numbers[i].type, 4))
			continue;
		/* Fields of later releases may follow. What is too short counts as not there. */
		if (length >= numbers[i].length)
			take_numbers(i, payload, m);
	}
	for (int i = 0; i < BLOBS; i++) {
		if (memcmp(type, blobs[i].type, 4))
			continue;
		if (length > c->limits.max_metadata)
			return xc_fail(c, XC_ERR_LIMIT, "%s is longer than the limit of %llu bytes", type,
			               (unsigned long long)c->limits.max_metadata);
		*(xc_blob *)(void *)((char *)m + blobs[i].offset) = (xc_blob){payload, (size_t)length};
	}
	return XC_OK;
}

/* -------------------------------------------------------------- writing */

/* Writes the payload of a chunk to b. 0: all numbers are zero, so it can be left out. */
static int put_numbers(int kind, const xc_metadata *m, uint8_t b[36])
{
	xc_writer w = {b};
	uint8_t any = 0;

	memset(b, 0, 36);
	switch (kind) {
	case DENS:
		xc_write_u32(&w, m->density_x);
		xc_write_u32(&w, m->density_y);
		break;
	case CICP:
		memcpy(b, m->cicp, sizeof m->cicp);
		break;
	case GAMA:
		xc_write_u32(&w, m->gamma);
		for (int i = 0; i < 8; i++)
			xc_write_u32(&w, m->primaries[i]);
		break;
	case RANG:
		xc_write_u32(&w, m->range | (uint32_t)m->maxval << 16);
		break;
	default:
		memcpy(b, m->significant_bits, sizeof m->significant_bits);
	}
	for (int i = 0; i < 36; i++)
		any |= b[i];
	if (kind == DENS)
		b[8] = m->density_unit;
	return any != 0;
}

void xc_write_metadata(xc_writer *w, const xc_metadata *m, const xc_metadata *before)
{
	uint8_t payload[36];

	for (int i = 0; m && i < NUMBERS; i++)
		if (!(before && put_numbers(i, before, payload)) && put_numbers(i, m, payload))
			xc_write_chunk(w, numbers[i].type, payload, numbers[i].length);
	for (int i = 0; m && i < BLOBS; i++)
		if (!(before && blob_at(before, i)->data) && blob_at(m, i)->data)
			xc_write_chunk(w, blobs[i].type, blob_at(m, i)->data, blob_at(m, i)->size);
}

uint64_t xc_metadata_bound(const xc_metadata *m)
{
	uint64_t n = 0;

	for (int i = 0; m && i < NUMBERS; i++)
		n += XC_CHUNK_OVERHEAD + numbers[i].length;
	for (int i = 0; m && i < BLOBS; i++)
		n += XC_CHUNK_OVERHEAD + blob_bytes(blob_at(m, i));
	return n;
}

/* 1: the blob is empty, or pairs of a key, which has characters, and a value. */
static int is_pairs(const xc_blob *text)
{
	const uint8_t *p = text->data;
	const size_t size = (size_t)blob_bytes(text);
	size_t at = 0;

	for (int value = 0; at < size; value = !value) {
		const uint8_t *const end = memchr(p + at, 0, size - at);
		if (!end || (!value && end == p + at))
			return 0;
		at = (size_t)(end - p) + 1;
		if (!value && at == size)
			return 0;
	}
	return 1;
}

xc_status xc_metadata_check(xc_context *c, const xc_metadata *m)
{
	const uint64_t max = c->limits.max_metadata;

	if (!m)
		return XC_OK;
	const xc_status s = XC_CHECK_FLAGS(c, m, "metadata", m->cicp[3]);
	if (s)
		return s;
	if (!m->density_x != !m->density_y)
		return xc_fail(c, XC_ERR_ARGUMENT, "a density of %u x %u", m->density_x, m->density_y);
	if (m->density_x && m->density_unit > 1)
		return xc_fail(c, XC_ERR_ARGUMENT, "density unit %u; 0 and 1 are possible",
		               m->density_unit);
	if (m->cicp[2] || m->cicp[3] > 1)
		return xc_fail(c, XC_ERR_ARGUMENT,
		               "cicp of matrix %u and range %u; samples are RGB, matrix 0, of range 0 or 1",
		               m->cicp[2], m->cicp[3]);
	uint32_t largest = m->density_x > m->density_y ? m->density_x : m->density_y;
	largest = m->gamma > largest ? m->gamma : largest;
	for (int i = 0; i < 8; i++)
		largest = m->primaries[i] > largest ? m->primaries[i] : largest;
	if (largest > INT32_MAX)
		return xc_fail(c, XC_ERR_ARGUMENT, "%u of density, gamma or primaries is above 2^31 - 1",
		               largest);
	for (int i = 0; i < BLOBS; i++)
		if (blob_bytes(blob_at(m, i)) > max)
			return xc_fail(c, XC_ERR_LIMIT, "metadata is longer than the limit of %llu bytes",
			               (unsigned long long)max);
	if (m->exif.data && !xc_is_exif(m->exif.data, m->exif.size))
		return xc_fail(
			c, XC_ERR_ARGUMENT,
			"EXIF does not begin with a TIFF header, \"II*\" or \"MM\" (a JPEG's APP1 has "
			"6 bytes before it, which do not belong here)");
	if (!is_pairs(&m->text))
		return xc_fail(c, XC_ERR_ARGUMENT,
		               "the text is not pairs of a key and a value that end in zero bytes");
	if (!xc_is_utf8(m->text.data, (size_t)blob_bytes(&m->text)) ||
	    !xc_is_utf8(m->xmp.data, (size_t)blob_bytes(&m->xmp)))
		return xc_fail(c, XC_ERR_ARGUMENT, "the text or XMP is not UTF-8");
	return XC_OK;
}

xc_status xc_metadata_check_depth(xc_context *c, const xc_metadata *m, uint32_t depth)
{
	for (int i = 0; m && i < 4; i++)
		if (m->significant_bits[i] > depth)
			return xc_fail(c, XC_ERR_ARGUMENT, "%u significant bits of samples of %u",
			               m->significant_bits[i], depth);
	return XC_OK;
}
