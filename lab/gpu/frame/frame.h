/* SPDX-License-Identifier: BSD-2-Clause */
/* What the transforms of whole frames share: cosine matrices, and cuFFT's plans. */
#ifndef XC_LAB_GPU_FRAME_FRAME_H
#define XC_LAB_GPU_FRAME_FRAME_H

#include <cufft.h>

#include "lab/gpu/work.h"

/* The DCT of a frame as two matrix products, L X R: the cosine matrices that both our own
 * kernels and cuBLAS multiply by.  The first product alone has no `right`. */
typedef struct xc_dmm {
	int rows, cols, wide, plain;
	void *left, *right, *middle;
} xc_dmm;

/* Makes an xc_dmm. */
int xc_dmm_set_up(void *state, const xc_lab_job *job, xc_lab_gpu *gpu);

/* An FFT: real (back: complex to real), or of complex numbers. */
typedef struct xc_cufft {
	int wide, back, complex; /* set before xc_cufft_make() */
	int made;
	cufftHandle plan;
} xc_cufft;

/* Axes of 1 are left out.  step: from one element to the next of the same FFT, of 1 axis then; 1: dense. */
int xc_cufft_make(xc_cufft *fft, int rank, const int *sizes, size_t batch, size_t step,
                  xc_lab_gpu *gpu);
int xc_cufft_run(const xc_cufft *fft, void *in, void *out, xc_lab_gpu *gpu);
void xc_cufft_close(xc_cufft *fft); /* accepts what was not made */

#endif
