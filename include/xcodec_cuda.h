/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libxcodec on NVIDIA GPUs.  The conventions of xcodec.h hold here as well.
 *
 * What needs CUDA is in a module, xcodec-cuda.so, that the library opens when one of
 * these functions is called: where it, the driver or a GPU is missing they return
 * XC_ERR_DEVICE, and xc_context_message() says what is missing.  The module is
 * looked for where the environment variable XC_CUDA_MODULE says (a file), else where
 * `make install` put it.
 *
 * As with CUDA's libraries, the calling thread's current device matters: every function
 * that is given a GPU, or something made with one, makes that GPU current, as
 * cudaSetDevice() does, and leaves it so.  Who uses CUDA on another one as well selects it
 * again.  A NULL stream is one of the GPU's own, which the default stream of CUDA's runtime
 * neither waits for nor keeps waiting: work on the same memory is put on a stream that
 * both know.
 *
 * Who only wants xc_encode() and xc_decode() to use a GPU calls
 * xc_context_set_device() and needs nothing else from here.
 */
#ifndef XCODEC_CUDA_H
#define XCODEC_CUDA_H

#include <xcodec.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------ devices */

typedef struct xc_cuda_device {
	int index; /* as in "cuda:N" */
	char name[128];
	int major, minor; /* compute capability */
	int multiprocessors;
	uint64_t memory;  /* bytes */
	int usable;       /* 1, or 0: see reason */
	char reason[160]; /* one line; "" if usable */
} xc_cuda_device;

/* Lists the GPUs: *count is how many there are, of which at most `room` are
 * described in devices (which may be NULL if room is 0).  Describing starts CUDA on each;
 * the current device stays. */
XC_API xc_status xc_cuda_devices(xc_context *context, xc_cuda_device *devices, int room,
                                 int *count);

/* One opened GPU, with pools of device and pinned memory that grow to what is needed
 * and are kept until it is closed.  It belongs to the context: messages appear there, and
 * only one call at a time may use the context or anything opened with it.  Threads
 * that drive GPUs at the same time have a context each. */
typedef struct xc_cuda xc_cuda;

XC_API xc_status xc_cuda_open(xc_context *context, int device, xc_cuda **gpu);
/* Accepts NULL.  What was made with the GPU must have been freed. */
XC_API void xc_cuda_close(xc_cuda *gpu);

/* Device memory, or pinned host memory, from the GPU's pools, aligned to 256 bytes.
 * xc_cuda_release() accepts NULL; nothing may still use the memory. */
XC_API xc_status xc_cuda_allocate_device(xc_cuda *gpu, size_t size, void **memory);
XC_API xc_status xc_cuda_allocate_pinned(xc_cuda *gpu, size_t size, void **memory);
XC_API void xc_cuda_release(xc_cuda *gpu, void *memory);

/* ------------------------------------- pictures in device memory to files */

/* Makes files of pictures of one shape with one set of options. */
typedef struct xc_cuda_encoder xc_cuda_encoder;

/* Of `shape` width, height, channels and depth count.  A call can encode up to `batch`
 * pictures.  metadata and options as in xc_encode().  XC_ERR_UNSUPPORTED: alpha (which
 * is compressed on the host), an effort above 0, more than
 * 2^31 coefficients in blocks of 64. */
XC_API xc_status xc_cuda_encoder_new(xc_cuda *gpu, const xc_picture *shape,
                                     const xc_metadata *metadata, const xc_encode_options *options,
                                     uint32_t batch, xc_cuda_encoder **encoder);
/* Accepts NULL.  All work of the encoder must be done. */
XC_API void xc_cuda_encoder_free(xc_cuda_encoder *encoder);

/* Pictures in device memory, `distance` bytes from one to the next, rows `stride` bytes
 * from one to the next.  Any alignment that xc_picture allows; strides and distances
 * that are multiples of 8 bytes are faster. */
typedef struct xc_cuda_pictures {
	void *data;
	size_t stride, distance;
	uint32_t count;
} xc_cuda_pictures;

/* Room for files in device memory, `distance` bytes for each and from one to the next, and
 * for their sizes, in device or pinned memory. */
typedef struct xc_cuda_files {
	void *data;
	size_t distance;
	uint64_t *sizes;
} xc_cuda_files;

/* What no file of the encoder exceeds.  That is several times the raw picture; the
 * size of the raw picture and 64 KiB is enough except for noise at quality 100. */
XC_API size_t xc_cuda_encoder_bound(const xc_cuda_encoder *encoder);
/* The device memory that a call needs for `count` pictures and files of `distance` bytes. */
XC_API size_t xc_cuda_encoder_scratch(const xc_cuda_encoder *encoder, uint32_t count,
                                      size_t distance);

/* Enqueues the work on the stream (a cudaStream_t; NULL: the GPU's own) and returns
 * without waiting: pictures, files and scratch must stay until the stream has done it,
 * and only then are the files and sizes there.  A file that takes more than `distance`
 * bytes is not written; its size is told all the same.  scratch: device memory
 * aligned to 256 bytes, or NULL for memory of the encoder's own: all such calls must be on one
 * stream, or their work done before the next stream's; one that needs more than those
 * before it waits for the stream and allocates.  Failures that only show while kernels
 * run are reported by whatever waits for the stream. */
XC_API xc_status xc_cuda_encode(xc_cuda_encoder *encoder, const xc_cuda_pictures *pictures,
                                const xc_cuda_files *files, void *scratch, void *stream);

/* Waits for a stream of the GPU (NULL: its own). */
XC_API xc_status xc_cuda_synchronize(xc_cuda *gpu, void *stream);

/* -------------------------------------------------- host to host, in a queue */

/* Encodes pictures of one shape from host memory to host memory with several of them in
 * flight, so that copies in both directions and kernels overlap. */
typedef struct xc_cuda_encode_queue xc_cuda_encode_queue;

/* slots: 1 to 64 pictures in flight; 3 suffice for one that keeps the bus busy.  The rest
 * as in xc_cuda_encoder_new(). */
XC_API xc_status xc_cuda_encode_queue_new(xc_cuda *gpu, const xc_picture *shape,
                                          const xc_metadata *metadata,
                                          const xc_encode_options *options, uint32_t slots,
                                          xc_cuda_encode_queue **queue);
/* Accepts NULL.  Waits for what is in flight. */
XC_API void xc_cuda_encode_queue_free(xc_cuda_encode_queue *queue);
/* Pinned memory for the next picture's pixels, to be filled before submit().
 * XC_ERR_ARGUMENT while all slots are in flight. */
XC_API xc_status xc_cuda_encode_queue_next(xc_cuda_encode_queue *queue, xc_picture *picture);
/* Starts encoding it. */
XC_API xc_status xc_cuda_encode_queue_submit(xc_cuda_encode_queue *queue);
/* Waits for the oldest picture in flight.  The file stays where it is until the next
 * submit().  XC_ERR_ARGUMENT when nothing is in flight. */
XC_API xc_status xc_cuda_encode_queue_collect(xc_cuda_encode_queue *queue, const void **file,
                                              size_t *size);

/* ----------------------------------------------------------- decoding */

/* A picture to be decoded. */
typedef struct xc_cuda_decode {
	const void *file; /* the whole file in host memory */
	size_t size;
	const void *device_file;   /* the same bytes in the GPU's memory, or NULL: they are
	                          * copied there.  If given, those of the DATA chunk's payload
	                          * are never read in host memory. */
	xc_picture picture;        /* its data in the GPU's memory; width, height, channels and depth
	                     * must be those of xc_read_info() */
	xc_status status;          /* output, of xc_cuda_decode_end() */
	uint64_t damaged_segments; /* likewise; see xc_decode_options */
} xc_cuda_decode;

typedef struct xc_cuda_decoding xc_cuda_decoding;

/* Device memory for a call, aligned to 256 bytes. */
typedef struct xc_cuda_scratch {
	void *data;
	size_t size; /* bytes */
} xc_cuda_scratch;

/* How many bytes of device memory decoding this list takes: for what the kernels keep, and
 * for files that have no device_file.  Reads headers and indices, not the pictures' data
 * and the outputs; files that cannot be decoded need nothing.  More blocks, and longer files
 * of as many, never take less. */
XC_API xc_status xc_cuda_decode_scratch(xc_cuda *gpu, const xc_cuda_decode *list, size_t count,
                                        const xc_decode_options *options, size_t *size);

/* Decodes `count` pictures of any sizes and kinds by one set of kernels.  This call only
 * puts the work on a stream (a cudaStream_t; NULL: the GPU's own) after reading the
 * files' headers and indices, and decompressing alpha; it waits for nothing on the GPU.
 * What is on the stream behind it finds the pixels of those pictures whose decoding will
 * turn out to be right.  The list, the files and the options' flags (NULL: the defaults)
 * must stay until xc_cuda_decode_end().  Several calls may be under way.
 *
 * scratch: NULL for memory from the GPU's pool, which allocates when it has none that fits,
 * or memory of the caller's that stays until xc_cuda_decode_end().  Calls that are under way
 * on one stream may have the same.  Less than xc_cuda_decode_scratch() says is
 * XC_ERR_ARGUMENT.  What the host copies to the device is in pinned memory from the pool.
 *
 * A file that cannot be decoded does not keep the others from it; the call fails only
 * when nothing could be put on the stream. */
XC_API xc_status xc_cuda_decode_begin(xc_cuda *gpu, xc_cuda_decode *list, size_t count,
                                      const xc_decode_options *options,
                                      const xc_cuda_scratch *scratch, void *stream,
                                      xc_cuda_decoding **decoding);

/* Waits for that work, sets the outputs of the list and frees everything.  Returns the
 * status of the first picture that failed, which the context's message is about. */
XC_API xc_status xc_cuda_decode_end(xc_cuda_decoding *decoding);

/* Decodes pictures whose data is in host memory: copies and kernels of several are under
 * way at the same time, in the order of the list.  Files and pictures that are in pinned
 * memory are copied straight from and to there.  Pictures without data are allocated
 * (in ordinary memory, freed by xc_picture_free()).  Returns as xc_cuda_decode_end(). */
XC_API xc_status xc_cuda_decode_host(xc_cuda *gpu, xc_cuda_decode *list, size_t count,
                                     const xc_decode_options *options);

#ifdef __cplusplus
}
#endif
#endif
