/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The axes of a frame whose sides are powers of two, each in one kernel and one pass through
 * memory.  (split.h has columns of more than 2048.)
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

#include "lab/gpu/fused/pairs.h"

/* Complex columns of a block, as log2: 32 bytes of a row, which are a sector of memory.  64
 * bytes are a tenth faster for 1024 doubles and little faster otherwise, and would often not fit
 * into a device's shared memory. */
XC_GPU_CONSTANT int xc_fused_across(int log)
{
	return XC_REAL_BITS == 32 || log == 10 ? 2 : 1;
}

/* --------------------------------------------------------------- columns */

/* v to or from the rows of samples. */
XC_GPU_INLINE void xc_fused_column_samples(const xc_fused_axis *f, const xc_line *l, xc_complex *v,
                                           int col, const int store)
{
	const int radix = 1 << l->ends, width = f->cols / 2;
	const int step = width << (l->log - l->ends + 1);
	const int a = 2 * l->number * width + col;
	const int b = 2 * xc_line_sample_mirror(l) * width + col;
	XC_UNROLL
	for (int i = 0; i < radix; i++) {
		const int second = i / (radix / 2), j = i % (radix / 2);
		const int index = (second ? b : a) + j * step;
		xc_complex *const z = &v[second * radix + j];
		xc_complex *const mirrored = &v[(2 - second) * radix - 1 - j];
		if (store) {
			*xc_fused_at(f->out, index) = *z;
			*xc_fused_at(f->out, index + width) = *mirrored;
		} else {
			*z = xc_c_load_once(xc_fused_at(f->in, index));
			*mirrored = xc_c_load_once(xc_fused_at(f->in, index + width));
		}
	}
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

/* ------------------------------------------------------------------ rows */

typedef struct __attribute__((aligned(16))) xc_four {
	XC_REAL x[4];
} xc_four;

/* v to or from samples 4q .. 4q + 3 of the thread's q. */
XC_GPU_INLINE void xc_fused_row_samples(const xc_line *l, xc_complex *v, XC_REAL *row,
                                        const int store)
{
	const int radix = 1 << l->ends, mirror = xc_line_sample_mirror(l);
	xc_four *const a = (xc_four *)(void *)row + l->number;
	xc_four *const b = (xc_four *)(void *)row + mirror;
	XC_UNROLL
	for (int i = 0; i < radix; i++) {
		const int second = i / (radix / 2), j = i % (radix / 2);
		xc_four *const at = (second ? b : a) + (j << (l->log - l->ends));
		xc_complex *const z = &v[second * radix + j];
		xc_complex *const mirrored = &v[(2 - second) * radix - 1 - j];
		if (store) {
			const xc_four four = {{z->re, mirrored->im, z->im, mirrored->re}};
			*at = four;
		} else {
			const xc_four four = *at;
			*z = xc_c(four.x[0], four.x[2]);
			*mirrored = xc_c(four.x[3], four.x[1]);
		}
	}
}

XC_GPU_INLINE size_t xc_fused_row(const xc_lines *s, int block, int t)
{
	const int log_threads = xc_line_log_threads(s->log, s->ends);
	const int row = block * (s->threads >> log_threads) + (t >> log_threads);
	return (size_t)row << (s->log + 1);
}

/* ---------------------------------------------------------------- blocks */

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

/* The factors of a thread's pairs.  Columns do not use the second one, which compilers cannot always see. */
XC_GPU_INLINE xc_fused_turns xc_power_turns(const xc_fused_axis *f, const xc_pairs *p,
                                            const int down)
{
	const xc_complex *const table = f->table + xc_line_factors(p->log, p->ends);
	xc_fused_turns t;
	t.turn = xc_fused_turn_of(p, table);
	t.more = down ? t.turn : xc_fused_turn_of(p, table + (1 << (p->log - p->ends - 1)) + 1);
	return t;
}

/* v to or from the samples of a thread. */
XC_GPU_INLINE void xc_power_samples(const xc_fused_axis *f, const xc_lines *s, const xc_line *l,
                                    xc_complex *v, int block, int t, const int down,
                                    const int store)
{
	if (down)
		xc_fused_column_samples(f, l, v, xc_fused_column(s, block, t), store);
	else
		xc_fused_row_samples(l, v, (store ? f->out : (XC_REAL *)f->in) + xc_fused_row(s, block, t),
		                     store);
}

XC_GPU_FUNCTION void xc_power_block(const xc_fused_axis *f, xc_complex *shared, int block,
                                    int threads, const int log, const int down, const int back)
{
	const xc_lines lines = xc_power_lines(f, shared, threads, log, down), *const s = &lines;
	xc_points mine[XC_THREAD_SLOTS];
	XC_FOR_THREADS(t, threads) {
		const xc_line l = xc_line_at(s, t);
		xc_points *const m = &mine[XC_SLOT(t)];
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
			xc_line_first(&l, m);
		}
	}
	xc_lines_between(s, mine, back);
	XC_FOR_THREADS(t, threads) {
		const xc_line l = xc_line_at(s, t);
		xc_points *const m = &mine[XC_SLOT(t)];
		if (back) {
			xc_line_first_back(&l, m);
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
