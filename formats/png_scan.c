/* SPDX-License-Identifier: BSD-2-Clause */
#include "formats/png.h"

#include <string.h>

static int is_type(const uint8_t *type, const char *name)
{
	return memcmp(type, name, 4) == 0;
}

static int is_letters(const uint8_t *type)
{
	for (int i = 0; i < 4; i++) {
		uint8_t lower = type[i] | 0x20;
		if (lower < 'a' || lower > 'z')
			return 0;
	}
	return 1;
}

static int is_xmp(const uint8_t *data, uint32_t size)
{
	/* The keyword with its zero byte. */
	return size >= sizeof XC_PNG_XMP_KEYWORD &&
	       memcmp(data, XC_PNG_XMP_KEYWORD, sizeof XC_PNG_XMP_KEYWORD) == 0;
}

/* The first of several chunks counts where a file may have only one. */
static void note_chunk(xc_png_index *index, const uint8_t *file, size_t offset, uint32_t size)
{
	const uint8_t *type = file + offset - 4;
	const struct {
		const char *type;
		xc_png_chunk *chunk;
	} known[] = {{"iCCP", &index->icc},
	             {"eXIf", &index->exif},
	             {"pHYs", &index->density},
	             {"iTXt", &index->xmp}};
	if (is_type(type, "IDAT"))
		index->idat_bytes += size;
	if (is_type(type, "iTXt") && !is_xmp(file + offset, size))
		return;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (is_type(type, known[i].type) && known[i].chunk->offset == 0)
			*known[i].chunk = (xc_png_chunk){offset, size};
}

xc_status xc_png_scan(const xc_file_reader *reader, xc_png_index *index)
{
	size_t at = XC_PNG_SIGNATURE;
	*index = (xc_png_index){0};
	for (;;) {
		size_t left = reader->size - at;
		if (left < XC_PNG_CHUNK_OVERHEAD)
			return xc_file_fail(reader->message, XC_ERR_TRUNCATED,
			                    "PNG ends without its IEND chunk (at byte %zu)", reader->size);
		const uint8_t *p = reader->data + at;
		uint32_t size = xc_load_be32(p);
		if (!is_letters(p + 4) || size >> 31)
			return xc_file_fail(reader->message, XC_ERR_CORRUPT,
			                    "PNG chunk is damaged (at byte %zu)", at);
		if (size > left - XC_PNG_CHUNK_OVERHEAD)
			return xc_file_fail(reader->message, XC_ERR_TRUNCATED,
			                    "PNG ends inside its chunk %.4s (at byte %zu)", (const char *)p + 4,
			                    at);
		note_chunk(index, reader->data, at + 8, size);
		if (is_type(p + 4, "IEND"))
			break;
		at += XC_PNG_CHUNK_OVERHEAD + size;
	}
	if (index->idat_bytes == 0)
		return xc_file_fail(reader->message, XC_ERR_CORRUPT,
		                    "PNG has no picture data (no IDAT chunk before byte %zu)", at);
	return XC_OK;
}
