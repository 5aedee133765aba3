/* SPDX-License-Identifier: BSD-2-Clause */
/* The module's table: devices, memory, streams and events; and the errors of its functions. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/runtime/device.h"
#include "gpu/runtime/driver.h"
#include "gpu/runtime/gpu.h"

/* ------------------------------------------------------------- memory */

enum { ALIGNMENT = 256 };

/* Out of memory is XC_ERR_MEMORY, every other failure XC_ERR_DEVICE. */
static xc_status status_of(cudaError_t result)
{
	return result == cudaSuccess                 ? XC_OK
	       : result == cudaErrorMemoryAllocation ? XC_ERR_MEMORY
	                                             : XC_ERR_DEVICE;
}

static cudaError_t get(const xc_gpu_pool *p, size_t size, void **memory)
{
	return p->kind == XC_GPU_PINNED_MEMORY ? cudaHostAlloc(memory, size, cudaHostAllocPortable)
	                                       : cudaMalloc(memory, size);
}

static void put(const xc_gpu_pool *p, void *memory)
{
	(void)(p->kind == XC_GPU_PINNED_MEMORY ? cudaFreeHost(memory) : cudaFree(memory));
}

/* The smallest unused piece of at least size and at most about twice size bytes. */
static xc_gpu_piece *find(xc_gpu_pool *p, size_t size)
{
	xc_gpu_piece *best = NULL;

	for (size_t i = 0; i < p->count; i++) {
		xc_gpu_piece *q = &p->pieces[i];
		if (!q->used && q->size >= size && q->size / 2 <= size && (!best || q->size < best->size))
			best = q;
	}
	return best;
}

static int make_room(xc_gpu_pool *p)
{
	if (p->count < p->room)
		return 1;
	const size_t room = p->room ? 2 * p->room : 16;
	void *pieces = realloc(p->pieces, room * sizeof *p->pieces);
	if (!pieces)
		return 0;
	p->pieces = (xc_gpu_piece *)pieces;
	p->room = room;
	return 1;
}

/* Frees all unused pieces. */
static void trim(xc_gpu_pool *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->count; i++) {
		if (p->pieces[i].used) {
			p->pieces[kept++] = p->pieces[i];
		} else {
			put(p, p->pieces[i].memory);
			p->held -= p->pieces[i].size;
		}
	}
	p->count = kept;
}

/* On failure e->text gives the reason only. */
static xc_status pool_take(xc_gpu_pool *p, size_t size, void **memory, xc_gpu_error *e)
{
	*memory = NULL;
	if (size > SIZE_MAX / 2)
		return xc_gpu_fail(e, XC_ERR_MEMORY, "more than there can be");
	size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	if (!size)
		size = ALIGNMENT;
	xc_gpu_piece *piece = find(p, size);
	if (!piece) {
		if (!make_room(p))
			return xc_gpu_fail(e, XC_ERR_MEMORY, "out of memory");
		void *fresh = NULL;
		cudaError_t error = get(p, size, &fresh);
		if (error != cudaSuccess) {
			/* Freeing the cached pieces may make room. */
			trim(p);
			error = get(p, size, &fresh);
			(void)cudaGetLastError();
		}
		if (error != cudaSuccess)
			return xc_gpu_fail(e, status_of(error), "%s", cudaGetErrorString(error));
		piece = &p->pieces[p->count++];
		piece->memory = fresh;
		piece->size = size;
		p->held += size;
	}
	piece->used = 1;
	*memory = piece->memory;
	return XC_OK;
}

/* Returns 1 if the memory belongs to this pool. */
static int pool_give(xc_gpu_pool *p, void *memory)
{
	for (size_t i = 0; i < p->count; i++) {
		if (p->pieces[i].memory == memory) {
			p->pieces[i].used = 0;
			return 1;
		}
	}
	return 0;
}

static void pool_free(xc_gpu_pool *p)
{
	for (size_t i = 0; i < p->count; i++)
		put(p, p->pieces[i].memory);
	free(p->pieces);
	memset(p, 0, sizeof *p);
}

/* ------------------------------------------------------------- errors */

xc_status xc_gpu_fail(xc_gpu_error *e, xc_status status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(e->text, sizeof e->text, format, args);
	va_end(args);
	e->status = status;
	return status;
}

xc_status xc_gpu_check(xc_gpu_error *e, cudaError_t result, const char *what)
{
	if (result == cudaSuccess)
		return XC_OK;
	(void)cudaGetLastError();
	return xc_gpu_fail(e, status_of(result), "the GPU cannot %s: %s", what,
	                   cudaGetErrorString(result));
}

xc_status xc_gpu_check_launch(xc_gpu_error *e, const char *kernel)
{
	const cudaError_t result = cudaGetLastError();

	if (result == cudaSuccess)
		return XC_OK;
	return xc_gpu_fail(e, XC_ERR_DEVICE, "the GPU cannot run the kernel %s: %s", kernel,
	                   cudaGetErrorString(result));
}

xc_status xc_gpu_mark(void **marks, int i, cudaStream_t stream, xc_gpu_error *e)
{
	return marks
	           ? xc_gpu_check(e, cudaEventRecord((cudaEvent_t)marks[i], stream), "record an event")
	           : XC_OK;
}

xc_status xc_gpu_enter(const xc_gpu *gpu, xc_gpu_error *e)
{
	return xc_gpu_check(e, cudaSetDevice(gpu->device), "be selected");
}

xc_status xc_gpu_allow_shared(const xc_gpu *gpu, const void *kernel, xc_gpu_error *e)
{
	for (const void *known : gpu->allowed)
		if (known == kernel)
			return XC_OK;
	const xc_status s =
		xc_gpu_check(e,
	                 cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
	                                      (int)gpu->shared_bytes),
	                 "give a kernel shared memory");
	if (!s)
		gpu->allowed[gpu->next_allowed++ % XC_GPU_ALLOWED] = kernel;
	return s;
}

xc_status xc_gpu_allocate(xc_gpu *gpu, xc_gpu_memory kind, size_t size, void **memory,
                          xc_gpu_error *e)
{
	const char *name = kind == XC_GPU_PINNED_MEMORY ? "pinned host" : "device";
	xc_gpu_error why;
	const xc_status entered = xc_gpu_enter(gpu, e);

	if (entered)
		return entered;
	const xc_status s = pool_take(&gpu->pools[kind], size, memory, &why);
	return s ? xc_gpu_fail(e, s, "no %zu bytes of %s memory: %s", size, name, why.text) : XC_OK;
}

void xc_gpu_release(xc_gpu *gpu, void *memory)
{
	if (memory && !pool_give(&gpu->pools[0], memory))
		pool_give(&gpu->pools[1], memory);
}

/* ------------------------------------------------------------- devices */

/* Every kernel is in the module as PTX for the oldest supported GPU, so a GPU that runs one runs
 * all. */
static __global__ void probe(void)
{
}

/* Sets in d whether the GPU is usable, or the reason why not. May make the GPU current. */
static void judge(int i, xc_cuda_device *d)
{
	cudaFuncAttributes a;
	int mode = 0;
	cudaError_t error = cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, i);

	if (error == cudaSuccess && mode == cudaComputeModeProhibited) {
		snprintf(d->reason, sizeof d->reason, "its compute mode forbids it");
		return;
	}
	if (error == cudaSuccess)
		error = cudaSetDevice(i);
	if (error == cudaSuccess)
		error = cudaFuncGetAttributes(&a, probe);
	d->usable = error == cudaSuccess;
	if (!d->usable) {
		(void)cudaGetLastError();
		snprintf(d->reason, sizeof d->reason, "%s", cudaGetErrorString(error));
	}
}

static void describe(int i, xc_cuda_device *d)
{
	cudaDeviceProp p;

	memset(d, 0, sizeof *d);
	d->index = i;
	if (cudaGetDeviceProperties(&p, i) == cudaSuccess) {
		snprintf(d->name, sizeof d->name, "%.127s", p.name);
		d->major = p.major;
		d->minor = p.minor;
		d->multiprocessors = p.multiProcessorCount;
		d->memory = p.totalGlobalMem;
	}
	judge(i, d);
}

static xc_status devices(xc_cuda_device *list, int room, int *count, xc_gpu_error *e)
{
	*count = 0;
	const cudaError_t error = cudaGetDeviceCount(count);
	if (error != cudaSuccess) {
		(void)cudaGetLastError();
		return xc_gpu_fail(e, XC_ERR_DEVICE, "no GPU can be used: %s", xc_gpu_why_none(error));
	}
	int before = 0;
	const int known = room > 0 && cudaGetDevice(&before) == cudaSuccess;
	for (int i = 0; i < *count && i < room; i++)
		describe(i, &list[i]);
	if (known)
		(void)cudaSetDevice(before);
	(void)cudaGetLastError();
	return XC_OK;
}

/* --------------------------------------------------- opening and closing */

static void close_gpu(xc_gpu *gpu)
{
	if (!gpu)
		return;
	(void)cudaSetDevice(gpu->device);
	if (gpu->stream) {
		(void)cudaStreamSynchronize(gpu->stream);
		(void)cudaStreamDestroy(gpu->stream);
	}
	pool_free(&gpu->pools[XC_GPU_DEVICE_MEMORY]);
	pool_free(&gpu->pools[XC_GPU_PINNED_MEMORY]);
	(void)cudaGetLastError();
	free(gpu);
}

/* XC_CUDA_SHARED, if set and smaller, simulates a GPU with less shared memory. */
static size_t shared_bytes(size_t available)
{
	const char *less = getenv("XC_CUDA_SHARED");
	const size_t wanted = less ? strtoul(less, NULL, 10) : available;
	return wanted >= XC_GPU_MIN_SHARED && wanted < available ? wanted : available;
}

/* Makes the GPU current and calls f, which returns a cudaError_t; what: see xc_gpu_check(). */
template <typename F> static xc_status on(const xc_gpu *gpu, xc_gpu_error *e, const char *what, F f)
{
	const xc_status s = xc_gpu_enter(gpu, e);
	return s ? s : xc_gpu_check(e, f(), what);
}

static xc_status stream_new(xc_gpu *gpu, void **stream, xc_gpu_error *e)
{
	*stream = NULL;
	return on(gpu, e, "make a stream", [=] {
		return cudaStreamCreateWithFlags((cudaStream_t *)stream, cudaStreamNonBlocking);
	});
}

static xc_status attribute(const xc_gpu *gpu, cudaDeviceAttr which, int *value, xc_gpu_error *e)
{
	return xc_gpu_check(e, cudaDeviceGetAttribute(value, which, gpu->device), "be described");
}

static xc_status set_up(xc_gpu *gpu, xc_gpu_error *e)
{
	int shared = 0, major = 0;
	xc_status s = stream_new(gpu, (void **)&gpu->stream, e);

	if (!s)
		s = attribute(gpu, cudaDevAttrMultiProcessorCount, &gpu->multiprocessors, e);
	if (!s)
		s = attribute(gpu, cudaDevAttrMaxSharedMemoryPerBlockOptin, &shared, e);
	if (!s)
		s = attribute(gpu, cudaDevAttrComputeCapabilityMajor, &major, e);
	if (!s)
		s = xc_gpu_check(e, cudaDeviceGetStreamPriorityRange(NULL, &gpu->first), "be described");
	gpu->shared_bytes = shared_bytes((size_t)shared);
	return s;
}

static xc_status open_gpu(int device, xc_gpu **result, xc_gpu_error *e)
{
	xc_cuda_device d = {};

	*result = NULL;
	int count;
	const xc_status counted = devices(NULL, 0, &count, e);
	if (counted)
		return counted;
	if (device < 0 || device >= count)
		return xc_gpu_fail(e, XC_ERR_DEVICE, "there is no GPU %d, only %d of them", device, count);
	/* describe() takes milliseconds, so it is called only for the message of a failure. */
	judge(device, &d);
	if (!d.usable)
		describe(device, &d);
	if (!d.usable)
		return xc_gpu_fail(e, XC_ERR_DEVICE, "GPU %d (%s) cannot be used: %s", device, d.name,
		                   d.reason);
	xc_gpu *gpu = (xc_gpu *)calloc(1, sizeof *gpu);
	if (!gpu)
		return xc_gpu_fail(e, XC_ERR_MEMORY, "out of memory");
	gpu->device = device;
	gpu->pools[XC_GPU_DEVICE_MEMORY].kind = XC_GPU_DEVICE_MEMORY;
	gpu->pools[XC_GPU_PINNED_MEMORY].kind = XC_GPU_PINNED_MEMORY;
	const xc_status s = set_up(gpu, e);
	if (s)
		close_gpu(gpu);
	else
		*result = gpu;
	return s;
}

static void held(const xc_gpu *gpu, uint64_t *device, uint64_t *pinned)
{
	*device = gpu->pools[XC_GPU_DEVICE_MEMORY].held;
	*pinned = gpu->pools[XC_GPU_PINNED_MEMORY].held;
}

static xc_status trim_pools(xc_gpu *gpu, xc_gpu_error *e)
{
	xc_status s = xc_gpu_enter(gpu, e);

	if (!s)
		s = xc_gpu_check(e, cudaDeviceSynchronize(), "finish its work");
	for (int i = 0; i < 2 && !s; i++)
		trim(&gpu->pools[i]);
	return s;
}

static int pinned(xc_gpu *gpu, const void *memory)
{
	cudaPointerAttributes a;

	if (cudaSetDevice(gpu->device) != cudaSuccess ||
	    cudaPointerGetAttributes(&a, memory) != cudaSuccess) {
		(void)cudaGetLastError();
		return 0;
	}
	return a.type == cudaMemoryTypeHost;
}

static xc_status pin(xc_gpu *gpu, void *memory, size_t size, xc_gpu_error *e)
{
	return on(gpu, e, "reach memory",
	          [=] { return cudaHostRegister(memory, size, cudaHostRegisterPortable); });
}

static void unpin(xc_gpu *gpu, void *memory)
{
	if (cudaSetDevice(gpu->device) == cudaSuccess)
		(void)cudaHostUnregister(memory);
	(void)cudaGetLastError();
}

/* ----------------------------------------------------- streams and events */

static void stream_free(xc_gpu *gpu, void *stream)
{
	if (stream && cudaSetDevice(gpu->device) == cudaSuccess)
		(void)cudaStreamDestroy((cudaStream_t)stream);
}

static xc_status copy(xc_gpu *gpu, void *to, const void *from, size_t size, void *stream,
                      xc_gpu_error *e)
{
	return on(gpu, e, "copy", [=] {
		return cudaMemcpyAsync(to, from, size, cudaMemcpyDefault, xc_gpu_stream(gpu, stream));
	});
}

static xc_status copy_rows(xc_gpu *gpu, void *to, size_t to_stride, const void *from,
                           size_t from_stride, size_t width, size_t rows, void *stream,
                           xc_gpu_error *e)
{
	return on(gpu, e, "copy", [=] {
		return cudaMemcpy2DAsync(to, to_stride, from, from_stride, width, rows, cudaMemcpyDefault,
		                         xc_gpu_stream(gpu, stream));
	});
}

static xc_status synchronize(xc_gpu *gpu, void *stream, xc_gpu_error *e)
{
	return on(gpu, e, "finish its work",
	          [=] { return cudaStreamSynchronize(xc_gpu_stream(gpu, stream)); });
}

static xc_status follow(xc_gpu *gpu, void *stream, void *callers, xc_gpu_error *e)
{
	const cudaStream_t other = callers ? (cudaStream_t)callers : cudaStreamLegacy;

	return on(gpu, e, "wait for a stream", [=] {
		cudaEvent_t event;
		cudaError_t error = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
		if (error != cudaSuccess)
			return error;
		error = cudaEventRecord(event, other);
		if (error == cudaSuccess)
			error = cudaStreamWaitEvent(xc_gpu_stream(gpu, stream), event, 0);
		(void)cudaEventDestroy(event);
		return error;
	});
}

static xc_status synchronize_all(xc_gpu *gpu, xc_gpu_error *e)
{
	return on(gpu, e, "finish its work", [=] { return cudaDeviceSynchronize(); });
}

static xc_status event_new(xc_gpu *gpu, void **event, xc_gpu_error *e)
{
	*event = NULL;
	return on(gpu, e, "make an event", [=] { return cudaEventCreate((cudaEvent_t *)event); });
}

static void event_free(xc_gpu *gpu, void *event)
{
	if (event && cudaSetDevice(gpu->device) == cudaSuccess)
		(void)cudaEventDestroy((cudaEvent_t)event);
}

static xc_status event_record(xc_gpu *gpu, void *event, void *stream, xc_gpu_error *e)
{
	return on(gpu, e, "record an event",
	          [=] { return cudaEventRecord((cudaEvent_t)event, xc_gpu_stream(gpu, stream)); });
}

static xc_status event_wait(xc_gpu *gpu, void *event, xc_gpu_error *e)
{
	return on(gpu, e, "finish its work", [=] { return cudaEventSynchronize((cudaEvent_t)event); });
}

static xc_status event_elapsed(xc_gpu *gpu, void *from, void *to, float *ms, xc_gpu_error *e)
{
	return on(gpu, e, "measure time",
	          [=] { return cudaEventElapsedTime(ms, (cudaEvent_t)from, (cudaEvent_t)to); });
}

/* ------------------------------------------------------------ the table */

extern const xc_gpu_encode_ops xc_gpu_encode_table;
extern const xc_gpu_decode_ops xc_gpu_decode_table;
extern const xc_gpu_array_ops xc_gpu_array_table;

extern "C" __attribute__((visibility("default"))) const void *xc_module_get(void);

const void *xc_module_get(void)
{
	/* clang-format off */
	static const xc_gpu_module module = {
		XC_GPU_ABI,
		devices, open_gpu, close_gpu,
		xc_gpu_allocate, xc_gpu_release, held, trim_pools, pinned, pin, unpin,
		stream_new, stream_free, copy, copy_rows, synchronize, follow, synchronize_all,
		event_new, event_free, event_record, event_wait, event_elapsed,
		&xc_gpu_encode_table, &xc_gpu_decode_table, &xc_gpu_array_table,
	};

	/* clang-format on */
	return &module;
}
