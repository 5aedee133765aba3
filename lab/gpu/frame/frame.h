/* SPDX-License-Identifier: BSD-2-Clause */
/* What the transforms of whole frames share: cosine matrices, and cuFFT's plans. */
#ifndef XC_LAB_GPU_FRAME_FRAME_H
#define XC_LAB_GPU_FRAME_FRAME_H

#include <cufft.h>

#include "lab/gpu/work.h"

/* The DCT of a frame as two matrix products, L X R: the cosine matrices that both our own
 * kernel and cuBLAS multiply by. */
typedef struct xc_dmm {
	int rows, cols, wide;
	void *left, *right, *middle;
} xc_dmm;

/* Makes an xc_dmm. */
int xc_dmm_set_up(void *state, const xc_lab_job *job, xc_lab_gpu *gpu);

/* Axes of 1 are left out. */
int xc_cufft_make(cufftHandle *plan, int rank, const int *sizes, size_t batch, int wide, int back,
                  xc_lab_gpu *gpu);
int xc_cufft_run(cufftHandle plan, int wide, int back, void *in, void *out, xc_lab_gpu *gpu);

#endif
