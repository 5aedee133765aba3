/* SPDX-License-Identifier: BSD-2-Clause */
/* The encoder's part of `xcodec bench gpu`. */
#include "bench/gpu/gpu.h"

#include "cli/base/report.h"

#include <stdio.h>
#include <string.h>

typedef struct encoding {
	const xc_bench_gpu *b;
	xc_cuda_encoder *encoder;
	xc_cuda_files files;
	void *scratch;
	uint32_t count;
} encoding;

static xc_status encode_once(void *user, uint32_t run, void **marks, xc_gpu_error *e)
{
	const encoding *c = user;
	const xc_bench_gpu *b = c->b;
	const uint32_t first = (uint32_t)((uint64_t)run * c->count % (b->frame_count - c->count + 1));
	const xc_cuda_pictures in = {(char *)b->frames + first * b->frame_bytes, b->stride,
	                             b->frame_bytes, c->count};

	return b->gpu->module->encode->run(c->encoder->encoder, &in, &c->files, c->scratch, NULL, marks,
	                                   e);
}

void xc_bench_gpu_coding(int number, xc_encode_options *o, char name[64])
{
	static const struct {
		int quality;
		xc_subsampling subsampling;
		xc_transform transform;
		xc_huffman huffman;
	} codings[XC_BENCH_GPU_CODINGS] = {
		{75, XC_SUBSAMPLING_420, XC_TRANSFORM_DCT, XC_HUFFMAN_DEFAULT},
		{75, XC_SUBSAMPLING_420, XC_TRANSFORM_DCT, XC_HUFFMAN_OPTIMIZED},
		{90, XC_SUBSAMPLING_444, XC_TRANSFORM_DCT, XC_HUFFMAN_DEFAULT},
		{90, XC_SUBSAMPLING_444, XC_TRANSFORM_DCT, XC_HUFFMAN_OPTIMIZED},
		/* Optimized codes cost the same with the others. */
		{75, XC_SUBSAMPLING_420, XC_TRANSFORM_LOT, XC_HUFFMAN_DEFAULT},
		{75, XC_SUBSAMPLING_420, XC_TRANSFORM_TDLT, XC_HUFFMAN_DEFAULT},
		{90, XC_SUBSAMPLING_444, XC_TRANSFORM_LOT, XC_HUFFMAN_DEFAULT},
		{90, XC_SUBSAMPLING_444, XC_TRANSFORM_TDLT, XC_HUFFMAN_DEFAULT},
	};
	static const char *const transforms[] = {"", " LOT", " TDLT"};

	xc_encode_options_default(o);
	o->quality = codings[number].quality;
	o->subsampling = codings[number].subsampling;
	o->transform = codings[number].transform;
	o->huffman = codings[number].huffman;
	snprintf(name, 64, "q%d %s%s %s", o->quality,
	         o->subsampling == XC_SUBSAMPLING_444 ? "4:4:4" : "4:2:0", transforms[o->transform],
	         o->huffman == XC_HUFFMAN_DEFAULT ? "default" : "optimized");
}

static int measure(encoding *c, const char *coding)
{
	xc_bench_gpu *b = (xc_bench_gpu *)c->b;
	xc_bench_gpu_result r = {.what = "encode", .pictures = c->count};
	const xc_bench_gpu_work w = {encode_once, NULL, c,
	                             b->gpu->module->encode->stages(c->encoder->encoder, r.stage_names),
	                             NULL};
	double bytes = 0;

	snprintf(r.coding, sizeof r.coding, "%s", coding);
	if (xc_bench_gpu_time(b, &w, &r))
		return -1;
	for (uint32_t i = 0; i < c->count; i++)
		bytes += (double)c->files.sizes[i];
	r.bytes = bytes + (double)b->width * b->height * 3 * c->count;
	xc_bench_gpu_print(b, &r);
	if (c->count < b->batch)
		return 0;
	if (xc_bench_gpu_time_row(b, &w, &r))
		return -1;
	xc_bench_gpu_print(b, &r);
	return 0;
}

static int encode_case(xc_bench_gpu *b, const xc_encode_options *o, const char *coding,
                       uint32_t count)
{
	const xc_gpu_module *m = b->gpu->module;
	xc_gpu *gpu = b->gpu->gpu;
	const xc_picture p = {.width = b->width, .height = b->height, .channels = 3, .depth = 8};
	encoding c = {.b = b, .count = count};
	xc_gpu_error e = {XC_OK, ""};
	void *sizes = NULL;
	int failed;

	c.files.distance = (b->frame_bytes / 2 + 65536 + 255) / 256 * 256;
	if (xc_bench_gpu_check(b, xc_cuda_encoder_new(b->gpu, &p, NULL, o, count, &c.encoder), NULL))
		return -1;
	xc_status s = m->allocate(gpu, XC_GPU_DEVICE_MEMORY, c.files.distance * count, &c.files.data,
	                          &e);
	if (!s)
		s = m->allocate(gpu, XC_GPU_PINNED_MEMORY, count * sizeof(uint64_t), &sizes, &e);
	if (!s)
		s = m->allocate(gpu, XC_GPU_DEVICE_MEMORY,
		                m->encode->scratch(c.encoder->encoder, count, c.files.distance), &c.scratch,
		                &e);
	c.files.sizes = sizes;
	failed = xc_bench_gpu_check(b, s, &e) || measure(&c, coding);
	m->release(gpu, c.files.data);
	m->release(gpu, sizes);
	m->release(gpu, c.scratch);
	xc_cuda_encoder_free(c.encoder);
	return failed ? -1 : 0;
}

int xc_bench_gpu_encode(xc_bench_gpu *b)
{
	if (!b->gpu->module->encode)
		return 0;
	for (int i = 0; i < XC_BENCH_GPU_CODINGS; i++) {
		xc_encode_options o;
		char name[64];

		xc_bench_gpu_coding(i, &o, name);
		if (encode_case(b, &o, name, 1) || (b->batch > 1 && encode_case(b, &o, name, b->batch)))
			return -1;
	}
	return 0;
}
