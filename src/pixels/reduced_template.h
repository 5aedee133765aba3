/* SPDX-License-Identifier: BSD-2-Clause */
/* Coefficients to means of samples, for one SIMD level: a part of kernels_level.c. */
#ifndef XC_SRC_PIXELS_REDUCED_TEMPLATE_H
#define XC_SRC_PIXELS_REDUCED_TEMPLATE_H

#include <string.h>

#include "src/pixels/kernels.h"
#include "src/pixels/vec.h"

/* The columns of frequencies up to the last one that is not all zeros. */
V_INLINE size_t columns_of(const void *block, int deep)
{
	size_t n = 8;
	for (uint64_t some[4] = {0}; n; n--) {
		memcpy(some, (const char *)block + (n - 1) * (deep ? 32 : 16), deep ? 32 : 16);
		if (some[0] | some[1] | some[2] | some[3])
			break;
	}
	return n;
}

typedef float reduced8 __attribute__((vector_size(32)));
typedef int16_t reduced8_narrow __attribute__((vector_size(16)));
typedef int32_t reduced8_broad __attribute__((vector_size(32)));

/* The coefficients of a column of frequencies. */
V_INLINE void load_column(const void *column, int deep, const float *table, float out[8])
{
	reduced8 steps, x;
	memcpy(&steps, table, sizeof steps);
	if (deep) {
		reduced8_broad q;
		memcpy(&q, column, sizeof q);
		x = __builtin_convertvector(q, reduced8) * steps;
	} else {
		reduced8_narrow q;
		memcpy(&q, column, sizeof q);
		x = __builtin_convertvector(q, reduced8) * steps;
	}
	memcpy(out, &x, sizeof x);
}

/* Blocks of at most n by n means, as vectors of n. */
#define DEFINE_REDUCE(n) \
	typedef float means##n __attribute__((vector_size(4 * n))); \
	V_INLINE void reduce##n(const void *block, int deep, const float table[64], \
	                        const xc_mean_weights down, const xc_mean_weights across, float *to, \
	                        size_t stride) \
	{ \
		means##n sum[n] = {{0}}, weight, row; \
		const size_t columns = columns_of(block, deep); \
		for (size_t u = 0; u < columns; u++) { \
			const char *coefficients = (const char *)block + u * (deep ? 32 : 16); \
			means##n column = {0}; \
			float x[8]; \
			load_column(coefficients, deep, table + u * 8, x); \
			for (size_t v = 0; v < 8; v++) { \
				memcpy(&weight, down[v], sizeof weight); \
				column += weight * x[v]; \
			} \
			memcpy(&weight, across[u], sizeof weight); \
			for (size_t j = 0; j < n; j++) \
				sum[j] += weight * column[j]; \
		} \
		for (size_t j = 0; j < n; j++) { \
			memcpy(&row, to + j * stride, sizeof row); \
			row += sum[j]; \
			memcpy(to + j * stride, &row, sizeof row); \
		} \
	}

DEFINE_REDUCE(4)
DEFINE_REDUCE(8)
DEFINE_REDUCE(16)

static void reduce(const void *block, int deep, const float table[64], const xc_mean_weights down,
                   const xc_mean_weights across, uint32_t high, uint32_t wide, float *to,
                   size_t stride)
{
	/* The mean of a block of the DCT. */
	if (high == 1 && wide == 1) {
		const int32_t dc = deep ? *(const int32_t *)block : *(const int16_t *)block;
		*to += (float)dc * table[0] * down[0][0] * across[0][0];
		return;
	}
	const uint32_t most = high > wide ? high : wide;
	(most <= 4   ? reduce4
	 : most <= 8 ? reduce8
	             : reduce16)(block, deep, table, down, across, to, stride);
}

#endif
