/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/support/bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *xc_test_malloc(size_t size)
{
	void *memory = malloc(size ? size : 1);

	if (!memory)
		abort();
	return memory;
}

void *xc_test_copy(const void *data, size_t size)
{
	void *copy = xc_test_malloc(size);

	if (size)
		memcpy(copy, data, size);
	return copy;
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

void xc_test_bits_put(xc_test_bits *w, uint32_t value, uint32_t n)
{
	while (n--) {
		w->bits = w->bits << 1 | (value >> n & 1);
		if (++w->count == 8) {
			xc_bytes_add_u8(w->out, w->bits);
			w->bits = w->count = 0;
		}
	}
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
