/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading and writing any picture file: dispatch, limits, memory, messages. */
#include "formats/internal.h"

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

xc_status xc_file_reserve(xc_file_reader *reader, uint64_t bytes)
{
	if (bytes > reader->max_memory - reader->held)
		return xc_file_fail(reader->message, XC_ERR_LIMIT,
		                    "the picture needs more than %" PRIu64 " bytes of memory, the limit",
		                    reader->max_memory);
	reader->held += bytes;
	return XC_OK;
}

xc_status xc_file_shape(xc_file_reader *reader, uint32_t width, uint32_t height, uint32_t channels,
                        uint32_t depth)
{
	if (width == 0 || height == 0)
		return xc_file_fail(reader->message, XC_ERR_CORRUPT,
		                    "the picture is empty (%" PRIu32 " x %" PRIu32 ")", width, height);
	uint64_t pixels = (uint64_t)width * height;
	if (pixels > reader->max_pixels)
		return xc_file_fail(reader->message, XC_ERR_LIMIT,
		                    "the picture has %" PRIu32 " x %" PRIu32
		                    " pixels, more than the limit of %" PRIu64,
		                    width, height, reader->max_pixels);
	uint64_t pixel_bytes = (uint64_t)channels * depth / 8;
	if (pixels > SIZE_MAX / 2 / pixel_bytes)
		return xc_file_fail(reader->message, XC_ERR_LIMIT,
		                    "the picture is too large for memory (%" PRIu32 " x %" PRIu32 ")",
		                    width, height);
	xc_status status = xc_file_reserve(reader, pixels * pixel_bytes);
	if (status)
		return status;
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
	picture->data = malloc(picture->stride * picture->height);
	if (!picture->data)
		return xc_file_fail(reader->message, XC_ERR_MEMORY,
		                    "out of memory for %" PRIu32 " x %" PRIu32 " pixels", picture->width,
		                    picture->height);
	reader->out->owned[XC_OWNED_PIXELS] = picture->data;
	return XC_OK;
}

void xc_file_picture_free(xc_file_picture *picture)
{
	if (!picture)
		return;
	for (size_t i = 0; i < sizeof picture->owned / sizeof *picture->owned; i++)
		free(picture->owned[i]);
	*picture = (xc_file_picture){0};
}

/* PNG's eight first bytes are made so that a transfer as text breaks them; most of
 * the first four survive. */
static int is_nearly_png(const xc_file_reader *reader)
{
	static const uint8_t start[4] = {0x89, 'P', 'N', 'G'};
	int equal = 0;
	for (size_t i = 0; i < sizeof start && i < reader->size; i++)
		equal += reader->data[i] == start[i];
	return equal >= 3;
}

static xc_status unreadable(const xc_file_reader *reader, xc_file_format format)
{
	switch (format) {
	case XC_FILE_XC:
		return xc_file_fail(reader->message, XC_ERR_UNSUPPORTED,
		                    "an XC file, where a picture file is wanted");
	case XC_FILE_PFM:
		return xc_file_fail(reader->message, XC_ERR_UNSUPPORTED,
		                    "a PFM file: only the transforms take floating-point samples");
	default:
		break;
	}
	if (reader->size == 0)
		return xc_file_fail(reader->message, XC_ERR_FORMAT, "the file is empty");
	if (is_nearly_png(reader))
		return xc_file_fail(
			reader->message, XC_ERR_CORRUPT,
			"PNG signature is damaged, as after a transfer in text mode (at byte 0)");
	return xc_file_fail(reader->message, XC_ERR_FORMAT, "not a PNG, PNM, PAM or BMP file");
}

static xc_status read_any(xc_file_reader *reader)
{
	xc_file_format format = xc_file_format_detect(reader->data, reader->size);
	switch (format) {
	case XC_FILE_PNG:
		return xc_png_read(reader);
	case XC_FILE_PGM:
	case XC_FILE_PPM:
		return xc_pnm_read(reader);
	case XC_FILE_PAM:
		return xc_pam_read(reader);
	case XC_FILE_BMP:
		return xc_bmp_read(reader);
	default:
		return unreadable(reader, format);
	}
}

xc_status xc_file_read(const void *data, size_t size, uint64_t max_pixels, uint64_t max_memory,
                       xc_file_picture *out, char message[XC_FILE_MESSAGE])
{
	return xc_file_read_watched(data, size, max_pixels, max_memory, NULL, out, message);
}

xc_status xc_file_read_watched(const void *data, size_t size, uint64_t max_pixels,
                               uint64_t max_memory, const xc_file_watcher *watcher,
                               xc_file_picture *out, char message[XC_FILE_MESSAGE])
{
	*out = (xc_file_picture){0};
	message[0] = '\0';
	xc_file_reader reader = {
		.data = data,
		.size = data ? size : 0,
		.max_pixels = max_pixels ? max_pixels : UINT64_MAX,
		.max_memory = max_memory ? max_memory : UINT64_MAX,
		.watcher = watcher,
		.out = out,
		.message = message,
	};
	xc_status status = read_any(&reader);
	if (status)
		xc_file_picture_free(out);
	return status;
}

static xc_status check_picture(const xc_picture *picture, char *message)
{
	if (!picture->data || picture->width == 0 || picture->height == 0)
		return xc_file_fail(message, XC_ERR_ARGUMENT, "the picture to write is empty");
	if (picture->channels < 1 || picture->channels > 4 ||
	    (picture->depth != 8 && picture->depth != 16))
		return xc_file_fail(message, XC_ERR_ARGUMENT,
		                    "the picture to write has %" PRIu32 " channels of %" PRIu32 " bits",
		                    picture->channels, picture->depth);
	uint64_t row = (uint64_t)picture->width * picture->channels * (picture->depth / 8);
	if (picture->stride < row || picture->stride % (picture->depth / 8) != 0)
		return xc_file_fail(message, XC_ERR_ARGUMENT,
		                    "the picture to write has a stride of %zu bytes", picture->stride);
	return XC_OK;
}

xc_status xc_file_write(xc_file_format format, const xc_picture *picture,
                        const xc_metadata *metadata, int level, uint8_t **out, size_t *out_size,
                        char message[XC_FILE_MESSAGE])
{
	return xc_file_write_watched(format, picture, metadata, level, NULL, out, out_size, message);
}

xc_status xc_file_write_watched(xc_file_format format, const xc_picture *picture,
                                const xc_metadata *metadata, int level,
                                const xc_file_watcher *watcher, uint8_t **out, size_t *out_size,
                                char message[XC_FILE_MESSAGE])
{
	*out = NULL;
	*out_size = 0;
	message[0] = '\0';
	xc_status status = check_picture(picture, message);
	if (status)
		return status;
	switch (format) {
	case XC_FILE_PNG:
		return xc_png_write(picture, metadata, level, watcher, out, out_size, message);
	case XC_FILE_PGM:
	case XC_FILE_PPM:
	case XC_FILE_PAM:
		return xc_pnm_write(format, picture, out, out_size, message);
	default:
		return xc_file_fail(message, XC_ERR_UNSUPPORTED,
		                    "pictures cannot be written as %s: use png, ppm, pgm or pam",
		                    xc_file_format_name(format));
	}
}
