/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What code for one CUDA thread is written with, so that the C++ compiler of the host
 * takes it too and tests can run it there.  Include before the headers of arithmetic
 * that GPU and CPU share (transform/dct8.h, src/colour.h, entropy/value.h).
 */
#ifndef XC_GPU_DEVICE_H
#define XC_GPU_DEVICE_H

#include <stdint.h>

#ifdef __CUDACC__
#define XC_DEVICE __host__ __device__
#else
#define XC_DEVICE
#endif

#define XC_GPU_INLINE static inline __attribute__((always_inline, unused)) XC_DEVICE

#define XC_V float

#ifdef __CUDA_ARCH__
#define XC_UNROLL _Pragma("unroll")
#define XC_UNROLL_4 _Pragma("unroll 4")
#else
#define XC_UNROLL
#define XC_UNROLL_4
#endif

#endif
