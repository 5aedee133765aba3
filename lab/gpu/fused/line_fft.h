/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FFTs of lines of n points by a block of threads, each of which holds 2 R points in registers.
 * The passes are Stockham's: the first and the last one of radix R (line_thread.h), and none to
 * two in between.  Values go from pass to pass through shared memory, and nothing else does.
 *
 * The inverse is the same graph backwards: values are paired first, and factors come after the
 * butterflies.  `log`, `ends` = log2 R, `across` and `back` are constants wherever they occur,
 * so that on the device all offsets are constants, too.
 */
#ifndef XC_LAB_GPU_FUSED_LINE_FFT_H
#define XC_LAB_GPU_FUSED_LINE_FFT_H

#include "lab/gpu/fused/line_thread.h"

/* A pass over runs of 2^run points, after one of radix `before`. */
typedef struct xc_line_pass {
	int run, radix, before, factors;
} xc_line_pass;

XC_GPU_INLINE xc_line_pass xc_line_pass_of(int log, int ends, const int third)
{
	const int second = xc_line_second(log, ends);
	const xc_line_pass p = {third ? ends + second : ends, third ? xc_line_third(log, ends) : second,
	                        third ? second : ends, third ? xc_line_third_factors(log, ends) : 0};
	return p;
}

/* Moves between v[e] and point number + T e as the pass before has left it. */
XC_GPU_INLINE void xc_line_near(const xc_line *l, const xc_line_pass *p, xc_complex *v,
                                const int back)
{
	const int log_threads = xc_line_log_threads(l->log, l->ends);
	const int run = p->run - p->before;
	const int a = xc_line_place(l->beside, run, p->before, l->number);
	XC_UNROLL
	for (int e = 0; e < 2 << l->ends; e++) {
		const int c = xc_line_place(l->beside, run, p->before, e << log_threads);
		xc_c_move(l->at + ((a + c) << l->beside), &v[e], back);
	}
}

/* Moves between v[e] and the points that the pass leaves; butterfly b has elements b + i B. */
XC_GPU_INLINE void xc_line_far(const xc_line *l, const xc_line_pass *p, xc_complex *v,
                               const int back)
{
	const int log_threads = xc_line_log_threads(l->log, l->ends);
	const int butterflies = 2 << l->ends >> p->radix, in_run = (1 << p->run) - 1;
	const int q = ((l->number & ~in_run) << p->radix) + (l->number & in_run);
	const int a = xc_line_place(l->beside, p->run, p->radix, q);
	XC_UNROLL
	for (int e = 0; e < 2 << l->ends; e++) {
		const int b = e % butterflies, i = e / butterflies;
		const int c = xc_line_place(l->beside, p->run, p->radix,
		                            (b << (log_threads + p->radix)) + (i << p->run));
		xc_c_move(l->at + ((a + c) << l->beside), &v[e], !back);
	}
}

XC_GPU_INLINE void xc_line_pass_load(const xc_line *l, const xc_line_pass *p, xc_points *mine)
{
	const int in_run = l->number & ((1 << p->run) - 1);
	xc_line_load(mine->w, l->table + p->factors + in_run, p->run, p->radix);
}

XC_GPU_INLINE void xc_line_pass_turn(const xc_line *l, const xc_line_pass *p, xc_points *mine,
                                     const int back)
{
	const int butterflies = 2 << l->ends >> p->radix;
	XC_UNROLL
	for (int i = 1; i < 1 << p->radix; i++) {
		const xc_complex turn = xc_line_power(mine->w, i);
		XC_UNROLL
		for (int b = 0; b < butterflies; b++) {
			xc_complex *const z = &mine->v[b + i * butterflies];
			*z = xc_c_mul(*z, back ? xc_c_conj(turn) : turn);
		}
	}
}

XC_GPU_INLINE void xc_line_pass_dfts(const xc_line *l, const xc_line_pass *p, xc_points *mine,
                                     const int back)
{
	const int butterflies = 2 << l->ends >> p->radix;
	XC_UNROLL
	for (int b = 0; b < butterflies; b++)
		xc_dft(mine->v + b, butterflies, p->radix, back);
}

/* ---------------------------------------------------- of a block of threads */

/* A line whose threads are in one warp need not wait for other warps. */
XC_GPU_INLINE void xc_lines_wait(const xc_lines *s)
{
	if (s->across < 0 && xc_line_log_threads(s->log, s->ends) <= 5)
		XC_WARP_SYNC();
	else
		XC_TEAM_SYNC();
}

XC_GPU_INLINE void xc_lines_pass(const xc_lines *s, const xc_line_pass *p,
                                 xc_points mine[XC_THREAD_SLOTS], const int back)
{
	if (!p->radix)
		return;
	XC_FOR_THREADS(t, s->threads) {
		const xc_line l = xc_line_at(s, t);
		xc_line_pass_load(&l, p, &mine[XC_SLOT(t)]);
	}
	xc_lines_wait(s);
	XC_FOR_THREADS(t, s->threads) {
		const xc_line l = xc_line_at(s, t);
		xc_points *const m = &mine[XC_SLOT(t)];
		if (back) {
			xc_line_far(&l, p, m->v, 1);
			xc_line_pass_dfts(&l, p, m, 1);
			xc_line_pass_turn(&l, p, m, 1);
		} else {
			xc_line_near(&l, p, m->v, 0);
			xc_line_pass_turn(&l, p, m, 0);
			xc_line_pass_dfts(&l, p, m, 0);
		}
	}
	xc_lines_wait(s);
	XC_FOR_THREADS(t, s->threads) {
		const xc_line l = xc_line_at(s, t);
		if (back)
			xc_line_near(&l, p, mine[XC_SLOT(t)].v, 1);
		else
			xc_line_far(&l, p, mine[XC_SLOT(t)].v, 0);
	}
}

/* All that comes between xc_line_first() and xc_line_last() of all threads or, if `back`, between
 * xc_line_last_back() and xc_line_first_back(). */
XC_GPU_INLINE void xc_lines_between(const xc_lines *s, xc_points mine[XC_THREAD_SLOTS],
                                    const int back)
{
	const xc_line_pass first = xc_line_pass_of(s->log, s->ends, back);
	const xc_line_pass next = xc_line_pass_of(s->log, s->ends, !back);
	xc_lines_pass(s, &first, mine, back);
	xc_lines_pass(s, &next, mine, back);
	if (!back) {
		XC_FOR_THREADS(t, s->threads) {
			const xc_line l = xc_line_at(s, t);
			xc_line_last_load(&l, mine[XC_SLOT(t)].w);
		}
	}
	xc_lines_wait(s);
}

#endif
