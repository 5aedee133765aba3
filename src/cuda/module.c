/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/cuda/module.h"

#include "src/core/module.h"

xc_status xc_cuda_check(xc_cuda *gpu, xc_status status)
{
	return status ? xc_fail(gpu->context, status, "%s", gpu->error.text) : XC_OK;
}

xc_status xc_cuda_module_open(xc_context *c, const xc_gpu_module **module)
{
	char why[XC_MESSAGE_BYTES];
	*module = xc_module_open("xcodec-cuda", XC_GPU_ABI, why, sizeof why);
	return *module ? XC_OK : xc_fail(c, XC_ERR_DEVICE, "%s", why);
}

void xc_cuda_sync_stream(xc_cuda *gpu, void *stream)
{
	(void)gpu->module->synchronize(gpu->gpu, stream, &gpu->error);
}

static xc_status allocate(xc_cuda *gpu, xc_gpu_memory kind, size_t size, xc_cuda_memory *memory)
{
	const xc_status s = gpu->module->allocate(gpu->gpu, kind, size, &memory->data, &gpu->error);

	if (!s)
		memory->size = size;
	return s;
}

enum { MAX_GROWN = 128 << 20 };

xc_status xc_cuda_need(xc_cuda *gpu, xc_gpu_memory kind, size_t size, xc_cuda_memory *memory)
{
	if (memory->data && size <= memory->size)
		return XC_OK;
	/* Pictures of any sizes soon find enough; large ones take only what they need. */
	const size_t grown = memory->size < MAX_GROWN ? memory->size + memory->size / 2 : 0;
	xc_cuda_drop(gpu, memory);
	if (grown > size && !allocate(gpu, kind, grown, memory))
		return XC_OK;
	return xc_cuda_check(gpu, allocate(gpu, kind, size, memory));
}

void xc_cuda_drop(xc_cuda *gpu, xc_cuda_memory *memory)
{
	gpu->module->release(gpu->gpu, memory->data);
	*memory = (xc_cuda_memory){NULL, 0};
}

xc_status xc_cuda_choose_scratch(xc_cuda *gpu, const xc_cuda_scratch *given, size_t size,
                                 xc_cuda_memory *own, int busy, void *stream, void **scratch)
{
	xc_context *c = gpu->context;

	if (given) {
		*scratch = given->data;
		if (!given->data || (uintptr_t)given->data % 256)
			return xc_fail(c, XC_ERR_ARGUMENT, "scratch must be aligned to 256 bytes");
		if (size > given->size)
			return xc_fail(c, XC_ERR_ARGUMENT, "%zu bytes of scratch are needed, not %zu", size,
			               given->size);
		return XC_OK;
	}
	xc_status s = XC_OK;
	if (busy && own->data && size > own->size)
		s = xc_cuda_check(gpu, gpu->module->synchronize(gpu->gpu, stream, &gpu->error));
	if (!s)
		s = xc_cuda_need(gpu, XC_GPU_DEVICE_MEMORY, size, own);
	*scratch = own->data;
	return s;
}
