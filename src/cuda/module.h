/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding and opening the CUDA module, and what hangs off an opened GPU. */
#ifndef XC_SRC_CUDA_MODULE_H
#define XC_SRC_CUDA_MODULE_H

#include "gpu/module.h"
#include "src/core/context.h"

struct xc_cuda {
	xc_context *context;
	const xc_gpu_module *module;
	xc_gpu *gpu;
	int device;
};

/* XC_ERR_DEVICE when there is none that fits this library. */
xc_status xc_cuda_module_open(xc_context *context, const xc_gpu_module **module);

/* xc_cuda_open() and xc_cuda_close() within other calls. */
xc_status xc_cuda_start(xc_context *context, int device, xc_cuda **gpu);
void xc_cuda_shut(xc_cuda *gpu);

/* Makes a module's failure the context's; `status` may be XC_OK. */
xc_status xc_cuda_status(xc_context *context, xc_status status, const xc_gpu_error *e);

#endif
