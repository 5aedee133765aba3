/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FFTs of lines whose number of points is a product of small radices.  Their shape is known at
 * run time.  (line_fft.h is compiled for each power of two.)
 *
 * Lines lie in shared memory.  A pass of decimation in frequency takes butterflies of its radix
 * and leaves their values where their elements were, so that threads wait between two passes
 * only.  Afterwards value k is at the place that the digits of k name in the reverse order; a
 * table says which.  The inverse is the same graph backwards: by decimation in time, from values
 * in that order to samples in theirs.
 */
#ifndef XC_LAB_GPU_FUSED_MIXED_LINE_H
#define XC_LAB_GPU_FUSED_MIXED_LINE_H

#include "lab/gpu/fused/line_thread.h"
#include "lab/gpu/fused/mixed_dft.h"

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
