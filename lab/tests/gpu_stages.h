/* SPDX-License-Identifier: BSD-2-Clause */
/* The GPU's stages before and after a real FFT, run here with a DFT between them. */
#ifndef XC_LAB_TESTS_GPU_STAGES_H
#define XC_LAB_TESTS_GPU_STAGES_H

#include "lab/gpu/ops.h"

/* All axes at once, or (XC_LAB_FFT_ROWCOL) rows, then columns.  0 or -1. */
typedef int xc_lab_stages_function(const xc_lab_job *job, const void *in, void *out);
xc_lab_stages_function xc_lab_stages_f32, xc_lab_stages_f64;

#endif
