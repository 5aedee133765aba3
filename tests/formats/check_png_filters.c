/* SPDX-License-Identifier: BSD-2-Clause */
/* PNG's filters on vectors against their definition, byte by byte. */
#include <stdlib.h>
#include <string.h>

#include "formats/png/png.h"
#include "tests/support/bytes.h"
#include "tests/support/check.h"

static const uint32_t pixels[] = {1, 2, 3, 4, 6, 8};

/* Rows of samples after a row of zeros, some near their neighbours and some not. */
static uint8_t *make_samples(size_t bytes, uint32_t rows, uint64_t *seed)
{
	uint8_t *p = xc_test_malloc(bytes * (rows + 1));

	memset(p, 0, bytes);
	for (size_t i = bytes; i < bytes * (rows + 1); i++) {
		const uint64_t random = check_random(seed);
		p[i] = (uint8_t)(random % 4 ? p[i - bytes] + (random >> 8) % 5 : random >> 8);
	}
	return p;
}

/* Whether the row was filtered as its first byte says. */
static int is_filtered(const uint8_t *filtered, const uint8_t *row, size_t bytes, uint32_t pixel)
{
	const uint8_t *above = row - bytes;

	for (size_t i = 0; i < bytes; i++) {
		const uint8_t guess = xc_png_predict(filtered[0], i < pixel ? 0 : row[i - pixel], above[i],
		                                     i < pixel ? 0 : above[i - pixel]);
		if ((uint8_t)(row[i] - guess) != filtered[1 + i])
			return 0;
	}
	return 1;
}

/* Filters `rows` rows, each by the filter that pick() gives, and turns them back. */
static void back_again(size_t width, uint32_t rows, uint32_t pixel, int (*pick)(uint64_t *seed),
                       uint64_t seed)
{
	const size_t bytes = width * pixel, file_row = bytes + 1;
	uint8_t *samples = make_samples(bytes, rows, &seed);
	/* Exactly as long as promised, for the address sanitizer. */
	uint8_t *file = xc_test_malloc(bytes + rows * file_row + XC_PNG_FILTER_SLACK);

	memset(file, 0, bytes);
	for (uint32_t y = 0; y < rows; y++) {
		const uint8_t *row = samples + (y + 1) * bytes;
		uint8_t *to = file + bytes + y * file_row;
		const int filter = pick(&seed);
		xc_png_filter(to, row, row - bytes, bytes, pixel, filter);
		CHECK(to[0] == filter || (filter == XC_PNG_FILTERS && to[0] < XC_PNG_FILTERS),
		      "filter %d became %d", filter, to[0]);
		CHECK(is_filtered(to, row, bytes, pixel), "%zu x %u, %u bytes a pixel, filter %d", width,
		      rows, pixel, to[0]);
	}
	CHECK(xc_png_unfilter(file + bytes, bytes, pixel, rows) == rows, "not all rows");
	for (uint32_t y = 0; y < rows; y++)
		CHECK(memcmp(file + bytes + y * file_row + 1, samples + (y + 1) * bytes, bytes) == 0,
		      "%zu x %u, %u bytes a pixel, row %u", width, rows, pixel, y);
	free(file);
	free(samples);
}

static int pick_any(uint64_t *seed)
{
	return (int)check_below(seed, XC_PNG_FILTERS + 1);
}

static int pick_paeth(uint64_t *seed)
{
	(void)seed;
	return XC_PNG_PAETH;
}

static int pick_simple(uint64_t *seed)
{
	return check_below(seed, 2) ? XC_PNG_UP : XC_PNG_NONE;
}

static void all_sizes(void)
{
	for (size_t i = 0; i < COUNT(pixels); i++)
		for (size_t width = 1; width < 40; width++)
			for (uint32_t rows = 1; rows < 10; rows++) {
				back_again(width, rows, pixels[i], pick_any, width * 100 + rows);
				back_again(width, rows, pixels[i], pick_paeth, rows);
				back_again(width, rows, pixels[i], pick_simple, rows);
			}
}

static void long_rows(void)
{
	for (size_t i = 0; i < COUNT(pixels); i++)
		back_again(1500, 13, pixels[i], pick_any, i);
}

/* All left and upper neighbours, and all corners. */
static void every_paeth(void)
{
	enum { BYTES = 512 };
	static uint8_t above[BYTES], row[BYTES], to[BYTES + 1];
	unsigned wrong = 0;

	for (int left = 0; left < 256; left++)
		for (int b = 0; b < 256; b++) {
			/* Corners at even places, above b; the samples before those at odd ones. */
			for (int i = 0; i < BYTES; i++) {
				above[i] = (uint8_t)(i % 2 ? b : i / 2);
				row[i] = (uint8_t)(i % 2 ? i : left);
			}
			xc_png_filter(to, row, above, BYTES, 1, XC_PNG_PAETH);
			for (int i = 1; i < BYTES; i += 2)
				wrong += (uint8_t)(row[i] - to[1 + i]) !=
				         xc_png_predict(XC_PNG_PAETH, (uint8_t)left, (uint8_t)b, above[i - 1]);
		}
	CHECK(wrong == 0, "%u of 2^24 differ", wrong);
}

static void unknown_filter(void)
{
	uint8_t file[3 + 5 * 4 + XC_PNG_FILTER_SLACK] = {0};
	file[3 + 3 * 4] = XC_PNG_FILTERS;
	CHECK(xc_png_unfilter(file + 3, 3, 3, 5) == 3, "not 3");
}

int main(void)
{
	RUN(all_sizes, long_rows, every_paeth, unknown_filter);
	return check_done();
}
