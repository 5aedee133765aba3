/* SPDX-License-Identifier: BSD-2-Clause */
/* PBM, PGM and PPM, plain (P1 to P3) and binary (P4 to P6); see pbm(5), pgm(5) and ppm(5)
 * of netpbm.  Only the first picture of a file is read. */
#include "formats/netpbm.h"

typedef struct pnm_header {
	int plain, bitmap;
	uint32_t width, height, channels, maxval;
} pnm_header;

static xc_status read_header(xc_text *text, pnm_header *header)
{
	char kind = (char)text->data[1];
	text->at = 2;
	header->plain = kind <= '3';
	header->bitmap = kind == '1' || kind == '4';
	header->channels = kind == '3' || kind == '6' ? 3 : 1;
	header->maxval = 1;
	xc_status status = xc_text_size(text, &header->width, &header->height);
	if (!status && !header->bitmap)
		status = xc_text_number(text, "maximum value", 65535, &header->maxval);
	if (!status && header->maxval == 0)
		return xc_file_fail(text->message, XC_ERR_CORRUPT,
		                    "PNM maximum value is zero (at byte %zu)", text->at);
	return status ? status : xc_text_end_header(text);
}

/* Reads one digit, which need not be separated from the next; 1 is black. */
static xc_status read_bit(xc_text *text, uint32_t *value)
{
	xc_text_skip_space(text);
	if (text->at == text->size)
		return xc_file_fail(text->message, XC_ERR_TRUNCATED, "PNM ends too early (at byte %zu)",
		                    text->at);
	uint8_t digit = text->data[text->at];
	if (digit != '0' && digit != '1')
		return xc_file_fail(text->message, XC_ERR_CORRUPT,
		                    "PNM bit is neither 0 nor 1 (at byte %zu)", text->at);
	text->at++;
	*value = digit == '0' ? 255 : 0;
	return XC_OK;
}

static xc_status read_plain(xc_file_reader *reader, xc_text *text, const pnm_header *header)
{
	const xc_picture *picture = &reader->out->picture;
	size_t samples = (size_t)header->width * header->channels;
	/* A sample takes a digit, and a space except in a bitmap and after the last one. */
	size_t least = header->bitmap ? samples : 2 * samples;
	if ((text->size - text->at + 1) / least < header->height)
		return xc_file_fail(text->message, XC_ERR_TRUNCATED,
		                    "PNM is too short for %u x %u samples (at byte %zu)", header->width,
		                    header->height, text->size);
	xc_status status = xc_file_allocate(reader);
	uint32_t peak = picture->depth == 8 ? 255 : 65535;
	for (uint32_t y = 0; y < header->height && !status; y++) {
		void *row = xc_file_row(picture, y);
		for (size_t i = 0; i < samples && !status; i++) {
			uint32_t value = 0;
			if (header->bitmap) {
				status = read_bit(text, &value);
			} else {
				status = xc_text_number(text, "sample", header->maxval, &value);
				value = xc_raster_scale(value, header->maxval, peak);
			}
			xc_file_put(row, i, picture->depth, value);
		}
	}
	return status;
}

/* A byte holds eight pixels, the most significant bit first; rows are padded to bytes. */
static xc_status read_bitmap(xc_file_reader *reader, const xc_text *text, const pnm_header *header)
{
	size_t row_bytes = (size_t)header->width / 8 + (header->width % 8 != 0);
	xc_status status = xc_file_check_rows(text->message, "PNM", text->size, text->at, row_bytes,
	                                      header->height);
	if (!status)
		status = xc_file_allocate(reader);
	if (status)
		return status;
	const uint8_t *from = text->data + text->at;
	for (uint32_t y = 0; y < header->height; y++, from += row_bytes) {
		uint8_t *row = xc_file_row(&reader->out->picture, y);
		for (uint32_t x = 0; x < header->width; x++)
			row[x] = from[x / 8] >> (7 - x % 8) & 1 ? 0 : 255;
	}
	return XC_OK;
}

xc_status xc_pnm_read(xc_file_reader *reader)
{
	xc_text text = {reader->data, reader->size, 0, reader->message, "PNM"};
	pnm_header header;
	xc_status status = read_header(&text, &header);
	if (!status)
		status = xc_file_shape(reader, header.width, header.height, header.channels,
		                       xc_raster_depth(header.maxval));
	if (status)
		return status;
	if (header.plain)
		return read_plain(reader, &text, &header);
	if (header.bitmap)
		return read_bitmap(reader, &text, &header);
	return xc_raster_read_binary(reader, text.at, header.maxval, "PNM");
}
