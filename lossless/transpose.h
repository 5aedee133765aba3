/* SPDX-License-Identifier: BSD-2-Clause */
/* Sixteen rows of sixteen numbers of 16 bits, turned, for files that are compiled once a SIMD level. */
#ifndef XC_LOSSLESS_TRANSPOSE_H
#define XC_LOSSLESS_TRANSPOSE_H

#include "lossless/lanes.h"

typedef uint16_t xc_row16 __attribute__((vector_size(32)));

/* Within each half of the rows and each half of a row, which is cheap: interleaves rows i and i + 4. */
LANES_INLINE void interleave16(const xc_row16 in[16], xc_row16 out[16])
{
#pragma GCC unroll 8
	for (int i = 0; i < 8; i++) {
		const xc_row16 a = in[i / 4 * 8 + i % 4], b = in[i / 4 * 8 + i % 4 + 4];
		out[2 * i] = __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 8, 24, 9, 25, 10, 26,
		                                     11, 27);
		out[2 * i + 1] = __builtin_shufflevector(a, b, 4, 20, 5, 21, 6, 22, 7, 23, 12, 28, 13, 29,
		                                         14, 30, 15, 31);
	}
}

/* Turns 16 rows of 16 numbers into columns: quarters of 8 by 8, and then these. */
LANES_INLINE void transpose16(xc_row16 row[16])
{
	xc_row16 other[16], turned[16];

	interleave16(row, other);
	interleave16(other, turned);
	interleave16(turned, other);
#pragma GCC unroll 8
	for (int i = 0; i < 8; i++) {
		const xc_row16 a = other[i], b = other[i + 8];
		row[i] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22,
		                                 23);
		row[i + 8] = __builtin_shufflevector(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28,
		                                     29, 30, 31);
	}
}

#endif
