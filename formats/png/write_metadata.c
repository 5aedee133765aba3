/* SPDX-License-Identifier: BSD-2-Clause */
/* The chunks of metadata, which may stand before the pixels in this order. */
#include "formats/png/png.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { LONGEST_KEY = 79 };

/* A chunk's length has 31 bits. */
#define CHUNK_MAX ((size_t)0x7fffffff)

static const char icc_prefix[] = "ICC profile\0"; /* its name; compression method 0 */
/* Not compressed, as XMP demands, so that other programs find it by its marks; no language
 * and no translation. */
static const char xmp_prefix[] = XC_PNG_XMP_KEYWORD "\0\0\0\0";

xc_status xc_png_put_chunk(const xc_row_writer *writer, const char *type, const void *prefix,
                           size_t prefix_size, const void *data, size_t size)
{
	uint8_t head[8], checksum[4];

	xc_store_be32(head, (uint32_t)(prefix_size + size));
	memcpy(head + 4, type, 4);
	uint32_t crc = xc_png_crc(0, head + 4, 4);
	crc = xc_png_crc(crc, prefix, prefix_size);
	xc_store_be32(checksum, xc_png_crc(crc, data, size));
	xc_status status = xc_row_writer_put(writer, head, sizeof head);
	status = status ? status : xc_row_writer_put(writer, prefix, prefix_size);
	status = status ? status : xc_row_writer_put(writer, data, size);
	return status ? status : xc_row_writer_put(writer, checksum, sizeof checksum);
}

static xc_status put_icc(xc_row_writer *writer, const xc_blob *icc)
{
	uLong size = compressBound((uLong)icc->size);
	const uint64_t reserved = size;
	const xc_status refused = xc_row_writer_reserve(writer, reserved);

	if (refused)
		return refused;
	uint8_t *packed = malloc(size);
	if (!packed ||
	    compress2(packed, &size, icc->data, (uLong)icc->size, Z_BEST_COMPRESSION) != Z_OK) {
		free(packed);
		return xc_file_fail(writer->message, XC_ERR_MEMORY, "out of memory for metadata");
	}
	const xc_status status = xc_png_put_chunk(writer, "iCCP", icc_prefix, sizeof icc_prefix, packed,
	                                          size);
	free(packed);
	xc_row_writer_unreserve(writer, reserved);
	return status;
}

static xc_status put_density(const xc_row_writer *writer)
{
	uint8_t data[9];

	xc_store_be32(data, writer->metadata->density_x);
	xc_store_be32(data + 4, writer->metadata->density_y);
	data[8] = writer->metadata->density_unit;
	return xc_png_put_chunk(writer, "pHYs", data, 0, data, sizeof data);
}

static int is_wanted(const xc_row_writer *writer, const xc_blob *blob, const char *name)
{
	if (!blob->data || blob->size == 0)
		return 0;
	if (blob->size <= CHUNK_MAX / 2)
		return 1;
	xc_file_warn(writer->message, "the %s is too large for a PNG: left out", name);
	return 0;
}

/* The Latin-1 of a UTF-8 keyword; returns its length, or 0 if it is no keyword. */
static size_t make_key(const char *utf8, uint8_t key[LONGEST_KEY + 1])
{
	size_t n = 0;

	for (const uint8_t *p = (const uint8_t *)utf8; *p; n++) {
		if (n == LONGEST_KEY)
			return 0;
		if (*p < 0x80) {
			key[n] = *p++;
		} else {
			if ((*p != 0xc2 && *p != 0xc3) || (p[1] & 0xc0) != 0x80)
				return 0;
			key[n] = (uint8_t)(p[0] << 6 | (p[1] & 0x3f));
			p += 2;
		}
	}
	key[n] = 0;
	return n;
}

static int is_ascii(const char *text)
{
	for (; *text; text++)
		if (*text & 0x80)
			return 0;
	return 1;
}

static xc_status put_text(const xc_row_writer *writer)
{
	const char *key, *value;
	xc_status status = XC_OK;

	for (size_t at = 0; !status && xc_file_next_pair(&writer->metadata->text, &at, &key, &value);) {
		/* After the keyword of an iTXt: no compression, no language, no translation. */
		uint8_t head[LONGEST_KEY + 1 + 4] = {0};
		const size_t n = make_key(key, head), size = strlen(value);
		const int ascii = is_ascii(value);
		if (n == 0)
			xc_file_warn(writer->message, "text whose key no PNG can hold is left out");
		else
			status = xc_png_put_chunk(writer, ascii ? "tEXt" : "iTXt", head, n + (ascii ? 1 : 5),
			                          value, size);
	}
	return status;
}

static xc_status put(const xc_row_writer *writer, const char *type, const void *data, size_t size)
{
	return xc_png_put_chunk(writer, type, data, 0, data, size);
}

static xc_status put_primaries(const xc_row_writer *writer)
{
	uint8_t numbers[4 * 8];

	for (int i = 0; i < 8; i++)
		xc_store_be32(numbers + 4 * i, writer->metadata->primaries[i]);
	return put(writer, "cHRM", numbers, sizeof numbers);
}

/* How many bits a sample of the original had: those of its largest one, if nothing else says. */
static uint32_t bits_of(const xc_metadata *m, uint32_t channel)
{
	uint32_t bits = 0;

	while (m->maxval >> bits)
		bits++;
	return m->significant_bits[0] ? m->significant_bits[channel] : bits;
}

static xc_status put_bits(const xc_row_writer *writer)
{
	const xc_picture *shape = &writer->shape;
	uint8_t bits[4];

	for (uint32_t i = 0; i < shape->channels; i++) {
		const uint32_t n = bits_of(writer->metadata, i);
		bits[i] = (uint8_t)(n && n < shape->depth ? n : shape->depth);
	}
	return put(writer, "sBIT", bits, shape->channels);
}

static xc_status put_beside(const xc_row_writer *writer)
{
	const xc_metadata *m = writer->metadata;
	uint8_t gamma[4];
	xc_status status = XC_OK;

	xc_store_be32(gamma, m->gamma);
	if (m->cicp[0])
		status = put(writer, "cICP", m->cicp, sizeof m->cicp);
	if (!status && m->gamma)
		status = put(writer, "gAMA", gamma, sizeof gamma);
	if (!status && m->primaries[0])
		status = put_primaries(writer);
	if (!status && bits_of(m, 0))
		status = put_bits(writer);
	if (m->iptc.data && m->iptc.size)
		xc_file_warn(writer->message, "a PNG has no place for IPTC: left out");
	return status ? status : put_text(writer);
}

xc_status xc_png_put_metadata(xc_row_writer *writer)
{
	const xc_metadata *m = writer->metadata;
	xc_status status = XC_OK;

	if (!m)
		return XC_OK;
	if (is_wanted(writer, &m->icc, "colour profile") && xc_row_writer_profile_fits(writer))
		status = put_icc(writer, &m->icc);
	if (!status && (m->density_x || m->density_y))
		status = put_density(writer);
	if (!status && is_wanted(writer, &m->exif, "EXIF"))
		status = xc_png_put_chunk(writer, "eXIf", "", 0, m->exif.data, m->exif.size);
	if (!status && is_wanted(writer, &m->xmp, "XMP"))
		status = xc_png_put_chunk(writer, "iTXt", xmp_prefix, sizeof xmp_prefix, m->xmp.data,
		                          m->xmp.size);
	return status ? status : put_beside(writer);
}
