/* SPDX-License-Identifier: BSD-2-Clause */
/* nvJPEG's decoder on the GPU's JPEG engines: its fastest way, where they are there. */
#include "bench/gpu/nvjpeg.h"

#include "cli/base/report.h"

#include <stdio.h>

typedef struct engines {
	const xc_bench_nvjpeg *n;
	void *handle, *state, *stream;
	unsigned count;
	const unsigned char *files[XC_BENCH_GPU_FRAMES];
	xc_nvjpeg_image targets[XC_BENCH_GPU_FRAMES];
} engines;

static xc_status decode_once(void *user, uint32_t run, void **marks, xc_gpu_error *e)
{
	engines *g = user;

	(void)run;
	(void)marks;
	return xc_bench_nvjpeg_tell(g->n->f.DecodeBatched(g->handle, g->state, g->files, g->n->sizes,
	                                                  g->targets, g->stream),
	                            "decode on its engines", e);
}

/* The state for batches, and the lists. */
static xc_status set_up(engines *g, xc_gpu_error *e)
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

static int measure(engines *g, const char *coding)
{
	xc_bench_gpu few = *g->n->b;
	xc_bench_gpu_result r = {.what = "nvJPEG decode",
	                         .pictures = few.batch,
	                         .workers = g->count,
	                         .workers_name = "engines"};
	const xc_bench_gpu_work w = {decode_once, NULL, g, 0, g->stream};

	few.runs = few.runs < XC_BENCH_NVJPEG_RUNS ? few.runs : XC_BENCH_NVJPEG_RUNS;
	snprintf(r.coding, sizeof r.coding, "%s", coding);
	if (xc_bench_gpu_time(&few, &w, &r))
		return -1;
	for (uint32_t i = 0; i < few.batch; i++)
		r.bytes += (double)g->n->sizes[i] + (double)few.width * few.height * 3;
	xc_bench_gpu_print(g->n->b, &r);
	return 0;
}

int xc_bench_nvjpeg_engines(const xc_bench_nvjpeg *n, const char *coding)
{
	engines g = {.n = n};
	xc_gpu_error e = {XC_OK, ""};
	unsigned cores;
	int measured = 0;

	if (!n->f.CreateEx(XC_NVJPEG_BACKEND_HARDWARE, NULL, NULL, 0, &g.handle) &&
	    !n->f.GetHardwareDecoderInfo(g.handle, &g.count, &cores) && g.count) {
		if (set_up(&g, &e))
			xc_cli_warning("bench gpu", "%s", e.text);
		else
			measured = !measure(&g, coding);
	}
	if (g.state)
		n->f.JpegStateDestroy(g.state);
	if (g.handle)
		n->f.Destroy(g.handle);
	n->b->gpu->module->stream_free(n->b->gpu->gpu, g.stream);
	return measured;
}
