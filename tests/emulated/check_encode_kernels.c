/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The encoder's kernels, which the stub of a module runs on the processor: their files must
 * be those of xc_encode().
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/encode/crc_write.h"
#include "src/core/crc32c.h"
#include "tests/emulated/stub_module.h"
#include "tests/support/check.h"
#include "tests/support/test_pictures.h"

static xc_context *context;
static struct xc_gpu state;
static xc_cuda gpu;

/* Encodes pictures that follow each other in memory; their sizes. */
static void encode(const xc_picture *p, uint32_t count, const xc_encode_options *o, uint8_t *files,
                   size_t capacity, uint64_t *sizes)
{
	const xc_cuda_pictures in = {p->data, p->stride, p->stride * p->height, count};
	const xc_cuda_files out = {files, capacity, sizes};
	xc_cuda_encoder *encoder;
	if (xc_cuda_encoder_new(&gpu, p, NULL, o, count, &encoder) ||
	    xc_cuda_encode(encoder, &in, &out, NULL, NULL) || xc_cuda_encoder_wait(encoder))
		abort();
	xc_cuda_encoder_free(encoder);
}

static void compare(const xc_picture *p, const xc_encode_options *o)
{
	xc_buffer want;
	uint64_t size = 0;
	size_t same = 0;
	CHECK(!xc_encode(context, p, NULL, o, &want), "%s", xc_context_message(context));
	uint8_t *file = xc_stub_need(want.size);
	encode(p, 1, o, file, want.size, &size);
	while (same < want.size && want.data && file[same] == want.data[same])
		same++;
	CHECK(size == want.size && same == want.size,
	      "%ux%u, %u channels of %u bits, transform %d, quality %d, subsampling %d, huffman %d: "
	      "%llu bytes instead of %zu, equal up to %zu",
	      p->width, p->height, p->channels, p->depth, (int)o->transform, o->quality,
	      (int)o->subsampling, (int)o->huffman, (unsigned long long)size, want.size, same);
	free(file);
	xc_buffer_free(context, &want);
}

/* All subsamplings and both kinds of codes at one quality. */
static void all_ways(const xc_picture *p, int quality)
{
	xc_encode_options o;
	xc_encode_options_default(&o);
	o.quality = quality;
	for (int s = 0; s <= (p->channels < 3 ? 0 : XC_SUBSAMPLING_GREY); s++) {
		for (int h = 0; h < 2; h++) {
			o.subsampling = (xc_subsampling)s;
			o.huffman = (xc_huffman)h;
			o.transform = (xc_transform)((s + h + p->width) % 3);
			compare(p, &o);
			o.transform = XC_TRANSFORM_DCT;
			compare(p, &o);
		}
	}
}

static void layouts_and_sizes(void)
{
	static const uint32_t sizes[][2] = {{333, 251}, {1, 1}, {17, 3}, {2, 400}, {600, 5}, {96, 64}};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		for (uint32_t channels = 1; channels <= 3; channels += 2) {
			for (uint32_t depth = 8; depth <= 16; depth += 8) {
				xc_picture p = xc_test_picture(sizes[i][0], sizes[i][1], channels, depth,
				                               2 * (i % 3), 1);
				all_ways(&p, i % 2 ? 75 : 30);
				free(p.data);
			}
		}
	}
}

/* Every transform in every subsampling, where blocks and runs of them meet and end. */
static void transforms(void)
{
	static const uint32_t sizes[][2] = {{800, 70}, {8, 8}, {1, 30}, {33, 17}, {784, 16}, {257, 40}};
	xc_encode_options o;
	xc_encode_options_default(&o);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		for (uint32_t depth = 8; depth <= 16; depth += 8) {
			xc_picture p = xc_test_picture(sizes[i][0], sizes[i][1], 3, depth, 0, 1);
			for (int t = 0; t < 3; t++) {
				for (int s = 0; s <= XC_SUBSAMPLING_GREY; s++) {
					o.transform = (xc_transform)t;
					o.subsampling = (xc_subsampling)s;
					compare(&p, &o);
				}
			}
			free(p.data);
		}
	}
}

/* Rows that begin at multiples of 8 bytes, which the kernels for common pictures want: teams
 * that the picture ends in, pixels past its edges, surroundings beyond those. */
static void common(void)
{
	static const uint32_t sizes[][2] = {{131, 70}, {129, 65}, {3, 5},    {9, 33},   {16, 16},
	                                    {17, 31},  {262, 18}, {250, 90}, {62, 129}, {65, 34}};
	xc_encode_options o;
	xc_encode_options_default(&o);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		const uint32_t bytes = sizes[i][0] * 3;
		xc_picture p = xc_test_picture(sizes[i][0], sizes[i][1], 3, 8, (8 - bytes % 8) % 8, 1);
		for (int t = 0; t < 3; t++) {
			for (int s = 0; s <= XC_SUBSAMPLING_GREY; s++) {
				o.quality = 50 + 25 * (s % 3);
				o.transform = (xc_transform)t;
				o.subsampling = (xc_subsampling)s;
				compare(&p, &o);
			}
		}
		free(p.data);
	}
}

static void qualities(void)
{
	xc_test_qualities(400, 150, all_ways);
}

static void noise(void)
{
	for (uint32_t depth = 8; depth <= 16; depth += 8) {
		xc_picture p = xc_test_noise(500, 70, depth);
		all_ways(&p, 100);
		all_ways(&p, 20);
		free(p.data);
	}
}

static void flat(void)
{
	xc_picture p = xc_test_picture(100, 100, 3, 8, 0, 0);
	memset(p.data, 77, p.stride * p.height);
	all_ways(&p, 75);
	free(p.data);
}

/* A file that does not fit is not written, and its size is told. */
static void too_small(void)
{
	xc_picture p = xc_test_picture(100, 100, 3, 8, 0, 1);
	xc_encode_options o;
	xc_encode_options_default(&o);
	for (int h = 0; h < 2; h++) {
		uint64_t size = 0, told = 0;
		o.huffman = (xc_huffman)h;
		uint8_t *file = xc_stub_need(100000);
		encode(&p, 1, &o, file, 100000, &size);
		for (size_t capacity = 0; capacity < size; capacity += (size - capacity + 1) / 2) {
			uint8_t *less = xc_stub_need(capacity);
			encode(&p, 1, &o, less, capacity, &told);
			CHECK(told == size, "capacity %zu", capacity);
			free(less);
		}
		free(file);
	}
	free(p.data);
}

/* Several pictures in a call: the files are those of each alone. */
static void several(void)
{
	enum { COUNT = 3, ROOM = 40000 };
	xc_picture p = xc_test_picture(120, 80 * COUNT, 3, 8, 0, 1);
	uint8_t *files = xc_stub_need(COUNT * ROOM);
	xc_encode_options o;
	xc_encode_options_default(&o);
	p.height /= COUNT;
	for (int h = 0; h < 2; h++) {
		uint64_t sizes[COUNT] = {0};
		o.huffman = (xc_huffman)h;
		encode(&p, COUNT, &o, files, ROOM, sizes);
		for (size_t i = 0; i < COUNT; i++) {
			xc_picture one = p;
			xc_buffer want;
			one.data = (char *)p.data + i * p.stride * p.height;
			CHECK(!xc_encode(context, &one, NULL, &o, &want), "%s", xc_context_message(context));
			CHECK(sizes[i] == want.size && !memcmp(files + i * ROOM, want.data, want.size),
			      "picture %zu is another file", i);
			xc_buffer_free(context, &want);
		}
	}
	free(files);
	free(p.data);
}

static void crc(void)
{
	xc_crc_write_constants k;
	uint32_t words[300];
	uint64_t seed = 5;
	xc_crc_write_constants_init(&k);
	for (size_t i = 0; i < 300; i++)
		words[i] = (uint32_t)(check_random(&seed) >> 32);
	for (uint32_t size = 0; size < 1190; size++) {
		uint32_t sum = 0;
		for (uint32_t lane = 0; lane < 32; lane++)
			sum ^= xc_crc_write_lane(&k, k.tables, words, size, lane);
		CHECK(~sum == xc_crc32c(0, words, size), "%u bytes", size);
	}
}

int main(void)
{
	context = xc_context_new(NULL);
	if (!context)
		return 1;
	xc_stub_open(&gpu, &state, context);
	RUN(crc);
	RUN(layouts_and_sizes);
	RUN(transforms);
	RUN(common);
	RUN(qualities);
	RUN(noise);
	RUN(flat);
	RUN(too_small);
	RUN(several);
	xc_context_free(context);
	return check_done();
}
