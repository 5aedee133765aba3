/* SPDX-License-Identifier: BSD-2-Clause */
#include "formats/raster.h"

#include <inttypes.h>
#include <string.h>

/* Each returns how many samples it converted: fewer than n when the next one is
 * above maxval. */
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
	if ((reader->size - offset) / row < picture->height)
		return xc_file_fail(reader->message, XC_ERR_TRUNCATED,
		                    "%s ends in row %zu of %" PRIu32 " (at byte %zu)", format,
		                    (reader->size - offset) / row, picture->height, reader->size);
	xc_status status = xc_file_allocate(reader);
	if (status)
		return status;
	const uint8_t *from = reader->data + offset;
	for (uint32_t y = 0; y < picture->height; y++, from += row) {
		void *to = xc_file_row(picture, y);
		size_t done = picture->depth == 8 ? convert_bytes(to, from, samples, maxval)
		                                  : convert_words(to, from, samples, maxval);
		if (done < samples)
			return xc_file_fail(reader->message, XC_ERR_CORRUPT,
			                    "%s sample is above the maximum of %" PRIu32 " (in row %" PRIu32
			                    ")",
			                    format, maxval, y);
	}
	return XC_OK;
}
