/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scaled two-dimensional 8x8 DCT with the fewest operations: E. Feig and S. Winograd, "Fast
 * algorithms for the discrete cosine transform", IEEE Trans. Signal Processing 40 (1992) 2174-2193;
 * the "optimal" algorithm of Larsen 2006, section 3.2.4.
 *
 * The scaled 8-point DCT is post-additions times a core times pre-additions.  In two dimensions all
 * additions are done along the columns and then along the rows, and the tensor product of the core
 * with itself remains in the middle.  The core is diag(1, 1, 1, 1, c4, c4) and a rotation by pi/8.
 * In its product with itself,
 *   - 1 x 1 costs nothing, 1 x c4 one multiplication (16 of them),
 *   - c4 x c4 is 1/2 (4 shifts),
 *   - 1 x rotation takes 3 multiplications and 3 additions (8 of them), and so
 *     does c4 x rotation (4 of them), c4 being in the constants,
 *   - rotation x rotation, a turn by pi/4 and one by 0 of two complex numbers,
 *     takes 2 multiplications, 2 shifts and 10 additions.
 *
 * 8x8: 54 multiplications, 462 additions, 6 shifts (here: multiplications by 1/2), and 64
 * multiplications for the scaling, which is Arai, Agui and Nakajima's (XC_DCT8_AAN_SCALES, both
 * ways).  The inverse is the transposed flow graph.
 */
#ifndef XC_LAB_KERNELS_DCT8X8_FEIG_H
#define XC_LAB_KERNELS_DCT8X8_FEIG_H

#include "lab/kernels/kernel.h"

/* cos(pi/4) times cos(pi/8) -+ sin(pi/8), and times sin(pi/8); cos(pi/4) / 2 */
#define XC_FEIG_C4_LESS XC_C6
#define XC_FEIG_C4_PLUS XC_C2
#define XC_FEIG_C4_SINE XC_K(0.27059805007309849219986160268319471003)

/* Additions before the core, along 8 values `step` apart.  The core leaves results 0, 1, 4 and 6 as
 * they are, multiplies 2 and 3 by c4, and rotates 5 and 7. */
XC_KERNEL void xc_feig_before(XC_V *x, int step)
{
	XC_V s[4], d[4];
	xc_split_mirrored(x, step, s, d);
	const XC_V e0 = XC_ADD(s[0], s[3]), e3 = XC_SUB(s[0], s[3]);
	const XC_V e1 = XC_ADD(s[1], s[2]), e2 = XC_SUB(s[1], s[2]);
	x[0] = XC_ADD(e0, e1);
	x[4 * step] = XC_SUB(e0, e1);
	x[6 * step] = e3;
	x[2 * step] = XC_ADD(e2, e3);
	x[1 * step] = d[0];
	x[3 * step] = XC_ADD(d[2], d[1]);
	x[5 * step] = XC_ADD(d[3], d[2]);
	x[7 * step] = XC_ADD(d[1], d[0]);
}

XC_KERNEL void xc_feig_before_transposed(XC_V *x, int step)
{
	const XC_V o0 = x[5 * step], o1 = x[3 * step], o2 = x[7 * step];
	const XC_V d[4] = {XC_ADD(x[step], o2), XC_ADD(o1, o2), XC_ADD(o0, o1), o0};
	const XC_V e2 = x[2 * step], e3 = XC_ADD(x[6 * step], e2);
	const XC_V e0 = XC_ADD(x[0], x[4 * step]), e1 = XC_SUB(x[0], x[4 * step]);
	const XC_V s[4] = {XC_ADD(e0, e3), XC_ADD(e1, e2), XC_SUB(e1, e2), XC_SUB(e0, e3)};
	xc_join_mirrored(x, step, s, d);
}

/* Additions after the core. */
XC_KERNEL void xc_feig_after(XC_V *x, int step)
{
	const XC_V r = x[2 * step], e3 = x[6 * step];
	const XC_V d0 = x[1 * step], c = x[3 * step], a = x[5 * step], b = x[7 * step];
	const XC_V p = XC_ADD(d0, c), m = XC_SUB(d0, c);
	x[2 * step] = XC_ADD(e3, r);
	x[6 * step] = XC_SUB(e3, r);
	x[5 * step] = XC_ADD(m, a);
	x[3 * step] = XC_SUB(m, a);
	x[1 * step] = XC_ADD(p, b);
	x[7 * step] = XC_SUB(p, b);
}

XC_KERNEL void xc_feig_after_transposed(XC_V *x, int step)
{
	const XC_V e3 = XC_ADD(x[2 * step], x[6 * step]), r = XC_SUB(x[2 * step], x[6 * step]);
	const XC_V m = XC_ADD(x[5 * step], x[3 * step]), a = XC_SUB(x[5 * step], x[3 * step]);
	const XC_V p = XC_ADD(x[1 * step], x[7 * step]), b = XC_SUB(x[1 * step], x[7 * step]);
	x[2 * step] = r;
	x[6 * step] = e3;
	x[1 * step] = XC_ADD(p, m);
	x[3 * step] = XC_SUB(p, m);
	x[5 * step] = a;
	x[7 * step] = b;
}

/* (a, b) turned by pi/8 and scaled, with one multiplication less than usual:
 * sine, less and plus are sin(pi/8), cos - sin and cos + sin times the scale. */
XC_KERNEL void xc_feig_turn(XC_V *a, XC_V *b, XC_REAL sine, XC_REAL less, XC_REAL plus, int back)
{
	const XC_V q = XC_MUL(back ? XC_ADD(*a, *b) : XC_SUB(*a, *b), sine);
	*a = XC_ADD(XC_MUL(*a, less), q);
	*b = back ? XC_SUB(XC_MUL(*b, plus), q) : XC_ADD(XC_MUL(*b, plus), q);
}

/* A 2x2 matrix turned by pi/8 from both sides, or back (sign -1). */
XC_KERNEL void xc_feig_turn_both(XC_V *x55, XC_V *x57, XC_V *x75, XC_V *x77, int back)
{
	const XC_V re = XC_MUL(XC_SUB(*x55, *x77), XC_SQRT_1_8);
	const XC_V im = XC_MUL(XC_ADD(*x57, *x75), XC_SQRT_1_8);
	const XC_V sum = XC_HALVE(XC_ADD(*x55, *x77)), diff = XC_HALVE(XC_SUB(*x57, *x75));
	const XC_V u = back ? XC_ADD(re, im) : XC_SUB(re, im);
	const XC_V v = back ? XC_SUB(im, re) : XC_ADD(re, im);
	*x55 = XC_ADD(sum, u);
	*x77 = XC_SUB(sum, u);
	*x57 = XC_ADD(v, diff);
	*x75 = XC_SUB(v, diff);
}

/* The tensor product of the core with itself (or of its transpose). */
XC_KERNEL void xc_feig_core(XC_V x[64], int back)
{
	static const int one[4] = {0, 4, 6, 1}, c4[2] = {2, 3};
	for (int i = 0; i < 4; i++) {
		for (int j = 0; j < 2; j++) {
			x[one[i] * 8 + c4[j]] = XC_MUL(x[one[i] * 8 + c4[j]], XC_C4);
			x[c4[j] * 8 + one[i]] = XC_MUL(x[c4[j] * 8 + one[i]], XC_C4);
		}
	}
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < 2; j++)
			x[c4[i] * 8 + c4[j]] = XC_HALVE(x[c4[i] * 8 + c4[j]]);
	for (int i = 0; i < 6; i++) {
		const int at = i < 4 ? one[i] : c4[i - 4];
		const XC_REAL sine = i < 4 ? XC_C6 : XC_FEIG_C4_SINE;
		const XC_REAL less = i < 4 ? XC_C2_LESS_C6 : XC_FEIG_C4_LESS;
		const XC_REAL plus = i < 4 ? XC_C2_PLUS_C6 : XC_FEIG_C4_PLUS;
		xc_feig_turn(&x[at * 8 + 5], &x[at * 8 + 7], sine, less, plus, back);
		xc_feig_turn(&x[5 * 8 + at], &x[7 * 8 + at], sine, less, plus, back);
	}
	xc_feig_turn_both(&x[5 * 8 + 5], &x[5 * 8 + 7], &x[7 * 8 + 5], &x[7 * 8 + 7], back);
}

XC_KERNEL void xc_dct8x8_feig_forward(XC_V x[64])
{
	for (int i = 0; i < 8; i++)
		xc_feig_before(x + i, 8);
	for (int i = 0; i < 8; i++)
		xc_feig_before(x + 8 * i, 1);
	xc_feig_core(x, 0);
	for (int i = 0; i < 8; i++)
		xc_feig_after(x + 8 * i, 1);
	for (int i = 0; i < 8; i++)
		xc_feig_after(x + i, 8);
}

XC_KERNEL void xc_dct8x8_feig_inverse(XC_V x[64])
{
	for (int i = 0; i < 8; i++)
		xc_feig_after_transposed(x + i, 8);
	for (int i = 0; i < 8; i++)
		xc_feig_after_transposed(x + 8 * i, 1);
	xc_feig_core(x, 1);
	for (int i = 0; i < 8; i++)
		xc_feig_before_transposed(x + 8 * i, 1);
	for (int i = 0; i < 8; i++)
		xc_feig_before_transposed(x + i, 8);
}

#endif
