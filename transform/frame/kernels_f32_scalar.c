/* SPDX-License-Identifier: BSD-2-Clause */
#include "transform/frame/kernels.h"

#define XC_REAL_BITS 32
#define XC_VECTOR_BYTES 0
#define XC_KERNEL_TABLE xc_frame_kernels_scalar_f32
#include "transform/frame/kernels_template.h"
