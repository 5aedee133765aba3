/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory: an allocator that fails on its n-th call, for every n; limits on pixels,
 * memory and metadata.
 */
#include <stdlib.h>

#include "tests/support/counting.h"
#include "tests/support/memory_checks.h"

static void failing_context(void)
{
	xc_counting counting;
	xc_counting_init(&counting, 1);
	CHECK(!xc_context_new(&counting.allocator), "a context out of nothing");
	CHECK(!counting.blocks, "%u blocks left", (unsigned)counting.blocks);
}

static void failing_allocator(uint32_t channels, uint32_t depth, xc_huffman huffman, int threads)
{
	xc_memory_job j = {
		.picture = xc_test_picture(150, 130, channels, depth, 0, 1),
		.metadata.xmp = {"<x/>", 4},
		.options = xc_test_options(95, XC_SUBSAMPLING_420, XC_TRANSFORM_DCT, huffman),
	};
	xc_memory_job_init(&j, NULL);
	xc_check_failing_allocator(&j, threads);
	xc_memory_job_free(&j);
}

/* clang-format off */
static void failing_8_bits(void) { failing_allocator(3, 8, XC_HUFFMAN_OPTIMIZED, 1); }
static void failing_16_bits(void) { failing_allocator(3, 16, XC_HUFFMAN_DEFAULT, 1); }
static void failing_alpha(void) { failing_allocator(4, 8, XC_HUFFMAN_OPTIMIZED, 1); }
static void failing_grey_alpha(void) { failing_allocator(2, 16, XC_HUFFMAN_OPTIMIZED, 1); }
static void failing_threads(void) { failing_allocator(4, 8, XC_HUFFMAN_OPTIMIZED, 3); }
/* clang-format on */

/* -------------------------------------------------------------------- limits */

static void set_limits(xc_context *c, uint64_t pixels, uint64_t memory, uint64_t metadata)
{
	const xc_limits l = {pixels, memory, metadata};
	CHECK_OK(c, xc_context_set_limits(c, &l));
}

static void pixel_limit(void)
{
	xc_context *c = xc_test_context();
	xc_picture in = xc_test_picture(40, 30, 3, 8, 0, 1), out = {0};
	xc_buffer file, refused;
	xc_info info;
	set_limits(c, 1200, UINT64_MAX, 0);
	REQUIRE_OK(c, xc_encode(c, &in, NULL, NULL, &file));
	CHECK_OK(c, xc_decode(c, file.data, file.size, NULL, &out));
	xc_picture_free(c, &out);
	set_limits(c, 1199, UINT64_MAX, 0);
	CHECK(xc_encode(c, &in, NULL, NULL, &refused) == XC_ERR_LIMIT, "%s", xc_context_message(c));
	CHECK(xc_decode(c, file.data, file.size, NULL, &out) == XC_ERR_LIMIT, "%s",
	      xc_context_message(c));
	CHECK(xc_read_info(c, file.data, file.size, &info) == XC_ERR_LIMIT, "%s",
	      xc_context_message(c));
	xc_picture p = {.width = 40, .height = 30, .channels = 1, .depth = 8};
	CHECK(xc_picture_allocate(c, &p) == XC_ERR_LIMIT, "%s", xc_context_message(c));
	xc_buffer_free(c, &file);
	xc_context_free(c);
	free(in.data);
}

static void metadata_limit(void)
{
	static uint8_t bytes[1000];
	xc_context *c = xc_test_context();
	const xc_picture in = {1, 1, 1, 8, 1, bytes};
	for (int which = 0; which < 3; which++) {
		xc_metadata m = {0};
		xc_buffer file;
		xc_info info;
		xc_blob *blob = which == 0 ? &m.icc : which == 1 ? &m.exif : &m.xmp;
		*blob = (xc_blob){bytes, sizeof bytes};
		set_limits(c, 1, UINT64_MAX, sizeof bytes);
		REQUIRE_OK(c, xc_encode(c, &in, &m, NULL, &file));
		CHECK_OK(c, xc_read_info(c, file.data, file.size, &info));
		set_limits(c, 1, UINT64_MAX, sizeof bytes - 1);
		CHECK(xc_read_info(c, file.data, file.size, &info) == XC_ERR_LIMIT, "%s",
		      xc_context_message(c));
		xc_buffer_free(c, &file);
	}
	xc_context_free(c);
}

static void memory_limit(void)
{
	xc_memory_job j = {.picture = xc_test_picture(300, 200, 4, 8, 0, 1)};
	xc_encode_options_default(&j.options);
	xc_memory_job_init(&j, NULL);
	xc_check_memory_limits(&j);
	xc_memory_job_free(&j);
}

int main(void)
{
	RUN(failing_context, failing_8_bits, failing_16_bits, failing_alpha, failing_grey_alpha,
	    failing_threads, pixel_limit, metadata_limit, memory_limit);
	return check_done();
}
