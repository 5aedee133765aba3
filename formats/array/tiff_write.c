/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writing TIFF of one channel without libtiff, which would go back in the file: pages follow each
 * other, each with its directory, then the places of its strips, then the strips. Nothing is
 * compressed, so all places are known before. Above 4 GB it is a BigTIFF.
 */
#include "formats/array/kind.h"

#include <stdlib.h>
#include <string.h>

enum { TIFF_TAGS = 10, TIFF_STRIP = 1 << 18, TIFF_SHORT = 3, TIFF_LONG = 4, TIFF_LONG8 = 16 };

typedef struct tiff_writer {
	uint64_t rows, row; /* of a page; bytes of a row */
	uint64_t strip_rows, strips;
	uint64_t at; /* in the file */
	uint64_t page, pages;
	int wide; /* BigTIFF */
} tiff_writer;

static xc_status put(xc_array_output *o, uint64_t value, int bytes)
{
	uint8_t p[8];

	xc_store_le(p, value, bytes);
	((tiff_writer *)o->own)->at += (uint64_t)bytes;
	return xc_array_put(o, p, (size_t)bytes);
}

static xc_status put_tag(xc_array_output *o, unsigned tag, int type, uint64_t count, uint64_t value)
{
	const tiff_writer *w = o->own;
	xc_status status = put(o, tag, 2);

	if (!status)
		status = put(o, (uint64_t)type, 2);
	if (!status)
		status = put(o, count, w->wide ? 8 : 4);
	return status ? status : put(o, value, w->wide ? 8 : 4);
}

/* Bytes of a page's directory, its strips' places and lengths, and what makes its end even. */
static uint64_t directory_size(const tiff_writer *w)
{
	return w->wide ? 8 + 20 * TIFF_TAGS + 8 + 16 * w->strips
	               : 2 + 12 * TIFF_TAGS + 4 + 8 * w->strips;
}

static uint64_t page_size(const tiff_writer *w)
{
	const uint64_t bytes = directory_size(w) + w->rows * w->row;

	return bytes + bytes % 2;
}

static uint64_t strip_bytes(const tiff_writer *w, uint64_t i)
{
	const uint64_t last = w->rows - i * w->strip_rows;

	return (last < w->strip_rows ? last : w->strip_rows) * w->row;
}

static xc_status put_places(xc_array_output *o, uint64_t data)
{
	const tiff_writer *w = o->own;
	const int bytes = w->wide ? 8 : 4;
	xc_status status = XC_OK;

	for (uint64_t i = 0; i < w->strips && !status; i++)
		status = put(o, data + i * w->strip_rows * w->row, bytes);
	for (uint64_t i = 0; i < w->strips && !status; i++)
		status = put(o, strip_bytes(w, i), bytes);
	return status;
}

static xc_status put_directory(xc_array_output *o)
{
	static const uint8_t formats[XC_ARRAY_TYPES] = {3, 3, 2, 2, 2, 1, 1, 1};
	const tiff_writer *w = o->own;
	const uint64_t begin = w->at, size = xc_array_value_size(o->shape.type);
	const uint64_t data = begin + directory_size(w), next = begin + page_size(w);
	const int width = w->wide ? 8 : 4, places = w->wide ? TIFF_LONG8 : TIFF_LONG;
	const uint64_t lists = data - 2 * w->strips * (uint64_t)width;
	const int one = w->strips == 1;
	const struct {
		unsigned tag;
		int type;
		uint64_t count, value;
	} tags[TIFF_TAGS] = {
		{256, TIFF_LONG, 1, w->row / size},
		{257, TIFF_LONG, 1, w->rows},
		{258, TIFF_SHORT, 1, 8 * size},
		{259, TIFF_SHORT, 1, 1}, /* not compressed */
		{262, TIFF_SHORT, 1, 1}, /* 0 is black */
		{273, places, w->strips, one ? data : lists},
		{277, TIFF_SHORT, 1, 1}, /* one sample a pixel */
		{278, TIFF_LONG, 1, w->strip_rows},
		{279, places, w->strips, one ? w->rows * w->row : lists + w->strips * (uint64_t)width},
		{339, TIFF_SHORT, 1, formats[o->shape.type]},
	};
	xc_status status = put(o, TIFF_TAGS, w->wide ? 8 : 2);
	for (int i = 0; i < TIFF_TAGS && !status; i++)
		status = put_tag(o, tags[i].tag, tags[i].type, tags[i].count, tags[i].value);
	if (!status)
		status = put(o, w->page + 1 < w->pages ? next : 0, width);
	return status ? status : put_places(o, data);
}

static xc_status put_start(xc_array_output *o, tiff_writer *w)
{
	xc_status status = xc_array_put(o, w->wide ? "II+\0\10\0\0\0" : "II*\0", w->wide ? 8 : 4);

	w->at = w->wide ? 8 : 4;
	if (!status)
		status = put(o, w->wide ? 16 : 8, w->wide ? 8 : 4);
	return status ? status : put_directory(o);
}

xc_status xc_tiff_create(xc_array_output *o)
{
	const xc_array_shape *s = &o->shape;
	const int d = s->dimensions;
	const uint64_t size = xc_array_value_size(s->type), width = s->size[d - 1];
	const uint64_t rows = d > 1 ? s->size[d - 2] : 1;
	tiff_writer *w = calloc(1, sizeof *w);

	o->own = w;
	if (!w)
		return xc_file_fail(o->message, XC_ERR_MEMORY, "out of memory for TIFF");
	if (width > INT32_MAX || rows > INT32_MAX)
		return xc_file_fail(o->message, XC_ERR_UNSUPPORTED,
		                    "TIFF has at most 2^31 - 1 rows and columns: NPY holds this array");
	*w = (tiff_writer){.rows = rows, .row = width * size, .pages = o->values / (rows * width)};
	w->strip_rows = w->row < TIFF_STRIP ? TIFF_STRIP / w->row : 1;
	w->strip_rows = w->strip_rows < rows ? w->strip_rows : rows;
	w->strips = (rows + w->strip_rows - 1) / w->strip_rows;
	/* A directory is smaller than 512 bytes and 8 for each row; a whole sum can not wrap. */
	w->wide = o->values * size > INT32_MAX || w->pages * (512 + 8 * w->strips) > INT32_MAX;
	return put_start(o, w);
}

/* Between two pages comes the directory of the second one. */
static xc_status end_page(xc_array_output *o, tiff_writer *w)
{
	w->at += w->rows * w->row;
	const xc_status status = (directory_size(w) + w->rows * w->row) % 2 ? put(o, 0, 1) : XC_OK;

	if (status || ++w->page == w->pages)
		return status;
	return put_directory(o);
}

xc_status xc_tiff_write(xc_array_output *o, const void *values, uint64_t count)
{
	tiff_writer *w = o->own;
	const uint64_t size = xc_array_value_size(o->shape.type), page = w->rows * w->row / size;
	const uint8_t *from = values;
	xc_status status = XC_OK;
	uint64_t n;

	for (uint64_t at = o->at; count && !status; count -= n, at += n, from += n * size) {
		const uint64_t left = page - at % page;
		n = left < count ? left : count;
		status = xc_array_put_values(o, from, n);
		if (!status && n == left)
			status = end_page(o, w);
	}
	return status;
}

#ifndef XC_HAVE_LIBTIFF
static int tiff_is(const uint8_t *first, size_t size, int suffix)
{
	return suffix && size >= 4 && (!memcmp(first, "II", 2) || !memcmp(first, "MM", 2));
}

static xc_status tiff_open(xc_array_reading *r)
{
	return xc_file_fail(r->message, XC_ERR_UNSUPPORTED,
	                    "a TIFF file, which this program was built without (libtiff)");
}

const xc_array_kind xc_array_tiff = {
	.format = "TIFF",
	.letters = "tif",
	.suffixes = {"tif", "tiff"},
	.is = tiff_is,
	.open = tiff_open,
	.create = xc_tiff_create,
	.write = xc_tiff_write,
};
#endif
