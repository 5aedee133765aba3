/* SPDX-License-Identifier: BSD-2-Clause */
/* The GPU that a test works on: a real one, or the stub of tests/emulated. */
#ifndef XC_TESTS_SUPPORT_GPU_H
#define XC_TESTS_SUPPORT_GPU_H

#include <xcodec_cuda.h>

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

/* Opens it twice: by itself, and for xc_encode() and xc_decode() on the context.  0: there is
 * none, which has been said. */
static inline int test_gpu_open(xc_context *context, xc_cuda **gpu)
{
#ifdef XC_TEST_STUB
	*gpu = xc_stub_open(context);
	xc_stub_use(context);
	return 1;
#else
	if (!xc_cuda_open(context, 0, gpu) && !xc_context_set_device(context, "cuda"))
		return 1;
	printf("# %s\n", xc_context_message(context));
	return 0;
#endif
}

#endif
