/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of any picture file: finds the reader or the writer. */
#include "formats/rows_kind.h"

/* More than every magic number; an SVG is told by its first lines. */
enum { FIRST_BYTES = 1024 };

/* ------------------------------------------------------------------ reading */

/* A transfer as text breaks some of PNG's first eight bytes, as they are meant to be; most
 * of the first four survive. */
static int is_nearly_png(const uint8_t *data, size_t size)
{
	static const uint8_t start[4] = {0x89, 'P', 'N', 'G'};
	int equal = 0;
	for (size_t i = 0; i < sizeof start && i < size; i++)
		equal += data[i] == start[i];
	return equal >= 3;
}

static xc_status fail_unreadable(xc_file_format format, const uint8_t *data, size_t size,
                                 char *message)
{
	if (format == XC_FILE_XC)
		return xc_file_fail(message, XC_ERR_UNSUPPORTED,
		                    "an XC file, where a picture file is wanted");
	if (format == XC_FILE_PFM)
		return xc_file_fail(message, XC_ERR_UNSUPPORTED,
		                    "a PFM file: only the transforms take floating-point samples");
	if (size == 0)
		return xc_file_fail(message, XC_ERR_FORMAT, "the file is empty");
	if (is_nearly_png(data, size))
		return xc_file_fail(
			message, XC_ERR_CORRUPT,
			"PNG signature is damaged, as after a transfer in text mode (at byte 0)");
	return xc_file_foreign(data, size, message)
	           ? XC_ERR_FORMAT
	           : xc_file_fail(message, XC_ERR_FORMAT, "not a PNG, JPEG, PNM, PAM or BMP file");
}

const xc_row_format *xc_row_format_find(const uint8_t *data, size_t size, xc_status *status,
                                        char message[XC_FILE_MESSAGE])
{
	static const xc_row_format *const readers[XC_FILE_XC + 1] =
		{[XC_FILE_PNG] = &xc_png_rows, [XC_FILE_PGM] = &xc_pnm_rows,
	     [XC_FILE_PPM] = &xc_pnm_rows, [XC_FILE_PAM] = &xc_pam_rows,
	     [XC_FILE_BMP] = &xc_bmp_rows, [XC_FILE_JPEG] = &xc_jpeg_rows};
	const xc_file_format format = xc_file_format_detect(data, size);
	if (!readers[format])
		*status = fail_unreadable(format, data, size, message);
	return readers[format];
}

xc_status xc_rows_open(const xc_byte_source *source, const xc_file_limits *limits,
                       xc_row_reader **reader, char message[XC_FILE_MESSAGE])
{
	xc_row_input input;
	xc_row_base *base;
	const uint8_t *first;
	*reader = NULL;
	message[0] = '\0';
	xc_status status = xc_row_input_open(&input, source, message);
	if (status)
		return status;
	const size_t size = xc_row_input_peek(&input, FIRST_BYTES, &first);
	const xc_row_format *format = xc_row_format_find(first, size, &status, message);
	if (input.failed || !format) {
		status = input.failed ? xc_row_input_failed(&input, message) : status;
		xc_row_input_close(&input);
		return status;
	}
	status = xc_row_base_open(format, &input, limits, &base, message);
	if (!status)
		*reader = &base->reader;
	return status;
}

xc_status xc_rows_read(xc_row_reader *reader, void *rows, size_t stride, uint32_t count,
                       char message[XC_FILE_MESSAGE])
{
	message[0] = '\0';
	return xc_row_base_read((xc_row_base *)reader, rows, stride, count, message);
}

xc_status xc_rows_finish(xc_row_reader *reader, char message[XC_FILE_MESSAGE])
{
	message[0] = '\0';
	return xc_row_base_finish((xc_row_base *)reader, message);
}

void xc_rows_close(xc_row_reader *reader)
{
	xc_row_base_close((xc_row_base *)reader);
}

/* ------------------------------------------------------------------ writing */

const xc_row_output *xc_row_output_find(xc_file_format format, xc_status *status,
                                        char message[XC_FILE_MESSAGE])
{
	static const xc_row_output *const writers[XC_FILE_XC + 1] =
		{[XC_FILE_PNG] = &xc_png_row_output,  [XC_FILE_PGM] = &xc_pgm_row_output,
	     [XC_FILE_PPM] = &xc_ppm_row_output,  [XC_FILE_PNM] = &xc_pnm_row_output,
	     [XC_FILE_PAM] = &xc_pam_row_output,  [XC_FILE_BMP] = &xc_bmp_row_output,
	     [XC_FILE_JPEG] = &xc_jpeg_row_output};
	const xc_row_output *writer = format <= XC_FILE_XC ? writers[format] : NULL;
	if (!writer)
		*status =
			xc_file_fail(message, XC_ERR_UNSUPPORTED,
		                 "pictures cannot be written as %s: use png, jpg, ppm, pgm, pam or bmp",
		                 xc_file_format_name(format));
	return writer;
}

xc_status xc_rows_create(xc_file_format format, const xc_byte_sink *sink, const xc_picture *shape,
                         const xc_metadata *metadata, int level, const xc_row_team *team,
                         xc_context *context, xc_row_writer **writer, char message[XC_FILE_MESSAGE])
{
	*writer = NULL;
	message[0] = '\0';
	xc_status status = xc_file_check_shape(shape, message);
	const xc_row_output *output = status ? NULL : xc_row_output_find(format, &status, message);
	return output ? xc_row_writer_create(output, sink, shape, metadata, level, team, context,
	                                     writer, message)
	              : status;
}

xc_status xc_rows_write(xc_row_writer *writer, const void *rows, size_t stride, uint32_t count,
                        char message[XC_FILE_MESSAGE])
{
	message[0] = '\0';
	writer->message = message;
	return writer->kind->write(writer, rows, stride, count);
}

xc_status xc_rows_end(xc_row_writer *writer, char message[XC_FILE_MESSAGE])
{
	message[0] = '\0';
	writer->message = message;
	return writer->kind->end ? writer->kind->end(writer) : XC_OK;
}
