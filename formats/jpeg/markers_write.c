/* SPDX-License-Identifier: BSD-2-Clause */
/* The density of a JFIF header, and the markers after it. */
#include "formats/jpeg/jpeg.h"

#include <stdlib.h>
#include <string.h>

/* Pixels a metre as pixels an inch, rounded; 1 pixel an inch at least. */
static uint32_t per_inch(uint32_t per_metre)
{
	const uint64_t dots = ((uint64_t)per_metre * 254 + 5000) / 10000;
	return dots < 1 ? 1 : dots > 65535 ? 65535 : (uint32_t)dots;
}

static int is_per_centimetre(uint32_t per_metre)
{
	return per_metre % 100 == 0 && per_metre <= 6553500 && per_metre >= 100;
}

static int is_per_inch(uint32_t per_metre)
{
	return (per_inch(per_metre) * 10000 + 127) / 254 == per_metre;
}

void xc_jpeg_set_density(struct jpeg_compress_struct *jpeg, const xc_metadata *m)
{
	uint32_t x = m->density_x, y = m->density_y;

	if (!x || !y)
		return;
	if (m->density_unit == 0) {
		while (x > 65535 || y > 65535) {
			x = x / 2 ? x / 2 : 1;
			y = y / 2 ? y / 2 : 1;
		}
		jpeg->density_unit = 0;
	} else if (is_per_centimetre(x) && is_per_centimetre(y) &&
	           !(is_per_inch(x) && is_per_inch(y))) {
		jpeg->density_unit = 2;
		x /= 100;
		y /= 100;
	} else {
		jpeg->density_unit = 1;
		x = per_inch(x);
		y = per_inch(y);
	}
	jpeg->X_density = (UINT16)x;
	jpeg->Y_density = (UINT16)y;
}

/* Writes a marker whose payload is `start` and `data`. */
static void write_marker(struct jpeg_compress_struct *jpeg, int code, const void *start,
                         size_t start_size, const void *data, size_t size)
{
	const uint8_t *first = start, *second = data;

	jpeg_write_m_header(jpeg, code, (unsigned)(start_size + size));
	for (size_t i = 0; i < start_size; i++)
		jpeg_write_m_byte(jpeg, first[i]);
	for (size_t i = 0; i < size; i++)
		jpeg_write_m_byte(jpeg, second[i]);
}

static void write_app1(struct jpeg_compress_struct *jpeg, const char *mark, size_t mark_size,
                       const xc_blob *blob, const char *name, char *message)
{
	if (!blob->data || blob->size == 0)
		return;
	if (blob->size > XC_JPEG_PAYLOAD - mark_size)
		xc_file_warn(message, "the %s is too large for a JPEG: left out", name);
	else
		write_marker(jpeg, JPEG_APP0 + 1, mark, mark_size, blob->data, blob->size);
}

static void write_icc(struct jpeg_compress_struct *jpeg, const xc_blob *icc, char *message)
{
	enum { PIECE = XC_JPEG_PAYLOAD - sizeof XC_JPEG_ICC - 2 };
	const size_t parts = (icc->size + PIECE - 1) / PIECE;
	uint8_t start[sizeof XC_JPEG_ICC + 2] = XC_JPEG_ICC;

	if (!icc->data)
		return;
	if (parts > XC_JPEG_ICC_PARTS) {
		xc_file_warn(message, "the colour profile is too large for a JPEG: left out");
		return;
	}
	start[sizeof start - 1] = (uint8_t)parts;
	for (size_t i = 0; i < parts; i++) {
		const size_t at = i * PIECE, left = icc->size - at;
		start[sizeof start - 2] = (uint8_t)(i + 1);
		write_marker(jpeg, JPEG_APP0 + 2, start, sizeof start, (const uint8_t *)icc->data + at,
		             left < PIECE ? left : PIECE);
	}
}

/* One resource of Photoshop without a name, in as many markers as it needs. */
static void write_iptc(struct jpeg_compress_struct *jpeg, const xc_blob *iptc)
{
	enum { MARK = sizeof XC_JPEG_PHOTOSHOP, RESOURCE = 12, START = MARK + RESOURCE };
	uint8_t start[START + 1] = XC_JPEG_PHOTOSHOP;
	const uint8_t *from = iptc->data;
	size_t left = iptc->data ? iptc->size : 0, start_size = START;

	if (left == 0)
		return;
	memcpy(start + MARK, "8BIM\x04\x04\0\0", 8);
	xc_store_be32(start + MARK + 8, (uint32_t)iptc->size);
	while (left) {
		const size_t room = XC_JPEG_PAYLOAD - START, n = left < room ? left : room;
		write_marker(jpeg, JPEG_APP0 + 13, start, start_size, from, n);
		from += n;
		left -= n;
		start_size = MARK;
	}
}

/* What JPEG has no place for. */
static void warn_of_losses(const xc_metadata *m, int other_text, char *message)
{
	if (m->cicp[0])
		xc_file_warn(message, "a JPEG cannot say which colours CICP means: left out");
	else if (!m->icc.data && (m->gamma || m->primaries[0]))
		xc_file_warn(message, "a JPEG cannot hold gamma and primaries: left out");
	else if (other_text)
		xc_file_warn(message, "a JPEG holds no text but comments: left out");
}

void xc_jpeg_write_markers(struct jpeg_compress_struct *jpeg, const xc_metadata *m, int with_icc,
                           char message[XC_FILE_MESSAGE])
{
	const char *key, *value;
	int other_text = 0;

	write_app1(jpeg, XC_JPEG_EXIF, sizeof XC_JPEG_EXIF, &m->exif, "EXIF", message);
	write_app1(jpeg, XC_JPEG_XMP, sizeof XC_JPEG_XMP, &m->xmp, "XMP", message);
	if (with_icc)
		write_icc(jpeg, &m->icc, message);
	write_iptc(jpeg, &m->iptc);
	for (size_t at = 0; xc_file_next_pair(&m->text, &at, &key, &value);) {
		const size_t size = strlen(value);
		if (strcmp(key, "Comment") != 0)
			other_text = 1;
		else if (size <= XC_JPEG_PAYLOAD)
			write_marker(jpeg, JPEG_COM, NULL, 0, value, size);
		else
			xc_file_warn(message, "a comment is too long for a JPEG: left out");
	}
	warn_of_losses(m, other_text, message);
}
