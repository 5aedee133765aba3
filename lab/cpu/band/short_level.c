/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs of blocks through the integer DCT of short8x8.h.  The makefile compiles this file once for
 * each SIMD level and sets XC_SHORT_RUN, the function's name.
 */
#include "lab/cpu/band/band.h"
#include "lab/cpu/band/short8x8.h"

XC_KERNEL void run(const int16_t *in, ptrdiff_t in_stride, int16_t *out, ptrdiff_t out_stride,
                   size_t blocks, const int back)
{
	for (; blocks > 0; blocks--, in += 8, out += 8) {
		int32_t v[8][8];
		for (int y = 0; y < 8; y++)
			for (int x = 0; x < 8; x++)
				v[y][x] = in[y * in_stride + x];
		xc_short8x8(v, back);
		for (int y = 0; y < 8; y++)
			for (int x = 0; x < 8; x++)
				out[y * out_stride + x] = (int16_t)v[y][x];
	}
}

/* The compiler makes better vectors of loops in which the direction is a constant. */
void XC_SHORT_RUN(const int16_t *in, ptrdiff_t in_stride, int16_t *out, ptrdiff_t out_stride,
                  size_t blocks, xct_direction direction)
{
	if (direction == XCT_FORWARD)
		run(in, in_stride, out, out_stride, blocks, 0);
	else
		run(in, in_stride, out, out_stride, blocks, 1);
}
