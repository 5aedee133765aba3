/* SPDX-License-Identifier: BSD-2-Clause */
/* PBM, PGM and PPM, plain (P1 to P3) and binary (P4 to P6); see pbm(5), pgm(5) and ppm(5)
 * of netpbm.  Only the first picture of a file is read. */
#include "formats/netpbm.h"

#include <inttypes.h>

static xc_text text_of(xc_row_base *base)
{
	return (xc_text){&base->input, base->file.message, "PNM"};
}

/* Reads one digit, which need not be separated from the next; 1 is black. */
static xc_status read_bit(xc_text *text, uint32_t *value)
{
	xc_text_skip_space(text);
	const int digit = xc_text_look(text);
	if (digit < 0)
		return xc_file_fail(text->message, XC_ERR_TRUNCATED, "PNM ends too early (at byte %llu)",
		                    xc_text_position(text));
	if (digit != '0' && digit != '1')
		return xc_file_fail(text->message, XC_ERR_CORRUPT,
		                    "PNM bit is neither 0 nor 1 (at byte %llu)", xc_text_position(text));
	xc_row_input_take(text->input, 1);
	*value = digit == '0' ? 255 : 0;
	return XC_OK;
}

static xc_status read_plain_bits(xc_row_base *base, void *rows, size_t stride, uint32_t count)
{
	xc_text text = text_of(base);
	xc_status status = XC_OK;
	for (uint32_t y = 0; y < count && !status; y++) {
		uint8_t *row = (uint8_t *)rows + y * stride;
		for (uint32_t x = 0; x < base->out.picture.width && !status; x++) {
			uint32_t value = 0;
			status = read_bit(&text, &value);
			row[x] = (uint8_t)value;
		}
	}
	return status;
}

static xc_status read_plain(xc_row_base *base, void *rows, size_t stride, uint32_t count)
{
	const xc_picture *p = &base->out.picture;
	const uint32_t maxval = ((const xc_raster *)base)->maxval, peak = p->depth == 8 ? 255 : 65535;
	const size_t samples = (size_t)p->width * p->channels;
	xc_text text = text_of(base);
	xc_status status = XC_OK;
	for (uint32_t y = 0; y < count && !status; y++) {
		void *row = (uint8_t *)rows + y * stride;
		for (size_t i = 0; i < samples && !status; i++) {
			uint32_t value = 0;
			status = xc_text_number(&text, "sample", maxval, &value);
			xc_file_put(row, i, p->depth, xc_raster_scale(value, maxval, peak));
		}
	}
	return status;
}

static size_t bitmap_row(uint32_t width)
{
	return (size_t)width / 8 + (width % 8 != 0);
}

/* A byte holds eight pixels, the most significant bit first; rows are padded to bytes.  The bytes
 * are read to the end of their row and spread from its start. */
static xc_status read_bitmap(xc_row_base *base, void *rows, size_t stride, uint32_t count)
{
	xc_raster *raster = (xc_raster *)base;
	const uint32_t width = base->out.picture.width;
	const size_t bytes = bitmap_row(width);
	for (uint32_t y = 0; y < count; y++, raster->row++) {
		uint8_t *row = (uint8_t *)rows + y * stride, *from = row + width - bytes;
		if (xc_row_input_copy(&base->input, from, bytes) < bytes)
			return xc_raster_fail_short(raster);
		for (uint32_t x = 0; x < width;) {
			const uint8_t byte = *from++;
			for (uint32_t end = x + 8 < width ? x + 8 : width, bit = 7; x < end; x++, bit--)
				row[x] = byte >> bit & 1 ? 0 : 255;
		}
	}
	return XC_OK;
}

static xc_status read_header(xc_raster *raster, char kind)
{
	xc_text text = text_of(&raster->base);
	uint32_t width = 0, height = 0;
	const int bitmap = kind == '1' || kind == '4';
	raster->maxval = 1;
	xc_status status = xc_text_size(&text, &width, &height);
	if (!status && !bitmap)
		status = xc_text_number(&text, "maximum value", 65535, &raster->maxval);
	if (!status && raster->maxval == 0)
		return xc_file_fail(text.message, XC_ERR_CORRUPT,
		                    "PNM maximum value is zero (at byte %llu)", xc_text_position(&text));
	if (!status)
		status = xc_text_end_header(&text);
	return status ? status
	              : xc_raster_shape(raster, width, height, kind == '3' || kind == '6' ? 3 : 1);
}

/* Plain samples take a digit each, and a space except in a bitmap and after the last one. */
static xc_status check_plain(const xc_raster *raster, int bitmap)
{
	const xc_row_input *in = &raster->base.input;
	const xc_picture *p = &raster->base.out.picture;
	const uint64_t samples = (uint64_t)p->width * p->channels;
	if (!in->ended || raster->base.file.limits.keep_going ||
	    (in->end - in->at + 1) / (bitmap ? samples : 2 * samples) >= p->height)
		return XC_OK;
	return xc_file_fail(raster->base.file.message, XC_ERR_TRUNCATED,
	                    "PNM is too short for %u x %u samples (at byte %" PRIu64 ")", p->width,
	                    p->height, in->before + in->end);
}

static xc_status open_pnm(xc_row_base *base)
{
	static const xc_row_reader_kind plain_bits = {read_plain_bits, xc_raster_finish, NULL};
	static const xc_row_reader_kind plain = {read_plain, xc_raster_finish, NULL};
	static const xc_row_reader_kind bitmap = {read_bitmap, xc_raster_finish, NULL};
	xc_raster *raster = (xc_raster *)base;
	uint8_t magic[2] = {0};
	xc_row_input_copy(&base->input, magic, sizeof magic);
	const char kind = (char)magic[1];
	raster->name = "PNM";
	const xc_status status = read_header(raster, kind);
	if (status)
		return status;
	if (kind <= '3') {
		base->kind = kind == '1' ? &plain_bits : &plain;
		return check_plain(raster, kind == '1');
	}
	base->kind = kind == '4' ? &bitmap : &xc_raster_binary;
	return xc_raster_check(raster, kind == '4' ? bitmap_row(base->out.picture.width)
	                                           : base->out.picture.stride);
}

const xc_row_format xc_pnm_rows = {sizeof(xc_raster), open_pnm};
