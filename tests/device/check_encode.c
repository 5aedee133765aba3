/* SPDX-License-Identifier: BSD-2-Clause */
/* Files made on a GPU are those that the CPU makes, by whichever way they are asked for. */
#include <stdlib.h>
#include <string.h>

#include <xcodec_cuda.h>

#include "tests/support/check.h"
#include "tests/support/test_pictures.h"

static xc_context *cpu, *gpu_context; /* the second one encodes on the GPU */
static xc_cuda *gpu;                  /* and another handle of it */

static void describe_difference(const xc_picture *p, const xc_encode_options *o, const char *way,
                                const xc_buffer *want, const void *file, uint64_t size)
{
	uint64_t same = 0;
	while (same < want->size && same < size && ((const uint8_t *)file)[same] == want->data[same])
		same++;
	CHECK(size == want->size && same == size,
	      "%s: %ux%u, %u channels of %u bits, transform %d, quality %d, subsampling %d, "
	      "huffman %d: "
	      "%llu bytes instead of %zu, equal up to %llu",
	      way, p->width, p->height, p->channels, p->depth, (int)o->transform, o->quality,
	      (int)o->subsampling, (int)o->huffman, (unsigned long long)size, want->size,
	      (unsigned long long)same);
}

static void by_context(const xc_picture *p, const xc_encode_options *o)
{
	xc_buffer want = {0}, file = {0};
	CHECK(!xc_encode(cpu, p, NULL, o, &want), "%s", xc_context_message(cpu));
	CHECK(!xc_encode(gpu_context, p, NULL, o, &file), "%s", xc_context_message(gpu_context));
	CHECK(!strncmp(xc_context_device(gpu_context), "cuda:", 5), "done by %s",
	      xc_context_device(gpu_context));
	if (want.data && file.data)
		describe_difference(p, o, "xc_encode()", &want, file.data, file.size);
	xc_buffer_free(cpu, &want);
	xc_buffer_free(gpu_context, &file);
}

static void all_ways(const xc_picture *p, int quality)
{
	xc_encode_options o;
	xc_encode_options_default(&o);
	o.quality = quality;
	for (int s = 0; s <= (p->channels < 3 ? 0 : XC_SUBSAMPLING_GREY); s++) {
		for (int h = 0; h < 2; h++) {
			o.subsampling = (xc_subsampling)s;
			o.huffman = (xc_huffman)h;
			for (int t = 0; t <= XC_TRANSFORM_TDLT; t++) {
				o.transform = (xc_transform)t;
				by_context(p, &o);
			}
		}
	}
}

static void layouts_and_sizes(void)
{
	static const uint32_t sizes[][2] = {{333, 251}, {1, 1},       {17, 3},    {2, 400},  {600, 5},
	                                    {96, 64},   {1920, 1080}, {64, 4000}, {4001, 33}};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		for (uint32_t channels = 1; channels <= 4; channels++) {
			for (uint32_t depth = 8; depth <= 16; depth += 8) {
				xc_picture p = xc_test_picture(sizes[i][0], sizes[i][1], channels, depth,
				                               2 * (i % 3), 1);
				all_ways(&p, i % 2 ? 75 : 30);
				free(p.data);
			}
		}
	}
}

static void qualities(void)
{
	xc_test_qualities(1000, 750, all_ways);
}

static void noise(void)
{
	for (uint32_t depth = 8; depth <= 16; depth += 8) {
		xc_picture p = xc_test_noise(500, 270, depth);
		all_ways(&p, 100);
		all_ways(&p, 20);
		free(p.data);
	}
}

static void tables(void)
{
	xc_picture p = xc_test_picture(300, 200, 3, 8, 0, 1);
	xc_encode_options o;
	xc_encode_options_default(&o);
	xc_quant_tables_flat(&o.tables);
	by_context(&p, &o);
	for (int i = 0; i < 64; i++) {
		o.tables.luma[i] = (uint16_t)(1 + i * 37 % 99);
		o.tables.chroma[i] = (uint16_t)(1 + i * 1000 % 60000);
	}
	by_context(&p, &o);
	free(p.data);
}

/* Several pictures in one call, from memory aligned badly and well. */
static void batch(uint32_t width, uint32_t height, uint32_t depth, size_t shift, size_t padding)
{
	enum { COUNT = 5 };
	const xc_picture shape = {.width = width, .height = height, .channels = 3, .depth = depth};
	const size_t stride = (size_t)width * 3 * (depth / 8) + padding;
	const size_t distance = stride * height + 2 * padding, room = distance + 70000;
	xc_context *c = gpu_context;
	xc_cuda_encoder *encoder = NULL;
	void *host = NULL, *back = NULL, *sizes = NULL;
	xc_encode_options o;
	xc_encode_options_default(&o);
	o.huffman = (xc_huffman)(padding / 2 % 2);
	o.transform = (xc_transform)(shift % 3);
	CHECK(!xc_cuda_encoder_new(gpu, &shape, NULL, &o, COUNT, &encoder), "%s",
	      xc_context_message(c));
	CHECK(!xc_cuda_allocate_pinned(gpu, COUNT * distance + 16, &host) &&
	          !xc_cuda_allocate_pinned(gpu, COUNT * room, &back) &&
	          !xc_cuda_allocate_pinned(gpu, COUNT * sizeof(uint64_t), &sizes),
	      "%s", xc_context_message(c));
	if (encoder && host && back && sizes) {
		/* Kernels reach pinned memory as well: no copies are needed here. */
		const xc_cuda_pictures in = {(char *)host + shift, stride, distance, COUNT};
		const xc_cuda_files out = {back, room, sizes};
		xc_picture p[COUNT];
		for (uint32_t i = 0; i < COUNT; i++) {
			p[i] = xc_test_picture(width, height, 3, depth, 0, (int)i);
			for (uint32_t y = 0; y < height; y++)
				memcpy((char *)host + shift + i * distance + y * stride,
				       (char *)p[i].data + y * p[i].stride, (size_t)width * 3 * (depth / 8));
		}
		/* The second call needs more scratch while the first is under way. */
		xc_cuda_pictures first = in;
		first.count = 1;
		CHECK(!xc_cuda_encode(encoder, &first, &out, NULL, NULL), "%s", xc_context_message(c));
		CHECK(!xc_cuda_encode(encoder, &in, &out, NULL, NULL), "%s", xc_context_message(c));
		CHECK(!xc_cuda_synchronize(gpu, NULL), "%s", xc_context_message(c));
		for (uint32_t i = 0; i < COUNT; i++) {
			xc_buffer want = {0};
			CHECK(!xc_encode(cpu, &p[i], NULL, &o, &want), "%s", xc_context_message(cpu));
			describe_difference(&p[i], &o, "batch", &want, (char *)back + i * room,
			                    ((uint64_t *)sizes)[i]);
			xc_buffer_free(cpu, &want);
			free(p[i].data);
		}
	}
	xc_cuda_release(gpu, host);
	xc_cuda_release(gpu, back);
	xc_cuda_release(gpu, sizes);
	xc_cuda_encoder_free(encoder);
}

static void batches(void)
{
	batch(640, 480, 8, 0, 0);
	batch(333, 100, 8, 1, 3);
	batch(333, 100, 8, 4, 5);
	batch(200, 99, 16, 2, 6);
	batch(33, 34, 16, 0, 0);
}

static void queue(uint32_t width, uint32_t height, uint32_t slots)
{
	enum { COUNT = 20 };
	const xc_picture shape = {.width = width, .height = height, .channels = 3, .depth = 8};
	xc_cuda_encode_queue *q = NULL;
	xc_context *c = gpu_context;
	uint32_t submitted = 0;
	CHECK(!xc_cuda_encode_queue_new(gpu, &shape, NULL, NULL, slots, &q), "%s",
	      xc_context_message(c));
	for (uint32_t done = 0; q && done < COUNT; done++) {
		const void *file;
		size_t size;
		xc_picture p;
		xc_buffer want = {0};
		xc_encode_options o;
		for (; submitted < COUNT && submitted < done + slots; submitted++) {
			xc_picture t = xc_test_picture(width, height, 3, 8, 0, (int)submitted);
			CHECK(!xc_cuda_encode_queue_next(q, &p), "%s", xc_context_message(c));
			for (uint32_t y = 0; y < t.height; y++)
				memcpy((char *)p.data + y * p.stride, (char *)t.data + y * t.stride, t.stride);
			CHECK(!xc_cuda_encode_queue_submit(q), "%s", xc_context_message(c));
			free(t.data);
		}
		CHECK(!xc_cuda_encode_queue_collect(q, &file, &size), "%s", xc_context_message(c));
		xc_picture t = xc_test_picture(width, height, 3, 8, 0, (int)done);
		xc_encode_options_default(&o);
		CHECK(!xc_encode(cpu, &t, NULL, &o, &want), "%s", xc_context_message(cpu));
		describe_difference(&t, &o, "queue", &want, file, size);
		xc_buffer_free(cpu, &want);
		free(t.data);
	}
	xc_cuda_encode_queue_free(q);
}

static void queues(void)
{
	queue(501, 302, 1);
	queue(501, 302, 3);
	/* whose room is just what such files may take */
	queue(1, 1, 3);
	queue(30, 11, 2);
}

int main(void)
{
	cpu = xc_context_new(NULL);
	gpu_context = xc_context_new(NULL);
	if (!cpu || !gpu_context)
		return 1;
	if (xc_cuda_open(gpu_context, 0, &gpu)) {
		printf("# %s\n", xc_context_message(gpu_context));
		return CHECK_SKIPPED;
	}
	if (xc_context_set_device(gpu_context, "cuda")) {
		printf("not ok - %s\n", xc_context_message(gpu_context));
		return 1;
	}
	RUN(layouts_and_sizes);
	RUN(qualities);
	RUN(noise);
	RUN(tables);
	RUN(batches);
	RUN(queues);
	xc_cuda_close(gpu);
	xc_context_free(gpu_context);
	xc_context_free(cpu);
	return check_done();
}
