/* SPDX-License-Identifier: BSD-2-Clause */
/* The chunks iCCP, eXIf, pHYs and iTXt (with the keyword of XMP); png/ has the others that are
 * kept. */
#include "formats/png.h"
#include "formats/png/beside.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* The bytes of a block in the file. */
typedef struct block {
	const uint8_t *data;
	size_t size;
	int compressed;
} block;

static int is_present(const xc_png_chunk *chunk)
{
	return chunk->offset != 0;
}

static int is_intact(const xc_file_reader *reader, const xc_png_chunk *chunk)
{
	/* The checksum covers the type, but not the length before it. */
	const uint8_t *p = reader->data + chunk->offset;
	return crc32(crc32(0, p - 4, 4), p, chunk->size) == xc_load_be32(p + chunk->size);
}

/* Skips a text that ends in a zero byte; returns 0 if it does not end. */
static int skip_string(block *b)
{
	const uint8_t *end = memchr(b->data, 0, b->size);
	if (!end)
		return 0;
	b->size -= (size_t)(end + 1 - b->data);
	b->data = end + 1;
	return 1;
}

/* Skips n bytes, which the block has. */
static void skip_bytes(block *b, size_t n)
{
	b->data += n;
	b->size -= n;
}

/* iCCP: a name, the compression method (0), the compressed profile. */
static int open_icc(block *b)
{
	b->compressed = 1;
	if (!skip_string(b) || b->size == 0 || b->data[0] != 0)
		return 0;
	skip_bytes(b, 1);
	return 1;
}

/* iTXt: keyword, compression flag and method, language, translated keyword, text. */
static int open_xmp(block *b)
{
	if (!skip_string(b) || b->size < 2 || b->data[0] > 1 || (b->data[0] == 1 && b->data[1] != 0))
		return 0;
	b->compressed = b->data[0];
	skip_bytes(b, 2);
	return skip_string(b) && skip_string(b);
}

/* Some writers keep the mark of EXIF in JPEG files. */
static int open_exif(block *b)
{
	if (b->size >= 6 && memcmp(b->data, "Exif\0\0", 6) == 0)
		skip_bytes(b, 6);
	return b->size >= 4 && (memcmp(b->data, "II", 2) == 0 || memcmp(b->data, "MM", 2) == 0);
}

/* A run of inflate() into memory that grows. */
typedef struct inflation {
	z_stream stream;
	uint8_t *data;
	size_t size, capacity;
} inflation;

static xc_status grow(xc_file_reader *reader, inflation *i)
{
	size_t capacity = i->capacity ? 2 * i->capacity : 4096;
	xc_status status = xc_file_reserve(reader, capacity - i->capacity);
	if (status)
		return status;
	uint8_t *data = realloc(i->data, capacity);
	if (!data)
		return xc_file_fail(reader->message, XC_ERR_MEMORY, "out of memory for metadata");
	i->data = data;
	i->capacity = capacity;
	return XC_OK;
}

/* Inflates to the end; *whole is 0 if the data are damaged or too large. */
static xc_status inflate_all(xc_file_reader *reader, inflation *i, int *whole)
{
	int result = Z_OK;
	while (result == Z_OK && i->size < XC_FILE_METADATA_MAX) {
		if (i->size == i->capacity) {
			xc_status status = grow(reader, i);
			if (status)
				return status;
		}
		i->stream.next_out = i->data + i->size;
		i->stream.avail_out = (uInt)(i->capacity - i->size);
		result = inflate(&i->stream, Z_NO_FLUSH);
		i->size = i->capacity - i->stream.avail_out;
	}
	*whole = result == Z_STREAM_END;
	return XC_OK;
}

/* Leaves the blob empty if the block is damaged. */
static xc_status unpack(xc_file_reader *reader, const block *b, int owner, xc_blob *blob)
{
	inflation i = {
		.stream = {.next_in = (z_const Bytef *)(uintptr_t)b->data, .avail_in = (uInt)b->size}};
	if (inflateInit(&i.stream) != Z_OK)
		return xc_file_fail(reader->message, XC_ERR_MEMORY, "out of memory for metadata");
	int whole = 0;
	xc_status status = inflate_all(reader, &i, &whole);
	inflateEnd(&i.stream);
	if (status || !whole || i.size == 0) {
		free(i.data);
		return status;
	}
	reader->out->owned[owner] = i.data;
	*blob = (xc_blob){i.data, i.size};
	return XC_OK;
}

static xc_status read_block(xc_file_reader *reader, const xc_png_chunk *chunk, const char *name,
                            int (*open)(block *), int owner, xc_blob *blob)
{
	block b = {reader->data + chunk->offset, chunk->size, 0};
	xc_status status = XC_OK;
	if (!is_present(chunk))
		return XC_OK;
	if (is_intact(reader, chunk) && open(&b)) {
		if (b.compressed)
			status = unpack(reader, &b, owner, blob);
		else if (b.size && b.size <= XC_FILE_METADATA_MAX)
			status = xc_file_copy(reader, b.data, b.size, owner, "metadata", blob);
	}
	if (!status && !blob->data)
		xc_file_warn(reader->message, "PNG %s is damaged or too large: left out (at byte %zu)",
		             name, chunk->offset);
	return status;
}

/* Returns the data of a chunk that must have `size` bytes.  Returns NULL if there is none,
 * or after a warning if it is damaged; what names it there. */
static const uint8_t *intact_data(const xc_file_reader *reader, const xc_png_chunk *chunk,
                                  uint32_t size, const char *what)
{
	if (!is_present(chunk))
		return NULL;
	if (chunk->size == size && is_intact(reader, chunk))
		return reader->data + chunk->offset;
	xc_file_warn(reader->message, "PNG %s damaged: left out (at byte %zu)", what, chunk->offset);
	return NULL;
}

static void read_density(const xc_file_reader *reader, const xc_png_chunk *chunk,
                         xc_metadata *metadata)
{
	const uint8_t *p = intact_data(reader, chunk, 9, "pixel density is");
	if (!p)
		return;
	if (p[8] > 1) {
		xc_file_warn(reader->message, "PNG pixel density is damaged: left out (at byte %zu)",
		             chunk->offset);
		return;
	}
	metadata->density_x = xc_load_be32(p);
	metadata->density_y = xc_load_be32(p + 4);
	metadata->density_unit = metadata->density_x || metadata->density_y ? p[8] : 0;
}

/* Chunks that may come several times, and those that describe colour. */
static xc_status read_beside(xc_file_reader *reader)
{
	xc_png_beside beside = {0};
	xc_status status = XC_OK;
	for (size_t at = XC_PNG_SIGNATURE; !status && at < reader->size;) {
		const uint8_t *p = reader->data + at;
		const xc_png_chunk chunk = {at + 8, xc_load_be32(p)};
		if (memcmp(p + 4, "IEND", 4) == 0)
			break;
		if (xc_png_is_beside(p + 4))
			status = xc_png_take_beside(&beside, reader, p + 4, p + 8, chunk.size, at + 8,
			                            is_intact(reader, &chunk));
		at += XC_PNG_CHUNK_OVERHEAD + chunk.size;
	}
	if (!status)
		xc_png_settle_colour(&beside, reader);
	return status;
}

xc_status xc_png_read_metadata(xc_file_reader *reader, const xc_png_index *index)
{
	xc_metadata *metadata = &reader->out->metadata;
	xc_status status = read_block(reader, &index->icc, "colour profile", open_icc, XC_OWNED_ICC,
	                              &metadata->icc);
	if (!status)
		status = read_block(reader, &index->exif, "EXIF", open_exif, XC_OWNED_EXIF,
		                    &metadata->exif);
	if (!status)
		status = read_block(reader, &index->xmp, "XMP", open_xmp, XC_OWNED_XMP, &metadata->xmp);
	if (status)
		return status;
	read_density(reader, &index->density, metadata);
	return read_beside(reader);
}
