/* SPDX-License-Identifier: BSD-2-Clause */
/* Baseline JPEG with libjpeg's defaults: chroma halved both ways, the Huffman codes of Annex K. */
#include "formats/jpeg/jpeg.h"

#include <jerror.h>
#include <setjmp.h>
#include <stdlib.h>

enum { DEFAULT_QUALITY = 90, BUFFER = 1 << 16, ROWS = 16 };

/* As in read.c, the writer holds what must outlive a longjmp(). */
typedef struct writer {
	xc_row_writer base;
	struct jpeg_compress_struct jpeg;
	struct jpeg_error_mgr errors;
	struct jpeg_destination_mgr destination;
	uint8_t buffer[BUFFER];
	jmp_buf leave;
	xc_status status;
} writer;

static void leave(writer *w, xc_status status)
{
	w->status = status;
	longjmp(w->leave, 1);
}

static void on_error(j_common_ptr jpeg)
{
	writer *w = jpeg->client_data;
	char text[JMSG_LENGTH_MAX];

	w->errors.format_message(jpeg, text);
	leave(w, xc_file_fail(w->base.message, XC_ERR_MEMORY, "JPEG cannot be written: %s", text));
}

static void on_message(j_common_ptr jpeg, int level)
{
	(void)jpeg;
	(void)level;
}

static void empty_buffer(writer *w)
{
	w->destination.next_output_byte = w->buffer;
	w->destination.free_in_buffer = sizeof w->buffer;
}

static void start_output(j_compress_ptr jpeg)
{
	empty_buffer(jpeg->client_data);
}

static void put(writer *w, size_t size)
{
	const xc_status status = xc_row_writer_put(&w->base, w->buffer, size);

	if (status)
		leave(w, status);
	empty_buffer(w);
}

static boolean put_buffer(j_compress_ptr jpeg)
{
	put(jpeg->client_data, BUFFER);
	return TRUE;
}

static void end_output(j_compress_ptr jpeg)
{
	writer *w = jpeg->client_data;
	put(w, sizeof w->buffer - w->destination.free_in_buffer);
}

static void start(writer *w)
{
	const xc_picture *shape = &w->base.shape;

	w->jpeg.err = jpeg_std_error(&w->errors);
	w->errors.error_exit = on_error;
	w->errors.emit_message = on_message;
	w->jpeg.client_data = w;
	jpeg_create_compress(&w->jpeg);
	w->destination = (struct jpeg_destination_mgr){
		.init_destination = start_output,
		.empty_output_buffer = put_buffer,
		.term_destination = end_output,
	};
	w->jpeg.dest = &w->destination;
	w->jpeg.image_width = shape->width;
	w->jpeg.image_height = shape->height;
	w->jpeg.input_components = (int)shape->channels;
	w->jpeg.in_color_space = shape->channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
	jpeg_set_defaults(&w->jpeg);
	jpeg_set_quality(&w->jpeg, w->base.level < 0 ? DEFAULT_QUALITY : w->base.level, TRUE);
	if (w->base.metadata)
		xc_jpeg_set_density(&w->jpeg, w->base.metadata);
	jpeg_start_compress(&w->jpeg, TRUE);
	if (w->base.metadata)
		xc_jpeg_write_markers(&w->jpeg, w->base.metadata, xc_row_writer_profile_fits(&w->base),
		                      w->base.message);
}

static void write_some(writer *w, const uint8_t *rows, size_t stride, uint32_t count)
{
	JSAMPROW row[ROWS];

	while (count) {
		const uint32_t n = count < ROWS ? count : ROWS;
		for (uint32_t i = 0; i < n; i++)
			row[i] = (JSAMPROW)(uintptr_t)(rows + i * stride);
		const uint32_t done = jpeg_write_scanlines(&w->jpeg, row, n);
		rows += done * stride;
		count -= done;
	}
}

static xc_status write_rows(xc_row_writer *base, const void *rows, size_t stride, uint32_t count)
{
	writer *w = (writer *)base;

	if (setjmp(w->leave) == 0)
		write_some(w, rows, stride, count);
	return w->status;
}

static xc_status end(xc_row_writer *base)
{
	writer *w = (writer *)base;

	if (setjmp(w->leave) == 0)
		jpeg_finish_compress(&w->jpeg);
	return w->status;
}

static void discard(xc_row_writer *base)
{
	jpeg_destroy_compress(&((writer *)base)->jpeg);
}

static xc_status check(const xc_row_writer *base)
{
	const xc_picture *shape = &base->shape;

	if (base->level < -1 || base->level == 0 || base->level > 100)
		return xc_file_fail(base->message, XC_ERR_ARGUMENT, "JPEG quality %d is not 1 to 100",
		                    base->level);
	if (shape->channels % 2 == 0)
		return xc_file_fail(base->message, XC_ERR_UNSUPPORTED,
		                    "JPEG holds no alpha: use png or pam");
	if (shape->depth != 8)
		return xc_file_fail(base->message, XC_ERR_UNSUPPORTED,
		                    "JPEG holds 8 bits a sample, not %u: use png, pam or %s", shape->depth,
		                    shape->channels == 1 ? "pgm" : "ppm");
	if (shape->width > JPEG_MAX_DIMENSION || shape->height > JPEG_MAX_DIMENSION)
		return xc_file_fail(base->message, XC_ERR_UNSUPPORTED,
		                    "%u x %u pixels are too many for a JPEG: use png or ppm", shape->width,
		                    shape->height);
	return XC_OK;
}

static xc_status create(xc_row_writer *base)
{
	static const xc_row_writer_kind kind = {write_rows, end, discard};
	writer *w = (writer *)base;
	const xc_status status = check(base);

	if (status)
		return status;
	base->kind = &kind;
	if (setjmp(w->leave) == 0)
		start(w);
	return w->status;
}

const xc_row_output xc_jpeg_row_output = {sizeof(writer), create};
