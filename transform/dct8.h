/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The codec's 8-point DCT, forward and inverse: the scaled algorithm of Arai, Agui and Nakajima
 * (Trans. IEICE E71, 1988; 5 multiplications, 29 additions), whose output scaling is folded into
 * the quantization tables.
 *
 * Include with XC_V defined as the value type: float, a vector of floats, or float in CUDA code.
 * The order of operations is part of the format: every backend must round in the same places, so
 * nothing here may be contracted or reassociated (see doc/architecture.md, "The same bytes
 * everywhere").
 */
#ifndef XC_TRANSFORM_DCT8_H
#define XC_TRANSFORM_DCT8_H

#ifndef XC_V
#error "define XC_V, the value type"
#endif

/* Scale factors: the forward transform leaves X[k] * 2 sqrt(2) * XC_AAN_SCALE[k] where X is
 * orthonormal; the inverse wants X[k] * XC_AAN_SCALE[k] / (2 sqrt(2)). XC_AAN_SCALE[0] = 1,
 * XC_AAN_SCALE[k] = sqrt(2) cos(k pi / 16). */
#define XC_AAN_SCALES \
	{ \
		1.0, 1.387039845322148, 1.306562964876377, 1.175875602419359, 1.0, 0.785694958387102, \
			0.541196100146197, 0.275899379282943 \
	}

static inline XC_DEVICE void xc_dct8_forward(XC_V x[8])
{
	const XC_V s0 = x[0] + x[7], d0 = x[0] - x[7];
	const XC_V s1 = x[1] + x[6], d1 = x[1] - x[6];
	const XC_V s2 = x[2] + x[5], d2 = x[2] - x[5];
	const XC_V s3 = x[3] + x[4], d3 = x[3] - x[4];

	const XC_V e0 = s0 + s3, e3 = s0 - s3;
	const XC_V e1 = s1 + s2, e2 = s1 - s2;
	const XC_V r = (e2 + e3) * 0.707106781186547524f; /* cos(pi/4) */

	const XC_V o0 = d3 + d2, o1 = d2 + d1, o2 = d1 + d0;
	const XC_V q = (o0 - o2) * 0.382683432365089772f; /* cos(3pi/8) */
	const XC_V a = o0 * 0.541196100146196985f + q;    /* cos(pi/8) - cos(3pi/8) */
	const XC_V b = o2 * 1.306562964876376528f + q;    /* cos(pi/8) + cos(3pi/8) */
	const XC_V c = o1 * 0.707106781186547524f;
	const XC_V p = d0 + c, m = d0 - c;

	x[0] = e0 + e1;
	x[4] = e0 - e1;
	x[2] = e3 + r;
	x[6] = e3 - r;
	x[5] = m + a;
	x[3] = m - a;
	x[1] = p + b;
	x[7] = p - b;
}

/* The end of the inverse: from its even and its odd half to samples. A macro, since XC_V may be a
 * vector, which would be an argument by value. */
#define XC_DCT8_JOIN(x, e0, e1, e2, e3, o0, o2, o3, r) \
	do { \
		const XC_V w2_ = o2 - o3, w1_ = r - w2_, w0_ = o0 - w1_; \
		x[0] = e0 + o3; \
		x[7] = e0 - o3; \
		x[1] = e1 + w2_; \
		x[6] = e1 - w2_; \
		x[2] = e2 + w1_; \
		x[5] = e2 - w1_; \
		x[3] = e3 + w0_; \
		x[4] = e3 - w0_; \
	} while (0)

static inline XC_DEVICE void xc_dct8_inverse(XC_V x[8])
{
	const XC_V a = x[0] + x[4], b = x[0] - x[4];
	const XC_V c = x[2] + x[6];
	const XC_V d = (x[2] - x[6]) * 1.414213562373095049f - c;
	const XC_V e0 = a + c, e3 = a - c;
	const XC_V e1 = b + d, e2 = b - d;

	const XC_V p = x[5] + x[3], m = x[5] - x[3];
	const XC_V s = x[1] + x[7], t = x[1] - x[7];
	const XC_V o3 = s + p;
	const XC_V r = (s - p) * 1.414213562373095049f;
	const XC_V q = (m + t) * 1.847759065022573512f; /* 2 cos(pi/8) */
	const XC_V o0 = q - t * 1.082392200292393968f;  /* 2 (cos(pi/8) - cos(3pi/8)) */
	const XC_V o2 = q - m * 2.613125929752753055f;  /* 2 (cos(pi/8) + cos(3pi/8)) */

	XC_DCT8_JOIN(x, e0, e1, e2, e3, o0, o2, o3, r);
}

/* The inverse where x[n] to x[7] are 0, which it does not read: the same numbers, but for the signs
 * of zeros. n: a constant, 1 to 6. */
static inline XC_DEVICE void xc_dct8_inverse_first(XC_V x[8], int n)
{
	const XC_V a = n > 4 ? x[0] + x[4] : x[0], b = n > 4 ? x[0] - x[4] : x[0];
	XC_V e0 = a, e1 = b, e2 = b, e3 = a;

	if (n > 2) {
		const XC_V c = x[2], d = c * 1.414213562373095049f - c;
		e0 = a + c, e3 = a - c;
		e1 = b + d, e2 = b - d;
	}
	if (n == 1) {
		x[1] = x[2] = x[3] = x[4] = x[5] = x[6] = x[7] = a;
		return;
	}
	const XC_V p = n > 5 ? x[5] + x[3] : x[3], m = n > 5 ? x[5] - x[3] : -x[3], t = x[1];
	const XC_V o3 = n > 3 ? t + p : t;
	const XC_V r = (n > 3 ? t - p : t) * 1.414213562373095049f;
	const XC_V q = (n > 3 ? m + t : t) * 1.847759065022573512f;
	const XC_V o0 = q - t * 1.082392200292393968f;
	const XC_V o2 = n > 3 ? q - m * 2.613125929752753055f : q;
	XC_DCT8_JOIN(x, e0, e1, e2, e3, o0, o2, o3, r);
}

#endif
