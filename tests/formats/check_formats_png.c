/* SPDX-License-Identifier: BSD-2-Clause */
/* PNG: every colour type read, every picture written, what must not be read. */
#include "tests/support/format_samples.h"

#include <stdlib.h>
#include <string.h>

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
	xc_bytes file = {0};
	xc_file_picture read;
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
	xc_file_picture_free(&read);
	free(png->samples);
	xc_bytes_free(&file);
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
	xc_picture picture = xc_sample_picture(3, 3, 3, 8, 0, 1);
	uint8_t *data;
	size_t size;
	xc_status status = xc_file_write(XC_FILE_PNG, &picture, NULL, 10, NULL, &data, &size, message);
	CHECK(status == XC_ERR_ARGUMENT && !data && size == 0 && message[0], "%d %s", status, message);
	free(picture.data);
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
			xc_bytes file = {0};
			xc_sample_png_header(&file, &png);
			xc_sample_png_chunk(&file, "IDAT", "\x78\x9c\3\0\0\0\0\1", 8);
			xc_sample_png_chunk(&file, "IEND", NULL, 0);
			const int fits = UINT64_C(16) * sizes[i][0] < SIZE_MAX; /* a row in memory */
			xc_check_refused(file.data, file.size, fits ? XC_ERR_CORRUPT : XC_ERR_LIMIT, "bomb");
			xc_bytes_free(&file);
		}
}

/* 3000 bytes of pixels, and as much again for the rows in work, with their filters, and the row above. */
static void limits(void)
{
	xc_sample_png png = {.width = 50, .height = 20, .type = RGB, .bits = 8};
	xc_bytes file = {0};
	xc_sample_png_fill(&png, 1);
	xc_sample_png_make(&file, &png);
	xc_check_limits(file.data, file.size, 1000, 3000 + 20 * 151 + 150 + 8);
	free(png.samples);
	xc_bytes_free(&file);
}

#define END "\0\0\0\0IEND\xae\x42\x60\x82"

/* The header of a good file with these bytes after it. */
static void refuse_after_header(const xc_sample_png *png, const void *bytes, size_t size,
                                const char *what)
{
	xc_bytes file = {0};
	xc_sample_png_header(&file, png);
	xc_bytes_add(&file, bytes, size);
	xc_check_refused(file.data, file.size, XC_ERR_CORRUPT, what);
	xc_bytes_free(&file);
}

static void damaged(void)
{
	xc_sample_png png = {.width = 5, .height = 5, .type = GREY, .bits = 8};
	xc_bytes good = {0};
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
	xc_bytes_free(&good);
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
		xc_bytes file = {0}, again = {0};
		xc_file_picture read;
		xc_sample_png_fill(&png, 5);
		xc_sample_png_make(&file, &png);
		told = 0;
		xc_status status = xc_file_read(file.data, file.size, NULL, &watcher, &read, message);
		CHECK(status == XC_OK && !back && !beyond && told >= 1, "read: %d, %g", status, told);
		told = 0;
		status = xc_file_write(XC_FILE_PNG, &read.picture, NULL, -1, &watcher, &again.data,
		                       &again.size, message);
		CHECK(status == XC_OK && !back && !beyond && told >= 1, "write: %d, %g", status, told);
		xc_file_picture_free(&read);
		xc_bytes_free(&file);
		xc_bytes_free(&again);
		free(png.samples);
	}
}

int main(void)
{
	read_all();
	RUN(round_trips, bad_level, pixel_bombs, limits, damaged, watched);
	return check_done();
}
