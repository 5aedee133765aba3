/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * NVIDIA's nvJPEG beside our codec, where its library is there: frames one at a time here,
 * batches in bench_gpu_nvjpeg_threads.c and bench_gpu_nvjpeg_engines.c.
 */
#include "bench/gpu/nvjpeg.h"

#include "cli/base/report.h"

#include <stdio.h>
#include <string.h>

xc_status xc_bench_nvjpeg_tell(int failed, const char *what, xc_gpu_error *e)
{
	if (!failed)
		return XC_OK;
	snprintf(e->text, sizeof e->text, "nvJPEG cannot %s: status %d", what, failed);
	return XC_ERR_DEVICE;
}

/* ----------------------------------------------------------------- encoder */

static int set_coding(const xc_nvjpeg *f, const xc_bench_nvjpeg_encoder *c,
                      const xc_encode_options *o)
{
	const int subsampling = o->subsampling == XC_SUBSAMPLING_444 ? XC_NVJPEG_CSS_444
	                                                             : XC_NVJPEG_CSS_420;
	int s = f->EncoderParamsSetQuality(c->params, o->quality, c->stream);

	if (!s)
		s = f->EncoderParamsSetSamplingFactors(c->params, subsampling, c->stream);
	if (!s)
		s = f->EncoderParamsSetOptimizedHuffman(c->params, o->huffman == XC_HUFFMAN_OPTIMIZED,
		                                        c->stream);
	return s;
}

xc_status xc_bench_nvjpeg_encoder_new(const xc_bench_nvjpeg *n, const xc_encode_options *o,
                                      xc_bench_nvjpeg_encoder *c, xc_gpu_error *e)
{
	const xc_gpu_module *m = n->b->gpu->module;
	void *file = NULL;
	xc_status s;
	int failed = 0;

	*c = (xc_bench_nvjpeg_encoder){NULL, NULL, NULL, NULL};
	s = m->stream_new(n->b->gpu->gpu, &c->stream, e);
	if (!s)
		s = m->allocate(n->b->gpu->gpu, XC_GPU_DEVICE_MEMORY, n->room, &file, e);
	c->file = file;
	if (s)
		return s;
	failed = n->f.EncoderStateCreate(n->handle, &c->state, c->stream);
	if (!failed)
		failed = n->f.EncoderParamsCreate(n->handle, &c->params, c->stream);
	if (!failed)
		failed = set_coding(&n->f, c, o);
	return xc_bench_nvjpeg_tell(failed, "make an encoder", e);
}

void xc_bench_nvjpeg_encoder_free(const xc_bench_nvjpeg *n, xc_bench_nvjpeg_encoder *c)
{
	const xc_gpu_module *m = n->b->gpu->module;

	if (c->params)
		n->f.EncoderParamsDestroy(c->params);
	if (c->state)
		n->f.EncoderStateDestroy(c->state);
	m->release(n->b->gpu->gpu, c->file);
	m->stream_free(n->b->gpu->gpu, c->stream);
}

static int begin_encoding(const xc_bench_nvjpeg *n, const xc_bench_nvjpeg_encoder *c, uint32_t i)
{
	const xc_bench_gpu *b = n->b;
	const xc_nvjpeg_image in = {{(unsigned char *)b->frames + i * b->frame_bytes}, {b->stride}};

	return n->f.EncodeImage(n->handle, c->state, c->params, &in, XC_NVJPEG_INTERLEAVED_RGB,
	                        (int)b->width, (int)b->height, c->stream);
}

int xc_bench_nvjpeg_encode(const xc_bench_nvjpeg *n, const xc_bench_nvjpeg_encoder *c, uint32_t i,
                           size_t *size)
{
	const int failed = begin_encoding(n, c, i);

	*size = n->room;
	return failed
	           ? failed
	           : n->f.EncodeRetrieveBitstreamDevice(n->handle, c->state, c->file, size, c->stream);
}

/* -------------------------------------------------------- a frame at a time */

typedef struct single {
	const xc_bench_nvjpeg *n;
	xc_bench_nvjpeg_encoder encoder;
	void *decoder;
	size_t size; /* of the last file */
} single;

xc_nvjpeg_image xc_bench_nvjpeg_target(const xc_bench_nvjpeg *n, uint32_t i)
{
	const xc_nvjpeg_image image = {{n->pixels + i * n->b->frame_bytes}, {n->b->stride}};

	return image;
}

static xc_status encode_once(void *user, uint32_t run, void **marks, xc_gpu_error *e)
{
	single *p = user;

	(void)marks;
	return xc_bench_nvjpeg_tell(xc_bench_nvjpeg_encode(p->n, &p->encoder, run % p->n->b->batch,
	                                                   &p->size),
	                            "encode", e);
}

static xc_status decode_once(void *user, uint32_t run, void **marks, xc_gpu_error *e)
{
	single *p = user;
	const xc_bench_nvjpeg *n = p->n;
	const uint32_t i = run % n->b->batch;
	xc_nvjpeg_image out = xc_bench_nvjpeg_target(n, i);

	(void)marks;
	p->size = n->sizes[i];
	return xc_bench_nvjpeg_tell(n->f.Decode(n->handle, p->decoder, n->files + i * n->room, p->size,
	                                        XC_NVJPEG_INTERLEAVED_RGB, &out, p->encoder.stream),
	                            "decode", e);
}

static int measure(single *p, const char *what, const char *coding,
                   xc_status (*once)(void *, uint32_t, void **, xc_gpu_error *))
{
	xc_bench_gpu *b = p->n->b;
	xc_bench_gpu_result r = {.what = what, .pictures = 1};
	const xc_bench_gpu_work w = {once, NULL, p, 0, p->encoder.stream};

	snprintf(r.coding, sizeof r.coding, "%s", coding);
	if (xc_bench_gpu_time(b, &w, &r))
		return -1;
	r.bytes = (double)p->size + (double)b->width * b->height * 3;
	xc_bench_gpu_print(b, &r);
	return 0;
}

/* The frames as files: nvJPEG decodes from host memory. */
static xc_status make_files(xc_bench_nvjpeg *n, const xc_bench_nvjpeg_encoder *c, xc_gpu_error *e)
{
	int failed = 0;

	for (uint32_t i = 0; i < n->b->batch && !failed; i++) {
		n->sizes[i] = n->room;
		failed = begin_encoding(n, c, i);
		if (!failed)
			failed = n->f.EncodeRetrieveBitstream(n->handle, c->state, n->files + i * n->room,
			                                      &n->sizes[i], c->stream);
	}
	return xc_bench_nvjpeg_tell(failed, "encode", e);
}

static int measure_singles(xc_bench_nvjpeg *n, const xc_encode_options *o, const char *coding)
{
	single p = {.n = n};
	xc_gpu_error e = {XC_OK, ""};
	xc_status s = xc_bench_nvjpeg_encoder_new(n, o, &p.encoder, &e);
	int failed;

	if (!s)
		s = xc_bench_nvjpeg_tell(n->f.JpegStateCreate(n->handle, &p.decoder), "make a decoder", &e);
	if (!s)
		s = make_files(n, &p.encoder, &e);
	failed = xc_bench_gpu_check(n->b, s, &e) || measure(&p, "nvJPEG encode", coding, encode_once) ||
	         measure(&p, "nvJPEG decode", coding, decode_once);
	if (p.decoder)
		n->f.JpegStateDestroy(p.decoder);
	xc_bench_nvjpeg_encoder_free(n, &p.encoder);
	return failed;
}

/* -------------------------------------------------------------------- all */

static xc_status set_up(xc_bench_nvjpeg *n, xc_gpu_error *e)
{
	xc_bench_gpu *b = n->b;
	const xc_gpu_module *m = b->gpu->module;
	void *files = NULL, *pixels = NULL;
	xc_status s = xc_bench_nvjpeg_tell(n->f.CreateSimple(&n->handle), "start", e);

	n->room = (b->frame_bytes / 2 + 65536 + 255) / 256 * 256;
	if (!s)
		s = m->allocate(b->gpu->gpu, XC_GPU_PINNED_MEMORY, b->batch * n->room, &files, e);
	if (!s)
		s = m->allocate(b->gpu->gpu, XC_GPU_DEVICE_MEMORY, b->batch * b->frame_bytes, &pixels, e);
	n->files = files;
	n->pixels = pixels;
	return s;
}

static int measure_all(xc_bench_nvjpeg *n)
{
	for (int i = 0; i < XC_BENCH_GPU_CODINGS; i++) {
		xc_encode_options o;
		char name[64];

		xc_bench_gpu_coding(i, &o, name);
		if (o.transform != XC_TRANSFORM_DCT)
			continue;
		if (measure_singles(n, &o, name))
			return -1;
		if (n->b->batch < 2)
			continue;
		xc_bench_nvjpeg_threads(n, &o, 0, name);
		if (!xc_bench_nvjpeg_engines(n, name))
			xc_bench_nvjpeg_threads(n, &o, 1, name);
	}
	return 0;
}

int xc_bench_gpu_nvjpeg(xc_bench_gpu *b)
{
	xc_bench_nvjpeg n = {.b = b};
	xc_gpu_error e = {XC_OK, ""};
	void *library = b->gpu->device == 0 ? xc_nvjpeg_open(&n.f) : NULL;
	int failed;

	if (!library)
		return 0;
	failed = xc_bench_gpu_check(b, set_up(&n, &e), &e);
	if (!failed)
		failed = measure_all(&n);
	b->gpu->module->release(b->gpu->gpu, n.files);
	b->gpu->module->release(b->gpu->gpu, n.pixels);
	if (n.handle)
		n.f.Destroy(n.handle);
	xc_nvjpeg_close(library);
	return failed;
}
