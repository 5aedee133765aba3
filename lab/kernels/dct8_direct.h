/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The 8-point DCT straight from its definition, in the two forms of the works:
 *
 *  - direct (Larsen, "Utilizing GPUs on Cluster Computers", NTNU 2006, definition
 *    1): a sum of samples times cosines, then the normalisation C_f / 2.
 *    8 points: 72 multiplications, 56 additions; 8x8: 1152 and 896.
 *  - matrix (Obukhov and Kharlamov, "Discrete Cosine Transform for 8x8 Blocks
 *    with CUDA", NVIDIA 2008, kernel 1): the product with the matrix A', whose
 *    elements hold the normalisation.  8 points: 64 multiplications (8 alone, 56
 *    in multiply-adds), 56 additions; 8x8: 1024 (128 and 896) and 896.
 *
 * The inverses take as many.
 */
#ifndef XC_LAB_KERNELS_DCT8_DIRECT_H
#define XC_LAB_KERNELS_DCT8_DIRECT_H

#include "lab/kernels/kernel.h"

/* Rows are frequencies, columns samples: cos((2t + 1) f pi / 16). */
#define XC_DCT8_COSINES(one, c1, c2, c3, c4, c5, c6, c7) \
	{ \
		{one, one, one, one, one, one, one, one}, {c1, c3, c5, c7, -c7, -c5, -c3, -c1}, \
			{c2, c6, -c6, -c2, -c2, -c6, c6, c2}, {c3, -c7, -c1, -c5, c5, c1, c7, -c3}, \
			{c4, -c4, -c4, c4, c4, -c4, -c4, c4}, {c5, -c1, c7, c3, -c3, -c7, c1, -c5}, \
			{c6, -c2, c2, -c6, -c6, c2, -c2, c6}, {c7, -c5, c3, -c1, c1, -c3, c5, -c7}, \
	}

XC_KERNEL void xc_dct8_direct_forward(XC_V x[8])
{
	static const XC_REAL cosine[8][8] = XC_DCT8_COSINES(XC_K(1.0), XC_C1, XC_C2, XC_C3, XC_C4,
	                                                    XC_C5, XC_C6, XC_C7);
	XC_V y[8];
	for (int f = 0; f < 8; f++) {
		XC_V sum = XC_MUL(x[0], cosine[f][0]);
		for (int t = 1; t < 8; t++)
			sum = XC_ADD(sum, XC_MUL(x[t], cosine[f][t]));
		y[f] = XC_MUL(sum, f ? XC_K(0.5) : XC_SQRT_1_8);
	}
	for (int f = 0; f < 8; f++)
		x[f] = y[f];
}

XC_KERNEL void xc_dct8_direct_inverse(XC_V x[8])
{
	static const XC_REAL cosine[8][8] = XC_DCT8_COSINES(XC_K(1.0), XC_C1, XC_C2, XC_C3, XC_C4,
	                                                    XC_C5, XC_C6, XC_C7);
	XC_V y[8];
	for (int f = 0; f < 8; f++)
		y[f] = XC_MUL(x[f], f ? XC_K(0.5) : XC_SQRT_1_8);
	for (int t = 0; t < 8; t++) {
		XC_V sum = XC_MUL(y[0], cosine[0][t]);
		for (int f = 1; f < 8; f++)
			sum = XC_ADD(sum, XC_MUL(y[f], cosine[f][t]));
		x[t] = sum;
	}
}

#define XC_DCT8_MATRIX \
	XC_DCT8_COSINES(XC_SQRT_1_8, (XC_C1 / 2), (XC_C2 / 2), (XC_C3 / 2), XC_SQRT_1_8, (XC_C5 / 2), \
	                (XC_C6 / 2), (XC_C7 / 2))

XC_KERNEL void xc_dct8_matrix_forward(XC_V x[8])
{
	static const XC_REAL matrix[8][8] = XC_DCT8_MATRIX;
	XC_V y[8];
	for (int f = 0; f < 8; f++) {
		y[f] = XC_MUL(x[0], matrix[f][0]);
		for (int t = 1; t < 8; t++)
			y[f] = XC_MADD(x[t], matrix[f][t], y[f]);
	}
	for (int f = 0; f < 8; f++)
		x[f] = y[f];
}

XC_KERNEL void xc_dct8_matrix_inverse(XC_V x[8])
{
	static const XC_REAL matrix[8][8] = XC_DCT8_MATRIX;
	XC_V y[8];
	for (int t = 0; t < 8; t++) {
		y[t] = XC_MUL(x[0], matrix[0][t]);
		for (int f = 1; f < 8; f++)
			y[t] = XC_MADD(x[f], matrix[f][t], y[t]);
	}
	for (int t = 0; t < 8; t++)
		x[t] = y[t];
}

#endif
