/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A warp as an array of lanes.  On the device each thread is one lane and the array
 * has one element; anywhere else all 32 are there, one after the other, so that a
 * test can run the same code.  A file that includes this has set XC_REAL_BITS.
 *
 * A lane holds 8 rows of XC_COLS columns, 16 bytes a row; XC_SHARE lanes side by side
 * hold an 8x8 block.  xc_warp_to_rows() exchanges values among them until each holds
 * XC_ROWS whole rows of the block, and xc_warp_to_columns() takes that back.
 */
#ifndef XC_LAB_GPU_WARP_H
#define XC_LAB_GPU_WARP_H

#include "lab/real.h"

#define XC_COLS (16 / (int)sizeof(XC_REAL))
#define XC_SHARE (8 / XC_COLS)
#define XC_ROWS (8 / XC_SHARE)
#define XC_WARP_BLOCKS (32 / XC_SHARE)

#ifdef __CUDACC__
#define XC_HELD 1
#define XC_UNROLL _Pragma("unroll")
#else
#define XC_HELD 32
#define XC_UNROLL
#endif
#define XC_FOR_LANES(i) XC_UNROLL for (int i = 0; i < XC_HELD; i++)

typedef struct xc_lane {
	XC_REAL v[8 * XC_COLS];
} xc_lane;

XC_KERNEL int xc_lane_number(int i)
{
#ifdef __CUDACC__
	return i + (int)(threadIdx.x & 31);
#else
	return i;
#endif
}

/* Every lane's value becomes that of the lane whose number differs in `bit`, or of
 * the lane `distance` before it (its own where there is none). */
XC_KERNEL void xc_warp_swap(XC_REAL value[XC_HELD], int bit)
{
#ifdef __CUDACC__
	value[0] = __shfl_xor_sync(0xffffffffu, value[0], bit);
#else
	for (int i = 0; i < XC_HELD; i++) {
		if (!(i & bit)) {
			const XC_REAL t = value[i];
			value[i] = value[i | bit];
			value[i | bit] = t;
		}
	}
#endif
}

XC_KERNEL void xc_warp_from_before(XC_REAL value[XC_HELD], int distance)
{
#ifdef __CUDACC__
	value[0] = __shfl_up_sync(0xffffffffu, value[0], (unsigned)distance);
#else
	for (int i = XC_HELD - 1; i >= distance; i--)
		value[i] = value[i - distance];
#endif
}

/* Lanes that differ in `bit` hold `rows` rows of `cols` columns each, side by side:
 * the lower one takes the upper half of the rows of both, the other the lower half. */
XC_KERNEL void xc_warp_halve(xc_lane lane[XC_HELD], int bit, int rows, int cols)
{
	xc_lane old[XC_HELD];
	XC_FOR_LANES(i)
		old[i] = lane[i];
	XC_UNROLL
	for (int r = 0; r < rows / 2; r++) {
		XC_UNROLL
		for (int c = 0; c < cols; c++) {
			const int top = r * cols + c, bottom = top + rows / 2 * cols;
			XC_REAL got[XC_HELD];
			XC_FOR_LANES(i)
				got[i] = xc_lane_number(i) & bit ? old[i].v[top] : old[i].v[bottom];
			xc_warp_swap(got, bit);
			XC_FOR_LANES(i) {
				const int upper = xc_lane_number(i) & bit;
				lane[i].v[2 * r * cols + c] = upper ? got[i] : old[i].v[top];
				lane[i].v[(2 * r + 1) * cols + c] = upper ? old[i].v[bottom] : got[i];
			}
		}
	}
}

/* The reverse; rows and cols are those after it. */
XC_KERNEL void xc_warp_double(xc_lane lane[XC_HELD], int bit, int rows, int cols)
{
	xc_lane old[XC_HELD];
	XC_FOR_LANES(i)
		old[i] = lane[i];
	XC_UNROLL
	for (int r = 0; r < rows / 2; r++) {
		XC_UNROLL
		for (int c = 0; c < cols; c++) {
			const int left = 2 * r * cols + c, right = left + cols;
			const int top = r * cols + c, bottom = top + rows / 2 * cols;
			XC_REAL got[XC_HELD];
			XC_FOR_LANES(i)
				got[i] = xc_lane_number(i) & bit ? old[i].v[left] : old[i].v[right];
			xc_warp_swap(got, bit);
			XC_FOR_LANES(i) {
				const int upper = xc_lane_number(i) & bit;
				lane[i].v[top] = upper ? got[i] : old[i].v[left];
				lane[i].v[bottom] = upper ? old[i].v[right] : got[i];
			}
		}
	}
}

XC_KERNEL void xc_warp_to_rows(xc_lane lane[XC_HELD])
{
#if XC_REAL_BITS == 32
	xc_warp_halve(lane, 1, 8, 4);
#else
	xc_warp_halve(lane, 1, 8, 2);
	xc_warp_halve(lane, 2, 4, 4);
#endif
}

XC_KERNEL void xc_warp_to_columns(xc_lane lane[XC_HELD])
{
#if XC_REAL_BITS == 32
	xc_warp_double(lane, 1, 8, 4);
#else
	xc_warp_double(lane, 2, 4, 4);
	xc_warp_double(lane, 1, 8, 2);
#endif
}

#endif
