/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes and value bits as in ITU-T T.81, F.1.2: a value of size s is sent as its
 * lowest s bits, less one when it is negative. */
#ifndef XC_ENTROPY_VALUE_H
#define XC_ENTROPY_VALUE_H

#include <stdint.h>

#ifndef XC_DEVICE
#define XC_DEVICE
#endif

/* The largest sizes that AC coefficients may have, of pictures of 8 bits a sample and of deeper
 * ones; a difference of DC may be one larger.  In sixteenths of a step they fit 16 and 32
 * bits. */
enum { XC_MOST_SIZE16 = 11, XC_MOST_SIZE32 = 24 };

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

#endif
