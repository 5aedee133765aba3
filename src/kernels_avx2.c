/* SPDX-License-Identifier: BSD-2-Clause */
#define XC_LANES 8
#define XC_KERNELS xc_kernels_avx2
#include "src/kernels_template.h"
