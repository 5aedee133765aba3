/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Template: the 8x8 DCT in integers, the "short" kernel of Obukhov and Kharlamov
 * (NVIDIA 2008): the even/odd decomposition of dct8_evenodd.h with the floating
 * point taken out.  16-bit samples and coefficients, 32-bit sums, constants of 13
 * bits, two more bits of fraction between the passes, rounding to the nearest after
 * each pass.  8x8: 352 multiplications, 448 additions, and a rounding (an addition
 * and a shift) for each value and pass, 128.
 *
 * Samples of -4096 ... 4095 have coefficients of 16 bits.  Whatever is put in, no
 * sum overflows: 32768 sqrt(8) 2^13 < 2^31 in the first pass, and what it leaves
 * is held to LIMIT, LIMIT sqrt(8) 2^13 < 2^31.  Against the definition, results are
 * less than 1 off for samples of 9 bits, 2 for 11 bits and 8 for 13.
 *
 * A stub defines XC_SHORT_TABLE.  The loops over x are for the compiler to make
 * vectors of.
 */
#include "transform/band/short.h"

#define XC_V int32_t
#define XC_REAL int32_t
/* Even, so that the halves which the kernel takes are rounded as well. */
#define XC_K(c) (2 * (int32_t)((c##L) * 4096 + 0.5L))
#include "transform/dct8_evenodd.h"

enum { BITS = 13, FRACTION = 2, LIMIT = 90000 };

static inline int32_t held(int32_t value, int32_t low, int32_t high)
{
	return value < low ? low : value > high ? high : value;
}

#define XC_SHORT_PASS(name, kernel) \
	static inline void name(int32_t v[8][8], int shift, int32_t low, int32_t high) \
	{ \
		for (int x = 0; x < 8; x++) { \
			int32_t c[8]; \
			for (int y = 0; y < 8; y++) \
				c[y] = v[y][x]; \
			kernel(c); \
			for (int y = 0; y < 8; y++) \
				v[y][x] = held((c[y] + (1 << (shift - 1))) >> shift, low, high); \
		} \
	}
XC_SHORT_PASS(forward_pass, xc_dct8_evenodd_forward)
XC_SHORT_PASS(inverse_pass, xc_dct8_evenodd_inverse)

static inline void transpose(int32_t v[8][8])
{
	for (int y = 0; y < 8; y++) {
		for (int x = y + 1; x < 8; x++) {
			const int32_t t = v[y][x];
			v[y][x] = v[x][y];
			v[x][y] = t;
		}
	}
}

#define XC_SHORT_RUN(name, pass) \
	static void name(const int16_t *in, ptrdiff_t in_stride, int16_t *out, \
	                 ptrdiff_t out_stride, size_t blocks) \
	{ \
		for (; blocks > 0; blocks--, in += 8, out += 8) { \
			int32_t v[8][8]; \
			for (int y = 0; y < 8; y++) \
				for (int x = 0; x < 8; x++) \
					v[y][x] = in[y * in_stride + x]; \
			pass(v, BITS - FRACTION, -LIMIT, LIMIT); \
			transpose(v); \
			pass(v, BITS + FRACTION, INT16_MIN, INT16_MAX); \
			transpose(v); \
			for (int y = 0; y < 8; y++) \
				for (int x = 0; x < 8; x++) \
					out[y * out_stride + x] = (int16_t)v[y][x]; \
		} \
	}
XC_SHORT_RUN(forward, forward_pass)
XC_SHORT_RUN(inverse, inverse_pass)

const xc_short_function XC_SHORT_TABLE[2] = { forward, inverse };
