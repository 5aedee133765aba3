/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Segments: what a file says about itself adds up, and they tile the picture.  A damaged
 * one is named with its place, and going on loses that tile and nothing else.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/support/codec.h"
#include "tests/support/xc_files.h"

static const struct {
	const char *name;
	uint32_t width, height, channels, depth;
	xc_subsampling subsampling;
	xc_transform transform;
	int coding; /* see xc_test_coding() */
} kinds[] = {
	{"4:2:0", 800, 100, 3, 8, XC_SUBSAMPLING_420, XC_TRANSFORM_DCT, 0},
	{"4:2:2 with alpha", 500, 90, 4, 8, XC_SUBSAMPLING_422, XC_TRANSFORM_DCT, 0},
	{"4:4:4, 16 bits", 301, 77, 3, 16, XC_SUBSAMPLING_444, XC_TRANSFORM_DCT, 0},
	{"grey, narrow", 20, 2300, 1, 8, XC_SUBSAMPLING_GREY, XC_TRANSFORM_DCT, 0},
	{"grey, 16 bits", 701, 70, 1, 16, XC_SUBSAMPLING_GREY, XC_TRANSFORM_DCT, 0},
	{"4:2:0, TDLT", 800, 125, 3, 8, XC_SUBSAMPLING_420, XC_TRANSFORM_TDLT, 0},
	{"4:2:2 with alpha, LOT", 500, 90, 4, 8, XC_SUBSAMPLING_422, XC_TRANSFORM_LOT, 0},
	{"4:4:4, 16 bits, TDLT", 301, 77, 3, 16, XC_SUBSAMPLING_444, XC_TRANSFORM_TDLT, 0},
	{"grey, narrow, LOT", 20, 2300, 1, 8, XC_SUBSAMPLING_GREY, XC_TRANSFORM_LOT, 0},
	{"4:2:0 with alpha, built-in codes", 300, 200, 4, 8, XC_SUBSAMPLING_420, XC_TRANSFORM_DCT, 1},
	{"4:2:2 with alpha, 16 bits, built-in codes", 300, 200, 4, 16, XC_SUBSAMPLING_422,
     XC_TRANSFORM_DCT, 1},
	{"4:4:4, built-in codes", 300, 200, 3, 8, XC_SUBSAMPLING_444, XC_TRANSFORM_DCT, 1},
	{"RGBA as grey, built-in codes", 300, 200, 4, 8, XC_SUBSAMPLING_GREY, XC_TRANSFORM_DCT, 1},
	{"4:4:4, own components", 300, 200, 3, 8, XC_SUBSAMPLING_444, XC_TRANSFORM_DCT,
     XC_TEST_COMPONENTS},
	{"4:2:0, rANS", 800, 300, 3, 8, XC_SUBSAMPLING_420, XC_TRANSFORM_DCT, XC_TEST_RANS},
	{"4:4:4, 16 bits, TDLT, rANS, own components", 501, 277, 3, 16, XC_SUBSAMPLING_444,
     XC_TRANSFORM_TDLT, XC_TEST_RANS | XC_TEST_COMPONENTS},
	{"grey, narrow, LOT, rANS", 20, 5000, 1, 8, XC_SUBSAMPLING_GREY, XC_TRANSFORM_LOT,
     XC_TEST_RANS},
};

static xc_context *c;
static uint64_t seed = 9;

typedef struct sample {
	xc_picture in, out; /* out: decoded from the file as it was */
	xc_buffer file;
	xc_info info;
	xc_segment_info *segments;
	uint32_t margin_x, margin_y; /* how far a tile reaches beyond itself */
} sample;

/* 0: it failed, and said so. */
static int make(sample *s, xc_picture picture, const xc_encode_options *o)
{
	*s = (sample){.in = picture};
	/* A sample of chroma for the triangle filter; 4 samples for a lapped transform. */
	s->margin_x = o->subsampling <= XC_SUBSAMPLING_422;
	s->margin_y = o->subsampling == XC_SUBSAMPLING_420;
	if (o->transform != XC_TRANSFORM_DCT) {
		s->margin_x += 4u << s->margin_x;
		s->margin_y += 4u << s->margin_y;
	}
	int good = !xc_test_coded(c, &s->in, o, &s->file) &&
	           !xc_decode(c, s->file.data, s->file.size, NULL, &s->out) &&
	           !xc_read_info(c, s->file.data, s->file.size, &s->info);
	if (good) {
		s->segments = xc_test_malloc((size_t)s->info.segments * sizeof *s->segments);
		good = !xc_read_segments(c, s->file.data, s->file.size, 0, s->info.segments, s->segments);
	}
	CHECK(good, "%s", xc_context_message(c));
	return good;
}

static int make_kind(sample *s, int i)
{
	xc_encode_options o = xc_test_options(80, kinds[i].subsampling, kinds[i].transform,
	                                      XC_HUFFMAN_OPTIMIZED);

	xc_test_coding(&o, kinds[i].coding);
	return make(s,
	            xc_test_picture(kinds[i].width, kinds[i].height, kinds[i].channels, kinds[i].depth,
	                            0, 1),
	            &o);
}

static void discard(sample *s)
{
	xc_picture_free(c, &s->out);
	xc_buffer_free(c, &s->file);
	free(s->segments);
	free(s->in.data);
}
#define OWN_SAMPLE __attribute__((cleanup(discard))) sample

/* ----------------------------------------------------------------- adding up */

static void check_sums(const sample *s)
{
	const xc_info *i = &s->info;

	CHECK(i->file_bytes == s->file.size, "a file of %zu bytes", s->file.size);
	CHECK(i->header_bytes + i->table_bytes + i->index_bytes + i->segment_bytes + i->alpha_bytes +
	              i->metadata_bytes ==
	          i->file_bytes,
	      "the parts do not add up");
	CHECK(!i->alpha_bytes == (s->in.channels % 2 == 1), "%llu bytes of alpha",
	      (unsigned long long)i->alpha_bytes);
	uint64_t area = 0, bytes = 0, alpha = 0;
	for (uint64_t k = 0; k < i->segments; k++) {
		const xc_segment_info *g = &s->segments[k];
		area += (uint64_t)g->width * g->height;
		bytes += g->size;
		CHECK(g->intact == 1 && g->alpha_intact == 1, "segment %u", (unsigned)k);
		alpha += g->alpha_size;
		CHECK(g->x + g->width <= i->width && g->y + g->height <= i->height && g->width &&
		          g->height && g->x % i->tile_width == 0 && g->y % i->tile_height == 0,
		      "segment %u is at %u,%u, %ux%u", (unsigned)k, g->x, g->y, g->width, g->height);
		CHECK(!k || g->offset == g[-1].offset + g[-1].size + g[-1].alpha_size,
		      "segment %u does not follow", (unsigned)k);
	}
	CHECK(area == (uint64_t)i->width * i->height, "the segments do not tile the picture");
	CHECK(alpha == i->alpha_bytes, "%llu bytes of alpha", (unsigned long long)alpha);
	CHECK(bytes < i->segment_bytes && bytes + 18 >= i->segment_bytes,
	      "%llu bytes of segments in a chunk of %llu", (unsigned long long)bytes,
	      (unsigned long long)i->segment_bytes);
}

static void check_bits(const sample *s)
{
	xc_bit_usage u;
	xc_coefficients k;

	REQUIRE_OK(c, xc_read_bit_usage(c, s->file.data, s->file.size, &u));
	REQUIRE_OK(c, xc_decode_coefficients(c, s->file.data, s->file.size, &k));
	uint64_t bits = u.padding_bits, bytes = 0;
	const int rans = s->info.entropy == XC_ENTROPY_RANS;
	CHECK(k.components == s->info.components, "%u components", k.components);
	for (uint32_t p = 0; p < k.components; p++) {
		const xc_plane_coefficients *plane = &k.plane[p];
		const uint64_t blocks = (uint64_t)plane->blocks_wide * plane->blocks_high;
		/* Two positions hold the coded values and their AC prediction. */
		uint64_t nonzero = u.nonzero[p], others = 0;
		for (uint64_t i = 0; i < blocks * 64; i++)
			others += i % 64 && i % 64 != 1 && i % 64 != 8 && plane->data[i];
		CHECK(u.blocks[p] == blocks, "component %u", p);
		CHECK(nonzero >= others && nonzero <= others + 2 * blocks, "component %u", p);
		CHECK(rans || (u.dc_bits[p] >= blocks && u.ac_bits[p] >= blocks), "component %u", p);
		CHECK(u.zero_bits[p] + u.magnitude_bits[p] + u.sign_bits[p] + u.raw_bits[p] ==
		          u.dc_bits[p] + u.ac_bits[p],
		      "classes of component %u", p);
		CHECK(u.sign_bits[p] >= nonzero && u.sign_bits[p] <= nonzero + blocks,
		      "signs of component %u", p);
		bits += u.dc_bits[p] + u.ac_bits[p];
	}
	for (uint64_t i = 0; i < s->info.segments; i++)
		bytes += s->segments[i].size;
	CHECK(bits == 8 * bytes, "%llu bits in %llu bytes", (unsigned long long)bits,
	      (unsigned long long)bytes);
	/* rANS has a state for each of 16 lanes, besides a byte that is not full. */
	CHECK(u.padding_bits < (rans ? 8 + 16 * 32 : 8) * s->info.segments, "%llu bits of padding",
	      (unsigned long long)u.padding_bits);
	CHECK(!rans || u.padding_bits, "no padding");
	xc_coefficients_free(c, &k);
}

static void adding_up(int kind)
{
	OWN_SAMPLE s = {0};

	if (make_kind(&s, kind)) {
		CHECK(s.info.segments > 2, "only %d segments", (int)s.info.segments);
		check_sums(&s);
		check_bits(&s);
	}
}

/* What the header says is what was asked for. */
static void check_options(const sample *s, const xc_encode_options *o)
{
	const xc_info *i = &s->info;
	const int grey = s->in.channels < 3;

	CHECK(i->quality == o->quality && i->entropy == o->entropy, "quality %d, entropy %d",
	      i->quality, (int)i->entropy);
	CHECK(i->subsampling == (grey ? XC_SUBSAMPLING_GREY : o->subsampling), "subsampling %d",
	      (int)i->subsampling);
	CHECK(i->colour == (grey ? XC_COLOUR_YCBCR : o->colour), "colour %d", (int)i->colour);
	CHECK(o->entropy || i->huffman == o->huffman, "huffman %d", (int)i->huffman);
	/* With contexts a class has a code of DC and 1 to 6 of AC. */
	const uint32_t classes = i->components == 1 ? 1 : 2, n = i->huffman_tables;
	if (o->entropy || o->huffman == XC_HUFFMAN_DEFAULT)
		CHECK(!n, "%u tables", n);
	else
		CHECK(n >= 2 * classes && n <= 7 * classes, "%u tables", n);
}

static void files_add_up(int kind)
{
	for (uint32_t channels = 1; channels <= 4; channels++) {
		for (uint32_t depth = 8; depth <= 16; depth += 8) {
			for (int coding = 0; coding < XC_TEST_CODINGS; coding++) {
				OWN_SAMPLE s = {0};
				xc_encode_options o = xc_test_options(kind * 19 + 3, (xc_subsampling)(kind % 4),
				                                      XC_TRANSFORM_DCT, XC_HUFFMAN_OPTIMIZED);
				xc_test_coding(&o, coding);
				if (make(&s,
				         xc_test_picture(50 + 90 * (uint32_t)kind, 231 - 40 * (uint32_t)kind,
				                         channels, depth, 0, 1),
				         &o)) {
					check_sums(&s);
					check_bits(&s);
					check_options(&s, &o);
				}
			}
		}
	}
}

static void ranges_of_segments(void)
{
	static const uint64_t past[][2] = {{0, UINT64_MAX}, {UINT64_MAX, 1}, {UINT64_MAX, 2}};
	OWN_SAMPLE s = {0};
	xc_segment_info two[2];
	const xc_encode_options o = xc_test_options(75, XC_SUBSAMPLING_444, XC_TRANSFORM_DCT,
	                                            XC_HUFFMAN_OPTIMIZED);

	if (make(&s, xc_test_picture(500, 300, 3, 8, 0, 1), &o)) {
		const uint8_t *data = s.file.data;
		const size_t size = s.file.size;
		const uint64_t n = s.info.segments;
		CHECK(n > 4, "%u segments", (unsigned)n);
		for (uint64_t i = 0; i + 1 < n; i++) {
			CHECK_OK(c, xc_read_segments(c, data, size, i, 2, two));
			CHECK(two[0].offset == s.segments[i].offset && two[0].x == s.segments[i].x &&
			          two[1].offset == s.segments[i + 1].offset && two[1].y == s.segments[i + 1].y,
			      "segments %u and the next", (unsigned)i);
		}
		CHECK(!xc_read_segments(c, data, size, n, 0, NULL), "none at the end");
		for (size_t i = 0; i < COUNT(past); i++)
			CHECK(xc_read_segments(c, data, size, past[i][0], past[i][1], two) == XC_ERR_ARGUMENT,
			      "case %zu", i);
		for (uint64_t more = 1; more <= 2; more++)
			CHECK(xc_read_segments(c, data, size, n + 1 - more, more, two) == XC_ERR_ARGUMENT,
			      "past the end");
		CHECK(xc_read_segments(c, data, size, 0, 1, NULL) == XC_ERR_ARGUMENT, "no place");
	}
}

/* -------------------------------------------------------------------- damage */

static int is_intact(const sample *s, uint64_t i)
{
	xc_segment_info info;
	CHECK_OK(c, xc_read_segments(c, s->file.data, s->file.size, i, 1, &info));
	return info.intact;
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
			for (uint32_t i = 0; i < p->channels; i++) {
				const uint32_t v = xc_sample_at(p, x, y, i);
				const uint32_t w = xc_sample_at(&s->out, x, y, i);
				const int alpha = i % 2 && i == p->channels - 1;
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
static void check_message(const sample *s, uint64_t i)
{
	const xc_segment_info *t = &s->segments[i];
	char wanted[128];

	snprintf(wanted, sizeof wanted, "segment %llu is damaged (pixels %u,%u to %u,%u)",
	         (unsigned long long)i, t->x, t->y, t->x + t->width - 1, t->y + t->height - 1);
	CHECK(strstr(xc_context_message(c), wanted), "\"%s\" instead of \"%s\"", xc_context_message(c),
	      wanted);
}

static void one_segment(sample *s, uint64_t i)
{
	xc_picture p = {0};
	xc_coefficients q;
	xc_decode_options go_on = {.keep_going = 1}, stop = {0};
	const uint64_t r = check_random(&seed);
	uint8_t *byte = &s->file.data[s->segments[i].offset + r % s->segments[i].size];
	const uint8_t bit = (uint8_t)(1u << (r >> 32) % 8);

	*byte ^= bit;

	xc_context_set_threads(c, 1 + (int)(i % 3));
	CHECK(xc_decode(c, s->file.data, s->file.size, &stop, &p) == XC_ERR_CORRUPT,
	      "segment %d: not found", (int)i);
	CHECK(!p.data, "a picture in spite of it");
	check_message(s, i);
	const xc_status status = xc_decode(c, s->file.data, s->file.size, &go_on, &p);
	CHECK(status == XC_OK && go_on.damaged_segments == 1, "segment %d: status %d, %d damaged",
	      (int)i, (int)status, (int)go_on.damaged_segments);
	check_message(s, i);
	if (p.data)
		check_pixels(s, &p, &s->segments[i]);
	for (uint64_t k = 0; k < s->info.segments; k++)
		CHECK(is_intact(s, k) == (k != i), "segment %d, intact: %d", (int)k, is_intact(s, k));
	CHECK(xc_decode_coefficients(c, s->file.data, s->file.size, &q) == XC_ERR_CORRUPT,
	      "coefficients in spite of it");
	check_message(s, i);

	xc_picture_free(c, &p);
	*byte ^= bit;
}

static void each_segment(int kind)
{
	OWN_SAMPLE s = {0};
	const uint64_t segments = make_kind(&s, kind) ? s.info.segments : 0;

	for (uint64_t i = 0; i < segments; i++)
		one_segment(&s, i);
}

/* Alpha alone is lost, and is opaque. */
static void check_alpha(const sample *s, const xc_picture *p, const xc_segment_info *t)
{
	uint64_t wrong = 0, opaque = p->depth == 8 ? 255 : 65535;

	for (uint32_t k = 0; k < p->width * p->height * p->channels; k++) {
		const uint32_t i = k % p->channels, x = k / p->channels % p->width;
		const uint32_t y = k / p->channels / p->width;
		const int lost = i == p->channels - 1 && x - t->x < t->width && y - t->y < t->height;
		wrong += xc_sample_at(p, x, y, i) != (lost ? opaque : xc_sample_at(&s->out, x, y, i));
	}
	CHECK(!wrong, "%llu wrong samples", (unsigned long long)wrong);
}

static void one_alpha(sample *s, uint64_t i)
{
	const xc_segment_info *t = &s->segments[i];
	xc_picture p = {0};
	xc_segment_info now;
	xc_decode_options go_on = {.keep_going = 1};
	uint8_t *byte =
		&s->file.data[t->offset + t->size + check_below(&seed, (uint32_t)t->alpha_size)];

	*byte ^= 4;
	CHECK(xc_decode(c, s->file.data, s->file.size, NULL, &p) == XC_ERR_CORRUPT, "not found");
	CHECK(!strncmp(xc_context_message(c), "alpha's", 7), "%s", xc_context_message(c));
	REQUIRE(!xc_decode(c, s->file.data, s->file.size, &go_on, &p) && go_on.damaged_segments == 1,
	        "%s", xc_context_message(c));
	check_message(s, i);
	check_alpha(s, &p, t);
	CHECK_OK(c, xc_read_segments(c, s->file.data, s->file.size, i, 1, &now));
	CHECK(now.intact && !now.alpha_intact, "%d %d", now.intact, now.alpha_intact);
	xc_picture_free(c, &p);
	*byte ^= 4;
}

static void each_alpha(int kind)
{
	OWN_SAMPLE s = {0};
	const uint64_t n = make_kind(&s, kind) && s.in.channels % 2 == 0 ? s.info.segments : 0;

	for (uint64_t i = 0; i < n; i++)
		one_alpha(&s, i);
}

static void several_segments(int kind)
{
	OWN_SAMPLE s = {0};
	xc_picture p = {0};
	xc_decode_options go_on = {.keep_going = 1};

	if (make_kind(&s, kind)) {
		s.file.data[s.segments[s.info.segments - 1].offset] ^= 1;
		s.file.data[s.segments[1].offset] ^= 1;
		for (int threads = 1; threads < 4; threads++) {
			xc_context_set_threads(c, threads);
			CHECK(xc_decode(c, s.file.data, s.file.size, &go_on, &p) == XC_OK &&
			          go_on.damaged_segments == 2,
			      "%d damaged, %s", (int)go_on.damaged_segments, xc_context_message(c));
			CHECK(xc_decode(c, s.file.data, s.file.size, NULL, &p) == XC_ERR_CORRUPT,
			      "nothing found");
			check_message(&s, 1);
			xc_picture_free(c, &p);
		}
	}
}

/* --------------------------------------------- what the check value cannot see */

static xc_status decode(const xc_bytes *f, int keep_going, uint64_t *damaged)
{
	OWN_DECODED(c, p);
	xc_decode_options o = {.keep_going = keep_going};
	const xc_status s = xc_decode(c, f->data, f->size, &o, &p);

	*damaged = o.damaged_segments;
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
	xc_bytes_add_chunk(f, "QNTZ", "\1\x88", 2);
	xc_bytes_add_chunk(f, "HUFF", codes, sizeof codes);
	xc_bytes_add_chunk(f, "INDX", index, sizeof index);
	xc_bytes_add_chunk(f, "DATA", segment, size);
	xc_bytes_add_chunk(f, "DONE", NULL, 0);
	xc_file_fix(f->data, f->size);
}

/* Segments whose check value holds and whose bits are wrong (section 5.11). */
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
	OWN_BYTES f = {0};

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t damaged;
		one_pixel(&f, cases[i].bytes, cases[i].size);
		CHECK(decode(&f, 0, &damaged) == (cases[i].good ? XC_OK : XC_ERR_CORRUPT), "%s",
		      cases[i].what);
		const xc_status s = decode(&f, 1, &damaged);
		if (cases[i].size)
			CHECK(s == XC_OK && damaged == !cases[i].good, "%s: status %d, %d damaged",
			      cases[i].what, (int)s, (int)damaged);
	}
}

/* A segment with a right check value and a wrong CRC is what the CRC of DATA is for. */
static void wrong_data_crc(void)
{
	OWN_BYTES f = {0};
	uint64_t damaged;
	static const uint8_t segment[1] = {0x40};

	one_pixel(&f, segment, 1);
	xc_file_chunk parts[XC_FILE_CHUNKS_MAX];
	const int n = xc_file_chunks(f.data, f.size, parts);
	const xc_file_chunk *data = xc_file_chunk_find(parts, n, "DATA");
	REQUIRE(data && decode(&f, 0, &damaged) == XC_OK, "no file");
	f.data[data->end - 1] ^= 1;
	CHECK(decode(&f, 0, &damaged) == XC_ERR_CORRUPT, "not seen");
	CHECK(decode(&f, 1, &damaged) == XC_OK && damaged, "not gone on, or not told");
}

/* --------------------------------- several pieces: a picture that is larger than one */

/* Decodes all bytes before `end`, as far as they go; returns the damaged segments. */
static uint64_t decode_start(const xc_buffer *file, size_t end, xc_picture *out)
{
	xc_decode_options o = {.keep_going = 1};

	*out = (xc_picture){0};
	CHECK_OK(c, xc_decode(c, file->data, end, &o, out));
	return o.damaged_segments;
}

/* The check value of each segment holds, but not the sum over the second piece: none is intact. */
static void wrong_sum(const xc_buffer *file, const xc_file_chunk *data, uint64_t segments)
{
	xc_coefficients k;
	xc_bit_usage usage;
	OWN_MEMORY xc_segment_info *info = calloc((size_t)segments, sizeof *info);

	file->data[data->end - 1] ^= 1;
	CHECK(xc_decode_coefficients(c, file->data, file->size, &k) == XC_ERR_CORRUPT, "coefficients");
	CHECK(xc_read_bit_usage(c, file->data, file->size, &usage) == XC_ERR_CORRUPT, "bits");
	REQUIRE(!xc_read_segments(c, file->data, file->size, 1, segments - 1, info), "no segments");
	for (uint64_t i = 0; i < segments - 1; i++)
		CHECK(!info[i].intact, "segment %u", (unsigned)i + 1);
	file->data[data->end - 1] ^= 1;
	CHECK(xc_read_bit_usage(c, file->data, file->size, &usage) == XC_OK, "a whole file");
}

/* A picture of two pieces, without the second of which the first is still there. */
static void pieces(void)
{
	xc_file_chunk parts[XC_FILE_CHUNKS_MAX];
	OWN_BUFFER(c, file);
	xc_picture in = xc_test_picture(2900, 3100, 1, 8, 0, 1), out = {0}, cut;
	xc_info info;

	REQUIRE_OK(c, xc_encode(c, &in, NULL, NULL, &file));
	const int n = xc_file_chunks(file.data, file.size, parts);
	REQUIRE(n > 6 && !strcmp(parts[n - 5].type, "INDX") && !strcmp(parts[n - 3].type, "INDX") &&
	            !strcmp(parts[n - 1].type, "DONE"),
	        "no two pieces");
	REQUIRE_OK(c, xc_decode(c, file.data, file.size, NULL, &out));
	REQUIRE_OK(c, xc_read_info(c, file.data, file.size, &info));
	const uint64_t missing = (parts[n - 3].length - 1) / 4;
	const uint32_t rows = (uint32_t)((info.segments - missing) /
	                                 ((2900 + info.tile_width - 1) / info.tile_width)) *
	                      info.tile_height;
	CHECK(rows < 3100 && (uint64_t)rows * 2900 >= 1 << 23, "%u rows in the first piece", rows);
	for (int i = n - 3; i < n - 1; i++) {
		CHECK(decode_start(&file, parts[i].offset + 7, &cut) == missing, "not those segments");
		CHECK(cut.data && !memcmp(cut.data, out.data, (rows - 4) * out.stride), "other pixels");
		xc_picture_free(c, &cut);
		REQUIRE_OK(c, xc_read_info(c, file.data, parts[i].offset + 7, &info));
	}
	wrong_sum(&file, &parts[n - 2], info.segments);
	/* Without the second piece, and whole otherwise. */
	memmove(file.data + parts[n - 3].offset, file.data + parts[n - 1].offset,
	        file.size - parts[n - 1].offset);
	const xc_status s = xc_decode(c, file.data,
	                              file.size - (parts[n - 1].offset - parts[n - 3].offset), NULL,
	                              &out);
	CHECK(s == XC_ERR_CORRUPT, "%s", xc_status_string(s));
	xc_picture_free(c, &out);
	free(in.data);
}

int main(void)
{
	c = xc_test_context();
	for (int kind = 0; kind < (int)COUNT(kinds); kind++)
		RUN_FOR(kinds[kind].name, kind, adding_up, each_segment, each_alpha, several_segments);
	for (int kind = 0; kind < 6; kind++) {
		char name[32];
		snprintf(name, sizeof name, "size %d", kind);
		RUN_FOR(name, kind, files_add_up);
	}
	RUN(ranges_of_segments, impossible_bits, wrong_data_crc, pieces);
	xc_context_free(c);
	return check_done();
}
