/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/support/format_samples.h"

#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

void *xc_test_malloc(size_t size)
{
	void *memory = malloc(size ? size : 1);
	if (!memory)
		abort();
	return memory;
}

void xc_bytes_add(xc_bytes *bytes, const void *data, size_t size)
{
	if (size > bytes->capacity - bytes->size) {
		size_t capacity = 2 * bytes->capacity + size + 256;
		uint8_t *grown = realloc(bytes->data, capacity);
		if (!grown)
			abort();
		bytes->data = grown;
		bytes->capacity = capacity;
	}
	if (size)
		memcpy(bytes->data + bytes->size, data, size);
	bytes->size += size;
}

void xc_bytes_add_u8(xc_bytes *bytes, uint32_t value)
{
	uint8_t byte = (uint8_t)value;
	xc_bytes_add(bytes, &byte, 1);
}

void xc_bytes_add_le16(xc_bytes *bytes, uint32_t value)
{
	xc_bytes_add_u8(bytes, value);
	xc_bytes_add_u8(bytes, value >> 8);
}

void xc_bytes_add_le32(xc_bytes *bytes, uint32_t value)
{
	xc_bytes_add_le16(bytes, value);
	xc_bytes_add_le16(bytes, value >> 16);
}

void xc_bytes_add_be32(xc_bytes *bytes, uint32_t value)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		xc_bytes_add_u8(bytes, value >> shift);
}

void xc_bytes_add_text(xc_bytes *bytes, const char *text)
{
	xc_bytes_add(bytes, text, strlen(text));
}

void xc_bytes_free(xc_bytes *bytes)
{
	free(bytes->data);
	*bytes = (xc_bytes){0};
}

int xc_bytes_load(xc_bytes *bytes, const char *path)
{
	uint8_t part[4096];
	size_t n;
	FILE *file = fopen(path, "rb");
	bytes->size = 0;
	if (!file)
		return 0;
	while ((n = fread(part, 1, sizeof part, file)) > 0)
		xc_bytes_add(bytes, part, n);
	int good = !ferror(file);
	fclose(file);
	return good;
}

static void set_sample(const xc_picture *picture, uint32_t y, size_t i, uint32_t value)
{
	uint8_t *row = (uint8_t *)picture->data + y * picture->stride;
	if (picture->depth == 8)
		row[i] = (uint8_t)value;
	else
		((uint16_t *)row)[i] = (uint16_t)value;
}

xc_picture xc_sample_picture(uint32_t width, uint32_t height, uint32_t channels, uint32_t depth,
                             size_t padding, uint64_t seed)
{
	xc_picture picture = {width, height, channels, depth, 0, NULL};
	size_t samples = (size_t)width * channels + padding;
	picture.stride = samples * depth / 8;
	picture.data = xc_test_malloc(picture.stride * height);
	for (uint32_t y = 0; y < height; y++)
		for (size_t i = 0; i < samples; i++) {
			uint32_t noise = (uint32_t)(check_random(&seed) >> (depth == 8 ? 59 : 52));
			set_sample(&picture, y, i, (uint32_t)(i * 977 + y * 1543) + noise);
		}
	return picture;
}

uint32_t xc_sample_at(const xc_picture *picture, uint32_t x, uint32_t y, uint32_t channel)
{
	const uint8_t *row = (const uint8_t *)picture->data + y * picture->stride;
	size_t i = (size_t)x * picture->channels + channel;
	return picture->depth == 8 ? row[i] : ((const uint16_t *)(const void *)row)[i];
}

int xc_sample_equal(const xc_picture *a, const xc_picture *b)
{
	if (a->width != b->width || a->height != b->height || a->channels != b->channels ||
	    a->depth != b->depth || !a->data || !b->data)
		return 0;
	size_t row = (size_t)a->width * a->channels * (a->depth / 8);
	for (uint32_t y = 0; y < a->height; y++)
		if (memcmp((const uint8_t *)a->data + y * a->stride,
		           (const uint8_t *)b->data + y * b->stride, row) != 0)
			return 0;
	return 1;
}
