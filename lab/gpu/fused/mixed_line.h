/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FFTs of lines whose number of points is a product of small radices.  Their shape is known at
 * run time.  (line_fft.h is compiled for each power of two.)
 *
 * Lines lie in shared memory.  A pass of decimation in frequency takes butterflies of its radix and
 * leaves their values where their elements were, so threads wait only between passes.  Afterwards
 * the digits of k in reverse order give the place of value k; a table holds these places.  The
 * inverse is the same graph backwards: by decimation in time, from values in that order to samples
 * in theirs.
 */
#ifndef XC_LAB_GPU_FUSED_MIXED_LINE_H
#define XC_LAB_GPU_FUSED_MIXED_LINE_H

#include "lab/gpu/fused/line_thread.h"

/* ----------------------------- butterflies of the radices that line_fft.h does not have */

/* The largest radix; a thread's registers grow with it. */
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

/* radix = a b, where a and b have no common factor (Good).  Elements b i + a j and values
 * a' k + b' m, with a' 0 modulo b and 1 modulo a, need no factors in between. */
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

/* ---------------------------------------------------------------- lines */

enum { XC_MIXED_PASSES = 6 };
/* The most threads of a block: together they have all of a multiprocessor's registers. */
enum { XC_MIXED_THREADS = XC_REAL_BITS == 32 ? 1024 : 768 };

/* A pass of butterflies over elements that are `apart`. */
typedef struct xc_mixed_pass {
	int radix, apart;
	unsigned reciprocal; /* of `apart`: see xc_mixed_divide() */
	int factors;         /* where they begin in the table: exp(-2 pi i e j / m), m =
	                               * radix apart, j < apart, for each stored exponent e */
} xc_mixed_pass;

/* All lines of an axis. */
typedef struct xc_mixed_shape {
	int points, passes;
	xc_mixed_pass pass[XC_MIXED_PASSES];
	int across;      /* log2 of the lines side by side, neighbouring threads in
	                               * neighbouring lines; or -1: neighbours along a line */
	int log_threads; /* of one of the latter lines */
	const xc_complex *table;
	const unsigned short *places; /* of values */
} xc_mixed_shape;

/* A line as one of its threads sees it: points number, number + step, ... */
typedef struct xc_mixed_line {
	int number, step, beside;
	int line; /* which of its block */
	xc_complex *at;
} xc_mixed_line;

XC_GPU_INLINE xc_mixed_line xc_mixed_line_at(const xc_mixed_shape *s, xc_complex *shared,
                                             int threads, int t)
{
	xc_mixed_line l;
	if (s->across >= 0) {
		l.beside = s->across;
		l.line = t & ((1 << s->across) - 1);
		l.number = t >> s->across;
		l.step = threads >> s->across;
		l.at = shared + l.line;
	} else {
		l.beside = 0;
		l.line = t >> s->log_threads;
		l.number = t & ((1 << s->log_threads) - 1);
		l.step = 1 << s->log_threads;
		l.at = shared + l.line * s->points;
	}
	return l;
}

XC_GPU_INLINE xc_complex *xc_mixed_point(const xc_mixed_line *l, int q)
{
	return l->at + (q << l->beside);
}

XC_GPU_INLINE xc_complex *xc_mixed_value(const xc_mixed_shape *s, const xc_mixed_line *l, int k)
{
	return l->at + (s->places[k] << l->beside);
}

/* b / apart, for b < 2^16 and apart < 2^15, the reciprocal being 2^31 / apart, rounded up. */
XC_GPU_INLINE int xc_mixed_divide(int b, unsigned reciprocal)
{
	return (int)((unsigned long long)(unsigned)b * reciprocal >> 31);
}

/* How many powers of a factor, those of xc_line_exponent(), are stored for a radix. */
XC_GPU_CONSTANT int xc_mixed_stored(int radix)
{
	return radix <= 4 ? radix - 1 : radix <= 8 ? 4 : radix <= 12 ? 5 : 6;
}

XC_GPU_INLINE void xc_mixed_turn(const xc_complex *table, int apart, xc_complex *v, const int radix,
                                 const int back)
{
	xc_complex w[XC_LINE_STORED];
	XC_UNROLL
	for (int i = 0; i < xc_mixed_stored(radix); i++)
		w[i] = table[i * apart];
	XC_UNROLL
	for (int i = 1; i < radix; i++) {
		const xc_complex turn = xc_line_power(w, i);
		v[i] = xc_c_mul(v[i], back ? xc_c_conj(turn) : turn);
	}
}

/* The last pass has no factors. */
XC_GPU_INLINE void xc_mixed_butterflies(const xc_mixed_shape *s, const xc_mixed_line *l,
                                        const xc_mixed_pass *p, const int radix, const int back)
{
	const int apart = p->apart, count = s->points / radix;
	const xc_complex *const table = s->table + p->factors;
	for (int b = l->number; b < count; b += l->step) {
		const int run = xc_mixed_divide(b, p->reciprocal), j = b - run * apart;
		const int q = run * apart * radix + j;
		xc_complex v[XC_MIXED_RADIX];
		XC_UNROLL
		for (int i = 0; i < radix; i++)
			v[i] = *xc_mixed_point(l, q + i * apart);
		if (back && apart > 1)
			xc_mixed_turn(table + j, apart, v, radix, 1);
		xc_mixed_dft(v, radix, back);
		if (!back && apart > 1)
			xc_mixed_turn(table + j, apart, v, radix, 0);
		XC_UNROLL
		for (int i = 0; i < radix; i++)
			*xc_mixed_point(l, q + i * apart) = v[i];
	}
}

XC_GPU_INLINE void xc_mixed_run_pass(const xc_mixed_shape *s, const xc_mixed_line *l,
                                     const xc_mixed_pass *p, const int back)
{
#define XC_MIXED_CASE(radix) \
	case radix: \
		xc_mixed_butterflies(s, l, p, radix, back); \
		break;
	switch (p->radix) {
		XC_MIXED_CASE(2)
		XC_MIXED_CASE(3)
		XC_MIXED_CASE(4)
		XC_MIXED_CASE(5)
		XC_MIXED_CASE(6)
		XC_MIXED_CASE(7)
		XC_MIXED_CASE(8)
		XC_MIXED_CASE(9)
		XC_MIXED_CASE(10)
#if XC_REAL_BITS == 32
		XC_MIXED_CASE(12)
		XC_MIXED_CASE(15)
		XC_MIXED_CASE(16)
#endif
	}
#undef XC_MIXED_CASE
}

/* Samples to values, in place, or back.  Begins and ends with a barrier. */
XC_GPU_INLINE void xc_mixed_fft(const xc_mixed_shape *s, xc_complex *shared, int threads,
                                const int back)
{
	for (int i = 0; i < s->passes; i++) {
		const xc_mixed_pass *const p = &s->pass[back ? s->passes - 1 - i : i];
		XC_TEAM_SYNC();
		XC_FOR_THREADS(t, threads) {
			const xc_mixed_line l = xc_mixed_line_at(s, shared, threads, t);
			xc_mixed_run_pass(s, &l, p, back);
		}
	}
	XC_TEAM_SYNC();
}

#endif
