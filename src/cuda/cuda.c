/* SPDX-License-Identifier: BSD-2-Clause */
/* The public functions of xcodec_cuda.h that concern a GPU as such. */
#include "src/cuda/cache.h"

xc_status xc_cuda_devices(xc_context *c, xc_cuda_device *devices, int room, int *count)
{
	const xc_gpu_module *module;
	xc_gpu_error e = {XC_OK, ""};

	if (count)
		*count = 0;
	if (!c)
		return XC_ERR_ARGUMENT;
	xc_begin(c);
	if (!count || room < 0 || (room && !devices))
		return xc_fail(c, XC_ERR_ARGUMENT, "no place for the list of devices");
	const xc_status s = xc_cuda_module_open(c, &module);
	if (s)
		return s;
	const xc_status listed = module->devices(devices, room, count, &e);
	return listed ? xc_fail(c, listed, "%s", e.text) : XC_OK;
}

xc_status xc_cuda_start(xc_context *c, int device, xc_cuda **gpu)
{
	*gpu = NULL;
	xc_cuda *g = xc_allocate_zeroed(c, sizeof *g);
	if (!g)
		return xc_fail_memory(c, sizeof *g);
	g->context = c;
	g->device = device;
	xc_status s = xc_cuda_module_open(c, &g->module);
	if (!s)
		s = xc_cuda_check(g, g->module->open(device, &g->gpu, &g->error));
	if (s)
		xc_release(c, g);
	else
		*gpu = g;
	return s;
}

xc_status xc_cuda_open(xc_context *c, int device, xc_cuda **gpu)
{
	if (gpu)
		*gpu = NULL;
	if (!c)
		return XC_ERR_ARGUMENT;
	xc_begin(c);
	if (!gpu)
		return xc_fail(c, XC_ERR_ARGUMENT, "no place for the result");
	return xc_cuda_start(c, device, gpu);
}

void xc_cuda_close(xc_cuda *gpu)
{
	if (!gpu)
		return;
	xc_cuda_forget(gpu);
	gpu->module->close(gpu->gpu);
	xc_release(gpu->context, gpu);
}

xc_status xc_cuda_synchronize(xc_cuda *gpu, void *stream)
{
	if (!gpu)
		return XC_ERR_ARGUMENT;
	xc_begin(gpu->context);
	return xc_cuda_check(gpu, gpu->module->synchronize(gpu->gpu, stream, &gpu->error));
}

static xc_status allocate(xc_cuda *gpu, xc_gpu_memory kind, size_t size, void **memory)
{
	if (memory)
		*memory = NULL;
	if (!gpu)
		return XC_ERR_ARGUMENT;
	xc_begin(gpu->context);
	if (!memory)
		return xc_fail(gpu->context, XC_ERR_ARGUMENT, "no place for the result");
	return xc_cuda_check(gpu, gpu->module->allocate(gpu->gpu, kind, size, memory, &gpu->error));
}

xc_status xc_cuda_allocate_device(xc_cuda *gpu, size_t size, void **memory)
{
	return allocate(gpu, XC_GPU_DEVICE_MEMORY, size, memory);
}

xc_status xc_cuda_allocate_pinned(xc_cuda *gpu, size_t size, void **memory)
{
	return allocate(gpu, XC_GPU_PINNED_MEMORY, size, memory);
}

void xc_cuda_release(xc_cuda *gpu, void *memory)
{
	if (gpu)
		gpu->module->release(gpu->gpu, memory);
}
