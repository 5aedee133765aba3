/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/gpu/works.h"

#include "gpu/runtime/driver.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Arrays that a measurement goes round must not fit into any cache together. */
enum { MEASURE_BYTES = 512 << 20, MEASURE_ARRAYS = 64, MEASURE_LEAST = 4 };

typedef struct plan {
	xc_gpu_job job;
	const xc_gpu_work *work;
	void *own;
	size_t in_bytes, out_bytes;
	void *in, *out;
	cudaStream_t stream;
	cudaEvent_t events[4];
} plan;

/* -------------------------------------------------------------- helpers */

int xc_gpu_refuse(char why[XC_DEVICE_MESSAGE], const char *format, ...)
{
	va_list list;
	va_start(list, format);
	vsnprintf(why, XC_DEVICE_MESSAGE, format, list);
	va_end(list);
	return -1;
}

int xc_gpu_check_call(cudaError_t result, const char *what, char why[XC_DEVICE_MESSAGE])
{
	if (result == cudaSuccess)
		return 0;
	(void)cudaGetLastError();
	return xc_gpu_refuse(why, "the GPU cannot %s: %s", what, cudaGetErrorString(result));
}

int xc_gpu_check_kernel(char why[XC_DEVICE_MESSAGE])
{
	return xc_gpu_check_call(cudaGetLastError(), "start a kernel", why);
}

int xc_gpu_attribute(cudaDeviceAttr which, char why[XC_DEVICE_MESSAGE])
{
	int device = 0, value = 0;
	cudaError_t e = cudaGetDevice(&device);
	if (e == cudaSuccess)
		e = cudaDeviceGetAttribute(&value, which, device);
	return xc_gpu_check_call(e, "be described", why) ? -1 : value;
}

int xc_gpu_allow_most(const void *kernel, char why[XC_DEVICE_MESSAGE])
{
	cudaFuncAttributes own;
	const int most = xc_gpu_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, why);
	if (most < 0)
		return -1;
	cudaError_t e = cudaFuncGetAttributes(&own, kernel);
	if (e == cudaSuccess)
		e = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
		                         most - (int)own.sharedSizeBytes);
	return xc_gpu_check_call(e, "give shared memory", why);
}

void *xc_gpu_memory_of(size_t size, char why[XC_DEVICE_MESSAGE])
{
	void *memory = NULL;
	return xc_gpu_check_call(cudaMalloc(&memory, size), "allocate memory", why) ? NULL : memory;
}

void *xc_gpu_table(const void *data, size_t size, char why[XC_DEVICE_MESSAGE])
{
	void *const table = xc_gpu_memory_of(size, why);
	if (!table)
		return NULL;
	cudaError_t e = cudaMemcpy(table, data, size, cudaMemcpyHostToDevice);
	/* The copy of ordinary memory may return early, and the plan's stream does not wait
	 * for the one that it is on. */
	if (e == cudaSuccess)
		e = cudaStreamSynchronize(cudaStreamLegacy);
	if (e == cudaSuccess)
		return table;
	(void)xc_gpu_check_call(e, "copy a table", why);
	(void)cudaFree(table);
	return NULL;
}

/* ----------------------------------------------------------------- plan */

static int probe(char device[XC_DEVICE_MESSAGE], char why[XC_DEVICE_MESSAGE])
{
	int count = 0;
	cudaDeviceProp properties;
	const cudaError_t error = cudaGetDeviceCount(&count);
	if (error != cudaSuccess || !count) {
		(void)cudaGetLastError();
		return xc_gpu_refuse(why, "no GPU can be used: %s", xc_gpu_why_none(error));
	}
	if (xc_gpu_check_call(cudaGetDeviceProperties(&properties, 0), "be described", why))
		return -1;
	snprintf(device, XC_DEVICE_MESSAGE, "%s", properties.name);
	return 0;
}

static void finish(void *state)
{
	plan *const p = (plan *)state;
	if (!p)
		return;
	if (p->stream)
		(void)cudaStreamSynchronize(p->stream);
	if (p->own)
		p->work->finish(p->own);
	(void)cudaFree(p->in);
	(void)cudaFree(p->out);
	for (int i = 0; i < 4; i++)
		if (p->events[i])
			(void)cudaEventDestroy(p->events[i]);
	if (p->stream)
		(void)cudaStreamDestroy(p->stream);
	(void)cudaGetLastError();
	free(p);
}

static int set_up(plan *p, char why[XC_DEVICE_MESSAGE])
{
	if (xc_gpu_check_call(cudaStreamCreateWithFlags(&p->stream, cudaStreamNonBlocking),
	                      "make a stream", why))
		return -1;
	for (int i = 0; i < 4; i++)
		if (xc_gpu_check_call(cudaEventCreate(&p->events[i]), "make an event", why))
			return -1;
	p->in = xc_gpu_memory_of(p->in_bytes, why);
	p->out = p->in ? xc_gpu_memory_of(p->out_bytes, why) : NULL;
	if (!p->out)
		return -1;
	p->own = p->work->prepare(&p->job, why);
	return p->own ? 0 : -1;
}

static void *prepare(const xc_gpu_job *job, char why[XC_DEVICE_MESSAGE])
{
	const size_t size = xc_precision_bytes(job->precision);
	const xc_gpu_work *const work = xc_gpu_work_for(job);
	char device[XC_DEVICE_MESSAGE];
	if (!work) {
		xc_gpu_refuse(why, "this module has no such transform");
		return NULL;
	}
	if (probe(device, why))
		return NULL;
	plan *const p = (plan *)calloc(1, sizeof *p);
	if (!p) {
		xc_gpu_refuse(why, "out of memory");
		return NULL;
	}
	p->job = *job;
	p->work = work;
	p->in_bytes = size * xc_gpu_samples(&job->in);
	p->out_bytes = size * xc_gpu_samples(&job->out);
	if (!set_up(p, why))
		return p;
	finish(p);
	return NULL;
}

static double seconds_between(cudaEvent_t from, cudaEvent_t to)
{
	float milliseconds = 0;
	(void)cudaEventElapsedTime(&milliseconds, from, to);
	return 1e-3 * (double)milliseconds;
}

static int execute(void *state, const void *in, void *out, xc_device_times *times,
                   char why[XC_DEVICE_MESSAGE])
{
	plan *const p = (plan *)state;
	cudaStream_t s = p->stream;
	cudaError_t e = cudaEventRecord(p->events[0], s);
	if (e == cudaSuccess)
		e = cudaMemcpyAsync(p->in, in, p->in_bytes, cudaMemcpyHostToDevice, s);
	if (e == cudaSuccess)
		e = cudaEventRecord(p->events[1], s);
	if (e == cudaSuccess && p->work->enqueue(p->own, p->in, p->out, s, why))
		return -1;
	if (e == cudaSuccess)
		e = cudaEventRecord(p->events[2], s);
	if (e == cudaSuccess)
		e = cudaMemcpyAsync(out, p->out, p->out_bytes, cudaMemcpyDeviceToHost, s);
	if (e == cudaSuccess)
		e = cudaEventRecord(p->events[3], s);
	if (e == cudaSuccess)
		e = cudaStreamSynchronize(s);
	if (xc_gpu_check_call(e, "run the transform", why))
		return -1;
	times->upload = seconds_between(p->events[0], p->events[1]);
	times->kernel = seconds_between(p->events[1], p->events[2]);
	times->download = seconds_between(p->events[2], p->events[3]);
	return 0;
}

/* ------------------------------------------------------------ measuring */

typedef struct arrays {
	int count;
	void *in[MEASURE_ARRAYS], *out[MEASURE_ARRAYS];
} arrays;

static void free_arrays(arrays *a)
{
	for (int i = 0; i < a->count; i++) {
		(void)cudaFree(a->in[i]);
		(void)cudaFree(a->out[i]);
	}
}

static int make_arrays(const plan *p, const void *in, arrays *a, char why[XC_DEVICE_MESSAGE])
{
	const size_t wanted = MEASURE_BYTES / (p->in_bytes + p->out_bytes) + 1;
	const int count = wanted < MEASURE_ARRAYS ? (int)wanted : MEASURE_ARRAYS;
	memset(a, 0, sizeof *a);
	while (a->count < count) {
		const int i = a->count++;
		a->in[i] = xc_gpu_table(in, p->in_bytes, why);
		a->out[i] = a->in[i] ? xc_gpu_memory_of(p->out_bytes, why) : NULL;
		if (!a->out[i])
			return -1;
	}
	return 0;
}

/* A graph of `steps` transforms, so that what the processor takes for launches is
 * not measured. */
static cudaGraphExec_t record(plan *p, const arrays *a, int steps, char why[XC_DEVICE_MESSAGE])
{
	cudaGraph_t graph = NULL;
	cudaGraphExec_t ready = NULL;
	int failed = 0;
	if (xc_gpu_check_call(cudaStreamBeginCapture(p->stream, cudaStreamCaptureModeThreadLocal),
	                      "record", why))
		return NULL;
	for (int i = 0; i < steps && !failed; i++)
		failed = p->work->enqueue(p->own, a->in[i % a->count], a->out[i % a->count], p->stream,
		                          why);
	const cudaError_t ended = cudaStreamEndCapture(p->stream, &graph);
	if (!failed)
		failed = xc_gpu_check_call(ended, "record", why);
	if (!failed)
		failed = xc_gpu_check_call(cudaGraphInstantiateWithFlags(&ready, graph, 0), "record", why);
	if (graph)
		(void)cudaGraphDestroy(graph);
	return failed ? NULL : ready;
}

static int run_graph(plan *p, cudaGraphExec_t graph, int steps, int runs, double *seconds,
                     char why[XC_DEVICE_MESSAGE])
{
	for (int r = -2; r < runs; r++) {
		cudaError_t e = cudaEventRecord(p->events[0], p->stream);
		if (e == cudaSuccess)
			e = cudaGraphLaunch(graph, p->stream);
		if (e == cudaSuccess)
			e = cudaEventRecord(p->events[1], p->stream);
		if (e == cudaSuccess)
			e = cudaStreamSynchronize(p->stream);
		if (xc_gpu_check_call(e, "run the transform", why))
			return -1;
		if (r >= 0)
			seconds[r] = seconds_between(p->events[0], p->events[1]) / steps;
	}
	return 0;
}

static int measure(void *state, const void *in, int runs, double *seconds,
                   char why[XC_DEVICE_MESSAGE])
{
	plan *const p = (plan *)state;
	arrays a;
	int failed = make_arrays(p, in, &a, why);
	const int steps = a.count < MEASURE_LEAST ? MEASURE_LEAST : a.count;
	cudaGraphExec_t graph = failed ? NULL : record(p, &a, steps, why);
	failed = !graph || run_graph(p, graph, steps, runs, seconds, why);
	if (graph)
		(void)cudaGraphExecDestroy(graph);
	free_arrays(&a);
	return failed ? -1 : 0;
}

extern "C" __attribute__((visibility("default"))) const void *xc_module_get(void);

const void *xc_module_get(void)
{
	static const xc_gpu_transform_ops ops = {
		XC_LAB_ABI, XC_HAVE_FRAMES, probe, prepare, execute, measure, finish,
	};
	return &ops;
}

/* The registry's own is not part of the module. */
size_t xc_precision_bytes(xc_precision precision)
{
	return precision == XC_PRECISION_16 ? 2 : precision == XC_PRECISION_32 ? 4 : 8;
}
