/* SPDX-License-Identifier: BSD-2-Clause */
/* The GPU's fused transforms of whole frames, run here: blocks one after the other. */
#ifndef XC_LAB_TESTS_GPU_FUSED_H
#define XC_LAB_TESTS_GPU_FUSED_H

#include "lab/gpu/ops.h"

/* 0, or -1: not of this size, where a block of threads has so many bytes of shared memory; or
 * -2: more threads than a block may have.  Nothing more is found out without samples.
 * `last_first` turns round the order of a block's threads. */
int xc_gpu_fused_f32(const xc_gpu_job *job, size_t shared_most, int last_first, const float *in,
                     float *out);
int xc_gpu_fused_f64(const xc_gpu_job *job, size_t shared_most, int last_first, const double *in,
                     double *out);

#endif
