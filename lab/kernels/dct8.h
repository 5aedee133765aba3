/* SPDX-License-Identifier: BSD-2-Clause */
/* The DCT of 8 points, and of 8x8, by every algorithm. */
#ifndef XC_LAB_KERNELS_DCT8_H
#define XC_LAB_KERNELS_DCT8_H

#include "lab/kernels/kernel.h"

/* The 8-point DCT straight from its definition, in the two forms of the works:
 *
 *  - direct (Larsen, "Utilizing GPUs on Cluster Computers", NTNU 2006, definition
 *    1): a sum of samples times cosines, then the normalisation C_f / 2.
 *    8 points: 72 multiplications, 56 additions; 8x8: 1152 and 896.
 *  - matrix (Obukhov and Kharlamov, "Discrete Cosine Transform for 8x8 Blocks
 *    with CUDA", NVIDIA 2008, kernel 1): the product with the matrix A', whose
 *    elements hold the normalisation.  8 points: 64 multiplications (8 alone, 56
 *    in multiply-adds), 56 additions; 8x8: 1024 (128 and 896) and 896.
 *
 * The inverses take as many. */

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

XC_KERNEL void xc_dct8_matrix(XC_V x[8], const int back)
{
	static const XC_REAL matrix[8][8] = XC_DCT8_MATRIX;
	XC_V y[8];

	for (int i = 0; i < 8; i++) {
		y[i] = XC_MUL(x[0], back ? matrix[0][i] : matrix[i][0]);
		for (int j = 1; j < 8; j++)
			y[i] = XC_MADD(x[j], back ? matrix[j][i] : matrix[i][j], y[i]);
	}
	for (int i = 0; i < 8; i++)
		x[i] = y[i];
}

XC_KERNEL void xc_dct8_matrix_forward(XC_V x[8])
{
	xc_dct8_matrix(x, 0);
}

XC_KERNEL void xc_dct8_matrix_inverse(XC_V x[8])
{
	xc_dct8_matrix(x, 1);
}

/* The 8-point DCT by its even/odd decomposition: Obukhov and Kharlamov, "Discrete Cosine Transform
 * for 8x8 Blocks with CUDA" (NVIDIA 2008), equation 10 and kernel 2.  Sums of mirrored samples give
 * the even coefficients (and their sums and differences again 0, 4 and 2, 6), differences the odd
 * ones.  Orthonormal: the normalisation is in the constants.
 *
 * 8 points: 22 multiplications (14 of them in multiply-adds), 28 additions; 8x8: 352 and 448.  The
 * inverse takes as many. */

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

/* The scaled 8-point DCT of Y. Arai, T. Agui and M. Nakajima, "A fast DCT-SQ scheme for images",
 * Trans. IEICE E71 (1988) 1095-1097; Larsen 2006, section 3.2.4.  It takes the real parts of a
 * 16-point DFT of the mirrored samples; a scaling of each coefficient remains.  It shares
 * its additions with Feig and Winograd's algorithm, below, where its functions stand.
 *
 * 8 points: 5 multiplications, 29 additions; 8x8: 80 and 464, and 64 multiplications for the
 * scaling.  The inverse is the transposed flow graph, with the same counts; the same scaling comes
 * first.
 *
 * With X orthonormal, forward leaves X[k] / XC_DCT8_AAN_SCALES[k] and inverse wants X[k] *
 * XC_DCT8_AAN_SCALES[k]. */

/* 1 / (4 cos(k pi / 16)), and sqrt(1/8) for k = 0 */
#define XC_DCT8_AAN_SCALES \
	{ \
		0.35355339059327376220042218105242451964L, 0.25489778955207958447096990199392195684L, \
			0.27059805007309849219986160268319471003L, 0.30067244346752264027186091195461091753L, \
			0.35355339059327376220042218105242451964L, 0.44998811156820785231925477047094419777L, \
			0.65328148243818826392832158671359357679L, 1.2814577238707530893980431480888499545L, \
	}

/* The scaled 8-point DCT for machines that multiply and add at once: E. Feig and E. Linzer,
 * "Discrete cosine transform algorithms for image data compression", Proc. Electronic Imaging '90
 * East (1990) 84-87; Larsen 2006, section 3.2.4: C = D A3 A2 A1 A0, the factors taking 8 additions,
 * 6 additions, 4 multiply-adds, and 2 additions with 6 multiply-adds; D is the scaling.
 *
 * 8 points: 16 additions, 10 multiply-adds; 8x8: 256 and 160, which is Feig and Linzer's 416, and
 * 64 multiplications for the scaling.  The inverse is the transposed flow graph, with the same
 * counts and the same scaling before it.
 *
 * Where there is no fused multiply-add, each is a multiplication and an addition. */

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

/* The scaled two-dimensional 8x8 DCT with the fewest operations: E. Feig and S. Winograd, "Fast
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
 * ways).  The inverse is the transposed flow graph. */

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

/* Arai, Agui and Nakajima's: the core of one dimension between the additions. */
XC_KERNEL void xc_dct8_aan_forward(XC_V x[8])
{
	xc_feig_before(x, 1);
	x[2] = XC_MUL(x[2], XC_C4);
	x[3] = XC_MUL(x[3], XC_C4);
	xc_feig_turn(&x[5], &x[7], XC_C6, XC_C2_LESS_C6, XC_C2_PLUS_C6, 0);
	xc_feig_after(x, 1);
}

XC_KERNEL void xc_dct8_aan_inverse(XC_V x[8])
{
	xc_feig_after_transposed(x, 1);
	x[2] = XC_MUL(x[2], XC_C4);
	x[3] = XC_MUL(x[3], XC_C4);
	xc_feig_turn(&x[5], &x[7], XC_C6, XC_C2_LESS_C6, XC_C2_PLUS_C6, 1);
	xc_feig_before_transposed(x, 1);
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

	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 2; j++) {
			x[one[i] * 8 + c4[j]] = XC_MUL(x[one[i] * 8 + c4[j]], XC_C4);
			x[c4[j] * 8 + one[i]] = XC_MUL(x[c4[j] * 8 + one[i]], XC_C4);
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
