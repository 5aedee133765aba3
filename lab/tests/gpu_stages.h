/* SPDX-License-Identifier: BSD-2-Clause */
/* The GPU's stages before and after a real FFT, run here with a DFT between them. */
#ifndef XC_LAB_TESTS_GPU_STAGES_H
#define XC_LAB_TESTS_GPU_STAGES_H

#include "lab/gpu/ops.h"

/* All axes at once, or (XC_GPU_FFT_ROWCOL) rows, then columns.  0 or -1. */
int xc_gpu_stages_f32(const xc_gpu_job *job, const float *in, float *out);
int xc_gpu_stages_f64(const xc_gpu_job *job, const double *in, double *out);

#endif
