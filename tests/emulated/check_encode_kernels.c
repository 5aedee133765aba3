/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The encoder's kernels, run by the host as teams of one thread: their files must be
 * those of xc_encode().  What needs a GPU (barriers, warps, launches) is left to
 * tests/device/gpu.sh.
 */
#include "gpu/encode/scratch.h"
#include "gpu/encode/forward.h"
#include "gpu/encode/huffman.h"
#include "gpu/encode/place.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"
#include "src/core/crc32c.h"
#include "src/encode/plan.h"
#include "tests/support/test_pictures.h"

static const xc_team alone = {0, 1};

/* Memory of exactly this size, so that a sanitizer sees what goes beyond. */
static void *get(size_t size)
{
	void *p = malloc(size ? size : 1);
	if (!p)
		abort();
	memset(p, 0xa5, size);
	return p;
}

static void place_all(const xc_gpu_encode_job *j, xc_gpu_place_shared *s)
{
	xc_gpu_place_begin(j, alone, s);
	for (uint32_t first = 0; first < j->tiles; first += XC_GPU_PLACE_TILES) {
		for (uint32_t i = first; i < first + XC_GPU_PLACE_TILES && i < j->tiles; i++) {
			uint32_t crc = 0;
			for (uint32_t lane = 0; lane < 32; lane++)
				crc ^= xc_crc_lane(j->crc, s->tables, xc_gpu_segment(j, 0, i), j->sizes[i], lane);
			s->crcs[i - first] = ~crc;
			for (uint32_t lane = 0; lane < 32; lane++)
				xc_gpu_place_lane(j, 0, i, ~crc, lane);
		}
		for (uint32_t i = 0; i < 2 * XC_GPU_PLACE_TILES; i++) {
			const uint32_t share = xc_gpu_place_share(j, 0, first, i, s);
			*(i < XC_GPU_PLACE_TILES ? &j->states[0].data_crc : &j->states[0].index_crc) ^= share;
		}
	}
	xc_gpu_finish(j, 0);
}

/* The forward kernel that the module takes. */
static void forward(const xc_gpu_encode_job *general)
{
	xc_gpu_encode_job j = *general;
	int kind = j.transform == XC_TRANSFORM_DCT ? XC_GPU_PLAIN : XC_GPU_LAPPED;
	if (xc_gpu_common(&j)) {
		xc_gpu_make_common(&j, j.h, j.transform);
		kind = xc_gpu_common_kind(j.transform);
	}
	/* One thread needs planes and columns at the same time. */
	const size_t bytes = xc_gpu_forward_shared(&j, kind) + xc_gpu_column_bytes(&j);
	xc_gpu_four *shared = aligned_alloc(16, bytes);
	if (!shared)
		abort();
	memset(shared, 0xff, bytes); /* no numbers: what is used must have been made */
	for (uint32_t i = 0; i < xc_gpu_forward_teams(&j); i++) {
		if (j.depth == 16)
			xc_gpu_forward32(&j, alone, i, 0, kind, shared);
		else
			xc_gpu_forward16(&j, alone, i, 0, kind, shared);
	}
	free(shared);
}

/* All kernels in their order. */
static void run_kernels(const xc_gpu_encode_job *j)
{
	xc_gpu_code_shared code;
	uint32_t *code_memory = get(xc_gpu_code_carve(&code, j, 1, NULL));
	xc_gpu_count_shared *count = get(sizeof *count);
	xc_gpu_layout_shared *layout = get(sizeof *layout);
	xc_gpu_huffman_shared *huffman = get(sizeof *huffman);
	xc_gpu_place_shared *place = get(sizeof *place);
	const int deep = j->depth == 16;
	forward(j);
	for (uint32_t i = 0; j->codes && i < j->tiles; i++)
		(deep ? xc_gpu_count32 : xc_gpu_count16)(j, alone, i, 0, count);
	for (uint32_t i = 0; j->codes && i < (j->components == 1 ? 2 : 4); i++)
		xc_gpu_make_code(j, alone, i / 2, i % 2, 0, huffman);
	xc_gpu_code_carve(&code, j, 1, code_memory);
	xc_gpu_load_tables(j, alone, 0, &code);
	for (uint32_t i = 0; i < j->tiles; i++)
		(deep ? xc_gpu_code32 : xc_gpu_code16)(j, alone, i, 0, &code);
	xc_gpu_write_head(j, alone, 0, layout);
	if (j->states[0].fits)
		place_all(j, place);
	free(code_memory);
	free(count);
	free(layout);
	free(huffman);
	free(place);
}

/* What the module's encoder does, for one picture. */
static uint64_t encode(const xc_picture *p, const xc_encode_options *o, uint8_t *file,
                       size_t capacity)
{
	xc_encode_plan e;
	xc_coder_tables coder[2];
	xc_crc_constants crc;
	uint8_t prefix[XC_MAGIC_BYTES + 2 * XC_CHUNK_OVERHEAD + XC_HEAD_BYTES + 259];
	xc_writer w = {prefix};
	uint64_t size = 0;
	xc_gpu_encode_job j;

	xc_encode_plan_init(&e, p, o);
	xc_write_magic(&w);
	xc_write_head(&w, &e.header);
	xc_write_quant(&w, e.quant_preset, e.geometry.components == 1 ? 1 : 2, e.steps);
	for (int i = 0; i < 2; i++) {
		xc_huffman_code codes[2];
		xc_huffman_default(&codes[0], 0, i);
		xc_huffman_default(&codes[1], 1, i);
		xc_coder_tables_init(&coder[i], &codes[0], &codes[1]);
	}
	xc_crc_constants_init(&crc);
	const xc_gpu_encode_plan plan = {
		.channels = p->channels,
		.depth = p->depth,
		.transform = o->transform,
		.geometry = e.geometry,
		.prefix_size = (size_t)(w.next - prefix),
		.batch = 1,
	};
	xc_gpu_job_init(&j, &plan);
	const int optimized = o->huffman == XC_HUFFMAN_OPTIMIZED;
	const size_t bytes = xc_gpu_job_carve(&j, 1, capacity, optimized, NULL);
	void *scratch = aligned_alloc(256, bytes);
	if (!scratch)
		abort();
	memset(scratch, 0xa5, bytes);
	xc_gpu_job_carve(&j, 1, capacity, optimized, scratch);
	const xc_gpu_pictures in = {p->data, p->stride, 0, 1};
	j.pixels = p->data;
	j.stride = p->stride;
	j.files = file;
	j.capacity = capacity;
	j.file_sizes = &size;
	j.coder = coder;
	j.quant = &e.tables[0][0];
	j.crc = &crc;
	j.prefix = prefix;
	j.fast_loads = xc_gpu_aligned_pixels(&in);
	run_kernels(&j);
	free(scratch);
	return size;
}

static void compare(const xc_picture *p, const xc_encode_options *o)
{
	xc_context *c = xc_context_new(NULL);
	xc_buffer want;
	if (!c)
		abort();
	CHECK(!xc_encode(c, p, NULL, o, &want), "%s", xc_context_message(c));
	uint8_t *file = get(want.size);
	const uint64_t size = encode(p, o, file, want.size);
	size_t same = 0;
	while (same < want.size && want.data && file[same] == want.data[same])
		same++;
	CHECK(size == want.size && same == want.size,
	      "%ux%u, %u channels of %u bits, transform %d, quality %d, subsampling %d, huffman %d: "
	      "%llu bytes instead of %zu, equal up to %zu",
	      p->width, p->height, p->channels, p->depth, (int)o->transform, o->quality,
	      (int)o->subsampling, (int)o->huffman, (unsigned long long)size, want.size, same);
	free(file);
	xc_buffer_free(c, &want);
	xc_context_free(c);
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
		o.huffman = (xc_huffman)h;
		uint8_t *file = get(100000);
		const uint64_t size = encode(&p, &o, file, 100000);
		for (size_t capacity = 0; capacity < size; capacity += (size - capacity + 1) / 2) {
			uint8_t *less = get(capacity);
			CHECK(encode(&p, &o, less, capacity) == size, "capacity %zu", capacity);
			free(less);
		}
		free(file);
	}
	free(p.data);
}

static void crc(void)
{
	xc_crc_constants k;
	uint32_t words[300];
	uint64_t seed = 5;
	xc_crc_constants_init(&k);
	for (size_t i = 0; i < 300; i++)
		words[i] = (uint32_t)(check_random(&seed) >> 32);
	for (uint32_t size = 0; size < 1190; size++) {
		uint32_t sum = 0;
		for (uint32_t lane = 0; lane < 32; lane++)
			sum ^= xc_crc_lane(&k, k.tables, words, size, lane);
		CHECK(~sum == xc_crc32c(0, words, size), "%u bytes", size);
	}
}

int main(void)
{
	RUN(crc);
	RUN(layouts_and_sizes);
	RUN(transforms);
	RUN(common);
	RUN(qualities);
	RUN(noise);
	RUN(flat);
	RUN(too_small);
	return check_done();
}
