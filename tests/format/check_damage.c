/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A damaged segment: it is named with its place, and going on loses that tile and
 * nothing else.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"
#include "tests/support/xc_files.h"

static const struct {
	const char *name;
	uint32_t width, height, channels, depth;
	xc_subsampling subsampling;
	xc_transform transform;
} kinds[] = {
	{"4:2:0", 800, 100, 3, 8, XC_SUBSAMPLING_420, XC_TRANSFORM_DCT},
	{"4:2:2 with alpha", 500, 90, 4, 8, XC_SUBSAMPLING_422, XC_TRANSFORM_DCT},
	{"4:4:4, 16 bits", 301, 77, 3, 16, XC_SUBSAMPLING_444, XC_TRANSFORM_DCT},
	{"grey, narrow", 20, 2300, 1, 8, XC_SUBSAMPLING_GREY, XC_TRANSFORM_DCT},
	{"grey, 16 bits", 701, 70, 1, 16, XC_SUBSAMPLING_GREY, XC_TRANSFORM_DCT},
	{"4:2:0, TDLT", 800, 125, 3, 8, XC_SUBSAMPLING_420, XC_TRANSFORM_TDLT},
	{"4:2:2 with alpha, LOT", 500, 90, 4, 8, XC_SUBSAMPLING_422, XC_TRANSFORM_LOT},
	{"4:4:4, 16 bits, TDLT", 301, 77, 3, 16, XC_SUBSAMPLING_444, XC_TRANSFORM_TDLT},
	{"grey, narrow, LOT", 20, 2300, 1, 8, XC_SUBSAMPLING_GREY, XC_TRANSFORM_LOT},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

typedef struct sample {
	xc_context *context;
	xc_buffer file;
	xc_picture whole; /* decoded from the file as it was */
	xc_info info;
	uint32_t margin_x, margin_y; /* how far a tile reaches beyond itself */
} sample;

static int make(sample *s, int kind)
{
	xc_encode_options o;
	*s = (sample){.context = xc_context_new(NULL)};
	xc_picture p = xc_smooth_picture(kinds[kind].width, kinds[kind].height, kinds[kind].channels,
	                                 kinds[kind].depth, 4);
	xc_encode_options_default(&o);
	o.subsampling = kinds[kind].subsampling;
	o.transform = kinds[kind].transform;
	const int good = s->context && !xc_encode(s->context, &p, NULL, &o, &s->file) &&
	                 !xc_decode(s->context, s->file.data, s->file.size, NULL, &s->whole) &&
	                 !xc_read_info(s->context, s->file.data, s->file.size, &s->info);
	/* A sample of chroma for the triangle filter; 4 samples for a lapped transform. */
	s->margin_x = o.subsampling <= XC_SUBSAMPLING_422;
	s->margin_y = o.subsampling == XC_SUBSAMPLING_420;
	if (o.transform != XC_TRANSFORM_DCT) {
		s->margin_x += 4u << s->margin_x;
		s->margin_y += 4u << s->margin_y;
	}
	free(p.data);
	return good;
}

static void drop(sample *s)
{
	xc_picture_free(s->context, &s->whole);
	xc_buffer_free(s->context, &s->file);
	xc_context_free(s->context);
}

static xc_segment_info place(sample *s, uint64_t i)
{
	xc_segment_info info;
	CHECK(!xc_read_segments(s->context, s->file.data, s->file.size, i, 1, &info), "segment %d: %s",
	      (int)i, xc_context_message(s->context));
	return info;
}

/* 1 inside the tile; -1 outside and out of its reach; 0 in between. */
static int side(const sample *s, const xc_segment_info *t, uint32_t x, uint32_t y)
{
	const uint32_t mx = s->margin_x, my = s->margin_y;
	if (x >= t->x + mx && x + mx < t->x + t->width && y >= t->y + my && y + my < t->y + t->height)
		return 1;
	if (x + mx >= t->x && x < t->x + t->width + mx && y + my >= t->y && y < t->y + t->height + my)
		return 0;
	return -1;
}

/* The tile is mid-grey with its own alpha, the rest as before. */
static void check_pixels(const sample *s, const xc_picture *p, const xc_segment_info *t)
{
	const uint32_t middle = p->depth == 8 ? 128 : 32768;
	uint64_t inside = 0, outside = 0, touched = 0;
	for (uint32_t y = 0; y < p->height; y++) {
		for (uint32_t x = 0; x < p->width; x++) {
			const int where = side(s, t, x, y);
			for (uint32_t c = 0; c < p->channels; c++) {
				const uint32_t v = xc_sample_at(p, x, y, c);
				const uint32_t w = xc_sample_at(&s->whole, x, y, c);
				const int alpha = c == 3;
				inside += where == 1 && !alpha && v != middle;
				outside += (where == -1 || alpha) && v != w;
				touched += where == 1 && !alpha && v != w;
			}
		}
	}
	CHECK(!inside, "%llu samples of the tile are not grey", (unsigned long long)inside);
	CHECK(!outside, "%llu samples elsewhere changed", (unsigned long long)outside);
	CHECK(touched, "nothing was there to damage");
}

/* What the message must contain about a segment. */
static void check_message(const sample *s, const xc_segment_info *t, uint64_t i)
{
	char wanted[128];
	snprintf(wanted, sizeof wanted, "segment %llu is damaged (pixels %u,%u to %u,%u)",
	         (unsigned long long)i, t->x, t->y, t->x + t->width - 1, t->y + t->height - 1);
	CHECK(strstr(xc_context_message(s->context), wanted), "\"%s\" instead of \"%s\"",
	      xc_context_message(s->context), wanted);
}

static void one_segment(sample *s, uint64_t i)
{
	xc_picture p = {0};
	xc_decode_options go_on = {.keep_going = 1}, stop = {0};
	const xc_segment_info t = place(s, i);
	CHECK(t.intact, "segment %d is damaged from the start", (int)i);
	s->file.data[t.offset + t.size / 2] ^= 0x10;

	xc_context_set_threads(s->context, 1 + (int)(i % 3));
	CHECK(xc_decode(s->context, s->file.data, s->file.size, &stop, &p) == XC_ERR_CORRUPT,
	      "segment %d: not found", (int)i);
	CHECK(!p.data, "a picture in spite of it");
	check_message(s, &t, i);
	const xc_status status = xc_decode(s->context, s->file.data, s->file.size, &go_on, &p);
	CHECK(status == XC_OK && go_on.damaged_segments == 1, "segment %d: status %d, %d damaged",
	      (int)i, (int)status, (int)go_on.damaged_segments);
	check_message(s, &t, i);
	if (p.data)
		check_pixels(s, &p, &t);
	for (uint64_t k = 0; k < s->info.segments; k++)
		CHECK(place(s, k).intact == (k != i), "segment %d, intact: %d", (int)k, place(s, k).intact);
	xc_coefficients q;
	CHECK(xc_decode_coefficients(s->context, s->file.data, s->file.size, &q) == XC_ERR_CORRUPT,
	      "coefficients in spite of it");
	check_message(s, &t, i);

	xc_picture_free(s->context, &p);
	s->file.data[t.offset + t.size / 2] ^= 0x10;
}

static void each_segment(int kind)
{
	sample s;
	REQUIRE(make(&s, kind), "no sample");
	CHECK(s.info.segments > 2, "only %d segments", (int)s.info.segments);
	for (uint64_t i = 0; i < s.info.segments; i++)
		one_segment(&s, i);
	drop(&s);
}

static void several_segments(int kind)
{
	sample s;
	xc_picture p = {0};
	xc_decode_options go_on = {.keep_going = 1};
	REQUIRE(make(&s, kind), "no sample");
	const uint64_t last = s.info.segments - 1;
	s.file.data[place(&s, last).offset] ^= 1;
	s.file.data[place(&s, 1).offset] ^= 1;
	for (int threads = 1; threads < 4; threads++) {
		xc_context_set_threads(s.context, threads);
		CHECK(xc_decode(s.context, s.file.data, s.file.size, &go_on, &p) == XC_OK &&
		          go_on.damaged_segments == 2,
		      "%d damaged, %s", (int)go_on.damaged_segments, xc_context_message(s.context));
		const xc_segment_info t = place(&s, 1);
		CHECK(xc_decode(s.context, s.file.data, s.file.size, NULL, &p) == XC_ERR_CORRUPT,
		      "nothing found");
		check_message(&s, &t, 1);
		xc_picture_free(s.context, &p);
	}
	drop(&s);
}

/* A tile's rectangles cover the picture once. */
static void places(int kind)
{
	sample s;
	REQUIRE(make(&s, kind), "no sample");
	uint64_t pixels = 0, bytes = 0, end = 0;
	for (uint64_t i = 0; i < s.info.segments; i++) {
		const xc_segment_info t = place(&s, i);
		pixels += (uint64_t)t.width * t.height;
		bytes += t.size;
		CHECK(!i || t.offset == end, "a gap before segment %d", (int)i);
		CHECK(t.width && t.height && t.x + t.width <= s.info.width &&
		          t.y + t.height <= s.info.height,
		      "segment %d lies outside", (int)i);
		end = t.offset + t.size;
	}
	CHECK(pixels == (uint64_t)s.info.width * s.info.height, "%llu pixels",
	      (unsigned long long)pixels);
	CHECK(bytes < s.info.segment_bytes && bytes + 32 > s.info.segment_bytes, "%llu bytes",
	      (unsigned long long)bytes);
	drop(&s);
}

/* --------------------------------------------- what the check value cannot see */

static xc_status decode(xc_bytes *f, int keep_going, uint64_t *damaged)
{
	xc_context *c = xc_context_new(NULL);
	xc_picture p = {0};
	xc_decode_options o = {.keep_going = keep_going};
	const xc_status s = xc_decode(c, f->data, f->size, &o, &p);
	*damaged = o.damaged_segments;
	xc_picture_free(c, &p);
	xc_context_free(c);
	return s;
}

/* The file of appendix A of doc/format.md, with other segment bytes. */
static void one_pixel(xc_bytes *f, const uint8_t *segment, uint32_t size)
{
	static const uint8_t head[18] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 8, 3, 0, 1, 75, 1, 0, 1, 0};
	/* DC: sizes 0 and 7.  AC: 0x00 and 0x01 with 2 bits, 0xf0 with 1. */
	static const uint8_t codes[] = {0x10, 0x51, 0x0f, 0x07, 0x22, 0x0f, 0x0f, 0x0f,
	                                0x0f, 0x0f, 0x0f, 0x0f, 0x0f, 0x0f, 0x0f, 0x0f,
	                                0x0f, 0x0f, 0x0f, 0x0d, 0x10, 0xe0};
	const uint8_t index[5] = {2, (uint8_t)size, (uint8_t)(size >> 8), 0, 0};
	f->size = 0;
	xc_bytes_add_magic(f);
	xc_bytes_add_chunk(f, "HEAD", head, sizeof head);
	xc_bytes_add_chunk(f, "QNTZ", "\1", 1);
	xc_bytes_add_chunk(f, "HUFF", codes, sizeof codes);
	xc_bytes_add_chunk(f, "INDX", index, sizeof index);
	xc_bytes_add_chunk(f, "DATA", segment, size);
	xc_bytes_add_chunk(f, "DONE", NULL, 0);
	xc_file_fix(f->data, f->size);
}

/* Segments whose check value holds and whose bits are wrong (section 5.10). */
static void impossible_bits(void)
{
	static const struct {
		const char *what;
		uint8_t bytes[3];
		uint32_t size;
		int good;
	} cases[] = {
		{"1 1001000 10: DC 72", {0xc8, 0x80}, 2, 1},
		{"0 10: DC 0", {0x40}, 1, 1},
		{"padding of 1", {0x41}, 1, 0},
		{"a byte too many", {0x40, 0x00}, 2, 0},
		{"no bits", {0}, 0, 0},
		{"the end is missing", {0xc8}, 1, 0},
		{"0 0 0 0 11 1 10: three times 16 zeros, a coefficient", {0x0f, 0x00}, 2, 1},
		{"0 0 0 0 11 1 0: a run beyond the block", {0x0e}, 1, 1},
		{"0 0 0 0 11 1, then nothing", {0x0f}, 1, 0},
	};
	xc_bytes f = {0};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint64_t damaged;
		one_pixel(&f, cases[i].bytes, cases[i].size);
		CHECK(decode(&f, 0, &damaged) == (cases[i].good ? XC_OK : XC_ERR_CORRUPT), "%s",
		      cases[i].what);
		const xc_status s = decode(&f, 1, &damaged);
		if (cases[i].size)
			CHECK(s == XC_OK && damaged == !cases[i].good, "%s: status %d, %d damaged",
			      cases[i].what, (int)s, (int)damaged);
	}
	xc_bytes_free(&f);
}

/* A segment with a right check value and a wrong CRC is what the CRC of DATA is for. */
static void wrong_data_crc(void)
{
	xc_bytes f = {0};
	uint64_t damaged;
	static const uint8_t segment[1] = {0x40};
	one_pixel(&f, segment, 1);
	xc_part parts[XC_MOST_PARTS];
	const int n = xc_parts(f.data, f.size, parts);
	const xc_part *data = xc_part_find(parts, n, "DATA");
	REQUIRE(data && decode(&f, 0, &damaged) == XC_OK, "no file");
	f.data[data->end - 1] ^= 1;
	CHECK(decode(&f, 0, &damaged) == XC_ERR_CORRUPT, "not seen");
	CHECK(decode(&f, 1, &damaged) == XC_OK && damaged, "not gone on, or not told");
	xc_bytes_free(&f);
}

int main(void)
{
	static const struct {
		const char *name;
		void (*run)(int kind);
	} cases[] = {
		{"places", places},
		{"each segment", each_segment},
		{"several segments", several_segments},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		for (int kind = 0; kind < KINDS; kind++) {
			check_begin("%s: %s", cases[i].name, kinds[kind].name);
			cases[i].run(kind);
			check_end();
		}
	}
	RUN(impossible_bits);
	RUN(wrong_data_crc);
	return check_done();
}
