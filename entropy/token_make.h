/* SPDX-License-Identifier: BSD-2-Clause */
/* Making one token; see entropy/tokens.h. */
#ifndef XC_ENTROPY_TOKEN_MAKE_H
#define XC_ENTROPY_TOKEN_MAKE_H

#include "entropy/tokens.h"

#ifndef XC_DEVICE
#define XC_DEVICE
#endif

/* To be cut to the token's width. */
static inline XC_DEVICE uint32_t xc_ac_token(int32_t value, unsigned run)
{
	const int32_t bias = value >= XC_TOKEN_BIAS ? XC_LARGE_BIAS : XC_TOKEN_BIAS;
	return (uint32_t)(value + bias) << 4 | run;
}

static inline uint16_t *xc_put_dc16(uint16_t *t, int32_t dc)
{
	if (__builtin_expect((uint32_t)(dc + XC_MOST_SMALL_DC) <= 2 * XC_MOST_SMALL_DC, 1)) {
		*t++ = (uint16_t)(dc + XC_MOST_SMALL_DC + XC_DC_TOKENS);
	} else {
		*t++ = XC_LARGE_DC_TOKEN;
		*t++ = (uint16_t)dc;
	}
	return t;
}

static inline uint32_t *xc_put_dc32(uint32_t *t, int32_t dc)
{
	if (__builtin_expect((uint32_t)(dc + XC_MOST_SMALL_DC) <= 2 * XC_MOST_SMALL_DC, 1)) {
		*t++ = (uint32_t)(dc + XC_MOST_SMALL_DC + XC_DC_TOKENS);
	} else {
		*t++ = XC_LARGE_DC_TOKEN;
		*t++ = (uint32_t)dc;
	}
	return t;
}

#endif
