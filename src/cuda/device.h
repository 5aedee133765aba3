/* SPDX-License-Identifier: BSD-2-Clause */
/* Which device a context's work is done on, and xc_encode() and xc_decode() on a GPU. */
#ifndef XC_SRC_CUDA_DEVICE_H
#define XC_SRC_CUDA_DEVICE_H

#include "src/core/context.h"

/* A GPU for work on a picture of so many pixels, or NULL for the CPU: as set, and with
 * "auto" only where it pays and can be had.  0 pixels: the CPU in any case. */
struct xc_cuda *xc_device_for(xc_context *context, uint64_t pixels);

/* After work that xc_device_for() gave a GPU for.  *done becomes 1, unless the choice was the
 * library's and the GPU failed or cannot do such work: then the CPU is to do it.  Returns
 * what the call then returns. */
xc_status xc_device_result(xc_context *context, xc_status status, int *done);

/* See xc_backend. */
xc_status xc_cuda_backend_encode(xc_context *context, const xc_picture *picture,
                                 const xc_metadata *metadata, const xc_encode_options *options,
                                 xc_buffer *out, int *done);
xc_status xc_cuda_backend_decode(xc_context *context, const struct xc_container *container,
                                 xc_decode_options *options, xc_picture *picture, int *done);

#endif
