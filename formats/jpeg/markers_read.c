/* SPDX-License-Identifier: BSD-2-Clause */
/* EXIF, XMP (APP1), colour profiles (APP2), IPTC (APP13) and comments (COM) of a JPEG file. */
#include "formats/jpeg/jpeg.h"

#include <stdlib.h>
#include <string.h>

/* If data begins with `mark` and its zero byte, goes past them. */
static int take_mark(const uint8_t **data, size_t *size, const char *mark, size_t mark_size)
{
	if (*size < mark_size || memcmp(*data, mark, mark_size) != 0)
		return 0;
	*data += mark_size;
	*size -= mark_size;
	return 1;
}

#define TAKE_MARK(data, size, mark) take_mark(data, size, mark, sizeof mark)

static xc_status take_exif(xc_jpeg_markers *m, const uint8_t *data, size_t size)
{
	if (m->file->out->metadata.exif.data)
		return XC_OK;
	if (size >= 4 && (memcmp(data, "II", 2) == 0 || memcmp(data, "MM", 2) == 0))
		return xc_file_copy(m->file, data, size, XC_OWNED_EXIF, "metadata",
		                    &m->file->out->metadata.exif);
	xc_file_warn(m->file->message, "JPEG EXIF is damaged: left out");
	return XC_OK;
}

static xc_status take_xmp(xc_jpeg_markers *m, const uint8_t *data, size_t size)
{
	if (m->file->out->metadata.xmp.data || size == 0)
		return XC_OK;
	return xc_file_copy(m->file, data, size, XC_OWNED_XMP, "metadata", &m->file->out->metadata.xmp);
}

static xc_status take_app1(xc_jpeg_markers *m, const uint8_t *data, size_t size)
{
	if (TAKE_MARK(&data, &size, XC_JPEG_EXIF))
		return take_exif(m, data, size);
	if (TAKE_MARK(&data, &size, XC_JPEG_XMP))
		return take_xmp(m, data, size);
	if (TAKE_MARK(&data, &size, XC_JPEG_XMP_MORE))
		xc_file_warn(m->file->message, "JPEG has extended XMP, which is left out");
	return XC_OK;
}

static xc_status copy_bytes(xc_file_reader *file, const void *data, size_t size, xc_blob *copy)
{
	xc_status status = xc_file_reserve(file, size);
	if (status)
		return status;
	void *bytes = malloc(size);
	if (!bytes)
		return xc_file_fail(file->message, XC_ERR_MEMORY, "out of memory for metadata");
	memcpy(bytes, data, size);
	*copy = (xc_blob){bytes, size};
	return XC_OK;
}

/* A piece of a profile: its number from 1, how many there are, the bytes. */
static xc_status take_app2(xc_jpeg_markers *m, const uint8_t *data, size_t size)
{
	if (!TAKE_MARK(&data, &size, XC_JPEG_ICC) || m->file->out->metadata.icc.data)
		return XC_OK;
	uint32_t number = size >= 3 ? data[0] : 0, parts = size >= 3 ? data[1] : 0;
	if (m->icc_parts == 0)
		m->icc_parts = parts ? parts : 1;
	if (number == 0 || number > parts || parts != m->icc_parts || m->icc[number - 1].data) {
		m->icc_damaged = 1;
		return XC_OK;
	}
	m->icc_size += size - 2;
	return copy_bytes(m->file, data + 2, size - 2, &m->icc[number - 1]);
}

/* Photoshop's resources go on from one marker to the next. */
static xc_status take_app13(xc_jpeg_markers *m, const uint8_t *data, size_t size)
{
	if (!TAKE_MARK(&data, &size, XC_JPEG_PHOTOSHOP) || size == 0)
		return XC_OK;
	if (size > XC_FILE_METADATA_MAX - m->photoshop_size) {
		xc_file_warn(m->file->message, "JPEG has too many resources of Photoshop: left out");
		return XC_OK;
	}
	if (size > m->photoshop_room - m->photoshop_size) {
		size_t room = 2 * m->photoshop_room + size;
		xc_status status = xc_file_reserve(m->file, room - m->photoshop_room);
		if (status)
			return status;
		uint8_t *more = realloc(m->photoshop, room);
		if (!more)
			return xc_file_fail(m->file->message, XC_ERR_MEMORY, "out of memory for metadata");
		m->photoshop = more;
		m->photoshop_room = room;
	}
	memcpy(m->photoshop + m->photoshop_size, data, size);
	m->photoshop_size += size;
	return XC_OK;
}

/* UTF-8, or if it is none Latin-1.  Some writers end it with zero bytes. */
static xc_status take_comment(xc_jpeg_markers *m, const uint8_t *data, size_t size)
{
	static const char key[] = "Comment";
	const xc_file_text name = {key, sizeof key - 1, 0};
	while (size && data[size - 1] == 0)
		size--;
	xc_file_text text = {data, size, !xc_file_is_utf8(data, size)};
	return size ? xc_file_add_pair(m->file, name, text) : XC_OK;
}

xc_status xc_jpeg_take_marker(xc_jpeg_markers *m, int number, const uint8_t *data, size_t size)
{
	switch (number) {
	case 1:
		return take_app1(m, data, size);
	case 2:
		return take_app2(m, data, size);
	case 13:
		return take_app13(m, data, size);
	default:
		return take_comment(m, data, size);
	}
}

static xc_status join_icc(xc_jpeg_markers *m)
{
	xc_metadata *metadata = &m->file->out->metadata;
	for (uint32_t i = 0; i < m->icc_parts; i++)
		m->icc_damaged |= !m->icc[i].data;
	if (m->icc_parts == 0 || metadata->icc.data)
		return XC_OK;
	if (m->icc_damaged) {
		xc_file_warn(m->file->message, "JPEG colour profile is damaged: left out");
		return XC_OK;
	}
	xc_status status = xc_file_reserve(m->file, m->icc_size);
	uint8_t *to = status ? NULL : malloc(m->icc_size);
	if (!to)
		return status ? status
		              : xc_file_fail(m->file->message, XC_ERR_MEMORY,
		                             "out of memory for a colour profile");
	m->file->out->owned[XC_OWNED_ICC] = to;
	metadata->icc = (xc_blob){to, m->icc_size};
	for (uint32_t i = 0; i < m->icc_parts; i++) {
		memcpy(to, m->icc[i].data, m->icc[i].size);
		to += m->icc[i].size;
	}
	return XC_OK;
}

/* A resource: "8BIM", its number, a name (its length first, of even size), the size of its data, the
 * data (of even size). */
static xc_status find_iptc(xc_jpeg_markers *m)
{
	const uint8_t *p = m->photoshop;
	size_t left = m->photoshop_size;
	xc_metadata *metadata = &m->file->out->metadata;
	while (left >= 7 && !metadata->iptc.data) {
		size_t name = ((size_t)p[6] + 2) & ~(size_t)1;
		if (memcmp(p, "8BIM", 4) != 0 || left < 10 + name)
			break;
		uint32_t number = xc_load_be16(p + 4), size = xc_load_be32(p + 6 + name);
		left -= 10 + name;
		p += 10 + name;
		if (size > left)
			break;
		if (number == XC_JPEG_IPTC && size)
			return xc_file_copy(m->file, p, size, XC_OWNED_IPTC, "metadata", &metadata->iptc);
		size_t whole = (size_t)size + (size & 1);
		whole = whole < left ? whole : left;
		p += whole;
		left -= whole;
	}
	return XC_OK;
}

xc_status xc_jpeg_join_markers(xc_jpeg_markers *m)
{
	xc_status status = join_icc(m);
	return status ? status : find_iptc(m);
}

void xc_jpeg_free_markers(xc_jpeg_markers *m)
{
	for (int i = 0; i < XC_JPEG_ICC_PARTS; i++)
		free((void *)(uintptr_t)m->icc[i].data);
	free(m->photoshop);
}
