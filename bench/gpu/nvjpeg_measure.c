/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nvJPEG beside our codec, if its library is installed: frames one at a time, batches shared
 * by threads, and batches decoded by the GPU's JPEG engines, its fastest way if it has any.
 */
#include "bench/gpu/nvjpeg.h"

#include "cli/base/report.h"

/* -------------------------------------------------------- a frame at a time */

typedef struct single {
	xc_bench_nvjpeg_coder coder;
	xc_bench_nvjpeg_code *code;
	const char *verb;
} single;

static xc_status code_once(void *user, uint32_t run, void **marks, xc_gpu_error *e)
{
	const single *p = user;

	(void)marks;
	return xc_bench_nvjpeg_tell(p->code(&p->coder, run % p->coder.n->b->batch), p->verb, e);
}

static int measure_single(single *p, const char *what)
{
	const xc_bench_nvjpeg *n = p->coder.n;
	xc_bench_gpu_result r = {.what = what, .pictures = 1};
	const xc_bench_gpu_work w = {code_once, NULL, p, 0, p->coder.stream};

	if (xc_bench_gpu_time(n->b, &w, &r))
		return -1;
	r.bytes = xc_bench_nvjpeg_bytes(n, 1);
	xc_bench_gpu_print(n->b, &r);
	return 0;
}

static int measure_singles(xc_bench_nvjpeg *n, const xc_encode_options *o)
{
	single p = {.code = xc_bench_nvjpeg_encode, .verb = "encode"};
	xc_gpu_error e = {XC_OK, ""};
	xc_status s = xc_bench_nvjpeg_coder_new(n, o, &p.coder, &e);
	int failed;

	for (uint32_t i = 0; i < n->b->batch && !s; i++)
		s = xc_bench_nvjpeg_tell(xc_bench_nvjpeg_make_file(n, &p.coder, i), "encode", &e);
	failed = xc_bench_gpu_check(n->b, s, &e) || measure_single(&p, "nvJPEG encode");
	if (!failed) {
		p.code = xc_bench_nvjpeg_decode;
		p.verb = "decode";
		failed = measure_single(&p, "nvJPEG decode");
	}
	xc_bench_nvjpeg_coder_free(&p.coder);
	return failed;
}

/* -------------------------------------------------------------- the engines */

typedef struct engines {
	const xc_bench_nvjpeg *n;
	void *handle, *state, *stream;
	unsigned count;
	const unsigned char *files[XC_BENCH_GPU_FRAMES];
	xc_nvjpeg_image targets[XC_BENCH_GPU_FRAMES];
} engines;

static xc_status decode_batch(void *user, uint32_t run, void **marks, xc_gpu_error *e)
{
	engines *g = user;

	(void)run;
	(void)marks;
	return xc_bench_nvjpeg_tell(g->n->f.DecodeBatched(g->handle, g->state, g->files, g->n->sizes,
	                                                  g->targets, g->stream),
	                            "decode on its engines", e);
}

/* The state for batches, and the lists. */
static xc_status set_up_engines(engines *g, xc_gpu_error *e)
{
	const xc_bench_nvjpeg *n = g->n;
	const xc_bench_gpu *b = n->b;
	int failed;
	xc_status s = b->gpu->module->stream_new(b->gpu->gpu, &g->stream, e);

	if (s)
		return s;
	for (uint32_t i = 0; i < b->batch; i++) {
		g->files[i] = n->files + i * n->room;
		g->targets[i] = xc_bench_nvjpeg_target(n, i);
	}
	failed = n->f.JpegStateCreate(g->handle, &g->state);
	if (!failed)
		failed = n->f.DecodeBatchedInitialize(g->handle, g->state, (int)b->batch, 1,
		                                      XC_NVJPEG_INTERLEAVED_RGB);
	return xc_bench_nvjpeg_tell(failed, "make a decoder for its engines", e);
}

static int time_engines(engines *g)
{
	xc_bench_gpu few = *g->n->b;
	xc_bench_gpu_result r = {.what = "nvJPEG decode",
	                         .pictures = few.batch,
	                         .workers = g->count,
	                         .workers_name = "engines",
	                         .bytes = xc_bench_nvjpeg_bytes(g->n, few.batch)};
	const xc_bench_gpu_work w = {decode_batch, NULL, g, 0, g->stream};

	few.runs = few.runs < XC_BENCH_NVJPEG_RUNS ? few.runs : XC_BENCH_NVJPEG_RUNS;
	if (xc_bench_gpu_time(&few, &w, &r))
		return -1;
	xc_bench_gpu_print(g->n->b, &r);
	return 0;
}

/* Returns 1 if the GPU has engines and they were measured. */
static int measure_engines(const xc_bench_nvjpeg *n)
{
	engines g = {.n = n};
	xc_gpu_error e = {XC_OK, ""};
	unsigned cores;
	int measured = 0;

	if (!n->f.CreateEx(XC_NVJPEG_BACKEND_HARDWARE, NULL, NULL, 0, &g.handle) &&
	    !n->f.GetHardwareDecoderInfo(g.handle, &g.count, &cores) && g.count) {
		if (set_up_engines(&g, &e))
			xc_cli_warning("bench gpu", "%s", e.text);
		else
			measured = !time_engines(&g);
	}
	if (g.state)
		n->f.JpegStateDestroy(g.state);
	if (g.handle)
		n->f.Destroy(g.handle);
	n->b->gpu->module->stream_free(n->b->gpu->gpu, g.stream);
	return measured;
}

/* -------------------------------------------------------------------- all */

static xc_status set_up(xc_bench_nvjpeg *n, xc_gpu_error *e)
{
	xc_bench_gpu *b = n->b;
	const xc_gpu_module *m = b->gpu->module;
	void *files = NULL, *pixels = NULL;
	xc_status s = xc_bench_nvjpeg_tell(n->f.CreateSimple(&n->handle), "start", e);

	n->room = xc_bench_gpu_file_room(b);
	if (!s)
		s = m->allocate(b->gpu->gpu, XC_GPU_PINNED_MEMORY, b->batch * n->room, &files, e);
	if (!s)
		s = m->allocate(b->gpu->gpu, XC_GPU_DEVICE_MEMORY, b->batch * b->frame_bytes, &pixels, e);
	n->files = files;
	n->pixels = pixels;
	return s;
}

/* Without engines, threads decode the batches. */
static int measure_all(xc_bench_nvjpeg *n)
{
	for (int i = 0; i < XC_BENCH_GPU_CODINGS; i++) {
		xc_encode_options o;

		xc_bench_gpu_coding(n->b, i, &o);
		if (o.transform != XC_TRANSFORM_DCT)
			continue;
		if (measure_singles(n, &o))
			return -1;
		if (n->b->batch < 2)
			continue;
		xc_bench_nvjpeg_threads(n, &o, xc_bench_nvjpeg_encode, "nvJPEG encode");
		if (!measure_engines(n))
			xc_bench_nvjpeg_threads(n, &o, xc_bench_nvjpeg_decode, "nvJPEG decode");
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
