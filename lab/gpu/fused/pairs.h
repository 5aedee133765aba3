/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The step of Jiang, Gu and Pan between a two-dimensional real FFT and the DCT (algorithm 2),
 * and back, for the pairs of values k and n - k that a thread of line_fft.h has.
 *
 * The factors of a thread's pairs differ by constants.  The factor exp(-i pi k / 2n) of
 * k = number + 2 T i is that of `number` times exp(-i pi i / 2R).  The factor of
 * k = mirror + 2 T i is the conjugate of the former times exp(-i pi (i + 1) / 2R).
 */
#ifndef XC_LAB_GPU_FUSED_PAIRS_H
#define XC_LAB_GPU_FUSED_PAIRS_H

#include "lab/gpu/fused/line_fft.h"

/*
 * An axis as its kernel sees it.  Its lines are the frame's columns or its rows.  Two real columns
 * side by side are one complex line of N, because the DCT is linear; a real row of M = 2n is a
 * complex line of n.
 */
typedef struct xc_fused_axis {
	const XC_REAL *in;
	XC_REAL *out;
	int cols; /* samples from row to row */
	int sine;
	/* The factors of the lines' passes (not of split or mixed ones), then those of the pairs.
	 * Columns: sqrt(1 / 2N) exp(-i pi k / 2N), k <= T; of split ones k < 2 T.
	 * Rows: sqrt(1 / 2M) exp(-i pi j / 2M), j <= T; then these times exp(-2 pi i j / M). */
	const xc_complex *table;
	XC_REAL first; /* sqrt(1 / N), or of M: the scale of coefficient 0 */
} xc_fused_axis;

/* The pairs of a thread begin at k = number and at its mirror image and follow in steps of
 * xc_pairs_step().  `log` and `ends` are constants. */
typedef struct xc_pairs {
	int log, ends;
	int number, mirror;
} xc_pairs;

XC_GPU_INLINE xc_pairs xc_pairs_of(const xc_line *l)
{
	const xc_pairs p = {l->log, l->ends, l->number, xc_line_value_mirror(l)};
	return p;
}

XC_GPU_INLINE int xc_pairs_step(const xc_pairs *p)
{
	return 1 << (p->log - p->ends);
}

/* Where the second half's factor is: thread 0 has that of T. */
XC_GPU_INLINE int xc_pairs_other(const xc_pairs *p)
{
	return p->number ? p->number : 1 << (p->log - p->ends - 1);
}

/* -------------------------------------------------------------- columns */

XC_GPU_INLINE xc_complex *xc_fused_at(const XC_REAL *frame, int index)
{
	return (xc_complex *)(void *)frame + index;
}

/* The rows of pair i, counted from k on, as indices of complex values.  `low` is that of value k,
 * or of n - k in a sine transform. */
typedef struct xc_fused_place {
	int low, high;
} xc_fused_place;

XC_GPU_INLINE xc_fused_place xc_fused_pair_rows(const xc_fused_axis *f, const xc_pairs *p, int k,
                                                const int i, int col)
{
	const int width = f->cols / 2, step = (f->sine ? -width : width) * xc_pairs_step(p);
	const int low = k * width + col, high = ((1 << p->log) - k) * width + col;
	xc_fused_place at;
	at.low = (f->sine ? high : low) + i * step;
	at.high = (f->sine ? low : high) - i * step;
	return at;
}

/* The factors of a thread's columns: `table` has those of numbers up to T. */
typedef struct xc_fused_turn {
	xc_complex a, b;
} xc_fused_turn;

XC_GPU_INLINE xc_fused_turn xc_fused_turn_of(const xc_pairs *p, const xc_complex *table)
{
	const xc_fused_turn t = {table[p->number], xc_c_conj(table[xc_pairs_other(p)])};
	return t;
}

/* That of pair i of the first or second half. */
XC_GPU_INLINE xc_complex xc_fused_turn_at(const xc_pairs *p, const xc_fused_turn *t, const int half,
                                          const int i)
{
	return xc_c_mul(half ? t->b : t->a, xc_c_arc((i + half) * (32 >> p->ends)));
}

XC_GPU_INLINE void xc_fused_columns_out(const xc_fused_axis *f, const xc_pairs *p,
                                        const xc_complex *v, const xc_fused_turn *turns, int col)
{
	const int radix = 1 << p->ends, middle = (1 << p->log) / 2 * (f->cols / 2) + col;
	const int zero = p->number == 0;
	XC_UNROLL
	for (int e = 0; e < radix; e++) {
		const int half = e & 1, i = e >> 1;
		const xc_fused_place at = xc_fused_pair_rows(f, p, half ? p->mirror : p->number, i, col);
		xc_complex low = v[half * radix + i], high = v[(2 - half) * radix - 1 - i];
		if (e == 0 && zero) {
			low = f->sine ? xc_c(0, 0) : xc_c_scale(low, f->first);
			high = xc_c_scale(high, f->first);
		} else {
			xc_c_rotate(xc_fused_turn_at(p, turns, half, i), &low, &high);
		}
		*xc_fused_at(f->out, e == 0 && zero ? col : at.low) = low;
		*xc_fused_at(f->out, e == 0 && zero ? middle : at.high) = high;
	}
}

XC_GPU_INLINE void xc_fused_columns_in(const xc_fused_axis *f, const xc_pairs *p, xc_complex *v,
                                       const xc_fused_turn *turns, int col)
{
	const int radix = 1 << p->ends, middle = (1 << p->log) / 2 * (f->cols / 2) + col;
	const int zero = p->number == 0;
	XC_UNROLL
	for (int e = 0; e < radix; e++) {
		const int half = e & 1, i = e >> 1;
		const xc_fused_place at = xc_fused_pair_rows(f, p, half ? p->mirror : p->number, i, col);
		v[half * radix + i] = xc_c_load_once(xc_fused_at(f->in, e == 0 && zero ? col : at.low));
		v[(2 - half) * radix - 1 - i] = xc_c_load_once(
			xc_fused_at(f->in, e == 0 && zero ? middle : at.high));
	}
	XC_UNROLL
	for (int e = 0; e < radix; e++) {
		const int half = e & 1, i = e >> 1;
		xc_complex *const z = &v[half * radix + i];
		xc_complex *const mirrored = &v[(2 - half) * radix - 1 - i];
		if (e == 0 && zero) {
			*z = f->sine ? xc_c(0, 0) : xc_c_scale(*z, f->first);
			*mirrored = xc_c_scale(*mirrored, f->first);
		} else {
			xc_c_unrotate(xc_fused_turn_at(p, turns, half, i), z, mirrored);
		}
	}
}

/* ------------------------------------------------------------------ rows */

/* exp(-i pi / 4) times the conjugate: how the factors b at j and n - j differ. */
XC_GPU_INLINE xc_complex xc_fused_reflect(xc_complex a)
{
	return xc_c((a.re - a.im) * XC_SQRT_HALF, -(a.re + a.im) * XC_SQRT_HALF);
}

/* Coefficients j and M - j, n - j and n + j of a row, which are real and imaginary parts
 * but for the sign of the latter.  A sine transform has them the other way round. */
typedef struct xc_fused_four {
	XC_REAL *low, *low_mirror, *high, *high_mirror;
} xc_fused_four;

/* Those of j = k + 2 T i, or `first` ones of thread 0: 0 and n, n / 2 and 3n / 2. */
XC_GPU_INLINE xc_fused_four xc_fused_four_at(const xc_pairs *p, XC_REAL *row, int k, const int i,
                                             int first)
{
	const int n = 1 << p->log, j = i * xc_pairs_step(p);
	XC_REAL *const up = row + k, *const down = row + (2 * n - k);
	xc_fused_four at;
	at.low = up + j;
	at.low_mirror = first ? row + n : down - j;
	at.high = first ? row + n / 2 : down - (n + j);
	at.high_mirror = first ? row + (n + n / 2) : up + (n + j);
	return at;
}

/* From a pair of coefficients to a complex value, or back. */
XC_GPU_INLINE xc_complex xc_fused_sides(xc_complex a, int sine)
{
	return sine ? xc_c(-a.im, -a.re) : a;
}

/* The two factors of a thread, for both of its halves. */
typedef struct xc_fused_turns {
	xc_fused_turn turn, more;
} xc_fused_turns;

/* Those of pair i of a half. */
typedef struct xc_fused_two {
	xc_complex turn, more;
} xc_fused_two;

XC_GPU_INLINE xc_fused_two xc_fused_turns_at(const xc_pairs *p, const xc_fused_turns *t,
                                             const int half, const int i)
{
	const int arc = (i + half) * (16 >> p->ends);
	xc_fused_two two;
	two.turn = xc_c_mul(half ? t->turn.b : t->turn.a, xc_c_arc(arc));
	two.more = xc_c_mul(half ? t->more.b : t->more.a, xc_c_arc(5 * arc));
	return two;
}

/* Value n / 2, which is its own mirror image, to coefficients; or back. */
XC_GPU_INLINE xc_complex xc_fused_middle(const xc_fused_axis *f, xc_complex z)
{
	return xc_c_mul(xc_c_scale(xc_c_arc(8), 2 * XC_SQRT_HALF * f->first), xc_c_conj(z));
}

/* Values j and n - j to coefficients; of thread 0, first values 0 and n / 2. */
XC_GPU_INLINE void xc_fused_row_pair_out(xc_complex *z, xc_complex *mirrored, const xc_fused_two *t)
{
	const xc_complex sum = xc_c_add(*z, xc_c_conj(*mirrored));
	const xc_complex less = xc_c_sub(xc_c_conj(*mirrored), *z);
	const xc_complex a = xc_c_mul(t->turn, sum), b = xc_c_mul(t->more, xc_c_turn(less));
	*z = xc_c_add(a, b);
	*mirrored = xc_fused_reflect(xc_c_sub(a, b));
}

XC_GPU_INLINE void xc_fused_rows_out(const xc_fused_axis *f, const xc_pairs *p, const xc_complex *v,
                                     const xc_fused_turns *turns, XC_REAL *row)
{
	const int radix = 1 << p->ends, zero = p->number == 0;
	XC_UNROLL
	for (int e = 0; e < radix; e++) {
		const int half = e & 1, i = e >> 1;
		const xc_fused_two two = xc_fused_turns_at(p, turns, half, i);
		const xc_fused_four at = xc_fused_four_at(p, row, half ? p->mirror : p->number, i,
		                                          e == 0 && zero);
		xc_complex low = v[half * radix + i], high = v[(2 - half) * radix - 1 - i];
		if (e == 0 && zero) {
			low = xc_c((low.re + low.im) * f->first, (low.im - low.re) * f->first);
			low = f->sine ? xc_c(0, low.im) : low;
			high = xc_fused_sides(xc_fused_middle(f, high), f->sine);
		} else {
			xc_fused_row_pair_out(&low, &high, &two);
			low = xc_fused_sides(low, f->sine);
			high = xc_fused_sides(high, f->sine);
		}
		XC_STORE_LAST(at.low, low.re);
		XC_STORE_LAST(at.low_mirror, -low.im);
		XC_STORE_LAST(at.high, high.re);
		XC_STORE_LAST(at.high_mirror, -high.im);
	}
}

/* The reverse. */
XC_GPU_INLINE void xc_fused_row_pair_in(xc_complex *z, xc_complex *mirrored, const xc_fused_two *t)
{
	const xc_complex low = *z, high = xc_fused_reflect(*mirrored);
	const xc_complex e = xc_c_mul(xc_c_conj(t->turn), xc_c_add(low, high));
	const xc_complex o = xc_c_mul(xc_c_conj(t->more), xc_c_sub(low, high));
	*z = xc_c_add(e, xc_c_turn(o));
	*mirrored = xc_c_add(xc_c_conj(e), xc_c_turn(xc_c_conj(o)));
}

XC_GPU_INLINE void xc_fused_rows_in(const xc_fused_axis *f, const xc_pairs *p, xc_complex *v,
                                    const xc_fused_turns *turns, XC_REAL *row)
{
	const int radix = 1 << p->ends, zero = p->number == 0;
	XC_UNROLL
	for (int e = 0; e < radix; e++) {
		const int half = e & 1, i = e >> 1;
		const xc_fused_four at = xc_fused_four_at(p, row, half ? p->mirror : p->number, i,
		                                          e == 0 && zero);
		v[half * radix + i] = xc_c(*at.low, -*at.low_mirror);
		v[(2 - half) * radix - 1 - i] = xc_c(*at.high, -*at.high_mirror);
	}
	XC_UNROLL
	for (int e = 0; e < radix; e++) {
		const int half = e & 1, i = e >> 1;
		const xc_fused_two two = xc_fused_turns_at(p, turns, half, i);
		xc_complex *const z = &v[half * radix + i];
		xc_complex *const mirrored = &v[(2 - half) * radix - 1 - i];
		if (e == 0 && zero) {
			const XC_REAL sum = f->sine ? 0 : z->re;
			*z = xc_c((sum - z->im) * f->first, (sum + z->im) * f->first);
			*mirrored = xc_fused_middle(f, xc_fused_sides(*mirrored, f->sine));
		} else {
			*z = xc_fused_sides(*z, f->sine);
			*mirrored = xc_fused_sides(*mirrored, f->sine);
			xc_fused_row_pair_in(z, mirrored, &two);
		}
	}
}

#endif
