/* SPDX-License-Identifier: BSD-2-Clause */
/* The prediction of a DC coefficient by its neighbours (doc/format.md, 5.8): the median of
 * left, upper and left + upper - upper left, which is LOCO-I's edge detector.  In the first
 * row it is the left one alone, in the first column the upper one, for the first block 0. */
#ifndef XC_ENTROPY_PREDICT_H
#define XC_ENTROPY_PREDICT_H

#include <stdint.h>

#ifndef XC_DEVICE
#define XC_DEVICE
#endif

/* The median for the DC of the blocks to the left, above, and above the left one.  The sum
 * wraps around for values that no encoder makes. */
static inline XC_DEVICE int32_t xc_median_edge(int32_t left, int32_t up, int32_t corner)
{
	const int32_t low = left < up ? left : up, high = left < up ? up : left;
	const int32_t p = (int32_t)((uint32_t)left + (uint32_t)up - (uint32_t)corner);
	const int32_t least = p < low ? low : p;
	return least > high ? high : least;
}

#endif
