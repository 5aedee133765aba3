/* SPDX-License-Identifier: BSD-2-Clause */
/* The 16-bit DCT of `blocks` blocks side by side; strides in samples. */
#ifndef XC_LAB_CPU_BAND_SHORT_H
#define XC_LAB_CPU_BAND_SHORT_H

#include <stddef.h>
#include <stdint.h>

typedef void (*xc_short_function)(const int16_t *in, ptrdiff_t in_stride, int16_t *out,
                                  ptrdiff_t out_stride, size_t blocks);

/* [XC_FORWARD] and [XC_INVERSE], compiled for each SIMD level. */
extern const xc_short_function xc_short_base[2], xc_short_avx2[2], xc_short_avx512[2];

#endif
