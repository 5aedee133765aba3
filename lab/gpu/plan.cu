/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/gpu/work.h"

#include "gpu/runtime/driver.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The arrays that a measurement goes through must not fit into any cache together. */
enum { MEASURE_BYTES = 512 << 20, MEASURE_ARRAYS = XC_LAB_MEMORIES / 2, MEASURE_MIN = 4 };

typedef struct plan {
	xc_lab_gpu gpu;
	int device, own_stream;
	int wide; /* double */
	xc_transform_size size[2];
	void *factors[2][3]; /* of the input and the output; NULL: 1 */
	void *weighed;       /* the input times its factors; NULL: it has none */
	const xc_lab_work *work;
	void *state;
	size_t in_bytes, out_bytes;
	void *in, *out;
	cudaEvent_t events[4];
} plan;

int xc_lab_refuse(xc_lab_gpu *gpu, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(gpu->why, XC_DEVICE_MESSAGE, format, list);
	va_end(list);
	return -1;
}

int xc_lab_check(xc_lab_gpu *gpu, cudaError_t result, const char *what)
{
	if (result == cudaSuccess)
		return 0;
	(void)cudaGetLastError();
	return xc_lab_refuse(gpu, "the GPU cannot %s: %s", what, cudaGetErrorString(result));
}

int xc_lab_check_kernel(xc_lab_gpu *gpu)
{
	return xc_lab_check(gpu, cudaGetLastError(), "start a kernel");
}

int xc_lab_attribute(xc_lab_gpu *gpu, cudaDeviceAttr which)
{
	int device = 0, value = 0;
	cudaError_t e = cudaGetDevice(&device);

	if (e == cudaSuccess)
		e = cudaDeviceGetAttribute(&value, which, device);
	return xc_lab_check(gpu, e, "be described") ? -1 : value;
}

int xc_lab_allow_max(xc_lab_gpu *gpu, const void *kernel)
{
	cudaFuncAttributes own;
	const int max = xc_lab_attribute(gpu, cudaDevAttrMaxSharedMemoryPerBlockOptin);

	if (max < 0)
		return -1;
	cudaError_t e = cudaFuncGetAttributes(&own, kernel);
	if (e == cudaSuccess)
		e = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
		                         max - (int)own.sharedSizeBytes);
	return xc_lab_check(gpu, e, "give shared memory");
}

void *xc_lab_memory(xc_lab_gpu *gpu, size_t size)
{
	void *memory = NULL;
	const cudaError_t e = gpu->memories < XC_LAB_MEMORIES ? cudaMalloc(&memory, size)
	                                                      : cudaErrorMemoryAllocation;

	if (xc_lab_check(gpu, e, "allocate memory"))
		return NULL;
	gpu->memory[gpu->memories++] = memory;
	return memory;
}

void *xc_lab_table(xc_lab_gpu *gpu, const void *data, size_t size)
{
	void *const table = xc_lab_memory(gpu, size);

	if (!table)
		return NULL;
	cudaError_t e = cudaMemcpy(table, data, size, cudaMemcpyHostToDevice);
	/* A copy of ordinary memory may return early, and the plan's stream does not wait for the
	 * copy's stream. */
	if (e == cudaSuccess)
		e = cudaStreamSynchronize(cudaStreamLegacy);
	return xc_lab_check(gpu, e, "copy a table") ? NULL : table;
}

static void free_memories(xc_lab_gpu *gpu)
{
	while (gpu->memories)
		(void)cudaFree(gpu->memory[--gpu->memories]);
}

/* The copy that transforms are measured against, as the driver does it. */

static int copy_set_up(void *state, const xc_lab_job *job, xc_lab_gpu *)
{
	*(size_t *)state = xc_transform_samples(&job->in) * xc_precision_bytes(job->precision);
	return 0;
}

static int copy_enqueue(void *state, const void *in, void *out, xc_lab_gpu *gpu)
{
	const size_t bytes = *(const size_t *)state;
	return xc_lab_check(gpu, cudaMemcpyAsync(out, in, bytes, cudaMemcpyDeviceToDevice, gpu->stream),
	                    "copy");
}

const xc_lab_work xc_lab_copy = {sizeof(size_t), copy_set_up, copy_enqueue};

/* Makes the device that of the calling thread until leave(). */
static int enter(xc_lab_gpu *gpu, int device, int *before)
{
	*before = device;
	cudaError_t e = cudaGetDevice(before);
	if (e == cudaSuccess && *before != device)
		e = cudaSetDevice(device);
	return xc_lab_check(gpu, e, "be chosen");
}

static void leave(int device, int before)
{
	if (before != device)
		(void)cudaSetDevice(before);
}

static int probe(int number, char device[XC_DEVICE_MESSAGE], char why[XC_DEVICE_MESSAGE])
{
	int count = 0;
	cudaDeviceProp properties;
	xc_lab_gpu gpu = {NULL, why};
	const cudaError_t error = cudaGetDeviceCount(&count);

	if (error != cudaSuccess || !count) {
		(void)cudaGetLastError();
		return xc_lab_refuse(&gpu, "no GPU can be used: %s", xc_gpu_why_none(error));
	}
	if (number >= count)
		return xc_lab_refuse(&gpu, "there is no GPU %d, but %d from 0 on", number, count);
	if (xc_lab_check(&gpu, cudaGetDeviceProperties(&properties, number), "be described"))
		return -1;
	snprintf(device, XC_DEVICE_MESSAGE, "%s", properties.name);
	return 0;
}

/* How a job is done, or NULL. */
static const xc_lab_work *work_for(const xc_lab_job *job)
{
	/* clang-format off */
	/* In the order of xc_lab_kind: for 16 bits, float, double and half. */
	static const xc_lab_work *const works[][4] = {
		{&xc_lab_copy, &xc_lab_copy, &xc_lab_copy, &xc_lab_copy},
		{NULL, &xc_lab_bands_f32, &xc_lab_bands_f64, &xc_lab_bands_f16},
		{&xc_lab_short, NULL, NULL, NULL},
#if XC_HAVE_FRAMES
		{NULL, &xc_lab_dmm_f32, &xc_lab_dmm_f64},
		{NULL, &xc_lab_dmm_cublas, &xc_lab_dmm_cublas},
		{NULL, &xc_lab_dmm_f32, &xc_lab_dmm_f64},
		{NULL, &xc_lab_lines_f32, &xc_lab_lines_f64},
		{NULL, &xc_lab_rowcol_f32, &xc_lab_rowcol_f64},
		{NULL, &xc_lab_fused_f32, &xc_lab_fused_f64},
		{NULL, &xc_lab_stages_f32, &xc_lab_stages_f64},
		{NULL, &xc_lab_fft, &xc_lab_fft},
		{NULL, &xc_lab_fft, &xc_lab_fft},
#endif
	};
	/* clang-format on */
	const size_t kind = (size_t)job->kind;
	const size_t column = job->precision == XCT_FLOAT16 ? 3
	                                                    : xc_precision_bytes(job->precision) / 4;

	return kind < sizeof works / sizeof *works ? works[kind][column] : NULL;
}

static void close_state(plan *p)
{
	if (p->state && p->work->close)
		p->work->close(p->state);
	free(p->state);
	p->state = NULL;
}

static void finish(void *state)
{
	plan *const p = (plan *)state;

	if (!p)
		return;
	char why[XC_DEVICE_MESSAGE];
	int before;
	p->gpu.why = why;
	(void)enter(&p->gpu, p->device, &before);
	/* The caller's stream may be gone, and the work in it is done. */
	if (p->gpu.stream && p->own_stream)
		(void)cudaStreamSynchronize(p->gpu.stream);
	close_state(p);
	free_memories(&p->gpu);
	for (int i = 0; i < 4; i++)
		if (p->events[i])
			(void)cudaEventDestroy(p->events[i]);
	if (p->gpu.stream && p->own_stream)
		(void)cudaStreamDestroy(p->gpu.stream);
	(void)cudaGetLastError();
	leave(p->device, before);
	free(p);
}

static int set_up_work(plan *p, const xc_lab_job *job, const xc_lab_work *work)
{
	p->work = work;
	p->state = calloc(1, work->bytes);
	if (!p->state)
		return xc_lab_refuse(&p->gpu, "out of memory");
	const int status = work->set_up(p->state, job, &p->gpu);
	if (status != XC_LAB_OTHER_SIZE)
		return status;
	close_state(p);
	return set_up_work(p, job, work->otherwise);
}

static int set_up_factors(plan *p, const xc_lab_job *job)
{
	const size_t bytes = xc_precision_bytes(job->precision);

	p->wide = job->precision == XCT_FLOAT64;
	p->size[0] = job->in;
	p->size[1] = job->out;
	for (int side = 0; side < 2; side++) {
		const xc_transform_size *const s = &p->size[side];
		const size_t counts[3] = {s->slices, s->rows, s->cols};
		for (int axis = 0; axis < 3 && job->factors[side][axis]; axis++) {
			p->factors[side][axis] = xc_lab_table(&p->gpu, job->factors[side][axis],
			                                      counts[axis] * bytes);
			if (!p->factors[side][axis])
				return -1;
		}
	}
	if (p->factors[0][0])
		p->weighed = xc_lab_memory(&p->gpu, p->in_bytes);
	return p->factors[0][0] && !p->weighed ? -1 : 0;
}

static int set_up(plan *p, const xc_lab_job *job, const xc_lab_work *work)
{
	xc_lab_gpu *const gpu = &p->gpu;

	gpu->stream = (cudaStream_t)job->stream;
	p->own_stream = !job->stream;
	if (p->own_stream &&
	    xc_lab_check(gpu, cudaStreamCreateWithFlags(&gpu->stream, cudaStreamNonBlocking),
	                 "make a stream"))
		return -1;
	for (int i = 0; i < 4; i++)
		if (xc_lab_check(gpu, cudaEventCreate(&p->events[i]), "make an event"))
			return -1;
	if (!job->on_device) {
		p->in = xc_lab_memory(gpu, p->in_bytes);
		p->out = p->in ? xc_lab_memory(gpu, p->out_bytes) : NULL;
	}
	if ((!p->out && !job->on_device) || set_up_factors(p, job))
		return -1;
	return set_up_work(p, job, work);
}

static void *prepare(const xc_lab_job *job, char why[XC_DEVICE_MESSAGE])
{
	const size_t size = xc_precision_bytes(job->precision);
	const xc_lab_work *const work = work_for(job);
	char device[XC_DEVICE_MESSAGE];
	xc_lab_gpu gpu = {NULL, why};
	plan *p = NULL;

	if (!work)
		xc_lab_refuse(&gpu, "this module has no such transform");
	else if (!probe(job->device, device, why) && !(p = (plan *)calloc(1, sizeof *p)))
		xc_lab_refuse(&gpu, "out of memory");
	if (!p)
		return NULL;
	p->gpu.why = why;
	p->device = job->device;
	p->in_bytes = size * xc_transform_samples(&job->in);
	p->out_bytes = size * xc_transform_samples(&job->out);
	int before;
	if (enter(&p->gpu, p->device, &before)) {
		free(p);
		return NULL;
	}
	const int failed = set_up(p, job, work);
	if (failed) {
		/* finish() keeps no text of its own. */
		finish(p);
		p = NULL;
	}
	leave(job->device, before);
	return p;
}

static double seconds_between(cudaEvent_t from, cudaEvent_t to)
{
	float milliseconds = 0;
	(void)cudaEventElapsedTime(&milliseconds, from, to);
	return 1e-3 * (double)milliseconds;
}

/* Samples times factors of their slice, row and column. */
template <typename T>
static __global__ void weigh(const T *in, T *out, const T *slices, const T *rows, const T *cols,
                             xc_transform_size size)
{
	const size_t samples = size.slices * size.rows * size.cols;
	const size_t step = (size_t)gridDim.x * blockDim.x;

	for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < samples; i += step) {
		const size_t row = i / size.cols;
		out[i] = in[i] * (slices[row / size.rows] * rows[row % size.rows] * cols[i % size.cols]);
	}
}

template <typename T> static void launch_weigh(const plan *p, int side, const void *in, void *out)
{
	const size_t threads = 256, most = 1 << 16;
	const size_t wanted = (xc_transform_samples(&p->size[side]) + threads - 1) / threads;
	const T *const *const f = (const T *const *)p->factors[side];
	const unsigned blocks = (unsigned)(wanted < most ? wanted : most);

	weigh<<<blocks, (unsigned)threads, 0, p->gpu.stream>>>((const T *)in, (T *)out, f[0], f[1],
	                                                       f[2], p->size[side]);
}

/* The transform and the factors around it. */
static int enqueue_work(plan *p, const void *in, void *out)
{
	xc_lab_gpu *const gpu = &p->gpu;

	if (p->weighed) {
		(p->wide ? launch_weigh<double> : launch_weigh<float>)(p, 0, in, p->weighed);
		in = p->weighed;
		if (xc_lab_check_kernel(gpu))
			return -1;
	}
	if (p->work->enqueue(p->state, in, out, gpu))
		return -1;
	if (!p->factors[1][0])
		return 0;
	(p->wide ? launch_weigh<double> : launch_weigh<float>)(p, 1, out, out);
	return xc_lab_check_kernel(gpu);
}

static int enqueue(void *state, const void *in, void *out, char why[XC_DEVICE_MESSAGE])
{
	plan *const p = (plan *)state;
	int before;

	p->gpu.why = why;
	if (enter(&p->gpu, p->device, &before))
		return -1;
	const int failed = enqueue_work(p, in, out);
	leave(p->device, before);
	return failed ? -1 : 0;
}

static int run_there(plan *p, const void *in, void *out, xct_times *times)
{
	static const char what[] = "run the transform";
	xc_lab_gpu *const g = &p->gpu;

	if (xc_lab_check(g, cudaEventRecord(p->events[0], g->stream), what) ||
	    xc_lab_check(g, cudaMemcpyAsync(p->in, in, p->in_bytes, cudaMemcpyHostToDevice, g->stream),
	                 what) ||
	    xc_lab_check(g, cudaEventRecord(p->events[1], g->stream), what) ||
	    enqueue_work(p, p->in, p->out) ||
	    xc_lab_check(g, cudaEventRecord(p->events[2], g->stream), what) ||
	    xc_lab_check(g,
	                 cudaMemcpyAsync(out, p->out, p->out_bytes, cudaMemcpyDeviceToHost, g->stream),
	                 what) ||
	    xc_lab_check(g, cudaEventRecord(p->events[3], g->stream), what) ||
	    xc_lab_check(g, cudaStreamSynchronize(g->stream), what))
		return -1;
	times->upload = seconds_between(p->events[0], p->events[1]);
	times->kernel = seconds_between(p->events[1], p->events[2]);
	times->download = seconds_between(p->events[2], p->events[3]);
	return 0;
}

static int execute(void *state, const void *in, void *out, xct_times *times,
                   char why[XC_DEVICE_MESSAGE])
{
	plan *const p = (plan *)state;
	int before;

	p->gpu.why = why;
	if (enter(&p->gpu, p->device, &before))
		return -1;
	const int failed = run_there(p, in, out, times);
	leave(p->device, before);
	return failed;
}

/* A measurement's own memory, for as long as it takes. */
typedef struct arrays {
	xc_lab_gpu gpu;
	int count;
	void *in[MEASURE_ARRAYS], *out[MEASURE_ARRAYS];
} arrays;

static int make_arrays(const plan *p, const void *in, arrays *a)
{
	const size_t wanted = MEASURE_BYTES / (p->in_bytes + p->out_bytes) + 1;
	const int count = wanted < MEASURE_ARRAYS ? (int)wanted : MEASURE_ARRAYS;

	for (; a->count < count; a->count++) {
		a->in[a->count] = xc_lab_table(&a->gpu, in, p->in_bytes);
		a->out[a->count] = a->in[a->count] ? xc_lab_memory(&a->gpu, p->out_bytes) : NULL;
		if (!a->out[a->count])
			return -1;
	}
	return 0;
}

/* A graph of `steps` transforms, so that the processor's time for launches is not measured. */
static cudaGraphExec_t record(plan *p, const arrays *a, int steps)
{
	xc_lab_gpu *const gpu = &p->gpu;
	cudaGraph_t graph = NULL;
	cudaGraphExec_t ready = NULL;
	int failed = 0;

	if (xc_lab_check(gpu, cudaStreamBeginCapture(gpu->stream, cudaStreamCaptureModeThreadLocal),
	                 "record"))
		return NULL;
	for (int i = 0; i < steps && !failed; i++)
		failed = enqueue_work(p, a->in[i % a->count], a->out[i % a->count]);
	const cudaError_t ended = cudaStreamEndCapture(gpu->stream, &graph);
	if (!failed)
		failed = xc_lab_check(gpu, ended, "record") ||
		         xc_lab_check(gpu, cudaGraphInstantiateWithFlags(&ready, graph, 0), "record");
	if (graph)
		(void)cudaGraphDestroy(graph);
	return failed ? NULL : ready;
}

static int run_graph(plan *p, cudaGraphExec_t graph, int steps, int runs, double *seconds)
{
	cudaStream_t s = p->gpu.stream;

	for (int r = -2; r < runs; r++) {
		cudaError_t e = cudaEventRecord(p->events[0], s);
		if (e == cudaSuccess)
			e = cudaGraphLaunch(graph, s);
		if (e == cudaSuccess)
			e = cudaEventRecord(p->events[1], s);
		if (e == cudaSuccess)
			e = cudaStreamSynchronize(s);
		if (xc_lab_check(&p->gpu, e, "run the transform"))
			return -1;
		if (r >= 0)
			seconds[r] = seconds_between(p->events[0], p->events[1]) / steps;
	}
	return 0;
}

/* The seconds of each of `runs` runs. */
static int measure_graph(plan *p, const arrays *a, int runs, double *seconds)
{
	const int steps = a->count < MEASURE_MIN ? MEASURE_MIN : a->count;
	const cudaGraphExec_t graph = record(p, a, steps);
	const int failed = !graph || run_graph(p, graph, steps, runs, seconds);

	if (graph)
		(void)cudaGraphExecDestroy(graph);
	return failed;
}

/* The means of the stages, each run by itself on what the others left. */
static int measure_stages(plan *p, const arrays *a, int runs, xct_times *times)
{
	double *const seconds = (double *)calloc((size_t)runs, sizeof *seconds);
	int failed = !seconds;

	for (int i = 0; i < 3 && !failed && p->work->stages; i++) {
		p->gpu.only = i + 1;
		failed = measure_graph(p, a, runs, seconds);
		times->stage[i] = 0;
		for (int r = 0; r < runs; r++)
			times->stage[i] += seconds[r] / runs;
	}
	p->gpu.only = 0;
	free(seconds);
	return failed;
}

static int measure(void *state, const void *in, int runs, double *seconds, xct_times *times,
                   char why[XC_DEVICE_MESSAGE])
{
	plan *const p = (plan *)state;
	arrays a = {};

	int before;
	a.gpu.why = why;
	p->gpu.why = why;
	if (enter(&p->gpu, p->device, &before))
		return -1;
	const int failed = make_arrays(p, in, &a) || measure_graph(p, &a, runs, seconds) ||
	                   measure_stages(p, &a, runs, times);
	free_memories(&a.gpu);
	leave(p->device, before);
	return failed ? -1 : 0;
}

extern "C" __attribute__((visibility("default"))) const void *xc_module_get(void);

const void *xc_module_get(void)
{
	static const xc_lab_ops ops = {
		XC_LAB_ABI, XC_HAVE_FRAMES, probe, prepare, execute, enqueue, measure, finish,
	};

	return &ops;
}
