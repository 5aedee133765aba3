/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tokens: the form of the coefficients of a segment between transform and coder.
 *
 * The tokens of a component are one list across all blocks, so that the coder has one loop and
 * mispredicts no end of a block. A token says what is coded:
 *   0 ... 1023     an AC coefficient from -32 to 31: (value + 32) * 16 + run, where run
 *                  is the number of zeros before it; value 0 with run 0 ends the block,
 *                  with run 15 it stands for 16 zeros
 *   1024 ... 1262  a DC difference from -119 to 119, plus 1143
 *   1263           a DC difference that the next token holds, as a signed number
 *   1264 ...       the other AC coefficients: (value + 47) * 16 + run if it is positive,
 *                  else (value + 32) * 16 + run, modulo 2^16 or 2^32
 * Tokens below 1263 index the coder's tables. Tokens of 16 bits serve 8-bit pictures, whose
 * coefficients stay within 2040: an orthonormal transform of support 16x16 multiplies samples of
 * +-127.5 by 16 at most. Tokens of 32 bits serve 16-bit pictures.
 */
#ifndef XC_ENTROPY_TOKEN_H
#define XC_ENTROPY_TOKEN_H

#include "entropy/value.h"

enum {
	XC_TOKENS_PER_BLOCK = 66, /* at most: two for the DC, 63 AC and an end */
	XC_TOKEN_SLACK = 64,      /* tokenizers write whole vectors */
	XC_TOKEN_BIAS = 32,
	XC_END_TOKEN = XC_TOKEN_BIAS * 16,        /* value 0, run 0 */
	XC_ZEROS_TOKEN = XC_TOKEN_BIAS * 16 + 15, /* value 0, run 15 */
	XC_DC_TOKENS = XC_TOKEN_BIAS * 32,        /* the first of them */
	XC_MAX_SMALL_DC = 119,
	XC_LARGE_DC_TOKEN = XC_DC_TOKENS + 2 * XC_MAX_SMALL_DC + 1,
	XC_SMALL_TOKENS = XC_LARGE_DC_TOKEN, /* tokens below this are in the tables */
	XC_LARGE_BIAS = 47,                  /* of AC above 31: they follow the DC tokens */
	/* The most bytes that a block can take in the bitstream: the DC and each of 63 AC take a code
	 * of 16 bits, 4 bits of escape and 28 of the value. */
	XC_CODED_BLOCK_BYTES = 64 * 6,
	XC_CODED_SLACK = 16 /* the coder stores whole words, also past the last byte */
};

/* The token of an AC coefficient, to be truncated to the width of tokens. */
static inline XC_DEVICE uint32_t xc_ac_token(int32_t value, unsigned run)
{
	const int32_t bias = value >= XC_TOKEN_BIAS ? XC_LARGE_BIAS : XC_TOKEN_BIAS;
	return (uint32_t)(value + bias) << 4 | run;
}

/* The token of a DC difference. After XC_LARGE_DC_TOKEN the difference itself must follow. */
static inline uint32_t xc_dc_token(int32_t dc)
{
	const uint32_t shifted = (uint32_t)(dc + XC_MAX_SMALL_DC);
	return __builtin_expect(shifted <= 2 * XC_MAX_SMALL_DC, 1) ? shifted + XC_DC_TOKENS
	                                                           : (uint32_t)XC_LARGE_DC_TOKEN;
}

/* The value and the symbol of a token below XC_SMALL_TOKENS. */
static inline XC_DEVICE int xc_small_value(int token)
{
	return token < XC_DC_TOKENS ? token / 16 - XC_TOKEN_BIAS
	                            : token - XC_DC_TOKENS - XC_MAX_SMALL_DC;
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
