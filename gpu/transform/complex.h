/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Complex numbers and the butterflies of FFTs, for one thread.  A file that includes
 * this has set XC_REAL_BITS and XC_DEVICE.  `back` is 1 for exp(+i...), as the inverse
 * has it, and always a constant.
 */
#ifndef XC_GPU_COMPLEX_H
#define XC_GPU_COMPLEX_H

#include "transform/frame/real.h"

#define XC_LINE_INLINE static inline __attribute__((always_inline, unused)) XC_DEVICE

#if XC_REAL_BITS == 32
#define XC_FMA(a, b, c) fmaf(a, b, c)
#define XC_SQRT_HALF 0.707106781186547524f
typedef struct __attribute__((aligned(8))) xc_complex {
	float re, im;
} xc_complex;
#else
#define XC_FMA(a, b, c) fma(a, b, c)
#define XC_SQRT_HALF 0.70710678118654752440
typedef struct __attribute__((aligned(16))) xc_complex {
	double re, im;
} xc_complex;
#endif

XC_LINE_INLINE xc_complex xc_c(XC_REAL re, XC_REAL im)
{
	xc_complex z;
	z.re = re;
	z.im = im;
	return z;
}

XC_LINE_INLINE xc_complex xc_c_add(xc_complex a, xc_complex b)
{
	return xc_c(a.re + b.re, a.im + b.im);
}

XC_LINE_INLINE xc_complex xc_c_sub(xc_complex a, xc_complex b)
{
	return xc_c(a.re - b.re, a.im - b.im);
}

XC_LINE_INLINE xc_complex xc_c_conj(xc_complex a)
{
	return xc_c(a.re, -a.im);
}

/* i a */
XC_LINE_INLINE xc_complex xc_c_turn(xc_complex a)
{
	return xc_c(-a.im, a.re);
}

XC_LINE_INLINE xc_complex xc_c_scale(xc_complex a, XC_REAL by)
{
	return xc_c(a.re * by, a.im * by);
}

XC_LINE_INLINE xc_complex xc_c_mul(xc_complex a, xc_complex b)
{
	return xc_c(XC_FMA(a.re, b.re, -(a.im * b.im)), XC_FMA(a.re, b.im, a.im * b.re));
}

/* By exp(-i pi / 2), or its conjugate. */
XC_LINE_INLINE xc_complex xc_c_quarter(xc_complex a, const int back)
{
	return back ? xc_c(-a.im, a.re) : xc_c(a.im, -a.re);
}

/* By exp(-i pi / 4) and exp(-3 i pi / 4), or their conjugates. */
XC_LINE_INLINE xc_complex xc_c_eighth(xc_complex a, const int back)
{
	const xc_complex turned = xc_c_quarter(a, back);
	return xc_c_scale(xc_c_add(a, turned), XC_SQRT_HALF);
}

XC_LINE_INLINE xc_complex xc_c_three_eighths(xc_complex a, const int back)
{
	const xc_complex turned = xc_c_quarter(a, back);
	return xc_c_scale(xc_c_sub(turned, a), XC_SQRT_HALF);
}

/* ---------------- DFTs in place; element i at x[i * step] */

XC_LINE_INLINE void xc_dft2(xc_complex *x, const int step)
{
	const xc_complex a = x[0], b = x[step];
	x[0] = xc_c_add(a, b);
	x[step] = xc_c_sub(a, b);
}

XC_LINE_INLINE void xc_dft4(xc_complex *x, const int step, const int back)
{
	const xc_complex s = xc_c_add(x[0], x[2 * step]), d = xc_c_sub(x[0], x[2 * step]);
	const xc_complex t = xc_c_add(x[step], x[3 * step]);
	const xc_complex u = xc_c_quarter(xc_c_sub(x[step], x[3 * step]), back);
	x[0] = xc_c_add(s, t);
	x[step] = xc_c_add(d, u);
	x[2 * step] = xc_c_sub(s, t);
	x[3 * step] = xc_c_sub(d, u);
}

XC_LINE_INLINE void xc_dft8(xc_complex x[8], const int back)
{
	xc_complex even[4], odd[4];
	for (int i = 0; i < 4; i++) {
		even[i] = xc_c_add(x[i], x[i + 4]);
		odd[i] = xc_c_sub(x[i], x[i + 4]);
	}
	odd[1] = xc_c_eighth(odd[1], back);
	odd[2] = xc_c_quarter(odd[2], back);
	odd[3] = xc_c_three_eighths(odd[3], back);
	xc_dft4(even, 1, back);
	xc_dft4(odd, 1, back);
	for (int i = 0; i < 4; i++) {
		x[2 * i] = even[i];
		x[2 * i + 1] = odd[i];
	}
}

#endif
