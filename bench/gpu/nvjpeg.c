/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * NVIDIA's nvJPEG as a peer: its functions, declared here as far as they are used
 * (https://docs.nvidia.com/cuda/nvjpeg/) and opened at run time, so that nothing depends on
 * them.  Measured beside our codec are frames one at a time, batches shared by threads, and batches
 * decoded by the GPU's JPEG engines, its fastest way if it has any.
 */
#include "bench/gpu/gpu.h"
#include "bench/tiled.h"
#include "cli/base/clock.h"
#include "cli/base/report.h"
#include "src/core/pool.h"

#include <stdio.h>
#include <string.h>

#ifdef XC_HAVE_DLOPEN
#include <dlfcn.h>
#endif

enum {
	NVJPEG_CSS_444 = 0,
	NVJPEG_CSS_420 = 2,
	NVJPEG_INTERLEAVED_RGB = 5, /* pixels, both ways */
	NVJPEG_BACKEND_HARDWARE = 3,
	NVJPEG_IMAGE_CHANNELS = 4
};

typedef struct nvjpeg_image {
	unsigned char *channel[NVJPEG_IMAGE_CHANNELS];
	size_t pitch[NVJPEG_IMAGE_CHANNELS];
} nvjpeg_image;

/* The functions.  Handles are pointers; enumerations and statuses are int. */
typedef struct nvjpeg_functions {
	int (*CreateSimple)(void **handle);
	int (*CreateEx)(int backend, void *device_allocator, void *pinned_allocator, unsigned flags,
	                void **handle);
	int (*Destroy)(void *handle);
	int (*GetHardwareDecoderInfo)(void *handle, unsigned *engines, unsigned *cores_each);
	int (*EncoderStateCreate)(void *handle, void **state, void *stream);
	int (*EncoderStateDestroy)(void *state);
	int (*EncoderParamsCreate)(void *handle, void **params, void *stream);
	int (*EncoderParamsDestroy)(void *params);
	int (*EncoderParamsSetQuality)(void *params, int quality, void *stream);
	int (*EncoderParamsSetOptimizedHuffman)(void *params, int optimized, void *stream);
	int (*EncoderParamsSetSamplingFactors)(void *params, int subsampling, void *stream);
	int (*EncodeImage)(void *handle, void *state, void *params, const nvjpeg_image *source,
	                   int format, int width, int height, void *stream);
	int (*EncodeRetrieveBitstream)(void *handle, void *state, unsigned char *data, size_t *length,
	                               void *stream);
	int (*EncodeRetrieveBitstreamDevice)(void *handle, void *state, unsigned char *data,
	                                     size_t *length, void *stream);
	int (*JpegStateCreate)(void *handle, void **state);
	int (*JpegStateDestroy)(void *state);
	int (*Decode)(void *handle, void *state, const unsigned char *data, size_t length, int format,
	              nvjpeg_image *destination, void *stream);
	int (*DecodeBatchedInitialize)(void *handle, void *state, int batch, int cpu_threads,
	                               int format);
	int (*DecodeBatched)(void *handle, void *state, const unsigned char *const *data,
	                     const size_t *lengths, nvjpeg_image *destinations, void *stream);
} nvjpeg_functions;

/* The maximum of runs of a batch: the slowest take a tenth of a second each. */
enum { NVJPEG_RUNS = 10 };

typedef struct nvjpeg {
	xc_bench_gpu *b;
	nvjpeg_functions f;
	void *handle;
	/* b->batch frames as files of one coding, in pinned memory, `room` bytes from one to
	 * the next; and room for as many frames on the device. */
	unsigned char *files, *pixels;
	size_t room, sizes[XC_BENCH_GPU_FRAMES];
} nvjpeg;

/* Encoder and decoder of one frame at a time, with a stream of their own. */
typedef struct nvjpeg_coder {
	const nvjpeg *n;
	void *stream, *state, *params;
	/* The decoder has a handle of its own: decoders that share one run out of memory. */
	void *handle, *decoder;
	unsigned char *file; /* in device memory */
} nvjpeg_coder;

/* Each codes frame i on the coder's stream and returns nvJPEG's status.  Files are encoded
 * to coder->file. */
typedef int nvjpeg_code(const nvjpeg_coder *coder, uint32_t i);
static nvjpeg_code nvjpeg_encode, nvjpeg_decode;

#ifdef XC_HAVE_DLOPEN
static int load_functions(void *library, nvjpeg_functions *f)
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

/* Returns the library, or NULL if it is not installed. */
static void *open_library(nvjpeg_functions *f)
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

static void close_library(void *library)
{
	dlclose(library);
}

#else

void *open_library(nvjpeg_functions *f)
{
	memset(f, 0, sizeof *f);
	return NULL;
}

void close_library(void *library)
{
	(void)library;
}

#endif

/* ----------------------------------------------------------------- one frame */

/* Frame i of n->pixels. */
static nvjpeg_image nvjpeg_target(const nvjpeg *n, uint32_t i)
{
	return (nvjpeg_image){{n->pixels + i * n->b->frame_bytes}, {n->b->stride}};
}

/* A failure of nvJPEG's as one of ours. */
static xc_status nvjpeg_tell(int failed, const char *what, xc_gpu_error *e)
{
	if (!failed)
		return XC_OK;
	snprintf(e->text, sizeof e->text, "nvJPEG cannot %s: status %d", what, failed);
	return XC_ERR_DEVICE;
}

/* The bytes that coding the first `count` frames must at least read and write. */
static double nvjpeg_bytes(const nvjpeg *n, uint32_t count)
{
	double bytes = (double)n->b->width * n->b->height * 3 * count;

	for (uint32_t i = 0; i < count; i++)
		bytes += (double)n->sizes[i];
	return bytes;
}

static int set_coding(const nvjpeg_coder *c, const xc_encode_options *o)
{
	const nvjpeg_functions *f = &c->n->f;
	const int subsampling = o->subsampling == XC_SUBSAMPLING_444 ? NVJPEG_CSS_444 : NVJPEG_CSS_420;
	int failed = f->EncoderParamsSetQuality(c->params, o->quality, c->stream);

	if (!failed)
		failed = f->EncoderParamsSetSamplingFactors(c->params, subsampling, c->stream);
	if (!failed)
		failed = f->EncoderParamsSetOptimizedHuffman(c->params, o->huffman == XC_HUFFMAN_OPTIMIZED,
		                                             c->stream);
	return failed;
}

/* The coder is to be freed after a failure, too. */
static xc_status nvjpeg_coder_new(const nvjpeg *n, const xc_encode_options *o, nvjpeg_coder *c,
                                  xc_gpu_error *e)
{
	const xc_gpu_module *m = n->b->gpu->module;
	void *file = NULL;

	*c = (nvjpeg_coder){.n = n};
	xc_status s = m->stream_new(n->b->gpu->gpu, &c->stream, e);
	s = s ? s : m->allocate(n->b->gpu->gpu, XC_GPU_DEVICE_MEMORY, n->room, &file, e);
	c->file = file;
	if (s)
		return s;
	int failed = n->f.EncoderStateCreate(n->handle, &c->state, c->stream);
	failed = failed ? failed : n->f.EncoderParamsCreate(n->handle, &c->params, c->stream);
	failed = failed ? failed : set_coding(c, o);
	if (failed)
		return nvjpeg_tell(failed, "make an encoder", e);
	failed = n->f.CreateSimple(&c->handle);
	if (failed)
		return nvjpeg_tell(failed, "start", e);
	return nvjpeg_tell(n->f.JpegStateCreate(c->handle, &c->decoder), "make a decoder", e);
}

static void nvjpeg_coder_free(nvjpeg_coder *c)
{
	const nvjpeg *n = c->n;

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

static int begin_encoding(const nvjpeg_coder *c, uint32_t i)
{
	const xc_bench_gpu *b = c->n->b;
	const nvjpeg_image in = {{(unsigned char *)b->frames + i * b->frame_bytes}, {b->stride}};

	return c->n->f.EncodeImage(c->n->handle, c->state, c->params, &in, NVJPEG_INTERLEAVED_RGB,
	                           (int)b->width, (int)b->height, c->stream);
}

static int nvjpeg_encode(const nvjpeg_coder *c, uint32_t i)
{
	const nvjpeg *n = c->n;
	const int failed = begin_encoding(c, i);
	size_t size = n->room;

	return failed
	           ? failed
	           : n->f.EncodeRetrieveBitstreamDevice(n->handle, c->state, c->file, &size, c->stream);
}

/* Encodes frame i to n->files and n->sizes, from where it is decoded. */
static int nvjpeg_make_file(nvjpeg *n, const nvjpeg_coder *c, uint32_t i)
{
	const int failed = begin_encoding(c, i);

	n->sizes[i] = n->room;
	return failed ? failed
	              : n->f.EncodeRetrieveBitstream(n->handle, c->state, n->files + i * n->room,
	                                             &n->sizes[i], c->stream);
}

static int nvjpeg_decode(const nvjpeg_coder *c, uint32_t i)
{
	const nvjpeg *n = c->n;
	nvjpeg_image out = nvjpeg_target(n, i);

	return n->f.Decode(c->handle, c->decoder, n->files + i * n->room, n->sizes[i],
	                   NVJPEG_INTERLEAVED_RGB, &out, c->stream);
}

/* -------------------------------------------------------- a frame at a time */

typedef struct single {
	nvjpeg_coder coder;
	nvjpeg_code *code;
	const char *verb;
} single;

static xc_status code_once(void *user, uint32_t run, void **marks, xc_gpu_error *e)
{
	const single *p = user;

	(void)marks;
	return nvjpeg_tell(p->code(&p->coder, run % p->coder.n->b->batch), p->verb, e);
}

static int measure_single(single *p, const char *what)
{
	const nvjpeg *n = p->coder.n;
	xc_bench_gpu_result r = {.what = what, .pictures = 1};
	const xc_bench_gpu_work w = {code_once, NULL, p, 0, 1, &p->coder.stream};

	if (xc_bench_gpu_time(n->b, &w, &r))
		return -1;
	r.bytes = nvjpeg_bytes(n, 1);
	xc_bench_gpu_print(n->b, &r);
	return 0;
}

static int measure_singles(nvjpeg *n, const xc_encode_options *o)
{
	single p = {.code = nvjpeg_encode, .verb = "encode"};
	xc_gpu_error e = {XC_OK, ""};
	xc_status s = nvjpeg_coder_new(n, o, &p.coder, &e);

	for (uint32_t i = 0; i < n->b->batch && !s; i++)
		s = nvjpeg_tell(nvjpeg_make_file(n, &p.coder, i), "encode", &e);
	int failed = xc_bench_gpu_check(n->b, s, &e) || measure_single(&p, "nvJPEG encode");
	if (!failed) {
		p.code = nvjpeg_decode;
		p.verb = "decode";
		failed = measure_single(&p, "nvJPEG decode");
	}
	nvjpeg_coder_free(&p.coder);
	return failed;
}

/* -------------------------------------------------------------- the threads */

/* nvJPEG's functions take one picture at a time and wait for the GPU in between, so several
 * threads share the frames of a batch. */
enum { MAX_THREADS = 16, MIN_RUNS = 3 };
#define ENOUGH_SECONDS 0.3 /* for one number of threads */

typedef struct worker {
	nvjpeg_coder coder;
	xc_status status;
	xc_gpu_error error;
} worker;

typedef struct workers {
	const nvjpeg *n;
	nvjpeg_code *code;
	uint32_t count, next; /* next: the first frame that nobody has taken; atomic */
	worker workers[MAX_THREADS];
} workers;

/* Codes frames of the batch until there are no more. */
static void do_share(void *user, int number)
{
	workers *c = user;
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
	w->status = nvjpeg_tell(failed, "work on a batch", &w->error);
	if (!w->status)
		w->status = b->gpu->module->synchronize(b->gpu->gpu, w->coder.stream, &w->error);
}

/* The median of at least three batches, after one that does not count. */
static xc_status time_batches(workers *c, xc_pool *pool, double *seconds, xc_gpu_error *e)
{
	double times[NVJPEG_RUNS];
	const int wanted = c->n->b->runs;
	const int max = wanted < NVJPEG_RUNS ? wanted : NVJPEG_RUNS;
	double spent = 0;
	int runs = 0;

	for (int i = -1; i < max && (i < MIN_RUNS || spent < ENOUGH_SECONDS); i++) {
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

static xc_status time_workers(const nvjpeg *n, const xc_encode_options *o, nvjpeg_code *code,
                              uint32_t count, double *seconds, xc_gpu_error *e)
{
	workers c = {.n = n, .code = code, .count = count};
	xc_pool pool;
	xc_status s = nvjpeg_tell(xc_pool_init(&pool), "be given a lock", e);

	if (s)
		return s;
	for (uint32_t i = 0; i < count && !s; i++)
		s = nvjpeg_coder_new(n, o, &c.workers[i].coder, e);
	s = s ? s : time_batches(&c, &pool, seconds, e);
	xc_pool_free(&pool);
	for (uint32_t i = 0; i < count; i++)
		nvjpeg_coder_free(&c.workers[i].coder);
	return s;
}

/* A batch, coded by several threads with a coder each, as many as are fastest.  What does
 * not work is left out with a warning. */
static void measure_threads(const nvjpeg *n, const xc_encode_options *o, nvjpeg_code *code,
                            const char *what)
{
	xc_bench_gpu *b = n->b;
	xc_bench_gpu_result r = {.what = what,
	                         .pictures = b->batch,
	                         .workers_name = "threads",
	                         .bytes = nvjpeg_bytes(n, b->batch)};

	for (uint32_t count = 4; count <= MAX_THREADS; count *= 2) {
		xc_gpu_error e = {XC_OK, ""};
		double seconds = 0;

		if (time_workers(n, o, code, count, &seconds, &e)) {
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
	const nvjpeg *n;
	void *handle, *state, *stream;
	unsigned count;
	const unsigned char *files[XC_BENCH_GPU_FRAMES];
	nvjpeg_image targets[XC_BENCH_GPU_FRAMES];
} engines;

static xc_status decode_batch(void *user, uint32_t run, void **marks, xc_gpu_error *e)
{
	engines *g = user;

	(void)run, (void)marks;
	return nvjpeg_tell(g->n->f.DecodeBatched(g->handle, g->state, g->files, g->n->sizes, g->targets,
	                                         g->stream),
	                   "decode on its engines", e);
}

/* The state for batches, and the lists. */
static xc_status set_up_engines(engines *g, xc_gpu_error *e)
{
	const nvjpeg *n = g->n;
	const xc_bench_gpu *b = n->b;
	xc_status s = b->gpu->module->stream_new(b->gpu->gpu, &g->stream, e);

	if (s)
		return s;
	for (uint32_t i = 0; i < b->batch; i++) {
		g->files[i] = n->files + i * n->room;
		g->targets[i] = nvjpeg_target(n, i);
	}
	int failed = n->f.JpegStateCreate(g->handle, &g->state);
	if (!failed)
		failed = n->f.DecodeBatchedInitialize(g->handle, g->state, (int)b->batch, 1,
		                                      NVJPEG_INTERLEAVED_RGB);
	return nvjpeg_tell(failed, "make a decoder for its engines", e);
}

static int time_engines(engines *g)
{
	xc_bench_gpu few = *g->n->b;
	xc_bench_gpu_result r = {.what = "nvJPEG decode",
	                         .pictures = few.batch,
	                         .workers = g->count,
	                         .workers_name = "engines",
	                         .bytes = nvjpeg_bytes(g->n, few.batch)};
	const xc_bench_gpu_work w = {decode_batch, NULL, g, 0, 1, &g->stream};

	few.runs = few.runs < NVJPEG_RUNS ? few.runs : NVJPEG_RUNS;
	if (xc_bench_gpu_time(&few, &w, &r))
		return -1;
	xc_bench_gpu_print(g->n->b, &r);
	return 0;
}

/* Returns 1 if the GPU has engines and they were measured. */
static int measure_engines(const nvjpeg *n)
{
	engines g = {.n = n};
	xc_gpu_error e = {XC_OK, ""};
	unsigned cores;
	int measured = 0;

	if (!n->f.CreateEx(NVJPEG_BACKEND_HARDWARE, NULL, NULL, 0, &g.handle) &&
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

static xc_status set_up(nvjpeg *n, xc_gpu_error *e)
{
	xc_bench_gpu *b = n->b;
	void *files = NULL, *pixels = NULL;

	n->room = xc_bench_gpu_file_room(b);
	e->status = nvjpeg_tell(n->f.CreateSimple(&n->handle), "start", e);
	xc_bench_gpu_allocate(b, XC_GPU_PINNED_MEMORY, b->batch * n->room, &files, e);
	xc_bench_gpu_allocate(b, XC_GPU_DEVICE_MEMORY, b->batch * b->frame_bytes, &pixels, e);
	n->files = files;
	n->pixels = pixels;
	return e->status;
}

/* Without engines, threads decode the batches. */
static int measure_all(nvjpeg *n)
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
		measure_threads(n, &o, nvjpeg_encode, "nvJPEG encode");
		if (!measure_engines(n))
			measure_threads(n, &o, nvjpeg_decode, "nvJPEG decode");
	}
	return 0;
}

int xc_bench_gpu_nvjpeg(xc_bench_gpu *b)
{
	nvjpeg n = {.b = b};
	xc_gpu_error e = {XC_OK, ""};
	void *library = b->gpu->device == 0 ? open_library(&n.f) : NULL;

	if (!library)
		return 0;
	int failed = xc_bench_gpu_check(b, set_up(&n, &e), &e);
	failed = failed ? failed : measure_all(&n);
	b->gpu->module->release(b->gpu->gpu, n.files);
	b->gpu->module->release(b->gpu->gpu, n.pixels);
	if (n.handle)
		n.f.Destroy(n.handle);
	close_library(library);
	return failed;
}
