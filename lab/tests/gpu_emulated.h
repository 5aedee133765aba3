/* SPDX-License-Identifier: BSD-2-Clause */
/* The code of the module, run on this processor: compiled for float and for double. */
#ifndef XC_LAB_TESTS_GPU_EMULATED_H
#define XC_LAB_TESTS_GPU_EMULATED_H

#include "lab/gpu/ops.h"

/* The GPU's 8-band transforms, run here: warps one after the other. */

/* `accelerator`: the lapped ones as devices from 9.0 on do them.  0, or -1: too large. */
typedef int xc_lab_bands_function(const xc_lab_job *job, int accelerator, const void *in,
                                  void *out);
xc_lab_bands_function xc_lab_bands_f16, xc_lab_bands_f32, xc_lab_bands_f64;

/* The GPU's fused transforms of whole frames, run here: blocks one after the other. */

/* 0; -1: not of this size, where a block of threads has shared_max bytes of shared memory; or -2:
 * more threads than a block may have.  Without samples nothing more is done.  `last_first`
 * reverses the order of a block's threads. */
typedef int xc_lab_fused_function(const xc_lab_job *job, size_t shared_max, int last_first,
                                  const void *in, void *out);
xc_lab_fused_function xc_lab_fused_f32, xc_lab_fused_f64;

/* The GPU's stages before and after a real FFT, run here with a DFT between them. */

/* All axes at once, or (XC_LAB_FFT_ROWCOL) rows, then columns; axis by axis.  0 or -1. */
typedef int xc_lab_stages_function(const xc_lab_job *job, const void *in, void *out);
xc_lab_stages_function xc_lab_stages_f32, xc_lab_stages_f64, xc_lab_lines_f32, xc_lab_lines_f64;

#endif
