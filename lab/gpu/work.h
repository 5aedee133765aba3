/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kinds of transforms of the laboratory's module.  Each kind is a few functions;
 * plan.cu puts memory, copies and clocks around them.
 *
 * Every function here and in a kind that can fail returns 0, or -1 (or NULL) after it has
 * left one line of text in gpu->why.
 */
#ifndef XC_LAB_GPU_WORK_H
#define XC_LAB_GPU_WORK_H

#include <cuda_runtime.h>
#include <stddef.h>

#include "lab/gpu/ops.h"

/* At most this many pieces of memory of one plan: the arrays of a measurement. */
enum { XC_LAB_MEMORIES = 128 };

/* The GPU as a kind sees it. */
typedef struct xc_lab_gpu {
	cudaStream_t stream;
	char *why;    /* XC_DEVICE_MESSAGE bytes, of the caller */
	int only = 0; /* stage 1, 2 or 3 alone is to be enqueued, for a measurement; 0: all */
	int memories = 0;
	void *memory[XC_LAB_MEMORIES] = {}; /* on the device; freed after the kind's close() */
} xc_lab_gpu;

/* What set_up() returns for a size that the kind does not do. */
enum { XC_LAB_OTHER_SIZE = 1 };

typedef struct xc_lab_work {
	size_t bytes; /* of the kind's state, which is all zeros at first */
	/* Makes tables and scratch; done when it returns.  0, -1 or XC_LAB_OTHER_SIZE. */
	int (*set_up)(void *state, const xc_lab_job *job, xc_lab_gpu *gpu);
	/* Launches on gpu->stream and does not wait. */
	int (*enqueue)(void *state, const void *in, void *out, xc_lab_gpu *gpu);
	/* Frees, in any state, what is not memory of xc_lab_memory(); or NULL. */
	void (*close)(void *state) = NULL;
	/* Does the other sizes, or NULL. */
	const struct xc_lab_work *otherwise = NULL;
	int stages = 0; /* 1: enqueue() asks xc_lab_stage() */
} xc_lab_work;

/* Whole frames need cuFFT; without it the module has none. */
#ifdef XC_HAVE_CUFFT
#define XC_HAVE_FRAMES 1
#else
#define XC_HAVE_FRAMES 0
#endif

extern const xc_lab_work xc_lab_copy;
extern const xc_lab_work xc_lab_bands_f16, xc_lab_bands_f32, xc_lab_bands_f64, xc_lab_short;
extern const xc_lab_work xc_lab_dmm_f32, xc_lab_dmm_f64, xc_lab_dmm_cublas, xc_lab_fft;
extern const xc_lab_work xc_lab_rowcol_f32, xc_lab_rowcol_f64;
extern const xc_lab_work xc_lab_lines_f32, xc_lab_lines_f64;
extern const xc_lab_work xc_lab_fused_f32, xc_lab_fused_f64;
extern const xc_lab_work xc_lab_stages_f32, xc_lab_stages_f64;

/* Returns -1 and leaves the text. */
int xc_lab_refuse(xc_lab_gpu *gpu, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Returns 0 if result is cudaSuccess; else `what`, a verb, failed. */
int xc_lab_check(xc_lab_gpu *gpu, cudaError_t result, const char *what);
/* The same for the kernel just launched. */
int xc_lab_check_kernel(xc_lab_gpu *gpu);

/* Whether to enqueue a stage: 0 before an FFT, 1 the FFT, 2 after it. */
static inline int xc_lab_stage(const xc_lab_gpu *gpu, int stage)
{
	return !gpu->only || gpu->only == stage + 1;
}

/* Device memory, empty or a copy of the host's, which lives as long as the plan. */
void *xc_lab_memory(xc_lab_gpu *gpu, size_t size);
void *xc_lab_table(xc_lab_gpu *gpu, const void *data, size_t size);

/* An attribute of the current device, or -1. */
int xc_lab_attribute(xc_lab_gpu *gpu, cudaDeviceAttr which);

/* Lets a kernel use all shared memory of the device.  The limit belongs to the kernel, for all
 * threads of the process, so another plan could lower a limit that is just enough for this plan
 * before it launches. */
int xc_lab_allow_max(xc_lab_gpu *gpu, const void *kernel);

#endif
