/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Truncated and damaged files: every call returns a status, in bounded time and memory,
 * and gives all memory back.  The library accepts a file exactly when the reference decoder
 * (refdec.h) does, and gives the same samples.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/engine/mutate.h"
#include "tests/format/refdec_compare.h"
#include "tests/support/memory_checks.h"
#include "tests/support/xc_files.h"

enum {
	MAX_PIXELS = 1 << 18,
	MAX_MEMORY = 24 << 20,
	CORRUPTIONS = 10000,
	SECONDS = 240 /* of a kind: a hang; sanitizers and emulators are slow */
};

static struct {
	const char *name;
	uint64_t
		random; /* not 0: xc_random_file() of that seed, with several tiles and INDX before DATA */
	uint32_t width, height, channels, depth;
	xc_subsampling subsampling;
	int coding; /* see xc_test_coding() */
	int stored_tables;
} const kinds[] = {
	{"grey", 0, 40, 23, 1, 8, XC_SUBSAMPLING_GREY, 0, 0},
	{"grey with alpha", 0, 31, 27, 2, 8, XC_SUBSAMPLING_GREY, 0, 0},
	{"RGB 4:2:0", 0, 75, 69, 3, 8, XC_SUBSAMPLING_420, 0, 1},
	{"RGB 4:4:4, built-in codes", 0, 33, 40, 3, 8, XC_SUBSAMPLING_444, XC_TEST_BUILT_IN, 0},
	{"RGBA 4:2:2, 16 bits", 0, 37, 21, 4, 16, XC_SUBSAMPLING_422, 0, 0},
	{"36 tiles of 4:2:0", 23412, 85, 85, 3, 8, XC_SUBSAMPLING_420, 0, 0},
	{"8 tiles of 16 bits", 9143, 121, 80, 1, 16, XC_SUBSAMPLING_GREY, XC_TEST_BUILT_IN, 0},
	{"6 tiles, codes without contexts", 39744, 18, 18, 3, 8, XC_SUBSAMPLING_444, 0, 0},
	{"rANS, 4:2:0", 0, 75, 69, 3, 8, XC_SUBSAMPLING_420, XC_TEST_RANS, 0},
	{"rANS, own components, 16 bits", 0, 33, 40, 4, 16, XC_SUBSAMPLING_444,
     XC_TEST_RANS | XC_TEST_COMPONENTS, 1},
	{"own components", 0, 40, 33, 3, 8, XC_SUBSAMPLING_444, XC_TEST_COMPONENTS, 0},
};

/* What makes a file of that kind: with metadata and, in some, stored quantization tables. */
static xc_memory_job make_job(int kind)
{
	static const char text[] = "II*\0 some Exif";
	xc_memory_job j = {
		.picture = xc_smooth_picture(kinds[kind].width, kinds[kind].height, kinds[kind].channels,
	                                 kinds[kind].depth, 5),
		.metadata = {.icc = {text, 5},
	                 .exif = {text, sizeof text},
	                 .density_x = 3780,
	                 .density_y = 3780,
	                 .density_unit = 1},
		.options = xc_test_options(60, kinds[kind].subsampling, XC_TRANSFORM_DCT,
	                               XC_HUFFMAN_OPTIMIZED),
	};
	OWN_BYTES random = {0};

	xc_test_coding(&j.options, kinds[kind].coding);
	if (kinds[kind].stored_tables) {
		xc_quant_tables_sloped(&j.options.tables);
		j.options.tables.luma[5] = 300;
	}
	if (kinds[kind].random)
		xc_random_file(&random, kinds[kind].random, 0);
	xc_memory_job_init(&j, kinds[kind].random ? &random : NULL);
	return j;
}

/* A file of that kind, and where its DATA is. */
static xc_bytes make_file(int kind, xc_file_chunk *data)
{
	xc_memory_job j = make_job(kind);
	xc_file_chunk parts[XC_FILE_CHUNKS_MAX];
	const xc_bytes file = j.file;

	j.file = (xc_bytes){0};
	xc_memory_job_free(&j);
	const xc_file_chunk *found = xc_file_chunk_find(parts,
	                                                xc_file_chunks(file.data, file.size, parts),
	                                                "DATA");
	if (!found)
		abort();
	*data = *found;
	return file;
}

/* A context whose memory is counted and limited. */
static xc_context *new_context(xc_counting *counting)
{
	xc_context *c = xc_counting_context(counting, 1);
	xc_test_limits(c, MAX_PIXELS, MAX_MEMORY, 1 << 16);
	return c;
}

/* A failure has a message and leaves nothing behind. */
static void check_call(const char *what, const xc_context *c, const xc_counting *counting,
                       xc_status s)
{
	CHECK(s >= XC_OK && s <= XC_ERR_DEVICE, "%s: status %d", what, (int)s);
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
		              info.alpha_bytes + info.metadata_bytes + info.extra_bytes >=
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
	xc_info info;
	xc_decode_options o = {.keep_going = keep_going};
	const xc_status s = xc_decode(c, file, size, &o, &p);

	CHECK((s == XC_OK) == (p.data != NULL), "status %d and picture %p", (int)s, p.data);
	*damaged = o.damaged_segments;
	if (s == XC_OK)
		CHECK(!xc_read_info(c, file, size, &info) && info.width == p.width &&
		          info.height == p.height,
		      "%ux%u: %s", p.width, p.height, xc_context_message(c));
	xc_picture_free(c, &p);
	check_call("xc_decode", c, counting, s);
	CHECK(counting->peak <= MAX_MEMORY + 4096, "%llu bytes", (unsigned long long)counting->peak);
	return s;
}

/* ------------------------------------------------------------ truncation */

static void truncations(int kind)
{
	xc_file_chunk data;
	xc_counting counting;
	xc_info info;
	OWN_BYTES file = make_file(kind, &data);
	xc_context *c = new_context(&counting);

	for (size_t size = 0; size < file.size; size++) {
		uint64_t damaged;
		OWN_MEMORY uint8_t *copy = xc_test_copy(file.data, size);
		const xc_status s = decode(c, &counting, copy, size, 0, &damaged);
		CHECK(s == (size ? XC_ERR_TRUNCATED : XC_ERR_FORMAT), "%zu bytes: %d, %s", size, (int)s,
		      xc_context_message(c));
		const xc_status k = decode(c, &counting, copy, size, 1, &damaged);
		if (size < data.payload)
			CHECK(k != XC_OK, "%zu bytes were enough to go on", size);
		else
			CHECK(k == XC_OK && (damaged > 0) == (size < data.end - 4),
			      "%zu bytes: %d, %llu segments damaged, %s", size, (int)k,
			      (unsigned long long)damaged, xc_context_message(c));
		CHECK((xc_read_info(c, copy, size, &info) == XC_OK) == (size >= data.payload),
		      "info of %zu bytes: %s", size, xc_context_message(c));
		read_all(c, &counting, copy, size);
	}
	xc_context_free(c);
	CHECK(counting.blocks == 0, "the context is not freed");
}

/* ------------------------------------------------------------ corruption */

/* Both decoders must agree, unless the library's limits forbid the file. */
static int judge(xc_context *c, const uint8_t *file, size_t size)
{
	OWN_DECODED(c, p);
	const xc_status s = xc_decode(c, file, size, NULL, &p);
	const char *objection = refdec_objection(s, &p, file, size, MAX_PIXELS);

	CHECK(!objection, "status %d (%s), but reference: %s", (int)s, xc_context_message(c),
	      objection);
	return s == XC_OK;
}

/* Damaged files one after the other. */
typedef struct damage {
	xc_bytes file;
	uint8_t *room, *bytes; /* bytes: what became of the file, of exactly this size */
	size_t size;
	uint64_t seed;
} damage;

static void next_damage(damage *d, int disguise)
{
	memcpy(d->room, d->file.data, d->file.size);
	d->size = xc_mutate(d->room, d->file.size, d->file.size + 64, &d->seed);
	if (disguise)
		xc_file_fix(d->room, d->size);
	free(d->bytes);
	d->bytes = xc_test_copy(d->room, d->size);
}

static damage begin_damage(int kind, uint64_t seed, xc_file_chunk *data)
{
	damage d = {.file = make_file(kind, data), .seed = seed + (uint64_t)kind};
	d.room = xc_test_malloc(d.file.size + 64);
	return d;
}

static void end_damage(damage *d)
{
	xc_bytes_free(&d->file);
	free(d->room);
	free(d->bytes);
}
#define OWN_DAMAGE __attribute__((cleanup(end_damage))) damage

/* Damage that the checksums must find. */
static void corruptions(int kind)
{
	xc_file_chunk data;
	xc_counting counting;
	uint64_t damaged;
	OWN_DAMAGE d = begin_damage(kind, 100, &data);
	xc_context *c = new_context(&counting);

	for (unsigned i = 0; i < check_repeats(CORRUPTIONS); i++) {
		next_damage(&d, 0);
		if (d.size == d.file.size && !memcmp(d.bytes, d.file.data, d.size))
			continue;
		CHECK(decode(c, &counting, d.bytes, d.size, 0, &damaged) != XC_OK, "damage %u unseen", i);
		/* After the segments a file may seem to end anywhere. */
		const int complete = d.size >= data.end - 4 && !memcmp(d.bytes, d.file.data, data.end - 4);
		if (decode(c, &counting, d.bytes, d.size, 1, &damaged) == XC_OK)
			CHECK(damaged > 0 || complete, "damage %u: nothing damaged", i);
		if (i % 8 == 0)
			read_all(c, &counting, d.bytes, d.size);
	}
	xc_context_free(c);
}

/* Damage under checksums that hold. */
static void disguised_corruptions(int kind)
{
	xc_file_chunk data;
	xc_counting counting;
	uint64_t damaged;
	unsigned accepted = 0;
	OWN_DAMAGE d = begin_damage(kind, 200, &data);
	xc_context *c = new_context(&counting);

	for (unsigned i = 0; i < check_repeats(CORRUPTIONS / 4); i++) {
		next_damage(&d, 1);
		decode(c, &counting, d.bytes, d.size, 1, &damaged);
		accepted += (unsigned)judge(c, d.bytes, d.size);
		read_all(c, &counting, d.bytes, d.size);
	}
	CHECK(accepted > check_repeats(20), "only %u files got through", accepted);
	xc_context_free(c);
}

/* ------------------------------------------------------- out of memory */

static void failing_allocator(int kind)
{
	OWN_MEMORY_JOB j = make_job(kind);

	for (int threads = 1; threads <= 3; threads += 2)
		xc_check_failing_allocator(&j, threads);
}

static void memory_limits(int kind)
{
	OWN_MEMORY_JOB j = make_job(kind);
	xc_check_memory_limits(&j);
}

int main(void)
{
	for (int kind = 0; kind < (int)COUNT(kinds); kind++) {
		alarm(SECONDS);
		RUN_FOR(kinds[kind].name, kind, truncations, corruptions, disguised_corruptions,
		        failing_allocator, memory_limits);
	}
	return check_done();
}
