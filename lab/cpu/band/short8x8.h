/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The 8x8 DCT in integers, the "short" kernel of Obukhov and Kharlamov (NVIDIA 2008): the even/odd
 * decomposition of dct8.h without floating point.  It has 16-bit samples and coefficients,
 * 32-bit sums, constants of 13 bits, two more bits of fraction between the passes, rounding to the
 * nearest after each pass.  8x8: 352 multiplications, 448 additions, and a rounding (an addition
 * and a shift) for each value and pass, 128.
 *
 * Samples of -4096 ... 4095 have coefficients of 16 bits.  No sum overflows, whatever the input:
 * 32768 sqrt(8) 2^13 < 2^31 in the first pass; its results are held to LIMIT, and LIMIT sqrt(8)
 * 2^13 < 2^31.  Results differ from the definition by less than 1 for samples of 9 bits, 2 for 11
 * bits and 8 for 13.
 *
 * For C, where the compiler makes vectors of the loops over x, and for CUDA.
 */
#ifndef XC_LAB_CPU_BAND_SHORT8X8_H
#define XC_LAB_CPU_BAND_SHORT8X8_H

#include <stdint.h>

#define XC_V int32_t
#define XC_REAL int32_t
/* Even, so that the halves which the kernel takes are rounded as well. */
#ifdef __CUDACC__
#define XC_K(c) (2 * (int32_t)((c)*4096 + 0.5))
#else
#define XC_K(c) (2 * (int32_t)((c##L) * 4096 + 0.5L))
#endif
#include "lab/kernels/dct8.h"

enum { XC_SHORT_BITS = 13, XC_SHORT_FRACTION = 2, XC_SHORT_LIMIT = 90000 };

XC_KERNEL int32_t xc_short_held(int32_t value, int32_t low, int32_t high)
{
	return value < low ? low : value > high ? high : value;
}

XC_KERNEL void xc_short_pass(int32_t v[8][8], const int back, int shift, int32_t low, int32_t high)
{
	for (int x = 0; x < 8; x++) {
		int32_t c[8];
		for (int y = 0; y < 8; y++)
			c[y] = v[y][x];
		if (back)
			xc_dct8_evenodd_inverse(c);
		else
			xc_dct8_evenodd_forward(c);
		for (int y = 0; y < 8; y++)
			v[y][x] = xc_short_held((c[y] + (1 << (shift - 1))) >> shift, low, high);
	}
}

XC_KERNEL void xc_short_transpose(int32_t v[8][8])
{
	for (int y = 0; y < 8; y++)
		for (int x = y + 1; x < 8; x++) {
			const int32_t t = v[y][x];
			v[y][x] = v[x][y];
			v[x][y] = t;
		}
}

/* `back` is a constant. */
XC_KERNEL void xc_short8x8(int32_t v[8][8], const int back)
{
	xc_short_pass(v, back, XC_SHORT_BITS - XC_SHORT_FRACTION, -XC_SHORT_LIMIT, XC_SHORT_LIMIT);
	xc_short_transpose(v);
	xc_short_pass(v, back, XC_SHORT_BITS + XC_SHORT_FRACTION, INT16_MIN, INT16_MAX);
	xc_short_transpose(v);
}

#endif
