/* SPDX-License-Identifier: BSD-2-Clause */
/* Making one token; see entropy/tokens.h. */
#ifndef XC_ENTROPY_TOKEN_MAKE_H
#define XC_ENTROPY_TOKEN_MAKE_H

#include "entropy/tokens.h"

#ifndef XC_DEVICE
#define XC_DEVICE
#endif

/* The token of an AC coefficient, of whose bits only those of the token's width count. */
static inline XC_DEVICE uint32_t xc_ac_token(int32_t value, unsigned run)
{
	const int32_t bias = value >= XC_TOKEN_BIAS ? XC_LARGE_BIAS : XC_TOKEN_BIAS;
	return (uint32_t)(value + bias) << 4 | run;
}

/* The token of a DC difference.  XC_LARGE_DC_TOKEN: another one must follow, which holds the
 * difference itself. */
static inline uint32_t xc_dc_token(int32_t dc)
{
	const uint32_t shifted = (uint32_t)(dc + XC_MOST_SMALL_DC);
	return __builtin_expect(shifted <= 2 * XC_MOST_SMALL_DC, 1) ? shifted + XC_DC_TOKENS
	                                                            : XC_LARGE_DC_TOKEN;
}

#endif
