/* SPDX-License-Identifier: BSD-2-Clause */
#define NAME xc_tokenize16_avx2
#include "entropy/tokenize_mask_template.h"
