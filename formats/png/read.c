/* SPDX-License-Identifier: BSD-2-Clause */
/* The order of the chunks, as libpng's reader demands it, and which code gets the pixels. */
#include "formats/png/png.h"

#include <inttypes.h>
#include <string.h>

static int is_type(const xc_png_reader *r, const char *type)
{
	return memcmp(r->chunks.type, type, 4) == 0;
}

/* ------------------------------------------------------------------ chunks that the pixels need */

static void add_head(xc_png_reader *r, const void *bytes, size_t size)
{
	memcpy(r->head + r->head_size, bytes, size);
	r->head_size += size;
}

/* Reads all of a chunk's data and leaves it; then it is in the head, unless it is not intact.
 * Both of these are critical if intact is NULL. */
static xc_status add_chunk(xc_png_reader *r, const uint8_t **data, int *intact)
{
	uint8_t *const chunk = r->head + r->head_size;

	xc_store_be32(chunk, r->chunks.size);
	memcpy(chunk + 4, r->chunks.type, 4);
	*data = chunk + 8;
	const uint32_t size = r->chunks.size;
	xc_status status = xc_png_copy(&r->chunks, chunk + 8, size);
	status = status ? status : xc_png_leave(&r->chunks, intact);
	if (!status && (!intact || *intact)) {
		xc_store_be32(chunk + 8 + size, r->chunks.crc);
		r->head_size += size + 12;
	}
	return status;
}

static int is_depth_of(int type, int bits)
{
	switch (type) {
	case XC_PNG_GREY:
		return bits == 1 || bits == 2 || bits == 4 || bits == 8 || bits == 16;
	case XC_PNG_PALETTE:
		return bits == 1 || bits == 2 || bits == 4 || bits == 8;
	case XC_PNG_RGB:
	case XC_PNG_GREY_ALPHA:
	case XC_PNG_RGBA:
		return bits == 8 || bits == 16;
	default:
		return 0;
	}
}

static xc_status read_header(xc_png_reader *r)
{
	const uint8_t *p;

	if (r->bits)
		return xc_png_damaged(&r->chunks, "a second header");
	if (r->chunks.size != 13)
		return xc_png_damaged(&r->chunks, "the header has another length");
	const xc_status status = add_chunk(r, &p, NULL);
	if (status)
		return status;
	r->width = xc_load_be32(p);
	r->height = xc_load_be32(p + 4);
	r->bits = p[8];
	r->type = p[9];
	r->interlaced = p[12];
	if (r->width - 1 >= 0x7fffffff || r->height - 1 >= 0x7fffffff || p[10] || p[11] || p[12] > 1 ||
	    !is_depth_of(r->type, r->bits))
		return xc_png_damaged(&r->chunks, "the header makes no sense");
	return XC_OK;
}

static xc_status read_palette(xc_png_reader *r)
{
	const uint32_t size = r->chunks.size;

	if (r->has_palette)
		return xc_png_damaged(&r->chunks, "a second palette");
	r->has_palette = 1;
	/* Colour pictures may suggest one.  To libpng a tRNS before it counts for nothing. */
	if (r->type != XC_PNG_PALETTE && (size || !(r->type & 2))) {
		if (r->has_key)
			r->head_size -= 12 + 6;
		r->has_key = 0;
		xc_png_leave_out(&r->chunks, 0);
		return xc_png_leave(&r->chunks, NULL);
	}
	if (size == 0 || size > 768 || size % 3)
		return xc_png_damaged(&r->chunks, "the palette has an impossible length");
	r->palette = size / 3 < 1u << r->bits ? size / 3 : 1u << r->bits;
	return add_chunk(r, &r->colours, NULL);
}

/* A tRNS that does not fit is left out, as any chunk that is not critical. */
static xc_status read_key(xc_png_reader *r)
{
	const uint32_t size = r->chunks.size;
	int intact = 1;
	const int fits = r->type == XC_PNG_PALETTE
	                     ? size >= 1 && size <= r->palette
	                     : size == (r->type == XC_PNG_GREY ? 2u : 6u) && r->type <= XC_PNG_RGB;

	if (!fits || r->has_key) {
		xc_png_leave_out(&r->chunks, r->has_key);
		return xc_png_leave(&r->chunks, &intact);
	}
	const xc_status status = add_chunk(r, &r->alpha, &intact);
	r->has_key = intact;
	r->alphas = intact ? size : 0;
	return status;
}

/* Any chunk before the first IDAT, which was entered. */
static xc_status read_chunk(xc_png_reader *r)
{
	if (is_type(r, "IHDR"))
		return read_header(r);
	if (!r->bits && (xc_png_is_critical(&r->chunks) || is_type(r, "tRNS")))
		return xc_png_damaged(&r->chunks, "no header comes before it");
	if (is_type(r, "PLTE"))
		return read_palette(r);
	if (is_type(r, "tRNS"))
		return read_key(r);
	if (xc_png_is_critical(&r->chunks))
		return xc_png_damaged(&r->chunks, "it is of an unknown kind");
	return xc_png_keep_chunk(&r->metadata, &r->chunks);
}

/* Any chunk after the pixels that is not IEND.  The picture is complete, so that only metadata
 * and checksums of critical chunks matter. */
static xc_status read_late_chunk(xc_png_reader *r)
{
	if (is_type(r, "IHDR"))
		return read_header(r);
	if (!xc_png_is_critical(&r->chunks))
		return xc_png_keep_chunk(&r->metadata, &r->chunks);
	xc_png_leave_out(&r->chunks, 0);
	return xc_png_leave(&r->chunks, NULL);
}

/* ------------------------------------------------------------------ pixels */

xc_status xc_png_take_pixels(xc_png_reader *r, const uint8_t **data, size_t *size)
{
	*size = 0;
	while (r->in_pixels) {
		xc_status status = xc_png_take(&r->chunks, data, size);
		if (status || *size)
			return status;
		status = xc_png_leave(&r->chunks, NULL);
		status = status ? status : xc_png_enter(&r->chunks);
		if (status)
			return status;
		r->in_pixels = is_type(r, "IDAT");
	}
	return XC_OK;
}

static uint32_t channels_of(const xc_png_reader *r)
{
	/* a palette has the bit of colour too */
	return (r->type & 2 ? 3u : 1u) + (r->type & 4 || r->has_key);
}

/* Refuses what cannot succeed, where the length of the file is known, before the memory for it is
 * allocated. */
static xc_status check_length(const xc_png_reader *r)
{
	static const uint32_t stored[7] = {1, 0, 3, 1, 2, 0, 4};
	const xc_row_input *input = r->chunks.input;
	const uint64_t left = input->end - input->at;

	if (input->source.read || r->chunks.file->limits.keep_going)
		return XC_OK;
	if (r->chunks.left > left)
		return xc_png_cut(&r->chunks);
	/* deflate makes at most 1032 bytes from one; a pixel takes at least a bit. */
	const uint64_t max_bits = (left + 1) * 1032 * 8;
	if ((uint64_t)r->width * r->height <= max_bits / (stored[r->type] * (uint32_t)r->bits))
		return XC_OK;
	return xc_file_fail(r->chunks.file->message, XC_ERR_CORRUPT,
	                    "PNG has only %" PRIu64
	                    " bytes from its picture data on for %u x %u pixels",
	                    left, r->width, r->height);
}

static xc_status open_pixels(xc_png_reader *r)
{
	xc_status status = xc_file_shape_rows(&r->base.file, r->width, r->height, channels_of(r),
	                                      r->bits == 16 ? 16 : 8);

	status = status ? status : check_length(r);
	if (r->bits < 8 && r->type == XC_PNG_GREY)
		r->base.out.metadata.maxval = (uint16_t)((1 << r->bits) - 1);
	if (!status && r->type == XC_PNG_PALETTE)
		status = xc_file_keep_palette(&r->base.file, (const uint8_t(*)[3])r->colours, r->palette,
		                              r->alpha, r->alphas, r->bits);
	if (status)
		return status;
	/* The fast one takes many rows at once, all of which would be lost where one is. */
	if (r->bits < 8 || r->interlaced || r->type == XC_PNG_PALETTE || r->has_key ||
	    r->base.file.limits.keep_going)
		return xc_png_slow_open(r);
	return xc_png_fast_open(r);
}

/* ------------------------------------------------------------------ the reader */

static xc_status read_rows(xc_row_base *reader, void *rows, size_t stride, uint32_t count)
{
	xc_png_reader *r = (xc_png_reader *)reader;
	const xc_status status = r->fast ? xc_png_fast_read(r, rows, stride, count)
	                                 : xc_png_slow_read(r, rows, stride, count);

	r->done += count;
	return status;
}

/* What remains of the pixels, which may be more than the picture needs. */
static xc_status skip_pixels(xc_png_reader *r)
{
	const uint8_t *data;
	size_t size = 1;
	xc_status status = r->fast ? xc_png_fast_finish(r) : XC_OK;

	while (!status && size)
		status = xc_png_take_pixels(r, &data, &size);
	return status;
}

static xc_status finish(xc_row_base *reader)
{
	xc_png_reader *r = (xc_png_reader *)reader;
	xc_status status = skip_pixels(r);

	while (!status && !is_type(r, "IEND")) {
		status = read_late_chunk(r);
		status = status ? status : xc_png_enter(&r->chunks);
	}
	status = status ? status : xc_png_leave(&r->chunks, NULL);
	if (status)
		return status;
	xc_file_name_rest(reader);
	return xc_png_use_metadata(&r->metadata, &r->base.file, xc_row_input_position(r->chunks.input));
}

static void close_reader(xc_row_base *reader)
{
	xc_png_reader *r = (xc_png_reader *)reader;

	xc_png_fast_close(r);
	xc_png_slow_close(r);
	xc_png_free_metadata(&r->metadata);
}

/* Reads up to the first IDAT. */
static xc_status read_head(xc_png_reader *r)
{
	xc_status status = xc_png_enter(&r->chunks);

	while (!status && !is_type(r, "IDAT") && !is_type(r, "IEND")) {
		status = read_chunk(r);
		status = status ? status : xc_png_enter(&r->chunks);
	}
	if (status)
		return status;
	if (is_type(r, "IEND"))
		return xc_file_fail(r->chunks.file->message, XC_ERR_CORRUPT,
		                    "PNG has no picture data (no IDAT chunk before byte %" PRIu64 ")",
		                    r->chunks.start);
	if (!r->bits || (r->type == XC_PNG_PALETTE && !r->has_palette))
		return xc_png_damaged(&r->chunks,
		                      r->bits ? "no palette comes before it" : "no header comes before it");
	r->in_pixels = 1;
	return XC_OK;
}

static xc_status open_reader(xc_row_base *reader)
{
	static const xc_row_reader_kind kind = {read_rows, finish, close_reader};
	xc_png_reader *r = (xc_png_reader *)reader;
	uint8_t signature[XC_PNG_SIGNATURE];

	reader->kind = &kind;
	r->chunks = (xc_png_chunks){.input = &reader->input, .file = &reader->file};
	xc_row_input_copy(&reader->input, signature, sizeof signature);
	add_head(r, xc_png_signature, sizeof xc_png_signature);
	xc_status status = read_head(r);
	status = status ? status : open_pixels(r);
	return status ? status
	              : xc_png_use_metadata(&r->metadata, &reader->file,
	                                    xc_row_input_position(&reader->input));
}

const xc_row_format xc_png_rows = {sizeof(xc_png_reader), open_reader};
