/* SPDX-License-Identifier: BSD-2-Clause */
/* PFM (pfm(5) of netpbm): 32-bit IEEE floats, the bottom row first.  The sign of the
 * header's third number tells the byte order (negative: little-endian).  Its size is a
 * unit of measure, which is ignored. */
#include "lab/command/arrays.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/netpbm.h"

_Static_assert(sizeof(float) == 4, "PFM samples are 32-bit floats");

enum { HEADER_MAX = 64 };

static float load_float(const uint8_t *p, int big_endian)
{
	uint32_t bits = big_endian ? xc_load_be32(p) : xc_load_le32(p);
	float value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

static void store_float_le(uint8_t *p, float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof bits);
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(bits >> 8 * i);
}

/* Reads a number up to white space: an optional sign, digits with at most one point among
 * them, and perhaps an exponent.  *negative is its sign.  strtod() would not do: it asks
 * the locale what a decimal point is. */
static xc_status read_scale(xc_text *text, int *negative)
{
	xc_text_skip_space(text);
	const unsigned long long start = xc_text_position(text);
	int digits = 0, nonzero = 0, mantissa = 1, c = xc_text_look(text);
	const int ends = c < 0;
	*negative = c == '-';
	for (; (c = xc_text_look(text)) >= 0 && !xc_file_is_space((uint8_t)c);
	     xc_row_input_take(text->input, 1)) {
		if (c >= '0' && c <= '9') {
			digits++;
			nonzero |= mantissa && c != '0';
		} else if (c == 'e' || c == 'E') {
			mantissa = 0;
		} else if (c != '.' && c != '+' && c != '-') {
			nonzero = 0;
			break;
		}
	}
	if (digits == 0 || !nonzero)
		return xc_file_fail(text->message, ends ? XC_ERR_TRUNCATED : XC_ERR_CORRUPT,
		                    "PFM has no scale but zero (at byte %llu)", start);
	return XC_OK;
}

static xc_status read_header(xc_text *text, xc_float_picture *picture, int *big_endian)
{
	int negative = 0;

	picture->channels = text->input->bytes[1] == 'F' ? 3 : 1;
	xc_row_input_take(text->input, 2);
	xc_status status = xc_text_size(text, &picture->width, &picture->height);
	if (!status)
		status = read_scale(text, &negative);
	*big_endian = !negative;
	if (!status)
		status = xc_text_end_header(text);
	if (!status && (picture->width == 0 || picture->height == 0))
		return xc_file_fail(text->message, XC_ERR_CORRUPT, "PFM picture is empty (%u x %u)",
		                    picture->width, picture->height);
	return status;
}

static xc_status read_samples(const xc_text *text, int big_endian, xc_float_picture *picture)
{
	uint64_t row = (uint64_t)picture->width * picture->channels * sizeof(float);
	const uint64_t rows = (text->input->end - text->input->at) / row;

	if (rows < picture->height)
		return xc_file_fail(text->message, XC_ERR_TRUNCATED,
		                    "PFM ends in row %llu of %u (at byte %zu)", (unsigned long long)rows,
		                    picture->height, text->input->end);
	/* The file is as large as the samples, so their size fits. */
	size_t n = (size_t)row / sizeof(float);
	picture->data = malloc((size_t)row * picture->height);
	if (!picture->data)
		return xc_file_fail(text->message, XC_ERR_MEMORY, "out of memory for %u x %u floats",
		                    picture->width, picture->height);
	const uint8_t *from = text->input->bytes + text->input->at;
	for (uint32_t y = 0; y < picture->height; y++) {
		float *to = picture->data + (size_t)(picture->height - 1 - y) * n;
		for (size_t i = 0; i < n; i++, from += sizeof(float))
			to[i] = load_float(from, big_endian);
	}
	return XC_OK;
}

xc_status xc_pfm_read(const void *data, size_t size, xc_float_picture *out,
                      char message[XC_FILE_MESSAGE])
{
	*out = (xc_float_picture){0};
	message[0] = '\0';
	if (xc_file_format_detect(data, size) != XC_FILE_PFM)
		return xc_file_fail(message, XC_ERR_FORMAT, "not a PFM file");
	xc_row_input input;
	xc_row_input_open_memory(&input, data, size);
	xc_text text = {&input, message, "PFM"};
	int big_endian = 0;
	xc_status status = read_header(&text, out, &big_endian);
	if (!status)
		status = read_samples(&text, big_endian, out);
	if (status)
		*out = (xc_float_picture){0};
	return status;
}

xc_status xc_pfm_write(const xc_float_picture *picture, uint8_t **out, size_t *out_size,
                       char message[XC_FILE_MESSAGE])
{
	*out = NULL;
	*out_size = 0;
	message[0] = '\0';
	if (!picture->data || picture->width == 0 || picture->height == 0)
		return xc_file_fail(message, XC_ERR_ARGUMENT, "the picture to write is empty");
	if (picture->channels != 1 && picture->channels != 3)
		return xc_file_fail(message, XC_ERR_UNSUPPORTED, "PFM holds 1 or 3 channels, not %u",
		                    picture->channels);
	char header[HEADER_MAX];
	snprintf(header, sizeof header, "P%c\n%u %u\n-1.0\n", picture->channels == 3 ? 'F' : 'f',
	         picture->width, picture->height);
	uint64_t row = (uint64_t)picture->width * picture->channels * sizeof(float);
	if (picture->height > (SIZE_MAX - sizeof header) / row)
		return xc_file_fail(message, XC_ERR_ARGUMENT, "the picture to write is impossibly large");
	*out_size = strlen(header) + (size_t)row * picture->height;
	*out = malloc(*out_size);
	if (!*out)
		return xc_file_fail(message, XC_ERR_MEMORY, "out of memory for a file");
	uint8_t *to = memcpy(*out, header, strlen(header));
	to += strlen(header);
	size_t n = (size_t)row / sizeof(float);
	for (uint32_t y = picture->height; y-- > 0;)
		for (size_t i = 0; i < n; i++, to += sizeof(float))
			store_float_le(to, picture->data[y * n + i]);
	return XC_OK;
}
