/* SPDX-License-Identifier: BSD-2-Clause */
/* The frames, codings and files that `xcodec bench gpu` measures with. */
#include "bench/gpu/gpu.h"

#include <xcodec_jpeg.h>

#include "bench/tiled.h"
#include "cli/base/report.h"

#include <stdio.h>
#include <string.h>

#define CACHE_BYTES (UINT64_C(256) << 20) /* larger than the cache of any GPU */

/* Every frame shows another part of a mosaic of the pictures. */
static void draw_frame(const xc_bench_gpu *b, const xc_picture *sources, int count, uint32_t number,
                       uint8_t *frame)
{
	const uint32_t width = sources->width, height = sources->height;

	for (uint32_t i = 0; i < b->height; i++)
		for (uint32_t k = 0; k < b->width; k++) {
			const uint32_t x = k + number * 197, y = i + number * 131;
			const uint32_t cell = x / width + y / height * 5;
			const xc_picture *p = &sources[cell % (uint32_t)count];

			xc_bench_rgb(p, x % width % p->width, y % height % p->height,
			             frame + i * b->stride + k * 3);
		}
}

int xc_bench_gpu_frames_make(xc_bench_gpu *b, const xc_picture *sources, int count)
{
	const xc_gpu_module *m = b->gpu->module;
	xc_gpu_error e = {XC_OK, ""};
	void *host = NULL;

	b->stride = ((size_t)b->width * 3 + 15) / 16 * 16;
	b->frame_bytes = (b->stride * b->height + 255) / 256 * 256;
	b->frame_count = b->batch;
	while (b->frame_count < XC_BENCH_GPU_FRAMES && b->frame_count * b->frame_bytes < CACHE_BYTES)
		b->frame_count++;
	xc_bench_gpu_allocate(b, XC_GPU_DEVICE_MEMORY, b->frame_count * b->frame_bytes, &b->frames, &e);
	xc_bench_gpu_allocate(b, XC_GPU_PINNED_MEMORY, b->frame_bytes, &host, &e);
	xc_status s = e.status;
	for (uint32_t i = 0; i < b->frame_count && !s; i++) {
		draw_frame(b, sources, count, i, host);
		s = xc_bench_gpu_copy(b, (char *)b->frames + i * b->frame_bytes, host, b->frame_bytes, &e);
	}
	m->release(b->gpu->gpu, host);
	return xc_bench_gpu_check(b, s, &e);
}

void xc_bench_gpu_coding(xc_bench_gpu *b, int number, xc_encode_options *o)
{
	static const struct {
		int quality;
		xc_subsampling subsampling;
		xc_transform transform;
		xc_huffman huffman;
		xc_entropy entropy;
		int effort, sloped, segment_blocks, kept;
	} codings[XC_BENCH_GPU_CODINGS] = {
		{75, XC_SUBSAMPLING_420, XC_TRANSFORM_DCT, XC_HUFFMAN_DEFAULT, 0, 0, 0, 0, 0},
		{75, XC_SUBSAMPLING_420, XC_TRANSFORM_DCT, XC_HUFFMAN_OPTIMIZED, 0, 0, 0, 0, 0},
		{90, XC_SUBSAMPLING_444, XC_TRANSFORM_DCT, XC_HUFFMAN_DEFAULT, 0, 0, 0, 0, 0},
		{90, XC_SUBSAMPLING_444, XC_TRANSFORM_DCT, XC_HUFFMAN_OPTIMIZED, 0, 0, 0, 0, 0},
		/* With the lapped transforms, optimized codes cost the same. */
		{75, XC_SUBSAMPLING_420, XC_TRANSFORM_LOT, XC_HUFFMAN_DEFAULT, 0, 0, 0, 0, 0},
		{75, XC_SUBSAMPLING_420, XC_TRANSFORM_TDLT, XC_HUFFMAN_DEFAULT, 0, 0, 0, 0, 0},
		{90, XC_SUBSAMPLING_444, XC_TRANSFORM_LOT, XC_HUFFMAN_DEFAULT, 0, 0, 0, 0, 0},
		{90, XC_SUBSAMPLING_444, XC_TRANSFORM_TDLT, XC_HUFFMAN_DEFAULT, 0, 0, 0, 0, 0},
		{75, XC_SUBSAMPLING_420, XC_TRANSFORM_TDLT, XC_HUFFMAN_OPTIMIZED, 0, 0, 1, 0, 0},
		/* rANS, about a bit a pixel. */
		{75, XC_SUBSAMPLING_420, XC_TRANSFORM_TDLT, XC_HUFFMAN_OPTIMIZED, 1, 0, 1, 0, 0},
		{75, XC_SUBSAMPLING_420, XC_TRANSFORM_TDLT, XC_HUFFMAN_OPTIMIZED, 1, 1, 1, 0, 0},
		{75, XC_SUBSAMPLING_420, XC_TRANSFORM_TDLT, XC_HUFFMAN_OPTIMIZED, 1, 2, 1, 0, 0},
		{75, XC_SUBSAMPLING_444, XC_TRANSFORM_TDLT, XC_HUFFMAN_OPTIMIZED, 1, 0, 1, 0, 0},
		{75, XC_SUBSAMPLING_444, XC_TRANSFORM_TDLT, XC_HUFFMAN_OPTIMIZED, 1, 2, 1, 0, 0},
		/* In segments for one picture alone. */
		{75, XC_SUBSAMPLING_420, XC_TRANSFORM_TDLT, XC_HUFFMAN_OPTIMIZED, 1, 2, 1, 256, 0},
		{75, XC_SUBSAMPLING_420, XC_TRANSFORM_TDLT, XC_HUFFMAN_OPTIMIZED, 1, 2, 1, 128, 0},
		{75, XC_SUBSAMPLING_420, XC_TRANSFORM_TDLT, XC_HUFFMAN_OPTIMIZED, 1, 0, 1, 128, 0},
		/* JPEGs that are kept. */
		{75, XC_SUBSAMPLING_420, XC_TRANSFORM_DCT, XC_HUFFMAN_DEFAULT, 0, 0, 0, 0, 1},
		{90, XC_SUBSAMPLING_444, XC_TRANSFORM_DCT, XC_HUFFMAN_DEFAULT, 0, 0, 0, 0, 1},
	};
	static const char *const transforms[] = {"", " LOT", " TDLT"};

	xc_encode_options_jpeg(o);
	o->entropy = codings[number].entropy;
	o->colour = XC_COLOUR_YCBCR;
	o->effort = codings[number].effort;
	o->quality = codings[number].quality;
	o->subsampling = codings[number].subsampling;
	o->transform = codings[number].transform;
	o->huffman = codings[number].huffman;
	o->segment_blocks = codings[number].segment_blocks;
	if (codings[number].sloped)
		xc_quant_tables_sloped(&o->tables);
	int n = snprintf(b->coding, sizeof b->coding, "q%d %s%s %s", o->quality,
	                 o->subsampling == XC_SUBSAMPLING_444 ? "4:4:4" : "4:2:0",
	                 transforms[o->transform],
	                 o->entropy == XC_ENTROPY_RANS      ? "rANS"
	                 : codings[number].kept             ? "kept JPEG"
	                 : o->huffman == XC_HUFFMAN_DEFAULT ? "default"
	                                                    : "optimized");
	if (codings[number].sloped)
		n += snprintf(b->coding + n, sizeof b->coding - (size_t)n, " e%d", o->effort);
	if (o->segment_blocks)
		snprintf(b->coding + n, sizeof b->coding - (size_t)n, " /%d", o->segment_blocks);
	b->number = number;
	b->kept = codings[number].kept;
}

size_t xc_bench_gpu_file_room(const xc_bench_gpu *b)
{
	return (b->frame_bytes / 2 + 65536 + 255) / 256 * 256;
}

static xc_status allocate(const xc_bench_gpu *b, xc_bench_gpu_files *f, xc_gpu_error *e)
{
	void *sizes = NULL;

	f->room = xc_bench_gpu_file_room(b);
	xc_bench_gpu_allocate(b, XC_GPU_DEVICE_MEMORY, f->room * b->frame_count, &f->device, e);
	xc_bench_gpu_allocate(b, XC_GPU_PINNED_MEMORY, f->room * b->frame_count, &f->host, e);
	xc_bench_gpu_allocate(b, XC_GPU_PINNED_MEMORY, b->frame_count * sizeof *f->sizes, &sizes, e);
	f->sizes = sizes;
	return e->status;
}

/* The file of frame i. */
static xc_status make_file(xc_bench_gpu *b, xc_cuda_encoder *encoder, xc_bench_gpu_files *f,
                           uint32_t i, xc_gpu_error *e)
{
	const xc_cuda_pictures in = {(char *)b->frames + i * b->frame_bytes, b->stride, 0, 1};
	const xc_cuda_files out = {(char *)f->device + i * f->room, f->room, f->sizes + i};
	xc_status s = xc_bench_gpu_tell(b, xc_cuda_encode(encoder, &in, &out, NULL, NULL), e);

	s = s ? s : xc_bench_gpu_copy(b, (char *)f->host + i * f->room, out.data, f->room, e);
	if (!s && f->sizes[i] > f->room) {
		snprintf(e->text, sizeof e->text, "the pictures make files as large as themselves");
		s = XC_ERR_LIMIT;
	}
	return s;
}

/* The file of frame i becomes one that keeps the JPEG of the same coefficients. */
static xc_status keep(xc_bench_gpu *b, xc_bench_gpu_files *f, uint32_t i, xc_gpu_error *e)
{
	char *const to = (char *)f->host + i * f->room;
	xc_context *c = b->context;
	xc_buffer jpeg = {0}, file = {0};
	xc_status s = xc_jpeg_transcode(c, to, (size_t)f->sizes[i], 0, &jpeg);

	s = xc_bench_gpu_tell(b, s ? s : xc_jpeg_encode(c, jpeg.data, jpeg.size, NULL, NULL, &file), e);
	if (!s) {
		f->sizes[i] = file.size;
		memcpy(to, file.data, file.size);
		s = xc_bench_gpu_copy(b, (char *)f->device + i * f->room, to, file.size, e);
	}
	xc_buffer_free(c, &jpeg);
	xc_buffer_free(c, &file);
	return s;
}

xc_status xc_bench_gpu_files_make(xc_bench_gpu *b, const xc_encode_options *o,
                                  xc_bench_gpu_files *f, xc_gpu_error *e)
{
	const xc_picture p = {.width = b->width, .height = b->height, .channels = 3, .depth = 8};
	xc_cuda_encoder *encoder = NULL;
	xc_status s = allocate(b, f, e);

	s = s ? s : xc_bench_gpu_tell(b, xc_cuda_encoder_new(b->gpu, &p, NULL, o, 1, &encoder), e);
	for (uint32_t i = 0; i < b->frame_count && !s; i++)
		s = make_file(b, encoder, f, i, e);
	for (uint32_t i = 0; i < b->frame_count && b->kept && !s; i++)
		s = keep(b, f, i, e);
	xc_cuda_encoder_free(encoder);
	return s;
}

void xc_bench_gpu_files_free(const xc_bench_gpu *b, const xc_bench_gpu_files *f)
{
	const xc_gpu_module *m = b->gpu->module;

	m->release(b->gpu->gpu, f->device);
	m->release(b->gpu->gpu, f->host);
	m->release(b->gpu->gpu, f->sizes);
}

/* The first frame, and its file by the GPU. */
typedef struct sample {
	xc_picture picture;
	uint8_t *file;
	size_t size;
} sample;

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
		status = xc_bench_gpu_copy(b, file, out.data, s->size < room ? s->size : room, e);
	status = status ? status : xc_bench_gpu_copy(b, pixels, b->frames, b->frame_bytes, e);
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
