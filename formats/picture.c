/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading and writing whole picture files. */
#include "formats/rows_kind.h"

#include <stdlib.h>

void xc_file_picture_free(xc_file_picture *picture)
{
	if (!picture)
		return;
	for (size_t i = 0; i < sizeof picture->owned / sizeof *picture->owned; i++)
		free(picture->owned[i]);
	xc_context_refund(picture->context, picture->held);
	*picture = (xc_file_picture){0};
}

xc_status xc_file_read(const void *data, size_t size, const xc_file_limits *limits,
                       const xc_file_watcher *watcher, xc_file_picture *out,
                       char message[XC_FILE_MESSAGE])
{
	*out = (xc_file_picture){0};
	message[0] = '\0';
	xc_file_reader reader = {
		.data = data,
		.size = data ? size : 0,
		.watcher = watcher,
		.out = out,
		.message = message,
	};
	if (limits)
		reader.limits = *limits;
	reader.limits.file_bytes = reader.size;
	xc_status status = XC_OK;
	const xc_row_format *format = xc_row_format_find(reader.data, reader.size, &status, message);
	if (format)
		status = xc_row_read_whole(format, &reader);
	if (status)
		xc_file_picture_free(out);
	return status;
}

xc_status xc_file_check_shape(const xc_picture *shape, char *message)
{
	if (shape->width == 0 || shape->height == 0)
		return xc_file_fail(message, XC_ERR_ARGUMENT, "the picture to write is empty");
	if (shape->channels < 1 || shape->channels > 4 || (shape->depth != 8 && shape->depth != 16))
		return xc_file_fail(message, XC_ERR_ARGUMENT,
		                    "the picture to write has %u channels of %u bits", shape->channels,
		                    shape->depth);
	return XC_OK;
}

static xc_status check_picture(const xc_picture *picture, char *message)
{
	xc_status status = xc_file_check_shape(picture, message);
	if (status)
		return status;
	if (!picture->data)
		return xc_file_fail(message, XC_ERR_ARGUMENT, "the picture to write is empty");
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
	const xc_row_output *output = status ? NULL : xc_row_output_find(format, &status, message);
	if (!output)
		return status;
	return xc_row_write_whole(output, &writer);
}
