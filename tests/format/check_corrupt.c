/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Truncated and damaged files: every call returns a status, in bounded time and
 * memory, and gives all memory back.  What the reference decoder (refdec.h) takes, the
 * library takes, and the other way round, with the same samples.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/mutate.h"
#include "tests/support/check.h"
#include "tests/support/counting.h"
#include "tests/format/refdec.h"
#include "tests/support/xc_files.h"

enum {
	MOST_PIXELS = 1 << 18,
	MOST_MEMORY = 24 << 20,
	CORRUPTIONS = 10000,
	SECONDS = 240 /* a hang; sanitizers are slow */
};

static struct {
	const char *name;
	uint64_t random; /* not 0: xc_random_file() of that seed, with several tiles */
	uint32_t width, height, channels, depth;
	xc_subsampling subsampling;
	xc_huffman huffman;
	int stored_tables;
} const kinds[] = {
	{"grey", 0, 40, 23, 1, 8, XC_SUBSAMPLING_GREY, XC_HUFFMAN_OPTIMIZED, 0},
	{"RGB 4:2:0", 0, 75, 69, 3, 8, XC_SUBSAMPLING_420, XC_HUFFMAN_OPTIMIZED, 1},
	{"RGB 4:4:4, built-in codes", 0, 33, 40, 3, 8, XC_SUBSAMPLING_444, XC_HUFFMAN_DEFAULT, 0},
	{"RGBA 4:2:2, 16 bits", 0, 37, 21, 4, 16, XC_SUBSAMPLING_422, XC_HUFFMAN_OPTIMIZED, 0},
	{"24 tiles of 4:2:0", 826, 88, 120, 3, 8, XC_SUBSAMPLING_420, XC_HUFFMAN_OPTIMIZED, 0},
	{"8 tiles of 16 bits", 544, 138, 60, 1, 16, XC_SUBSAMPLING_GREY, XC_HUFFMAN_DEFAULT, 0},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static xc_picture make_picture(int kind)
{
	return xc_smooth_picture(kinds[kind].width, kinds[kind].height, kinds[kind].channels,
	                         kinds[kind].depth, 5);
}

/* A file of that kind with metadata and, in some, stored quantization tables. */
static void make_file(int kind, xc_bytes *out)
{
	static const char text[] = "II*\0 some Exif";
	const xc_metadata metadata = {.icc = {text, 5},
	                              .exif = {text, sizeof text},
	                              .density_x = 3780,
	                              .density_y = 3780,
	                              .density_unit = 1};
	if (kinds[kind].random) {
		xc_random_file(out, kinds[kind].random, 0);
		return;
	}
	xc_context *c = xc_context_new(NULL);
	xc_picture p = make_picture(kind);
	xc_encode_options o;
	xc_buffer file;
	xc_encode_options_default(&o);
	o.quality = 60;
	o.subsampling = kinds[kind].subsampling;
	o.huffman = kinds[kind].huffman;
	if (kinds[kind].stored_tables)
		o.tables.luma[5] = 300;
	if (!c || xc_encode(c, &p, &metadata, &o, &file))
		abort();
	out->size = 0;
	xc_bytes_add(out, file.data, file.size);
	xc_buffer_free(c, &file);
	xc_context_free(c);
	free(p.data);
}

/* A context whose memory is counted and limited. */
static xc_context *new_context(xc_counting *counting, uint64_t fail_at)
{
	xc_counting_init(counting, fail_at);
	xc_context *c = xc_context_new(&counting->allocator);
	if (c) {
		const xc_limits limits = {MOST_PIXELS, MOST_MEMORY, 1 << 16};
		xc_context_set_limits(c, &limits);
		xc_context_set_threads(c, 1);
	}
	return c;
}

static int is_status(xc_status s)
{
	return s >= XC_OK && s <= XC_ERR_DEVICE;
}

/* A failure has a message and leaves nothing behind. */
static void check_call(const char *what, const xc_context *c, const xc_counting *counting,
                       xc_status s)
{
	CHECK(is_status(s), "%s: status %d", what, (int)s);
	CHECK((s == XC_OK) || xc_context_message(c)[0], "%s: no message", what);
	CHECK(counting->blocks == 1, "%s: %llu blocks of memory are left", what,
	      (unsigned long long)counting->blocks - 1);
}

/* Everything that reads a file, but xc_decode(). */
static void read_all(xc_context *c, xc_counting *counting, const uint8_t *file, size_t size)
{
	xc_info info;
	xc_bit_usage usage;
	xc_segment_info segment;
	xc_coefficients k;
	const xc_status s = xc_read_info(c, file, size, &info);
	check_call("xc_read_info", c, counting, s);
	if (s == XC_OK) {
		CHECK(info.header_bytes + info.table_bytes + info.index_bytes + info.segment_bytes +
		              info.alpha_bytes + info.metadata_bytes >=
		          info.file_bytes,
		      "parts do not add up");
		for (uint64_t i = 0; i < info.segments && i < 3; i++)
			check_call("xc_read_segments", c, counting,
			           xc_read_segments(c, file, size, info.segments - 1 - i, 1, &segment));
		CHECK(xc_read_segments(c, file, size, info.segments, 1, &segment) == XC_ERR_ARGUMENT,
		      "a segment too many");
	}
	check_call("xc_read_bit_usage", c, counting, xc_read_bit_usage(c, file, size, &usage));
	const xc_status d = xc_decode_coefficients(c, file, size, &k);
	xc_coefficients_free(c, &k);
	check_call("xc_decode_coefficients", c, counting, d);
}

static xc_status decode(xc_context *c, xc_counting *counting, const uint8_t *file, size_t size,
                        int keep_going, uint64_t *damaged)
{
	xc_picture p = {0};
	xc_decode_options o = {.keep_going = keep_going};
	const xc_status s = xc_decode(c, file, size, &o, &p);
	CHECK((s == XC_OK) == (p.data != NULL), "status %d and picture %p", (int)s, p.data);
	*damaged = o.damaged_segments;
	xc_picture_free(c, &p);
	check_call("xc_decode", c, counting, s);
	CHECK(counting->peak <= MOST_MEMORY + 4096, "%llu bytes", (unsigned long long)counting->peak);
	return s;
}

/* ------------------------------------------------------------ truncation */

static void truncations(int kind)
{
	xc_bytes file = {0};
	xc_counting counting;
	make_file(kind, &file);
	xc_part parts[XC_MOST_PARTS];
	const int n = xc_parts(file.data, file.size, parts);
	const xc_part *data = xc_part_find(parts, n, "DATA");
	xc_context *c = new_context(&counting, 0);
	xc_info info;
	REQUIRE(c && data, "no context or no DATA");
	for (size_t size = 0; size < file.size; size++) {
		uint64_t damaged;
		/* A copy, so that a sanitizer sees what is read behind it. */
		uint8_t *copy = xc_test_malloc(size);
		memcpy(copy, file.data, size);
		const xc_status s = decode(c, &counting, copy, size, 0, &damaged);
		CHECK(s == (size ? XC_ERR_TRUNCATED : XC_ERR_FORMAT), "%zu bytes: %d, %s", size, (int)s,
		      xc_context_message(c));
		const xc_status k = decode(c, &counting, copy, size, 1, &damaged);
		if (size < data->payload)
			CHECK(k != XC_OK, "%zu bytes were enough to go on", size);
		else
			CHECK(k == XC_OK && (damaged > 0) == (size < data->end - 4),
			      "%zu bytes: %d, %llu segments damaged, %s", size, (int)k,
			      (unsigned long long)damaged, xc_context_message(c));
		CHECK((xc_read_info(c, copy, size, &info) == XC_OK) == (size >= data->payload),
		      "info of %zu bytes: %s", size, xc_context_message(c));
		read_all(c, &counting, copy, size);
		free(copy);
	}
	xc_context_free(c);
	CHECK(counting.blocks == 0, "the context is not freed");
	xc_bytes_free(&file);
}

/* ------------------------------------------------------------ corruption */

static uint64_t differences(const xc_picture *p, const refdec_picture *r)
{
	uint64_t n = 0, i = 0;
	if (p->width != r->width || p->height != r->height || p->channels != r->channels ||
	    p->depth != r->depth)
		return UINT64_MAX;
	for (uint32_t y = 0; y < p->height; y++)
		for (uint32_t x = 0; x < p->width; x++)
			for (uint32_t ch = 0; ch < p->channels; ch++)
				n += xc_sample_at(p, x, y, ch) != r->samples[i++];
	return n;
}

/* Both decoders must agree; what only limits forbid does not count. */
static int judge(xc_context *c, const uint8_t *file, size_t size)
{
	xc_picture p = {0};
	refdec_picture r;
	const xc_status s = xc_decode(c, file, size, NULL, &p);
	const char *error = refdec_decode(file, size, MOST_PIXELS, &r);
	if (s != XC_ERR_LIMIT)
		CHECK((s == XC_OK) == !error, "status %d (%s), but reference: %s", (int)s,
		      xc_context_message(c), error ? error : "good");
	if (s == XC_OK && !error)
		CHECK(!differences(&p, &r), "%llu samples differ", (unsigned long long)differences(&p, &r));
	xc_picture_free(c, &p);
	free(r.samples);
	return s == XC_OK;
}

/* Damage that the checksums must find. */
static void corruptions(int kind)
{
	xc_bytes file = {0};
	xc_counting counting;
	uint64_t seed = 100 + (uint64_t)kind, damaged;
	make_file(kind, &file);
	xc_part parts[XC_MOST_PARTS];
	const int n = xc_parts(file.data, file.size, parts);
	const xc_part *data = xc_part_find(parts, n, "DATA");
	xc_context *c = new_context(&counting, 0);
	REQUIRE(c && data, "no context or no DATA");
	uint8_t *copy = xc_test_malloc(file.size + 64);
	for (int i = 0; i < CORRUPTIONS; i++) {
		memcpy(copy, file.data, file.size);
		const size_t size = xc_mutate(copy, file.size, file.size + 64, &seed);
		if (size == file.size && !memcmp(copy, file.data, size))
			continue;
		uint8_t *exact = xc_test_malloc(size);
		memcpy(exact, copy, size);
		CHECK(decode(c, &counting, exact, size, 0, &damaged) != XC_OK, "damage %d unseen", i);
		/* Behind the segments a file may seem to end where it likes. */
		const int complete = size >= data->end - 4 && !memcmp(copy, file.data, data->end - 4);
		if (decode(c, &counting, exact, size, 1, &damaged) == XC_OK)
			CHECK(damaged > 0 || complete, "damage %d: nothing damaged", i);
		if (i % 8 == 0)
			read_all(c, &counting, exact, size);
		free(exact);
	}
	free(copy);
	xc_context_free(c);
	xc_bytes_free(&file);
}

/* Damage behind checksums that hold. */
static void disguised_corruptions(int kind)
{
	xc_bytes file = {0};
	xc_counting counting;
	uint64_t seed = 200 + (uint64_t)kind, damaged;
	unsigned accepted = 0;
	make_file(kind, &file);
	xc_context *c = new_context(&counting, 0);
	REQUIRE(c, "no context");
	uint8_t *copy = xc_test_malloc(file.size + 64);
	for (int i = 0; i < CORRUPTIONS / 4; i++) {
		memcpy(copy, file.data, file.size);
		const size_t size = xc_mutate(copy, file.size, file.size + 64, &seed);
		xc_file_fix(copy, size);
		uint8_t *exact = xc_test_malloc(size);
		memcpy(exact, copy, size);
		decode(c, &counting, exact, size, 1, &damaged);
		accepted += (unsigned)judge(c, exact, size);
		read_all(c, &counting, exact, size);
		free(exact);
	}
	CHECK(accepted > 20, "only %u files got through", accepted);
	free(copy);
	xc_context_free(c);
	xc_bytes_free(&file);
}

/* ------------------------------------------------------- out of memory */

/* One encode or decode with a failing allocator; 1: it went through. */
static int with_failure(const xc_picture *picture, const xc_bytes *file, int kind, int threads,
                        uint64_t fail_at)
{
	xc_counting counting;
	xc_counting_init(&counting, fail_at);
	xc_context *c = xc_context_new(&counting.allocator);
	if (!c) {
		CHECK(fail_at == 1 && !counting.blocks, "no context at call %d", (int)fail_at);
		return 0;
	}
	/* With a limit a context keeps no memory for its next call. */
	const int keeps = threads > 1;
	xc_limits limits;
	xc_limits_default(&limits);
	limits.max_memory -= !keeps;
	xc_context_set_limits(c, &limits);
	xc_context_set_threads(c, threads);
	xc_status s;
	if (picture) {
		xc_encode_options o;
		xc_buffer out;
		xc_encode_options_default(&o);
		o.subsampling = kinds[kind].subsampling;
		o.huffman = kinds[kind].huffman;
		s = xc_encode(c, picture, NULL, &o, &out);
		CHECK((s == XC_OK) == (out.data != NULL), "status %d", (int)s);
		xc_buffer_free(c, &out);
	} else {
		xc_picture p = {0};
		s = xc_decode(c, file->data, file->size, NULL, &p);
		CHECK((s == XC_OK) == (p.data != NULL), "status %d", (int)s);
		xc_picture_free(c, &p);
	}
	CHECK(s == XC_OK || s == XC_ERR_MEMORY, "call %d fails: status %d, %s", (int)fail_at, (int)s,
	      xc_context_message(c));
	CHECK(keeps || counting.blocks == 1, "call %d fails: %llu blocks left", (int)fail_at,
	      (unsigned long long)counting.blocks - 1);
	xc_context_free(c);
	CHECK(counting.blocks == 0, "the context is not freed");
	return s == XC_OK;
}

static void failing_allocator(int kind)
{
	xc_bytes file = {0};
	make_file(kind, &file);
	xc_picture p = make_picture(kind);
	for (int threads = 1; threads <= 3; threads += 2) {
		uint64_t n = 1;
		while (n < 1000 && !with_failure(&p, NULL, kind, threads, n))
			n++;
		CHECK(n > 5 && n < 1000, "encoded after %llu calls", (unsigned long long)n);
		for (n = 1; n < 1000 && !with_failure(NULL, &file, kind, threads, n);)
			n++;
		CHECK(n > 5 && n < 1000, "decoded after %llu calls", (unsigned long long)n);
	}
	free(p.data);
	xc_bytes_free(&file);
}

/* A limit on memory, from none to enough: XC_ERR_LIMIT, and never more than that. */
static void memory_limits(int kind)
{
	xc_bytes file = {0};
	xc_counting counting;
	int done = 0;
	make_file(kind, &file);
	xc_picture p = make_picture(kind);
	for (uint64_t most = 0; done != 2; most += most / 16 + 512) {
		REQUIRE(most < 1 << 30, "never enough");
		xc_context *c = new_context(&counting, 0);
		const uint64_t own = counting.bytes;
		const xc_limits limits = {MOST_PIXELS, most, 1 << 16};
		REQUIRE(c, "no context");
		xc_context_set_limits(c, &limits);
		xc_buffer out;
		xc_picture q = {0};
		const xc_status e = xc_encode(c, &p, NULL, NULL, &out);
		CHECK(e == XC_OK || e == XC_ERR_LIMIT, "encode, %llu bytes: status %d, %s",
		      (unsigned long long)most, (int)e, xc_context_message(c));
		xc_buffer_free(c, &out);
		const xc_status d = xc_decode(c, file.data, file.size, NULL, &q);
		CHECK(d == XC_OK || d == XC_ERR_LIMIT, "decode, %llu bytes: status %d, %s",
		      (unsigned long long)most, (int)d, xc_context_message(c));
		xc_picture_free(c, &q);
		CHECK(counting.peak - own <= most, "%llu bytes of %llu",
		      (unsigned long long)(counting.peak - own), (unsigned long long)most);
		done = (e == XC_OK) + (d == XC_OK);
		xc_context_free(c);
	}
	free(p.data);
	xc_bytes_free(&file);
}

int main(void)
{
	static const struct {
		const char *name;
		void (*run)(int kind);
	} cases[] = {
		{"truncations", truncations},
		{"corruptions", corruptions},
		{"disguised corruptions", disguised_corruptions},
		{"failing allocator", failing_allocator},
		{"memory limits", memory_limits},
	};
	alarm(SECONDS);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		for (int kind = 0; kind < KINDS; kind++) {
			check_begin("%s: %s", cases[i].name, kinds[kind].name);
			cases[i].run(kind);
			check_end();
		}
	}
	return check_done();
}
