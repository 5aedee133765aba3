/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory: an allocator that fails on its n-th call, for every n; limits on pixels,
 * memory and metadata.
 */
#include <stdlib.h>

#include "tests/support/memory_checks.h"

static void failing_context(void)
{
	xc_counting counting;

	xc_counting_init(&counting, 1);
	CHECK(!xc_context_new(&counting.allocator), "a context out of nothing");
	CHECK(!counting.blocks, "%u blocks left", (unsigned)counting.blocks);
}

static const struct {
	const char *name;
	uint32_t channels, depth;
	int coding; /* see xc_test_coding() */
	int threads;
} kinds[] = {
	{"8 bits", 3, 8, 0, 1},
	{"16 bits", 3, 16, XC_TEST_BUILT_IN, 1},
	{"alpha", 4, 8, 0, 1},
	{"grey alpha", 2, 16, 0, 1},
	{"three threads", 4, 8, 0, 3},
	{"rANS", 3, 8, XC_TEST_RANS, 1},
	{"rANS, own components, 16 bits", 3, 16, XC_TEST_RANS | XC_TEST_COMPONENTS, 1},
	{"rANS, three threads", 3, 8, XC_TEST_RANS, 3},
};

static void failing_allocator(int kind)
{
	OWN_MEMORY_JOB j = {
		.picture = xc_test_picture(150, 130, kinds[kind].channels, kinds[kind].depth, 0, 1),
		.metadata.xmp = {"<x/>", 4},
		.options = xc_test_options(95, XC_SUBSAMPLING_420, XC_TRANSFORM_DCT, XC_HUFFMAN_OPTIMIZED),
	};

	if (kinds[kind].coding & XC_TEST_COMPONENTS)
		j.options.subsampling = XC_SUBSAMPLING_444;
	xc_test_coding(&j.options, kinds[kind].coding);
	xc_memory_job_init(&j, NULL);
	xc_check_failing_allocator(&j, kinds[kind].threads);
}

/* -------------------------------------------------------------------- limits */

#define CHECK_LIMIT(call) CHECK((call) == XC_ERR_LIMIT, "%s", xc_context_message(c))

static void pixel_limit(void)
{
	OWN_CONTEXT c = xc_test_context();
	xc_picture in = xc_test_picture(40, 30, 3, 8, 0, 1), out = {0};
	xc_buffer file, refused;
	xc_info info;

	xc_test_limits(c, 1200, UINT64_MAX, 0);
	REQUIRE_OK(c, xc_encode(c, &in, NULL, NULL, &file));
	CHECK_OK(c, xc_decode(c, file.data, file.size, NULL, &out));
	xc_picture_free(c, &out);
	xc_test_limits(c, 1199, UINT64_MAX, 0);
	CHECK_LIMIT(xc_encode(c, &in, NULL, NULL, &refused));
	CHECK_LIMIT(xc_decode(c, file.data, file.size, NULL, &out));
	CHECK_LIMIT(xc_read_info(c, file.data, file.size, &info));
	xc_picture p = {.width = 40, .height = 30, .channels = 1, .depth = 8};
	CHECK_LIMIT(xc_picture_allocate(c, &p));
	xc_buffer_free(c, &file);
	free(in.data);
}

/* A file of any size may have XC_ANY_FILE_PIXELS, and one of more pixels a number of them for each byte. */
static void expansion_limit(void)
{
	OWN_CONTEXT c = xc_test_context();
	const OWN_PICTURE in = {8192, 8193, 1, 8, 8192, calloc(8193, 8192)};
	xc_picture out = {0};
	xc_decode_options o = {.scale = 8, .keep_going = 1};
	OWN_BUFFER(c, file);
	xc_info info;
	xc_limits limits;
	const xc_encode_options lossy = xc_test_defaults();

	REQUIRE_OK(c, xc_encode(c, &in, NULL, &lossy, &file));
	const size_t enough = (size_t)8192 * 8193 / 64;
	xc_limits_default(&limits);
	limits.max_expansion = 64;
	CHECK_OK(c, xc_context_set_limits(c, &limits));
	OWN_MEMORY uint8_t *longer = calloc(1, enough);
	memcpy(longer, file.data, file.size);
	CHECK(file.size < enough - 1, "%zu", file.size);
	CHECK_LIMIT(xc_decode(c, longer, enough - 1, &o, &out));
	CHECK_OK(c, xc_decode(c, longer, enough, &o, &out));
	xc_picture_free(c, &out);
	CHECK_OK(c, xc_read_info(c, file.data, file.size, &info));
	limits.max_expansion = 0;
	CHECK_OK(c, xc_context_set_limits(c, &limits));
	CHECK_OK(c, xc_decode(c, file.data, file.size, &o, &out));
	xc_picture_free(c, &out);
}

/* A mask of one value is small without loss, and its own default limit allows it. */
static void expansion_without_loss(void)
{
	OWN_CONTEXT c = xc_test_context();
	const OWN_PICTURE in = {8192, 8193, 1, 8, 8192, calloc(8193, 8192)};
	xc_decode_options o = {.scale = 8};
	OWN_BUFFER(c, file);
	OWN_DECODED(c, out);
	xc_limits limits;

	REQUIRE_OK(c, xc_encode(c, &in, NULL, NULL, &file));
	CHECK_OK(c, xc_decode(c, file.data, file.size, &o, &out));
	xc_limits_default(&limits);
	limits.max_expansion = 1;
	CHECK_OK(c, xc_context_set_limits(c, &limits));
	xc_picture_free(c, &out);
	CHECK_LIMIT(xc_decode(c, file.data, file.size, &o, &out));
}

/* What is charged counts with what the context holds itself. */
static void charge(void)
{
	OWN_CONTEXT c = xc_test_context();
	xc_picture p = {.width = 100, .height = 100, .channels = 1, .depth = 8};

	xc_test_limits(c, 1 << 20, 20000, 0);
	CHECK_OK(c, xc_context_charge(c, 12000));
	CHECK_LIMIT(xc_context_charge(c, 8001));
	CHECK_LIMIT(xc_context_charge(c, UINT64_MAX));
	CHECK_LIMIT(xc_picture_allocate(c, &p));
	xc_context_refund(c, 4000);
	p = (xc_picture){.width = 100, .height = 100, .channels = 1, .depth = 8};
	CHECK_OK(c, xc_picture_allocate(c, &p));
	CHECK_LIMIT(xc_context_charge(c, 2001));
	xc_picture_free(c, &p);
	CHECK_OK(c, xc_context_charge(c, 12000));
	xc_context_refund(c, 20000);
}

static void metadata_limit(void)
{
	static uint8_t bytes[1000];
	OWN_CONTEXT c = xc_test_context();
	const xc_picture in = {1, 1, 1, 8, 1, bytes};

	/* EXIF, and a pair of texts. */
	memset(bytes, 'a', sizeof bytes - 1);
	memcpy(bytes, "II*", 4);
	for (int which = 0; which < 5; which++) {
		xc_metadata m = {0};
		OWN_BUFFER(c, file);
		xc_info info;
		xc_blob *blobs[] = {&m.icc, &m.exif, &m.xmp, &m.iptc, &m.text};
		*blobs[which] = (xc_blob){bytes, sizeof bytes};
		xc_test_limits(c, 1, UINT64_MAX, sizeof bytes);
		REQUIRE_OK(c, xc_encode(c, &in, &m, NULL, &file));
		CHECK_OK(c, xc_read_info(c, file.data, file.size, &info));
		xc_test_limits(c, 1, UINT64_MAX, sizeof bytes - 1);
		CHECK_LIMIT(xc_read_info(c, file.data, file.size, &info));
	}
}

static void memory_limit(int coding)
{
	OWN_MEMORY_JOB j = {.picture = xc_test_picture(300, 200, 4, 8, 0, 1)};

	xc_encode_options_default(&j.options);
	if (coding & XC_TEST_COMPONENTS)
		j.options.subsampling = XC_SUBSAMPLING_444;
	xc_test_coding(&j.options, coding);
	xc_memory_job_init(&j, NULL);
	xc_check_memory_limits(&j);
}

int main(void)
{
	for (int kind = 0; kind < (int)COUNT(kinds); kind++)
		RUN_FOR(kinds[kind].name, kind, failing_allocator);
	RUN(failing_context, pixel_limit, expansion_limit, expansion_without_loss, charge,
	    metadata_limit);
	RUN_FOR("Huffman", 0, memory_limit);
	RUN_FOR("rANS, own components", XC_TEST_RANS | XC_TEST_COMPONENTS, memory_limit);
	return check_done();
}
