/* SPDX-License-Identifier: BSD-2-Clause */
/* The kinds of transforms, each from a file of its own. */
#ifndef XC_LAB_GPU_WORKS_H
#define XC_LAB_GPU_WORKS_H

#include "lab/gpu/plan.h"

/* 1: there is cuFFT, and so the transforms of whole frames. */
#ifdef XC_HAVE_CUFFT
#define XC_HAVE_FRAMES 1
#else
#define XC_HAVE_FRAMES 0
#endif

extern const xc_gpu_work xc_gpu_copy;
extern const xc_gpu_work xc_gpu_bands_f32, xc_gpu_bands_f64, xc_gpu_short;
extern const xc_gpu_work xc_gpu_dmm_f32, xc_gpu_dmm_f64, xc_gpu_dmm_cublas;
extern const xc_gpu_work xc_gpu_rowcol_f32, xc_gpu_rowcol_f64;
extern const xc_gpu_work xc_gpu_fused_f32, xc_gpu_fused_f64;
extern const xc_gpu_work xc_gpu_stages_f32, xc_gpu_stages_f64;
extern const xc_gpu_work xc_gpu_real_fft;

#endif
