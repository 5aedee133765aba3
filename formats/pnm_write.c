/* SPDX-License-Identifier: BSD-2-Clause */
/* PGM (P5), PPM (P6) and PAM (P7); 16-bit samples are big-endian. */
#include "formats/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_MAX = 160 };

static xc_status check_channels(xc_file_format format, uint32_t channels, char *message)
{
	if (format == XC_FILE_PGM && channels != 1)
		return xc_file_fail(message, XC_ERR_UNSUPPORTED,
		                    "PGM holds 1 channel, not %" PRIu32 ": use %s", channels,
		                    channels == 3 ? "ppm, pam or png" : "pam or png");
	if (format == XC_FILE_PPM && channels != 3)
		return xc_file_fail(message, XC_ERR_UNSUPPORTED,
		                    "PPM holds 3 channels, not %" PRIu32 ": use %s", channels,
		                    channels == 1 ? "pgm, pam or png" : "pam or png");
	return XC_OK;
}

static size_t make_header(char header[HEADER_MAX], xc_file_format format, const xc_picture *picture)
{
	static const char *const types[5] = {"", "GRAYSCALE", "GRAYSCALE_ALPHA", "RGB", "RGB_ALPHA"};
	unsigned maxval = picture->depth == 8 ? 255 : 65535;
	int length;
	if (format == XC_FILE_PAM)
		length = snprintf(header, HEADER_MAX,
		                  "P7\nWIDTH %" PRIu32 "\nHEIGHT %" PRIu32 "\nDEPTH %" PRIu32
		                  "\nMAXVAL %u\nTUPLTYPE %s\nENDHDR\n",
		                  picture->width, picture->height, picture->channels, maxval,
		                  types[picture->channels]);
	else
		length = snprintf(header, HEADER_MAX, "P%c\n%" PRIu32 " %" PRIu32 "\n%u\n",
		                  format == XC_FILE_PGM ? '5' : '6', picture->width, picture->height,
		                  maxval);
	return (size_t)length;
}

static void write_words(uint8_t *to, const uint16_t *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		xc_store_be16(to + 2 * i, from[i]);
}

xc_status xc_pnm_write(xc_file_format format, const xc_picture *picture, uint8_t **out,
                       size_t *out_size, char message[XC_FILE_MESSAGE])
{
	xc_status status = check_channels(format, picture->channels, message);
	if (status)
		return status;
	char header[HEADER_MAX];
	size_t header_size = make_header(header, format, picture);
	/* A picture that is in memory has a stride of at least row, so this fits. */
	size_t samples = (size_t)picture->width * picture->channels;
	size_t row = samples * (picture->depth / 8);
	if (picture->height > (SIZE_MAX - header_size) / row)
		return xc_file_fail(message, XC_ERR_ARGUMENT, "the picture to write is impossibly large");
	size_t size = header_size + row * picture->height;
	uint8_t *file = malloc(size);
	if (!file)
		return xc_file_fail(message, XC_ERR_MEMORY, "out of memory for a file of %zu bytes", size);
	memcpy(file, header, header_size);
	uint8_t *to = file + header_size;
	for (uint32_t y = 0; y < picture->height; y++, to += row) {
		const void *from = xc_file_row(picture, y);
		if (picture->depth == 8)
			memcpy(to, from, row);
		else
			write_words(to, from, samples);
	}
	*out = file;
	*out_size = size;
	return XC_OK;
}
