/* SPDX-License-Identifier: BSD-2-Clause */
/* cuFFT's plans of real FFTs. */
#ifndef XC_LAB_GPU_FRAME_CUFFT_H
#define XC_LAB_GPU_FRAME_CUFFT_H

#include <cufft.h>

#include "lab/gpu/work.h"

/* Axes of 1 are left out. */
int xc_cufft_make(cufftHandle *plan, int rank, const int *sizes, size_t batch, int wide, int back,
                  xc_lab_gpu *gpu);
int xc_cufft_run(cufftHandle plan, int wide, int back, void *in, void *out, xc_lab_gpu *gpu);

#endif
