/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libxcodec on NVIDIA GPUs.  The conventions of xcodec.h hold here as well.
 *
 * What needs CUDA is in a module, xcodec-cuda.so, that the library opens when one of
 * these functions is called: where it, the driver or a GPU is missing they return
 * XC_ERR_DEVICE, and xc_context_message() says what is missing.  The module is
 * looked for where the environment variable XC_CUDA_MODULE says (a file), else where
 * `make install` put it.
 *
 * Who only wants xc_encode() and xc_decode() to use a GPU calls
 * xc_context_set_device() and needs nothing else from here.
 */
#ifndef XCODEC_CUDA_H
#define XCODEC_CUDA_H

#include <xcodec.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------ devices */

typedef struct xc_cuda_device {
	int index;             /* as in "cuda:N" */
	char name[128];
	int major, minor;      /* compute capability */
	int multiprocessors;
	uint64_t memory;       /* bytes */
	int usable;            /* 1, or 0: see reason */
	char reason[160];      /* one line; "" if usable */
} xc_cuda_device;

/* Lists the GPUs: *count is how many there are, of which at most `room` are
 * described in devices (which may be NULL if room is 0). */
XC_API xc_status xc_cuda_devices(xc_context *context, xc_cuda_device *devices, int room,
                                 int *count);

/* One opened GPU, with pools of device and pinned memory that grow to what is needed
 * and are kept until it is closed.  It belongs to the context: messages appear there, and
 * only one call at a time may use the context or anything opened with it.  Threads
 * that drive GPUs at the same time have a context each. */
typedef struct xc_cuda xc_cuda;

XC_API xc_status xc_cuda_open(xc_context *context, int device, xc_cuda **gpu);
/* Accepts NULL.  What was made with the GPU must have been freed. */
XC_API void xc_cuda_close(xc_cuda *gpu);

/* Device memory, or pinned host memory, from the GPU's pools, aligned to 256 bytes.
 * xc_cuda_release() accepts NULL; nothing may still use the memory. */
XC_API xc_status xc_cuda_allocate_device(xc_cuda *gpu, size_t size, void **memory);
XC_API xc_status xc_cuda_allocate_pinned(xc_cuda *gpu, size_t size, void **memory);
XC_API void xc_cuda_release(xc_cuda *gpu, void *memory);

#ifdef __cplusplus
}
#endif
#endif
