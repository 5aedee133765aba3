/* SPDX-License-Identifier: BSD-2-Clause */
/* What readers and writers of all formats call: messages, limits, memory, and pairs of text. */
#include "formats/rows_kind.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/core/blob.h"

xc_status xc_file_fail(char message[XC_FILE_MESSAGE], xc_status status, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(message, XC_FILE_MESSAGE, format, list);
	va_end(list);
	return status;
}

void xc_file_warn(char message[XC_FILE_MESSAGE], const char *format, ...)
{
	if (message[0])
		return;
	va_list list;
	va_start(list, format);
	vsnprintf(message, XC_FILE_MESSAGE, format, list);
	va_end(list);
}

void xc_file_warn_too(char message[XC_FILE_MESSAGE], const char *format, ...)
{
	const size_t used = strlen(message);
	va_list list;

	if (used + 2 < XC_FILE_MESSAGE && used)
		memcpy(message + used, "; ", 3);
	const size_t at = strlen(message);
	va_start(list, format);
	vsnprintf(message + at, XC_FILE_MESSAGE - at, format, list);
	va_end(list);
}

void xc_file_kinds_add(xc_file_kinds *kinds, const char *kind)
{
	static const char more[] = ", ...";
	const size_t used = strlen(kinds->text), size = strlen(kind);

	for (const char *p = kinds->text; (p = strstr(p, kind)) != NULL; p += size)
		if ((p == kinds->text || p[-1] == ' ') && (p[size] == ',' || !p[size]))
			return;
	if (used + 2 + size + sizeof more <= sizeof kinds->text)
		snprintf(kinds->text + used, sizeof kinds->text - used, "%s%s", used ? ", " : "", kind);
	else if (strcmp(kinds->text + used - (sizeof more - 1), more) != 0)
		memcpy(kinds->text + used, more, sizeof more);
}

int xc_file_tells_loss(const char *message)
{
	return strstr(message, "left out") != NULL;
}

xc_status xc_file_reserve(xc_file_reader *reader, uint64_t bytes)
{
	const xc_file_limits *l = &reader->limits;

	if (l->max_memory && (reader->held > l->max_memory || bytes > l->max_memory - reader->held))
		return xc_file_fail(reader->message, XC_ERR_LIMIT,
		                    "the picture needs more than %" PRIu64 " bytes of memory, the limit",
		                    l->max_memory);
	if (l->context && xc_context_charge(l->context, bytes))
		return xc_file_fail(reader->message, XC_ERR_LIMIT, "%s", xc_context_message(l->context));
	reader->held += bytes;
	return XC_OK;
}

void xc_file_unreserve(xc_file_reader *reader, uint64_t bytes)
{
	reader->held -= bytes;
	xc_context_refund(reader->limits.context, bytes);
}

xc_status xc_file_check_whole(const xc_file_reader *reader)
{
	const xc_picture *p = &reader->out->picture;

	return reader->limits.file_bytes
	           ? XC_OK
	           : xc_file_check_expansion(reader, (uint64_t)p->width * p->height, 0);
}

/* Metadata may always come to a MiB. */
int xc_file_may_inflate(const xc_file_reader *reader, uint64_t more)
{
	const uint64_t max = (reader->limits.max_expansion + 15) / 16;
	return !max || (reader->inflated + more) / max <= reader->deflated + (1 << 20) / max;
}

xc_status xc_file_check_expansion(const xc_file_reader *reader, uint64_t pixels, uint64_t bytes)
{
	const uint64_t max = reader->limits.max_expansion;

	if (!max || pixels <= XC_ANY_FILE_PIXELS || (pixels - 1) / max < bytes)
		return XC_OK;
	return xc_file_fail(reader->message, XC_ERR_LIMIT,
	                    "more than %" PRIu64 " pixels for each byte of the file, the limit", max);
}

static xc_status fail_large(const xc_file_reader *reader, uint32_t width, uint32_t height)
{
	return xc_file_fail(reader->message, XC_ERR_LIMIT,
	                    "the picture is too large for memory (%u x %u)", width, height);
}

xc_status xc_file_shape_rows(xc_file_reader *reader, uint32_t width, uint32_t height,
                             uint32_t channels, uint32_t depth)
{
	if (width == 0 || height == 0)
		return xc_file_fail(reader->message, XC_ERR_CORRUPT, "the picture is empty (%u x %u)",
		                    width, height);
	uint64_t pixels = (uint64_t)width * height;
	if (reader->limits.max_pixels && pixels > reader->limits.max_pixels)
		return xc_file_fail(reader->message, XC_ERR_LIMIT,
		                    "the picture has %u x %u pixels, more than the limit of %" PRIu64,
		                    width, height, reader->limits.max_pixels);
	if (reader->limits.file_bytes) {
		const xc_status status = xc_file_check_expansion(reader, pixels, reader->limits.file_bytes);
		if (status)
			return status;
	}
	uint64_t pixel_bytes = (uint64_t)channels * depth / 8;
	if (width > SIZE_MAX / 2 / pixel_bytes)
		return fail_large(reader, width, height);
	reader->out->picture = (xc_picture){
		.width = width,
		.height = height,
		.channels = channels,
		.depth = depth,
		.stride = (size_t)(width * pixel_bytes),
	};
	return XC_OK;
}

xc_status xc_file_allocate(xc_file_reader *reader)
{
	xc_picture *picture = &reader->out->picture;

	if (picture->height > SIZE_MAX / 2 / picture->stride)
		return fail_large(reader, picture->width, picture->height);
	picture->data = malloc(picture->stride * picture->height);
	if (!picture->data)
		return xc_file_fail(reader->message, XC_ERR_MEMORY, "out of memory for %u x %u pixels",
		                    picture->width, picture->height);
	reader->out->owned[XC_OWNED_PIXELS] = picture->data;
	return XC_OK;
}

xc_status xc_file_copy(xc_file_reader *reader, const void *data, size_t size, xc_blob *copy)
{
	xc_status status = xc_file_reserve(reader, size);

	if (status)
		return status;
	void *bytes = malloc(size);
	if (!bytes)
		return xc_file_fail(reader->message, XC_ERR_MEMORY, "out of memory for metadata");
	*copy = (xc_blob){memcpy(bytes, data, size), size};
	return XC_OK;
}

int xc_file_is_utf8(const void *data, size_t size)
{
	return xc_is_utf8(data, size) && !(size && memchr(data, 0, size));
}

static void drop_text(xc_blob *text, const char *name, char message[XC_FILE_MESSAGE])
{
	if (!text->data || xc_is_utf8(text->data, text->size))
		return;
	*text = (xc_blob){NULL, 0};
	xc_file_warn(message, "%s that is not UTF-8 is left out", name);
}

void xc_file_drop_wrong(xc_metadata *m, uint32_t depth, char message[XC_FILE_MESSAGE])
{
	if (m->exif.data && !xc_is_exif(m->exif.data, m->exif.size)) {
		m->exif = (xc_blob){NULL, 0};
		xc_file_warn(message, "EXIF that does not begin as a TIFF file is left out");
	}
	drop_text(&m->xmp, "XMP", message);
	drop_text(&m->text, "text", message);
	if (!m->density_x != !m->density_y) {
		xc_file_warn(message, "a pixel density of %u x %u is left out", m->density_x, m->density_y);
		m->density_x = m->density_y = m->density_unit = 0;
	}
	for (int i = 0; i < 4; i++)
		if (m->significant_bits[i] > depth) {
			xc_file_warn(message, "%u significant bits of samples of %u are left out",
			             m->significant_bits[i], depth);
			memset(m->significant_bits, 0, sizeof m->significant_bits);
		}
}

/* The bytes that a text takes in UTF-8, with its zero byte; 0 if the text is not valid. */
static size_t stored_size(const xc_file_text *text)
{
	const uint8_t *p = text->data;
	size_t size = text->size + 1;

	for (size_t i = 0; i < text->size && text->latin1; i++) {
		if (p[i] == 0)
			return 0;
		size += p[i] >= 0x80;
	}
	return text->latin1 || xc_file_is_utf8(p, text->size) ? size : 0;
}

static uint8_t *store(uint8_t *to, const xc_file_text *text)
{
	const uint8_t *p = text->data;

	for (size_t i = 0; i < text->size; i++) {
		if (text->latin1 && p[i] >= 0x80) {
			*to++ = (uint8_t)(0xc0 | p[i] >> 6);
			*to++ = (uint8_t)(0x80 | (p[i] & 0x3f));
		} else {
			*to++ = p[i];
		}
	}
	*to++ = 0;
	return to;
}

/* The room for `size` bytes of text is the next power of two. */
static size_t room_for(size_t size)
{
	size_t room = size ? 64 : 0;

	while (room < size)
		room *= 2;
	return room;
}

xc_status xc_file_add_pair(xc_file_reader *reader, xc_file_text key, xc_file_text value)
{
	xc_blob *all = &reader->out->metadata.text;
	void **owned = &reader->out->owned[XC_OWNED_TEXT];
	size_t key_size = stored_size(&key), value_size = stored_size(&value);

	if (!key_size || !value_size || !key.size) {
		xc_file_warn(reader->message,
		             "a text without a key, or with bytes that are no text, is left out");
		return XC_OK;
	}
	if (key_size > XC_FILE_METADATA_MAX || value_size > XC_FILE_METADATA_MAX ||
	    all->size + key_size + value_size > XC_FILE_METADATA_MAX) {
		xc_file_warn(reader->message, "text that is too long is left out");
		return XC_OK;
	}
	size_t size = all->size + key_size + value_size;
	if (room_for(size) != room_for(all->size)) {
		xc_status status = xc_file_reserve(reader, room_for(size) - room_for(all->size));
		if (status)
			return status;
		void *more = realloc(*owned, room_for(size));
		if (!more)
			return xc_file_fail(reader->message, XC_ERR_MEMORY, "out of memory for metadata");
		*owned = more;
	}
	store(store((uint8_t *)*owned + all->size, &key), &value);
	*all = (xc_blob){*owned, size};
	return XC_OK;
}

int xc_file_next_pair(const xc_blob *text, size_t *at, const char **key, const char **value)
{
	const char *data = text->data, *end[2];
	size_t from = *at;

	for (int i = 0; i < 2; i++) {
		end[i] = data && from < text->size ? memchr(data + from, 0, text->size - from) : NULL;
		if (!end[i])
			return 0;
		from = (size_t)(end[i] - data) + 1;
	}
	*key = data + *at;
	*value = end[0] + 1;
	*at = from;
	return 1;
}
