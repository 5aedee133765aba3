/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pictures in rows, any number at a time, are the pictures that xc_file_read() gives, with the same
 * metadata; and files that are written in rows are those of xc_file_write().  Files that end too
 * early, bytes that cannot be read and bytes that cannot be written are reported.
 */
#include "formats/formats.h"
#include "tests/support/format_samples.h"

#include <stdlib.h>
#include <string.h>

static char *const message = xc_format_message;

/* A file from which `fails_at` bytes can be read. */
typedef struct source {
	const uint8_t *data;
	size_t size, at, fails_at;
} source;

static ptrdiff_t read_bytes(void *user, void *to, size_t size)
{
	source *s = user;
	const size_t left = s->size - s->at, n = size < left ? size : left;

	if (s->at + n > s->fails_at)
		return -1;
	memcpy(to, s->data + s->at, n);
	s->at += n;
	return (ptrdiff_t)n;
}

/* Reads a file in rows.  *picture has the pixels, which the caller frees, and *reader is open if
 * the status is XC_OK. */
static xc_status read_rows(source *from, uint64_t seed, xc_picture *picture, xc_row_reader **reader)
{
	const xc_byte_source bytes = {read_bytes, from};
	const xc_file_limits limits = {.max_pixels = 1 << 20, .max_memory = 1 << 24};

	*picture = (xc_picture){0};
	xc_status status = xc_rows_open(&bytes, &limits, reader, message);
	if (status) {
		CHECK(!*reader && message[0], "%d, '%s'", status, message);
		return status;
	}
	CHECK(!(*reader)->picture.data, "there are pixels");
	*picture = (*reader)->picture;
	picture->stride += picture->depth / 8;
	picture->data = xc_test_malloc(picture->stride * picture->height);
	for (uint32_t y = 0, n; y < picture->height && !status; y += n) {
		const uint32_t left = picture->height - y;
		n = 1 + (uint32_t)check_below(&seed, left);
		status = xc_rows_read(*reader, (uint8_t *)picture->data + y * picture->stride,
		                      picture->stride, n, message);
	}
	if (!status)
		status = xc_rows_finish(*reader, message);
	CHECK(!status || message[0], "no message");
	if (status) {
		xc_rows_close(*reader);
		*reader = NULL;
	}
	return status;
}

/* Both ways must give the same. */
static void compare_ways(const uint8_t *data, size_t size, uint64_t seed)
{
	OWN_FILE_PICTURE whole = {0};
	xc_picture picture;
	xc_row_reader *reader;
	source from = {data, size, 0, SIZE_MAX};
	const xc_status by_rows = read_rows(&from, seed, &picture, &reader);
	const xc_status at_once = xc_read_made(data, size, &whole);

	CHECK(!by_rows == !at_once, "%zu bytes: %d by rows, %d at once (%s)", size, by_rows, at_once,
	      message);
	if (!by_rows && !at_once) {
		CHECK(xc_sample_equal(&picture, &whole.picture), "other pixels");
		CHECK(reader->format == xc_file_format_detect(data, size), "format %d", reader->format);
		xc_check_metadata(&reader->metadata, &whole.metadata);
	}
	xc_rows_close(reader);
	free(picture.data);
}

static void reading(void)
{
	OWN_BYTES file = {0};
	const char *name;
	size_t min;

	for (unsigned n = 0; xc_sample_file(n, &name, &file, &min); n++) {
#ifndef XC_HAVE_LIBPNG
		if (!strncmp(name, "png", 3))
			continue;
#endif
		check_begin("rows of %s", name);
		for (uint64_t seed = 0; seed < 8; seed++)
			compare_ways(file.data, file.size, seed);
		check_end();
		check_begin("rows of %s, cut off", name);
		for (size_t size = 0; size < file.size; size += 1 + file.size / 300)
			compare_ways(file.data, size, size);
		check_end();
	}
}

/* Text of any length stands between the numbers of a file that is larger than the buffer. */
static void long_comments(void)
{
	OWN_BYTES file = {0};
	uint64_t seed = 3;

	xc_bytes_add_text(&file, "P2\n#");
	for (int i = 0; i < 100000; i++)
		xc_bytes_add_u8(&file, 'c');
	xc_bytes_add_text(&file, "\n200 300 255\n");
	for (int i = 0; i < 60000; i++) {
		char number[32];
		snprintf(number, sizeof number, "%0*u", i % 400 ? 1 : 30,
		         (unsigned)check_below(&seed, 256));
		xc_bytes_add_text(&file, number);
		xc_bytes_add_text(&file, i % 1000 ? " " : " # a comment\n");
		for (int k = 0; i % 20000 == 5 && k < 70000; k++)
			xc_bytes_add_u8(&file, ' ');
	}
	compare_ways(file.data, file.size, 1);
}

static void failing_source(void)
{
	OWN_BYTES file = {0};
	xc_picture picture;
	xc_row_reader *reader;

	xc_bytes_add_text(&file, "P5 400 400 255\n");
	for (int i = 0; i < 160000; i++)
		xc_bytes_add_u8(&file, (uint32_t)i & 255);
	for (size_t at = 0; at < file.size; at += 50000) {
		source from = {file.data, file.size, 0, at};
		CHECK(read_rows(&from, at, &picture, &reader) && strstr(message, "cannot be read"), "'%s'",
		      message);
		free(picture.data);
	}
}

/* ---- writing */

typedef struct sink {
	xc_bytes bytes;
	size_t fails_at;
} sink;

static int write_bytes(void *user, const void *bytes, size_t size)
{
	sink *s = user;

	if (s->bytes.size + size > s->fails_at)
		return -1;
	xc_bytes_add(&s->bytes, bytes, size);
	return 0;
}

static xc_status write_rows(sink *to, xc_file_format format, const xc_picture *picture,
                            const xc_metadata *metadata, uint64_t seed)
{
	const xc_byte_sink bytes = {write_bytes, to};
	const xc_picture shape =
		{picture->width, picture->height, picture->channels, picture->depth, 0, NULL};
	xc_row_writer *writer;
	xc_status status = xc_rows_create(format, &bytes, &shape, metadata, -1, NULL, NULL, &writer,
	                                  message);

	CHECK(!status == !!writer, "status %d", status);
	for (uint32_t y = 0, n; y < picture->height && !status; y += n) {
		n = 1 + (uint32_t)check_below(&seed, picture->height - y);
		status = xc_rows_write(writer, (const uint8_t *)picture->data + y * picture->stride,
		                       picture->stride, n, message);
	}
	if (!status)
		status = xc_rows_end(writer, message);
	xc_rows_discard(writer);
	return status;
}

static void write_both_ways(xc_file_format format, const xc_picture *picture, uint64_t seed)
{
	static const xc_metadata metadata = {.icc = {"a profile", 9},
	                                     .density_x = 3937,
	                                     .density_y = 3937,
	                                     .density_unit = 1};
	sink to = {.fails_at = SIZE_MAX};
	uint8_t *file = NULL;
	size_t size = 0;
	const xc_status by_rows = write_rows(&to, format, picture, &metadata, seed);
	const xc_status at_once = xc_file_write(format, picture, &metadata, -1, NULL, &file, &size,
	                                        message);

	CHECK(by_rows == at_once, "%s: %d by rows, %d at once (%s)", xc_file_format_name(format),
	      by_rows, at_once, message);
	CHECK(by_rows || (to.bytes.size == size && !memcmp(to.bytes.data, file, size)),
	      "%s: another file of %zu bytes", xc_file_format_name(format), size);
	/* The sink fails; a file of no more bytes than the buffer fails at its end. */
	if (!by_rows) {
		sink full = {.fails_at = check_below(&seed, size)};
		CHECK(write_rows(&full, format, picture, &metadata, seed) && message[0], "%s: a full disk",
		      xc_file_format_name(format));
		xc_bytes_free(&full.bytes);
	}
	free(file);
	xc_bytes_free(&to.bytes);
}

static void writing(void)
{
	for (int format = 1; format < XC_FILE_FORMATS; format++)
		for (uint32_t i = 0; i < 16; i++) {
			OWN_PICTURE p = xc_sample_picture(1 + i * 7, 1 + i * 5, 1 + i % 4, i / 4 % 2 ? 16 : 8,
			                                  i, i);
			write_both_ways((xc_file_format)format, &p, i);
		}
}

int main(void)
{
	reading();
	RUN(long_comments, failing_source, writing);
	return check_done();
}
