/* SPDX-License-Identifier: BSD-2-Clause */
/* What `xcodec bench gpu` says about a coding beside its times: bits a pixel and PSNR of one frame,
 * whose file must be the processor's. */
#include "bench/gpu/gpu.h"

#include "cli/base/report.h"

#include <stdlib.h>
#include <string.h>

/* The first frame, and its file by the GPU. */
typedef struct sample {
	xc_picture picture;
	uint8_t *file;
	size_t size;
} sample;

static xc_status download(const xc_bench_gpu *b, void *to, const void *from, size_t size,
                          xc_gpu_error *e)
{
	const xc_gpu_module *m = b->gpu->module;
	const xc_status s = m->copy(b->gpu->gpu, to, from, size, NULL, e);
	return s ? s : m->synchronize(b->gpu->gpu, NULL, e);
}

static xc_status take_sample(xc_bench_gpu *b, const xc_encode_options *o, sample *s,
                             xc_gpu_error *e)
{
	const xc_gpu_module *m = b->gpu->module;
	const size_t room = xc_bench_gpu_file_room(b);
	const xc_cuda_pictures in = {b->frames, b->stride, 0, 1};
	xc_cuda_encoder *encoder = NULL;
	xc_cuda_files out = {NULL, room, NULL};
	void *size = NULL, *file = NULL, *pixels = NULL;

	xc_bench_gpu_allocate(b, XC_GPU_DEVICE_MEMORY, room, &out.data, e);
	xc_bench_gpu_allocate(b, XC_GPU_PINNED_MEMORY, sizeof(uint64_t), &size, e);
	xc_bench_gpu_allocate(b, XC_GPU_PINNED_MEMORY, room, &file, e);
	xc_bench_gpu_allocate(b, XC_GPU_PINNED_MEMORY, b->frame_bytes, &pixels, e);
	out.sizes = size;
	s->picture = (xc_picture){b->width, b->height, 3, 8, b->stride, pixels};
	s->file = file;
	xc_status status = e->status;
	if (!status)
		status = xc_bench_gpu_tell(b,
		                           xc_cuda_encoder_new(b->gpu, &s->picture, NULL, o, 1, &encoder),
		                           e);
	if (!status)
		status = xc_bench_gpu_tell(b, xc_cuda_encode(encoder, &in, &out, NULL, NULL), e);
	status = status ? status : xc_bench_gpu_tell(b, xc_cuda_encoder_wait(encoder), e);
	s->size = status ? 0 : (size_t)out.sizes[0];
	if (!status)
		status = download(b, file, out.data, s->size < room ? s->size : room, e);
	status = status ? status : download(b, pixels, b->frames, b->frame_bytes, e);
	xc_cuda_encoder_free(encoder);
	m->release(b->gpu->gpu, out.data);
	m->release(b->gpu->gpu, size);
	return status;
}

/* Compares with what the processor makes of the picture. */
static xc_status judge(xc_bench_gpu *b, const xc_encode_options *o, const sample *s, int *same)
{
	xc_context *c = b->context;
	xc_comparison result;
	xc_picture out = {0};
	xc_buffer file = {0};
	xc_status status = xc_encode(c, &s->picture, NULL, o, &file);

	*same = !status && file.size == s->size && !memcmp(file.data, s->file, file.size);
	status = status ? status : xc_decode(c, file.data, file.size, NULL, &out);
	status = status ? status : xc_compare(c, &s->picture, &out, &result);
	if (!status)
		b->quality[b->number] = (xc_bench_gpu_quality){8.0 * (double)file.size / b->width /
		                                                   b->height,
		                                               result.psnr_rgb};
	xc_picture_free(c, &out);
	xc_buffer_free(c, &file);
	return status;
}

int xc_bench_gpu_judge(xc_bench_gpu *b, const xc_encode_options *o)
{
	xc_gpu_error e = {XC_OK, ""};
	sample s = {.size = 0};
	int same = 0;
	int failed = xc_bench_gpu_check(b, take_sample(b, o, &s, &e), &e);

	failed = failed ? failed : xc_bench_gpu_check(b, judge(b, o, &s, &same), NULL);
	if (!failed && !same)
		failed = xc_cli_error("bench gpu", "%s: the file is not the processor's", b->coding);
	b->gpu->module->release(b->gpu->gpu, s.file);
	b->gpu->module->release(b->gpu->gpu, s.picture.data);
	return failed ? -1 : 0;
}
