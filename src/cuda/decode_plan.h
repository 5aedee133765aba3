/* SPDX-License-Identifier: BSD-2-Clause */
/* From a file taken apart to what the decoder's kernels want to know. */
#ifndef XC_SRC_CUDA_DECODE_PLAN_H
#define XC_SRC_CUDA_DECODE_PLAN_H

#include "gpu/decode/plan.h"
#include "src/container/container.h"

/* Fills everything but the pointers and first_segment. */
void xc_gpu_decode_plan_init(xc_gpu_decode_plan *plan, const xc_container *container,
                             const xc_decode_options *options);

/* Fills segments[0 ... container->segments - 1]; the bytes of the longest one. */
uint32_t xc_gpu_decode_segments(const xc_container *container, xc_gpu_segment *segments);

/* The words of tokens that those segments have room for, at most. */
uint64_t xc_gpu_decode_token_words(const xc_container *container);

/* Codes of luma and chroma in the form that makes tables. */
void xc_gpu_decode_codes(const xc_container *container, xc_canonical_code codes[2][2]);

#endif
