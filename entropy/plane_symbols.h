/* SPDX-License-Identifier: BSD-2-Clause */
/* The symbols that coder and decoder of planes share. The makefile compiles both once for any
 * processor and once for those with BMI2, and then sets
 *   XC_SUFFIX  what the names of that copy end with */
#ifndef XC_ENTROPY_PLANE_SYMBOLS_H
#define XC_ENTROPY_PLANE_SYMBOLS_H

#include "entropy/plane.h"

#ifdef XC_SUFFIX
#define XC_PLANE_PASTE(name, suffix) name##suffix
#define XC_PLANE_EXPAND(name, suffix) XC_PLANE_PASTE(name, suffix)
#define XC_PLANE_NAME(name) XC_PLANE_EXPAND(name, XC_SUFFIX)
#else
#define XC_PLANE_NAME(name) name
#endif

/* Bits that follow a symbol. */
static inline unsigned raw_bits(uint32_t symbol)
{
	if (symbol >= XC_PLANE_RUNS)
		return symbol == XC_PLANE_ESCAPE ? 8 : 0;
	return symbol < 4 ? 0 : symbol / 2 - 1;
}

/* The shortest run of a class. */
static inline uint32_t class_run(uint32_t symbol)
{
	return symbol < 4 ? symbol + 1 : ((2 + symbol % 2) << raw_bits(symbol)) + 1;
}

#endif
