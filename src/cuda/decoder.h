/* SPDX-License-Identifier: BSD-2-Clause */
/* Decoding to device memory, within the library. */
#ifndef XC_SRC_CUDA_DECODER_H
#define XC_SRC_CUDA_DECODER_H

#include "src/container/container.h"
#include "src/cuda/module.h"
#include "src/decode/crop.h"

/* Parses a file and checks that it may have as many pixels, kept JPEGs included. xc_container_close() must follow,
 * also after a failure. */
xc_status xc_cuda_read_file(xc_context *context, const void *file, size_t size, int truncated,
                            xc_container *container);
/* What all kept JPEGs are decoded by; and the parts of *p that differ from other pictures', whose description goes to
 * *to. */
void xc_cuda_jpeg_model(xc_gpu_jpeg_model *model);
struct xc_kept_list;
void xc_cuda_describe_jpeg(const struct xc_kept_list *list, xc_gpu_jpeg *to,
                           xc_gpu_coded_picture *p);
/* What a GPU cannot decode of a file, and the remedy; NULL: it can decode it. */
const char *xc_cuda_decoder_objection(const xc_container *container);

/* The tiles of a region, which the GPU decodes as a picture of their own. */
typedef struct xc_cuda_crop {
	xc_crop crop; /* picture, left and top also where all is decoded */
	xc_listed_segment *
		list; /* [tiles]: where each segment begins in the crop's data; owns. NULL: all is decoded */
	uint64_t *from; /* [tiles], where it begins in the file's */
	uint64_t bytes; /* of these data: the segments, one after the other */
} xc_cuda_crop;

/* Chooses as little of a file as a checked region needs; of width 0: all. crop->list is the caller's to release. */
xc_status xc_cuda_crop_choose(xc_context *context, const xc_container *container,
                              const xc_rectangle *region, uint32_t scale, xc_cuda_crop *crop);
/* Copies them to a place of crop->bytes. */
void xc_cuda_crop_copy(const xc_container *container, const xc_cuda_crop *crop, uint8_t *to);

/* A file that the caller has taken apart; all of it must stay until xc_cuda_decoder_finish() has
 * returned. */
typedef struct xc_cuda_given {
	const xc_container *container;
	const uint8_t *data; /* where its segments lie; NULL: where the container says */
	char *message;       /* XC_MESSAGE_BYTES for what is said about it; NULL: not wanted */
	const xc_cuda_crop *
		crop; /* of the file, which becomes the picture: its segments are what the next leads to, or `data` */
	const uint8_t
		*on_device; /* the segments, with 4 readable bytes after them; NULL: they are not there */
} xc_cuda_given;

/* xc_cuda_decode() within other calls.  given: one for each file of the list, or NULL: the files are
 * read; pictures of given files may have 1 or 2 channels also of colour whose components are Y, Cb and Cr.
 * marks as in gpu/module.h. */
xc_status xc_cuda_decoder_make(xc_cuda *gpu, const xc_decode_options *options, uint32_t batch,
                               xc_cuda_decoder **decoder);
/* Other options, with a scale that exists, when the decoder has no work under way. */
void xc_cuda_decoder_set(xc_cuda_decoder *decoder, const xc_decode_options *options);
xc_status xc_cuda_decoder_start(xc_cuda_decoder *decoder, xc_cuda_file *list, size_t count,
                                const xc_cuda_given *given, const xc_cuda_scratch *scratch,
                                void *stream, void **marks);
xc_status xc_cuda_decoder_finish(xc_cuda_decoder *decoder);

/*
 * Decoding one picture from host to host.  All zero but gpu and decoder to begin with.
 */
typedef struct xc_cuda_transfer {
	xc_cuda *gpu;
	xc_cuda_decoder *decoder;
	void *stream;
	xc_cuda_memory data, pixels, staging; /* pinned, device, pinned */
	xc_cuda_file file;                    /* its picture is in `pixels` */
	xc_cuda_given given;
	void *to; /* where the pixels arrive, row after row */
} xc_cuda_transfer;

/* Starts decoding a file taken apart, or what xc_cuda_crop_choose() has chosen of it, unless that is NULL. direct:
 * where the pixels are to arrive if the GPU can write there; else, and for NULL, they arrive in `staging`. */
xc_status xc_cuda_transfer_start(xc_cuda_transfer *transfer, const xc_container *container,
                                 const xc_cuda_crop *crop, void *direct);
/* Waits for it. */
xc_status xc_cuda_transfer_finish(xc_cuda_transfer *transfer);
/* Frees everything, the decoder and the stream as well. */
void xc_cuda_transfer_free(xc_cuda_transfer *transfer);

/* Alpha beside a GPU, which codes the other channels alone. */

/* Replaces *file, of a picture without alpha but for what HEAD says, by the same with the segments
 * of the picture's alpha after those of colour. */
xc_status xc_cuda_interleave_alpha(xc_context *context, const xc_picture *picture,
                                   const xc_encode_options *options, xc_buffer *file);

/* Decodes the segments of alpha to a picture of one channel. crcs[2 i + 1] becomes the CRC of that
 * of tile i, and intact[i] 0 if it is damaged, in which case it is opaque. */
xc_status xc_cuda_decode_alpha(xc_context *context, const xc_container *container,
                               const xc_picture *plane, uint32_t *crcs, uint8_t *intact);

#endif
