/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lapped orthogonal transform of 8 bands, Malvar's fast LOT, type I: H. S. Malvar and D. H.
 * Staelin, "The LOT: transform coding without blocking effects", IEEE Trans. ASSP 37 (1989)
 * 553-559; Larsen 2006, section 3.3.
 *
 * Each block has a DCT, then butterflies between its even and odd coefficients.  Over the edge of
 * two blocks, the upper half of the left one and the lower half of the right one have butterflies
 * again, and three plane rotations of 0.13 pi, 0.16 pi and 0.13 pi turn the odd half.  Every
 * coefficient of an edge has a basis function of 16 samples, symmetric (even) or antisymmetric
 * (odd) about the edge.  Coding gain for an AR(1) source of 0.95: 9.20 dB (the DCT's: 8.83).
 *
 * The DCT is Feig and Linzer's, as in the 2006 work; its scaling and the normalisation of all
 * butterflies (1/2) are one factor.
 *
 * 8 points, forward: 24 additions, 10 multiplications, 24 multiply-adds (block: 16, 4 and 18; edge:
 * 8, 6 and 6); inverse: 32, 14 and 16.  8x8: 16 times that.
 */
#ifndef XC_LAB_KERNELS_FLOT8_H
#define XC_LAB_KERNELS_FLOT8_H

#include "lab/kernels/dct8_flmad.h"

/* Half of Feig and Linzer's scales, for the coefficients 0, 2, 4, 6 and 1, 3, 5, 7. */
#define XC_FLOT8_EVEN \
	{ \
		XC_K(0.17677669529663688110021109052621225982), \
			XC_K(0.23096988312782168903204579734919707171), \
			XC_K(0.17677669529663688110021109052621225982), \
			XC_K(0.23096988312782168903204579734919707171), \
	}
#define XC_FLOT8_ODD \
	{ \
		XC_K(0.24519632010080761228154555903355975924), \
			XC_K(0.20786740307563630926969709440447643918), \
			XC_K(0.20786740307563630926969709440447643918), \
			XC_K(-0.24519632010080761228154555903355975924), \
	}
/* cos and sin of 0.13 pi and 0.16 pi */
#define XC_FLOT8_C13 XC_K(0.91775462568398114114560385754948506453)
#define XC_FLOT8_S13 XC_K(0.39714789063478061375437736001947706361)
#define XC_FLOT8_C16 XC_K(0.8763066800438635873081159039220625834)
#define XC_FLOT8_S16 XC_K(0.48175367410171527498719150287212965353)

/* (a, b) turned by an angle of cosine c and sine s, and back. */
#define XC_FLOT8_TURN(a, b, c, s) \
	do { \
		const XC_V a_ = (a), b_ = (b); \
		(a) = XC_MADD(b_, -(s), XC_MUL(a_, c)); \
		(b) = XC_MADD(b_, c, XC_MUL(a_, s)); \
	} while (0)

/* From 8 samples of a block to the values for its left edge (x[0..3]) and right edge (x[4..7]). */
XC_KERNEL void xc_flot8_forward_block(XC_V x[8])
{
	const XC_REAL even[4] = XC_FLOT8_EVEN, odd[4] = XC_FLOT8_ODD;
	xc_dct8_flmad_forward(x);
	XC_V p[4], q[4];
	xc_deinterleave(x, p, q);
	for (int i = 0; i < 4; i++) {
		const XC_V e = XC_MUL(p[i], even[i]);
		x[i] = XC_MADD(q[i], odd[i], e);
		x[4 + i] = XC_MADD(q[i], -odd[i], e);
	}
}

/* From the values of the blocks left (x[0..3]) and right (x[4..7]) of an edge to its 8
 * coefficients. */
XC_KERNEL void xc_flot8_forward_edge(XC_V x[8])
{
	XC_V p[4], q[4];
	xc_split_halves(x, p, q);
	XC_FLOT8_TURN(q[0], q[1], XC_FLOT8_C13, XC_FLOT8_S13);
	XC_FLOT8_TURN(q[1], q[2], XC_FLOT8_C16, XC_FLOT8_S16);
	XC_FLOT8_TURN(q[2], q[3], XC_FLOT8_C13, XC_FLOT8_S13);
	xc_interleave(x, p, q);
}

/* The way back: from an edge's 8 coefficients to the values for the blocks left (x[0..3]) and right
 * (x[4..7]) of it ... */
XC_KERNEL void xc_flot8_inverse_edge(XC_V x[8])
{
	XC_V p[4], q[4];
	xc_deinterleave(x, p, q);
	XC_FLOT8_TURN(q[2], q[3], XC_FLOT8_C13, -XC_FLOT8_S13);
	XC_FLOT8_TURN(q[1], q[2], XC_FLOT8_C16, -XC_FLOT8_S16);
	XC_FLOT8_TURN(q[0], q[1], XC_FLOT8_C13, -XC_FLOT8_S13);
	xc_join_halves(x, p, q);
}

/* ... and from the values of a block's left (x[0..3]) and right (x[4..7]) edge to its 8 samples. */
XC_KERNEL void xc_flot8_inverse_block(XC_V x[8])
{
	const XC_REAL even[4] = XC_FLOT8_EVEN, odd[4] = XC_FLOT8_ODD;
	XC_V p[4], q[4];
	xc_split_halves(x, p, q);
	for (int i = 0; i < 4; i++) {
		x[2 * i] = XC_MUL(p[i], even[i]);
		x[2 * i + 1] = XC_MUL(q[i], odd[i]);
	}
	xc_dct8_flmad_inverse(x);
}

#endif
