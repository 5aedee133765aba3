/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading and writing any picture file: finds the reader or the writer. */
#include "formats/file.h"
#include "formats/rows_kind.h"

#include <stdlib.h>

void xc_file_picture_free(xc_file_picture *picture)
{
	if (!picture)
		return;
	for (size_t i = 0; i < sizeof picture->owned / sizeof *picture->owned; i++)
		free(picture->owned[i]);
	*picture = (xc_file_picture){0};
}

/* A transfer as text breaks some of PNG's first eight bytes, as they are meant to be; most
 * of the first four survive. */
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
	if (format == XC_FILE_XC)
		return xc_file_fail(reader->message, XC_ERR_UNSUPPORTED,
		                    "an XC file, where a picture file is wanted");
	if (format == XC_FILE_PFM)
		return xc_file_fail(reader->message, XC_ERR_UNSUPPORTED,
		                    "a PFM file: only the transforms take floating-point samples");
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
		return xc_row_read_whole(&xc_png_rows, reader);
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
                       const xc_file_watcher *watcher, xc_file_picture *out,
                       char message[XC_FILE_MESSAGE])
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
		                    "the picture to write has %u channels of %u bits", picture->channels,
		                    picture->depth);
	uint64_t row = (uint64_t)picture->width * picture->channels * (picture->depth / 8);
	if (picture->stride < row || picture->stride % (picture->depth / 8) != 0)
		return xc_file_fail(message, XC_ERR_ARGUMENT,
		                    "the picture to write has a stride of %zu bytes", picture->stride);
	return XC_OK;
}

xc_status xc_file_write(xc_file_format format, const xc_picture *picture,
                        const xc_metadata *metadata, int level, const xc_file_watcher *watcher,
                        uint8_t **out, size_t *out_size, char message[XC_FILE_MESSAGE])
{
	const xc_file_writer writer = {picture, metadata, level, watcher, out, out_size, message};
	*out = NULL;
	*out_size = 0;
	message[0] = '\0';
	xc_status status = check_picture(picture, message);
	if (status)
		return status;
	switch (format) {
	case XC_FILE_PNG:
		return xc_row_write_whole(&xc_png_row_output, &writer);
	case XC_FILE_PGM:
	case XC_FILE_PPM:
	case XC_FILE_PAM:
		return xc_pnm_write(&writer, format);
	default:
		return xc_file_fail(message, XC_ERR_UNSUPPORTED,
		                    "pictures cannot be written as %s: use png, ppm, pgm or pam",
		                    xc_file_format_name(format));
	}
}
