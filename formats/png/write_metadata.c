/* SPDX-License-Identifier: BSD-2-Clause */
#include "formats/png/png.h"
#include "formats/png/write.h"
#include "formats/png/zip.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

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
	if (!status)
		status = xc_row_writer_put(writer, prefix, prefix_size);
	if (!status)
		status = xc_row_writer_put(writer, data, size);
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
	return status ? status : xc_png_put_beside(writer);
}
