/* SPDX-License-Identifier: BSD-2-Clause */
/* Opening the CUDA module and GPUs, their memory, and the choice of a device for a context: the
 * public
 * functions of xcodec_cuda.h and xcodec.h that concern a GPU as such. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/cuda/module.h"
#include "src/core/module.h"
#include "src/cuda/cache.h"

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

/* Rough rates, in pixels a second, and the seconds that CUDA takes to start: what
 * "auto" weighs.  A wrong guess costs time, never bytes. */
#define CPU_RATE 250e6 /* one core */
#define GPU_RATE 1.5e9 /* through pageable memory */
#define GPU_START 0.3

static int pays(const xc_context *c, uint64_t pixels)
{
	const double n = (double)pixels;
	const double cpu = n / (CPU_RATE * xc_context_threads(c));
	return cpu > n / GPU_RATE + (c->device.opened ? 0 : GPU_START);
}

static void close_device(xc_context *c)
{
	xc_cuda_close(c->device.opened);
	c->device.opened = NULL;
}

static const xc_backend backend = {
	close_device,          xc_cuda_backend_wants,  xc_cuda_backend_pin,
	xc_cuda_backend_unpin, xc_cuda_backend_encode, xc_cuda_backend_decode,
};

/* Whatever was opened before is closed. */
static void choose(xc_context *c, xc_device_choice choice, xc_cuda *gpu)
{
	close_device(c);
	c->device = (xc_device_state){.choice = choice, .opened = gpu};
	if (choice != XC_DEVICE_CPU)
		c->device.backend = &backend;
}

/* "cuda", "cuda:N" or "auto:N". */
static int parse_index(const char *text, int *index)
{
	char *end;

	*index = 0;
	if (!strcmp(text, "cuda"))
		return 1;
	if ((strncmp(text, "cuda:", 5) && strncmp(text, "auto:", 5)) || text[5] < '0' || text[5] > '9')
		return 0;
	const long n = strtol(text + 5, &end, 10);
	*index = n > 9999 ? 9999 : (int)n;
	return !*end;
}

xc_status xc_context_set_device(xc_context *c, const char *device)
{
	int index;

	if (!c)
		return XC_ERR_ARGUMENT;
	xc_begin(c);
	if (!device || !strcmp(device, "cpu") || !strcmp(device, "auto")) {
		choose(c, device && !strcmp(device, "auto") ? XC_DEVICE_AUTO : XC_DEVICE_CPU, NULL);
		return XC_OK;
	}
	if (!parse_index(device, &index))
		return xc_fail(c, XC_ERR_ARGUMENT, "no device is called '%.40s'", device);
	xc_cuda *gpu;
	const xc_status s = xc_cuda_start(c, index, &gpu);
	if (s)
		return s;
	choose(c, *device == 'a' ? XC_DEVICE_AUTO : XC_DEVICE_NAMED, gpu);
	return XC_OK;
}

const char *xc_context_device(const xc_context *c)
{
	return c && *c->device.used ? c->device.used : "cpu";
}

static void note_use(xc_context *c, const xc_cuda *gpu)
{
	c->device.used[0] = '\0';
	if (gpu) /* its number has four digits at most */
		snprintf(c->device.used, sizeof c->device.used, "cuda:%u", gpu->device % 10000u);
}

xc_cuda *xc_device_for(xc_context *c, uint64_t pixels)
{
	xc_cuda *fresh;

	if (c->device.choice == XC_DEVICE_AUTO && !c->device.given_up && pays(c, pixels) &&
	    !c->device.opened) {
		if (xc_cuda_start(c, 0, &fresh)) {
			c->device.given_up = 1;
			c->message[0] = '\0';
		}
		c->device.opened = fresh;
	}
	const int use = c->device.choice == XC_DEVICE_NAMED || pays(c, pixels);
	xc_cuda *gpu = use ? c->device.opened : NULL;
	note_use(c, gpu);
	return gpu;
}

xc_status xc_device_result(xc_context *c, xc_status status, int *done)
{
	const int its_fault = status == XC_ERR_DEVICE || status == XC_ERR_MEMORY;

	*done = !(its_fault || status == XC_ERR_UNSUPPORTED) || c->device.choice == XC_DEVICE_NAMED;
	if (*done)
		return status;
	if (its_fault) {
		c->device.given_up = 1;
		close_device(c);
	}
	note_use(c, NULL);
	c->message[0] = '\0';
	return XC_OK;
}

/* The public functions of xcodec_cuda.h that concern a GPU as such. */

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

xc_status xc_cuda_shrink(xc_cuda *gpu)
{
	xc_status s = xc_cuda_check(gpu, gpu->module->synchronize_all(gpu->gpu, &gpu->error));

	if (s)
		return s;
	xc_cuda_forget(gpu);
	return xc_cuda_check(gpu, gpu->module->trim(gpu->gpu, &gpu->error));
}

xc_status xc_cuda_trim(xc_cuda *gpu, uint64_t *device, uint64_t *pinned)
{
	uint64_t held[2] = {0, 0};

	if (device)
		*device = 0;
	if (pinned)
		*pinned = 0;
	if (!gpu)
		return XC_ERR_ARGUMENT;
	xc_begin(gpu->context);
	const xc_status s = xc_cuda_shrink(gpu);
	gpu->module->held(gpu->gpu, &held[0], &held[1]);
	if (device)
		*device = held[0];
	if (pinned)
		*pinned = held[1];
	return s;
}

xc_status xc_cuda_synchronize(xc_cuda *gpu, void *stream)
{
	if (!gpu)
		return XC_ERR_ARGUMENT;
	xc_begin(gpu->context);
	return xc_cuda_check(gpu, gpu->module->synchronize(gpu->gpu, stream, &gpu->error));
}

static xc_status allocate_memory(xc_cuda *gpu, xc_gpu_memory kind, size_t size, void **memory)
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
	return allocate_memory(gpu, XC_GPU_DEVICE_MEMORY, size, memory);
}

xc_status xc_cuda_allocate_pinned(xc_cuda *gpu, size_t size, void **memory)
{
	return allocate_memory(gpu, XC_GPU_PINNED_MEMORY, size, memory);
}

void xc_cuda_release(xc_cuda *gpu, void *memory)
{
	if (gpu)
		gpu->module->release(gpu->gpu, memory);
}
