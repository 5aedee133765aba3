/* SPDX-License-Identifier: BSD-2-Clause */
/* The lapped transforms of 8 bands, by block and by edge. */
#ifndef XC_LAB_KERNELS_LAPPED8_H
#define XC_LAB_KERNELS_LAPPED8_H

#include "lab/kernels/dct8.h"

/* The lapped orthogonal transform of 8 bands, Malvar's fast LOT, type I: H. S. Malvar and D. H.
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
 * 8, 6 and 6); inverse: 32, 14 and 16.  8x8: 16 times that. */

/* Half of Feig and Linzer's scales, for the coefficients 0, 2, 4, 6 and 1, 3, 5, 7. */
#define XC_FLOT8_EVEN \
	XC_ROW4(0.17677669529663688110021109052621225982, 0.23096988312782168903204579734919707171, \
	        0.17677669529663688110021109052621225982, 0.23096988312782168903204579734919707171)
#define XC_FLOT8_ODD \
	XC_ROW4(0.24519632010080761228154555903355975924, 0.20786740307563630926969709440447643918, \
	        0.20786740307563630926969709440447643918, -0.24519632010080761228154555903355975924)
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

/*
 * The orthogonal time-domain lapped transform of 8 bands: a pre-filter on the 8 samples around
 * every block edge, then the DCT of every block.  T. D. Tran, J. Liang and C. Tu, "Lapped transform
 * via time-domain pre- and post-filtering", IEEE Trans. Signal Processing 51 (2003) 1557-1571.
 *
 * The filter is P = 1/2 [I J; J -I] diag(I, V) [I J; J -I], J the reversal, V orthogonal.  With d
 * the differences of mirrored samples that is
 *
 *	x + [-J; I] (I - V)/2 d,
 *
 * so only (V - I)/2 is needed.  V was optimised for an AR(1) source of 0.95 to eight digits, then
 * replaced by the nearest orthogonal matrix in many digits.  The coding gain is 9.26 dB (Malvar's
 * LOT: 9.20).
 *
 * A filter of 8 samples takes 12 additions, 4 multiplications and 12 multiply-adds, either way; the
 * DCT comes on top.  8x8: 16 filters.
 */

/* clang-format off */
#define XC_TDLT8_HALF_V_LESS_I { \
XC_ROW4(-0.090187279750145919435903095866139475565, 0.27800288809774331153566678194241780884, \
        0.064549146097507819930800865702658964363, 0.024522158730646867979871079455038440989), \
XC_ROW4(-0.27946982767218658923755171459312717273, -0.13500008348780672163790192404787447144, \
        0.19593209137748174408473312368040702396, 0.016801545625817034036108395661767389236), \
XC_ROW4(0.059034511082155621470005793999329882493, -0.19849262400889904720061201526034977993, \
        -0.053634609218861277655764546627162173181, 0.088732985006445022432834988618510095822), \
XC_ROW4(-0.021565626436160283034824729677185197573, 0.0094938595664450573895945028647863042854, \
        -0.09056467975612818052450807041094688193, -0.0088352321596971966692599298481051577141), \
}
/* clang-format on */

/* x[0..3] left of the edge, x[4..7] right of it; `back` is a constant. */
XC_KERNEL void xc_tdlt8_filter(XC_V x[8], const int back)
{
	static const XC_REAL v[4][4] = XC_TDLT8_HALF_V_LESS_I;
	XC_V d[4];

	for (int i = 0; i < 4; i++)
		d[i] = XC_SUB(x[3 - i], x[4 + i]);
	xc_matrix4(d, v, back);
	for (int i = 0; i < 4; i++) {
		x[3 - i] = XC_ADD(x[3 - i], d[i]);
		x[4 + i] = XC_SUB(x[4 + i], d[i]);
	}
}

XC_KERNEL void xc_tdlt8_pre_filter(XC_V x[8])
{
	xc_tdlt8_filter(x, 0);
}

XC_KERNEL void xc_tdlt8_post_filter(XC_V x[8])
{
	xc_tdlt8_filter(x, 1);
}

/* A generalised lapped orthogonal transform (GenLOT) of 8 bands and order 3, that is with basis
 * functions of 24 samples: R. L. de Queiroz, T. Q. Nguyen and K. R. Rao, "The GenLOT: generalized
 * linear-phase lapped orthogonal transform", IEEE Trans. Signal Processing 44 (1996) 497-507.  The
 * DCT is order 1, the LOT order 2.
 *
 * A lattice of butterflies W, half-block shifts, and turns of the odd half by orthogonal 4x4
 * matrices: W diag(I, V0) DCT, shift, W diag(I, V1) W, shift, diag(I, V2) W.  The even halves are
 * left alone, so a flat picture has no AC coefficients.  Any V gives an orthogonal transform of
 * linear phase: even coefficients have symmetric basis functions, odd ones antisymmetric.
 *
 * The three V (18 plane rotations and some signs) maximise the coding gain for an AR(1) source of
 * 0.95.  BFGS from several hundred random starts often reached the best, 9.379 dB (DCT 8.826,
 * Malvar's LOT 9.197, the best LOT with a free V 9.236).  Turning the even halves too gives 9.394,
 * but lets DC leak.
 *
 * 8 points, forward: 48 additions, 16 multiplications, 46 multiply-adds (block: 24, 8 and 22;
 * middle: 16, 4 and 12; end: 8, 4 and 12); inverse the same.  8x8: 16 times that. */

/* The scales of coefficients 0, 2, 4, 6, over 4; V0 times those of 1, 3, 5, 7, over 4; V1; V2. */
#define XC_GENLOT8_EVEN \
	XC_ROW4(0.088388347648318440550105545263106129911, 0.11548494156391084451602289867459853585, \
	        0.088388347648318440550105545263106129911, 0.11548494156391084451602289867459853585)
/* clang-format off */
#define XC_GENLOT8_ODD { \
XC_ROW4(0.058342726306482714875425501404527058478, -0.066839484977079993832695498989904069927, \
        0.019298577126922782650189983058933759028, 0.069943390216230232178032243230784859918), \
XC_ROW4(0.10677354957872973805748914867511102778, 0.045390439153344618940917288592064454667, \
        -0.010552116126085036348595273578679769876, -0.024659229572497630703311133887450509963), \
XC_ROW4(-0.012643540576997072244995296549081925409, 0.062440180096847213769904121013878310706, \
        0.054864412796246051327455429726463849098, 0.072507691201073040360372231934736354533), \
XC_ROW4(0.0081231229775037070368055185206544016371, -0.019381163698054009275767922011583904935, \
        0.085488761191242005866408940976350380018, -0.065366567344363971401363281047853923837), \
}
#define XC_GENLOT8_V1 { \
XC_ROW4(0.89861768985452815201763125584542929875, -0.43350378119975187682458336858879566634, \
        -0.062526684700464665966456358477163636763, -0.025517305233848284659947692869814000354), \
XC_ROW4(0.36345871316787778250428663373572350662, 0.82065131542450203722370009481220700899, \
        -0.43374629787844847957168452693299188603, -0.079330519922190413592849578000056632268), \
XC_ROW4(0.15576625112271211140623170466304013033, 0.25469251430864958476672073015472832413, \
        0.72576187218628194767900438990852697394, -0.61978891813824604736684979072020554199), \
XC_ROW4(0.1900549560365043079683460422205421372, 0.27154670561929202391960975262133750909, \
        0.53030582465005215487004648499260370995, 0.7803314889811253212054974494688943879), \
}
#define XC_GENLOT8_V2 { \
XC_ROW4(0.47024519429695827145260224800585640352, 0.87290445223177336924352364098277050724, \
        -0.10479744446617464384952416135513297223, 0.076972528527538249898132828638089611837), \
XC_ROW4(-0.63226530983118466183177856459910721194, 0.4324903899553715673131278563289608053, \
        0.60422878869378360005400529835104863692, -0.21931760415883105450160048182506912849), \
XC_ROW4(0.14327951353328091239353945858874751574, -0.088947439869845616300101689183420804781, \
        0.51798228562637191168879429222256978199, 0.83860222138958482297632551592216360195), \
XC_ROW4(-0.59881634599128838415181826972320275115, 0.20755296386898096805833972533327436121, \
        -0.59633834215509044014839928840260407233, 0.49266756808071034711953057175230146688), \
}
/* clang-format on */

/* From 8 samples of a block to the values for its left edge (x[0..3]) and right edge (x[4..7]). */
XC_KERNEL void xc_genlot8_forward_block(XC_V x[8])
{
	static const XC_REAL even[4] = XC_GENLOT8_EVEN, odd[4][4] = XC_GENLOT8_ODD;

	xc_dct8_flmad_forward(x);
	XC_V e[4], o[4];
	xc_deinterleave(x, e, o);
	for (int i = 0; i < 4; i++)
		e[i] = XC_MUL(e[i], even[i]);
	xc_matrix4(o, odd, 0);
	xc_join_halves(x, e, o);
}

/* Over an edge: from the values of its left (x[0..3]) and right (x[4..7]) block to those for its
 * left (x[0..3]) and right (x[4..7]). */
XC_KERNEL void xc_genlot8_forward_edge(XC_V x[8])
{
	static const XC_REAL v[4][4] = XC_GENLOT8_V1;
	XC_V p[4], q[4];

	xc_split_halves(x, p, q);
	xc_matrix4(q, v, 0);
	xc_join_halves(x, p, q);
}

/* From the values of a block's left (x[0..3]) and right (x[4..7]) edge to its 8 coefficients. */
XC_KERNEL void xc_genlot8_forward_end(XC_V x[8])
{
	static const XC_REAL v[4][4] = XC_GENLOT8_V2;
	XC_V p[4], q[4];

	xc_split_halves(x, p, q);
	xc_matrix4(q, v, 0);
	xc_interleave(x, p, q);
}

/* The way back, in the same words. */
XC_KERNEL void xc_genlot8_inverse_end(XC_V x[8])
{
	static const XC_REAL v[4][4] = XC_GENLOT8_V2;
	XC_V p[4], q[4];

	xc_deinterleave(x, p, q);
	xc_matrix4(q, v, 1);
	xc_join_halves(x, p, q);
}

XC_KERNEL void xc_genlot8_inverse_edge(XC_V x[8])
{
	static const XC_REAL v[4][4] = XC_GENLOT8_V1;
	XC_V p[4], q[4];

	xc_split_halves(x, p, q);
	xc_matrix4(q, v, 1);
	xc_join_halves(x, p, q);
}

XC_KERNEL void xc_genlot8_inverse_block(XC_V x[8])
{
	static const XC_REAL even[4] = XC_GENLOT8_EVEN, odd[4][4] = XC_GENLOT8_ODD;
	XC_V e[4], o[4];

	xc_split_halves(x, e, o);
	for (int i = 0; i < 4; i++)
		e[i] = XC_MUL(e[i], even[i]);
	xc_matrix4(o, odd, 1);
	xc_interleave(x, e, o);
	xc_dct8_flmad_inverse(x);
}

#endif
