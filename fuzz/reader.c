/* SPDX-License-Identifier: BSD-2-Clause */
#include "fuzz/reader.h"

#include <string.h>

#include "formats/formats.h"
#include "tests/support/check.h"
#include "tests/support/format_samples.h"

void xc_reader_seed(unsigned i, uint32_t formats, xc_bytes *out)
{
	const char *name;
	size_t min;

	for (unsigned kind = 0, found = 0;; kind++) {
		if (!xc_sample_file(kind, &name, out, &min)) {
			FUZZ_CHECK(found, "no sample of such a format");
			kind = UINT32_MAX; /* from the first one again */
		} else if (formats >> xc_file_format_detect(out->data, out->size) & 1 && found++ == i) {
			return;
		}
	}
}

typedef struct source {
	const uint8_t *data;
	size_t left;
} source;

static const xc_file_limits limits = {.max_pixels = XC_FUZZ_PIXELS, .max_memory = XC_FUZZ_MEMORY};

static ptrdiff_t read_bytes(void *user, void *to, size_t size)
{
	source *s = user;
	const size_t n = size < s->left ? size : s->left;

	if (n)
		memcpy(to, s->data, n);
	s->data += n;
	s->left -= n;
	return (ptrdiff_t)n;
}

static void check_message(xc_status status, const char *message)
{
	FUZZ_CHECK(memchr(message, 0, XC_FILE_MESSAGE) && !strchr(message, '\n'), "status %d", status);
	FUZZ_CHECK(!status || message[0], "status %d without a message", status);
}

/* Reads in rows; *picture has the pixels, freed by the caller, and *reader is
 * open after success. */
static xc_status read_rows(const uint8_t *data, size_t size, xc_row_reader **reader,
                           xc_picture *picture)
{
	char message[XC_FILE_MESSAGE];
	source bytes = {data, size};
	const xc_byte_source from = {read_bytes, &bytes};
	uint64_t seed = size;
	xc_status status = xc_rows_open(&from, &limits, reader, message);

	check_message(status, message);
	*picture = (xc_picture){0};
	if (status)
		return status;
	*picture = (*reader)->picture;
	picture->data = xc_test_malloc(picture->stride * picture->height);
	for (uint32_t y = 0, n; y < picture->height && !status; y += n) {
		n = 1 + check_below(&seed, picture->height - y);
		status = xc_rows_read(*reader, (uint8_t *)picture->data + y * picture->stride,
		                      picture->stride, n, message);
		check_message(status, message);
	}
	if (!status) {
		status = xc_rows_finish(*reader, message);
		check_message(status, message);
	}
	return status;
}

static void write_and_read(xc_file_format format, const xc_file_picture *picture)
{
	char message[XC_FILE_MESSAGE];
	OWN_MEMORY uint8_t *file = NULL;
	size_t size = 0;
	OWN_FILE_PICTURE back = {0};
	xc_status status = xc_file_write(format, &picture->picture, &picture->metadata, -1, NULL, &file,
	                                 &size, message);

	check_message(status, message);
	if (status == XC_ERR_UNSUPPORTED)
		return;
	FUZZ_CHECK(!status, "%s: %s", xc_file_format_name(format), message);
	status = xc_file_read(file, size, NULL, NULL, &back, message);
	FUZZ_CHECK(!status, "%s: %s", xc_file_format_name(format), message);
	FUZZ_CHECK(xc_format_of(format)->lossy || xc_sample_equal(&back.picture, &picture->picture),
	           "%s has other pixels", xc_file_format_name(format));
}

/* With keep_going more can be read, and of what is whole the same. */
static void read_what_is_left(const uint8_t *data, size_t size, const xc_picture *whole)
{
	char message[XC_FILE_MESSAGE];
	OWN_FILE_PICTURE read = {0};
	xc_file_limits left = limits;

	left.keep_going = 1;
	const xc_status status = xc_file_read(data, size, &left, NULL, &read, message);
	check_message(read.damaged ? XC_ERR_CORRUPT : status, message);
	FUZZ_CHECK(!whole || (!read.damaged && xc_sample_equal(whole, &read.picture)), "%s", message);
}

void xc_reader_run(const uint8_t *data, size_t size, uint32_t formats)
{
	char message[XC_FILE_MESSAGE];
	OWN_FILE_PICTURE whole = {0};
	xc_picture rows;
	xc_row_reader *reader;

	if (!(formats >> xc_file_format_detect(data, size) & 1))
		return;
	const xc_status at_once = xc_file_read(data, size, &limits, NULL, &whole, message);
	check_message(at_once, message);
	read_what_is_left(data, size, at_once ? NULL : &whole.picture);
	const xc_status by_rows = read_rows(data, size, &reader, &rows);
	/* Rows need less memory. */
	if (at_once != XC_ERR_LIMIT)
		FUZZ_CHECK(!at_once == !by_rows, "%d (%s), by rows %d", at_once, message, by_rows);
	if (!at_once) {
		FUZZ_CHECK(xc_sample_equal(&whole.picture, &rows), "other pixels by rows");
		for (int i = 1; i < XC_FILE_FORMATS; i++)
			if (xc_format_of((xc_file_format)i)->writer)
				write_and_read((xc_file_format)i, &whole);
	}
	xc_rows_close(reader);
	free(rows.data);
}
