/* SPDX-License-Identifier: BSD-2-Clause */
#include "formats/netpbm.h"

#include <inttypes.h>
#include <string.h>

/* -------------------------------------------------------------------- text */

static void skip_line(xc_text *text)
{
	for (int c; (c = xc_text_look(text)) >= 0 && c != '\n' && c != '\r';)
		xc_row_input_take(text->input, 1);
}

void xc_text_skip_space(xc_text *text)
{
	for (int c; (c = xc_text_look(text)) >= 0;) {
		if (c == '#')
			skip_line(text);
		else if (xc_file_is_space((uint8_t)c))
			xc_row_input_take(text->input, 1);
		else
			return;
	}
}

xc_status xc_text_number(xc_text *text, const char *what, uint32_t most, uint32_t *value)
{
	xc_text_skip_space(text);
	const unsigned long long start = xc_text_position(text);
	uint64_t number = 0;
	int c;
	while ((c = xc_text_look(text)) >= '0' && c <= '9') {
		number = number * 10 + (unsigned)(c - '0');
		if (number > most)
			return xc_file_fail(text->message, XC_ERR_CORRUPT, "%s %s is above %u (at byte %llu)",
			                    text->format, what, most, start);
		xc_row_input_take(text->input, 1);
	}
	*value = (uint32_t)number;
	if (xc_text_position(text) != start)
		return XC_OK;
	if (c < 0)
		return xc_file_fail(text->message, XC_ERR_TRUNCATED, "%s ends before its %s (at byte %llu)",
		                    text->format, what, start);
	return xc_file_fail(text->message, XC_ERR_CORRUPT, "%s has no number for its %s (at byte %llu)",
	                    text->format, what, start);
}

xc_status xc_text_size(xc_text *text, uint32_t *width, uint32_t *height)
{
	xc_status status = xc_text_number(text, "width", UINT32_MAX, width);
	return status ? status : xc_text_number(text, "height", UINT32_MAX, height);
}

xc_status xc_text_end_header(xc_text *text)
{
	if (xc_text_look(text) == '#')
		skip_line(text);
	const int c = xc_text_look(text);
	if (c < 0)
		return xc_file_fail(text->message, XC_ERR_TRUNCATED,
		                    "%s ends after its header (at byte %llu)", text->format,
		                    xc_text_position(text));
	if (!xc_file_is_space((uint8_t)c))
		return xc_file_fail(text->message, XC_ERR_CORRUPT,
		                    "%s header does not end in white space (at byte %llu)", text->format,
		                    xc_text_position(text));
	xc_row_input_take(text->input, 1);
	return XC_OK;
}

/* ----------------------------------------------------------------- samples */

xc_status xc_raster_check(const xc_raster *raster, uint64_t row_bytes)
{
	const xc_row_input *in = &raster->base.input;
	const uint32_t height = raster->base.out.picture.height;
	if (!in->ended || raster->base.file.limits.keep_going ||
	    (in->end - in->at) / row_bytes >= height)
		return XC_OK;
	return xc_file_fail(raster->base.file.message, XC_ERR_TRUNCATED,
	                    "%s ends in row %" PRIu64 " of %u (at byte %" PRIu64 ")", raster->name,
	                    (in->end - in->at) / row_bytes, height, in->before + in->end);
}

xc_status xc_raster_fail_short(const xc_raster *raster)
{
	return xc_file_fail(raster->base.file.message, XC_ERR_TRUNCATED,
	                    "%s ends in row %u of %u (at byte %" PRIu64 ")", raster->name, raster->row,
	                    raster->base.out.picture.height,
	                    xc_row_input_position(&raster->base.input));
}

xc_status xc_raster_shape(xc_raster *raster, uint32_t width, uint32_t height, uint32_t channels)
{
	const uint32_t maxval = raster->maxval;
	raster->base.out.metadata.maxval = (uint16_t)(maxval > 255 && maxval < 65535 ? maxval : 0);
	return xc_file_shape_rows(&raster->base.file, width, height, channels, maxval > 255 ? 16 : 8);
}

/* These two turn the n samples of a row, as the file has them, into the picture's.  They return
 * how many: fewer than n if the next one is above maxval. */
static size_t convert_bytes(uint8_t *row, size_t n, uint32_t maxval)
{
	uint8_t scaled[256];
	if (maxval == 255)
		return n;
	for (uint32_t v = 0; v <= maxval; v++)
		scaled[v] = (uint8_t)xc_raster_scale(v, maxval, 255);
	for (size_t i = 0; i < n; i++) {
		if (row[i] > maxval)
			return i;
		row[i] = scaled[row[i]];
	}
	return n;
}

static size_t convert_words(uint16_t *row, size_t n, uint32_t maxval)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t value = xc_load_be16((const uint8_t *)&row[i]);
		if (value > maxval)
			return i;
		row[i] = (uint16_t)(maxval == 65535 ? value : xc_raster_scale(value, maxval, 65535));
	}
	return n;
}

/* Brings the samples of a row to the range of their depth. */
static xc_status convert_row(xc_raster *raster, void *row)
{
	const xc_picture *p = &raster->base.out.picture;
	const size_t samples = (size_t)p->width * p->channels;
	const size_t done = p->depth == 8 ? convert_bytes(row, samples, raster->maxval)
	                                  : convert_words(row, samples, raster->maxval);
	if (done == samples)
		return XC_OK;
	return xc_file_fail(raster->base.file.message, XC_ERR_CORRUPT,
	                    "%s sample is above the maximum of %u (in row %u)", raster->name,
	                    raster->maxval, raster->row);
}

/* Rows that follow each other in memory as in the file come in one piece. */
static xc_status read_binary(xc_row_base *base, void *rows, size_t stride, uint32_t count)
{
	xc_raster *raster = (xc_raster *)base;
	const size_t bytes = base->out.picture.stride;
	const size_t most = stride == bytes ? count : 1;
	uint8_t *row = rows;
	for (uint32_t done = 0; done < count;) {
		const size_t got = xc_row_input_copy(&base->input, row, most * bytes) / bytes;
		for (size_t i = 0; i < got; i++, row += stride, raster->row++) {
			const xc_status s = convert_row(raster, row);
			if (s)
				return s;
		}
		if (got < most)
			return xc_raster_fail_short(raster);
		done += (uint32_t)got;
	}
	return XC_OK;
}

/* One file may hold several pictures, one after another. */
xc_status xc_raster_finish(xc_row_base *reader)
{
	xc_raster *raster = (xc_raster *)reader;
	xc_text text = {&reader->input, reader->file.message, raster->name};
	const uint8_t *next;
	while (xc_file_is_space((uint8_t)xc_text_look(&text)))
		xc_row_input_take(&reader->input, 1);
	const size_t size = xc_row_input_peek(&reader->input, 3, &next);
	if (size >= 3 && next[0] == 'P' && xc_file_format_detect(next, size))
		xc_file_warn(reader->file.message,
		             "a %s file with several pictures: only the first is read", raster->name);
	return XC_OK;
}

const xc_row_reader_kind xc_raster_binary = {read_binary, xc_raster_finish, NULL};
