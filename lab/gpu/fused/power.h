/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The axes of a frame whose sides are powers of two, each in one kernel and one pass through
 * memory.
 *
 *  - Columns: two real ones are one complex column.  A block of threads takes a few of them, so
 *    that it reads and writes whole sectors of memory.  Rows of samples are in Makhoul's order:
 *    places q and n - 1 - q of the FFT are rows 2q and 2q + 1.
 *  - Rows, in place: samples 4q .. 4q + 3 are places q and n - 1 - q of the line's FFT.
 *
 * The inverse is the same two steps, each the other way round.  Sine transforms read or write
 * coefficient N - k for k, and change the sign of every second sample.
 *
 * Included with XC_REAL_BITS set.  Written for one block of threads: see lab/gpu/threads.h.
 */
#ifndef XC_LAB_GPU_FUSED_POWER_H
#define XC_LAB_GPU_FUSED_POWER_H

#include "lab/gpu/fused/line.h"

/* The step of Jiang, Gu and Pan between a two-dimensional real FFT and the DCT (algorithm 2),
 * and back, for the pairs of values k and n - k that a thread of line.h has.
 *
 * The factors of a thread's pairs differ by constants.  The factor exp(-i pi k / 2n) of
 * k = number + 2 T i is that of `number` times exp(-i pi i / 2R).  The factor of
 * k = mirror + 2 T i is the conjugate of the former times exp(-i pi (i + 1) / 2R). */

/* An axis as its kernel sees it.  Its lines are the frame's columns or its rows.  Two real columns
 * side by side are one complex line of N, because the DCT is linear; a real row of M = 2n is a
 * complex line of n. */
typedef struct xc_fused_axis {
	const XC_REAL *in;
	XC_REAL *out;
	int cols; /* samples from row to row */
	int sine;
	/* The factors of the lines' passes (not of mixed ones), then those of the pairs.
	 * Columns: sqrt(1 / 2N) exp(-i pi k / 2N), k <= T.
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

XC_GPU_INLINE xc_complex *xc_fused_at(const XC_REAL *frame, int index)
{
	return (xc_complex *)(void *)frame + index;
}

/* The rows of pair i, counted from k on, as indices of complex values.  `low` is that of value k,
 * or of n - k in a sine transform. */
typedef struct xc_fused_position {
	int low, high;
} xc_fused_position;

XC_GPU_INLINE xc_fused_position xc_fused_pair_rows(const xc_fused_axis *f, const xc_pairs *p, int k,
                                                   const int i, int col)
{
	const int width = f->cols / 2, step = (f->sine ? -width : width) * xc_pairs_step(p);
	const int low = k * width + col, high = ((1 << p->log) - k) * width + col;
	xc_fused_position at;

	at.low = (f->sine ? high : low) + i * step;
	at.high = (f->sine ? low : high) - i * step;
	return at;
}

/* The factors of a thread's columns: `table` has the factors of numbers up to T. */
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
		const xc_fused_position at = xc_fused_pair_rows(f, p, half ? p->mirror : p->number, i, col);
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
		const xc_fused_position at = xc_fused_pair_rows(f, p, half ? p->mirror : p->number, i, col);
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

/* Complex columns of a block, as log2: 32 bytes of a row, which are a sector of memory.  64
 * bytes are a tenth faster for 1024 doubles and little faster otherwise, and would often not fit
 * into a device's shared memory. */
XC_GPU_CONSTANT int xc_fused_across(int log)
{
	return XC_REAL_BITS == 32 || log == 10 ? 2 : 1;
}

/* Changes the sign of every second sample. */
XC_GPU_INLINE void xc_fused_signs(xc_complex *v, const int radix)
{
	XC_UNROLL
	for (int i = radix / 2; i < radix; i++) {
		v[i] = xc_c(-v[i].re, -v[i].im);
		v[radix + i] = xc_c(-v[radix + i].re, -v[radix + i].im);
	}
}

XC_GPU_INLINE int xc_fused_column(const xc_lines *s, int block, int t)
{
	return (block << s->across) + (t & ((1 << s->across) - 1));
}

typedef struct __attribute__((aligned(16))) xc_four {
	XC_REAL x[4];
} xc_four;

XC_GPU_INLINE size_t xc_fused_row(const xc_lines *s, int block, int t)
{
	const int log_threads = xc_line_log_threads(s->log, s->ends);
	const int row = block * (s->threads >> log_threads) + (t >> log_threads);
	return (size_t)row << (s->log + 1);
}

/* `down`: the lines are columns. */
XC_GPU_INLINE xc_lines xc_power_lines(const xc_fused_axis *f, xc_complex *shared, int threads,
                                      const int log, const int down)
{
	xc_lines s;

	s.log = log;
	s.ends = xc_line_ends(log);
	s.across = down ? xc_fused_across(log) : -1;
	s.threads = threads;
	s.shared = shared;
	s.table = f->table;
	return s;
}

/* The factors of a thread's pairs. Columns do not use the second one, which compilers
 * cannot always see. */
XC_GPU_INLINE xc_fused_turns xc_power_turns(const xc_fused_axis *f, const xc_pairs *p,
                                            const int down)
{
	const xc_complex *const table = f->table + xc_line_factors(p->log, p->ends);
	xc_fused_turns t;

	t.turn = xc_fused_turn_of(p, table);
	t.more = down ? t.turn : xc_fused_turn_of(p, table + (1 << (p->log - p->ends - 1)) + 1);
	return t;
}

/* v to or from the samples of a thread: rows 2q and 2q + 1 of a column, or samples 4q .. 4q + 3 of a
 * row. */
XC_GPU_INLINE void xc_power_samples(const xc_fused_axis *f, const xc_lines *s, const xc_line *l,
                                    xc_complex *v, int block, int t, const int down,
                                    const int store)
{
	const int radix = 1 << l->ends, width = f->cols / 2, scale = down ? 2 * width : 1;
	const int first = down ? xc_fused_column(s, block, t) : 0;
	const int a = l->number * scale + first, b = xc_line_sample_mirror(l) * scale + first;
	XC_REAL *const frame = store ? f->out : (XC_REAL *)f->in;
	xc_four *const row = (xc_four *)(void *)(frame + (down ? 0 : xc_fused_row(s, block, t)));

	XC_UNROLL
	for (int i = 0; i < radix; i++) {
		const int second = i / (radix / 2), j = i % (radix / 2);
		const int index = (second ? b : a) + j * (scale << (l->log - l->ends));
		xc_complex *const z = &v[second * radix + j];
		xc_complex *const mirrored = &v[(2 - second) * radix - 1 - j];
		if (down && store) {
			*xc_fused_at(frame, index) = *z;
			*xc_fused_at(frame, index + width) = *mirrored;
		} else if (down) {
			*z = xc_c_load_once(xc_fused_at(frame, index));
			*mirrored = xc_c_load_once(xc_fused_at(frame, index + width));
		} else if (store) {
			const xc_four four = {{z->re, mirrored->im, z->im, mirrored->re}};
			row[index] = four;
		} else {
			const xc_four four = row[index];
			*z = xc_c(four.x[0], four.x[2]);
			*mirrored = xc_c(four.x[3], four.x[1]);
		}
	}
}

XC_GPU_FUNCTION void xc_power_block(const xc_fused_axis *f, xc_complex *shared, int block,
                                    int threads, const int log, const int down, const int back)
{
	const xc_lines lines = xc_power_lines(f, shared, threads, log, down), *const s = &lines;
	xc_line_points mine[XC_THREAD_SLOTS];

	XC_FOR_THREADS(t, threads) {
		const xc_line l = xc_line_at(s, t);
		xc_line_points *const m = &mine[XC_SLOT(t)];
		if (back) {
			const xc_pairs p = xc_pairs_of(&l);
			const xc_fused_turns turns = xc_power_turns(f, &p, down);
			if (down)
				xc_fused_columns_in(f, &p, m->v, &turns.turn, xc_fused_column(s, block, t));
			else
				xc_fused_rows_in(f, &p, m->v, &turns, (XC_REAL *)f->in + xc_fused_row(s, block, t));
			xc_line_last_load(&l, m->w);
			xc_line_last_back(&l, m);
		} else {
			xc_power_samples(f, s, &l, m->v, block, t, down, 0);
			if (f->sine)
				xc_fused_signs(m->v, 1 << s->ends);
			xc_line_first(&l, m, 0);
		}
	}
	xc_lines_between(s, mine, back);
	XC_FOR_THREADS(t, threads) {
		const xc_line l = xc_line_at(s, t);
		xc_line_points *const m = &mine[XC_SLOT(t)];
		if (back) {
			xc_line_first(&l, m, 1);
			if (f->sine)
				xc_fused_signs(m->v, 1 << s->ends);
			xc_power_samples(f, s, &l, m->v, block, t, down, 1);
		} else {
			const xc_pairs p = xc_pairs_of(&l);
			const xc_fused_turns turns = xc_power_turns(f, &p, down);
			xc_line_last(&l, m);
			if (down)
				xc_fused_columns_out(f, &p, m->v, &turns.turn, xc_fused_column(s, block, t));
			else
				xc_fused_rows_out(f, &p, m->v, &turns, f->out + xc_fused_row(s, block, t));
		}
	}
}

#endif
