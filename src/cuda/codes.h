/* SPDX-License-Identifier: BSD-2-Clause */
/* The Huffman codes and the frequencies of rANS of a batch of files. */
#ifndef XC_SRC_CUDA_CODES_H
#define XC_SRC_CUDA_CODES_H

#include "gpu/module.h"
#include "src/container/container.h"

/* Sets of them, at most one a picture, and the picture that each is of. */
typedef struct xc_cuda_codes {
	xc_gpu_class_codes (*codes)[2];
	xc_rans_frequencies *frequencies;
	const xc_container **codes_of, **frequencies_of;
	uint32_t known; /* bits a sample for which codes[0] are the built-in ones; 0: they are others */
} xc_cuda_codes;

/* For batches of up to `max` pictures.  xc_cuda_codes_free() follows, also after a failure. */
xc_status xc_cuda_codes_init(xc_context *context, xc_cuda_codes *codes, uint32_t max);
void xc_cuda_codes_free(xc_context *context, const xc_cuda_codes *codes);

/* Makes a batch without sets. */
void xc_cuda_codes_begin(const xc_cuda_codes *codes, xc_gpu_decode_batch *batch);
/* Sets how a picture is coded, and with which set, which it may share with one of the last ones.
 * The container must stay until the batch is complete. */
void xc_cuda_codes_take(xc_cuda_codes *codes, xc_gpu_decode_batch *batch,
                        const xc_container *container, xc_gpu_coded_picture *picture);

#endif
