/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The codec's two lapped transforms of 8 coefficients, as steps on 8 samples that work in place.
 * The forward transform first takes an *edge step* on the 4 samples on either side of each block
 * edge, then a *block step* on the 8 values of each block. The inverse takes the block steps first.
 * Edges do not share samples, and neither do blocks.
 *
 *            block edge  block edge  block edge
 *                v           v           v
 *   ... . . . . . . . . . . . . . . . . . . . . . . . . ...
 *            [edge step  ][edge step  ][edge step  ]
 *      [block step ][block step ][block step ]
 *
 * LOT: H. S. Malvar and D. H. Staelin, "The LOT: transform coding without blocking effects", IEEE
 * Trans. ASSP 37 (1989) 553-559, in its fast form of type I. Its DCTs lie on the edges;
 * coefficients come out orthonormal. The picture goes on as its mirror image: at its own edges the
 * edge step gets 4 samples and their mirror image, and 4 of the values that come out are those on
 * the picture's side. Coding gain for an AR(1) source of 0.95: 9.20 dB (the DCT's: 8.83).
 *
 * TDLT: T. D. Tran, J. Liang and C. Tu, "Lapped transform via time-domain pre- and post-filtering",
 * IEEE Trans. Signal Processing 51 (2003) 1557-1571, orthogonal. The edge step is a filter; the
 * block step is the DCT of dct8.h and so has its scaling. The picture's own edges are left alone.
 * Coding gain 9.26 dB.
 *
 * 8 samples, additions and multiplications: LOT edge 37 and 13, block 14 and 12; TDLT edge 24 and
 * 16, block (the DCT) 29 and 5.
 *
 * Include with XC_V as the value type, as dct8.h. The order of operations is part of the format.
 */
#ifndef XC_TRANSFORM_LAPPED8_H
#define XC_TRANSFORM_LAPPED8_H

#include "transform/dct8.h"

/* The edge filter is 1/2 [I J; J -I] diag(I, V) [I J; J -I], J the reversal, V orthogonal and
 * optimised for an AR(1) source of 0.95 (its digits: tdlt8.h). With d the differences of mirrored
 * samples that is x + [-J; I] (I - V)/2 d, and the way back has the transpose of V. This is (V -
 * I)/2, row by row. */
#define XC_TDLT8_00 -0.0901872797501459194f
#define XC_TDLT8_01 0.278002888097743312f
#define XC_TDLT8_02 0.0645491460975078198f
#define XC_TDLT8_03 0.0245221587306468680f
#define XC_TDLT8_10 -0.279469827672189238f
#define XC_TDLT8_11 -0.135000083487806722f
#define XC_TDLT8_12 0.195932091377484742f
#define XC_TDLT8_13 0.0168015456258170340f
#define XC_TDLT8_20 0.0590345110821556215f
#define XC_TDLT8_21 -0.198492624008899047f
#define XC_TDLT8_22 -0.0536346092188612778f
#define XC_TDLT8_23 0.0887329850064450224f
#define XC_TDLT8_30 -0.0215656264361602830f
#define XC_TDLT8_31 0.00949385956644505739f
#define XC_TDLT8_32 -0.0905646797561281805f
#define XC_TDLT8_33 -0.00883523215969719670f

/* x[0..3] lie before the edge, x[4..7] after it. */
static inline XC_DEVICE void xc_tdlt8_forward_edge(XC_V x[8])
{
	const XC_V d0 = x[3] - x[4], d1 = x[2] - x[5], d2 = x[1] - x[6], d3 = x[0] - x[7];
	const XC_V c0 = ((d0 * XC_TDLT8_00 + d1 * XC_TDLT8_01) + d2 * XC_TDLT8_02) + d3 * XC_TDLT8_03;
	const XC_V c1 = ((d0 * XC_TDLT8_10 + d1 * XC_TDLT8_11) + d2 * XC_TDLT8_12) + d3 * XC_TDLT8_13;
	const XC_V c2 = ((d0 * XC_TDLT8_20 + d1 * XC_TDLT8_21) + d2 * XC_TDLT8_22) + d3 * XC_TDLT8_23;
	const XC_V c3 = ((d0 * XC_TDLT8_30 + d1 * XC_TDLT8_31) + d2 * XC_TDLT8_32) + d3 * XC_TDLT8_33;

	x[3] = x[3] + c0;
	x[4] = x[4] - c0;
	x[2] = x[2] + c1;
	x[5] = x[5] - c1;
	x[1] = x[1] + c2;
	x[6] = x[6] - c2;
	x[0] = x[0] + c3;
	x[7] = x[7] - c3;
}

static inline XC_DEVICE void xc_tdlt8_inverse_edge(XC_V x[8])
{
	const XC_V d0 = x[3] - x[4], d1 = x[2] - x[5], d2 = x[1] - x[6], d3 = x[0] - x[7];
	const XC_V c0 = ((d0 * XC_TDLT8_00 + d1 * XC_TDLT8_10) + d2 * XC_TDLT8_20) + d3 * XC_TDLT8_30;
	const XC_V c1 = ((d0 * XC_TDLT8_01 + d1 * XC_TDLT8_11) + d2 * XC_TDLT8_21) + d3 * XC_TDLT8_31;
	const XC_V c2 = ((d0 * XC_TDLT8_02 + d1 * XC_TDLT8_12) + d2 * XC_TDLT8_22) + d3 * XC_TDLT8_32;
	const XC_V c3 = ((d0 * XC_TDLT8_03 + d1 * XC_TDLT8_13) + d2 * XC_TDLT8_23) + d3 * XC_TDLT8_33;

	x[3] = x[3] + c0;
	x[4] = x[4] - c0;
	x[2] = x[2] + c1;
	x[5] = x[5] - c1;
	x[1] = x[1] + c2;
	x[6] = x[6] - c2;
	x[0] = x[0] + c3;
	x[7] = x[7] - c3;
}

/* Butterflies between an even (e) and an odd (o) coefficient of a DCT. */
#define XC_LOT8_SPLIT(before, after, e, o, even, odd) \
	do { \
		const XC_V e_ = (e) * (even), o_ = (o) * (odd); \
		(before) = e_ + o_; \
		(after) = e_ - o_; \
	} while (0)

/* Turns 8 samples around an edge into the values for the block before it (x[0..3]) and those for
 * the block after it (x[4..7]). The factors are 1 / (4 sqrt(2) XC_AAN_SCALE[k]): orthonormal
 * coefficients, and 1/2 for the butterflies of both steps. */
static inline XC_DEVICE void xc_lot8_forward_edge(XC_V x[8])
{
	XC_V t[8];

	for (int i = 0; i < 8; i++)
		t[i] = x[i];
	xc_dct8_forward(t);
	XC_LOT8_SPLIT(x[0], x[4], t[0], t[1], 0.176776695296636881f, 0.127448894776039791f);
	XC_LOT8_SPLIT(x[1], x[5], t[2], t[3], 0.135299025036549246f, 0.150336221733761316f);
	XC_LOT8_SPLIT(x[2], x[6], t[4], t[5], 0.176776695296636881f, 0.224994055784103880f);
	XC_LOT8_SPLIT(x[3], x[7], t[6], t[7], 0.326640741219094132f, 0.640728861935376545f);
}

/* The factors are XC_AAN_SCALE[k] / (4 sqrt(2)). */
static inline XC_DEVICE void xc_lot8_inverse_edge(XC_V x[8])
{
	XC_V t[8];

	t[0] = (x[0] + x[4]) * 0.176776695296636881f;
	t[1] = (x[0] - x[4]) * 0.245196320100807612f;
	t[2] = (x[1] + x[5]) * 0.230969883127821689f;
	t[3] = (x[1] - x[5]) * 0.207867403075636307f;
	t[4] = (x[2] + x[6]) * 0.176776695296636881f;
	t[5] = (x[2] - x[6]) * 0.138892558254900579f;
	t[6] = (x[3] + x[7]) * 0.0956708580912724486f;
	t[7] = (x[3] - x[7]) * 0.0487725805040320585f;
	xc_dct8_inverse(t);
	for (int i = 0; i < 8; i++)
		x[i] = t[i];
}

/* (a, b) turned by the angle of cosine c and sine s. */
#define XC_LOT8_ROTATE(a, b, c, s) \
	do { \
		const XC_V a_ = (a), b_ = (b); \
		(a) = a_ * (c)-b_ * (s); \
		(b) = a_ * (s) + b_ * (c); \
	} while (0)
/* cos and sin of 0.13 pi and 0.16 pi */
#define XC_LOT8_COS13 0.917754625683981141f
#define XC_LOT8_SIN13 0.397147890634780614f
#define XC_LOT8_COS16 0.876306680043863587f
#define XC_LOT8_SIN16 0.481753674101715275f

/* Turns the values from the edges before (x[0..3]) and after a block into coefficients. */
static inline XC_DEVICE void xc_lot8_forward_block(XC_V x[8])
{
	const XC_V p0 = x[0] + x[4], p1 = x[1] + x[5], p2 = x[2] + x[6], p3 = x[3] + x[7];
	XC_V q0 = x[0] - x[4], q1 = x[1] - x[5], q2 = x[2] - x[6], q3 = x[3] - x[7];

	XC_LOT8_ROTATE(q0, q1, XC_LOT8_COS13, XC_LOT8_SIN13);
	XC_LOT8_ROTATE(q1, q2, XC_LOT8_COS16, XC_LOT8_SIN16);
	XC_LOT8_ROTATE(q2, q3, XC_LOT8_COS13, XC_LOT8_SIN13);
	x[0] = p0;
	x[1] = q0;
	x[2] = p1;
	x[3] = q1;
	x[4] = p2;
	x[5] = q2;
	x[6] = p3;
	x[7] = q3;
}

static inline XC_DEVICE void xc_lot8_inverse_block(XC_V x[8])
{
	const XC_V p0 = x[0], p1 = x[2], p2 = x[4], p3 = x[6];
	XC_V q0 = x[1], q1 = x[3], q2 = x[5], q3 = x[7];

	XC_LOT8_ROTATE(q2, q3, XC_LOT8_COS13, -XC_LOT8_SIN13);
	XC_LOT8_ROTATE(q1, q2, XC_LOT8_COS16, -XC_LOT8_SIN16);
	XC_LOT8_ROTATE(q0, q1, XC_LOT8_COS13, -XC_LOT8_SIN13);
	x[0] = p0 + q0;
	x[4] = p0 - q0;
	x[1] = p1 + q1;
	x[5] = p1 - q1;
	x[2] = p2 + q2;
	x[6] = p2 - q2;
	x[3] = p3 + q3;
	x[7] = p3 - q3;
}

#endif
