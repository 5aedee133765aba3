/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Includes the template that XC_EACH_REAL names, as `#include` wants it, once for each
 * precision: 32, 64 and 80 bits.  Has no guard: every template comes through here.
 */
#define XC_REAL_BITS 32
#include "lab/real.h"
#include XC_EACH_REAL
#undef XC_REAL_BITS
#define XC_REAL_BITS 64
#include "lab/real.h"
#include XC_EACH_REAL
#undef XC_REAL_BITS
#define XC_REAL_BITS 80
#include "lab/real.h"
#include XC_EACH_REAL
#undef XC_REAL_BITS
#undef XC_EACH_REAL
