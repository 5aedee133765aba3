/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decoding in rows, regions and reduced sizes: the pixels of a whole decode, whatever the source,
 * the threads and the way rows are asked for; sources that end or fail; memory.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/support/codec.h"
#include "tests/support/memory_checks.h"

static uint64_t state = 1;

static uint32_t below(uint32_t n)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(state >> 33) % n;
}

static xc_context *context;

/* A file of random shape and coding. */
static xc_buffer random_file(uint32_t max)
{
	static const xc_subsampling subsamplings[] = {XC_SUBSAMPLING_420, XC_SUBSAMPLING_422,
	                                              XC_SUBSAMPLING_444, XC_SUBSAMPLING_GREY};
	const uint32_t channels = 1 + below(4), depth = below(4) ? 8 : 16;
	OWN_PICTURE p = xc_smooth_picture(1 + below(max), 1 + below(max), channels, depth, below(99));
	xc_encode_options o = xc_test_options(30 + (int)below(70), subsamplings[below(3)],
	                                      (xc_transform)below(3), XC_HUFFMAN_OPTIMIZED);
	const xc_metadata m = {.xmp = {"<x/>", 4}};
	xc_buffer file = {0};

	xc_test_coding(&o, (int)below(XC_TEST_CODINGS));
	o.effort = 0;
	CHECK_OK(context, xc_encode(context, &p, &m, &o, &file));
	return file;
}

static xc_picture decode(const xc_buffer *file, const xc_decode_options *options)
{
	xc_picture p = {0};
	xc_decode_options o = options ? *options : (xc_decode_options){0};

	CHECK_OK(context, xc_decode(context, file->data, file->size, &o, &p));
	return p;
}

/* 1: `part` is the rectangle of `whole` that begins at (x, y). */
static int is_part(const xc_picture *whole, uint32_t x, uint32_t y, const xc_picture *part)
{
	const size_t pixel = part->channels * (part->depth / 8);

	for (uint32_t i = 0; i < part->height; i++)
		if (memcmp((const char *)whole->data + (y + i) * whole->stride + x * pixel,
		           (const char *)part->data + i * part->stride, part->width * pixel) != 0)
			return 0;
	return 1;
}

typedef struct bytes_source {
	const xc_buffer *file;
	uint64_t end, fail; /* where the file ends, where reading fails */
	uint64_t at, given;
} bytes_source;

static ptrdiff_t give(bytes_source *s, uint64_t at, void *to, size_t size)
{
	const uint64_t end = s->end < s->fail ? s->end : s->fail;
	const uint64_t left = at < end ? end - at : 0;
	const size_t n = left < size ? (size_t)left : size;

	if (at + size > s->fail)
		return -1;
	memcpy(to, s->file->data + at, n);
	s->given += n;
	return (ptrdiff_t)n;
}

static ptrdiff_t read_next(void *user, void *to, size_t size)
{
	bytes_source *s = user;
	const ptrdiff_t n = give(s, s->at, to, size);

	s->at += n > 0 ? (uint64_t)n : 0;
	return n;
}

static ptrdiff_t read_at(void *user, uint64_t offset, void *to, size_t size)
{
	return give(user, offset, to, size);
}

enum { MEMORY, READ, READ_AT, SOURCES };

static xc_source source_of(int kind, bytes_source *s)
{
	xc_source source = {.size = s->end, .user = s};

	if (kind == MEMORY)
		source.memory = s->file->data;
	if (kind == READ)
		source.read = read_next;
	if (kind == READ_AT)
		source.read_at = read_at;
	return source;
}

/* Takes all rows in some way. */
static xc_status take(xc_decoder *d, xc_picture *p)
{
	const uint32_t way = below(4);
	xc_status s = XC_OK;

	for (uint32_t y = 0; !s && y < p->height;) {
		uint8_t *to = (uint8_t *)p->data + y * p->stride;
		const uint32_t left = p->height - y;
		uint32_t n = way == 0 ? left : way == 1 ? 1 + below(left) : 1 + below(left < 9 ? left : 9);
		if (way == 3 || (way == 2 && !below(3))) {
			const void *rows;
			size_t stride;
			s = xc_decoder_next(d, &rows, &stride, &n);
			for (uint32_t i = 0; !s && i < n; i++)
				memcpy(to + i * p->stride, (const char *)rows + i * stride,
				       p->width * p->channels * (p->depth / 8));
			if (!n && !s)
				return XC_ERR_ARGUMENT;
		} else {
			s = xc_decoder_rows(d, to, p->stride, n);
		}
		y += n;
	}
	return s;
}

/* Opens, takes rows and finishes. */
static xc_status run(const xc_source *source, xc_decode_options *o, xc_picture *p)
{
	OWN_DECODER d = NULL;
	xc_info info;

	*p = (xc_picture){0};
	xc_status s = xc_decoder_new(context, source, o, &d);
	if (s)
		return s;
	xc_decoder_shape(d, p);
	if (xc_picture_allocate(context, p))
		abort();
	s = take(d, p);
	if (!s)
		s = xc_decoder_finish(d);
	xc_decoder_info(d, &info);
	if (!s)
		CHECK(info.metadata.xmp.size == 4 && !memcmp(info.metadata.xmp.data, "<x/>", 4), "XMP");
	o->damaged_segments = xc_decoder_damaged(d);
	return s;
}

static void rows(void)
{
	for (int i = 0; i < 200; i++) {
		OWN_BUFFER_OF(context, file, random_file(i % 4 ? 200 : 500));
		xc_picture whole = decode(&file, NULL), p;
		for (int kind = 0; kind < SOURCES; kind++) {
			bytes_source b = {&file, file.size, UINT64_MAX, 0, 0};
			const xc_source source = source_of(kind, &b);
			xc_decode_options o = {0};
			xc_context_set_threads(context, below(2) ? 1 : 3);
			CHECK_OK(context, run(&source, &o, &p));
			CHECK(xc_sample_equal(&whole, &p), "%ux%u of %u bits, source %d", whole.width,
			      whole.height, whole.depth, kind);
			xc_picture_free(context, &p);
		}
		xc_picture_free(context, &whole);
	}
}

static uint32_t reduced(uint32_t n, uint32_t scale)
{
	return (n + scale - 1) / scale;
}

static void check_region(const xc_buffer *file, const xc_picture *whole, uint32_t width,
                         uint32_t height, uint32_t scale, int kind)
{
	xc_decode_options o = {.scale = scale};

	o.region.x = below(width);
	o.region.y = below(height);
	o.region.width = 1 + below(width - o.region.x);
	o.region.height = 1 + below(height - o.region.y);
	bytes_source b = {file, file->size, UINT64_MAX, 0, 0};
	const xc_source source = source_of(kind, &b);
	const xc_rectangle r = o.region;
	xc_picture p;
	CHECK_OK(context, run(&source, &o, &p));
	CHECK(p.width == reduced(r.x + r.width, scale) - r.x / scale &&
	          p.height == reduced(r.y + r.height, scale) - r.y / scale,
	      "%ux%u", p.width, p.height);
	CHECK(is_part(whole, r.x / scale, r.y / scale, &p),
	      "region %ux%u at %u,%u of %ux%u, 1/%u, source %d", r.width, r.height, r.x, r.y, width,
	      height, scale, kind);
	xc_picture_free(context, &p);
	p = decode(file, &o);
	CHECK(is_part(whole, r.x / scale, r.y / scale, &p), "region by xc_decode");
	xc_picture_free(context, &p);
}

static void regions(void)
{
	for (int i = 0; i < 150; i++) {
		OWN_BUFFER_OF(context, file, random_file(i % 4 ? 300 : 500));
		OWN_DECODED_OF(context, whole, decode(&file, NULL));
		for (uint32_t scale = 1; scale <= 8; scale *= 2) {
			const xc_decode_options o = {.scale = scale};
			OWN_DECODED_OF(context, small, decode(&file, &o));
			CHECK(small.width == reduced(whole.width, scale) &&
			          small.height == reduced(whole.height, scale),
			      "%ux%u", small.width, small.height);
			xc_context_set_threads(context, below(2) ? 1 : 3);
			for (int kind = 0; kind < SOURCES; kind++)
				check_region(&file, &small, whole.width, whole.height, scale, kind);
		}
	}
}

/* The mean of the pixels that a reduced one stands for; -1: one of them may have been held to the
 * range. */
static double mean(const xc_picture *p, uint32_t x, uint32_t y, uint32_t channel, uint32_t scale)
{
	const uint32_t peak = p->depth == 8 ? 255 : 65535;
	const int alpha = channel == 3;
	double sum = 0;

	for (uint32_t j = 0; j < scale; j++)
		for (uint32_t i = 0; i < scale; i++) {
			const uint32_t v = xc_sample_at(p, x * scale + i, y * scale + j, channel);
			if (!alpha && (v == 0 || v == peak))
				return -1;
			sum += v;
		}
	return sum / (scale * scale);
}

/* With full chroma a reduced pixel is the mean of the whole picture's, but for their rounding. */
static void means(void)
{
	for (int i = 0; i < 36; i++) {
		const xc_transform transform = (xc_transform)(i % 3);
		const uint32_t depth = i / 3 % 2 ? 16 : 8, scale = 2u << i / 6 % 3;
		const uint32_t channels = i % 2 ? 3 : 4;
		OWN_PICTURE p = xc_smooth_picture(100 + below(60), 90 + below(60), channels, depth, 7);
		xc_encode_options o = xc_test_options(70, XC_SUBSAMPLING_444, transform,
		                                      XC_HUFFMAN_DEFAULT);
		OWN_BUFFER(context, file);
		xc_test_coding(&o, (int)below(XC_TEST_CODINGS));
		REQUIRE_OK(context, xc_encode(context, &p, NULL, &o, &file));
		const xc_decode_options half = {.scale = scale};
		OWN_DECODED_OF(context, whole, decode(&file, NULL));
		OWN_DECODED_OF(context, small, decode(&file, &half));
		uint32_t wrong = 0;
		for (uint32_t y = 0; y < p.height / scale; y++)
			for (uint32_t x = 0; x < p.width / scale * channels; x++) {
				const double m = mean(&whole, x / channels, y, x % channels, scale);
				const double d = m - xc_sample_at(&small, x / channels, y, x % channels);
				wrong += m >= 0 && (d > 1.01 || d < -1.01);
			}
		CHECK(!wrong, "transform %d, %u bits, 1/%u: %u samples", (int)transform, depth, scale,
		      wrong);
	}
}

/* ---------------------------------------------------------- ends and damage */

/* A file that is cut off or damaged: a decoder fails where xc_decode() does and
 * makes what it makes. */
static void check_damage(const xc_buffer *file, int kind)
{
	for (int keep_going = 0; keep_going < 2; keep_going++) {
		bytes_source b = {file, file->size, UINT64_MAX, 0, 0};
		const xc_source source = source_of(kind, &b);
		xc_decode_options o = {.keep_going = keep_going}, q = o;
		xc_picture whole = {0}, p;
		const xc_status s = xc_decode(context, file->data, file->size, &o, &whole);
		const xc_status t = run(&source, &q, &p);
		CHECK(!s == !t, "status %d, not %d: %s", (int)t, (int)s, xc_context_message(context));
		if (!s && !t) {
			CHECK(xc_sample_equal(&whole, &p), "pixels");
			CHECK(o.damaged_segments == q.damaged_segments, "%llu damaged, not %llu",
			      (unsigned long long)q.damaged_segments, (unsigned long long)o.damaged_segments);
		}
		xc_picture_free(context, &whole);
		xc_picture_free(context, &p);
	}
}

static void damage(void)
{
	for (int i = 0; i < 150; i++) {
		OWN_BUFFER_OF(context, file, random_file(400));
		xc_buffer cut = file;
		const int kind = i % SOURCES;
		xc_context_set_threads(context, below(2) ? 1 : 3);
		for (int j = 0; j < 6; j++) {
			cut.size = 1 + below((uint32_t)file.size);
			check_damage(&cut, kind);
		}
		for (int j = 0; j < 4; j++) {
			const uint32_t at = below((uint32_t)file.size);
			file.data[at] ^= (uint8_t)(1 << below(8));
			check_damage(&file, kind);
		}
	}
}

static void failing_source(void)
{
	OWN_BUFFER_OF(context, file, random_file(200));

	for (uint64_t fail = 0; fail < file.size; fail += 1 + below(40)) {
		bytes_source b = {&file, file.size, fail, 0, 0};
		const xc_source source = source_of(READ + (int)below(2), &b);
		xc_decode_options o = {.keep_going = (int)below(2)};
		xc_picture p;
		const xc_status s = run(&source, &o, &p);
		CHECK(s == XC_ERR_IO, "status %d where reading fails at %llu", (int)s,
		      (unsigned long long)fail);
		xc_picture_free(context, &p);
	}
}

static void extra_bytes(void)
{
	OWN_BUFFER_OF(context, file, random_file(60));
	xc_buffer more = {malloc(file.size + 5), file.size + 5};
	xc_info info;

	if (!more.data)
		abort();
	memcpy(more.data, file.data, file.size);
	memset(more.data + file.size, 'x', 5);
	CHECK_OK(context, xc_read_info(context, more.data, more.size, &info));
	CHECK(info.extra_bytes == 5, "%llu bytes", (unsigned long long)info.extra_bytes);
	for (int kind = 0; kind < SOURCES; kind++) {
		bytes_source b = {&more, more.size, UINT64_MAX, 0, 0};
		const xc_source source = source_of(kind, &b);
		xc_decode_options o = {0}, go_on = {.keep_going = 1};
		xc_picture p;
		CHECK(run(&source, &o, &p) == XC_ERR_CORRUPT, "bytes after the end are accepted");
		xc_picture_free(context, &p);
		b.at = 0;
		CHECK_OK(context, run(&source, &go_on, &p));
		CHECK(strstr(xc_context_message(context), "5 bytes too many"), "%s",
		      xc_context_message(context));
		xc_picture_free(context, &p);
	}
	free(more.data);
}

/* A file of several pieces. */
static xc_buffer tall_file(uint32_t width, uint32_t height, xc_transform transform)
{
	OWN_PICTURE p = xc_smooth_picture(width, height, 1, 8, 3);
	xc_encode_options o = xc_test_options(40, XC_SUBSAMPLING_GREY, transform, XC_HUFFMAN_DEFAULT);
	const xc_metadata m = {.xmp = {"<x/>", 4}};
	xc_buffer file = {0};

	CHECK_OK(context, xc_encode(context, &p, &m, &o, &file));
	return file;
}

static uint64_t peak_of(const xc_buffer *file, const xc_decode_options *o, uint64_t *read)
{
	xc_counting counting;

	xc_counting_init(&counting, 0);
	xc_context *c = xc_counting_context(&counting, 1);
	bytes_source b = {file, file->size, UINT64_MAX, 0, 0};
	const xc_source source = source_of(READ_AT, &b);
	xc_decoder *d;
	const void *some;
	size_t stride;
	uint32_t count = 1;
	CHECK_OK(c, xc_decoder_new(c, &source, o, &d));
	while (d && count && !xc_decoder_next(d, &some, &stride, &count))
		;
	xc_decoder_free(d);
	xc_context_free(c);
	*read = b.given;
	return counting.peak;
}

static void memory(void)
{
	for (int transform = 0; transform < 3; transform++) {
		const xc_decode_options all = {0}, some = {.region = {100, 10000, 256, 256}};
		OWN_BUFFER_OF(context, low, tall_file(512, 6000, (xc_transform)transform));
		OWN_BUFFER_OF(context, high, tall_file(512, 24000, (xc_transform)transform));
		uint64_t read;
		const uint64_t a = peak_of(&low, &all, &read), b = peak_of(&high, &all, &read);
		CHECK(b < a + a / 50, "%llu bytes for 4 times the height, not %llu", (unsigned long long)b,
		      (unsigned long long)a);
		CHECK(b < 4 << 20, "%llu bytes", (unsigned long long)b);
		peak_of(&high, &some, &read);
		CHECK(read < high.size / 20, "%llu of %llu bytes read", (unsigned long long)read,
		      (unsigned long long)high.size);
		for (int kind = 0; kind < SOURCES; kind++) {
			bytes_source bytes = {&high, high.size, UINT64_MAX, 0, 0};
			const xc_source source = source_of(kind, &bytes);
			xc_picture whole = decode(&high, NULL), p;
			xc_decode_options o = {0};
			CHECK_OK(context, run(&source, &o, &p));
			CHECK(xc_sample_equal(&whole, &p), "several pieces, source %d", kind);
			xc_picture_free(context, &p);
			xc_picture_free(context, &whole);
		}
	}
}

static void failing_allocator(void)
{
	OWN_PICTURE p = xc_smooth_picture(90, 70, 4, 8, 1);
	OWN_BUFFER(context, file);

	REQUIRE_OK(context, xc_encode(context, &p, NULL, NULL, &file));
	for (int i = 0; i < 4; i++) {
		const xc_decode_options o = {.scale = i % 2 ? 4 : 1};
		xc_status s = XC_ERR_MEMORY;
		for (uint64_t n = 2; s; n++) {
			xc_counting counting;
			xc_counting_init(&counting, 0);
			xc_context *c = xc_counting_context(&counting, 1);
			counting.fail_at = counting.calls + n - 1;
			bytes_source b = {&file, file.size, UINT64_MAX, 0, 0};
			const xc_source source = source_of(i / 2 ? READ : MEMORY, &b);
			xc_decoder *d;
			const void *rows;
			size_t stride;
			uint32_t count = 1;
			s = xc_decoder_new(c, &source, &o, &d);
			while (!s && count)
				s = xc_decoder_next(d, &rows, &stride, &count);
			CHECK(!s || s == XC_ERR_MEMORY, "status %d: %s", (int)s, xc_context_message(c));
			xc_decoder_free(d);
			xc_context_free(c);
			CHECK(!counting.blocks, "%u blocks left", (unsigned)counting.blocks);
		}
	}
}

static void header(void)
{
	OWN_BUFFER_OF(context, file, random_file(99));
	xc_info info, all;

	REQUIRE_OK(context, xc_read_info(context, file.data, file.size, &all));
	REQUIRE_OK(context, xc_read_header(context, file.data, XC_HEADER_BYTES, &info));
	CHECK(info.width == all.width && info.height == all.height && info.channels == all.channels &&
	          info.depth == all.depth && info.transform == all.transform &&
	          info.segments == all.segments,
	      "%ux%u", info.width, info.height);
	for (size_t n = 0; n < XC_HEADER_BYTES; n++) {
		const xc_status s = xc_read_header(context, file.data, n, &info);
		CHECK((n >= 35) == !s && (s || info.width == all.width), "%zu bytes: status %d", n, (int)s);
	}
}

static void arguments(void)
{
	OWN_BUFFER_OF(context, file, random_file(99));
	bytes_source b = {&file, file.size, UINT64_MAX, 0, 0};
	const xc_source source = source_of(MEMORY, &b), none = {0};
	OWN_DECODER d = (xc_decoder *)context; /* a failure makes it NULL */
	uint8_t row[99 * 8];
	const xc_decode_options odd = {.scale = 3}, outside = {.region = {5, 0, 99, 1}},
							flat = {.region = {0, 0, 1, 0}};

	CHECK(xc_decoder_new(context, &none, NULL, &d) == XC_ERR_ARGUMENT && !d, "no file");
	CHECK(xc_decoder_new(context, &source, &odd, &d) == XC_ERR_ARGUMENT && !d, "1/3");
	CHECK(xc_decoder_new(context, &source, &outside, &d) == XC_ERR_ARGUMENT && !d, "outside");
	CHECK(xc_decoder_new(context, &source, &flat, &d) == XC_ERR_ARGUMENT && !d, "no rows");
	REQUIRE_OK(context, xc_decoder_new(context, &source, NULL, &d));
	CHECK(xc_decoder_rows(d, row, sizeof row, 100) == XC_ERR_ARGUMENT, "too many rows");
	CHECK(xc_decoder_rows(d, row, 0, 1) == XC_ERR_ARGUMENT, "no stride");
	CHECK_OK(context, xc_decoder_rows(d, row, sizeof row, 1));
	xc_decoder_free(NULL);
}

int main(void)
{
	context = xc_test_context();
	RUN(rows, regions, means, damage, failing_source, extra_bytes, memory, failing_allocator,
	    header, arguments);
	xc_context_free(context);
	return check_done();
}
