/* SPDX-License-Identifier: BSD-2-Clause */
#define XC_REAL_BITS 64
#define XC_VECTOR_BYTES 16
#define XC_BAND_TABLE xc_band_base_f64
#include "transform/band/kernels_template.h"
