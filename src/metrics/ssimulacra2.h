/* SPDX-License-Identifier: BSD-2-Clause */
/* The inner loops of SSIMULACRA2, once for each SIMD level; src/metrics/ssimulacra2.c calls them.
 * All levels give the same bits: each operation is rounded once, in the same order, and fused where
 * the reference program fuses. */
#ifndef XC_SRC_METRICS_SSIMULACRA2_H
#define XC_SRC_METRICS_SSIMULACRA2_H

#include "src/metrics/metrics.h"

/* A blur's output at n needs its inputs at n - XC_BLUR_BEHIND and n + XC_BLUR_AHEAD, and two earlier
 * outputs of each of its three recursions. */
enum { XC_BLUR_BEHIND = 6, XC_BLUR_AHEAD = 4, XC_BLUR_TERMS = 3 };
enum { XC_BLUR_ROWS = XC_BLUR_BEHIND + XC_BLUR_AHEAD + 1 };

enum {
	XC_STRIP = 128,      /* columns that are worked on at a time */
	XC_STRIP_BEFORE = 8, /* columns of input to the left of them, and to the right */
	XC_STRIP_INPUT = XC_STRIP + 2 * XC_STRIP_BEFORE,
	XC_BLURRED = 15, /* a, b, a^2, b^2 and a b of three planes, plane by plane */
	XC_BLURRED_PADDED = 16,
	XC_SUM_SLOTS = 16 /* a row's sums are made of those of columns that are 16 apart */
};

/* Six sums a plane: structure, artefacts, lost detail, and their fourth powers. */
enum { XC_ERROR_STRUCTURE, XC_ERROR_ARTEFACTS, XC_ERROR_LOST, XC_ERROR_MAPS, XC_ERROR_SUMS = 6 };

/* By term: the factors of four inputs and of the two outputs before them, for four outputs at once,
 * four times over. */
typedef struct xc_blur {
	float input[XC_BLUR_TERMS][4][16], last[XC_BLUR_TERMS][16], second[XC_BLUR_TERMS][16];
} xc_blur;

/* The last two outputs of each term at the end of a piece of a row. */
typedef float xc_row_state[2][XC_BLUR_TERMS][XC_BLURRED_PADDED];

/* What a strip keeps from row to row. */
typedef struct xc_strip {
	float across[XC_BLUR_ROWS][XC_BLURRED_PADDED][XC_STRIP]; /* a ring: rows blurred across */
	float plain[XC_BLUR_ROWS][6][XC_STRIP]; /* likewise: X, Y, B of both pictures */
	float down[XC_BLURRED][XC_BLUR_TERMS][2][XC_STRIP];
	uint32_t columns;       /* of the strip in the picture, rounded up to a multiple of 16 */
	float inside[XC_STRIP]; /* 1 in the picture, else 0 */
	double sums[3][XC_ERROR_SUMS][XC_SUM_SLOTS];
} xc_strip;

/* A piece of a row: red, green, blue of both pictures, then X, Y, B; then the moments. */
typedef float xc_strip_input[XC_BLURRED_PADDED][XC_STRIP_INPUT];

typedef struct xc_ssimulacra2_level {
	/* sRGB samples of 0 to 1 to light, in place; n: a multiple of 16. */
	void (*linear)(float *samples, uint32_t n);
	/* A row of half the size from two rows, whose 2 n samples are read. */
	void (*halve)(const float *upper, const float *lower, float *to, uint32_t n);
	/* The first n columns of the first six rows become X, Y and B; n: a multiple of 16. */
	void (*xyb)(xc_strip_input input, uint32_t n);
	/* Fills the input's other rows, and blurs the columns from x to x + n - 1 into the ring's row
	 * `slot`; width: of the picture. */
	void (*across)(const xc_blur *blur, xc_strip_input input, uint32_t x, uint32_t n,
	               uint32_t width, xc_row_state state, float to[XC_BLURRED_PADDED][XC_STRIP]);
	/* Blurs down to row n, from the ring's rows n - 6 and n + 4 (NULL: outside), and adds up the
	 * errors there unless n < 0. `plain`: the ring's row n. */
	void (*down)(const xc_blur *blur, xc_strip *strip, const float (*above)[XC_STRIP],
	             const float (*below)[XC_STRIP], const float (*plain)[XC_STRIP], int64_t n);
} xc_ssimulacra2_level;

extern const xc_ssimulacra2_level xc_ssimulacra2_scalar, xc_ssimulacra2_sse2, xc_ssimulacra2_neon,
	xc_ssimulacra2_avx2, xc_ssimulacra2_avx512;

#endif
