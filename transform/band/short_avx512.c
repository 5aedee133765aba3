/* SPDX-License-Identifier: BSD-2-Clause */
#define XC_SHORT_TABLE xc_short_avx512
#include "transform/band/short_template.h"
