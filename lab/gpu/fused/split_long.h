/* SPDX-License-Identifier: BSD-2-Clause */
/* Split columns (split_work.h): the pass of N / 64 points, over the samples of one q2. */
#ifndef XC_LAB_GPU_FUSED_SPLIT_LONG_H
#define XC_LAB_GPU_FUSED_SPLIT_LONG_H

#include "lab/gpu/fused/split_work.h"

/* log2 of the threads of a line, which is that of the first radix as well. */
XC_LINE_CONSTANT int xc_split_long_radix(int log)
{
	return log - XC_SPLIT_SHORT - 4;
}

/* Factors between the passes, of one q2: w(N)^(q2 k1) for k1 = number + 4 threads a, and
 * w(N)^(q2 threads b), b < 4. */
XC_LINE_CONSTANT int xc_split_between(int log)
{
	return (4 << xc_split_long_radix(log)) + 4;
}

/* A thread of a line: points number + threads e.  A block has the lines of one q2, or, of
 * 4096 points, of two. */
typedef struct xc_split_line {
	int log, radix; /* log2 of N and of the threads; constants */
	int number, col, q2;
	xc_complex *at;
} xc_split_line;

XC_LINE_INLINE xc_split_line xc_split_long_line(const xc_split_work *w, xc_complex *shared, int t,
                                                const int log)
{
	const int line = t & ((1 << XC_SPLIT_ACROSS) - 1), more = XC_SPLIT_MOST - log;
	const int number = t >> XC_SPLIT_ACROSS, of_block = number >> xc_split_long_radix(log);
	xc_split_line l;
	l.log = log;
	l.radix = xc_split_long_radix(log);
	l.number = number & ((1 << l.radix) - 1);
	l.col = (w->strip << XC_SPLIT_ACROSS) + line;
	l.q2 = (w->index << more) + of_block;
	l.at = shared + (of_block << (log - XC_SPLIT_SHORT + XC_SPLIT_ACROSS)) + line;
	return l;
}

XC_LINE_INLINE int xc_split_point(const xc_split_line *l, const int e)
{
	return l->number + (e << l->radix);
}

/* The row of point `point` of the samples' side. */
XC_LINE_INLINE int xc_split_long_row(const xc_split_line *l, int point)
{
	return xc_fused_sample(1 << l->log, (point << XC_SPLIT_SHORT) + l->q2);
}

/* A thread's points, which both directions have in the same rows. */
XC_LINE_INLINE void xc_split_long_fetch(const xc_fused_split *f, const xc_split_work *w,
                                        const xc_split_line *l, xc_complex *v, int width)
{
	XC_UNROLLED
	for (int e = 0; e < 16; e++) {
		const int row = xc_split_long_row(l, xc_split_point(l, e));
		v[e] = xc_split_fetch(f, w, row * width + l->col);
	}
}

XC_LINE_INLINE void xc_split_long_load(const xc_fused_split *f, const xc_split_line *l,
                                       xc_split_points *m)
{
	const xc_complex *const between = f->between + l->q2 * xc_split_between(l->log);
	xc_line_load(m->w, f->long_table + l->number, l->radix, 4);
	XC_UNROLLED
	for (int a = 0; a < 4; a++)
		m->more[a] = between[xc_split_point(l, a)];
	XC_UNROLLED
	for (int b = 1; b < 4; b++)
		m->more[3 + b] = between[(4 << l->radix) + b];
}

/* By the factors between the passes. */
XC_LINE_INLINE void xc_split_long_between(xc_split_points *m, const int back)
{
	XC_UNROLLED
	for (int e = 0; e < 16; e++) {
		const xc_complex a = m->more[e / 4];
		const xc_complex w = e % 4 ? xc_c_mul(a, m->more[3 + e % 4]) : a;
		m->v[e] = xc_split_turn(m->v[e], w, back);
	}
}

/* By those between the radices. */
XC_LINE_INLINE void xc_split_long_turn(xc_split_points *m, const int back)
{
	XC_UNROLLED
	for (int e = 1; e < 16; e++)
		m->v[e] = xc_split_turn(m->v[e], xc_line_power(m->w, e), back);
}

/* The butterflies over the samples: b is of the elements b + i B. */
XC_LINE_INLINE void xc_split_long_dfts(const xc_split_line *l, xc_complex *v, const int back)
{
	XC_UNROLLED
	for (int b = 0; b < 16 >> l->radix; b++)
		xc_dft(v + b, 16 >> l->radix, l->radix, back);
}

/* Their results, which are v[e], and shared memory. */
XC_LINE_INLINE void xc_split_long_far(const xc_split_line *l, xc_complex *v, const int back)
{
	XC_UNROLLED
	for (int e = 0; e < 16; e++) {
		const int b = e % (16 >> l->radix), i = e / (16 >> l->radix);
		xc_complex *const at = l->at +
		                       (((xc_split_point(l, b) << l->radix) + i) << XC_SPLIT_ACROSS);
		if (back)
			v[e] = *at;
		else
			*at = v[e];
	}
}

XC_LINE_INLINE void xc_split_long_near(const xc_split_line *l, xc_complex *v, const int back)
{
	XC_UNROLLED
	for (int e = 0; e < 16; e++) {
		xc_complex *const at = l->at + (xc_split_point(l, e) << XC_SPLIT_ACROSS);
		if (back)
			*at = v[e];
		else
			v[e] = *at;
	}
}

XC_LINE_INLINE void xc_split_signs(const xc_fused_split *f, const xc_split_line *l, xc_complex *v)
{
	if (!f->all.sine)
		return;
	XC_UNROLLED
	for (int e = 0; e < 16; e++)
		if (xc_split_long_row(l, xc_split_point(l, e)) & 1)
			v[e] = xc_c(-v[e].re, -v[e].im);
}

XC_LINE_INLINE void xc_split_long_forward(const xc_fused_split *f, const xc_split_work *w,
                                          xc_complex *shared, const int log)
{
	const int width = f->all.cols / 2;
	xc_split_points mine[XC_BLOCK_HELD];
	XC_EACH_THREAD(t, XC_SPLIT_THREADS) {
		const xc_split_line l = xc_split_long_line(w, shared, t, log);
		xc_split_points *const m = &mine[XC_HELD_BY(t)];
		xc_split_long_fetch(f, w, &l, m->v, width);
		xc_split_long_load(f, &l, m);
		xc_split_signs(f, &l, m->v);
		xc_split_long_dfts(&l, m->v, 0);
		xc_split_long_far(&l, m->v, 0);
	}
	XC_BARRIER();
	XC_EACH_THREAD(t, XC_SPLIT_THREADS) {
		const xc_split_line l = xc_split_long_line(w, shared, t, log);
		xc_split_points *const m = &mine[XC_HELD_BY(t)];
		xc_split_long_near(&l, m->v, 0);
		xc_split_long_turn(m, 0);
		xc_dft(m->v, 1, 4, 0);
		xc_split_long_between(m, 0);
		XC_UNROLLED
		for (int e = 0; e < 16; e++) {
			const int row = xc_split_point(&l, e) + (l.q2 << (log - XC_SPLIT_SHORT));
			*xc_fused_at(f->all.out, row * width + l.col) = m->v[e];
		}
	}
}

XC_LINE_INLINE void xc_split_long_inverse(const xc_fused_split *f, const xc_split_work *w,
                                          xc_complex *shared, const int log)
{
	const int width = f->all.cols / 2;
	xc_split_points mine[XC_BLOCK_HELD];
	XC_EACH_THREAD(t, XC_SPLIT_THREADS) {
		const xc_split_line l = xc_split_long_line(w, shared, t, log);
		xc_split_points *const m = &mine[XC_HELD_BY(t)];
		xc_split_long_fetch(f, w, &l, m->v, width);
		xc_split_long_load(f, &l, m);
		xc_split_long_between(m, 1);
		xc_dft(m->v, 1, 4, 1);
		xc_split_long_turn(m, 1);
		xc_split_long_near(&l, m->v, 1);
	}
	XC_BARRIER();
	XC_EACH_THREAD(t, XC_SPLIT_THREADS) {
		const xc_split_line l = xc_split_long_line(w, shared, t, log);
		xc_split_points *const m = &mine[XC_HELD_BY(t)];
		xc_split_long_far(&l, m->v, 1);
		xc_split_long_dfts(&l, m->v, 1);
		xc_split_signs(f, &l, m->v);
		XC_UNROLLED
		for (int e = 0; e < 16; e++) {
			const int row = xc_split_long_row(&l, xc_split_point(&l, e));
			*xc_fused_at(f->all.out, row * width + l.col) = m->v[e];
		}
	}
}

#endif
