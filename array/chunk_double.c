/* SPDX-License-Identifier: BSD-2-Clause */
/* Chunks of double values. */
#define XC_ARRAY_DOUBLE
#include "array/chunk.h"
