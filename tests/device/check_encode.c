/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files made on a GPU are those that the CPU makes, by whichever way they are asked for.  The
 * same cases run with the stub of tests/emulated, of smaller pictures.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/support/gpu.h"
#include "tests/support/test_pictures.h"

static xc_context *cpu, *gpu_context; /* the second one encodes on the GPU */
static xc_cuda *gpu;                  /* and another handle of it */

static void *need(size_t size)
{
	void *p = malloc(size ? size : 1);

	if (!p)
		abort();
	memset(p, 0xa5, size);
	return p;
}

/* The CPU's file. 0: with its fine steps xc_encode() codes the picture in another
 * way than it is told. */
static int wanted(const xc_picture *p, const xc_encode_options *o, xc_buffer *want)
{
	xc_info info = {0};

	SUCCEEDS(cpu, xc_encode(cpu, p, NULL, o, want));
	SUCCEEDS(cpu, xc_read_info(cpu, want->data, want->size, &info));
	return info.entropy == o->entropy;
}

static void compare_with(const xc_buffer *want, const xc_picture *p, const xc_encode_options *o,
                         const char *way, const void *file, uint64_t size)
{
	uint64_t same = 0;

	while (same < want->size && same < size && ((const uint8_t *)file)[same] == want->data[same])
		same++;
	CHECK(size == want->size && same == size,
	      "%s: %ux%u, %u channels of %u bits, transform %d, quality %d, subsampling %d, "
	      "entropy %d, huffman %d, effort %d: "
	      "%llu bytes instead of %zu, equal up to %llu",
	      way, p->width, p->height, p->channels, p->depth, (int)o->transform, o->quality,
	      (int)o->subsampling, (int)o->entropy, (int)o->huffman, o->effort,
	      (unsigned long long)size, want->size, (unsigned long long)same);
}

/* Compares a file with the CPU's. */
static void compare(const xc_picture *p, const xc_encode_options *o, const char *way,
                    const void *file, uint64_t size)
{
	OWN_BUFFER(cpu, want);

	if (wanted(p, o, &want))
		compare_with(&want, p, o, way, file, size);
}

static void by_context(const xc_picture *p, const xc_encode_options *o)
{
	OWN_BUFFER(gpu_context, file);
	OWN_BUFFER(cpu, want);
	const int as_told = wanted(p, o, &want);

	/* Else it is the processor's work, or refused. */
	if (o->quality <= 96 || (o->entropy != XC_ENTROPY_RANS && as_told)) {
		SUCCEEDS(gpu_context, xc_encode(gpu_context, p, NULL, o, &file));
		CHECK(!strncmp(xc_context_device(gpu_context), "cuda:", 5), "done by %s",
		      xc_context_device(gpu_context));
		if (file.data && as_told)
			compare_with(&want, p, o, "xc_encode()", file.data, file.size);
	}
}

/* Encodes pictures that follow each other in memory that the GPU reaches. */
static void encode(const xc_picture *p, uint32_t count, size_t distance, const xc_encode_options *o,
                   void *files, size_t room, uint64_t *sizes)
{
	const xc_cuda_pictures in = {p->data, p->stride, distance, count};
	const xc_cuda_files out = {files, room, sizes};
	xc_cuda_pictures first = in;
	xc_cuda_encoder *encoder = NULL;

	first.count = 1;
	/* The second call needs more scratch while the first is under way. */
	SUCCEEDS(gpu_context, xc_cuda_encoder_new(gpu, p, NULL, o, count, &encoder) ||
	                          xc_cuda_encode(encoder, &first, &out, NULL, NULL) ||
	                          xc_cuda_encode(encoder, &in, &out, NULL, NULL) ||
	                          xc_cuda_encoder_wait(encoder));
	xc_cuda_encoder_free(encoder);
}

/* The stub reaches all memory: pictures as they lie, and a file of just the size, so that a
 * sanitizer sees what goes beyond. */
static void as_it_lies(const xc_picture *p, const xc_encode_options *o)
{
	OWN_BUFFER(cpu, want);
	uint64_t sizes = 0;

	if (wanted(p, o, &want)) {
		OWN_MEMORY void *file = need(want.size);
		encode(p, 1, 0, o, file, want.size, &sizes);
		compare_with(&want, p, o, "as it lies", file, sizes);
	}
}

/* Encodes by the way that sees most. */
static void any_way(const xc_picture *p, const xc_encode_options *o)
{
	if (TEST_STUB && p->channels % 2 && o->colour == XC_COLOUR_YCBCR)
		as_it_lies(p, o);
	else
		by_context(p, o);
}

/* What else the default has: sloped tables, components made for the picture, decisions.  Which of
 * the options go together changes from picture to picture. */
static void other_ways(const xc_picture *p, int quality)
{
	static int turn;
	xc_encode_options o = xc_test_defaults();

	o.quality = quality;
	o.entropy = XC_ENTROPY_HUFFMAN;
	for (int s = 0; s <= (p->channels < 3 ? 0 : XC_SUBSAMPLING_GREY); s++, turn++) {
		o.quality_parts = quality < 100 ? turn % 4 * 70 : 0;
		o.subsampling = (xc_subsampling)s;
		o.transform = (xc_transform)(turn % 3);
		o.colour = s == XC_SUBSAMPLING_444 ? XC_COLOUR_PICTURE : XC_COLOUR_YCBCR;
		o.tune = turn % 3 > 1 ? XC_TUNE_PSNR : XC_TUNE_EYE;
		o.segment_blocks = turn % 4 == 1 ? 32 + turn % 100 : 0;
		for (o.effort = 0; o.effort < 3; o.effort++) {
			o.huffman = (xc_huffman)(turn % 4 == 3);
			o.entropy = XC_ENTROPY_RANS;
			any_way(p, &o);
			o.entropy = XC_ENTROPY_HUFFMAN;
			if (!o.effort)
				any_way(p, &o);
		}
	}
}

/* All subsamplings, transforms and kinds of codes at one quality. */
static void all_ways(const xc_picture *p, int quality)
{
	xc_encode_options o = xc_test_jpeg();

	o.quality = quality;
	for (int s = 0; s <= (p->channels < 3 ? 0 : XC_SUBSAMPLING_GREY); s++) {
		for (int h = 0; h < 2; h++) {
			o.subsampling = (xc_subsampling)s;
			o.huffman = (xc_huffman)h;
			for (int t = 0; t <= XC_TRANSFORM_TDLT; t++) {
				o.transform = (xc_transform)t;
				if (TEST_STUB && h && t != (s + (int)p->width) % 3)
					continue; /* for time's sake */
				any_way(p, &o);
			}
		}
	}
	other_ways(p, quality);
}

static void layouts_and_sizes(void)
{
	static const uint32_t sizes[][2] = {{345, 69}, {1, 1},       {17, 3},    {2, 400},  {600, 5},
	                                    {96, 64},  {1920, 1080}, {64, 4000}, {4001, 33}};

	for (size_t i = 0; i < (TEST_STUB ? 6 : 9); i++) {
		for (uint32_t channels = 1; channels <= 4; channels++) {
			for (uint32_t depth = 8; depth <= 16; depth += 8) {
				OWN_PICTURE p = xc_test_picture(sizes[i][0], sizes[i][1], channels, depth,
				                                2 * (i % 3), 1);
				all_ways(&p, i % 2 ? 75 : 30);
			}
		}
	}
}

/* Every transform in every subsampling, where blocks and runs of them meet and end. */
static void transforms(void)
{
	static const uint32_t sizes[][2] = {{800, 38}, {8, 8}, {1, 30}, {33, 17}, {784, 16}, {257, 40}};

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		for (uint32_t depth = 8; depth <= 16; depth += 8) {
			OWN_PICTURE p = xc_test_picture(sizes[i][0], sizes[i][1], 3, depth, 0, 1);
			all_ways(&p, 75);
		}
	}
}

/* Rows that begin at multiples of 8 bytes, which the kernels for common pictures want: thread
 * blocks that the picture ends in, pixels past its edges, surroundings beyond those. */
static void common(void)
{
	static const uint32_t sizes[][2] = {{131, 70}, {129, 65}, {3, 5},     {9, 33},
	                                    {16, 16},  {17, 31},  {262, 18},  {250, 90},
	                                    {62, 129}, {65, 34},  {1024, 768}};

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes - TEST_STUB; i++) {
		const uint32_t bytes = sizes[i][0] * 3;
		OWN_PICTURE p = xc_test_picture(sizes[i][0], sizes[i][1], 3, 8, (8 - bytes % 8) % 8, 1);
		all_ways(&p, 50 + 25 * (int)(i % 3));
	}
}

static void qualities(void)
{
	xc_test_qualities(TEST_STUB ? 136 : 1000, TEST_STUB ? 40 : 750, all_ways);
}

static void noise(void)
{
	for (uint32_t depth = 8; depth <= 16; depth += 8) {
		OWN_PICTURE p = xc_test_noise(500, TEST_STUB ? 38 : 270, depth);
		all_ways(&p, 100);
		all_ways(&p, 20);
	}
}

static void flat(void)
{
	OWN_PICTURE p = xc_test_picture(100, 100, 3, 8, 0, 0);
	memset(p.data, 77, p.stride * p.height);
	all_ways(&p, 75);
}

/* More pixels than one piece of a file has. */
static void pieces(void)
{
	const uint32_t channels = TEST_STUB ? 1 : 3;

	for (int transform = TEST_STUB ? XC_TRANSFORM_TDLT : 0; transform <= XC_TRANSFORM_TDLT;
	     transform++) {
		OWN_PICTURE p = xc_test_tall(2800, TEST_STUB ? 3100 : 9100, channels, 8, !TEST_STUB);
		xc_encode_options o = xc_test_jpeg();
		o.transform = (xc_transform)transform;
		by_context(&p, &o);
		/* Points of reconstruction follow from the first one. */
		o = xc_test_defaults();
		o.effort = transform == XC_TRANSFORM_LOT ? 2 : 0;
		by_context(&p, &o);
	}
}

static void tables(void)
{
	OWN_PICTURE p = xc_test_picture(300, 200, 3, 8, 0, 1);
	xc_encode_options o = xc_test_jpeg();

	xc_quant_tables_flat(&o.tables);
	by_context(&p, &o);
	for (int i = 0; i < 64; i++) {
		o.tables.luma[i] = (uint16_t)(1 + i * 37 % 99);
		o.tables.chroma[i] = (uint16_t)(1 + i * 1000 % 60000);
	}
	by_context(&p, &o);
}

/* Several pictures in one call, from memory aligned badly and well. */
static void batch(uint32_t width, uint32_t height, uint32_t depth, size_t shift, size_t padding)
{
	enum { COUNT = 5 };
	const size_t row = (size_t)width * 3 * (depth / 8), stride = row + padding;
	const size_t distance = stride * height + 2 * padding, room = distance + 70000;
	char *host = test_gpu_pinned(gpu, COUNT * distance + 16),
		 *back = test_gpu_pinned(gpu, COUNT * room);
	uint64_t *sizes = test_gpu_pinned(gpu, COUNT * sizeof *sizes);
	const xc_picture shape = {width, height, 3, depth, stride, host + shift};
	xc_picture p[COUNT];
	xc_encode_options o = xc_test_jpeg();

	o.huffman = (xc_huffman)(padding / 2 % 2);
	o.transform = (xc_transform)(shift % 3);
	for (uint32_t i = 0; i < COUNT; i++) {
		p[i] = xc_test_picture(width, height, 3, depth, 0, (int)i);
		for (uint32_t y = 0; y < height; y++)
			memcpy(host + shift + i * distance + y * stride, (char *)p[i].data + y * p[i].stride,
			       row);
	}
	for (int mode = 0; mode < 4; mode++) {
		o.entropy = mode ? XC_ENTROPY_RANS : XC_ENTROPY_HUFFMAN;
		o.effort = mode ? mode - 1 : 0;
		encode(&shape, COUNT, distance, &o, back, room, sizes);
		for (uint32_t i = 0; i < COUNT; i++)
			compare(&p[i], &o, "batch", back + i * room, sizes[i]);
	}
	for (uint32_t i = 0; i < COUNT; i++)
		free(p[i].data);
	xc_cuda_release(gpu, host);
	xc_cuda_release(gpu, back);
	xc_cuda_release(gpu, sizes);
}

static void batches(void)
{
	batch(TEST_STUB ? 345 : 640, TEST_STUB ? 101 : 480, 8, 0, 0);
	batch(333, 100, 8, 1, 3);
	batch(333, 100, 8, 4, 5);
	batch(200, 99, 16, 2, 6);
	batch(33, 34, 16, 0, 0);
	if (!TEST_STUB)
		batch(1024, 768, 8, 0, 0);
}

/* A file that does not fit is not written, and its size is told. */
static void too_small(void)
{
	OWN_PICTURE p = xc_test_picture(100, 100, 3, 8, 0, 1);
	uint8_t *file = test_gpu_pinned(gpu, 100000);
	uint64_t *told = test_gpu_pinned(gpu, sizeof *told);
	xc_encode_options o = xc_test_jpeg();

	xc_picture there = p;
	there.data = test_gpu_pinned(gpu, p.stride * p.height);
	memcpy(there.data, p.data, p.stride * p.height);
	for (int mode = 0; mode < 3; mode++) {
		o.huffman = (xc_huffman)(mode % 2);
		o.effort = mode > 1 ? 2 : 0;
		o.entropy = mode == 2 ? XC_ENTROPY_RANS : XC_ENTROPY_HUFFMAN;
		encode(&there, 1, 0, &o, file, 100000, told);
		compare(&p, &o, "whole", file, *told);
		const uint64_t size = *told;
		for (size_t room = 0; room < size; room += (size - room + 1) / 2) {
			memset(file, 0x5a, 100000);
			encode(&there, 1, 0, &o, file, room, told);
			size_t beyond = room;
			while (beyond < 100000 && file[beyond] == 0x5a)
				beyond++;
			CHECK(*told == size && beyond == 100000, "room for %zu bytes", room);
		}
	}
	xc_cuda_release(gpu, there.data);
	xc_cuda_release(gpu, file);
	xc_cuda_release(gpu, told);
}

/* ------------------------------------------------------------------ lists */

enum { LISTED = 48, WAYS = 8 };

/* The ways in which the pictures of a list are coded. */
static xc_encode_options way_of(uint32_t i)
{
	static const int qualities[WAYS] = {75, 75, 60, 75, 90, 75, 75, 40};
	xc_encode_options o = xc_test_defaults();

	o.quality = qualities[i];
	o.effort = i == 1 ? 0 : i == 5 ? 1 : 2;
	o.entropy = i == 3 || i == 6 ? XC_ENTROPY_HUFFMAN : XC_ENTROPY_RANS;
	o.effort = o.entropy == XC_ENTROPY_HUFFMAN ? 0 : o.effort;
	o.huffman = (xc_huffman)(i == 3);
	o.transform = (xc_transform)(i % 3);
	o.subsampling = (xc_subsampling)(i % 3);
	o.segment_blocks = i == 2 ? 32 : 0;
	return o;
}

/* A picture of a list: in memory that the GPU reaches, its rows and its beginning aligned well or not. */
static xc_picture listed(uint32_t i, void **memory)
{
	const uint32_t widths[] = {1, 33, 640, 129, 300, 17, 512, 250};
	const uint32_t width = widths[i % 8] + i / 8, height = 1 + 37 * i % 211;
	const uint32_t channels = i % 5 == 3 ? 1 : 3, depth = i % 7 == 6 ? 16 : 8;
	OWN_PICTURE p = xc_test_picture(width, height, channels, depth, 0, (int)i);
	const size_t row = (size_t)width * channels * (depth / 8), shift = i % 4 == 1 ? depth / 8 : 0;
	const size_t stride = i % 4 == 1 ? row + 2 : (row + 15) / 16 * 16;

	*memory = test_gpu_pinned(gpu, stride * height + 16);
	for (uint32_t y = 0; y < height; y++)
		memcpy((char *)*memory + shift + y * stride, (char *)p.data + y * p.stride, row);
	p.stride = stride;
	return (xc_picture){width, height, channels, depth, stride, (char *)*memory + shift};
}

/* Encodes and compares a list. scratch: the caller's, of just the size. */
static void encode_list(xc_cuda_encoder *encoder, xc_cuda_picture *list, size_t count, int scratch)
{
	xc_cuda_scratch s = {NULL, 0};

	SUCCEEDS(gpu_context, xc_cuda_encode_list_scratch(encoder, list, count, &s.size));
	if (scratch) {
		CHECK(!xc_cuda_allocate_device(gpu, s.size, &s.data), "no scratch");
		s.size -= s.size ? 1 : 0;
		CHECK(!s.size || xc_cuda_encode_list(encoder, list, count, &s, NULL) == XC_ERR_ARGUMENT,
		      "too little scratch");
		s.size += s.size ? 1 : 0;
	}
	for (size_t i = 0; i < count; i++) {
		list[i].size = 77;
		list[i].status = XC_ERR_IO;
	}
	SUCCEEDS(gpu_context, xc_cuda_encode_list(encoder, list, count, scratch ? &s : NULL, NULL));
	CHECK(xc_cuda_encode_list(encoder, list, count, NULL, NULL) == XC_ERR_ARGUMENT,
	      "two lists at once");
	SUCCEEDS(gpu_context, xc_cuda_encoder_wait(encoder));
	for (size_t i = 0; i < count; i++) {
		OWN_BUFFER(cpu, want);
		SUCCEEDS(cpu, xc_encode(cpu, &list[i].picture, list[i].metadata, list[i].options, &want));
		CHECK(!list[i].status, "picture %zu: status %d", i, (int)list[i].status);
		compare_with(&want, &list[i].picture, list[i].options, "list", list[i].file, list[i].size);
	}
	xc_cuda_release(gpu, s.data);
}

/* Pictures of many shapes and kinds in one call; the lists are parts of each other. */
static void lists(void)
{
	const xc_metadata named = {.text = {(const uint8_t *)"a\0b", 4}};
	xc_encode_options ways[WAYS];
	xc_cuda_picture list[LISTED];
	void *memory[LISTED];
	xc_cuda_encoder *encoder = NULL;

	for (uint32_t i = 0; i < WAYS; i++)
		ways[i] = way_of(i);
	for (uint32_t i = 0; i < LISTED; i++) {
		list[i] = (xc_cuda_picture){.picture = listed(i, &memory[i]),
		                            .metadata = i % 6 == 5 ? &named : NULL,
		                            .options = &ways[i < LISTED / 2 ? i % WAYS : i % 3 * 3 % WAYS]};
		list[i].room = list[i].picture.stride * list[i].picture.height + 65536;
		list[i].file = test_gpu_pinned(gpu, list[i].room);
	}
	SUCCEEDS(gpu_context, xc_cuda_encoder_new(gpu, NULL, NULL, NULL, LISTED, &encoder));
	if (!encoder)
		return;
	CHECK(!xc_cuda_encoder_bound(encoder), "a bound without a shape");
	encode_list(encoder, list, 1, 1);
	encode_list(encoder, list, LISTED, 1);
	encode_list(encoder, list + 3, 11, 0);
	encode_list(encoder, list, 0, 0);
	encode_list(encoder, list + LISTED / 2, LISTED / 2, 0);
	xc_cuda_encoder_free(encoder);
	/* An encoder of pictures of one shape takes lists as well. */
	SUCCEEDS(gpu_context,
	         xc_cuda_encoder_new(gpu, &list[2].picture, &named, &ways[0], LISTED, &encoder));
	encode_list(encoder, list, LISTED, 0);
	const xc_cuda_pictures in = {list[2].picture.data, list[2].picture.stride, 0, 1};
	uint64_t *told = test_gpu_pinned(gpu, sizeof *told);
	const xc_cuda_files out = {list[2].file, list[2].room, told};
	SUCCEEDS(gpu_context,
	         xc_cuda_encode(encoder, &in, &out, NULL, NULL) || xc_cuda_encoder_wait(encoder));
	OWN_BUFFER(cpu, want);
	SUCCEEDS(cpu, xc_encode(cpu, &list[2].picture, &named, &ways[0], &want));
	compare_with(&want, &list[2].picture, &ways[0], "after a list", list[2].file, *told);
	xc_cuda_encoder_free(encoder);
	xc_cuda_release(gpu, told);
	for (uint32_t i = 0; i < LISTED; i++) {
		xc_cuda_release(gpu, memory[i]);
		xc_cuda_release(gpu, list[i].file);
	}
}

/* Pictures that cannot be encoded, between others that can. */
static void lists_with_failures(void)
{
	enum { COUNT = 9, ROOM = 70000 };
	static const xc_status wanted[COUNT] = {XC_OK,           XC_ERR_UNSUPPORTED,
	                                        XC_ERR_LIMIT,    XC_ERR_ARGUMENT,
	                                        XC_OK,           XC_ERR_UNSUPPORTED,
	                                        XC_ERR_ARGUMENT, XC_OK,
	                                        XC_ERR_ARGUMENT};
	xc_encode_options o = xc_test_defaults(), much = o, none = o;
	xc_cuda_picture list[COUNT];
	xc_cuda_encoder *encoder = NULL;
	OWN_PICTURE p = xc_test_picture(90, 61, 3, 8, 0, 1);
	void *pixels = test_gpu_pinned(gpu, p.stride * p.height);

	memcpy(pixels, p.data, p.stride * p.height);
	much.effort = 3;
	none.quality = 0;
	for (uint32_t i = 0; i < COUNT; i++) {
		list[i] = (xc_cuda_picture){.picture = p, .options = &o, .room = i == 2 ? 60 : ROOM};
		list[i].picture.data = i == 3 ? NULL : pixels;
		list[i].file = test_gpu_pinned(gpu, ROOM);
	}
	list[1].options = &much;
	list[5].picture.width = 45;
	list[5].picture.channels = 4;
	list[6].options = &none;
	list[8].reserved[1] = 1;
	SUCCEEDS(gpu_context, xc_cuda_encoder_new(gpu, NULL, NULL, &o, COUNT, &encoder));
	CHECK(xc_cuda_encode_list(encoder, list, COUNT + 1, NULL, NULL) == XC_ERR_ARGUMENT,
	      "more than the batch");
	SUCCEEDS(gpu_context, xc_cuda_encode_list(encoder, list, COUNT, NULL, NULL));
	CHECK(xc_cuda_encoder_wait(encoder) == XC_ERR_UNSUPPORTED &&
	          strstr(xc_context_message(gpu_context), "effort"),
	      "'%s'", xc_context_message(gpu_context));
	for (uint32_t i = 0; i < COUNT; i++) {
		CHECK(list[i].status == wanted[i], "picture %u: status %d", (unsigned)i,
		      (int)list[i].status);
		if (!wanted[i])
			compare(&p, &o, "beside failures", list[i].file, list[i].size);
		CHECK(i == 2 ? list[i].size > 60 : !list[i].size || !wanted[i], "picture %u: %zu bytes",
		      (unsigned)i, list[i].size);
		xc_cuda_release(gpu, list[i].file);
	}
	xc_cuda_encoder_free(encoder);
	xc_cuda_release(gpu, pixels);
}

/* A queue of pictures of any shape. own: it has a shape of its own. */
static void mixed_queue(uint32_t slots, uint32_t flight, int own)
{
	enum { COUNT = 40 };
	const xc_picture shape = {.width = 200, .height = 90, .channels = 3, .depth = 8};
	xc_context *c = gpu_context;
	xc_cuda_encode_queue *q = NULL;
	xc_encode_options ways[WAYS];
	uint32_t submitted = 0;
	xc_picture p;

	for (uint32_t i = 0; i < WAYS; i++)
		ways[i] = way_of(i);
	SUCCEEDS(c, xc_cuda_encode_queue_new(gpu, own ? &shape : NULL, NULL, &ways[0], slots, &q));
	CHECK(!q || own || xc_cuda_encode_queue_next(q, &p) == XC_ERR_ARGUMENT, "a shape of its own");
	CHECK(!q || xc_cuda_encode_queue_submit(q) == XC_ERR_ARGUMENT, "no picture");
	for (uint32_t done = 0; q && done < COUNT; done++) {
		const void *file;
		size_t size;
		for (; submitted < COUNT && submitted < done + flight; submitted++) {
			const uint32_t i = submitted;
			void *memory;
			const xc_picture t = own && i % 3 ? shape : listed(i, &memory);
			const size_t row = (size_t)t.width * t.channels * (t.depth / 8);
			if (own && i % 3)
				SUCCEEDS(c, xc_cuda_encode_queue_next(q, &p));
			else
				SUCCEEDS(c, xc_cuda_encode_queue_next_shape(q, &t, NULL,
				                                            i % 4 ? &ways[i % WAYS] : NULL, &p));
			for (uint32_t y = 0; y < t.height; y++) {
				char *const to = (char *)p.data + y * p.stride;
				if (t.data)
					memcpy(to, (char *)t.data + y * t.stride, row);
				else
					memset(to, (int)(i + y), row);
			}
			if (t.data)
				xc_cuda_release(gpu, memory);
			SUCCEEDS(c, xc_cuda_encode_queue_submit(q));
		}
		SUCCEEDS(c, xc_cuda_encode_queue_collect(q, &file, &size));
		if (own && done % 3) {
			OWN_PICTURE t = xc_test_picture(shape.width, shape.height, 3, 8, 0, 1);
			for (uint32_t y = 0; y < t.height; y++)
				memset((char *)t.data + y * t.stride, (int)(done + y), t.stride);
			compare(&t, &ways[0], "mixed queue", file, size);
		} else {
			void *memory;
			const xc_picture t = listed(done, &memory);
			compare(&t, &ways[done % 4 ? done % WAYS : 0], "mixed queue", file, size);
			xc_cuda_release(gpu, memory);
		}
	}
	xc_cuda_encode_queue_free(q);
}

static void mixed_queues(void)
{
	mixed_queue(1, 1, 0);
	mixed_queue(5, 3, 0);
	mixed_queue(16, 16, 0);
	mixed_queue(16, 16, 1);
	mixed_queue(9, 5, 1);
}

/* flight: how many are in flight. */
static void queue(uint32_t width, uint32_t height, uint32_t slots, uint32_t flight)
{
	enum { COUNT = 20 };
	const xc_picture shape = {.width = width, .height = height, .channels = 3, .depth = 8};
	xc_cuda_encode_queue *q = NULL;
	xc_context *c = gpu_context;
	uint32_t submitted = 0;
	xc_encode_options o = xc_test_jpeg();

	SUCCEEDS(c, xc_cuda_encode_queue_new(gpu, &shape, NULL, &o, slots, &q));
	for (uint32_t done = 0; q && done < COUNT; done++) {
		const void *file;
		size_t size;
		xc_picture p;
		for (; submitted < COUNT && submitted < done + flight; submitted++) {
			OWN_PICTURE t = xc_test_picture(width, height, 3, 8, 0, (int)submitted);
			SUCCEEDS(c, xc_cuda_encode_queue_next(q, &p));
			for (uint32_t y = 0; y < t.height; y++)
				memcpy((char *)p.data + y * p.stride, (char *)t.data + y * t.stride, t.stride);
			SUCCEEDS(c, xc_cuda_encode_queue_submit(q));
		}
		SUCCEEDS(c, xc_cuda_encode_queue_collect(q, &file, &size));
		OWN_PICTURE t = xc_test_picture(width, height, 3, 8, 0, (int)done);
		compare(&t, &o, "queue", file, size);
	}
	xc_cuda_encode_queue_free(q);
}

static void queues(void)
{
	queue(501, 302, 1, 1);
	queue(501, 302, 3, 3);
	/* whose room is just what such files may take */
	queue(1, 1, 3, 3);
	queue(30, 11, 2, 2);
	/* Groups of four and of two, the last of which is smaller, that are full or not when
	 * they are started. */
	queue(30, 11, 16, 16);
	queue(30, 11, 16, 3);
	queue(30, 11, 9, 9);
	queue(30, 11, 9, 5);
}

int main(void)
{
	cpu = xc_context_new(NULL);
	gpu_context = xc_context_new(NULL);
	if (!cpu || !gpu_context)
		return 1;
	if (!test_gpu_open(gpu_context, &gpu))
		return CHECK_SKIPPED;
	if (!test_gpu_use(gpu_context)) {
		printf("not ok - %s\n", xc_context_message(gpu_context));
		return 1;
	}
	RUN(layouts_and_sizes, transforms, common, qualities, noise, flat, pieces, tables, batches,
	    too_small, queues, lists, lists_with_failures, mixed_queues);
	xc_cuda_close(gpu);
	xc_context_free(gpu_context);
	xc_context_free(cpu);
	return check_done();
}
