/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The decoder's kernels, which the stub of a module runs on the processor: the same pictures
 * as xc_decode() makes, and the same segments damaged.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/decode/ranges.h"
#include "gpu/decode/segment.h"
#include "src/core/crc32c.h"
#include "src/decode/coded.h"
#include "tests/emulated/stub_module.h"
#include "tests/support/check.h"
#include "tests/support/test_pictures.h"

static xc_context *context;

static xc_cuda *gpu;

/* Decodes a file with copies of segments of up to `words`, on a GPU that has so many bytes of
 * shared memory.  The number of damaged segments. */
static uint64_t emulate(const xc_buffer *file, const xc_decode_options *o, uint32_t words,
                        size_t shared, const xc_picture *out)
{
	xc_cuda_file one = {.file = file->data, .size = file->size, .picture = *out};
	xc_cuda_decoder *decoder;
	gpu->gpu->copy_words = words;
	gpu->gpu->shared_bytes = shared;
	if (xc_cuda_decoder_new(gpu, o, 1, &decoder) || xc_cuda_decode(decoder, &one, 1, NULL, NULL) ||
	    xc_cuda_decoder_wait(decoder))
		abort();
	xc_cuda_decoder_free(decoder);
	return one.damaged_segments;
}

/* ------------------------------------------------------------- comparisons */

static int same(const xc_picture *a, const xc_picture *b)
{
	const size_t row = (size_t)a->width * a->channels * (a->depth / 8);
	for (uint32_t y = 0; y < a->height; y++)
		if (memcmp((char *)a->data + y * a->stride, (char *)b->data + y * b->stride, row))
			return 0;
	return 1;
}

/* Whether the bytes before, between and after rows are as they were. */
static int untouched(const xc_picture *p, const uint8_t *memory)
{
	const size_t row = (size_t)p->width * p->channels * (p->depth / 8);
	const size_t before = (size_t)((uint8_t *)p->data - memory);
	for (size_t i = 0; i < p->stride * p->height + 12; i++) {
		const size_t at = i - before;
		const int inside = i >= before && at < p->stride * p->height && at % p->stride < row;
		if (!inside && memory[i] != 0xa5)
			return 0;
	}
	return 1;
}

static xc_transform transform; /* of all that is encoded */

static void compare(const xc_buffer *file, int rounding, const char *what)
{
	xc_decode_options o = {.keep_going = 1, .jpeg_rounding = rounding};
	xc_picture right = {0}, mine;
	const xc_status s = xc_decode(context, file->data, file->size, &o, &right);
	CHECK(!s, "%s: %s", what, xc_context_message(context));
	if (s)
		return;
	mine = right;
	/* Rows that lie differently towards multiples of 16. */
	static const struct {
		uint32_t first, stride;
	} ways[] = {{0, 0}, {4, 0}, {8, 0}, {12, 8}, {2, 6}};
	for (uint32_t turn = 0; turn < (transform == XC_TRANSFORM_DCT ? 5 : 10); turn++) {
		const uint32_t way = turn % 5;
		mine.stride = (right.stride + 15) / 16 * 16 + ways[way].stride;
		uint8_t *memory = xc_stub_need(mine.stride * mine.height + 12);
		mine.data = memory + ways[way].first;
		/* Most segments have room in 100 words, some not. */
		const uint64_t damaged = emulate(file, &o, turn % 2 * 100,
		                                 turn < 5 ? SIZE_MAX : XC_GPU_LEAST_SHARED, &mine);
		CHECK(damaged == o.damaged_segments, "%s: %u damaged, not %u", what, (unsigned)damaged,
		      (unsigned)o.damaged_segments);
		CHECK(same(&right, &mine), "%s: other pixels, way %u", what, (unsigned)turn);
		CHECK(untouched(&mine, memory), "%s: more than pixels, way %u", what, (unsigned)turn);
		free(memory);
	}
	xc_picture_free(context, &right);
}

static xc_buffer encoded(uint32_t width, uint32_t height, uint32_t channels, uint32_t depth,
                         const xc_encode_options *o)
{
	xc_buffer file = {0};
	xc_picture p = xc_test_picture(width, height, channels, depth, 0, 1);
	if (xc_encode(context, &p, NULL, o, &file))
		abort();
	free(p.data);
	return file;
}

static xc_encode_options options(int quality, xc_subsampling s, xc_huffman huffman)
{
	xc_encode_options o;
	xc_encode_options_default(&o);
	o.quality = quality;
	o.subsampling = s;
	o.huffman = huffman;
	o.transform = transform;
	return o;
}

static void one(uint32_t width, uint32_t height, uint32_t channels, uint32_t depth, int quality,
                int subsampling, int huffman)
{
	char what[96];
	snprintf(what, sizeof what, "%ux%u, %u channels of %u bits, quality %d, chroma %d, codes %d",
	         (unsigned)width, (unsigned)height, (unsigned)channels, (unsigned)depth, quality,
	         subsampling, huffman);
	const xc_encode_options o = options(quality, (xc_subsampling)subsampling, (xc_huffman)huffman);
	xc_buffer file = encoded(width, height, channels, depth, &o);
	compare(&file, 0, what);
	if (quality == 90)
		compare(&file, 1, what);
	xc_buffer_free(context, &file);
}

/* ------------------------------------------------------------------- cases */

static void sizes(void)
{
	static const uint32_t list[][2] = {{1, 1},    {2, 1},     {1, 2},    {3, 5},    {8, 8},
	                                   {16, 16},  {17, 33},   {127, 31}, {128, 32}, {129, 65},
	                                   {256, 64}, {257, 130}, {3, 700},  {700, 3},  {513, 97}};
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		for (int s = 0; s < 4; s++)
			one(list[i][0], list[i][1], s == XC_SUBSAMPLING_GREY ? 1 : 3, 8, 75, s, 0);
}

static void layouts(void)
{
	for (uint32_t depth = 8; depth <= 16; depth += 8)
		for (uint32_t channels = 1; channels <= 4; channels++)
			for (int s = 0; s < 3; s++)
				one(200, 77, channels, depth, 90, channels < 3 ? (int)XC_SUBSAMPLING_GREY : s, 0);
}

static void qualities(void)
{
	static const int list[] = {1, 10, 34, 50, 92, 100};
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		for (int codes = 0; codes < 2; codes++)
			for (uint32_t depth = 8; depth <= 16; depth += 8)
				one(201, 153, 3, depth, list[i], (int)(i % 3), codes);
}

static void lapped(void)
{
	static const uint32_t list[][2] = {{1, 1}, {8, 8}, {17, 33}, {128, 32}, {129, 65}, {257, 130}};
	for (transform = XC_TRANSFORM_LOT; transform <= XC_TRANSFORM_TDLT; transform++)
		for (size_t i = 0; i < sizeof list / sizeof *list; i++)
			for (int s = 0; s < 4; s++)
				one(list[i][0], list[i][1], s == XC_SUBSAMPLING_GREY ? 1 : 3, i % 2 ? 8 : 16, 90, s,
				    0);
	transform = XC_TRANSFORM_DCT;
}

/* Segments that are wrong in any way, and right for their checksum: what is after
 * it has to hold, too. */
static void damage(void)
{
	uint32_t seed = 1;
	const xc_encode_options o = options(60, XC_SUBSAMPLING_420, XC_HUFFMAN_OPTIMIZED);
	xc_buffer whole[2] = {encoded(150, 90, 3, 8, &o), encoded(150, 90, 3, 16, &o)};
	for (int turn = 0; turn < 150; turn++) {
		const xc_buffer *from = &whole[turn % 3 == 0];
		xc_buffer file = {xc_stub_need(from->size), from->size};
		xc_coded coded;
		memcpy(file.data, from->data, file.size);
		if (xc_coded_open(context, file.data, file.size, 0, &coded))
			abort();
		uint8_t *data = file.data + (coded.container.data - file.data);
		uint8_t *index = file.data + (coded.container.index - file.data);
		const size_t size = (size_t)coded.container.data_size;
		for (int n = 0; n <= turn % 7; n++) {
			seed = seed * 1664525 + 1013904223;
			data[(seed >> 8) % size] ^= (uint8_t)(1 << (seed >> 5) % 8);
		}
		const uint32_t entry = coded.container.index_size_bytes + 2;
		for (uint64_t i = 0; turn % 2 && i < coded.container.segments; i++) {
			uint32_t crc;
			(void)xc_coded_intact(&coded, i, &crc);
			index[i * entry + entry - 2] = (uint8_t)crc;
			index[i * entry + entry - 1] = (uint8_t)(crc >> 8);
		}
		/* INDX has a checksum of its own, after its last entry. */
		uint8_t *end = index + coded.container.segments * entry;
		const uint8_t *start = index - 1;
		while (memcmp(start, "INDX", 4))
			start--;
		const uint32_t crc = xc_crc32c(0, start, (size_t)(end - start));
		for (int i = 0; i < 4; i++)
			end[i] = (uint8_t)(crc >> 8 * i);
		xc_coded_close(context, &coded);
		compare(&file, 0, "damaged");
		free(file.data);
	}
	xc_buffer_free(context, &whole[0]);
	xc_buffer_free(context, &whole[1]);
}

/* Ranges hold every segment once, and no more work than there is beside the largest one. */
static void ranges(void)
{
	enum { PICTURES = 7, MOST = 40 };
	xc_gpu_decode_job jobs[PICTURES] = {0};
	xc_gpu_segment *segments = xc_stub_need(PICTURES * MOST * sizeof *segments);
	uint32_t seed = 3, count = 0;
	uint64_t all = 0, largest = 0;
	for (int k = 0; k < PICTURES; k++) {
		jobs[k].first_segment = count;
		jobs[k].segments = 1 + (uint32_t)k * 37 % MOST;
		for (uint32_t i = 0; i < jobs[k].segments; i++) {
			seed = seed * 1664525 + 1013904223;
			const uint32_t size = seed >> 20;
			segments[count++] = (xc_gpu_segment){.start = jobs[k].bytes, .size = size};
			jobs[k].bytes += size;
			largest = size > largest ? size : largest;
		}
		all += jobs[k].bytes;
	}
	all += (uint64_t)count * XC_GPU_SEGMENT_COST;
	for (uint32_t n = 1; n <= 132; n++) {
		xc_gpu_ranges r;
		uint32_t longest = 0, wrong = 0;
		const uint32_t said = xc_gpu_ranges_make(&r, n, jobs, PICTURES, segments);
		for (uint32_t i = 0; i < n; i++) {
			uint64_t work = 0;
			const uint32_t first = r.first[i], end = r.first[i + 1];
			wrong += end < first || jobs[r.job[i]].first_segment > first;
			for (uint32_t j = first; j < end; j++)
				work += segments[j].size + XC_GPU_SEGMENT_COST;
			wrong += work > all / n + largest + 2 * XC_GPU_SEGMENT_COST;
			longest = end - first > longest ? end - first : longest;
		}
		CHECK(!wrong && r.first[0] == 0 && r.first[n] == count && said == longest,
		      "%u ranges, %u wrong", (unsigned)n, (unsigned)wrong);
	}
	free(segments);
}

/* Every length and alignment, against the CPU's CRC. */
static void checksums(void)
{
	const xc_crc_read_constants constants = xc_crc_read_constants_make();
	xc_crc_read_tables *tables = xc_stub_need(sizeof *tables);
	uint8_t *memory = xc_stub_need(1200);
	uint32_t seed = 7;
	xc_crc_read_fill(tables, &constants, 0, 1);
	for (int i = 0; i < 1200; i++) {
		seed = seed * 1664525 + 1013904223;
		memory[i] = (uint8_t)(seed >> 24);
	}
	for (uint32_t size = 1; size < 600; size++) {
		uint8_t *exact = xc_stub_need((size + 6) / 4 * 4);
		for (uint32_t shift = 0; shift < 4; shift++) {
			memcpy(exact + shift, memory + size, size);
			const xc_gpu_bits b = xc_gpu_bits_of(exact + shift, size);
			const uint32_t right = xc_crc32c(0, exact + shift, size);
			uint32_t *to = xc_stub_need(((size + 3) / 4 + XC_GPU_COPY_MARGIN) * sizeof *to);
			const xc_gpu_bits copy = xc_gpu_copy_bits(&b, to, 0);
			CHECK(xc_crc_read(&b, tables, 0) == right && xc_crc_read(&copy, tables, 1) == right,
			      "%u bytes, %u beside a word", (unsigned)size, (unsigned)shift);
			free(to);
		}
		free(exact);
	}
	free(memory);
	free(tables);
}

int main(void)
{
	context = xc_context_new(NULL);
	if (!context)
		return 1;
	gpu = xc_stub_open(context);
	RUN(checksums);
	RUN(ranges);
	RUN(sizes);
	RUN(layouts);
	RUN(qualities);
	RUN(lapped);
	RUN(damage);
	xc_cuda_close(gpu);
	xc_context_free(context);
	return check_done();
}
