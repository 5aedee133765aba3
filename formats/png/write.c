/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A PNG file from rows.  The rows are filtered when they come.  What that makes is one stream of
 * bytes, which is cut into strips of one size.  As soon as each thread can have a strip, they are
 * deflated; each may refer to the 32 KiB before it.  Each strip becomes an IDAT chunk.  So the
 * file depends on the picture and the level alone.
 */
#include "formats/png/write.h"
#include "formats/png/filter.h"
#include "formats/png/png.h"
#include "formats/png/zip.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of a strip.  That it begins anew costs it about 200 bytes. */
enum { STRIP = 1 << 18 };
enum { CHUNK_HEAD = 8, CHECKSUM = 4 };
/* As few bytes of rows do not pay to share out. */
enum { SHARE = 1 << 16 };

/* A thread's strip, and its chunk. */
typedef struct strip {
	xc_deflater *deflater;
	uint8_t *chunk;
	size_t chunk_size; /* 0: no memory */
	const uint8_t *from;
	size_t size, window;
	int first, last;
	uint32_t adler, crc;
} strip;

typedef struct png_writer {
	xc_row_writer base; /* first */
	size_t row;         /* bytes of a row */
	uint32_t pixel;     /* bytes of a pixel */
	int filter;
	uint8_t *above;    /* the last row that came */
	uint8_t *swapped;  /* two rows a thread, with the high byte of samples first; or NULL */
	uint8_t *filtered; /* the window, and from `begin` to `end` what is not deflated yet */
	size_t begin, end, capacity;
	uint64_t left;   /* bytes that are not deflated yet, nor perhaps filtered */
	uint64_t strips; /* that are written */
	strip *strip;    /* one a thread */
	uint32_t adler;  /* of all that is deflated */
} png_writer;

/* ------------------------------------------------------------------ filtering */

/* Rows that came in one call. */
typedef struct arrival {
	png_writer *writer;
	const uint8_t *rows;
	size_t stride;
	uint32_t count, pieces;
} arrival;

/* Row y of an arrival as it is in the file, until a second call from now on.  Row -1 came before. */
static const uint8_t *in_file_order(const arrival *a, int64_t y, uint32_t piece)
{
	const png_writer *w = a->writer;
	if (y < 0)
		return w->above;
	const uint8_t *row = a->rows + (size_t)y * a->stride;
	if (!w->swapped)
		return row;
	uint8_t *to = w->swapped + (2 * (size_t)piece + (size_t)y % 2) * w->row;
	xc_png_swap(to, row, w->row);
	return to;
}

/* One of the pieces that an arrival is cut into. */
static void filter_piece(void *arg, uint32_t piece)
{
	const arrival *a = arg;
	const png_writer *w = a->writer;
	const uint32_t begin = (uint32_t)((uint64_t)a->count * piece / a->pieces);
	const uint32_t end = (uint32_t)((uint64_t)a->count * (piece + 1) / a->pieces);
	const uint8_t *above = in_file_order(a, (int64_t)begin - 1, piece);
	for (uint32_t y = begin; y < end; y++) {
		const uint8_t *row = in_file_order(a, y, piece);
		xc_png_filter(w->filtered + w->end + y * (w->row + 1), row, above, w->row, w->pixel,
		              w->filter);
		above = row;
	}
}

static void filter_rows(png_writer *w, const uint8_t *rows, size_t stride, uint32_t count)
{
	const uint64_t shares = (uint64_t)count * w->row / SHARE;
	const xc_row_team *team = &w->base.team;
	arrival a = {w, rows, stride, count, 1};
	if (shares > 1)
		a.pieces = shares < team->threads ? (uint32_t)shares : team->threads;
	a.pieces = a.pieces < count ? a.pieces : count;
	if (a.pieces > 1)
		team->run(team->user, a.pieces, filter_piece, &a);
	else
		filter_piece(&a, 0);
	w->end += count * (w->row + 1);
	const uint8_t *last = rows + (count - 1) * stride;
	if (w->swapped)
		xc_png_swap(w->above, last, w->row);
	else
		memcpy(w->above, last, w->row);
}

/* ------------------------------------------------------------------ deflating */

static void deflate_strip(void *arg, uint32_t i)
{
	const png_writer *w = arg;
	strip *s = &w->strip[i];
	uint8_t *p = s->chunk + CHUNK_HEAD;
	s->chunk_size = 0;
	if (!s->deflater)
		s->deflater = xc_deflater_new(w->base.level);
	if (!s->deflater)
		return;
	if (s->first) {
		xc_deflate_head(w->base.level, p);
		p += XC_DEFLATE_HEAD;
	}
	const size_t made = xc_deflater_run(s->deflater, s->from, s->size, s->window, s->last, p);
	if (made == 0)
		return;
	s->chunk_size = (size_t)(p + made - s->chunk);
	s->adler = xc_png_adler(s->from, s->size);
	memcpy(s->chunk + 4, "IDAT", 4);
	s->crc = xc_png_crc(0, s->chunk + 4, s->chunk_size - 4);
}

/* Completes the chunk by what needs the strips before it. */
static xc_status put_strip(png_writer *w, strip *s)
{
	if (s->chunk_size == 0)
		return xc_file_fail(w->base.message, XC_ERR_MEMORY, "out of memory for compression");
	w->adler = xc_png_adler_join(w->adler, s->adler, s->size);
	uint8_t *end = s->chunk + s->chunk_size;
	if (s->last) {
		xc_store_be32(end, w->adler);
		s->crc = xc_png_crc(s->crc, end, XC_DEFLATE_TAIL);
		end += XC_DEFLATE_TAIL;
	}
	xc_store_be32(s->chunk, (uint32_t)(end - s->chunk) - CHUNK_HEAD);
	xc_store_be32(end, s->crc);
	return xc_row_writer_put(&w->base, s->chunk, (size_t)(end + CHECKSUM - s->chunk));
}

/* Cuts the next strip off what is filtered. */
static void cut_strip(png_writer *w, strip *s)
{
	s->from = w->filtered + w->begin;
	s->size = w->left < STRIP ? (size_t)w->left : STRIP;
	s->first = w->strips == 0;
	s->window = s->first ? 0 : XC_DEFLATE_WINDOW;
	w->begin += s->size;
	w->left -= s->size;
	w->strips++;
	s->last = w->left == 0;
}

static xc_status write_strips(png_writer *w, uint32_t count)
{
	const xc_row_team *team = &w->base.team;
	xc_status status = XC_OK;
	for (uint32_t i = 0; i < count; i++)
		cut_strip(w, &w->strip[i]);
	if (count > 1)
		team->run(team->user, count, deflate_strip, w);
	else
		deflate_strip(w, 0);
	for (uint32_t i = 0; i < count && !status; i++)
		status = put_strip(w, &w->strip[i]);
	return status;
}

/* Writes what is filtered, in whole strips for all threads, and all of it at the picture's end. */
static xc_status write_filtered(png_writer *w)
{
	xc_status status = XC_OK;
	for (;;) {
		const size_t ready = w->end - w->begin;
		const size_t strips = (ready + (ready == w->left ? STRIP - 1 : 0)) / STRIP;
		if (strips == 0 || (strips < w->base.team.threads && ready < w->left))
			break;
		status = write_strips(w, strips < w->base.team.threads ? (uint32_t)strips
		                                                       : w->base.team.threads);
		if (status)
			return status;
	}
	const size_t kept = w->begin < XC_DEFLATE_WINDOW ? w->begin : XC_DEFLATE_WINDOW;
	memmove(w->filtered, w->filtered + w->begin - kept, kept + w->end - w->begin);
	w->end -= w->begin - kept;
	w->begin = kept;
	return XC_OK;
}

static xc_status write_rows(xc_row_writer *writer, const void *rows, size_t stride, uint32_t count)
{
	png_writer *w = (png_writer *)writer;
	const uint8_t *p = rows;
	for (uint32_t n; count; count -= n, p += n * stride) {
		const size_t fit = (w->capacity - w->end) / (w->row + 1);
		n = fit < count ? (uint32_t)fit : count;
		filter_rows(w, p, stride, n);
		const xc_status status = write_filtered(w);
		if (status)
			return status;
	}
	return XC_OK;
}

/* ------------------------------------------------------------------ the writer */

static xc_status end_file(xc_row_writer *writer)
{
	return xc_png_put_chunk(writer, "IEND", "", 0, "", 0);
}

static void discard(xc_row_writer *writer)
{
	png_writer *w = (png_writer *)writer;
	for (uint32_t i = 0; w->strip && i < w->base.team.threads; i++) {
		xc_deflater_free(w->strip[i].deflater);
		free(w->strip[i].chunk);
	}
	free(w->strip);
	free(w->filtered);
	free(w->swapped);
	free(w->above);
}

/* Bytes of the deflated strip of one thread. */
static size_t chunk_bytes(const png_writer *w)
{
	const size_t size = w->left < STRIP ? (size_t)w->left : STRIP;
	return CHUNK_HEAD + XC_DEFLATE_HEAD + xc_deflate_bound(size) + XC_DEFLATE_TAIL + CHECKSUM;
}

/* Bytes of two rows for each thread whose samples must be turned. */
static size_t swapped_bytes(const png_writer *w)
{
	return xc_png_swaps(&w->base.shape) ? 2 * w->base.team.threads * w->row : 0;
}

/* Settles for as many threads as there is work and memory for. */
static xc_status settle(png_writer *w)
{
	const uint64_t strips = w->left / STRIP + (w->left % STRIP != 0);
	uint32_t *threads = &w->base.team.threads;
	xc_status status;
	if (strips < *threads)
		*threads = (uint32_t)strips;
	for (;; *threads /= 2) {
		const uint64_t batch = (uint64_t)*threads * STRIP + w->row + 1;
		w->capacity = XC_DEFLATE_WINDOW + (size_t)(w->left < batch ? w->left : batch);
		status = xc_row_writer_reserve(&w->base,
		                               w->capacity + w->row + swapped_bytes(w) +
		                                   *threads * (chunk_bytes(w) + XC_DEFLATER_MEMORY));
		if (!status || *threads == 1)
			return status;
	}
}

/* The buffers have room for a strip a thread and the row that completes it, or for all. */
static xc_status allocate(png_writer *w)
{
	const xc_status status = settle(w);
	const uint32_t threads = w->base.team.threads;
	if (status)
		return status;
	w->base.message[0] = '\0'; /* of an attempt with more threads */
	w->filtered = malloc(w->capacity);
	w->above = calloc(1, w->row);
	w->strip = calloc(threads, sizeof *w->strip);
	int made = w->filtered && w->above && w->strip;
	if (swapped_bytes(w)) {
		w->swapped = malloc(swapped_bytes(w));
		made &= w->swapped != NULL;
	}
	for (uint32_t i = 0; i < threads && made; i++) {
		w->strip[i].chunk = malloc(chunk_bytes(w));
		made = w->strip[i].chunk != NULL;
	}
	return made ? XC_OK : xc_file_fail(w->base.message, XC_ERR_MEMORY, "out of memory for rows");
}

static xc_status put_header(const xc_row_writer *writer)
{
	static const uint8_t types[5] = {0, XC_PNG_GREY, XC_PNG_GREY_ALPHA, XC_PNG_RGB, XC_PNG_RGBA};
	uint8_t data[13] = {0};
	xc_store_be32(data, writer->shape.width);
	xc_store_be32(data + 4, writer->shape.height);
	data[8] = (uint8_t)writer->shape.depth;
	data[9] = types[writer->shape.channels];
	const xc_status status = xc_row_writer_put(writer, xc_png_signature, sizeof xc_png_signature);
	return status ? status : xc_png_put_chunk(writer, "IHDR", "", 0, data, sizeof data);
}

static xc_status create(xc_row_writer *writer)
{
	static const xc_row_writer_kind kind = {write_rows, end_file, discard};
	const uint32_t width = writer->shape.width, height = writer->shape.height;
	png_writer *w = (png_writer *)writer;
	if (writer->level < -1 || writer->level > 9)
		return xc_file_fail(writer->message, XC_ERR_ARGUMENT, "compression level %d is not 0 to 9",
		                    writer->level);
	if (width > 0x7fffffff || height > 0x7fffffff)
		return xc_file_fail(writer->message, XC_ERR_UNSUPPORTED,
		                    "%u x %u pixels are too many for a PNG: use ppm, pgm or pam", width,
		                    height);
	writer->kind = &kind;
	w->pixel = writer->shape.channels * writer->shape.depth / 8;
	w->row = (size_t)width * w->pixel;
	w->left = (uint64_t)height * (w->row + 1);
	/* Without compression, filters only take time. */
	w->filter = writer->level == 0 ? XC_PNG_NONE : XC_PNG_FILTERS;
	w->adler = 1;
	xc_status status = allocate(w);
	if (!status)
		status = put_header(writer);
	return status ? status : xc_png_put_metadata(writer);
}

const xc_row_output xc_png_row_output = {sizeof(png_writer), create};
