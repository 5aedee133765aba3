/* SPDX-License-Identifier: BSD-2-Clause */
/* The meaning of the tokens below XC_SMALL_TOKENS; see entropy/tokens.h. */
#ifndef XC_ENTROPY_TOKEN_SMALL_H
#define XC_ENTROPY_TOKEN_SMALL_H

#include "entropy/tokens.h"
#include "entropy/value.h"

static inline XC_DEVICE int xc_small_value(int token)
{
	return token < XC_DC_TOKENS ? token / 16 - XC_TOKEN_BIAS
	                            : token - XC_DC_TOKENS - XC_MOST_SMALL_DC;
}

static inline XC_DEVICE unsigned xc_small_symbol(int token)
{
	const unsigned size = xc_value_size(xc_small_value(token));
	return token < XC_DC_TOKENS ? ((unsigned)token & 15) << 4 | size : size;
}

/* A symbol's code followed by a value's bits, as the coder's tables have them. */
static inline XC_DEVICE uint32_t xc_code_and_value(uint32_t code, unsigned length, int value)
{
	const unsigned size = xc_value_size(value);
	return (code << size | xc_value_bits(value, size)) << 6 | (length + size);
}

#endif
