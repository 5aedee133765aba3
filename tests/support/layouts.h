/* SPDX-License-Identifier: BSD-2-Clause */
/* Pixels of all layouts for tests/unit/check_layouts.c: made, encoded and decoded whole and in rows, and
 * compared by plain loops. */
#ifndef XC_TESTS_SUPPORT_LAYOUTS_H
#define XC_TESTS_SUPPORT_LAYOUTS_H

#include <stdlib.h>

#include <xcodec_pixels.h>

#include "tests/support/codec.h"

static xc_context *c;
static uint64_t seed = 5;

static const char *const names[] = {"grey", "grey and alpha", "RGB",   "RGBA",  "BGR",   "BGRA",
                                    "RGBX", "BGRX",           "4:2:0", "4:2:2", "4:4:4", "NV12"};
enum { ALPHA = 3, X = 4 };
#define PACKED 8 /* layouts, which come first */
#define LAYOUTS 12

/* What each sample of a pixel is: R or grey, G, B, alpha, X; and how many there are. */
static const int orders[PACKED][5] = {{0, 0, 0, 0, 1},     {0, ALPHA, 0, 0, 2}, {0, 1, 2, 0, 3},
                                      {0, 1, 2, ALPHA, 4}, {2, 1, 0, 0, 3},     {2, 1, 0, ALPHA, 4},
                                      {0, 1, 2, X, 4},     {2, 1, 0, X, 4}};
static const uint32_t channels_of[LAYOUTS] = {1, 2, 3, 4, 3, 4, 3, 3, 3, 3, 3, 3};

static int across(xc_layout l)
{
	return l == XC_LAYOUT_YCBCR_420 || l == XC_LAYOUT_YCBCR_422 || l == XC_LAYOUT_NV12 ? 2 : 1;
}

static int down(xc_layout l)
{
	return l == XC_LAYOUT_YCBCR_420 || l == XC_LAYOUT_NV12 ? 2 : 1;
}

/* ----------------------------------------------------------- made pixels */

/* Samples in a row of a plane, rows of it. */
static size_t samples_of(const xc_pixels *p, int plane)
{
	if (p->layout < PACKED)
		return plane ? 0 : p->width * (size_t)orders[p->layout][4];
	if (plane == 2 && p->layout == XC_LAYOUT_NV12)
		return 0;
	const size_t n = plane ? (p->width + (uint32_t)across(p->layout) - 1) /
	                             (uint32_t)across(p->layout)
	                       : p->width;
	return plane && p->layout == XC_LAYOUT_NV12 ? 2 * n : n;
}

static uint32_t rows_of(const xc_pixels *p, int plane)
{
	const uint32_t v = plane ? (uint32_t)down(p->layout) : 1;
	return (p->height + v - 1) / v;
}

/* Pixels in memory of their own for each plane, so that a sanitizer sees every access past it; padded
 * by some bytes, and turned upside down if `turned`. */
typedef struct made {
	xc_pixels pixels;
	uint8_t *memory[3];
} made;

static made make(xc_layout layout, uint32_t width, uint32_t height, uint32_t depth, int turned)
{
	made m = {.pixels = {.layout = layout, .width = width, .height = height, .depth = depth}};
	for (int i = 0; i < 3; i++) {
		const size_t bytes = samples_of(&m.pixels, i) * (depth / 8);
		const size_t stride = bytes + depth / 8 * check_below(&seed, 5);
		const size_t rows = rows_of(&m.pixels, i);
		if (!bytes)
			continue;
		const size_t size = (rows - 1) * stride + bytes;
		m.memory[i] = xc_test_malloc(size);
		for (size_t j = 0; j < size; j++)
			m.memory[i][j] = (uint8_t)check_below(&seed, 256);
		m.pixels.plane[i] = m.memory[i] + (turned ? (rows - 1) * stride : 0);
		m.pixels.stride[i] = turned ? -(ptrdiff_t)stride : (ptrdiff_t)stride;
	}
	return m;
}

static void unmake(made *m)
{
	for (int i = 0; i < 3; i++)
		free(m->memory[i]);
}

static uint8_t *row_at(const xc_pixels *p, int plane, uint32_t y)
{
	return (uint8_t *)p->plane[plane] + (ptrdiff_t)y * p->stride[plane];
}

static uint32_t sample_at(const xc_pixels *p, int plane, uint32_t y, size_t i)
{
	uint16_t v;
	const uint8_t *row = row_at(p, plane, y);
	if (p->depth == 8)
		return row[i];
	memcpy(&v, row + 2 * i, 2);
	return v;
}

static void set_sample(const xc_pixels *p, uint32_t y, size_t i, uint32_t value)
{
	const uint16_t v = (uint16_t)value;
	if (p->depth == 8)
		row_at(p, 0, y)[i] = (uint8_t)value;
	else
		memcpy(row_at(p, 0, y) + 2 * i, &v, 2);
}

/* Rows y ... y + n - 1, which begin at a row of all planes. */
static xc_pixels some_rows(const xc_pixels *p, uint32_t y, uint32_t n)
{
	xc_pixels some = *p;
	some.height = n;
	for (int i = 0; i < 3; i++)
		some.plane[i] = p->plane[i] ? row_at(p, i, y / (i ? (uint32_t)down(p->layout) : 1)) : NULL;
	return some;
}

/* A number of rows that may come next. */
static uint32_t some_count(const xc_pixels *p, uint32_t y)
{
	const uint32_t left = p->height - y, n = 1 + (uint32_t)check_below(&seed, 40);
	return n >= left ? left : down(p->layout) == 1 ? n : n + n % 2 < left ? n + n % 2 : left;
}

/* The picture's pixels in a layout with as many channels. */
static made convert(const xc_picture *p, xc_layout layout, int turned)
{
	made m = make(layout, p->width, p->height, p->depth, turned);
	const int *order = orders[layout];
	for (uint32_t y = 0; y < p->height; y++)
		for (uint32_t x = 0; x < p->width; x++)
			for (int i = 0; i < order[4]; i++)
				if (order[i] != X)
					set_sample(&m.pixels, y, x * (size_t)order[4] + (size_t)i,
					           xc_sample_at(p, x, y,
					                        order[i] == ALPHA ? p->channels - 1
					                                          : (uint32_t)order[i]));
	return m;
}

/* --------------------------------------------------------------- encoding */

static int write_bytes(void *user, const void *data, size_t size)
{
	xc_bytes_add(user, data, size);
	return 0;
}

static void check_streamed(const xc_pixels *p, const xc_encode_options *o, const xc_buffer *wanted)
{
	const xc_picture shape = {p->width, p->height, channels_of[p->layout], p->depth, 0, NULL};
	xc_bytes file = {0};
	xc_encoder *e;
	REQUIRE_OK(c, xc_encoder_new(c, &shape, NULL, o, write_bytes, &file, &e));
	for (uint32_t y = 0, n; y < p->height; y += n) {
		n = some_count(p, y);
		const xc_pixels rows = some_rows(p, y, n);
		CHECK_OK(c, xc_encoder_pixels(e, &rows));
	}
	CHECK_OK(c, xc_encoder_end(e));
	CHECK(file.size == wanted->size && !memcmp(file.data, wanted->data, file.size),
	      "%s in rows: another file", names[p->layout]);
	xc_encoder_free(e);
	xc_bytes_free(&file);
}

static void check_encoded(const xc_pixels *p, const xc_encode_options *o, const xc_buffer *wanted)
{
	xc_buffer file;
	CHECK_OK(c, xc_encode_pixels(c, p, NULL, o, &file));
	CHECK(file.size == wanted->size && file.data && !memcmp(file.data, wanted->data, file.size),
	      "%s: another file, %ux%u", names[p->layout], p->width, p->height);
	xc_buffer_free(c, &file);
	check_streamed(p, o, wanted);
}

/* --------------------------------------------------------------- decoding */

/* Grey of a pixel that has colour is its Y, which rounded and unclamped colours tell to one unit. */
static int is_luma(const xc_picture *p, uint32_t x, uint32_t y, uint32_t found)
{
	const uint32_t max = p->depth == 8 ? 255 : 65535;
	const uint32_t r = xc_sample_at(p, x, y, 0), g = xc_sample_at(p, x, y, 1),
				   b = xc_sample_at(p, x, y, 2);
	const double luma = 0.299 * r + 0.587 * g + 0.114 * b;
	const int clamped = !r || !g || !b || r == max || g == max || b == max;
	return clamped || ((double)found - luma < 1.01 && luma - (double)found < 1.01);
}

/* Each sample of `p` is that of the picture, which was decoded in the file's own channels. */
static void check_pixels(const xc_pixels *p, const xc_picture *wanted)
{
	const int *order = orders[p->layout];
	const uint32_t max = p->depth == 8 ? 255 : 65535;
	const int grey = channels_of[p->layout] < 3 && wanted->channels >= 3;
	uint32_t wrong = 0;
	for (uint32_t y = 0; y < p->height; y++) {
		for (uint32_t x = 0; x < p->width; x++) {
			for (int i = 0; i < order[4]; i++) {
				const uint32_t found = sample_at(p, 0, y, x * (size_t)order[4] + (size_t)i);
				if (order[i] == X || (order[i] == ALPHA && wanted->channels % 2))
					wrong += found != max;
				else if (order[i] == ALPHA)
					wrong += found != xc_sample_at(wanted, x, y, wanted->channels - 1);
				else if (grey)
					wrong += !is_luma(wanted, x, y, found);
				else
					wrong += found != xc_sample_at(wanted, x, y,
					                               wanted->channels < 3 ? 0 : (uint32_t)order[i]);
			}
		}
	}
	CHECK(!wrong, "%s, %ux%u of %u channels: %u samples differ", names[p->layout], p->width,
	      p->height, wanted->channels, wrong);
}

static int same_pixels(const xc_pixels *a, const xc_pixels *b)
{
	for (int i = 0; i < 3; i++)
		for (uint32_t y = 0; samples_of(a, i) && y < rows_of(a, i); y++)
			if (memcmp(row_at(a, i, y), row_at(b, i, y), samples_of(a, i) * (a->depth / 8)))
				return 0;
	return 1;
}

/* A region, or all, in rows, and in one call. */
static made decode_both_ways(const xc_buffer *file, xc_layout layout, const xc_decode_options *o)
{
	const xc_source source = {.memory = file->data, .size = file->size};
	xc_decode_options options = *o;
	xc_picture shape = {1, 1, 1, 8, 0, NULL};
	xc_decoder *d;
	CHECK_OK(c, xc_decoder_new(c, &source, o, &d));
	if (d)
		xc_decoder_shape(d, &shape);
	made rows = make(layout, shape.width, shape.height, shape.depth, (int)check_below(&seed, 2));
	for (uint32_t y = 0, n; d && y < shape.height; y += n) {
		n = some_count(&rows.pixels, y);
		const xc_pixels some = some_rows(&rows.pixels, y, n);
		CHECK_OK(c, xc_decoder_pixels(d, &some));
	}
	xc_decoder_free(d);
	made whole = make(layout, shape.width, shape.height, shape.depth, (int)check_below(&seed, 2));
	CHECK_OK(c, xc_decode_pixels(c, file->data, file->size, &options, &whole.pixels));
	CHECK(same_pixels(&rows.pixels, &whole.pixels), "%s: rows are not those of the whole",
	      names[layout]);
	unmake(&rows);
	return whole;
}

static xc_rectangle some_region(uint32_t width, uint32_t height, xc_layout layout)
{
	const uint32_t x = (uint32_t)check_below(&seed, width) & ~(uint32_t)(across(layout) - 1);
	const uint32_t y = (uint32_t)check_below(&seed, height) & ~(uint32_t)(down(layout) - 1);
	return (xc_rectangle){x, y, 1 + (uint32_t)check_below(&seed, width - x),
	                      1 + (uint32_t)check_below(&seed, height - y)};
}

static void check_decoded(const xc_buffer *file, xc_layout layout, const xc_decode_options *o)
{
	xc_decode_options options = *o;
	xc_picture own = {0};
	CHECK_OK(c, xc_decode(c, file->data, file->size, &options, &own));
	made m = decode_both_ways(file, layout, o);
	if (own.data)
		check_pixels(&m.pixels, &own);
	xc_picture_free(c, &own);
	unmake(&m);
}

static void check_all_decoded(const xc_buffer *file, uint32_t width, uint32_t height)
{
	for (int l = 0; l < PACKED; l++) {
		const xc_decode_options plain = {.jpeg_rounding = l == XC_LAYOUT_BGR};
		const xc_decode_options some = {.region = some_region(width, height, XC_LAYOUT_RGB)};
		const xc_decode_options reduced = {.scale = 2u << l % 3};
		check_decoded(file, (xc_layout)l, &plain);
		check_decoded(file, (xc_layout)l, &some);
		check_decoded(file, (xc_layout)l, &reduced);
	}
}

/* An xc_picture says how many channels it wants. */
static void check_channels(const xc_buffer *file)
{
	xc_picture own = {0};
	CHECK_OK(c, xc_decode(c, file->data, file->size, NULL, &own));
	for (uint32_t n = 1; n <= 4; n++) {
		xc_picture p = {.channels = n};
		CHECK_OK(c, xc_decode(c, file->data, file->size, NULL, &p));
		CHECK(p.channels == n, "%u channels instead of %u", p.channels, n);
		const xc_pixels pixels = {.layout = (xc_layout)(n - 1),
		                          .width = p.width,
		                          .height = p.height,
		                          .depth = p.depth,
		                          .plane = {p.data},
		                          .stride = {(ptrdiff_t)p.stride}};
		if (p.data && own.data)
			check_pixels(&pixels, &own);
		xc_picture_free(c, &p);
	}
	xc_picture_free(c, &own);
}

#endif
