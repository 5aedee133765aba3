/* SPDX-License-Identifier: BSD-2-Clause */
/* BMP: every header, depth and compression that is read. */
#include "tests/support/format_samples.h"

#include <stdlib.h>
#include <string.h>

enum { RGB = 0, RLE8 = 1, RLE4 = 2, BITFIELDS = 3, ALPHABITFIELDS = 6 };

static char *const message = xc_format_message;

static xc_sample_bmp make_bmp(uint32_t header, int32_t width, int32_t height, uint32_t bits,
                              uint32_t compression, uint32_t colours, int grey)
{
	return (xc_sample_bmp){header, width, height, bits, compression, colours, grey, {0}, 0};
}

/* Reads the file, which must give this status, a message in case of failure and a picture
 * otherwise; then frees the file.  Returns 1 when there is a picture. */
static int read_file(xc_bytes *file, xc_status want, xc_file_picture *out)
{
	const xc_status status = xc_read_made(file->data, file->size, out);

	CHECK(status == want && !status == (!message[0] || xc_file_tells_loss(message)) &&
	          !status == !!out->picture.data,
	      "%d, not %d: %s", status, want, message);
	xc_bytes_free(file);
	return !status;
}

/* A BMP with these bytes after its headers. */
static xc_bytes make(const xc_sample_bmp *bmp, const void *pixels, size_t size)
{
	xc_bytes file = {0};

	xc_sample_bmp_start(&file, bmp);
	xc_bytes_add(&file, pixels, size);
	return file;
}

/* Likewise, read at once. */
static int read_made(const xc_sample_bmp *bmp, const void *pixels, size_t size, xc_status want,
                     xc_file_picture *out)
{
	xc_bytes file = make(bmp, pixels, size);
	return read_file(&file, want, out);
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
			value %= bmp->colours && bmp->colours < 1u << bmp->bits ? bmp->colours
			                                                        : 1u << bmp->bits;
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

static xc_bytes make_plain(const xc_sample_bmp *bmp, const uint32_t *pixels)
{
	uint32_t rows = rows_of(bmp);
	xc_bytes file = make(bmp, NULL, 0);

	for (uint32_t i = 0; i < rows; i++)
		add_row(&file, bmp, pixels + (bmp->height < 0 ? i : rows - 1 - i) * (size_t)bmp->width);
	return file;
}

/* What the pixels of a file stand for. */
typedef struct meaning {
	const xc_sample_bmp *bmp;
	const uint32_t *pixels;
	uint32_t depth;
} meaning;

/* Channel c of a pixel value, from the definition in real numbers. */
static uint32_t wanted(const void *user, uint32_t x, uint32_t y, uint32_t c)
{
	static const uint32_t masks_555[4] = {0x7c00, 0x3e0, 0x1f, 0};
	static const uint32_t masks_888[4] = {0xff0000, 0xff00, 0xff, 0};
	const meaning *m = user;
	const xc_sample_bmp *bmp = m->bmp;
	const uint32_t pixel = m->pixels[(size_t)y * (uint32_t)bmp->width + x];

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
	double value = (double)(pixel & mask) / mask * (m->depth == 16 ? 65535 : 255);
	return (uint32_t)(value + 0.5);
}

static void check_pixels(const xc_sample_bmp *bmp, const uint32_t *pixels, uint32_t channels,
                         uint32_t depth, const xc_picture *picture)
{
	const meaning m = {bmp, pixels, depth};
	xc_check_samples(picture, (uint32_t)bmp->width, rows_of(bmp), channels, depth, wanted, &m);
}

static void read_plain(xc_sample_bmp bmp, uint32_t channels, uint32_t depth)
{
	static const int32_t sizes[][2] = {{1, 1}, {2, 3}, {7, -2}, {8, 8}, {9, -5}, {33, 4}};

	for (size_t i = 0; i < COUNT(sizes); i++) {
		OWN_FILE_PICTURE read = {0};
		bmp.width = sizes[i][0];
		/* The oldest header knows no top-down rows. */
		bmp.height = bmp.header == 12 && sizes[i][1] < 0 ? -sizes[i][1] : sizes[i][1];
		OWN_MEMORY uint32_t *pixels = random_pixels(&bmp, i + 10 * bmp.bits);
		xc_bytes file = make_plain(&bmp, pixels);
		if (read_file(&file, XC_OK, &read))
			check_pixels(&bmp, pixels, channels, depth, &read.picture);
		CHECK(read.metadata.density_x == bmp.density && read.metadata.density_y == bmp.density &&
		          read.metadata.density_unit == (bmp.density != 0),
		      "density");
		const uint8_t *colours = read.metadata.palette.data;
		CHECK(bmp.bits > 8 ? !colours
		                   : colours && read.metadata.palette_bits == bmp.bits &&
		                         colours[4] == (bmp.grey ? 7 : 4) && colours[7] == 255,
		      "palette");
	}
}

static void plain(void)
{
	static const uint32_t headers[] = {12, 16, 40, 52, 56, 64, 108, 124};
	static const uint32_t bits[] = {1, 2, 4, 8, 16, 24, 32};

	for (size_t h = 0; h < COUNT(headers); h++)
		for (size_t b = 0; b < COUNT(bits); b++) {
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

/* Entries that no pixel can name are passed over. */
static void oversized_palette(void)
{
	xc_sample_bmp bmp = {.header = 40, .bits = 8, .colours = 257};

	read_plain(bmp, 3, 8);
	bmp.colours = 30000;
	read_plain(bmp, 3, 8);
	bmp.bits = 1;
	bmp.colours = 300;
	read_plain(bmp, 3, 8);
}

/* One of which the count alone is large: the entries end where the pixels begin. */
static void counted_palette(void)
{
	const xc_sample_bmp bmp = make_bmp(40, 3, 1, 8, RGB, 3, 0);
	xc_bytes file = make(&bmp, "\0\1\2", 3);
	OWN_FILE_PICTURE read = {0};

	memcpy(file.data + 46, "\x34\x12\x34\x12", 4);
	if (read_file(&file, XC_OK, &read))
		CHECK(xc_sample_at(&read.picture, 1, 0, 0) == 4, "second pixel");
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

	for (size_t k = 0; k < COUNT(kinds); k++)
		for (size_t h = 0; h < COUNT(headers); h++) {
			int alpha = kinds[k].mask[3] != 0;
			xc_sample_bmp bmp = make_bmp(headers[h], 0, 0, kinds[k].bits,
			                             alpha && headers[h] < 56 ? ALPHABITFIELDS : BITFIELDS, 0,
			                             0);
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
			const xc_sample_bmp bmp = make_bmp(40, width, 7, bits, bits == 8 ? RLE8 : RLE4, 4, 0);
			OWN_MEMORY uint32_t *pixels = random_pixels(&bmp, (uint64_t)width);
			xc_bytes file = make(&bmp, NULL, 0);
			OWN_FILE_PICTURE read = {0};
			for (int y = 6; y >= 0; y--) {
				add_rle_row(&file, bits, pixels + y * width, (uint32_t)width);
				xc_bytes_add(&file, "\0", 2);
			}
			/* The end mark may be missing. */
			if (width % 2)
				xc_bytes_add(&file, "\0\1", 2);
			if (read_file(&file, XC_OK, &read))
				check_pixels(&bmp, pixels, 3, 8, &read.picture);
		}
}

/* Codes for a picture of 4 x 3 with the palette of greys 0, 7, 14, ...; want has the
 * palette's indices, or is NULL when the file is to be refused with `status`. */
static void rle_codes(const void *codes, size_t size, const char *want, xc_status status)
{
	const xc_sample_bmp bmp = make_bmp(40, 4, 3, 8, RLE8, 10, 1);
	OWN_FILE_PICTURE read = {0};
	const int good = read_made(&bmp, codes, size, status, &read);

	for (uint32_t i = 0; want && good && i < 12; i++)
		CHECK(xc_sample_at(&read.picture, i % 4, i / 4, 0) == (uint32_t)(want[i] - '0') * 7,
		      "pixel %u", i);
}

/* Rows of 5 pixels, which are all 1 and all 2: they may run to 8, the padding to 32
 * bits, without a word. */
static void rle_past_edge(uint32_t bits, const void *codes, size_t size, const char *warning)
{
	const xc_sample_bmp bmp = make_bmp(40, 5, 2, bits, bits == 8 ? RLE8 : RLE4, 10, 1);
	OWN_BYTES file = make(&bmp, codes, size);
	OWN_FILE_PICTURE read = {0};

	CHECK(xc_read_made(file.data, file.size, &read) == XC_OK, "%s", xc_format_message);
	CHECK(*warning ? strstr(xc_format_message, warning) != NULL : !xc_format_message[0], "'%s'",
	      xc_format_message);
	for (uint32_t x = 0; x < 5 && read.picture.data; x++)
		CHECK(xc_sample_at(&read.picture, x, 1, 0) == 7 &&
		          xc_sample_at(&read.picture, x, 0, 0) == 14,
		      "column %u", x);
}

static void run_length_codes(void)
{
	rle_codes(CHECK_BYTES("\4\1\0\0\4\2\0\0\4\3\0\1"), "333322221111", XC_OK);
	rle_codes(CHECK_BYTES("\4\1\0\0\4\2\0\0\4\3"), "333322221111", XC_OK);
	/* The last literals lack the byte that pads them. */
	rle_codes(CHECK_BYTES("\4\1\0\0\4\2\0\0\1\1\0\3\1\2\3"), "112322221111", XC_OK);
	/* A jump right and up, and an early end. */
	rle_codes(CHECK_BYTES("\1\1\0\2\2\1\1\5\0\1"), "000000051000", XC_OK);
	rle_codes(CHECK_BYTES("\0\1"), "000000000000", XC_OK);
	rle_codes(CHECK_BYTES("\0\3\1\2\3\0\1\4\0\1"), "000000001234", XC_OK);
	rle_past_edge(8, CHECK_BYTES("\3\1\5\1\0\0\10\2\0\1"), "");
	rle_past_edge(4, CHECK_BYTES("\3\21\0\5\21\21\20\0\0\0\10\42\0\1"), "");
	rle_past_edge(8, CHECK_BYTES("\11\1\0\0\0\11\2\2\2\2\2\2\2\2\2\0\0\1"), "past the edge");
	rle_codes(CHECK_BYTES("\1\12\0\1"), NULL, XC_ERR_CORRUPT);
	rle_codes(CHECK_BYTES("\0\0\0\0\0\0\1\1\0\1"), NULL, XC_ERR_CORRUPT);
	rle_codes(CHECK_BYTES("\0\0\0\0\0\0\0\0\0\1"), NULL, XC_ERR_CORRUPT);
	rle_codes(CHECK_BYTES("\0\2\5\0\0\1"), NULL, XC_ERR_CORRUPT);
	rle_codes(CHECK_BYTES("\0\2\0\4\0\1"), NULL, XC_ERR_CORRUPT);
	rle_codes(CHECK_BYTES("\0\4\1\2"), NULL, XC_ERR_TRUNCATED);
	rle_codes(CHECK_BYTES("\0\2\1"), NULL, XC_ERR_TRUNCATED);
	rle_codes(CHECK_BYTES("\4\1\0\0\4\2"), NULL, XC_ERR_TRUNCATED);
	rle_codes(CHECK_BYTES(""), NULL, XC_ERR_TRUNCATED);
}

/* ---- profile, and what must not be read */

static void profile(void)
{
	const xc_sample_bmp bmp = make_bmp(124, 2, 1, 24, RGB, 0, 0);

	for (uint8_t size = 14; size <= 15; size++) {
		const int good = size == 14; /* a byte more lies beyond the end */
		OWN_BYTES file = make(&bmp, "123456\0\0an ICC profile", 22);
		OWN_FILE_PICTURE read = {0};
		memcpy(file.data + 14 + 56, "DEBM", 4); /* 'MBED', little-endian */
		file.data[14 + 112] = (uint8_t)(file.size - 14 - 14);
		file.data[14 + 116] = size;
		CHECK(xc_read_made(file.data, file.size, &read) == XC_OK && (message[0] == 0) == good,
		      "a profile of %u bytes: '%s'", size, message);
		const xc_blob *icc = &read.metadata.icc;
		CHECK(good ? icc->size == 14 && memcmp(icc->data, "an ICC profile", 14) == 0
		           : !icc->size && !icc->data,
		      "%zu of %u bytes", icc->size, size);
	}
}

static void refused(void)
{
	static const struct {
		xc_sample_bmp bmp;
		size_t pixel_bytes;
		xc_status want;
	} cases[] = {
		{{40, 0, 2, 24, RGB, 0, 0, {0}, 0}, 16, XC_ERR_CORRUPT},
		{{40, -2, 2, 24, RGB, 0, 0, {0}, 0}, 16, XC_ERR_CORRUPT},
		{{40, 2, 0, 24, RGB, 0, 0, {0}, 0}, 16, XC_ERR_CORRUPT},
		{{40, 2, INT32_MIN, 24, RGB, 0, 0, {0}, 0}, 16, XC_ERR_TRUNCATED},
		{{40, 2, 2, 24, RGB, 0, 0, {0}, 0}, 13, XC_ERR_TRUNCATED},
		{{40, INT32_MAX, INT32_MAX, 24, RGB, 0, 0, {0}, 0}, 64, XC_LONG_ROW},
		{{40, 2, 2, 7, RGB, 0, 0, {0}, 0}, 16, XC_ERR_UNSUPPORTED},
		{{41, 2, 2, 24, RGB, 0, 0, {0}, 0}, 16, XC_ERR_UNSUPPORTED},
		{{40, 2, 2, 24, 4, 0, 0, {0}, 0}, 16, XC_ERR_UNSUPPORTED},
		{{40, 2, 2, 24, RLE8, 0, 0, {0}, 0}, 16, XC_ERR_UNSUPPORTED},
		{{40, 2, -2, 8, RLE8, 0, 0, {0}, 0}, 16, XC_ERR_CORRUPT},
		/* Run lengths may jump over pixels, but not over a gigabyte of them. */
		{{40, 30000, 30000, 8, RLE8, 0, 0, {0}, 0}, 16, XC_ERR_TRUNCATED},
		{{56, 2, 2, 32, BITFIELDS, 0, 0, {0}, 0}, 64, XC_ERR_CORRUPT},
		{{56, 2, 2, 32, BITFIELDS, 0, 0, {0xff, 0xff, 0xff00, 0}, 0}, 64, XC_ERR_CORRUPT},
		{{56, 2, 2, 32, BITFIELDS, 0, 0, {0x5, 0xf0, 0xf00, 0}, 0}, 64, XC_ERR_CORRUPT},
		{{56, 2, 2, 32, BITFIELDS, 0, 0, {0, 0, 0, 0xff}, 0}, 64, XC_ERR_CORRUPT},
	};
	static const uint8_t zeros[64];

	for (size_t i = 0; i < COUNT(cases); i++) {
		xc_file_picture read;
		CHECK(!read_made(&cases[i].bmp, zeros, cases[i].pixel_bytes, cases[i].want, &read),
		      "case %zu", i);
	}
}

/* The padding after the last row is not needed to read the picture. */
static void last_padding(void)
{
	const xc_sample_bmp bmp = make_bmp(40, 1, 2, 24, RGB, 0, 0);
	OWN_FILE_PICTURE read = {0};

	if (read_made(&bmp, "\1\2\3\0\4\5\6", 7, XC_OK, &read))
		CHECK(xc_sample_at(&read.picture, 0, 0, 0) == 6, "first row");
}

static void pixels_inside_headers(void)
{
	const xc_sample_bmp bmp = make_bmp(40, 1, 1, 24, RGB, 0, 0);
	xc_bytes file = make(&bmp, "1234", 4);
	xc_file_picture read;

	file.data[10]--;
	read_file(&file, XC_ERR_CORRUPT, &read);
}

static void colour_beyond_palette(void)
{
	const xc_sample_bmp bmp = make_bmp(40, 3, 1, 8, RGB, 3, 0);
	xc_file_picture read;
	read_made(&bmp, "\0\2\3", 3, XC_ERR_CORRUPT, &read);
}

int main(void)
{
	plain();
	RUN(short_palette, oversized_palette, counted_palette, bit_fields, run_lengths,
	    run_length_codes, profile, refused, last_padding, pixels_inside_headers,
	    colour_beyond_palette);
	return check_done();
}
