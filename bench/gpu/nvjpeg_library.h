/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * NVIDIA's nvJPEG, declared here as far as it is used (https://docs.nvidia.com/cuda/nvjpeg/)
 * and opened at run time, so that nothing depends on it.
 */
#ifndef XC_BENCH_GPU_NVJPEG_LIBRARY_H
#define XC_BENCH_GPU_NVJPEG_LIBRARY_H

#include <stddef.h>

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

/* The functions; handles are pointers, enumerations and statuses int. */
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

/* The library, or NULL where it is not to be had. */
void *xc_nvjpeg_open(xc_nvjpeg *functions);
void xc_nvjpeg_close(void *library);

#endif
