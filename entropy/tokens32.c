/* SPDX-License-Identifier: BSD-2-Clause */
#define BITS 32
#define COEF int32_t
#define TOKEN uint32_t
#include "entropy/tokens_template.h"
