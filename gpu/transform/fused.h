/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two-dimensional DCT of a frame whose sides are powers of two, in two kernels and two
 * passes through memory: no more than the FFT alone takes.  Everything that Jiang, Gu and
 * Pan put before and after a two-dimensional real FFT (algorithm 2) is done here where
 * its lines are in registers or shared memory anyway:
 *
 *  - Columns.  Two real columns side by side are one complex column, and a block of
 *    threads takes a few of them, so that it reads and writes whole sectors of memory.
 *    Rows come in Makhoul's order (even ones forwards, odd ones backwards); FFT; values
 *    k and N - k, with the factor a of the paper's equation 18, give rows k and N - k:
 *    the DCT of complex values is linear, so both columns get theirs.
 *  - Rows.  A real row of M is a complex line of M / 2, in the same order; FFT; values j
 *    and M / 2 - j are taken apart, turned by the factor b, and give coefficients
 *    j, M - j, M / 2 - j and M / 2 + j.  In place.
 *
 * The inverse is the same two steps, each the other way round.  Sine transforms read or
 * write coefficient N - k for k, and change the sign of every second sample.
 *
 * Included with XC_REAL_BITS set.  Written for one block of threads: see line_fft.h.
 */
#ifndef XC_GPU_FUSED_H
#define XC_GPU_FUSED_H

#include "gpu/transform/line_fft.h"

typedef struct xc_fused_columns {
	xc_line_shape line;           /* as many lines as complex columns */
	const XC_REAL *in;
	XC_REAL *out;
	int cols;                     /* samples from row to row */
	int sine;
	const xc_complex *turns;      /* sqrt(1 / 2N) exp(-i pi k / 2N), k < N / 2 */
	XC_REAL first;                /* sqrt(1 / N) */
} xc_fused_columns;

typedef struct xc_fused_rows {
	xc_line_shape line;           /* one a row; of half as many points as samples */
	const XC_REAL *in;
	XC_REAL *out;
	int sine;
	const xc_complex *turns;      /* n = M / 2: sqrt(1 / 2M) exp(-i pi j / 2M), j <= n / 2 */
	const xc_complex *more_turns; /* these times exp(-2 pi i j / M) */
	XC_REAL first;                /* sqrt(1 / M) */
} xc_fused_rows;

/* The sample at place q of Makhoul's order. */
XC_LINE_INLINE int xc_fused_sample(int n, int q)
{
	return q < n / 2 ? 2 * q : 2 * (n - 1 - q) + 1;
}

XC_LINE_INLINE xc_complex *xc_fused_pair(const xc_fused_columns *f, XC_REAL *frame, int row,
                                         int col)
{
	return (xc_complex *)(void *)(frame + (size_t)row * (size_t)f->cols + 2 * (size_t)col);
}

XC_LINE_INLINE xc_complex xc_fused_load(const xc_fused_columns *f, int row, int col)
{
	return *xc_fused_pair(f, (XC_REAL *)f->in, row, col);
}

/* ------------------------------------------------------- columns, forward */

/* Rows k and N - k. */
XC_LINE_INLINE void xc_fused_columns_out(const xc_fused_columns *f, int col, int k, xc_complex z,
                                         xc_complex mirrored)
{
	const int n = f->line.n;
	if (k == 0) {
		/* Here `mirrored` is value N / 2. */
		const xc_complex top = xc_c_scale(z, f->first);
		*xc_fused_pair(f, f->out, 0, col) = f->sine ? xc_c(0, 0) : top;
		*xc_fused_pair(f, f->out, n / 2, col) = xc_c_scale(mirrored, f->first);
	} else {
		const xc_complex turn = f->turns[k];
		const xc_complex a = xc_c_mul(turn, z), b = xc_c_mul(xc_c_conj(turn), mirrored);
		const xc_complex low = xc_c_add(a, b), high = xc_c_turn(xc_c_sub(a, b));
		*xc_fused_pair(f, f->out, f->sine ? n - k : k, col) = low;
		*xc_fused_pair(f, f->out, f->sine ? k : n - k, col) = high;
	}
}

static XC_DEVICE void xc_fused_columns_forward(const xc_fused_columns *f, xc_complex *shared,
                                               int block, const int per)
{
	const xc_line_shape shape = xc_line_across(&f->line), *const s = &shape;
	xc_points mine[XC_BLOCK_HELD];
	XC_EACH_THREAD(t, s->threads) {
		const int col = block * s->lines + xc_line_of(s, t), number = xc_number_of(s, t);
		xc_points *const p = &mine[XC_HELD_BY(t)];
		XC_UNROLLED
		for (int i = 0; i < 8 * per; i++) {
			const int row = xc_fused_sample(s->n, xc_line_point(s, number, i, per));
			p->v[i] = xc_fused_load(f, row, col);
			if (f->sine && (row & 1))
				p->v[i] = xc_c(-p->v[i].re, -p->v[i].im);
		}
		xc_line_first(s, shared, p, t, per, 0);
	}
	xc_line_rest(s, shared, mine, per, 0);
	xc_line_leave(s, shared, mine, per);
	XC_EACH_THREAD(t, s->threads) {
		const int line = xc_line_of(s, t), number = xc_number_of(s, t);
		const int step = s->n / 8 / per;
		XC_UNROLLED
		for (int i = 0; i < 4 * per; i++) {
			const int k = number + i * step, other = k ? s->n - k : s->n / 2;
			xc_fused_columns_out(f, block * s->lines + line, k,
			                     shared[xc_line_place(s, line, k)],
			                     shared[xc_line_place(s, line, other)]);
		}
	}
}

/* ------------------------------------------------------- columns, inverse */

XC_LINE_INLINE void xc_fused_columns_in(const xc_fused_columns *f, int col, int k, xc_complex *z,
                                        xc_complex *mirrored)
{
	const int n = f->line.n;
	if (k == 0) {
		const xc_complex top = xc_fused_load(f, 0, col);
		*z = f->sine ? xc_c(0, 0) : xc_c_scale(top, f->first);
		*mirrored = xc_c_scale(xc_fused_load(f, n / 2, col), f->first);
	} else {
		const xc_complex low = xc_fused_load(f, f->sine ? n - k : k, col);
		const xc_complex high = xc_c_turn(xc_fused_load(f, f->sine ? k : n - k, col));
		const xc_complex turn = f->turns[k];
		*z = xc_c_mul(xc_c_conj(turn), xc_c_sub(low, high));
		*mirrored = xc_c_mul(turn, xc_c_add(low, high));
	}
}

static XC_DEVICE void xc_fused_columns_inverse(const xc_fused_columns *f, xc_complex *shared,
                                               int block, const int per)
{
	const xc_line_shape shape = xc_line_across(&f->line), *const s = &shape;
	xc_points mine[XC_BLOCK_HELD];
	XC_EACH_THREAD(t, s->threads) {
		const int line = xc_line_of(s, t), number = xc_number_of(s, t);
		const int step = s->n / 8 / per;
		XC_UNROLLED
		for (int i = 0; i < 4 * per; i++) {
			const int k = number + i * step, other = k ? s->n - k : s->n / 2;
			xc_complex z, mirrored;
			xc_fused_columns_in(f, block * s->lines + line, k, &z, &mirrored);
			shared[xc_line_place(s, line, k)] = z;
			shared[xc_line_place(s, line, other)] = mirrored;
		}
	}
	xc_line_through(s, shared, mine, per, 1);
	XC_EACH_THREAD(t, s->threads) {
		const int col = block * s->lines + xc_line_of(s, t), number = xc_number_of(s, t);
		XC_UNROLLED
		for (int i = 0; i < 8 * per; i++) {
			const int row = xc_fused_sample(s->n, xc_line_point(s, number, i, per));
			const xc_complex z = mine[XC_HELD_BY(t)].v[i];
			const int negative = f->sine && (row & 1);
			*xc_fused_pair(f, f->out, row, col) = negative ? xc_c(-z.re, -z.im) : z;
		}
	}
}

/* ------------------------------------------------------------------ rows */

/* Coefficient k of a row of m; a sine transform has it at m - k, and none at 0. */
XC_LINE_INLINE void xc_fused_put(const xc_fused_rows *f, XC_REAL *row, int m, int k, XC_REAL value)
{
	if (!f->sine)
		row[k] = value;
	else
		row[k ? m - k : 0] = k ? value : 0;
}

XC_LINE_INLINE XC_REAL xc_fused_get(const xc_fused_rows *f, const XC_REAL *row, int m, int k)
{
	if (!f->sine)
		return row[k];
	return k ? row[m - k] : 0;
}

/* exp(-i pi / 4) times the conjugate: how the factors b at j and n - j differ. */
XC_LINE_INLINE xc_complex xc_fused_reflect(xc_complex a)
{
	return xc_c((a.re - a.im) * XC_SQRT_HALF, -(a.re + a.im) * XC_SQRT_HALF);
}

/* Values j and n - j of the line's FFT to coefficients. */
XC_LINE_INLINE void xc_fused_rows_out(const xc_fused_rows *f, XC_REAL *row, int j, xc_complex z,
                                      xc_complex mirrored)
{
	const int n = f->line.n, m = 2 * n;
	if (j == 0) {
		xc_fused_put(f, row, m, 0, (z.re + z.im) * f->first);
		xc_fused_put(f, row, m, n, (z.re - z.im) * f->first);
		return;
	}
	const xc_complex sum = xc_c_add(z, xc_c_conj(mirrored));
	const xc_complex less = xc_c_sub(xc_c_conj(mirrored), z);
	const xc_complex p = xc_c_mul(f->turns[j], sum);
	const xc_complex q = xc_c_mul(f->more_turns[j], xc_c_turn(less));
	const xc_complex low = xc_c_add(p, q), high = xc_fused_reflect(xc_c_sub(p, q));
	xc_fused_put(f, row, m, j, low.re);
	xc_fused_put(f, row, m, m - j, -low.im);
	if (2 * j < n) {
		xc_fused_put(f, row, m, n - j, high.re);
		xc_fused_put(f, row, m, n + j, -high.im);
	}
}

/* The reverse. */
XC_LINE_INLINE void xc_fused_rows_in(const xc_fused_rows *f, const XC_REAL *row, int j,
                                     xc_complex *z, xc_complex *mirrored)
{
	const int n = f->line.n, m = 2 * n;
	if (j == 0) {
		const XC_REAL a = xc_fused_get(f, row, m, 0), b = xc_fused_get(f, row, m, n);
		*z = *mirrored = xc_c((a + b) * f->first, (a - b) * f->first);
		return;
	}
	const xc_complex low = xc_c(xc_fused_get(f, row, m, j), -xc_fused_get(f, row, m, m - j));
	const xc_complex high =
		xc_fused_reflect(xc_c(xc_fused_get(f, row, m, n - j), -xc_fused_get(f, row, m, n + j)));
	const xc_complex e = xc_c_mul(xc_c_conj(f->turns[j]), xc_c_add(low, high));
	const xc_complex o = xc_c_mul(xc_c_conj(f->more_turns[j]), xc_c_sub(low, high));
	*z = xc_c_add(e, xc_c_turn(o));
	*mirrored = xc_c_add(xc_c_conj(e), xc_c_turn(xc_c_conj(o)));
}

typedef struct __attribute__((aligned(16))) xc_four {
	XC_REAL x[4];
} xc_four;

static XC_DEVICE void xc_fused_rows_forward(const xc_fused_rows *f, xc_complex *shared, int block)
{
	const xc_line_shape shape = xc_line_along(&f->line), *const s = &shape;
	const int n = s->n, step = n / 8;
	xc_points mine[XC_BLOCK_HELD];
	XC_EACH_THREAD(t, s->threads) {
		const int line = xc_line_of(s, t), number = xc_number_of(s, t);
		const size_t row = (size_t)(block * s->lines + line) * 2 * (size_t)n;
		const xc_four *const in = (const xc_four *)(const void *)(f->in + row);
		xc_four four[4];
		XC_UNROLLED
		for (int i = 0; i < 4; i++)
			four[i] = in[number + i * step];
		XC_UNROLLED
		for (int i = 0; i < 4; i++) {
			const int q = number + i * step;
			const XC_REAL sign = f->sine ? -1 : 1;
			shared[xc_line_place(s, line, q)] = xc_c(four[i].x[0], four[i].x[2]);
			shared[xc_line_place(s, line, n - 1 - q)] =
				xc_c(sign * four[i].x[3], sign * four[i].x[1]);
		}
	}
	xc_line_through(s, shared, mine, 1, 0);
	xc_line_leave(s, shared, mine, 1);
	XC_EACH_THREAD(t, s->threads) {
		const int line = xc_line_of(s, t), number = xc_number_of(s, t);
		XC_REAL *const row = f->out + (size_t)(block * s->lines + line) * 2 * (size_t)n;
		XC_UNROLLED
		for (int i = 0; i < 4; i++) {
			const int j = number + i * step;
			xc_fused_rows_out(f, row, j, shared[xc_line_place(s, line, j)],
			                  shared[xc_line_place(s, line, j ? n - j : 0)]);
		}
		if (number == 0)
			xc_fused_rows_out(f, row, n / 2, shared[xc_line_place(s, line, n / 2)],
			                  shared[xc_line_place(s, line, n / 2)]);
	}
}

static XC_DEVICE void xc_fused_rows_inverse(const xc_fused_rows *f, xc_complex *shared, int block)
{
	const xc_line_shape shape = xc_line_along(&f->line), *const s = &shape;
	const int n = s->n, step = n / 8;
	xc_points mine[XC_BLOCK_HELD];
	XC_EACH_THREAD(t, s->threads) {
		const int line = xc_line_of(s, t), number = xc_number_of(s, t);
		const XC_REAL *const row =
			f->in + (size_t)(block * s->lines + line) * 2 * (size_t)n;
		xc_complex z, mirrored;
		XC_UNROLLED
		for (int i = 0; i < 4; i++) {
			const int j = number + i * step;
			xc_fused_rows_in(f, row, j, &z, &mirrored);
			shared[xc_line_place(s, line, j)] = z;
			shared[xc_line_place(s, line, j ? n - j : 0)] = mirrored;
		}
		if (number == 0) {
			xc_fused_rows_in(f, row, n / 2, &z, &mirrored);
			shared[xc_line_place(s, line, n / 2)] = z;
		}
	}
	xc_line_through(s, shared, mine, 1, 1);
	xc_line_leave(s, shared, mine, 1);
	XC_EACH_THREAD(t, s->threads) {
		const int line = xc_line_of(s, t), number = xc_number_of(s, t);
		const size_t row = (size_t)(block * s->lines + line) * 2 * (size_t)n;
		xc_four *const out = (xc_four *)(void *)(f->out + row);
		XC_UNROLLED
		for (int i = 0; i < 4; i++) {
			const int q = number + i * step;
			const xc_complex a = shared[xc_line_place(s, line, q)];
			const xc_complex b = shared[xc_line_place(s, line, n - 1 - q)];
			const XC_REAL sign = f->sine ? -1 : 1;
			xc_four four;
			four.x[0] = a.re;
			four.x[1] = sign * b.im;
			four.x[2] = a.im;
			four.x[3] = sign * b.re;
			out[q] = four;
		}
	}
}

#endif
