/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Complex numbers and the butterflies of FFTs, for one thread.  A file that includes this
 * has set XC_REAL_BITS.  `back` is 1 for exp(+i...), as the inverse has it, and always a
 * constant.
 */
#ifndef XC_LAB_GPU_FRAME_COMPLEX_H
#define XC_LAB_GPU_FRAME_COMPLEX_H

#include "lab/gpu/threads.h"
#include "lab/real.h"

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

/* A complex number as CUDA loads it at once. */
#if !defined __CUDACC__
typedef struct xc_complex_word {
	XC_REAL x, y;
} xc_complex_word;
#elif XC_REAL_BITS == 32
typedef float2 xc_complex_word;
#else
typedef double2 xc_complex_word;
#endif

XC_GPU_INLINE xc_complex xc_c_of(xc_complex_word w)
{
	const xc_complex z = {w.x, w.y};
	return z;
}

XC_GPU_INLINE xc_complex xc_c_load_once(const xc_complex *p)
{
	return xc_c_of(XC_LOAD_ONCE((const xc_complex_word *)(const void *)p));
}

/* v to memory, or back. */
XC_GPU_INLINE void xc_c_move(xc_complex *at, xc_complex *v, const int store)
{
	if (store)
		*at = *v;
	else
		*v = *at;
}

XC_GPU_INLINE xc_complex xc_c(XC_REAL re, XC_REAL im)
{
	xc_complex z;

	z.re = re;
	z.im = im;
	return z;
}

XC_GPU_INLINE xc_complex xc_c_add(xc_complex a, xc_complex b)
{
	return xc_c(a.re + b.re, a.im + b.im);
}

XC_GPU_INLINE xc_complex xc_c_sub(xc_complex a, xc_complex b)
{
	return xc_c(a.re - b.re, a.im - b.im);
}

XC_GPU_INLINE xc_complex xc_c_conj(xc_complex a)
{
	return xc_c(a.re, -a.im);
}

/* i a */
XC_GPU_INLINE xc_complex xc_c_turn(xc_complex a)
{
	return xc_c(-a.im, a.re);
}

XC_GPU_INLINE xc_complex xc_c_scale(xc_complex a, XC_REAL by)
{
	return xc_c(a.re * by, a.im * by);
}

/* a + by b */
XC_GPU_INLINE xc_complex xc_c_more(xc_complex a, xc_complex b, XC_REAL by)
{
	return xc_c(XC_FMA(by, b.re, a.re), XC_FMA(by, b.im, a.im));
}

XC_GPU_INLINE xc_complex xc_c_mul(xc_complex a, xc_complex b)
{
	return xc_c(XC_FMA(a.re, b.re, -(a.im * b.im)), XC_FMA(a.re, b.im, a.im * b.re));
}

/* Values k and n - k of a real FFT in Makhoul's order to coefficients k and n - k of the DCT,
 * `turn` being a factor times exp(-i pi k / 2n); and back. */
XC_GPU_INLINE void xc_c_rotate(xc_complex turn, xc_complex *z, xc_complex *mirrored)
{
	const xc_complex s = xc_c_mul(turn, *z), r = xc_c_mul(xc_c_conj(turn), *mirrored);
	*z = xc_c_add(s, r);
	*mirrored = xc_c_turn(xc_c_sub(s, r));
}

XC_GPU_INLINE void xc_c_unrotate(xc_complex turn, xc_complex *z, xc_complex *mirrored)
{
	const xc_complex low = *z, high = xc_c_turn(*mirrored);
	*z = xc_c_mul(xc_c_conj(turn), xc_c_sub(low, high));
	*mirrored = xc_c_mul(turn, xc_c_add(low, high));
}

/* By exp(-i pi / 2), or its conjugate. */
XC_GPU_INLINE xc_complex xc_c_quarter(xc_complex a, const int back)
{
	return back ? xc_c(-a.im, a.re) : xc_c(a.im, -a.re);
}

/* exp(-i pi k / 64) for k < 128, k a constant. */
XC_GPU_INLINE xc_complex xc_c_arc(const int k)
{
	static const double cosines[33] = {
		1.0000000000000000000,   0.99879545620517239271,  0.99518472667219688624,
		0.98917650996478097345,  0.98078528040323044913,  0.97003125319454399260,
		0.95694033573220886494,  0.94154406518302077841,  0.92387953251128675613,
		0.90398929312344333159,  0.88192126434835502971,  0.85772861000027206990,
		0.83146961230254523708,  0.80320753148064490981,  0.77301045336273696081,
		0.74095112535495909118,  0.70710678118654752440,  0.67155895484701840063,
		0.63439328416364549822,  0.59569930449243334347,  0.55557023301960222474,
		0.51410274419322172659,  0.47139673682599764856,  0.42755509343028209432,
		0.38268343236508977173,  0.33688985339222005069,  0.29028467725446236764,
		0.24298017990326388995,  0.19509032201612826785,  0.14673047445536175166,
		0.098017140329560601994, 0.049067674327418014255, 0,
	};
	const int in_turn = k & 31;
	const XC_REAL re = (XC_REAL)cosines[in_turn], im = (XC_REAL)-cosines[32 - in_turn];

	switch (k >> 5 & 3) {
	case 0:
		return xc_c(re, im);
	case 1:
		return xc_c(im, -re);
	case 2:
		return xc_c(-re, -im);
	default:
		return xc_c(-im, re);
	}
}

XC_GPU_INLINE void xc_dft2(xc_complex *x, const int step)
{
	const xc_complex a = x[0], b = x[step];
	x[0] = xc_c_add(a, b);
	x[step] = xc_c_sub(a, b);
}

XC_GPU_INLINE void xc_dft4(xc_complex *x, const int step, const int back)
{
	const xc_complex s = xc_c_add(x[0], x[2 * step]), d = xc_c_sub(x[0], x[2 * step]);
	const xc_complex t = xc_c_add(x[step], x[3 * step]);
	const xc_complex u = xc_c_quarter(xc_c_sub(x[step], x[3 * step]), back);

	x[0] = xc_c_add(s, t);
	x[step] = xc_c_add(d, u);
	x[2 * step] = xc_c_sub(s, t);
	x[3 * step] = xc_c_sub(d, u);
}

/* The same for elements times exp(-i pi i / 4), or its conjugate.  The factors of elements 1 and 3
 * contain sqrt(1/2), which costs nothing in the multiply-adds. */
XC_GPU_INLINE void xc_dft4_turned(xc_complex *x, const int step, const int back)
{
	const xc_complex two = xc_c_quarter(x[2 * step], back);
	const xc_complex s = xc_c_add(x[0], two), d = xc_c_sub(x[0], two);
	const xc_complex one = xc_c_add(x[step], xc_c_quarter(x[step], back));
	const xc_complex three = xc_c_sub(xc_c_quarter(x[3 * step], back), x[3 * step]);
	const xc_complex t = xc_c_add(one, three);
	const xc_complex u = xc_c_quarter(xc_c_sub(one, three), back);

	x[0] = xc_c_more(s, t, XC_SQRT_HALF);
	x[step] = xc_c_more(d, u, XC_SQRT_HALF);
	x[2 * step] = xc_c_more(s, t, -XC_SQRT_HALF);
	x[3 * step] = xc_c_more(d, u, -XC_SQRT_HALF);
}

XC_GPU_INLINE void xc_dft8(xc_complex *x, const int step, const int back)
{
	xc_complex even[4], odd[4];

	XC_UNROLL
	for (int i = 0; i < 4; i++) {
		even[i] = xc_c_add(x[i * step], x[(i + 4) * step]);
		odd[i] = xc_c_sub(x[i * step], x[(i + 4) * step]);
	}
	xc_dft4(even, 1, back);
	xc_dft4_turned(odd, 1, back);
	XC_UNROLL
	for (int i = 0; i < 4; i++) {
		x[2 * i * step] = even[i];
		x[(2 * i + 1) * step] = odd[i];
	}
}

/* Elements 4 a + b become values c + 4 d: over a first, then over b. */
XC_GPU_INLINE void xc_dft16(xc_complex *x, const int step, const int back)
{
	xc_complex y[4][4];

	XC_UNROLL
	for (int b = 0; b < 4; b++) {
		xc_complex z[4] = {x[b * step], x[(4 + b) * step], x[(8 + b) * step], x[(12 + b) * step]};
		xc_dft4(z, 1, back);
		XC_UNROLL
		for (int c = 0; c < 4; c++) {
			const xc_complex w = xc_c_arc(8 * b * c);
			y[c][b] = b == 0 || c % 2 == 0 ? z[c] : xc_c_mul(z[c], back ? xc_c_conj(w) : w);
		}
	}
	XC_UNROLL
	for (int c = 0; c < 4; c++) {
		if (c == 2)
			xc_dft4_turned(y[c], 1, back);
		else
			xc_dft4(y[c], 1, back);
		XC_UNROLL
		for (int d = 0; d < 4; d++)
			x[(c + 4 * d) * step] = y[c][d];
	}
}

/* A DFT of 1 << log elements. */
XC_GPU_INLINE void xc_dft(xc_complex *x, const int step, const int log, const int back)
{
	if (log == 1)
		xc_dft2(x, step);
	else if (log == 2)
		xc_dft4(x, step, back);
	else if (log == 3)
		xc_dft8(x, step, back);
	else
		xc_dft16(x, step, back);
}

#endif
