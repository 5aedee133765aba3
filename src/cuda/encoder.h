/* SPDX-License-Identifier: BSD-2-Clause */
/* Encoding from device memory to device memory, within the library. */
#ifndef XC_SRC_CUDA_ENCODER_H
#define XC_SRC_CUDA_ENCODER_H

#include "src/cuda/module.h"

struct xc_cuda_encoder {
	xc_cuda *gpu;
	xc_gpu_encoder *encoder;
	struct xc_cuda_encoder_parts *parts;
	size_t bound;
	size_t prefix_size; /* bytes of a file before HUFF or INDX */
	uint32_t pieces;    /* of a file */
	uint32_t batch;
	xc_cuda_memory scratch; /* its own */
	void *event;            /* after the last call */
};

/* Bytes of a file that are fetched together with its size if the file before had `last`; the rest
 * takes a copy of its own. */
static inline size_t xc_cuda_fetched_at_once(size_t last)
{
	return last + last / 8 + 4096;
}

/* The option that a GPU does not support, and the remedy; NULL: it supports all. options: checked.
 * */
const char *xc_cuda_encoder_objection(const xc_encode_options *options);

/* Checks what a caller gives for new encoders, and fills in the options. */
xc_status xc_cuda_encoder_take(xc_context *context, const xc_picture *shape,
                               const xc_metadata *metadata, const xc_encode_options *given,
                               xc_encode_options *options);

/* xc_cuda_encoder_new() within other calls, with checked arguments.  Alpha is merely left out:
 * the header says that the file has it.  only: the pixels of the only picture, in host memory, from
 * which components can be made; or NULL. */
xc_status xc_cuda_encoder_make(xc_cuda *gpu, const xc_picture *shape, const xc_picture *only,
                               const xc_metadata *metadata, const xc_encode_options *options,
                               uint32_t batch, xc_cuda_encoder **encoder);

/* Makes it an encoder for other pictures. Its work must be done, and what follows must be on the
 * GPU's own stream. Entropy, Huffman codes and effort of the options must be the same as before.
 * After a failure it can only be freed. */
xc_status xc_cuda_encoder_change(xc_cuda_encoder *encoder, const xc_picture *shape,
                                 const xc_picture *only, const xc_metadata *metadata,
                                 const xc_encode_options *options);

/* xc_cuda_encode() and xc_cuda_encoder_wait() within other calls.  marks as in gpu/module.h. */
xc_status xc_cuda_encoder_start(xc_cuda_encoder *encoder, const xc_cuda_pictures *pictures,
                                const xc_cuda_files *files, const xc_cuda_scratch *scratch,
                                void *stream, void **marks);
xc_status xc_cuda_encoder_finish(xc_cuda_encoder *encoder);

#endif
