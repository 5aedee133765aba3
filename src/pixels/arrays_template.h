/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loops from pixels to arrays for src/pixels/kernels_level.c: samples to planes, integers to floats.
 * They are plain C, of which the compiler makes vectors of each level; every float is rounded after
 * each operation, so all levels give the same bits.
 */
#ifndef XC_SRC_PIXELS_ARRAYS_TEMPLATE_H
#define XC_SRC_PIXELS_ARRAYS_TEMPLATE_H

#include <stddef.h>
#include <stdint.h>

#include "transform/samples.h"

#define DEFINE_ARRAYS(depth, sample) \
	static void split##depth(const void *pixels, size_t n, uint32_t channels, void *const to[4]) \
	{ \
		const sample *restrict p = pixels; \
		sample *restrict a = to[0], *restrict b = to[1], *restrict c = to[2], *restrict d = to[3]; \
\
		if (channels == 2) \
			for (size_t i = 0; i < n; i++) \
				a[i] = p[2 * i], b[i] = p[2 * i + 1]; \
		else if (channels == 3) \
			for (size_t i = 0; i < n; i++) \
				a[i] = p[3 * i], b[i] = p[3 * i + 1], c[i] = p[3 * i + 2]; \
		else \
			for (size_t i = 0; i < n; i++) \
				a[i] = p[4 * i], b[i] = p[4 * i + 1], c[i] = p[4 * i + 2], d[i] = p[4 * i + 3]; \
	} \
	static void floats##depth(const void *samples, size_t n, float largest, const float *means, \
	                          const float *deviations, float *restrict to) \
	{ \
		const sample *restrict p = samples; \
\
		for (size_t i = 0; i < n; i++) \
			to[i] = xc_sample_float(p[i], largest, means[i], deviations[i]); \
	}

DEFINE_ARRAYS(8, uint8_t)
DEFINE_ARRAYS(16, uint16_t)

static void halves(const float *restrict from, size_t n, uint16_t *restrict to)
{
	for (size_t i = 0; i < n; i++)
		to[i] = xc_half_bits(from[i]);
}

#endif
