/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The algorithms for NVIDIA GPUs, from the module xcodec-lab-cuda.so, which is opened when
 * one of them is asked for.
 * Sizes, edges and scaling are those of the algorithms of the same name for the
 * processor (block.h, lapped.h, frame.h).
 *
 * The quantized ones divide the coefficients by the table of the whitepaper (Obukhov and
 * Kharlamov 2008) and round them, at no cost: the division is part of the scaling that
 * the transform ends with.  Their inverses multiply first.
 */
#ifndef XC_LAB_GPU_H
#define XC_LAB_GPU_H

#include "lab/registry.h"

extern const xc_algorithm xc_algorithm_gpu_definition;
extern const xc_algorithm xc_algorithm_gpu_separable;
extern const xc_algorithm xc_algorithm_gpu_short;
extern const xc_algorithm xc_algorithm_gpu_short_quantized;
extern const xc_algorithm xc_algorithm_gpu_aan;
extern const xc_algorithm xc_algorithm_gpu_aan_quantized;
extern const xc_algorithm xc_algorithm_gpu_flmad;
extern const xc_algorithm xc_algorithm_gpu_flot;
extern const xc_algorithm xc_algorithm_gpu_flot_symmetric;
extern const xc_algorithm xc_algorithm_gpu_tdlt;
extern const xc_algorithm xc_algorithm_gpu_genlot;

extern const xc_algorithm xc_algorithm_gpu_dmm;
extern const xc_algorithm xc_algorithm_gpu_dmm_cublas;
extern const xc_algorithm xc_algorithm_gpu_fft_n;
extern const xc_algorithm xc_algorithm_gpu_fft2d;
extern const xc_algorithm xc_algorithm_gpu_fft2d_stages;
extern const xc_algorithm xc_algorithm_gpu_fft3d;
extern const xc_algorithm xc_algorithm_gpu_idct_idxst;
extern const xc_algorithm xc_algorithm_gpu_idxst_idct;

/* Not in the registry, for they are no DCT: a copy on the device, and cuFFT's real FFT
 * of two axes alone.  For benchmarks. */
extern const xc_algorithm xc_algorithm_gpu_copy;
extern const xc_algorithm xc_algorithm_gpu_real_fft;

/* The table that the quantized ones divide by, row by row. */
extern const unsigned char xc_lab_quantizers[64];

#endif
