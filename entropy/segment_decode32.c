/* SPDX-License-Identifier: BSD-2-Clause */
#define COEF int32_t
#define NAME xc_decode_blocks32
#define MOST_SIZE 28
#include "entropy/segment_decode_template.h"
