/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/gpu/nvjpeg.h"

#include <stdio.h>
#include <string.h>

#ifdef XC_HAVE_DLOPEN
#include <dlfcn.h>

static int load_functions(void *library, xc_nvjpeg *f)
{
	/* clang-format off */
	static const char *const names[] = {
		"nvjpegCreateSimple", "nvjpegCreateEx", "nvjpegDestroy",
		"nvjpegGetHardwareDecoderInfo", "nvjpegEncoderStateCreate",
		"nvjpegEncoderStateDestroy", "nvjpegEncoderParamsCreate",
		"nvjpegEncoderParamsDestroy", "nvjpegEncoderParamsSetQuality",
		"nvjpegEncoderParamsSetOptimizedHuffman", "nvjpegEncoderParamsSetSamplingFactors",
		"nvjpegEncodeImage", "nvjpegEncodeRetrieveBitstream",
		"nvjpegEncodeRetrieveBitstreamDevice", "nvjpegJpegStateCreate",
		"nvjpegJpegStateDestroy", "nvjpegDecode", "nvjpegDecodeBatchedInitialize",
		"nvjpegDecodeBatched",
	};
	/* clang-format on */
	_Static_assert(sizeof *f == sizeof names, "a name for each function");
	void *entries[sizeof names / sizeof *names];

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		entries[i] = dlsym(library, names[i]);
		if (!entries[i])
			return -1;
	}
	/* ISO C has no conversion between pointers to data and to functions. */
	memcpy(f, entries, sizeof *f);
	return 0;
}

void *xc_nvjpeg_open(xc_nvjpeg *f)
{
	static const char *const names[] = {"libnvjpeg.so.13", "libnvjpeg.so.12", "libnvjpeg.so",
	                                    "/usr/local/cuda/lib64/libnvjpeg.so"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);

		if (library && load_functions(library, f) == 0)
			return library;
		if (library)
			dlclose(library);
	}
	return NULL;
}

void xc_nvjpeg_close(void *library)
{
	dlclose(library);
}

#else

void *xc_nvjpeg_open(xc_nvjpeg *f)
{
	memset(f, 0, sizeof *f);
	return NULL;
}

void xc_nvjpeg_close(void *library)
{
	(void)library;
}

#endif

/* ----------------------------------------------------------------- one frame */

xc_nvjpeg_image xc_bench_nvjpeg_target(const xc_bench_nvjpeg *n, uint32_t i)
{
	return (xc_nvjpeg_image){{n->pixels + i * n->b->frame_bytes}, {n->b->stride}};
}

xc_status xc_bench_nvjpeg_tell(int failed, const char *what, xc_gpu_error *e)
{
	if (!failed)
		return XC_OK;
	snprintf(e->text, sizeof e->text, "nvJPEG cannot %s: status %d", what, failed);
	return XC_ERR_DEVICE;
}

double xc_bench_nvjpeg_bytes(const xc_bench_nvjpeg *n, uint32_t count)
{
	double bytes = (double)n->b->width * n->b->height * 3 * count;

	for (uint32_t i = 0; i < count; i++)
		bytes += (double)n->sizes[i];
	return bytes;
}

static int set_coding(const xc_bench_nvjpeg_coder *c, const xc_encode_options *o)
{
	const xc_nvjpeg *f = &c->n->f;
	const int subsampling = o->subsampling == XC_SUBSAMPLING_444 ? XC_NVJPEG_CSS_444
	                                                             : XC_NVJPEG_CSS_420;
	int failed = f->EncoderParamsSetQuality(c->params, o->quality, c->stream);

	if (!failed)
		failed = f->EncoderParamsSetSamplingFactors(c->params, subsampling, c->stream);
	if (!failed)
		failed = f->EncoderParamsSetOptimizedHuffman(c->params, o->huffman == XC_HUFFMAN_OPTIMIZED,
		                                             c->stream);
	return failed;
}

xc_status xc_bench_nvjpeg_coder_new(const xc_bench_nvjpeg *n, const xc_encode_options *o,
                                    xc_bench_nvjpeg_coder *c, xc_gpu_error *e)
{
	const xc_gpu_module *m = n->b->gpu->module;
	void *file = NULL;

	*c = (xc_bench_nvjpeg_coder){.n = n};
	xc_status s = m->stream_new(n->b->gpu->gpu, &c->stream, e);
	if (!s)
		s = m->allocate(n->b->gpu->gpu, XC_GPU_DEVICE_MEMORY, n->room, &file, e);
	c->file = file;
	if (s)
		return s;
	int failed = n->f.EncoderStateCreate(n->handle, &c->state, c->stream);
	if (!failed)
		failed = n->f.EncoderParamsCreate(n->handle, &c->params, c->stream);
	if (!failed)
		failed = set_coding(c, o);
	if (failed)
		return xc_bench_nvjpeg_tell(failed, "make an encoder", e);
	failed = n->f.CreateSimple(&c->handle);
	if (failed)
		return xc_bench_nvjpeg_tell(failed, "start", e);
	return xc_bench_nvjpeg_tell(n->f.JpegStateCreate(c->handle, &c->decoder), "make a decoder", e);
}

void xc_bench_nvjpeg_coder_free(xc_bench_nvjpeg_coder *c)
{
	const xc_bench_nvjpeg *n = c->n;

	if (!n)
		return;
	if (c->decoder)
		n->f.JpegStateDestroy(c->decoder);
	if (c->handle)
		n->f.Destroy(c->handle);
	if (c->params)
		n->f.EncoderParamsDestroy(c->params);
	if (c->state)
		n->f.EncoderStateDestroy(c->state);
	n->b->gpu->module->release(n->b->gpu->gpu, c->file);
	n->b->gpu->module->stream_free(n->b->gpu->gpu, c->stream);
}

static int begin_encoding(const xc_bench_nvjpeg_coder *c, uint32_t i)
{
	const xc_bench_gpu *b = c->n->b;
	const xc_nvjpeg_image in = {{(unsigned char *)b->frames + i * b->frame_bytes}, {b->stride}};

	return c->n->f.EncodeImage(c->n->handle, c->state, c->params, &in, XC_NVJPEG_INTERLEAVED_RGB,
	                           (int)b->width, (int)b->height, c->stream);
}

int xc_bench_nvjpeg_encode(const xc_bench_nvjpeg_coder *c, uint32_t i)
{
	const xc_bench_nvjpeg *n = c->n;
	const int failed = begin_encoding(c, i);
	size_t size = n->room;

	return failed
	           ? failed
	           : n->f.EncodeRetrieveBitstreamDevice(n->handle, c->state, c->file, &size, c->stream);
}

int xc_bench_nvjpeg_make_file(xc_bench_nvjpeg *n, const xc_bench_nvjpeg_coder *c, uint32_t i)
{
	const int failed = begin_encoding(c, i);

	n->sizes[i] = n->room;
	return failed ? failed
	              : n->f.EncodeRetrieveBitstream(n->handle, c->state, n->files + i * n->room,
	                                             &n->sizes[i], c->stream);
}

int xc_bench_nvjpeg_decode(const xc_bench_nvjpeg_coder *c, uint32_t i)
{
	const xc_bench_nvjpeg *n = c->n;
	xc_nvjpeg_image out = xc_bench_nvjpeg_target(n, i);

	return n->f.Decode(c->handle, c->decoder, n->files + i * n->room, n->sizes[i],
	                   XC_NVJPEG_INTERLEAVED_RGB, &out, c->stream);
}
