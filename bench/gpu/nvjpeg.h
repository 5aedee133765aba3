/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * NVIDIA's nvJPEG as a peer: its functions, declared here as far as they are used
 * (https://docs.nvidia.com/cuda/nvjpeg/) and opened at run time, so that nothing depends on
 * them; and what codes one frame with them.
 */
#ifndef XC_BENCH_GPU_NVJPEG_H
#define XC_BENCH_GPU_NVJPEG_H

#include "bench/gpu/gpu.h"

enum {
	XC_NVJPEG_CSS_444 = 0,
	XC_NVJPEG_CSS_420 = 2,
	XC_NVJPEG_INTERLEAVED_RGB = 5, /* pixels, both ways */
	XC_NVJPEG_BACKEND_HARDWARE = 3,
	XC_NVJPEG_IMAGE_CHANNELS = 4
};

typedef struct xc_nvjpeg_image {
	unsigned char *channel[XC_NVJPEG_IMAGE_CHANNELS];
	size_t pitch[XC_NVJPEG_IMAGE_CHANNELS];
} xc_nvjpeg_image;

/* The functions.  Handles are pointers; enumerations and statuses are int. */
typedef struct xc_nvjpeg {
	int (*CreateSimple)(void **handle);
	int (*CreateEx)(int backend, void *device_allocator, void *pinned_allocator, unsigned flags,
	                void **handle);
	int (*Destroy)(void *handle);
	int (*GetHardwareDecoderInfo)(void *handle, unsigned *engines, unsigned *cores_each);
	int (*EncoderStateCreate)(void *handle, void **state, void *stream);
	int (*EncoderStateDestroy)(void *state);
	int (*EncoderParamsCreate)(void *handle, void **params, void *stream);
	int (*EncoderParamsDestroy)(void *params);
	int (*EncoderParamsSetQuality)(void *params, int quality, void *stream);
	int (*EncoderParamsSetOptimizedHuffman)(void *params, int optimized, void *stream);
	int (*EncoderParamsSetSamplingFactors)(void *params, int subsampling, void *stream);
	int (*EncodeImage)(void *handle, void *state, void *params, const xc_nvjpeg_image *source,
	                   int format, int width, int height, void *stream);
	int (*EncodeRetrieveBitstream)(void *handle, void *state, unsigned char *data, size_t *length,
	                               void *stream);
	int (*EncodeRetrieveBitstreamDevice)(void *handle, void *state, unsigned char *data,
	                                     size_t *length, void *stream);
	int (*JpegStateCreate)(void *handle, void **state);
	int (*JpegStateDestroy)(void *state);
	int (*Decode)(void *handle, void *state, const unsigned char *data, size_t length, int format,
	              xc_nvjpeg_image *destination, void *stream);
	int (*DecodeBatchedInitialize)(void *handle, void *state, int batch, int cpu_threads,
	                               int format);
	int (*DecodeBatched)(void *handle, void *state, const unsigned char *const *data,
	                     const size_t *lengths, xc_nvjpeg_image *destinations, void *stream);
} xc_nvjpeg;

/* Returns the library, or NULL if it is not installed. */
void *xc_nvjpeg_open(xc_nvjpeg *functions);
void xc_nvjpeg_close(void *library);

/* A batch is measured at most so many times: the slowest take a tenth of a second each. */
enum { XC_BENCH_NVJPEG_RUNS = 10 };

typedef struct xc_bench_nvjpeg {
	xc_bench_gpu *b;
	xc_nvjpeg f;
	void *handle;
	/* b->batch frames as files of one coding, in pinned memory, `room` bytes from one to
	 * the next; and room for as many frames on the device. */
	unsigned char *files, *pixels;
	size_t room, sizes[XC_BENCH_GPU_FRAMES];
} xc_bench_nvjpeg;

/* Frame i of n->pixels. */
xc_nvjpeg_image xc_bench_nvjpeg_target(const xc_bench_nvjpeg *n, uint32_t i);

/* A failure of nvJPEG's as one of ours. */
xc_status xc_bench_nvjpeg_tell(int failed, const char *what, xc_gpu_error *e);

/* The bytes that coding the first `count` frames must at least read and write. */
double xc_bench_nvjpeg_bytes(const xc_bench_nvjpeg *n, uint32_t count);

/* Encoder and decoder of one frame at a time, with a stream of their own. */
typedef struct xc_bench_nvjpeg_coder {
	const xc_bench_nvjpeg *n;
	void *stream, *state, *params;
	/* The decoder has a handle of its own: decoders that share one run out of memory. */
	void *handle, *decoder;
	unsigned char *file; /* in device memory */
} xc_bench_nvjpeg_coder;

/* The coder is to be freed after a failure, too. */
xc_status xc_bench_nvjpeg_coder_new(const xc_bench_nvjpeg *n, const xc_encode_options *o,
                                    xc_bench_nvjpeg_coder *coder, xc_gpu_error *e);
void xc_bench_nvjpeg_coder_free(xc_bench_nvjpeg_coder *coder);

/* Each codes frame i on the coder's stream and returns nvJPEG's status.  Files are encoded
 * to coder->file. */
typedef int xc_bench_nvjpeg_code(const xc_bench_nvjpeg_coder *coder, uint32_t i);
xc_bench_nvjpeg_code xc_bench_nvjpeg_encode, xc_bench_nvjpeg_decode;
/* Encodes frame i to n->files and n->sizes, from where it is decoded. */
int xc_bench_nvjpeg_make_file(xc_bench_nvjpeg *n, const xc_bench_nvjpeg_coder *coder, uint32_t i);

#endif
