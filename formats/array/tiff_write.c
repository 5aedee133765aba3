/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writing TIFF of one channel without libtiff, which would go back in the file: pages follow each
 * other, each with its directory, then the places of its strips, then the strips. Nothing is
 * compressed, so all places are known before. Above 4 GB it is a BigTIFF.
 *
 * Tags that were kept are those of their pages again. A part of the array has those that its values
 * need alone: what black and white are, the palette, and the value that stands for none.
 */
#include "formats/array/kind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	TIFF_TAGS = 9,
	TIFF_PHOTOMETRIC = 262,
	TIFF_PALETTE = 320,

	TIFF_STRIP = 1 << 18,
	TIFF_SHORT = 3,
	TIFF_LONG = 4,
	TIFF_LONG8 = 16
};

typedef struct tiff_writer {
	uint64_t rows, row; /* of a page; bytes of a row */
	uint64_t strip_rows, strips;
	uint64_t at; /* in the file */
	uint64_t page, pages;
	int wide;                   /* BigTIFF */
	int part;                   /* the tags are of a larger array */
	const uint8_t *tags, *next; /* of the page, and of the one after it; NULL: there are none */
	uint64_t directory;         /* bytes of it, of the lists of strips, and of values of tags */
} tiff_writer;

/* An entry of a directory; values: of a tag that is kept, or NULL. */
typedef struct entry {
	unsigned tag;
	int type;
	uint64_t count, value, bytes;
	const uint8_t *values;
} entry;

size_t xc_tiff_value_size(unsigned type, size_t *unit)
{
	static const uint8_t sizes[19] = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8};
	const size_t size = type < sizeof sizes ? sizes[type] : 0;

	*unit = type == 5 || type == 10 ? 4 : size;
	return size;
}

int xc_tiff_keeps(unsigned tag, unsigned type)
{
	/* Sizes, compression, strips, tiles, and what decoders of JPEG and faxes need. */
	static const uint16_t stored[] = {254, 255, 256, 257, 258, 259, 266, 273, 277, 278,
	                                  279, 284, 288, 289, 292, 293, 317, 322, 323, 324,
	                                  325, 326, 327, 328, 338, 339, 347, 512, 513, 514,
	                                  515, 517, 518, 519, 520, 521, 529, 530, 531};

	if (tag == 330 || tag == 34665 || tag == 34853 || tag == 40965 || type == 13 || type == 18)
		return -1;
	for (size_t i = 0; i < sizeof stored / sizeof *stored; i++)
		if (tag == stored[i])
			return 0;
	return 1;
}

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

/* ---------------------------------------------------------------- tags kept */

/* The tag at p, before `end`: where the next one begins, or NULL. */
static const uint8_t *take_tag(const uint8_t *p, const uint8_t *end, entry *e)
{
	size_t unit;

	if (end - p < 8)
		return NULL;
	*e = (entry){.tag = xc_load_le16(p),
	             .type = (int)xc_load_le16(p + 2),
	             .count = xc_load_le32(p + 4)};
	e->bytes = e->count * xc_tiff_value_size((unsigned)e->type, &unit);
	e->values = p + 8;
	return e->bytes && e->bytes <= (uint64_t)(end - p - 8) ? p + 8 + e->bytes : NULL;
}

void xc_tiff_fill(xc_array_input *input, const char *text, size_t size)
{
	char *end, number[32];

	snprintf(number, sizeof number, "%.*s", (int)(size < 31 ? size : 31), text);
	input->fill = strtod(number, &end);
	input->has_fill = end > number;
}

void xc_tiff_about(const uint8_t *header, size_t size, xc_array_input *input)
{
	const uint8_t *p = header + XC_TIFF_HEAD + 2, *end = header + size;
	const unsigned count = size < XC_TIFF_HEAD + 2 ? 0 : xc_load_le16(p - 2);
	entry e;

	for (unsigned k = 0; k < count && (p = take_tag(p, end, &e)); k++)
		if (e.tag == XC_TIFF_NODATA)
			xc_tiff_fill(input, (const char *)e.values, (size_t)e.bytes);
}

/* Whether a tag of the header is written. */
static int is_written(const tiff_writer *w, const entry *e)
{
	return xc_tiff_keeps(e->tag, (unsigned)e->type) > 0 &&
	       (!w->part || e->tag == TIFF_PHOTOMETRIC || e->tag == TIFF_PALETTE ||
	        e->tag == XC_TIFF_NODATA);
}

/* Checks the tags that were attached, and finds those of the first page. lost: how many a part has
 * not. Returns an upper bound of their bytes on any page. */
static uint64_t find_tags(xc_array_output *o, tiff_writer *w, unsigned *lost)
{
	const uint8_t *p = o->header, *end = p + o->header_size;
	const uint64_t pages = o->header_size > XC_TIFF_HEAD ? xc_load_le32(p + 1) : 0;
	uint64_t most = 0;

	if (!pages || *p || w->pages > UINT32_MAX)
		return 0;
	w->part = pages != w->pages || xc_load_le32(p + 5) != w->rows ||
	          xc_load_le32(p + 9) * xc_array_value_size(o->shape.type) != w->row;
	p += XC_TIFF_HEAD;
	for (uint64_t i = 0; i < pages; i++) {
		const uint8_t *begin = p;
		if (end - p < 2)
			return 0;
		const unsigned count = xc_load_le16(p);
		p += 2;
		if (i && count == XC_TIFF_SAME)
			continue;
		for (unsigned k = 0; k < count; k++) {
			entry e;
			if (count > XC_TIFF_TAGS_MAX || !(p = take_tag(p, end, &e)))
				return 0;
			*lost += w->part && !i && !is_written(w, &e);
		}
		/* An entry has up to 20 bytes in place of 8, and one more makes its values even. */
		most = (uint64_t)(p - begin) > most ? (uint64_t)(p - begin) : most;
	}
	w->next = o->header + XC_TIFF_HEAD;
	return 3 * most;
}

/* Goes on to the tags of the next page. */
static void next_tags(const xc_array_output *o, tiff_writer *w)
{
	const uint8_t *end = o->header + o->header_size;
	entry e;

	if (!w->next || (w->part && w->tags))
		return;
	const unsigned count = xc_load_le16(w->next);
	const int same = w->tags && count == XC_TIFF_SAME;
	w->tags = same ? w->tags : w->next;
	w->next += 2;
	for (unsigned k = 0; k < count && !same; k++)
		w->next = take_tag(w->next, end, &e);
}

/* ------------------------------------------------------------------- a page */

static uint64_t page_size(const tiff_writer *w)
{
	const uint64_t bytes = w->directory + w->rows * w->row;

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

static int compare_entries(const void *a, const void *b)
{
	return (int)((const entry *)a)->tag - (int)((const entry *)b)->tag;
}

/* Adds the tags that are kept to those that every page has. Returns how many there are. */
static size_t add_tags(const xc_array_output *o, const tiff_writer *w, entry *entries, size_t n)
{
	const uint8_t *p = w->tags, *end = o->header + o->header_size;
	const unsigned count = p ? xc_load_le16(p) : 0;
	int photometric = 0;

	p += p ? 2 : 0;
	for (unsigned k = 0; k < count; k++) {
		p = take_tag(p, end, &entries[n]);
		if (!is_written(w, &entries[n]))
			continue;
		photometric |= entries[n].tag == TIFF_PHOTOMETRIC;
		n++;
	}
	if (!photometric)
		entries[n++] = (entry){TIFF_PHOTOMETRIC, TIFF_SHORT, 1, 1, 2, NULL}; /* 0 is black */
	qsort(entries, n, sizeof *entries, compare_entries);
	return n;
}

/* The values that do not fit into their entries. */
static xc_status put_long_values(xc_array_output *o, const entry *entries, size_t n)
{
	tiff_writer *w = o->own;
	xc_status status = XC_OK;

	for (size_t i = 0; i < n && !status; i++) {
		const entry *e = &entries[i];
		if (!e->values || e->bytes <= (w->wide ? 8 : 4))
			continue;
		status = xc_array_put(o, e->values, (size_t)e->bytes);
		w->at += e->bytes;
		if (!status && e->bytes % 2)
			status = put(o, 0, 1);
	}
	return status;
}

static xc_status put_entries(xc_array_output *o, entry *entries, size_t n, uint64_t longer)
{
	tiff_writer *w = o->own;
	const int width = w->wide ? 8 : 4, one = w->strips == 1;
	const uint64_t begin = w->at, data = begin + w->directory, next = begin + page_size(w),
				   lists = data - longer - 2 * w->strips * (uint64_t)width;
	uint64_t at = data - longer;
	xc_status status = put(o, n, w->wide ? 8 : 2);

	for (size_t i = 0; i < n && !status; i++) {
		entry *e = &entries[i];
		if (e->tag == 273)
			e->value = one ? data : lists;
		if (e->tag == 279)
			e->value = one ? w->rows * w->row : lists + w->strips * (uint64_t)width;
		if (e->values && e->bytes <= (uint64_t)width) {
			e->value = xc_array_number(e->values, (int)e->bytes, 1);
		} else if (e->values) {
			e->value = at;
			at += e->bytes + e->bytes % 2;
		}
		status = put_tag(o, e->tag, e->type, e->count, e->value);
	}
	if (!status)
		status = put(o, w->page + 1 < w->pages ? next : 0, width);
	if (!status)
		status = put_places(o, data);
	return status ? status : put_long_values(o, entries, n);
}

static xc_status put_directory(xc_array_output *o)
{
	static const uint8_t formats[XC_ARRAY_TYPES] = {3, 3, 2, 2, 2, 1, 1, 1};
	tiff_writer *w = o->own;
	const uint64_t size = xc_array_value_size(o->shape.type);
	const int places = w->wide ? TIFF_LONG8 : TIFF_LONG;
	const entry own[TIFF_TAGS] = {
		{256, TIFF_LONG, 1, w->row / size, 4, NULL},
		{257, TIFF_LONG, 1, w->rows, 4, NULL},
		{258, TIFF_SHORT, 1, 8 * size, 2, NULL},
		{259, TIFF_SHORT, 1, 1, 2, NULL}, /* not compressed */
		{273, places, w->strips, 0, 0, NULL},
		{277, TIFF_SHORT, 1, 1, 2, NULL}, /* one sample a pixel */
		{278, TIFF_LONG, 1, w->strip_rows, 4, NULL},
		{279, places, w->strips, 0, 0, NULL},
		{339, TIFF_SHORT, 1, formats[o->shape.type], 2, NULL},
	};

	next_tags(o, w);
	entry *entries = malloc((TIFF_TAGS + 2 + (w->tags ? xc_load_le16(w->tags) : 0U)) *
	                        sizeof *entries);
	if (!entries)
		return xc_file_fail(o->message, XC_ERR_MEMORY, "out of memory for TIFF");
	memcpy(entries, own, sizeof own);
	const size_t n = add_tags(o, w, entries, TIFF_TAGS);
	uint64_t longer = 0;
	for (size_t i = 0; i < n; i++)
		if (entries[i].values && entries[i].bytes > (w->wide ? 8 : 4))
			longer += entries[i].bytes + entries[i].bytes % 2;
	w->directory = (w->wide ? 8 + 20 * n + 8 + 16 * w->strips : 2 + 12 * n + 4 + 8 * w->strips) +
	               longer;
	const xc_status status = put_entries(o, entries, n, longer);
	free(entries);
	return status;
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
	unsigned lost = 0;
	const uint64_t tags = o->header ? find_tags(o, w, &lost) : 0;
	if (lost)
		snprintf(o->message, XC_FILE_MESSAGE,
		         "%u tags of the TIFF file are of the whole of it, and the part has none of them",
		         lost);
	/* A directory is smaller than 512 bytes, its tags and 8 for each row; a whole sum can not wrap. */
	w->wide = o->values * size > INT32_MAX || w->pages * (512 + tags + 8 * w->strips) > INT32_MAX;
	return put_start(o, w);
}

/* Between two pages comes the directory of the second one. */
static xc_status end_page(xc_array_output *o, tiff_writer *w)
{
	w->at += w->rows * w->row;
	const xc_status status = (w->directory + w->rows * w->row) % 2 ? put(o, 0, 1) : XC_OK;

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
	.about = xc_tiff_about,
	.create = xc_tiff_create,
	.write = xc_tiff_write,
};
#endif
