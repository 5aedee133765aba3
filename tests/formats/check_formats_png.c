/* SPDX-License-Identifier: BSD-2-Clause */
/* PNG: every colour type read, every picture written, what must not be read; rows against
 * libpng: what it reads of our files, and we of its; palettes, there and back. */
#include <glob.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/formats.h"
#include "formats/png/png.h"
#include "tests/support/bytes.h"
#include "tests/support/check.h"
#include "tests/support/format_samples.h"

enum { GREY = 0, RGB = 2, PALETTE = 3, GREY_ALPHA = 4, RGBA = 6 };

static char *const message = xc_format_message;

static xc_sample_png make_png(uint32_t width, uint32_t height, int type, int bits, int interlaced)
{
	xc_sample_png png = {.width = width, .height = height, .type = type, .bits = bits};
	png.interlaced = interlaced;
	return png;
}

/* ---- reading, against the samples that went in */

/* Channel c of a pixel as PNG defines it (alpha is channel 1 or 3). */
static uint32_t wanted(const void *user, uint32_t x, uint32_t y, uint32_t c)
{
	const xc_sample_png *png = user;
	uint32_t channels = xc_sample_png_channels(png);
	const uint16_t *pixel = png->samples + ((size_t)y * png->width + x) * channels;
	uint32_t max = (1u << png->bits) - 1, peak = png->bits == 16 ? 65535 : 255;

	if (png->type == PALETTE) {
		if (c < 3)
			return png->palette[pixel[0]][c];
		return pixel[0] < png->transparent ? png->alpha[pixel[0]] : 255;
	}
	if (c < channels)
		return pixel[c] * peak / max;
	return memcmp(pixel, png->key, channels * sizeof *pixel) == 0 ? 0 : peak;
}

static void read_one(xc_sample_png *png, uint64_t seed)
{
	OWN_BYTES file = {0};
	OWN_FILE_PICTURE read = {0};

	xc_sample_png_fill(png, seed);
	xc_sample_png_make(&file, png);
	xc_status status = xc_read_made(file.data, file.size, &read);
	CHECK(status == XC_OK && message[0] == '\0', "type %d, %d bits, %u x %u: %d %s", png->type,
	      png->bits, png->width, png->height, status, message);
	if (status == XC_OK)
		xc_check_samples(&read.picture, png->width, png->height,
		                 (png->type == PALETTE ? 3 : xc_sample_png_channels(png)) +
		                     (png->transparent != 0),
		                 png->bits == 16 ? 16 : 8, wanted, png);
	free(png->samples);
}

static void read_sizes(int type, int bits, int interlaced, int transparent)
{
	static const uint32_t sizes[][2] = {{1, 1}, {2, 1}, {1, 5},  {3, 3},  {4, 4},  {5, 2},
	                                    {7, 9}, {8, 8}, {9, 17}, {31, 3}, {33, 16}};

	for (size_t i = 0; i < COUNT(sizes); i++) {
		xc_sample_png png = make_png(sizes[i][0], sizes[i][1], type, bits, interlaced);
		png.transparent = transparent;
		if (type == PALETTE) {
			png.colours = bits == 1 ? 2 : (1 << bits) - 1;
			png.transparent = transparent ? (png.colours + 1) / 2 : 0;
		}
		read_one(&png, 1000 * (uint64_t)type + 10 * (uint64_t)bits + i);
	}
}

static void read_all(void)
{
	static const struct {
		int type, bits;
	} kinds[] = {{GREY, 1},    {GREY, 2},       {GREY, 4},    {GREY, 8},        {GREY, 16},
	             {RGB, 8},     {RGB, 16},       {PALETTE, 1}, {PALETTE, 2},     {PALETTE, 4},
	             {PALETTE, 8}, {GREY_ALPHA, 8}, {RGBA, 8},    {GREY_ALPHA, 16}, {RGBA, 16}};

	for (size_t i = 0; i < COUNT(kinds); i++) {
		int max = kinds[i].type >= GREY_ALPHA ? 0 : 1;
		for (int transparent = 0; transparent <= max; transparent++)
			for (int interlaced = 0; interlaced <= 1; interlaced++) {
				check_begin("png type %d, %d bits%s%s", kinds[i].type, kinds[i].bits,
				            transparent ? ", tRNS" : "", interlaced ? ", interlaced" : "");
				read_sizes(kinds[i].type, kinds[i].bits, interlaced, transparent);
				check_end();
			}
	}
}

/* ---- writing and reading back */

static void round_trips(void)
{
	static const int levels[] = {-1, 0, 4, 9};

	for (uint32_t channels = 1; channels <= 4; channels++)
		for (size_t i = 0; i < COUNT(levels); i++)
			xc_check_round_trips(XC_FILE_PNG, channels, levels[i]);
}

static void bad_level(void)
{
	OWN_PICTURE picture = xc_sample_picture(3, 3, 3, 8, 0, 1);
	uint8_t *data;
	size_t size;
	xc_status status = xc_file_write(XC_FILE_PNG, &picture, NULL, 10, NULL, &data, &size, message);

	CHECK(status == XC_ERR_ARGUMENT && !data && size == 0 && message[0], "%d %s", status, message);
}

/* ---- what must not be read */

/* A header alone that asks for much, with a few bytes after it. */
static void pixel_bombs(void)
{
	static const uint32_t sizes[][2] = {{0x7fffffff, 0x7fffffff},
	                                    {100000, 100000},
	                                    {1, 0x7fffffff},
	                                    {0x7fffffff, 1}};

	for (size_t i = 0; i < COUNT(sizes); i++)
		for (int interlaced = 0; interlaced <= 1; interlaced++) {
			xc_sample_png png = make_png(sizes[i][0], sizes[i][1], RGBA, 16, interlaced);
			OWN_BYTES file = {0};
			xc_sample_png_header(&file, &png);
			xc_sample_png_chunk(&file, "IDAT", "\x78\x9c\3\0\0\0\0\1", 8);
			xc_sample_png_chunk(&file, "IEND", NULL, 0);
			const int fits = UINT64_C(16) * sizes[i][0] < SIZE_MAX; /* a row in memory */
			xc_check_refused(file.data, file.size, fits ? XC_ERR_CORRUPT : XC_ERR_LIMIT, "bomb");
		}
}

/* 3000 bytes of pixels, and as much again for the rows in work, with their filters,
 * and the row above. */
static void limits(void)
{
	xc_sample_png png = {.width = 50, .height = 20, .type = RGB, .bits = 8};
	OWN_BYTES file = {0};

	xc_sample_png_fill(&png, 1);
	xc_sample_png_make(&file, &png);
	xc_check_limits(file.data, file.size, 1000, 3000 + 20 * 151 + 150 + 8);
	free(png.samples);
}

#define END "\0\0\0\0IEND\xae\x42\x60\x82"

/* The header of a good file with these bytes after it. */
static void refuse_after_header(const xc_sample_png *png, const void *bytes, size_t size,
                                const char *what)
{
	OWN_BYTES file = {0};

	xc_sample_png_header(&file, png);
	xc_bytes_add(&file, bytes, size);
	xc_check_refused(file.data, file.size, XC_ERR_CORRUPT, what);
}

static void damaged(void)
{
	xc_sample_png png = {.width = 5, .height = 5, .type = GREY, .bits = 8};
	OWN_BYTES good = {0};

	xc_sample_png_fill(&png, 1);
	xc_sample_png_make(&good, &png);
	/* Every single bit of the pixels and the header is under a checksum. */
	for (size_t at = 0; at < good.size; at++) {
		xc_file_picture read;
		good.data[at] ^= 0x10;
		xc_status status = xc_read_made(good.data, good.size, &read);
		good.data[at] ^= 0x10;
		CHECK(status != XC_OK && message[0] && !read.picture.data, "byte %zu", at);
	}
	refuse_after_header(&png, CHECK_BYTES(END), "no IDAT");
	/* An empty chunk is valid, but holds no pixels. */
	refuse_after_header(&png, CHECK_BYTES("\0\0\0\0IDAT\x35\xaf\x06\x1e" END), "empty IDAT");
	/* Rows for 5 x 4 pixels only. */
	png.height = 4;
	good.size = 0;
	xc_sample_png_make(&good, &png);
	png.height = 5;
	refuse_after_header(&png, good.data + 33, good.size - 33, "a row too few");
	free(png.samples);
}

static double told;
static int back, beyond;

static int note(void *user, double fraction)
{
	CHECK(user == &told, "another user's");
	back |= fraction < told;
	beyond |= fraction < 0 || fraction > 1;
	told = fraction;
	return 0;
}

/* Reading and writing tell the rows done in order, up to the last one; with interlacing,
 * those of seven passes. */
static void watched(void)
{
	const xc_file_watcher watcher = {note, &told};
	xc_sample_png png = {.width = 37, .height = 29, .type = 2, .bits = 8};

	for (png.interlaced = 0; png.interlaced <= 1; png.interlaced++) {
		OWN_BYTES file = {0};
		OWN_BYTES again = {0};
		OWN_FILE_PICTURE read = {0};
		xc_sample_png_fill(&png, 5);
		xc_sample_png_make(&file, &png);
		told = 0;
		xc_status status = xc_file_read(file.data, file.size, NULL, &watcher, &read, message);
		CHECK(status == XC_OK && !back && !beyond && told >= 1, "read: %d, %g", status, told);
		told = 0;
		status = xc_file_write(XC_FILE_PNG, &read.picture, NULL, -1, &watcher, &again.data,
		                       &again.size, message);
		CHECK(status == XC_OK && !back && !beyond && told >= 1, "write: %d, %g", status, told);
		free(png.samples);
	}
}

/* PNG in rows, against libpng: what it reads of our files, and we of its. */

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

/* What write_rows() gives beside the pixels. */
static const xc_metadata *beside;

/* Writes in portions of 1 to `max` rows. */
static void write_rows(xc_bytes *file, const xc_picture *p, int level, uint32_t threads,
                       uint32_t max)
{
	const xc_byte_sink sink = {write_bytes, file};
	const xc_row_pool pool = {run_backwards, NULL, threads};
	uint64_t seed = max;
	xc_row_writer *writer;
	xc_status status = xc_rows_create(XC_FILE_PNG, &sink, p, beside, level, &pool, NULL, &writer,
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
	OWN_PICTURE read = *p;

	read.data = xc_test_malloc(p->stride * p->height);
	const xc_status status = read_rows(&s, &read, max);
	CHECK(status == XC_OK && !message[0] && xc_sample_equal(&read, p), "%u x %u: %d %s", p->width,
	      p->height, status, message);
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
				OWN_PICTURE p = xc_smooth_picture(size[0], size[1], channels, depth, i);
				OWN_BYTES file = {0};
				libpng_writes(&file, &p, filters[i % COUNT(filters)]);
				check_reading(&file, &p, 1 + (uint32_t)i % 7);
			}
}

static void check_written(const xc_picture *p, int level, uint32_t max)
{
	OWN_BYTES one = {0};
	OWN_BYTES other = {0};

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
}

static void us_to_libpng(void)
{
	for (uint32_t channels = 1; channels <= 4; channels++)
		for (uint32_t depth = 8; depth <= 16; depth += 8)
			for (size_t i = 0; i < COUNT(sizes) * 11; i++) {
				const uint32_t *size = sizes[i / 11];
				OWN_PICTURE p = xc_sample_picture(size[0], size[1], channels, depth, 6, i);
				check_written(&p, (int)(i % 11) - 1, 1 + (uint32_t)i % 9);
			}
}

/* Rows of 256 bytes with their filters, and strips of 1024 such rows: less and more than one,
 * exactly as many, and a row of more than a strip. */
static void strips(void)
{
	static const uint32_t shapes[][2] = {{255, 1023}, {255, 1024}, {255, 1025}, {255, 2048},
	                                     {999, 1500}, {300000, 2}, {262143, 2}};

	for (size_t i = 0; i < COUNT(shapes); i++) {
		OWN_PICTURE p = xc_smooth_picture(shapes[i][0], shapes[i][1], 1, 8, i);
		for (int level = -1; level <= (i < 3); level++)
			check_written(&p, level, 1 + 100 * (uint32_t)i);
	}
}

/* Two channels of 16 bits over several strips, whose rows are swapped by several threads. */
static void depth16_strips(void)
{
	OWN_PICTURE p = xc_smooth_picture(401, 700, 2, 16, 5);
	check_written(&p, -1, 300);
	check_written(&p, 6, 40);
}

/* Incompressible samples need more room than they have. */
static void noise(void)
{
	OWN_PICTURE p = xc_test_noise(300, 300, 8);
	for (int level = -1; level <= 9; level += 2)
		check_written(&p, level, 77);
}

static void cut_and_damaged(void)
{
	OWN_PICTURE p = xc_smooth_picture(20, 30, 3, 8, 1);
	OWN_PICTURE read = p;
	OWN_BYTES file = {0};

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
}

static void failing_source(void)
{
	OWN_PICTURE p = xc_smooth_picture(50, 60, 1, 8, 1);
	OWN_BYTES file = {0};

	libpng_writes(&file, &p, PNG_ALL_FILTERS);
	stream s = {.data = file.data, .size = file.size, .fails = 1};
	const xc_status status = read_rows(&s, &p, 7);
	CHECK(status == XC_ERR_IO && strstr(message, "cannot be read"), "%d %s", status, message);
}

static void failing_sink(void)
{
	OWN_PICTURE p = xc_smooth_picture(400, 900, 1, 8, 1);

	for (size_t room = 0; room < 2000; room += 13) {
		size_t left = room;
		const xc_byte_sink sink = {refuse_bytes, &left};
		xc_row_writer *writer;
		xc_status status = xc_rows_create(XC_FILE_PNG, &sink, &p, NULL, -1, NULL, NULL, &writer,
		                                  message);
		if (!status)
			status = xc_rows_write(writer, p.data, p.stride, p.height, message);
		CHECK(status == XC_ERR_IO && message[0], "%zu bytes: %d", room, status);
		xc_rows_discard(writer);
	}
}

/* ------------------------------------------------------------------ palettes */

/* What libpng says of an indexed file; `alpha` beyond tRNS is 255. */
typedef struct indexed {
	int type, bits, colours;
	png_color palette[256];
	uint8_t alpha[256];
} indexed;

static indexed libpng_palette(const xc_bytes *file)
{
	stream s = {.data = file->data, .size = file->size};
	png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
	png_infop info = png_create_info_struct(png);
	static indexed found;
	png_colorp palette;
	png_bytep alpha;
	int alphas = 0;

	memset(&found, 0, sizeof found);
	memset(found.alpha, 255, sizeof found.alpha);
	if (setjmp(png_jmpbuf(png)) == 0) {
		png_set_read_fn(png, &s, png_take);
		png_read_info(png, info);
		found.type = png_get_color_type(png, info);
		found.bits = png_get_bit_depth(png, info);
		if (png_get_PLTE(png, info, &palette, &found.colours))
			memcpy(found.palette, palette, (size_t)found.colours * sizeof *palette);
		if (png_get_tRNS(png, info, &alpha, &alphas, NULL) && alpha)
			memcpy(found.alpha, alpha, (size_t)alphas);
	}
	png_destroy_read_struct(&png, &info, NULL);
	return found;
}

/* Reads a file and writes it again: the same pixels, palette, transparency and depth. */
static void keep_palette(const xc_bytes *file, const char *name)
{
	OWN_FILE_PICTURE read = {0};
	OWN_FILE_PICTURE result = {0};
	OWN_BYTES again = {0};
	const indexed was = libpng_palette(file);

	CHECK(!xc_read_made(file->data, file->size, &read), "%s: %s", name, message);
	if (was.type != PALETTE)
		CHECK(!read.metadata.palette.data && !read.metadata.palette_bits, "%s has one", name);
	xc_status status = xc_file_write(XC_FILE_PNG, &read.picture, &read.metadata, -1, NULL,
	                                 &again.data, &again.size, message);
	CHECK(!status && !message[0], "%s: %s", name, message);
	const indexed is = libpng_palette(&again);
	CHECK(!xc_read_made(again.data, again.size, &result), "%s: %s", name, message);
	CHECK(xc_sample_equal(&result.picture, &read.picture), "%s: other pixels", name);
	CHECK(was.type != PALETTE || memcmp(&was, &is, sizeof is) == 0,
	      "%s: %d bits, %d colours; was %d, %d", name, is.bits, is.colours, was.bits, was.colours);
}

/* Every depth, with a palette that is not full, has two equal colours, and may be transparent. */
static void palettes(void)
{
	for (int bits = 1; bits <= 8; bits *= 2)
		for (int transparent = 0; transparent <= 3; transparent++)
			for (size_t i = 0; i < COUNT(sizes); i++) {
				xc_sample_png png = make_png(sizes[i][0], sizes[i][1], PALETTE, bits, 0);
				OWN_BYTES file = {0};
				char name[40];
				png.colours = bits == 1 ? 2 : (1 << bits) - 1;
				png.transparent = transparent < png.colours ? transparent : png.colours;
				xc_sample_png_fill(&png, (uint64_t)bits + i);
				memcpy(png.palette[1], png.palette[0], 3);
				png.alpha[1] = png.alpha[0];
				xc_sample_png_make(&file, &png);
				snprintf(name, sizeof name, "%d bits, %d transparent", bits, transparent);
				keep_palette(&file, name);
				free(png.samples);
			}
}

/* Several strips of indices, by several threads. */
static void palette_strips(void)
{
	static const uint8_t colours[5][4] = {{1, 2, 3, 255}, {0}, {9, 9, 9, 9}, {7, 0, 0, 0}, {4}};
	const xc_metadata m = {.palette = {colours, sizeof colours}, .palette_bits = 8};
	OWN_PICTURE p = xc_test_noise(1500, 500, 8);
	OWN_BYTES file = {0};
	OWN_FILE_PICTURE read = {0};

	free(p.data);
	p.channels = 4;
	p.stride = (size_t)4 * p.width;
	p.data = xc_test_malloc(p.stride * p.height);
	for (size_t i = 0; i < (size_t)p.width * p.height; i++)
		memcpy((uint8_t *)p.data + 4 * i, colours[i * i % 11 % 5], 4);
	beside = &m;
	write_rows(&file, &p, 6, 5, 90);
	beside = NULL;
	CHECK(!xc_read_made(file.data, file.size, &read) && xc_sample_equal(&read.picture, &p) &&
	          libpng_palette(&file).bits == 8,
	      "%s", message);
}

/* All of PngSuite, by others. */
static void suite(void)
{
	const char *shared = getenv("XC_SHARED"), *source = getenv("srcdir");
	char pattern[1000];
	glob_t found = {0};

	snprintf(pattern, sizeof pattern, "%s%s/data/pngsuite/[!x]*.png",
	         shared   ? shared
	         : source ? source
	                  : ".",
	         shared ? "" : "/../shared");
	if (!glob(pattern, 0, NULL, &found))
		for (size_t i = 0; i < found.gl_pathc; i++) {
			OWN_BYTES file = {0};
			CHECK(xc_bytes_load(&file, found.gl_pathv[i]), "%s", found.gl_pathv[i]);
			keep_palette(&file, found.gl_pathv[i]);
		}
	globfree(&found);
}

/* A colour that is not in the palette: the whole picture is written without, rows are refused. */
static void other_colours(void)
{
	OWN_PICTURE p = xc_smooth_picture(300, 5, 3, 8, 1);
	xc_metadata m = {.palette = {p.data, 4}, .palette_bits = 1};
	OWN_BYTES file = {0};
	OWN_BYTES rows = {0};
	const xc_byte_sink sink = {write_bytes, &rows};
	xc_row_writer *writer;

	CHECK(!xc_file_write(XC_FILE_PNG, &p, &m, -1, NULL, &file.data, &file.size, message) &&
	          libpng_reads(&file, &p),
	      "%s", message);
	xc_status status = xc_rows_create(XC_FILE_PNG, &sink, &p, &m, -1, NULL, NULL, &writer, message);
	REQUIRE(!status, "%s", message);
	status = xc_rows_write(writer, p.data, p.stride, p.height, message);
	CHECK(status == XC_ERR_ARGUMENT && strstr(message, "palette"), "%d %s", status, message);
	xc_rows_discard(writer);
}

int main(void)
{
	read_all();
	RUN(round_trips, bad_level, pixel_bombs, limits, damaged, watched);
	RUN(libpng_to_us, us_to_libpng, strips, depth16_strips, noise, cut_and_damaged, failing_source,
	    failing_sink, palettes, palette_strips, suite, other_colours);
	return check_done();
}
