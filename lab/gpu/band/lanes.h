/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lanes of a warp (gpu/runtime/warp.h) that transform blocks.  A lane holds 8 rows of
 * XC_COLS columns, 16 bytes a row; XC_SHARE lanes side by side hold an 8x8 block.
 * xc_warp_to_rows() exchanges values among them until each holds XC_ROWS whole rows of the
 * block, and xc_warp_to_columns() takes that back.
 *
 * Included with XC_REAL_BITS set.
 */
#ifndef XC_LAB_GPU_BAND_LANES_H
#define XC_LAB_GPU_BAND_LANES_H

#include "gpu/runtime/threads.h"
#include "lab/real.h"

#define XC_COLS (16 / (int)sizeof(XC_REAL))
#define XC_SHARE (8 / XC_COLS)
#define XC_ROWS (8 / XC_SHARE)
#define XC_WARP_BLOCKS (32 / XC_SHARE)

typedef struct xc_lane {
	XC_REAL v[8 * XC_COLS];
} xc_lane;

/* Every lane's value becomes that of the lane whose number differs in `bit`. */
XC_GPU_INLINE void xc_warp_swap(XC_REAL value[XC_SLOTS], int bit)
{
#ifdef __CUDA_ARCH__
	value[0] = __shfl_xor_sync(XC_ALL_LANES, value[0], bit);
#else
	for (int i = 0; i < XC_SLOTS; i++) {
		if (!(i & bit)) {
			const XC_REAL t = value[i];
			value[i] = value[i | bit];
			value[i | bit] = t;
		}
	}
#endif
}

/* Every lane's value becomes that of the lane `distance` before it, or stays where there is
 * none. */
XC_GPU_INLINE void xc_warp_from_before(XC_REAL value[XC_SLOTS], int distance)
{
#ifdef __CUDA_ARCH__
	value[0] = __shfl_up_sync(XC_ALL_LANES, value[0], (unsigned)distance);
#else
	for (int i = XC_SLOTS - 1; i >= distance; i--)
		value[i] = value[i - distance];
#endif
}

/* Lanes that differ in `bit` hold `rows` rows of `cols` columns each, side by side: the lower
 * one takes the upper half of the rows of both, the other the lower half.  Or back; rows and
 * cols are then those afterwards. */
XC_GPU_INLINE void xc_warp_halve(xc_lane lane[XC_SLOTS], int bit, int rows, int cols,
                                 const int back)
{
	xc_lane old[XC_SLOTS];
	XC_FOR_LANES(i)
		old[XC_SLOT(i)] = lane[XC_SLOT(i)];
	XC_UNROLL
	for (int r = 0; r < rows / 2; r++) {
		XC_UNROLL
		for (int c = 0; c < cols; c++) {
			const int top = r * cols + c, bottom = top + rows / 2 * cols;
			const int left = 2 * r * cols + c, right = left + cols;
			const int first = back ? left : top, second = back ? right : bottom;
			XC_REAL got[XC_SLOTS];
			XC_FOR_LANES(i) {
				const xc_lane *const l = &old[XC_SLOT(i)];
				got[XC_SLOT(i)] = i & bit ? l->v[first] : l->v[second];
			}
			xc_warp_swap(got, bit);
			XC_FOR_LANES(i) {
				const xc_lane *const l = &old[XC_SLOT(i)];
				XC_REAL *const v = lane[XC_SLOT(i)].v;
				v[back ? top : left] = i & bit ? got[XC_SLOT(i)] : l->v[first];
				v[back ? bottom : right] = i & bit ? l->v[second] : got[XC_SLOT(i)];
			}
		}
	}
}

XC_GPU_INLINE void xc_warp_to_rows(xc_lane lane[XC_SLOTS])
{
	xc_warp_halve(lane, 1, 8, XC_COLS, 0);
	if (XC_SHARE == 4)
		xc_warp_halve(lane, 2, 4, 4, 0);
}

XC_GPU_INLINE void xc_warp_to_columns(xc_lane lane[XC_SLOTS])
{
	if (XC_SHARE == 4)
		xc_warp_halve(lane, 2, 4, 4, 1);
	xc_warp_halve(lane, 1, 8, XC_COLS, 1);
}

#endif
