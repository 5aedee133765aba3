/* SPDX-License-Identifier: BSD-2-Clause */
/* BMP: every header, depth and compression that is read. */
#include "formats/formats.h"
#include "tests/support/check.h"
#include "tests/support/format_samples.h"

#include <stdlib.h>
#include <string.h>

enum { RGB = 0, RLE8 = 1, RLE4 = 2, BITFIELDS = 3, ALPHABITFIELDS = 6 };

static char message[XC_FILE_MESSAGE];

static xc_status read_file(const xc_bytes *file, xc_file_picture *out)
{
	return xc_file_read(file->data, file->size, 0, 0, out, message);
}

static uint32_t rows_of(const xc_sample_bmp *bmp)
{
	return (uint32_t)(bmp->height < 0 ? -bmp->height : bmp->height);
}

/* The pixel values of a file, as numbers, row 0 on top. */
static uint32_t *random_pixels(const xc_sample_bmp *bmp, uint64_t seed)
{
	size_t n = (size_t)bmp->width * rows_of(bmp);
	uint32_t *pixels = xc_test_malloc(n * sizeof *pixels);
	for (size_t i = 0; i < n; i++) {
		uint64_t value = check_random(&seed);
		if (bmp->bits <= 8)
			value %= bmp->colours ? bmp->colours : 1u << bmp->bits;
		else if (bmp->bits < 32)
			value &= (1u << bmp->bits) - 1;
		pixels[i] = (uint32_t)value;
	}
	return pixels;
}

static void add_row(xc_bytes *file, const xc_sample_bmp *bmp, const uint32_t *pixels)
{
	size_t start = file->size;
	uint32_t held = 0, bits = 0;
	for (int32_t x = 0; x < bmp->width; x++) {
		if (bmp->bits >= 8) {
			for (uint32_t shift = 0; shift < bmp->bits; shift += 8)
				xc_bytes_add_u8(file, pixels[x] >> shift);
			continue;
		}
		held = held << bmp->bits | pixels[x];
		bits += bmp->bits;
		if (bits == 8 || x == bmp->width - 1) {
			xc_bytes_add_u8(file, held << (8 - bits));
			bits = held = 0;
		}
	}
	while ((file->size - start) % 4)
		xc_bytes_add_u8(file, 0xee);
}

static void make_plain(xc_bytes *file, const xc_sample_bmp *bmp, const uint32_t *pixels)
{
	uint32_t rows = rows_of(bmp);
	file->size = 0;
	xc_sample_bmp_start(file, bmp);
	for (uint32_t i = 0; i < rows; i++)
		add_row(file, bmp, pixels + (bmp->height < 0 ? i : rows - 1 - i) * (size_t)bmp->width);
}

/* Channel c of a pixel value, from the definition in real numbers. */
static uint32_t wanted(const xc_sample_bmp *bmp, uint32_t pixel, uint32_t c, uint32_t depth)
{
	static const uint32_t masks_555[4] = {0x7c00, 0x3e0, 0x1f, 0};
	static const uint32_t masks_888[4] = {0xff0000, 0xff00, 0xff, 0};
	if (bmp->bits <= 8) {
		uint32_t factor = 3 + 2 * c;
		return bmp->grey ? 7 * pixel & 255 : (factor * pixel + 1 + c) & 255;
	}
	const uint32_t *masks = bmp->mask;
	if (bmp->compression == RGB)
		masks = bmp->bits == 16 ? masks_555 : masks_888;
	uint32_t mask = masks[c];
	if (mask == 0)
		return 0;
	double value = (double)(pixel & mask) / mask * (depth == 16 ? 65535 : 255);
	return (uint32_t)(value + 0.5);
}

static void check_pixels(const xc_sample_bmp *bmp, const uint32_t *pixels, uint32_t channels,
                         uint32_t depth, const xc_picture *picture)
{
	REQUIRE(picture->width == (uint32_t)bmp->width && picture->height == rows_of(bmp), "%u x %u",
	        picture->width, picture->height);
	REQUIRE(picture->channels == channels && picture->depth == depth, "%u channels of %u bits",
	        picture->channels, picture->depth);
	for (uint32_t y = 0; y < picture->height; y++)
		for (uint32_t x = 0; x < picture->width; x++)
			for (uint32_t c = 0; c < channels; c++) {
				uint32_t want = wanted(bmp, pixels[(size_t)y * picture->width + x], c, depth);
				uint32_t found = xc_sample_at(picture, x, y, c);
				CHECK(found == want, "(%u, %u) channel %u: %u, not %u", x, y, c, found, want);
			}
}

static void read_plain(xc_sample_bmp bmp, uint32_t channels, uint32_t depth)
{
	static const int32_t sizes[][2] = {{1, 1}, {2, 3}, {7, -2}, {8, 8}, {9, -5}, {33, 4}};
	xc_bytes file = {0};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		xc_file_picture read;
		bmp.width = sizes[i][0];
		/* The oldest header knows no top-down rows. */
		bmp.height = bmp.header == 12 && sizes[i][1] < 0 ? -sizes[i][1] : sizes[i][1];
		uint32_t *pixels = random_pixels(&bmp, i + 10 * bmp.bits);
		make_plain(&file, &bmp, pixels);
		xc_status status = read_file(&file, &read);
		CHECK(status == XC_OK && !message[0], "%d %s", status, message);
		if (status == XC_OK)
			check_pixels(&bmp, pixels, channels, depth, &read.picture);
		CHECK(read.metadata.density_x == bmp.density && read.metadata.density_y == bmp.density &&
		          read.metadata.density_unit == (bmp.density != 0),
		      "density");
		xc_file_picture_free(&read);
		free(pixels);
	}
	xc_bytes_free(&file);
}

static void plain(void)
{
	static const uint32_t headers[] = {12, 16, 40, 52, 56, 64, 108, 124};
	static const uint32_t bits[] = {1, 2, 4, 8, 16, 24, 32};
	for (size_t h = 0; h < sizeof headers / sizeof *headers; h++)
		for (size_t b = 0; b < sizeof bits / sizeof *bits; b++) {
			check_begin("bmp header of %u bytes, %u bits", headers[h], bits[b]);
			xc_sample_bmp bmp = {.header = headers[h], .bits = bits[b]};
			bmp.density = headers[h] >= 40 ? 2834 : 0;
			read_plain(bmp, 3, 8);
			bmp.grey = 1;
			if (bits[b] <= 8)
				read_plain(bmp, 1, 8);
			check_end();
		}
}

static void short_palette(void)
{
	xc_sample_bmp bmp = {.header = 40, .bits = 8, .colours = 5};
	read_plain(bmp, 3, 8);
	bmp.bits = 4;
	bmp.header = 124;
	read_plain(bmp, 3, 8);
}

static void bit_fields(void)
{
	static const struct {
		uint32_t bits, mask[4], depth;
	} kinds[] = {
		{16, {0xf800, 0x07e0, 0x001f, 0}, 8},
		{16, {0x0f00, 0x00f0, 0x000f, 0xf000}, 8},
		{16, {0x7c00, 0x03e0, 0x001f, 0x8000}, 8},
		{16, {0x0007, 0x0038, 0, 0}, 8},
		{32, {0xff, 0xff00, 0xff0000, 0}, 8},
		{32, {0xff000000, 0xff0000, 0xff00, 0xff}, 8},
		{32, {0x3ff00000, 0x000ffc00, 0x000003ff, 0xc0000000}, 16},
		{32, {0xffff0000, 0xffff, 0, 0}, 16},
	};
	static const uint32_t headers[] = {40, 52, 56, 108, 124};
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		for (size_t h = 0; h < sizeof headers / sizeof *headers; h++) {
			int alpha = kinds[k].mask[3] != 0;
			xc_sample_bmp bmp = {.header = headers[h],
			                     .bits = kinds[k].bits,
			                     .compression = alpha && headers[h] < 56 ? ALPHABITFIELDS
			                                                             : BITFIELDS};
			memcpy(bmp.mask, kinds[k].mask, sizeof bmp.mask);
			read_plain(bmp, alpha ? 4 : 3, kinds[k].depth);
		}
}

/* ---- run lengths */

/* Rows as runs where pixels repeat and as literals where not; width up to 255. */
static void add_rle_row(xc_bytes *file, uint32_t bits, const uint32_t *pixels, uint32_t width)
{
	for (uint32_t x = 0, n; x < width; x += n) {
		uint32_t period = bits == 8 ? 1 : 2; /* RLE4 alternates two pixels */
		for (n = 1; x + n < width && (n < period || pixels[x + n] == pixels[x + n - period]);)
			n++;
		if (n < 3 && width - x >= 3) { /* as literals: three pixels */
			n = 3;
			xc_bytes_add_u8(file, 0);
			xc_bytes_add_u8(file, n);
			if (bits == 8) {
				for (uint32_t i = 0; i < 3; i++)
					xc_bytes_add_u8(file, pixels[x + i]);
				xc_bytes_add_u8(file, 0);
			} else {
				xc_bytes_add_u8(file, pixels[x] << 4 | pixels[x + 1]);
				xc_bytes_add_u8(file, pixels[x + 2] << 4);
			}
			continue;
		}
		xc_bytes_add_u8(file, n);
		if (bits == 8)
			xc_bytes_add_u8(file, pixels[x]);
		else
			xc_bytes_add_u8(file, pixels[x] << 4 | (n > 1 ? pixels[x + 1] : 0));
	}
}

static void run_lengths(void)
{
	for (uint32_t bits = 4; bits <= 8; bits += 4)
		for (int32_t width = 1; width <= 40; width += 3) {
			xc_sample_bmp bmp = {.header = 40,
			                     .width = width,
			                     .height = 7,
			                     .bits = bits,
			                     .compression = bits == 8 ? RLE8 : RLE4,
			                     .colours = 4};
			uint32_t *pixels = random_pixels(&bmp, (uint64_t)width);
			xc_bytes file = {0};
			xc_file_picture read;
			xc_sample_bmp_start(&file, &bmp);
			for (int y = 6; y >= 0; y--) {
				add_rle_row(&file, bits, pixels + y * width, (uint32_t)width);
				xc_bytes_add(&file, "\0", 2);
			}
			/* The end mark may be missing. */
			if (width % 2)
				xc_bytes_add(&file, "\0\1", 2);
			xc_status status = read_file(&file, &read);
			CHECK(status == XC_OK, "%u bits, width %d: %d %s", bits, width, status, message);
			if (status == XC_OK)
				check_pixels(&bmp, pixels, 3, 8, &read.picture);
			xc_file_picture_free(&read);
			xc_bytes_free(&file);
			free(pixels);
		}
}

/* Codes for a picture of 4 x 3 with the palette of greys 0, 7, 14, ...; want has
 * the palette indices, or is NULL when the file is to be refused with `status`. */
static void rle_codes(const void *codes, size_t size, const char *want, xc_status status)
{
	xc_sample_bmp bmp = {.header = 40,
	                     .width = 4,
	                     .height = 3,
	                     .bits = 8,
	                     .compression = RLE8,
	                     .colours = 10,
	                     .grey = 1};
	xc_bytes file = {0};
	xc_file_picture read;
	xc_sample_bmp_start(&file, &bmp);
	xc_bytes_add(&file, codes, size);
	xc_status found = read_file(&file, &read);
	CHECK(found == status, "%d, not %d: %s", found, status, message);
	CHECK((found != XC_OK) == (message[0] != '\0'), "message '%s'", message);
	for (uint32_t i = 0; want && !found && i < 12; i++)
		CHECK(xc_sample_at(&read.picture, i % 4, i / 4, 0) == (uint32_t)(want[i] - '0') * 7,
		      "pixel %u", i);
	xc_file_picture_free(&read);
	xc_bytes_free(&file);
}

#define CODES(text) (text), sizeof(text) - 1

static void run_length_codes(void)
{
	rle_codes(CODES("\4\1\0\0\4\2\0\0\4\3\0\1"), "333322221111", XC_OK);
	rle_codes(CODES("\4\1\0\0\4\2\0\0\4\3"), "333322221111", XC_OK);
	/* The last literals lack the byte that pads them. */
	rle_codes(CODES("\4\1\0\0\4\2\0\0\1\1\0\3\1\2\3"), "112322221111", XC_OK);
	/* A jump right and up, and an early end. */
	rle_codes(CODES("\1\1\0\2\2\1\1\5\0\1"), "000000051000", XC_OK);
	rle_codes(CODES("\0\1"), "000000000000", XC_OK);
	rle_codes(CODES("\0\3\1\2\3\0\1\4\0\1"), "000000001234", XC_OK);
	rle_codes(CODES("\5\1\0\1"), NULL, XC_ERR_CORRUPT);
	rle_codes(CODES("\1\12\0\1"), NULL, XC_ERR_CORRUPT);
	rle_codes(CODES("\0\0\0\0\0\0\1\1\0\1"), NULL, XC_ERR_CORRUPT);
	rle_codes(CODES("\0\0\0\0\0\0\0\0\0\1"), NULL, XC_ERR_CORRUPT);
	rle_codes(CODES("\0\2\5\0\0\1"), NULL, XC_ERR_CORRUPT);
	rle_codes(CODES("\0\2\0\4\0\1"), NULL, XC_ERR_CORRUPT);
	rle_codes(CODES("\0\5\1\2\3\4\5\0\0\1"), NULL, XC_ERR_CORRUPT);
	rle_codes(CODES("\0\4\1\2"), NULL, XC_ERR_TRUNCATED);
	rle_codes(CODES("\0\2\1"), NULL, XC_ERR_TRUNCATED);
	rle_codes(CODES("\4\1\0\0\4\2"), NULL, XC_ERR_TRUNCATED);
	rle_codes(CODES(""), NULL, XC_ERR_TRUNCATED);
}

/* ---- profile, and what must not be read */

static void profile(void)
{
	xc_sample_bmp bmp = {.header = 124, .width = 2, .height = 1, .bits = 24};
	xc_bytes file = {0};
	xc_file_picture read;
	xc_sample_bmp_start(&file, &bmp);
	xc_bytes_add(&file, "123456\0\0an ICC profile", 22);
	memcpy(file.data + 14 + 56, "DEBM", 4); /* 'MBED', little-endian */
	file.data[14 + 112] = (uint8_t)(file.size - 14 - 14);
	file.data[14 + 116] = 14;
	CHECK(read_file(&file, &read) == XC_OK && !message[0], "%s", message);
	CHECK(read.metadata.icc.size == 14 && memcmp(read.metadata.icc.data, "an ICC profile", 14) == 0,
	      "%zu bytes", read.metadata.icc.size);
	xc_file_picture_free(&read);
	file.data[14 + 116] = 15;
	CHECK(read_file(&file, &read) == XC_OK && message[0], "a profile beyond the end: '%s'",
	      message);
	CHECK(!read.metadata.icc.data && !read.metadata.icc.size, "a profile from nowhere");
	xc_file_picture_free(&read);
	xc_bytes_free(&file);
}

static void check_refused(xc_sample_bmp bmp, size_t pixel_bytes, xc_status want)
{
	xc_bytes file = {0};
	xc_file_picture read;
	xc_sample_bmp_start(&file, &bmp);
	while (pixel_bytes--)
		xc_bytes_add_u8(&file, 0);
	xc_status status = read_file(&file, &read);
	CHECK(status == want && message[0] && !read.picture.data,
	      "%d x %d, %u bits, compression %u: %d %s", bmp.width, bmp.height, bmp.bits,
	      bmp.compression, status, message);
	xc_file_picture_free(&read);
	xc_bytes_free(&file);
}

static void refused(void)
{
	const xc_sample_bmp good = {.header = 40, .width = 2, .height = 2, .bits = 24};
	static const uint32_t masks[][4] = {{0, 0, 0, 0},
	                                    {0xff, 0xff, 0xff00, 0},
	                                    {0x5, 0xf0, 0xf00, 0},
	                                    {0, 0, 0, 0xff}};
	xc_sample_bmp bmp = good;
	bmp.width = 0, check_refused(bmp, 16, XC_ERR_CORRUPT);
	bmp.width = -2, check_refused(bmp, 16, XC_ERR_CORRUPT);
	bmp = good, bmp.height = 0, check_refused(bmp, 16, XC_ERR_CORRUPT);
	bmp.height = INT32_MIN, check_refused(bmp, 16, XC_ERR_TRUNCATED);
	bmp = good, check_refused(bmp, 13, XC_ERR_TRUNCATED);
	bmp.width = bmp.height = INT32_MAX, check_refused(bmp, 64, XC_ERR_LIMIT);
	bmp = good, bmp.bits = 7, check_refused(bmp, 16, XC_ERR_UNSUPPORTED);
	bmp = good, bmp.header = 41, check_refused(bmp, 16, XC_ERR_UNSUPPORTED);
	bmp = good, bmp.compression = 4, check_refused(bmp, 16, XC_ERR_UNSUPPORTED);
	bmp = good, bmp.compression = RLE8, check_refused(bmp, 16, XC_ERR_UNSUPPORTED);
	bmp = good, bmp.bits = 8, bmp.colours = 257, check_refused(bmp, 16, XC_ERR_CORRUPT);
	bmp = good, bmp.bits = 8, bmp.compression = RLE8, bmp.height = -2;
	check_refused(bmp, 16, XC_ERR_CORRUPT);
	/* Run lengths may jump over pixels, but not over a gigabyte of them. */
	bmp.height = 30000, bmp.width = 30000, check_refused(bmp, 16, XC_ERR_TRUNCATED);
	for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
		bmp = good, bmp.bits = 32, bmp.header = 56, bmp.compression = BITFIELDS;
		memcpy(bmp.mask, masks[i], sizeof bmp.mask);
		check_refused(bmp, 64, XC_ERR_CORRUPT);
	}
}

/* The padding after the last row is not needed to read the picture. */
static void last_padding(void)
{
	const xc_sample_bmp bmp = {.header = 40, .width = 1, .height = 2, .bits = 24};
	xc_bytes file = {0};
	xc_file_picture read;
	xc_sample_bmp_start(&file, &bmp);
	xc_bytes_add(&file, "\1\2\3\0\4\5\6", 7);
	CHECK(read_file(&file, &read) == XC_OK, "%s", message);
	CHECK(read.picture.data && xc_sample_at(&read.picture, 0, 0, 0) == 6, "first row");
	xc_file_picture_free(&read);
	xc_bytes_free(&file);
}

static void pixels_inside_headers(void)
{
	const xc_sample_bmp bmp = {.header = 40, .width = 1, .height = 1, .bits = 24};
	xc_bytes file = {0};
	xc_file_picture read;
	xc_sample_bmp_start(&file, &bmp);
	xc_bytes_add(&file, "1234", 4);
	file.data[10]--;
	xc_status status = read_file(&file, &read);
	CHECK(status == XC_ERR_CORRUPT && message[0] && !read.picture.data, "%d %s", status, message);
	xc_file_picture_free(&read);
	xc_bytes_free(&file);
}

static void colour_beyond_palette(void)
{
	const xc_sample_bmp bmp = {.header = 40, .width = 3, .height = 1, .bits = 8, .colours = 3};
	xc_bytes file = {0};
	xc_file_picture read;
	xc_sample_bmp_start(&file, &bmp);
	xc_bytes_add(&file, "\0\2\3", 3);
	xc_status status = read_file(&file, &read);
	CHECK(status == XC_ERR_CORRUPT && message[0] && !read.picture.data, "%d %s", status, message);
	xc_file_picture_free(&read);
	xc_bytes_free(&file);
}

int main(void)
{
	plain();
	RUN(short_palette);
	RUN(bit_fields);
	RUN(run_lengths);
	RUN(run_length_codes);
	RUN(profile);
	RUN(refused);
	RUN(last_padding);
	RUN(pixels_inside_headers);
	RUN(colour_beyond_palette);
	return check_done();
}
