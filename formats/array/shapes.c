/* SPDX-License-Identifier: BSD-2-Clause */
/* Shapes and byte orders of arrays, for readers and writers of all formats here. */
#include "formats/array/kind.h"

#include <string.h>

int xc_array_shape_set(int dimensions, const uint64_t *sizes, xc_array_shape *shape,
                       uint64_t *values)
{
	const uint64_t max = INT64_MAX / xc_array_value_size(shape->type);

	*values = 1;
	shape->dimensions = dimensions;
	memset(shape->size, 0, sizeof shape->size);
	if (dimensions < 1 || dimensions > XC_ARRAY_DIMENSIONS)
		return 0;
	for (int i = 0; i < dimensions; i++) {
		if (!sizes[i] || sizes[i] > max / *values)
			return 0;
		*values *= sizes[i];
		shape->size[i] = sizes[i];
	}
	return 1;
}

int xc_array_same_shape(const xc_array_shape *a, const xc_array_shape *b)
{
	return a->type == b->type && a->dimensions == b->dimensions &&
	       !memcmp(a->size, b->size, sizeof *a->size * (size_t)a->dimensions);
}

const char *xc_array_digits(const char *text, uint64_t *value)
{
	const char *p = text;

	for (*value = 0; *p >= '0' && *p <= '9'; p++) {
		if (*value > (INT64_MAX - 9) / 10)
			return NULL;
		*value = *value * 10 + (uint64_t)(*p - '0');
	}
	return p > text ? p : NULL;
}

static void swap16(uint8_t *p, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++, p += 2) {
		uint16_t v;
		memcpy(&v, p, 2);
		v = (uint16_t)(v << 8 | v >> 8);
		memcpy(p, &v, 2);
	}
}

static void swap32(uint8_t *p, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++, p += 4) {
		uint32_t v;
		memcpy(&v, p, 4);
		v = __builtin_bswap32(v);
		memcpy(p, &v, 4);
	}
}

static void swap64(uint8_t *p, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++, p += 8) {
		uint64_t v;
		memcpy(&v, p, 8);
		v = __builtin_bswap64(v);
		memcpy(p, &v, 8);
	}
}

void xc_array_swap(void *values, uint64_t count, size_t size)
{
	if (size == 2)
		swap16(values, count);
	else if (size == 4)
		swap32(values, count);
	else if (size == 8)
		swap64(values, count);
}
