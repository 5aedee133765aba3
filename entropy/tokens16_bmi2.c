/* SPDX-License-Identifier: BSD-2-Clause */
#define BITS 16
#define COEF int16_t
#define TOKEN uint16_t
#define SUFFIX _bmi2
#include "entropy/tokens_template.h"
