/* SPDX-License-Identifier: BSD-2-Clause */
/* `xcodec bench gpu`: encoding from device memory to device memory. */
#include "bench/gpu/gpu.h"

typedef struct encoding {
	xc_bench_gpu *b;
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

static int measure(encoding *c)
{
	xc_bench_gpu *b = c->b;
	xc_bench_gpu_result r = {.what = "encode", .pictures = c->count};
	const xc_bench_gpu_work w = {encode_once,
	                             NULL,
	                             c,
	                             b->gpu->module->encode->stages(c->encoder->encoder, r.stage_names),
	                             2,
	                             NULL};

	return xc_bench_gpu_measure(b, &w, c->files.sizes, &r);
}

static int encode_case(xc_bench_gpu *b, const xc_encode_options *o, uint32_t count)
{
	const xc_gpu_module *m = b->gpu->module;
	xc_gpu *gpu = b->gpu->gpu;
	const xc_picture p = {.width = b->width, .height = b->height, .channels = 3, .depth = 8};
	encoding c = {.b = b, .count = count};
	xc_gpu_error e = {XC_OK, ""};
	void *sizes = NULL;

	c.files.distance = xc_bench_gpu_file_room(b);
	if (xc_bench_gpu_check(b, xc_cuda_encoder_new(b->gpu, &p, NULL, o, count, &c.encoder), NULL))
		return -1;
	xc_bench_gpu_allocate(b, XC_GPU_DEVICE_MEMORY, c.files.distance * count, &c.files.data, &e);
	xc_bench_gpu_allocate(b, XC_GPU_PINNED_MEMORY, count * sizeof(uint64_t), &sizes, &e);
	xc_bench_gpu_allocate(b, XC_GPU_DEVICE_MEMORY,
	                      m->encode->scratch(c.encoder->encoder, count, c.files.distance),
	                      &c.scratch, &e);
	c.files.sizes = sizes;
	int failed = xc_bench_gpu_check(b, e.status, &e) || measure(&c);
	m->release(gpu, c.files.data);
	m->release(gpu, sizes);
	m->release(gpu, c.scratch);
	xc_cuda_encoder_free(c.encoder);
	return failed ? -1 : 0;
}

int xc_bench_gpu_encode(xc_bench_gpu *b, const xc_encode_options *o)
{
	return xc_bench_gpu_judge(b, o) || encode_case(b, o, 1) ||
	               (b->batch > 1 && encode_case(b, o, b->batch))
	           ? -1
	           : 0;
}
