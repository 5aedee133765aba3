/* SPDX-License-Identifier: BSD-2-Clause */
/* The cost of a code by the entropy of its symbols, in 65536ths of a bit, including the stored
 * code. entropy/code_set.c and the GPU's encoder join contexts by it. */
#ifndef XC_ENTROPY_CODE_COST_H
#define XC_ENTROPY_CODE_COST_H

#include <stdint.h>

enum { XC_COST_BIT = 65536, XC_COST_STORED_BITS = 3 /* of a stored length, about */ };

/* About 65536 log2 x, of x > 0: exact at powers of two, and 30 off at most between them. Counts
 * multiply the error, so 8 bits of fraction are not enough to tell contexts that are alike. */
static inline XC_DEVICE int64_t xc_log2_65536(uint64_t x)
{
	const int whole = 63 - __builtin_clzll(x);
	const int64_t m = (int64_t)((whole >= 16 ? x >> (whole - 16) : x << (16 - whole)) &
	                            (XC_COST_BIT - 1));
	/* log2(1 + m) is m + m (1 - m) g(m), with a parabola for g. */
	const int64_t g = 29013 + (((m * 5466 >> 16) - 16214) * m >> 16);

	return whole * XC_COST_BIT + m + ((m * (XC_COST_BIT - m) >> 16) * g >> 16);
}

/* The share of a symbol that occurs `count` times. */
static inline XC_DEVICE int64_t xc_code_cost_of_symbol(uint64_t count)
{
	return count ? XC_COST_STORED_BITS * XC_COST_BIT - (int64_t)count * xc_log2_65536(count) : 0;
}

/* The cost of a code with this sum of shares and this total of counts. */
static inline XC_DEVICE int64_t xc_code_cost(int64_t shares, uint64_t total)
{
	return total ? shares + (int64_t)total * xc_log2_65536(total) : 0;
}

#endif
