/* SPDX-License-Identifier: BSD-2-Clause */
/* Tells drawings from photographs: how many pixels equal a neighbour. The encoder asks for a whole
 * picture and for each tile. Every row that is looked at has another above it, unless there is only
 * one. */
#include <string.h>

#include "lossless/lossless.h"

/* 1: two pixels of `bytes` bytes, a constant, are equal. Bytes keep the loops free of branches. */
static inline __attribute__((always_inline)) uint32_t equal(const uint8_t *a, const uint8_t *b,
                                                            uint32_t bytes)
{
	uint32_t difference = 0;

	for (uint32_t i = 0; i < bytes; i++)
		difference |= (uint32_t)(a[i] ^ b[i]);
	return difference == 0;
}

/* Three bytes as a number. */
static inline uint32_t word_of(const uint8_t *p)
{
	uint16_t two;

	memcpy(&two, p, sizeof two);
	return two | (uint32_t)p[2] << 16;
}

/* Counts inner pixels of three bytes, which compilers do badly. */
static uint32_t count_words(const uint8_t *row, const uint8_t *above, uint32_t width, uint32_t step)
{
	uint32_t w = word_of(row), nw = word_of(above), up = word_of(above + step), n = 0;

	for (uint32_t x = 1; x + 1 < width; x++) {
		const uint32_t v = word_of(row += step), ne = word_of(above + 2 * step);
		n += (uint32_t)(v == w) | (v == up) | (v == nw) | (v == ne);
		above += step;
		w = v;
		nw = up;
		up = ne;
	}
	return n;
}

/* Counts the pixels of a row that equal one to the left or above; above NULL: to the left alone. */
static inline __attribute__((always_inline)) uint32_t count_row(const uint8_t *row,
                                                                const uint8_t *above,
                                                                uint32_t width, uint32_t bytes,
                                                                uint32_t step)
{
	const size_t last = (size_t)(width - 1) * step;
	uint32_t n = 0;

	if (!above) {
		for (uint32_t x = 1; x < width; x++)
			n += equal(row + (size_t)x * step, row + (size_t)(x - 1) * step, bytes);
		return n;
	}
	if (bytes == 3 && width > 1)
		n = count_words(row, above, width, step);
	for (uint32_t x = 1; bytes != 3 && x + 1 < width; x++) {
		const uint8_t *p = row + (size_t)x * step, *up = above + (size_t)x * step;
		n += equal(p, p - step, bytes) | equal(p, up, bytes) | equal(p, up - step, bytes) |
		     equal(p, up + step, bytes);
	}
	n += equal(row, above, bytes) | (width > 1 && equal(row, above + step, bytes));
	if (width > 1)
		n += equal(row + last, row + last - step, bytes) | equal(row + last, above + last, bytes) |
		     equal(row + last, above + last - step, bytes);
	return n;
}

static uint32_t count(const uint8_t *row, const uint8_t *above, uint32_t width, uint32_t bytes,
                      uint32_t step)
{
	switch (bytes * 16 + step) {
	case 1 * 16 + 1:
		return count_row(row, above, width, 1, 1);
	case 2 * 16 + 2:
		return count_row(row, above, width, 2, 2);
	case 3 * 16 + 3:
		return count_row(row, above, width, 3, 3);
	case 4 * 16 + 4:
		return count_row(row, above, width, 4, 4);
	default:
		return count_row(row, above, width, bytes, step);
	}
}

uint32_t xc_lossless_share_of_equals(const void *pixels, ptrdiff_t stride, uint32_t width,
                                     uint32_t height, uint32_t bytes, uint32_t step)
{
	const uint8_t *p = pixels;
	uint64_t equals = 0, all = 0;

	for (uint32_t y = height > 1; y < height; y += 4, all += width) {
		const uint8_t *row = p + (ptrdiff_t)y * stride;
		equals += count(row, y ? row - stride : NULL, width, bytes, step);
	}
	return all ? (uint32_t)(equals * 256 / all) : 0;
}
