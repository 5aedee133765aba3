/* SPDX-License-Identifier: BSD-2-Clause */
/* Which device a context's work is done on. */
#ifndef XC_SRC_CUDA_DEVICE_H
#define XC_SRC_CUDA_DEVICE_H

#include "src/core/context.h"

/* A GPU for work on a picture of so many pixels, or NULL for the CPU: as set, and with
 * "auto" only where it pays and can be had.  0 pixels: the CPU in any case. */
struct xc_cuda *xc_device_for(xc_context *context, uint64_t pixels);

/* After work that xc_device_for() gave a GPU for: *done is 1 unless the GPU failed, or
 * cannot do such work, and the CPU is to do it instead, because the choice was the library's.  Returns what the call
 * then returns. */
xc_status xc_device_result(xc_context *context, xc_status status, int *done);

#endif
