/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The algorithms for NVIDIA GPUs, from the module xcodec-lab-cuda.so, which is opened when one
 * of them is asked for.  Sizes, edges and scaling are those of the processor's algorithms of
 * the same name (lab/cpu/algorithms.h).
 *
 * The quantized ones divide the coefficients by the table of the whitepaper (Obukhov and
 * Kharlamov 2008) and round them.  This costs no time, because the division is part of the
 * scaling that the transform ends with.  Their inverses multiply first.
 */
#ifndef XC_LAB_GPU_H
#define XC_LAB_GPU_H

#include "lab/registry.h"

/* For the registry; a NULL entry ends the list. */
extern const xc_algorithm *const xc_gpu_algorithms[];

/* For benchmarks, and not in the registry, because they are no DCT: a copy on the device, and
 * cuFFT's real FFT of all axes alone. */
extern const xc_algorithm *const xc_algorithm_gpu_copy, *const xc_algorithm_gpu_real_fft;

/* The table that the quantized ones divide by, row by row. */
extern const unsigned char xc_lab_quantizers[64];

/* The processor's algorithm of the same name, less what a GPU adds to it (-cublas, -stages,
 * -quantized); NULL if this build has none. */
const xc_algorithm *xc_lab_twin(const xc_algorithm *algorithm);

#endif
