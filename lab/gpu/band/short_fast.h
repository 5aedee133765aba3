/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The 16-bit DCT of a block of values so small that no bound is reached: the same integers as in
 * short8x8.h, in fewer instructions.
 *
 *  - The forward transform's first butterflies take two columns at a time, 16 bits each.
 *  - The inverse computes the sum p + o by adding the products of o to p one by one, then the
 *    difference p - o as 2 p less the sum.
 *  - The quantized inverse's steps are in the constants of its first pass.
 *  - Sums begin with the constants that round.
 *  - The constants of the second pass are doubled, so results are the upper halves of words and one
 *    instruction packs two of them.
 *
 * Forward, with values of up to LIMIT, a sum of 8 fits in 16 bits, and so does a result, which is
 * at most 8 times as large.  Values between the passes (2.83 times, with two more bits) stay below
 * XC_SHORT_LIMIT.  xc_short_inverse_limit() finds the inverse's limit, in steps: 154 for those of
 * the whitepaper, where 8-bit pictures reach 88; 4695 for steps of 1.  Sums may wrap round on the
 * way; results do not.
 */
#ifndef XC_LAB_GPU_BAND_SHORT_FAST_H
#define XC_LAB_GPU_BAND_SHORT_FAST_H

#include "lab/gpu/threads.h"
#undef XC_V /* the codec's is float */
#include "lab/cpu/band/short8x8.h"

enum { XC_SHORT_FAST_LIMIT = 4000 };

/* Two numbers of 16 bits: the lower half is the left one. */
typedef uint32_t xc_short_pair;

XC_GPU_INLINE int32_t xc_short_left(xc_short_pair a)
{
	return (int16_t)(a & 0xffff);
}

XC_GPU_INLINE int32_t xc_short_right(xc_short_pair a)
{
	return (int32_t)a >> 16;
}

XC_GPU_INLINE xc_short_pair xc_short_make(int32_t left, int32_t right)
{
	return (uint32_t)(left & 0xffff) | (uint32_t)right << 16;
}

/* Two numbers, held to 16 bits. */
XC_GPU_INLINE xc_short_pair xc_short_hold(int32_t left, int32_t right)
{
#ifdef __CUDA_ARCH__
	xc_short_pair word;
	asm("cvt.pack.sat.s16.s32 %0, %1, %2;" : "=r"(word) : "r"(right), "r"(left));
	return word;
#else
	return xc_short_make(xc_short_held(left, INT16_MIN, INT16_MAX),
	                     xc_short_held(right, INT16_MIN, INT16_MAX));
#endif
}

/* UPPER and LOWER make one word of the halves of two. */
#ifdef __CUDA_ARCH__
#define XC_SHORT_ADD(a, b) __vadd2(a, b)
#define XC_SHORT_LESS(a, b) __vsub2(a, b)
#define XC_SHORT_UPPER(left, right) __byte_perm(left, right, 0x7632)
#define XC_SHORT_LOWER(left, right) __byte_perm(left, right, 0x5410)
#else
#define XC_SHORT_ADD(a, b) \
	xc_short_make(xc_short_left(a) + xc_short_left(b), xc_short_right(a) + xc_short_right(b))
#define XC_SHORT_LESS(a, b) \
	xc_short_make(xc_short_left(a) - xc_short_left(b), xc_short_right(a) - xc_short_right(b))
#define XC_SHORT_UPPER(left, right) ((left) >> 16 | ((right)&0xffff0000u))
#define XC_SHORT_LOWER(left, right) (((left)&0xffff) | (right) << 16)
#endif

#if defined __CUDA_ARCH__ && CUDART_VERSION >= 12000
#define XC_SHORT_MOST(a, b, c) __vimax3_s16x2(a, b, c)
#define XC_SHORT_LEAST(a, b, c) __vimin3_s16x2(a, b, c)
#elif defined __CUDA_ARCH__
#define XC_SHORT_MOST(a, b, c) __vmaxs2(a, __vmaxs2(b, c))
#define XC_SHORT_LEAST(a, b, c) __vmins2(a, __vmins2(b, c))
#endif

/* Whether all of a block's values are within the limit. */
XC_GPU_INLINE int xc_short_small(const xc_short_pair w[8][4], int32_t limit)
{
#ifdef __CUDA_ARCH__
	uint32_t high = w[0][0], low = w[0][0];
	XC_UNROLL
	for (int i = 0; i < 32; i += 2) {
		high = XC_SHORT_MOST(high, w[i / 4][i % 4], w[i / 4][i % 4 + 1]);
		low = XC_SHORT_LEAST(low, w[i / 4][i % 4], w[i / 4][i % 4 + 1]);
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
	return most <= limit && least >= -limit;
}

/* Sums wrap round, so they are unsigned. */
#define XC_SHORT_TIMES(a, k, c) ((uint32_t)(a) * (uint32_t)(k) + (uint32_t)(c))

/* The results of dct8_evenodd.h, times `by` and plus `start`, from its butterflies: the sum and
 * difference for 0 and 4, those for 2 and 6, and the odd ones' differences. */
XC_GPU_INLINE void xc_short_fast_forward(uint32_t x[8], int32_t sum, int32_t less, int32_t c,
                                         int32_t e, const int32_t d[4], const int by,
                                         uint32_t start)
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

/* The inverse's factors: of values 0 and 4, of 2 and 6 in the outer and in the inner sums,
 * and of the odd ones in sums 0 to 3. */
enum { XC_SHORT_FACTORS = 22 };

XC_GPU_INLINE void xc_short_inverse_factors(const int32_t step[8], int32_t k[XC_SHORT_FACTORS])
{
	const int32_t odd[4][4] = XC_DCT8_ODD;
	k[0] = XC_SQRT_1_8 * step[0];
	k[1] = XC_SQRT_1_8 * step[4];
	k[2] = XC_C2 / 2 * step[2];
	k[3] = XC_C6 / 2 * step[6];
	k[4] = XC_C6 / 2 * step[2];
	k[5] = -XC_C2 / 2 * step[6];
	XC_UNROLL
	for (int i = 0; i < 16; i++)
		k[6 + i] = odd[i % 4][i / 4] * step[2 * (i % 4) + 1];
}

/* The inverse. */
XC_GPU_INLINE void xc_short_fast_inverse(uint32_t y[8], const int32_t x[8],
                                         const int32_t k[XC_SHORT_FACTORS], uint32_t start)
{
	const uint32_t half = XC_SHORT_TIMES(x[0], k[0], start);
	const uint32_t p = XC_SHORT_TIMES(x[4], k[1], half), q = half + half - p;
	uint32_t s[4];
	s[0] = XC_SHORT_TIMES(x[6], k[3], XC_SHORT_TIMES(x[2], k[2], p));
	s[1] = XC_SHORT_TIMES(x[6], k[5], XC_SHORT_TIMES(x[2], k[4], q));
	s[2] = q + q - s[1];
	s[3] = p + p - s[0];
	XC_UNROLL
	for (int i = 0; i < 4; i++) {
		y[i] = s[i];
		XC_UNROLL
		for (int j = 0; j < 4; j++)
			y[i] = XC_SHORT_TIMES(x[2 * j + 1], k[6 + 4 * i + j], y[i]);
		y[7 - i] = s[i] + s[i] - y[i];
	}
}

enum {
	XC_SHORT_FIRST = XC_SHORT_BITS - XC_SHORT_FRACTION,      /* what a pass shifts by */
	XC_SHORT_DOUBLED = XC_SHORT_BITS + XC_SHORT_FRACTION + 1 /* 16 */
};

/* The butterflies of two columns at once, then each column by itself. */
XC_GPU_INLINE void xc_short_fast_columns_forward(const xc_short_pair w[8][4], int32_t v[8][8])
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
		const int32_t left[4] = {xc_short_left(d[0]), xc_short_left(d[1]), xc_short_left(d[2]),
		                         xc_short_left(d[3])};
		const int32_t right[4] = {xc_short_right(d[0]), xc_short_right(d[1]), xc_short_right(d[2]),
		                          xc_short_right(d[3])};
		uint32_t x[2][8];
		xc_short_fast_forward(x[0], xc_short_left(sum), xc_short_left(less), xc_short_left(c),
		                      xc_short_left(e), left, 1, 1 << (XC_SHORT_FIRST - 1));
		xc_short_fast_forward(x[1], xc_short_right(sum), xc_short_right(less), xc_short_right(c),
		                      xc_short_right(e), right, 1, 1 << (XC_SHORT_FIRST - 1));
		XC_UNROLL
		for (int i = 0; i < 16; i++)
			v[i / 2][2 * j + i % 2] = (int32_t)x[i % 2][i / 2] >> XC_SHORT_FIRST;
	}
}

/* A row, its results times 2^16 and plus `start`. */
XC_GPU_INLINE void xc_short_fast_row_forward(const int32_t v[8], uint32_t x[8], uint32_t start)
{
	const int32_t s0 = v[0] + v[7], s1 = v[1] + v[6], s2 = v[2] + v[5], s3 = v[3] + v[4];
	const int32_t d[4] = {v[0] - v[7], v[1] - v[6], v[2] - v[5], v[3] - v[4]};
	const int32_t a = s0 + s3, b = s1 + s2;
	xc_short_fast_forward(x, a + b, a - b, s0 - s3, s1 - s2, d, 2, start);
}

/* A column, of coefficients in whole steps. */
XC_GPU_INLINE void xc_short_fast_column_inverse(const int32_t x[8],
                                                const int32_t k[XC_SHORT_FACTORS], int32_t v[8][8],
                                                int column)
{
	uint32_t y[8];
	xc_short_fast_inverse(y, x, k, 1 << (XC_SHORT_FIRST - 1));
	XC_UNROLL
	for (int i = 0; i < 8; i++)
		v[i][column] = (int32_t)y[i] >> XC_SHORT_FIRST;
}

XC_GPU_INLINE void xc_short_fast_row_inverse(const int32_t v[8], xc_short_pair word[4])
{
	const int32_t twice[8] = {2, 2, 2, 2, 2, 2, 2, 2};
	int32_t k[XC_SHORT_FACTORS];
	uint32_t y[8];
	xc_short_inverse_factors(twice, k);
	xc_short_fast_inverse(y, v, k, 1u << (XC_SHORT_DOUBLED - 1));
	XC_UNROLL
	for (int i = 0; i < 4; i++)
		word[i] = XC_SHORT_UPPER(y[2 * i], y[2 * i + 1]);
}

/* Whether the inverse of coefficients of up to `most` steps stays within all bounds: of the
 * products, between the passes, and of the results.  `gain` has the sums' coefficients. */
static inline int xc_short_inverse_fits(const int32_t step[64], int64_t gain[8][8], int64_t most)
{
	int64_t between[64];
	for (int i = 0; i < 64; i++) {
		int64_t sum = 1 << XC_SHORT_FIRST;
		for (int r = 0; r < 8; r++)
			sum += gain[i / 8][r] * step[8 * r + i % 8] * most;
		between[i] = (sum >> XC_SHORT_FIRST) + 1;
		if (between[i] > XC_SHORT_LIMIT || step[i] * most > INT16_MAX)
			return 0;
	}
	for (int i = 0; i < 64; i++) {
		int64_t sum = 1 << (XC_SHORT_DOUBLED - 1);
		for (int c = 0; c < 8; c++)
			sum += gain[i % 8][c] * between[i / 8 * 8 + c];
		if ((sum >> (XC_SHORT_DOUBLED - 1)) + 1 > INT16_MAX)
			return 0;
	}
	return 1;
}

/* The largest such number, or 0. */
static inline int32_t xc_short_inverse_limit(const int32_t step[64])
{
	const int32_t ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
	int32_t factor[XC_SHORT_FACTORS], low = 0, high = INT16_MAX;
	int64_t gain[8][8];
	xc_short_inverse_factors(ones, factor);
	for (int r = 0; r < 8; r++) {
		int32_t unit[8] = {0};
		uint32_t y[8];
		unit[r] = 1;
		xc_short_fast_inverse(y, unit, factor, 0);
		for (int i = 0; i < 8; i++)
			gain[i][r] = (int32_t)y[i] < 0 ? -(int64_t)(int32_t)y[i] : (int32_t)y[i];
	}
	while (low < high) {
		const int32_t middle = (low + high + 1) / 2;
		if (xc_short_inverse_fits(step, gain, middle))
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

#endif
