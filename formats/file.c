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
	const xc_file_limits *l = &reader->limits;
	if (l->max_memory && (reader->held > l->max_memory || bytes > l->max_memory - reader->held))
		return xc_file_fail(reader->message, XC_ERR_LIMIT,
		                    "the picture needs more than %" PRIu64 " bytes of memory, the limit",
		                    l->max_memory);
	if (l->context && xc_context_charge(l->context, bytes))
		return xc_file_fail(reader->message, XC_ERR_LIMIT, "%s", xc_context_message(l->context));
	reader->held += bytes;
	return XC_OK;
}

void xc_file_unreserve(xc_file_reader *reader, uint64_t bytes)
{
	reader->held -= bytes;
	xc_context_refund(reader->limits.context, bytes);
}

xc_status xc_file_check_whole(const xc_file_reader *reader)
{
	const xc_picture *p = &reader->out->picture;
	return reader->limits.file_bytes
	           ? XC_OK
	           : xc_file_check_expansion(reader, (uint64_t)p->width * p->height, 0);
}

/* Metadata may always come to a MiB. */
int xc_file_may_inflate(const xc_file_reader *reader, uint64_t more)
{
	const uint64_t most = (reader->limits.max_expansion + 15) / 16;
	return !most || (reader->inflated + more) / most <= reader->deflated + (1 << 20) / most;
}

xc_status xc_file_check_expansion(const xc_file_reader *reader, uint64_t pixels, uint64_t bytes)
{
	const uint64_t most = reader->limits.max_expansion;
	if (!most || pixels <= XC_ANY_FILE_PIXELS || (pixels - 1) / most < bytes)
		return XC_OK;
	return xc_file_fail(reader->message, XC_ERR_LIMIT,
	                    "more than %" PRIu64 " pixels for each byte of the file, the limit", most);
}

static xc_status fail_large(const xc_file_reader *reader, uint32_t width, uint32_t height)
{
	return xc_file_fail(reader->message, XC_ERR_LIMIT,
	                    "the picture is too large for memory (%u x %u)", width, height);
}

xc_status xc_file_shape_rows(xc_file_reader *reader, uint32_t width, uint32_t height,
                             uint32_t channels, uint32_t depth)
{
	if (width == 0 || height == 0)
		return xc_file_fail(reader->message, XC_ERR_CORRUPT, "the picture is empty (%u x %u)",
		                    width, height);
	uint64_t pixels = (uint64_t)width * height;
	if (reader->limits.max_pixels && pixels > reader->limits.max_pixels)
		return xc_file_fail(reader->message, XC_ERR_LIMIT,
		                    "the picture has %u x %u pixels, more than the limit of %" PRIu64,
		                    width, height, reader->limits.max_pixels);
	if (reader->limits.file_bytes) {
		const xc_status status = xc_file_check_expansion(reader, pixels, reader->limits.file_bytes);
		if (status)
			return status;
	}
	uint64_t pixel_bytes = (uint64_t)channels * depth / 8;
	if (width > SIZE_MAX / 2 / pixel_bytes)
		return fail_large(reader, width, height);
	reader->out->picture = (xc_picture){
		.width = width,
		.height = height,
		.channels = channels,
		.depth = depth,
		.stride = (size_t)(width * pixel_bytes),
	};
	return XC_OK;
}

xc_status xc_file_allocate(xc_file_reader *reader)
{
	xc_picture *picture = &reader->out->picture;
	if (picture->height > SIZE_MAX / 2 / picture->stride)
		return fail_large(reader, picture->width, picture->height);
	picture->data = malloc(picture->stride * picture->height);
	if (!picture->data)
		return xc_file_fail(reader->message, XC_ERR_MEMORY, "out of memory for %u x %u pixels",
		                    picture->width, picture->height);
	reader->out->owned[XC_OWNED_PIXELS] = picture->data;
	return XC_OK;
}

xc_status xc_file_copy(xc_file_reader *reader, const void *data, size_t size, xc_blob *copy)
{
	xc_status status = xc_file_reserve(reader, size);
	if (status)
		return status;
	void *bytes = malloc(size);
	if (!bytes)
		return xc_file_fail(reader->message, XC_ERR_MEMORY, "out of memory for metadata");
	*copy = (xc_blob){memcpy(bytes, data, size), size};
	return XC_OK;
}
