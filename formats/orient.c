/* SPDX-License-Identifier: BSD-2-Clause */
#include "formats/rows_kind.h"

#include <stdlib.h>
#include <string.h>

#include "src/core/blob.h"

enum { TAG_ORIENTATION = 0x0112, TYPE_SHORT = 3, TYPE_LONG = 4, ENTRY = 12 };

/* The byte of EXIF that holds the orientation; 0: there is none. It is in the first list of tags:
 * their number, and for each one its number, type, count, and value (TIFF 6.0, section 2). */
static size_t find_orientation(const xc_blob *exif)
{
	const uint8_t *p = exif->data;

	if (!p || exif->size < 8 || !xc_is_exif(p, exif->size))
		return 0;
	const int little = p[0] == 'I';
	const size_t list = little ? xc_load_le32(p + 4) : xc_load_be32(p + 4);
	if (list > exif->size - 2)
		return 0;
	size_t count = little ? xc_load_le16(p + list) : xc_load_be16(p + list);
	for (size_t at = list + 2; count-- && at + ENTRY <= exif->size; at += ENTRY) {
		const uint32_t tag = little ? xc_load_le16(p + at) : xc_load_be16(p + at);
		const uint32_t type = little ? xc_load_le16(p + at + 2) : xc_load_be16(p + at + 2);
		if (tag == TAG_ORIENTATION && (type == TYPE_SHORT || type == TYPE_LONG))
			return at + 8 + (little ? 0 : type == TYPE_SHORT ? 1 : 3);
	}
	return 0;
}

int xc_exif_orientation(const xc_blob *exif)
{
	const size_t at = find_orientation(exif);
	const int value = at ? ((const uint8_t *)exif->data)[at] : 1;
	return value >= 1 && value <= 8 ? value : 1;
}

int xc_exif_set_orientation(void *exif, size_t size, int orientation)
{
	const xc_blob blob = {exif, size};
	const size_t at = find_orientation(&blob);

	if (at)
		((uint8_t *)exif)[at] = (uint8_t)orientation;
	return at > 0;
}

void xc_exif_make(int orientation, unsigned char exif[XC_EXIF_MINIMAL])
{
	static const char minimal[XC_EXIF_MINIMAL] = "MM\0*\0\0\0\10\0\1\1\22\0\3\0\0\0\1";
	memcpy(exif, minimal, sizeof minimal);
	exif[19] = (unsigned char)orientation;
}

/* XMP may say it as well: tiff:Orientation="6", or as an element. */
static void set_upright(char *xmp, size_t size)
{
	static const char name[] = "tiff:Orientation";

	for (size_t i = 0; i + sizeof name < size; i++) {
		if (memcmp(xmp + i, name, sizeof name - 1) != 0)
			continue;
		for (i += sizeof name - 1; i < size && memchr("=\"'> \t\r\n", xmp[i], 8);)
			i++;
		if (i < size && xmp[i] >= '2' && xmp[i] <= '8')
			xmp[i] = '1';
	}
}

/* Makes metadata upright whose EXIF has an orientation. */
static void turn_metadata(xc_turned *t)
{
	xc_metadata *m = &t->metadata;
	const size_t offset = find_orientation(&m->exif);
	uint8_t *exif = memcpy(t->copies, m->exif.data, m->exif.size), *xmp = exif + m->exif.size;

	exif[offset] = 1;
	m->exif.data = exif;
	if (m->xmp.size) {
		set_upright(memcpy(xmp, m->xmp.data, m->xmp.size), m->xmp.size);
		m->xmp.data = xmp;
	}
	if (t->orientation > 4) {
		const uint32_t x = m->density_x;
		m->density_x = m->density_y;
		m->density_y = x;
	}
}

xc_status xc_turn_begin(xc_turned *t, xc_context *context, const xc_picture *shape,
                        const xc_metadata *metadata)
{
	const int orientation = xc_exif_orientation(&metadata->exif);
	const size_t pixel = (size_t)shape->channels * (shape->depth / 8);
	const size_t copies = metadata->exif.size + metadata->xmp.size;

	*t = (xc_turned){.orientation = orientation, .metadata = *metadata};
	if (orientation == 1)
		return XC_OK;
	t->picture = *shape;
	t->picture.data = NULL;
	t->picture.width = orientation > 4 ? shape->height : shape->width;
	t->picture.height = orientation > 4 ? shape->width : shape->height;
	const uint64_t bytes = (uint64_t)shape->width * shape->height * pixel;
	const xc_status status = bytes > SIZE_MAX ? XC_ERR_LIMIT
	                                          : xc_context_charge(context, bytes + copies);
	if (status)
		return status;
	t->charged = bytes + copies;
	t->picture.stride = t->picture.width * pixel;
	t->picture.data = malloc((size_t)bytes);
	t->copies = malloc(copies);
	if (!t->picture.data || !t->copies) {
		xc_turn_end(t, context);
		return XC_ERR_MEMORY;
	}
	turn_metadata(t);
	return XC_OK;
}

void xc_turn_rows(xc_turned *t, const void *rows, size_t stride, uint32_t count)
{
	enum { LEFT = 1, UP = 2, EXCHANGED = 4 }; /* where x and y go in the turned picture */
	static const uint8_t ways[9] = {0, 0, LEFT, LEFT | UP, UP, 4, 4 | LEFT, 4 | LEFT | UP, 4 | UP};
	const xc_picture *p = &t->picture;
	const size_t pixel = (size_t)p->channels * (p->depth / 8);
	const int way = ways[t->orientation], exchanged = way & EXCHANGED;
	const ptrdiff_t step = exchanged ? (way & UP ? -(ptrdiff_t)p->stride : (ptrdiff_t)p->stride)
	                                 : (way & LEFT ? -(ptrdiff_t)pixel : (ptrdiff_t)pixel);

	for (const uint8_t *row = rows; count--; row += stride, t->rows++) {
		const uint32_t x = exchanged ? t->rows : 0, y = exchanged ? 0 : t->rows;
		uint8_t *first = xc_file_row(p, way & UP ? p->height - 1 - y : y) +
		                 (way & LEFT ? p->width - 1 - x : x) * pixel;
		for (uint32_t i = 0; i < (exchanged ? p->height : p->width); i++)
			memcpy(first + (ptrdiff_t)i * step, row + i * pixel, pixel);
	}
}

void xc_turn_end(xc_turned *t, xc_context *context)
{
	free(t->picture.data);
	free(t->copies);
	xc_context_refund(context, t->charged);
	*t = (xc_turned){.picture = {.data = NULL}};
}
