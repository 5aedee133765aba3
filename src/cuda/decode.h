/* SPDX-License-Identifier: BSD-2-Clause */
/* Decoding on a GPU, within the library. */
#ifndef XC_SRC_CUDA_DECODE_H
#define XC_SRC_CUDA_DECODE_H

#include <xcodec_cuda.h>

#include "gpu/decode/decode.h"

/* xc_cuda_decode_begin(); marks as in xc_gpu_decode_ops, or NULL. */
xc_status xc_cuda_decode_marked(xc_cuda *gpu, xc_cuda_decode *list, size_t count,
                                const xc_decode_options *options, const xc_cuda_scratch *scratch,
                                void *stream, void **marks, xc_cuda_decoding **decoding);

/* xc_decode() on the context's GPU.  *done is 0 when the CPU is to do it. */
xc_status xc_cuda_try_decode(xc_context *context, const void *file, size_t size,
                             xc_decode_options *options, xc_picture *picture, int *done);

#endif
