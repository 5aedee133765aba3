/* SPDX-License-Identifier: BSD-2-Clause */
#include "gpu/runtime/gpu.h"

#include <stdarg.h>
#include <stdio.h>

xc_status xc_gpu_fail(xc_gpu_error *e, xc_status status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(e->text, sizeof e->text, format, args);
	va_end(args);
	e->status = status;
	return status;
}

xc_status xc_gpu_status(cudaError_t result)
{
	return result == cudaSuccess                 ? XC_OK
	       : result == cudaErrorMemoryAllocation ? XC_ERR_MEMORY
	                                             : XC_ERR_DEVICE;
}

xc_status xc_gpu_check(xc_gpu_error *e, cudaError_t result, const char *what)
{
	if (result == cudaSuccess)
		return XC_OK;
	(void)cudaGetLastError();
	return xc_gpu_fail(e, xc_gpu_status(result), "the GPU cannot %s: %s", what,
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
	const xc_status s = xc_gpu_pool_take(&gpu->pools[kind], size, memory, &why);
	return s ? xc_gpu_fail(e, s, "no %zu bytes of %s memory: %s", size, name, why.text) : XC_OK;
}

void xc_gpu_release(xc_gpu *gpu, void *memory)
{
	if (memory && !xc_gpu_pool_give(&gpu->pools[0], memory))
		xc_gpu_pool_give(&gpu->pools[1], memory);
}
