/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * xcodec_cuda.h where there may be no GPU: everything that is missing is a status with
 * a line that says so.  With a GPU, its memory as well.
 */
#define _GNU_SOURCE
#include <xcodec_cuda.h>

#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"
#include "tests/support/samples.h"

static void missing_module(void)
{
	OWN_CONTEXT c = xc_context_new(NULL);
	const char *module = getenv("XC_CUDA_MODULE");
	OWN_MEMORY char *saved = module ? strdup(module) : NULL;
	int count = 7;
	xc_cuda *gpu = NULL;

	REQUIRE(c, "no context");
	setenv("XC_CUDA_MODULE", "/nonexistent/xcodec-cuda.so", 1);
	CHECK(xc_cuda_devices(c, NULL, 0, &count) == XC_ERR_DEVICE, "%s", xc_context_message(c));
	CHECK(count == 0, "%d", count);
	CHECK(*xc_context_message(c), "no message");
	CHECK(xc_cuda_open(c, 0, &gpu) == XC_ERR_DEVICE, "%s", xc_context_message(c));
	CHECK(!gpu, "a GPU without a module");
	CHECK(*xc_context_message(c) && !strchr(xc_context_message(c), '\n'), "not one line: '%s'",
	      xc_context_message(c));
	if (saved)
		setenv("XC_CUDA_MODULE", saved, 1);
	else
		unsetenv("XC_CUDA_MODULE");
}

static void wrong_arguments(void)
{
	OWN_CONTEXT c = xc_context_new(NULL);
	xc_cuda *gpu;
	int count;

	REQUIRE(c, "no context");
	xc_cuda_close(NULL);
	xc_cuda_release(NULL, NULL);
	CHECK(xc_cuda_devices(c, NULL, 0, NULL) == XC_ERR_ARGUMENT, "no count");
	CHECK(xc_cuda_devices(c, NULL, 1, &count) == XC_ERR_ARGUMENT, "no list");
	CHECK(xc_cuda_open(c, 0, NULL) == XC_ERR_ARGUMENT, "no place");
	CHECK(xc_cuda_open(c, -1, &gpu) == XC_ERR_DEVICE && !gpu, "GPU -1");
	CHECK(xc_cuda_open(c, 100000, &gpu) == XC_ERR_DEVICE && !gpu, "GPU 100000");
}

static void use_memory(xc_cuda *gpu)
{
	void *a = NULL, *b = NULL, *again = NULL;

	CHECK(xc_cuda_allocate_device(gpu, 1000, &a) == XC_OK, "device memory");
	CHECK(xc_cuda_allocate_pinned(gpu, 1000, &b) == XC_OK, "pinned memory");
	REQUIRE(a && b, "no memory");
	CHECK((uintptr_t)a % 256 == 0 && (uintptr_t)b % 256 == 0, "%p and %p", a, b);
	memset(b, 1, 1000);
	xc_cuda_release(gpu, a);
	CHECK(xc_cuda_allocate_device(gpu, 900, &again) == XC_OK, "again");
	CHECK(again == a, "the pool does not reuse memory");
	xc_cuda_release(gpu, again);
	xc_cuda_release(gpu, b);
	uint64_t device = 1, pinned = 1;
	CHECK(xc_cuda_allocate_device(gpu, 5000, &a) == XC_OK, "device memory");
	CHECK(xc_cuda_trim(gpu, &device, &pinned) == XC_OK && device == 5120 && pinned == 0,
	      "%llu and %llu bytes are held", (unsigned long long)device, (unsigned long long)pinned);
	xc_cuda_release(gpu, a);
	CHECK(xc_cuda_trim(gpu, &device, NULL) == XC_OK && device == 0, "%llu bytes are held",
	      (unsigned long long)device);
	CHECK(xc_cuda_allocate_device(gpu, 900, &a) == XC_OK && a, "after trimming");
	xc_cuda_release(gpu, a);
	CHECK(xc_cuda_allocate_device(gpu, SIZE_MAX / 4, &a) == XC_ERR_MEMORY, "too much");
	CHECK(!a, "memory after a failure");
}

static void devices(void)
{
	xc_context *c = xc_context_new(NULL);
	xc_cuda_device list[4];
	int count;

	REQUIRE(c, "no context");
	const xc_status s = xc_cuda_devices(c, list, 4, &count);
	if (s) {
		CHECK(s == XC_ERR_DEVICE && count == 0, "status %d, %d GPUs", s, count);
		CHECK(*xc_context_message(c), "no message");
	}
	for (int i = 0; i < count && i < 4; i++) {
		xc_cuda *gpu = NULL;
		CHECK(list[i].index == i, "GPU %d calls itself %d", i, list[i].index);
		CHECK(list[i].usable == !*list[i].reason, "usable %d: '%s'", list[i].usable,
		      list[i].reason);
		const xc_status opened = xc_cuda_open(c, i, &gpu);
		CHECK((opened == XC_OK) == list[i].usable, "%s", xc_context_message(c));
		if (gpu)
			use_memory(gpu);
		xc_cuda_close(gpu);
	}
	xc_context_free(c);
	if (!count)
		SKIP("no GPU");
}

int main(void)
{
	RUN(missing_module, wrong_arguments, devices);
	return check_done();
}
