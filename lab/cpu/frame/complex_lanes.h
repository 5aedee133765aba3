/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Complex numbers in lanes, real part first, and the shuffles that FFT data need.  With one lane
 * only the scalar loops of the kernels are compiled.
 */
#ifndef XC_LAB_CPU_FRAME_COMPLEX_LANES_H
#define XC_LAB_CPU_FRAME_COMPLEX_LANES_H

#include "lab/cpu/lanes.h"

#if XC_LANES > 1

#define XC_RULE_EVEN(i) (2 * (i))
#define XC_RULE_ODD(i) (2 * (i) + 1)
#define XC_RULE_ODD_BACK(i) (2 * XC_LANES - 1 - 2 * (i))
#define XC_RULE_BACK(i) (XC_LANES - 1 - (i))
#define XC_RULE_SWAP(i) ((i) ^ 1)
#define XC_RULE_PAIRS_BACK(i) (XC_LANES - 2 - ((i) & ~1) + ((i)&1))
#define XC_RULE_REAL(i) ((i) & ~1)
#define XC_RULE_IMAGINARY(i) ((i) | 1)
#define XC_RULE_ZIP_LOW(i) (((i)&1) * XC_LANES + (i) / 2)
#define XC_RULE_ZIP_HIGH(i) (((i)&1) * XC_LANES + XC_LANES / 2 + (i) / 2)
#define XC_RULE_TWICE_LOW(i) ((i) / 2)
#define XC_RULE_TWICE_HIGH(i) (XC_LANES / 2 + (i) / 2)
/* Even samples of a and b side by side: a0 b0 a2 b2 ...; and the odd ones from
 * the last to the first: a[last] b[last] a[last-2] ... */
#define XC_RULE_PAIR_EVEN(i) (((i)&1) * XC_LANES + ((i) & ~1))
#define XC_RULE_PAIR_ODD_BACK(i) (((i)&1) * XC_LANES + XC_LANES - 1 - ((i) & ~1))
/* The reverse of both: of z and of the mirrored w, the first (second) of each
 * pair, taken in turn. */
#define XC_RULE_UNPAIR_FIRST(i) (((i)&1) ? 2 * XC_LANES - 1 - (i) : (i))
#define XC_RULE_UNPAIR_SECOND(i) (((i)&1) ? 2 * XC_LANES - (i) : (i) + 1)
/* One sample of b in front of all but the last of a. */
#define XC_RULE_SHIFT_IN(i) ((i) ? (i)-1 : XC_LANES)

/* clang-format off */
XC_INLINE xc_v swap(xc_v a) { return XC_SHUFFLE(a, a, XC_RULE_SWAP); }
XC_INLINE xc_v pairs_back(xc_v a) { return XC_SHUFFLE(a, a, XC_RULE_PAIRS_BACK); }
XC_INLINE xc_v back(xc_v a) { return XC_SHUFFLE(a, a, XC_RULE_BACK); }
/* clang-format on */

/* +1 -1 +1 -1 ...: conjugates complex numbers. */
#define XC_SIGN_RULE(i) ((i)&1 ? -1 : 1)
XC_INLINE xc_v conjugation(void)
{
	return (xc_v){XC_EVERY_LANE(XC_SIGN_RULE)};
}

/* clang-format off */
XC_INLINE xc_v times_i(xc_v a) { return swap(a) * -conjugation(); }
XC_INLINE xc_v times_minus_i(xc_v a) { return swap(a) * conjugation(); }
/* clang-format on */

XC_INLINE xc_v complex_product(xc_v a, xc_v b)
{
	const xc_v re = XC_SHUFFLE(b, b, XC_RULE_REAL);
	const xc_v im = XC_SHUFFLE(b, b, XC_RULE_IMAGINARY);
	return a * re + times_i(a) * im;
}

/* a times the conjugate of b. */
XC_INLINE xc_v conjugate_product(xc_v a, xc_v b)
{
	const xc_v re = XC_SHUFFLE(b, b, XC_RULE_REAL);
	const xc_v im = XC_SHUFFLE(b, b, XC_RULE_IMAGINARY);
	return a * re + times_minus_i(a) * im;
}

#endif
#endif
