/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Layouts of pixels. The files made from every packed layout are those made from the picture, and
 * what is decoded into one is what a plain loop makes of the decoded picture. Planes come back as
 * they were given, but for quantization, fit the RGB that the same file gives, and are the same
 * whole, in rows and in regions.
 */
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

/* Pixels in memory of their own for each plane, so that a sanitizer sees every access past it;
 * padded by some bytes, and turned upside down if `turned`. */
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
#define OWN_MADE __attribute__((cleanup(unmake))) made

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
	OWN_BYTES file = {0};
	OWN_ENCODER e = NULL;

	REQUIRE_OK(c, xc_encoder_new(c, &shape, NULL, o, write_bytes, &file, &e));
	for (uint32_t y = 0, n; y < p->height; y += n) {
		n = some_count(p, y);
		const xc_pixels rows = some_rows(p, y, n);
		CHECK_OK(c, xc_encoder_pixels(e, &rows));
	}
	CHECK_OK(c, xc_encoder_end(e));
	CHECK(file.size == wanted->size && !memcmp(file.data, wanted->data, file.size),
	      "%s in rows: another file", names[p->layout]);
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

/* Grey of a pixel that has colour is its Y, which rounded and unclamped colours
 * tell to one unit. */
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
	OWN_MADE rows = make(layout, shape.width, shape.height, shape.depth,
	                     (int)check_below(&seed, 2));
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
	OWN_DECODED(c, own);

	CHECK_OK(c, xc_decode(c, file->data, file->size, &options, &own));
	OWN_MADE m = decode_both_ways(file, layout, o);
	if (own.data)
		check_pixels(&m.pixels, &own);
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
	OWN_DECODED(c, own);

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
}

/*
 * Layouts of pixels. The files made from every packed layout are those made from the picture, and
 * what is decoded into one is what a plain loop makes of the decoded picture. Planes come back as
 * they were given, but for quantization, fit the RGB that the same file gives, and are the same
 * whole, in rows and in regions.
 */

/* ----------------------------------------------------------------- packed */

static const uint32_t sizes[][2] = {{1, 1}, {2, 3}, {17, 9}, {33, 70}, {131, 75}};

static void packed_case(uint32_t width, uint32_t height, uint32_t channels, uint32_t depth,
                        const xc_encode_options *o)
{
	OWN_PICTURE p = xc_test_picture(width, height, channels, depth, 3 * (depth / 8), 1);
	OWN_BUFFER(c, file);

	CHECK_OK(c, xc_encode(c, &p, NULL, o, &file));
	for (int l = 0; l < PACKED; l++) {
		for (int turned = 0; turned < 2 && channels_of[l] == channels; turned++) {
			OWN_MADE m = convert(&p, (xc_layout)l, turned);
			check_encoded(&m.pixels, o, &file);
		}
	}
	check_all_decoded(&file, width, height);
	check_channels(&file);
}

static void packed(uint32_t depth, xc_transform transform)
{
	int n = 0;

	for (size_t i = 0; i < COUNT(sizes); i++) {
		for (int s = XC_SUBSAMPLING_420; s <= XC_SUBSAMPLING_GREY; s++) {
			for (uint32_t channels = s == XC_SUBSAMPLING_GREY ? 1 : 3; channels <= 4; channels++) {
				xc_encode_options o = xc_test_options(80, (xc_subsampling)s, transform,
				                                      XC_HUFFMAN_OPTIMIZED);
				xc_test_coding(&o, n++ % XC_TEST_CODINGS);
				CHECK_OK(c, xc_context_set_threads(c, 1 + n % 3));
				packed_case(sizes[i][0], sizes[i][1], channels, depth, &o);
			}
		}
	}
}

static void packed_8(void)
{
	for (int t = XC_TRANSFORM_DCT; t <= XC_TRANSFORM_TDLT; t++)
		packed(8, (xc_transform)t);
}

static void packed_16(void)
{
	for (int t = XC_TRANSFORM_DCT; t <= XC_TRANSFORM_TDLT; t++)
		packed(16, (xc_transform)t);
}

/* ----------------------------------------------------------------- planes */

static const xc_subsampling subsampling_of[] = {XC_SUBSAMPLING_420, XC_SUBSAMPLING_422,
                                                XC_SUBSAMPLING_444, XC_SUBSAMPLING_420};

/* Slow waves in every plane. */
static made make_planes(xc_layout layout, uint32_t width, uint32_t height, int turned)
{
	made m = make(layout, width, height, 8, turned);

	for (int i = 0; i < 3; i++) {
		const int pairs = i == 1 && layout == XC_LAYOUT_NV12;
		for (uint32_t y = 0; samples_of(&m.pixels, i) && y < rows_of(&m.pixels, i); y++) {
			for (size_t x = 0; x < samples_of(&m.pixels, i); x++) {
				const size_t at = pairs ? x / 2 : x;
				const int plane = pairs ? 1 + (int)(x % 2) : i;
				const uint32_t wave = (uint32_t)(at * 2 + y * 3 + (size_t)plane * 40) % 128;
				row_at(&m.pixels, i, y)[x] = (uint8_t)(64 + (wave < 64 ? wave : 128 - wave));
			}
		}
	}
	return m;
}

static uint32_t difference(uint32_t a, uint32_t b)
{
	return a > b ? a - b : b - a;
}

static void check_near(const xc_pixels *found, const xc_pixels *wanted)
{
	uint32_t worst = 0;

	for (int i = 0; i < 3; i++) {
		for (uint32_t y = 0; samples_of(found, i) && y < rows_of(found, i); y++) {
			for (size_t x = 0; x < samples_of(found, i); x++) {
				const uint32_t d = difference(sample_at(found, i, y, x),
				                              sample_at(wanted, i, y, x));
				worst = d > worst ? d : worst;
			}
		}
	}
	CHECK(worst <= 4, "%s, %ux%u: planes differ by %u", names[found->layout], found->width,
	      found->height, worst);
}

static uint32_t clamp(double v)
{
	return v < 0 ? 0 : v > 255 ? 255 : (uint32_t)(v + 0.5);
}

/* The RGB of the same file, where chroma has full size. */
static void check_colours(const xc_buffer *file, const xc_pixels *p)
{
	OWN_DECODED(c, rgb);

	REQUIRE_OK(c, xc_decode(c, file->data, file->size, NULL, &rgb));
	for (uint32_t y = 0; y < p->height; y++) {
		for (uint32_t x = 0; x < p->width; x++) {
			const double l = sample_at(p, 0, y, x);
			const double cb = (double)sample_at(p, 1, y, x) - 128;
			const double cr = (double)sample_at(p, 2, y, x) - 128;
			const uint32_t wanted[3] = {clamp(l + 1.402 * cr),
			                            clamp(l - 0.344136 * cb - 0.714136 * cr),
			                            clamp(l + 1.772 * cb)};
			for (uint32_t i = 0; i < 3; i++)
				CHECK(difference(xc_sample_at(&rgb, x, y, i), wanted[i]) <= 2,
				      "pixel %u,%u, channel %u", x, y, i);
		}
	}
}

/* A region is a part of the whole. */
static void check_region(const xc_buffer *file, const xc_pixels *whole)
{
	const xc_layout l = whole->layout;
	const xc_decode_options o = {.region = some_region(whole->width, whole->height, l)};
	const xc_rectangle *r = &o.region;
	xc_pixels part = *whole;
	OWN_MADE m = decode_both_ways(file, l, &o);

	for (int i = 0; i < 3; i++) {
		const uint32_t x = i ? r->x / (uint32_t)across(l) : r->x;
		const uint32_t y = i ? r->y / (uint32_t)down(l) : r->y;
		if (part.plane[i])
			part.plane[i] = row_at(whole, i, y) + x * (i && l == XC_LAYOUT_NV12 ? 2 : 1);
	}
	part.width = r->width;
	part.height = r->height;
	CHECK(same_pixels(&m.pixels, &part), "%s: the region %ux%u+%u+%u of %ux%u", names[l], r->width,
	      r->height, r->x, r->y, whole->width, whole->height);
}

/* NV12 has the samples of 4:2:0 in another order. */
static made to_nv12(const xc_pixels *p)
{
	made m = make(XC_LAYOUT_NV12, p->width, p->height, 8, 1);

	for (uint32_t y = 0; y < p->height; y++)
		memcpy(row_at(&m.pixels, 0, y), row_at(p, 0, y), p->width);
	for (uint32_t y = 0; y < rows_of(p, 1); y++)
		for (size_t x = 0; x < samples_of(&m.pixels, 1); x++)
			row_at(&m.pixels, 1, y)[x] = row_at(p, 1 + (int)(x % 2), y)[x / 2];
	return m;
}

static void planes_case(xc_layout layout, uint32_t width, uint32_t height, xc_encode_options *o)
{
	const xc_decode_options plain = {0};
	OWN_MADE m = make_planes(layout, width, height, 0),
			 turned = make_planes(layout, width, height, 1);
	xc_buffer file;

	CHECK_OK(c, xc_encode_pixels(c, &m.pixels, NULL, o, &file));
	check_encoded(&turned.pixels, o, &file);
	OWN_MADE back = decode_both_ways(&file, layout, &plain);
	check_near(&back.pixels, &m.pixels);
	check_region(&file, &back.pixels);
	if (layout == XC_LAYOUT_YCBCR_444)
		check_colours(&file, &back.pixels);
	if (layout == XC_LAYOUT_YCBCR_420) {
		OWN_MADE pairs = to_nv12(&m.pixels),
				 back_pairs = decode_both_ways(&file, XC_LAYOUT_NV12, &plain);
		OWN_MADE wanted = to_nv12(&back.pixels);
		check_encoded(&pairs.pixels, o, &file);
		CHECK(same_pixels(&back_pairs.pixels, &wanted.pixels), "NV12 is not 4:2:0");
	}
	xc_buffer_free(c, &file);
	/* Grey is Y. */
	o->subsampling = XC_SUBSAMPLING_GREY;
	const xc_picture grey = {width, height, 1, 8, (size_t)m.pixels.stride[0], m.pixels.plane[0]};
	CHECK_OK(c, xc_encode(c, &grey, NULL, o, &file));
	check_encoded(&m.pixels, o, &file);
	xc_buffer_free(c, &file);
}

static void planes(void)
{
	for (size_t i = 0; i < COUNT(sizes); i++) {
		for (int t = XC_TRANSFORM_DCT; t <= XC_TRANSFORM_TDLT; t++) {
			for (int l = XC_LAYOUT_YCBCR_420; l < LAYOUTS; l++) {
				xc_encode_options o = xc_test_options(97, subsampling_of[l - PACKED],
				                                      (xc_transform)t, XC_HUFFMAN_OPTIMIZED);
				xc_test_coding(&o, (l + t) % XC_TEST_COMPONENTS);
				CHECK_OK(c, xc_context_set_threads(c, 1 + (l + t) % 3));
				planes_case((xc_layout)l, sizes[i][0], sizes[i][1], &o);
			}
		}
	}
}

/* Several pieces of the file, and rows that wait between them. */
static void large(void)
{
	OWN_MADE m = make_planes(XC_LAYOUT_NV12, 4099, 2111, 0);
	const xc_decode_options plain = {0};
	xc_buffer file;

	CHECK_OK(c, xc_context_set_threads(c, 2));
	for (int t = XC_TRANSFORM_DCT; t <= XC_TRANSFORM_TDLT; t += 2) {
		xc_encode_options o = xc_test_options(90, XC_SUBSAMPLING_420, (xc_transform)t,
		                                      XC_HUFFMAN_DEFAULT);
		CHECK_OK(c, xc_encode_pixels(c, &m.pixels, NULL, &o, &file));
		check_streamed(&m.pixels, &o, &file);
		OWN_MADE back = decode_both_ways(&file, XC_LAYOUT_YCBCR_420, &plain);
		check_region(&file, &back.pixels);
		xc_buffer_free(c, &file);
	}
}

/* ---------------------------------------------------------------- refusals */

static void refused(xc_status found, xc_status wanted, const char *what)
{
	CHECK(found == wanted && *xc_context_message(c), "%s: status %d, '%s'", what, (int)found,
	      xc_context_message(c));
}

static void refused_encoding(void)
{
	xc_encode_options o = xc_test_defaults();
	xc_buffer file;
	OWN_MADE m = make_planes(XC_LAYOUT_YCBCR_422, 20, 10, 0);
	xc_pixels p = m.pixels;

	o.subsampling = XC_SUBSAMPLING_420;
	refused(xc_encode_pixels(c, &p, NULL, &o, &file), XC_ERR_ARGUMENT, "another subsampling");
	p.layout = XC_LAYOUT_YCBCR_444;
	p.stride[1] = p.stride[2] = 20;
	o.subsampling = XC_SUBSAMPLING_444;
	o.colour = XC_COLOUR_PICTURE;
	refused(xc_encode_pixels(c, &p, NULL, &o, &file), XC_ERR_ARGUMENT, "made components");
	xc_encode_options_default(&o);
	p = m.pixels;
	p.layout = (xc_layout)LAYOUTS;
	refused(xc_encode_pixels(c, &p, NULL, &o, &file), XC_ERR_ARGUMENT, "no such layout");
	p = m.pixels;
	p.plane[2] = NULL;
	refused(xc_encode_pixels(c, &p, NULL, &o, &file), XC_ERR_ARGUMENT, "a plane missing");
	p = m.pixels;
	p.stride[1] = -9;
	refused(xc_encode_pixels(c, &p, NULL, &o, &file), XC_ERR_ARGUMENT, "a short stride");
	p.stride[1] = PTRDIFF_MIN;
	refused(xc_encode_pixels(c, &p, NULL, &o, &file), XC_ERR_ARGUMENT, "a long stride");
	p = m.pixels;
	p.depth = 16;
	refused(xc_encode_pixels(c, &p, NULL, &o, &file), XC_ERR_ARGUMENT, "deep planes");
	refused(xc_encode_pixels(c, NULL, NULL, &o, &file), XC_ERR_ARGUMENT, "no pixels");
	CHECK(!file.data && !file.size, "not empty after a failure");
	CHECK(xc_encode_pixels(NULL, &p, NULL, &o, &file) == XC_ERR_ARGUMENT, "no context");
}

static void refused_rows(void)
{
	const xc_picture shape = {20, 10, 3, 8, 0, NULL};
	OWN_BYTES file = {0};
	OWN_ENCODER e = NULL;
	OWN_MADE m = make_planes(XC_LAYOUT_NV12, 20, 10, 0), other = make(XC_LAYOUT_BGR, 20, 10, 8, 0),
			 alpha = make(XC_LAYOUT_BGRA, 20, 10, 8, 0);
	void *room;
	size_t stride;
	uint32_t count;

	REQUIRE_OK(c, xc_encoder_new(c, &shape, NULL, NULL, write_bytes, &file, &e));
	xc_pixels some = some_rows(&m.pixels, 0, 3);
	refused(xc_encoder_pixels(e, &some), XC_ERR_ARGUMENT, "an odd number of rows");
	refused(xc_encoder_pixels(e, &alpha.pixels), XC_ERR_ARGUMENT, "other channels");
	some.height = 4;
	CHECK_OK(c, xc_encoder_pixels(e, &some));
	some = some_rows(&other.pixels, 4, 6);
	refused(xc_encoder_pixels(e, &some), XC_ERR_ARGUMENT, "another layout");
	refused(xc_encoder_rows(e, other.memory[0], (size_t)other.pixels.stride[0], 6), XC_ERR_ARGUMENT,
	        "rows of a picture");
	refused(xc_encoder_room(e, &room, &stride, &count), XC_ERR_ARGUMENT, "room");
	refused(xc_encoder_pixels(e, &m.pixels), XC_ERR_ARGUMENT, "too many rows");
	some = some_rows(&m.pixels, 4, 6);
	CHECK_OK(c, xc_encoder_pixels(e, &some));
	CHECK_OK(c, xc_encoder_end(e));
}

static void refused_decoding(void)
{
	static const struct {
		uint32_t channels, depth;
		xc_subsampling subsampling;
		xc_colour colour;
		xc_decode_options options;
		xc_status status;
		const char *what;
	} cases[] = {
		{1, 8, XC_SUBSAMPLING_GREY, 0, {0}, XC_ERR_UNSUPPORTED, "grey"},
		{3, 16, XC_SUBSAMPLING_420, 0, {0}, XC_ERR_ARGUMENT, "16 bits"},
		{3, 8, XC_SUBSAMPLING_444, 0, {0}, XC_ERR_UNSUPPORTED, "another subsampling"},
		{3, 8, XC_SUBSAMPLING_444, XC_COLOUR_PICTURE, {0}, XC_ERR_UNSUPPORTED, "made components"},
		{3, 8, XC_SUBSAMPLING_420, 0, {.scale = 2}, XC_ERR_ARGUMENT, "another size"},
		{3, 8, XC_SUBSAMPLING_420, 0, {.region = {1, 0, 20, 20}}, XC_ERR_ARGUMENT, "an odd column"},
	};
	OWN_MADE m = make(XC_LAYOUT_YCBCR_420, 20, 20, 8, 0);

	for (size_t i = 0; i < COUNT(cases); i++) {
		const uint32_t width = cases[i].options.region.width ? 40 : 20;
		OWN_PICTURE p = xc_test_picture(width, 20, cases[i].channels, cases[i].depth, 0, 1);
		xc_decode_options d = cases[i].options;
		xc_encode_options o = xc_test_defaults();
		OWN_BUFFER(c, file);
		o.subsampling = cases[i].subsampling;
		o.colour = cases[i].colour;
		CHECK_OK(c, xc_encode(c, &p, NULL, &o, &file));
		refused(xc_decode_pixels(c, file.data, file.size, &d, &m.pixels), cases[i].status,
		        cases[i].what);
	}
}

static void rows_keep_their_layout(void)
{
	OWN_PICTURE p = xc_test_picture(100, 90, 3, 8, 0, 1);
	OWN_MADE m = make(XC_LAYOUT_BGRX, 100, 90, 8, 0);
	const xc_pixels some = some_rows(&m.pixels, 0, 10);
	const void *rows;
	size_t stride;
	uint32_t count;
	OWN_BUFFER(c, file);
	OWN_DECODER d = NULL;

	CHECK_OK(c, xc_encode(c, &p, NULL, NULL, &file));
	const xc_source source = {.memory = file.data, .size = file.size};
	REQUIRE_OK(c, xc_decoder_new(c, &source, NULL, &d));
	CHECK_OK(c, xc_decoder_pixels(d, &some));
	refused(xc_decoder_next(d, &rows, &stride, &count), XC_ERR_ARGUMENT, "rows as they lie");
	refused(xc_decoder_rows(d, m.memory[0], 400, 10), XC_ERR_ARGUMENT, "rows of a picture");
	CHECK_OK(c, xc_decoder_pixels(d, &some));
	refused(xc_decoder_pixels(d, &m.pixels), XC_ERR_ARGUMENT, "too many rows");
}

int main(void)
{
	c = xc_test_context();
	RUN(packed_8, packed_16, planes, large, refused_encoding, refused_rows, refused_decoding,
	    rows_keep_their_layout);
	xc_context_free(c);
	return check_done();
}
