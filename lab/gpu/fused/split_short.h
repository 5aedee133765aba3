/* SPDX-License-Identifier: BSD-2-Clause */
/* Split columns (split_work.h): the pass of 64 points, to the values of k1 and of its mirror
 * image. */
#ifndef XC_LAB_GPU_FUSED_SPLIT_SHORT_H
#define XC_LAB_GPU_FUSED_SPLIT_SHORT_H

#include "lab/gpu/fused/split_work.h"

/* The last pass gives thread `number` butterflies a and b, each of one of the two lines. */
typedef struct xc_split_pair {
	int log, number, col;
	int first, second; /* k1 of the lines */
	int line_a, a, line_b, b;
	xc_complex *at; /* the first line in shared memory */
	xc_pairs pairs;
} xc_split_pair;

XC_LINE_INLINE xc_complex *xc_split_pair_at(const xc_split_pair *p, int line, int point)
{
	return p->at + (((line << XC_SPLIT_SHORT) + point) << XC_SPLIT_ACROSS);
}

XC_LINE_INLINE xc_split_pair xc_split_pair_of(const xc_split_work *w, xc_complex *shared, int t,
                                              const int log)
{
	const int long_log = log - XC_SPLIT_SHORT, column = t & ((1 << XC_SPLIT_ACROSS) - 1);
	const int pair = w->index, number = t >> XC_SPLIT_ACROSS;
	xc_split_pair p;
	p.log = log;
	p.number = number;
	p.col = (w->strip << XC_SPLIT_ACROSS) + column;
	p.first = pair;
	p.second = pair ? (1 << long_log) - pair : 1 << long_log >> 1;
	p.line_a = !pair && number >= 4;
	p.line_b = pair || number >= 4;
	p.a = p.line_a ? number - 4 : number;
	p.b = pair ? 7 - number : number >= 4 ? 11 - number : number ? 8 - number : 4;
	p.at = shared + column;
	p.pairs.log = log;
	p.pairs.ends = 3;
	p.pairs.number = (p.line_a ? p.second : p.first) + (p.a << long_log);
	p.pairs.mirror = (p.line_b ? p.second : p.first) + (p.b << long_log);
	return p;
}

/* Points number + 8 i of the one line and of the other: where these values or samples are. */
XC_LINE_INLINE int xc_split_short_index(const xc_fused_split *f, const xc_split_pair *p,
                                        const int e, const int samples)
{
	const int k1 = e / 8 ? p->second : p->first, q2 = p->number + e % 8 * 8;
	const int row = samples ? xc_fused_sample(1 << p->log, (k1 << XC_SPLIT_SHORT) + q2)
	                        : k1 + (q2 << (p->log - XC_SPLIT_SHORT));
	return row * (f->all.cols / 2) + p->col;
}

XC_LINE_INLINE void xc_split_short_load(const xc_fused_split *f, const xc_split_pair *p,
                                        xc_split_points *m)
{
	xc_line_load(m->w, f->short_table + p->a, 3, 3);
	xc_line_load(m->more, f->short_table + p->b, 3, 3);
}

/* By the factors between the radices. */
XC_LINE_INLINE void xc_split_short_turn(xc_split_points *m, const int back)
{
	XC_UNROLLED
	for (int i = 1; i < 8; i++) {
		m->v[i] = xc_split_turn(m->v[i], xc_line_power(m->w, i), back);
		m->v[8 + i] = xc_split_turn(m->v[8 + i], xc_line_power(m->more, i), back);
	}
}

XC_LINE_INLINE void xc_split_short_dfts(xc_complex *v, const int back)
{
	xc_dft(v, 1, 3, back);
	xc_dft(v + 8, 1, 3, back);
}

/* v and shared memory, on the samples' side and on that of the values. */
XC_LINE_INLINE void xc_split_short_far(const xc_split_pair *p, xc_complex *v, const int back)
{
	XC_UNROLLED
	for (int e = 0; e < 16; e++) {
		xc_complex *const at = xc_split_pair_at(p, e / 8, 8 * p->number) +
		                       (e % 8 << XC_SPLIT_ACROSS);
		if (back)
			v[e] = *at;
		else
			*at = v[e];
	}
}

XC_LINE_INLINE void xc_split_short_near(const xc_split_pair *p, xc_complex *v, const int back)
{
	xc_complex *const a = xc_split_pair_at(p, p->line_a, p->a);
	xc_complex *const b = xc_split_pair_at(p, p->line_b, p->b);
	XC_UNROLLED
	for (int e = 0; e < 16; e++) {
		xc_complex *const at = (e / 8 ? b : a) + (e % 8 * 8 << XC_SPLIT_ACROSS);
		if (back)
			*at = v[e];
		else
			v[e] = *at;
	}
}

XC_LINE_INLINE void xc_split_short_forward(const xc_fused_split *f, const xc_split_work *w,
                                           xc_complex *shared, const int log)
{
	xc_split_points mine[XC_BLOCK_HELD];
	XC_EACH_THREAD(t, XC_SPLIT_THREADS) {
		const xc_split_pair p = xc_split_pair_of(w, shared, t, log);
		xc_split_points *const m = &mine[XC_HELD_BY(t)];
		XC_UNROLLED
		for (int e = 0; e < 16; e++)
			m->v[e] = xc_split_fetch(f, w, xc_split_short_index(f, &p, e, 0));
		xc_split_short_load(f, &p, m);
		xc_split_short_dfts(m->v, 0);
		xc_split_short_far(&p, m->v, 0);
	}
	XC_BARRIER();
	XC_EACH_THREAD(t, XC_SPLIT_THREADS) {
		const xc_split_pair p = xc_split_pair_of(w, shared, t, log);
		const xc_fused_turn turns = xc_fused_turn_of(&p.pairs, f->all.table);
		xc_split_points *const m = &mine[XC_HELD_BY(t)];
		xc_split_short_near(&p, m->v, 0);
		xc_split_short_turn(m, 0);
		xc_split_short_dfts(m->v, 0);
		xc_line_pair(p.pairs.number, m->v, 8);
		xc_fused_columns_out(&f->all, &p.pairs, m->v, &turns, p.col);
	}
}

XC_LINE_INLINE void xc_split_short_inverse(const xc_fused_split *f, const xc_split_work *w,
                                           xc_complex *shared, const int log)
{
	xc_split_points mine[XC_BLOCK_HELD];
	XC_EACH_THREAD(t, XC_SPLIT_THREADS) {
		const xc_split_pair p = xc_split_pair_of(w, shared, t, log);
		const xc_fused_turn turns = xc_fused_turn_of(&p.pairs, f->all.table);
		xc_split_points *const m = &mine[XC_HELD_BY(t)];
		xc_fused_columns_in(&f->all, &p.pairs, m->v, &turns, p.col);
		xc_split_short_load(f, &p, m);
		xc_line_unpair(p.pairs.number, m->v, 8);
		xc_split_short_dfts(m->v, 1);
		xc_split_short_turn(m, 1);
		xc_split_short_near(&p, m->v, 1);
	}
	XC_BARRIER();
	XC_EACH_THREAD(t, XC_SPLIT_THREADS) {
		const xc_split_pair p = xc_split_pair_of(w, shared, t, log);
		xc_split_points *const m = &mine[XC_HELD_BY(t)];
		xc_split_short_far(&p, m->v, 1);
		xc_split_short_dfts(m->v, 1);
		XC_UNROLLED
		for (int e = 0; e < 16; e++)
			*xc_fused_at(f->all.out, xc_split_short_index(f, &p, e, 1)) = m->v[e];
	}
}

#endif
