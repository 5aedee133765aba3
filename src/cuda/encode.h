/* SPDX-License-Identifier: BSD-2-Clause */
/* Encoding on a GPU, within the library. */
#ifndef XC_SRC_CUDA_ENCODE_H
#define XC_SRC_CUDA_ENCODE_H

#include "gpu/encode/encode.h"
#include "src/cuda/module.h"

struct xc_cuda_encoder {
	xc_cuda *gpu;
	xc_gpu_encoder *encoder;
	size_t bound;
	size_t prefix_size; /* bytes of a file in front of HUFF or INDX */
	uint32_t batch;
	void *scratch; /* its own */
	size_t scratch_size;
};

/* As xc_cuda_encoder_new() with checked arguments, but alpha is merely left out (the
 * header says that it is there). */
xc_status xc_cuda_encoder_make(xc_cuda *gpu, const xc_picture *shape, const xc_metadata *metadata,
                               const xc_encode_options *options, uint32_t batch,
                               xc_cuda_encoder **encoder);

/* See xc_backend. */
xc_status xc_cuda_backend_encode(xc_context *context, const xc_picture *picture,
                                 const xc_metadata *metadata, const xc_encode_options *options,
                                 xc_buffer *out, int *done);

#endif
