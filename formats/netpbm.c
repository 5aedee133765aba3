/* SPDX-License-Identifier: BSD-2-Clause */
#include "formats/netpbm.h"

#include <string.h>

/* -------------------------------------------------------------------- text */

static void skip_line(xc_text *text)
{
	while (text->at < text->size && text->data[text->at] != '\n' && text->data[text->at] != '\r')
		text->at++;
}

void xc_text_skip_space(xc_text *text)
{
	while (text->at < text->size) {
		if (text->data[text->at] == '#')
			skip_line(text);
		else if (xc_file_is_space(text->data[text->at]))
			text->at++;
		else
			return;
	}
}

xc_status xc_text_number(xc_text *text, const char *what, uint32_t most, uint32_t *value)
{
	xc_text_skip_space(text);
	size_t start = text->at;
	uint64_t number = 0;
	while (text->at < text->size) {
		unsigned digit = (unsigned)text->data[text->at] - '0';
		if (digit > 9)
			break;
		number = number * 10 + digit;
		if (number > most)
			return xc_file_fail(text->message, XC_ERR_CORRUPT, "%s %s is above %u (at byte %zu)",
			                    text->format, what, most, start);
		text->at++;
	}
	if (text->at == start && start == text->size)
		return xc_file_fail(text->message, XC_ERR_TRUNCATED, "%s ends before its %s (at byte %zu)",
		                    text->format, what, start);
	if (text->at == start)
		return xc_file_fail(text->message, XC_ERR_CORRUPT,
		                    "%s has no number for its %s (at byte %zu)", text->format, what, start);
	*value = (uint32_t)number;
	return XC_OK;
}

xc_status xc_text_size(xc_text *text, uint32_t *width, uint32_t *height)
{
	xc_status status = xc_text_number(text, "width", UINT32_MAX, width);
	return status ? status : xc_text_number(text, "height", UINT32_MAX, height);
}

xc_status xc_text_end_header(xc_text *text)
{
	if (text->at < text->size && text->data[text->at] == '#')
		skip_line(text);
	if (text->at >= text->size)
		return xc_file_fail(text->message, XC_ERR_TRUNCATED,
		                    "%s ends after its header (at byte %zu)", text->format, text->at);
	if (!xc_file_is_space(text->data[text->at]))
		return xc_file_fail(text->message, XC_ERR_CORRUPT,
		                    "%s header does not end in white space (at byte %zu)", text->format,
		                    text->at);
	text->at++;
	return XC_OK;
}

/* ----------------------------------------------------------------- samples */

/* These two return how many samples they converted: fewer than n if the next one is above
 * maxval. */
static size_t convert_bytes(uint8_t *to, const uint8_t *from, size_t n, uint32_t maxval)
{
	if (maxval == 255) {
		memcpy(to, from, n);
		return n;
	}
	uint8_t scaled[256];
	for (uint32_t v = 0; v <= maxval; v++)
		scaled[v] = (uint8_t)xc_raster_scale(v, maxval, 255);
	for (size_t i = 0; i < n; i++) {
		if (from[i] > maxval)
			return i;
		to[i] = scaled[from[i]];
	}
	return n;
}

static size_t convert_words(uint16_t *to, const uint8_t *from, size_t n, uint32_t maxval)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t value = xc_load_be16(from + 2 * i);
		if (value > maxval)
			return i;
		to[i] = (uint16_t)(maxval == 65535 ? value : xc_raster_scale(value, maxval, 65535));
	}
	return n;
}

xc_status xc_raster_read_binary(xc_file_reader *reader, size_t offset, uint32_t maxval,
                                const char *format)
{
	const xc_picture *picture = &reader->out->picture;
	size_t row = picture->stride, samples = (size_t)picture->width * picture->channels;
	xc_status status = xc_file_check_rows(reader->message, format, reader->size, offset, row,
	                                      picture->height);
	if (!status)
		status = xc_file_allocate(reader);
	if (status)
		return status;
	const uint8_t *from = reader->data + offset;
	for (uint32_t y = 0; y < picture->height; y++, from += row) {
		void *to = xc_file_row(picture, y);
		size_t done = picture->depth == 8 ? convert_bytes(to, from, samples, maxval)
		                                  : convert_words(to, from, samples, maxval);
		if (done < samples)
			return xc_file_fail(reader->message, XC_ERR_CORRUPT,
			                    "%s sample is above the maximum of %u (in row %u)", format, maxval,
			                    y);
	}
	return XC_OK;
}
