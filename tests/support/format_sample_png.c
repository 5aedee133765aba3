/* SPDX-License-Identifier: BSD-2-Clause */
/* PNG files from the definition (ISO/IEC 15948), with zlib and without libpng. */
#include "tests/support/format_samples.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { PALETTE = 3 };

uint32_t xc_sample_png_channels(const xc_sample_png *png)
{
	static const uint32_t channels[7] = {1, 0, 3, 1, 2, 0, 4};
	return channels[png->type];
}

void xc_sample_png_fill(xc_sample_png *png, uint64_t seed)
{
	size_t n = (size_t)png->width * png->height * xc_sample_png_channels(png);
	png->samples = xc_test_malloc(n * sizeof *png->samples);
	uint32_t values = png->type == PALETTE ? (uint32_t)png->colours : 1u << png->bits;
	for (size_t i = 0; i < n; i++)
		png->samples[i] = (uint16_t)(check_random(&seed) % values);
	for (int i = 0; i < png->colours; i++) {
		for (int c = 0; c < 3; c++)
			png->palette[i][c] = (uint8_t)check_random(&seed);
		png->alpha[i] = (uint8_t)check_random(&seed);
	}
	/* The key is a colour that the picture has, so that a pixel meets it. */
	for (uint32_t c = 0; c < 3; c++)
		png->key[c] = png->samples[c % xc_sample_png_channels(png)];
}

void xc_sample_png_chunk(xc_bytes *bytes, const char *type, const void *data, size_t size)
{
	xc_bytes_add_be32(bytes, (uint32_t)size);
	size_t start = bytes->size;
	xc_bytes_add(bytes, type, 4);
	xc_bytes_add(bytes, data, size);
	xc_bytes_add_be32(bytes, (uint32_t)crc32(0, bytes->data + start, (uInt)(4 + size)));
}

void xc_sample_png_header(xc_bytes *bytes, const xc_sample_png *png)
{
	xc_bytes header = {0};
	xc_bytes_add_be32(&header, png->width);
	xc_bytes_add_be32(&header, png->height);
	xc_bytes_add_u8(&header, (uint32_t)png->bits);
	xc_bytes_add_u8(&header, (uint32_t)png->type);
	xc_bytes_add(&header, "\0\0", 2);
	xc_bytes_add_u8(&header, (uint32_t)png->interlaced);
	xc_bytes_add(bytes, "\x89PNG\r\n\x1a\n", 8);
	xc_sample_png_chunk(bytes, "IHDR", header.data, header.size);
	xc_bytes_free(&header);
}

/* Packs every dx-th pixel of a row from x0 on, after a filter type of 0. */
static void add_row(xc_bytes *raw, const xc_sample_png *png, uint32_t y, uint32_t x0, uint32_t dx)
{
	uint32_t channels = xc_sample_png_channels(png), bits = 0, held = 0;
	xc_bytes_add_u8(raw, 0);
	for (uint32_t x = x0; x < png->width; x += dx)
		for (uint32_t c = 0; c < channels; c++) {
			uint32_t value = png->samples[((size_t)y * png->width + x) * channels + c];
			held = held << png->bits | value;
			for (bits += (uint32_t)png->bits; bits >= 8; bits -= 8)
				xc_bytes_add_u8(raw, held >> (bits - 8));
		}
	if (bits)
		xc_bytes_add_u8(raw, held << (8 - bits));
}

static void add_pass(xc_bytes *raw, const xc_sample_png *png, const uint8_t pass[4])
{
	if (pass[0] >= png->width)
		return;
	for (uint32_t y = pass[1]; y < png->height; y += pass[3])
		add_row(raw, png, y, pass[0], pass[2]);
}

static void add_pixels(xc_bytes *bytes, const xc_sample_png *png)
{
	/* First column and row, steps in x and y, of the passes of Adam7. */
	static const uint8_t adam7[7][4] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
	                                    {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};
	static const uint8_t plain[4] = {0, 0, 1, 1};
	xc_bytes raw = {0};
	if (png->interlaced)
		for (int pass = 0; pass < 7; pass++)
			add_pass(&raw, png, adam7[pass]);
	else
		add_pass(&raw, png, plain);
	uLongf size = compressBound((uLong)raw.size);
	uint8_t *packed = xc_test_malloc(size);
	if (compress(packed, &size, raw.data, (uLong)raw.size) != Z_OK)
		abort();
	/* Two chunks, to see that they are joined. */
	xc_sample_png_chunk(bytes, "IDAT", packed, size / 2);
	xc_sample_png_chunk(bytes, "IDAT", packed + size / 2, size - size / 2);
	free(packed);
	xc_bytes_free(&raw);
}

static void add_transparency(xc_bytes *bytes, const xc_sample_png *png)
{
	xc_bytes key = {0};
	if (!png->transparent)
		return;
	if (png->type == PALETTE) {
		xc_sample_png_chunk(bytes, "tRNS", png->alpha, (size_t)png->transparent);
		return;
	}
	for (uint32_t c = 0; c < xc_sample_png_channels(png); c++) {
		xc_bytes_add_u8(&key, png->key[c] >> 8);
		xc_bytes_add_u8(&key, png->key[c]);
	}
	xc_sample_png_chunk(bytes, "tRNS", key.data, key.size);
	xc_bytes_free(&key);
}

void xc_sample_png_body(xc_bytes *bytes, const xc_sample_png *png)
{
	if (png->colours)
		xc_sample_png_chunk(bytes, "PLTE", png->palette, (size_t)png->colours * 3);
	add_transparency(bytes, png);
	add_pixels(bytes, png);
	xc_sample_png_chunk(bytes, "IEND", NULL, 0);
}

void xc_sample_png_make(xc_bytes *bytes, const xc_sample_png *png)
{
	xc_sample_png_header(bytes, png);
	xc_sample_png_body(bytes, png);
}

static uint32_t load_be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

void xc_sample_png_fix(uint8_t *data, size_t size)
{
	for (size_t at = 8; size - at >= 12;) {
		uint32_t length = load_be32(data + at);
		if (length > size - at - 12)
			return;
		uint32_t crc = (uint32_t)crc32(0, data + at + 4, length + 4);
		for (int i = 0; i < 4; i++)
			data[at + 8 + length + (size_t)i] = (uint8_t)(crc >> (24 - 8 * i));
		at += 12 + (size_t)length;
	}
}
