/* SPDX-License-Identifier: BSD-2-Clause */
/* Text of a PNG file: tEXt and zTXt in Latin-1, iTXt in UTF-8, whose language and translated keyword
 * are left out.  XMP, which is an iTXt as well, is not taken here. */
#include "formats/png/png.h"
#include "formats/png/write.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { LONGEST_KEY = 79 };

typedef struct bytes {
	const uint8_t *data;
	size_t size;
} bytes;

/* Takes a string and its zero byte from *from; returns 0 if it does not end. */
static int take_string(bytes *from, bytes *string)
{
	const uint8_t *end = memchr(from->data, 0, from->size);
	if (!end)
		return 0;
	*string = (bytes){from->data, (size_t)(end - from->data)};
	from->size -= string->size + 1;
	from->data = end + 1;
	return 1;
}

/* Inflates the bytes into *out, which is malloc'ed and has *room reserved bytes; *out is NULL if they
 * are damaged or too many. */
static xc_status inflate_bytes(xc_file_reader *file, const bytes *from, uint8_t **out, size_t *size,
                               size_t *room)
{
	int result = Z_BUF_ERROR;
	*out = NULL;
	file->deflated += from->size;
	for (*room = 4 * from->size + 1024;
	     result == Z_BUF_ERROR && *room <= 2 * XC_FILE_METADATA_MAX &&
	     xc_file_may_inflate(file, *room / 4);
	     *room *= 4) {
		const xc_status status = xc_file_reserve(file, *room);
		uint8_t *data = status ? NULL : malloc(*room);
		if (!data)
			return status
			           ? status
			           : xc_file_fail(file->message, XC_ERR_MEMORY, "out of memory for metadata");
		uLongf length = (uLongf)*room;
		result = uncompress(data, &length, from->data, (uLong)from->size);
		if (result == Z_OK) {
			*out = data;
			*size = length;
			file->inflated += length;
			return XC_OK;
		}
		free(data);
		xc_file_unreserve(file, *room);
	}
	return XC_OK;
}

/* A chunk in parts. */
typedef struct parts {
	bytes key, text;
	int compressed, latin1;
} parts;

/* tEXt: keyword, text.  zTXt: keyword, method (0), compressed text.  iTXt: keyword, compression flag
 * and method, language, translated keyword, text. */
static int take_apart(const void *type, bytes chunk, parts *p)
{
	const char kind = *(const char *)type;
	bytes ignored;
	*p = (parts){.latin1 = kind != 'i', .compressed = kind == 'z'};
	if (!take_string(&chunk, &p->key) || p->key.size == 0)
		return 0;
	if (kind == 'z') {
		if (chunk.size < 1 || chunk.data[0] != 0)
			return 0;
		chunk.data++;
		chunk.size--;
	}
	if (kind == 'i') {
		if (chunk.size < 2 || chunk.data[0] > 1 || (chunk.data[0] == 1 && chunk.data[1] != 0))
			return 0;
		p->compressed = chunk.data[0];
		chunk.data += 2;
		chunk.size -= 2;
		if (!take_string(&chunk, &ignored) || !take_string(&chunk, &ignored))
			return 0;
	}
	p->text = chunk;
	return 1;
}

xc_status xc_png_take_text(xc_file_reader *file, const void *type, const uint8_t *data, size_t size,
                           uint64_t offset)
{
	parts p;
	uint8_t *inflated = NULL;
	size_t room = 0;
	xc_status status = XC_OK;
	int good = take_apart(type, (bytes){data, size}, &p);
	if (good && *(const char *)type == 'i' && p.key.size == sizeof XC_PNG_XMP_KEYWORD - 1 &&
	    memcmp(p.key.data, XC_PNG_XMP_KEYWORD, p.key.size) == 0)
		return XC_OK;
	if (good && p.compressed) {
		status = inflate_bytes(file, &p.text, &inflated, &p.text.size, &room);
		p.text.data = inflated;
		good = inflated != NULL;
	}
	if (!status && good)
		status = xc_file_add_pair(file, (xc_file_text){p.key.data, p.key.size, 1},
		                          (xc_file_text){p.text.data, p.text.size, p.latin1});
	else if (!status)
		xc_file_warn(file->message, "PNG text is damaged: left out (at byte %llu)",
		             (unsigned long long)offset);
	if (inflated)
		xc_file_unreserve(file, room);
	free(inflated);
	return status;
}

/* ------------------------------------------------------------------ writing */

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

xc_status xc_png_put_text(const xc_row_writer *writer)
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
