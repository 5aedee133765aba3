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

/* The same without a new message and timings.  given: the only file taken apart, or NULL. */
xc_status xc_cuda_decode_start(xc_cuda *gpu, xc_cuda_decode *list, size_t count,
                               const struct xc_container *given, const xc_decode_options *options,
                               const xc_cuda_scratch *scratch, void *stream, void **marks,
                               xc_cuda_decoding **decoding);
xc_status xc_cuda_decode_finish(xc_cuda_decoding *decoding);

/* See xc_backend. */
struct xc_container;
xc_status xc_cuda_backend_decode(xc_context *context, const struct xc_container *container,
                                 xc_decode_options *options, xc_picture *picture, int *done);

/* xc_cuda_decode_host() of one picture whose file has been taken apart. */
xc_status xc_cuda_decode_container(xc_cuda *gpu, const struct xc_container *container,
                                   xc_cuda_decode *one, const xc_decode_options *options);

#endif
