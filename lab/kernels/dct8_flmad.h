/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scaled 8-point DCT for machines that multiply and add at once: E. Feig and E. Linzer,
 * "Discrete cosine transform algorithms for image data compression", Proc. Electronic Imaging '90
 * East (1990) 84-87; Larsen 2006, section 3.2.4: C = D A3 A2 A1 A0, the factors taking 8 additions,
 * 6 additions, 4 multiply-adds, and 2 additions with 6 multiply-adds; D is the scaling.
 *
 * 8 points: 16 additions, 10 multiply-adds; 8x8: 256 and 160, which is Feig and Linzer's 416, and
 * 64 multiplications for the scaling.  The inverse is the transposed flow graph, with the same
 * counts and the same scaling before it.
 *
 * Where there is no fused multiply-add, each is a multiplication and an addition.
 */
#ifndef XC_LAB_KERNELS_DCT8_FLMAD_H
#define XC_LAB_KERNELS_DCT8_FLMAD_H

#include "lab/kernels/kernel.h"

/* With X orthonormal, forward leaves X[k] / scale[k] and inverse wants
 * X[k] * scale[k]: sqrt(1/8), c1/2, c2/2, c3/2, sqrt(1/8), c3/2, c2/2, -c1/2. */
#define XC_DCT8_FLMAD_SCALES \
	{ \
		0.35355339059327376220042218105242451964L, 0.49039264020161522456309111806711951849L, \
			0.46193976625564337806409159469839414341L, 0.41573480615127261853939418880895287837L, \
			0.35355339059327376220042218105242451964L, 0.41573480615127261853939418880895287837L, \
			0.46193976625564337806409159469839414341L, -0.49039264020161522456309111806711951849L, \
	}

XC_KERNEL void xc_dct8_flmad_forward(XC_V x[8])
{
	/* A0 */
	XC_V s[4], d[4];
	xc_split_mirrored(x, 1, s, d);
	/* A1 */
	const XC_V e0 = XC_ADD(s[0], s[3]), e2 = XC_SUB(s[0], s[3]);
	const XC_V e1 = XC_ADD(s[1], s[2]), e3 = XC_SUB(s[2], s[1]);
	const XC_V sum = XC_ADD(d[1], d[2]), diff = XC_SUB(d[1], d[2]);
	/* A2 */
	const XC_V a = XC_MADD(sum, XC_C4, d[0]), b = XC_MADD(sum, -XC_C4, d[0]);
	const XC_V c = XC_MADD(diff, XC_C4, d[3]), g = XC_MADD(diff, -XC_C4, d[3]);
	/* A3 */
	x[0] = XC_ADD(e0, e1);
	x[4] = XC_SUB(e0, e1);
	x[2] = XC_MADD(e3, -XC_T2, e2);
	x[6] = XC_MADD(e2, XC_T2, e3);
	x[1] = XC_MADD(c, XC_T1, a);
	x[7] = XC_MADD(a, -XC_T1, c);
	x[3] = XC_MADD(g, -XC_T3, b);
	x[5] = XC_MADD(b, XC_T3, g);
}

XC_KERNEL void xc_dct8_flmad_inverse(XC_V x[8])
{
	/* A3' */
	const XC_V e0 = XC_ADD(x[0], x[4]), e1 = XC_SUB(x[0], x[4]);
	const XC_V e2 = XC_MADD(x[6], XC_T2, x[2]), e3 = XC_MADD(x[2], -XC_T2, x[6]);
	const XC_V a = XC_MADD(x[7], -XC_T1, x[1]), c = XC_MADD(x[1], XC_T1, x[7]);
	const XC_V b = XC_MADD(x[5], XC_T3, x[3]), d = XC_MADD(x[3], -XC_T3, x[5]);
	/* A2', but for the factor c4 of sum and diff */
	const XC_V d0 = XC_ADD(a, b), sum = XC_SUB(a, b);
	const XC_V d3 = XC_ADD(c, d), diff = XC_SUB(c, d);
	/* A1' */
	const XC_V s0 = XC_ADD(e0, e2), s3 = XC_SUB(e0, e2);
	const XC_V s1 = XC_SUB(e1, e3), s2 = XC_ADD(e1, e3);
	const XC_V d1 = XC_ADD(sum, diff), d2 = XC_SUB(sum, diff);
	/* A0', with that factor */
	x[0] = XC_ADD(s0, d0);
	x[7] = XC_SUB(s0, d0);
	x[1] = XC_MADD(d1, XC_C4, s1);
	x[6] = XC_MADD(d1, -XC_C4, s1);
	x[2] = XC_MADD(d2, XC_C4, s2);
	x[5] = XC_MADD(d2, -XC_C4, s2);
	x[3] = XC_ADD(s3, d3);
	x[4] = XC_SUB(s3, d3);
}

#endif
