/* SPDX-License-Identifier: BSD-2-Clause */
/* PNG in rows, against libpng: what it reads of our files, and we of its. */
#include "formats/formats.h"
#include "tests/support/format_samples.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

static char *const message = xc_format_message;

/* PNG has the high byte of a sample first. */
enum { LITTLE_ENDIAN_SAMPLES = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ };

/* ------------------------------------------------------------------ bytes in and out */

/* A file that is read from its start on. */
typedef struct stream {
	const uint8_t *data;
	size_t size, at;
	int fails; /* at the end */
} stream;

static ptrdiff_t read_stream(void *user, void *to, size_t size)
{
	stream *s = user;
	const size_t n = size < s->size - s->at ? size : s->size - s->at;
	if (n < size && s->fails)
		return -1;
	memcpy(to, s->data + s->at, n);
	s->at += n;
	return (ptrdiff_t)n;
}

static int write_bytes(void *user, const void *bytes, size_t size)
{
	xc_bytes_add(user, bytes, size);
	return 0;
}

static int refuse_bytes(void *user, const void *bytes, size_t size)
{
	(void)bytes;
	size_t *left = user;
	if (size > *left)
		return -1;
	*left -= size;
	return 0;
}

/* ------------------------------------------------------------------ libpng */

static void png_add(png_structp png, png_bytep from, size_t size)
{
	xc_bytes_add(png_get_io_ptr(png), from, size);
}

static void png_flushed(png_structp png)
{
	(void)png;
}

static void png_take(png_structp png, png_bytep to, size_t size)
{
	if (read_stream(png_get_io_ptr(png), to, size) < (ptrdiff_t)size)
		png_error(png, "the end");
}

static void libpng_writes(xc_bytes *file, const xc_picture *p, int filters)
{
	static const int types[5] = {0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
	                             PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
	png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
	png_infop info = png_create_info_struct(png);
	png_set_write_fn(png, file, png_add, png_flushed);
	png_set_compression_buffer_size(png, 1000); /* IDAT chunks of that size */
	png_set_IHDR(png, info, p->width, p->height, (int)p->depth, types[p->channels], 0, 0, 0);
	png_set_filter(png, 0, filters);
	png_write_info(png, info);
	if (p->depth == 16 && LITTLE_ENDIAN_SAMPLES)
		png_set_swap(png);
	for (uint32_t y = 0; y < p->height; y++)
		png_write_row(png, (png_const_bytep)p->data + y * p->stride);
	png_write_end(png, NULL);
	png_destroy_write_struct(&png, &info);
}

/* Whether libpng reads this picture from the file, to its last chunk. */
static int libpng_reads(const xc_bytes *file, const xc_picture *p)
{
	const size_t row_bytes = (size_t)p->width * p->channels * p->depth / 8;
	stream s = {.data = file->data, .size = file->size};
	uint8_t *row = xc_test_malloc(row_bytes);
	volatile int same = 1;
	png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
	png_infop info = png_create_info_struct(png);
	if (setjmp(png_jmpbuf(png)) == 0) {
		png_set_read_fn(png, &s, png_take);
		png_read_info(png, info);
		same &= png_get_image_width(png, info) == p->width &&
		        png_get_image_height(png, info) == p->height &&
		        png_get_channels(png, info) == p->channels &&
		        png_get_bit_depth(png, info) == p->depth;
		if (p->depth == 16 && LITTLE_ENDIAN_SAMPLES)
			png_set_swap(png);
		png_read_update_info(png, info);
		for (uint32_t y = 0; same && y < p->height; y++) {
			png_read_row(png, row, NULL);
			same &= memcmp(row, (uint8_t *)p->data + y * p->stride, row_bytes) == 0;
		}
		png_read_end(png, NULL);
		same &= s.at == s.size;
	} else {
		same = 0;
	}
	png_destroy_read_struct(&png, &info, NULL);
	free(row);
	return same;
}

/* ------------------------------------------------------------------ our own */

/* Any order does: this one is from the last piece to the first. */
static void run_backwards(void *user, uint32_t count, void (*work)(void *arg, uint32_t i),
                          void *arg)
{
	(void)user;
	while (count--)
		work(arg, count);
}

/* Writes in portions of 1 to `max` rows. */
static void write_rows(xc_bytes *file, const xc_picture *p, int level, uint32_t threads,
                       uint32_t max)
{
	const xc_byte_sink sink = {write_bytes, file};
	const xc_row_pool pool = {run_backwards, NULL, threads};
	uint64_t seed = max;
	xc_row_writer *writer;
	xc_status status = xc_rows_create(XC_FILE_PNG, &sink, p, NULL, level, &pool, NULL, &writer,
	                                  message);
	REQUIRE(status == XC_OK, "%d %s", status, message);
	for (uint32_t y = 0, n; y < p->height && !status; y += n) {
		n = 1 + check_below(&seed, max);
		n = n < p->height - y ? n : p->height - y;
		status = xc_rows_write(writer, (uint8_t *)p->data + y * p->stride, p->stride, n, message);
	}
	if (!status)
		status = xc_rows_end(writer, message);
	CHECK(status == XC_OK, "%d %s", status, message);
	xc_rows_discard(writer);
}

/* Reads in portions of 1 to `max` rows into p, which must have the picture's shape. */
static xc_status read_rows(stream *s, const xc_picture *p, uint32_t max)
{
	const xc_byte_source source = {read_stream, s};
	const xc_file_limits limits = {.max_pixels = 0};
	uint64_t seed = max;
	xc_row_reader *reader;
	xc_status status = xc_rows_open(&source, &limits, &reader, message);
	if (status)
		return status;
	const xc_picture *found = &reader->picture;
	if (found->width == p->width && found->height == p->height && found->channels == p->channels &&
	    found->depth == p->depth) {
		for (uint32_t y = 0, n; y < p->height && !status; y += n) {
			n = 1 + check_below(&seed, max);
			n = n < p->height - y ? n : p->height - y;
			status = xc_rows_read(reader, (uint8_t *)p->data + y * p->stride, p->stride, n,
			                      message);
		}
		if (!status)
			status = xc_rows_finish(reader, message);
	} else {
		CHECK(0, "%u x %u, %u channels of %u", found->width, found->height, found->channels,
		      found->depth);
	}
	xc_rows_close(reader);
	return status;
}

static void check_reading(const xc_bytes *file, const xc_picture *p, uint32_t max)
{
	stream s = {.data = file->data, .size = file->size};
	xc_picture read = *p;
	read.data = xc_test_malloc(p->stride * p->height);
	const xc_status status = read_rows(&s, &read, max);
	CHECK(status == XC_OK && !message[0] && xc_sample_equal(&read, p), "%u x %u: %d %s", p->width,
	      p->height, status, message);
	free(read.data);
}

/* ------------------------------------------------------------------ cases */

static const uint32_t sizes[][2] = {{1, 1}, {1, 9}, {9, 1}, {7, 8}, {8, 5}, {33, 19}, {257, 30}};

static void libpng_to_us(void)
{
	static const int filters[] = {PNG_FILTER_NONE, PNG_FILTER_SUB,   PNG_FILTER_UP,
	                              PNG_FILTER_AVG,  PNG_FILTER_PAETH, PNG_ALL_FILTERS};
	for (uint32_t channels = 1; channels <= 4; channels++)
		for (uint32_t depth = 8; depth <= 16; depth += 8)
			for (size_t i = 0; i < COUNT(sizes) * COUNT(filters); i++) {
				const uint32_t *size = sizes[i / COUNT(filters)];
				xc_picture p = xc_smooth_picture(size[0], size[1], channels, depth, i);
				xc_bytes file = {0};
				libpng_writes(&file, &p, filters[i % COUNT(filters)]);
				check_reading(&file, &p, 1 + (uint32_t)i % 7);
				xc_bytes_free(&file);
				free(p.data);
			}
}

static void check_written(const xc_picture *p, int level, uint32_t max)
{
	xc_bytes one = {0}, other = {0};
	write_rows(&one, p, level, 1, max);
	CHECK(libpng_reads(&one, p), "%u x %u, %u channels of %u, level %d", p->width, p->height,
	      p->channels, p->depth, level);
	check_reading(&one, p, max);
	for (uint32_t threads = 2; threads <= 5; threads += 3) {
		other.size = 0;
		write_rows(&other, p, level, threads, 2 * max + threads);
		CHECK(one.size == other.size && memcmp(one.data, other.data, one.size) == 0,
		      "%u threads, level %d: other bytes", threads, level);
	}
	xc_bytes_free(&one);
	xc_bytes_free(&other);
}

static void us_to_libpng(void)
{
	for (uint32_t channels = 1; channels <= 4; channels++)
		for (uint32_t depth = 8; depth <= 16; depth += 8)
			for (size_t i = 0; i < COUNT(sizes) * 11; i++) {
				const uint32_t *size = sizes[i / 11];
				xc_picture p = xc_sample_picture(size[0], size[1], channels, depth, 6, i);
				check_written(&p, (int)(i % 11) - 1, 1 + (uint32_t)i % 9);
				free(p.data);
			}
}

/* Rows of 256 bytes with their filters, and strips of 1024 such rows: less and more than one,
 * exactly as many, and a row of more than a strip. */
static void strips(void)
{
	static const uint32_t shapes[][2] = {{255, 1023}, {255, 1024}, {255, 1025}, {255, 2048},
	                                     {999, 1500}, {300000, 2}, {262143, 2}};
	for (size_t i = 0; i < COUNT(shapes); i++) {
		xc_picture p = xc_smooth_picture(shapes[i][0], shapes[i][1], 1, 8, i);
		for (int level = -1; level <= (i < 3); level++)
			check_written(&p, level, 1 + 100 * (uint32_t)i);
		free(p.data);
	}
}

/* Two channels of 16 bits over several strips, whose rows are swapped by several threads. */
static void depth16_strips(void)
{
	xc_picture p = xc_smooth_picture(401, 700, 2, 16, 5);
	check_written(&p, -1, 300);
	check_written(&p, 6, 40);
	free(p.data);
}

/* Incompressible samples need more room than they have. */
static void noise(void)
{
	xc_picture p = xc_test_noise(300, 300, 8);
	for (int level = -1; level <= 9; level += 2)
		check_written(&p, level, 77);
	free(p.data);
}

static void cut_and_damaged(void)
{
	xc_picture p = xc_smooth_picture(20, 30, 3, 8, 1), read = p;
	xc_bytes file = {0};
	libpng_writes(&file, &p, PNG_ALL_FILTERS);
	read.data = xc_test_malloc(p.stride * p.height);
	for (size_t size = 8; size < file.size; size++) {
		stream s = {.data = file.data, .size = size};
		const xc_status status = read_rows(&s, &read, 4);
		CHECK(status == XC_ERR_TRUNCATED && message[0], "%zu of %zu bytes: %d %s", size, file.size,
		      status, message);
	}
	for (size_t at = 8; at < file.size; at++)
		for (uint8_t bit = 1; bit; bit = (uint8_t)(bit << 1)) {
			stream s = {.data = file.data, .size = file.size};
			file.data[at] ^= bit;
			const xc_status status = read_rows(&s, &read, 30);
			file.data[at] ^= bit;
			CHECK(status != XC_OK && message[0], "byte %zu, bit %u: read", at, bit);
		}
	xc_bytes_free(&file);
	free(read.data);
	free(p.data);
}

static void failing_source(void)
{
	xc_picture p = xc_smooth_picture(50, 60, 1, 8, 1);
	xc_bytes file = {0};
	libpng_writes(&file, &p, PNG_ALL_FILTERS);
	stream s = {.data = file.data, .size = file.size, .fails = 1};
	const xc_status status = read_rows(&s, &p, 7);
	CHECK(status == XC_ERR_TRUNCATED && strstr(message, "cannot be read"), "%d %s", status,
	      message);
	xc_bytes_free(&file);
	free(p.data);
}

static void failing_sink(void)
{
	xc_picture p = xc_smooth_picture(400, 900, 1, 8, 1);
	for (size_t room = 0; room < 2000; room += 13) {
		size_t left = room;
		const xc_byte_sink sink = {refuse_bytes, &left};
		xc_row_writer *writer;
		xc_status status = xc_rows_create(XC_FILE_PNG, &sink, &p, NULL, -1, NULL, NULL, &writer,
		                                  message);
		if (!status)
			status = xc_rows_write(writer, p.data, p.stride, p.height, message);
		CHECK(status == XC_ERR_TRUNCATED && message[0], "%zu bytes: %d", room, status);
		xc_rows_discard(writer);
	}
	free(p.data);
}

int main(void)
{
	RUN(libpng_to_us, us_to_libpng, strips, depth16_strips, noise, cut_and_damaged, failing_source,
	    failing_sink);
	return check_done();
}
