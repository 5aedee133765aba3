/* SPDX-License-Identifier: BSD-2-Clause */
#define COEF int16_t
#define NAME xc_decode_blocks16_bmi2
#define MOST_SIZE 15
#include "entropy/segment_decode_template.h"
