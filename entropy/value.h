/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes and value bits as in ITU-T T.81, F.1.2: a value of size s is sent as its lowest s bits,
 * less one when it is negative. And the prediction of DCs. */
#ifndef XC_ENTROPY_VALUE_H
#define XC_ENTROPY_VALUE_H

#include <stddef.h>
#include <stdint.h>

/* The largest sizes that AC coefficients may have, of pictures of 8 bits a sample and of deeper
 * ones; a difference of DC may be one larger. In sixteenths of a step they fit 16 and 32 bits. */
enum { XC_MAX_SIZE16 = 11, XC_MAX_SIZE32 = 24 };

/* 0 for 0, else the number of bits of |v|. */
static inline XC_DEVICE unsigned xc_value_size(int32_t v)
{
	const uint32_t m = (uint32_t)(v < 0 ? -v : v);
	return m ? 32 - (unsigned)__builtin_clz(m) : 0;
}

static inline XC_DEVICE uint32_t xc_value_bits(int32_t v, unsigned size)
{
	return (uint32_t)(v + (v >> 31)) & ((UINT32_C(1) << size) - 1);
}

static inline XC_DEVICE int32_t xc_value_from_bits(uint32_t bits, unsigned size)
{
	if (!size)
		return 0;
	return bits >> (size - 1) ? (int32_t)bits
	                          : (int32_t)bits - (int32_t)((UINT32_C(1) << size) - 1);
}

/* The prediction of a DC coefficient by its neighbours (doc/format.md, 5.8): the median of left,
 * upper and left + upper - upper left, which is LOCO-I's edge detector. In the first row it is the
 * left one alone, in the first column the upper one, for the first block 0. The sum wraps around
 * for values that no encoder makes. */
static inline XC_DEVICE int32_t xc_median_edge(int32_t left, int32_t up, int32_t corner)
{
	const int32_t low = left < up ? left : up, high = left < up ? up : left;
	const int32_t p = (int32_t)((uint32_t)left + (uint32_t)up - (uint32_t)corner);
	const int32_t min = p < low ? low : p;

	return min > high ? high : min;
}

/* Coefficient i of blocks of int16_t, or of int32_t if depth16 is set. */
static inline int32_t xc_coefficient(const void *blocks, size_t i, int depth16)
{
	return depth16 ? ((const int32_t *)blocks)[i] : ((const int16_t *)blocks)[i];
}

static inline void xc_set_coefficient(void *blocks, size_t i, int32_t value, int depth16)
{
	if (depth16)
		((int32_t *)blocks)[i] = value;
	else
		((int16_t *)blocks)[i] = (int16_t)value;
}

#endif
