/* SPDX-License-Identifier: BSD-2-Clause */
/* cpu-short, the DCT in 16-bit integers. */
#ifndef XC_LAB_CPU_BAND_SHORT_H
#define XC_LAB_CPU_BAND_SHORT_H

#include <stddef.h>
#include <stdint.h>

#include "lab/registry.h"

/* Transforms `blocks` blocks that lie side by side; strides are in samples. */
typedef void xc_short_function(const int16_t *in, ptrdiff_t in_stride, int16_t *out,
                               ptrdiff_t out_stride, size_t blocks, xc_direction direction);

/* Compiled for each SIMD level. */
xc_short_function xc_short_base, xc_short_avx2, xc_short_avx512;

/* short.c: of 16 bits. */
extern const xc_engine xc_short;

#endif
