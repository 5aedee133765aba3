/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of one width of coefficients, for files that the makefile compiles once per width. It sets
 * XC_BITS, 16 or 32, and XC_SUFFIX for a copy for other processors, which has only the functions
 * that become faster. */
#ifndef XC_ENTROPY_WIDTH_H
#define XC_ENTROPY_WIDTH_H

#include "entropy/value.h"

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
#ifdef XC_SUFFIX
#define NAME(stem) PASTE(PASTE(stem, XC_BITS), XC_SUFFIX)
#else
#define NAME(stem) PASTE(stem, XC_BITS)
#endif
#define MAX_SIZE PASTE(XC_MAX_SIZE, XC_BITS)
#define COEF PASTE(PASTE(int, XC_BITS), _t)
#define TOKEN PASTE(PASTE(uint, XC_BITS), _t)

#endif
