/* SPDX-License-Identifier: BSD-2-Clause */
/* Alpha beside a GPU, which codes the other channels alone. */
#ifndef XC_SRC_CUDA_ALPHA_H
#define XC_SRC_CUDA_ALPHA_H

#include "src/container/container.h"

/* Replaces *file, of a picture without alpha but for what HEAD says, by the same with the segments
 * of the picture's alpha after those of colour. */
xc_status xc_cuda_interleave_alpha(xc_context *context, const xc_picture *picture,
                                   const xc_encode_options *options, xc_buffer *file);

/* Decodes the segments of alpha to a picture of one channel. crcs[2 i + 1] becomes the CRC of that
 * of tile i, and intact[i] 0 if it is damaged, in which case it is opaque. */
xc_status xc_cuda_decode_alpha(xc_context *context, const xc_container *container,
                               const xc_picture *plane, uint32_t *crcs, uint8_t *intact);

#endif
