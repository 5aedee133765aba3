/* SPDX-License-Identifier: BSD-2-Clause */
/* The GPU that a test works on: a real one, or the stub of tests/emulated. */
#ifndef XC_TESTS_SUPPORT_GPU_H
#define XC_TESTS_SUPPORT_GPU_H

#include <stdlib.h>

#include <xcodec_cuda.h>

#include "tests/support/check.h"

#ifdef XC_TEST_STUB
#include "tests/emulated/stub_module.h"
#endif

enum {
#ifdef XC_TEST_STUB
	TEST_STUB = 1
#else
	TEST_STUB = 0
#endif
};

/* The status, or what is made of several, must be XC_OK; the context says why it is not. */
#define SUCCEEDS(context, status) CHECK(!(status), "%s", xc_context_message(context))

/* Leaves a function that returns a status. */
#define REQUIRE_STATUS(call) \
	do { \
		const xc_status status_ = (call); \
		if (status_) \
			return status_; \
	} while (0)

/* Pinned memory, which kernels reach as well as device memory. */
static inline void *test_gpu_pinned(xc_cuda *gpu, size_t size)
{
	void *memory = NULL;

	if (xc_cuda_allocate_pinned(gpu, size, &memory))
		abort();
	return memory;
}

/* Opens it; 0: there is none, which has been said. */
static inline int test_gpu_open(xc_context *context, xc_cuda **gpu)
{
#ifdef XC_TEST_STUB
	*gpu = xc_stub_fits() ? xc_stub_open(context) : NULL;
#else
	if (xc_cuda_open(context, 0, gpu))
		printf("# %s\n", xc_context_message(context));
#endif
	return *gpu != NULL;
}

/* Lets xc_encode() and xc_decode() on the context use it.  0: that failed. */
static inline int test_gpu_use(xc_context *context)
{
#ifdef XC_TEST_STUB
	xc_stub_use(context);
	return 1;
#else
	return !xc_context_set_device(context, "cuda");
#endif
}

#endif
