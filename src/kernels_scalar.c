/* SPDX-License-Identifier: BSD-2-Clause */
#define XC_LANES 1
#define XC_KERNELS xc_kernels_scalar
#include "src/kernels_template.h"
