/* SPDX-License-Identifier: BSD-2-Clause */
#define XC_LANES 16
#define XC_KERNELS xc_kernels_avx512
#include "src/kernels_template.h"
