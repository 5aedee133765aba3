/* SPDX-License-Identifier: BSD-2-Clause */
/* The encoder that takes rows: the bytes of xc_encode(), whatever comes in between; what it
 * refuses; what it holds. */
#include <stdlib.h>
#include <string.h>

#include "tests/support/memory_checks.h"

static void compare(const xc_test_sink *sink, const xc_buffer *file, const xc_picture *p,
                    const xc_encode_options *o, uint64_t seed)
{
	CHECK(sink->bytes.size == file->size && !memcmp(sink->bytes.data, file->data, file->size),
	      "%ux%u, %u channels of %u bits, subsampling %d, transform %d, entropy %d, huffman %d, "
	      "effort %d, colour %d, split %u: other bytes",
	      p->width, p->height, p->channels, p->depth, o->subsampling, o->transform, o->entropy,
	      o->huffman, o->effort, o->colour, (unsigned)seed);
}

/* The same picture as a whole and in rows, `splits` times. */
static void both_ways(const xc_picture *p, const xc_encode_options *o, uint64_t seed, int splits)
{
	static const xc_metadata m = {.xmp = {"<x/>", 4}, .gamma = 45455};
	OWN_CONTEXT c = xc_test_context();
	OWN_BUFFER(c, file);

	CHECK_OK(c, xc_encode(c, p, &m, o, &file));
	for (int i = 0; i < splits; i++) {
		OWN_SINK sink = {0};
		CHECK(!xc_context_set_threads(c, 1 + (int)((seed + (uint64_t)i) % 3)), "threads");
		CHECK_OK(c, xc_test_stream(c, p, &m, o, seed + (uint64_t)i * 1000, &sink));
		compare(&sink, &file, p, o, seed + (uint64_t)i * 1000);
	}
}

static void all_modes(void)
{
	uint64_t seed = 1;

	for (int n = 0; n < 3 * 4 * XC_TEST_CODINGS * 5; n++) {
		const int coding = n % XC_TEST_CODINGS, sub = n / XC_TEST_CODINGS % 5;
		const int rest = n / XC_TEST_CODINGS / 5;
		const uint32_t channels = sub == 4 ? 1 + (uint32_t)rest % 2 : 3 + (uint32_t)n % 2;
		xc_encode_options o = xc_test_options(75, (xc_subsampling)(sub == 4 ? 3 : sub),
		                                      (xc_transform)(rest % 3), XC_HUFFMAN_OPTIMIZED);
		if (coding & XC_TEST_COMPONENTS && sub != XC_SUBSAMPLING_444)
			continue;
		xc_test_coding(&o, coding);
		o.effort = rest / 3;
		OWN_PICTURE p = xc_test_picture(1 + check_below(&seed, 450), 1 + check_below(&seed, 300),
		                                channels, n % 7 == 3 ? 16 : 8, 2 * (n % 2), 1);
		both_ways(&p, &o, seed, 1);
	}
}

/* Widths and heights beside the edges of blocks, MCUs and tiles. */
static void edges(void)
{
	static const uint32_t sides[] = {1,  2,  7,  8,   9,   15,  16,  17,
	                                 31, 32, 33, 128, 129, 337, 384, 385};

	for (size_t i = 0; i < COUNT(sides); i++) {
		for (size_t k = 0; k < COUNT(sides); k++) {
			OWN_PICTURE p = xc_test_picture(sides[i], sides[k], 1 + (i + k) % 4, 8, 0, 1);
			xc_encode_options o = (i + k) % 3 ? xc_test_defaults() : xc_test_jpeg();
			o.effort = (int)((i + k / 2) % (XC_MOST_EFFORT + 1));
			o.segment_blocks = (i + 2 * k) % 5 ? 0 : 32;
			both_ways(&p, &o, i * 16 + k, 2);
		}
	}
}

/* Pictures of two and three pieces, whose first one is learnt from. */
static void pieces(int coding)
{
	const int depth16 = coding & XC_TEST_BUILT_IN;
	const OWN_PICTURE whole = xc_test_tall(1100, 15500, coding == XC_TEST_RANS ? 4 : 3,
	                                       depth16 ? 16 : 8, 0);

	for (int effort = 0; effort <= XC_MOST_EFFORT; effort++) {
		xc_encode_options o = xc_test_options(60, XC_SUBSAMPLING_444, (xc_transform)(effort % 3),
		                                      XC_HUFFMAN_OPTIMIZED);
		if (!(coding & XC_TEST_COMPONENTS))
			o.subsampling = XC_SUBSAMPLING_420;
		xc_test_coding(&o, coding);
		o.effort = effort;
		xc_picture p = whole;
		p.height = effort == 1 ? whole.height : 7901;
		if (effort != 1 || !depth16)
			both_ways(&p, &o, (uint64_t)coding, 1);
	}
}

/* ------------------------------------------------------------- failures */

static void failing_writes(void)
{
	OWN_PICTURE p = xc_test_tall(1000, 9000, 3, 8, 1);
	OWN_CONTEXT c = xc_test_context();

	for (int preset = 0; preset < 2; preset++) {
		xc_encode_options o = preset ? xc_test_jpeg() : xc_test_defaults();
		o.effort = 0;
		OWN_SINK whole = {0};
		CHECK_OK(c, xc_test_stream(c, &p, NULL, &o, 4, &whole));
		CHECK(whole.writes > 2, "%u writes", (unsigned)whole.writes);
		for (uint64_t n = 1; n <= whole.writes; n += 1 + whole.writes / 5) {
			OWN_SINK sink = {.fail_at = n};
			const xc_status s = xc_test_stream(c, &p, NULL, &o, 4, &sink);
			CHECK(s == XC_ERR_IO && *xc_context_message(c), "write %u: status %d, '%s'",
			      (unsigned)n, (int)s, xc_context_message(c));
			CHECK(sink.writes == n, "%u writes", (unsigned)sink.writes);
		}
	}
}

/* A failure stays. */
static void after_a_failure(void)
{
	const xc_picture p = {1, 1, 1, 8, 1, (uint8_t[]){7}};
	OWN_CONTEXT c = xc_test_context();
	xc_test_sink sink = {.fail_at = 1};
	OWN_ENCODER e = NULL;
	void *rows;
	size_t stride;
	uint32_t count;

	REQUIRE_OK(c, xc_encoder_new(c, &p, NULL, NULL, xc_test_write, &sink, &e));
	CHECK_OK(c, xc_encoder_rows(e, p.data, 1, 1));
	for (int i = 0; i < 2; i++) {
		CHECK(xc_encoder_end(e) == XC_ERR_IO && *xc_context_message(c), "end");
		CHECK(xc_encoder_rows(e, p.data, 1, 0) == XC_ERR_IO, "rows");
		CHECK(xc_encoder_metadata(e, NULL) == XC_ERR_IO, "metadata");
		CHECK(xc_encoder_room(e, &rows, &stride, &count) == XC_ERR_IO, "room");
	}
	CHECK(sink.writes == 1, "%u writes", (unsigned)sink.writes);
}

#define CHECK_REFUSED(call) \
	CHECK((call) == XC_ERR_ARGUMENT && *xc_context_message(c), "'%s'", xc_context_message(c))

static void arguments(void)
{
	OWN_PICTURE p = xc_test_picture(40, 30, 3, 8, 0, 1);
	xc_picture none = {40, 0, 3, 8, 0, NULL};
	const xc_encode_options bad = {.quality = 101};
	OWN_CONTEXT c = xc_test_context();
	xc_test_sink sink = {0};
	OWN_ENCODER e = (xc_encoder *)c;

	CHECK_REFUSED(xc_encoder_new(c, NULL, NULL, NULL, xc_test_write, &sink, &e));
	CHECK_REFUSED(xc_encoder_new(c, &none, NULL, NULL, xc_test_write, &sink, &e));
	CHECK_REFUSED(xc_encoder_new(c, &p, NULL, &bad, xc_test_write, &sink, &e));
	CHECK_REFUSED(xc_encoder_new(c, &p, NULL, NULL, NULL, &sink, &e));
	CHECK(!e, "an encoder after a failure");
	CHECK_REFUSED(xc_encoder_new(c, &p, NULL, NULL, xc_test_write, &sink, NULL));
	CHECK(xc_encoder_new(NULL, &p, NULL, NULL, xc_test_write, &sink, &e) == XC_ERR_ARGUMENT,
	      "NULL");
	CHECK(xc_encoder_rows(NULL, p.data, p.stride, 1) == XC_ERR_ARGUMENT, "NULL");
	CHECK(xc_encoder_end(NULL) == XC_ERR_ARGUMENT, "NULL");
	xc_encoder_free(NULL);
}

/* Calls that change nothing, between those that do. */
static void refused_calls(void)
{
	static const xc_metadata bad = {.text = {"x", 1}};
	OWN_PICTURE p = xc_test_picture(40, 30, 3, 16, 0, 1);
	OWN_CONTEXT c = xc_test_context();
	OWN_SINK sink = {0};
	xc_encode_options o = xc_test_defaults();
	OWN_BUFFER(c, file);
	OWN_ENCODER e = NULL;
	void *rows;
	size_t stride;
	uint32_t count;

	REQUIRE_OK(c, xc_encode(c, &p, NULL, NULL, &file));
	REQUIRE_OK(c, xc_encoder_new(c, &p, NULL, NULL, xc_test_write, &sink, &e));
	CHECK_REFUSED(xc_encoder_end(e));
	CHECK_REFUSED(xc_encoder_rows(e, NULL, p.stride, 1));
	CHECK_REFUSED(xc_encoder_rows(e, p.data, p.stride - 2, 1));
	CHECK_REFUSED(xc_encoder_rows(e, (char *)p.data + 1, p.stride, 1));
	CHECK_REFUSED(xc_encoder_rows(e, p.data, p.stride, 31));
	CHECK_REFUSED(xc_encoder_metadata(e, &bad));
	CHECK_REFUSED(xc_encoder_room(e, NULL, &stride, &count));
	CHECK_OK(c, xc_encoder_rows(e, NULL, 0, 0));
	CHECK_OK(c, xc_test_stream_rows(e, &p, 0, 5));
	CHECK_OK(c, xc_encoder_room(e, &rows, &stride, &count));
	CHECK(!count && !rows, "%u rows of room after the last", count);
	CHECK_REFUSED(xc_encoder_rows(e, p.data, p.stride, 1));
	CHECK_OK(c, xc_encoder_end(e));
	CHECK_REFUSED(xc_encoder_end(e));
	CHECK_REFUSED(xc_encoder_metadata(e, NULL));
	compare(&sink, &file, &p, &o, 5);
}

/* An encoder is given up after any number of rows. */
static void giving_up(void)
{
	xc_counting counting;
	xc_context *c = xc_counting_context(&counting, 2);
	OWN_PICTURE p = xc_test_tall(1000, 9000, 4, 8, 1);

	for (uint32_t rows = 0; rows <= 9000; rows += rows < 100 ? 33 : 2950) {
		OWN_SINK sink = {0};
		OWN_ENCODER e = NULL;
		xc_picture part = p;
		part.height = rows;
		REQUIRE_OK(c, xc_encoder_new(c, &p, NULL, NULL, xc_test_write, &sink, &e));
		CHECK_OK(c, xc_test_stream_rows(e, &part, 0, rows));
	}
	xc_context_free(c);
	CHECK(!counting.blocks, "%u blocks left", (unsigned)counting.blocks);
}

/* ------------------------------------------------------------- metadata */

/* One that comes late is in the file all the same; what was written stays. */
static void late_metadata(int height)
{
	static const xc_metadata early = {.xmp = {"<x/>", 4}, .density_x = 2, .density_y = 3};
	static const xc_metadata late = {.xmp = {"<y/>", 4},
	                                 .exif = {"II*\0", 4},
	                                 .cicp = {1, 2, 0, 1},
	                                 .density_x = 5,
	                                 .density_y = 3};
	xc_metadata wanted = late;
	xc_picture p = xc_test_tall(1000, (uint32_t)height, 2, 8, 1), out = {0};
	OWN_CONTEXT c = xc_test_context();
	OWN_SINK sink = {0};
	xc_encoder *e;
	xc_info info;

	REQUIRE_OK(c, xc_encoder_new(c, &p, &early, NULL, xc_test_write, &sink, &e));
	CHECK_OK(c, xc_test_stream_rows(e, &p, 0, 7));
	CHECK_OK(c, xc_encoder_metadata(e, &late));
	CHECK(!sink.writes == (height < 8000), "%u writes", (unsigned)sink.writes);
	if (sink.writes) {
		wanted.xmp = early.xmp;
		wanted.density_x = early.density_x;
	}
	CHECK_OK(c, xc_encoder_end(e));
	xc_encoder_free(e);
	REQUIRE_OK(c, xc_read_info(c, sink.bytes.data, sink.bytes.size, &info));
	xc_check_metadata(&info.metadata, &wanted);
	CHECK_OK(c, xc_decode(c, sink.bytes.data, sink.bytes.size, NULL, &out));
	xc_picture_free(c, &out);
	free(p.data);
}

/* --------------------------------------------------------------- memory */

/* What an encoder holds of a picture of that height, in bytes; `bound` a pixel are not counted. */
static uint64_t held(uint32_t height, const xc_encode_options *o, uint64_t *pixels)
{
	xc_counting counting;
	xc_context *c = xc_counting_context(&counting, 2);
	const xc_picture shape = {3000, height, 3, 8, 0, NULL};
	xc_picture p = xc_test_tall(3000, 1000, 3, 8, 1);
	xc_test_sink sink = {0};
	xc_encoder *e;

	CHECK_OK(c, xc_encoder_new(c, &shape, NULL, o, xc_test_write, &sink, &e));
	for (uint32_t y = 0; y < height; y += p.height)
		CHECK_OK(c, xc_encoder_rows(e, p.data, p.stride, p.height));
	CHECK_OK(c, xc_encoder_end(e));
	xc_encoder_free(e);
	xc_context_free(c);
	xc_bytes_free(&sink.bytes);
	free(p.data);
	*pixels = (uint64_t)shape.width * height;
	return counting.peak;
}

static void memory_of_height(int kind)
{
	xc_encode_options o = kind ? xc_test_jpeg() : xc_test_defaults();
	uint64_t few, many;

	o.huffman = kind == 1 ? XC_HUFFMAN_DEFAULT : XC_HUFFMAN_OPTIMIZED;
	o.effort = 0;
	const uint64_t low = held(3000, &o, &few), high = held(9000, &o, &many);
	const double apart = ((double)high - (double)low) / (double)(many - few);
	/* With the defaults, the rows that decide about colour stay until the last of them has come. */
	CHECK(high < (uint64_t)(kind ? 16 : 28) << 20 || kind == 2, "%u bytes", (unsigned)high);
	CHECK(apart < (kind == 2 ? 1.0 : 0.1), "%f bytes a pixel more", apart);
}

int main(void)
{
	RUN(all_modes, edges);
	RUN_FOR("pieces, Huffman", 0, pieces);
	RUN_FOR("pieces, built-in codes, 16 bits", XC_TEST_BUILT_IN, pieces);
	RUN_FOR("pieces, rANS, alpha", XC_TEST_RANS, pieces);
	RUN_FOR("pieces, rANS, components", XC_TEST_RANS | XC_TEST_COMPONENTS, pieces);
	RUN(failing_writes, after_a_failure, arguments, refused_calls, giving_up);
	RUN_FOR("one piece", 300, late_metadata);
	RUN_FOR("two pieces", 12000, late_metadata);
	RUN_FOR("rANS", 0, memory_of_height);
	RUN_FOR("built-in codes", 1, memory_of_height);
	RUN_FOR("codes for the picture", 2, memory_of_height);
	return check_done();
}
