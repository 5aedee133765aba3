/* SPDX-License-Identifier: BSD-2-Clause */
/* nvJPEG beside our codec, if its library is installed: frames one at a time, batches shared by
 * threads, and batches decoded by the GPU's JPEG engines, its fastest way if it has any. */
#include "bench/gpu/nvjpeg.h"

#include "bench/tiled.h"
#include "cli/base/clock.h"
#include "cli/base/report.h"
#include "src/core/pool.h"

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
	const xc_bench_gpu_work w = {code_once, NULL, p, 0, 1, &p->coder.stream};

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

	for (uint32_t i = 0; i < n->b->batch && !s; i++)
		s = xc_bench_nvjpeg_tell(xc_bench_nvjpeg_make_file(n, &p.coder, i), "encode", &e);
	int failed = xc_bench_gpu_check(n->b, s, &e) || measure_single(&p, "nvJPEG encode");
	if (!failed) {
		p.code = xc_bench_nvjpeg_decode;
		p.verb = "decode";
		failed = measure_single(&p, "nvJPEG decode");
	}
	xc_bench_nvjpeg_coder_free(&p.coder);
	return failed;
}

/* -------------------------------------------------------------- the threads */

/* nvJPEG's functions take one picture at a time and wait for the GPU in between, so several
 * threads share the frames of a batch. */
enum { MOST_THREADS = 16, LEAST_RUNS = 3 };
#define ENOUGH_SECONDS 0.3 /* for one number of threads */

typedef struct worker {
	xc_bench_nvjpeg_coder coder;
	xc_status status;
	xc_gpu_error error;
} worker;

typedef struct crew {
	const xc_bench_nvjpeg *n;
	xc_bench_nvjpeg_code *code;
	uint32_t count, next; /* next: the first frame that nobody has taken; atomic */
	worker workers[MOST_THREADS];
} crew;

/* Codes frames of the batch until there are no more. */
static void do_share(void *user, int number)
{
	crew *c = user;
	worker *w = &c->workers[number];
	const xc_bench_gpu *b = c->n->b;
	int failed = 0;
	uint32_t i;

	/* The module's calls make the GPU current in the thread that calls them. */
	w->status = b->gpu->module->synchronize(b->gpu->gpu, w->coder.stream, &w->error);
	if (w->status)
		return;
	while (!failed && (i = __atomic_fetch_add(&c->next, 1, __ATOMIC_RELAXED)) < b->batch)
		failed = c->code(&w->coder, i);
	w->status = xc_bench_nvjpeg_tell(failed, "work on a batch", &w->error);
	if (!w->status)
		w->status = b->gpu->module->synchronize(b->gpu->gpu, w->coder.stream, &w->error);
}

/* The median of at least three batches, after one that does not count. */
static xc_status time_batches(crew *c, xc_pool *pool, double *seconds, xc_gpu_error *e)
{
	double times[XC_BENCH_NVJPEG_RUNS];
	const int wanted = c->n->b->runs;
	const int most = wanted < XC_BENCH_NVJPEG_RUNS ? wanted : XC_BENCH_NVJPEG_RUNS;
	double spent = 0;
	int runs = 0;

	for (int i = -1; i < most && (i < LEAST_RUNS || spent < ENOUGH_SECONDS); i++) {
		const double began = xc_cli_seconds();

		c->next = 0;
		xc_pool_run(pool, (int)c->count, do_share, c);
		times[i < 0 ? 0 : i] = xc_cli_seconds() - began;
		runs = i + 1;
		spent += times[i < 0 ? 0 : i];
		for (uint32_t k = 0; k < c->count; k++)
			if (c->workers[k].status) {
				*e = c->workers[k].error;
				return c->workers[k].status;
			}
	}
	*seconds = xc_bench_median(times, runs);
	return XC_OK;
}

static xc_status time_crew(const xc_bench_nvjpeg *n, const xc_encode_options *o,
                           xc_bench_nvjpeg_code *code, uint32_t count, double *seconds,
                           xc_gpu_error *e)
{
	crew c = {.n = n, .code = code, .count = count};
	xc_pool pool;
	xc_status s = xc_bench_nvjpeg_tell(xc_pool_init(&pool), "be given a lock", e);

	if (s)
		return s;
	for (uint32_t i = 0; i < count && !s; i++)
		s = xc_bench_nvjpeg_coder_new(n, o, &c.workers[i].coder, e);
	if (!s)
		s = time_batches(&c, &pool, seconds, e);
	xc_pool_free(&pool);
	for (uint32_t i = 0; i < count; i++)
		xc_bench_nvjpeg_coder_free(&c.workers[i].coder);
	return s;
}

/* A batch, coded by several threads with a coder each, as many as are fastest.  What does
 * not work is left out with a warning. */
static void measure_threads(const xc_bench_nvjpeg *n, const xc_encode_options *o,
                            xc_bench_nvjpeg_code *code, const char *what)
{
	xc_bench_gpu *b = n->b;
	xc_bench_gpu_result r = {.what = what,
	                         .pictures = b->batch,
	                         .workers_name = "threads",
	                         .bytes = xc_bench_nvjpeg_bytes(n, b->batch)};

	for (uint32_t count = 4; count <= MOST_THREADS; count *= 2) {
		xc_gpu_error e = {XC_OK, ""};
		double seconds = 0;

		if (time_crew(n, o, code, count, &seconds, &e)) {
			xc_cli_warning("bench gpu", "%s with %u threads: %s", what, count, e.text);
		} else if (!r.workers || seconds < r.seconds) {
			r.workers = count;
			r.seconds = seconds;
		}
	}
	if (r.workers)
		xc_bench_gpu_print(b, &r);
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
	xc_status s = b->gpu->module->stream_new(b->gpu->gpu, &g->stream, e);

	if (s)
		return s;
	for (uint32_t i = 0; i < b->batch; i++) {
		g->files[i] = n->files + i * n->room;
		g->targets[i] = xc_bench_nvjpeg_target(n, i);
	}
	int failed = n->f.JpegStateCreate(g->handle, &g->state);
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
	const xc_bench_gpu_work w = {decode_batch, NULL, g, 0, 1, &g->stream};

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
	void *files = NULL, *pixels = NULL;

	n->room = xc_bench_gpu_file_room(b);
	e->status = xc_bench_nvjpeg_tell(n->f.CreateSimple(&n->handle), "start", e);
	xc_bench_gpu_allocate(b, XC_GPU_PINNED_MEMORY, b->batch * n->room, &files, e);
	xc_bench_gpu_allocate(b, XC_GPU_DEVICE_MEMORY, b->batch * b->frame_bytes, &pixels, e);
	n->files = files;
	n->pixels = pixels;
	return e->status;
}

/* Without engines, threads decode the batches. */
static int measure_all(xc_bench_nvjpeg *n)
{
	for (int i = 0; i < XC_BENCH_GPU_CODINGS; i++) {
		xc_encode_options o;

		xc_bench_gpu_coding(n->b, i, &o);
		if (o.transform != XC_TRANSFORM_DCT || o.entropy != XC_ENTROPY_HUFFMAN || o.effort)
			continue;
		if (measure_singles(n, &o))
			return -1;
		if (n->b->batch < 2)
			continue;
		measure_threads(n, &o, xc_bench_nvjpeg_encode, "nvJPEG encode");
		if (!measure_engines(n))
			measure_threads(n, &o, xc_bench_nvjpeg_decode, "nvJPEG decode");
	}
	return 0;
}

int xc_bench_gpu_nvjpeg(xc_bench_gpu *b)
{
	xc_bench_nvjpeg n = {.b = b};
	xc_gpu_error e = {XC_OK, ""};
	void *library = b->gpu->device == 0 ? xc_nvjpeg_open(&n.f) : NULL;

	if (!library)
		return 0;
	int failed = xc_bench_gpu_check(b, set_up(&n, &e), &e);
	if (!failed)
		failed = measure_all(&n);
	b->gpu->module->release(b->gpu->gpu, n.files);
	b->gpu->module->release(b->gpu->gpu, n.pixels);
	if (n.handle)
		n.f.Destroy(n.handle);
	xc_nvjpeg_close(library);
	return failed;
}
