/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random arrays (tests/support/arrays.h) to files and back: what was promised holds in every value,
 * however values come, however many threads there are, whatever part is read; and whatever is
 * damaged is found.
 *
 *	check_array [ARRAYS [FIRST]]
 *
 * ARRAYS says how many, and FIRST with which seed they begin. A checksum of all files and values stands
 * at the end; it is the same on every machine.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "src/array/array.h"
#include "src/container/container.h"
#include "src/core/crc32c.h"
#include "tests/support/arrays.h"
#include "tests/support/codec.h"
#include "tests/support/xc_files.h"

enum { MOST = 20000, ATTACHED = 300 };

static uint64_t arrays = 200, first_array = 1;
static uint32_t checksum;

/* Contexts of one thread and of three. */
static xc_context *contexts[2];
static uint64_t seed;
#define SEED "array %llu: "
#define THE_SEED (unsigned long long)seed

/* ---------------------------------------------------------------- writing */

/* The file, and without what is attached. */
typedef struct sink {
	xc_bytes all, plain;
} sink;

static int take(void *user, const void *data, size_t size)
{
	sink *s = user;

	xc_bytes_add(&s->all, data, size);
	xc_bytes_add(&s->plain, data, size);
	return 0;
}

static xc_status attach(xc_array_writer *w, sink *s, uint64_t *random)
{
	uint8_t bytes[ATTACHED];
	const size_t size = check_below(random, ATTACHED);
	const char name[4] = {'a' + (char)(size % 26), 't', 'e', 's'};

	memset(bytes, (int)size, size);
	const xc_status status = xc_array_writer_attach(w, name, bytes, size);
	uint8_t overhead[XC_CHUNK_OVERHEAD];
	xc_writer to = {overhead};
	xc_write_chunk_start(&to, "atta", 4 + (uint64_t)size);
	/* PSNR and SNR: it waits for the values. */
	if (s->plain.size)
		s->plain.size -= (size_t)(to.next - overhead) + 4 + size + 4;
	return status;
}

/* In pieces of any size, by three threads. */
static xc_status write_pieces(const xc_made_array *a, sink *s, int *attached, uint64_t *random)
{
	xc_array_writer *w = NULL;
	xc_status status = xc_array_writer_new(contexts[1], &a->shape, &a->options, take, s, &w);

	for (size_t at = 0, n; at < a->count && !status; at += n) {
		const size_t left = a->count - at;
		n = check_below(random, 3) ? 1 + check_below(random, (uint32_t)left) : left;
		if (!check_below(random, 6) && !(status = attach(w, s, random)))
			(*attached)++;
		if (!status)
			status = xc_array_writer_values(w, (const char *)a->values + at * a->each, n);
	}
	if (!status)
		status = xc_array_writer_end(w);
	xc_array_writer_free(w);
	return status;
}

static void check_attached(xc_array_reader *r, int wanted)
{
	const void *bytes;
	size_t size;
	char name[5];

	for (int n = 0;; n++) {
		REQUIRE(!xc_array_attached(r, name, &bytes, &size), SEED "attached %d", THE_SEED, n);
		if (!name[0]) {
			CHECK(n == wanted, SEED "%d of %d attached", THE_SEED, n, wanted);
			return;
		}
		CHECK(name[0] == 'a' + (char)(size % 26) && !strcmp(name + 1, "tes"), SEED "%s", THE_SEED,
		      name);
		for (size_t i = 0; i < size; i++)
			REQUIRE(((const uint8_t *)bytes)[i] == (uint8_t)size, SEED "attached", THE_SEED);
	}
}

static void check_writer(const xc_made_array *a, const xc_buffer *file, uint64_t *random)
{
	sink s = {0};
	int attached = 0;
	const xc_status status = write_pieces(a, &s, &attached, random);

	const xc_source source = xc_made_source(s.all.data, s.all.size, 0);
	OWN_READER r = NULL;
	CHECK(!status, SEED "%s", THE_SEED, xc_context_message(contexts[1]));
	/* What waited stands after the header. */
	enum { HEAD = XC_MAGIC_BYTES + 4 + 1 + XC_ARRAY_HEAD_BYTES + 4 };
	const size_t more = a->options.kind >= XC_BOUND_PSNR ? s.plain.size - file->size : 0;
	CHECK(s.plain.size == file->size + more && !memcmp(s.plain.data, file->data, HEAD) &&
	          !memcmp(s.plain.data + HEAD + more, file->data + HEAD, file->size - HEAD),
	      SEED "pieces give another file", THE_SEED);
	CHECK_OK(contexts[1], xc_array_reader_new(contexts[1], &source, &r));
	if (r)
		check_attached(r, attached);
	xc_bytes_free(&s.all);
	xc_bytes_free(&s.plain);
}

/* ---------------------------------------------------------------- reading */

/* Any box and scale: values of the whole. */
static void check_box(const xc_made_array *a, xc_array_reader *r, xc_context *c, const char *whole,
                      uint64_t *random)
{
	const int n = a->shape.dimensions;
	const uint32_t scale = 1U << (check_below(random, 2) ? 0 : check_below(random, 7));
	uint64_t size[4] = {1, 1, 1, 1}, step[4] = {1, 1, 1, 1}, stride[4] = {0}, first[4] = {0};
	xc_array_box box = {{0}, {0}};
	size_t count = 1;

	for (int k = n, all = 1; k-- > 0; all *= (int)a->shape.size[k]) {
		const uint32_t whole_size = (uint32_t)a->shape.size[k];
		box.first[k] = check_below(random, whole_size);
		box.size[k] = 1 + check_below(random, whole_size - (uint32_t)box.first[k]);
		first[k] = box.first[k];
		step[k] = n - k < 4 && whole_size > 1 ? scale : 1;
		size[k] = (box.size[k] + step[k] - 1) / step[k];
		stride[k] = (uint64_t)all;
		count *= (size_t)size[k];
	}
	OWN_MEMORY char *const part = xc_test_malloc(count * a->each);
	REQUIRE(!xc_array_read(r, &box, scale, part), SEED "%s", THE_SEED, xc_context_message(c));
	const char *at = part;
	uint64_t i[4];
	for (i[0] = 0; i[0] < size[0]; i[0]++)
		for (i[1] = 0; i[1] < size[1]; i[1]++)
			for (i[2] = 0; i[2] < size[2]; i[2]++)
				for (i[3] = 0; i[3] < size[3]; i[3]++, at += a->each) {
					uint64_t from = 0;
					for (int k = 0; k < 4; k++)
						from += (first[k] + i[k] * step[k]) * stride[k];
					REQUIRE(!memcmp(at, whole + from * a->each, a->each), SEED "box of scale %u",
					        THE_SEED, scale);
				}
}

static void check_info(const xc_made_array *a, const xc_array_info *info, const void *decoded)
{
	xc_array_difference d;

	CHECK(info->shape.type == a->shape.type && info->shape.dimensions == a->shape.dimensions &&
	          !memcmp(info->shape.size, a->shape.size, sizeof a->shape.size) &&
	          info->kind == a->options.kind &&
	          (info->kind == XC_BOUND_LOSSLESS || info->bound == a->options.bound),
	      SEED "another shape or bound", THE_SEED);
	CHECK_OK(contexts[0], xc_array_compare(contexts[0], &a->shape, a->values, decoded,
	                                       a->options.has_fill ? &a->options.fill : NULL, &d));
	if (info->kind == XC_BOUND_POINTWISE)
		CHECK(d.relative <= a->options.bound * (1 + 1e-15) || d.error <= 0, SEED "relative %g",
		      THE_SEED, d.relative);
	else
		CHECK(d.error <= info->error, SEED "%g instead of %g", THE_SEED, d.error, info->error);
	/* It adds up in double. */
	CHECK(!(d.psnr < a->options.bound - 1e-9) || info->kind != XC_BOUND_PSNR, SEED "%g dB",
	      THE_SEED, d.psnr);
}

static void check_reading(const xc_made_array *a, const xc_buffer *file, uint64_t *random)
{
	OWN_MEMORY void *const decoded = xc_test_malloc(a->count * a->each);
	xc_array_info info;

	for (int i = 0; i < 2; i++) {
		const xc_source source = xc_made_source(file->data, file->size,
		                                        (int)check_below(random, 2));
		OWN_READER r = NULL;
		REQUIRE_OK(contexts[i], xc_array_reader_new(contexts[i], &source, &r));
		if (i == 0) {
			REQUIRE_OK(contexts[0], xc_array_read(r, NULL, 1, decoded));
			const ptrdiff_t wrong = xc_made_array_wrong(a, decoded);
			CHECK(wrong == -1, SEED "value %td of type %d, bound %d of %g", THE_SEED, wrong,
			      (int)a->shape.type, (int)a->options.kind, a->options.bound);
			xc_array_reader_info(r, &info);
			check_info(a, &info, decoded);
		}
		check_box(a, r, contexts[i], decoded, random);
	}
	checksum = xc_crc32c(checksum, file->data, file->size);
	for (size_t k = 0; k < a->count; k++) {
		const uint64_t bits = xc_array_bits(a->shape.type, decoded, k);
		checksum = checksum * 31 + (uint32_t)(bits ^ bits >> 32);
	}
}

static void random_arrays(void)
{
	for (seed = first_array; seed < first_array + arrays; seed++) {
		OWN_TEST_ARRAY a;
		OWN_BUFFER(contexts[0], file);
		uint64_t random = seed;
		xc_made_array_make(seed, MOST, &a);
		const xc_status s = xc_array_encode(contexts[0], &a.shape, a.values, &a.options, &file);
		CHECK(!s, SEED "%s", THE_SEED, xc_context_message(contexts[0]));
		if (s)
			continue;
		check_writer(&a, &file, &random);
		check_reading(&a, &file, &random);
	}
	printf("# checksum %08x of arrays %llu to %llu\n", (unsigned)checksum,
	       (unsigned long long)first_array, (unsigned long long)(first_array + arrays - 1));
}

/* ----------------------------------------------------------------- damage */

/* Decodes; 0: it is refused, and else the values are there. */
static int decodes(xc_context *c, const uint8_t *file, size_t size, size_t values, size_t each,
                   void *to)
{
	OWN_MEMORY uint8_t *const exact = xc_test_copy(file, size);
	const xc_source source = xc_made_source(exact, size, 0);
	xc_array_info info;
	OWN_READER r = NULL;
	uint64_t n = 1;

	if (xc_array_reader_new(c, &source, &r))
		return 0;
	xc_array_reader_info(r, &info);
	for (int k = 0; k < info.shape.dimensions; k++)
		n *= info.shape.size[k];
	return n == values && xc_array_type_size(info.shape.type) == each &&
	       !xc_array_read(r, NULL, 1, to);
}

/* Salvages; -1: it is refused, else whether damage was counted. All chunks are looked at. */
static int salvages(xc_context *c, const uint8_t *file, size_t size, size_t values, size_t each,
                    void *to)
{
	OWN_MEMORY uint8_t *const exact = xc_test_copy(file, size);
	const xc_source source = xc_made_source(exact, size, (int)(size & 1));
	const double instead = 7;
	xc_array_segment s;
	xc_array_info info;
	OWN_READER r = NULL;
	uint64_t n = 1, chunks = 0, bad = 0;

	if (xc_array_reader_salvage(c, &source, &instead, &r))
		return -1;
	xc_array_reader_info(r, &info);
	for (int k = 0; k < info.shape.dimensions; k++)
		n *= info.shape.size[k];
	if (n != values || xc_array_type_size(info.shape.type) != each)
		return -1;
	while (!xc_array_next_segment(r, &s) && s.box.size[0]) {
		chunks++;
		bad += !s.intact;
	}
	CHECK(chunks == info.chunks, SEED "%llu chunks", THE_SEED, (unsigned long long)chunks);
	CHECK_OK(c, xc_array_read(r, NULL, 1, to));
	CHECK(bad <= xc_array_reader_damaged(r), SEED "damage is not counted", THE_SEED);
	return xc_array_reader_damaged(r) > 0;
}

/* How many values are neither those of the file as it was nor what stands for damaged ones. */
static size_t others(const xc_made_array *a, const void *good, const void *bad)
{
	size_t n = 0;

	for (size_t i = 0; i < a->count; i++)
		n += xc_array_bits(a->shape.type, good, i) != xc_array_bits(a->shape.type, bad, i) &&
		     xc_array_value(a->shape.type, bad, i) != 7;
	return n;
}

/* Every byte is changed in three ways, and every length tried. Where checksums are put right nothing
 * is promised but an end. */
static void damage(void)
{
	static const uint8_t masks[] = {1, 0x80, 0xff};
	OWN_CONTEXT c = xc_test_context();

	xc_test_limits(c, 1 << 16, 64 << 20, 1 << 16);
	CHECK_OK(c, xc_context_set_threads(c, 1));
	for (seed = 1; seed < 17; seed++) {
		OWN_TEST_ARRAY a;
		OWN_BUFFER(c, file);
		xc_made_array_make(seed * 1001, 300, &a);
		const size_t bytes = a.count * a.each;
		OWN_MEMORY uint8_t *const good = xc_test_malloc(bytes), *const bad = xc_test_malloc(bytes);
		REQUIRE_OK(c, xc_array_encode(c, &a.shape, a.values, &a.options, &file));
		REQUIRE(decodes(c, file.data, file.size, a.count, a.each, good), SEED "whole", THE_SEED);
		for (size_t i = 0; i < file.size; i++) {
			CHECK(!decodes(c, file.data, i, a.count, a.each, bad), SEED "%zu bytes", THE_SEED, i);
			if (salvages(c, file.data, i, a.count, a.each, bad) >= 0)
				CHECK(!others(&a, good, bad), SEED "%zu bytes salvaged", THE_SEED, i);
			for (size_t m = 0; m < COUNT(masks); m++) {
				OWN_MEMORY uint8_t *const copy = xc_test_copy(file.data, file.size);
				copy[i] ^= masks[m];
				CHECK(!decodes(c, copy, file.size, a.count, a.each, bad) ||
				          !memcmp(good, bad, bytes),
				      SEED "byte %zu", THE_SEED, i);
				const int damaged = salvages(c, copy, file.size, a.count, a.each, bad);
				if (damaged >= 0)
					CHECK(damaged ? !others(&a, good, bad) : !memcmp(good, bad, bytes),
					      SEED "byte %zu salvaged", THE_SEED, i);
				xc_file_fix(copy, file.size);
				(void)salvages(c, copy, file.size, a.count, a.each, bad);
				(void)decodes(c, copy, file.size, a.count, a.each, bad);
			}
		}
	}
}

typedef struct failing_file {
	const xc_buffer *file;
	int reads; /* that are done before one fails */
} failing_file;

static ptrdiff_t fail_later(void *user, uint64_t offset, void *to, size_t size)
{
	failing_file *f = user;

	if (!f->reads--)
		return -1;
	memcpy(to, f->file->data + offset, size);
	return (ptrdiff_t)size;
}

/* Reading that fails is no short or damaged file, whichever read it is. */
static void failing_reads(void)
{
	OWN_TEST_ARRAY a;
	OWN_BUFFER(contexts[0], file);
	xc_status s = XC_ERR_IO;

	xc_made_array_make(1001, 300, &a);
	OWN_MEMORY void *const values = xc_test_malloc(a.count * a.each);
	REQUIRE_OK(contexts[0], xc_array_encode(contexts[0], &a.shape, a.values, &a.options, &file));
	for (int reads = 0; s; reads++) {
		failing_file f = {&file, reads}, g = {&file, reads};
		const xc_source source = {.read_at = fail_later, .user = &f, .size = file.size};
		const xc_source other = {.read_at = fail_later, .user = &g, .size = file.size};
		OWN_READER r = NULL;
		OWN_READER salvage = NULL;
		s = xc_array_reader_salvage(contexts[0], &other, NULL, &salvage);
		if (!s)
			s = xc_array_read(salvage, NULL, 1, values);
		CHECK(!s || s == XC_ERR_IO, "%d after %d reads, salvaging: %s", (int)s, reads,
		      xc_context_message(contexts[0]));
		s = xc_array_reader_new(contexts[0], &source, &r);
		if (!s)
			s = xc_array_read(r, NULL, 1, values);
		CHECK(!s || s == XC_ERR_IO, "%d after %d reads: %s", (int)s, reads,
		      xc_context_message(contexts[0]));
	}
}

/* Opening reads the magic number, four heads of chunks, and ARRY, INDX and DONE; no model. */
static void opening(void)
{
	const xc_array_shape shape = {.type = XC_ARRAY_FLOAT32, .dimensions = 2, .size = {40, 50}};
	const xc_array_options options = {.way = XC_ARRAY_DCT};
	xc_context *c = contexts[0];
	uint64_t predicted = 9;
	float values[2000];
	OWN_READER r = NULL;
	OWN_BUFFER(c, file);

	for (int i = 0; i < 2000; i++)
		values[i] = (float)(i % 50) / 7;
	REQUIRE_OK(c, xc_array_encode(c, &shape, values, &options, &file));
	failing_file f = {&file, 8};
	const xc_source source = {.read_at = fail_later, .user = &f, .size = file.size};
	REQUIRE_OK(c, xc_array_reader_new(c, &source, &r));
	CHECK(xc_array_reader_predicted(r, &predicted) == XC_ERR_IO && !predicted, "more are read");
	f.reads = 1;
	CHECK_OK(c, xc_array_reader_predicted(r, &predicted));
	CHECK(predicted == 1, "%llu chunks", (unsigned long long)predicted);
}

/* A critical chunk of a later release is unsupported, also where a file is salvaged, which would give
 * other values. One whose CRC is wrong is damage, and is gone over there; so is another ancillary one. */
static void unknown_chunks(void)
{
	static const char types[][5] = {"WHAT", "what"};
	xc_context *c = contexts[0];
	OWN_TEST_ARRAY a;
	OWN_BUFFER(c, file);

	xc_made_array_make(1001, 300, &a);
	OWN_MEMORY void *const values = xc_test_malloc(a.count * a.each);
	REQUIRE_OK(c, xc_array_encode(c, &a.shape, a.values, &a.options, &file));
	xc_file_chunk parts[XC_FILE_CHUNKS_MAX];
	const int count = xc_file_chunks(file.data, file.size, parts);
	const size_t at = xc_file_chunk_find(parts, count, "INDX")->offset;
	OWN_MEMORY uint8_t *const payload = calloc(1, 40000);
	for (int i = 0; i < 16; i++) {
		const int ancillary = i & 1, damaged = i >> 1 & 1, salvaged = i >> 2 & 1;
		const xc_status expected = damaged && !salvaged   ? XC_ERR_CORRUPT
		                           : ancillary || damaged ? XC_OK
		                                                  : XC_ERR_UNSUPPORTED;
		OWN_BYTES f = {0};
		OWN_READER r = NULL;
		xc_bytes_splice(&f, file.data, file.size, at, at, types[ancillary], payload, 40000, 1);
		f.data[at + 30000] ^= (uint8_t)damaged;
		const xc_source source = xc_made_source(f.data, f.size, i >> 3);
		const xc_status s = salvaged ? xc_array_reader_salvage(c, &source, NULL, &r)
		                             : xc_array_reader_new(c, &source, &r);
		CHECK(s == expected, "%d: %d, not %d: %s", i, (int)s, (int)expected, xc_context_message(c));
		if (!s)
			CHECK(!xc_array_read(r, NULL, 1, values) && !xc_array_reader_damaged(r), "%d", i);
	}
}

/* Chunks cover the longest rows and columns that an array may have. */
static void longest(void)
{
	for (int k = 0; k < 2; k++) {
		xc_array_shape shape = {.type = XC_ARRAY_UINT8, .dimensions = 2, .size = {2, 2}};
		const xc_array_options options = {.chunk = {1, 2, 65536}};
		const xc_array_options turned = {.chunk = {1, 65536, 2}};
		xc_array_header h;
		uint64_t covered = 0;
		shape.size[k] = UINT32_MAX;
		CHECK(!xc_array_header_make(contexts[0], &shape, k ? &options : &turned, &h), "%d", k);
		for (uint64_t slab = 0; slab < h.slabs; slab++) {
			const xc_slab_place p = xc_slab_of(&h, slab);
			const uint64_t chunks = xc_slab_chunks(&p);
			for (uint64_t i = 0; i < chunks; i++) {
				uint32_t first[3], size[3];
				xc_chunk_box(&h, &p, i, first, size);
				covered += (uint64_t)xc_chunk_count(size);
			}
		}
		CHECK(covered == 2 * (uint64_t)UINT32_MAX, "%llu", (unsigned long long)covered);
	}
}

/* Chunks are none of few values where other dimensions are small. */
static void chosen(void)
{
	static const xc_array_shape shapes[] = {{.dimensions = 2, .size = {300000, 1}},
	                                        {.dimensions = 3, .size = {300000, 1, 1}},
	                                        {.dimensions = 3, .size = {75000, 2, 2}},
	                                        {.dimensions = 3, .size = {20, 2, 100000}},
	                                        {.dimensions = 4, .size = {150000, 2, 1, 1}},
	                                        {.dimensions = 4, .size = {1, 300000, 1, 1}},
	                                        {.dimensions = 4, .size = {5, 2000, 200, 1}},
	                                        {.dimensions = 4, .size = {100, 3, 1, 1000}}};

	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		const xc_array_options options = {.effort = 0};
		xc_array_header h;
		CHECK(!xc_array_header_make(contexts[0], &shapes[i], &options, &h), "%zu", i);
		CHECK(xc_chunk_count(h.chunk) >= 1 << 14 && xc_chunk_count(h.chunk) <= 1 << 16,
		      "%zu: %u x %u x %u", i, h.chunk[0], h.chunk[1], h.chunk[2]);
	}
}

/* Options of which nothing is set but a bound: no fill value, and the range is found. */
static void zeroed(void)
{
	const xc_array_shape shape = {.type = XC_ARRAY_FLOAT32, .dimensions = 2, .size = {40, 50}};
	const xc_array_options options = {.kind = XC_BOUND_RELATIVE, .bound = 0.25};
	xc_context *c = contexts[0];
	xc_array_reader *r = NULL;
	xc_array_info info;
	float values[2000];
	OWN_BUFFER(c, file);

	for (int i = 0; i < 2000; i++)
		values[i] = (float)(i % 50 - 20);
	REQUIRE_OK(c, xc_array_encode(c, &shape, values, &options, &file));
	const xc_source source = xc_made_source(file.data, file.size, 0);
	REQUIRE_OK(c, xc_array_reader_new(c, &source, &r));
	xc_array_reader_info(r, &info);
	xc_array_reader_free(r);
	CHECK(info.error == 49 * 0.25, "error %g", info.error);
	CHECK(file.size < 300, "%zu bytes", file.size);

	/* A bound of 0 is none, and what is no bound is refused. */
	const double none[] = {0, -0.0}, wrong[] = {-1, (double)INFINITY, (double)NAN};
	OWN_BUFFER(c, exact);
	OWN_BUFFER(c, refused);
	REQUIRE_OK(c, xc_array_encode(c, &shape, values, NULL, &exact));
	for (int i = 0; i < 4; i++) {
		const xc_array_options o = {.effort = 2,
		                            .kind = (xc_array_bound)(1 + i % 2),
		                            .bound = none[i / 2]};
		xc_buffer_free(c, &file);
		REQUIRE_OK(c, xc_array_encode(c, &shape, values, &o, &file));
		CHECK(file.size == exact.size, "%d: %zu bytes, not %zu", i, file.size, exact.size);
	}
	for (int i = 0; i < 15; i++) {
		const xc_array_options o = {.kind = (xc_array_bound)(1 + i % 5), .bound = wrong[i / 5]};
		CHECK(xc_array_encode(c, &shape, values, &o, &refused) == XC_ERR_ARGUMENT, "%d", i);
	}
}

/* Errors of any scale, beside values of any, are measured. */
static void scales(void)
{
	static const struct {
		double value, other, error, rmse,
			snr; /* of two equal values and two of `other`, which err */
	} cases[] = {{DBL_MAX, 1, 0.5, 0.35355339059327379, 6171.1149},
	             {DBL_MAX, 1e-200, 1e-200, 7.0710678118654757e-201, 10165.0943},
	             {-DBL_MAX, -DBL_MAX, 2e307, 1.4142135623730951e307, 22.0840},
	             {0, 1e-300, 1e-310, 7.0710678118654757e-311, 200},
	             {1, 1e-250, 1e-250, 7.0710678118654757e-251, 5000},
	             {1, -1, 1e300, 7.0710678118654757e299, -5996.9897},
	             {DBL_MAX, -DBL_MAX, DBL_MAX, 1.2711610061536462e308, 3.0103}};
	const xc_array_shape shape = {.type = XC_ARRAY_FLOAT64, .dimensions = 1, .size = {4}};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const double by = cases[i].error, v = cases[i].value, w = cases[i].other;
		const double a[4] = {v, w, v, w}, b[4] = {v, w + by, v, w + by};
		xc_array_difference d;
		REQUIRE_OK(contexts[0], xc_array_compare(contexts[0], &shape, a, b, NULL, &d));
		CHECK(fabs(d.rmse / cases[i].rmse - 1) < 1e-6, "%zu: RMSE %.17g", i, d.rmse);
		CHECK(fabs(d.snr - cases[i].snr) < 0.001, "%zu: SNR %.9g", i, d.snr);
		CHECK(isfinite(d.psnr) || a[0] == a[1], "%zu: PSNR %g", i, d.psnr);
	}
}

/* The bytes of a file of values, whose bound holds. */
static size_t size_of(xc_array_type type, const void *values, size_t count,
                      const xc_array_options *o)
{
	const xc_array_shape shape = {.type = type, .dimensions = 2, .size = {count / 100, 100}};
	OWN_MEMORY void *const decoded = xc_test_malloc(count * xc_array_type_size(type));
	xc_context *c = contexts[0];
	xc_array_difference d;
	OWN_BUFFER(c, file);
	OWN_READER r = NULL;

	CHECK_OK(c, xc_array_encode(c, &shape, values, o, &file));
	const xc_source source = xc_made_source(file.data, file.size, 0);
	CHECK_OK(c, xc_array_reader_new(c, &source, &r));
	CHECK_OK(c, xc_array_read(r, NULL, 1, decoded));
	CHECK_OK(c, xc_array_compare(c, &shape, values, decoded, NULL, &d));
	CHECK(d.error <= o->bound && (o->bound > 0 || !d.different), "%g", d.error);
	return file.size;
}

/* A few values that no mode of the others has cost no more than themselves. */
static void apart(void)
{
	enum { COUNT_OF = 10000 };
	const xc_array_options bounded = {.kind = XC_BOUND_ABSOLUTE, .bound = 1e-3, .effort = 2};
	const xc_array_options lossless = {.effort = 2};
	static float narrow[COUNT_OF];
	static double wide[COUNT_OF], whole[COUNT_OF];
	uint64_t random = 3;

	for (int i = 0; i < COUNT_OF; i++) {
		wide[i] = (double)check_below(&random, 1000) / 500;
		narrow[i] = (float)wide[i];
		whole[i] = i * 7 % 20011 + (double)check_below(&random, 500);
	}
	const size_t f32 = size_of(XC_ARRAY_FLOAT32, narrow, COUNT_OF, &bounded);
	const size_t f64 = size_of(XC_ARRAY_FLOAT64, wide, COUNT_OF, &bounded);
	const size_t w64 = size_of(XC_ARRAY_FLOAT64, whole, COUNT_OF, &lossless);
	CHECK(w64 < COUNT_OF * 2, "%zu", w64);
	for (int i = 5; i < COUNT_OF; i += 500) {
		narrow[i] = i % 1000 == 5 ? 1e20F : -9999;
		wide[i] = 9.97e36;
		whole[i] = i % 1000 == 5 ? -0.0 : 1e15;
	}
	const size_t some[3] = {size_of(XC_ARRAY_FLOAT32, narrow, COUNT_OF, &bounded),
	                        size_of(XC_ARRAY_FLOAT64, wide, COUNT_OF, &bounded),
	                        size_of(XC_ARRAY_FLOAT64, whole, COUNT_OF, &lossless)};
	CHECK(some[0] < f32 + 150 && some[1] < f64 + 150 && some[2] < w64 + 150,
	      "%zu, %zu, %zu bytes; %zu, %zu, %zu without", some[0], some[1], some[2], f32, f64, w64);
	/* Too many different ones to be special. */
	for (int i = 5; i < COUNT_OF; i += 200)
		narrow[i] = (float)(1e10 + 1e5 * i);
	const size_t many = size_of(XC_ARRAY_FLOAT32, narrow, COUNT_OF, &bounded);
	CHECK(many < f32 + 700, "%zu bytes; %zu without", many, f32);
}

/* Doubles that are integers, decimals, multiples of a power of two or float32 take few bytes, those of all bits
 * no more than their noise, and those among them that are not, as -0 and NaN, come back. */
static void doubles(void)
{
	enum { COUNT_OF = 100000 };
	static const size_t most[6] = {3, 3, 3, 5, 6, 6};
	const xc_array_options lossless = {.effort = 1};
	static double values[COUNT_OF];
	uint64_t random = 3;

	for (int form = 0; form < 6; form++) {
		for (int i = 0; i < COUNT_OF; i++) {
			const double v = 5 * (i % 100) - 300 + i / 500 +
			                 (double)check_below(&random, 1 << 16) / (1 << 16);
			values[i] = form == 0   ? floor(v * 1e4) + 1e13
			            : form == 1 ? floor(v * 1000) / 1000
			            : form == 2 ? ldexp(floor(ldexp(v, 12)), -40)
			            : form == 3 ? (double)((float)v + 1e-4F)
			            : form == 4 ? floor(v * 1e6) / 4 - 1e14
			                        : v / 3;
			values[i] = i % 5000 ? values[i] : i % 10000 ? (double)NAN : -0.0;
		}
		values[77] = 1.0 / 3;
		const size_t size = size_of(XC_ARRAY_FLOAT64, values, COUNT_OF, &lossless);
		CHECK(size < most[form] * COUNT_OF, "form %d: %zu bytes", form, size);
	}
}

int main(int argc, char **argv)
{
	const char *set = getenv("XC_ARRAYS");

	arrays = argc > 1 ? strtoull(argv[1], NULL, 10) : set ? strtoull(set, NULL, 10) : arrays;
	first_array = argc > 2 ? strtoull(argv[2], NULL, 10) : first_array;
	for (int i = 0; i < 2; i++) {
		contexts[i] = xc_test_context();
		(void)xc_context_set_threads(contexts[i], i ? 3 : 1);
	}
	RUN(longest);
	RUN(chosen);
	RUN(failing_reads);
	RUN(opening);
	RUN(unknown_chunks);
	RUN(zeroed);
	RUN(scales);
	RUN(apart);
	RUN(doubles);
	RUN(random_arrays);
	if (argc < 3)
		RUN(damage);
	for (int i = 0; i < 2; i++)
		xc_context_free(contexts[i]);
	return check_done();
}
