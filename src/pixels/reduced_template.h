/* SPDX-License-Identifier: BSD-2-Clause */
/* Coefficients to means of samples, for one SIMD level: a part of kernels_level.c. */
#ifndef XC_SRC_PIXELS_REDUCED_TEMPLATE_H
#define XC_SRC_PIXELS_REDUCED_TEMPLATE_H

#include <string.h>

#include "src/pixels/kernels.h"
#include "src/pixels/vec.h"

typedef float reduced4 __attribute__((vector_size(16)));
typedef float reduced8 __attribute__((vector_size(32)));
typedef int16_t reduced8_narrow __attribute__((vector_size(16)));
typedef int32_t reduced8_broad __attribute__((vector_size(32)));

/* 1: a coefficient of columns `from` to `end` - 1 of frequencies is not zero. */
V_INLINE int any_of(const void *block, int depth16, size_t from, size_t end)
{
	const size_t column = depth16 ? 32 : 16;
	uint64_t all = 0, some;

	for (size_t i = from * column; i < end * column; i += sizeof some) {
		memcpy(&some, (const char *)block + i, sizeof some);
		all |= some;
	}
	return all != 0;
}

/* The number of columns of frequencies to read: 2, 4 or 8; all others are zero. */
V_INLINE size_t columns_of(const void *block, int depth16)
{
	return any_of(block, depth16, 4, 8) ? 8 : any_of(block, depth16, 2, 4) ? 4 : 2;
}

/* Loads and dequantizes a column of frequencies. */
V_INLINE void load_column(const void *block, int depth16, const float *table, size_t u, reduced8 *x)
{
	reduced8 steps;

	memcpy(&steps, table + u * 8, sizeof steps);
	if (depth16) {
		reduced8_broad q;
		memcpy(&q, (const char *)block + u * sizeof q, sizeof q);
		*x = __builtin_convertvector(q, reduced8) * steps;
	} else {
		reduced8_narrow q;
		memcpy(&q, (const char *)block + u * sizeof q, sizeof q);
		*x = __builtin_convertvector(q, reduced8) * steps;
	}
}

V_INLINE void add_four(float *to, reduced4 x)
{
	reduced4 sum;

	memcpy(&sum, to, sizeof sum);
	sum += x;
	memcpy(to, &sum, sizeof sum);
}

/* Adds four columns of 8 to 8 rows. */
V_INLINE void add_columns(const reduced8 c[4], float *to, size_t stride)
{
	const reduced8 t[4] = {V_SHUFFLE(c[0], c[1], 0, 8, 1, 9, 4, 12, 5, 13),
	                       V_SHUFFLE(c[2], c[3], 0, 8, 1, 9, 4, 12, 5, 13),
	                       V_SHUFFLE(c[0], c[1], 2, 10, 3, 11, 6, 14, 7, 15),
	                       V_SHUFFLE(c[2], c[3], 2, 10, 3, 11, 6, 14, 7, 15)};

	for (size_t i = 0; i < 2; i++, to += 2 * stride) {
		const reduced8 even = V_SHUFFLE(t[2 * i], t[2 * i + 1], 0, 1, 8, 9, 4, 5, 12, 13);
		const reduced8 odd = V_SHUFFLE(t[2 * i], t[2 * i + 1], 2, 3, 10, 11, 6, 7, 14, 15);
		add_four(to, V_SHUFFLE(even, even, 0, 1, 2, 3));
		add_four(to + stride, V_SHUFFLE(odd, odd, 0, 1, 2, 3));
		add_four(to + 4 * stride, V_SHUFFLE(even, even, 4, 5, 6, 7));
		add_four(to + 5 * stride, V_SHUFFLE(odd, odd, 4, 5, 6, 7));
	}
}

/* See xc_kernels.reduce_across. n: constant number of means, at least the span; those beyond it
 * have weight 0. State: `sum`, n columns of 8 frequencies. Each block reads 64 coefficients and
 * adds to n columns of 8 rows. */
V_INLINE void reduce_blocks(const void *blocks, size_t count, int depth16, const float table[64],
                            const xc_mean_weights weights, size_t hop, size_t n, float *to,
                            size_t stride)
{
	for (const char *b = blocks; count--; b += depth16 ? 256 : 128, to += hop) {
		const size_t columns = columns_of(b, depth16);
		reduced8 sum[16] = {{0}};
		for (size_t u = 0; u < columns; u++) {
			reduced8 x;
			load_column(b, depth16, table, u, &x);
			for (size_t i = 0; i < n; i++)
				sum[i] += x * weights[u][i];
		}
		for (size_t i = 0; i < n; i += 4)
			add_columns(sum + i, to + i, stride);
	}
}

V_INLINE void reduce_depth(const void *blocks, size_t count, int depth16, const float table[64],
                           const xc_mean_weights weights, uint32_t hop, uint32_t span, float *to,
                           size_t stride)
{
	if (span <= 4)
		reduce_blocks(blocks, count, depth16, table, weights, hop, 4, to, stride);
	else if (span <= 8)
		reduce_blocks(blocks, count, depth16, table, weights, hop, 8, to, stride);
	else
		reduce_blocks(blocks, count, depth16, table, weights, hop, 16, to, stride);
}

static void reduce_across(const void *blocks, size_t count, int depth16, const float table[64],
                          const xc_mean_weights weights, uint32_t hop, uint32_t span, float *to,
                          size_t stride)
{
	if (depth16)
		reduce_depth(blocks, count, 1, table, weights, hop, span, to, stride);
	else
		reduce_depth(blocks, count, 0, table, weights, hop, span, to, stride);
}

static void reduce_down(const float *rows, size_t stride, const xc_mean_weights weights,
                        uint32_t mean, size_t n, float *to)
{
	for (size_t i = 0; i < n; i += XC_LANES) {
		vf sum = v_load(to + i);
		for (size_t v = 0; v < 8; v++)
			sum += v_load(rows + v * stride + i) * weights[v][mean];
		v_store(to + i, sum);
	}
}

#endif
