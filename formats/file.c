/* SPDX-License-Identifier: BSD-2-Clause */
#include "formats/file.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

xc_status xc_file_fail(char message[XC_FILE_MESSAGE], xc_status status, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	vsnprintf(message, XC_FILE_MESSAGE, format, list);
	va_end(list);
	return status;
}

void xc_file_warn(char message[XC_FILE_MESSAGE], const char *format, ...)
{
	if (message[0])
		return;
	va_list list;
	va_start(list, format);
	vsnprintf(message, XC_FILE_MESSAGE, format, list);
	va_end(list);
}

int xc_file_tells_loss(const char *message)
{
	return strstr(message, "left out") != NULL;
}

xc_status xc_file_reserve(xc_file_reader *reader, uint64_t bytes)
{
	if (bytes > reader->max_memory - reader->held)
		return xc_file_fail(reader->message, XC_ERR_LIMIT,
		                    "the picture needs more than %" PRIu64 " bytes of memory, the limit",
		                    reader->max_memory);
	reader->held += bytes;
	return XC_OK;
}

xc_status xc_file_shape_rows(xc_file_reader *reader, uint32_t width, uint32_t height,
                             uint32_t channels, uint32_t depth)
{
	if (width == 0 || height == 0)
		return xc_file_fail(reader->message, XC_ERR_CORRUPT, "the picture is empty (%u x %u)",
		                    width, height);
	uint64_t pixels = (uint64_t)width * height;
	if (pixels > reader->max_pixels)
		return xc_file_fail(reader->message, XC_ERR_LIMIT,
		                    "the picture has %u x %u pixels, more than the limit of %" PRIu64,
		                    width, height, reader->max_pixels);
	uint64_t pixel_bytes = (uint64_t)channels * depth / 8;
	if (pixels > SIZE_MAX / 2 / pixel_bytes)
		return xc_file_fail(reader->message, XC_ERR_LIMIT,
		                    "the picture is too large for memory (%u x %u)", width, height);
	reader->out->picture = (xc_picture){
		.width = width,
		.height = height,
		.channels = channels,
		.depth = depth,
		.stride = (size_t)(width * pixel_bytes),
	};
	return XC_OK;
}

xc_status xc_file_shape(xc_file_reader *reader, uint32_t width, uint32_t height, uint32_t channels,
                        uint32_t depth)
{
	const xc_status status = xc_file_shape_rows(reader, width, height, channels, depth);
	const xc_picture *picture = &reader->out->picture;
	return status ? status : xc_file_reserve(reader, (uint64_t)picture->stride * picture->height);
}

xc_status xc_file_allocate(xc_file_reader *reader)
{
	xc_picture *picture = &reader->out->picture;
	picture->data = malloc(picture->stride * picture->height);
	if (!picture->data)
		return xc_file_fail(reader->message, XC_ERR_MEMORY, "out of memory for %u x %u pixels",
		                    picture->width, picture->height);
	reader->out->owned[XC_OWNED_PIXELS] = picture->data;
	return XC_OK;
}

xc_status xc_file_check_rows(char *message, const char *name, size_t size, size_t offset,
                             uint64_t row, uint32_t height)
{
	if ((size - offset) / row >= height)
		return XC_OK;
	return xc_file_fail(message, XC_ERR_TRUNCATED, "%s ends in row %" PRIu64 " of %u (at byte %zu)",
	                    name, (size - offset) / row, height, size);
}

xc_status xc_file_copy(xc_file_reader *reader, const void *data, size_t size, int owner,
                       const char *what, xc_blob *blob)
{
	xc_status status = xc_file_reserve(reader, size);
	if (status)
		return status;
	void *copy = malloc(size);
	if (!copy)
		return xc_file_fail(reader->message, XC_ERR_MEMORY, "out of memory for %s", what);
	memcpy(copy, data, size);
	reader->out->owned[owner] = copy;
	*blob = (xc_blob){copy, size};
	return XC_OK;
}

xc_status xc_file_start(const xc_file_writer *writer, const char *header, uint64_t row,
                        uint32_t height, uint8_t **rows)
{
	size_t header_size = strlen(header);
	if (height > (SIZE_MAX - header_size) / row)
		return xc_file_fail(writer->message, XC_ERR_ARGUMENT,
		                    "the picture to write is impossibly large");
	size_t size = header_size + (size_t)row * height;
	uint8_t *file = malloc(size);
	if (!file)
		return xc_file_fail(writer->message, XC_ERR_MEMORY, "out of memory for a file of %zu bytes",
		                    size);
	memcpy(file, header, header_size);
	*writer->out = file;
	*writer->out_size = size;
	*rows = file + header_size;
	return XC_OK;
}
