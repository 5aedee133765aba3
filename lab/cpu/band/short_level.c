/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs of blocks through the integer DCT of short8x8.h.  The makefile compiles this file once
 * a SIMD level and sets XC_SHORT_TABLE, the table's name.
 */
#include "lab/cpu/band/short.h"
#include "lab/cpu/band/short8x8.h"

#define XC_SHORT_RUN(name, transform) \
	static void name(const int16_t *in, ptrdiff_t in_stride, int16_t *out, ptrdiff_t out_stride, \
	                 size_t blocks) \
	{ \
		for (; blocks > 0; blocks--, in += 8, out += 8) { \
			int32_t v[8][8]; \
			for (int y = 0; y < 8; y++) \
				for (int x = 0; x < 8; x++) \
					v[y][x] = in[y * in_stride + x]; \
			transform(v); \
			for (int y = 0; y < 8; y++) \
				for (int x = 0; x < 8; x++) \
					out[y * out_stride + x] = (int16_t)v[y][x]; \
		} \
	}
XC_SHORT_RUN(forward, xc_short8x8_forward)
XC_SHORT_RUN(inverse, xc_short8x8_inverse)

const xc_short_function XC_SHORT_TABLE[2] = {forward, inverse};
