/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libxcodec on NVIDIA GPUs.  The conventions of xcodec.h hold here as well.
 *
 * A program that only wants xc_encode() and xc_decode() to use a GPU calls
 * xc_context_set_device() and needs nothing from here.
 *
 * Everything that needs CUDA is in a module, xcodec-cuda.so.  The library opens it when one
 * of these functions is called: the file that the environment variable XC_CUDA_MODULE names,
 * or else the one beside the shared object that contains the library, as in a Python package,
 * or else the one that `make install` installed.  Where the module, the driver or a GPU is
 * missing, they return XC_ERR_DEVICE, and xc_context_message() says what is missing.
 *
 * As with CUDA's libraries, the calling thread's current device matters.  Every function that
 * is given a GPU, or something made with one, makes that GPU current, as cudaSetDevice()
 * does, and leaves it so.  A program that also uses CUDA on another GPU selects that one again.
 *
 * NULL in place of a context, a GPU or something made with one is XC_ERR_ARGUMENT.
 *
 * A stream is a cudaStream_t.  NULL means the GPU's own stream.  CUDA's default stream does
 * not wait for that one, and that one does not wait for CUDA's, so work on the same memory
 * must be put on a stream that both sides know.
 */
#ifndef XCODEC_CUDA_H
#define XCODEC_CUDA_H

#include <xcodec.h>
#include <xcodec_array.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------ devices */

typedef struct xc_cuda_device {
	int index; /* as in "cuda:N" */
	char name[128];
	int major, minor; /* compute capability */
	int multiprocessors;
	uint64_t memory;      /* bytes */
	int usable;           /* 1, or 0: see reason */
	char reason[160];     /* one line; "" if usable */
	uint64_t reserved[4]; /* 0 */
} xc_cuda_device;

/* *count becomes the number of GPUs.  The first `room` of them are described in devices,
 * which may be NULL if room is 0.  Describing a GPU starts CUDA on it; the current device
 * stays. */
XC_API xc_status xc_cuda_devices(xc_context *context, xc_cuda_device *devices, int room,
                                 int *count);

/* One opened GPU.  Its pools of device and pinned memory grow as needed and shrink when xc_cuda_trim()
 * says so, or when it is closed.  It belongs to the context: messages appear there, and only one call at a
 * time may use the context or anything opened with it.  Threads that drive GPUs at the
 * same time need a context each. */
typedef struct xc_cuda xc_cuda;

XC_API xc_status xc_cuda_open(xc_context *context, int device, xc_cuda **gpu);
/* Accepts NULL.  What was made with the GPU must have been freed. */
XC_API void xc_cuda_close(xc_cuda *gpu);

/* Device memory, or pinned host memory, from the GPU's pools, aligned to 256 bytes.
 * xc_cuda_release() accepts NULL; no work may still use the memory. */
XC_API xc_status xc_cuda_allocate_device(xc_cuda *gpu, size_t size, void **memory);
XC_API xc_status xc_cuda_allocate_pinned(xc_cuda *gpu, size_t size, void **memory);
XC_API void xc_cuda_release(xc_cuda *gpu, void *memory);

/* Gives back to the system the memory of the pools that nobody uses, and what the library has kept for later
 * calls, after waiting for all work on the GPU.  *device and *pinned, which may be NULL, become the bytes that
 * the pools still hold: what has been allocated and not released, and the memory of encoders, decoders and
 * queues. */
XC_API xc_status xc_cuda_trim(xc_cuda *gpu, uint64_t *device, uint64_t *pinned);

/* Waits for a stream of the GPU. */
XC_API xc_status xc_cuda_synchronize(xc_cuda *gpu, void *stream);

/* ------------------------------------------------------ device memory to device memory */

/*
 * An encoder makes files of pictures, a decoder pictures of files, several in one call.  They share
 * these rules:
 *
 * xc_cuda_encode() and xc_cuda_decode() put work on a stream and return without waiting for it.
 * What follows on the stream finds the results in device memory.  What they are given must remain
 * until the work is done.  xc_cuda_encoder_wait() and xc_cuda_decoder_wait() wait for the work of
 * the last call and report its failure, if any.
 *
 * The work needs scratch: intermediate results in device memory.  The caller gives it, or NULL,
 * which selects memory of the encoder's or decoder's own.  That memory grows as needed and is kept.
 * Scratch that is too small is XC_ERR_ARGUMENT.
 *
 * The free functions accept NULL and wait for the work.  A GPU must remain open until everything
 * made with it is freed.
 */
typedef struct xc_cuda_scratch {
	void *data;  /* device memory, aligned to 256 bytes */
	size_t size; /* bytes */
} xc_cuda_scratch;

/* ------------------------------------------------------------------ encoding */

/* Makes files of pictures: of one shape with one set of options, or of lists of any. */
typedef struct xc_cuda_encoder xc_cuda_encoder;

/* Pictures in device memory, `distance` bytes from one to the next and `stride` bytes from
 * row to row.  Any alignment that xc_picture allows will do; strides and distances that are
 * multiples of 8 bytes are faster. */
typedef struct xc_cuda_pictures {
	void *data;
	size_t stride, distance;
	uint32_t count;
} xc_cuda_pictures;

/* Room for files in device memory, `distance` bytes for each, and for their sizes in device
 * or pinned memory.  A file that needs more than `distance` bytes is not written, but its
 * size is. */
typedef struct xc_cuda_files {
	void *data;
	size_t distance;
	uint64_t *sizes;
} xc_cuda_files;

/* shape: width, height, channels and depth count; NULL: lists alone are encoded, and metadata are ignored.
 * A call encodes at most `batch` pictures, of which there can be 1 to 65535.
 * metadata and options are those of xc_encode(), but no pixels are looked at:
 * XC_SUBSAMPLING_AUTO is 4:4:4 from quality 85 on, else 4:2:0, and XC_TRANSFORM_AUTO is the TDLT.
 * XC_ERR_UNSUPPORTED: effort 3, Huffman codes with an effort but 0, components made for the picture
 * (which need it in host memory), alpha (which the host codes), more than 2^31 coefficients in blocks
 * of 64. */
XC_API xc_status xc_cuda_encoder_new(xc_cuda *gpu, const xc_picture *shape,
                                     const xc_metadata *metadata, const xc_encode_options *options,
                                     uint32_t batch, xc_cuda_encoder **encoder);
XC_API void xc_cuda_encoder_free(xc_cuda_encoder *encoder);

/* The most bytes that a file of the encoder's shape can have; 0: it has none.  That is several times the raw picture;
 * the size of the raw picture and 64 KiB suffices except for noise at quality 100. */
XC_API size_t xc_cuda_encoder_bound(const xc_cuda_encoder *encoder);

/* *size becomes the bytes of scratch that such a call of xc_cuda_encode() needs.  Only
 * pictures->count and files->distance count. */
XC_API xc_status xc_cuda_encoder_scratch(xc_cuda_encoder *encoder, const xc_cuda_pictures *pictures,
                                         const xc_cuda_files *files, size_t *size);

/* Several calls may be under way.  Calls that share scratch must all be on one stream, or each
 * must be done before the next one begins; a call that needs more than the encoder's own
 * scratch first waits for its stream. */
XC_API xc_status xc_cuda_encode(xc_cuda_encoder *encoder, const xc_cuda_pictures *pictures,
                                const xc_cuda_files *files, const xc_cuda_scratch *scratch,
                                void *stream);

/* A picture of a list, and where its file goes. */
typedef struct xc_cuda_picture {
	xc_picture picture;               /* data in device memory */
	const xc_metadata *metadata;      /* in host memory; NULL: none */
	const xc_encode_options *options; /* NULL: those of the encoder */
	void *file;       /* device memory for the file, of `room` bytes; a larger one is not written */
	size_t room;      /* see xc_cuda_encoder_bound() for what suffices */
	size_t size;      /* output of xc_cuda_encoder_wait(): bytes of the file, or 0 */
	xc_status status; /* likewise; XC_ERR_LIMIT: the file is larger than its room */
	uint64_t reserved[2]; /* 0 */
} xc_cuda_picture;

/* *size becomes the bytes of scratch that such a call of xc_cuda_encode_list() needs: shapes, metadata,
 * options and rooms count.  A picture that cannot be encoded needs nothing. */
XC_API xc_status xc_cuda_encode_list_scratch(xc_cuda_encoder *encoder, const xc_cuda_picture *list,
                                             size_t count, size_t *size);

/* Encodes pictures of any shapes with any options.  Those that share channels, depth and options are encoded
 * by one set of kernels, whatever their sizes; rows that begin at multiples of 8 bytes are faster.  One call
 * for a list can be under way: xc_cuda_encoder_wait() comes before the next one.
 *
 * A picture that cannot be encoded (see xc_cuda_encoder_new()) does not prevent the others from being encoded.
 * The call fails only if it could put nothing on the stream. */
XC_API xc_status xc_cuda_encode_list(xc_cuda_encoder *encoder, xc_cuda_picture *list, size_t count,
                                     const xc_cuda_scratch *scratch, void *stream);
/* Also fills in the outputs of a list.  Returns the status of the first failure, which the context's
 * message is about. */
XC_API xc_status xc_cuda_encoder_wait(xc_cuda_encoder *encoder);

/* ------------------------------------------------------------------ decoding */

/* Makes pictures of files with one set of options. All files are taken, whatever encoder made them;
 * one of more than 2^31 blocks is XC_ERR_UNSUPPORTED. */
typedef struct xc_cuda_decoder xc_cuda_decoder;

/* A file, and where its picture goes. */
typedef struct xc_cuda_file {
	const void *file; /* the whole file in host memory */
	size_t size;
	const void *device_file;   /* the same bytes in device memory; then the payload of DATA is
	                            * not read in host memory.  NULL: it is copied from there */
	xc_picture picture;        /* data in device memory; width, height, channels and depth must
	                            * be those of xc_read_info(), width and height reduced by the
	                            * decoder's scale as xc_decode_options says */
	xc_status status;          /* output of xc_cuda_decoder_wait() */
	uint64_t damaged_segments; /* likewise; see xc_decode_options */
	uint64_t reserved[4];      /* 0 */
} xc_cuda_file;

/* Only flags and scale of the options (NULL: the defaults) are used.  A call decodes at most `batch`
 * files. */
XC_API xc_status xc_cuda_decoder_new(xc_cuda *gpu, const xc_decode_options *options, uint32_t batch,
                                     xc_cuda_decoder **decoder);
XC_API void xc_cuda_decoder_free(xc_cuda_decoder *decoder);

/* *size becomes the bytes of scratch that such a call of xc_cuda_decode() needs.  Only headers
 * and indices are read.  A file that cannot be decoded needs nothing.  The size never
 * decreases as the number of blocks or the length of a file grows. */
XC_API xc_status xc_cuda_decoder_scratch(xc_cuda_decoder *decoder, const xc_cuda_file *list,
                                         size_t count, size_t *size);

/* Reads headers and indices, decodes alpha, and puts the work on the stream.  One call of a decoder
 * can be under way: xc_cuda_decoder_wait() comes before the next one.  Several decoders may share
 * scratch if they share a stream.
 *
 * Who decodes many large batches gets the most out of the GPU with three decoders that take turns,
 * a stream each: the host then works on one call while the GPU decodes the segments of another and
 * makes the pixels of a third.
 *
 * A file that cannot be decoded does not prevent the others from being decoded.  The call fails
 * only if it could put nothing on the stream. */
XC_API xc_status xc_cuda_decode(xc_cuda_decoder *decoder, xc_cuda_file *list, size_t count,
                                const xc_cuda_scratch *scratch, void *stream);
/* Also fills in the outputs of the list.  Returns the status of the first failure, which the
 * context's message is about. */
XC_API xc_status xc_cuda_decoder_wait(xc_cuda_decoder *decoder);

/* ------------------------------------------------------------ arrays of numbers */

/*
 * Arrays in device memory; see xcodec_array.h. Files are those of xc_array_encode(), and values those
 * of xc_array_read(). The calls wait for their work, which is put on the stream and so follows what
 * the caller has put there. They take about 18 bytes of the GPU's pools for each of up to 2^27 values
 * to encode, 8 to decode. After a failure what has been written is no file.
 *
 * The GPU codes float32 and integers of 8 and 16 bits, by prediction. What it does not code goes
 * through host memory: other types, transforms, masks (NaN and fill values), few distinct values, bounds
 * by PSNR or SNR. With
 * effort 0 the host needs no values; the others fit predictions to a copy.
 */

/* values: without gaps, in C order. The complete file goes to `write` in a few pieces, in order. */
XC_API xc_status xc_cuda_array_encode(xc_cuda *gpu, const xc_array_shape *shape, const void *values,
                                      const xc_array_options *options, void *stream, xc_write write,
                                      void *user);
/* file: in host memory; xc_array_reader_info() tells the shape. values: room for the whole array. On
 * failure some values may be set. */
XC_API xc_status xc_cuda_array_decode(xc_cuda *gpu, const void *file, size_t size, void *values,
                                      void *stream);

/* ------------------------------------------------------ host memory to host memory */

/*
 * A queue encodes or decodes pictures one by one, with as many in flight as it has slots (1 to 64),
 * so that copies in both directions and kernels overlap. Four slots keep the bus busy in one
 * direction, eight where another queue uses the other direction. Small pictures want more slots: a
 * quarter of them, but at most 2^22 pixels, is encoded at once.
 *
 * 	next      gives pinned memory for what the next slot is to work on, which the caller
 * 	          fills.  Without it submit() works on what the slot had last.
 * 	submit    starts the work, or, of small pictures, lets it wait for the others of its group
 * collect   waits for the oldest work in flight, starting it if need be, and gives its result in
 * pinned memory,
 * 	          which remains until the next submit()
 * 	free      accepts NULL and waits for what is in flight
 *
 * next() and submit() return XC_ERR_ARGUMENT while all slots are in flight, collect() when
 * none is.  A picture or file that fails does not affect the others.
 */
typedef struct xc_cuda_encode_queue xc_cuda_encode_queue;
typedef struct xc_cuda_decode_queue xc_cuda_decode_queue;

/* The arguments are those of xc_cuda_encoder_new(); without a shape only next_shape() gives pictures. */
XC_API xc_status xc_cuda_encode_queue_new(xc_cuda *gpu, const xc_picture *shape,
                                          const xc_metadata *metadata,
                                          const xc_encode_options *options, uint32_t slots,
                                          xc_cuda_encode_queue **queue);
XC_API void xc_cuda_encode_queue_free(xc_cuda_encode_queue *queue);
XC_API xc_status xc_cuda_encode_queue_next(xc_cuda_encode_queue *queue, xc_picture *picture);
/* next() for a picture of any shape.  options NULL: those of the queue.  The metadata, which may be NULL,
 * must remain until the file has been collected. */
XC_API xc_status xc_cuda_encode_queue_next_shape(xc_cuda_encode_queue *queue,
                                                 const xc_picture *shape,
                                                 const xc_metadata *metadata,
                                                 const xc_encode_options *options,
                                                 xc_picture *picture);
XC_API xc_status xc_cuda_encode_queue_submit(xc_cuda_encode_queue *queue);
XC_API xc_status xc_cuda_encode_queue_collect(xc_cuda_encode_queue *queue, const void **file,
                                              size_t *size);

/* The arguments are those of xc_cuda_decoder_new(). */
XC_API xc_status xc_cuda_decode_queue_new(xc_cuda *gpu, const xc_decode_options *options,
                                          uint32_t slots, xc_cuda_decode_queue **queue);
XC_API void xc_cuda_decode_queue_free(xc_cuda_decode_queue *queue);
/* *file: memory for a file of `size` bytes. */
XC_API xc_status xc_cuda_decode_queue_next(xc_cuda_decode_queue *queue, size_t size, void **file);
/* A file whose header cannot be read fails here, and is not in flight. */
XC_API xc_status xc_cuda_decode_queue_submit(xc_cuda_decode_queue *queue);
/* damaged_segments may be NULL; see xc_decode_options. */
XC_API xc_status xc_cuda_decode_queue_collect(xc_cuda_decode_queue *queue, xc_picture *picture,
                                              uint64_t *damaged_segments);

#ifdef __cplusplus
}
#endif
#endif
