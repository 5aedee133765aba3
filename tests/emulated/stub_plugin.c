/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stub as a module that XC_CUDA_MODULE can name, so that a command has a GPU on any machine.
 * XC_STUB_GPUS says how many (1), XC_STUB_START in how many milliseconds they start (0), XC_STUB_MEMORY
 * how large a piece of memory may be (as large as there is).
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/emulated/stub_module.h"

static long number(const char *name, long otherwise)
{
	const char *text = getenv(name);
	return text ? strtol(text, NULL, 10) : otherwise;
}

static void start(void)
{
	const long ms = number("XC_STUB_START", 0);
	const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
	nanosleep(&time, NULL);
}

static xc_status devices(xc_cuda_device *list, int room, int *count, xc_gpu_error *e)
{
	*count = (int)number("XC_STUB_GPUS", 1);
	if (!*count)
		return xc_stub_fail(e, XC_ERR_DEVICE, "no GPU can be used: it is a stub");
	if (room)
		start();
	for (int i = 0; i < *count && i < room; i++) {
		list[i] = (xc_cuda_device){.index = i, .multiprocessors = 1, .memory = 1, .usable = 1};
		snprintf(list[i].name, sizeof list[i].name, "stub");
	}
	return XC_OK;
}

static xc_status open_gpu(int device, xc_gpu **gpu, xc_gpu_error *e)
{
	*gpu = NULL;
	if (device < 0 || device >= number("XC_STUB_GPUS", 1))
		return xc_stub_fail(e, XC_ERR_DEVICE, "there is no such GPU");
	*gpu = calloc(1, sizeof **gpu);
	if (!*gpu)
		return xc_stub_fail(e, XC_ERR_MEMORY, "out of memory");
	(*gpu)->shared_bytes = SIZE_MAX;
	return XC_OK;
}

static xc_status allocate(xc_gpu *gpu, xc_gpu_memory kind, size_t size, void **memory,
                          xc_gpu_error *e)
{
	*memory = NULL;
	return size > (size_t)number("XC_STUB_MEMORY", LONG_MAX)
	           ? xc_stub_fail(e, XC_ERR_MEMORY, "the stub has no such memory")
	           : xc_stub_module.allocate(gpu, kind, size, memory, e);
}

__attribute__((visibility("default"))) const void *xc_module_get(void);

const void *xc_module_get(void)
{
	static xc_gpu_module module;
	static int made;

	if (!__atomic_load_n(&made, __ATOMIC_ACQUIRE)) {
		xc_gpu_module m = xc_stub_module;
		m.devices = devices;
		m.open = open_gpu;
		m.allocate = allocate;
		module = m;
		__atomic_store_n(&made, 1, __ATOMIC_RELEASE);
	}
	return &module;
}
