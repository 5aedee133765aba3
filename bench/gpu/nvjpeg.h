/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of `xcodec bench gpu` that measure nvJPEG share. */
#ifndef XC_BENCH_GPU_NVJPEG_H
#define XC_BENCH_GPU_NVJPEG_H

#include "bench/gpu/gpu.h"
#include "bench/gpu/nvjpeg_library.h"

/* Batches are measured so many times at most: the slowest take a tenth of a second each. */
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

/* What nvJPEG encodes with: a state is for one picture at a time. */
typedef struct xc_bench_nvjpeg_encoder {
	void *state, *params, *stream;
	unsigned char *file; /* in device memory */
} xc_bench_nvjpeg_encoder;
xc_status xc_bench_nvjpeg_encoder_new(const xc_bench_nvjpeg *n, const xc_encode_options *o,
                                      xc_bench_nvjpeg_encoder *encoder, xc_gpu_error *e);
void xc_bench_nvjpeg_encoder_free(const xc_bench_nvjpeg *n, xc_bench_nvjpeg_encoder *encoder);
/* Frame i, on the encoder's stream; nvJPEG's status. */
int xc_bench_nvjpeg_encode(const xc_bench_nvjpeg *n, const xc_bench_nvjpeg_encoder *encoder,
                           uint32_t i, size_t *size);

/* Frame i of n->pixels. */
xc_nvjpeg_image xc_bench_nvjpeg_target(const xc_bench_nvjpeg *n, uint32_t i);

/* A failure of nvJPEG's as one of ours. */
xc_status xc_bench_nvjpeg_tell(int failed, const char *what, xc_gpu_error *e);

/* A batch, encoded or decoded by several threads with a state each, as many as are fastest.
 * What does not work is left out with a warning. */
void xc_bench_nvjpeg_threads(const xc_bench_nvjpeg *n, const xc_encode_options *o, int decode,
                             const char *coding);
/* A batch decoded by the GPU's JPEG engines; 1: it has some, and so it was measured. */
int xc_bench_nvjpeg_engines(const xc_bench_nvjpeg *n, const char *coding);

#endif
