/* SPDX-License-Identifier: BSD-2-Clause */
#include "formats/png/png.h"

#include <inttypes.h>
#include <string.h>

enum { HEAD = 8, CHECKSUM = 4 };

const uint8_t xc_png_signature[XC_PNG_SIGNATURE] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

static int is_letters(const uint8_t *type)
{
	for (int i = 0; i < 4; i++) {
		const uint8_t lower = type[i] | 0x20;
		if (lower < 'a' || lower > 'z')
			return 0;
	}
	return 1;
}

xc_status xc_png_damaged(const xc_png_chunks *chunks, const char *what)
{
	return xc_file_fail(chunks->file->message, XC_ERR_CORRUPT,
	                    "PNG is damaged: %s (in the chunk at byte %" PRIu64 ")", what,
	                    chunks->start);
}

xc_status xc_png_enter(xc_png_chunks *chunks)
{
	const uint8_t *p;
	char *message = chunks->file->message;

	chunks->start = xc_row_input_position(chunks->input);
	const size_t n = xc_row_input_peek(chunks->input, HEAD, &p);
	if (n < HEAD && chunks->input->failed)
		return xc_row_input_failed(chunks->input, message);
	if (n < HEAD)
		return xc_file_fail(message, XC_ERR_TRUNCATED,
		                    "PNG ends without its IEND chunk (at byte %" PRIu64 ")",
		                    chunks->start + n);
	chunks->size = chunks->left = xc_load_be32(p);
	if (!is_letters(p + 4) || chunks->size >> 31)
		return xc_file_fail(message, XC_ERR_CORRUPT, "PNG chunk is damaged (at byte %" PRIu64 ")",
		                    chunks->start);
	memcpy(chunks->type, p + 4, 4);
	chunks->crc = xc_png_crc(0, p + 4, 4);
	xc_row_input_take(chunks->input, HEAD);
	return XC_OK;
}

xc_status xc_png_cut(const xc_png_chunks *chunks)
{
	if (chunks->input->failed)
		return xc_row_input_failed(chunks->input, chunks->file->message);
	return xc_file_fail(chunks->file->message, XC_ERR_TRUNCATED,
	                    "PNG ends inside its chunk %s (at byte %" PRIu64 ")", chunks->type,
	                    chunks->start);
}

xc_status xc_png_take(xc_png_chunks *chunks, const uint8_t **data, size_t *size)
{
	*size = 0;
	if (chunks->left == 0)
		return XC_OK;
	const size_t n = xc_row_input_peek(chunks->input, 1, data);
	if (n == 0)
		return xc_png_cut(chunks);
	*size = n < chunks->left ? n : chunks->left;
	xc_row_input_take(chunks->input, *size);
	chunks->left -= (uint32_t)*size;
	chunks->crc = xc_png_crc(chunks->crc, *data, *size);
	return XC_OK;
}

xc_status xc_png_copy(xc_png_chunks *chunks, uint8_t *to, size_t size)
{
	if (xc_row_input_copy(chunks->input, to, size) < size)
		return xc_png_cut(chunks);
	chunks->left -= (uint32_t)size;
	chunks->crc = xc_png_crc(chunks->crc, to, size);
	return XC_OK;
}

xc_status xc_png_leave(xc_png_chunks *chunks, int *intact)
{
	const uint8_t *data;
	size_t size = 1;

	while (size) {
		const xc_status status = xc_png_take(chunks, &data, &size);
		if (status)
			return status;
	}
	if (xc_row_input_peek(chunks->input, CHECKSUM, &data) < CHECKSUM)
		return xc_png_cut(chunks);
	const int holds = xc_load_be32(data) == chunks->crc;
	xc_row_input_take(chunks->input, CHECKSUM);
	if (intact)
		*intact = holds;
	return holds || intact ? XC_OK : xc_png_damaged(chunks, "its checksum does not hold");
}
