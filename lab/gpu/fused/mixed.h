/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two kernels of power.h for sides that are other products of 2, 3, 5 and 7, by the FFTs of
 * mixed_line.h: samples go to shared memory in Makhoul's order, the FFT follows, and then pairs
 * of values k and n - k become coefficients (pairs.h).  The inverse goes the other way round.
 *
 * A row of M is a complex line of M / 2, so rows have an even number of samples; columns are two
 * real ones side by side.  A block may have lines beyond the last one.  These are transformed,
 * but neither read nor written.
 */
#ifndef XC_LAB_GPU_FUSED_MIXED_H
#define XC_LAB_GPU_FUSED_MIXED_H

#include "lab/gpu/fused/pairs.h"
#include "lab/gpu/fused/mixed_line.h"

/* Values that a thread has on their way from memory at a time. */
enum { XC_MIXED_BATCH = 4 };

/* The table of rows has both factors of a pair side by side. */
typedef struct xc_mixed_axis {
	xc_fused_axis all;
	int rows; /* of the frame */
	xc_mixed_shape shape;
} xc_mixed_axis;

/* The place of sample i of n in Makhoul's order. */
XC_GPU_INLINE int xc_mixed_order(int n, int i)
{
	return i & 1 ? n - 1 - (i >> 1) : i >> 1;
}

XC_GPU_INLINE int xc_mixed_least(int a, int b)
{
	return a < b ? a : b;
}

/* --------------------------------------------------------------- columns */

/* A thread's column; threads beyond the last column have none. */
typedef struct xc_mixed_column {
	xc_mixed_line l;
	int points, width, col;
} xc_mixed_column;

XC_GPU_INLINE xc_mixed_column xc_mixed_column_at(const xc_mixed_axis *f, xc_complex *shared,
                                                 int block, int threads, int t)
{
	xc_mixed_column c;
	c.l = xc_mixed_line_at(&f->shape, shared, threads, t);
	c.width = f->all.cols / 2;
	c.col = (block << f->shape.across) + c.l.line;
	c.points = c.col < c.width ? f->shape.points : 0;
	return c;
}

XC_GPU_INLINE xc_complex xc_mixed_sign(xc_complex z, int row, int sine)
{
	return sine && (row & 1) ? xc_c(-z.re, -z.im) : z;
}

XC_GPU_INLINE void xc_mixed_column_load(const xc_mixed_axis *f, const xc_mixed_column *c)
{
	const xc_complex *const in = xc_fused_at(f->all.in, c->col);
	const int n = c->points, step = c->l.step;
	xc_complex v[XC_MIXED_BATCH];
	for (int first = c->l.number; first < n; first += XC_MIXED_BATCH * step) {
		XC_UNROLL
		for (int i = 0; i < XC_MIXED_BATCH; i++)
			v[i] = xc_c_load_once(in + xc_mixed_least(first + i * step, n - 1) * c->width);
		XC_UNROLL
		for (int i = 0; i < XC_MIXED_BATCH; i++) {
			const int row = first + i * step;
			if (row < n)
				*xc_mixed_point(&c->l, xc_mixed_order(n, row)) = xc_mixed_sign(v[i], row,
				                                                               f->all.sine);
		}
	}
}

XC_GPU_INLINE void xc_mixed_column_store(const xc_mixed_axis *f, const xc_mixed_column *c)
{
	for (int row = c->l.number; row < c->points; row += c->l.step)
		*xc_fused_at(f->all.out, row * c->width + c->col) =
			xc_mixed_sign(*xc_mixed_point(&c->l, xc_mixed_order(c->points, row)), row, f->all.sine);
}

/* Thread 0 does coefficient 0, which has no partner; place 0 of a sine transform is 0. */
XC_GPU_INLINE void xc_mixed_column_first(const xc_mixed_axis *f, const xc_mixed_column *c,
                                         const int back)
{
	xc_complex *const value = xc_mixed_value(&f->shape, &c->l, 0);
	if (!c->points || c->l.number)
		return;
	if (back)
		*value = f->all.sine ? xc_c(0, 0)
		                     : xc_c_scale(*xc_fused_at(f->all.in, c->col), f->all.first);
	else
		*xc_fused_at(f->all.out, c->col) = f->all.sine ? xc_c(0, 0)
		                                               : xc_c_scale(*value, f->all.first);
}

/* Rows of values k and n - k; the middle one of an even n is its own partner. */
XC_GPU_INLINE xc_fused_place xc_mixed_rows_of(const xc_mixed_axis *f, const xc_mixed_column *c,
                                              int k)
{
	xc_fused_place at;
	at.low = (f->all.sine ? c->points - k : k) * c->width + c->col;
	at.high = (f->all.sine ? k : c->points - k) * c->width + c->col;
	return at;
}

XC_GPU_INLINE void xc_mixed_column_out(const xc_mixed_axis *f, const xc_mixed_column *c)
{
	xc_mixed_column_first(f, c, 0);
	for (int k = 1 + c->l.number; 2 * k <= c->points; k += c->l.step) {
		const xc_fused_place at = xc_mixed_rows_of(f, c, k);
		xc_complex low = *xc_mixed_value(&f->shape, &c->l, k);
		xc_complex high = *xc_mixed_value(&f->shape, &c->l, c->points - k);
		xc_c_rotate(f->all.table[k], &low, &high);
		*xc_fused_at(f->all.out, at.low) = low;
		*xc_fused_at(f->all.out, at.high) = high;
	}
}

XC_GPU_INLINE void xc_mixed_column_in(const xc_mixed_axis *f, const xc_mixed_column *c)
{
	const int n = c->points, step = c->l.step;
	xc_complex low[XC_MIXED_BATCH], high[XC_MIXED_BATCH];
	xc_mixed_column_first(f, c, 1);
	for (int first = 1 + c->l.number; 2 * first <= n; first += XC_MIXED_BATCH * step) {
		XC_UNROLL
		for (int i = 0; i < XC_MIXED_BATCH; i++) {
			const int k = xc_mixed_least(first + i * step, n / 2);
			const xc_fused_place at = xc_mixed_rows_of(f, c, k);
			low[i] = xc_c_load_once(xc_fused_at(f->all.in, at.low));
			high[i] = xc_c_load_once(xc_fused_at(f->all.in, at.high));
		}
		XC_UNROLL
		for (int i = 0; i < XC_MIXED_BATCH; i++) {
			const int k = first + i * step;
			if (2 * k <= n) {
				xc_c_unrotate(f->all.table[k], &low[i], &high[i]);
				*xc_mixed_value(&f->shape, &c->l, k) = low[i];
				*xc_mixed_value(&f->shape, &c->l, n - k) = high[i];
			}
		}
	}
}

/* ------------------------------------------------------------------ rows */

/* A thread's row; threads beyond the last row have none. */
typedef struct xc_mixed_row {
	xc_mixed_line l;
	int points; /* half of its samples */
	size_t at;
} xc_mixed_row;

XC_GPU_INLINE xc_mixed_row xc_mixed_row_at(const xc_mixed_axis *f, xc_complex *shared, int block,
                                           int threads, int t)
{
	xc_mixed_row r;
	r.l = xc_mixed_line_at(&f->shape, shared, threads, t);
	const int row = block * (threads >> f->shape.log_threads) + r.l.line;
	r.points = row < f->rows ? f->shape.points : 0;
	r.at = (size_t)row * 2 * (size_t)f->shape.points;
	return r;
}

/* Real value p of Makhoul's order, two of which are a complex one. */
XC_GPU_INLINE XC_REAL *xc_mixed_half(const xc_mixed_row *r, int p)
{
	return (XC_REAL *)(void *)xc_mixed_point(&r->l, p >> 1) + (p & 1);
}

/* Samples 2 s and 2 s + 1 are values s and M - 1 - s. */
XC_GPU_INLINE void xc_mixed_row_load(const xc_mixed_axis *f, const xc_mixed_row *r)
{
	const xc_complex *const in = xc_fused_at(f->all.in + r->at, 0);
	const int n = r->points, step = r->l.step;
	xc_complex v[XC_MIXED_BATCH];
	for (int first = r->l.number; first < n; first += XC_MIXED_BATCH * step) {
		XC_UNROLL
		for (int i = 0; i < XC_MIXED_BATCH; i++)
			v[i] = in[xc_mixed_least(first + i * step, n - 1)];
		XC_UNROLL
		for (int i = 0; i < XC_MIXED_BATCH; i++) {
			const int s = first + i * step;
			if (s < n) {
				*xc_mixed_half(r, s) = v[i].re;
				*xc_mixed_half(r, 2 * n - 1 - s) = f->all.sine ? -v[i].im : v[i].im;
			}
		}
	}
}

XC_GPU_INLINE void xc_mixed_row_store(const xc_mixed_axis *f, const xc_mixed_row *r)
{
	xc_complex *const out = xc_fused_at(f->all.out + r->at, 0);
	for (int s = r->l.number; s < r->points; s += r->l.step) {
		const XC_REAL odd = *xc_mixed_half(r, 2 * r->points - 1 - s);
		out[s] = xc_c(*xc_mixed_half(r, s), f->all.sine ? -odd : odd);
	}
}

/* Coefficients 0 and n. */
XC_GPU_INLINE void xc_mixed_row_first(const xc_mixed_axis *f, const xc_mixed_row *r, const int back)
{
	xc_complex *const value = xc_mixed_value(&f->shape, &r->l, 0);
	XC_REAL *const out = f->all.out + r->at;
	const XC_REAL *const in = f->all.in + r->at;
	if (!r->points || r->l.number)
		return;
	if (back) {
		const XC_REAL sum = f->all.sine ? 0 : in[0], difference = in[r->points];
		*value = xc_c((sum + difference) * f->all.first, (sum - difference) * f->all.first);
	} else {
		out[0] = f->all.sine ? 0 : (value->re + value->im) * f->all.first;
		out[r->points] = (value->re - value->im) * f->all.first;
	}
}

XC_GPU_INLINE xc_fused_two xc_mixed_turns(const xc_mixed_axis *f, int j)
{
	const xc_fused_two t = {f->all.table[2 * j], f->all.table[2 * j + 1]};
	return t;
}

/* Coefficients j and M - j, n - j and n + j. */
XC_GPU_INLINE void xc_mixed_row_out(const xc_mixed_axis *f, const xc_mixed_row *r)
{
	XC_REAL *const out = f->all.out + r->at;
	const int n = r->points, sine = f->all.sine;
	xc_mixed_row_first(f, r, 0);
	for (int j = 1 + r->l.number; 2 * j <= n; j += r->l.step) {
		const xc_fused_two t = xc_mixed_turns(f, j);
		xc_complex low = *xc_mixed_value(&f->shape, &r->l, j);
		xc_complex high = *xc_mixed_value(&f->shape, &r->l, n - j);
		xc_fused_row_pair_out(&low, &high, &t);
		low = xc_fused_sides(low, sine);
		high = xc_fused_sides(high, sine);
		XC_STORE_LAST(out + j, low.re);
		XC_STORE_LAST(out + 2 * n - j, -low.im);
		XC_STORE_LAST(out + n - j, high.re);
		XC_STORE_LAST(out + n + j, -high.im);
	}
}

XC_GPU_INLINE void xc_mixed_row_in(const xc_mixed_axis *f, const xc_mixed_row *r)
{
	const XC_REAL *const in = f->all.in + r->at;
	const int n = r->points, step = r->l.step, sine = f->all.sine;
	xc_complex low[XC_MIXED_BATCH], high[XC_MIXED_BATCH];
	xc_mixed_row_first(f, r, 1);
	for (int first = 1 + r->l.number; 2 * first <= n; first += XC_MIXED_BATCH * step) {
		XC_UNROLL
		for (int i = 0; i < XC_MIXED_BATCH; i++) {
			const int j = xc_mixed_least(first + i * step, n / 2);
			low[i] = xc_c(in[j], -in[2 * n - j]);
			high[i] = xc_c(in[n - j], -in[n + j]);
		}
		XC_UNROLL
		for (int i = 0; i < XC_MIXED_BATCH; i++) {
			const int j = first + i * step;
			if (2 * j <= n) {
				const xc_fused_two t = xc_mixed_turns(f, j);
				low[i] = xc_fused_sides(low[i], sine);
				high[i] = xc_fused_sides(high[i], sine);
				xc_fused_row_pair_in(&low[i], &high[i], &t);
				*xc_mixed_value(&f->shape, &r->l, j) = low[i];
				*xc_mixed_value(&f->shape, &r->l, n - j) = high[i];
			}
		}
	}
}

/* ---------------------------------------------------------------- blocks */

/* The steps before the FFT, and those after it. */
XC_GPU_INLINE void xc_mixed_read(const xc_mixed_axis *f, xc_complex *shared, int block, int threads,
                                 int t, const int down, const int back)
{
	if (down) {
		const xc_mixed_column c = xc_mixed_column_at(f, shared, block, threads, t);
		if (back)
			xc_mixed_column_in(f, &c);
		else
			xc_mixed_column_load(f, &c);
	} else {
		const xc_mixed_row r = xc_mixed_row_at(f, shared, block, threads, t);
		if (back)
			xc_mixed_row_in(f, &r);
		else
			xc_mixed_row_load(f, &r);
	}
}

XC_GPU_INLINE void xc_mixed_write(const xc_mixed_axis *f, xc_complex *shared, int block,
                                  int threads, int t, const int down, const int back)
{
	if (down) {
		const xc_mixed_column c = xc_mixed_column_at(f, shared, block, threads, t);
		if (back)
			xc_mixed_column_store(f, &c);
		else
			xc_mixed_column_out(f, &c);
	} else {
		const xc_mixed_row r = xc_mixed_row_at(f, shared, block, threads, t);
		if (back)
			xc_mixed_row_store(f, &r);
		else
			xc_mixed_row_out(f, &r);
	}
}

XC_GPU_FUNCTION void xc_mixed_block(const xc_mixed_axis *f, xc_complex *shared, int block,
                                    int threads, const int down, const int back)
{
	XC_FOR_THREADS(t, threads)
		xc_mixed_read(f, shared, block, threads, t, down, back);
	xc_mixed_fft(&f->shape, shared, threads, back);
	XC_FOR_THREADS(t, threads)
		xc_mixed_write(f, shared, block, threads, t, down, back);
}

#endif
