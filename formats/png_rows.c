/* SPDX-License-Identifier: BSD-2-Clause */
/* PNG in rows through whole pictures. */
#include "formats/rows_kind.h"

#include <stdlib.h>
#include <string.h>

typedef struct whole_reader {
	xc_row_base base;
	uint8_t *bytes; /* the file */
	size_t size, room;
	uint32_t row; /* the next one to give */
} whole_reader;

static xc_status read_file(whole_reader *r)
{
	size_t got;
	do {
		if (r->size == r->room) {
			const size_t room = 2 * r->room + XC_ROW_INPUT_SIZE;
			uint8_t *bytes = realloc(r->bytes, room);
			if (!bytes)
				return xc_file_fail(r->base.file.message, XC_ERR_MEMORY, "out of memory");
			r->bytes = bytes;
			r->room = room;
		}
		got = xc_row_input_copy(&r->base.input, r->bytes + r->size, r->room - r->size);
		r->size += got;
	} while (got);
	return XC_OK;
}

static xc_status give_rows(xc_row_base *base, void *rows, size_t stride, uint32_t count)
{
	whole_reader *r = (whole_reader *)base;
	for (uint32_t i = 0; i < count; i++)
		memcpy((uint8_t *)rows + i * stride, xc_file_row(&base->out.picture, r->row++),
		       base->out.picture.stride);
	return XC_OK;
}

static xc_status finish(xc_row_base *base)
{
	(void)base;
	return XC_OK;
}

static void close_reader(xc_row_base *base)
{
	free(((whole_reader *)base)->bytes);
}

static xc_status open_png(xc_row_base *base)
{
	static const xc_row_reader_kind kind = {give_rows, finish, close_reader};
	whole_reader *r = (whole_reader *)base;
	base->kind = &kind;
	const xc_status status = read_file(r);
	base->file.data = r->bytes;
	base->file.size = r->size;
	return status ? status : xc_png_read(&base->file);
}

typedef struct whole_writer {
	xc_row_writer base;
	xc_picture picture;
	uint32_t row; /* the next one */
} whole_writer;

static xc_status take_rows(xc_row_writer *base, const void *rows, size_t stride, uint32_t count)
{
	whole_writer *w = (whole_writer *)base;
	for (uint32_t i = 0; i < count; i++)
		memcpy(xc_file_row(&w->picture, w->row++), (const uint8_t *)rows + i * stride,
		       w->picture.stride);
	return XC_OK;
}

static xc_status end(xc_row_writer *base)
{
	uint8_t *bytes = NULL;
	size_t size = 0;
	const xc_file_writer file = {&((whole_writer *)base)->picture,
	                             base->metadata,
	                             base->level,
	                             NULL,
	                             &bytes,
	                             &size,
	                             base->message};
	xc_status status = xc_png_write(&file);
	if (!status)
		status = xc_row_writer_put(base, bytes, size);
	free(bytes);
	return status;
}

static void discard(xc_row_writer *base)
{
	free(((whole_writer *)base)->picture.data);
}

static xc_status create(xc_row_writer *base)
{
	static const xc_row_writer_kind kind = {take_rows, end, discard};
	whole_writer *w = (whole_writer *)base;
	base->kind = &kind;
	w->picture = base->shape;
	w->picture.stride = (size_t)base->shape.width * base->shape.channels * (base->shape.depth / 8);
	w->picture.data = malloc(w->picture.stride * base->shape.height);
	return w->picture.data
	           ? XC_OK
	           : xc_file_fail(base->message, XC_ERR_MEMORY, "out of memory for the picture");
}

const xc_row_format xc_png_rows = {sizeof(whole_reader), XC_FILE_PNG, open_png};
const xc_row_output xc_png_row_output = {sizeof(whole_writer), create};
