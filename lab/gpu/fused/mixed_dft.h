/* SPDX-License-Identifier: BSD-2-Clause */
/* Butterflies of the radices that line_fft.h does not have.  v is in registers, and radices are
 * constants. */
#ifndef XC_LAB_GPU_FUSED_MIXED_DFT_H
#define XC_LAB_GPU_FUSED_MIXED_DFT_H

#include "lab/gpu/frame/complex.h"

/* The largest radix: what is in registers grows with it. */
enum { XC_MIXED_RADIX = XC_REAL_BITS == 32 ? 16 : 10 };

/* exp(2 pi i k / radix), for a constant k >= 0 and an odd radix up to 9. */
XC_GPU_INLINE xc_complex xc_c_odd_root(const int radix, const int k)
{
	static const double cosines[4][5] = {
		{1, -0.5},
		{1, 0.30901699437494742410, -0.80901699437494742410},
		{1, 0.62348980185873353053, -0.22252093395631440429, -0.90096886790241912624},
		{1, 0.76604444311897803520, 0.17364817766693034885, -0.5, -0.93969262078590838405},
	};
	static const double sines[4][5] = {
		{0, 0.86602540378443864676},
		{0, 0.95105651629515357212, 0.58778525229247312917},
		{0, 0.78183148246802980871, 0.97492791218182360702, 0.43388373911755812048},
		{0, 0.64278760968653932632, 0.98480775301220805937, 0.86602540378443864676,
	     0.34202014332566873304},
	};
	const int in_turn = k % radix, below = 2 * in_turn > radix;
	const int i = below ? radix - in_turn : in_turn, table = radix / 2 - 1;
	const XC_REAL re = (XC_REAL)cosines[table][i], im = (XC_REAL)sines[table][i];
	return xc_c(re, below ? -im : im);
}

/* An odd radix, by its definition: elements i and radix - i have the same cosines, and
 * opposite sines. */
XC_GPU_INLINE void xc_dft_odd(xc_complex *v, const int radix, const int back)
{
	const xc_complex first = v[0];
	xc_complex sums[4], differences[4];
	XC_UNROLL
	for (int i = 1; i <= radix / 2; i++) {
		sums[i - 1] = xc_c_add(v[i], v[radix - i]);
		differences[i - 1] = xc_c_sub(v[i], v[radix - i]);
		v[0] = xc_c_add(v[0], sums[i - 1]);
	}
	XC_UNROLL
	for (int k = 1; k <= radix / 2; k++) {
		xc_complex even = first, odd = xc_c(0, 0);
		XC_UNROLL
		for (int i = 1; i <= radix / 2; i++) {
			const xc_complex root = xc_c_odd_root(radix, i * k);
			even = xc_c_more(even, sums[i - 1], root.re);
			odd = i == 1 ? xc_c_scale(differences[0], root.im)
			             : xc_c_more(odd, differences[i - 1], root.im);
		}
		odd = xc_c_quarter(odd, back);
		v[k] = xc_c_add(even, odd);
		v[radix - k] = xc_c_sub(even, odd);
	}
}

/* radix = a b, which have no common factor (Good): element b i + a j, value a' k + b' m, where
 * a' is 0 modulo b and 1 modulo a, needs no factors between. */
XC_GPU_INLINE void xc_dft_coprime(xc_complex *v, const int a, const int b, const int back)
{
	const int radix = a * b;
	int of_a = b, of_b = a;
	xc_complex x[16], line[5];
	XC_UNROLL
	for (int i = 1; i < 5; i++) {
		of_a += of_a % a == 1 ? 0 : b;
		of_b += of_b % b == 1 ? 0 : a;
	}
	XC_UNROLL
	for (int j = 0; j < b; j++) {
		XC_UNROLL
		for (int i = 0; i < a; i++)
			line[i] = v[(b * i + a * j) % radix];
		if (a == 2)
			xc_dft2(line, 1);
		else if (a == 3)
			xc_dft_odd(line, 3, back);
		else
			xc_dft4(line, 1, back);
		XC_UNROLL
		for (int i = 0; i < a; i++)
			x[b * i + j] = line[i];
	}
	XC_UNROLL
	for (int k = 0; k < a; k++) {
		xc_dft_odd(x + b * k, b, back);
		XC_UNROLL
		for (int m = 0; m < b; m++)
			v[(of_a * k + of_b * m) % radix] = x[b * k + m];
	}
}

XC_GPU_INLINE void xc_mixed_dft(xc_complex *v, const int radix, const int back)
{
	switch (radix) {
	case 2:
		xc_dft2(v, 1);
		break;
	case 4:
		xc_dft4(v, 1, back);
		break;
	case 6:
		xc_dft_coprime(v, 2, 3, back);
		break;
	case 8:
		xc_dft8(v, 1, back);
		break;
	case 10:
		xc_dft_coprime(v, 2, 5, back);
		break;
	case 12:
		xc_dft_coprime(v, 4, 3, back);
		break;
	case 15:
		xc_dft_coprime(v, 3, 5, back);
		break;
	case 16:
		xc_dft16(v, 1, back);
		break;
	default:
		xc_dft_odd(v, radix, back);
	}
}

#endif
