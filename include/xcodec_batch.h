/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Many pictures in one call, of any sizes: files become arrays as programs that learn from pictures
 * want them, pictures of any shapes become files.  The work is done by the threads of a context, or
 * by an NVIDIA GPU.  The conventions of xcodec.h hold here as well.
 *
 * A batch decodes or encodes lists of items.  An item that fails, or is wrong itself, has its status
 * and message, and does not affect the others; a call fails only if it could not work on the list at
 * all.
 */
#ifndef XCODEC_BATCH_H
#define XCODEC_BATCH_H

#include <xcodec.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct xc_batch xc_batch;

/* device: "cpu" (and NULL), "cuda" or "cuda:N".  threads as in xc_context_set_threads().  The batch
 * takes the allocator of the context, and its limits, which then hold for each thread.  It serves
 * one call at a time and keeps memory from call to call.  It does not need the context later. */
XC_API xc_status xc_batch_new(xc_context *context, const char *device, int threads,
                              xc_batch **batch);
XC_API void xc_batch_free(xc_batch *batch); /* NULL is allowed */
/* Gives back the memory that the batch keeps from call to call, its GPU's included; what was allocated and not
 * released stays.  Files of the last xc_batch_encode() are no longer there. */
XC_API xc_status xc_batch_trim(xc_batch *batch);
/* Other limits, for the calls that follow. */
XC_API xc_status xc_batch_set_limits(xc_batch *batch, const xc_limits *limits);
/* As xc_context_set_progress(), for xc_batch_decode() and xc_batch_encode(): the fraction is that of all
 * items.  After another number than 0 the threads end their items soon, and items that were not done have the
 * status XC_ERR_CANCELLED, as the call has; after a call that used a GPU all may have it.  A later
 * xc_batch_decode() does items of that status. */
XC_API void xc_batch_set_progress(xc_batch *batch, xc_progress progress, void *user);
/* As xc_context_message(), about the last call on the batch. */
XC_API const char *xc_batch_message(const xc_batch *batch);

enum { XC_BATCH_MESSAGE_BYTES = 256 };

/* ------------------------------------------------------------ decoding */

/* The samples of an array.  Integers are those of xc_decode(), whose depth must be 8 or 16 bits as
 * named.  A float is (sample / largest - mean) / deviation, in float32 arithmetic, each operation
 * rounded to the nearest; largest: 255 or 65535.  FLOAT16 is that rounded to the nearest, ties to even. */
typedef enum xc_sample_type {
	XC_SAMPLE_UINT8 = 0,
	XC_SAMPLE_UINT16 = 1,
	XC_SAMPLE_FLOAT16 = 2,
	XC_SAMPLE_FLOAT32 = 3
} xc_sample_type;

typedef struct xc_batch_options {
	xc_sample_type type;
	int planar;         /* 0: the samples of a pixel side by side (HWC); 1: planes (CHW) */
	uint32_t channels;  /* 1 to 4 as in xc_decode(), or 0: those of the file */
	uint32_t scale;     /* 1 (0 means the same), 2, 4 or 8, as in xc_decode_options */
	float mean[4];      /* of each channel, for floats alone */
	float deviation[4]; /* 0 means 1 */
	int keep_going, jpeg_rounding; /* as in xc_decode_options */
	uint64_t reserved[4];          /* 0 */
} xc_batch_options;

typedef struct xc_batch_item {
	const void *file; /* the whole file, in host memory */
	size_t size;
	xc_rectangle region; /* as in xc_decode_options; width 0: all */
	void *data; /* where the array goes, without padding: xc_batch_item_bytes() bytes, aligned to
	                      * the samples; with a GPU in its memory, else in host memory */
	/* Outputs of both calls: the array's, and the depth of the file. */
	uint32_t width, height, channels, depth;
	xc_status status;
	uint32_t own; /* the library's: blocks of a segment, by which a GPU's work is put in order */
	uint64_t damaged_segments; /* see xc_decode_options; of xc_batch_decode() alone */
	/* One line about a failure, or, after a success, about damage or bytes after the end; else "". */
	char message[XC_BATCH_MESSAGE_BYTES];
	uint64_t reserved[4]; /* 0 */
} xc_batch_item;

/* Reads the header of each file: the shape of its array.  An item that has a status afterwards has no
 * shape (0), and xc_batch_decode() passes over it. */
XC_API xc_status xc_batch_shapes(xc_batch *batch, const xc_batch_options *options,
                                 xc_batch_item *items, size_t count);
/* The bytes of an item's array; SIZE_MAX if they cannot be addressed. */
XC_API size_t xc_batch_item_bytes(const xc_batch_options *options, const xc_batch_item *item);

/* Decodes the items, which have their shapes, into their arrays, and waits for it.  Samples are the
 * same on every device.
 *
 * On a GPU the arrays are written after what `stream` (a cudaStream_t, NULL: CUDA's default stream) has
 * been given before, and are complete when the call returns, for every stream.  Files are parsed and
 * copied by threads while the GPU decodes earlier ones.  Of a file with a region only the
 * tiles that the region depends on are copied to the GPU and decoded, of one with alpha all.  What
 * xcodec_cuda.h says a GPU does not decode, and the Y of colour whose components were made for the picture, the
 * threads decode, and copy it.  The array of an item that fails is not defined. */
XC_API xc_status xc_batch_decode(xc_batch *batch, const xc_batch_options *options,
                                 xc_batch_item *items, size_t count, void *stream);

/* Memory of the batch's GPU for arrays, aligned to 256 bytes; XC_ERR_ARGUMENT without a GPU.
 * xc_batch_release() accepts NULL; no work may still use the memory.  Unlike the other functions these
 * two may be called while the batch serves a call, by any thread. */
XC_API xc_status xc_batch_allocate(xc_batch *batch, size_t size, void **memory);
XC_API void xc_batch_release(xc_batch *batch, void *memory);

/* ------------------------------------------------------------ encoding */

typedef struct xc_batch_picture {
	xc_picture picture;          /* in host memory */
	const xc_metadata *metadata; /* NULL: none */
	/* Outputs.  The file is the batch's, until its next call or its end. */
	const void *file;
	size_t size;
	xc_status status;
	char message[XC_BATCH_MESSAGE_BYTES];
	uint64_t reserved[2]; /* 0 */
} xc_batch_picture;

/* Encodes each picture as xc_encode() does, to the same bytes.
 *
 * On a GPU the threads choose how pictures are coded and copy them while the GPU encodes earlier ones: those of
 * equal channels, depth and options together, whatever their sizes.  The threads code alpha.  What the GPU does not
 * encode as it is told goes through xc_encode(), picture by picture. */
XC_API xc_status xc_batch_encode(xc_batch *batch, const xc_encode_options *options,
                                 xc_batch_picture *pictures, size_t count);

#ifdef __cplusplus
}
#endif
#endif
