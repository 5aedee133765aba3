/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The inner loops of the whole-frame transforms: everything around the FFT.
 * They are compiled once a SIMD level from kernels_template.h and know nothing
 * of FFTW, threads or plans.
 *
 * Complex arrays are pairs of samples, real part first.  No alignment is needed
 * but where `stream` is set: then data and rows are aligned to 64 bytes and n
 * is a multiple of a cache line.
 */
#ifndef XC_LAB_CPU_FRAME_KERNELS_H
#define XC_LAB_CPU_FRAME_KERNELS_H

#include <stddef.h>

#define XC_EACH_REAL "lab/cpu/frame/kernel_table.h"
#include "lab/each_real.h"

#endif
