/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The 16-bit DCT, as the work of one thread.  A thread has whole blocks, 16 bytes a row, so a
 * warp reads and writes 512 bytes in a run and exchanges nothing.  Everything is in registers.
 */
#ifndef XC_LAB_GPU_BAND_SHORT_H
#define XC_LAB_GPU_BAND_SHORT_H

#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "lab/gpu/ops.h"

/* The 16-bit DCT of a block of values so small that no bound is reached: the same integers as in
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
 * way; results do not. */

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
#define XC_SHORT_MAX(a, b, c) __vimax3_s16x2(a, b, c)
#define XC_SHORT_MIN(a, b, c) __vimin3_s16x2(a, b, c)
#elif defined __CUDA_ARCH__
#define XC_SHORT_MAX(a, b, c) __vmaxs2(a, __vmaxs2(b, c))
#define XC_SHORT_MIN(a, b, c) __vmins2(a, __vmins2(b, c))
#endif

/* Whether all of a block's values are within the limit. */
XC_GPU_INLINE int xc_short_small(const xc_short_pair w[8][4], int32_t limit)
{
#ifdef __CUDA_ARCH__
	uint32_t high = w[0][0], low = w[0][0];
	XC_UNROLL
	for (int i = 0; i < 32; i += 2) {
		high = XC_SHORT_MAX(high, w[i / 4][i % 4], w[i / 4][i % 4 + 1]);
		low = XC_SHORT_MIN(low, w[i / 4][i % 4], w[i / 4][i % 4 + 1]);
	}
	const int32_t highest = max(xc_short_left(high), xc_short_right(high));
	const int32_t lowest = min(xc_short_left(low), xc_short_right(low));
#else
	int32_t highest = 0, lowest = 0;
	for (int i = 0; i < 64; i++) {
		const xc_short_pair pair = w[i / 8][i / 2 % 4];
		const int32_t v = i & 1 ? xc_short_right(pair) : xc_short_left(pair);
		highest = v > highest ? v : highest;
		lowest = v < lowest ? v : lowest;
	}
#endif
	return highest <= limit && lowest >= -limit;
}

/* Sums wrap round, so they are unsigned. */
#define XC_SHORT_TIMES(a, k, c) ((uint32_t)(a) * (uint32_t)(k) + (uint32_t)(c))

/* The results of xc_dct8_evenodd_forward(), times `by` and plus `start`, from its butterflies: the
 * sum and difference for 0 and 4, those for 2 and 6, and the odd ones' differences. */
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

/* Whether the inverse of coefficients of up to `highest` steps stays within all bounds: of the
 * products, between the passes, and of the results.  `gain` has the sums' coefficients. */
static inline int xc_short_inverse_fits(const int32_t step[64], int64_t gain[8][8], int64_t highest)
{
	int64_t between[64];

	for (int i = 0; i < 64; i++) {
		int64_t sum = 1 << XC_SHORT_FIRST;
		for (int r = 0; r < 8; r++)
			sum += gain[i / 8][r] * step[8 * r + i % 8] * highest;
		between[i] = (sum >> XC_SHORT_FIRST) + 1;
		if (between[i] > XC_SHORT_LIMIT || step[i] * highest > INT16_MAX)
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

typedef struct xc_short_job {
	const int16_t *in;
	int16_t *out;
	ptrdiff_t in_rows, in_cols, out_rows, out_cols;
	unsigned across, down; /* blocks side by side, and one below the other */
	unsigned high, units;  /* blocks that a thread does, one below the other; threads */
	int vectors;           /* rows of both arrays begin at multiples of 16 bytes */
	int whole;             /* and all blocks are whole, in both */
	int rounds;            /* forward: divided, that is scaled; inverse: multiplied */
	int32_t limit;         /* of values in small blocks */
	float scale[64];
	int32_t factor[8][XC_SHORT_FACTORS]; /* inverse: of the columns of small blocks */
} xc_short_job;

/* 16 bytes at once. */
typedef struct __attribute__((aligned(16))) xc_short_row {
	int16_t x[8];
} xc_short_row;

XC_GPU_INLINE void xc_short_load(const xc_short_job *job, ptrdiff_t y, ptrdiff_t x, int32_t v[8][8])
{
	if (job->vectors && y + 8 <= job->in_rows && x + 8 <= job->in_cols) {
		xc_short_row row[8];
		XC_UNROLL
		for (int r = 0; r < 8; r++)
			row[r] = *(const xc_short_row *)(const void *)(job->in + (y + r) * job->in_cols + x);
		XC_UNROLL
		for (int r = 0; r < 8; r++)
			XC_UNROLL
		for (int c = 0; c < 8; c++)
			v[r][c] = row[r].x[c];
		return;
	}
	XC_UNROLL
	for (int r = 0; r < 8; r++) {
		const ptrdiff_t row = y + r < job->in_rows ? y + r : job->in_rows - 1;
		XC_UNROLL
		for (int c = 0; c < 8; c++)
			v[r][c] =
				job->in[row * job->in_cols + (x + c < job->in_cols ? x + c : job->in_cols - 1)];
	}
}

/* 8 numbers of 16 bits, as words. */
XC_GPU_INLINE void xc_short_put_words(int16_t *out, const xc_short_pair word[4])
{
#ifdef __CUDA_ARCH__
	__stcs((uint4 *)(void *)out, make_uint4(word[0], word[1], word[2], word[3]));
#else
	memcpy(out, word, 4 * sizeof *word);
#endif
}

/* Holds values to 16 bits, which the GPU does while it packs two into one word. */
XC_GPU_INLINE void xc_short_put(int16_t *out, const int32_t v[8])
{
	xc_short_pair word[4];

	XC_UNROLL
	for (int i = 0; i < 4; i++)
		word[i] = xc_short_hold(v[2 * i], v[2 * i + 1]);
	xc_short_put_words(out, word);
}

XC_GPU_INLINE void xc_short_store(const xc_short_job *job, ptrdiff_t y, ptrdiff_t x,
                                  int32_t v[8][8])
{
	if (job->vectors && y + 8 <= job->out_rows && x + 8 <= job->out_cols) {
		XC_UNROLL
		for (int r = 0; r < 8; r++)
			xc_short_put(job->out + (y + r) * job->out_cols + x, v[r]);
		return;
	}
	XC_UNROLL
	for (int r = 0; r < 8; r++) {
		XC_UNROLL
		for (int c = 0; c < 8; c++)
			if (y + r < job->out_rows && x + c < job->out_cols)
				job->out[(y + r) * job->out_cols + x + c] = (int16_t)xc_short_held(v[r][c],
				                                                                   INT16_MIN,
				                                                                   INT16_MAX);
	}
}

#ifdef __CUDA_ARCH__
/* Whole numbers up to 2^22 become floats, and back, by adding 1.5 * 2^23: the GPU's
 * conversions are slow. */
#define XC_SHORT_FLOAT(i) (__int_as_float((i) + 0x4b400000) - 12582912.0f)
#define XC_SHORT_ROUND(x) (__float_as_int((x) + 12582912.0f) - 0x4b400000)
#else
#define XC_SHORT_FLOAT(i) ((float)(i))
#define XC_SHORT_ROUND(x) ((int32_t)rintf(x))
#endif

/* Quantizes or the reverse: multiplies and rounds. */
XC_GPU_INLINE void xc_short_scale(const xc_short_job *job, int32_t v[8][8])
{
	XC_UNROLL
	for (int i = 0; i < 64; i++)
		v[i / 8][i % 8] = XC_SHORT_ROUND(XC_SHORT_FLOAT(v[i / 8][i % 8]) * job->scale[i]);
}

/* Any block. */
XC_GPU_APART void xc_short_any_block(const xc_short_job *job, ptrdiff_t y, ptrdiff_t x,
                                     const int inverse)
{
	int32_t v[8][8];

	xc_short_load(job, y, x, v);
	if (inverse && job->rounds) {
		xc_short_scale(job, v);
		XC_UNROLL
		for (int i = 0; i < 64; i++)
			v[i / 8][i % 8] = xc_short_held(v[i / 8][i % 8], INT16_MIN, INT16_MAX);
	}
	if (inverse)
		xc_short8x8(v, 1);
	else
		xc_short8x8(v, 0);
	if (!inverse && job->rounds)
		xc_short_scale(job, v);
	xc_short_store(job, y, x, v);
}

/* ------------------------------------------------- blocks of small values */

XC_GPU_INLINE void xc_short_fast_load(const int16_t *in, ptrdiff_t cols, xc_short_pair w[8][4])
{
	XC_UNROLL
	for (int r = 0; r < 8; r++) {
#ifdef __CUDA_ARCH__
		const uint4 row = *(const uint4 *)(const void *)in;
		w[r][0] = row.x, w[r][1] = row.y, w[r][2] = row.z, w[r][3] = row.w;
#else
		for (int i = 0; i < 4; i++)
			w[r][i] = xc_short_make(in[2 * i], in[2 * i + 1]);
#endif
		in += cols;
	}
}

#ifdef __CUDA_ARCH__
/* 2^23 and the upper half of a word that has 2^31 added: exact. */
#define XC_SHORT_UPPER_FLOAT(a) \
	(__int_as_float((int)__byte_perm(a, 0x4b000000u, 0x7432)) - 8421376.0f)
/* The lower half is the value. */
#define XC_SHORT_NEAREST(x) ((uint32_t)__float_as_int((x) + 12582912.0f))
#else
#define XC_SHORT_UPPER_FLOAT(a) ((float)((int32_t)((a) >> 16) - 32768))
#define XC_SHORT_NEAREST(x) ((uint32_t)(int32_t)rintf(x))
#endif

XC_GPU_INLINE void xc_short_fast_columns(const xc_short_job *job, const xc_short_pair w[8][4],
                                         int32_t v[8][8], const int inverse, const int rounds)
{
	const int32_t ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
	int32_t factor[XC_SHORT_FACTORS];

	if (!inverse) {
		xc_short_fast_columns_forward(w, v);
		return;
	}
	xc_short_inverse_factors(ones, factor);
	XC_UNROLL
	for (int c = 0; c < 8; c++) {
		int32_t column[8];
		uint32_t y[8];
		XC_UNROLL
		for (int r = 0; r < 8; r++)
			column[r] = c & 1 ? xc_short_right(w[r][c / 2]) : xc_short_left(w[r][c / 2]);
		xc_short_fast_inverse(y, column, rounds ? job->factor[c] : factor,
		                      1 << (XC_SHORT_FIRST - 1));
		XC_UNROLL
		for (int r = 0; r < 8; r++)
			v[r][c] = (int32_t)y[r] >> XC_SHORT_FIRST;
	}
}

/* Row r, into 4 words; before they are packed its results are times 2^16. */
XC_GPU_INLINE void xc_short_fast_row(const xc_short_job *job, const int32_t v[8], int r,
                                     xc_short_pair word[4], const int inverse, const int rounds)
{
	const int32_t twice[8] = {2, 2, 2, 2, 2, 2, 2, 2};
	const uint32_t half = 1u << (XC_SHORT_DOUBLED - 1);
	const int quantized = rounds && !inverse;
	int32_t k[XC_SHORT_FACTORS];
	uint32_t row[8];

	if (inverse) {
		xc_short_inverse_factors(twice, k);
		xc_short_fast_inverse(row, v, k, half);
	} else {
		const int32_t s0 = v[0] + v[7], s1 = v[1] + v[6], s2 = v[2] + v[5], s3 = v[3] + v[4];
		const int32_t d[4] = {v[0] - v[7], v[1] - v[6], v[2] - v[5], v[3] - v[4]};
		const int32_t a = s0 + s3, b = s1 + s2;
		xc_short_fast_forward(row, a + b, a - b, s0 - s3, s1 - s2, d, 2,
		                      rounds ? half + 0x80000000u : half);
	}
	XC_UNROLL
	for (int c = 0; c < 8 && quantized; c++)
		row[c] = XC_SHORT_NEAREST(XC_SHORT_UPPER_FLOAT(row[c]) * job->scale[8 * r + c]);
	XC_UNROLL
	for (int i = 0; i < 4; i++)
		word[i] = quantized ? XC_SHORT_LOWER(row[2 * i], row[2 * i + 1])
		                    : XC_SHORT_UPPER(row[2 * i], row[2 * i + 1]);
}

/* The block at a place of both arrays. */
XC_GPU_INLINE void xc_short_block(const xc_short_job *job, ptrdiff_t at, const int inverse,
                                  const int rounds)
{
	xc_short_pair w[8][4];
	int32_t v[8][8];

	xc_short_fast_load(job->in + at, job->in_cols, w);
	if (!xc_short_small(w, job->limit)) {
		xc_short_any_block(job, at / job->in_cols, at % job->in_cols, inverse);
		return;
	}
	xc_short_fast_columns(job, w, v, inverse, rounds);
	XC_UNROLL
	for (int r = 0; r < 8; r++) {
		xc_short_pair word[4];
		xc_short_fast_row(job, v[r], r, word, inverse, rounds);
		xc_short_put_words(job->out + at, word);
		at += job->in_cols;
	}
}

/* A thread's blocks, one below the other.  Only the quantized forward transform has several; the
 * others do not gain by it. */
XC_GPU_INLINE void xc_short_blocks(const xc_short_job *job, unsigned unit, const int inverse,
                                   const int rounds)
{
	const int several = rounds && !inverse;
	const unsigned x = unit % job->across;
	unsigned y = unit / job->across * job->high, left = job->high;
	ptrdiff_t at = 8 * ((ptrdiff_t)y * job->in_cols + x);

	do {
		if (job->whole)
			xc_short_block(job, at, inverse, rounds);
		else
			xc_short_any_block(job, 8 * (ptrdiff_t)y, 8 * (ptrdiff_t)x, inverse);
		at += 8 * job->in_cols;
	} while (several && ++y < job->down && --left);
}

/* Steps are whole numbers of up to 2^15, so that products are exact. */
static inline void xc_short_set_steps(xc_short_job *s, int inverse)
{
	int32_t step[64];

	s->limit = XC_SHORT_FAST_LIMIT;
	if (!inverse)
		return;
	for (int i = 0; i < 64; i++)
		step[i] = s->rounds ? (int32_t)s->scale[i] : 1;
	for (int c = 0; c < 8; c++) {
		int32_t column[8];
		for (int r = 0; r < 8; r++)
			column[r] = step[8 * r + c];
		xc_short_inverse_factors(column, s->factor[c]);
	}
	s->limit = xc_short_inverse_limit(step);
}

/* Sets up everything but the arrays.  `high` is the number of blocks of a thread, where it does
 * several.  Returns 0, or -1 if there are too many blocks. */
static inline int xc_short_set_up(xc_short_job *s, const xc_lab_job *job, unsigned high)
{
	const int inverse = job->direction == XCT_INVERSE;
	const ptrdiff_t across = (ptrdiff_t)(job->in.cols + 7) / 8;
	const ptrdiff_t down = (ptrdiff_t)(job->in.rows + 7) / 8;

	memset(s, 0, sizeof *s);
	s->in_rows = (ptrdiff_t)job->in.rows;
	s->in_cols = (ptrdiff_t)job->in.cols;
	s->out_rows = (ptrdiff_t)job->out.rows;
	s->out_cols = (ptrdiff_t)job->out.cols;
	s->vectors = job->in.cols % 8 == 0 && job->out.cols % 8 == 0;
	s->whole = s->vectors && job->in.rows % 8 == 0 && job->out.rows % 8 == 0;
	s->rounds = job->rounds;
	s->high = job->rounds && !inverse ? high : 1;
	if (across > INT_MAX || down > INT_MAX / across)
		return -1;
	s->across = (unsigned)across;
	s->down = (unsigned)down;
	s->units = s->across * ((s->down + s->high - 1) / s->high);
	memcpy(s->scale, job->scale.f32, sizeof s->scale);
	xc_short_set_steps(s, inverse);
	return 0;
}

#endif
