/* SPDX-License-Identifier: BSD-2-Clause */
/* The GPU's 8-band transforms, run here: warps one after the other. */
#ifndef XC_LAB_TESTS_GPU_BANDS_H
#define XC_LAB_TESTS_GPU_BANDS_H

#include <stdint.h>

#include "lab/gpu/ops.h"

/* 0, or -1: too large. */
int xc_gpu_bands_f32(const xc_gpu_job *job, const float *in, float *out);
int xc_gpu_bands_f64(const xc_gpu_job *job, const double *in, double *out);
/* The lapped ones, in another way. */
int xc_gpu_lapped_bulk_f32(const xc_gpu_job *job, const float *in, float *out);
int xc_gpu_lapped_bulk_f64(const xc_gpu_job *job, const double *in, double *out);

/* The 16-bit DCT; `quick`: as the GPU does it, else as it does blocks of large values.  What the
 * values of the others are up to, or -1: too many. */
int xc_gpu_short_blocks(const xc_gpu_job *job, const int16_t *in, int16_t *out, int quick);

#endif
