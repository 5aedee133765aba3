/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The 8-point DCT by its even/odd decomposition: Obukhov and Kharlamov, "Discrete Cosine Transform
 * for 8x8 Blocks with CUDA" (NVIDIA 2008), equation 10 and kernel 2.  Sums of mirrored samples give
 * the even coefficients (and their sums and differences again 0, 4 and 2, 6), differences the odd
 * ones.  Orthonormal: the normalisation is in the constants.
 *
 * 8 points: 22 multiplications (14 of them in multiply-adds), 28 additions; 8x8: 352 and 448.  The
 * inverse takes as many.
 */
#ifndef XC_LAB_KERNELS_DCT8_EVENODD_H
#define XC_LAB_KERNELS_DCT8_EVENODD_H

#include "lab/kernels/kernel.h"

/* Rows 1, 3, 5, 7 of the orthonormal matrix, first half. */
#define XC_DCT8_ODD \
	{ \
		{XC_C1 / 2, XC_C3 / 2, XC_C5 / 2, XC_C7 / 2}, \
			{XC_C3 / 2, -XC_C7 / 2, -XC_C1 / 2, -XC_C5 / 2}, \
			{XC_C5 / 2, -XC_C1 / 2, XC_C7 / 2, XC_C3 / 2}, \
			{XC_C7 / 2, -XC_C5 / 2, XC_C3 / 2, -XC_C1 / 2}, \
	}

XC_KERNEL void xc_dct8_evenodd_forward(XC_V x[8])
{
	static const XC_REAL odd[4][4] = XC_DCT8_ODD;
	XC_V s[4], d[4];
	xc_split_mirrored(x, 1, s, d);
	const XC_V a = XC_ADD(s[0], s[3]), b = XC_ADD(s[1], s[2]);
	const XC_V c = XC_SUB(s[0], s[3]), e = XC_SUB(s[1], s[2]);
	x[0] = XC_MUL(XC_ADD(a, b), XC_SQRT_1_8);
	x[4] = XC_MUL(XC_SUB(a, b), XC_SQRT_1_8);
	x[2] = XC_MADD(e, XC_C6 / 2, XC_MUL(c, XC_C2 / 2));
	x[6] = XC_MADD(e, -XC_C2 / 2, XC_MUL(c, XC_C6 / 2));

	xc_matrix4(d, odd, 0);
	x[1] = d[0];
	x[3] = d[1];
	x[5] = d[2];
	x[7] = d[3];
}

XC_KERNEL void xc_dct8_evenodd_inverse(XC_V x[8])
{
	static const XC_REAL odd[4][4] = XC_DCT8_ODD;
	const XC_V p = XC_MUL(XC_ADD(x[0], x[4]), XC_SQRT_1_8);
	const XC_V q = XC_MUL(XC_SUB(x[0], x[4]), XC_SQRT_1_8);
	const XC_V c = XC_MADD(x[6], XC_C6 / 2, XC_MUL(x[2], XC_C2 / 2));
	const XC_V e = XC_MADD(x[6], -XC_C2 / 2, XC_MUL(x[2], XC_C6 / 2));
	const XC_V s[4] = {XC_ADD(p, c), XC_ADD(q, e), XC_SUB(q, e), XC_SUB(p, c)};

	XC_V d[4] = {x[1], x[3], x[5], x[7]};
	xc_matrix4(d, odd, 1);
	xc_join_mirrored(x, 1, s, d);
}

#endif
