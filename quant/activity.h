/* SPDX-License-Identifier: BSD-2-Clause */
/* The worth of a bit in a block of luma, by how busy it is; see src/encode/decide.h. */
#ifndef XC_QUANT_ACTIVITY_H
#define XC_QUANT_ACTIVITY_H

#include <stdint.h>

/* XC_FACTOR_ONE: the factor 1. Magnitudes above XC_ACTIVITY_MAX sixteenths of a step count as that.
 * XC_ACTIVITY_CONSTANT: SSIM's second constant, (0.03 * 255)^2, which is added to twice the
 * variance before the logarithm. */
enum { XC_FACTOR_ONE = 16, XC_ACTIVITY_MAX = 255, XC_ACTIVITY_CONSTANT = 58 };

typedef struct xc_activity {
	int flat;          /* all factors are one */
	int32_t exponent;  /* of the variance, in 16ths */
	int32_t middle;    /* 256 log2 of the variance of a block whose factor is one */
	int32_t low, high; /* limits of a factor, in fourths of an octave */
	uint64_t scale;    /* of sums of squares, see xc_activity_factors() */
	uint16_t ratio[64];
} xc_activity;

/* About 256 log2 x, of x > 0. */
static inline XC_DEVICE int32_t xc_log2_256(uint64_t x)
{
	const int whole = 63 - __builtin_clzll(x);
	const int32_t m = (int32_t)((whole >= 8 ? x >> (whole - 8) : x << (8 - whole)) & 255);
	return whole * 256 + m + (m * (256 - m) * 88 >> 16);
}

/* squares: the sum of the squared AC coefficients, in units of the largest step over 16. */
static inline XC_DEVICE uint16_t xc_activity_factor(const xc_activity *a, uint32_t squares)
{
	/* Fourths of an octave, times XC_FACTOR_ONE: 16, 19, 23 and 27. */
	const uint32_t fourths = UINT32_C(0x1b171310);
	/* A sum of squares in units of the largest step over 16; 64 coefficients; times 2. */
	const uint64_t twice = squares * (a->scale >> 8) / ((UINT64_C(257 * 257) << 13) >> 8);
	int32_t n = (xc_log2_256(twice + XC_ACTIVITY_CONSTANT) - a->middle) * a->exponent / (16 * 64);

	n = n < a->low ? a->low : n > a->high ? a->high : n;
	const int octave = (n + 64) / 4 - 16;
	const uint32_t f = fourths >> (n + 64) % 4 * 8 & 255;
	return (uint16_t)(octave < 0 ? (f + (1u << (-octave - 1))) >> -octave : f << octave);
}

#endif
