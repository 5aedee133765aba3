/* SPDX-License-Identifier: BSD-2-Clause */
/* The GPU's 8-band transforms, run here: warps one after the other. */
#ifndef XC_LAB_TESTS_GPU_BANDS_H
#define XC_LAB_TESTS_GPU_BANDS_H

#include "lab/gpu/ops.h"

/* 0, or -1: too large. */
typedef int xc_lab_bands_function(const xc_lab_job *job, const void *in, void *out);
xc_lab_bands_function xc_lab_bands_f32, xc_lab_bands_f64;
/* The lapped ones as devices from 9.0 on do them. */
xc_lab_bands_function xc_lab_lapped_f32, xc_lab_lapped_f64;

#endif
