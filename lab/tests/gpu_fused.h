/* SPDX-License-Identifier: BSD-2-Clause */
/* The GPU's fused transforms of whole frames, run here: blocks one after the other. */
#ifndef XC_LAB_TESTS_GPU_FUSED_H
#define XC_LAB_TESTS_GPU_FUSED_H

#include "lab/gpu/ops.h"

/* 0; -1: not of this size, where a block of threads has so many bytes of shared memory; or -2:
 * more threads than a block may have.  Without samples nothing more is done.  `last_first`
 * reverses the order of a block's threads. */
typedef int xc_lab_fused_function(const xc_lab_job *job, size_t shared_most, int last_first,
                                  const void *in, void *out);
xc_lab_fused_function xc_lab_fused_f32, xc_lab_fused_f64;

#endif
