/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The 16-bit DCT of a block whose values are small enough that nothing has to be held to
 * its bounds: the integers of short8x8.h, in fewer instructions.
 *
 *  - The first butterflies take two columns at a time, 16 bits each.
 *  - The constants that round are what sums begin with.
 *  - The constants of the second pass are doubled, so that results are the upper halves of
 *    words, and one instruction packs two of them.
 *
 * With values of up to LIMIT a sum of 8 fits in 16 bits, a result (8 and 6.97 times as large
 * at most, forward and inverse) too, and what is between the passes (2.83 times, with two
 * more bits) stays below XC_SHORT_LIMIT.  Sums may wrap round on the way; results do not.
 * The quantized inverse's values are products and seldom that small: it holds them, and
 * does without the third of these.
 */
#ifndef XC_GPU_SHORT_FAST_H
#define XC_GPU_SHORT_FAST_H

#include "transform/band/short8x8.h"

enum { XC_SHORT_FAST_LIMIT = 4000 };

/* Two numbers of 16 bits: the lower half is the left one. */
typedef uint32_t xc_short_pair;

XC_KERNEL int32_t xc_short_left(xc_short_pair a)
{
	return (int16_t)(a & 0xffff);
}

XC_KERNEL int32_t xc_short_right(xc_short_pair a)
{
	return (int32_t)a >> 16;
}

#ifdef __CUDACC__
#define XC_SHORT_ADD(a, b) __vadd2(a, b)
#define XC_SHORT_LESS(a, b) __vsub2(a, b)
/* The upper, or the lower, halves of two words. */
#define XC_SHORT_UPPER(left, right) __byte_perm(left, right, 0x7632)
#define XC_SHORT_LOWER(left, right) __byte_perm(left, right, 0x5410)
/* Two numbers, held to 16 bits. */
XC_KERNEL xc_short_pair xc_short_hold(int32_t left, int32_t right)
{
	xc_short_pair word;
	asm("cvt.pack.sat.s16.s32 %0, %1, %2;" : "=r"(word) : "r"(right), "r"(left));
	return word;
}
#define XC_SHORT_HOLD(left, right) xc_short_hold(left, right)
#else
XC_KERNEL xc_short_pair xc_short_make(int32_t left, int32_t right)
{
	return (uint32_t)(left & 0xffff) | (uint32_t)right << 16;
}

#define XC_SHORT_ADD(a, b) \
	xc_short_make(xc_short_left(a) + xc_short_left(b), xc_short_right(a) + xc_short_right(b))
#define XC_SHORT_LESS(a, b) \
	xc_short_make(xc_short_left(a) - xc_short_left(b), xc_short_right(a) - xc_short_right(b))
#define XC_SHORT_UPPER(left, right) ((left) >> 16 | ((right) & 0xffff0000u))
#define XC_SHORT_LOWER(left, right) (((left) & 0xffff) | (right) << 16)
#define XC_SHORT_HOLD(left, right) \
	xc_short_make(xc_short_held(left, INT16_MIN, INT16_MAX), \
	              xc_short_held(right, INT16_MIN, INT16_MAX))
#endif

/* Whether all of a block's values are within the limit. */
XC_KERNEL int xc_short_small(const xc_short_pair w[8][4])
{
#ifdef __CUDACC__
	uint32_t high = w[0][0], low = w[0][0];
	XC_UNROLL
	for (int i = 0; i < 32; i += 2) {
		high = __vimax3_s16x2(high, w[i / 4][i % 4], w[i / 4][i % 4 + 1]);
		low = __vimin3_s16x2(low, w[i / 4][i % 4], w[i / 4][i % 4 + 1]);
	}
	const int32_t most = max(xc_short_left(high), xc_short_right(high));
	const int32_t least = min(xc_short_left(low), xc_short_right(low));
#else
	int32_t most = 0, least = 0;
	for (int i = 0; i < 64; i++) {
		const xc_short_pair pair = w[i / 8][i / 2 % 4];
		const int32_t v = i & 1 ? xc_short_right(pair) : xc_short_left(pair);
		most = v > most ? v : most;
		least = v < least ? v : least;
	}
#endif
	return most <= XC_SHORT_FAST_LIMIT && least >= -XC_SHORT_FAST_LIMIT;
}

/* Sums wrap round, so they are unsigned. */
#define XC_SHORT_TIMES(a, k, c) ((uint32_t)(a) * (uint32_t)(k) + (uint32_t)(c))

/* What dct8_evenodd.h makes of 8 values, times `by` and plus `start`, from its butterflies:
 * the sum and difference for 0 and 4, those for 2 and 6, and the odd ones' differences. */
XC_KERNEL void xc_short_fast_forward(uint32_t x[8], int32_t sum, int32_t less, int32_t c, int32_t e,
                                     const int32_t d[4], const int by, uint32_t start)
{
	const int32_t odd[4][4] = XC_DCT8_ODD;
	x[0] = XC_SHORT_TIMES(sum, XC_SQRT_1_8 * by, start);
	x[4] = XC_SHORT_TIMES(less, XC_SQRT_1_8 * by, start);
	x[2] = XC_SHORT_TIMES(e, XC_C6 / 2 * by, XC_SHORT_TIMES(c, XC_C2 / 2 * by, start));
	x[6] = XC_SHORT_TIMES(e, -XC_C2 / 2 * by, XC_SHORT_TIMES(c, XC_C6 / 2 * by, start));
	XC_UNROLL
	for (int i = 0; i < 4; i++) {
		uint32_t y = XC_SHORT_TIMES(d[0], odd[i][0] * by, start);
		y = XC_SHORT_TIMES(d[1], odd[i][1] * by, y);
		y = XC_SHORT_TIMES(d[2], odd[i][2] * by, y);
		x[2 * i + 1] = XC_SHORT_TIMES(d[3], odd[i][3] * by, y);
	}
}

/* The inverse, from the sum and the difference of values 0 and 4, and all others. */
XC_KERNEL void xc_short_fast_inverse(uint32_t y[8], int32_t sum, int32_t less, const int32_t x[8],
                                     const int by, uint32_t start)
{
	const int32_t odd[4][4] = XC_DCT8_ODD;
	const uint32_t p = XC_SHORT_TIMES(sum, XC_SQRT_1_8 * by, start);
	const uint32_t q = XC_SHORT_TIMES(less, XC_SQRT_1_8 * by, start);
	const uint32_t c = XC_SHORT_TIMES(x[6], XC_C6 / 2 * by,
	                                  XC_SHORT_TIMES(x[2], XC_C2 / 2 * by, 0));
	const uint32_t e = XC_SHORT_TIMES(x[6], -XC_C2 / 2 * by,
	                                  XC_SHORT_TIMES(x[2], XC_C6 / 2 * by, 0));
	const uint32_t s[4] = { p + c, q + e, q - e, p - c };
	XC_UNROLL
	for (int i = 0; i < 4; i++) {
		uint32_t d = XC_SHORT_TIMES(x[1], odd[0][i] * by, 0);
		d = XC_SHORT_TIMES(x[3], odd[1][i] * by, d);
		d = XC_SHORT_TIMES(x[5], odd[2][i] * by, d);
		d = XC_SHORT_TIMES(x[7], odd[3][i] * by, d);
		y[i] = s[i] + d;
		y[7 - i] = s[i] - d;
	}
}

enum {
	XC_SHORT_FIRST = XC_SHORT_BITS - XC_SHORT_FRACTION,     /* what a pass shifts by */
	XC_SHORT_DOUBLED = XC_SHORT_BITS + XC_SHORT_FRACTION + 1 /* 16 */
};

/* Two columns' butterflies, then each by itself. */
XC_KERNEL void xc_short_fast_columns_forward(const xc_short_pair w[8][4], int32_t v[8][8])
{
	XC_UNROLL
	for (int j = 0; j < 4; j++) {
		xc_short_pair s[4], d[4];
		XC_UNROLL
		for (int i = 0; i < 4; i++) {
			s[i] = XC_SHORT_ADD(w[i][j], w[7 - i][j]);
			d[i] = XC_SHORT_LESS(w[i][j], w[7 - i][j]);
		}
		const xc_short_pair a = XC_SHORT_ADD(s[0], s[3]), b = XC_SHORT_ADD(s[1], s[2]);
		const xc_short_pair c = XC_SHORT_LESS(s[0], s[3]), e = XC_SHORT_LESS(s[1], s[2]);
		const xc_short_pair sum = XC_SHORT_ADD(a, b), less = XC_SHORT_LESS(a, b);
		const int32_t left[4] = { xc_short_left(d[0]), xc_short_left(d[1]),
			                  xc_short_left(d[2]), xc_short_left(d[3]) };
		const int32_t right[4] = { xc_short_right(d[0]), xc_short_right(d[1]),
			                   xc_short_right(d[2]), xc_short_right(d[3]) };
		uint32_t x[2][8];
		xc_short_fast_forward(x[0], xc_short_left(sum), xc_short_left(less),
		                      xc_short_left(c), xc_short_left(e), left, 1,
		                      1 << (XC_SHORT_FIRST - 1));
		xc_short_fast_forward(x[1], xc_short_right(sum), xc_short_right(less),
		                      xc_short_right(c), xc_short_right(e), right, 1,
		                      1 << (XC_SHORT_FIRST - 1));
		XC_UNROLL
		for (int i = 0; i < 16; i++)
			v[i / 2][2 * j + i % 2] = (int32_t)x[i % 2][i / 2] >> XC_SHORT_FIRST;
	}
}

/* A row, its results times 2^16 and plus `start`. */
XC_KERNEL void xc_short_fast_row_forward(const int32_t v[8], uint32_t x[8], uint32_t start)
{
	const int32_t s0 = v[0] + v[7], s1 = v[1] + v[6], s2 = v[2] + v[5], s3 = v[3] + v[4];
	const int32_t d[4] = { v[0] - v[7], v[1] - v[6], v[2] - v[5], v[3] - v[4] };
	const int32_t a = s0 + s3, b = s1 + s2;
	xc_short_fast_forward(x, a + b, a - b, s0 - s3, s1 - s2, d, 2, start);
}

/* `held`: values may be large. */
XC_KERNEL void xc_short_fast_column_inverse(const int32_t x[8], int32_t v[8][8], int column,
                                            const int held)
{
	uint32_t y[8];
	xc_short_fast_inverse(y, x[0] + x[4], x[0] - x[4], x, 1, 1 << (XC_SHORT_FIRST - 1));
	XC_UNROLL
	for (int i = 0; i < 8; i++) {
		const int32_t z = (int32_t)y[i] >> XC_SHORT_FIRST;
		v[i][column] = held ? xc_short_held(z, -XC_SHORT_LIMIT, XC_SHORT_LIMIT) : z;
	}
}

XC_KERNEL void xc_short_fast_row_inverse(const int32_t v[8], xc_short_pair word[4], const int held)
{
	const int by = held ? 1 : 2, shift = held ? XC_SHORT_DOUBLED - 1 : XC_SHORT_DOUBLED;
	uint32_t y[8];
	xc_short_fast_inverse(y, v[0] + v[4], v[0] - v[4], v, by, 1u << (shift - 1));
	XC_UNROLL
	for (int i = 0; i < 4; i++) {
		const uint32_t left = y[2 * i], right = y[2 * i + 1];
		word[i] = held ? XC_SHORT_HOLD((int32_t)left >> shift, (int32_t)right >> shift)
		               : XC_SHORT_UPPER(left, right);
	}
}

#endif
