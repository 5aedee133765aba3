/* SPDX-License-Identifier: BSD-2-Clause */
/* Readers and writers of rows, whatever the format, and whole pictures by them. */
#include "formats/rows_kind.h"

#include "formats/orient.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ readers */

/* Shows the caller what the format has set. */
static void publish(xc_row_base *reader)
{
	reader->reader.picture = reader->out.picture;
	reader->reader.picture.data = NULL;
	reader->reader.metadata = reader->out.metadata;
	reader->reader.damaged = reader->out.damaged;
}

static int is_damage(xc_status status)
{
	return status == XC_ERR_CORRUPT || status == XC_ERR_TRUNCATED;
}

/* A file that cannot be read looks to a format as if it ended.  Of one whose header is whole the message
 * says how to have what is left. */
static xc_status judge(const xc_row_base *reader, xc_status status)
{
	char *message = reader->file.message;
	const size_t size = strlen(message);
	if (status && reader->input.failed)
		return xc_row_input_failed(&reader->input, message);
	if (is_damage(status) && reader->out.picture.width && !reader->file.limits.keep_going)
		snprintf(message + size, XC_FILE_MESSAGE - size,
		         "; 'encode --keep-going' may take what is left");
	return status;
}

void xc_row_fill(const xc_picture *shape, void *row)
{
	memset(row, 0x80, shape->stride);
	for (size_t x = 0; shape->channels % 2 == 0 && x < shape->width; x++)
		xc_file_put(row, (x + 1) * shape->channels - 1, shape->depth, UINT16_MAX);
}

/* One row at a time, so that it is known which one is the first that is lost. */
static xc_status read_what_is_left(xc_row_base *reader, uint8_t *rows, size_t stride,
                                   uint32_t count)
{
	for (uint32_t i = 0; i < count; i++, rows += stride) {
		const xc_status status = reader->lost
		                             ? XC_ERR_CORRUPT
		                             : judge(reader, reader->kind->read(reader, rows, stride, 1));
		if (status && (!is_damage(status) || reader->input.failed))
			return status;
		reader->lost |= status != XC_OK;
		if (status)
			xc_row_fill(&reader->reader.picture, rows);
	}
	reader->out.damaged |= reader->lost;
	reader->reader.damaged = reader->out.damaged;
	return XC_OK;
}

xc_status xc_row_base_open(const xc_row_format *format, xc_row_input *input,
                           const xc_file_limits *limits, xc_row_base **reader,
                           char message[XC_FILE_MESSAGE])
{
	xc_row_base *r = calloc(1, format->size);
	*reader = NULL;
	if (!r) {
		xc_row_input_close(input);
		return xc_file_fail(message, XC_ERR_MEMORY, "out of memory for reading");
	}
	r->reader.format = format->format;
	r->input = *input;
	*input = (xc_row_input){.ended = 1};
	r->file = (xc_file_reader){.limits = *limits, .out = &r->out, .message = message};
	const xc_status status = judge(r, format->open(r));
	if (status) {
		xc_row_base_close(r);
		return status;
	}
	publish(r);
	*reader = r;
	return XC_OK;
}

xc_status xc_row_base_read(xc_row_base *reader, void *rows, size_t stride, uint32_t count,
                           char message[XC_FILE_MESSAGE])
{
	reader->file.message = message;
	const xc_status status = reader->file.limits.keep_going
	                             ? read_what_is_left(reader, rows, stride, count)
	                             : judge(reader, reader->kind->read(reader, rows, stride, count));
	if (status || reader->file.limits.file_bytes)
		return status;
	/* Of a pipe, what has come of it must do for the rows so far. */
	reader->rows += count;
	return xc_file_check_expansion(&reader->file, reader->rows * reader->out.picture.width,
	                               xc_row_input_position(&reader->input));
}

xc_status xc_row_base_finish(xc_row_base *reader, char message[XC_FILE_MESSAGE])
{
	reader->file.message = message;
	const xc_status status = reader->lost || !reader->kind->finish
	                             ? XC_OK
	                             : judge(reader, reader->kind->finish(reader));
	const int take = is_damage(status) && reader->file.limits.keep_going && !reader->input.failed;
	reader->out.damaged |= take;
	if (!status || take)
		publish(reader);
	return take ? XC_OK : status;
}

void xc_row_base_close(xc_row_base *reader)
{
	if (!reader)
		return;
	if (reader->kind && reader->kind->close)
		reader->kind->close(reader);
	xc_row_input_close(&reader->input);
	xc_file_picture_free(&reader->out);
	xc_file_unreserve(&reader->file, reader->file.held);
	free(reader);
}

/* So many rows at a time that there is something to report. */
static uint32_t portion(uint32_t height, uint32_t done)
{
	const uint32_t rows = height / 64 > 16 ? height / 64 : 16;
	return rows < height - done ? rows : height - done;
}

static xc_status read_all(xc_row_base *reader, const xc_file_reader *file)
{
	const xc_picture *p = &file->out->picture;
	xc_status status = XC_OK;
	for (uint32_t y = 0, n; y < p->height && !status; y += n) {
		n = portion(p->height, y);
		status = xc_row_base_read(reader, xc_file_row(p, y), p->stride, n, file->message);
		if (!status && xc_file_report(file->watcher, y + n, p->height))
			status = xc_file_fail(file->message, XC_ERR_CANCELLED, "cancelled");
	}
	return status ? status : xc_row_base_finish(reader, file->message);
}

static xc_status read_rows(xc_row_base *reader, xc_file_reader *file)
{
	const xc_picture *p = &file->out->picture;
	xc_status status = xc_file_reserve(&reader->file, (uint64_t)p->stride * p->height);
	if (!status)
		status = xc_file_allocate(file);
	return status ? status : read_all(reader, file);
}

/* The reader holds all pixels, which change their owner. */
static xc_status take_whole(xc_row_base *reader, xc_file_reader *file)
{
	file->out->owned[XC_OWNED_PIXELS] = reader->out.owned[XC_OWNED_PIXELS];
	reader->out.owned[XC_OWNED_PIXELS] = NULL;
	return xc_row_base_finish(reader, file->message);
}

/* Metadata change their owner. */
static void hand_over(xc_row_base *from, xc_file_picture *to)
{
	to->metadata = from->out.metadata;
	to->damaged = from->out.damaged;
	for (size_t i = XC_OWNED_ICC; i < sizeof to->owned / sizeof *to->owned; i++) {
		to->owned[i] = from->out.owned[i];
		from->out.owned[i] = NULL;
	}
}

xc_status xc_row_read_whole(const xc_row_format *format, xc_file_reader *file)
{
	xc_row_input input;
	xc_row_base *reader;
	xc_row_input_open_memory(&input, file->data, file->size);
	xc_status status = xc_row_base_open(format, &input, &file->limits, &reader, file->message);
	if (status)
		return status;
	file->out->picture = reader->out.picture;
	if (reader->out.picture.data)
		status = take_whole(reader, file);
	else
		status = read_rows(reader, file);
	if (!status) {
		hand_over(reader, file->out);
		xc_file_hand_over(&reader->file, file->out);
	}
	xc_row_base_close(reader);
	return status;
}

/* ------------------------------------------------------------------ writers */

xc_status xc_row_writer_create(const xc_row_output *output, const xc_byte_sink *sink,
                               const xc_picture *shape, const xc_metadata *metadata, int level,
                               const xc_row_team *team, xc_context *context, xc_row_writer **writer,
                               char message[XC_FILE_MESSAGE])
{
	xc_row_writer *w = calloc(1, output->size);
	*writer = NULL;
	if (!w)
		return xc_file_fail(message, XC_ERR_MEMORY, "out of memory for writing");
	w->sink = *sink;
	w->shape = *shape;
	w->metadata = metadata;
	w->level = level;
	w->format = output->format;
	w->context = context;
	w->team.threads = 1;
	if (team && team->threads > 1)
		w->team = *team;
	w->message = message;
	const xc_status status = output->create(w);
	if (status) {
		xc_rows_discard(w);
		return status;
	}
	*writer = w;
	return XC_OK;
}

void xc_rows_discard(xc_row_writer *writer)
{
	if (!writer)
		return;
	if (writer->kind && writer->kind->discard)
		writer->kind->discard(writer);
	xc_row_writer_unreserve(writer, writer->held);
	free(writer);
}

void xc_row_writer_unreserve(xc_row_writer *writer, uint64_t bytes)
{
	writer->held -= bytes;
	xc_context_refund(writer->context, bytes);
}

xc_status xc_row_writer_reserve(xc_row_writer *writer, uint64_t bytes)
{
	if (writer->context && xc_context_charge(writer->context, bytes))
		return xc_file_fail(writer->message, XC_ERR_LIMIT, "%s",
		                    xc_context_message(writer->context));
	writer->held += bytes;
	return XC_OK;
}

/* Byte 16 of a profile begins the name of its colour space. */
int xc_row_writer_profile_fits(const xc_row_writer *writer)
{
	const xc_blob *icc = writer->metadata ? &writer->metadata->icc : NULL;
	const int grey = writer->shape.channels < 3;
	if (!icc || !icc->data)
		return 0;
	const char *space = icc->size < 20 ? "" : (const char *)icc->data + 16;
	if (strncmp(space, grey ? "RGB " : "GRAY", 4) != 0 && strncmp(space, "CMYK", 4) != 0)
		return 1;
	xc_file_warn(writer->message, "the colour profile is not one for %s pictures: left out",
	             grey ? "grey" : "colour");
	return 0;
}

void xc_row_writer_tell_orientation(const xc_row_writer *writer, const char *format)
{
	if (writer->metadata && xc_exif_orientation(&writer->metadata->exif) > 1)
		xc_file_warn(
			writer->message,
			"%s holds no EXIF, by which the picture is turned: left out (--orient turns it)",
			format);
}

xc_status xc_row_writer_put(const xc_row_writer *writer, const void *bytes, size_t size)
{
	if (size && writer->sink.write(writer->sink.user, bytes, size))
		return xc_file_fail(writer->message, XC_ERR_TRUNCATED, "the file cannot be written");
	return XC_OK;
}

/* A file in memory that grows. */
typedef struct file_bytes {
	uint8_t *data;
	size_t size, capacity;
	int out_of_memory;
} file_bytes;

static int append(void *user, const void *bytes, size_t size)
{
	file_bytes *file = user;
	if (size > file->capacity - file->size) {
		const size_t capacity = file->capacity + file->capacity / 2 + size + 65536;
		uint8_t *data = capacity > file->capacity ? realloc(file->data, capacity) : NULL;
		file->out_of_memory |= !data;
		if (!data)
			return -1;
		file->data = data;
		file->capacity = capacity;
	}
	memcpy(file->data + file->size, bytes, size);
	file->size += size;
	return 0;
}

static xc_status write_all(xc_row_writer *writer, const xc_file_writer *file)
{
	const xc_picture *p = file->picture;
	xc_status status = XC_OK;
	for (uint32_t y = 0, n; y < p->height && !status; y += n) {
		n = portion(p->height, y);
		status = writer->kind->write(writer, xc_file_row(p, y), p->stride, n);
		if (!status && xc_file_report(file->watcher, y + n, p->height))
			status = xc_file_fail(file->message, XC_ERR_CANCELLED, "cancelled");
	}
	return status || !writer->kind->end ? status : writer->kind->end(writer);
}

xc_status xc_row_write_whole(const xc_row_output *output, const xc_file_writer *file)
{
	file_bytes bytes = {0};
	const xc_byte_sink sink = {append, &bytes};
	xc_row_writer *writer;
	xc_status status = xc_row_writer_create(output, &sink, file->picture, file->metadata,
	                                        file->level, NULL, NULL, &writer, file->message);
	if (!status)
		status = write_all(writer, file);
	xc_rows_discard(writer);
	if (status) {
		free(bytes.data);
		if (bytes.out_of_memory)
			return xc_file_fail(file->message, XC_ERR_MEMORY, "out of memory for the file");
		return status;
	}
	*file->out = bytes.data;
	*file->out_size = bytes.size;
	return XC_OK;
}
