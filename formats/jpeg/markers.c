/* SPDX-License-Identifier: BSD-2-Clause */
/* Markers of a JPEG that are not the picture, for formats/jpeg/read.c: metadata are taken as they come, and put together
 * when those before or after the pixels have all come; others are named. */
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

static int is_same(const xc_blob *blob, const uint8_t *data, size_t size)
{
	return blob->size == size && memcmp(blob->data, data, size) == 0;
}

/* Adds bytes to memory that grows, of which `size` are used. */
static xc_status append(xc_file_reader *file, void **bytes, size_t *used, size_t *room,
                        const uint8_t *data, size_t size)
{
	if (size > *room - *used) {
		const size_t more = *room + size;
		const xc_status status = xc_file_reserve(file, more);
		if (status)
			return status;
		void *larger = realloc(*bytes, *room + more);
		if (!larger)
			return xc_file_fail(file->message, XC_ERR_MEMORY, "out of memory for metadata");
		*bytes = larger;
		*room += more;
	}
	memcpy((uint8_t *)*bytes + *used, data, size);
	*used += size;
	return XC_OK;
}

/* Names a kind that is left out. */
static void leave_out(const xc_jpeg_markers *m, const char *kind)
{
	xc_file_kinds_add(&m->file->left_out, kind);
}

/* Names a marker APPn that is left out, if it holds something. */
static void leave_out_marker(const xc_jpeg_markers *m, int number, const uint8_t *data, size_t size)
{
	static const struct {
		int number;
		const char *mark; /* what it begins with */
		const char *name;
	} known[] = {{1, XC_JPEG_XMP_MORE, "extended XMP"},
	             {2, "MPF", "APP2 (MPF)"},
	             {11, "JP", "APP11 (JUMBF)"}};
	char name[16];

	if (size == 0)
		return;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		const size_t n = strlen(known[i].mark);
		if (known[i].number == number && size >= n && memcmp(data, known[i].mark, n) == 0) {
			leave_out(m, known[i].name);
			return;
		}
	}
	snprintf(name, sizeof name, "APP%d", number);
	leave_out(m, name);
}

/* EXIF that is too long for a marker goes on in the next one, without another header. */
static xc_status take_exif(xc_jpeg_markers *m, const uint8_t *data, size_t size)
{
	xc_blob *exif = &m->file->out->metadata.exif;
	void **owned = &m->file->out->owned[XC_OWNED_EXIF];
	const int begins = size >= 4 &&
	                   (memcmp(data, "II*\0", 4) == 0 || memcmp(data, "MM\0*", 4) == 0);

	if ((begins || m->joined) && exif->data && !is_same(exif, data, size))
		leave_out(m, "a second EXIF");
	else if (!exif->data && (size < 4 || (memcmp(data, "II", 2) && memcmp(data, "MM", 2))))
		xc_file_warn(m->file->message, "JPEG EXIF is damaged: left out");
	else if (size > XC_FILE_METADATA_MAX - exif->size)
		xc_file_warn(m->file->message, "JPEG EXIF is too long: the rest is left out");
	else if (!exif->data || !(begins || m->joined)) {
		const xc_status status = append(m->file, owned, &exif->size, &m->exif_room, data, size);
		exif->data = *owned;
		return status;
	}
	return XC_OK;
}

static xc_status take_xmp(xc_jpeg_markers *m, const uint8_t *data, size_t size)
{
	xc_blob *xmp = &m->file->out->metadata.xmp;

	if (size == 0 || (xmp->data && is_same(xmp, data, size)))
		return XC_OK;
	if (!xmp->data) {
		const xc_status status = xc_file_copy(m->file, data, size, xmp);
		m->file->out->owned[XC_OWNED_XMP] = (void *)(uintptr_t)xmp->data;
		return status;
	}
	leave_out(m, "a second XMP");
	return XC_OK;
}

static xc_status take_app1(xc_jpeg_markers *m, const uint8_t *data, size_t size)
{
	if (TAKE_MARK(&data, &size, XC_JPEG_EXIF))
		return take_exif(m, data, size);
	if (TAKE_MARK(&data, &size, XC_JPEG_XMP))
		return take_xmp(m, data, size);
	leave_out_marker(m, 1, data, size);
	return XC_OK;
}

static int has_whole_icc(const xc_jpeg_markers *m)
{
	for (uint32_t i = 0; i < m->icc_parts; i++)
		if (!m->icc[i].data)
			return 0;
	return m->icc_parts && !m->icc_damaged;
}

/* A piece of a profile: its number from 1, how many there are, the bytes. Some writers put the
 * profile there twice. */
static xc_status take_app2(xc_jpeg_markers *m, const uint8_t *data, size_t size)
{
	if (!TAKE_MARK(&data, &size, XC_JPEG_ICC)) {
		leave_out_marker(m, 2, data, size);
		return XC_OK;
	}
	uint32_t number = size >= 3 ? data[0] : 0, parts = size >= 3 ? data[1] : 0;
	if (m->icc_parts == 0)
		m->icc_parts = parts ? parts : 1;
	const int fits = number && number <= parts && parts == m->icc_parts;
	if (fits && m->icc[number - 1].data && is_same(&m->icc[number - 1], data + 2, size - 2))
		return XC_OK;
	if (has_whole_icc(m)) {
		leave_out(m, "a second colour profile");
		return XC_OK;
	}
	if (!fits || m->icc[number - 1].data) {
		m->icc_damaged = 1;
		return XC_OK;
	}
	m->icc_size += size - 2;
	return xc_file_copy(m->file, data + 2, size - 2, &m->icc[number - 1]);
}

/* Photoshop's resources go on from one marker to the next. */
static xc_status take_app13(xc_jpeg_markers *m, const uint8_t *data, size_t size)
{
	if (!TAKE_MARK(&data, &size, XC_JPEG_PHOTOSHOP)) {
		leave_out_marker(m, 13, data, size);
		return XC_OK;
	}
	if (size == 0)
		return XC_OK;
	if (size > XC_FILE_METADATA_MAX - m->photoshop_size) {
		xc_file_warn(m->file->message, "JPEG has too many resources of Photoshop: left out");
		return XC_OK;
	}
	return append(m->file, &m->photoshop, &m->photoshop_size, &m->photoshop_room, data, size);
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
	case -1:
		return take_comment(m, data, size);
	default:
		leave_out_marker(m, number, data, size);
		return XC_OK;
	}
}

static xc_status join_icc(xc_jpeg_markers *m)
{
	xc_metadata *metadata = &m->file->out->metadata;

	if (m->icc_parts == 0 || metadata->icc.data || m->icc_told)
		return XC_OK;
	if (!has_whole_icc(m)) {
		m->icc_damaged = m->icc_told = 1;
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

/* What a resource begins with, by the program that made it. */
static int is_resource(const uint8_t *p)
{
	static const char *const marks[] = {"8BIM", "PHUT", "AgHg", "DCSR", "MeSa"};

	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (memcmp(p, marks[i], 4) == 0)
			return 1;
	return 0;
}

/* A resource: its mark, its number, a name (its length first, of even size), the size of its data,
 * the data (of even size). IPTC is a list of datasets, so that a second block of it goes on where
 * the first one ends. */
static xc_status find_iptc(xc_jpeg_markers *m)
{
	const uint8_t *p = m->photoshop;
	size_t left = m->photoshop_size, room = 0;
	xc_blob *iptc = &m->file->out->metadata.iptc;

	if (iptc->data)
		return XC_OK;
	while (left >= 7) {
		size_t name = ((size_t)p[6] + 2) & ~(size_t)1;
		if (!is_resource(p) || left < 10 + name)
			break;
		uint32_t number = xc_load_be16(p + 4), size = xc_load_be32(p + 6 + name);
		left -= 10 + name;
		p += 10 + name;
		if (size > left) {
			if (number == XC_JPEG_IPTC)
				xc_file_warn(m->file->message, "JPEG IPTC is damaged: left out");
			m->photoshop_size = 0;
			break;
		}
		if (number != XC_JPEG_IPTC)
			leave_out(m, "resources of Photoshop");
		else if (size && !is_same(iptc, p, size)) {
			void **owned = &m->file->out->owned[XC_OWNED_IPTC];
			const xc_status status = append(m->file, owned, &iptc->size, &room, p, size);
			iptc->data = *owned;
			if (status)
				return status;
		}
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
	m->joined = 1;
	return status ? status : find_iptc(m);
}

void xc_jpeg_free_markers(xc_jpeg_markers *m)
{
	for (int i = 0; i < XC_JPEG_ICC_PARTS; i++)
		free((void *)(uintptr_t)m->icc[i].data);
	free(m->photoshop);
}
