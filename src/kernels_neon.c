/* SPDX-License-Identifier: BSD-2-Clause */
#define XC_LANES 4
#define XC_KERNELS xc_kernels_neon
#include "src/kernels_template.h"
