/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Vectors as tiles of 8x8 blocks: lab/lanes.h with the transpositions of the
 * 8-band transforms.  This also gives the kernel headers their value type and
 * multiply-add.
 */
#ifndef XC_LAB_CPU_BAND_LANES_H
#define XC_LAB_CPU_BAND_LANES_H

#include "lab/lanes.h"

/* A tile is 8 rows of XC_WIDTH samples: XC_BLOCKS 8x8 blocks side by side, in
 * XC_GROUPS groups of 8 vectors.  v[8 * g + y] holds columns XC_LANES * g and on
 * of row y. */
#define XC_GROUPS (XC_LANES < 8 ? 8 / XC_LANES : 1)
#define XC_BLOCKS (XC_LANES < 8 ? 1 : XC_LANES / 8)
#define XC_WIDTH (8 * XC_BLOCKS)

#define XC_V xc_v
#define XC_MADD(a, k, c) xc_multiply_add(a, xc_splat(k), c)
#include "lab/kernel.h"

/* ---------------------------------------------------- transposition */

#define XC_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
/* a, b become the two shuffles of them. */
#define XC_SHUFFLE_PAIR(a, b, low, high) \
	do { \
		const xc_v a_ = (a), b_ = (b); \
		(a) = XC_SHUFFLE(a_, b_, low); \
		(b) = XC_SHUFFLE(a_, b_, high); \
	} while (0)
#define XC_LIST(...) __VA_ARGS__

/* xc_transpose_lanes: min(XC_LANES, 8) vectors as a square matrix, or two side by
 * side for 16 lanes. */
#if XC_LANES == 1
XC_INLINE void xc_transpose_lanes(xc_v r[1])
{
	(void)r;
}
#elif XC_LANES == 2
XC_INLINE void xc_transpose_lanes(xc_v r[2])
{
	XC_SHUFFLE_PAIR(r[0], r[1], XC_LIST(0, 2), XC_LIST(1, 3));
}
#elif XC_LANES == 4
#if XC_REAL_BITS == 32
#define XC_LOW1 XC_LIST(0, 4, 1, 5)
#define XC_HIGH1 XC_LIST(2, 6, 3, 7)
#else
#define XC_LOW1 XC_LIST(0, 4, 2, 6)
#define XC_HIGH1 XC_LIST(1, 5, 3, 7)
#endif
#define XC_LOW2 XC_LIST(0, 1, 4, 5)
#define XC_HIGH2 XC_LIST(2, 3, 6, 7)
XC_INLINE void xc_transpose_lanes(xc_v r[4])
{
	XC_SHUFFLE_PAIR(r[0], r[1], XC_LOW1, XC_HIGH1);
	XC_SHUFFLE_PAIR(r[2], r[3], XC_LOW1, XC_HIGH1);
	XC_SHUFFLE_PAIR(r[0], r[2], XC_LOW2, XC_HIGH2);
	XC_SHUFFLE_PAIR(r[1], r[3], XC_LOW2, XC_HIGH2);
	/* single precision leaves columns 0, 2, 1, 3 in place */
	if (XC_REAL_BITS == 32) {
		const xc_v t = r[1];
		r[1] = r[2];
		r[2] = t;
	}
}
#else
#if XC_LANES == 8 && XC_REAL_BITS == 64
/* each instruction moves pairs within 16 bytes, then 16-byte parts */
#define XC_LOW1 XC_LIST(0, 8, 2, 10, 4, 12, 6, 14)
#define XC_HIGH1 XC_LIST(1, 9, 3, 11, 5, 13, 7, 15)
#define XC_LOW2 XC_LIST(0, 1, 4, 5, 8, 9, 12, 13)
#define XC_HIGH2 XC_LIST(2, 3, 6, 7, 10, 11, 14, 15)
#define XC_LOW4 XC_LOW2
#define XC_HIGH4 XC_HIGH2
#elif XC_LANES == 8
#define XC_LOW1 XC_LIST(0, 8, 1, 9, 4, 12, 5, 13)
#define XC_HIGH1 XC_LIST(2, 10, 3, 11, 6, 14, 7, 15)
#define XC_LOW2 XC_LIST(0, 1, 8, 9, 4, 5, 12, 13)
#define XC_HIGH2 XC_LIST(2, 3, 10, 11, 6, 7, 14, 15)
#define XC_LOW4 XC_LIST(0, 1, 2, 3, 8, 9, 10, 11)
#define XC_HIGH4 XC_LIST(4, 5, 6, 7, 12, 13, 14, 15)
#else
#define XC_LOW1 XC_LIST(0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29)
#define XC_HIGH1 XC_LIST(2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)
#define XC_LOW2 XC_LIST(0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
#define XC_HIGH2 XC_LIST(2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)
#define XC_LOW4 XC_LIST(0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27)
#define XC_HIGH4 XC_LIST(4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31)
#endif
XC_INLINE void xc_transpose_lanes(xc_v r[8])
{
	for (int i = 0; i < 8; i += 2)
		XC_SHUFFLE_PAIR(r[i], r[i + 1], XC_LOW1, XC_HIGH1);
	for (int i = 0; i < 8; i += 4) {
		XC_SHUFFLE_PAIR(r[i], r[i + 2], XC_LOW2, XC_HIGH2);
		XC_SHUFFLE_PAIR(r[i + 1], r[i + 3], XC_LOW2, XC_HIGH2);
	}
	for (int i = 0; i < 4; i++)
		XC_SHUFFLE_PAIR(r[i], r[i + 4], XC_LOW4, XC_HIGH4);
	/* single precision leaves columns 1 and 2, and 5 and 6, exchanged */
	if (XC_REAL_BITS == 32) {
		for (int i = 1; i < 8; i += 4) {
			const xc_v t = r[i];
			r[i] = r[i + 1];
			r[i + 1] = t;
		}
	}
}
#endif

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

/* For each block of v the one left of it, the first one's being the last of `before`. */
XC_INLINE xc_v xc_block_before(xc_v before, xc_v v)
{
#if XC_LANES == 16
	return XC_SHUFFLE(before, v, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23);
#else
	(void)v;
	return before;
#endif
}

#endif
