/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading TIFF by libtiff: one channel of floats or integers, in strips or tiles of any compression
 * that libtiff knows, one page or many of one shape. Pages that are smaller copies of others, or
 * masks, are passed over. Tags that say something of the values are attached.
 */
#include "formats/array/kind.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

enum {
	TIFF_ROWS_MAX = 1 << 30, /* bytes of a strip or of a row of tiles, which is in memory */
	TIFF_EXPANSION = 4096    /* bytes of values for each byte of a compressed file, at most */
};

/* ------------------------------------------------------------------ libtiff */

/* It is opened when the first TIFF file is: it and its own libraries would take a fifth of the
 * start of every command. */
/* clang-format off */
#define FUNCTIONS(X) \
	X(ClientOpen) X(Close) X(ComputeStrip) X(CurrentDirOffset) X(GetField) X(GetFieldDefaulted) X(IsTiled) \
	X(ReadDirectory) X(ReadEncodedStrip) X(ReadTile) X(SetDirectory) X(SetErrorHandler) \
	X(SetWarningHandler) X(TileRowSize64) X(TileSize64)
/* clang-format on */

static struct {
#define X(name) __typeof__(TIFF##name) *name;
	FUNCTIONS(X)
#undef X
	int whole;
} lib;

static void open_library(void)
{
	static const char *const names[] = {"libtiff.so.6", "libtiff.so.5", "libtiff.so"};
	void *library = NULL;

	for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
		library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	lib.whole = library != NULL;
#define X(name) \
	if (library) \
		*(void **)(void *)&lib.name = dlsym(library, "TIFF" #name); \
	lib.whole &= lib.name != NULL;
	FUNCTIONS(X)
#undef X
	if (!lib.whole)
		return;
	/* What libtiff would print is not ours. */
	lib.SetErrorHandler(NULL);
	lib.SetWarningHandler(NULL);
}

typedef struct tiff {
	TIFF *file;
	uint64_t at; /* of libtiff in the bytes */
	uint32_t width, length;
	xc_array_type type;
	uint64_t page, first; /* of the rows in memory, counted over all pages */
	uint32_t count;       /* of these rows */
	uint8_t *rows, *tile;
	int little, wide;                     /* BigTIFF */
	size_t room, last, last_size;         /* of the header; the tags in it that differed last */
	unsigned directories, passed, broken; /* tags and pages that are not kept */
} tiff;

/* ------------------------------------------------------- what libtiff reads by */

static tmsize_t read_bytes(thandle_t user, void *to, tmsize_t size)
{
	xc_array_reading *r = user;
	tiff *t = r->own;
	const size_t n = size > 0 ? xc_array_get(&r->bytes, t->at, to, (size_t)size, 1 << 14) : 0;

	t->at += n;
	return (tmsize_t)n;
}

static tmsize_t write_nothing(thandle_t user, void *from, tmsize_t size)
{
	(void)user, (void)from, (void)size;
	return 0;
}

static toff_t seek_bytes(thandle_t user, toff_t to, int whence)
{
	xc_array_reading *r = user;
	tiff *t = r->own;

	t->at = whence == SEEK_SET ? to : whence == SEEK_CUR ? t->at + to : r->bytes.source.size + to;
	return t->at;
}

static int close_nothing(thandle_t user)
{
	(void)user;
	return 0;
}

static toff_t size_of_bytes(thandle_t user)
{
	return ((xc_array_reading *)user)->bytes.source.size;
}

/* --------------------------------------------------------------------- pages */

static int type_of(unsigned bits, unsigned format)
{
	static const uint8_t formats[XC_ARRAY_TYPES] = {SAMPLEFORMAT_IEEEFP, SAMPLEFORMAT_IEEEFP,
	                                                SAMPLEFORMAT_INT,    SAMPLEFORMAT_INT,
	                                                SAMPLEFORMAT_INT,    SAMPLEFORMAT_UINT,
	                                                SAMPLEFORMAT_UINT,   SAMPLEFORMAT_UINT};

	for (int i = 0; i < XC_ARRAY_TYPES; i++)
		if (formats[i] == (format == SAMPLEFORMAT_VOID ? SAMPLEFORMAT_UINT : format) &&
		    bits == 8 * xc_array_value_size((xc_array_type)i))
			return i;
	return -1;
}

static xc_status look_at_page(xc_array_reading *r, tiff *page)
{
	uint16_t samples = 1, bits = 1, format = SAMPLEFORMAT_UINT;
	TIFF *f = page->file;

	lib.GetFieldDefaulted(f, TIFFTAG_SAMPLESPERPIXEL, &samples);
	lib.GetFieldDefaulted(f, TIFFTAG_BITSPERSAMPLE, &bits);
	lib.GetFieldDefaulted(f, TIFFTAG_SAMPLEFORMAT, &format);
	const int type = type_of(bits, format);
	if (samples != 1 || type < 0)
		return xc_file_fail(r->message, XC_ERR_UNSUPPORTED,
		                    "the TIFF file has %u samples of %u bits a pixel: only one channel of "
		                    "floats, or of integers of 8 to 32 bits, is an array; '%s x.tif x.png' "
		                    "makes a picture",
		                    samples, bits, xc_file_magick());
	page->type = (xc_array_type)type;
	if (!lib.GetField(f, TIFFTAG_IMAGEWIDTH, &page->width) ||
	    !lib.GetField(f, TIFFTAG_IMAGELENGTH, &page->length))
		return xc_file_fail(r->message, XC_ERR_CORRUPT, "the TIFF file has no width and height");
	return XC_OK;
}

/* Makes room for more of the header; NULL: there would be too much, or there is no memory. */
static uint8_t *more_header(xc_array_reading *r, size_t size)
{
	tiff *t = r->own;

	if (size > XC_ARRAY_HEADER_MAX - r->header_size)
		return NULL;
	if (r->header_size + size > t->room) {
		const size_t room = 2 * (r->header_size + size);
		uint8_t *header = realloc(r->header, room);
		if (!header)
			return NULL;
		r->header = header;
		t->room = room;
	}
	r->header_size += size;
	return r->header + r->header_size - size;
}

/* Keeps a tag, of which this is the entry: 1, or 0 if it is left out. */
static int keep_tag(xc_array_reading *r, tiff *t, const uint8_t *entry)
{
	const int little = t->little;
	const unsigned tag = (unsigned)xc_array_number(entry, 2, little),
				   type = (unsigned)xc_array_number(entry + 2, 2, little);
	const uint64_t count = xc_array_number(entry + 4, t->wide ? 8 : 4, little);
	const uint8_t *value = entry + (t->wide ? 12 : 8);
	size_t unit;
	const size_t size = xc_tiff_value_size(type, &unit);
	const int keeps = xc_tiff_keeps(tag, type);

	t->directories += keeps < 0;
	if (keeps <= 0)
		return 0;
	t->broken++;
	if (!size || !count || count > XC_ARRAY_HEADER_MAX / size)
		return 0;
	const size_t bytes = (size_t)count * size, before = r->header_size;
	uint8_t *to = more_header(r, 8 + bytes);
	if (!to)
		return 0;
	xc_store_le(to, tag, 2);
	xc_store_le(to + 2, type, 2);
	xc_store_le(to + 4, count, 4);
	if (bytes <= (t->wide ? 8 : 4)) {
		memcpy(to + 8, value, bytes);
	} else if (xc_array_get(&r->bytes, xc_array_number(value, t->wide ? 8 : 4, little), to + 8,
	                        bytes, 0) < bytes) {
		r->header_size = before;
		return 0;
	}
	for (size_t i = 0; i < bytes && !little; i += unit)
		for (size_t k = 0; k < unit / 2; k++) {
			const uint8_t first = to[8 + i + k];
			to[8 + i + k] = to[8 + i + unit - 1 - k];
			to[8 + i + unit - 1 - k] = first;
		}
	t->broken--;
	return 1;
}

/* Keeps the tags of the page that libtiff is at. What is damaged of them is left out. */
static xc_status keep_page(xc_array_reading *r, tiff *t, int first)
{
	const int counter = t->wide ? 8 : 2, size = t->wide ? 20 : 12;
	const uint64_t at = lib.CurrentDirOffset(t->file);
	const size_t begin = r->header_size;
	uint8_t entry[20] = {0};
	uint64_t count = 0, kept = 0;

	if (!more_header(r, 2))
		return xc_file_fail(r->message, XC_ERR_UNSUPPORTED, "the TIFF file has too many tags");
	if (xc_array_get(&r->bytes, at, entry, (size_t)counter, XC_ARRAY_FIRST) == (size_t)counter)
		count = xc_array_number(entry, counter, t->little);
	count = count < XC_TIFF_TAGS_MAX ? count : XC_TIFF_TAGS_MAX;
	for (uint64_t i = 0; i < count; i++) {
		const uint64_t place = at + (uint64_t)counter + i * (uint64_t)size;
		if (xc_array_get(&r->bytes, place, entry, (size_t)size, XC_ARRAY_FIRST) < (size_t)size)
			break;
		kept += (uint64_t)keep_tag(r, t, entry);
	}
	xc_store_le(r->header + begin, kept, 2);
	const size_t bytes = r->header_size - begin;
	if (!first && bytes == t->last_size && !memcmp(r->header + begin, r->header + t->last, bytes)) {
		r->header_size = begin + 2;
		xc_store_le(r->header + begin, XC_TIFF_SAME, 2);
	} else {
		t->last = begin;
		t->last_size = bytes;
	}
	return XC_OK;
}

static int is_passed_over(TIFF *f)
{
	uint32_t kind = 0;

	return lib.GetField(f, TIFFTAG_SUBFILETYPE, &kind) &&
	       (kind & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK));
}

/* passed: counts those that are passed over. */
static int next_page(TIFF *f, unsigned *passed)
{
	for (;; ++*passed) {
		if (!lib.ReadDirectory(f))
			return 0;
		if (!is_passed_over(f))
			return 1;
	}
}

/* Counts the pages, which must be alike, and keeps their tags. */
static xc_status count_pages(xc_array_reading *r, tiff *t, uint64_t *pages)
{
	uint8_t *head = more_header(r, XC_TIFF_HEAD);
	xc_status status = head ? keep_page(r, t, 1)
	                        : xc_file_fail(r->message, XC_ERR_MEMORY, "out of memory for TIFF");

	for (*pages = 1; !status && next_page(t->file, &t->passed); ++*pages) {
		tiff page = {.file = t->file};
		status = look_at_page(r, &page);
		if (!status)
			status = keep_page(r, t, 0);
		if (status)
			return status;
		if (page.width != t->width || page.length != t->length || page.type != t->type)
			return xc_file_fail(r->message, XC_ERR_UNSUPPORTED,
			                    "page %" PRIu64 " of the TIFF file is not like the first one",
			                    *pages + 1);
	}
	if (status)
		return status;
	r->header[0] = 0;
	xc_store_le(r->header + 1, *pages, 4);
	xc_store_le(r->header + 5, t->length, 4);
	xc_store_le(r->header + 9, t->width, 4);
	if (!lib.SetDirectory(t->file, 0))
		return xc_file_fail(r->message, XC_ERR_CORRUPT, "the TIFF file cannot be read");
	return XC_OK;
}

static void find_fill(xc_array_reading *r, TIFF *f)
{
	uint32_t count = 0;
	const char *text = NULL;

	if (lib.GetField(f, XC_TIFF_NODATA, &count, &text) && text)
		xc_tiff_fill(&r->input, text, count);
}

/* The most rows that libtiff gives at once; 0: too many to hold. */
static uint32_t rows_of(const tiff *t, size_t row)
{
	uint32_t rows = t->length;

	if (lib.IsTiled(t->file)) {
		if (!lib.GetField(t->file, TIFFTAG_TILELENGTH, &rows) ||
		    lib.TileSize64(t->file) > TIFF_ROWS_MAX)
			return 0;
	} else {
		lib.GetFieldDefaulted(t->file, TIFFTAG_ROWSPERSTRIP, &rows);
	}
	rows = rows < t->length ? rows : t->length;
	return row <= TIFF_ROWS_MAX && rows <= TIFF_ROWS_MAX / row ? rows : 0;
}

static xc_status too_large(xc_array_reading *r)
{
	return xc_file_fail(r->message, XC_ERR_UNSUPPORTED,
	                    "the TIFF file has strips or tiles above 1 GiB, or none");
}

static xc_status open_pages(xc_array_reading *r, tiff *t)
{
	uint64_t pages;
	uint16_t compression = COMPRESSION_NONE;
	xc_status status = look_at_page(r, t);

	if (status)
		return status;
	find_fill(r, t->file);
	lib.GetFieldDefaulted(t->file, TIFFTAG_COMPRESSION, &compression);
	status = count_pages(r, t, &pages);
	if (status)
		return status;
	const uint64_t sizes[3] = {pages, t->length, t->width};
	if (compression != COMPRESSION_NONE)
		r->bytes.limit = r->bytes.limit < INT64_MAX / TIFF_EXPANSION
		                     ? r->bytes.limit * TIFF_EXPANSION
		                     : INT64_MAX;
	status = xc_array_shape_file(r, t->type, pages > 1 ? 3 : 2, sizes + (pages == 1), 0);
	r->end = 0;
	return status;
}

static xc_status tiff_open(xc_array_reading *r)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	tiff *t = calloc(1, sizeof *t);

	r->own = t;
	if (!t)
		return xc_file_fail(r->message, XC_ERR_MEMORY, "out of memory for TIFF");
	pthread_once(&once, open_library);
	if (!lib.whole)
		return xc_file_fail(r->message, XC_ERR_UNSUPPORTED,
		                    "TIFF files need libtiff, which is not installed");
	t->little = r->first[0] == 'I';
	t->wide = r->first[t->little ? 2 : 3] == 43;
	t->file = lib.ClientOpen("array", "rm", r, read_bytes, write_nothing, seek_bytes, close_nothing,
	                         size_of_bytes, NULL, NULL);
	if (!t->file)
		return xc_file_fail(r->message, XC_ERR_CORRUPT, "the TIFF file cannot be read");
	return open_pages(r, t);
}

static int tiff_is(const uint8_t *first, size_t size, int suffix)
{
	(void)suffix;
	return size >= 8 && (!memcmp(first, "II*\0", 4) || !memcmp(first, "MM\0*", 4) ||
	                     !memcmp(first, "II+\0", 4) || !memcmp(first, "MM\0+", 4));
}

/* -------------------------------------------------------------------- values */

static int read_tiles(tiff *t, uint32_t y, size_t row, uint32_t rows)
{
	const size_t size = xc_array_value_size(t->type), across = (size_t)lib.TileRowSize64(t->file);
	const tmsize_t bytes = (tmsize_t)lib.TileSize64(t->file);
	uint32_t width = 0;

	lib.GetField(t->file, TIFFTAG_TILEWIDTH, &width);
	if (!width || across < (size_t)width * size || across > (size_t)bytes / rows)
		return 0;
	for (uint64_t x = 0; x < t->width; x += width) {
		const size_t n = (t->width - x < width ? t->width - (size_t)x : width) * size;
		if (lib.ReadTile(t->file, t->tile, (uint32_t)x, y, 0, 0) < 0)
			return 0;
		for (uint32_t i = 0; i < rows; i++)
			memcpy(t->rows + i * row + x * size, t->tile + i * across, n);
	}
	return 1;
}

static int read_rows(tiff *t, uint32_t y, size_t row, uint32_t rows)
{
	if (lib.IsTiled(t->file))
		return read_tiles(t, y, row, rows);
	const tmsize_t bytes = (tmsize_t)(row * rows);
	return lib.ReadEncodedStrip(t->file, lib.ComputeStrip(t->file, y, 0), t->rows, bytes) == bytes;
}

/* Reads the strip or tiles that a row of all pages is in. Each page may have others than the last. */
static xc_status load(xc_array_reading *r, tiff *t, uint64_t at)
{
	const size_t row = (size_t)t->width * xc_array_value_size(t->type);
	const uint64_t page = at / t->length;

	if (page < t->page) {
		t->page = 0;
		if (!lib.SetDirectory(t->file, 0))
			return xc_array_short(r);
	}
	unsigned passed = 0;
	for (; t->page < page; t->page++)
		if (!next_page(t->file, &passed))
			return xc_array_short(r);
	uint32_t y = (uint32_t)(at % t->length), rows = rows_of(t, row);
	if (!rows)
		return too_large(r);
	y -= y % rows;
	rows = t->length - y < rows ? t->length - y : rows;
	free(t->rows);
	free(t->tile);
	t->rows = malloc(row * rows);
	t->tile = lib.IsTiled(t->file) ? malloc((size_t)lib.TileSize64(t->file)) : NULL;
	t->count = 0;
	if (!t->rows || (lib.IsTiled(t->file) && !t->tile))
		return xc_file_fail(r->message, XC_ERR_MEMORY, "out of memory for a TIFF file");
	if (!read_rows(t, y, row, rows))
		return xc_file_fail(r->message, XC_ERR_CORRUPT,
		                    "the TIFF file is damaged or ends in page %" PRIu64, page + 1);
	t->first = page * t->length + y;
	t->count = rows;
	return XC_OK;
}

static xc_status tiff_read(xc_array_reading *r, void *values, uint64_t count)
{
	tiff *t = r->own;
	const size_t size = xc_array_value_size(t->type);
	uint8_t *to = values;
	uint64_t n;

	for (uint64_t at = r->at; count; count -= n, at += n, to += n * size) {
		const uint64_t y = at / t->width;
		if (!t->count || y < t->first || y - t->first >= t->count) {
			const xc_status status = load(r, t, y);
			if (status)
				return status;
		}
		const uint64_t from = at - t->first * t->width, have = (uint64_t)t->count * t->width - from;
		n = have < count ? have : count;
		memcpy(to, t->rows + from * size, (size_t)n * size);
	}
	return XC_OK;
}

static void tiff_input_end(const xc_array_reading *r, char message[XC_FILE_MESSAGE])
{
	const tiff *t = r->own;

	if (t->directories || t->passed || t->broken)
		snprintf(
			message, XC_FILE_MESSAGE,
			"of the TIFF file %u smaller copies or masks, %u other directories and %u damaged tags "
			"are not kept",
			t->passed, t->directories, t->broken);
}

static void tiff_close(xc_array_reading *r)
{
	tiff *t = r->own;

	if (!t)
		return;
	if (t->file)
		lib.Close(t->file);
	free(t->rows);
	free(t->tile);
}

const xc_array_kind xc_array_tiff = {
	.format = "TIFF",
	.letters = "tif",
	.suffixes = {"tif", "tiff"},
	.seeks = 1,
	.is = tiff_is,
	.open = tiff_open,
	.read = tiff_read,
	.input_end = tiff_input_end,
	.close = tiff_close,
	.about = xc_tiff_about,
	.create = xc_tiff_create,
	.write = xc_tiff_write,
};
