/* SPDX-License-Identifier: BSD-2-Clause */
/* Markers of a JPEG that are not the picture, for formats/jpeg/read.c, which libjpeg gives one after the other: they are
 * kept until those before, or after, the pixels have all come. */
#include "formats/jpeg/jpeg.h"

#include <stdlib.h>
#include <string.h>

#include "src/jpeg/metadata.h"

xc_status xc_jpeg_take_marker(xc_jpeg_markers *m, int code, const uint8_t *data, size_t size)
{
	enum { HEAD = 4, NAME = 16 };
	/* The first bytes of other markers name them. */
	if (code != 0xe1 && code != 0xe2 && code != 0xed && code != 0xfe && size > NAME)
		size = NAME;
	const size_t whole = HEAD + size;

	if (whole > XC_FILE_METADATA_MAX - m->size) {
		xc_file_warn(m->file->message, "JPEG has too many metadata: the rest is left out");
		return XC_OK;
	}
	if (whole > m->room - m->size) {
		const size_t more = m->room + whole;
		const xc_status status = xc_file_reserve(m->file, more);
		if (status)
			return status;
		void *larger = realloc(m->data, m->room + more);
		if (!larger)
			return xc_file_fail(m->file->message, XC_ERR_MEMORY, "out of memory for metadata");
		m->data = larger;
		m->room += more;
	}
	uint8_t *to = m->data + m->size;
	to[0] = 0xff;
	to[1] = (uint8_t)code;
	to[2] = (uint8_t)((size + 2) >> 8);
	to[3] = (uint8_t)(size + 2);
	if (size)
		memcpy(to + HEAD, data, size);
	m->size += whole;
	return XC_OK;
}

/* The blobs that the caller has seen stay where they are. */
xc_status xc_jpeg_join_markers(xc_jpeg_markers *m, int last)
{
	xc_file_picture *out = m->file->out;
	void **owned = &out->owned[last ? XC_OWNED_XMP : XC_OWNED_EXIF];
	char app[16];

	if (m->size > m->joined) {
		size_t parts[XC_JPEG_PARTS];
		const size_t bytes = xc_jpeg_metadata_bytes(m->data, m->size, parts);
		const xc_status status = xc_file_reserve(m->file, bytes);
		*owned = status ? NULL : malloc(bytes + 1);
		if (!*owned)
			return status ? status
			              : xc_file_fail(m->file->message, XC_ERR_MEMORY,
			                             "out of memory for metadata");
		m->left_out = 0;
		xc_jpeg_metadata(m->data, m->size, parts, *owned, &out->metadata, &m->left_out);
		m->joined = m->size;
	}
	const uint32_t kinds = last ? m->left_out : 0;
	for (int i = 1; i < XC_LEFT_KINDS; i++)
		if (kinds >> i & 1 && i >= XC_LEFT_DAMAGED_EXIF)
			xc_file_warn(m->file->message, "%s is left out", xc_jpeg_left_out(i, app));
		else if (kinds >> i & 1)
			xc_file_kinds_add(&m->file->left_out, xc_jpeg_left_out(i, app));
	return XC_OK;
}

void xc_jpeg_free_markers(xc_jpeg_markers *m)
{
	free(m->data);
}
