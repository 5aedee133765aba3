/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of any picture file, and whole pictures by them: input through a buffer, and what readers
 * and writers of all formats have in common. */
#include "formats/rows_kind.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/core/blob.h"

/* ------------------------------------------------------------------ input */

/* Allocates the buffer. */
static xc_status open_input(xc_row_input *input, const xc_byte_source *source, char *message)
{
	*input = (xc_row_input){.source = *source};
	input->buffer = malloc(XC_ROW_INPUT_SIZE);
	input->bytes = input->buffer;
	if (!input->buffer)
		return xc_file_fail(message, XC_ERR_MEMORY, "out of memory for reading");
	return XC_OK;
}

void xc_row_input_open_memory(xc_row_input *input, const void *data, size_t size)
{
	*input = (xc_row_input){.bytes = data, .end = size, .ended = 1};
}

static void close_input(xc_row_input *input)
{
	free(input->buffer);
	*input = (xc_row_input){.ended = 1};
}

/* Fills the buffer as far as the file goes. */
static void refill(xc_row_input *input)
{
	const size_t kept = input->end - input->at;

	memmove(input->buffer, input->buffer + input->at, kept);
	input->before += input->at;
	input->at = 0;
	input->end = kept;
	const size_t room = XC_ROW_INPUT_SIZE - kept;
	const ptrdiff_t got = input->source.read(input->source.user, input->buffer + kept, room);
	input->failed |= got < 0;
	input->end += got > 0 ? (size_t)got : 0;
	input->ended = got < 0 || (size_t)got < room;
}

size_t xc_row_input_peek(xc_row_input *input, size_t min, const uint8_t **bytes)
{
	if (input->end - input->at < min && !input->ended)
		refill(input);
	*bytes = input->bytes + input->at;
	return input->end - input->at;
}

void xc_row_input_take(xc_row_input *input, size_t size)
{
	input->at += size;
}

/* Reads at least a buffer's bytes past it, straight to their place, if it is empty; returns how
 * many. */
static size_t read_past(xc_row_input *input, void *to, size_t size)
{
	if (input->at < input->end || input->ended || size < XC_ROW_INPUT_SIZE)
		return 0;
	const ptrdiff_t got = input->source.read(input->source.user, to, size);
	const size_t n = got > 0 ? (size_t)got : 0;
	input->failed |= got < 0;
	input->ended = n < size;
	input->before += input->end + n;
	input->at = input->end = 0;
	return n;
}

size_t xc_row_input_copy(xc_row_input *input, void *to, size_t size)
{
	uint8_t *out = to;
	size_t done = 0;

	while (done < size) {
		const uint8_t *bytes;
		done += read_past(input, out + done, size - done);
		if (done == size)
			break;
		size_t n = xc_row_input_peek(input, 1, &bytes);
		if (n == 0)
			break;
		n = n < size - done ? n : size - done;
		memcpy(out + done, bytes, n);
		xc_row_input_take(input, n);
		done += n;
	}
	return done;
}

xc_status xc_row_input_failed(const xc_row_input *input, char *message)
{
	return xc_file_fail(message, XC_ERR_IO, "the file cannot be read (from byte %" PRIu64 ")",
	                    input->before + input->end);
}

/* ------------------------------------------------------------------ reading */

/* Shows the caller what the format has set. */
static void publish(xc_row_base *reader)
{
	xc_file_drop_wrong(&reader->out.metadata, reader->out.picture.depth, reader->file.message);
	reader->reader.picture = reader->out.picture;
	reader->reader.picture.data = NULL;
	reader->reader.metadata = reader->out.metadata;
	reader->reader.damaged = reader->out.damaged;
}

static int is_damage(xc_status status)
{
	return status == XC_ERR_CORRUPT || status == XC_ERR_TRUNCATED;
}

/* A file that cannot be read looks to a format as if it ended.  Of one whose header is whole the
 * message says how to have what is left. */
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

/* Opens a file of this format, whose first byte is the input's next one.  The reader takes over the
 * input, even if this fails. */
static xc_status open_format(xc_file_format format, xc_row_input *input,
                             const xc_file_limits *limits, xc_row_base **reader, char *message)
{
	const xc_row_format *code = xc_format_of(format)->reader;
	xc_row_base *r = calloc(1, code->size);

	*reader = NULL;
	if (!r) {
		close_input(input);
		return xc_file_fail(message, XC_ERR_MEMORY, "out of memory for reading");
	}
	r->reader.format = format;
	r->input = *input;
	r->file = (xc_file_reader){.limits = *limits, .out = &r->out, .message = message};
	const xc_status status = judge(r, code->open(r));
	if (status) {
		xc_rows_close(&r->reader);
		return status;
	}
	publish(r);
	*reader = r;
	return XC_OK;
}

/* An earlier warning stays in the message. */
static xc_status read_more(xc_row_base *reader, void *rows, size_t stride, uint32_t count)
{
	const xc_status status = reader->file.limits.keep_going
	                             ? read_what_is_left(reader, rows, stride, count)
	                             : judge(reader, reader->kind->read(reader, rows, stride, count));

	if (status || reader->file.limits.file_bytes)
		return status;
	/* The bytes that a pipe gave so far limit the pixels so far. */
	reader->rows += count;
	return xc_file_check_expansion(&reader->file, reader->rows * reader->out.picture.width,
	                               xc_row_input_position(&reader->input));
}

/* Names what the file has that no XC file has a place for. */
static void tell_left_out(const xc_file_reader *file)
{
	if (file->left_out.text[0] && !file->limits.pixels_alone)
		xc_file_warn_too(file->message, "an XC file has no place for %s: left out",
		                 file->left_out.text);
}

void xc_file_name_rest(xc_row_base *reader)
{
	const uint8_t *rest;
	const size_t n = xc_row_input_peek(&reader->input, XC_ROW_INPUT_SIZE, &rest);
	char text[64];

	snprintf(text, sizeof text, "%s%zu byte%s after the picture",
	         reader->input.ended ? "" : "at least ", n, n == 1 ? "" : "s");
	if (n)
		xc_file_kinds_add(&reader->file.left_out, text);
}

static xc_status finish(xc_row_base *reader)
{
	const xc_status status = reader->lost || !reader->kind->finish
	                             ? XC_OK
	                             : judge(reader, reader->kind->finish(reader));
	const int take = is_damage(status) && reader->file.limits.keep_going && !reader->input.failed;

	reader->out.damaged |= take;
	if (!status || take)
		publish(reader);
	if (!status)
		tell_left_out(&reader->file);
	return take ? XC_OK : status;
}

void xc_rows_close(xc_row_reader *handle)
{
	xc_row_base *reader = (xc_row_base *)handle;

	if (!reader)
		return;
	if (reader->kind && reader->kind->close)
		reader->kind->close(reader);
	close_input(&reader->input);
	xc_file_picture_free(&reader->out);
	xc_file_unreserve(&reader->file, reader->file.held);
	free(reader);
}

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
	char list[XC_FILE_MESSAGE];

	if (format)
		return xc_file_fail(message, XC_ERR_UNSUPPORTED, "%s", xc_format_of(format)->unread);
	if (size == 0)
		return xc_file_fail(message, XC_ERR_FORMAT, "the file is empty");
	if (is_nearly_png(data, size))
		return xc_file_fail(
			message, XC_ERR_CORRUPT,
			"PNG signature is damaged, as after a transfer in text mode (at byte 0)");
	return xc_file_foreign(data, size, message)
	           ? XC_ERR_FORMAT
	           : xc_file_fail(message, XC_ERR_FORMAT, "not a %s file",
	                          xc_file_formats(XC_FORMATS_READABLE, " or ", list));
}

/* Opens a file of any format, whose first bytes are these. */
static xc_status open_any(const uint8_t *first, size_t size, xc_row_input *input,
                          const xc_file_limits *limits, xc_row_base **reader, char *message)
{
	const xc_file_format format = xc_file_format_detect(first, size);

	if (!input->failed && xc_format_of(format)->reader)
		return open_format(format, input, limits, reader, message);
	const xc_status status = input->failed ? xc_row_input_failed(input, message)
	                                       : fail_unreadable(format, first, size, message);
	close_input(input);
	return status;
}

xc_status xc_rows_open(const xc_byte_source *source, const xc_file_limits *limits,
                       xc_row_reader **reader, char message[XC_FILE_MESSAGE])
{
	xc_row_input input;
	xc_row_base *base;
	const uint8_t *first;

	*reader = NULL;
	message[0] = '\0';
	xc_status status = open_input(&input, source, message);
	if (status)
		return status;
	const size_t size = xc_row_input_peek(&input, FIRST_BYTES, &first);
	status = open_any(first, size, &input, limits, &base, message);
	if (!status)
		*reader = &base->reader;
	return status;
}

static xc_row_base *begin_call(xc_row_reader *reader, char *message)
{
	xc_row_base *r = (xc_row_base *)reader;

	message[0] = '\0';
	r->file.message = message;
	return r;
}

xc_status xc_rows_read(xc_row_reader *reader, void *rows, size_t stride, uint32_t count,
                       char message[XC_FILE_MESSAGE])
{
	return read_more(begin_call(reader, message), rows, stride, count);
}

xc_status xc_rows_finish(xc_row_reader *reader, char message[XC_FILE_MESSAGE])
{
	return finish(begin_call(reader, message));
}

/* ------------------------------------------------------------------ whole pictures */

/* So many rows at a time that there is something to report. */
static uint32_t portion(uint32_t height, uint32_t done)
{
	const uint32_t rows = height / 64 > 16 ? height / 64 : 16;
	return rows < height - done ? rows : height - done;
}

/* Tells that `done` of `all` rows are finished. */
static xc_status report(const xc_file_watcher *watcher, uint32_t done, uint32_t all, char *message)
{
	return watcher && watcher->report(watcher->user, (double)done / (double)all)
	           ? xc_file_fail(message, XC_ERR_CANCELLED, "cancelled")
	           : XC_OK;
}

static xc_status read_all(xc_row_base *reader, const xc_file_watcher *watcher)
{
	const xc_picture *p = &reader->out.picture;
	xc_status status = xc_file_reserve(&reader->file, (uint64_t)p->stride * p->height);

	status = status ? status : xc_file_allocate(&reader->file);
	for (uint32_t y = 0, n; y < p->height && !status; y += n) {
		n = portion(p->height, y);
		status = read_more(reader, xc_file_row(p, y), p->stride, n);
		status = status ? status : report(watcher, y + n, p->height, reader->file.message);
	}
	return status;
}

/* The picture and what was reserved for it change their owner. */
static void hand_over(xc_row_base *from, xc_file_picture *to)
{
	const xc_picture *p = &from->out.picture;
	const xc_metadata *m = &from->out.metadata;
	const uint64_t all = (uint64_t)p->stride * p->height + m->icc.size + m->exif.size +
	                     m->xmp.size + m->iptc.size + m->text.size + m->palette.size;

	*to = from->out;
	to->context = from->file.limits.context;
	to->held = all < from->file.held ? all : from->file.held;
	from->file.held -= to->held;
	from->out = (xc_file_picture){0};
}

xc_status xc_file_read(const void *data, size_t size, const xc_file_limits *limits,
                       const xc_file_watcher *watcher, xc_file_picture *out,
                       char message[XC_FILE_MESSAGE])
{
	xc_file_limits all = limits ? *limits : (xc_file_limits){0};
	xc_row_input input;
	xc_row_base *reader;

	*out = (xc_file_picture){0};
	message[0] = '\0';
	all.file_bytes = data ? size : 0;
	xc_row_input_open_memory(&input, data, (size_t)all.file_bytes);
	xc_status status = open_any(data, (size_t)all.file_bytes, &input, &all, &reader, message);
	if (status)
		return status;
	if (!reader->out.picture.data) /* otherwise the reader holds all pixels */
		status = read_all(reader, watcher);
	status = status ? status : finish(reader);
	if (!status)
		hand_over(reader, out);
	xc_rows_close(&reader->reader);
	return status;
}

void xc_file_picture_free(xc_file_picture *picture)
{
	if (!picture)
		return;
	for (size_t i = 0; i < sizeof picture->owned / sizeof *picture->owned; i++)
		free(picture->owned[i]);
	xc_context_refund(picture->context, picture->held);
	*picture = (xc_file_picture){0};
}

/* ------------------------------------------------------------------ writing */

static xc_status check_shape(const xc_picture *shape, char *message)
{
	if (shape->width == 0 || shape->height == 0)
		return xc_file_fail(message, XC_ERR_ARGUMENT, "the picture to write is empty");
	if (shape->channels < 1 || shape->channels > 4 || (shape->depth != 8 && shape->depth != 16))
		return xc_file_fail(message, XC_ERR_ARGUMENT,
		                    "the picture to write has %u channels of %u bits", shape->channels,
		                    shape->depth);
	return XC_OK;
}

/* Whether there is text that is not a comment. */
static int has_other_text(const xc_blob *text)
{
	const char *key, *value;
	size_t at = 0;

	while (xc_file_next_pair(text, &at, &key, &value))
		if (strcmp(key, "Comment") != 0)
			return 1;
	return 0;
}

/* Whether EXIF has nothing but the orientation of a picture that is not turned, as one that was. */
static int is_upright_alone(const xc_blob *exif)
{
	uint8_t upright[XC_EXIF_MINIMAL];

	xc_exif_make(1, upright);
	return exif->size == sizeof upright && memcmp(exif->data, upright, sizeof upright) == 0;
}

/* Warns of the metadata that the format has no place for, after the writer has warned of what it could not write.
 * Pixels are taken for sRGB where nothing is said, and what counts less than a profile is not missed. */
static void tell_no_place(const xc_format *f, const xc_metadata *m, uint32_t depth, char *message)
{
	const int named = m->cicp[0] || m->icc.size;
	const int turned = xc_exif_orientation(&m->exif) > 1;
	const int comments = (f->holds & XC_HOLDS_COMMENTS) != 0;
	const struct {
		const char *name;
		int there;
		unsigned places; /* any of these is one */
	} kinds[] = {{"the colour profile", m->icc.size != 0, XC_HOLDS_ICC},
	             {"CICP", m->cicp[0] && !xc_file_is_srgb(m), XC_HOLDS_COLOUR},
	             {"gamma and primaries", !named && !xc_says_srgb(m), XC_HOLDS_COLOUR},
	             {turned ? "EXIF, by which the picture is turned (--orient turns it)" : "EXIF",
	              m->exif.size && !is_upright_alone(&m->exif), XC_HOLDS_EXIF},
	             {"XMP", m->xmp.size != 0, XC_HOLDS_XMP},
	             {"IPTC", m->iptc.size != 0, XC_HOLDS_IPTC},
	             {comments ? "text but comments" : "text",
	              comments ? has_other_text(&m->text) : m->text.size != 0, XC_HOLDS_TEXT},
	             {"pixel density", m->density_x && m->density_unit, XC_HOLDS_DENSITY},
	             {"the pixels' aspect ratio", m->density_x && !m->density_unit, XC_HOLDS_RATIO},
	             {"significant bits", xc_has_fewer_bits(m, depth), XC_HOLDS_BITS}};
	xc_file_kinds left_out = {""};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (kinds[i].there && !(f->holds & kinds[i].places))
			xc_file_kinds_add(&left_out, kinds[i].name);
	if (left_out.text[0])
		xc_file_warn_too(message, "a %s has no place for %s: left out",
		                 f->family ? f->family : f->title, left_out.text);
}

xc_status xc_rows_create(xc_file_format format, const xc_byte_sink *sink, const xc_picture *shape,
                         const xc_metadata *metadata, int level, const xc_row_pool *pool,
                         xc_context *context, xc_row_writer **writer, char message[XC_FILE_MESSAGE])
{
	const xc_format *f = xc_format_of(format);
	char list[XC_FILE_MESSAGE];

	*writer = NULL;
	message[0] = '\0';
	xc_status status = check_shape(shape, message);
	if (status)
		return status;
	if (!f->writer)
		return f->unwritten ? xc_file_fail(message, XC_ERR_UNSUPPORTED, "%s", f->unwritten)
		                    : xc_file_fail(message, XC_ERR_UNSUPPORTED,
		                                   "pictures cannot be written as %s: use %s", f->names[0],
		                                   xc_file_formats(XC_FORMATS_NAMES, " or ", list));
	xc_row_writer *w = calloc(1, f->writer->size);
	if (!w)
		return xc_file_fail(message, XC_ERR_MEMORY, "out of memory for writing");
	w->sink = *sink;
	w->shape = *shape;
	w->metadata = metadata;
	w->level = level;
	w->format = format;
	w->context = context;
	w->pool.threads = 1;
	if (pool && pool->threads > 1)
		w->pool = *pool;
	w->message = message;
	status = f->writer->create(w);
	if (!status && metadata)
		tell_no_place(f, metadata, shape->depth, message);
	if (status) {
		xc_rows_discard(w);
		return status;
	}
	*writer = w;
	return XC_OK;
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

xc_status xc_row_writer_put(const xc_row_writer *writer, const void *bytes, size_t size)
{
	if (size && writer->sink.write(writer->sink.user, bytes, size))
		return xc_file_fail(writer->message, XC_ERR_IO, "the file cannot be written");
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

static xc_status check_picture(const xc_picture *picture, char *message)
{
	xc_status status = check_shape(picture, message);

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

static xc_status write_all(xc_row_writer *writer, const xc_picture *p,
                           const xc_file_watcher *watcher, char *message)
{
	xc_status status = XC_OK;

	for (uint32_t y = 0, n; y < p->height && !status; y += n) {
		n = portion(p->height, y);
		status = writer->kind->write(writer, xc_file_row(p, y), p->stride, n);
		status = status ? status : report(watcher, y + n, p->height, message);
	}
	return status || !writer->kind->end ? status : writer->kind->end(writer);
}

xc_status xc_file_write(xc_file_format format, const xc_picture *picture,
                        const xc_metadata *metadata, int level, const xc_file_watcher *watcher,
                        uint8_t **out, size_t *out_size, char message[XC_FILE_MESSAGE])
{
	file_bytes bytes = {0};
	const xc_byte_sink sink = {append, &bytes};
	xc_row_writer *writer = NULL;

	*out = NULL;
	*out_size = 0;
	message[0] = '\0';
	xc_status status = check_picture(picture, message);
	xc_metadata with = metadata ? *metadata : (xc_metadata){0};
	if (!status && !xc_palette_holds(metadata, picture))
		with.palette = (xc_blob){NULL, 0};
	if (!status)
		status = xc_rows_create(format, &sink, picture, metadata ? &with : NULL, level, NULL, NULL,
		                        &writer, message);
	status = status ? status : write_all(writer, picture, watcher, message);
	xc_rows_discard(writer);
	if (status) {
		free(bytes.data);
		return bytes.out_of_memory
		           ? xc_file_fail(message, XC_ERR_MEMORY, "out of memory for the file")
		           : status;
	}
	*out = bytes.data;
	*out_size = bytes.size;
	return XC_OK;
}
