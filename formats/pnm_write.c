/* SPDX-License-Identifier: BSD-2-Clause */
/* PGM (P5), PPM (P6) and PAM (P7); 16-bit samples are big-endian. */
#include "formats/file.h"

#include <stdio.h>
#include <string.h>

enum { HEADER_MAX = 160 };

static xc_status check_channels(xc_file_format format, uint32_t channels, char *message)
{
	if (format == XC_FILE_PGM && channels != 1)
		return xc_file_fail(message, XC_ERR_UNSUPPORTED, "PGM holds 1 channel, not %u: use %s",
		                    channels, channels == 3 ? "ppm, pam or png" : "pam or png");
	if (format == XC_FILE_PPM && channels != 3)
		return xc_file_fail(message, XC_ERR_UNSUPPORTED, "PPM holds 3 channels, not %u: use %s",
		                    channels, channels == 1 ? "pgm, pam or png" : "pam or png");
	return XC_OK;
}

static void make_header(char header[HEADER_MAX], xc_file_format format, const xc_picture *picture)
{
	static const char *const types[5] = {"", "GRAYSCALE", "GRAYSCALE_ALPHA", "RGB", "RGB_ALPHA"};
	unsigned maxval = picture->depth == 8 ? 255 : 65535;
	if (format == XC_FILE_PAM)
		snprintf(header, HEADER_MAX,
		         "P7\nWIDTH %u\nHEIGHT %u\nDEPTH %u\nMAXVAL %u\nTUPLTYPE %s\nENDHDR\n",
		         picture->width, picture->height, picture->channels, maxval,
		         types[picture->channels]);
	else
		snprintf(header, HEADER_MAX, "P%c\n%u %u\n%u\n", format == XC_FILE_PGM ? '5' : '6',
		         picture->width, picture->height, maxval);
}

xc_status xc_pnm_write(const xc_file_writer *writer, xc_file_format format)
{
	const xc_picture *picture = writer->picture;
	char header[HEADER_MAX];
	size_t samples = (size_t)picture->width * picture->channels;
	size_t row = samples * (picture->depth / 8);
	uint8_t *to;
	xc_status status = check_channels(format, picture->channels, writer->message);
	if (status)
		return status;
	make_header(header, format, picture);
	status = xc_file_start(writer, header, row, picture->height, &to);
	for (uint32_t y = 0; y < picture->height && !status; y++, to += row) {
		const uint16_t *from = (const void *)xc_file_row(picture, y);
		if (picture->depth == 8)
			memcpy(to, from, row);
		else
			for (size_t i = 0; i < samples; i++)
				xc_store_be16(to + 2 * i, from[i]);
	}
	return status;
}
