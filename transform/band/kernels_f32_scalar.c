/* SPDX-License-Identifier: BSD-2-Clause */
#define XC_REAL_BITS 32
#define XC_VECTOR_BYTES 0
#define XC_BAND_TABLE xc_band_scalar_f32
#include "transform/band/kernels_template.h"
