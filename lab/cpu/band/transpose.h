/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tiles of 8x8 blocks in lanes, and their transposition.  This also gives the kernel headers
 * their value type and multiply-add.
 */
#ifndef XC_LAB_CPU_BAND_TRANSPOSE_H
#define XC_LAB_CPU_BAND_TRANSPOSE_H

#include "lab/cpu/lanes.h"

/* A tile is 8 rows of XC_WIDTH samples: XC_BLOCKS 8x8 blocks side by side, in XC_GROUPS groups of 8
 * vectors.  v[8 * g + y] holds columns XC_LANES * g and on of row y. */
#define XC_GROUPS (XC_LANES < 8 ? 8 / XC_LANES : 1)
#define XC_BLOCKS (XC_LANES < 8 ? 1 : XC_LANES / 8)
#define XC_WIDTH (8 * XC_BLOCKS)

#define XC_V xc_v
#define XC_MADD(a, k, c) xc_multiply_add(a, xc_splat(k), c)
#include "lab/kernels/kernel.h"

/* a, b become the two shuffles of them. */
#define XC_SHUFFLE_PAIR(a, b, low, high) \
	do { \
		const xc_v a_ = (a), b_ = (b); \
		(a) = XC_SHUFFLE(a_, b_, low); \
		(b) = XC_SHUFFLE(a_, b_, high); \
	} while (0)

/* Exchanges of 1, 2 and 4 lanes, each by the cheapest instruction: less than 16 bytes are exchanged
 * within 16 bytes, more as parts of 16 bytes. */
#if XC_REAL_BITS == 32
#define XC_LOW1(i) ((i) / 4 * 4 + (i) % 4 / 2 + ((i)&1) * XC_LANES)
#define XC_HIGH1(i) (XC_LOW1(i) + 2)
#else
#define XC_LOW1(i) (((i) & ~1) + ((i)&1) * XC_LANES)
#define XC_HIGH1(i) (XC_LOW1(i) + 1)
#endif
#if XC_REAL_BITS == 32 || XC_LANES == 4
#define XC_LOW2(i) ((i) / 4 * 4 + ((i)&1) + ((i)&2) / 2 * XC_LANES)
#define XC_LOW4(i) ((i) / 8 * 8 + ((i)&3) + ((i)&4) / 4 * XC_LANES)
#define XC_HIGH4(i) (XC_LOW4(i) + 4)
#else
#define XC_LOW2(i) ((i) / 2 * 4 + ((i)&1))
#define XC_LOW4(i) XC_LOW2(i)
#define XC_HIGH4(i) XC_HIGH2(i)
#endif
#define XC_HIGH2(i) (XC_LOW2(i) + 2)

/* min(XC_LANES, 8) vectors as a square matrix, or as two side by side for 16 lanes. */
XC_INLINE void xc_transpose_lanes(xc_v *r)
{
	(void)r;
#if XC_LANES > 1
	const int rows = XC_LANES < 8 ? XC_LANES : 8;
	for (int i = 0; i < rows; i += 2)
		XC_SHUFFLE_PAIR(r[i], r[i + 1], XC_LOW1, XC_HIGH1);
#endif
#if XC_LANES > 2
	for (int i = 0; i < rows; i += 4) {
		XC_SHUFFLE_PAIR(r[i], r[i + 2], XC_LOW2, XC_HIGH2);
		XC_SHUFFLE_PAIR(r[i + 1], r[i + 3], XC_LOW2, XC_HIGH2);
	}
#endif
#if XC_LANES > 4
	for (int i = 0; i < 4; i++)
		XC_SHUFFLE_PAIR(r[i], r[i + 4], XC_LOW4, XC_HIGH4);
#endif
#if XC_LANES > 2 && XC_REAL_BITS == 32
	/* Single precision leaves columns 1 and 2, and 5 and 6, exchanged. */
	for (int i = 1; i < rows; i += 4) {
		const xc_v t = r[i];
		r[i] = r[i + 1];
		r[i + 1] = t;
	}
#endif
}

/* All 8x8 blocks of a tile. */
XC_INLINE void xc_transpose_tile(xc_v v[8 * XC_GROUPS])
{
	for (int g = 0; g < XC_GROUPS; g++)
		for (int h = 0; h < XC_GROUPS; h++)
			xc_transpose_lanes(v + 8 * g + 8 / XC_GROUPS * h);
	for (int g = 0; g < XC_GROUPS; g++) {
		for (int h = g + 1; h < XC_GROUPS; h++) {
			for (int i = 0; i < 8 / XC_GROUPS; i++) {
				const xc_v t = v[8 * g + XC_LANES * h + i];
				v[8 * g + XC_LANES * h + i] = v[8 * h + XC_LANES * g + i];
				v[8 * h + XC_LANES * g + i] = t;
			}
		}
	}
}

/* For each block of v the one left of it; left of the first one is the last of `before`. */
XC_INLINE xc_v xc_block_before(xc_v before, xc_v v)
{
#if XC_LANES == 16
#define XC_RULE_LEFT(i) ((i) + 8)
	return XC_SHUFFLE(before, v, XC_RULE_LEFT);
#else
	(void)v;
	return before;
#endif
}

#endif
