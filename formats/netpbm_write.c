/* SPDX-License-Identifier: BSD-2-Clause */
/* PGM (P5), PPM (P6) and PAM (P7); 16-bit samples are big-endian. */
#include "formats/netpbm.h"

#include <stdio.h>
#include <string.h>

enum { HEADER_MAX = 160, PIECE = 4096 };

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

/* Samples of 16 bits go back to where the original's went. */
static uint32_t maxval_of(const xc_row_writer *writer)
{
	const uint32_t kept = writer->metadata ? writer->metadata->maxval : 0;
	return writer->shape.depth == 8 ? 255 : kept ? kept : 65535;
}

static void make_header(char header[HEADER_MAX], xc_file_format format, const xc_picture *picture,
                        uint32_t maxval)
{
	static const char *const types[5] = {"", "GRAYSCALE", "GRAYSCALE_ALPHA", "RGB", "RGB_ALPHA"};

	if (format == XC_FILE_PAM)
		snprintf(header, HEADER_MAX,
		         "P7\nWIDTH %u\nHEIGHT %u\nDEPTH %u\nMAXVAL %u\nTUPLTYPE %s\nENDHDR\n",
		         picture->width, picture->height, picture->channels, maxval,
		         types[picture->channels]);
	else
		snprintf(header, HEADER_MAX, "P%c\n%u %u\n%u\n", format == XC_FILE_PGM ? '5' : '6',
		         picture->width, picture->height, maxval);
}

static xc_status write_words(const xc_row_writer *writer, const uint16_t *row, size_t samples)
{
	uint8_t bytes[2 * PIECE];
	const uint32_t maxval = maxval_of(writer);
	xc_status status = XC_OK;

	for (size_t i = 0, n; i < samples && !status; i += n) {
		n = samples - i < PIECE ? samples - i : PIECE;
		for (size_t k = 0; k < n; k++)
			xc_store_be16(bytes + 2 * k, xc_raster_scale(row[i + k], 65535, maxval));
		status = xc_row_writer_put(writer, bytes, 2 * n);
	}
	return status;
}

static xc_status write_rows(xc_row_writer *writer, const void *rows, size_t stride, uint32_t count)
{
	const size_t samples = (size_t)writer->shape.width * writer->shape.channels;
	xc_status status = XC_OK;

	if (writer->shape.depth == 8 && stride == samples)
		return xc_row_writer_put(writer, rows, samples * count);
	for (uint32_t y = 0; y < count && !status; y++) {
		const void *row = (const uint8_t *)rows + y * stride;
		status = writer->shape.depth == 8 ? xc_row_writer_put(writer, row, samples)
		                                  : write_words(writer, row, samples);
	}
	return status;
}

static xc_status create(xc_row_writer *writer)
{
	static const xc_row_writer_kind kind = {write_rows, NULL, NULL};
	const uint32_t channels = writer->shape.channels;
	xc_file_format format = writer->format;
	char header[HEADER_MAX];

	/* The channels choose. */
	if (format == XC_FILE_PNM && channels % 2 == 0)
		return xc_file_fail(writer->message, XC_ERR_UNSUPPORTED,
		                    "PNM holds no alpha: use pam or png");
	if (format == XC_FILE_PNM)
		format = channels == 1 ? XC_FILE_PGM : XC_FILE_PPM;
	const xc_status status = check_channels(format, channels, writer->message);
	if (status)
		return status;
	writer->kind = &kind;
	make_header(header, format, &writer->shape, maxval_of(writer));
	return xc_row_writer_put(writer, header, strlen(header));
}

const xc_row_output xc_netpbm_row_output = {sizeof(xc_row_writer), create};
