/* SPDX-License-Identifier: BSD-2-Clause */
/* The picture of a difference, written row by row. */
#include "cli/compare.h"

#include "cli/base/io.h"
#include "cli/base/report.h"

#include "formats/formats.h"

#include <math.h>
#include <stdlib.h>

/* A sample in units of 8 bits; of a grey picture all colours are the same. */
static double sample(const xc_picture *p, uint32_t x, uint32_t y, uint32_t colour)
{
	const uint8_t *row = (const uint8_t *)p->data + y * p->stride;
	const size_t at = (size_t)x * p->channels + (p->channels > 2 ? colour : 0);

	return p->depth == 16 ? ((const uint16_t *)(const void *)row)[at] / 257.0 : row[at];
}

static void make_row(const xc_picture *a, const xc_picture *b, uint32_t y, uint32_t colours,
                     int factor, uint8_t *to)
{
	for (uint32_t x = 0; x < a->width; x++)
		for (uint32_t c = 0; c < colours; c++) {
			const double d = factor * (sample(b, x, y, c) - sample(a, x, y, c));

			*to++ = (uint8_t)(d < -128 ? 0 : d > 127 ? 255 : lround(128 + d));
		}
}

static xc_status write_rows(const xc_picture *a, const xc_picture *b, const xc_picture *shape,
                            int factor, xc_row_writer *writer, char *message)
{
	const size_t stride = (size_t)shape->width * shape->channels;
	uint8_t *row = malloc(stride);
	xc_status status = row ? XC_OK : XC_ERR_MEMORY;

	for (uint32_t y = 0; !status && y < shape->height; y++) {
		make_row(a, b, y, shape->channels, factor, row);
		status = xc_rows_write(writer, row, stride, 1, message);
	}
	free(row);
	return status ? status : xc_rows_end(writer, message);
}

int xc_cli_difference_write(xc_cli_output *map, xc_context *context, const xc_picture *a,
                            const xc_picture *b, int factor)
{
	const int grey = a->channels < 3 && b->channels < 3;
	const xc_picture shape = {.width = a->width,
	                          .height = a->height,
	                          .channels = grey ? 1 : 3,
	                          .depth = 8};
	char message[XC_FILE_MESSAGE] = "";
	xc_row_writer *writer = NULL;
	const xc_byte_sink sink = {xc_cli_output_write, map};

	xc_status status = xc_rows_create(xc_file_format_by_path(map->path), &sink, &shape, NULL, -1,
	                                  NULL, context, &writer, message);
	if (!status)
		status = write_rows(a, b, &shape, factor, writer, message);
	xc_rows_discard(writer);
	if (status && !map->failed)
		xc_cli_status_error(map->path, status, message);
	return xc_cli_output_end(map, !status) || status ? -1 : 0;
}
