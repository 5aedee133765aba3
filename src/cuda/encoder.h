/* SPDX-License-Identifier: BSD-2-Clause */
/* Encoding from device memory to device memory, within the library. */
#ifndef XC_SRC_CUDA_ENCODER_H
#define XC_SRC_CUDA_ENCODER_H

#include "src/cuda/module.h"
#include "src/encode/plan.h"

/* What pictures of a kind have in common. */
typedef struct xc_cuda_kind_key {
	xc_encode_options options;
	uint32_t channels;
	xc_encode_plan plan; /* of its first picture */
} xc_cuda_kind_key;

struct xc_cuda_encoder {
	xc_cuda *gpu;
	xc_gpu_encoder *encoder;
	uint32_t batch; /* maximum of pictures in a call */
	/* What the module is given, and the arrays of that. */
	xc_gpu_encode_batch work;
	xc_gpu_encode_kind *kinds;
	xc_cuda_kind_key *keys; /* [kinds] */
	xc_gpu_encode_shape *shapes;
	xc_gpu_encode_picture_plan *pictures; /* [batch] */
	uint8_t *prefixes;
	uint32_t shape_count;
	size_t kind_room, key_room, shape_room, prefix_room;
	/* Pictures of one shape. */
	int has_shape;
	void *kept; /* its prefix on the device; then it is the first of all kinds and shapes */
	int others; /* there are others than that */
	size_t bound;
	/* A list, and those of its pictures that are encoded. */
	xc_encode_options options;
	xc_cuda_picture *list;
	uint32_t *listed;     /* [work.count] */
	xc_cuda_memory sizes; /* pinned: of their files */
	int under_way;
	xc_status status; /* of the first failure, which the message is about */
	char message[XC_MESSAGE_BYTES];
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

/* Sets the stride of a picture that is copied to the device, and how many bytes the picture takes there and
 * its file may take: usually enough, both multiples of 16 and 256. */
void xc_cuda_encoder_lay_out(xc_picture *picture, size_t *bytes, size_t *room);

/* Whether the GPU encodes such a picture. only: as below. */
xc_status xc_cuda_encoder_check(xc_context *context, const xc_picture *shape,
                                const xc_picture *only, const xc_encode_options *options);

/* Makes an encoder for up to `batch` pictures a call, which knows no shape yet. */
xc_status xc_cuda_encoder_make(xc_cuda *gpu, uint32_t batch, xc_cuda_encoder **encoder);

/* Sets the shape of its pictures, with checked arguments. Earlier work need not be done. Alpha is merely
 * left out: the header says that the file has it.  only: the pixels of the only picture, in host memory,
 * from which components can be made; or NULL. */
xc_status xc_cuda_encoder_set(xc_cuda_encoder *encoder, const xc_picture *shape,
                              const xc_picture *only, const xc_metadata *metadata,
                              const xc_encode_options *options);
/* Makes the shape that was set last the encoder's for good. */
xc_status xc_cuda_encoder_keep(xc_cuda_encoder *encoder);

/*
 * Pictures of any shapes, one by one: begin(), add() for each, run(). Options are checked and leave no choice;
 * NULL: the picture is of the shape that the encoder keeps.
 * file, size: of the picture's file, as in gpu/module.h. run() copies all that it is told; own: memory for
 * scratch where `given` is NULL, which no stream but this one uses.
 */
void xc_cuda_encoder_begin(xc_cuda_encoder *encoder);
xc_status xc_cuda_encoder_add(xc_cuda_encoder *encoder, const xc_picture *picture,
                              const xc_metadata *metadata, const xc_encode_options *options,
                              void *file, size_t room, uint64_t *size);
xc_status xc_cuda_encoder_run(xc_cuda_encoder *encoder, const xc_cuda_scratch *given,
                              xc_cuda_memory *own, void *stream, void **marks);

/* xc_cuda_encode() and xc_cuda_encoder_wait() within other calls.  marks as in gpu/module.h. */
xc_status xc_cuda_encoder_start(xc_cuda_encoder *encoder, const xc_cuda_pictures *pictures,
                                const xc_cuda_files *files, const xc_cuda_scratch *scratch,
                                void *stream, void **marks);
xc_status xc_cuda_encoder_finish(xc_cuda_encoder *encoder);

#endif
