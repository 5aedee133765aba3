/* SPDX-License-Identifier: BSD-2-Clause */
/* Files without loss: every sample comes back, whatever the shape, the layout, the threads and the
 * way of rows; palettes; what AUTO chooses; damage and wrong options. */
#include <string.h>

#include <xcodec_pixels.h>
#include <xcodec_target.h>

#include "lossless/lanes.h"
#include "lossless/lossless.h"
#include "lossless/tables.h"
#include "src/core/layout.h"
#include "tests/support/memory_checks.h"

static xc_encode_options lossless(void)
{
	xc_encode_options o;

	xc_encode_options_default(&o);
	o.mode = XC_MODE_LOSSLESS;
	return o;
}

/* Twelve colours in squares. */
static void draw(const xc_picture *p)
{
	for (uint32_t y = 0; y < p->height; y++)
		for (uint32_t i = 0; i < p->width * p->channels; i++) {
			const uint32_t n = (i / p->channels / 8 + y / 8 * 5) % 12, c = i % p->channels;
			((uint8_t *)p->data)[y * p->stride + i] = (uint8_t)(n * (20 - 3 * c));
		}
}

/* The mean of a square of samples, as doc/reduced.md has it for lossless files. */
static uint32_t mean(const xc_picture *p, uint32_t x, uint32_t y, uint32_t c, uint32_t scale)
{
	uint32_t sum = 0, n = 0;

	for (uint32_t j = y * scale; j < p->height && j < (y + 1) * scale; j++)
		for (uint32_t i = x * scale; i < p->width && i < (x + 1) * scale; i++, n++)
			sum += xc_sample_at(p, i, j, c);
	return (sum + n / 2) / n;
}

static void check_parts(xc_context *c, const xc_picture *p, const xc_buffer *file)
{
	for (uint32_t scale = 1; scale <= 8; scale *= 2) {
		const xc_rectangle region = {p->width / 3, p->height / 2, p->width - p->width / 3,
		                             (p->height + 3) / 4};
		xc_decode_options o = {.region = region, .scale = scale};
		OWN_DECODED(c, d);
		uint32_t wrong = 0;
		REQUIRE_OK(c, xc_decode(c, file->data, file->size, &o, &d));
		for (uint32_t y = 0; y < d.height; y++)
			for (uint32_t x = 0; x < d.width; x++)
				for (uint32_t i = 0; i < p->channels; i++)
					wrong += xc_sample_at(&d, x, y, i) !=
					         mean(p, x + region.x / scale, y + region.y / scale, i, scale);
		CHECK(!wrong, "%u samples at 1/%u", wrong, scale);
	}
}

static void exact(uint32_t width, uint32_t height, uint32_t channels, uint32_t depth, int drawing)
{
	OWN_PICTURE p = xc_test_picture(width, height, channels, depth, 6, 1);
	const xc_encode_options o = lossless();
	OWN_CONTEXT c = xc_test_context();
	OWN_BUFFER(c, file);
	xc_info info;

	if (drawing)
		draw(&p);
	REQUIRE_OK(c, xc_encode(c, &p, NULL, &o, &file));
	REQUIRE_OK(c, xc_read_info(c, file.data, file.size, &info));
	CHECK(info.lossless && !info.max_error && info.entropy == XC_ENTROPY_LOSSLESS, "no");
	for (int threads = 1; threads < 4; threads += 2) {
		OWN_SINK sink = {0};
		OWN_DECODED(c, whole);
		CHECK_OK(c, xc_context_set_threads(c, threads));
		REQUIRE_OK(c, xc_decode(c, file.data, file.size, NULL, &whole));
		CHECK(xc_sample_equal(&p, &whole), "%ux%u, %u of %u bits", width, height, channels, depth);
		check_parts(c, &p, &file);
		CHECK_OK(c, xc_test_stream(c, &p, NULL, &o, (uint64_t)threads, &sink));
		CHECK(sink.bytes.size == file.size && !memcmp(sink.bytes.data, file.data, file.size),
		      "%zu bytes by rows, %zu at once", sink.bytes.size, file.size);
	}
}

static void shapes(void)
{
	static const uint32_t small[] = {1, 2, 9, 33, 70};
	enum { SMALL = sizeof small / sizeof *small };

	for (uint32_t channels = 1; channels < 5; channels++)
		for (uint32_t depth = 8; depth < 17; depth += 8) {
			exact(1, 1, channels, depth, 0);
			exact(83, 61, channels, depth, 0);
			exact(1290, 171, channels, depth, 0);
		}
	for (uint32_t i = 0; i < SMALL * SMALL; i++)
		exact(small[i / SMALL], small[i % SMALL], 1 + i % 4, i % 3 ? 8 : 16, i % 2 || i % 5 == 0);
	exact(200, 1300, 3, 8, 1);
	exact(300, 77, 4, 8, 1);
	exact(300, 77, 2, 8, 1);
}

/* All that have the same pixels give the same file, and get them back. */
static void layouts(void)
{
	OWN_CONTEXT c = xc_test_context();
	OWN_PICTURE p = xc_test_picture(90, 50, 3, 8, 0, 1);
	const xc_encode_options o = lossless();
	OWN_BUFFER(c, file);
	uint8_t buffer[50 * 90 * 4];

	REQUIRE_OK(c, xc_encode(c, &p, NULL, &o, &file));
	for (xc_layout l = XC_LAYOUT_RGB; l <= XC_LAYOUT_BGRX; l++) {
		const ptrdiff_t row = 90 * xc_layout_get(l)->samples[0];
		/* Upside down. */
		const xc_pixels out = {.layout = l,
		                       .width = 90,
		                       .height = 50,
		                       .depth = 8,
		                       .plane = {buffer + 49 * row},
		                       .stride = {-row}};
		OWN_BUFFER(c, again);
		REQUIRE_OK(c, xc_decode_pixels(c, file.data, file.size, NULL, &out));
		for (ptrdiff_t i = 3; l >= XC_LAYOUT_RGBX && i < 50 * row; i += 4)
			buffer[i] = (uint8_t)i;
		if (xc_layout_get(l)->channels == 4)
			continue;
		REQUIRE_OK(c, xc_encode_pixels(c, &out, NULL, &o, &again));
		CHECK(again.size == file.size && !memcmp(again.data, file.data, file.size), "layout %d", l);
	}
	const xc_pixels planes = {.layout = XC_LAYOUT_NV12,
	                          .width = 90,
	                          .height = 50,
	                          .depth = 8,
	                          .plane = {buffer, buffer},
	                          .stride = {90, 90}};
	OWN_BUFFER(c, none);
	CHECK(xc_encode_pixels(c, &planes, NULL, &o, &none) == XC_ERR_UNSUPPORTED, "planes");
	CHECK(xc_decode_pixels(c, file.data, file.size, NULL, &planes) == XC_ERR_UNSUPPORTED, "planes");
	CHECK_OK(c, xc_encode_pixels(c, &planes, NULL, NULL, &none));
}

static void automatic(void)
{
	OWN_CONTEXT c = xc_test_context();
	OWN_PICTURE p = xc_test_picture(300, 200, 3, 8, 0, 1);

	for (int drawing = 0; drawing < 2; drawing++) {
		xc_info info;
		OWN_BUFFER(c, file);
		if (drawing)
			draw(&p);
		REQUIRE_OK(c, xc_encode(c, &p, NULL, NULL, &file));
		REQUIRE_OK(c, xc_read_info(c, file.data, file.size, &info));
		CHECK(info.lossless == drawing, "%d", info.lossless);
	}
}

static void palette(void)
{
	OWN_CONTEXT c = xc_test_context();
	OWN_PICTURE p = xc_test_picture(40, 30, 3, 8, 0, 1);
	uint8_t colours[13 * 4];
	xc_metadata m = {.palette = {colours, sizeof colours}, .palette_bits = 4};
	xc_info info;
	OWN_DECODED(c, out);
	OWN_BUFFER(c, file);
	OWN_BUFFER(c, other);

	draw(&p);
	for (uint32_t i = 0; i < sizeof colours; i++)
		colours[i] = (uint8_t)(i / 4 * (20 - 3 * (i % 4)));
	for (uint32_t i = 3; i < sizeof colours; i += 4)
		colours[i] = 255;
	REQUIRE_OK(c, xc_encode(c, &p, &m, NULL, &file));
	REQUIRE_OK(c, xc_read_info(c, file.data, file.size, &info));
	CHECK(info.metadata.palette_bits == 4 && info.metadata.palette.size == sizeof colours &&
	          !memcmp(info.metadata.palette.data, colours, sizeof colours),
	      "another palette");
	REQUIRE_OK(c, xc_decode(c, file.data, file.size, NULL, &out));
	CHECK(xc_sample_equal(&p, &out) && file.size < 40 * 30 * 2, "%zu bytes", file.size);
	((uint8_t *)p.data)[3 * (7 * 40 + 9)] = 1;
	CHECK(xc_encode(c, &p, &m, NULL, &other) == XC_ERR_ARGUMENT &&
	          strstr(xc_context_message(c), "pixel 9,7 "),
	      "%s", xc_context_message(c));
}

/* Other tiles are intact, and the damaged one is grey. */
static void damage(void)
{
	OWN_CONTEXT c = xc_test_context();
	OWN_PICTURE p = xc_test_picture(100, 40, 4, 8, 0, 1);
	xc_encode_options o = lossless();
	xc_decode_options going = {.keep_going = 1};
	xc_segment_info s[4];
	OWN_BUFFER(c, file);
	OWN_DECODED(c, out);

	o.segment_blocks = 32;
	REQUIRE_OK(c, xc_encode(c, &p, NULL, &o, &file));
	REQUIRE_OK(c, xc_read_segments(c, file.data, file.size, 1, 2, s));
	file.data[s[0].offset + s[0].size / 2] ^= 8;
	CHECK(xc_decode(c, file.data, file.size, NULL, &out) == XC_ERR_CORRUPT, "not seen");
	REQUIRE_OK(c, xc_decode(c, file.data, file.size, &going, &out));
	CHECK(going.damaged_segments == 1, "%llu", (unsigned long long)going.damaged_segments);
	for (uint32_t y = 0; y < 40; y++)
		for (uint32_t i = 0; i < 400; i++) {
			const int in = i / 4 - s[0].x < s[0].width && y - s[0].y < s[0].height;
			const uint32_t grey = i % 4 == 3 ? 255 : 128,
						   found = xc_sample_at(&out, i / 4, y, i % 4);
			CHECK(found == (in ? grey : xc_sample_at(&p, i / 4, y, i % 4)), "%u,%u", i, y);
		}
	/* A file that ends early keeps its first tiles. */
	going.damaged_segments = 0;
	xc_picture_free(c, &out);
	REQUIRE_OK(c, xc_decode(c, file.data, (size_t)s[0].offset, &going, &out));
	CHECK(going.damaged_segments > 1 && xc_sample_at(&out, 9, 9, 1) == xc_sample_at(&p, 9, 9, 1),
	      "%llu", (unsigned long long)going.damaged_segments);
}

/* Colours are within max_error, and alpha is exact. */
static void bounds_of(uint32_t channels, uint32_t depth, uint32_t max_error)
{
	OWN_CONTEXT c = xc_test_context();
	OWN_PICTURE p = xc_test_picture(70, 50, channels, depth, 0, 1);
	xc_encode_options o = lossless();
	xc_info info;
	OWN_BUFFER(c, file);
	OWN_DECODED(c, out);
	uint32_t changed = 0;

	o.max_error = max_error;
	REQUIRE_OK(c, xc_encode(c, &p, NULL, &o, &file));
	REQUIRE_OK(c, xc_read_info(c, file.data, file.size, &info));
	REQUIRE_OK(c, xc_decode(c, file.data, file.size, NULL, &out));
	for (uint32_t i = 0; i < 70 * 50 * channels; i++) {
		const uint32_t x = i / channels % 70, y = i / channels / 70, k = i % channels;
		const int32_t most = channels % 2 == 0 && k + 1 == channels ? 0 : (int32_t)max_error;
		const int32_t d = (int32_t)xc_sample_at(&p, x, y, k) - (int32_t)xc_sample_at(&out, x, y, k);
		CHECK(d <= most && -d <= most, "channel %u of %u is off by %d", k, channels, d);
		changed += d != 0;
	}
	CHECK(changed && info.max_error == max_error, "%u, %u", changed, info.max_error);
}

static void bounds(void)
{
	for (uint32_t channels = 1; channels <= 4; channels++) {
		bounds_of(channels, 8, 4);
		bounds_of(channels, 16, 100);
	}
}

/* Where exact samples take no more, they are not changed: drawings, and values with gaps. */
static void exact_where_smaller(void)
{
	OWN_CONTEXT c = xc_test_context();

	for (uint32_t depth = 8; depth <= 16; depth += 8) {
		OWN_PICTURE p = xc_test_picture(300, 400, depth == 8 ? 3 : 1, depth, 0, 1);
		xc_encode_options o = lossless();
		xc_info info;
		OWN_BUFFER(c, exact);
		OWN_BUFFER(c, near);
		if (depth == 8)
			draw(&p);
		for (uint32_t i = 0; i < 300 * 400 && depth == 16; i++) /* of 6 bits */
			((uint16_t *)p.data)[i] = (uint16_t)(((uint16_t *)p.data)[i] >> 10) * 1040;
		REQUIRE_OK(c, xc_encode(c, &p, NULL, &o, &exact));
		o.max_error = 2;
		REQUIRE_OK(c, xc_encode(c, &p, NULL, &o, &near));
		REQUIRE_OK(c, xc_read_info(c, near.data, near.size, &info));
		CHECK(near.size == exact.size && !info.max_error, "%zu and %zu bytes, an error of %u",
		      near.size, exact.size, info.max_error);
	}
}

static void refusals(void)
{
	OWN_CONTEXT c = xc_test_context();
	OWN_PICTURE p = xc_test_picture(70, 50, 3, 8, 0, 1);
	const xc_target t = {.kind = XC_TARGET_BYTES, .value = 9000};
	xc_target_result result;
	xc_coefficients k;
	xc_bit_usage usage;
	OWN_BUFFER(c, file);
	OWN_BUFFER(c, none);

	for (int i = 0; i < 5; i++) {
		xc_encode_options o = lossless();
		o.mode = i == 0 ? XC_MODE_LOSSY : i == 1 ? XC_MODE_AUTO : i == 4 ? (xc_mode)3 : o.mode;
		o.max_error = i == 2 ? 4096 : i < 2;
		o.segment_blocks = i == 3 ? 16385 : 0;
		CHECK(xc_encode(c, &p, NULL, &o, &none) == XC_ERR_ARGUMENT, "options %d", i);
	}
	const xc_encode_options o = lossless();
	CHECK(xc_encode_target(c, &p, NULL, &o, &t, &result, &none) == XC_ERR_ARGUMENT, "a target");
	REQUIRE_OK(c, xc_encode(c, &p, NULL, &o, &file));
	CHECK(xc_decode_coefficients(c, file.data, file.size, &k) == XC_ERR_UNSUPPORTED, "values");
	CHECK(xc_read_bit_usage(c, file.data, file.size, &usage) == XC_ERR_UNSUPPORTED, "usage");
}

/* With a palette of the encoder's own, and with copies of tiles. */
static void memory(void)
{
	OWN_MEMORY_JOB j = {.picture = xc_test_picture(90, 70, 4, 8, 0, 1), .options = lossless()};

	draw(&j.picture);
	xc_memory_job_init(&j, NULL);
	xc_check_failing_allocator(&j, 1);
	xc_check_failing_allocator(&j, 3);
	xc_check_memory_limits(&j);
}

/* Whatever is damaged, a decoder goes on or says so. */
static void damaged_anywhere(void)
{
	OWN_CONTEXT c = xc_test_context();
	OWN_PICTURE p = xc_test_picture(60, 50, 3, 8, 0, 1);
	const xc_encode_options o = lossless();
	OWN_BUFFER(c, file);

	draw(&p);
	REQUIRE_OK(c, xc_encode(c, &p, NULL, &o, &file));
	for (size_t i = 0; i < file.size; i++) {
		xc_decode_options going = {.keep_going = 1};
		OWN_DECODED(c, out);
		file.data[i] ^= 0x55;
		const xc_status strict = xc_decode(c, file.data, file.size, NULL, &out);
		CHECK(strict, "byte %zu", i);
		(void)xc_decode(c, file.data, file.size, &going, &out);
		file.data[i] ^= 0x55;
	}
}

/* Callers have memory for their largest tile, so that of any tile within it is enough. */
static void scratch_grows(void)
{
	for (uint32_t kind = 0; kind < 16; kind++)
		for (uint32_t w = 1; w <= XC_LOSSLESS_SIDE; w += w < 20 ? 1 : 21)
			for (uint32_t h = 2; h <= XC_LOSSLESS_SIDE; h += h < 70 ? 1 : 17) {
				const xc_lossless_shape large = {w, h, 1 + kind % 4, 8u << kind / 4 % 2, kind / 8};
				xc_lossless_shape narrow = large, low = large;
				narrow.width -= w > 1;
				low.height--;
				const size_t encode = xc_lossless_encode_scratch(&large);
				const size_t decode = xc_lossless_decode_scratch(&large);
				CHECK(encode >= xc_lossless_encode_scratch(&narrow) &&
				          encode >= xc_lossless_encode_scratch(&low) &&
				          decode >= xc_lossless_decode_scratch(&narrow) &&
				          decode >= xc_lossless_decode_scratch(&low),
				      "%ux%u needs less than a tile within it", w, h);
			}
}

/* Tiles of alpha of 640x32 and, in the last row, 640x24: a smaller tile that may have more escapes. */
static void short_tiles_of_alpha(void)
{
	OWN_CONTEXT c = xc_test_context();
	OWN_PICTURE p = xc_test_picture(640, 56, 4, 8, 0, 1);
	xc_encode_options o;
	OWN_BUFFER(c, file);
	OWN_DECODED(c, back);

	xc_encode_options_jpeg(&o);
	o.quality = 30;
	for (uint32_t y = 0; y < p.height; y++)
		for (uint32_t x = 0; x < p.width; x++)
			((uint8_t *)p.data)[y * p.stride + 4 * x + 3] = (uint8_t)(x * x / 90 + y * y / 70);
	REQUIRE_OK(c, xc_encode(c, &p, NULL, &o, &file));
	REQUIRE_OK(c, xc_decode(c, file.data, file.size, NULL, &back));
	for (uint32_t y = 0; y < p.height; y++)
		for (uint32_t x = 0; x < p.width; x++)
			REQUIRE(((uint8_t *)back.data)[y * back.stride + 4 * x + 3] ==
			            ((uint8_t *)p.data)[y * p.stride + 4 * x + 3],
			        "alpha at %u,%u", x, y);
}

/* A state below 2^20 times a frequency, times the reciprocal (lossless/tables.h), is the quotient or one less: at all
 * frequencies, for the first and the last state of the quotients around powers of two, where rounding is coarsest, and
 * of others. */
static void reciprocals(void)
{
	enum { QUOTIENT_BITS = 20, AROUND = 3 * (QUOTIENT_BITS + 1), ALL = AROUND + 64 };
	uint64_t seed = 1, less = 0;

	for (uint32_t f = 1; f < XC_FREQUENCY_ONE; f++)
		for (uint32_t i = 0; i < ALL; i++) {
			const uint32_t q = (i < AROUND ? (1U << i / 3) + i % 3 - 1
			                               : check_below(&seed, 1U << QUOTIENT_BITS)) %
			                   (1U << QUOTIENT_BITS);
			const uint32_t first = q * f, last = first + f - 1;
			const float r = XC_RECIPROCAL((float)f);
			uint32_t found[16];
			float factor[16];
			for (int k = 0; k < 16; k++) {
				found[k] = k % 2 ? last : first;
				factor[k] = r;
			}
			store(found, times(load(found), load(factor)));
			for (int k = 0; k < 2; k++) {
				CHECK(found[k] == q || found[k] + 1 == q, "%u / %u: %u", k ? last : first, f,
				      found[k]);
				less += found[k] != q;
			}
		}
	CHECK(less > XC_FREQUENCY_ONE, "the quotient is one less %llu times", (unsigned long long)less);
}

int main(void)
{
	RUN(reciprocals, scratch_grows, short_tiles_of_alpha, shapes, layouts, automatic, palette,
	    damage, damaged_anywhere, bounds, exact_where_smaller, memory, refusals);
	return check_done();
}
