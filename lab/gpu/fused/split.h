/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Columns so long that shared memory has no room for several.  Their FFT takes two passes, of
 * N / 64 points (64 or 128) and of 64, over as many columns at a time as make a line of the cache.
 * If q = 64 q1 + q2 is the place of a sample in Makhoul's order and k = k1 + N / 64 k2 that of a
 * value,
 *
 *	exp(-2 pi i q k / N) = w(N / 64)^(q1 k1) w(N)^(q2 k1) w(64)^(q2 k2).
 *
 * The forward transform's first pass takes the samples of one q2.  Its second pass takes the
 * values of k1 and of N / 64 - k1, so that it has values k and N - k together (and those of 0 and
 * N / 128, each of which is its own mirror image).  In between, value k1 of q2 lies in row
 * k1 + N / 64 q2, so the second pass is in place.  The inverse goes the other way; in between its
 * values lie in the row of sample 64 k1 + q2.
 *
 * A thread has 16 points: of one line in the pass of N / 64 points, and of two lines that are each
 * other's mirror images in the pass of 64 points.  Radices are N / 1024 and 16, or 8 and 8.
 * Factors are loaded together with the samples.
 *
 * One launch does both passes.  A strip is as many columns as a block of threads takes.  The
 * order of work is the first pass of a group of strips, the first pass of the next group, then
 * the second pass of the former group, which finds its values in the second-level cache.
 */
#ifndef XC_LAB_GPU_FUSED_SPLIT_H
#define XC_LAB_GPU_FUSED_SPLIT_H

#include "lab/gpu/fused/power.h"

enum { XC_SPLIT_SHORT = 6, XC_SPLIT_MIN = 12, XC_SPLIT_MAX = 13 }; /* log2 */
/* log2 of the complex columns of a block: a line of the cache. */
enum { XC_SPLIT_ACROSS = XC_REAL_BITS == 32 ? 4 : 3 };
enum { XC_SPLIT_THREADS = 8 << XC_SPLIT_ACROSS };

typedef struct xc_fused_split {
	xc_fused_axis all;
	int strips, group;             /* strips whose first pass is done before another's second */
	unsigned *done;                /* of each strip: blocks whose first pass is done; and, after
	                               * these, how many blocks have begun */
	const xc_complex *long_table;  /* powers of w(N / 64)^j, j < N / 1024 */
	const xc_complex *short_table; /* powers of w(64)^j, j < 8 */
	const xc_complex *between;     /* see xc_split_between() */
} xc_fused_split;

typedef struct xc_split_points {
	xc_complex v[16];
	xc_complex w[XC_LINE_STORED], more[7];
} xc_split_points;

/* The row of place q in Makhoul's order. */
XC_GPU_INLINE int xc_fused_sample(int n, int q)
{
	return q < n / 2 ? 2 * q : 2 * (n - 1 - q) + 1;
}

XC_GPU_INLINE xc_complex xc_split_turn(xc_complex z, xc_complex w, const int back)
{
	return xc_c_mul(z, back ? xc_c_conj(w) : w);
}

/* log2 of the blocks that a pass over a strip takes. */
XC_GPU_CONSTANT int xc_split_blocks(int log)
{
	return log - XC_SPLIT_SHORT - 1;
}

/* The work of a block of threads. */
typedef struct xc_split_work {
	int second, strip, index; /* pass; columns; which of the pass's blocks over them */
} xc_split_work;

/* Groups of strips in this order: first pass of 0 and 1, second of 0, first of 2, second of 1,
 * ... */
XC_GPU_INLINE xc_split_work xc_split_work_of(const xc_fused_split *f, int block, const int log)
{
	const int strip = block >> xc_split_blocks(log), slot = strip / f->group;
	const int last = 2 * (f->strips / f->group) - 1;
	const int second = slot == last || (slot && slot % 2 == 0);
	const int group = slot == last ? slot / 2 : second ? slot / 2 - 1 : (slot + 1) / 2;
	xc_split_work w;

	w.second = second;
	w.strip = group * f->group + strip % f->group;
	w.index = block & ((1 << xc_split_blocks(log)) - 1);
	return w;
}

/* A value that the pass reads. */
XC_GPU_INLINE xc_complex xc_split_fetch(const xc_fused_split *f, const xc_split_work *w, int index)
{
	return w->second ? xc_c_load_fresh(xc_fused_at(f->all.out, index))
	                 : xc_c_load_once(xc_fused_at(f->all.in, index));
}

/* -------------------------- the pass of N / 64 points, over the samples of one q2 */

/* log2 of the threads of a line, which is that of the first radix as well. */
XC_GPU_CONSTANT int xc_split_long_radix(int log)
{
	return log - XC_SPLIT_SHORT - 4;
}

/* Factors between the passes, of one q2: w(N)^(q2 k1) for k1 = number + 4 threads a, and
 * w(N)^(q2 threads b), b < 4. */
XC_GPU_CONSTANT int xc_split_between(int log)
{
	return (4 << xc_split_long_radix(log)) + 4;
}

/* A thread of a line: points number + threads e.  A block has the lines of one q2, or of two if N
 * is 4096. */
typedef struct xc_split_line {
	int log, radix; /* log2 of N and of the threads; constants */
	int number, col, q2;
	xc_complex *at;
} xc_split_line;

XC_GPU_INLINE xc_split_line xc_split_long_line(const xc_split_work *w, xc_complex *shared, int t,
                                               const int log)
{
	const int line = t & ((1 << XC_SPLIT_ACROSS) - 1), more = XC_SPLIT_MAX - log;
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

XC_GPU_INLINE int xc_split_point(const xc_split_line *l, const int e)
{
	return l->number + (e << l->radix);
}

/* The row of a point on the samples' side. */
XC_GPU_INLINE int xc_split_long_row(const xc_split_line *l, int point)
{
	return xc_fused_sample(1 << l->log, (point << XC_SPLIT_SHORT) + l->q2);
}

/* A thread's points, which both directions have in the same rows. */
XC_GPU_INLINE void xc_split_long_fetch(const xc_fused_split *f, const xc_split_work *w,
                                       const xc_split_line *l, xc_complex *v, int width)
{
	XC_UNROLL
	for (int e = 0; e < 16; e++) {
		const int row = xc_split_long_row(l, xc_split_point(l, e));
		v[e] = xc_split_fetch(f, w, row * width + l->col);
	}
}

XC_GPU_INLINE void xc_split_long_load(const xc_fused_split *f, const xc_split_line *l,
                                      xc_split_points *m)
{
	const xc_complex *const between = f->between + l->q2 * xc_split_between(l->log);

	xc_line_load(m->w, f->long_table + l->number, l->radix, 4);
	XC_UNROLL
	for (int a = 0; a < 4; a++)
		m->more[a] = between[xc_split_point(l, a)];
	XC_UNROLL
	for (int b = 1; b < 4; b++)
		m->more[3 + b] = between[(4 << l->radix) + b];
}

/* Multiplies by the factors between the passes. */
XC_GPU_INLINE void xc_split_long_between(xc_split_points *m, const int back)
{
	XC_UNROLL
	for (int e = 0; e < 16; e++) {
		const xc_complex a = m->more[e / 4];
		const xc_complex w = e % 4 ? xc_c_mul(a, m->more[3 + e % 4]) : a;
		m->v[e] = xc_split_turn(m->v[e], w, back);
	}
}

/* Multiplies by the factors between the radices. */
XC_GPU_INLINE void xc_split_long_turn(xc_split_points *m, const int back)
{
	XC_UNROLL
	for (int e = 1; e < 16; e++)
		m->v[e] = xc_split_turn(m->v[e], xc_line_power(m->w, e), back);
}

/* The butterflies over the samples: butterfly b has elements b + i B. */
XC_GPU_INLINE void xc_split_long_dfts(const xc_split_line *l, xc_complex *v, const int back)
{
	XC_UNROLL
	for (int b = 0; b < 16 >> l->radix; b++)
		xc_dft(v + b, 16 >> l->radix, l->radix, back);
}

/* Moves their results v[e] to shared memory; the inverse moves v[e] from there. */
XC_GPU_INLINE void xc_split_long_far(const xc_split_line *l, xc_complex *v, const int back)
{
	XC_UNROLL
	for (int e = 0; e < 16; e++) {
		const int b = e % (16 >> l->radix), i = e / (16 >> l->radix);
		xc_c_move(l->at + (((xc_split_point(l, b) << l->radix) + i) << XC_SPLIT_ACROSS), &v[e],
		          !back);
	}
}

XC_GPU_INLINE void xc_split_long_near(const xc_split_line *l, xc_complex *v, const int back)
{
	XC_UNROLL
	for (int e = 0; e < 16; e++)
		xc_c_move(l->at + (xc_split_point(l, e) << XC_SPLIT_ACROSS), &v[e], back);
}

XC_GPU_INLINE void xc_split_signs(const xc_fused_split *f, const xc_split_line *l, xc_complex *v)
{
	if (!f->all.sine)
		return;
	XC_UNROLL
	for (int e = 0; e < 16; e++)
		if (xc_split_long_row(l, xc_split_point(l, e)) & 1)
			v[e] = xc_c(-v[e].re, -v[e].im);
}

/* v to where this pass writes.  `width` is the caller's, so that the inverse, which writes where it
 * has read, computes its indices only once. */
XC_GPU_INLINE void xc_split_long_store(const xc_fused_split *f, const xc_split_line *l,
                                       const xc_complex *v, int width, const int back)
{
	XC_UNROLL
	for (int e = 0; e < 16; e++) {
		const int point = xc_split_point(l, e);
		const int row = back ? xc_split_long_row(l, point)
		                     : point + (l->q2 << (l->log - XC_SPLIT_SHORT));
		*xc_fused_at(f->all.out, row * width + l->col) = v[e];
	}
}

XC_GPU_INLINE void xc_split_long_block(const xc_fused_split *f, const xc_split_work *w,
                                       xc_complex *shared, const int log, const int back)
{
	const int width = f->all.cols / 2;
	xc_split_points mine[XC_THREAD_SLOTS];

	XC_FOR_THREADS(t, XC_SPLIT_THREADS) {
		const xc_split_line l = xc_split_long_line(w, shared, t, log);
		xc_split_points *const m = &mine[XC_SLOT(t)];
		xc_split_long_fetch(f, w, &l, m->v, width);
		xc_split_long_load(f, &l, m);
		if (back) {
			xc_split_long_between(m, 1);
			xc_dft(m->v, 1, 4, 1);
			xc_split_long_turn(m, 1);
			xc_split_long_near(&l, m->v, 1);
		} else {
			xc_split_signs(f, &l, m->v);
			xc_split_long_dfts(&l, m->v, 0);
			xc_split_long_far(&l, m->v, 0);
		}
	}
	XC_CTA_SYNC();
	XC_FOR_THREADS(t, XC_SPLIT_THREADS) {
		const xc_split_line l = xc_split_long_line(w, shared, t, log);
		xc_split_points *const m = &mine[XC_SLOT(t)];
		if (back) {
			xc_split_long_far(&l, m->v, 1);
			xc_split_long_dfts(&l, m->v, 1);
			xc_split_signs(f, &l, m->v);
		} else {
			xc_split_long_near(&l, m->v, 0);
			xc_split_long_turn(m, 0);
			xc_dft(m->v, 1, 4, 0);
			xc_split_long_between(m, 0);
		}
		xc_split_long_store(f, &l, m->v, width, back);
	}
}

/* --------------- the pass of 64 points, to the values of k1 and of its mirror image */

/* The last pass gives thread `number` butterflies a and b, each of one of the two lines. */
typedef struct xc_split_pair {
	int log, number, col;
	int first, second; /* k1 of the lines */
	int line_a, a, line_b, b;
	xc_complex *at; /* the first line in shared memory */
	xc_pairs pairs;
} xc_split_pair;

XC_GPU_INLINE xc_complex *xc_split_pair_at(const xc_split_pair *p, int line, int point)
{
	return p->at + (((line << XC_SPLIT_SHORT) + point) << XC_SPLIT_ACROSS);
}

XC_GPU_INLINE xc_split_pair xc_split_pair_of(const xc_split_work *w, xc_complex *shared, int t,
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

/* Where points number + 8 i of the one line, then of the other are, as values or as samples. */
XC_GPU_INLINE int xc_split_short_index(const xc_fused_split *f, const xc_split_pair *p, const int e,
                                       const int samples)
{
	const int k1 = e / 8 ? p->second : p->first, q2 = p->number + e % 8 * 8;
	const int row = samples ? xc_fused_sample(1 << p->log, (k1 << XC_SPLIT_SHORT) + q2)
	                        : k1 + (q2 << (p->log - XC_SPLIT_SHORT));

	return row * (f->all.cols / 2) + p->col;
}

XC_GPU_INLINE void xc_split_short_load(const xc_fused_split *f, const xc_split_pair *p,
                                       xc_split_points *m)
{
	xc_line_load(m->w, f->short_table + p->a, 3, 3);
	xc_line_load(m->more, f->short_table + p->b, 3, 3);
}

/* Multiplies by the factors between the radices. */
XC_GPU_INLINE void xc_split_short_turn(xc_split_points *m, const int back)
{
	XC_UNROLL
	for (int i = 1; i < 8; i++) {
		m->v[i] = xc_split_turn(m->v[i], xc_line_power(m->w, i), back);
		m->v[8 + i] = xc_split_turn(m->v[8 + i], xc_line_power(m->more, i), back);
	}
}

XC_GPU_INLINE void xc_split_short_dfts(xc_complex *v, const int back)
{
	xc_dft(v, 1, 3, back);
	xc_dft(v + 8, 1, 3, back);
}

/* Move v to or from shared memory, on the samples' side (far) and on the values' side (near). */
XC_GPU_INLINE void xc_split_short_far(const xc_split_pair *p, xc_complex *v, const int back)
{
	XC_UNROLL
	for (int e = 0; e < 16; e++)
		xc_c_move(xc_split_pair_at(p, e / 8, 8 * p->number) + (e % 8 << XC_SPLIT_ACROSS), &v[e],
		          !back);
}

XC_GPU_INLINE void xc_split_short_near(const xc_split_pair *p, xc_complex *v, const int back)
{
	xc_complex *const a = xc_split_pair_at(p, p->line_a, p->a);
	xc_complex *const b = xc_split_pair_at(p, p->line_b, p->b);

	XC_UNROLL
	for (int e = 0; e < 16; e++)
		xc_c_move((e / 8 ? b : a) + (e % 8 * 8 << XC_SPLIT_ACROSS), &v[e], back);
}

XC_GPU_INLINE void xc_split_short_block(const xc_fused_split *f, const xc_split_work *w,
                                        xc_complex *shared, const int log, const int back)
{
	xc_split_points mine[XC_THREAD_SLOTS];

	XC_FOR_THREADS(t, XC_SPLIT_THREADS) {
		const xc_split_pair p = xc_split_pair_of(w, shared, t, log);
		xc_split_points *const m = &mine[XC_SLOT(t)];
		if (back) {
			const xc_fused_turn turns = xc_fused_turn_of(&p.pairs, f->all.table);
			xc_fused_columns_in(&f->all, &p.pairs, m->v, &turns, p.col);
			xc_split_short_load(f, &p, m);
			xc_line_unpair(p.pairs.number, m->v, 8);
			xc_split_short_dfts(m->v, 1);
			xc_split_short_turn(m, 1);
			xc_split_short_near(&p, m->v, 1);
		} else {
			XC_UNROLL
			for (int e = 0; e < 16; e++)
				m->v[e] = xc_split_fetch(f, w, xc_split_short_index(f, &p, e, 0));
			xc_split_short_load(f, &p, m);
			xc_split_short_dfts(m->v, 0);
			xc_split_short_far(&p, m->v, 0);
		}
	}
	XC_CTA_SYNC();
	XC_FOR_THREADS(t, XC_SPLIT_THREADS) {
		const xc_split_pair p = xc_split_pair_of(w, shared, t, log);
		xc_split_points *const m = &mine[XC_SLOT(t)];
		if (back) {
			xc_split_short_far(&p, m->v, 1);
			xc_split_short_dfts(m->v, 1);
			XC_UNROLL
			for (int e = 0; e < 16; e++)
				*xc_fused_at(f->all.out, xc_split_short_index(f, &p, e, 1)) = m->v[e];
		} else {
			const xc_fused_turn turns = xc_fused_turn_of(&p.pairs, f->all.table);
			xc_split_short_near(&p, m->v, 0);
			xc_split_short_turn(m, 0);
			xc_split_short_dfts(m->v, 0);
			xc_line_pair(p.pairs.number, m->v, 8);
			xc_fused_columns_out(&f->all, &p.pairs, m->v, &turns, p.col);
		}
	}
}

/* The inverse has its passes in the other order.  (`back == w->second` would keep `second` as a
 * number, which makes the kernel spill more.) */
XC_GPU_FUNCTION void xc_split_block(const xc_fused_split *f, const xc_split_work *w,
                                    xc_complex *shared, const int log, const int back)
{
	if (back ? w->second : !w->second)
		xc_split_long_block(f, w, shared, log, back);
	else
		xc_split_short_block(f, w, shared, log, back);
}

#endif
