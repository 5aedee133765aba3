/* SPDX-License-Identifier: BSD-2-Clause */
#define XC_REAL_BITS 32
#include "tests/gpu_stages_template.h"
