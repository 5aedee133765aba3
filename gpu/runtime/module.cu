/* SPDX-License-Identifier: BSD-2-Clause */
/* The module's table: devices, memory, streams and events. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/runtime/device.h"
#include "gpu/runtime/driver.h"
#include "gpu/runtime/gpu.h"

/* ------------------------------------------------------------- devices */

/* The module has every kernel as PTX of the oldest GPU that is supported, so a GPU that runs
 * one kernel runs all. */
static __global__ void probe(void)
{
}

static void describe(int i, xc_cuda_device *d)
{
	cudaDeviceProp p;
	cudaFuncAttributes a;
	int mode = 0;
	memset(d, 0, sizeof *d);
	d->index = i;
	cudaError_t error = cudaGetDeviceProperties(&p, i);
	if (error == cudaSuccess) {
		snprintf(d->name, sizeof d->name, "%.127s", p.name);
		d->major = p.major;
		d->minor = p.minor;
		d->multiprocessors = p.multiProcessorCount;
		d->memory = p.totalGlobalMem;
		error = cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, i);
	}
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

static xc_status got(cudaError_t error, xc_gpu_error *e)
{
	if (error == cudaSuccess)
		return XC_OK;
	(void)cudaGetLastError();
	return xc_gpu_fail(e, error == cudaErrorMemoryAllocation ? XC_ERR_MEMORY : XC_ERR_DEVICE, "%s",
	                   cudaGetErrorString(error));
}

static xc_status get_device_memory(size_t size, void **memory, xc_gpu_error *e)
{
	return got(cudaMalloc(memory, size), e);
}

static void put_device_memory(void *memory)
{
	(void)cudaFree(memory);
}

static xc_status get_pinned_memory(size_t size, void **memory, xc_gpu_error *e)
{
	return got(cudaHostAlloc(memory, size, cudaHostAllocPortable), e);
}

static void put_pinned_memory(void *memory)
{
	(void)cudaFreeHost(memory);
}

static void close_gpu(xc_gpu *gpu)
{
	if (!gpu)
		return;
	(void)cudaSetDevice(gpu->device);
	if (gpu->stream) {
		(void)cudaStreamSynchronize(gpu->stream);
		(void)cudaStreamDestroy(gpu->stream);
	}
	xc_gpu_pool_free(&gpu->pools[XC_GPU_DEVICE_MEMORY]);
	xc_gpu_pool_free(&gpu->pools[XC_GPU_PINNED_MEMORY]);
	(void)cudaGetLastError();
	free(gpu);
}

/* XC_CUDA_SHARED, if it is set and less, stands for a GPU that has less. */
static size_t shared_bytes(size_t there)
{
	const char *less = getenv("XC_CUDA_SHARED");
	const size_t wanted = less ? strtoul(less, NULL, 10) : there;
	return wanted >= XC_GPU_LEAST_SHARED && wanted < there ? wanted : there;
}

static xc_status set_up(xc_gpu *gpu, xc_gpu_error *e)
{
	int shared = 0;
	xc_status s = xc_gpu_enter(gpu, e);
	if (!s)
		s = xc_gpu_check(e, cudaStreamCreateWithFlags(&gpu->stream, cudaStreamNonBlocking),
		                 "make a stream");
	if (!s)
		s = xc_gpu_check(e,
		                 cudaDeviceGetAttribute(&gpu->multiprocessors,
		                                        cudaDevAttrMultiProcessorCount, gpu->device),
		                 "be described");
	if (!s)
		s = xc_gpu_check(e,
		                 cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin,
		                                        gpu->device),
		                 "be described");
	gpu->shared_bytes = shared_bytes((size_t)shared);
	return s;
}

static xc_status open_gpu(int device, xc_gpu **result, xc_gpu_error *e)
{
	xc_cuda_device d;
	*result = NULL;
	int count;
	const xc_status counted = devices(NULL, 0, &count, e);
	if (counted)
		return counted;
	if (device < 0 || device >= count)
		return xc_gpu_fail(e, XC_ERR_DEVICE, "there is no GPU %d, only %d of them", device, count);
	describe(device, &d);
	if (!d.usable)
		return xc_gpu_fail(e, XC_ERR_DEVICE, "GPU %d (%s) cannot be used: %s", device, d.name,
		                   d.reason);
	xc_gpu *gpu = (xc_gpu *)calloc(1, sizeof *gpu);
	if (!gpu)
		return xc_gpu_fail(e, XC_ERR_MEMORY, "out of memory");
	gpu->device = device;
	gpu->pools[XC_GPU_DEVICE_MEMORY].source = {get_device_memory, put_device_memory};
	gpu->pools[XC_GPU_PINNED_MEMORY].source = {get_pinned_memory, put_pinned_memory};
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

/* ----------------------------------------------------- streams and events */

static xc_status stream_new(xc_gpu *gpu, void **stream, xc_gpu_error *e)
{
	cudaStream_t fresh = NULL;
	xc_status s = xc_gpu_enter(gpu, e);
	if (!s)
		s = xc_gpu_check(e, cudaStreamCreateWithFlags(&fresh, cudaStreamNonBlocking),
		                 "make a stream");
	*stream = fresh;
	return s;
}

static void stream_free(xc_gpu *gpu, void *stream)
{
	if (stream && cudaSetDevice(gpu->device) == cudaSuccess)
		(void)cudaStreamDestroy((cudaStream_t)stream);
}

static xc_status copy(xc_gpu *gpu, void *to, const void *from, size_t size, void *stream,
                      xc_gpu_error *e)
{
	const xc_status s = xc_gpu_enter(gpu, e);
	return s ? s
	         : xc_gpu_check(e,
	                        cudaMemcpyAsync(to, from, size, cudaMemcpyDefault,
	                                        xc_gpu_stream(gpu, stream)),
	                        "copy");
}

static xc_status copy_rows(xc_gpu *gpu, void *to, size_t to_stride, const void *from,
                           size_t from_stride, size_t width, size_t rows, void *stream,
                           xc_gpu_error *e)
{
	const xc_status s = xc_gpu_enter(gpu, e);
	return s ? s
	         : xc_gpu_check(e,
	                        cudaMemcpy2DAsync(to, to_stride, from, from_stride, width, rows,
	                                          cudaMemcpyDefault, xc_gpu_stream(gpu, stream)),
	                        "copy");
}

static xc_status synchronize(xc_gpu *gpu, void *stream, xc_gpu_error *e)
{
	const xc_status s = xc_gpu_enter(gpu, e);
	return s ? s
	         : xc_gpu_check(e, cudaStreamSynchronize(xc_gpu_stream(gpu, stream)),
	                        "finish its work");
}

static xc_status event_new(xc_gpu *gpu, void **event, xc_gpu_error *e)
{
	cudaEvent_t fresh = NULL;
	xc_status s = xc_gpu_enter(gpu, e);
	if (!s)
		s = xc_gpu_check(e, cudaEventCreate(&fresh), "make an event");
	*event = fresh;
	return s;
}

static void event_free(xc_gpu *gpu, void *event)
{
	if (event && cudaSetDevice(gpu->device) == cudaSuccess)
		(void)cudaEventDestroy((cudaEvent_t)event);
}

static xc_status event_record(xc_gpu *gpu, void *event, void *stream, xc_gpu_error *e)
{
	const xc_status s = xc_gpu_enter(gpu, e);
	return s ? s
	         : xc_gpu_check(e, cudaEventRecord((cudaEvent_t)event, xc_gpu_stream(gpu, stream)),
	                        "record an event");
}

static xc_status event_wait(xc_gpu *gpu, void *event, xc_gpu_error *e)
{
	const xc_status s = xc_gpu_enter(gpu, e);
	return s ? s : xc_gpu_check(e, cudaEventSynchronize((cudaEvent_t)event), "finish its work");
}

static xc_status event_elapsed(xc_gpu *gpu, void *from, void *to, float *ms, xc_gpu_error *e)
{
	const xc_status s = xc_gpu_enter(gpu, e);
	return s ? s
	         : xc_gpu_check(e, cudaEventElapsedTime(ms, (cudaEvent_t)from, (cudaEvent_t)to),
	                        "measure time");
}

/* ------------------------------------------------------------ the table */

extern const xc_gpu_encode_ops xc_gpu_encode_table;
extern const xc_gpu_decode_ops xc_gpu_decode_table;

extern "C" __attribute__((visibility("default"))) const void *xc_module_get(void);

const void *xc_module_get(void)
{
	/* clang-format off */
	static const xc_gpu_module module = {
		XC_GPU_ABI,
		devices, open_gpu, close_gpu,
		xc_gpu_allocate, xc_gpu_release, held, pinned,
		stream_new, stream_free, copy, copy_rows, synchronize,
		event_new, event_free, event_record, event_wait, event_elapsed,
		&xc_gpu_encode_table, &xc_gpu_decode_table,
	};
	/* clang-format on */
	return &module;
}
