/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes to the reader of PNG in rows: portions of any size give the picture that all rows at
 * once give, and what is read can be written and read again. */
#include "fuzz/fuzz.h"

#include <string.h>

#include "formats/formats.h"
#include "tests/support/format_samples.h"

static const xc_file_limits limits = {.max_pixels = XC_FUZZ_PIXELS, .max_memory = XC_FUZZ_MEMORY};

/* A file from its start on. */
typedef struct stream {
	const uint8_t *data;
	size_t size, at;
} stream;

static ptrdiff_t read_stream(void *user, void *to, size_t size)
{
	stream *s = user;
	const size_t n = size < s->size - s->at ? size : s->size - s->at;

	memcpy(to, s->data + s->at, n);
	s->at += n;
	return (ptrdiff_t)n;
}

/* Reads all rows, `portion` at a time, into memory of exactly their size; NULL if that fails. */
static uint8_t *read_rows(const uint8_t *data, size_t size, uint32_t portion, xc_picture *picture)
{
	stream s = {data, size, 0};
	const xc_byte_source source = {read_stream, &s};
	char message[XC_FILE_MESSAGE];
	xc_row_reader *reader;
	xc_status status = xc_rows_open(&source, &limits, &reader, message);

	FUZZ_CHECK(!status == !!reader && (!status || message[0]), "%d %s", status, message);
	if (!reader)
		return NULL;
	*picture = reader->picture;
	uint8_t *rows = xc_test_malloc(picture->stride * picture->height);
	for (uint32_t y = 0, n; y < picture->height && !status; y += n) {
		n = portion < picture->height - y ? portion : picture->height - y;
		status = xc_rows_read(reader, rows + y * picture->stride, picture->stride, n, message);
	}
	if (!status)
		status = xc_rows_finish(reader, message);
	FUZZ_CHECK(!status || message[0], "no message");
	xc_rows_close(reader);
	if (!status)
		return rows;
	free(rows);
	return NULL;
}

static void write_again(const xc_picture *picture, int level)
{
	char message[XC_FILE_MESSAGE];
	OWN_FILE_PICTURE again = {0};
	uint8_t *file;
	size_t size;

	FUZZ_CHECK(xc_file_write(XC_FILE_PNG, picture, NULL, level, NULL, &file, &size, message) ==
	               XC_OK,
	           "%s", message);
	FUZZ_CHECK(xc_file_read(file, size, NULL, NULL, &again, message) == XC_OK, "%s", message);
	FUZZ_CHECK(memcmp(again.picture.data, picture->data, picture->stride * picture->height) == 0,
	           "other samples");
	free(file);
}

static void read_and_write(const uint8_t *data, size_t size)
{
	char message[XC_FILE_MESSAGE];
	OWN_FILE_PICTURE whole = {0};
	xc_picture picture = {0};
	const xc_status status = xc_file_read(data, size, &limits, NULL, &whole, message);
	OWN_MEMORY uint8_t *rows = read_rows(data, size, 1 + (uint32_t)size % 7, &picture);

	/* Less memory is enough for rows. */
	FUZZ_CHECK(!status == !!rows || status == XC_ERR_LIMIT, "%d %s", status, message);
	if (!status) {
		FUZZ_CHECK(memcmp(rows, whole.picture.data, picture.stride * picture.height) == 0,
		           "rows differ");
		write_again(&whole.picture, (int)(size % 11) - 1);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (xc_file_format_detect(data, size) != XC_FILE_PNG)
		return 0;
	OWN_MEMORY uint8_t *copy = xc_test_copy(data, size);
	read_and_write(data, size);
	xc_sample_png_fix(copy, size);
	read_and_write(copy, size);
	return 0;
}

void xc_fuzz_seed(unsigned i, xc_bytes *out)
{
	static const struct {
		int type, bits;
	} kinds[] = {{0, 8}, {2, 8}, {4, 8}, {6, 8}, {0, 16}, {2, 16}, {6, 16}, {0, 1}, {3, 4}, {3, 8}};
	xc_sample_png png = {.width = 1 + i * 7 % 40, .height = 1 + i * 5 % 30};

	png.type = kinds[i % 10].type;
	png.bits = kinds[i % 10].bits;
	png.interlaced = i % 4 == 3;
	png.colours = png.type == 3 ? 1 << png.bits : 0;
	png.transparent = i % 5 == 4 && png.type < 4;
	out->size = 0;
	xc_sample_png_fill(&png, i);
	xc_sample_png_make(out, &png);
	free(png.samples);
}
