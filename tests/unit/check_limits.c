/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory: an allocator that fails on its n-th call, for every n; limits on pixels,
 * memory and metadata.  Whatever happens, the call says so, leaves its outputs empty
 * and gives everything back.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"
#include "tests/support/test_pictures.h"

/* Counts what is held and fails from the call `fail_at` on; called by several threads. */
typedef struct meter {
	uint64_t calls, fail_at;
	uint64_t held, peak;
	uint64_t blocks;
} meter;

enum { HEADER = 64 };

static void *allocate(void *user, size_t size)
{
	meter *m = user;
	if (__atomic_add_fetch(&m->calls, 1, __ATOMIC_RELAXED) >= m->fail_at)
		return NULL;
	char *p = malloc(size + HEADER);
	if (!p)
		return NULL;
	memcpy(p, &size, sizeof size);
	/* Not zero, so that nobody relies on it. */
	memset(p + HEADER, 0xdb, size < 4096 ? size : 4096);
	__atomic_add_fetch(&m->blocks, 1, __ATOMIC_RELAXED);
	const uint64_t held = __atomic_add_fetch(&m->held, size, __ATOMIC_RELAXED);
	uint64_t peak = __atomic_load_n(&m->peak, __ATOMIC_RELAXED);
	while (held > peak && !__atomic_compare_exchange_n(&m->peak, &peak, held, 0, __ATOMIC_RELAXED,
	                                                   __ATOMIC_RELAXED))
		;
	return p + HEADER;
}

static void release(void *user, void *memory)
{
	meter *m = user;
	if (!memory)
		return;
	char *p = (char *)memory - HEADER;
	size_t size;
	memcpy(&size, p, sizeof size);
	__atomic_sub_fetch(&m->held, size, __ATOMIC_RELAXED);
	__atomic_sub_fetch(&m->blocks, 1, __ATOMIC_RELAXED);
	free(p);
}

static meter the_meter;

static xc_context *metered(int threads)
{
	const xc_allocator a = {allocate, release, &the_meter};
	the_meter = (meter){.fail_at = UINT64_MAX};
	xc_context *c = xc_context_new(&a);
	if (!c || xc_context_set_threads(c, threads))
		abort();
	return c;
}

/* ---------------------------------------------------------- failing allocator */

typedef struct job {
	xc_context *c;
	xc_picture picture;
	xc_metadata metadata;
	xc_encode_options options;
	xc_buffer file;
} job;

static xc_status encode(job *j)
{
	xc_buffer out = {(uint8_t *)j, 1};
	const xc_status s = xc_encode(j->c, &j->picture, &j->metadata, &j->options, &out);
	if (s)
		CHECK(!out.data && !out.size, "a buffer after a failure");
	else
		CHECK(out.size == j->file.size && !memcmp(out.data, j->file.data, out.size), "other bytes");
	xc_buffer_free(j->c, &out);
	return s;
}

static xc_status decode(job *j)
{
	xc_picture out = {0};
	const xc_status s = xc_decode(j->c, j->file.data, j->file.size, NULL, &out);
	CHECK(!s == !!out.data && !s == !!out.width, "a picture after a failure, or none without");
	xc_picture_free(j->c, &out);
	return s;
}

static xc_status coefficients(job *j)
{
	xc_coefficients out;
	const xc_status s = xc_decode_coefficients(j->c, j->file.data, j->file.size, &out);
	CHECK(!s == !!out.components, "coefficients after a failure, or none without");
	xc_coefficients_free(j->c, &out);
	return s;
}

static xc_status bit_usage(job *j)
{
	xc_bit_usage out;
	return xc_read_bit_usage(j->c, j->file.data, j->file.size, &out);
}

static xc_status compare(job *j)
{
	xc_comparison out;
	return xc_compare(j->c, &j->picture, &j->picture, &out);
}

static xc_status picture(job *j)
{
	xc_picture p = {.width = 5, .height = 7, .channels = 3, .depth = 16};
	const xc_status s = xc_picture_allocate(j->c, &p);
	if (!s)
		CHECK(p.data && p.stride == 30, "stride %zu", p.stride);
	xc_picture_free(j->c, &p);
	CHECK(!p.data && !p.width, "not emptied");
	return s;
}

/* Fails at each allocation in turn until the call succeeds.  With several threads the
 * context may come to keep some more chunks, because how many are in use at once depends
 * on how the threads run; freeing the context tells whether that is all. */
static void fail_everywhere(job *j, xc_status (*call)(job *), const char *what)
{
	const uint64_t held = the_meter.held, blocks = the_meter.blocks;
	const uint64_t spare = xc_context_threads(j->c) > 1 ? 8 : 0;
	xc_status s = XC_ERR_MEMORY;
	uint64_t n;
	for (n = 1; s && n < 10000; n++) {
		the_meter.calls = 0;
		the_meter.fail_at = n;
		s = call(j);
		CHECK(!s || s == XC_ERR_MEMORY, "%s, allocation %u: %s", what, (unsigned)n,
		      xc_context_message(j->c));
		CHECK(!s == !*xc_context_message(j->c), "%s, allocation %u: '%s'", what, (unsigned)n,
		      xc_context_message(j->c));
		CHECK(the_meter.blocks >= blocks && the_meter.blocks - blocks <= spare &&
		          (spare || the_meter.held == held),
		      "%s, allocation %u: %u blocks were kept", what, (unsigned)n,
		      (unsigned)(the_meter.blocks - blocks));
	}
	CHECK(!s, "%s never succeeded", what);
	CHECK(n > 2, "%s allocated nothing", what);
	the_meter.fail_at = UINT64_MAX;
}

static void failing_allocator(uint32_t channels, uint32_t depth, xc_huffman huffman, int threads)
{
	job j = {.c = metered(threads)};
	j.picture = xc_test_picture(150, 130, channels, depth, 0, 1);
	j.metadata.xmp = (xc_blob){"<x/>", 4};
	xc_encode_options_default(&j.options);
	j.options.huffman = huffman;
	j.options.quality = 95;
	REQUIRE(!xc_encode(j.c, &j.picture, &j.metadata, &j.options, &j.file), "%s",
	        xc_context_message(j.c));
	fail_everywhere(&j, encode, "encode");
	fail_everywhere(&j, decode, "decode");
	fail_everywhere(&j, coefficients, "coefficients");
	fail_everywhere(&j, bit_usage, "bit usage");
	fail_everywhere(&j, compare, "compare");
	fail_everywhere(&j, picture, "picture");
	xc_buffer_free(j.c, &j.file);
	xc_context_free(j.c);
	CHECK(!the_meter.blocks, "%u blocks left", (unsigned)the_meter.blocks);
	free(j.picture.data);
}

/* clang-format off */
static void failing_8_bits(void) { failing_allocator(3, 8, XC_HUFFMAN_OPTIMIZED, 1); }
static void failing_16_bits(void) { failing_allocator(3, 16, XC_HUFFMAN_DEFAULT, 1); }
static void failing_alpha(void) { failing_allocator(4, 8, XC_HUFFMAN_OPTIMIZED, 1); }
static void failing_grey_alpha(void) { failing_allocator(2, 16, XC_HUFFMAN_OPTIMIZED, 1); }
static void failing_threads(void) { failing_allocator(4, 8, XC_HUFFMAN_OPTIMIZED, 3); }
/* clang-format on */

static void failing_context(void)
{
	const xc_allocator a = {allocate, release, &the_meter};
	the_meter = (meter){.fail_at = 1};
	CHECK(!xc_context_new(&a), "a context out of nothing");
	CHECK(!the_meter.blocks, "%u blocks left", (unsigned)the_meter.blocks);
}

/* -------------------------------------------------------------------- limits */

static void set_limits(xc_context *c, uint64_t pixels, uint64_t memory, uint64_t metadata)
{
	const xc_limits l = {pixels, memory, metadata};
	CHECK(!xc_context_set_limits(c, &l), "%s", xc_context_message(c));
}

static void pixel_limit(void)
{
	xc_context *c = metered(1);
	xc_picture in = xc_test_picture(40, 30, 3, 8, 0, 1), out = {0};
	xc_buffer file, refused;
	xc_info info;
	set_limits(c, 1200, UINT64_MAX, 0);
	REQUIRE(!xc_encode(c, &in, NULL, NULL, &file), "%s", xc_context_message(c));
	CHECK(!xc_decode(c, file.data, file.size, NULL, &out), "%s", xc_context_message(c));
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
	xc_context *c = metered(1);
	const xc_picture in = {1, 1, 1, 8, 1, bytes};
	for (int which = 0; which < 3; which++) {
		xc_metadata m = {0};
		xc_buffer file;
		xc_info info;
		xc_blob *blob = which == 0 ? &m.icc : which == 1 ? &m.exif : &m.xmp;
		*blob = (xc_blob){bytes, sizeof bytes};
		set_limits(c, 1, UINT64_MAX, sizeof bytes);
		REQUIRE(!xc_encode(c, &in, &m, NULL, &file), "%s", xc_context_message(c));
		CHECK(!xc_read_info(c, file.data, file.size, &info), "%s", xc_context_message(c));
		set_limits(c, 1, UINT64_MAX, sizeof bytes - 1);
		CHECK(xc_read_info(c, file.data, file.size, &info) == XC_ERR_LIMIT, "%s",
		      xc_context_message(c));
		xc_buffer_free(c, &file);
	}
	xc_context_free(c);
}

/* Below what a call needs it fails with XC_ERR_LIMIT, never holding more than the
 * limit; with what it needs it succeeds. */
static void memory_limit(void)
{
	xc_context *c = metered(1);
	const uint64_t uncounted = the_meter.held; /* the context itself */
	job j = {.c = c, .picture = xc_test_picture(300, 200, 4, 8, 0, 1)};
	xc_status (*const calls[])(job *) = {encode, decode, coefficients, bit_usage};
	xc_encode_options_default(&j.options);
	REQUIRE(!xc_encode(c, &j.picture, &j.metadata, &j.options, &j.file), "%s",
	        xc_context_message(c));
	const uint64_t before = the_meter.held;
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		/* A limit that is never met: without any, a call may take more than it needs. */
		set_limits(c, 1 << 20, UINT64_MAX - 1, 0);
		the_meter.peak = before;
		CHECK(!calls[i](&j), "%s", xc_context_message(c));
		const uint64_t peak = the_meter.peak;
		for (uint64_t limit = before; limit <= peak + 4096; limit += (peak - before) / 50 + 1) {
			set_limits(c, 1 << 20, limit, 0);
			the_meter.peak = before;
			const xc_status s = calls[i](&j);
			CHECK(limit + uncounted >= peak || s == XC_ERR_LIMIT, "call %zu, limit %u of %u: %s", i,
			      (unsigned)limit, (unsigned)peak, xc_context_message(c));
			CHECK(the_meter.peak <= limit + uncounted, "call %zu held %u of %u", i,
			      (unsigned)the_meter.peak, (unsigned)limit);
		}
		set_limits(c, 1 << 20, peak + 4096, 0);
		CHECK(!calls[i](&j), "call %zu: %s", i, xc_context_message(c));
	}
	xc_buffer_free(c, &j.file);
	xc_context_free(c);
	free(j.picture.data);
	CHECK(!the_meter.blocks, "%u blocks left", (unsigned)the_meter.blocks);
}

int main(void)
{
	RUN(failing_context);
	RUN(failing_8_bits);
	RUN(failing_16_bits);
	RUN(failing_alpha);
	RUN(failing_grey_alpha);
	RUN(failing_threads);
	RUN(pixel_limit);
	RUN(metadata_limit);
	RUN(memory_limit);
	return check_done();
}
