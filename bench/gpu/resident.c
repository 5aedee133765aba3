/* SPDX-License-Identifier: BSD-2-Clause */
/* `xcodec bench gpu`: decoding from device memory to device memory.  The files are in host memory
 * as well: the host reads headers and index, the GPU everything else. */
#include "bench/gpu/gpu.h"

#include "src/cuda/decoder.h"

#include <stdio.h>
#include <string.h>

/* Calls under way: the host works on one while the GPU works on two, of which one has its segments
 * decoded and the other its pixels made. */
enum { UNDER_WAY = 3 };

typedef struct decoding {
	xc_bench_gpu *b;
	uint32_t count;
	xc_bench_gpu_files files;
	void *pictures; /* pixels, on the device */
	xc_cuda_file list[UNDER_WAY][XC_BENCH_GPU_FRAMES];
	xc_cuda_decoder *decoders[UNDER_WAY];
	void *streams[UNDER_WAY];
} decoding;

static void list_pictures(decoding *d, uint32_t run)
{
	const xc_bench_gpu *b = d->b;
	const xc_bench_gpu_files *f = &d->files;

	for (uint32_t i = 0; i < d->count; i++) {
		const uint32_t n = (uint32_t)(((uint64_t)run * d->count + i) % b->frame_count);

		d->list[run % UNDER_WAY][i] = (xc_cuda_file){
			.file = (char *)f->host + n * f->room,
			.size = (size_t)f->sizes[n],
			.device_file = (char *)f->device + n * f->room,
			.picture = {b->width, b->height, 3, 8, b->stride,
		                (char *)d->pictures + n * b->frame_bytes},
		};
	}
}

static xc_status decode_once(void *user, uint32_t run, void **marks, xc_gpu_error *e)
{
	decoding *d = user;
	const uint32_t i = run % UNDER_WAY;

	list_pictures(d, run);
	return xc_bench_gpu_tell(d->b,
	                         xc_cuda_decoder_start(d->decoders[i], d->list[i], d->count, NULL, NULL,
	                                               d->streams[i], marks),
	                         e);
}

static xc_status finish(void *user, uint32_t run, xc_gpu_error *e)
{
	const decoding *d = user;

	return xc_bench_gpu_tell(d->b, xc_cuda_decoder_finish(d->decoders[run % UNDER_WAY]), e);
}

static xc_status set_up(decoding *d, const xc_encode_options *o, xc_gpu_error *e)
{
	xc_bench_gpu *b = d->b;
	xc_status s = xc_bench_gpu_files_make(b, o, &d->files, e);

	for (int i = 0; i < UNDER_WAY && !s; i++) {
		s = b->gpu->module->stream_new(b->gpu->gpu, &d->streams[i], e);
		if (!s)
			s = xc_bench_gpu_tell(b,
			                      xc_cuda_decoder_new(b->gpu, NULL, XC_BENCH_GPU_FRAMES,
			                                          &d->decoders[i]),
			                      e);
	}
	return s ? s
	         : b->gpu->module->allocate(b->gpu->gpu, XC_GPU_DEVICE_MEMORY,
	                                    b->frame_bytes * b->frame_count, &d->pictures, e);
}

static void tear_down(decoding *d)
{
	for (int i = 0; i < UNDER_WAY; i++) {
		xc_cuda_decoder_free(d->decoders[i]);
		d->b->gpu->module->stream_free(d->b->gpu->gpu, d->streams[i]);
	}
	xc_bench_gpu_files_free(d->b, &d->files);
	d->b->gpu->module->release(d->b->gpu->gpu, d->pictures);
}

static int resident(decoding *d, uint32_t count)
{
	xc_bench_gpu *b = d->b;
	const xc_gpu_decode_ops *ops = b->gpu->module->decode;
	xc_bench_gpu_result r = {.what = "decode", .pictures = count};
	const xc_bench_gpu_work w = {decode_once, finish,    d, ops->stages(NULL, r.stage_names),
	                             UNDER_WAY,   d->streams};

	d->count = count;
	return xc_bench_gpu_measure(b, &w, d->files.sizes, &r);
}

/* Decodes frame 0 on the GPU into `decoded`, and on the CPU: which must be the same. */
static xc_status compare(decoding *d, char *decoded, xc_gpu_error *e)
{
	xc_bench_gpu *b = d->b;
	xc_picture right = {0};

	d->count = 1;
	xc_status s = decode_once(d, 0, NULL, e);
	s = s ? s : finish(d, 0, e);
	s = s ? s : xc_bench_gpu_copy(b, decoded, d->pictures, b->frame_bytes, e);
	if (!s)
		s = xc_bench_gpu_tell(b,
		                      xc_decode(b->context, d->files.host, (size_t)d->files.sizes[0], NULL,
		                                &right),
		                      e);
	for (uint32_t y = 0; y < b->height && !s; y++)
		if (memcmp((char *)right.data + y * right.stride, decoded + y * b->stride, 3 * b->width)) {
			snprintf(e->text, sizeof e->text, "%s: the GPU's pixels are not the CPU's", b->coding);
			s = XC_ERR_DEVICE;
		}
	xc_picture_free(b->context, &right);
	return s;
}

static xc_status compare_pixels(decoding *d, xc_gpu_error *e)
{
	const xc_bench_gpu *b = d->b;
	void *memory = NULL;

	xc_bench_gpu_allocate(b, XC_GPU_PINNED_MEMORY, b->frame_bytes, &memory, e);
	const xc_status s = e->status ? e->status : compare(d, memory, e);
	b->gpu->module->release(b->gpu->gpu, memory);
	return s;
}

int xc_bench_gpu_decode(xc_bench_gpu *b, const xc_encode_options *o)
{
	decoding d = {.b = b};
	xc_gpu_error e = {XC_OK, ""};
	int failed = xc_bench_gpu_check(b, set_up(&d, o, &e), &e) ||
	             xc_bench_gpu_check(b, compare_pixels(&d, &e), &e);

	failed = failed ? failed : resident(&d, 1) || (b->batch > 1 && resident(&d, b->batch));
	tear_down(&d);
	return failed ? -1 : 0;
}

typedef struct encoding {
	xc_bench_gpu *b;
	xc_cuda_encoder *encoder;
	xc_cuda_files files;
	uint32_t count;
} encoding;

static xc_status encode_once(void *user, uint32_t run, void **marks, xc_gpu_error *e)
{
	const encoding *c = user;
	const xc_bench_gpu *b = c->b;
	const uint32_t first = (uint32_t)((uint64_t)run * c->count % (b->frame_count - c->count + 1));
	const xc_cuda_pictures in = {(char *)b->frames + first * b->frame_bytes, b->stride,
	                             b->frame_bytes, c->count};

	return xc_bench_gpu_tell(b,
	                         xc_cuda_encoder_start(c->encoder, &in, &c->files, NULL, NULL, marks),
	                         e);
}

static int measure(encoding *c)
{
	xc_bench_gpu *b = c->b;
	xc_bench_gpu_result r = {.what = "encode", .pictures = c->count};
	const xc_bench_gpu_work w =
		{encode_once,
	     NULL,
	     c,
	     b->gpu->module->encode->stages(c->encoder->encoder, c->encoder->kinds, r.stage_names),
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
	c.files.sizes = sizes;
	int failed = xc_bench_gpu_check(b, e.status, &e) || measure(&c);
	m->release(gpu, c.files.data);
	m->release(gpu, sizes);
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
