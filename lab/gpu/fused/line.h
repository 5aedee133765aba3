/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FFTs of lines of n points by a block of threads, each of which holds 2 R points in registers.
 * The passes are Stockham's: the first and the last one of radix R, and none to
 * two in between.  Values go from pass to pass through shared memory, and nothing else does.
 *
 * The inverse is the same graph backwards: values are paired first, and factors come after the
 * butterflies.  `log`, `ends` = log2 R, `across` and `back` are constants wherever they occur,
 * so that on the device all offsets are constants, too.
 */
#ifndef XC_LAB_GPU_FUSED_LINE_H
#define XC_LAB_GPU_FUSED_LINE_H

#include "lab/gpu/frame/complex.h"

/* The shapes: which passes the FFT of a line has, where values lie between them, and which tables
 * it needs.  The processor, which makes the tables, uses this, too. */

enum { XC_LINE_MIN = 7 }; /* log2 of the points */
enum { XC_LINE_POINTS = XC_REAL_BITS == 32 ? 32 : 16, XC_LINE_STORED = 6 };
/* log2 of the threads whose accesses to shared memory meet: 128 bytes. */
enum { XC_LINE_WAVE = XC_REAL_BITS == 32 ? 4 : 3 };

XC_GPU_CONSTANT int xc_line_ends(int log)
{
	return XC_REAL_BITS == 32 && log >= 11 ? 4 : 3;
}

XC_GPU_CONSTANT int xc_line_log_threads(int log, int ends)
{
	return log - ends - 1;
}

/* log2 of the radix of the second pass and of the third, 0 if it is the last. */
XC_GPU_CONSTANT int xc_line_second(int log, int ends)
{
	const int between = log - 2 * ends;
	return between <= ends + 1 && between <= 4 ? between : (between + 1) / 2;
}

XC_GPU_CONSTANT int xc_line_third(int log, int ends)
{
	return log - 2 * ends - xc_line_second(log, ends);
}

/* log2 of the radix of the pass before the last one. */
XC_GPU_CONSTANT int xc_line_before(int log, int ends)
{
	const int second = xc_line_second(log, ends), third = xc_line_third(log, ends);
	return third ? third : second ? second : ends;
}

/* Where point q lies after a pass over runs of 2^run points.  Threads that write in steps of radix
 * times that, and threads that read neighbouring points, reach different banks.  place(q + c) is
 * place(q) + place(c) wherever that is needed. */
XC_GPU_CONSTANT int xc_line_position(int beside, int run, int radix, int q)
{
	const int wave = XC_LINE_WAVE > beside ? XC_LINE_WAVE - beside : 0;
	const int block = run + radix > wave ? run + radix : wave;
	return run < wave ? q + (q >> block << run) : q;
}

/* Values that a line takes of shared memory. */
XC_GPU_CONSTANT int xc_line_length(int log, int ends, int beside)
{
	const int second = xc_line_second(log, ends), last = (1 << log) - 1;
	const int a = xc_line_position(beside, 0, ends, last);
	const int b = xc_line_position(beside, ends, second, last);
	const int c = xc_line_position(beside, ends + second, xc_line_third(log, ends), last);

	return 1 + (a > b ? a > c ? a : c : b > c ? b : c);
}

/* How many of the powers 1 .. radix - 1 of a factor are stored.  The others are products of two
 * of them. */
XC_GPU_CONSTANT int xc_line_stored(int radix)
{
	return radix == 4 ? 6 : radix == 3 ? 4 : radix == 2 ? 3 : radix;
}

XC_GPU_CONSTANT int xc_line_exponent(int stored)
{
	return stored < 4 ? stored + 1 : 4 * (stored - 2);
}

/* Where the factors of the third pass and of the last one begin, and the number of all factors. */
XC_GPU_CONSTANT int xc_line_third_factors(int log, int ends)
{
	return xc_line_stored(xc_line_second(log, ends)) << ends;
}

XC_GPU_CONSTANT int xc_line_last_factors(int log, int ends)
{
	const int run = ends + xc_line_second(log, ends);
	return xc_line_third_factors(log, ends) + (xc_line_stored(xc_line_third(log, ends)) << run);
}

XC_GPU_CONSTANT int xc_line_factors(int log, int ends)
{
	return xc_line_last_factors(log, ends) +
	       (xc_line_stored(ends) << xc_line_log_threads(log, ends));
}

/* The first and the last pass of these FFTs, as one thread does them.
 *
 * The code around these FFTs needs samples q and n - 1 - q in one thread, and values k and
 * n - k.  Butterfly j of the first pass takes the samples j + i n / R; butterfly n / R - 1 - j
 * takes their mirror images.  Butterfly j of the last pass gives the values j + i n / R;
 * butterfly n / R - j gives their mirror images (0 and n / 2R are their own).  So a thread, one
 * of T = n / 2R of a line, has two of these butterflies at a time: in v[0..R) and v[R..2R).
 * Their factors are the same but for the sign of the angle and a shift of the values by one. */

typedef struct xc_line_points {
	xc_complex v[XC_LINE_POINTS];
	xc_complex w[XC_LINE_STORED]; /* factors of the pass to come */
} xc_line_points;

/* The lines of a block. */
typedef struct xc_lines {
	int log, ends;
	int across; /* log2 of the lines side by side, neighbouring threads in
	                          * neighbouring lines; or -1: neighbours along a line */
	int threads;
	xc_complex *shared;
	const xc_complex *table; /* xc_line_factors() of them */
} xc_lines;

/* A line as one of its threads sees it. */
typedef struct xc_line {
	int log, ends, beside;
	int number;
	xc_complex *at; /* the line's place in shared memory */
	const xc_complex *table;
} xc_line;

XC_GPU_INLINE void xc_line_load(xc_complex w[XC_LINE_STORED], const xc_complex *table, int log,
                                int radix)
{
	XC_UNROLL
	for (int i = 0; i < xc_line_stored(radix); i++)
		w[i] = table[i << log];
}

XC_GPU_INLINE xc_complex xc_line_power(const xc_complex w[XC_LINE_STORED], const int i)
{
	if (i <= 4)
		return w[i - 1];
	if (i % 4 == 0)
		return w[i / 4 + 2];
	return xc_c_mul(w[i < 8 ? 3 : i / 4 + 2], w[i % 4 - 1]);
}

XC_GPU_INLINE xc_line xc_line_at(const xc_lines *s, int t)
{
	const int log_threads = xc_line_log_threads(s->log, s->ends);
	xc_line l;

	l.log = s->log;
	l.ends = s->ends;
	l.table = s->table;
	if (s->across >= 0) {
		l.beside = s->across;
		l.number = t >> s->across;
		l.at = s->shared + (t & ((1 << s->across) - 1));
	} else {
		l.beside = 0;
		l.number = t & ((1 << log_threads) - 1);
		l.at = s->shared + (t >> log_threads) * xc_line_length(s->log, s->ends, 0);
	}
	return l;
}

/* The second butterflies of a thread: of samples and of values. */
XC_GPU_INLINE int xc_line_sample_mirror(const xc_line *l)
{
	return (1 << (l->log - l->ends)) - 1 - l->number;
}

XC_GPU_INLINE int xc_line_value_mirror(const xc_line *l)
{
	const int twice = 1 << (l->log - l->ends);
	return l->number ? twice - l->number : twice / 2;
}

/* Moves v to shared memory after the first pass, or from there before the inverse's last one. */
XC_GPU_INLINE void xc_line_first_exchange(const xc_line *l, xc_complex *v, const int back)
{
	const int radix = 1 << l->ends, mirror = xc_line_sample_mirror(l);
	const int a = xc_line_position(l->beside, 0, l->ends, l->number << l->ends);
	const int b = xc_line_position(l->beside, 0, l->ends, mirror << l->ends);

	XC_UNROLL
	for (int i = 0; i < radix; i++) {
		xc_c_move(l->at + ((a + i) << l->beside), &v[i], !back);
		xc_c_move(l->at + ((b + i) << l->beside), &v[radix + i], !back);
	}
}

/* Moves v from shared memory before the last pass, or to it after the inverse's first one. */
XC_GPU_INLINE void xc_line_last_exchange(const xc_line *l, xc_complex *v, const int back)
{
	const int radix = 1 << l->ends, before = xc_line_before(l->log, l->ends);
	const int run = l->log - l->ends - before, apart = l->log - l->ends;
	const int a = xc_line_position(l->beside, run, before, l->number);
	const int b = xc_line_position(l->beside, run, before, xc_line_value_mirror(l));

	XC_UNROLL
	for (int i = 0; i < radix; i++) {
		const int c = xc_line_position(l->beside, run, before, i << apart);
		xc_c_move(l->at + ((a + c) << l->beside), &v[i], back);
		xc_c_move(l->at + ((b + c) << l->beside), &v[radix + i], back);
	}
}

XC_GPU_INLINE void xc_line_last_load(const xc_line *l, xc_complex w[XC_LINE_STORED])
{
	xc_line_load(w, l->table + xc_line_last_factors(l->log, l->ends) + l->number,
	             xc_line_log_threads(l->log, l->ends), l->ends);
}

/* Factors before the last pass, or after the inverse's first one.  The table has those of
 * butterfly `number`; for thread 0 those of butterfly T are constants. */
XC_GPU_INLINE void xc_line_last_turn(const xc_line *l, xc_complex *v,
                                     const xc_complex w[XC_LINE_STORED], const int back)
{
	const int radix = 1 << l->ends;

	if (l->number == 0) {
		XC_UNROLL
		for (int i = 1; i < radix; i++) {
			const xc_complex arc = xc_c_arc(64 / radix * i);
			v[radix + i] = xc_c_mul(v[radix + i], back ? arc : xc_c_conj(arc));
		}
	}
	XC_UNROLL
	for (int i = 1; i < radix; i++) {
		const xc_complex turn = xc_line_power(w, i);
		v[i] = xc_c_mul(v[i], back ? xc_c_conj(turn) : turn);
		v[radix + i] = xc_c_mul(v[radix + i], back ? turn : xc_c_conj(turn));
	}
}

/* Turns the butterflies' values into pairs: v[i] and v[2R-1-i] become k = number + 2 T i and n - k
 * for i < R / 2, v[R+i] and v[R-1-i] become k = mirror + 2 T i and n - k.  Thread 0 has n / 2 for
 * the mirror image of 0. */
XC_GPU_INLINE void xc_line_pair(int number, xc_complex *v, const int radix)
{
	if (number)
		return;
	const xc_complex half = v[radix / 2];
	XC_UNROLL
	for (int m = radix / 2; m < radix; m++) {
		const xc_complex b = v[radix + m];
		v[radix + m] = m + 1 < radix ? v[m + 1] : half;
		v[m] = b;
	}
}

XC_GPU_INLINE void xc_line_unpair(int number, xc_complex *v, const int radix)
{
	if (number)
		return;
	const xc_complex half = v[2 * radix - 1];
	XC_UNROLL
	for (int m = radix - 1; m >= radix / 2; m--) {
		const xc_complex b = v[radix + m];
		v[radix + m] = v[m];
		if (m + 1 < radix)
			v[m + 1] = b;
	}
	v[radix / 2] = half;
}

/* The last pass; leaves pairs. */
XC_GPU_INLINE void xc_line_last(const xc_line *l, xc_line_points *mine)
{
	const int radix = 1 << l->ends;
	xc_complex *const v = mine->v, *const b = v + radix;

	xc_line_last_exchange(l, v, 0);
	xc_line_last_turn(l, v, mine->w, 0);
	xc_dft(v, 1, l->ends, 0);
	xc_dft(b, 1, l->ends, 0);
	const xc_complex first = b[0];
	XC_UNROLL
	for (int i = 0; i + 1 < radix; i++)
		b[i] = b[i + 1];
	b[radix - 1] = first;
	xc_line_pair(l->number, v, radix);
}

/* The inverse's first pass, on pairs. */
XC_GPU_INLINE void xc_line_last_back(const xc_line *l, xc_line_points *mine)
{
	const int radix = 1 << l->ends;
	xc_complex *const v = mine->v, *const b = v + radix;

	xc_line_unpair(l->number, v, radix);
	const xc_complex last = b[radix - 1];
	XC_UNROLL
	for (int i = radix - 1; i > 0; i--)
		b[i] = b[i - 1];
	b[0] = last;
	xc_dft(v, 1, l->ends, 1);
	xc_dft(b, 1, l->ends, 1);
	xc_line_last_turn(l, v, mine->w, 1);
	xc_line_last_exchange(l, v, 1);
}

/* The first pass, v[i] being sample number + 2 T i, v[R+i] sample mirror + 2 T i; or the inverse's
 * last one. */
XC_GPU_INLINE void xc_line_first(const xc_line *l, xc_line_points *mine, const int back)
{
	if (back)
		xc_line_first_exchange(l, mine->v, 1);
	xc_dft(mine->v, 1, l->ends, back);
	xc_dft(mine->v + (1 << l->ends), 1, l->ends, back);
	if (!back)
		xc_line_first_exchange(l, mine->v, 0);
}

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
	const int a = xc_line_position(l->beside, run, p->before, l->number);

	XC_UNROLL
	for (int e = 0; e < 2 << l->ends; e++) {
		const int c = xc_line_position(l->beside, run, p->before, e << log_threads);
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
	const int a = xc_line_position(l->beside, p->run, p->radix, q);

	XC_UNROLL
	for (int e = 0; e < 2 << l->ends; e++) {
		const int b = e % butterflies, i = e / butterflies;
		const int c = xc_line_position(l->beside, p->run, p->radix,
		                               (b << (log_threads + p->radix)) + (i << p->run));
		xc_c_move(l->at + ((a + c) << l->beside), &v[e], !back);
	}
}

XC_GPU_INLINE void xc_line_pass_load(const xc_line *l, const xc_line_pass *p, xc_line_points *mine)
{
	const int in_run = l->number & ((1 << p->run) - 1);
	xc_line_load(mine->w, l->table + p->factors + in_run, p->run, p->radix);
}

XC_GPU_INLINE void xc_line_pass_turn(const xc_line *l, const xc_line_pass *p, xc_line_points *mine,
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

XC_GPU_INLINE void xc_line_pass_dfts(const xc_line *l, const xc_line_pass *p, xc_line_points *mine,
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
		XC_CTA_SYNC();
}

XC_GPU_INLINE void xc_lines_pass(const xc_lines *s, const xc_line_pass *p,
                                 xc_line_points mine[XC_THREAD_SLOTS], const int back)
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
		xc_line_points *const m = &mine[XC_SLOT(t)];
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
 * xc_line_last_back() and xc_line_first(). */
XC_GPU_INLINE void xc_lines_between(const xc_lines *s, xc_line_points mine[XC_THREAD_SLOTS],
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
