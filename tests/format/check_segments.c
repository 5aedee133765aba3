/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a file says about itself adds up; segments tile the picture; a damaged one is
 * found, named, and harms nothing else; a file cut off anywhere is refused.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"
#include "tests/support/test_pictures.h"

static xc_context *c;

typedef struct sample {
	xc_picture in, out; /* out: decoded */
	xc_buffer file;
	xc_info info;
	xc_segment_info *segments;
} sample;

/* 0: it failed, and said so. */
static int make(sample *s, uint32_t width, uint32_t height, uint32_t channels, uint32_t depth,
                const xc_encode_options *o)
{
	*s = (sample){.in = xc_test_picture(width, height, channels, depth, 0, 1)};
	const int good = !xc_encode(c, &s->in, NULL, o, &s->file) &&
	                 !xc_decode(c, s->file.data, s->file.size, NULL, &s->out) &&
	                 !xc_read_info(c, s->file.data, s->file.size, &s->info);
	CHECK(good, "%s", xc_context_message(c));
	if (!good)
		return 0;
	s->segments = calloc((size_t)s->info.segments, sizeof *s->segments);
	if (!s->segments)
		abort();
	const xc_status status = xc_read_segments(c, s->file.data, s->file.size, 0, s->info.segments,
	                                          s->segments);
	CHECK(!status, "%s", xc_context_message(c));
	return !status;
}

static void discard(sample *s)
{
	xc_picture_free(c, &s->out);
	xc_buffer_free(c, &s->file);
	free(s->segments);
	free(s->in.data);
}

static xc_encode_options options(xc_subsampling s, int quality, xc_huffman huffman)
{
	xc_encode_options o;
	xc_encode_options_default(&o);
	o.subsampling = s;
	o.quality = quality;
	o.huffman = huffman;
	return o;
}

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
	uint64_t area = 0, bytes = 0;
	for (uint64_t k = 0; k < i->segments; k++) {
		const xc_segment_info *g = &s->segments[k];
		area += (uint64_t)g->width * g->height;
		bytes += g->size;
		CHECK(g->intact == 1, "segment %u", (unsigned)k);
		CHECK(g->x + g->width <= i->width && g->y + g->height <= i->height && g->width &&
		          g->height && g->x % i->tile_width == 0 && g->y % i->tile_height == 0,
		      "segment %u is at %u,%u, %ux%u", (unsigned)k, (unsigned)g->x, (unsigned)g->y,
		      (unsigned)g->width, (unsigned)g->height);
		CHECK(!k || g->offset == s->segments[k - 1].offset + s->segments[k - 1].size,
		      "segment %u does not follow", (unsigned)k);
	}
	CHECK(area == (uint64_t)i->width * i->height, "the segments do not tile the picture");
	CHECK(bytes < i->segment_bytes && bytes + 18 >= i->segment_bytes,
	      "%llu bytes of segments in a chunk of %llu", (unsigned long long)bytes,
	      (unsigned long long)i->segment_bytes);
}

static void check_bits(const sample *s)
{
	xc_bit_usage u;
	xc_coefficients k;
	REQUIRE(!xc_read_bit_usage(c, s->file.data, s->file.size, &u), "%s", xc_context_message(c));
	REQUIRE(!xc_decode_coefficients(c, s->file.data, s->file.size, &k), "%s",
	        xc_context_message(c));
	uint64_t bits = u.padding_bits, bytes = 0;
	CHECK(k.components == s->info.components, "%u components", (unsigned)k.components);
	for (uint32_t p = 0; p < k.components; p++) {
		const xc_plane_coefficients *plane = &k.plane[p];
		const uint64_t blocks = (uint64_t)plane->blocks_wide * plane->blocks_high;
		uint64_t nonzero = 0;
		for (uint64_t i = 0; i < blocks * 64; i++)
			nonzero += i % 64 && plane->data[i];
		CHECK(u.blocks[p] == blocks, "component %u", (unsigned)p);
		CHECK(u.nonzero[p] == nonzero, "component %u", (unsigned)p);
		CHECK(u.dc_bits[p] >= blocks && u.ac_bits[p] >= blocks, "component %u", (unsigned)p);
		bits += u.dc_bits[p] + u.ac_bits[p];
	}
	for (uint64_t i = 0; i < s->info.segments; i++)
		bytes += s->segments[i].size;
	CHECK(bits == 8 * bytes, "%llu bits in %llu bytes", (unsigned long long)bits,
	      (unsigned long long)bytes);
	CHECK(u.padding_bits < 8 * s->info.segments, "%llu bits of padding",
	      (unsigned long long)u.padding_bits);
	xc_coefficients_free(c, &k);
}

static void files_add_up(void)
{
	for (uint32_t channels = 1; channels <= 4; channels++) {
		for (uint32_t depth = 8; depth <= 16; depth += 8) {
			for (int kind = 0; kind < 6; kind++) {
				sample s;
				const xc_encode_options o = options((xc_subsampling)(kind % 4), kind * 19 + 3,
				                                    (xc_huffman)(kind % 2));
				if (make(&s, 50 + 90 * (uint32_t)kind, 231 - 40 * (uint32_t)kind, channels, depth,
				         &o)) {
					check_sums(&s);
					check_bits(&s);
					CHECK(s.info.quality == o.quality && s.info.huffman == o.huffman &&
					          s.info.subsampling ==
					              (channels < 3 ? XC_SUBSAMPLING_GREY : o.subsampling),
					      "kind %d", kind);
				}
				discard(&s);
			}
		}
	}
}

/* The index must stay below a hundredth of a natural picture's file. */
static void index_is_small(void)
{
	xc_file_picture f;
	xc_buffer file;
	xc_info info;
	if (!xc_test_sample("meadow.png", &f))
		SKIP("no samples/meadow.png");
	for (int quality = 30; quality <= 90; quality += 15) {
		const xc_encode_options o = options(XC_SUBSAMPLING_420, quality, XC_HUFFMAN_OPTIMIZED);
		REQUIRE(!xc_encode(c, &f.picture, NULL, &o, &file), "%s", xc_context_message(c));
		CHECK(!xc_read_info(c, file.data, file.size, &info), "%s", xc_context_message(c));
		CHECK(info.index_bytes * 100 < info.file_bytes, "quality %d: %llu of %llu bytes", quality,
		      (unsigned long long)info.index_bytes, (unsigned long long)info.file_bytes);
		xc_buffer_free(c, &file);
	}
	xc_file_picture_free(&f);
}

static void ranges_of_segments(void)
{
	sample s;
	xc_segment_info one[2];
	const xc_encode_options o = options(XC_SUBSAMPLING_444, 75, XC_HUFFMAN_OPTIMIZED);
	if (make(&s, 500, 300, 3, 8, &o)) {
		const uint64_t n = s.info.segments;
		CHECK(n > 4, "%u segments", (unsigned)n);
		for (uint64_t i = 0; i + 1 < n; i++) {
			CHECK(!xc_read_segments(c, s.file.data, s.file.size, i, 2, one), "%s",
			      xc_context_message(c));
			CHECK(one[0].offset == s.segments[i].offset && one[0].x == s.segments[i].x &&
			          one[1].offset == s.segments[i + 1].offset && one[1].y == s.segments[i + 1].y,
			      "segments %u and the next", (unsigned)i);
		}
		CHECK(!xc_read_segments(c, s.file.data, s.file.size, n, 0, NULL), "none at the end");
		static const uint64_t wrong[][2] = {{0, UINT64_MAX}, {UINT64_MAX, 1}, {UINT64_MAX, 2}};
		for (size_t i = 0; i < 3; i++)
			CHECK(xc_read_segments(c, s.file.data, s.file.size, wrong[i][0], wrong[i][1], one) ==
			          XC_ERR_ARGUMENT,
			      "case %zu", i);
		CHECK(xc_read_segments(c, s.file.data, s.file.size, n, 1, one) == XC_ERR_ARGUMENT,
		      "past the end");
		CHECK(xc_read_segments(c, s.file.data, s.file.size, n - 1, 2, one) == XC_ERR_ARGUMENT,
		      "past the end");
		CHECK(xc_read_segments(c, s.file.data, s.file.size, 0, 1, NULL) == XC_ERR_ARGUMENT,
		      "no place");
	}
	discard(&s);
}

/* -------------------------------------------------------------------- damage */

/* Pixels further than `margin` from segment g are those of the undamaged picture. */
static void check_elsewhere(const sample *s, const xc_picture *damaged, const xc_segment_info *g,
                            uint32_t margin)
{
	const size_t pixel = (size_t)s->out.channels * (s->out.depth / 8);
	for (uint32_t y = 0; y < s->out.height; y++) {
		const uint8_t *a = (const uint8_t *)s->out.data + y * s->out.stride;
		const uint8_t *b = (const uint8_t *)damaged->data + y * damaged->stride;
		const int beside = y + margin < g->y || y >= g->y + g->height + margin;
		const size_t left = beside || g->x < margin ? 0 : g->x - margin;
		const size_t right = g->x + g->width + margin;
		if (beside) {
			CHECK(!memcmp(a, b, s->out.width * pixel), "row %u", (unsigned)y);
			continue;
		}
		CHECK(!memcmp(a, b, left * pixel), "row %u, left of it", (unsigned)y);
		CHECK(right >= s->out.width ||
		          !memcmp(a + right * pixel, b + right * pixel, (s->out.width - right) * pixel),
		      "row %u, right of it", (unsigned)y);
	}
}

/* Segment i is damaged in the file, and only that. */
static void check_damaged(const sample *s, uint64_t i, uint32_t margin)
{
	const xc_segment_info *g = &s->segments[i];
	xc_picture p = {0};
	char name[32];
	snprintf(name, sizeof name, "segment %u ", (unsigned)i);
	CHECK(xc_decode(c, s->file.data, s->file.size, NULL, &p) == XC_ERR_CORRUPT, "segment %u",
	      (unsigned)i);
	CHECK(strstr(xc_context_message(c), name), "segment %u: %s", (unsigned)i,
	      xc_context_message(c));
	CHECK(!p.data, "a picture after a failure");
	for (uint64_t k = 0; k < s->info.segments; k++) {
		xc_segment_info found;
		CHECK(!xc_read_segments(c, s->file.data, s->file.size, k, 1, &found), "%s",
		      xc_context_message(c));
		CHECK(found.intact == (k != i), "segment %u", (unsigned)k);
	}
	xc_decode_options o = {.keep_going = 1};
	CHECK(!xc_decode(c, s->file.data, s->file.size, &o, &p), "%s", xc_context_message(c));
	CHECK(o.damaged_segments == 1, "%u damaged", (unsigned)o.damaged_segments);
	CHECK(strstr(xc_context_message(c), name), "segment %u: %s", (unsigned)i,
	      xc_context_message(c));
	if (p.data)
		check_elsewhere(s, &p, g, margin);
	xc_picture_free(c, &p);
}

static void damaged_segments(void)
{
	uint64_t seed = 9;
	for (int kind = 0; kind < 8; kind++) {
		sample s;
		const xc_subsampling sub = (xc_subsampling)(kind % 4);
		const xc_encode_options o = options(sub, 80, (xc_huffman)(kind / 4));
		/* Up-sampling takes chroma from the neighbouring segments into two pixels. */
		const uint32_t margin = sub == XC_SUBSAMPLING_444 || sub == XC_SUBSAMPLING_GREY ? 0 : 2;
		if (make(&s, 300, 200, 3 + (uint32_t)kind / 4, kind == 5 ? 16 : 8, &o)) {
			for (uint64_t i = 0; i < s.info.segments; i += 1 + s.info.segments / 7) {
				const uint64_t r = check_random(&seed);
				uint8_t *byte = &s.file.data[s.segments[i].offset + r % s.segments[i].size];
				*byte ^= (uint8_t)(1u << (r >> 32) % 8);
				check_damaged(&s, i, margin);
				*byte ^= (uint8_t)(1u << (r >> 32) % 8);
			}
		}
		discard(&s);
	}
}

/* Every length but the whole one, in a block of exactly that size. */
static void cut_off_files(void)
{
	for (uint32_t channels = 1; channels <= 4; channels++) {
		sample s;
		const xc_encode_options o = options(XC_SUBSAMPLING_420, 60, (xc_huffman)(channels == 3));
		if (make(&s, 61, 47, channels, 8, &o)) {
			for (size_t n = 0; n < s.file.size; n++) {
				uint8_t *part = malloc(n ? n : 1);
				xc_picture p = {0};
				xc_info info;
				xc_decode_options keep = {.keep_going = 1};
				if (!part)
					abort();
				memcpy(part, s.file.data, n);
				const xc_status status = xc_decode(c, part, n, NULL, &p);
				CHECK(status == (n ? XC_ERR_TRUNCATED : XC_ERR_FORMAT) || status == XC_ERR_CORRUPT,
				      "%zu bytes: %s", n, xc_status_string(status));
				CHECK(!p.data && *xc_context_message(c), "%zu bytes", n);
				xc_read_info(c, part, n, &info);
				if (!xc_decode(c, part, n, &keep, &p))
					CHECK(p.data && p.width == 61 &&
					          (keep.damaged_segments || n + 13 >= s.file.size),
					      "%zu of %zu bytes", n, s.file.size);
				xc_picture_free(c, &p);
				free(part);
			}
		}
		discard(&s);
	}
}

int main(void)
{
	c = xc_context_new(NULL);
	if (!c)
		return 99;
	RUN(files_add_up);
	RUN(index_is_small);
	RUN(ranges_of_segments);
	RUN(damaged_segments);
	RUN(cut_off_files);
	xc_context_free(c);
	return check_done();
}
