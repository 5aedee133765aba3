/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * NVIDIA's nvJPEG beside our codec, where its library is there: opened at run time, and
 * declared here as far as it is used (https://docs.nvidia.com/cuda/nvjpeg/), so that
 * nothing depends on it.
 */
#include "bench_gpu.h"

#include "report.h"

#include <stdio.h>
#include <string.h>

#ifdef XC_HAVE_DLOPEN
#include <dlfcn.h>

enum { NVJPEG_CSS_444 = 0, NVJPEG_CSS_420 = 2, NVJPEG_INTERLEAVED_RGB = 5 };

typedef struct nvjpeg_image {
	unsigned char *channel[4];
	size_t pitch[4];
} nvjpeg_image;

/* The functions; handles are pointers, enumerations and statuses int. */
typedef struct nvjpeg {
	int (*CreateSimple)(void **handle);
	int (*Destroy)(void *handle);
	int (*EncoderStateCreate)(void *handle, void **state, void *stream);
	int (*EncoderStateDestroy)(void *state);
	int (*EncoderParamsCreate)(void *handle, void **params, void *stream);
	int (*EncoderParamsDestroy)(void *params);
	int (*EncoderParamsSetQuality)(void *params, int quality, void *stream);
	int (*EncoderParamsSetOptimizedHuffman)(void *params, int optimized, void *stream);
	int (*EncoderParamsSetSamplingFactors)(void *params, int subsampling, void *stream);
	int (*EncodeImage)(void *handle, void *state, void *params, const nvjpeg_image *source,
	                   int format, int width, int height, void *stream);
	int (*EncodeRetrieveBitstream)(void *handle, void *state, unsigned char *data,
	                               size_t *length, void *stream);
	int (*EncodeRetrieveBitstreamDevice)(void *handle, void *state, unsigned char *data,
	                                     size_t *length, void *stream);
	int (*JpegStateCreate)(void *handle, void **state);
	int (*JpegStateDestroy)(void *state);
	int (*Decode)(void *handle, void *state, const unsigned char *data, size_t length,
	              int format, nvjpeg_image *destination, void *stream);
} nvjpeg;

typedef struct peer {
	xc_bench_gpu *b;
	nvjpeg f;
	void *handle, *encoder, *params, *decoder, *stream;
	unsigned char *device_file, *file; /* the file, in device and in pinned memory */
	size_t room, size;
	void *pixels;
} peer;

static int load_functions(void *library, nvjpeg *f)
{
	static const char *const names[] = {
		"nvjpegCreateSimple", "nvjpegDestroy", "nvjpegEncoderStateCreate",
		"nvjpegEncoderStateDestroy", "nvjpegEncoderParamsCreate",
		"nvjpegEncoderParamsDestroy", "nvjpegEncoderParamsSetQuality",
		"nvjpegEncoderParamsSetOptimizedHuffman", "nvjpegEncoderParamsSetSamplingFactors",
		"nvjpegEncodeImage", "nvjpegEncodeRetrieveBitstream",
		"nvjpegEncodeRetrieveBitstreamDevice", "nvjpegJpegStateCreate",
		"nvjpegJpegStateDestroy", "nvjpegDecode",
	};
	_Static_assert(sizeof *f == sizeof names, "a name for each function");
	void *entries[sizeof names / sizeof *names];

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		entries[i] = dlsym(library, names[i]);
		if (!entries[i])
			return -1;
	}
	memcpy(f, entries, sizeof *f);
	return 0;
}

static void *open_library(nvjpeg *f)
{
	static const char *const names[] = { "libnvjpeg.so.13", "libnvjpeg.so.12",
	                                     "libnvjpeg.so",
	                                     "/usr/local/cuda/lib64/libnvjpeg.so" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);

		if (library && load_functions(library, f) == 0)
			return library;
		if (library)
			dlclose(library);
	}
	return NULL;
}

static xc_status tell(int failed, const char *what, xc_gpu_error *e)
{
	if (!failed)
		return XC_OK;
	snprintf(e->text, sizeof e->text, "nvJPEG cannot %s: status %d", what, failed);
	return XC_ERR_DEVICE;
}

static nvjpeg_image image(const peer *p, void *pixels)
{
	nvjpeg_image i = { { pixels }, { p->b->stride } };

	return i;
}

static xc_status encode_once(void *user, uint32_t run, void **marks, xc_gpu_error *e)
{
	peer *p = user;
	const xc_bench_gpu *b = p->b;
	const nvjpeg_image in = image(p, (char *)b->frames + run % b->frame_count * b->frame_bytes);
	int s = p->f.EncodeImage(p->handle, p->encoder, p->params, &in, NVJPEG_INTERLEAVED_RGB,
	                         (int)b->width, (int)b->height, p->stream);

	(void)marks;
	p->size = p->room;
	if (!s)
		s = p->f.EncodeRetrieveBitstreamDevice(p->handle, p->encoder, p->device_file,
		                                       &p->size, p->stream);
	return tell(s, "encode", e);
}

static xc_status decode_once(void *user, uint32_t run, void **marks, xc_gpu_error *e)
{
	peer *p = user;
	nvjpeg_image out = image(p, p->pixels);

	(void)run;
	(void)marks;
	return tell(p->f.Decode(p->handle, p->decoder, p->file, p->size, NVJPEG_INTERLEAVED_RGB,
	                        &out, p->stream), "decode", e);
}

static int measure(peer *p, const char *what, const char *coding,
                   xc_status (*once)(void *, uint32_t, void **, xc_gpu_error *))
{
	xc_bench_gpu *b = p->b;
	xc_bench_gpu_result r = { .what = what, .pictures = 1 };
	const xc_bench_gpu_work w = { once, NULL, p, 0, p->stream };

	snprintf(r.coding, sizeof r.coding, "%s", coding);
	if (xc_bench_gpu_time(b, &w, &r))
		return -1;
	r.bytes = (double)p->size + (double)b->width * b->height * 3;
	xc_bench_gpu_print(b, &r);
	return 0;
}

static xc_status set_coding(peer *p, const xc_encode_options *o, xc_gpu_error *e)
{
	int s = p->f.EncoderParamsSetQuality(p->params, o->quality, p->stream);

	if (!s)
		s = p->f.EncoderParamsSetSamplingFactors(
			p->params,
			o->subsampling == XC_SUBSAMPLING_444 ? NVJPEG_CSS_444 : NVJPEG_CSS_420,
			p->stream);
	if (!s)
		s = p->f.EncoderParamsSetOptimizedHuffman(
			p->params, o->huffman == XC_HUFFMAN_OPTIMIZED, p->stream);
	return tell(s, "be set up", e);
}

static int measure_all(peer *p)
{
	for (int i = 0; i < XC_BENCH_GPU_CODINGS; i++) {
		xc_encode_options o;
		xc_gpu_error e = { XC_OK, "" };
		char name[64];
		xc_status s;

		xc_bench_gpu_coding(i, &o, name);
		if (o.transform != XC_TRANSFORM_DCT)
			continue;
		s = set_coding(p, &o, &e);
		if (xc_bench_gpu_check(p->b, s, &e) ||
		    measure(p, "nvJPEG encode", name, encode_once))
			return -1;
		/* The decoder wants the file in host memory. */
		s = p->b->gpu->module->copy(p->b->gpu->gpu, p->file, p->device_file, p->size, NULL,
		                            &e);
		if (!s)
			s = p->b->gpu->module->synchronize(p->b->gpu->gpu, NULL, &e);
		if (xc_bench_gpu_check(p->b, s, &e) ||
		    measure(p, "nvJPEG decode", name, decode_once))
			return -1;
	}
	return 0;
}

static xc_status set_up(peer *p, xc_gpu_error *e)
{
	xc_bench_gpu *b = p->b;
	const xc_gpu_module *m = b->gpu->module;
	void *file = NULL, *device_file = NULL;
	xc_status s = m->stream_new(b->gpu->gpu, &p->stream, e);

	p->room = b->frame_bytes;
	if (!s)
		s = tell(p->f.CreateSimple(&p->handle), "start", e);
	if (!s)
		s = tell(p->f.EncoderStateCreate(p->handle, &p->encoder, p->stream), "start", e);
	if (!s)
		s = tell(p->f.EncoderParamsCreate(p->handle, &p->params, p->stream), "start", e);
	if (!s)
		s = tell(p->f.JpegStateCreate(p->handle, &p->decoder), "start", e);
	if (!s)
		s = m->allocate(b->gpu->gpu, XC_GPU_DEVICE_MEMORY, p->room, &device_file, e);
	if (!s)
		s = m->allocate(b->gpu->gpu, XC_GPU_PINNED_MEMORY, p->room, &file, e);
	if (!s)
		s = m->allocate(b->gpu->gpu, XC_GPU_DEVICE_MEMORY, b->frame_bytes, &p->pixels, e);
	p->file = file;
	p->device_file = device_file;
	return s;
}

static void tear_down(peer *p)
{
	const xc_gpu_module *m = p->b->gpu->module;

	if (p->decoder)
		p->f.JpegStateDestroy(p->decoder);
	if (p->params)
		p->f.EncoderParamsDestroy(p->params);
	if (p->encoder)
		p->f.EncoderStateDestroy(p->encoder);
	if (p->handle)
		p->f.Destroy(p->handle);
	m->release(p->b->gpu->gpu, p->device_file);
	m->release(p->b->gpu->gpu, p->file);
	m->release(p->b->gpu->gpu, p->pixels);
	m->stream_free(p->b->gpu->gpu, p->stream);
}

int xc_bench_gpu_nvjpeg(xc_bench_gpu *b)
{
	peer p = { .b = b };
	xc_gpu_error e = { XC_OK, "" };
	void *library = b->gpu->device == 0 ? open_library(&p.f) : NULL;
	int failed;

	if (!library)
		return 0;
	failed = xc_bench_gpu_check(b, set_up(&p, &e), &e);
	if (!failed)
		failed = measure_all(&p);
	tear_down(&p);
	dlclose(library);
	return failed;
}

#else

int xc_bench_gpu_nvjpeg(xc_bench_gpu *b)
{
	(void)b;
	return 0;
}

#endif
