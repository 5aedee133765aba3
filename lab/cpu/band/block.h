/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Blockwise 8x8 DCTs, each block alone.
 *
 * Arrays of any size: the forward transform repeats the last row and column up to
 * whole blocks, so its output is rounded up to multiples of 8, and the inverse
 * drops what was added.  A caller pads nothing.  All are orthonormal.
 */
#ifndef XC_LAB_CPU_BAND_BLOCK_H
#define XC_LAB_CPU_BAND_BLOCK_H

#include "lab/registry.h"

extern const xc_algorithm xc_algorithm_cpu_naive;
extern const xc_algorithm xc_algorithm_cpu_definition;
extern const xc_algorithm xc_algorithm_cpu_separable;
extern const xc_algorithm xc_algorithm_cpu_short;
extern const xc_algorithm xc_algorithm_cpu_aan;
extern const xc_algorithm xc_algorithm_cpu_flmad;
extern const xc_algorithm xc_algorithm_cpu_feig2d;

/* These need OpenMP. */
extern const xc_algorithm xc_algorithm_cpu_aan_openmp;
extern const xc_algorithm xc_algorithm_cpu_flmad_openmp;

/* These need FFTW. */
extern const xc_algorithm xc_algorithm_cpu_fftw_simple;
extern const xc_algorithm xc_algorithm_cpu_fftw_advanced;

#endif
