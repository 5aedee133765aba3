/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scaled 8-point DCT of Y. Arai, T. Agui and M. Nakajima, "A fast DCT-SQ scheme for images",
 * Trans. IEICE E71 (1988) 1095-1097; Larsen 2006, section 3.2.4.  It takes the real parts of a
 * 16-point DFT of the mirrored samples; a scaling of each coefficient remains.
 *
 * 8 points: 5 multiplications, 29 additions; 8x8: 80 and 464, and 64 multiplications for the
 * scaling.  The inverse is the transposed flow graph, with the same counts; the same scaling comes
 * first.
 *
 * With X orthonormal, forward leaves X[k] / XC_DCT8_AAN_SCALES[k] and inverse wants X[k] *
 * XC_DCT8_AAN_SCALES[k].
 */
#ifndef XC_LAB_KERNELS_DCT8_AAN_H
#define XC_LAB_KERNELS_DCT8_AAN_H

#include "lab/kernels/kernel.h"

/* 1 / (4 cos(k pi / 16)), and sqrt(1/8) for k = 0 */
#define XC_DCT8_AAN_SCALES \
	{ \
		0.35355339059327376220042218105242451964L, 0.25489778955207958447096990199392195684L, \
			0.27059805007309849219986160268319471003L, 0.30067244346752264027186091195461091753L, \
			0.35355339059327376220042218105242451964L, 0.44998811156820785231925477047094419777L, \
			0.65328148243818826392832158671359357679L, 1.2814577238707530893980431480888499545L, \
	}

XC_KERNEL void xc_dct8_aan_forward(XC_V x[8])
{
	XC_V s[4], d[4];
	xc_split_mirrored(x, 1, s, d);

	const XC_V e0 = XC_ADD(s[0], s[3]), e3 = XC_SUB(s[0], s[3]);
	const XC_V e1 = XC_ADD(s[1], s[2]), e2 = XC_SUB(s[1], s[2]);
	const XC_V r = XC_MUL(XC_ADD(e2, e3), XC_C4);

	const XC_V o0 = XC_ADD(d[3], d[2]), o1 = XC_ADD(d[2], d[1]), o2 = XC_ADD(d[1], d[0]);
	const XC_V q = XC_MUL(XC_SUB(o0, o2), XC_C6);
	const XC_V a = XC_ADD(XC_MUL(o0, XC_C2_LESS_C6), q);
	const XC_V b = XC_ADD(XC_MUL(o2, XC_C2_PLUS_C6), q);
	const XC_V c = XC_MUL(o1, XC_C4);
	const XC_V p = XC_ADD(d[0], c), m = XC_SUB(d[0], c);

	x[0] = XC_ADD(e0, e1);
	x[4] = XC_SUB(e0, e1);
	x[2] = XC_ADD(e3, r);
	x[6] = XC_SUB(e3, r);
	x[5] = XC_ADD(m, a);
	x[3] = XC_SUB(m, a);
	x[1] = XC_ADD(p, b);
	x[7] = XC_SUB(p, b);
}

XC_KERNEL void xc_dct8_aan_inverse(XC_V x[8])
{
	const XC_V m = XC_ADD(x[5], x[3]), a = XC_SUB(x[5], x[3]);
	const XC_V p = XC_ADD(x[1], x[7]), b = XC_SUB(x[1], x[7]);
	const XC_V q = XC_MUL(XC_ADD(a, b), XC_C6);
	const XC_V o0 = XC_ADD(XC_MUL(a, XC_C2_LESS_C6), q);
	const XC_V o2 = XC_SUB(XC_MUL(b, XC_C2_PLUS_C6), q);
	const XC_V o1 = XC_MUL(XC_SUB(p, m), XC_C4);
	const XC_V d[4] = {XC_ADD(XC_ADD(p, m), o2), XC_ADD(o1, o2), XC_ADD(o0, o1), o0};

	const XC_V e2 = XC_MUL(XC_SUB(x[2], x[6]), XC_C4);
	const XC_V e3 = XC_ADD(XC_ADD(x[2], x[6]), e2);
	const XC_V e0 = XC_ADD(x[0], x[4]), e1 = XC_SUB(x[0], x[4]);
	const XC_V s[4] = {XC_ADD(e0, e3), XC_ADD(e1, e2), XC_SUB(e1, e2), XC_SUB(e0, e3)};

	xc_join_mirrored(x, 1, s, d);
}

#endif
